//! GIF, by the `gif` crate.

use ferrograph_tensor::{Result, bail, check_bytes, err, vec_of};
use gif::{ColorOutput, DecodeOptions, Frame};

use super::{Elements, Picture, counted};

fn invalid(error: impl std::fmt::Display) -> ferrograph_tensor::Error {
    err!(InvalidArgument, "Invalid GIF data: {error}")
}

/// The greatest height and width of a frame, whatever the size of the screen.
fn sizes(bytes: &[u8]) -> Result<[usize; 2]> {
    let mut options = DecodeOptions::new();
    options.skip_frame_decoding(true);
    let mut decoder = options.read_info(bytes).map_err(invalid)?;
    let mut most = [0, 0];
    while let Some(frame) = decoder.next_frame_info().map_err(invalid)? {
        let sizes = [frame.height, frame.width].map(usize::from);
        most = [most[0].max(sizes[0]), most[1].max(sizes[1])];
    }
    Ok(most)
}

/// Reads all frames, each drawn onto the one before, on a canvas of the greatest sizes of a frame.
pub(super) fn read(bytes: &[u8]) -> Result<Picture> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let [h, w] = sizes(bytes)?;
    let mut decoder = options.read_info(bytes).map_err(invalid)?;
    let size = counted(&[h, w, 4])? / 4 * 3;
    let mut canvas = vec_of(0u8, size)?;
    let mut all: Vec<u8> = Vec::new();
    let mut frames = 0;
    while let Some(frame) = decoder.read_next_frame().map_err(invalid)? {
        draw(frame, w, h, &mut canvas);
        frames += 1;
        let total = counted(&[frames, size])?;
        check_bytes(total)?;
        all.try_reserve(size)
            .map_err(|_| err!(ResourceExhausted, "out of memory allocating {total} bytes"))?;
        all.extend_from_slice(&canvas);
    }
    if frames == 0 {
        bail!(InvalidArgument, "Invalid GIF data: there is no frame");
    }
    Ok(Picture {
        frames,
        h,
        w,
        c: 3,
        elements: Elements::Bytes(all),
        is_animation: true,
    })
}

/// Draws the pixels of a frame that are opaque, as far as they are on the canvas.
fn draw(frame: &Frame<'_>, w: usize, h: usize, canvas: &mut [u8]) {
    let [left, top, columns, rows] =
        [frame.left, frame.top, frame.width, frame.height].map(usize::from);
    let (pixels, _) = frame.buffer.as_chunks::<4>();
    for y in 0..rows.min(h.saturating_sub(top)) {
        for x in 0..columns.min(w.saturating_sub(left)) {
            if let Some([r, g, b, 1..=255]) = pixels.get(y * columns + x) {
                canvas[((top + y) * w + left + x) * 3..][..3].copy_from_slice(&[*r, *g, *b]);
            }
        }
    }
}
