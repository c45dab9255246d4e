//! Operations on complex numbers.

use num_complex::Complex;

use super::float::*;
use super::integer::*;
use super::{BinaryOp, UnaryOp};
use crate::isa::Isa;
use crate::vmath;
use crate::vmath::complex::{self as v, moderate as m};

ops! {
    /// The complex conjugate.
    Conj
    /// The real part.
    Real
    /// The imaginary part.
    Imag
    /// The argument.
    Angle
}

/// A function of double precision at the parts' own.
pub(super) trait Parts: Copy {
    /// The number in double precision.
    fn wide(self) -> Complex<f64>;
    /// The nearest number.
    fn narrow(z: Complex<f64>) -> Self;
}

impl Parts for Complex<f64> {
    #[inline(always)]
    fn wide(self) -> Complex<f64> {
        self
    }
    #[inline(always)]
    fn narrow(z: Complex<f64>) -> Self {
        z
    }
}

impl Parts for Complex<f32> {
    #[inline(always)]
    fn wide(self) -> Complex<f64> {
        Complex::new(f64::from(self.re), f64::from(self.im))
    }
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)]
    fn narrow(z: Complex<f64>) -> Self {
        Complex::new(z.re as f32, z.im as f32)
    }
}

/// The quotient; by zero it is infinite.
#[inline(always)]
pub(super) fn div<C: Parts>(a: C, b: C) -> C {
    C::narrow(v::div(a.wide(), b.wide()))
}

/// The logarithm, of one more where asked.
#[inline(always)]
pub(super) fn log<C: Parts>(x: C, one_more: bool) -> C {
    C::narrow(if one_more {
        v::log1p(x.wide())
    } else {
        v::log(x.wide())
    })
}

/// What costs as much calls functions of the library, one element at a time.
const CALLS: f64 = 2.0;

/// The magnitude of a number whose parts' squares are numbers of double precision.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)]
fn magnitude(x: Complex<f32>) -> f32 {
    let (re, im) = (f64::from(x.re), f64::from(x.im));
    let size = (re * re + im * im).sqrt() as f32;
    let is_infinite = x.re.is_infinite() | x.im.is_infinite();
    if is_infinite { f32::INFINITY } else { size }
}

macro_rules! complex_binary {
    ($r:ty: $($op:ty, $cost:expr, |$a:ident, $b:ident| $body:expr;)*) => {$(
        impl BinaryOp<Complex<$r>> for $op {
            type Out = Complex<$r>;
            const WIDE: bool = $cost < CALLS;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>($a: Complex<$r>, $b: Complex<$r>) -> Complex<$r> {
                $body
            }
        }
    )*};
}

macro_rules! complex_unary {
    ($r:ty => $out:ty: $($op:ty, $cost:expr, |$x:ident| $body:expr;)*) => {$(
        impl UnaryOp<Complex<$r>> for $op {
            type Out = $out;
            const WIDE: bool = $cost < CALLS;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>($x: Complex<$r>) -> $out {
                $body
            }
        }
    )*};
}

/// Functions of `vmath::complex`.
macro_rules! functions {
    ($r:ty: $($op:ty, $cost:expr, $f:path;)*) => {$(
        complex_unary! { $r => Complex<$r>: $op, $cost, |x| Parts::narrow($f(x.wide())); }
    )*};
}

/// Functions that are vectors for moderate numbers.
macro_rules! moderate {
    ($r:ty: $($op:ty, $cost:expr, $f:expr, $is_rare:path, $rare:path;)*) => {$(
        impl UnaryOp<Complex<$r>> for $op {
            type Out = Complex<$r>;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>(x: Complex<$r>) -> Complex<$r> {
                Parts::narrow($f(x.wide()))
            }
            #[inline(always)]
            fn is_rare(x: Complex<$r>) -> bool {
                $is_rare(x.wide())
            }
            fn rare(x: Complex<$r>) -> Complex<$r> {
                Parts::narrow($rare(x.wide()))
            }
        }
    )*};
}

