//! The coefficients of a scan, row of groups by row.
//!
//! Damaged data is read as libjpeg does: where a piece ends too early, zeros follow up to the end of the block group, and
//! the groups after that are left as they are.

use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::Result;

use super::coefficients::{Block, GroupRow, Layout};
use super::headers::{Frame, Headers, Scan, invalid};
use super::huffman::{Bits, Kind, Table};
use super::pieces::Pieces;
use super::progressive;

/// One component of a scan.
struct Part {
    component: usize,
    /// Its blocks of a group, along a row and a column.
    h: usize,
    v: usize,
    first: Option<Table>,
    others: Option<Table>,
}

/// A scan that is being read.
pub(super) struct Entropy<'a> {
    scan: Scan,
    parts: Vec<Part>,
    /// Groups along a row of the scan, and along a column: those of a component alone are its blocks.
    columns: usize,
    rows: usize,
    state: State,
    pieces: Pieces<'a>,
    /// The next bit of the piece.
    position: usize,
    /// Whether groups are left as they are.
    is_out: bool,
    /// Groups between restarts, or 0, and those up to the next one.
    interval: usize,
    left: usize,
}

/// The tables and sizes of the components of a scan.
fn parts(headers: &Headers<'_>, frame: &Frame, scan: &Scan) -> Result<Vec<Part>> {
    let needs_first = scan.first == 0 && scan.high == 0;
    let needs_others = scan.last > 0;
    let kind = match (frame.is_progressive, scan.high) {
        (false, _) => Kind::Others,
        (true, 0) => Kind::Coarse,
        _ => Kind::Finer,
    };
    let table = |is_needed: bool, codes: &Option<_>, kind| match codes {
        _ if !is_needed => Ok(None),
        Some(codes) => Table::of(codes, kind).map(Some),
        None => Err(invalid("it lacks a Huffman table")),
    };
    let part = |&(component, first, others): &(usize, usize, usize)| {
        Ok(Part {
            component,
            h: frame.components[component].h,
            v: frame.components[component].v,
            first: table(needs_first, &headers.first[first], Kind::First)?,
            others: table(needs_others, &headers.others[others], kind)?,
        })
    };
    scan.parts.iter().map(part).collect()
}

impl<'a> Entropy<'a> {
    /// A scan whose coded data comes next. The headers go on behind it.
    pub fn of(headers: &mut Headers<'a>, scan: Scan) -> Result<Entropy<'a>> {
        let frame = headers.frame.as_ref().ok_or_else(|| invalid("no frame"))?;
        let parts = parts(headers, frame, &scan)?;
        let (columns, rows) = match parts.as_slice() {
            [part] => {
                let c = &frame.components[part.component];
                (c.columns, c.rows)
            }
            _ => (frame.group_columns(), frame.group_rows()),
        };
        let interval = headers.restart;
        let pieces = Pieces::of(headers.source)?;
        let restarts = (columns * rows - 1).checked_div(interval).unwrap_or(0);
        headers.source.at = pieces.end(restarts)?;
        Ok(Entropy {
            scan,
            parts,
            columns,
            rows,
            state: State::default(),
            pieces,
            position: 0,
            is_out: false,
            interval,
            left: interval,
        })
    }

    /// Goes over a restart where one is due, and tells how many groups follow before the next.
    fn restart(&mut self) -> Result<usize> {
        if self.interval == 0 {
            return Ok(usize::MAX);
        }
        if self.left == 0 {
            self.is_out &= !self.pieces.restart()?;
            self.position = 0;
            self.state = State::default();
            self.left = self.interval;
        }
        Ok(self.left)
    }

    /// Reads a row of groups, from restart to restart: `read(scan, state, bits, at)` reads one.
    fn each(
        &mut self,
        mut read: impl FnMut(&Coding<'_>, &mut State, &mut Bits<'_>, usize),
    ) -> Result<()> {
        let (mut at, n) = (0, self.columns);
        while at < n {
            let run = self.restart()?.min(n - at);
            if !self.is_out {
                let mut bits = Bits::from(&self.pieces.bytes, self.position);
                let coding = Coding(&self.scan, &self.parts);
                for at in at..at + run {
                    read(&coding, &mut self.state, &mut bits, at);
                    if bits.is_overdrawn() {
                        self.is_out = true;
                        break;
                    }
                }
                self.position = bits.position();
            }
            self.left = self.left.saturating_sub(run);
            at += run;
        }
        poll_cancellation();
        Ok(())
    }

    /// Reads the next row of groups of the picture, the one of that number.
    pub fn read(&mut self, y: usize, layout: &Layout, row: &mut GroupRow) -> Result<()> {
        let [Part { component, v, .. }] = self.parts[..] else {
            return self.read_groups(layout, row);
        };
        let rows = v.min(self.rows.saturating_sub(y * v));
        (0..rows).try_for_each(|y| self.read_blocks(layout, row, component, y))
    }

    /// Reads a row of groups of several components.
    fn read_groups(&mut self, layout: &Layout, row: &mut GroupRow) -> Result<()> {
        self.each(|coding, state, bits, x| {
            for (part, before) in coding.1.iter().zip(&mut state.before) {
                for y in 0..part.v {
                    let blocks = layout.blocks_mut(row, part.component, y);
                    for block in &mut blocks[x * part.h..][..part.h] {
                        read_block(coding.0, part, bits, before, block);
                    }
                }
            }
        })
    }

    /// Reads a row of blocks of one component.
    fn read_blocks(
        &mut self,
        layout: &Layout,
        row: &mut GroupRow,
        component: usize,
        y: usize,
    ) -> Result<()> {
        let (blocks, nonzero) = layout.blocks_and_nonzero(row, component, y);
        self.each(|coding, state, bits, x| {
            let (scan, part, block) = (coding.0, &coding.1[0], &mut blocks[x]);
            match (&part.others, nonzero.get_mut(x), scan.first, scan.high) {
                (Some(table), Some(nonzero), 1.., 0) => {
                    progressive::others(scan, table, bits, &mut state.zeros, block, nonzero);
                }
                (Some(table), Some(nonzero), 1.., _) => {
                    let zeros = &mut state.zeros;
                    progressive::finer_others(scan, table, bits, zeros, block, nonzero);
                }
                _ => read_block(scan, part, bits, &mut state.before[0], block),
            }
        })
    }
}

/// A scan and the tables of its components.
struct Coding<'a>(&'a Scan, &'a [Part]);

/// What the groups before leave to the next.
#[derive(Default)]
struct State {
    /// The first coefficients before, by component of the scan.
    before: [i32; 4],
    /// Blocks whose further coefficients are zeros.
    zeros: u32,
}

/// Reads a block of a scan that begins with the first coefficient.
#[inline(always)]
fn read_block(scan: &Scan, part: &Part, bits: &mut Bits<'_>, before: &mut i32, block: &mut Block) {
    match (&part.first, &part.others) {
        (Some(first), Some(others)) => {
            block[0] = bits.first(first, before);
            bits.others(others, block);
        }
        (Some(first), None) => block[0] = bits.first(first, before) << scan.low,
        (None, _) => block[0] |= (bits.take(1) as i16) << scan.low,
    }
}
