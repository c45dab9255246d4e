//! Reductions of the rows of a fused step, which are fed a tile at a time: which reductions can be, and in which order
//! of the tiles each accumulator gets its elements in theirs.

use super::lower::SlotInfo;
use super::rows::StepKind;
use super::tile::{Fusion, Value};
use crate::plan::{Bound, Extent, Lines, Traversal, block, total};
use ferrograph_graph::Kernel;

/// Elements of a row, at most: tiles have to fit the cache.
pub(super) const WIDEST: usize = 16 << 10;

/// Elements of a reduction that one thread may do.
pub(super) const WHOLE: usize = 32 << 10;

/// Parts of other reductions that threads may do at once, at least.
const PARTS: usize = 4;

/// Columns of a reduction whose tiles are pieces of its rows, at least.
const COLUMNS: usize = 256;

/// Elements of the widest value of a tile, where a row has no more.
const TILE: usize = 2048;

/// Rows of a tile, where they are long: what each member does once a tile, and with one element of each row, is then little
/// beside the rest.
const SOME_ROWS: usize = 8;
/// Elements of the widest value of such a tile, at most.
const LONG_TILE: usize = 8192;

/// In which order a reduction wants its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReductionRequest {
    /// Row by row: whole rows make a block, and there are blocks enough for threads.
    Rows,
    /// Piece by piece of its rows, those below one another in their order.
    Columns(Extent),
}

/// What a step reduces, where it can be fed.
pub(super) fn extent_of(slots: &[SlotInfo], bound: &Bound<Kernel>) -> Option<Extent> {
    let reduced = bound.reduced.as_ref()?;
    let input = &slots[bound.ins[0] as usize];
    let extent = parted(input.shape.as_ref()?, &reduced.axes)?;
    let is_led = extent.outer == 1;
    let is_wide = extent.inner >= COLUMNS && extent.n.saturating_mul(extent.inner) > WIDEST;
    (is_led || is_wide).then_some(())?;
    total(reduced.code, input.dtype, extent).map(|_| extent)
}

/// The lengths of the reduced axes and of those around and inside them, where the reduced ones are neighbours.
fn parted(shape: &[usize], reduced: &[bool]) -> Option<Extent> {
    let counts = || shape.iter().zip(reduced).filter(|&(&n, _)| n != 1);
    let run = |from: usize, want: bool| {
        let axes = counts().skip(from).take_while(|&(_, &is)| is == want);
        axes.fold((from, 1usize), |(at, n), (&len, _)| (at + 1, n * len))
    };
    let (at, outer) = run(0, false);
    let (at, n) = run(at, true);
    let (at, inner) = run(at, false);
    (at == counts().count() && outer > 0 && n > 1 && inner > 0).then_some(Extent {
        outer,
        n,
        inner,
    })
}

/// The order in which a reduction can be fed, where there is one that is worth it.
pub(super) fn request(extent: Extent) -> Option<ReductionRequest> {
    let Extent { outer, n, inner } = extent;
    let total = n.saturating_mul(inner);
    let is_cut = total <= WHOLE || total / block(inner) >= PARTS;
    if outer == 1 && inner <= WIDEST && is_cut {
        return Some(ReductionRequest::Rows);
    }
    (inner >= COLUMNS).then_some(ReductionRequest::Columns(extent))
}

/// Whether a reduction is of so few elements, in one go, that one thread does it.
pub(super) fn is_whole(extent: Extent) -> bool {
    request(extent) == Some(ReductionRequest::Rows)
        && extent.n.saturating_mul(extent.inner) <= WHOLE
}

/// Of how many rows, a power of two, the elements are fed in order by one thread.
fn rows_in_order(inner: usize, width: usize) -> usize {
    let block = block(inner);
    let mut powers = (0..usize::BITS).map(|i| 1usize << i);
    let ends = |rows: &usize| rows.saturating_mul(width).is_multiple_of(block);
    powers.find(ends).unwrap_or(usize::MAX)
}

/// Whether a reduction can be fed so many rows of its operand, each of so many elements.
pub(super) fn takes_rows(extent: Extent, rows: usize, width: usize) -> bool {
    let Extent { n, inner, .. } = extent;
    match request(extent) {
        Some(ReductionRequest::Rows) => {
            let parts = rows / rows_in_order(inner, width).max(1);
            width.is_multiple_of(inner) && (n * inner <= WHOLE || parts >= PARTS)
        }
        Some(ReductionRequest::Columns(_)) => inner.is_multiple_of(width),
        None => false,
    }
}

/// Rows of a tile, of which that many at most, and the order of tiles for reductions that all want it so; each with the
/// elements of a row.
fn traversal(totals: &[(Extent, usize)], most: usize) -> (usize, Traversal) {
    let in_rows = totals
        .iter()
        .map(|&(e, width)| rows_in_order(e.inner, width));
    match totals.first() {
        None => (most, Traversal::Along(1)),
        Some(&(extent, width)) if matches!(request(extent), Some(ReductionRequest::Columns(_))) => {
            down(extent, extent.inner / width, most)
        }
        Some(_) => along(in_rows.max().unwrap_or(1), most),
    }
}

/// As [`traversal`], with tiles that stay among so many rows each, where they can.
fn traversal_in_lines(
    totals: &[(Extent, usize)],
    most: usize,
    line: usize,
) -> Option<(usize, Traversal)> {
    if totals.is_empty() {
        let (rows, slab, block) = (line, 1, 1);
        return Some((most, Traversal::Down(Lines { rows, slab, block })));
    }
    let (tile, traversal) = traversal(totals, most.min(1 << line.trailing_zeros()));
    let fits = match traversal {
        Traversal::Along(_) => line.is_multiple_of(tile),
        Traversal::Down(lines) => {
            let in_turn = lines.rows.is_multiple_of(line) && line.is_multiple_of(tile);
            in_turn || line.is_multiple_of(lines.rows)
        }
    };
    fits.then_some((tile, traversal))
}

