//! Binary kernels with a case apart at zero.

use half::{bf16, f16};
use num_complex::{Complex32, Complex64};
use num_traits::Float;

use super::BinaryOp;
use super::complex::{div, log};
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
    ($op:ty, $wide:expr, $cost:expr; $($t:ty)*; |$a:ident, $b:ident| $zero:expr, $value:expr) => {$(
        impl BinaryOp<$t> for $op {
            type Out = $t;
            const WIDE: bool = $wide;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>($a: $t, $b: $t) -> $t {
                let zero = <$t>::default();
                if $zero == zero { zero } else { $value }
            }
        }
    )*};
}

with_zero!(DivNoNan, true, 0.6; f32 f64; |a, b| b, a / b);
with_zero!(DivNoNan, false, 1.0; f16 bf16; |a, b| b, a / b);
with_zero!(DivNoNan, false, 5.0; Complex32 Complex64; |a, b| b, div(a, b));
with_zero!(MulNoNan, true, 0.5; f32 f64; |a, b| b, a * b);
with_zero!(MulNoNan, false, 1.0; f16 bf16 Complex32 Complex64; |a, b| b, a * b);
with_zero!(Xdivy, true, 0.6; f32 f64; |a, b| a, a / b);
with_zero!(Xdivy, false, 1.0; f16 bf16; |a, b| a, a / b);
with_zero!(Xdivy, false, 5.0; Complex32 Complex64; |a, b| a, div(a, b));
with_zero!(Xlogy, false, 8.0; f32 f64 f16 bf16; |a, b| a, a * b.ln());
with_zero!(Xlogy, false, 30.0; Complex32 Complex64; |a, b| a, a * log(b, false));
with_zero!(Xlog1py, false, 8.0; f32 f64 f16 bf16; |a, b| a, a * b.ln_1p());
with_zero!(Xlog1py, false, 30.0; Complex32 Complex64; |a, b| a, a * log(b, true));
