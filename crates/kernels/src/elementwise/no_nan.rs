//! Binary kernels with a case apart at zero.

use half::{bf16, f16};
use num_complex::{Complex32, Complex64};
use num_traits::Float;

use super::BinaryOp;
use crate::isa::Isa;

/// `a / b`, 0 where `b` is 0.
pub struct DivNoNan;
/// `a * b`, 0 where `b` is 0.
pub struct MulNoNan;
/// `a / b`, 0 where `a` is 0.
pub struct Xdivy;
/// `a log(b)`, 0 where `a` is 0.
pub struct Xlogy;
/// `a log(1 + b)`, 0 where `a` is 0.
pub struct Xlog1py;

macro_rules! with_zero {
    ($op:ty, $cost:expr; $($t:ty)*; |$a:ident, $b:ident| $zero:expr, $value:expr) => {$(
        impl BinaryOp<$t> for $op {
            type Out = $t;
            const WIDE: bool = false;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>($a: $t, $b: $t) -> $t {
                let zero = <$t>::default();
                if $zero == zero { zero } else { $value }
            }
        }
    )*};
    ($op:ty, $cost:expr; |$a:ident, $b:ident| $zero:expr, $value:expr) => {
        with_zero!($op, $cost; f32 f64 f16 bf16 Complex32 Complex64; |$a, $b| $zero, $value);
    };
}

with_zero!(DivNoNan, 1.0; |a, b| b, a / b);
with_zero!(MulNoNan, 0.6; |a, b| b, a * b);
with_zero!(Xdivy, 1.0; |a, b| a, a / b);
with_zero!(Xlogy, 8.0; |a, b| a, a * b.ln());
with_zero!(Xlog1py, 8.0; f32 f64 f16 bf16; |a, b| a, a * b.ln_1p());
with_zero!(Xlog1py, 30.0; Complex32 Complex64; |a, b| a, a * (b + 1.0).ln());
