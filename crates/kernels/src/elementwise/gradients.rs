//! Gradients of activations from their results.

use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

use super::BinaryOp;
use crate::isa::Isa;

/// The gradient `a` where the result `b` of a rectifier is positive.
pub struct ReluGrad;
/// `b (1 - a²)`: the gradient `b` through a hyperbolic tangent that gave `a`.
pub struct TanhGrad;
/// `b a (1 - a)`: the gradient `b` through a sigmoid that gave `a`.
pub struct SigmoidGrad;

/// The numbers that the loops below name.
mod unit {
    pub(super) use num_traits::{one, zero};
}

macro_rules! binary {
    ($op:ty, $cost:expr; $($t:ty, $wide:expr);*; |$a:ident, $b:ident, $unit:ident| $value:expr) => {$(
        impl BinaryOp<$t> for $op {
            type Out = $t;
            const WIDE: bool = $wide;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>($a: $t, $b: $t) -> $t {
                let $unit = unit::$unit::<$t>();
                $value
            }
        }
    )*};
}

binary!(ReluGrad, 0.5; f32, true; f64, true; f16, false; bf16, false; i8, false; i16, false; i32, false; i64, false;
    u8, false; u16, false; u32, false; u64, false;
    |a, b, zero| if b > zero { a } else { zero });
binary!(TanhGrad, 0.5; f32, true; f64, true; f16, false; bf16, false; Complex32, false; Complex64, false;
    |a, b, one| b * (one - a * a));
binary!(SigmoidGrad, 0.5; f32, true; f64, true; f16, false; bf16, false; Complex32, false; Complex64, false;
    |a, b, one| b * a * (one - a));
