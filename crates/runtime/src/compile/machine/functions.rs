//! Which kernels are functions of scalars, and which.

use crate::compile::lower::SlotInfo;
use crate::plan::Bound;
use ferrograph_graph::{Kernel, ScalarCode};
use ferrograph_machine::vector::{self, Float};
use ferrograph_machine::{Circular, Each, Function, Op, Type};
use ferrograph_ops::{ScalarFunction, scalar_function};
use ferrograph_tensor::DType;

/// The type of registers for values of a dtype.
pub(super) fn raw_type(dtype: DType) -> Option<Type> {
    Some(match dtype {
        DType::Bool => Type::Bool,
        DType::Int8 => Type::I8,
        DType::Int16 => Type::I16,
        DType::Int32 => Type::I32,
        DType::Int64 => Type::I64,
        DType::UInt8 => Type::U8,
        DType::UInt16 | DType::Float16 | DType::BFloat16 => Type::U16,
        DType::UInt32 => Type::U32,
        DType::UInt64 => Type::U64,
        DType::Float32 => Type::F32,
        DType::Float64 => Type::F64,
        _ => return None,
    })
}

/// The type of a dtype on whose values machine code computes; others it only moves.
pub(super) fn number_type(dtype: DType) -> Option<Type> {
    match dtype {
        DType::Float16 | DType::BFloat16 => None,
        dtype => raw_type(dtype),
    }
}

/// What a kernel computes for each element.
#[derive(Clone, Copy)]
pub(in crate::compile) enum Scalar {
    /// Instructions on operands of a type.
    Op(Op, Type),
    /// A function that is spelled out, of operands of a type.
    Spelled(Each, Type),
    /// A function that is called.
    Call(Function),
}

/// The function of scalars that a kernel is.
pub(in crate::compile) fn scalar(slots: &[SlotInfo], bound: &Bound<Kernel>) -> Option<Scalar> {
    let instructions = instructions(slots, bound).map(|(op, on)| Scalar::Op(op, on));
    let spelled = || spelled(slots, bound).map(|(each, on)| Scalar::Spelled(each, on));
    instructions
        .or_else(spelled)
        .or_else(|| called(slots, bound))
}

/// The function of more than a few instructions that machine code has the instructions of.
fn spelled(slots: &[SlotInfo], bound: &Bound<Kernel>) -> Option<(Each, Type)> {
    let (code, &[from]) = (bound.code?, &bound.ins[..]) else {
        return None;
    };
    let dtype = slots[from as usize].dtype;
    let (on, float) = match dtype {
        _ if !Each::is_spelled() => return None,
        DType::Float32 => (Type::F32, Float::F32),
        DType::Float64 => (Type::F64, Float::F64),
        _ => return None,
    };
    let circular = match code {
        ScalarCode::Sin => Some(Circular::Sin),
        ScalarCode::Cos => Some(Circular::Cos),
        _ => None,
    };
    if let Some(circular) = circular {
        let ScalarFunction::F32(far) = scalar_function(code, dtype)? else {
            return None;
        };
        return Some((Each::Circular(circular, far), on));
    }
    let function = spelled_function(code)?;
    function
        .is_known(float)
        .then_some((Each::Apply(function), on))
}

/// The function of vectors that an operation is of each element, where that is more than a few instructions.
pub(in crate::compile) fn spelled_function(code: ScalarCode) -> Option<vector::Function> {
    use vector::Function as F;
    Some(match code {
        ScalarCode::Exp => F::Exp,
        ScalarCode::Expm1 => F::Expm1,
        ScalarCode::Log => F::Log,
        ScalarCode::Log1p => F::Log1p,
        ScalarCode::Tanh => F::Tanh,
        ScalarCode::Sigmoid => F::Sigmoid,
        ScalarCode::Softplus => F::Softplus,
        ScalarCode::Erf => F::Erf,
        ScalarCode::Erfc => F::Erfc,
        _ => return None,
    })
}

fn called(slots: &[SlotInfo], bound: &Bound<Kernel>) -> Option<Scalar> {
    let dtype = slots[*bound.ins.first()? as usize].dtype;
    let (function, arity) = match scalar_function(bound.code?, dtype)? {
        ScalarFunction::F32(f) => (Function::F32(f), 1),
        ScalarFunction::F64(f) => (Function::F64(f), 1),
        ScalarFunction::F32x2(f) => (Function::F32x2(f), 2),
        ScalarFunction::F64x2(f) => (Function::F64x2(f), 2),
    };
    (bound.ins.len() == arity).then_some(Scalar::Call(function))
}

fn instructions(slots: &[SlotInfo], bound: &Bound<Kernel>) -> Option<(Op, Type)> {
    let code = bound.code?;
    let dtype = |slot: u32| slots[slot as usize].dtype;
    let from = *bound.ins.get(usize::from(code == ScalarCode::Select))?;
    let on = match code {
        ScalarCode::Select => raw_type(dtype(from))?,
        _ => number_type(dtype(from))?,
    };
    let to = number_type(dtype(*bound.outs.first()?));
    let op = match code {
        ScalarCode::Cast => return to.map(|_| (Op::Cast, on)),
        ScalarCode::Select => return Some((Op::Select, on)),
        code => operation(code)?,
    };
    (bound.ins.len() == op.arity() && defined(op, on)).then_some((op, on))
}

fn operation(code: ScalarCode) -> Option<Op> {
    match code {
        ScalarCode::BitAnd => return Some(Op::And),
        ScalarCode::BitOr => return Some(Op::Or),
        ScalarCode::BitXor => return Some(Op::Xor),
        ScalarCode::Invert => return Some(Op::Not),
        _ => {}
    }
    macro_rules! same {
        ($($name:ident)*) => {
            match code {
                $(ScalarCode::$name => Some(Op::$name),)*
                _ => None,
            }
        };
    }
    same!(Add Sub Mul Div FloorDiv FloorMod TruncateDiv TruncateMod Maximum Minimum SquaredDifference
        Less LessEqual Greater GreaterEqual Equal NotEqual And Or Not Neg Abs Sign Square
        Sqrt Rsqrt Reciprocal Relu Relu6 Clip ShiftLeft ShiftRight Floor Ceil Round ReluGrad TanhGrad SigmoidGrad)
}

/// Whether machine code has the function for operands of a type.
fn defined(op: Op, on: Type) -> bool {
    match op {
        Op::And | Op::Or | Op::Xor | Op::Not => !on.is_float(),
        Op::Equal | Op::NotEqual => true,
        _ if on == Type::Bool => false,
        Op::FloorMod | Op::TruncateMod | Op::ShiftLeft | Op::ShiftRight => !on.is_float(),
        Op::Sqrt | Op::Rsqrt | Op::Reciprocal | Op::Floor | Op::Ceil | Op::Round => on.is_float(),
        Op::TanhGrad | Op::SigmoidGrad => on.is_float(),
        _ => true,
    }
}

/// Whether an integer divisor of zero has to be kept from a function.
pub(super) fn divides(op: Op, on: Type) -> bool {
    let quotient = matches!(
        op,
        Op::Div | Op::FloorDiv | Op::FloorMod | Op::TruncateDiv | Op::TruncateMod
    );
    quotient && !on.is_float()
}
