//! Pictures in files: PNG, JPEG, GIF and BMP.
//!
//! What is read may be anything: sizes are checked before memory is taken, and whatever does not fit is an error.

mod bmp;
mod gif;
mod jpeg;
mod jpeg_write;
mod png;

use ferrograph_tensor::{Result, bail, vec_for};

pub(crate) use jpeg::{JpegRead, Method, is_jpeg, shape_of};
pub(crate) use jpeg_write::{JpegWrite, write_jpeg};
pub(crate) use png::write_png;

/// Elements of pixels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Elements {
    /// Of 8 bits.
    Bytes(Vec<u8>),
    /// Of 16 bits.
    Words(Vec<u16>),
}

/// What a file holds: frames of `h * w` pixels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture {
    pub frames: usize,
    pub h: usize,
    pub w: usize,
    pub c: usize,
    pub elements: Elements,
    /// Whether it comes of a format that may have more frames than one.
    pub is_animation: bool,
}

/// The most elements of a picture.
const MOST: usize = 1 << 30;

/// How many elements a picture has.
fn counted(sizes: &[usize]) -> Result<usize> {
    let n = sizes.iter().try_fold(1usize, |n, s| n.checked_mul(*s));
    match n.filter(|n| (1..MOST).contains(n)) {
        Some(n) => Ok(n),
        None => bail!(
            InvalidArgument,
            "a picture of sizes {sizes:?} is empty or too large"
        ),
    }
}

/// Reads a picture of any format, of so many channels, or as many as it has where none are asked for.
pub(crate) fn read(bytes: &[u8], channels: usize, jpeg: JpegRead) -> Result<Picture> {
    let picture = match bytes {
        [] => bail!(InvalidArgument, "Input is empty."),
        [0x89, b'P', b'N', b'G', ..] => return png::read(bytes, channels),
        _ if is_jpeg(bytes) => return jpeg::read(bytes, channels, jpeg),
        [b'G', b'I', b'F', b'8', ..] => gif::read(bytes)?,
        [b'B', b'M', ..] => return bmp::read(bytes, channels),
        _ => bail!(
            InvalidArgument,
            "Unknown image file format. One of JPEG, PNG, GIF, BMP required."
        ),
    };
    picture.of_channels(channels, u16::MAX)
}

impl Picture {
    /// The same of another number of channels; of as many as there are where that is none. What is opaque where nothing
    /// says so has `opaque`, or its lower half.
    fn of_channels(self, channels: usize, opaque: u16) -> Result<Picture> {
        if channels == 0 || channels == self.c {
            return Ok(self);
        }
        let pixels = self.frames * self.h * self.w;
        counted(&[pixels, channels])?;
        let elements = match self.elements {
            Elements::Bytes(all) => {
                Elements::Bytes(mixed(&all, self.c, channels, opaque as u8, bright_byte)?)
            }
            Elements::Words(all) => {
                Elements::Words(mixed(&all, self.c, channels, opaque, bright_word)?)
            }
        };
        Ok(Picture {
            c: channels,
            elements,
            ..self
        })
    }

    /// The elements as bytes: the upper halves of words.
    pub fn bytes(self) -> Result<Vec<u8>> {
        match self.elements {
            Elements::Bytes(all) => Ok(all),
            Elements::Words(all) => converted(&all, |x| (x >> 8) as u8),
        }
    }

    /// The elements as words: bytes times `scale`.
    pub fn words(self, scale: u16) -> Result<Vec<u16>> {
        match self.elements {
            Elements::Bytes(all) => converted(&all, |x| u16::from(x) * scale),
            Elements::Words(all) => Ok(all),
        }
    }

    /// The elements from 0 to 1.
    pub fn floats(self) -> Result<Vec<f32>> {
        match self.elements {
            Elements::Bytes(all) => converted(&all, |x| f32::from(x) * (1.0 / 255.0)),
            Elements::Words(all) => converted(&all, |x| f32::from(x) * (1.0 / 65535.0)),
        }
    }
}

fn converted<T: Copy, U>(all: &[T], f: impl Fn(T) -> U) -> Result<Vec<U>> {
    let mut to = vec_for(all.len())?;
    to.extend(all.iter().map(|x| f(*x)));
    Ok(to)
}

/// How bright colours are, in parts of 2^15.
const BRIGHT: [u32; 3] = [9797, 19234, 3737];

/// How bright a colour is: what is left of a part is cut off.
fn bright_byte(pixel: [u8; 3]) -> u8 {
    let parts = BRIGHT.iter().zip(pixel);
    (parts.map(|(part, x)| part * u32::from(x)).sum::<u32>() >> 15) as u8
}

/// How bright a colour is, to the nearest.
fn bright_word(pixel: [u16; 3]) -> u16 {
    let parts = BRIGHT.iter().zip(pixel);
    let sum = parts.map(|(part, x)| part * u32::from(x)).sum::<u32>();
    ((sum + (1 << 14)) >> 15) as u16
}

