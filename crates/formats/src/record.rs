//! Framed records: the layout of TFRecord files and of event files.
//!
//! A record is its length (a little-endian `u64`), the masked checksum of these eight bytes, the bytes, and their
//! masked checksum.

use crate::checksum::{masked, verify};
use ferrograph_tensor::{Result, bail, check_bytes, err, string_of};
use std::io::{ErrorKind, IoSliceMut, Read, Write};
use std::sync::Arc;

/// The bytes before those of a record.
const HEAD: usize = 12;
/// The bytes after those of a record.
const FOOT: usize = 4;
/// What is asked for at a time.
const BLOCK: usize = 256 << 10;
/// Records of so many bytes are read to where they stay; shorter ones lie in a block with others.
const LONG: usize = 16 << 10;
/// Longer ones grow with what there is.
const LONGEST: usize = 1 << 20;
/// What is read behind a long record: its end, and the beginning of the next.
const AHEAD: usize = 1 << 10;

/// Writes records to whatever takes bytes. Records are written in small pieces: `to` should have a buffer.
#[derive(Debug)]
pub struct Writer<W> {
    to: W,
}

impl<W: Write> Writer<W> {
    /// A writer at the place where `to` stands.
    pub fn new(to: W) -> Self {
        Writer { to }
    }

    /// Appends a record.
    pub fn write(&mut self, record: &[u8]) -> std::io::Result<()> {
        let length = (record.len() as u64).to_le_bytes();
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(&length);
        head[8..].copy_from_slice(&masked(&length).to_le_bytes());
        self.to.write_all(&head)?;
        self.to.write_all(record)?;
        self.to.write_all(&masked(record).to_le_bytes())
    }

    /// Hands on what is buffered.
    pub fn flush(&mut self) -> std::io::Result<()> {
        self.to.flush()
    }

    /// What the records are written to.
    pub fn get_ref(&self) -> &W {
        &self.to
    }

    /// What the records were written to.
    pub fn into_inner(self) -> W {
        self.to
    }
}

/// Reads records from whatever gives bytes, through a buffer of its own.
#[derive(Debug)]
pub struct Reader<R> {
    from: R,
    /// What was read ahead lies in `start..end`; all behind is room.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// How many bytes the records so far took.
    at: u64,
    /// Whether the record before was long.
    is_long: bool,
}

impl<R: Read> Reader<R> {
    /// A reader of the records that begin where `from` stands.
    pub fn new(from: R) -> Self {
        Reader {
            from,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            at: 0,
            is_long: false,
        }
    }

    /// Where the next record begins, in bytes from the first one.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Reads the next record into `record`, whose contents are replaced; false at the end.
    pub fn read(&mut self, record: &mut Vec<u8>) -> Result<bool> {
        record.clear();
        let next = self.next_record()?;
        record.extend_from_slice(next.unwrap_or_default());
        Ok(next.is_some())
    }

    /// The next record, which lies in the reader's buffer; nothing at the end.
    pub fn next_record(&mut self) -> Result<Option<&[u8]>> {
        let Some(size) = self.size_of_next(BLOCK)? else {
            return Ok(None);
        };
        if self.filled(size, BLOCK)? < size {
            return Err(self.truncated());
        }
        let all = self.start..self.start + size;
        let foot = all.end - FOOT;
        let body = all.start + HEAD..foot;
        if !verify(
            &self.buffer[body.clone()],
            word(&self.buffer[foot..all.end]),
        ) {
            bail!(DataLoss, "corrupted record at {}", self.at);
        }
        self.start = all.end;
        self.at += size as u64;
        Ok(Some(&self.buffer[body]))
    }

    /// How many bytes the next record takes with its frame; nothing at the end.
    fn size_of_next(&mut self, ahead: usize) -> Result<Option<usize>> {
        match self.filled(HEAD, ahead)? {
            0 => return Ok(None),
            n if n < HEAD => return Err(self.truncated()),
            _ => {}
        }
        let (length, checksum) = self.buffer[self.start..self.start + HEAD].split_at(8);
        if !verify(length, word(checksum)) {
            bail!(DataLoss, "corrupted record at {}", self.at);
        }
        let length = u64::from_le_bytes(length.try_into().expect("eight bytes were split off"));
        let size = usize::try_from(length)
            .ok()
            .and_then(|n| n.checked_add(HEAD + FOOT));
        size.map(Some).ok_or_else(|| self.truncated())
    }

    /// The next record in memory of its own; nothing at the end.
    pub fn next_shared(&mut self) -> Result<Option<Arc<[u8]>>> {
        let ahead = if self.is_long { AHEAD } else { BLOCK };
        let Some(size) = self.size_of_next(ahead)? else {
            return Ok(None);
        };
        self.is_long = (LONG..LONGEST).contains(&size);
        if self.is_long && self.end - self.start < size {
            return self.read_long(size - HEAD - FOOT).map(Some);
        }
        match self.next_record()? {
            Some(record) => string_of(record).map(Some),
            None => Ok(None),
        }
    }

