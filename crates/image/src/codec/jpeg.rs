//! Reading JPEG, with the pixels that libjpeg gives.
//!
//! `headers` reads what stands before the pixels, `entropy` and `progressive` the coefficients by the codes of `huffman`,
//! `transform` makes samples of them, `colours` lines of the picture, `render` leads from the one to the other. A file of
//! one scan is computed while it is read, others once they are.

mod coefficients;
mod colours;
mod entropy;
mod headers;
mod huffman;
mod progressive;
mod render;
mod standard;
mod transform;
#[cfg(target_arch = "x86_64")]
mod vectors;

use std::ops::Range;

use ferrograph_kernels::pool::{par_tasks, worth_it};
use ferrograph_tensor::{Result, bail, vec_for, vec_of};
use parking_lot::Mutex;

use self::coefficients::{GroupRow, Layout};
use self::entropy::Entropy;
use self::headers::{Headers, Scan, invalid};
use self::render::{Renderer, Wish};
pub(crate) use self::transform::Method;
use super::{Elements, Picture, counted};

/// How many pixels a byte stands for at most: each block of 8 times 8 takes a bit.
const PIXELS: usize = 512;

/// How many bytes of pixels a band of the picture has at most, about.
const BAND: usize = 256 << 10;

/// What a byte of the picture costs once its coefficients are there, in nanoseconds.
const NS_OF_PIXEL: f64 = 1.0;

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JpegRead {
    /// By how much the picture is made smaller: 1, 2, 4 or 8.
    pub ratio: usize,
    /// Whether what a file lacks is made up for.
    pub recovers: bool,
    /// Whether colours between samples are interpolated.
    pub is_fancy: bool,
    pub method: Method,
    /// The first column and how many, where not all are read.
    pub columns: Option<[usize; 2]>,
}

impl Default for JpegRead {
    fn default() -> Self {
        JpegRead {
            ratio: 1,
            recovers: false,
            is_fancy: true,
            method: Method::Fast,
            columns: None,
        }
    }
}

/// Whether a file begins as JPEG does.
pub(crate) fn is_jpeg(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xd8, 0xff, ..])
}

/// Height, width and channels that a file says it has.
pub(crate) fn shape_of(bytes: &[u8]) -> Result<[usize; 3]> {
    let (headers, _) = Headers::of(bytes, false)?;
    shape(&headers)
}

fn shape(headers: &Headers<'_>) -> Result<[usize; 3]> {
    let frame = headers.frame.as_ref().ok_or_else(|| invalid("no frame"))?;
    counted(&[frame.height, frame.width, 4])?;
    Ok([frame.height, frame.width, frame.components.len()])
}

pub(super) fn read(bytes: &[u8], channels: usize, how: JpegRead) -> Result<Picture> {
    if channels == 4 {
        bail!(InvalidArgument, "JPEG does not support 4 channels");
    }
    let (mut headers, scan) = Headers::of(bytes, how.recovers)?;
    let [h, w, own] = shape(&headers)?;
    if !how.recovers && h * w / PIXELS > bytes.len() {
        return Err(invalid("it is too short for its sizes"));
    }
    let wish = Wish {
        channels: if channels == 0 { own.min(3) } else { channels },
        ratio: how.ratio,
        is_fancy: how.is_fancy,
        method: how.method,
        columns: how.columns,
    };
    let frame = headers.frame.clone().ok_or_else(|| invalid("no frame"))?;
    let layout = Layout::of(&frame);
    let (renderer, data) = if frame.is_progressive || scan.parts.len() < frame.components.len() {
        let rows = all_scans(&mut headers, scan, &layout, frame.group_rows())?;
        let renderer = Renderer::of(&headers, wish)?;
        let mut data = pixels(&renderer)?;
        rendered(&rows, &renderer, &mut data)?;
        (renderer, data)
    } else {
        let renderer = Renderer::of(&headers, wish)?;
        let mut data = pixels(&renderer)?;
        bands(&mut headers, scan, &layout, &renderer, &mut data)?;
        (renderer, data)
    };
    let picture = Picture {
        frames: 1,
        h: renderer.height,
        w: renderer.width,
        c: renderer.channels,
        elements: Elements::Bytes(data),
        is_animation: false,
    };
    picture.behind(how.columns.map_or(0, |[begin, _]| begin - renderer.begin))
}

impl Picture {
    /// The columns from `begin` on.
    fn behind(self, begin: usize) -> Result<Picture> {
        if begin == 0 {
            return Ok(self);
        }
        let (w, c) = (self.w - begin, self.c);
        let mut data = vec_for(self.h * w * c)?;
        for row in self.clone().bytes()?.chunks_exact(self.w * c) {
            data.extend_from_slice(&row[begin * c..]);
        }
        let elements = Elements::Bytes(data);
        Ok(Picture {
            w,
            elements,
            ..self
        })
    }
}

