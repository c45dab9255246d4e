//! What members do to each element, as vectors have it.

use super::super::machine::{Scalar, scalar};
use super::super::rows::Doing;
use super::super::tile::{Joining, Run};
use crate::plan::Bound;
use ferrograph_graph::{Kernel, ScalarCode};
use ferrograph_machine::vector::{self, Float};
use ferrograph_machine::{Op, Type};
use ferrograph_ops::AssignKind;
use ferrograph_tensor::DType;

/// What a member does to each element.
#[derive(Clone, Copy)]
pub(super) enum Function {
    Compute(Op),
    Apply(vector::Function),
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
pub(super) fn function(joining: &Joining<'_>, at: usize) -> Option<Function> {
    match joining.runs[at] {
        Run::Feed(..) | Run::Update(AssignKind::Set, _) => None,
        Run::Copy => Some(Function::Same),
        Run::Update(AssignKind::Add, _) => Some(Function::Compute(Op::Add)),
        Run::Update(AssignKind::Sub, _) => Some(Function::Compute(Op::Sub)),
        Run::Part(part) => {
            let Doing::Compute(bound) = joining.parts[part].doing else {
                return None;
            };
            if bound.reduced.is_some() {
                return None;
            }
            if bound.repeats {
                return Some(Function::Same);
            }
            let slots = joining.facts.slots();
            if let Some(function) = power(joining, bound).or_else(|| applied(joining, bound)) {
                return Some(function);
            }
            let Scalar::Op(op, on) = scalar(slots, bound)? else {
                return None;
            };
            let to = slots[bound.outs[0] as usize].dtype;
            let keeps = matches!((on, to), (Type::Bool, DType::Bool))
                || matches!(
                    (on, to),
                    (Type::F32, DType::Float32) | (Type::F64, DType::Float64)
                );
            match op {
                Op::Cast if keeps => Some(Function::Same),
                Op::FloorMod | Op::TruncateMod => None,
                op => Some(Function::Compute(op)),
            }
        }
    }
}

/// The function that a power with a constant exponent is, where it is one.
fn power(joining: &Joining<'_>, bound: &Bound<Kernel>) -> Option<Function> {
    if bound.code != Some(ScalarCode::Pow) {
        return None;
    }
    let exponent = joining.facts.constants.get(&bound.ins[1])?;
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
fn applied(joining: &Joining<'_>, bound: &Bound<Kernel>) -> Option<Function> {
    use vector::Function as F;
    let function = match bound.code? {
        ScalarCode::Exp => F::Exp,
        ScalarCode::Expm1 => F::Expm1,
        ScalarCode::Log => F::Log,
        ScalarCode::Log1p => F::Log1p,
        ScalarCode::Tanh => F::Tanh,
        ScalarCode::Sigmoid => F::Sigmoid,
        ScalarCode::Softplus => F::Softplus,
        ScalarCode::Erf => F::Erf,
        _ => return None,
    };
    let float = float_type(joining.facts.slots()[bound.ins[0] as usize].dtype)?;
    function
        .is_known(float)
        .then_some(Function::Apply(function))
}

/// The type of numbers of a dtype.
pub(super) fn float_type(dtype: DType) -> Option<Float> {
    match dtype {
        DType::Float32 => Some(Float::F32),
        DType::Float64 => Some(Float::F64),
        _ => None,
    }
}
