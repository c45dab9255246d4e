//! Reading JPEG, by the crate `zune-jpeg`.

use ferrograph_tensor::{Result, bail, err, vec_of};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::jpeg_scans::Apart;
use super::{Elements, Picture, counted};

/// How many pixels a byte stands for at most: each block of 8 times 8 takes a bit.
const PIXELS: usize = 512;

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JpegRead {
    /// By how much the picture is made smaller: 1, 2, 4 or 8.
    pub ratio: usize,
    /// Whether what a file lacks is made up for.
    pub recovers: bool,
}

impl Default for JpegRead {
    fn default() -> Self {
        JpegRead {
            ratio: 1,
            recovers: false,
        }
    }
}

/// Whether a file begins as JPEG does.
pub(crate) fn is_jpeg(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xd8, 0xff, ..])
}

pub(super) fn invalid(error: impl std::fmt::Debug) -> ferrograph_tensor::Error {
    err!(
        InvalidArgument,
        "Invalid JPEG data or crop window: {error:?}"
    )
}

type Opened<'a> = JpegDecoder<ZCursor<&'a [u8]>>;

/// A decoder that knows the sizes: height, width, channels.
fn opened(bytes: &[u8], options: DecoderOptions) -> Result<(Opened<'_>, [usize; 3])> {
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(invalid)?;
    let info = decoder.info().ok_or_else(|| invalid("it has no header"))?;
    let (h, w) = (usize::from(info.height), usize::from(info.width));
    counted(&[h, w, 4])?;
    let c = if info.components == 1 { 1 } else { 3 };
    Ok((decoder, [h, w, c]))
}

fn options(recovers: bool) -> DecoderOptions {
    DecoderOptions::default()
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX))
        .set_strict_mode(!recovers)
}

/// Height, width and channels that a file says it has.
pub(crate) fn shape_of(bytes: &[u8]) -> Result<[usize; 3]> {
    Ok(opened(bytes, options(false))?.1)
}

pub(super) fn read(bytes: &[u8], channels: usize, how: JpegRead) -> Result<Picture> {
    if channels == 4 {
        bail!(InvalidArgument, "JPEG does not support 4 channels");
    }
    let [h, w, own] = shape_of(bytes)?;
    let c = if channels == 0 { own } else { channels };
    if !how.recovers && h * w / PIXELS > bytes.len() {
        return Err(invalid("it is too short for its sizes"));
    }
    let data = match Apart::of(bytes) {
        Some(parts) => parts.read(c, how.recovers)?,
        None => decoded(bytes, c, how.recovers)?.1,
    };
    let picture = Picture {
        frames: 1,
        h,
        w,
        c,
        elements: Elements::Bytes(data),
        is_animation: false,
    };
    smaller(picture, how.ratio)
}

/// Sizes and pixels of a file, as that many channels.
pub(super) fn decoded(bytes: &[u8], c: usize, recovers: bool) -> Result<([usize; 3], Vec<u8>)> {
    let space = if c == 1 {
        ColorSpace::Luma
    } else {
        ColorSpace::RGB
    };
    let options = options(recovers).jpeg_set_out_colorspace(space);
    let (mut decoder, [h, w, own]) = opened(bytes, options)?;
    let n = counted(&[h, w, c])?;
    if decoder.output_buffer_size() != Some(n) {
        bail!(
            InvalidArgument,
            "Invalid JPEG data: {own} components as {c} channels"
        );
    }
    let mut data = vec_of(0u8, n)?;
    decoder.decode_into(&mut data).map_err(invalid)?;
    Ok(([h, w, c], data))
}

/// A picture of means of squares of pixels.
fn smaller(picture: Picture, ratio: usize) -> Result<Picture> {
    if ratio == 1 {
        return Ok(picture);
    }
    let Picture { h, w, c, .. } = picture;
    let (rows, columns) = (h.div_ceil(ratio), w.div_ceil(ratio));
    let data = picture.clone().bytes()?;
    let mut out = vec_of(0u8, counted(&[rows, columns, c])?)?;
    for (i, to) in out.iter_mut().enumerate() {
        let (y, x, k) = (i / c / columns * ratio, i / c % columns * ratio, i % c);
        let (y, x) = (y..(y + ratio).min(h), x..(x + ratio).min(w));
        let n = y.len() * x.len();
        let sum: usize = y
            .flat_map(|y| x.clone().map(move |x| (y * w + x) * c + k))
            .map(|at| usize::from(data[at]))
            .sum();
        *to = u8::try_from((sum + n / 2) / n).unwrap_or(u8::MAX);
    }
    Ok(Picture {
        h: rows,
        w: columns,
        elements: Elements::Bytes(out),
        ..picture
    })
}
