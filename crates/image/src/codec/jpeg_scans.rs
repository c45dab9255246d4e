//! JPEG files whose components follow one another, each in a scan of its own, with fewer pixels of colour than of
//! brightness: each scan is read as a picture of one channel, and the channels are joined here.

use ferrograph_tensor::{Result, vec_of};

use super::counted;
use super::jpeg::{decoded, invalid};

const TABLES: [u8; 3] = [0xdb, 0xc4, 0xdd];
const SCAN: u8 = 0xda;
const END: u8 = 0xd9;
const ADOBE: u8 = 0xee;

/// One component of a frame.
#[derive(Clone, Copy)]
struct Component {
    id: u8,
    h: usize,
    v: usize,
    tables: u8,
}

/// What the header of a frame says.
struct Frame<'a> {
    header: &'a [u8],
    rows: usize,
    columns: usize,
    components: Vec<Component>,
}

/// A file whose components stand apart.
pub(super) struct Apart<'a> {
    frame: Frame<'a>,
    /// A file for each component.
    files: Vec<Vec<u8>>,
    is_rgb: bool,
}

/// The samples of one component.
struct Plane {
    data: Vec<u8>,
    rows: usize,
    columns: usize,
}

fn word(b: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_be_bytes([
        *b.get(at)?,
        *b.get(at + 1)?,
    ])))
}

/// The next marker and its segment behind `at`, and where the next one begins.
fn segment(bytes: &[u8], mut at: usize) -> Option<(u8, &[u8], usize)> {
    while *bytes.get(at)? != 0xff || matches!(*bytes.get(at + 1)?, 0xff) {
        at += 1;
    }
    let marker = bytes[at + 1];
    if matches!(marker, 0xd0..=0xd9 | 0x01) {
        return Some((marker, &[], at + 2));
    }
    let end = at + 2 + word(bytes, at + 2)?;
    Some((marker, bytes.get(at + 2..end)?, end))
}

/// Where the coded data ends that begins at `at`.
fn data_end(bytes: &[u8], at: usize) -> usize {
    let is_end = |i: &usize| bytes[*i] == 0xff && !matches!(bytes[*i + 1], 0 | 0xff | 0xd0..=0xd7);
    let end = (at..bytes.len().saturating_sub(1)).find(is_end);
    end.unwrap_or(bytes.len())
}

fn frame_of(header: &[u8]) -> Option<Frame<'_>> {
    let components = header.get(8..)?.as_chunks::<3>().0.iter();
    let components = components.map(|&[id, sampling, tables]| Component {
        id,
        h: usize::from(sampling >> 4),
        v: usize::from(sampling & 15),
        tables,
    });
    Some(Frame {
        header,
        rows: word(header, 3)?,
        columns: word(header, 5)?,
        components: components.collect(),
    })
}

impl Frame<'_> {
    /// The greatest numbers of blocks of a component.
    fn greatest(&self) -> [usize; 2] {
        let most = |of: fn(&Component) -> usize| self.components.iter().map(of).max();
        [most(|c| c.v).unwrap_or(1), most(|c| c.h).unwrap_or(1)]
    }

    fn sizes(&self, c: Component) -> [usize; 2] {
        let [v, h] = self.greatest();
        [
            (self.rows * c.v).div_ceil(v),
            (self.columns * c.h).div_ceil(h),
        ]
    }

    /// Whether it is one of three components that differ in their numbers of pixels.
    fn is_uneven(&self) -> bool {
        let all = &self.components;
        all.len() == 3
            && self.rows > 0
            && all.iter().all(|c| c.h > 0 && c.v > 0)
            && all.iter().any(|c| (c.h, c.v) != (all[0].h, all[0].v))
    }
}

/// The file of one component: the tables so far, a frame of one component, and its scan.
fn alone(frame: &Frame<'_>, c: Component, tables: &[u8], scan: &[u8], data: &[u8]) -> Vec<u8> {
    let mut file = vec![0xff, 0xd8];
    file.extend(tables);
    let sizes = frame.sizes(c).map(|n| u16::try_from(n).unwrap_or(u16::MAX));
    file.extend([0xff, 0xc0, 0, 11, 8]);
    file.extend(sizes.iter().flat_map(|n| n.to_be_bytes()));
    file.extend([1, c.id, 0x11, c.tables, 0xff, SCAN]);
    file.extend(scan);
    file.extend(data);
    file.extend([0xff, END]);
    file
}

