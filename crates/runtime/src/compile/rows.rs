//! The rows of steps: along how many leading positions a step can be cut, so that each piece of its result needs the
//! same piece of what it reads, or all of it.

use super::join::Facts;
use super::lower::SlotInfo;
use super::totals::{WIDEST, extent_of, takes_rows};
use super::windows::{sliced, window};
use crate::plan::{Action, Bound, Slot, Step};
use ferrograph_graph::{Inputs, Kernel, Lowered, OpRef, ScalarCode, lower};
use ferrograph_ops::{AssignKind, AssignVariable, ReadVariableOp, combining};
use ferrograph_tensor::{DType, PartialShape, Shape, Tensor, TensorSpec};
use smallvec::SmallVec;

/// Numbers of rows, the largest first.
pub(super) type Rows = SmallVec<[usize; 4]>;

/// Elements of a variable that is changed where it lies, at most: nothing stops that once it has begun.
const LARGEST: usize = 4 << 20;

/// How a step is cut into that many rows: the axes that are counted, and of each input whether it has them.
pub(super) struct Cut {
    axes: usize,
    pub sliced: SmallVec<[bool; 4]>,
}

/// What a step does that works row by row and does not fail.
#[derive(Clone, Copy)]
pub(super) enum Doing<'a> {
    /// Computes.
    Compute(&'a Bound<Kernel>),
    /// Reduces rows to values that are there when all are done.
    Total(&'a Bound<Kernel>),
    /// Takes rows of a value that no step of the same group makes.
    Window {
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

impl<'a> Doing<'a> {
    /// What a step does, if it is of this kind.
    pub fn of(facts: &Facts<'_>, step: &'a Step) -> Option<Doing<'a>> {
        let slots = facts.slots();
        match &step.action {
            Action::Kernel(bound) if extent_of(slots, bound).is_some() => Some(Doing::Total(bound)),
            Action::Kernel(bound) => {
                let window = || sliced(slots, bound).map(|from| Doing::Window { bound, from });
                let computes = computes(facts, bound).then_some(Doing::Compute(bound));
                computes.or_else(window)
            }
            Action::Alias { from, to, .. } => {
                let is_known = shape(slots, *from).is_some() && shape(slots, *to).is_some();
                is_known.then_some(Doing::Alias { from, out: *to })
            }
            Action::Eval { op, ins, outs } => {
                let doing = match (&ins[..], &outs[..]) {
                    ([variable], &[out]) if op.downcast::<ReadVariableOp>().is_some() => {
                        let variable = variable.slot;
                        Doing::Read { variable, out }
                    }
                    ([variable, value], []) => Doing::Assign {
                        kind: op.downcast::<AssignVariable>()?.kind(),
                        variable: variable.slot,
                        value: value.slot,
                    },
                    _ => return None,
                };
                let n = shape(slots, doing.result())?.n_elements();
                (n <= LARGEST).then_some(doing)
            }
            _ => None,
        }
    }

    /// The value whose shape says which rows there are.
    fn result(&self) -> Slot {
        match *self {
            Doing::Compute(bound) | Doing::Window { bound, .. } => bound.outs[0],
            Doing::Total(bound) => bound.ins[0],
            Doing::Read { out, .. } | Doing::Alias { out, .. } => out,
            Doing::Assign { value, .. } => value,
        }
    }

    /// What it reads, apart from variables.
    pub fn ins(&self) -> &[Slot] {
        match self {
            Doing::Compute(bound) | Doing::Total(bound) => &bound.ins,
            Doing::Alias { from, .. } => std::slice::from_ref(*from),
            Doing::Window { from, .. } => std::slice::from_ref(from),
            Doing::Read { .. } => &[],
            Doing::Assign { value, .. } => std::slice::from_ref(value),
        }
    }

    /// What it makes.
    pub fn made(&self) -> Option<Slot> {
        match *self {
            Doing::Compute(bound) | Doing::Total(bound) | Doing::Window { bound, .. } => {
                Some(bound.outs[0])
            }
            Doing::Read { out, .. } | Doing::Alias { out, .. } => Some(out),
            Doing::Assign { .. } => None,
        }
    }

    /// The variable that it reads or changes.
    pub fn variable(&self) -> Option<Slot> {
        match *self {
            Doing::Compute(_) | Doing::Total(_) | Doing::Window { .. } | Doing::Alias { .. } => {
                None
            }
            Doing::Read { variable, .. } | Doing::Assign { variable, .. } => Some(variable),
        }
    }

    /// Whether it changes a variable.
    pub fn changes(&self) -> bool {
        matches!(self, Doing::Assign { .. })
    }
}

fn computes(facts: &Facts<'_>, bound: &Bound<Kernel>) -> bool {
    if bound.outs.len() != 1 {
        return false;
    }
    let is_sure = |code| !may_refuse(facts, bound, code);
    bound.reduced.is_some() || bound.repeats || bound.by_rows || bound.code.is_some_and(is_sure)
}

/// Whether a function refuses some numbers: integers are divided by what is known not to be zero. A joined step that fails
/// could say neither which of its steps it was, nor take back what others of them wrote.
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
pub(super) fn most_elements(slots: &[SlotInfo], doing: &Doing<'_>) -> usize {
    let ins = match doing {
        Doing::Window { .. } => &[],
        _ => doing.ins(),
    };
    let all = ins.iter().copied().chain(doing.made());
    let sizes = all.filter_map(|slot| shape(slots, slot).map(Shape::n_elements));
    sizes.max().unwrap_or(0)
}

/// The numbers of rows into which a step can be cut.
pub(super) fn row_counts(slots: &[SlotInfo], doing: &Doing<'_>) -> Rows {
    let most = most_elements(slots, doing);
    let mut counts = Rows::new();
    let mut rows = 1;
    for &n in shape(slots, doing.result()).map_or(&[][..], |s| &s[..]) {
        rows *= n;
        if rows > 1 && most / rows <= WIDEST && cut(slots, doing, rows).is_some() {
            counts.insert(0, rows);
        }
    }
    counts.dedup();
    counts
}

/// How to cut a step into that many rows, where it can be.
pub(super) fn cut(slots: &[SlotInfo], doing: &Doing<'_>, rows: usize) -> Option<Cut> {
    let out = shape(slots, doing.result())?;
    let bound = match doing {
        Doing::Compute(bound) => bound,
        Doing::Total(bound) => return cut_total(slots, bound, rows),
        Doing::Window { bound, .. } => {
            let axes = leading(out, rows)?;
            let sliced = [false].into_iter().collect();
            return window(slots, bound, rows).map(|_| Cut { axes, sliced });
        }
        _ => {
            let mut ins = doing.ins().iter();
            let fits =
                ins.all(|&slot| shape(slots, slot).is_some_and(|s| leading(s, rows).is_some()));
            let sliced = doing.ins().iter().map(|_| true).collect();
            let axes = leading(out, rows).filter(|_| fits)?;
            return Some(Cut { axes, sliced });
        }
    };
    let ins = || bound.ins.iter().map(|&slot| shape(slots, slot));
    if bound.repeats {
        let axes = leading(out, rows)?;
        let sliced = is_sliced(ins().next()??, out, axes)?;
        let sliced = [sliced, false].into_iter().take(bound.ins.len()).collect();
        return Some(Cut { axes, sliced });
    }
    if bound.by_rows {
        let (_, lead) = out.split_last()?;
        let axes = leading(lead, rows)?;
        let sliced = bound.ins.iter().map(|_| true).collect();
        return Some(Cut { axes, sliced });
    }
    let Some(marks) = bound.reduced.as_ref().map(|reduced| &reduced.axes) else {
        let axes = leading(out, rows)?;
        let sliced = ins().map(|input| is_sliced(input?, out, axes));
        let sliced = sliced.collect::<Option<_>>()?;
        return Some(Cut { axes, sliced });
    };
    let input = ins().next()??;
    let kept = marks.iter().take_while(|&&reduced| !reduced).count();
    let axes = leading(&input[..kept], rows)?;
    let sliced = (0..bound.ins.len()).map(|i| i == 0).collect();
    (input.get(..axes) == out.get(..axes)).then_some(Cut { axes, sliced })
}

/// How to cut what reduces rows: where it can be fed them.
fn cut_total(slots: &[SlotInfo], bound: &Bound<Kernel>, rows: usize) -> Option<Cut> {
    let input = shape(slots, bound.ins[0])?;
    let axes = leading(input, rows)?;
    let extent = extent_of(slots, bound)?;
    let sliced = (0..bound.ins.len()).map(|i| i == 0).collect();
    takes_rows(extent, rows, input.n_elements() / rows).then_some(Cut { axes, sliced })
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

/// Whether an operand that broadcasts to a shape has its leading axes, or repeats along all of them; none where it is
/// neither.
fn is_sliced(operand: &[usize], out: &[usize], axes: usize) -> Option<bool> {
    if operand.len() == out.len() && operand[..axes] == out[..axes] {
        return Some(true);
    }
    let missing = out.len().checked_sub(operand.len())?;
    let repeats = operand.iter().take(axes.saturating_sub(missing));
    repeats.copied().all(|n| n == 1).then_some(false)
}

/// The kernel of a step that is cut into rows, for a tile of so many of them.
pub(super) fn bind(
    slots: &[SlotInfo],
    constants: &dyn Fn(Slot) -> Option<Tensor>,
    (op, bound): (&OpRef, &Bound<Kernel>),
    cut: &Cut,
    tile: usize,
) -> Option<Kernel> {
    let spec = |slot: Slot, sliced: bool| {
        let info = &slots[slot as usize];
        let mut shape = info.shape.clone()?;
        if sliced {
            shape = tiled(&shape, cut.axes, tile);
        }
        Some(TensorSpec::new(info.dtype, PartialShape::from(&shape)))
    };
    let ins = bound.ins.iter().zip(&cut.sliced);
    let specs: Vec<TensorSpec> = ins
        .clone()
        .map(|(&slot, &sliced)| spec(slot, sliced))
        .collect::<Option<_>>()?;
    let known: Vec<Option<Tensor>> = ins
        .map(|(&slot, &sliced)| constants(slot).filter(|_| !sliced))
        .collect();
    let inputs = specs.iter().zip(&known).map(|(s, k)| (s, k.as_ref(), None));
    let inputs = Inputs::new(inputs);
    bound_now(op, &inputs, spec(bound.outs[0], true)?)
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
    fn operands_have_the_leading_axes_or_none_of_them() {
        assert_eq!(is_sliced(&[4, 3], &[4, 3], 1), Some(true));
        assert_eq!(is_sliced(&[4, 1], &[4, 3], 1), Some(true));
        assert_eq!(is_sliced(&[4, 1], &[4, 3], 2), None);
        assert_eq!(is_sliced(&[3], &[4, 3], 1), Some(false));
        assert_eq!(is_sliced(&[3], &[4, 3], 2), None);
        assert_eq!(is_sliced(&[1, 3], &[4, 3], 1), Some(false));
        assert_eq!(is_sliced(&[], &[4, 3], 2), Some(false));
        assert_eq!(is_sliced(&[2, 1, 5], &[2, 3, 5], 2), None);
    }

    #[test]
    fn tiles_keep_the_rank() {
        assert_eq!(&tiled(&[4, 3, 5], 2, 7)[..], &[1, 7, 5]);
    }
}