    /// The record of that length whose head, and no more than a part of it, is read ahead.
    fn read_long(&mut self, length: usize) -> Result<Arc<[u8]>> {
        let mut shared: Arc<[u8]> = std::iter::repeat_n(0, length).collect();
        let record = Arc::get_mut(&mut shared).expect("nobody else has it yet");
        let begun = self.start + HEAD..self.end.min(self.start + HEAD + length);
        let mut n = begun.len();
        record[..n].copy_from_slice(&self.buffer[begun.clone()]);
        self.start = begun.end;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        while n < length {
            let ahead = IoSliceMut::new(&mut self.buffer[..AHEAD]);
            let mut parts = [IoSliceMut::new(&mut record[n..]), ahead];
            match self.from.read_vectored(&mut parts) {
                Ok(0) => return Err(self.truncated()),
                Ok(more) => {
                    self.end = more.saturating_sub(length - n);
                    n = (n + more).min(length);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(self.unreadable(&e)),
            }
        }
        if self.filled(FOOT, AHEAD)? < FOOT {
            return Err(self.truncated());
        }
        let foot = self.start..self.start + FOOT;
        if !verify(record, word(&self.buffer[foot.clone()])) {
            bail!(DataLoss, "corrupted record at {}", self.at);
        }
        self.start = foot.end;
        self.at += (HEAD + length + FOOT) as u64;
        Ok(shared)
    }

    /// Sees to it that `wanted` bytes are read ahead unless the end comes before them; how many there are. Of what comes
    /// behind, `ahead` bytes may be read with them. Memory grows with what there is, not with what is wanted.
    fn filled(&mut self, wanted: usize, ahead: usize) -> Result<usize> {
        while self.end - self.start < wanted {
            if self.buffer.len() - self.start < wanted {
                self.make_room(wanted)?;
            }
            let most = self.start + wanted.max(ahead);
            let room = self.end..most.clamp(self.end, self.buffer.len());
            match self.from.read(&mut self.buffer[room]) {
                Ok(0) => break,
                Ok(more) => self.end += more,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(self.unreadable(&e)),
            }
        }
        Ok(self.end - self.start)
    }

    /// Moves what is read ahead to the front, and doubles a buffer that is full all the same.
    fn make_room(&mut self, wanted: usize) -> Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == self.buffer.len() {
            let size = wanted.min(2 * self.buffer.len()).max(BLOCK);
            check_bytes(size)?;
            self.buffer.resize(size, 0);
        }
        Ok(())
    }

    fn unreadable(&self, e: &std::io::Error) -> ferrograph_tensor::Error {
        err!(DataLoss, "the record at {} can't be read: {e}", self.at)
    }

    fn truncated(&self) -> ferrograph_tensor::Error {
        err!(DataLoss, "truncated record at {}", self.at)
    }
}

/// A little-endian word of four bytes.
fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes.try_into().expect("four bytes were asked for"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(records: &[&[u8]]) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new());
        for record in records {
            writer.write(record).unwrap();
        }
        writer.into_inner()
    }

    fn read(file: impl Read) -> Result<Vec<Vec<u8>>> {
        let (mut reader, mut record, mut all) = (Reader::new(file), Vec::new(), Vec::new());
        while reader.read(&mut record)? {
            all.push(record.clone());
        }
        Ok(all)
    }

    fn read_shared(file: impl Read) -> Result<Vec<Vec<u8>>> {
        let (mut reader, mut all) = (Reader::new(file), Vec::new());
        while let Some(record) = reader.next_shared()? {
            all.push(record.to_vec());
        }
        Ok(all)
    }

    #[test]
    fn records_in_memory_of_their_own() {
        let sizes = [
            0,
            100,
            70_000,
            65_536,
            3,
            20_000,
            2 << 20,
            16_384,
            16_383,
            500_000,
            1,
        ];
        let records: Vec<Vec<u8>> = (sizes.iter().enumerate())
            .map(|(i, n)| (0..*n).map(|k| (k * 7 + i) as u8).collect())
            .collect();
        let file = written(&records.iter().map(|r| &r[..]).collect::<Vec<_>>());
        assert_eq!(read_shared(&file[..]).unwrap(), records);
        assert_eq!(read_shared(Slowly(&file)).unwrap(), records);
        let file = written(&[&[1; 40_000], &[2; 40_000]]);
        for end in (1..file.len()).filter(|end| *end != 40_016) {
            let e = read_shared(&file[..end]).unwrap_err();
            assert!(e.message().starts_with("truncated record at"), "{e}");
        }
        for at in [0, 9, 12, 20_000, 40_011, 40_015, 40_016, 70_000] {
            let mut damaged = file.clone();
            damaged[at] ^= 4;
            assert!(read_shared(&damaged[..]).is_err());
        }
    }

    /// Gives a few bytes at a time.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let n = to.len().min(7);
            self.0.read(&mut to[..n])
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let records: [&[u8]; 4] = [b"first", b"", &[7; 3 << 20], &[8; 100]];
        assert_eq!(read(&written(&records)[..]).unwrap(), records);
        let many: Vec<Vec<u8>> = (0..9000u32).map(|i| i.to_le_bytes().repeat(20)).collect();
        let many: Vec<&[u8]> = many.iter().map(|r| &r[..]).collect();
        assert_eq!(read(Slowly(&written(&many))).unwrap(), many);
    }

    #[test]
    fn every_flipped_bit_is_reported() {
        let file = written(&[b"abc", b"de"]);
        for bit in 0..file.len() * 8 {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&damaged[..]).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn every_truncation_within_a_record_is_reported() {
        let file = written(&[b"abc", b"de"]);
        let first = HEAD + 3 + FOOT;
        for end in 0..file.len() {
            assert_eq!(
                read(&file[..end]).is_ok(),
                end == 0 || end == first,
                "{end}"
            );
        }
    }

    #[test]
    fn a_length_without_bytes_takes_no_memory() {
        for length in [1u64 << 60, u64::MAX] {
            let length = length.to_le_bytes();
            let mut file = length.to_vec();
            file.extend(masked(&length).to_le_bytes());
            let mut reader = Reader::new(&file[..]);
            assert!(reader.next_record().is_err());
            assert_eq!(reader.buffer.len(), BLOCK);
        }
    }
}
