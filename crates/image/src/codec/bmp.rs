//! BMP: pixels of one, three or four bytes, uncompressed.

use ferrograph_tensor::{Result, bail, err, vec_for};

use super::{Elements, Picture, counted};

/// The least of a header that says where the pixels are and how many.
const HEADER: usize = 32;

fn number<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N]> {
    let found = bytes.get(at..at + N).and_then(|part| part.try_into().ok());
    found.ok_or_else(|| {
        err!(
            InvalidArgument,
            "Incomplete bmp content, requires at least {HEADER} bytes, got {}",
            bytes.len()
        )
    })
}

/// Reads a picture of so many channels, or as many as it has.
pub(super) fn read(bytes: &[u8], channels: usize) -> Result<Picture> {
    if channels == 1 {
        bail!(
            InvalidArgument,
            "`channels` must be 0, 3 or 4 for BMP, but got 1"
        );
    }
    let begin = u32::from_le_bytes(number(bytes, 10)?) as usize;
    let w = i32::from_le_bytes(number(bytes, 18)?);
    let height = i32::from_le_bytes(number(bytes, 22)?);
    let own = usize::from(u16::from_le_bytes(number(bytes, 28)?)) / 8;
    number::<HEADER>(bytes, 0)?;
    let w =
        usize::try_from(w).map_err(|_| err!(InvalidArgument, "Width must be positive, got {w}"))?;
    let h = height.unsigned_abs() as usize;
    if !matches!(own, 1 | 3 | 4) {
        bail!(
            InvalidArgument,
            "Number of channels inherent in the image must be 1, 3 or 4, was {own}"
        );
    }
    counted(&[h, w, 4])?;
    let line = (own * w).next_multiple_of(4);
    let pixels = bytes.get(begin..).filter(|p| p.len() >= line * h);
    let pixels = pixels.ok_or_else(|| {
        err!(
            InvalidArgument,
            "a bmp of {h} rows of {w} pixels needs {} bytes from {begin} on, there are {}",
            line * h,
            bytes.len()
        )
    })?;
    let mut all = vec_for(h * w * own)?;
    for y in 0..h {
        let y = if height < 0 { y } else { h - 1 - y };
        for pixel in pixels[y * line..][..w * own].chunks_exact(own) {
            match *pixel {
                [b, g, r] => all.extend([r, g, b]),
                [b, g, r, a] => all.extend([r, g, b, a]),
                _ => all.extend(pixel),
            }
        }
    }
    let picture = Picture {
        frames: 1,
        h,
        w,
        c: own,
        elements: Elements::Bytes(all),
        is_animation: false,
    };
    picture.of_channels(channels, u16::MAX)
}
