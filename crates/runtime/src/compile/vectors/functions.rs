//! What members do to each element, as vectors have it.

use super::super::machine::{Scalar, scalar, spelled_function};
use super::super::rows::StepKind;
use super::super::tile::{Fusion, Run};
use crate::plan::{Bound, Slot};
use ferrograph_graph::{Kernel, ScalarCode};
use ferrograph_machine::vector::{self, Element, Float};
use ferrograph_machine::{Op, Type};
use ferrograph_ops::AssignKind;
use ferrograph_tensor::DType;

/// What a member does to each element.
#[derive(Clone, Copy)]
pub(super) enum Function {
    Compute(Op),
    Apply(vector::Function),
    /// The value as one of another kind.
    Convert(Element),
    /// The sum of all that it reads.
    AddUp,
    /// The value as it is.
    Same,
}

impl Function {
    /// Whether it is dozens of instructions.
    pub fn is_large(self) -> bool {
        use vector::Function as F;
        matches!(self, Function::Apply(function) if !matches!(function, F::Cube | F::Root))
    }
}

/// What a member does, where vectors do that.
pub(super) fn function(fusion: &Fusion<'_>, at: usize) -> Option<Function> {
    match fusion.runs[at] {
        Run::Feed(..) | Run::Update(AssignKind::Set, _) => None,
        Run::Copy | Run::Slice(_) => Some(Function::Same),
        Run::Update(AssignKind::Add, _) => Some(Function::Compute(Op::Add)),
        Run::Update(AssignKind::Sub, _) => Some(Function::Compute(Op::Sub)),
        Run::Part(part) => {
            let StepKind::Compute(bound) = fusion.parts[part].kind else {
                return None;
            };
            if bound.reduced.is_some() {
                return None;
            }
            if bound.repeats {
                return Some(Function::Same);
            }
            let slots = fusion.facts.slots();
            if let Some(function) = power(fusion, bound).or_else(|| applied(fusion, bound)) {
                return Some(function);
            }
            if bound.code == Some(ScalarCode::AddN) {
                return kind(slots[bound.outs[0] as usize].dtype).map(|_| Function::AddUp);
            }
            let Scalar::Op(op, on) = scalar(slots, bound)? else {
                return None;
            };
            match op {
                Op::Cast => {
                    let to = slots[bound.outs[0] as usize].dtype;
                    conversion(slots[bound.ins[0] as usize].dtype, to)
                }
                op if is_integer(on) => {
                    let is_known = of_integers(fusion, bound, op, on);
                    is_known.then_some(Function::Compute(op))
                }
                Op::FloorMod | Op::TruncateMod => None,
                op => Some(Function::Compute(op)),
            }
        }
    }
}

/// What a cast is, where vectors have it.
fn conversion(from: DType, to: DType) -> Option<Function> {
    let is_known = match (from, to) {
        (from, to) if from == to => return Some(Function::Same),
        (DType::Int64, DType::Float64) | (DType::Float64, DType::Int64) => false,
        // Only between numbers of as many bits: that is seen where members are grouped.
        _ => true,
    };
    let of = |dtype| match dtype {
        DType::Bool => Some(Element::Truth),
        dtype => kind(dtype).map(|(_, element)| element),
    };
    of(from)?;
    is_known.then_some(Function::Convert(of(to)?))
}

fn is_integer(on: Type) -> bool {
    matches!(on, Type::I32 | Type::I64)
}

/// Whether vectors have a function of integers. They divide by constants alone, which are not zero.
fn of_integers(fusion: &Fusion<'_>, bound: &Bound<Kernel>, op: Op, on: Type) -> bool {
    let is_wide = on == Type::I64;
    match op {
        Op::Div => false,
        Op::FloorDiv | Op::FloorMod | Op::TruncateDiv | Op::TruncateMod => {
            let divisor = bound.ins.get(1).and_then(|&slot| integer(fusion, slot));
            divisor.is_some_and(|by| match is_wide {
                true => op == Op::FloorMod && by > 0 && by.cast_unsigned().is_power_of_two(),
                false => by != 0,
            })
        }
        Op::Abs | Op::Sign | Op::ShiftRight => !is_wide,
        _ => true,
    }
}

/// The integer that a slot always holds, where it is one.
pub(super) fn integer(fusion: &Fusion<'_>, slot: Slot) -> Option<i64> {
    let constant = fusion.facts.constants.get(&slot)?;
    match constant.dtype() {
        DType::Int32 => match constant.as_slice::<i32>().ok()? {
            &[x] => Some(i64::from(x)),
            _ => None,
        },
        DType::Int64 => match constant.as_slice::<i64>().ok()? {
            &[x] => Some(x),
            _ => None,
        },
        _ => None,
    }
}

/// The function that a power with a constant exponent is, where it is one.
fn power(fusion: &Fusion<'_>, bound: &Bound<Kernel>) -> Option<Function> {
    if bound.code != Some(ScalarCode::Pow) {
        return None;
    }
    let exponent = fusion.facts.constants.get(&bound.ins[1])?;
    let exponent = match exponent.dtype() {
        DType::Float32 => {
            let &[exponent] = exponent.as_slice::<f32>().ok()? else {
                return None;
            };
            f64::from(exponent)
        }
        DType::Float64 => {
            let &[exponent] = exponent.as_slice::<f64>().ok()? else {
                return None;
            };
            exponent
        }
        _ => return None,
    };
    match exponent {
        1.0 => Some(Function::Same),
        2.0 => Some(Function::Compute(Op::Square)),
        3.0 => Some(Function::Apply(vector::Function::Cube)),
        0.5 => Some(Function::Apply(vector::Function::Root)),
        _ => None,
    }
}

/// The function of more than a few instructions that a kernel is, where vectors have it.
fn applied(fusion: &Fusion<'_>, bound: &Bound<Kernel>) -> Option<Function> {
    let function = spelled_function(bound.code?)?;
    let float = float_type(fusion.facts.slots()[bound.ins[0] as usize].dtype)?;
    function
        .is_known(float)
        .then_some(Function::Apply(function))
}

/// The type of floats of a dtype.
fn float_type(dtype: DType) -> Option<Float> {
    match kind(dtype) {
        Some((float, Element::Number)) => Some(float),
        _ => None,
    }
}

/// What the numbers of a dtype are in vectors, beside floats of which type.
pub(super) fn kind(dtype: DType) -> Option<(Float, Element)> {
    match dtype {
        DType::Float32 => Some((Float::F32, Element::Number)),
        DType::Float64 => Some((Float::F64, Element::Number)),
        DType::Int32 => Some((Float::F32, Element::Integer)),
        DType::Int64 => Some((Float::F64, Element::Integer)),
        _ => None,
    }
}
