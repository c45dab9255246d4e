//! Sorted tables: blocks of entries whose keys share prefixes, each with its checksum, and an index of blocks.
//!
//! A block is entries (how much of the key before is shared, how many bytes of key and of value follow), the places where
//! nothing is shared, and how many of these there are. Behind each block stand the kind of its compression and a masked
//! checksum. The footer says where the index of blocks is.

use crate::checksum::{masked, verify};
use ferrograph_tensor::{Error, Result, bail, err};
use prost::encoding::{decode_varint, encode_varint};

const MAGIC: u64 = 0xdb47_7524_8b80_fb57;
/// The bytes of the two places in a footer, padded with zeros; the magic number follows.
const HANDLES: usize = 40;
const FOOTER: usize = HANDLES + 8;
/// What follows a block: the kind of compression, and the checksum.
const TRAILER: usize = 5;
/// So many entries share prefixes at most.
const RESTART_INTERVAL: usize = 16;
/// A block that has grown to so many bytes is closed.
const BLOCK: usize = 256 << 10;
/// Keys that share prefixes may become so many times as long as the file in all.
const EXPANSION: usize = 64;

/// A key with its value.
pub(super) type Pair<'a> = (Vec<u8>, &'a [u8]);

/// The entries of a table, in the order of their keys.
pub(super) fn read(file: &[u8]) -> Result<Vec<Pair<'_>>> {
    let (meta, index) = footer(file)?;
    let mut table = Table {
        file,
        pairs: Vec::new(),
        budget: file.len().saturating_mul(EXPANSION),
    };
    entries(block(file, meta)?, |_, _| Ok(()))?;
    let mut blocks = Vec::new();
    entries(block(file, index)?, |_, handle| {
        blocks.push(Handle::whole(handle)?);
        Ok(())
    })?;
    for handle in blocks {
        table.add(handle)?;
    }
    Ok(table.pairs)
}

struct Table<'a> {
    file: &'a [u8],
    pairs: Vec<Pair<'a>>,
    /// How many more bytes keys may take.
    budget: usize,
}

impl Table<'_> {
    /// Adds the entries of a block, whose keys come after those so far.
    fn add(&mut self, handle: Handle) -> Result<()> {
        let Table {
            file,
            pairs,
            budget,
        } = self;
        entries(block(file, handle)?, |key, value| {
            if pairs.last().is_some_and(|(last, _)| last.as_slice() >= key) {
                bail!(DataLoss, "the keys of the table are out of order");
            }
            *budget = budget
                .checked_sub(key.len())
                .ok_or_else(|| err!(DataLoss, "the keys of the table are too long"))?;
            pairs.push((key.to_vec(), value));
            Ok(())
        })
    }
}

/// Where a block is.
#[derive(Clone, Copy)]
struct Handle {
    offset: usize,
    size: usize,
}

impl Handle {
    fn read(from: &mut &[u8]) -> Result<Handle> {
        Ok(Handle {
            offset: length(from)?,
            size: length(from)?,
        })
    }

    /// The place that these bytes are, and nothing besides.
    fn whole(mut bytes: &[u8]) -> Result<Handle> {
        let handle = Handle::read(&mut bytes)?;
        if !bytes.is_empty() {
            bail!(DataLoss, "bytes follow the place of a block");
        }
        Ok(handle)
    }

    fn write(self, to: &mut Vec<u8>) {
        encode_varint(self.offset as u64, to);
        encode_varint(self.size as u64, to);
    }
}

fn length(from: &mut &[u8]) -> Result<usize> {
    let value = decode_varint(from).map_err(|e| err!(DataLoss, "a length can't be read: {e}"))?;
    usize::try_from(value).map_err(|_| err!(DataLoss, "a length of {value} is too large"))
}

/// Where the block of metadata and the index of blocks are.
fn footer(file: &[u8]) -> Result<(Handle, Handle)> {
    let Some((_, footer)) = file.split_last_chunk::<FOOTER>() else {
        bail!(DataLoss, "the file is too short to be a table");
    };
    let (handles, magic) = footer.split_at(HANDLES);
    if magic != MAGIC.to_le_bytes() {
        bail!(DataLoss, "the file is no table (bad magic number)");
    }
    let mut rest = handles;
    let (meta, index) = (Handle::read(&mut rest)?, Handle::read(&mut rest)?);
    let mut canonical = Vec::new();
    meta.write(&mut canonical);
    index.write(&mut canonical);
    canonical.resize(HANDLES, 0);
    if handles != canonical {
        bail!(DataLoss, "the footer of the table is damaged");
    }
    Ok((meta, index))
}

/// The bytes of a block, which are whole.
fn block(file: &[u8], handle: Handle) -> Result<&[u8]> {
    let Handle { offset, size } = handle;
    let end = offset
        .checked_add(size)
        .and_then(|e| e.checked_add(TRAILER));
    let whole = end.and_then(|end| file.get(offset..end));
    let whole = whole.ok_or_else(|| err!(DataLoss, "the block at {offset} is truncated"))?;
    let (checked, checksum) = whole.split_at(size + 1);
    let checksum = u32::from_le_bytes(checksum.try_into().expect("four bytes are left"));
    if !verify(checked, checksum) {
        bail!(
            DataLoss,
            "the block at {offset} is corrupted (bad checksum)"
        );
    }
    match checked[size] {
        0 => Ok(&checked[..size]),
        1 => bail!(
            Unimplemented,
            "the block at {offset} is compressed by Snappy, which is not supported"
        ),
        kind => bail!(
            DataLoss,
            "the block at {offset} is of the unknown kind {kind}"
        ),
    }
}