/// Room for all pixels.
fn pixels(renderer: &Renderer) -> Result<Vec<u8>> {
    let sizes = [renderer.height, renderer.width, renderer.channels];
    vec_of(0u8, counted(&sizes)?)
}

/// The coefficients of all scans.
fn all_scans(
    headers: &mut Headers<'_>,
    first: Scan,
    layout: &Layout,
    n: usize,
) -> Result<Vec<GroupRow>> {
    let mut rows = layout.rows(n)?;
    let mut scan = Some(first);
    while let Some(found) = scan {
        let mut entropy = Entropy::of(headers, found)?;
        entropy.read_all(headers, layout, &mut rows)?;
        entropy.finish(headers);
        scan = headers.next_scan()?;
    }
    Ok(rows)
}

/// Computes a picture whose coefficients are all there, its bands by several threads.
fn rendered(rows: &[GroupRow], renderer: &Renderer, data: &mut [u8]) -> Result<()> {
    let n = band(rows.len(), renderer);
    let bands = data.chunks_mut(n * renderer.group_bytes());
    let bands: Vec<_> = bands.map(|to| Mutex::new((to, Ok(())))).collect();
    par_tasks(bands.len(), &|i| {
        let (to, done) = &mut *bands[i].lock();
        *done = renderer.render(i * n, &|y| &rows[y], to);
    });
    bands.into_iter().try_for_each(|band| band.into_inner().1)
}

/// How many rows of groups make a band of `n` rows: few where threads share them.
fn band(n: usize, renderer: &Renderer) -> usize {
    let most = BAND.div_ceil(renderer.group_bytes()).max(2);
    if is_shared(n, renderer) {
        (n / 8).clamp(2, most)
    } else {
        most
    }
}

/// Whether `n` rows of groups are worth several threads.
fn is_shared(n: usize, renderer: &Renderer) -> bool {
    worth_it((renderer.group_bytes() * n) as f64 * NS_OF_PIXEL)
}

/// Computes a picture of one scan, band by band: while one is computed, the coefficients of the next are read.
fn bands(
    headers: &mut Headers<'_>,
    scan: Scan,
    layout: &Layout,
    renderer: &Renderer,
    data: &mut [u8],
) -> Result<()> {
    let n = data.len().div_ceil(renderer.group_bytes());
    let (band, is_shared) = (band(n, renderer), is_shared(n, renderer));
    let mut entropy = Entropy::of(headers, scan)?;
    // A band, one row before it and one behind it, and the rows that are read meanwhile.
    let mut slots: Vec<Option<GroupRow>> = Vec::new();
    for row in layout.rows(n.min(2 * band + 2))? {
        slots.push(Some(row));
    }
    let places = slots.len();
    let read = |slots: &mut [Option<GroupRow>], rows: Range<usize>| -> Result<Vec<GroupRow>> {
        let taken = rows.map(|y| slots[y % places].take());
        taken
            .map(|row| row.map_or_else(|| layout.row(), Ok))
            .collect()
    };
    let mut decode = |rows: &mut [GroupRow]| -> Result<()> {
        rows.iter_mut().try_for_each(|row| {
            row.clear();
            entropy.read_groups(headers, layout, row)
        })
    };
    let mut end = (band + 1).min(n);
    let mut rows = read(&mut slots, 0..end)?;
    decode(&mut rows)?;
    slots
        .iter_mut()
        .zip(rows)
        .for_each(|(to, row)| *to = Some(row));
    for (i, to) in data.chunks_mut(band * renderer.group_bytes()).enumerate() {
        let next = end..(end + band).min(n);
        let mut rows = read(&mut slots, next.clone())?;
        let empty = GroupRow::default();
        let row = |y: usize| slots[y % places].as_ref().unwrap_or(&empty);
        if is_shared {
            let render = || renderer.render(i * band, &row, to);
            side_by_side(|| decode(&mut rows), render)?;
        } else {
            decode(&mut rows)?;
            renderer.render(i * band, &row, to)?;
        }
        end = next.end;
        next.zip(rows)
            .for_each(|(y, row)| slots[y % places] = Some(row));
    }
    entropy.finish(headers);
    // What stands behind the picture: its end at least.
    match headers.next_scan()? {
        None => Ok(()),
        Some(_) => Err(invalid("it has more scans than its components need")),
    }
}

/// Does two things, by two threads where there are some.
fn side_by_side(
    one: impl FnOnce() -> Result<()> + Send,
    other: impl FnOnce() -> Result<()> + Send,
) -> Result<()> {
    let (one, other) = (Mutex::new(Some(one)), Mutex::new(Some(other)));
    let done = [const { Mutex::new(Ok(())) }; 2];
    par_tasks(2, &|i| {
        let result = match i {
            0 => one.lock().take().map(|work| work()),
            _ => other.lock().take().map(|work| work()),
        };
        *done[i].lock() = result.unwrap_or(Ok(()));
    });
    done.into_iter().try_for_each(|done| done.into_inner())
}