macro_rules! angle {
    ($($t:ident $cost:expr;)*) => {$(
        impl UnaryOp<Complex<$t>> for Angle {
            type Out = $t;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>(x: Complex<$t>) -> $t {
                vmath::$t::atan2::<I>(x.im, x.re)
            }
        }
    )*};
}
angle! { f32 1.5; f64 2.5; }

macro_rules! complex {
    ($($r:ty)*) => {$(
        complex_binary! { $r:
            Add, 0.8, |a, b| a + b;
            Sub, 0.8, |a, b| a - b;
            Mul, 1.0, |a, b| a * b;
            Div, 4.0, |a, b| div(a, b);
            SquaredDifference, 1.0, |a, b| (a - b) * (a - b).conj();
            Pow, 60.0, |a, b| Parts::narrow(v::pow(a.wide(), b.wide()));
        }
        complex_unary! { $r => Complex<$r>:
            Neg, 0.8, |x| -x;
            Conj, 0.8, |x| x.conj();
        }
        functions! { $r:
            Square, 1.0, v::square;
            Sign, 8.0, v::sign;
            Reciprocal, 4.0, v::reciprocal;
            Rsqrt, 24.0, v::rsqrt;
            Expm1, 25.0, v::expm1;
            Log1p, 25.0, v::log1p;
            Tan, 40.0, v::tan;
            Asin, 60.0, v::asin;
            Acos, 60.0, v::acos;
            Atan, 60.0, v::atan;
            Tanh, 40.0, v::tanh;
            Asinh, 60.0, v::asinh;
            Acosh, 60.0, v::acosh;
            Atanh, 60.0, v::atanh;
            Sigmoid, 40.0, v::sigmoid;
        }
        moderate! { $r:
            Sqrt, 3.0, m::sqrt, m::is_extreme, v::sqrt;
            Exp, 4.0, m::exp::<I>, m::is_far, v::exp;
            Log, 6.0, m::log::<I>, m::is_extreme, v::log;
            Sinh, 8.0, m::sinh::<I>, m::is_far, v::sinh;
            Cosh, 8.0, m::cosh::<I>, m::is_far, v::cosh;
            Sin, 8.0, m::sin::<I>, m::is_far_turned, v::sin;
            Cos, 8.0, m::cos::<I>, m::is_far_turned, v::cos;
        }
        complex_unary! { $r => $r:
            Real, 0.6, |x| x.re;
            Imag, 0.6, |x| x.im;
        }
    )*};
}
complex!(f32 f64);
complex_unary! { f32 => f32: Abs, 1.5, |x| magnitude(x); }

impl UnaryOp<Complex<f64>> for Abs {
    type Out = f64;
    const COST_NS: f64 = 1.5;
    #[inline(always)]
    fn apply<I: Isa>(x: Complex<f64>) -> f64 {
        m::abs(x)
    }
    #[inline(always)]
    fn is_rare(x: Complex<f64>) -> bool {
        m::is_extreme(x)
    }
    fn rare(x: Complex<f64>) -> f64 {
        x.re.hypot(x.im)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Binary, Unary};
    use super::*;

    #[test]
    fn complex_functions_agree_with_their_definitions() {
        let z = [Complex::new(0.3f64, -0.4), Complex::new(-2.0, 1.0)];
        let mut out = [Complex::default(); 2];
        Unary::of::<Expm1>().run(&z, &mut out);
        z.iter()
            .zip(&out)
            .for_each(|(z, o)| assert!((z.exp() - 1.0 - o).norm() < 1e-14));
        Binary::of::<Pow>().run(&z, &[Complex::new(2.0, 0.0); 2], &mut out);
        z.iter()
            .zip(&out)
            .for_each(|(z, o)| assert!((z * z - o).norm() < 1e-13));
        let mut abs = [0.0; 2];
        Unary::of::<Abs>().run(&z, &mut abs);
        assert!((abs[0] - 0.5).abs() < 1e-15);
    }
}
