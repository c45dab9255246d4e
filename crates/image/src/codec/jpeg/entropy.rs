//! The coded data of a scan: pieces between restarts, groups of blocks, and what is read where a file is damaged.
//!
//! Damaged data is read as libjpeg does: where a piece ends too early, zeros follow up to the end of the block group, and
//! the groups after that are left as they are. Which marker stands where a restart is due decides how reading goes on.

use ferrograph_kernels::stop::breathe;
use ferrograph_tensor::{Result, vec_for};

use super::coefficients::{Block, GroupRow, Layout};
use super::headers::{END, Headers, Scan, invalid};
use super::huffman::{BEHIND, Bits, Kind, Table};
use super::progressive;

/// The tables of one component of a scan.
struct Part {
    component: usize,
    first: Option<Table>,
    others: Option<Table>,
}

/// A scan that is being read.
pub(super) struct Entropy {
    scan: Scan,
    parts: Vec<Part>,
    state: State,
    /// Coded bytes up to the next marker, and [`BEHIND`] more.
    piece: Vec<u8>,
    position: usize,
    /// The marker that ends the piece and is not used up.
    marker: Option<u8>,
    /// Whether groups are left as they are.
    is_out: bool,
    /// Groups up to the next restart, and the number of that.
    left: usize,
    next: u8,
}

impl Entropy {
    pub fn of(headers: &mut Headers<'_>, scan: Scan) -> Result<Entropy> {
        let is_progressive = headers.frame.as_ref().is_some_and(|f| f.is_progressive);
        let needs_first = scan.first == 0 && scan.high == 0;
        let needs_others = scan.last > 0;
        let missing = || invalid("it lacks a Huffman table");
        let kind = match (is_progressive, scan.high) {
            (false, _) => Kind::Others,
            (true, 0) => Kind::Coarse,
            _ => Kind::Finer,
        };
        let mut parts = Vec::new();
        for &(component, first, others) in &scan.parts {
            let table = |codes: &Option<_>, kind| {
                Table::of(codes.as_ref().ok_or_else(missing)?, kind).map(Some)
            };
            parts.push(Part {
                component,
                first: if needs_first {
                    table(&headers.first[first], Kind::First)?
                } else {
                    None
                },
                others: if needs_others || !is_progressive {
                    table(&headers.others[others], kind)?
                } else {
                    None
                },
            });
        }
        let mut entropy = Entropy {
            scan,
            parts,
            state: State::default(),
            piece: vec_for(0)?,
            position: 0,
            marker: None,
            is_out: false,
            left: headers.restart,
            next: 0,
        };
        entropy.read_piece(headers)?;
        Ok(entropy)
    }

    /// Reads coded bytes up to the next marker.
    fn read_piece(&mut self, headers: &mut Headers<'_>) -> Result<()> {
        self.piece.clear();
        self.position = 0;
        let mut rest = headers.bytes.get(headers.at..).unwrap_or(&[]);
        self.piece.reserve(BEHIND);
        loop {
            let plain = rest.iter().position(|b| *b == 0xff);
            let (plain, others) = rest.split_at(plain.unwrap_or(rest.len()));
            self.piece.extend_from_slice(plain);
            headers.at += plain.len();
            let Some(n) = others.iter().position(|b| *b != 0xff) else {
                headers.at = headers.bytes.len();
                headers.early_end()?;
                self.marker = Some(END);
                break;
            };
            headers.at += n + 1;
            if others[n] != 0 {
                self.marker = Some(others[n]);
                break;
            }
            self.piece.push(0xff);
            rest = &others[n + 1..];
        }
        self.piece.extend([0; BEHIND]);
        Ok(())
    }

    /// Ends the scan; the marker behind it is to be read again.
    pub fn finish(self, headers: &mut Headers<'_>) {
        if let Some(marker) = self.marker
            && headers.bytes.get(headers.at.wrapping_sub(1)) == Some(&marker)
            && headers.at >= 2
        {
            headers.at -= 2;
        }
    }

    /// Goes over a restart where one is due, and tells how many groups follow before the next.
    fn restart(&mut self, headers: &mut Headers<'_>) -> Result<usize> {
        if headers.restart == 0 {
            return Ok(usize::MAX);
        }
        if self.left > 0 {
            return Ok(self.left);
        }
        let mut marker = match self.marker.take() {
            Some(marker) => marker,
            None => headers.marker()?,
        };
        let (after, before) = (|n| (self.next + n) % 8, |n| (self.next + 8 - n) % 8);
        loop {
            let n = marker.wrapping_sub(0xd0);
            let is_restart = n < 8;
            if marker < 0xc0 || is_restart && (n == before(1) || n == before(2)) {
                // What comes too late, or is no marker here.
                marker = headers.marker()?;
            } else {
                let is_early = !is_restart || n == after(1) || n == after(2);
                self.marker = is_early.then_some(marker);
                break;
            }
        }
        self.next = (self.next + 1) % 8;
        self.state = State::default();
        self.left = headers.restart;
        if self.marker.is_none() {
            self.read_piece(headers)?;
            self.is_out = false;
        } else {
            self.piece.clear();
            self.piece.extend([0; BEHIND]);
            self.position = 0;
        }
        Ok(self.left)
    }

    /// Reads `n` groups, from restart to restart: `read(scan, bits, at)` reads one.
    fn each(
        &mut self,
        headers: &mut Headers<'_>,
        n: usize,
        mut read: impl FnMut(&Coding<'_>, &mut State, &mut Bits<'_>, usize),
    ) -> Result<()> {
        let mut at = 0;
        while at < n {
            let run = self.restart(headers)?.min(n - at);
            if !self.is_out {
                let mut bits = Bits::from(&self.piece, self.position);
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
        breathe();
        Ok(())
    }

    /// Reads a row of groups of all components.
    pub fn read_groups(
        &mut self,
        headers: &mut Headers<'_>,
        layout: &Layout,
        row: &mut GroupRow,
    ) -> Result<()> {
        let frame = headers.frame.clone().ok_or_else(|| invalid("no frame"))?;
        self.each(headers, frame.group_columns(), |coding, state, bits, x| {
            for (i, part) in coding.1.iter().enumerate() {
                let c = &frame.components[part.component];
                for y in 0..c.v {
                    let blocks = layout.blocks_mut(row, part.component, y);
                    for block in &mut blocks[x * c.h..][..c.h] {
                        read_block(coding.0, part, bits, &mut state.before[i], block);
                    }
                }
            }
        })
    }

    /// Reads a scan into all rows of groups.
    pub fn read_all(
        &mut self,
        headers: &mut Headers<'_>,
        layout: &Layout,
        rows: &mut [GroupRow],
    ) -> Result<()> {
        if self.parts.len() > 1 {
            let mut rows = rows.iter_mut();
            return rows.try_for_each(|row| self.read_groups(headers, layout, row));
        }
        let component = self.parts[0].component;
        let frame = headers.frame.as_ref().ok_or_else(|| invalid("no frame"))?;
        let c = frame.components[component].clone();
        for y in 0..c.rows {
            let row = &mut rows[y / c.v];
            let (blocks, nonzero) = layout.blocks_and_nonzero(row, component, y % c.v);
            self.each(headers, c.columns, |coding, state, bits, x| {
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
            })?;
        }
        Ok(())
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
