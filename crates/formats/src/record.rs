//! Framed records: the layout of TFRecord files and of event files.
//!
//! A record is its length (a little-endian `u64`), the masked checksum of these eight bytes, the bytes, and their
//! masked checksum.

pub use crate::block::{Ahead, Block, Passage, Source};

use crate::block::{BLOCK, ROOM};
use crate::checksum::{masked, verify};
use crate::compression::kind_of;
use ferrograph_tensor::{Bytes, Error, Result, bail, err, string_of};
use std::io::{ErrorKind, Write};

/// The bytes before those of a record.
const HEAD: usize = 12;
/// The bytes after those of a record.
const FOOT: usize = 4;
/// What is read at once before it is known whether a file is long.
const FIRST: usize = 256 << 10;
/// Reading goes to addresses that are multiples of this.
const ALIGN: usize = 64;

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
    /// What was read ahead is in `start..end`; behind it is room up to `limit`.
    block: Block,
    start: usize,
    end: usize,
    limit: usize,
    /// How many bytes were read.
    n_read: u64,
    /// How many bytes the records so far took.
    at: u64,
    /// The bytes before the record that came last, which were verified.
    verified: Option<[u8; HEAD]>,
}

impl<R: Source> Reader<R> {
    /// A reader of the records that begin where `from` stands.
    pub fn new(from: R) -> Self {
        Reader {
            from,
            block: Block::EMPTY,
            start: 0,
            end: 0,
            limit: 0,
            n_read: 0,
            at: 0,
            verified: None,
        }
    }

    /// Where the next record begins, in bytes from the first one.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Whether bytes of a record are there already: then the end has not come.
    pub fn is_within(&self) -> bool {
        self.start < self.end
    }

    /// Whether the whole next record is there already: then reading it waits for nothing.
    pub fn is_at_hand(&self) -> bool {
        let ahead = &self.block.bytes()[self.start..self.end];
        let length = ahead.first_chunk().map(|head| u64::from_le_bytes(*head));
        length.is_some_and(|n| n.saturating_add((HEAD + FOOT) as u64) <= ahead.len() as u64)
    }

    /// Reads the next record into `record`, whose contents are replaced; false at the end.
    pub fn read(&mut self, record: &mut Vec<u8>) -> Result<bool> {
        record.clear();
        let next = self.next_record()?;
        record.extend_from_slice(next.unwrap_or_default());
        Ok(next.is_some())
    }

    /// The next record in memory of its own; nothing at the end.
    pub fn next_shared(&mut self) -> Result<Option<Bytes>> {
        self.next_record()?.map(string_of).transpose()
    }

    /// The next record, which is in the reader's buffer; nothing at the end.
    pub fn next_record(&mut self) -> Result<Option<&[u8]>> {
        let Some(size) = self.size_of_next()? else {
            return Ok(None);
        };
        if self.filled(size)? < size {
            return Err(self.truncated());
        }
        let all = self.start..self.start + size;
        let foot = all.end - FOOT;
        let body = all.start + HEAD..foot;
        let bytes = self.block.bytes();
        if !verify(&bytes[body.clone()], word(&bytes[foot..all.end])) {
            bail!(DataLoss, "corrupted record at {}", self.at);
        }
        self.start = all.end;
        self.at += size as u64;
        Ok(Some(&self.block.bytes()[body]))
    }

    /// How many bytes the next record takes with its frame; nothing at the end.
    fn size_of_next(&mut self) -> Result<Option<usize>> {
        match self.filled(HEAD)? {
            0 => return Ok(None),
            n if n < HEAD => return Err(self.truncated()),
            _ => {}
        }
        let ahead = &self.block.bytes()[self.start..self.end];
        let head: [u8; HEAD] = *ahead.first_chunk().expect("a head is there");
        let (length, checksum) = head.split_first_chunk().expect("a head holds a length");
        // Records of one length have one head.
        if self.verified != Some(head) {
            if !verify(length, word(checksum)) {
                bail!(DataLoss, "corrupted record at {}", self.at);
            }
            self.verified = Some(head);
        }
        let size = usize::try_from(u64::from_le_bytes(*length))
            .ok()
            .and_then(|n| n.checked_add(HEAD + FOOT));
        size.map(Some).ok_or_else(|| self.truncated())
    }

