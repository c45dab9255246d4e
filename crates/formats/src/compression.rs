//! How the bytes of a file are compressed, and readers of what they represent.

use crate::snappy;
use ferrograph_tensor::{ErrorKind, Result, bail};
use flate2::bufread::GzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use std::io::{self, BufRead, Read};
use std::sync::OnceLock;

/// The environment variable that says how many bytes one compressed file or string may decompress to.
const VARIABLE: &str = "FERROGRAPH_MAX_DECOMPRESSED_BYTES";

/// How many bytes one compressed file or string may decompress to: any number, unless the environment says less. An
/// error where what it says is no number.
fn max_decompressed() -> io::Result<u64> {
    static MAX: OnceLock<std::result::Result<u64, String>> = OnceLock::new();
    let max = MAX.get_or_init(|| match std::env::var_os(VARIABLE) {
        None => Ok(u64::MAX),
        Some(said) => bytes_said(&said.to_string_lossy()),
    });
    (max.clone()).map_err(|text| io::Error::new(io::ErrorKind::Unsupported, text))
}

/// The number of bytes in a text; without any, there is no bound.
fn bytes_said(said: &str) -> std::result::Result<u64, String> {
    match said.trim() {
        "" => Ok(u64::MAX),
        number => (number.parse())
            .map_err(|_| format!("{VARIABLE} has to be a number of bytes, and is {number:?}")),
    }
}

/// Reads what is decompressed as far as a file or string may be that long.
pub struct Bounded<R> {
    from: R,
    /// How much it has given.
    given: u64,
    /// The bound, where it is not that of the environment.
    max: Option<u64>,
}

impl<R: Read> Bounded<R> {
    /// Reads at most what the environment allows.
    pub fn new(from: R) -> Bounded<R> {
        Bounded {
            from,
            given: 0,
            max: None,
        }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let max = self.max.map_or_else(max_decompressed, Ok)?;
        let count = self.from.read(to)?;
        self.given = self.given.saturating_add(count as u64);
        if self.given > max {
            let text = format!("it decompresses to more than {max} bytes, which {VARIABLE} allows");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        Ok(count)
    }
}

/// The kind of error that a failure to read what is decompressed is.
pub fn kind_of(e: &io::Error) -> ErrorKind {
    match e.kind() {
        io::ErrorKind::FileTooLarge => ErrorKind::ResourceExhausted,
        io::ErrorKind::Unsupported => ErrorKind::InvalidArgument,
        _ => ErrorKind::DataLoss,
    }
}

/// How the bytes of a file are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// As gzip files are, RFC 1952.
    Gzip,
    /// As zlib streams are, RFC 1950.
    Zlib,
    /// In blocks of Snappy, each behind its length.
    Snappy,
}

impl Compression {
    /// The compression of records and lines of that documented name.
    ///
    /// # Errors
    /// `InvalidArgument` for another name.
    pub fn named(name: &[u8]) -> Result<Compression> {
        Ok(match name {
            b"" => Compression::None,
            b"GZIP" => Compression::Gzip,
            b"ZLIB" => Compression::Zlib,
            other => bail!(
                InvalidArgument,
                "Unsupported compression_type: {:?}, expected \"\", \"GZIP\" or \"ZLIB\"",
                String::from_utf8_lossy(other)
            ),
        })
    }

    /// Reads what the bytes of a file represent. A file of several compressed parts is all of them, an empty one
    /// is nothing.
    pub fn reader<R: BufRead + Send + 'static>(self, file: R) -> Box<dyn Read + Send> {
        match self {
            Compression::None => Box::new(file),
            Compression::Gzip => bounded(Parts::<R, GzDecoder<R>>::Between(file)),
            Compression::Zlib => bounded(Parts::<R, Inflate<R>>::Between(file)),
            Compression::Snappy => bounded(snappy::Reader::new(file)),
        }
    }
}

fn bounded(from: impl Read + Send + 'static) -> Box<dyn Read + Send> {
    Box::new(Bounded::new(from))
}

/// A compressed part of a file.
trait Part<R>: Read {
    fn begin(file: R) -> Self;
    fn rest(self) -> R;
}

impl<R: BufRead> Part<R> for GzDecoder<R> {
    fn begin(file: R) -> Self {
        GzDecoder::new(file)
    }
    fn rest(self) -> R {
        self.into_inner()
    }
}

/// Reads a zlib stream, which has to end before the file does.
struct Inflate<R> {
    file: R,
    state: Decompress,
    has_ended: bool,
}

