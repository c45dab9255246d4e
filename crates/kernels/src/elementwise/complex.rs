//! Operations on complex numbers.

use num_complex::Complex;

use super::float::*;
use super::integer::*;
use super::{BinaryOp, UnaryOp};
use crate::isa::Isa;

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

macro_rules! complex_binary {
    ($r:ty: $($op:ty, $cost:expr, |$a:ident, $b:ident| $body:expr;)*) => {$(
        impl BinaryOp<Complex<$r>> for $op {
            type Out = Complex<$r>;
            const WIDE: bool = false;
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
            const WIDE: bool = false;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>($x: Complex<$r>) -> $out {
                $body
            }
        }
    )*};
}

macro_rules! complex {
    ($($r:ty)*) => {$(
        complex_binary! { $r:
            Add, 0.8, |a, b| a + b;
            Sub, 0.8, |a, b| a - b;
            Mul, 1.0, |a, b| a * b;
            Div, 4.0, |a, b| a / b;
            SquaredDifference, 1.0, |a, b| (a - b) * (a - b).conj();
            Pow, 60.0, |a, b| pow(a, b);
        }
        complex_unary! { $r => Complex<$r>:
            Neg, 0.8, |x| -x;
            Conj, 0.8, |x| x.conj();
            Square, 1.0, |x| x * x;
            Sign, 8.0, |x| if x.re == 0.0 && x.im == 0.0 { x } else { x / x.re.hypot(x.im) };
            Reciprocal, 4.0, |x| Complex::new(1.0, 0.0) / x;
            Sqrt, 20.0, |x| x.sqrt();
            Rsqrt, 24.0, |x| Complex::new(1.0, 0.0) / x.sqrt();
            Exp, 25.0, |x| x.exp();
            Expm1, 25.0, |x| expm1(x.re, x.im);
            Log, 25.0, |x| x.ln();
            Log1p, 25.0, |x| (x + 1.0).ln();
            Sin, 40.0, |x| x.sin();
            Cos, 40.0, |x| x.cos();
            Tan, 40.0, |x| x.tan();
            Asin, 60.0, |x| x.asin();
            Acos, 60.0, |x| x.acos();
            Atan, 60.0, |x| x.atan();
            Sinh, 40.0, |x| x.sinh();
            Cosh, 40.0, |x| x.cosh();
            Tanh, 40.0, |x| x.tanh();
            Asinh, 60.0, |x| x.asinh();
            Acosh, 60.0, |x| x.acosh();
            Atanh, 60.0, |x| x.atanh();
            Sigmoid, 40.0, |x| Complex::new(1.0, 0.0) / ((-x).exp() + 1.0);
        }
        complex_unary! { $r => $r:
            Abs, 5.0, |x| x.re.hypot(x.im);
            Real, 0.6, |x| x.re;
            Imag, 0.6, |x| x.im;
            Angle, 12.0, |x| x.im.atan2(x.re);
        }
    )*};
}
complex!(f32 f64);

/// `a^b`, with `0^0 = 1` and `0^b = 0`.
fn pow<R: num_traits::Float>(a: Complex<R>, b: Complex<R>) -> Complex<R> {
    let zero = Complex::new(R::zero(), R::zero());
    match (a == zero, b == zero) {
        (_, true) => Complex::new(R::one(), R::zero()),
        (true, false) => zero,
        _ => a.powc(b),
    }
}

fn expm1<R: num_traits::Float>(re: R, im: R) -> Complex<R> {
    let two = R::one() + R::one();
    let s = (im / two).sin();
    // e^re cos(im) - 1, without cancellation near 0.
    Complex::new(re.exp_m1() * im.cos() - two * s * s, re.exp() * im.sin())
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
