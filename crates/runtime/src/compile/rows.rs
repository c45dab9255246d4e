//! The rows of steps: along how many leading positions a step can be cut, so that each piece of its result needs the
//! same piece of what it reads, or all of it.

use super::fuse::Facts;
use super::lower::SlotInfo;
use super::slice_inputs::{slice_input, sliced};
use super::totals::{WIDEST, extent_of, takes_rows};
use crate::plan::{Action, Bound, BroadcastIndex, Slot, Step};
use ferrograph_graph::{Inputs, Kernel, Lowered, OpRef, ScalarCode, lower};
use ferrograph_ops::{AssignKind, AssignVariable, ReadVariableOp, combining};
use ferrograph_tensor::{DType, PartialShape, Shape, Tensor, TensorSpec};
use smallvec::SmallVec;

/// Numbers of rows, the largest first.
pub(super) type Rows = SmallVec<[usize; 4]>;

/// Elements of a variable that is updated in place, at most: nothing stops that once it has begun.
const LARGEST: usize = 4 << 20;

/// Elements of the rows, at least, for which an operand with a broadcast index has the same row, or all of its rows.
const LINE: usize = 1024;

/// How a step is cut into that many rows: the axes that are counted, and what of each input goes with a row.
pub(super) struct Cut {
    pub axes: usize,
    pub operands: SmallVec<[Indexing; 4]>,
}

/// What of an operand goes with a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Indexing {
    /// All of it.
    All,
    /// The row of that number.
    Each,
    /// The row that a broadcast index gives.
    Broadcast(BroadcastIndex),
}