    /// Sees to it that `wanted` bytes are read ahead unless the end comes before them; how many there are. Memory grows with
    /// what there is, not with what is wanted.
    #[inline]
    fn filled(&mut self, wanted: usize) -> Result<usize> {
        while self.end - self.start < wanted {
            if !self.read_on(wanted)? {
                break;
            }
        }
        Ok(self.end - self.start)
    }

    /// Reads more, of which less than `wanted` bytes are there; whether there was more.
    #[cold]
    fn read_on(&mut self, wanted: usize) -> Result<bool> {
        if self.end == self.limit {
            match self.from.next_block()? {
                Some(Ok((block, n))) => return self.go_on_in(block, n),
                Some(Err(e)) => return Err(self.unreadable(&e)),
                None => self.make_room(wanted)?,
            }
        }
        loop {
            let room = &mut self.block.bytes_mut()[self.end..self.limit];
            match self.from.read_some(room) {
                Ok(more) => {
                    self.end += more;
                    self.n_read += more as u64;
                    return Ok(more > 0);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(self.unreadable(&e)),
            }
        }
    }

    /// Makes room behind what is left, for the rest of a large block of the file, and for as much again as is there of a
    /// record that is longer.
    fn make_room(&mut self, wanted: usize) -> Result<()> {
        let left = self.end - self.start;
        let at = left.next_multiple_of(ALIGN);
        let rest = BLOCK - (self.n_read % BLOCK as u64) as usize;
        let (more, size) = match self.n_read {
            0 => (FIRST, FIRST),
            _ if left < BLOCK => (rest, (at + rest).max(ROOM + BLOCK)),
            _ => {
                let more = (wanted - left).min(left).max(rest);
                (more, at + more)
            }
        };
        let fits = at + more <= self.block.bytes().len();
        self.move_left_to(at, if fits { None } else { Some(size) })?;
        self.limit = at + more;
        Ok(())
    }

    /// Moves what is left to where it ends at `end`, in another block of that size.
    fn move_left_to(&mut self, end: usize, size: Option<usize>) -> Result<()> {
        let (left, start) = (self.start..self.end, end - (self.end - self.start));
        match size {
            Some(size) => {
                let mut block = Block::new(size)?;
                block.bytes_mut()[start..end].copy_from_slice(&self.block.bytes()[left]);
                self.block = block;
            }
            None => self.block.bytes_mut().copy_within(left, start),
        }
        (self.start, self.end) = (start, end);
        Ok(())
    }

    /// Goes on in a block that was read ahead, of `n` bytes behind its room; whether there are any.
    fn go_on_in(&mut self, mut block: Block, n: usize) -> Result<bool> {
        let left = self.end - self.start;
        if n > 0 && left <= ROOM {
            let start = ROOM - left;
            block.bytes_mut()[start..ROOM]
                .copy_from_slice(&self.block.bytes()[self.start..self.end]);
            (self.block, self.start, self.end) = (block, start, ROOM + n);
        } else if n > 0 {
            if self.end + n > self.block.bytes().len() {
                self.move_left_to(left, Some(2 * left + n))?;
            }
            self.block.bytes_mut()[self.end..self.end + n]
                .copy_from_slice(&block.bytes()[ROOM..ROOM + n]);
            self.end += n;
        }
        self.limit = self.end;
        self.n_read += n as u64;
        Ok(n > 0)
    }

    fn unreadable(&self, e: &std::io::Error) -> Error {
        let text = format!("the record at {} can't be read: {e}", self.at);
        Error::new(kind_of(e), text)
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
    use std::io::Read;

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
    fn a_record_is_at_hand_where_all_of_it_was_read() {
        let file = written(&[&[1; 100], &[2; 100]]);
        let mut reader = Reader::new(Slowly(&file));
        assert!(!reader.is_at_hand());
        let mut n_at_hand = 0;
        while reader.next_record().unwrap().is_some() {
            n_at_hand += usize::from(reader.is_at_hand());
        }
        assert!(n_at_hand < 2 && !reader.is_at_hand());
        let mut reader = Reader::new(&file[..]);
        assert!(reader.next_record().unwrap().is_some() && reader.is_at_hand());
        let mut reader = Reader::new(&file[..file.len() - 1]);
        assert!(reader.next_record().unwrap().is_some() && !reader.is_at_hand());
        assert!(reader.next_record().is_err());
    }

    #[test]
    fn a_head_is_verified_though_the_one_before_it_was() {
        let file = written(&[&[1; 20], &[2; 20]]);
        let second = file.len() / 2;
        for bit in 0..8 * HEAD {
            let mut damaged = file.clone();
            damaged[second + bit / 8] ^= 1 << (bit % 8);
            let e = read(&damaged[..]).unwrap_err();
            assert!(e.message().contains(&format!("record at {second}")), "{e}");
        }
        assert!(read(&[0; 64][..]).is_err());
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

    /// Fails behind so many bytes.
    struct Failing(std::io::Take<std::io::Repeat>);

    impl Read for Failing {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(to)? {
                0 => Err(ErrorKind::BrokenPipe.into()),
                n => Ok(n),
            }
        }
    }

    /// What is read of a file by as many threads as there may be.
    fn read_ahead(file: &[u8], most: usize) -> Result<Vec<Vec<u8>>> {
        let file = std::io::Cursor::new(file.to_vec());
        let (mut reader, mut all) = (
            Reader::new(Ahead::new(Box::new(file), most, |work| work())),
            Vec::new(),
        );
        while let Some(record) = reader.next_record()? {
            all.push(record.to_vec());
        }
        assert!(!reader.is_within());
        assert!(reader.next_record()?.is_none() && reader.next_record()?.is_none());
        Ok(all)
    }

    #[test]
    fn long_files_are_read_ahead() {
        let sizes = [100, 70_000, 2 << 20, 300_000, 5, 1 << 20, 65_536, 5 << 20];
        let records: Vec<Vec<u8>> = (0..2 * sizes.len())
            .map(|i| {
                (0..sizes[i % sizes.len()])
                    .map(|k| (k * 5 + i) as u8)
                    .collect()
            })
            .collect();
        let file = written(&records.iter().map(|r| &r[..]).collect::<Vec<_>>());
        for most in [0, usize::MAX] {
            assert!(read_ahead(&file, most).unwrap() == records, "{most}");
            for end in [file.len() - 1, file.len() / 3, 8 << 20, (6 << 20) + 3] {
                let e = read_ahead(&file[..end], most).unwrap_err();
                assert!(e.message().starts_with("truncated record at"), "{e}");
            }
            for at in [5 << 20, file.len() / 3, file.len() - 2] {
                let mut damaged = file.clone();
                damaged[at] ^= 1;
                assert!(read_ahead(&damaged, most).is_err());
            }
        }
    }

    #[test]
    fn a_file_that_fails_gives_what_was_before() {
        let file = written(&vec![&[7; 1000][..]; 9000]);
        for most in [0, usize::MAX] {
            let some = std::io::Cursor::new(file.clone());
            let failing = some.chain(Failing(std::io::repeat(0).take(0)));
            let mut reader = Reader::new(Ahead::new(Box::new(failing), most, |work| work()));
            let mut n = 0;
            let e = loop {
                match reader.next_record() {
                    Ok(Some(_)) => n += 1,
                    Ok(None) => panic!("the error is lost"),
                    Err(e) => break e,
                }
            };
            assert_eq!(n, 9000);
            assert!(e.message().contains("can't be read"), "{e}");
        }
    }

    #[test]
    fn what_nobody_reads_on_ends() {
        let file = written(&vec![&[7; 1000][..]; 20_000]);
        let mut reader = Reader::new(Ahead::new(
            Box::new(std::io::Cursor::new(file)),
            usize::MAX,
            |work| work(),
        ));
        for _ in 0..9000 {
            assert_eq!(reader.next_record().unwrap().unwrap().len(), 1000);
        }
        drop(reader);
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
            assert_eq!(reader.block.bytes().len(), FIRST);
        }
    }
}
