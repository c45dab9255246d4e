//! PNG, by the `png` crate.

use std::io::Cursor;

use ferrograph_tensor::{Result, bail, err, vec_for, vec_of};
use png::{
    BitDepth, ColorType, Compression, DecodeOptions, Decoder, DeflateCompression, Encoder, Limits,
    Transformations,
};

use super::{Elements, Picture, counted};

fn invalid(error: impl std::fmt::Display) -> ferrograph_tensor::Error {
    err!(InvalidArgument, "Invalid PNG data: {error}")
}

/// How many bytes one byte of a compressed stream represents at most.
const DEFLATED: usize = 1032;

/// Reads the first frame, of so many channels, or as many as it has; every bit of the file is held against its checksums.
///
/// A transparent colour of a gray picture or one of red, green and blue is a channel where four are asked for. Where nothing
/// is transparent, the fourth channel is the greatest number of the file's bits.
pub(super) fn read(bytes: &[u8], channels: usize) -> Result<Picture> {
    let limits = Limits { bytes: 1 << 30 };
    let mut options = DecodeOptions::default();
    options.set_skip_ancillary_crc_failures(false);
    let mut decoder = Decoder::new_with_options(Cursor::new(bytes), options);
    decoder.set_limits(limits);
    decoder.set_transformations(Transformations::EXPAND);
    let info = decoder.read_header_info().map_err(invalid)?;
    let (w, h) = (info.width as usize, info.height as usize);
    counted(&[h, w, 4])?;
    let bits = info.color_type.samples() * info.bit_depth as usize;
    if w * h / 8 * bits > bytes.len().saturating_mul(DEFLATED) {
        return Err(invalid("it is too short for its sizes"));
    }
    let opaque = u16::MAX >> (16 - info.bit_depth as u16);
    let own = match info.color_type {
        ColorType::Indexed => 0,
        color => color.samples(),
    };
    let mut reader = decoder.read_info().map_err(invalid)?;
    let size = reader.output_buffer_size();
    let mut data = vec_of(0u8, size.ok_or_else(|| invalid("it is too large"))?)?;
    let info = reader.next_frame(&mut data).map_err(invalid)?;
    data.truncate(info.buffer_size());
    // What stands behind the picture has checksums, too.
    reader.finish().map_err(invalid)?;
    let picture = Picture {
        frames: 1,
        h,
        w,
        c: info.color_type.samples(),
        elements: match info.bit_depth {
            BitDepth::Sixteen => Elements::Words(words(&data)?),
            _ => Elements::Bytes(data),
        },
        is_animation: false,
    };
    picture.of_channels(if channels == 0 { own } else { channels }, opaque)
}

fn words(bytes: &[u8]) -> Result<Vec<u16>> {
    let mut all = vec_for(bytes.len() / 2)?;
    all.extend(bytes.as_chunks().0.iter().map(|b| u16::from_be_bytes(*b)));
    Ok(all)
}

/// A file of pixels; words are in the order that files have. The level of compression is from 0 to 9, -1 for the usual.
pub(crate) fn write_png(
    data: &[u8],
    [h, w, c]: [usize; 3],
    words: bool,
    level: i64,
) -> Result<Vec<u8>> {
    let side = |n: usize| u32::try_from(n).ok().filter(|n| (1..1 << 31).contains(n));
    let (Some(h), Some(w)) = (side(h), side(w)) else {
        bail!(
            InvalidArgument,
            "a PNG file cannot hold {h} rows of {w} pixels"
        );
    };
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, w, h);
    encoder.set_color(match c {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    });
    encoder.set_depth(if words {
        BitDepth::Sixteen
    } else {
        BitDepth::Eight
    });
    match u8::try_from(level) {
        Ok(0) => encoder.set_compression(Compression::NoCompression),
        Ok(level) => encoder.set_deflate_compression(DeflateCompression::Level(level)),
        Err(_) => encoder.set_compression(Compression::Balanced),
    }
    let failed = |e| err!(Internal, "PNG encoding failed: {e}");
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(data).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(file)
}
