//! Functions that are evaluated one by one, in double precision.

use half::{bf16, f16};

use super::{BinaryOp, UnaryOp};
use crate::isa::Isa;
use crate::vmath::inverse::{erfinv, ndtri};
use crate::vmath::special::bessel_ie;
use crate::vmath::zeta::{polygamma, zeta};

/// The Hurwitz zeta function: the sum of `(q + n)^-x` over all `n` from 0.
pub struct Zeta;
/// Derivative number `a`, from 0, of the digamma function.
pub struct Polygamma;

macro_rules! through_f64 {
    ($($op:ty, $f:expr;)*) => {$(
        impl BinaryOp<f32> for $op {
            type Out = f32;
            const WIDE: bool = false;
            const COST_NS: f64 = 60.0;
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation)]
            fn apply<I: Isa>(a: f32, b: f32) -> f32 {
                $f(f64::from(a), f64::from(b)) as f32
            }
        }
        impl BinaryOp<f64> for $op {
            type Out = f64;
            const WIDE: bool = false;
            const COST_NS: f64 = 60.0;
            #[inline(always)]
            fn apply<I: Isa>(a: f64, b: f64) -> f64 {
                $f(a, b)
            }
        }
    )*};
}
through_f64! { Zeta, zeta; Polygamma, polygamma; }

/// The inverse of the error function.
pub struct Erfinv;
/// The inverse of the normal distribution function.
pub struct Ndtri;

macro_rules! alone {
    ($op:ty, $f:expr; $($t:ty)*) => {$(
        impl UnaryOp<$t> for $op {
            type Out = $t;
            const WIDE: bool = false;
            const COST_NS: f64 = 80.0;
            #[inline(always)]
            fn apply<I: Isa>(x: $t) -> $t {
                <f64 as num_traits::AsPrimitive<$t>>::as_($f(<$t as num_traits::AsPrimitive<f64>>::as_(x)))
            }
        }
    )*};
}
alone!(Erfinv, erfinv; f32 f64 f16 bf16);
alone!(Ndtri, ndtri; f32 f64 f16 bf16);

/// `e^-|x| I0(x)` for the modified Bessel function of order 0.
pub struct BesselI0e;
/// `e^-|x| I1(x)` for the modified Bessel function of order 1.
pub struct BesselI1e;
alone!(BesselI0e, |x| bessel_ie(0, x); f32 f64 f16 bf16);
alone!(BesselI1e, |x| bessel_ie(1, x); f32 f64 f16 bf16);

/// The next number after the first operand towards the second.
pub struct NextAfter;

macro_rules! next_after {
    ($($t:ty)*) => {$(
        impl BinaryOp<$t> for NextAfter {
            type Out = $t;
            const WIDE: bool = false;
            const COST_NS: f64 = 2.0;
            #[inline(always)]
            fn apply<I: Isa>(a: $t, b: $t) -> $t {
                if a.is_nan() || b.is_nan() {
                    <$t>::NAN
                } else if a < b {
                    a.next_up()
                } else if a > b {
                    a.next_down()
                } else {
                    b
                }
            }
        }
    )*};
}
next_after!(f32 f64);
