//! From coefficients to pixels, a band of the picture at a time.
//!
//! A band is some rows of groups. Its samples are computed into planes, one for each component, with a row of blocks more
//! above and below where lines are joined by distance; then its lines are widened and coloured. So bands need nothing of
//! one another, and may be computed in any order, by several threads.

use ferrograph_kernels::isa::dispatch;
use ferrograph_tensor::{Result, vec_of};

use super::coefficients::{GroupRow, Layout};
use super::colours::{Between, Colours, Line, Widening, repeated};
use super::headers::{Frame, Headers, Space, invalid};
use super::transform::{Factors, Method, block_row, factors};

/// How a component is computed.
struct Part {
    factors: Factors,
    /// Samples along a side of a block.
    size: usize,
    /// Samples of the component along a column, the first one of a row, and how many.
    height: usize,
    begin: usize,
    width: usize,
    /// Rows of blocks of a group, and of the component.
    v: usize,
    rows: usize,
    widening: Widening,
}

/// How a picture is computed.
pub(super) struct Renderer {
    parts: Vec<Part>,
    colours: Colours,
    method: Method,
    layout: Layout,
    /// Lines of a row of groups.
    lines: usize,
    pub height: usize,
    /// The first column: where a group begins.
    pub begin: usize,
    pub width: usize,
    pub channels: usize,
}

/// What a caller asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    pub channels: usize,
    pub ratio: usize,
    pub is_fancy: bool,
    pub method: Method,
    /// The first column and how many, where not all are computed.
    pub columns: Option<[usize; 2]>,
}

/// What components become, and how many of them are needed.
fn colours(headers: &Headers<'_>, channels: usize) -> Result<(Colours, usize)> {
    let space = headers.space();
    Ok(match (space, channels) {
        (Space::Gray | Space::Ycc, 1) => (Colours::First, 1),
        (Space::Rgb, 1) => (Colours::Bright, 3),
        (Space::Gray, 3) => (Colours::Grays, 1),
        (Space::Rgb, 3) => (Colours::Same, 3),
        (Space::Ycc, 3) => (Colours::Ycc, 3),
        (Space::Cmyk | Space::Ycck, 3) => {
            let inks = Colours::Inks {
                is_light: headers.is_adobe(),
                is_ycc: space == Space::Ycck,
            };
            (inks, 4)
        }
        _ => return Err(invalid("Unsupported color conversion request")),
    })
}

/// Samples along a side of the blocks of a component: more than `least` where that saves widening.
fn block_size(frame: &Frame, h: usize, v: usize, least: usize) -> usize {
    let mut size = least;
    let doubles = |most: usize, own: usize, size| (most * least).is_multiple_of(own * size * 2);
    while size < 8 && doubles(frame.h, h, size) && doubles(frame.v, v, size) {
        size *= 2;
    }
    size
}

impl Renderer {
    pub fn of(headers: &Headers<'_>, wish: Wish) -> Result<Renderer> {
        let frame = headers.frame.as_ref().ok_or_else(|| invalid("no frame"))?;
        let (colours, needed) = colours(headers, wish.channels)?;
        let least = 8 / wish.ratio;
        let height = frame.height.div_ceil(wish.ratio);
        let whole = frame.width.div_ceil(wish.ratio);
        let [column, n] = wish.columns.unwrap_or([0, whole]);
        if n == 0 || column.checked_add(n).is_none_or(|end| end > whole) {
            return Err(invalid("the crop window is not in the picture"));
        }
        let begin = column / (frame.h * least) * (frame.h * least);
        let width = column + n - begin;
        let (mut parts, mut is_narrow) = (Vec::new(), false);
        for c in frame.components.iter().take(needed) {
            let size = block_size(frame, c.h, c.v, least);
            let steps = c.steps.as_deref();
            let steps = steps.ok_or_else(|| invalid("a component has no pixels"))?;
            let (across, down) = (frame.h * least, frame.v * least);
            let (h, v) = (c.h * size, c.v * size);
            if !across.is_multiple_of(h) || !down.is_multiple_of(v) {
                return Err(invalid("Fractional sampling not implemented yet"));
            }
            let (h, v) = (across / h, down / v);
            let own = (frame.width * c.h * size).div_ceil(frame.h * 8);
            parts.push(Part {
                factors: factors(steps, wish.method, size),
                size,
                height: (frame.height * c.v * size).div_ceil(frame.v * 8),
                begin: begin / h,
                width: if n == whole { own } else { width.div_ceil(h) },
                v: c.v,
                rows: c.rows,
                widening: Widening::of(h, v, wish.is_fancy && least > 1, own),
            });
            is_narrow |= own >= 2 && parts[parts.len() - 1].width < 2;
        }
        if is_narrow {
            // Less than two samples have no neighbours: then nothing is widened by distance that has but two.
            for part in &mut parts {
                part.widening = part.widening.of_width(part.width);
            }
        }
        Ok(Renderer {
            parts,
            colours,
            method: wish.method,
            layout: Layout::of(frame),
            lines: frame.v * least,
            height,
            begin,
            width,
            channels: wish.channels,
        })
    }

