//! Binary kernels with a case apart at zero.

use ferrograph_kernels::elementwise::{BinaryOp, Erf, Erfc, UnaryOp};
use ferrograph_kernels::isa::{Isa, Unfused};
use ferrograph_tensor::{Complex32, Complex64, bf16, f16};
use num_traits::Float;

/// `a / b`, 0 where `b` is 0.
pub(crate) struct DivNoNan;
/// `a * b`, 0 where `b` is 0.
pub(crate) struct MulNoNan;
/// `a / b`, 0 where `a` is 0.
pub(crate) struct Xdivy;
/// `a log(b)`, 0 where `a` is 0.
pub(crate) struct Xlogy;
/// `a log(1 + b)`, 0 where `a` is 0.
pub(crate) struct Xlog1py;

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

/// The gradient `a` where the result `b` of a rectifier is positive.
pub(crate) struct ReluGrad;
/// `b (1 - a²)`: the gradient `b` through a hyperbolic tangent that gave `a`.
pub(crate) struct TanhGrad;
/// `b a (1 - a)`: the gradient `b` through a sigmoid that gave `a`.
pub(crate) struct SigmoidGrad;

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

/// The inverse of the error function.
pub(crate) struct Erfinv;
/// The inverse of the normal distribution function.
pub(crate) struct Ndtri;

macro_rules! inverse {
    ($op:ty, $f:expr; $($t:ty)*) => {$(
        impl UnaryOp<$t> for $op {
            type Out = $t;
            const WIDE: bool = false;
            const COST_NS: f64 = 30.0;
            #[inline(always)]
            fn apply<I: Isa>(x: $t) -> $t {
                <f64 as num_traits::AsPrimitive<$t>>::as_($f(<$t as num_traits::AsPrimitive<f64>>::as_(x)))
            }
        }
    )*};
}
inverse!(Erfinv, erfinv; f32 f64 f16 bf16);
inverse!(Ndtri, ndtri; f32 f64 f16 bf16);

/// The point below which a standard normal variable lies with probability `p`.
fn ndtri(p: f64) -> f64 {
    erfinv(2.0 * p - 1.0) * std::f64::consts::SQRT_2
}

/// A first guess by an elementary approximation, then steps of Halley's method, which triples the digits each time.
fn erfinv(y: f64) -> f64 {
    if y.is_nan() || y.abs() >= 1.0 {
        return match y {
            1.0 => f64::INFINITY,
            -1.0 => f64::NEG_INFINITY,
            _ => f64::NAN,
        };
    }
    const A: f64 = 0.147;
    let log = (-y * y).ln_1p();
    let half = 2.0 / (std::f64::consts::PI * A) + log / 2.0;
    let mut x = ((half * half - log / A).sqrt() - half)
        .max(0.0)
        .sqrt()
        .copysign(y);
    for _ in 0..3 {
        let miss = if y.abs() < 0.5 {
            erf(x) - y
        } else {
            tail_miss(x, y)
        };
        let step = miss / (std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp());
        x -= step / (1.0 + x * step);
    }
    x
}

/// `erf(x) - y` for `y` near ±1, without cancellation.
fn tail_miss(x: f64, y: f64) -> f64 {
    y.signum() * ((1.0 - y.abs()) - erfc(x.abs()))
}

fn erf(x: f64) -> f64 {
    <Erf as UnaryOp<f64>>::apply::<Unfused>(x)
}

fn erfc(x: f64) -> f64 {
    <Erfc as UnaryOp<f64>>::apply::<Unfused>(x)
}

/// The next number after the first operand towards the second.
pub(crate) struct NextAfter;

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
