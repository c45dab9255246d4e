//! Files of framed records, plain or compressed.

use ferrograph_formats::compression::Compression;
use ferrograph_formats::files::failed;
use ferrograph_formats::packing::Packing;
use ferrograph_formats::record::Writer;
use ferrograph_tensor::{Result, bail};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What goes to the file at once. The system is fastest with blocks that begin at multiples of a large power of two.
const BLOCK: usize = 1 << 20;

/// A file that is written block by block.
struct Blocks {
    file: File,
    /// What is not written yet.
    buffer: Vec<u8>,
    /// How much of the block was not written; the buffer holds less.
    room: usize,
}

impl Blocks {
    fn new(file: File) -> Blocks {
        Blocks {
            file,
            buffer: Vec::new(),
            room: BLOCK,
        }
    }

    /// Writes what is buffered. What fails is not tried again: nobody knows how much of it is there.
    fn put(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.buffer);
        self.room -= self.buffer.len();
        if self.room == 0 {
            self.room = BLOCK;
        }
        self.buffer.clear();
        written
    }
}

impl Write for Blocks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(self.room - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..n]);
        if self.buffer.len() == self.room {
            self.put()?;
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.put()
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure.
        let _ = self.put();
    }
}

/// A file that records are written to. It is closed when it is dropped.
pub struct RecordFile {
    to: Option<Writer<Packing<Blocks>>>,
    path: PathBuf,
}

impl RecordFile {
    /// Makes the file, or empties it. `compression` is empty, "GZIP" or "ZLIB", its `level` from 0 to 9.
    ///
    /// # Errors
    /// Those of the system, which name the file; `InvalidArgument` for another compression.
    pub fn create(path: &Path, compression: &str, level: Option<u32>) -> Result<RecordFile> {
        let level = level.map_or_else(Default::default, |n| flate2::Compression::new(n.min(9)));
        let Ok(how) = Compression::named(compression.as_bytes()) else {
            bail!(InvalidArgument, "there is no compression {compression:?}");
        };
        let file = File::create(path).map_err(|e| failed(path, &e))?;
        let to = Packing::new(Blocks::new(file), how, level);
        Ok(RecordFile {
            to: Some(Writer::new(to)),
            path: path.to_owned(),
        })
    }

    fn open(&mut self) -> Result<&mut Writer<Packing<Blocks>>> {
        match &mut self.to {
            Some(to) => Ok(to),
            None => bail!(FailedPrecondition, "Writer is closed."),
        }
    }

    /// Appends a record.
    ///
    /// # Errors
    /// `FailedPrecondition` for a closed file, and those of the system.
    pub fn write(&mut self, record: &[u8]) -> Result<()> {
        let written = self.open()?.write(record);
        written.map_err(|e| failed(&self.path, &e))
    }

    /// Writes what is buffered.
    ///
    /// # Errors
    /// As [`write`](RecordFile::write).
    pub fn flush(&mut self) -> Result<()> {
        let flushed = self.open()?.flush();
        flushed.map_err(|e| failed(&self.path, &e))
    }

    /// Writes what is left. A file that is closed stays so.
    ///
    /// # Errors
    /// Those of the system.
    pub fn close(&mut self) -> Result<()> {
        match self.to.take() {
            Some(to) => {
                let ended = to.into_inner().finish().and_then(|mut file| file.flush());
                ended.map_err(|e| failed(&self.path, &e))
            }
            None => Ok(()),
        }
    }
}

impl Drop for RecordFile {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure.
        let _ = self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_formats::record::Reader;
    use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
    use std::io::Read;

    fn records(file: impl Read) -> Vec<Vec<u8>> {
        let (mut reader, mut all) = (Reader::new(file), Vec::new());
        while let Some(record) = reader.next_record().unwrap() {
            all.push(record.to_vec());
        }
        all
    }

    #[test]
    fn records_of_all_compressions() {
        let path = std::env::temp_dir().join(format!("ferrograph-records-{}", std::process::id()));
        let expected = [b"first".to_vec(), Vec::new(), vec![7; 200_000]];
        for compression in ["", "GZIP", "ZLIB"] {
            let mut file = RecordFile::create(&path, compression, None).unwrap();
            for record in &expected {
                file.write(record).unwrap();
            }
            file.close().unwrap();
            assert!(file.write(b"").is_err());
            let bytes = std::fs::read(&path).unwrap();
            let found = match compression {
                "GZIP" => records(MultiGzDecoder::new(&bytes[..])),
                "ZLIB" => records(ZlibDecoder::new(&bytes[..])),
                _ => records(&bytes[..]),
            };
            assert_eq!(found, expected, "{compression}");
        }
        std::fs::remove_file(path).unwrap();
    }
}