/// Pixels of `from` channels as ones of `to`: gray and colours, with or without how opaque they are.
fn mixed<T: Copy>(
    all: &[T],
    from: usize,
    to: usize,
    opaque: T,
    bright: fn([T; 3]) -> T,
) -> Result<Vec<T>> {
    let mut out = vec_for(all.len() / from * to)?;
    for pixel in all.chunks_exact(from) {
        let alpha = if from.is_multiple_of(2) {
            pixel[from - 1]
        } else {
            opaque
        };
        match (from < 3, to < 3) {
            (true, true) => out.push(pixel[0]),
            (true, false) => out.extend([pixel[0]; 3]),
            (false, true) => out.push(bright([pixel[0], pixel[1], pixel[2]])),
            (false, false) => out.extend_from_slice(&pixel[..3]),
        }
        if to.is_multiple_of(2) {
            out.push(alpha);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for c in 1..=4 {
            let bytes: Vec<u8> = (0..6 * c as u8).map(|i| i.wrapping_mul(37)).collect();
            let file = write_png(&bytes, [2, 3, c], false, -1).unwrap();
            let read = read(&file, 0, JpegRead::default()).unwrap();
            assert_eq!([read.h, read.w, read.c], [2, 3, c]);
            assert_eq!(read.bytes().unwrap(), bytes);
        }
    }

    #[test]
    fn damaged_files_are_errors() {
        let file = write_png(&[7; 300], [10, 10, 3], false, -1).unwrap();
        let pixels: Vec<u8> = (0..300u32).map(|i| (i * i % 251) as u8).collect();
        let jpeg = |how| write_jpeg(&pixels, [10, 10, 3], &how).unwrap();
        let plain = jpeg(JpegWrite::default());
        let progressive = jpeg(JpegWrite {
            progressive: true,
            ..JpegWrite::default()
        });
        let recovers = JpegRead {
            recovers: true,
            ratio: 2,
            ..JpegRead::default()
        };
        for file in [file, plain, progressive] {
            for n in 0..file.len() {
                assert!(read(&file[..n], 0, JpegRead::default()).is_err());
                let _ = read(&file[..n], 0, recovers);
                for bits in [0x55, 0xff, 0x01] {
                    let mut other = file.clone();
                    other[n] ^= bits;
                    let _ = read(&other, 3, JpegRead::default());
                    let _ = read(&other, 1, recovers);
                }
            }
        }
        assert!(read(b"GIF89a", 0, JpegRead::default()).is_err());
        assert!(read(b"BM", 0, JpegRead::default()).is_err());
    }

    /// The checksum of a chunk of PNG.
    fn crc(chunk: &[u8]) -> [u8; 4] {
        let step = |crc: u32, byte: &u8| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
                (crc >> 1) ^ (0xedb8_8320 * (crc & 1))
            })
        };
        (!chunk.iter().fold(u32::MAX, step)).to_be_bytes()
    }

    #[test]
    fn every_flipped_bit_of_a_png_is_reported() {
        let plain = write_png(&[7, 200, 31, 90], [2, 2, 1], false, -1).unwrap();
        let mut noted = plain[..33].to_vec();
        let chunk = b"tEXtwho\0me";
        noted.extend(6u32.to_be_bytes());
        noted.extend(chunk);
        noted.extend(crc(chunk));
        noted.extend(&plain[33..]);
        for file in [plain, noted] {
            assert!(read(&file, 0, JpegRead::default()).is_ok());
            for bit in 0..file.len() * 8 {
                let mut damaged = file.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                let found = read(&damaged, 0, JpegRead::default());
                assert!(found.is_err(), "bit {bit} of {}", file.len() * 8);
            }
            for end in 0..file.len() {
                assert!(read(&file[..end], 0, JpegRead::default()).is_err(), "{end}");
            }
        }
    }

    #[test]
    fn sizes_that_a_file_cannot_fill_take_no_memory() {
        let mut png = write_png(&[7; 300], [10, 10, 3], false, -1).unwrap();
        png[16..24].copy_from_slice(&[0, 0, 0x3e, 0, 0, 0, 0x3e, 0]);
        let sum = crc(&png[12..29]);
        png[29..33].copy_from_slice(&sum);
        let mut jpeg = write_jpeg(&[7; 300], [10, 10, 3], &JpegWrite::default()).unwrap();
        let at = jpeg.windows(2).position(|w| w == [0xff, 0xc0]).unwrap();
        jpeg[at + 5..at + 9].copy_from_slice(&[0x3e, 0, 0x3e, 0]);
        for file in [png, jpeg] {
            let e = read(&file, 0, JpegRead::default()).unwrap_err();
            assert!(e.message().contains("too short for its sizes"), "{e}");
        }
    }

    #[test]
    fn channels_become_others() {
        let one = |from, to, all: &[u8]| mixed(all, from, to, 255, bright_byte).unwrap();
        assert_eq!(one(3, 1, &[200, 0, 0, 10, 20, 30]), [59, 18]);
        assert_eq!(one(2, 4, &[7, 9]), [7, 7, 7, 9]);
        assert_eq!(one(4, 3, &[1, 2, 3, 4]), [1, 2, 3]);
        assert_eq!(one(1, 2, &[5]), [5, 255]);
        let words = mixed(
            &[1000, 2000, 3000, 40000, 50000, 60000],
            3,
            1,
            0,
            bright_word,
        );
        assert_eq!(words.unwrap(), [1815, 48151]);
    }
}
