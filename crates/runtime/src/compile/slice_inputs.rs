//! Strided slice inputs: slices that a fused step reads without a copy, as the rows of their result are at equal
//! distances in their operand.

use super::lower::SlotInfo;
use crate::plan::{Bound, Slot};
use ferrograph_graph::{Kernel, Operands, Places};
use ferrograph_tensor::Shape;

/// Elements of a run at least, where rows or their runs have gaps between them: shorter ones are not worth a copy of each.
const SHORTEST: usize = 16;

/// Where the rows of a slice are in its operand: elements before the first one, from row to row, and of a row; and
/// where the runs of a row are, each of which is without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SliceInput {
    pub start: usize,
    pub step: usize,
    pub width: usize,
    /// The axes of the runs of a row, the slowest first: how many, and elements from one to the next.
    runs: Vec<(usize, usize)>,
    /// Elements of a run.
    run: usize,
}

/// The input that a step slices, where it does only that and that is known.
pub(super) fn sliced(slots: &[SlotInfo], bound: &Bound<Kernel>) -> Option<Slot> {
    let Places::Strided { input, .. } = bound.places.as_deref()? else {
        return None;
    };
    let from = *bound.ins.get(*input)?;
    let &[out] = &bound.outs[..] else { return None };
    let of = |slot: Slot| slots[slot as usize].shape.as_ref().map(Shape::n_elements);
    let is_less = of(out)? <= of(from)? && of(out)? > 0;
    (is_less && slots[out as usize].dtype == slots[from as usize].dtype).then_some(from)
}

/// A slice that is cut into that many rows, where it can be.
pub(super) fn slice_input(
    slots: &[SlotInfo],
    bound: &Bound<Kernel>,
    rows: usize,
) -> Option<SliceInput> {
    let from = sliced(slots, bound)?;
    let Places::Strided {
        start,
        dims,
        strides,
        ..
    } = bound.places.as_deref()?
    else {
        return None;
    };
    let axes = dims.iter().zip(strides).filter(|&(&n, _)| n != 1);
    let mut axes: Vec<(usize, usize)> = axes
        .map(|(&n, &stride)| Some((n, usize::try_from(stride).ok()?)))
        .collect::<Option<_>>()?;
    let total: usize = axes.iter().map(|&(n, _)| n).product();
    let width = total
        .checked_div(rows)
        .filter(|width| width * rows == total)?;
    let step = leading(&mut axes, rows)?;
    let (run, inner) = match axes.pop() {
        None => (1, 1),
        Some((n, inner)) => (n, inner),
    };
    let runs = merged(axes, run);
    let has_gaps = !runs.0.is_empty() || step != width;
    let is_worth = inner == 1 && (!has_gaps || runs.1 >= SHORTEST);
    let slice = SliceInput {
        start: *start,
        step,
        width,
        runs: runs.0,
        run: runs.1,
    };
    let source = slots[from as usize].shape.as_ref()?.n_elements();
    (is_worth && slice.start + slice.span(rows) <= source).then_some(slice)
}

/// Takes the leading ones of some axes, which have that many positions; these must be at equal distances, which it
/// gives.
fn leading(axes: &mut Vec<(usize, usize)>, rows: usize) -> Option<usize> {
    let mut left = rows;
    let mut taken: Vec<(usize, usize)> = Vec::new();
    while left > 1 {
        let (n, stride) = *axes.first()?;
        if left.is_multiple_of(n) {
            taken.push(axes.remove(0));
            left /= n;
        } else if n.is_multiple_of(left) {
            let rest = n / left;
            axes[0].0 = rest;
            taken.push((left, stride * rest));
            left = 1;
        } else {
            return None;
        }
    }
    let equal = |pair: &[(usize, usize)]| pair[0].1 == pair[1].0 * pair[1].1;
    let step = taken.last().map_or(0, |&(_, stride)| stride);
    taken.windows(2).all(equal).then_some(step)
}

/// The axes of the runs of a row and the elements of one, where what follows without a gap is one run.
fn merged(mut axes: Vec<(usize, usize)>, mut run: usize) -> (Vec<(usize, usize)>, usize) {
    while let Some(&(n, stride)) = axes.last()
        && stride == run
    {
        run *= n;
        axes.pop();
    }
    (axes, run)
}

impl SliceInput {
    /// Whether rows have no gaps inside.
    pub fn is_whole(&self) -> bool {
        self.runs.is_empty()
    }

    /// Elements from the first one of so many rows to behind their last one.
    pub fn span(&self, rows: usize) -> usize {
        let inside: usize = self.runs.iter().map(|&(n, stride)| (n - 1) * stride).sum();
        (rows - 1) * self.step + inside + self.run
    }

    /// Copies a tile of rows, which begins with its first element, to rows without gaps; elements have so many bytes.
    pub fn kernel(&self, size: usize) -> Kernel {
        let slice = self.clone();
        Box::new(move |o: &mut Operands<'_>| {
            if slice.is_whole() && slice.step == slice.width {
                let from = o.input_bytes(0).as_ptr();
                let to = o.output_bytes(0);
                // SAFETY: rows without gaps among them are as many elements as the result has, which is memory of its own.
                unsafe { to.as_mut_ptr().copy_from_nonoverlapping(from, to.len()) };
                return Ok(());
            }
            let from = o.input_bytes(0).as_ptr();
            let (run, row) = (slice.run * size, slice.width * size);
            for (r, to) in o.output_bytes(0).chunks_exact_mut(row).enumerate() {
                for (i, to) in to.chunks_exact_mut(run).enumerate() {
                    let at = (r * slice.step + slice.run_at(i)) * size;
                    // SAFETY: the tile spans as many elements as its rows do, and the run is within one of them; the
                    // result is memory of its own.
                    unsafe { to.as_mut_ptr().copy_from_nonoverlapping(from.add(at), run) };
                }
            }
            Ok(())
        })
    }

    /// Elements before that run of a row.
    fn run_at(&self, mut i: usize) -> usize {
        let mut at = 0;
        for &(n, stride) in self.runs.iter().rev() {
            at += i % n * stride;
            i /= n;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_axes_are_at_equal_distances() {
        let cut = |axes: &[(usize, usize)], rows| {
            let mut axes = axes.to_vec();
            leading(&mut axes, rows).map(|step| (step, axes))
        };
        let inside = [(254, 256), (254, 1)];
        assert_eq!(cut(&inside, 254), Some((256, vec![(254, 1)])));
        assert_eq!(cut(&inside, 254 * 254), None);
        assert_eq!(cut(&[(998, 1)], 998), Some((1, vec![])));
        assert_eq!(cut(&[(6, 10)], 3), Some((20, vec![(2, 10)])));
        assert_eq!(
            cut(&[(4, 30), (3, 10), (5, 1)], 12),
            Some((10, vec![(5, 1)]))
        );
        assert_eq!(cut(&[(4, 40), (3, 10), (5, 1)], 12), None);
    }
}
