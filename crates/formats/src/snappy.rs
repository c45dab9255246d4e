//! Streams of blocks, each compressed by Snappy by itself, behind its length in four bytes, the highest first.

use snap::raw::{Decoder, Encoder, decompress_len, max_compress_len};
use std::io::{self, BufRead, ErrorKind, Read, Write};

/// How many bytes become a block. Readers elsewhere refuse blocks of more than 256 KiB.
const BLOCK: usize = 128 << 10;
/// How many bytes one compressed byte may decompress to: a copy of 64 bytes takes three.
const MOST: usize = 22;

/// Reads the decompressed blocks of a file.
pub(crate) struct Reader<R> {
    file: R,
    packed: Vec<u8>,
    block: Vec<u8>,
    /// How much of the block was read.
    at: usize,
}

impl<R: BufRead> Reader<R> {
    pub fn new(file: R) -> Reader<R> {
        Reader {
            file,
            packed: Vec::new(),
            block: Vec::new(),
            at: 0,
        }
    }

    /// Goes on to the next block; whether there is one.
    fn next_block(&mut self) -> io::Result<bool> {
        self.at = 0;
        self.block.clear();
        if self.file.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let mut head = [0; 4];
        self.file.read_exact(&mut head)?;
        let length = u64::from(u32::from_be_bytes(head));
        self.packed.clear();
        (&mut self.file)
            .take(length)
            .read_to_end(&mut self.packed)?;
        if (self.packed.len() as u64) < length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let size = decompress_len(&self.packed)?;
        if size > self.packed.len().saturating_mul(MOST) {
            return Err(io::Error::new(
                ErrorKind::InvalidData,
                "a block of no such length",
            ));
        }
        self.block.resize(size, 0);
        let unpacked = Decoder::new().decompress(&self.packed, &mut self.block);
        if unpacked.is_err() {
            self.block.clear();
        }
        Ok(unpacked.map(|_| true)?)
    }
}

impl<R: BufRead> Read for Reader<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.at == self.block.len() && !to.is_empty() {
            if !self.next_block()? {
                return Ok(0);
            }
        }
        let n = to.len().min(self.block.len() - self.at);
        to[..n].copy_from_slice(&self.block[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

/// Writes blocks to a file.
pub(crate) struct Writer<W> {
    file: W,
    encoder: Encoder,
    /// What makes up the next block.
    plain: Vec<u8>,
    packed: Vec<u8>,
}

impl<W: Write> Writer<W> {
    pub fn new(file: W) -> Writer<W> {
        Writer {
            file,
            encoder: Encoder::new(),
            plain: Vec::new(),
            packed: Vec::new(),
        }
    }

    fn put(&mut self) -> io::Result<()> {
        if self.plain.is_empty() {
            return Ok(());
        }
        self.packed.resize(max_compress_len(self.plain.len()), 0);
        let n = self.encoder.compress(&self.plain, &mut self.packed)?;
        self.plain.clear();
        let length = u32::try_from(n).map_err(|_| ErrorKind::InvalidInput)?;
        self.file.write_all(&length.to_be_bytes())?;
        self.file.write_all(&self.packed[..n])
    }

    /// Writes the last block; gives what it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.put()?;
        Ok(self.file)
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(BLOCK - self.plain.len());
        self.plain.extend_from_slice(&bytes[..n]);
        if self.plain.len() == BLOCK {
            self.put()?;
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.put()?;
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(bytes: &[u8]) -> Vec<u8> {
        let mut to = Writer::new(Vec::new());
        to.write_all(bytes).unwrap();
        to.finish().unwrap()
    }

    fn read(file: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        Reader::new(file).read_to_end(&mut all)?;
        Ok(all)
    }

    #[test]
    fn what_is_written_is_read() {
        let long: Vec<u8> = (0..400_000u64).map(|i| ((i * i) >> 5) as u8).collect();
        for bytes in [&b""[..], b"a", &[7; 300_000], &long] {
            assert_eq!(read(&written(bytes)).unwrap(), bytes);
        }
        assert!(written(&[7; 300_000]).len() < 20_000);
    }

    #[test]
    fn a_block_of_another_writer_is_read() {
        // What TensorFlow 2.21 writes for three records of int64 scalars.
        let file = b"\0\0\0\x36\x5a\x04\x0e\0\x09\x01\x24\xc5\xe5\x69\x3f\x08\x09\x12\0\x22\x08\x09\x10\x14\0\0\x88\
                     \x2b\x95\xea\x46\x1e\0\0\x01\x0d\x1f\x0c\xa0\xbd\xdf\x54\x46\x1e\0\x2c\x02\0\0\0\0\0\0\0\x19\x4f\x12\x5f";
        let found = read(file).unwrap();
        assert_eq!(found.len(), 90);
        assert_eq!(found[..8], 14u64.to_le_bytes());
    }

    #[test]
    fn truncations_are_reported_and_lengths_take_no_memory() {
        let file = written(b"as it was, as it was, and as it is");
        for end in 1..file.len() {
            assert!(read(&file[..end]).is_err(), "{end}");
        }
        // A block that says that it decompresses to four gigabytes.
        assert!(read(b"\0\0\0\x06\xff\xff\xff\xff\x0f\0").is_err());
        assert!(read(b"\xff\xff\xff\xff\x01\0").is_err());
        assert!(read(b"\0\0\0\0").is_err());
    }
}