impl<'a> Apart<'a> {
    /// The parts of a file of that kind; None for other files.
    pub(super) fn of(bytes: &'a [u8]) -> Option<Apart<'a>> {
        let (mut at, mut frame, mut is_rgb) = (2, None::<Frame<'a>>, false);
        let (mut tables, mut files) = (Vec::new(), Vec::new());
        while let Some((marker, body, next)) = segment(bytes, at) {
            at = next;
            match marker {
                0xc0 | 0xc1 if frame.is_none() => {
                    frame = Some(frame_of(body).filter(Frame::is_uneven)?);
                }
                0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => return None,
                ADOBE => is_rgb = body.get(2..7) == Some(b"Adobe") && body.get(13) == Some(&0),
                SCAN => {
                    let frame = frame.as_ref()?;
                    let &[_, _, 1, id, ..] = body else {
                        return None;
                    };
                    let c = *frame.components.get(files.len()).filter(|c| c.id == id)?;
                    at = data_end(bytes, next);
                    files.push(alone(frame, c, &tables, body, &bytes[next..at]));
                }
                END => break,
                m if TABLES.contains(&m) => {
                    tables.extend([0xff, m]);
                    tables.extend(body);
                }
                _ => {}
            }
        }
        let frame = frame.filter(|f| !f.header.is_empty() && files.len() == 3)?;
        Some(Apart {
            frame,
            files,
            is_rgb,
        })
    }

    /// Its pixels, of one channel or three.
    pub(super) fn read(&self, channels: usize, recovers: bool) -> Result<Vec<u8>> {
        let wanted = if channels == 1 && !self.is_rgb { 1 } else { 3 };
        let [v, h] = self.frame.greatest();
        let mut planes = Vec::new();
        for (c, file) in self.frame.components.iter().zip(&self.files).take(wanted) {
            let [rows, columns] = self.frame.sizes(*c);
            let (sizes, data) = decoded(file, 1, recovers)?;
            if sizes != [rows, columns, 1] {
                return Err(invalid("a component has other sizes than its frame"));
            }
            let plane = Plane {
                data,
                rows,
                columns,
            };
            let whole = plane.stretched([v / c.v, h / c.h], [self.frame.rows, self.frame.columns]);
            planes.push(whole?);
        }
        let n = counted(&[self.frame.rows, self.frame.columns, channels])?;
        let mut out = vec_of(0u8, n)?;
        match planes.as_slice() {
            [brightness] => out.copy_from_slice(brightness),
            [a, b, c] => {
                for (i, pixel) in out.chunks_exact_mut(channels).enumerate() {
                    let color = match self.is_rgb {
                        true => [a[i], b[i], c[i]],
                        false => color(a[i], b[i], c[i]),
                    };
                    match pixel {
                        [gray] => *gray = brightness(color),
                        _ => pixel.copy_from_slice(&color),
                    }
                }
            }
            _ => return Err(invalid("it lacks a component")),
        }
        Ok(out)
    }
}

/// The color of a brightness and two differences, in whole numbers of 2^-16.
fn color(y: u8, cb: u8, cr: u8) -> [u8; 3] {
    const HALF: i32 = 1 << 15;
    let (y, cb, cr) = (i32::from(y), i32::from(cb) - 128, i32::from(cr) - 128);
    let clamp = |x: i32| u8::try_from(x.clamp(0, 255)).unwrap_or(u8::MAX);
    [
        clamp(y + ((91_881 * cr + HALF) >> 16)),
        clamp(y + ((-22_554 * cb - 46_802 * cr + HALF) >> 16)),
        clamp(y + ((116_130 * cb + HALF) >> 16)),
    ]
}

fn brightness([r, g, b]: [u8; 3]) -> u8 {
    let sum = 19_595 * u32::from(r) + 38_470 * u32::from(g) + 7_471 * u32::from(b) + (1 << 15);
    u8::try_from(sum >> 16).unwrap_or(u8::MAX)
}

impl Plane {
    /// Sample `(i, j)`, or the nearest one that there is.
    fn at(&self, i: usize, j: usize) -> u32 {
        let (i, j) = (i.min(self.rows - 1), j.min(self.columns - 1));
        u32::from(self.data[i * self.columns + j])
    }

    /// With `ratio` times the rows and columns, cut to that size. Pixels halfway between samples take three parts of
    /// the nearer and one of the further one.
    fn stretched(self, ratio: [usize; 2], [rows, columns]: [usize; 2]) -> Result<Vec<u8>> {
        if ratio == [1, 1] {
            return Ok(self.data);
        }
        let mut out = vec_of(0u8, counted(&[rows, columns])?)?;
        for (at, to) in out.iter_mut().enumerate() {
            let (y, x) = (at / columns, at % columns);
            let value = match ratio {
                [2, 2] => {
                    let (near, far) = (self.row_sum(y, x / 2), self.row_sum(y, further(x)));
                    (3 * near + far + if x % 2 == 0 { 8 } else { 7 }) >> 4
                }
                [1, 2] => (3 * self.at(y, x / 2) + self.at(y, further(x)) + 1 + x as u32 % 2) >> 2,
                [2, 1] => (self.row_sum(y, x) + 1 + y as u32 % 2) >> 2,
                [v, h] => self.at(y / v, x / h),
            };
            *to = u8::try_from(value).unwrap_or(u8::MAX);
        }
        Ok(out)
    }

    /// Three times the nearer sample of a column and the further one.
    fn row_sum(&self, y: usize, j: usize) -> u32 {
        3 * self.at(y / 2, j) + self.at(further(y), j)
    }
}

/// The second nearest of samples that stand between two pixels each.
fn further(x: usize) -> usize {
    match x % 2 {
        0 => (x / 2).saturating_sub(1),
        _ => x / 2 + 1,
    }
}
