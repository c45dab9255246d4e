//! Files of framed records, which may be compressed as a whole.

use ferrograph_formats::compression::Compression;
use ferrograph_formats::files::failed;
use ferrograph_formats::packing::Packing;
use ferrograph_formats::{appended, mask, record};
use ferrograph_tensor::{Error, Result};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// The bytes that are read or written at a time.
const BUFFER: usize = 256 << 10;

/// All bytes of a file: how many there are, and their masked checksum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sum {
    pub n_bytes: u64,
    pub checksum: u32,
}

/// A file whose bytes are summed up on their way.
struct Summed {
    file: File,
    n_bytes: u64,
    checksum: u32,
    /// What the sum has to be at the end of reading.
    expected: Option<Sum>,
}

impl Summed {
    fn new(file: File, expected: Option<Sum>) -> Summed {
        Summed {
            file,
            n_bytes: 0,
            checksum: 0,
            expected,
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.n_bytes += bytes.len() as u64;
        self.checksum = appended(self.checksum, bytes);
    }

    fn sum(&self) -> Sum {
        Sum {
            n_bytes: self.n_bytes,
            checksum: mask(self.checksum),
        }
    }
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.add(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Read for Summed {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(to)?;
        match self.expected {
            Some(_) if n > 0 => self.add(&to[..n]),
            Some(sum) if !to.is_empty() && sum != self.sum() => {
                let text = "the file is not the one that was written";
                return Err(io::Error::new(io::ErrorKind::InvalidData, text));
            }
            _ => {}
        }
        Ok(n)
    }
}

/// Writes a file of records.
pub(super) struct Writer {
    path: PathBuf,
    to: record::Writer<Packing<BufWriter<Summed>>>,
}

impl Writer {
    /// A writer of a file that is not there yet.
    pub(super) fn create(path: &Path, how: Compression) -> Result<Writer> {
        let file = File::create_new(path).map_err(|e| failed(path, &e))?;
        let file = BufWriter::with_capacity(BUFFER, Summed::new(file, None));
        let to = Packing::new(file, how, flate2::Compression::fast());
        Ok(Writer {
            path: path.to_owned(),
            to: record::Writer::new(to),
        })
    }

    /// Appends a record.
    pub(super) fn put(&mut self, record: &[u8]) -> Result<()> {
        self.to.write(record).map_err(|e| failed(&self.path, &e))
    }

    /// Ends the file, and waits until it is stored.
    pub(super) fn finish(self) -> Result<Sum> {
        let Writer { path, to } = self;
        stored(to.into_inner()).map_err(|e| failed(&path, &e))
    }
}

fn stored(out: Packing<BufWriter<Summed>>) -> io::Result<Sum> {
    let out = out.finish()?.into_inner()?;
    out.file.sync_all()?;
    Ok(out.sum())
}

/// Reads a file of records.
pub(super) struct Reader {
    path: PathBuf,
    from: record::Reader<Box<dyn Read + Send>>,
}

impl Reader {
    /// Reads a file, whose bytes have to be the expected ones where these are known.
    pub(super) fn open(path: &Path, how: Compression, expected: Option<Sum>) -> Result<Reader> {
        let file = File::open(path).map_err(|e| failed(path, &e))?;
        let file = BufReader::with_capacity(BUFFER, Summed::new(file, expected));
        Ok(Reader {
            path: path.to_owned(),
            from: record::Reader::new(how.reader(file)),
        })
    }

    /// The next record.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>> {
        self.from.next_record().map_err(|e| within(&self.path, &e))
    }

    /// Where the file is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// An error in what a file holds, with the name of the file.
pub(super) fn within(path: &Path, e: &Error) -> Error {
    Error::new(e.kind(), format!("{}: {}", path.display(), e.message()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(path: &Path, how: Compression, expected: Option<Sum>) -> Result<Vec<Vec<u8>>> {
        let mut reader = Reader::open(path, how, expected)?;
        let mut all = Vec::new();
        while let Some(record) = reader.next()? {
            all.push(record.to_vec());
        }
        Ok(all)
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_is_reported() {
        let folder = std::env::temp_dir().join(format!("ferrograph-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for how in [Compression::None, Compression::Gzip, Compression::Snappy] {
            let path = folder.join(format!("{how:?}"));
            let mut writer = Writer::create(&path, how).unwrap();
            writer.put(b"one").unwrap();
            writer.put(b"").unwrap();
            let sum = Some(writer.finish().unwrap());
            let records = [&b"one"[..], b""];
            assert_eq!(all(&path, how, sum).unwrap(), records);
            assert_eq!(all(&path, how, None).unwrap(), records);
            let whole = std::fs::read(&path).unwrap();
            for bit in 0..whole.len() * 8 {
                let mut damaged = whole.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                std::fs::write(&path, &damaged).unwrap();
                assert!(all(&path, how, sum).is_err(), "{how:?} bit {bit}");
                // Without a sum all that is read is sound.
                let found = all(&path, how, None);
                assert!(
                    found.is_err() || found.unwrap() == records,
                    "{how:?} bit {bit}"
                );
            }
            for end in 0..whole.len() {
                std::fs::write(&path, &whole[..end]).unwrap();
                assert!(all(&path, how, sum).is_err(), "{how:?} {end} bytes");
            }
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
