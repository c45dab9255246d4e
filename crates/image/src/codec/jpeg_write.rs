//! Writing JPEG, by the crate `jpeg-encoder`.

use ferrograph_tensor::{Result, bail, err};
use jpeg_encoder::{
    ColorType, Density, Encoder, ImageBuffer, JpegColorType, SamplingFactor, rgb_to_ycbcr,
};

/// How a file is written.
#[derive(Clone, Debug)]
pub(crate) struct JpegWrite {
    pub quality: u8,
    pub progressive: bool,
    pub optimize_size: bool,
    pub chroma_downsampling: bool,
    pub density: Density,
    pub xmp: Vec<u8>,
}

impl Default for JpegWrite {
    fn default() -> Self {
        JpegWrite {
            quality: 95,
            progressive: false,
            optimize_size: false,
            chroma_downsampling: true,
            density: Density::Inch { x: 300, y: 300 },
            xmp: Vec::new(),
        }
    }
}

/// What stands before metadata in a file.
const XMP: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";

/// A file of pixels of one channel or three.
pub(crate) fn write_jpeg(data: &[u8], [h, w, c]: [usize; 3], how: &JpegWrite) -> Result<Vec<u8>> {
    let side = |n: usize| u16::try_from(n).ok().filter(|n| *n > 0);
    let (Some(rows), Some(columns)) = (side(h), side(w)) else {
        bail!(
            InvalidArgument,
            "a JPEG file cannot hold {h} rows of {w} pixels"
        );
    };
    let failed = |e| err!(InvalidArgument, "JPEG encoding failed: {e}");
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, how.quality.max(1));
    encoder.set_sampling_factor(match how.chroma_downsampling {
        true => SamplingFactor::R_4_2_0,
        false => SamplingFactor::R_4_4_4,
    });
    encoder.set_progressive(how.progressive);
    // Progressive files have tables of their own, as those of libjpeg.
    encoder.set_optimized_huffman_tables(how.optimize_size || how.progressive);
    encoder.set_density(how.density);
    if !how.xmp.is_empty() {
        let segment = [XMP, how.xmp.as_slice()].concat();
        encoder.add_app_segment(1, &segment).map_err(failed)?;
    }
    let done = match (c, how.chroma_downsampling) {
        (1, _) => encoder.encode(data, columns, rows, ColorType::Luma),
        (_, false) => encoder.encode(data, columns, rows, ColorType::Rgb),
        (_, true) => encoder.encode_image(Halved {
            data,
            rows,
            columns,
        }),
    };
    done.map_err(failed)?;
    number_from_one(&mut file);
    Ok(file)
}

/// Gives components the numbers from 1 on, which the format of JFIF asks for; the encoder counts from 0.
fn number_from_one(file: &mut [u8]) {
    let mut at = 2;
    while let Some(&[0xff, marker, high, low]) = file.get(at..).and_then(|f| f.first_chunk()) {
        if matches!(marker, 0 | 0xff) {
            at += 1;
            continue;
        }
        let length = usize::from(u16::from_be_bytes([high, low]));
        // Where the number of components stands, and how far apart theirs are.
        let parts = match marker {
            0xc0..=0xc2 => Some((at + 9, 3)),
            0xda => Some((at + 4, 2)),
            _ => None,
        };
        if let Some((place, step)) = parts {
            let n = usize::from(file[place]);
            let numbers = file[place + 1..].iter_mut().step_by(step).take(n);
            numbers.for_each(|number| *number += 1);
        }
        at += 2 + length;
        if marker == 0xda {
            // Behind a scan, coded data follows up to the next marker.
            let data = file.get(at..).unwrap_or(&[]);
            let next = data.windows(2).position(|w| w[0] == 0xff && w[1] != 0);
            at += next.unwrap_or(data.len());
        }
    }
}

/// Pixels of three channels whose colours are means of squares of two times two: the encoder takes one pixel of each.
struct Halved<'a> {
    data: &'a [u8],
    rows: u16,
    columns: u16,
}

impl Halved<'_> {
    /// Brightness and the two colours of a pixel.
    fn pixel(&self, y: usize, x: usize) -> (u8, u8, u8) {
        let at = (y * usize::from(self.columns) + x) * 3;
        rgb_to_ycbcr(self.data[at], self.data[at + 1], self.data[at + 2])
    }
}

/// The mean of four numbers; halves go down and up in turn.
fn mean(four: [u8; 4], column: usize) -> u8 {
    let sum: usize = four.into_iter().map(usize::from).sum();
    u8::try_from((sum + 1 + column % 2) / 4).unwrap_or(u8::MAX)
}

impl ImageBuffer for Halved<'_> {
    fn get_jpeg_color_type(&self) -> JpegColorType {
        JpegColorType::Ycbcr
    }

    fn width(&self) -> u16 {
        self.columns
    }

    fn height(&self) -> u16 {
        self.rows
    }

    fn fill_buffers(&self, y: u16, buffers: &mut [Vec<u8>; 4]) {
        let (rows, columns) = (usize::from(self.rows), usize::from(self.columns));
        let y = usize::from(y);
        let (top, below) = (y / 2 * 2, (y / 2 * 2 + 1).min(rows - 1));
        buffers[0].extend((0..columns).map(|x| self.pixel(y, x).0));
        for x in (0..columns).step_by(2) {
            let next = (x + 1).min(columns - 1);
            let four = [(top, x), (top, next), (below, x), (below, next)];
            let four = four.map(|(y, x)| self.pixel(y, x));
            let blue = mean(four.map(|p| p.1), x / 2);
            let red = mean(four.map(|p| p.2), x / 2);
            let n = if next > x { 2 } else { 1 };
            buffers[1].extend(std::iter::repeat_n(blue, n));
            buffers[2].extend(std::iter::repeat_n(red, n));
        }
    }
}
