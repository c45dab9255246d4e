//! Files that are compressed while they are written.

use crate::compression::Compression;
use crate::gzip::Gzip;
use crate::snappy;
use flate2::write::ZlibEncoder;
use std::io::{self, Write};

/// Compresses what is written to a file. The file is whole once it is finished.
pub struct Packing<W: Write>(To<W>);

enum To<W: Write> {
    Plain(W),
    Gzip(Gzip<W>),
    Zlib(ZlibEncoder<W>),
    Snappy(Box<snappy::Writer<W>>),
}

impl<W: Write> Packing<W> {
    /// Begins where the file stands. The level is that of gzip and zlib.
    pub fn new(file: W, how: Compression, level: flate2::Compression) -> Packing<W> {
        Packing(match how {
            Compression::None => To::Plain(file),
            Compression::Gzip => To::Gzip(Gzip::new(file, level)),
            Compression::Zlib => To::Zlib(ZlibEncoder::new(file, level)),
            Compression::Snappy => To::Snappy(Box::new(snappy::Writer::new(file))),
        })
    }

    fn as_write(&mut self) -> &mut dyn Write {
        match &mut self.0 {
            To::Plain(to) => to,
            To::Gzip(to) => to,
            To::Zlib(to) => to,
            To::Snappy(to) => to.as_mut(),
        }
    }

    /// Writes what is left; gives the file.
    ///
    /// # Errors
    /// Those of the system.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {
            To::Plain(to) => Ok(to),
            To::Gzip(to) => to.finish(),
            To::Zlib(to) => to.finish(),
            To::Snappy(to) => to.finish(),
        }
    }
}

impl<W: Write> Write for Packing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.as_write().write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.0 {
            To::Plain(to) => to.write_all(bytes),
            _ => self.as_write().write_all(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.as_write().flush()
    }
}