impl<R: BufRead> Read for Inflate<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while !self.has_ended && !to.is_empty() {
            let packed = self.file.fill_buf()?;
            let is_last = packed.is_empty();
            let (taken, given) = (self.state.total_in(), self.state.total_out());
            let status = self.state.decompress(packed, to, FlushDecompress::None)?;
            let taken = (self.state.total_in() - taken) as usize;
            let given = (self.state.total_out() - given) as usize;
            self.file.consume(taken);
            self.has_ended = status == Status::StreamEnd;
            if given > 0 {
                return Ok(given);
            }
            if is_last && !self.has_ended {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(0)
    }
}

impl<R: BufRead> Part<R> for Inflate<R> {
    fn begin(file: R) -> Self {
        Inflate {
            file,
            state: Decompress::new(true),
            has_ended: false,
        }
    }
    fn rest(self) -> R {
        self.file
    }
}

/// Reads compressed parts that follow one another.
enum Parts<R, P> {
    Between(R),
    Within(P),
    Ended,
}

impl<R: BufRead, P: Part<R>> Read for Parts<R, P> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Parts::Within(part) = self {
                let count = part.read(to)?;
                if count > 0 || to.is_empty() {
                    return Ok(count);
                }
            }
            *self = match std::mem::replace(self, Parts::Ended) {
                Parts::Within(part) => Parts::Between(part.rest()),
                Parts::Between(mut file) => match file.fill_buf()?.is_empty() {
                    true => return Ok(0),
                    false => Parts::Within(P::begin(file)),
                },
                Parts::Ended => return Ok(0),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use std::io::{Cursor, Write};

    const TEXT: &[u8] = b"as it was, as it was, and as it is";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut to = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        to.write_all(bytes).unwrap();
        to.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut to = ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        to.write_all(bytes).unwrap();
        to.finish().unwrap()
    }

    fn read(how: Compression, file: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        how.reader(Cursor::new(file.to_vec()))
            .read_to_end(&mut all)?;
        Ok(all)
    }

    #[test]
    fn parts_are_read_one_after_the_other() {
        for (how, file) in [
            (Compression::Gzip, gzip(TEXT)),
            (Compression::Zlib, zlib(TEXT)),
            (Compression::None, TEXT.to_vec()),
        ] {
            assert_eq!(read(how, &file).unwrap(), TEXT);
            let twice = [&file[..], &file[..]].concat();
            assert_eq!(read(how, &twice).unwrap(), [TEXT, TEXT].concat());
            assert_eq!(read(how, b"").unwrap(), b"");
        }
    }

    #[test]
    fn no_more_is_decompressed_than_is_allowed() {
        let read = |max| {
            let mut all = Vec::new();
            let from = Parts::<Cursor<Vec<u8>>, GzDecoder<_>>::Between(Cursor::new(gzip(TEXT)));
            let mut bounded = Bounded::new(from);
            bounded.max = Some(max);
            bounded.read_to_end(&mut all).map(|_| all)
        };
        assert_eq!(read(TEXT.len() as u64).unwrap(), TEXT);
        let refused = read(TEXT.len() as u64 - 1).unwrap_err();
        assert_eq!(kind_of(&refused), ErrorKind::ResourceExhausted);
    }

    #[test]
    fn a_bound_is_a_number_of_bytes() {
        assert_eq!(bytes_said(" 12 "), Ok(12));
        assert_eq!(bytes_said(""), Ok(u64::MAX));
        for said in ["12k", "-1", "1e6"] {
            assert!(bytes_said(said).unwrap_err().contains(said));
        }
    }

    #[test]
    fn truncations_and_what_follows_are_reported() {
        for (how, file) in [
            (Compression::Gzip, gzip(TEXT)),
            (Compression::Zlib, zlib(TEXT)),
        ] {
            for end in 1..file.len() {
                assert!(read(how, &file[..end]).is_err(), "{how:?} {end}");
            }
            assert!(read(how, &[&file[..], b"?"].concat()).is_err());
        }
    }

    #[test]
    fn flipped_bits_of_what_is_compressed_are_reported() {
        // Those that fill the last byte of the compressed bytes up represent nothing.
        let is_fine = |found: io::Result<Vec<u8>>| found.map_or(true, |all| all == TEXT);
        let file = zlib(TEXT);
        for bit in 0..file.len() * 8 {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(is_fine(read(Compression::Zlib, &damaged)), "bit {bit}");
        }
        // The head of a gzip file holds a time and flags that no checksum covers.
        let (file, head) = (gzip(TEXT), 10);
        for bit in head * 8..file.len() * 8 {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(is_fine(read(Compression::Gzip, &damaged)), "bit {bit}");
        }
    }
}
