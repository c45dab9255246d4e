//! Files of elements: framed records of which the first says what the file is and the last how many elements there are.
//! A file without that last record is not whole. Where a file is compressed, each record behind the first is by itself, so
//! that the checksums of the frames stand for every bit.

use super::codec::{decode, encode};
use ferrograph_formats::compression::Compression;
use ferrograph_formats::files::failed;
use ferrograph_formats::record;
use ferrograph_graph::Tensors;
use ferrograph_tensor::{Error, Result, Tensor, bail, err};
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// The first record.
const MAGIC: &[u8] = b"ferrograph elements 1";
/// What an element's record begins with.
const ELEMENT: u8 = 0;
/// What the last record begins with.
const END: u8 = 1;
/// The bytes that are read or written at a time.
const BUFFER: usize = 256 << 10;

/// Writes a file of elements.
pub(super) struct Writer {
    path: PathBuf,
    to: record::Writer<BufWriter<File>>,
    how: Compression,
    count: u64,
    bytes: Vec<u8>,
    packed: Vec<u8>,
}

impl Writer {
    /// A writer of a file that is not there yet.
    pub(super) fn create(path: &Path, how: Compression) -> Result<Writer> {
        let file = File::create_new(path).map_err(|e| failed(path, &e))?;
        let to = BufWriter::with_capacity(BUFFER, file);
        let mut writer = Writer {
            path: path.to_owned(),
            to: record::Writer::new(to),
            how: Compression::None,
            count: 0,
            bytes: Vec::new(),
            packed: Vec::new(),
        };
        writer.record(MAGIC)?;
        writer.how = how;
        Ok(writer)
    }

    fn record(&mut self, bytes: &[u8]) -> Result<()> {
        let written = match self.how {
            Compression::None => self.to.write(bytes),
            _ => pack(bytes, &mut self.packed).and_then(|()| self.to.write(&self.packed)),
        };
        written.map_err(|e| failed(&self.path, &e))
    }

    /// Appends an element.
    pub(super) fn put(&mut self, element: &[Tensor]) -> Result<()> {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        bytes.push(ELEMENT);
        let put = encode(element, &mut bytes).and_then(|()| self.record(&bytes));
        self.bytes = bytes;
        self.count += 1;
        put
    }

    /// Ends the file, and waits until it is stored; how many elements it has.
    pub(super) fn finish(mut self) -> Result<u64> {
        let mut end = vec![END];
        end.extend(self.count.to_le_bytes());
        self.record(&end)?;
        let Writer {
            path, to, count, ..
        } = self;
        stored(to.into_inner()).map_err(|e| failed(&path, &e))?;
        Ok(count)
    }
}

fn stored(out: BufWriter<File>) -> io::Result<()> {
    out.into_inner()?.sync_all()
}

/// Replaces `packed` by these bytes, compressed.
fn pack(bytes: &[u8], packed: &mut Vec<u8>) -> io::Result<()> {
    packed.clear();
    let mut to = ZlibEncoder::new(packed, flate2::Compression::fast());
    to.write_all(bytes)?;
    to.finish()?;
    Ok(())
}

/// Reads a file of elements.
pub(super) struct Reader {
    path: PathBuf,
    from: record::Reader<BufReader<File>>,
    how: Compression,
    record: Vec<u8>,
    packed: Vec<u8>,
    count: u64,
    has_ended: bool,
}

impl Reader {
    pub(super) fn open(path: &Path, how: Compression) -> Result<Reader> {
        let file = File::open(path).map_err(|e| failed(path, &e))?;
        let mut reader = Reader {
            path: path.to_owned(),
            from: record::Reader::new(BufReader::with_capacity(BUFFER, file)),
            how: Compression::None,
            record: Vec::new(),
            packed: Vec::new(),
            count: 0,
            has_ended: false,
        };
        if !reader.read()? || reader.record != MAGIC {
            return Err(reader.lost("it does not begin as a file of elements"));
        }
        reader.how = how;
        Ok(reader)
    }

    fn read(&mut self) -> Result<bool> {
        let found = self.from.read(&mut self.record).map_err(|e| {
            let text = format!("{}: {}", self.path.display(), e.message());
            Error::new(e.kind(), text)
        })?;
        if found && self.how != Compression::None {
            std::mem::swap(&mut self.record, &mut self.packed);
            self.record.clear();
            let read = ZlibDecoder::new(&self.packed[..]).read_to_end(&mut self.record);
            read.map_err(|_| self.lost("a record does not decompress"))?;
        }
        Ok(found)
    }

    fn lost(&self, why: &str) -> Error {
        err!(DataLoss, "{}: {why}", self.path.display())
    }

    /// The next element.
    pub(super) fn next(&mut self) -> Result<Option<Tensors>> {
        if self.has_ended {
            return Ok(None);
        }
        let found = self.step();
        self.has_ended = !matches!(found, Ok(Some(_)));
        found
    }

    fn step(&mut self) -> Result<Option<Tensors>> {
        if !self.read()? {
            return Err(self.lost("the file was not written to its end"));
        }
        match self.record.split_first() {
            Some((&ELEMENT, bytes)) => {
                let element = decode(bytes).map_err(|_| self.lost("an element is malformed"))?;
                self.count += 1;
                Ok(Some(element))
            }
            Some((&END, count)) => {
                if count != self.count.to_le_bytes() || self.read()? {
                    bail!(DataLoss, "{}: elements are missing", self.path.display());
                }
                Ok(None)
            }
            _ => Err(self.lost("a record is malformed")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(path: &Path, how: Compression) -> Result<usize> {
        let mut reader = Reader::open(path, how)?;
        let mut n = 0;
        while reader.next()?.is_some() {
            n += 1;
        }
        Ok(n)
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_is_reported() {
        let folder = std::env::temp_dir().join(format!("ferrograph-file-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for how in [Compression::None, Compression::Zlib] {
            let path = folder.join(format!("{how:?}"));
            let mut writer = Writer::create(&path, how).unwrap();
            for i in 0..2i64 {
                writer.put(&[Tensor::scalar(i).unwrap()]).unwrap();
            }
            assert_eq!(writer.finish().unwrap(), 2);
            assert_eq!(all(&path, how).unwrap(), 2);
            let whole = std::fs::read(&path).unwrap();
            for bit in 0..whole.len() * 8 {
                let mut damaged = whole.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                std::fs::write(&path, &damaged).unwrap();
                assert!(all(&path, how).is_err(), "{how:?} bit {bit}");
            }
            for end in 0..whole.len() {
                std::fs::write(&path, &whole[..end]).unwrap();
                assert!(all(&path, how).is_err(), "{how:?} {end} bytes");
            }
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
