//! The coded bytes of a scan: pieces between restarts.
//!
//! Which marker stands where a restart is due decides how reading goes on, as it does in libjpeg.

use ferrograph_tensor::{Result, vec_for};

use super::headers::{END, Source};
use super::huffman::BEHIND;

/// The pieces of a scan, one after another.
pub(super) struct Pieces<'a> {
    source: Source<'a>,
    /// The bytes up to the next marker, and [`BEHIND`] more.
    pub bytes: Vec<u8>,
    /// The marker that ends the piece and is not used up.
    marker: Option<u8>,
    /// The number of the next restart.
    next: u8,
}

impl<'a> Pieces<'a> {
    /// The first piece is read.
    pub fn of(source: Source<'a>) -> Result<Pieces<'a>> {
        let mut pieces = Pieces {
            source,
            bytes: vec_for(0)?,
            marker: None,
            next: 0,
        };
        pieces.read()?;
        Ok(pieces)
    }

    /// Where the scan ends after so many restarts: the marker behind it is to be read again.
    pub fn end(&self, restarts: usize) -> Result<usize> {
        let mut ahead = Pieces {
            bytes: vec_for(0)?,
            ..*self
        };
        for _ in 0..restarts {
            ahead.restart()?;
        }
        let at = ahead.source.at;
        let is_last = |marker| at >= 2 && ahead.source.bytes.get(at - 1) == Some(&marker);
        Ok(at
            - if ahead.marker.is_some_and(is_last) {
                2
            } else {
                0
            })
    }

    /// Reads bytes up to the next marker.
    fn read(&mut self) -> Result<()> {
        self.bytes.clear();
        let source = &mut self.source;
        let mut rest = source.bytes.get(source.at..).unwrap_or(&[]);
        self.bytes.reserve(BEHIND);
        loop {
            let plain = rest.iter().position(|b| *b == 0xff);
            let (plain, others) = rest.split_at(plain.unwrap_or(rest.len()));
            self.bytes.extend_from_slice(plain);
            source.at += plain.len();
            let Some(n) = others.iter().position(|b| *b != 0xff) else {
                source.at = source.bytes.len();
                source.early_end()?;
                self.marker = Some(END);
                break;
            };
            source.at += n + 1;
            if others[n] != 0 {
                self.marker = Some(others[n]);
                break;
            }
            self.bytes.push(0xff);
            rest = &others[n + 1..];
        }
        self.bytes.extend([0; BEHIND]);
        Ok(())
    }

    /// Goes over a restart, and tells whether a piece follows.
    pub fn restart(&mut self) -> Result<bool> {
        let mut marker = match self.marker.take() {
            Some(marker) => marker,
            None => self.source.marker()?,
        };
        let (after, before) = (|n| (self.next + n) % 8, |n| (self.next + 8 - n) % 8);
        loop {
            let n = marker.wrapping_sub(0xd0);
            let is_restart = n < 8;
            if marker < 0xc0 || is_restart && (n == before(1) || n == before(2)) {
                // What comes too late, or is no marker here.
                marker = self.source.marker()?;
            } else {
                let is_early = !is_restart || n == after(1) || n == after(2);
                self.marker = is_early.then_some(marker);
                break;
            }
        }
        self.next = (self.next + 1) % 8;
        if self.marker.is_none() {
            self.read()?;
            return Ok(true);
        }
        self.bytes.clear();
        self.bytes.extend([0; BEHIND]);
        Ok(false)
    }
}
