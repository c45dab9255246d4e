//! Reading JPEG, with the pixels that libjpeg gives.
//!
//! `headers` reads what stands before the pixels, `entropy` and `progressive` the coefficients by the codes of `huffman`,
//! `transform` makes samples of them, `colours` lines of the picture, `render` leads from the one to the other. All scans
//! are found first; then the picture goes band by band through each scan and is computed, by the threads of a `pipeline`.

mod coefficients;
mod colours;
mod entropy;
mod headers;
mod huffman;
mod pieces;
mod pipeline;
mod progressive;
mod render;
mod standard;
mod transform;
#[cfg(target_arch = "x86_64")]
mod vectors;

use std::cmp::Ordering;

use ferrograph_kernels::pool::worth_it;
use ferrograph_tensor::{Result, bail, vec_for, vec_of};
use parking_lot::Mutex;

use self::coefficients::{Bands, GroupRow};
use self::entropy::Entropy;
use self::headers::{Frame, Headers, Scan, invalid};
use self::render::{Renderer, Wish};
pub(crate) use self::transform::Method;
use super::{Elements, Picture, counted};

/// How many pixels a byte represents at most: each block of 8 times 8 takes a bit.
const PIXELS: usize = 512;

/// How many bytes of pixels a band of the picture has at most, about.
const BAND: usize = 64 << 10;

/// How many bands are at work at a time.
const ROOM: usize = 8;

/// How many scans are read at a time.
const SCANS: usize = 100;

/// How many rows of groups make a band where a file has more scans than that.
const ROWS: usize = 4;

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
    let is_single = !frame.is_progressive && scan.parts.len() == frame.components.len();
    let (scans, renderer) = if is_single {
        let renderer = Renderer::of(&headers, wish)?;
        (Scans::only(&mut headers, scan)?, renderer)
    } else {
        let scans = Scans::all(&mut headers, &frame, scan)?;
        (scans, Renderer::of(&headers, wish)?)
    };
    let mut data = pixels(&renderer)?;
    scans.render(&frame, &renderer, &mut data)?;
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

/// Scans of a file that are still to be read.
struct Scans<'a> {
    left: Vec<Entropy<'a>>,
    /// What the scans before have left, where there were too many for all to be read at a time.
    coefficients: Option<Bands>,
}

impl<'a> Scans<'a> {
    /// The only scan of a file.
    fn only(headers: &mut Headers<'a>, scan: Scan) -> Result<Scans<'a>> {
        let left = vec![Entropy::of(headers, scan)?];
        // What stands behind the picture: its end at least.
        match headers.next_scan()? {
            None => Ok(Scans {
                left,
                coefficients: None,
            }),
            Some(_) => Err(invalid("it has more scans than its components need")),
        }
    }

    /// All scans of a file, of which the first is found.
    fn all(headers: &mut Headers<'a>, frame: &Frame, first: Scan) -> Result<Scans<'a>> {
        let (mut left, mut coefficients) = (Vec::new(), None);
        let mut scan = Some(first);
        while let Some(found) = scan {
            if left.len() == SCANS {
                let bands = match coefficients.take() {
                    Some(bands) => bands,
                    None => Bands::of(frame, ROWS, frame.group_rows().div_ceil(ROWS).max(ROOM))?,
                };
                read_bands(std::mem::take(&mut left), &bands, None)?;
                coefficients = Some(bands);
            }
            left.push(Entropy::of(headers, found)?);
            scan = headers.next_scan()?;
        }
        Ok(Scans { left, coefficients })
    }

    /// Reads them and computes the picture.
    fn render(self, frame: &Frame, renderer: &Renderer, data: &mut [u8]) -> Result<()> {
        let bands = match self.coefficients {
            Some(bands) => bands,
            None => Bands::of(frame, band(frame.group_rows(), renderer), ROOM)?,
        };
        read_bands(self.left, &bands, Some((renderer, data)))
    }
}

/// Reads scans band by band, and computes the picture of them where one is wanted.
fn read_bands(
    scans: Vec<Entropy<'_>>,
    bands: &Bands,
    picture: Option<(&Renderer, &mut [u8])>,
) -> Result<()> {
    let bytes = picture.as_ref().map_or(usize::MAX, |(_, data)| data.len());
    let is_shared = worth_it(bytes as f64 * NS_OF_PIXEL);
    let picture = picture.map(|(renderer, data)| {
        let parts = data.chunks_mut(bands.rows * renderer.group_bytes());
        (renderer, Mutex::new(parts))
    });
    let size = pipeline::Size {
        stages: scans.len() + usize::from(picture.is_some()),
        bands: bands.n(),
        room: bands.room(),
    };
    let scans: Vec<_> = scans.into_iter().map(Mutex::new).collect();
    pipeline::run(
        size,
        is_shared,
        &|stage, band| match (scans.get(stage), &picture) {
            (Some(scan), _) => {
                if stage == 0 {
                    bands.begin(band)?;
                }
                read_band(&mut scan.lock(), bands, band)
            }
            (None, Some((renderer, parts))) => match parts.lock().next() {
                Some(to) => render_band(renderer, bands, band, to),
                None => Ok(()),
            },
            _ => Ok(()),
        },
    )
}

/// Reads a band of a scan.
fn read_band(scan: &mut Entropy<'_>, bands: &Bands, band: usize) -> Result<()> {
    let (mut rows, begin) = (bands.at(band), band * bands.rows);
    let mut rows = rows.iter_mut().enumerate();
    rows.try_for_each(|(y, row)| scan.read(begin + y, &bands.layout, row))
}

/// Computes a band of a picture, of whose coefficients those of the bands around it count, too.
fn render_band(renderer: &Renderer, bands: &Bands, band: usize, to: &mut [u8]) -> Result<()> {
    let before = (band > 0).then(|| bands.at(band - 1));
    let after = (band + 1 < bands.n()).then(|| bands.at(band + 1));
    let (here, empty) = (bands.at(band), GroupRow::default());
    let row = |y: usize| {
        let rows = match (y / bands.rows).cmp(&band) {
            Ordering::Less => before.as_deref(),
            Ordering::Equal => Some(&*here),
            Ordering::Greater => after.as_deref(),
        };
        rows.map_or(&empty, |rows| &rows[y % bands.rows])
    };
    renderer.render(band * bands.rows, &row, to)
}

/// How many rows of groups make a band, of `n` that the picture has.
fn band(n: usize, renderer: &Renderer) -> usize {
    let most = BAND.div_ceil(renderer.group_bytes()).max(2);
    (n / 8).clamp(2, most)
}
