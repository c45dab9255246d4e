//! Gzip files, RFC 1952, whose head has a checksum as their contents have.

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use std::io::{self, Write};

/// The magic number, the method, what the head has besides, no time, and no system.
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, HAS_CHECKSUM, 0, 0, 0, 0, 0, 255];
/// That a checksum follows the head.
const HAS_CHECKSUM: u8 = 2;

/// Writes what is compressed to a file.
pub(crate) struct Gzip<W: Write> {
    to: DeflateEncoder<W>,
    sum: Crc,
    /// The head, before it is written.
    head: Vec<u8>,
}

impl<W: Write> Gzip<W> {
    pub fn new(file: W, level: Compression) -> Gzip<W> {
        let mut sum = Crc::new();
        sum.update(&HEAD);
        let [low, high, ..] = sum.sum().to_le_bytes();
        Gzip {
            to: DeflateEncoder::new(file, level),
            sum: Crc::new(),
            head: [&HEAD[..], &[low, high]].concat(),
        }
    }

    fn put_head(&mut self) -> io::Result<()> {
        if !self.head.is_empty() {
            self.to.get_mut().write_all(&self.head)?;
            self.head.clear();
        }
        Ok(())
    }

    /// Ends the file; gives what it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.put_head()?;
        let (sum, amount) = (self.sum.sum(), self.sum.amount());
        let mut file = self.to.finish()?;
        file.write_all(&sum.to_le_bytes())?;
        file.write_all(&amount.to_le_bytes())?;
        Ok(file)
    }
}

impl<W: Write> Write for Gzip<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put_head()?;
        let n = self.to.write(bytes)?;
        self.sum.update(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.put_head()?;
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::Compression as Read;
    use std::io::{Cursor, Read as _};

    fn file(bytes: &[u8]) -> Vec<u8> {
        let mut to = Gzip::new(Vec::new(), Compression::default());
        to.write_all(bytes).unwrap();
        to.finish().unwrap()
    }

    fn read(file: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        Read::Gzip
            .reader(Cursor::new(file.to_vec()))
            .read_to_end(&mut all)?;
        Ok(all)
    }

    #[test]
    fn what_is_written_is_read() {
        for bytes in [&b""[..], b"as it was", &[7; 300_000]] {
            assert_eq!(read(&file(bytes)).unwrap(), bytes);
        }
    }

    #[test]
    fn every_flipped_bit_is_reported_or_stands_for_nothing() {
        let text = b"as it was, as it was, and as it is";
        let whole = file(text);
        let mut n_without_effect = 0;
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            if let Ok(found) = read(&damaged) {
                // Those that fill a byte of the compressed stream up.
                assert_eq!(found, text, "bit {bit}");
                assert!(bit / 8 >= HEAD.len() + 2, "bit {bit}");
                n_without_effect += 1;
            }
        }
        assert!(n_without_effect < 8);
    }
}
