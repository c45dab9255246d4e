//! What a JPEG file says before its pixels: sizes, components, tables, and what its components mean.

use ferrograph_tensor::{Result, bail, err};

use super::huffman::{Codes, NATURAL};
use super::standard;

pub(super) const END: u8 = 0xd9;
const SCAN: u8 = 0xda;

/// How many blocks a group holds at most.
const MOST_BLOCKS: usize = 10;

pub(super) fn invalid(what: impl std::fmt::Display) -> ferrograph_tensor::Error {
    err!(InvalidArgument, "Invalid JPEG data or crop window: {what}")
}

/// The steps of coefficients, where they are in a block.
pub(super) type Steps = [u16; 64];

/// One component of a picture.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub id: u8,
    /// Blocks of a group, along a row and a column.
    pub h: usize,
    pub v: usize,
    table: usize,
    /// The steps that held when its first scan began.
    pub steps: Option<Box<Steps>>,
    /// Blocks that its pixels take.
    pub columns: usize,
    pub rows: usize,
}

/// The sizes of a picture and its components.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub is_progressive: bool,
    pub height: usize,
    pub width: usize,
    pub components: Vec<Component>,
    /// The greatest numbers of blocks of a group.
    pub h: usize,
    pub v: usize,
}

impl Frame {
    /// Groups along a column.
    pub fn group_rows(&self) -> usize {
        self.height.div_ceil(8 * self.v)
    }

    /// Groups along a row.
    pub fn group_columns(&self) -> usize {
        self.width.div_ceil(8 * self.h)
    }
}

/// What a scan holds.
#[derive(Clone, Debug)]
pub(super) struct Scan {
    /// Component, table of first coefficients, table of others.
    pub parts: Vec<(usize, usize, usize)>,
    /// The first and the last coefficient.
    pub first: usize,
    pub last: usize,
    /// Bits below those that were read before, and below those that are read.
    pub high: u32,
    pub low: u32,
}

/// What components mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Space {
    Gray,
    Rgb,
    Ycc,
    Cmyk,
    Ycck,
    Unknown,
}

/// The bytes of a file, and where they are read next.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    /// Whether a file that ends too early is taken to end there.
    recovers: bool,
}

/// A file, read up to a marker.
pub(super) struct Headers<'a> {
    pub source: Source<'a>,
    steps: [Option<Box<Steps>>; 4],
    pub first: [Option<Codes>; 4],
    pub others: [Option<Codes>; 4],
    /// Groups between restarts; 0 for none.
    pub restart: usize,
    pub frame: Option<Frame>,
    is_jfif: bool,
    /// What Adobe's marker says of colours.
    adobe: Option<u8>,
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(usize::from(u16::from_be_bytes(*word)))
}

impl Source<'_> {
    /// The next marker; the end where a file has no more, or an error.
    pub fn marker(&mut self) -> Result<u8> {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or(&[]);
            let Some(skipped) = rest.iter().position(|b| *b == 0xff) else {
                return self.early_end().map(|()| END);
            };
            let marker = rest[skipped..].iter().position(|b| *b != 0xff);
            let Some(marker) = marker.map(|n| skipped + n) else {
                return self.early_end().map(|()| END);
            };
            self.at += marker + 1;
            if rest[marker] != 0 {
                return Ok(rest[marker]);
            }
        }
    }

    /// The file ends here without saying so: refused unless that is made up for.
    pub fn early_end(&self) -> Result<()> {
        if !self.recovers {
            return Err(invalid("it is cut short"));
        }
        Ok(())
    }
}

impl<'a> Headers<'a> {
    /// Reads up to the first scan.
    pub fn of(bytes: &'a [u8], recovers: bool) -> Result<(Headers<'a>, Scan)> {
        let mut headers = Headers {
            source: Source {
                bytes,
                at: 2,
                recovers,
            },
            steps: Default::default(),
            first: standard::codes(false),
            others: standard::codes(true),
            restart: 0,
            frame: None,
            is_jfif: false,
            adobe: None,
        };
        if !bytes.starts_with(&[0xff, 0xd8]) {
            return Err(invalid("it does not begin as JPEG does"));
        }
        match headers.next_scan()? {
            Some(scan) => Ok((headers, scan)),
            None => Err(invalid("it has no pixels")),
        }
    }