/// The greatest common divisor.
fn common(a: usize, b: usize) -> usize {
    match b {
        0 => a,
        b => common(b, a % b),
    }
}

/// Tiles of which as many are taken in order as hold so many rows.
fn along(rows: usize, most: usize) -> (usize, Traversal) {
    let tile = match most < rows {
        true => 1 << most.ilog2(),
        false => most - most % rows,
    };
    (tile, Traversal::Along((rows / tile).max(1)))
}

/// Tiles that are below one another: pieces of a row of the reduction, which has so many rows of the step, or a few
/// whole ones.
fn down(extent: Extent, line: usize, most: usize) -> (usize, Traversal) {
    let n = extent.n;
    let below = block(extent.inner) / extent.inner;
    if line > most {
        let tile = line.div_ceil(line.div_ceil(most));
        let tile = tile.next_multiple_of(16).min(most);
        let (slab, block) = (n, below);
        let rows = line;
        return (tile, Traversal::Down(Lines { rows, slab, block }));
    }
    let together = |k: &usize| n.is_multiple_of(*k) && k * line <= most;
    let k = (0..=below.ilog2()).map(|i| 1 << i).take_while(together);
    let k = k.last().unwrap_or(1);
    let (rows, slab, block) = (k * line, n / k, below / k);
    (rows, Traversal::Down(Lines { rows, slab, block }))
}

impl Fusion<'_> {
    /// Says how many rows a tile has, and in which order tiles are taken for the sake of the totals.
    pub fn choose_tile(&mut self) -> Option<()> {
        let widest = self.values.iter().filter(|v| !matches!(v, Value::All(..)));
        let widest = widest.map(|value| self.width(*value)).max();
        let widest = widest.unwrap_or(1).max(1);
        let most = (TILE / widest).max(SOME_ROWS.min(LONG_TILE / widest));
        let line = self.line();
        let most = most.clamp(1, line.unwrap_or(self.rows));
        let totals = self.totals.iter();
        let totals = totals.filter_map(|&(at, _)| match self.parts[at].kind {
            StepKind::Total(bound) => {
                let width = self.width(Value::Rows(bound.ins[0]));
                extent_of(self.facts.slots(), bound).map(|extent| (extent, width))
            }
            _ => None,
        });
        let totals: Vec<_> = totals.collect();
        (self.tile, self.traversal) = match line {
            Some(line) => traversal_in_lines(&totals, most, line)?,
            None => traversal(&totals, most),
        };
        Some(())
    }

    /// Rows among which tiles have to stay for the sake of operands with a broadcast index.
    fn line(&self) -> Option<usize> {
        let lines = self.values.iter().filter_map(|value| match value {
            Value::Broadcast(_, index, _) => Some(index.line()),
            _ => None,
        });
        lines.reduce(common)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(outer: usize, n: usize, inner: usize) -> Extent {
        Extent { outer, n, inner }
    }

    #[test]
    fn totals_reduce_neighbours() {
        let parted = |shape: &[usize], text: &str| {
            let marks: Vec<bool> = text.chars().map(|c| c == 'r').collect();
            parted(shape, &marks)
        };
        assert_eq!(parted(&[4, 3], "rk"), Some(extent(1, 4, 3)));
        assert_eq!(parted(&[4, 3], "rr"), Some(extent(1, 12, 1)));
        assert_eq!(parted(&[1, 4, 3, 5], "krrk"), Some(extent(1, 12, 5)));
        assert_eq!(parted(&[4, 3], "kr"), Some(extent(4, 3, 1)));
        assert_eq!(parted(&[2, 4, 1, 3, 5], "krkrk"), Some(extent(2, 12, 5)));
        assert_eq!(parted(&[4, 3, 5], "rkr"), None);
        assert_eq!(parted(&[1, 3], "rk"), None);
        assert_eq!(parted(&[4, 0], "rk"), None);
        assert_eq!(parted(&[0, 4], "rk"), None);
    }

    #[test]
    fn few_long_rows_are_fed_in_pieces() {
        assert_eq!(request(extent(1, 300, 37)), Some(ReductionRequest::Rows));
        assert_eq!(
            request(extent(1, 1_000_000, 1)),
            Some(ReductionRequest::Rows)
        );
        assert_eq!(request(extent(1, 150, 100)), Some(ReductionRequest::Rows));
        assert_eq!(request(extent(1, 150, 255)), None);
        for few in [
            extent(1, 64, 1 << 18),
            extent(1, 200, 512),
            extent(9, 100, 512),
        ] {
            assert_eq!(request(few), Some(ReductionRequest::Columns(few)));
        }
    }

    #[test]
    fn tiles_are_pieces_of_a_line_or_whole_lines() {
        let down = |n, inner, width, most| {
            let (tile, traversal) = traversal(&[(extent(1, n, inner), width)], most);
            match traversal {
                Traversal::Down(Lines { rows, slab, block }) => (tile, rows, slab, block),
                Traversal::Along(_) => panic!("{traversal:?}"),
            }
        };
        assert_eq!(down(64, 1 << 18, 1, 2048), (2048, 1 << 18, 64, 64));
        assert_eq!(down(100, 1 << 18, 512, 4), (4, 512, 100, 64));
        assert_eq!(down(50, 40_000, 1, 2048), (2000, 40_000, 50, 64));
        assert_eq!(down(200, 512, 512, 4), (4, 4, 50, 16));
        assert_eq!(down(201, 512, 1, 2048), (512, 512, 201, 64));
    }
}