/// Calls `each` with the key and the value of each entry.
fn entries<'a>(block: &'a [u8], mut each: impl FnMut(&[u8], &'a [u8]) -> Result<()>) -> Result<()> {
    let truncated = || -> Error { err!(DataLoss, "the entries of a block are truncated") };
    let (rest, count) = block.split_last_chunk::<4>().ok_or_else(truncated)?;
    let restarts = (u32::from_le_bytes(*count) as usize).checked_mul(4);
    let end = restarts.and_then(|n| rest.len().checked_sub(n));
    let mut rest = &rest[..end.ok_or_else(truncated)?];
    let mut key = Vec::new();
    while !rest.is_empty() {
        let (shared, more, size) = (length(&mut rest)?, length(&mut rest)?, length(&mut rest)?);
        if shared > key.len() {
            bail!(DataLoss, "a key shares more than there is");
        }
        let (suffix, after) = rest.split_at_checked(more).ok_or_else(truncated)?;
        let (value, after) = after.split_at_checked(size).ok_or_else(truncated)?;
        key.truncate(shared);
        key.extend_from_slice(suffix);
        each(&key, value)?;
        rest = after;
    }
    Ok(())
}

/// One block that is being written.
struct Block {
    bytes: Vec<u8>,
    restarts: Vec<u32>,
    since_restart: usize,
    last: Vec<u8>,
    interval: usize,
}

impl Block {
    fn new(interval: usize) -> Block {
        Block {
            bytes: Vec::new(),
            restarts: vec![0],
            since_restart: 0,
            last: Vec::new(),
            interval,
        }
    }

    fn add(&mut self, key: &[u8], value: &[u8]) {
        let mut shared = 0;
        if self.since_restart < self.interval {
            let same = self.last.iter().zip(key);
            shared = same.take_while(|(a, b)| a == b).count();
        } else {
            let at = u32::try_from(self.bytes.len()).expect("a block is closed long before");
            self.restarts.push(at);
            self.since_restart = 0;
        }
        for n in [shared, key.len() - shared, value.len()] {
            encode_varint(n as u64, &mut self.bytes);
        }
        self.bytes.extend_from_slice(&key[shared..]);
        self.bytes.extend_from_slice(value);
        self.last = key.to_vec();
        self.since_restart += 1;
    }

    /// Appends the block to the file; gives where it is there.
    fn close(self, file: &mut Vec<u8>) -> Handle {
        let offset = file.len();
        file.extend_from_slice(&self.bytes);
        let count = u32::try_from(self.restarts.len()).expect("a block is closed long before");
        for n in self.restarts.iter().chain([&count]) {
            file.extend_from_slice(&n.to_le_bytes());
        }
        let size = file.len() - offset;
        file.push(0);
        let checksum = masked(&file[offset..]);
        file.extend_from_slice(&checksum.to_le_bytes());
        Handle { offset, size }
    }
}

/// The bytes of the table of these entries, whose keys ascend.
pub(super) fn write<'a>(pairs: impl Iterator<Item = (&'a [u8], Vec<u8>)>) -> Vec<u8> {
    let (mut file, mut index) = (Vec::new(), Block::new(1));
    let mut block = Block::new(RESTART_INTERVAL);
    let mut close = |block: Block, file: &mut Vec<u8>| {
        let last = block.last.clone();
        let mut handle = Vec::new();
        block.close(file).write(&mut handle);
        index.add(&last, &handle);
    };
    for (key, value) in pairs {
        if block.bytes.len() >= BLOCK {
            close(
                std::mem::replace(&mut block, Block::new(RESTART_INTERVAL)),
                &mut file,
            );
        }
        block.add(key, &value);
    }
    close(block, &mut file);
    let mut footer = Vec::with_capacity(FOOTER);
    Block::new(RESTART_INTERVAL)
        .close(&mut file)
        .write(&mut footer);
    index.close(&mut file).write(&mut footer);
    footer.resize(HANDLES, 0);
    footer.extend_from_slice(&MAGIC.to_le_bytes());
    file.extend_from_slice(&footer);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(n: usize) -> (Vec<(String, Vec<u8>)>, Vec<u8>) {
        let pair = |i| (format!("layer/{i:06}/kernel"), vec![7; i % 50]);
        let pairs: Vec<_> = (0..n).map(pair).collect();
        let file = write(pairs.iter().map(|(k, v)| (k.as_bytes(), v.clone())));
        (pairs, file)
    }

    #[test]
    fn what_was_written_is_read() {
        for n in [1, 16, 17, 33, 20_000] {
            let (pairs, file) = table(n);
            let found = read(&file).unwrap();
            let found = found.into_iter().map(|(k, v)| (k, v.to_vec()));
            let expected = pairs.into_iter().map(|(k, v)| (k.into_bytes(), v));
            assert!(found.eq(expected), "{n}");
        }
    }

    #[test]
    fn keys_that_grow_by_sharing_are_refused() {
        let mut block = Block::new(usize::MAX);
        let mut key = vec![b'a'; 100_000];
        for i in 0..2000u32 {
            key.truncate(100_000);
            key.extend_from_slice(&i.to_be_bytes());
            block.add(&key, b"");
        }
        let (mut file, mut index, mut footer) = (Vec::new(), Block::new(1), Vec::new());
        let mut handle = Vec::new();
        block.close(&mut file).write(&mut handle);
        index.add(&key, &handle);
        Block::new(1).close(&mut file).write(&mut footer);
        index.close(&mut file).write(&mut footer);
        footer.resize(HANDLES, 0);
        footer.extend_from_slice(&MAGIC.to_le_bytes());
        file.extend_from_slice(&footer);
        let found = read(&file).unwrap_err();
        assert!(found.message().contains("too long"), "{found}");
    }
}