/// What a step does that works row by row and does not fail.
#[derive(Clone, Copy)]
pub(super) enum StepKind<'a> {
    /// Computes.
    Compute(&'a Bound<Kernel>),
    /// Reduces rows to values that are there when all are done.
    Total(&'a Bound<Kernel>),
    /// Takes rows of a value that no step of the same group makes.
    Slice {
        bound: &'a Bound<Kernel>,
        from: Slot,
    },
    /// Gives a value another shape.
    Alias { from: &'a Slot, out: Slot },
    /// Reads a variable.
    Read { variable: Slot, out: Slot },
    /// Changes a variable.
    Assign {
        kind: AssignKind,
        variable: Slot,
        value: Slot,
    },
}

impl<'a> StepKind<'a> {
    /// What a step does, if it is of this kind.
    pub fn of(facts: &Facts<'_>, step: &'a Step) -> Option<StepKind<'a>> {
        let slots = facts.slots();
        match &step.action {
            Action::Kernel(bound) if extent_of(slots, bound).is_some() => {
                Some(StepKind::Total(bound))
            }
            Action::Kernel(bound) => {
                let slice_input =
                    || sliced(slots, bound).map(|from| StepKind::Slice { bound, from });
                let computes = computes(facts, bound).then_some(StepKind::Compute(bound));
                computes.or_else(slice_input)
            }
            Action::Alias { from, to, .. } => {
                let is_known = shape(slots, *from).is_some() && shape(slots, *to).is_some();
                is_known.then_some(StepKind::Alias { from, out: *to })
            }
            Action::Eval { op, ins, outs } => {
                let kind = match (&ins[..], &outs[..]) {
                    ([variable], &[out]) if op.downcast::<ReadVariableOp>().is_some() => {
                        let variable = variable.slot;
                        StepKind::Read { variable, out }
                    }
                    ([variable, value], []) => StepKind::Assign {
                        kind: op.downcast::<AssignVariable>()?.kind(),
                        variable: variable.slot,
                        value: value.slot,
                    },
                    _ => return None,
                };
                let n = shape(slots, kind.result())?.n_elements();
                (n <= LARGEST).then_some(kind)
            }
            _ => None,
        }
    }

    /// The value whose shape says which rows there are.
    fn result(&self) -> Slot {
        match *self {
            StepKind::Compute(bound) | StepKind::Slice { bound, .. } => bound.outs[0],
            StepKind::Total(bound) => bound.ins[0],
            StepKind::Read { out, .. } | StepKind::Alias { out, .. } => out,
            StepKind::Assign { value, .. } => value,
        }
    }

    /// What it reads, apart from variables.
    pub fn ins(&self) -> &[Slot] {
        match self {
            StepKind::Compute(bound) | StepKind::Total(bound) => &bound.ins,
            StepKind::Alias { from, .. } => std::slice::from_ref(*from),
            StepKind::Slice { from, .. } => std::slice::from_ref(from),
            StepKind::Read { .. } => &[],
            StepKind::Assign { value, .. } => std::slice::from_ref(value),
        }
    }

    /// What it makes.
    pub fn made(&self) -> Option<Slot> {
        match *self {
            StepKind::Compute(bound) | StepKind::Total(bound) | StepKind::Slice { bound, .. } => {
                Some(bound.outs[0])
            }
            StepKind::Read { out, .. } | StepKind::Alias { out, .. } => Some(out),
            StepKind::Assign { .. } => None,
        }
    }

    /// The variable that it reads or changes.
    pub fn variable(&self) -> Option<Slot> {
        match *self {
            StepKind::Compute(_)
            | StepKind::Total(_)
            | StepKind::Slice { .. }
            | StepKind::Alias { .. } => None,
            StepKind::Read { variable, .. } | StepKind::Assign { variable, .. } => Some(variable),
        }
    }

    /// Whether it changes a variable.
    pub fn changes(&self) -> bool {
        matches!(self, StepKind::Assign { .. })
    }
}

fn computes(facts: &Facts<'_>, bound: &Bound<Kernel>) -> bool {
    if bound.outs.len() != 1 {
        return false;
    }
    let is_sure = |code| !may_refuse(facts, bound, code);
    bound.reduced.is_some() || bound.repeats || bound.by_rows || bound.code.is_some_and(is_sure)
}

/// Whether a function refuses some numbers: integers are divided by what is known not to be zero. A fused step that
/// fails could say neither which of its steps it was, nor take back what others of them wrote.
fn may_refuse(facts: &Facts<'_>, bound: &Bound<Kernel>, code: ScalarCode) -> bool {
    let out = facts.slots()[bound.outs[0] as usize].dtype;
    let divides = matches!(
        code,
        ScalarCode::Div
            | ScalarCode::FloorDiv
            | ScalarCode::FloorMod
            | ScalarCode::TruncateDiv
            | ScalarCode::TruncateMod
    );
    match code {
        _ if !out.is_integer() => false,
        ScalarCode::Pow | ScalarCode::Opaque => true,
        _ if divides => bound
            .ins
            .get(1)
            .and_then(|slot| facts.constants.get(slot))
            .is_none_or(has_zero),
        _ => false,
    }
}

/// Whether one of the integers of a tensor may be zero: many are not looked at.
fn has_zero(tensor: &Tensor) -> bool {
    if tensor.shape().n_elements() > WIDEST {
        return true;
    }
    let size = tensor.dtype().size();
    let mut all = tensor.bytes().chunks_exact(size);
    all.any(|one| one.iter().all(|&byte| byte == 0))
}

fn shape(slots: &[SlotInfo], slot: Slot) -> Option<&Shape> {
    slots[slot as usize].shape.as_ref()
}

/// The most elements that a step reads or writes as one value.
pub(super) fn most_elements(slots: &[SlotInfo], kind: &StepKind<'_>) -> usize {
    let ins = match kind {
        StepKind::Slice { .. } => &[],
        _ => kind.ins(),
    };
    let all = ins.iter().copied().chain(kind.made());
    let sizes = all.filter_map(|slot| shape(slots, slot).map(Shape::n_elements));
    sizes.max().unwrap_or(0)
}

/// The numbers of rows into which a step can be cut.
pub(super) fn row_counts(slots: &[SlotInfo], kind: &StepKind<'_>) -> Rows {
    let most = most_elements(slots, kind);
    let mut counts = Rows::new();
    let mut rows = 1;
    for &n in shape(slots, kind.result()).map_or(&[][..], |s| &s[..]) {
        rows *= n;
        if rows > 1 && most / rows <= WIDEST && cut(slots, kind, rows).is_some() {
            counts.insert(0, rows);
        }
    }
    counts.dedup();
    counts
}

/// How to cut a step into that many rows, where it can be.
pub(super) fn cut(slots: &[SlotInfo], kind: &StepKind<'_>, rows: usize) -> Option<Cut> {
    let out = shape(slots, kind.result())?;
    let bound = match kind {
        StepKind::Compute(bound) => bound,
        StepKind::Total(bound) => return cut_total(slots, bound, rows),
        StepKind::Slice { bound, .. } => {
            let axes = leading(out, rows)?;
            let operands = [Indexing::All].into_iter().collect();
            return slice_input(slots, bound, rows).map(|_| Cut { axes, operands });
        }
        _ => {
            let mut ins = kind.ins().iter();
            let fits =
                ins.all(|&slot| shape(slots, slot).is_some_and(|s| leading(s, rows).is_some()));
            let operands = kind.ins().iter().map(|_| Indexing::Each).collect();
            let axes = leading(out, rows).filter(|_| fits)?;
            return Some(Cut { axes, operands });
        }
    };
    let ins = || bound.ins.iter().map(|&slot| shape(slots, slot));
    if bound.repeats {
        let axes = leading(out, rows)?;
        let indexing = tiled_indexing(ins().next()??, out, axes)?;
        let operands = [indexing, Indexing::All].into_iter().take(bound.ins.len());
        let operands = operands.collect();
        return Some(Cut { axes, operands });
    }
    if bound.by_rows {
        let (_, lead) = out.split_last()?;
        let axes = leading(lead, rows)?;
        let operands = bound.ins.iter().map(|_| Indexing::Each).collect();
        return Some(Cut { axes, operands });
    }
    let Some(marks) = bound.reduced.as_ref().map(|reduced| &reduced.axes) else {
        let axes = leading(out, rows)?;
        let operands = ins().map(|input| tiled_indexing(input?, out, axes));
        let operands = operands.collect::<Option<_>>()?;
        return Some(Cut { axes, operands });
    };
    let input = ins().next()??;
    let kept = marks.iter().take_while(|&&reduced| !reduced).count();
    let axes = leading(&input[..kept], rows)?;
    let operands = first_of(bound);
    (input.get(..axes) == out.get(..axes)).then_some(Cut { axes, operands })
}

/// How to cut what reduces rows: where it can be fed them.
fn cut_total(slots: &[SlotInfo], bound: &Bound<Kernel>, rows: usize) -> Option<Cut> {
    let input = shape(slots, bound.ins[0])?;
    let axes = leading(input, rows)?;
    let extent = extent_of(slots, bound)?;
    let operands = first_of(bound);
    takes_rows(extent, rows, input.n_elements() / rows).then_some(Cut { axes, operands })
}

/// The rows of the first input, all of the others.
fn first_of(bound: &Bound<Kernel>) -> SmallVec<[Indexing; 4]> {
    let indexing = |i| {
        if i == 0 {
            Indexing::Each
        } else {
            Indexing::All
        }
    };
    (0..bound.ins.len()).map(indexing).collect()
}

/// How many leading axes have that many positions; those of size 1 behind them are counted in.
fn leading(shape: &[usize], rows: usize) -> Option<usize> {
    let mut found = None;
    let mut positions = 1usize;
    for (i, &n) in shape.iter().enumerate() {
        positions *= n;
        if positions == rows {
            found = Some(i + 1);
        }
    }
    found
}

/// What of an operand that broadcasts to a shape goes with each position of its leading axes, where tiles can follow that.
fn tiled_indexing(operand: &[usize], out: &[usize], axes: usize) -> Option<Indexing> {
    let indexing = indexing(operand, out, axes)?;
    let width: usize = out[axes..].iter().product();
    match indexing {
        Indexing::Broadcast(index) if index.line() * width < LINE => None,
        indexing => Some(indexing),
    }
}

/// What of an operand that broadcasts to a shape goes with each position of its leading axes: axes that it has must be
/// neighbours, but for those of size 1.
fn indexing(operand: &[usize], out: &[usize], axes: usize) -> Option<Indexing> {
    if operand.len() == out.len() && operand[..axes] == out[..axes] {
        return Some(Indexing::Each);
    }
    let missing = out.len().checked_sub(operand.len())?;
    let has = |axis: usize| axis >= missing && operand[axis - missing] != 1;
    let Some(first) = (0..axes).find(|&axis| has(axis)) else {
        return Some(Indexing::All);
    };
    let end = (0..axes).rfind(|&axis| has(axis))? + 1;
    let own = &out[first..end];
    (operand.get(first - missing..end - missing)? == own).then(|| {
        Indexing::Broadcast(BroadcastIndex {
            every: out[end..axes].iter().product(),
            count: own.iter().product(),
        })
    })
}

/// Which of the elements that an operand has for a row goes with each of a row of the result, where a broadcast index
/// gives it.
pub(super) fn within(operand: &[usize], out: &[usize], axes: usize) -> Option<BroadcastIndex> {
    let (behind, row) = (
        (axes + operand.len()).saturating_sub(out.len()),
        &out[axes..],
    );
    let operand = operand.get(behind..)?;
    let (every, count) = match indexing(operand, row, row.len())? {
        Indexing::All => (1, 1),
        Indexing::Each => (1, row.iter().product()),
        Indexing::Broadcast(index) => return Some(index),
    };
    Some(BroadcastIndex { every, count })
}

/// The kernel of a step that is cut into rows, for a tile of so many of them.
pub(super) fn bind(
    slots: &[SlotInfo],
    constants: &dyn Fn(Slot) -> Option<Tensor>,
    (op, bound): (&OpRef, &Bound<Kernel>),
    cut: &Cut,
    tile: usize,
) -> Option<Kernel> {
    let rank = shape(slots, bound.outs[0])?.rank();
    let spec = |slot: Slot, indexing: Indexing| {
        let info = &slots[slot as usize];
        let shape = info.shape.clone()?;
        let shape = match indexing {
            Indexing::All => shape,
            Indexing::Each => tiled(&shape, cut.axes, tile),
            Indexing::Broadcast(index) => {
                let axes = (cut.axes + shape.rank()).checked_sub(rank)?;
                tiled(&shape, axes, index.rows(tile))
            }
        };
        Some(TensorSpec::new(info.dtype, PartialShape::from(&shape)))
    };
    let ins = bound.ins.iter().zip(&cut.operands);
    let specs: Vec<TensorSpec> = ins
        .clone()
        .map(|(&slot, &indexing)| spec(slot, indexing))
        .collect::<Option<_>>()?;
    let known: Vec<Option<Tensor>> = ins
        .map(|(&slot, &indexing)| constants(slot).filter(|_| indexing == Indexing::All))
        .collect();
    let inputs = specs.iter().zip(&known).map(|(s, k)| (s, k.as_ref(), None));
    let inputs = Inputs::new(inputs);
    bound_now(op, &inputs, spec(bound.outs[0], Indexing::Each)?)
}

/// The kernel that adds rows of so many elements in all, or subtracts the second from the first.
pub(super) fn bind_update(kind: AssignKind, dtype: DType, n: usize) -> Option<Kernel> {
    let spec = TensorSpec::new(dtype, PartialShape::from(&[n][..]));
    let specs = [spec.clone(), spec.clone()];
    bound_now(&combining(kind)?, &Inputs::of_specs(&specs), spec)
}

fn bound_now(op: &OpRef, inputs: &Inputs<'_>, out: TensorSpec) -> Option<Kernel> {
    match lower(op.as_ref(), inputs, &[out]).ok()? {
        lowered @ (Lowered::Map(_) | Lowered::Reduce(_) | Lowered::Rows(_) | Lowered::Move(_)) => {
            lowered.into_kernel()
        }
        _ => None,
    }
}

/// A shape whose leading axes have as many positions as a tile has rows.
fn tiled(shape: &[usize], axes: usize, tile: usize) -> Shape {
    let sizes = shape.iter().enumerate().map(|(i, &n)| match i + 1 {
        at if at < axes => 1,
        at if at == axes => tile,
        _ => n,
    });
    sizes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_of_one_position_are_counted_in() {
        assert_eq!(leading(&[4, 3, 1, 5], 12), Some(3));
        assert_eq!(leading(&[4, 3, 1, 5], 60), Some(4));
        assert_eq!(leading(&[4, 3], 3), None);
    }

    #[test]
    fn operands_have_the_leading_axes_or_are_broadcast_along_them() {
        let index = |every, count| Some(Indexing::Broadcast(BroadcastIndex { every, count }));
        assert_eq!(indexing(&[4, 3], &[4, 3], 1), Some(Indexing::Each));
        assert_eq!(indexing(&[4, 1], &[4, 3], 1), Some(Indexing::Each));
        assert_eq!(indexing(&[4, 1], &[4, 3], 2), index(3, 4));
        assert_eq!(indexing(&[3], &[4, 3], 1), Some(Indexing::All));
        assert_eq!(indexing(&[3], &[4, 3], 2), index(1, 3));
        assert_eq!(indexing(&[1, 3], &[4, 3], 1), Some(Indexing::All));
        assert_eq!(indexing(&[], &[4, 3], 2), Some(Indexing::All));
        assert_eq!(indexing(&[2, 1, 5], &[2, 3, 5], 2), index(3, 2));
        assert_eq!(indexing(&[3, 1, 5], &[2, 3, 4, 5], 3), index(4, 3));
        assert_eq!(indexing(&[2, 1, 4, 5], &[2, 3, 4, 5], 3), None);
        assert_eq!(indexing(&[2, 1, 4, 5], &[2, 3, 4, 5], 2), index(3, 2));
    }

    #[test]
    fn elements_of_rows_are_broadcast() {
        let index = |every, count| Some(BroadcastIndex { every, count });
        assert_eq!(within(&[4, 3, 5], &[4, 3, 5], 1), index(1, 15));
        assert_eq!(within(&[4, 3, 1], &[4, 3, 5], 1), index(5, 3));
        assert_eq!(within(&[3, 1], &[4, 3, 5], 1), index(5, 3));
        assert_eq!(within(&[5], &[4, 3, 5], 1), index(1, 5));
        assert_eq!(within(&[], &[4, 3, 5], 1), index(1, 1));
        assert_eq!(within(&[4, 3], &[4, 3], 2), index(1, 1));
        assert_eq!(within(&[2, 1, 5], &[2, 3, 5], 0), None);
    }

    #[test]
    fn runs_of_one_row_are_long_enough_for_tiles() {
        assert_eq!(tiled_indexing(&[2, 1, 8], &[2, 100, 8], 2), None);
        let index = BroadcastIndex {
            every: 200,
            count: 2,
        };
        let long = tiled_indexing(&[2, 1, 8], &[2, 200, 8], 2);
        assert_eq!(long, Some(Indexing::Broadcast(index)));
    }

    #[test]
    fn tiles_keep_the_rank() {
        assert_eq!(&tiled(&[4, 3, 5], 2, 7)[..], &[1, 7, 5]);
    }
}