    /// The contents of a segment.
    fn body(&mut self) -> Result<&'a [u8]> {
        let Some(length) = word(self.source.bytes, self.source.at) else {
            self.source.at = self.source.bytes.len() + 1;
            return Err(invalid("it is cut short"));
        };
        if length < 2 {
            return Err(invalid("a segment has a bad length"));
        }
        let body = self
            .source
            .bytes
            .get(self.source.at + 2..self.source.at + length);
        self.source.at += length;
        body.ok_or_else(|| invalid("it is cut short"))
    }

    /// Reads up to the next scan; none at the end, which may be within a segment where that is made up for.
    pub fn next_scan(&mut self) -> Result<Option<Scan>> {
        match self.scan_or_end() {
            Err(_) if self.source.recovers && self.source.at > self.source.bytes.len() => Ok(None),
            found => found,
        }
    }

    fn scan_or_end(&mut self) -> Result<Option<Scan>> {
        loop {
            match self.source.marker()? {
                END => return Ok(None),
                SCAN => return self.scan().map(Some),
                0xc0..=0xc2 if self.frame.is_some() => {
                    return Err(invalid("it has two frames"));
                }
                marker @ 0xc0..=0xc2 => self.frame(marker == 0xc2)?,
                0xc4 => self.codes()?,
                0xdb => self.tables()?,
                0xdd => self.interval()?,
                0xe0 => {
                    let body = self.body()?;
                    self.is_jfif |= body.len() >= 12 && body.starts_with(b"JFIF\0");
                }
                0xee => {
                    let body = self.body()?;
                    if body.len() >= 12 && body.starts_with(b"Adobe") {
                        self.adobe = Some(body[11]);
                    }
                }
                0xd0..=0xd7 | 0x01 => {}
                0xe1..=0xed | 0xef | 0xfe | 0xdc => {
                    self.body()?;
                }
                marker @ (0xc3 | 0xc5..=0xcf) => {
                    bail!(
                        InvalidArgument,
                        "Invalid JPEG data: Unsupported JPEG process: SOF type 0x{marker:02x}"
                    )
                }
                marker => return Err(invalid(format_args!("marker 0x{marker:02x}"))),
            }
        }
    }

    fn frame(&mut self, is_progressive: bool) -> Result<()> {
        let body = self.body()?;
        let sizes = (word(body, 1), word(body, 3), body.get(5), body.get(6..));
        let (Some(height), Some(width), Some(n), Some(all)) = sizes else {
            return Err(invalid("a frame has a bad length"));
        };
        if body[0] != 8 {
            return Err(invalid(format_args!(
                "Unsupported JPEG data precision {}",
                body[0]
            )));
        }
        if height == 0 || width == 0 || *n == 0 {
            return Err(invalid("Empty JPEG image (DNL not supported)"));
        }
        if all.len() != usize::from(*n) * 3 || *n > 10 {
            return Err(invalid("a frame has a bad length"));
        }
        let mut components = Vec::new();
        for &[id, sampling, table] in all.as_chunks().0 {
            let [h, v, table] = [sampling >> 4, sampling & 15, table].map(usize::from);
            if !(1..=4).contains(&h) || !(1..=4).contains(&v) {
                return Err(invalid("Bogus sampling factors"));
            }
            components.push(Component {
                id,
                h,
                v,
                table,
                steps: None,
                columns: 0,
                rows: 0,
            });
        }
        let most = |of: fn(&Component) -> usize| components.iter().map(of).max().unwrap_or(1);
        let (h, v) = (most(|c| c.h), most(|c| c.v));
        for c in &mut components {
            c.columns = (width * c.h).div_ceil(8 * h);
            c.rows = (height * c.v).div_ceil(8 * v);
        }
        self.frame = Some(Frame {
            is_progressive,
            height,
            width,
            components,
            h,
            v,
        });
        Ok(())
    }

    fn codes(&mut self) -> Result<()> {
        let mut body = self.body()?;
        while let [kind, rest @ ..] = body {
            let (Some(counts), to) = (rest.first_chunk::<16>(), usize::from(kind & 15)) else {
                return Err(invalid("a bad Huffman table"));
            };
            let n = counts.iter().map(|n| usize::from(*n)).sum::<usize>();
            let all = if kind >> 4 == 0 {
                &mut self.first
            } else {
                &mut self.others
            };
            let symbols = rest.get(16..16 + n).filter(|all| all.len() <= 256);
            let (Some(symbols), Some(to), 0 | 1) = (symbols, all.get_mut(to), kind >> 4) else {
                return Err(invalid("a bad Huffman table"));
            };
            *to = Some(Codes {
                counts: *counts,
                symbols: symbols.to_vec(),
            });
            body = &rest[16 + n..];
        }
        Ok(())
    }

    fn tables(&mut self) -> Result<()> {
        let mut body = self.body()?;
        while let [kind, rest @ ..] = body {
            let wide = usize::from(kind >> 4 != 0);
            let size = 64 << wide;
            let (Some(all), Some(to)) =
                (rest.get(..size), self.steps.get_mut(usize::from(kind & 15)))
            else {
                return Err(invalid("a bad table of steps"));
            };
            let mut steps = Box::new([0u16; 64]);
            for (k, step) in all.chunks_exact(1 << wide).enumerate() {
                steps[usize::from(NATURAL[k])] = match *step {
                    [high, low] => u16::from_be_bytes([high, low]),
                    _ => u16::from(step[0]),
                };
            }
            *to = Some(steps);
            body = &rest[size..];
        }
        Ok(())
    }

    fn interval(&mut self) -> Result<()> {
        match self.body()? {
            [high, low] => self.restart = usize::from(u16::from_be_bytes([*high, *low])),
            _ => return Err(invalid("a restart interval has a bad length")),
        }
        Ok(())
    }

    fn scan(&mut self) -> Result<Scan> {
        let body = self.body()?;
        let bad = || invalid("a scan has a bad header");
        let frame = self.frame.as_mut().ok_or_else(bad)?;
        let n = usize::from(*body.first().ok_or_else(bad)?);
        if !(1..=4).contains(&n) || body.len() != 4 + 2 * n {
            return Err(bad());
        }
        let mut parts: Vec<(usize, usize, usize)> = Vec::new();
        for &[id, tables] in body[1..1 + 2 * n].as_chunks().0 {
            let is_free = |i: usize| parts.iter().all(|p| p.0 != i);
            let mut all = frame.components.iter().enumerate();
            let part = all.position(|(i, c)| c.id == id && is_free(i));
            let (first, others) = (usize::from(tables >> 4), usize::from(tables & 15));
            if first > 3 || others > 3 {
                return Err(invalid("it lacks a Huffman table"));
            }
            parts.push((part.ok_or_else(bad)?, first, others));
        }
        let blocks = parts.iter().map(|p| &frame.components[p.0]);
        if n > 1 && blocks.map(|c| c.h * c.v).sum::<usize>() > MOST_BLOCKS {
            return Err(invalid("Sampling factors too large for interleaved scan"));
        }
        let [first, last, bits] = body[1 + 2 * n..].try_into().map_err(|_| bad())?;
        let mut scan = Scan {
            parts,
            first: usize::from(first),
            last: usize::from(last),
            high: u32::from(bits >> 4),
            low: u32::from(bits & 15),
        };
        if frame.is_progressive {
            scan.check()?;
        } else {
            (scan.first, scan.last, scan.high, scan.low) = (0, 63, 0, 0);
        }
        for (part, ..) in &scan.parts {
            let c = &mut frame.components[*part];
            if c.steps.is_none() {
                let steps = self.steps.get(c.table).and_then(Clone::clone);
                c.steps = Some(steps.ok_or_else(|| invalid("it lacks a table of steps"))?);
            }
        }
        Ok(scan)
    }

    /// What its components mean.
    pub fn space(&self) -> Space {
        let Some(frame) = &self.frame else {
            return Space::Unknown;
        };
        let ids: Vec<u8> = frame.components.iter().map(|c| c.id).collect();
        match (ids.as_slice(), self.adobe) {
            ([_], _) => Space::Gray,
            ([_, _, _], _) if self.is_jfif => Space::Ycc,
            ([_, _, _], Some(0)) => Space::Rgb,
            ([_, _, _], Some(_)) => Space::Ycc,
            (b"RGB", None) => Space::Rgb,
            ([_, _, _], None) => Space::Ycc,
            ([_, _, _, _], None | Some(0)) => Space::Cmyk,
            ([_, _, _, _], Some(_)) => Space::Ycck,
            _ => Space::Unknown,
        }
    }

    /// Whether Adobe's marker is there.
    pub fn is_adobe(&self) -> bool {
        self.adobe.is_some()
    }
}

impl Scan {
    /// Refuses what no progressive scan is.
    fn check(&self) -> Result<()> {
        let is_first = self.first == 0 && self.last == 0;
        let is_other = (1..=self.last).contains(&self.first) && self.parts.len() == 1;
        let is_finer = self.high == 0 || self.high == self.low + 1;
        if !(is_first || is_other) || self.last > 63 || !is_finer || self.low > 13 {
            return Err(invalid("Invalid progressive parameters"));
        }
        Ok(())
    }
}
