//! Framed records: the layout of TFRecord files and of event files.
//!
//! A record is its length (a little-endian `u64`), the masked checksum of these eight bytes, the bytes, and their
//! masked checksum.

use crate::checksum::{masked, verify};
use ferrograph_tensor::{Result, bail, err};
use std::io::{ErrorKind, Read, Write};

/// The bytes before those of a record.
const HEAD: usize = 12;
/// The bytes after those of a record.
const FOOT: usize = 4;
/// What is read at a time while a record's length is not yet believed.
const STEP: usize = 1 << 20;

/// Writes records to whatever takes bytes.
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

    /// What the records were written to.
    pub fn into_inner(self) -> W {
        self.to
    }
}

/// Reads records from whatever gives bytes.
#[derive(Debug)]
pub struct Reader<R> {
    from: R,
    /// How many bytes the records so far took.
    at: u64,
}

impl<R: Read> Reader<R> {
    /// A reader of the records that begin where `from` stands.
    pub fn new(from: R) -> Self {
        Reader { from, at: 0 }
    }

    /// Where the next record begins, in bytes from the first one.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// Reads the next record into `record`, whose contents are replaced; false at the end.
    pub fn read(&mut self, record: &mut Vec<u8>) -> Result<bool> {
        record.clear();
        let mut head = [0; HEAD];
        match self.fill(&mut head)? {
            0 => return Ok(false),
            HEAD => {}
            _ => return Err(self.truncated()),
        }
        let (length, checksum) = head.split_at(8);
        if !verify(length, word(checksum)) {
            bail!(DataLoss, "corrupted record at {}", self.at);
        }
        let length = u64::from_le_bytes(length.try_into().expect("eight bytes were split off"));
        let length = usize::try_from(length).map_err(|_| self.truncated())?;
        self.body(length, record)?;
        self.at += (HEAD + length + FOOT) as u64;
        Ok(true)
    }

    /// Reads the bytes of a record and checks them. Memory grows with what there is, not with what the head says.
    fn body(&mut self, length: usize, record: &mut Vec<u8>) -> Result<()> {
        while record.len() < length {
            let from = record.len();
            record.resize(from + STEP.min(length - from), 0);
            if self.fill(&mut record[from..])? < record.len() - from {
                return Err(self.truncated());
            }
        }
        let mut foot = [0; FOOT];
        if self.fill(&mut foot)? < FOOT {
            return Err(self.truncated());
        }
        if !verify(record, word(&foot)) {
            bail!(DataLoss, "corrupted record at {}", self.at);
        }
        Ok(())
    }

    /// Reads until `to` is full or the end is there; how many bytes came.
    fn fill(&mut self, to: &mut [u8]) -> Result<usize> {
        let mut count = 0;
        while count < to.len() {
            match self.from.read(&mut to[count..]) {
                Ok(0) => break,
                Ok(more) => count += more,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => bail!(DataLoss, "the record at {} can't be read: {e}", self.at),
            }
        }
        Ok(count)
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

    fn read(file: &[u8]) -> Result<Vec<Vec<u8>>> {
        let (mut reader, mut record, mut all) = (Reader::new(file), Vec::new(), Vec::new());
        while reader.read(&mut record)? {
            all.push(record.clone());
        }
        Ok(all)
    }

    #[test]
    fn what_was_written_is_read() {
        let records: [&[u8]; 3] = [b"first", b"", &[7; 3 << 20]];
        assert_eq!(read(&written(&records)).unwrap(), records);
    }

    #[test]
    fn every_flipped_bit_is_reported() {
        let file = written(&[b"abc", b"de"]);
        for bit in 0..file.len() * 8 {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&damaged).is_err(), "bit {bit}");
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
        let length = (1u64 << 60).to_le_bytes();
        let mut file = length.to_vec();
        file.extend(masked(&length).to_le_bytes());
        assert!(read(&file).is_err());
    }
}
