//! Operations as functions of scalars that machine code may call.

use ferrograph_graph::ScalarCode;
use ferrograph_kernels::elementwise::{self as k, binary_scalar, unary_scalar};
use ferrograph_tensor::DType;

/// A function of one or two floats, which neither unwinds nor keeps anything.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub enum ScalarFunction {
    F32(extern "C" fn(f32) -> f32),
    F64(extern "C" fn(f64) -> f64),
    F32x2(extern "C" fn(f32, f32) -> f32),
    F64x2(extern "C" fn(f64, f64) -> f64),
}

macro_rules! functions {
    ($code:expr, $t:ty, $one:ident, $two:ident; unary $($unary:ident)*; binary $($binary:ident)*) => {
        match $code {
            $(ScalarCode::$unary => Some(ScalarFunction::$one(unary_scalar::<$t, k::$unary>)),)*
            $(ScalarCode::$binary => Some(ScalarFunction::$two(binary_scalar::<$t, k::$binary>)),)*
            _ => None,
        }
    };
    ($code:expr, $t:ty, $one:ident, $two:ident) => {
        functions! {
            $code, $t, $one, $two;
            unary Exp Expm1 Log Log1p Sin Cos Tan Tanh Sigmoid Softplus Erf;
            binary Pow FloorMod TruncateMod
        }
    };
}

/// The function that an operation of this code is of floats of a dtype, where that is more than a few instructions.
pub fn scalar_function(code: ScalarCode, dtype: DType) -> Option<ScalarFunction> {
    match dtype {
        DType::Float32 => functions!(code, f32, F32, F32x2),
        DType::Float64 => functions!(code, f64, F64, F64x2),
        _ => None,
    }
}