    /// Bytes of a row of groups.
    pub fn group_bytes(&self) -> usize {
        self.lines * self.width * self.channels
    }

    /// Computes the pixels of rows of groups, those from `begin` on of the picture. `row` tells the coefficients, of one row
    /// more at both ends, too.
    pub fn render<'a>(
        &self,
        begin: usize,
        row: &(dyn Fn(usize) -> &'a GroupRow + Sync),
        to: &mut [u8],
    ) -> Result<()> {
        let rows = to.len().div_ceil(self.group_bytes());
        let mut planes = Vec::new();
        for (i, part) in self.parts.iter().enumerate() {
            let mut first = begin * part.v;
            let mut last = ((begin + rows) * part.v).min(part.rows);
            if part.widening.is_between_rows() {
                (first, last) = (first.saturating_sub(1), (last + 1).min(part.rows));
            }
            let line = self.layout.columns(i) * part.size;
            let mut data = vec_of(0u8, (last - first) * part.size * line)?;
            for (y, to) in (first..last).zip(data.chunks_exact_mut(part.size * line)) {
                let blocks = self.layout.blocks(row(y / part.v), i, y % part.v);
                block_row(blocks, &part.factors, self.method, part.size, to, line);
            }
            planes.push(Plane {
                data,
                first: first * part.size,
                begin: part.begin,
                line,
            });
        }
        self.lines(begin * self.lines, &planes, to)
    }

    /// Widens and colours lines, those from `begin` on of the picture.
    fn lines(&self, begin: usize, planes: &[Plane], to: &mut [u8]) -> Result<()> {
        // The last samples may cover columns behind the last one.
        let room = self.width + 16;
        let mut wide = vec_of(0u8, room * self.parts.len())?;
        let mut sums = vec_of(0u16, room)?;
        for (y, to) in to.chunks_exact_mut(self.width * self.channels).enumerate() {
            let parts = self
                .parts
                .iter()
                .zip(planes)
                .zip(wide.chunks_exact_mut(room));
            let mut from: [&[u8]; 4] = [&[]; 4];
            for (from, ((part, plane), wide)) in from.iter_mut().zip(parts) {
                *from = part.line(begin + y, plane, &mut sums, wide);
            }
            let from = from.map(|line| &line[..self.width.min(line.len())]);
            dispatch(Line {
                colours: self.colours,
                from,
                to,
            });
        }
        Ok(())
    }
}

/// Samples of a component in a band.
struct Plane {
    data: Vec<u8>,
    /// The number of its first line in the component.
    first: usize,
    /// The first sample of a line that counts.
    begin: usize,
    line: usize,
}

impl Plane {
    fn line(&self, y: usize, width: usize) -> &[u8] {
        &self.data[(y - self.first) * self.line + self.begin..][..width]
    }
}

impl Part {
    /// A line of the picture.
    fn line<'a>(
        &self,
        y: usize,
        plane: &'a Plane,
        sums: &mut [u16],
        wide: &'a mut [u8],
    ) -> &'a [u8] {
        let (widening, width) = (self.widening, self.width);
        match widening {
            Widening::Whole => plane.line(y, width),
            Widening::Repeated(h, v) => {
                repeated(plane.line(y / v, width), h, wide);
                wide
            }
            _ => {
                let is_both = widening.is_between_rows();
                let (is_above, near) = if is_both {
                    (y.is_multiple_of(2), y / 2)
                } else {
                    (false, y)
                };
                let far = match (is_both, is_above) {
                    (false, _) => near,
                    (_, true) => near.saturating_sub(1),
                    _ => (near + 1).min(self.height - 1),
                };
                let (near, far) = (plane.line(near, width), plane.line(far, width));
                dispatch(Between {
                    widening,
                    near,
                    far,
                    is_above,
                    sums,
                    to: wide,
                });
                wide
            }
        }
    }
}
