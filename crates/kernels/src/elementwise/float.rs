//! Operations on floats.

use super::binary::run_vec_scalar;
use super::half_floats::{binary_halves, unary_halves};
use super::integer::*;
use super::{BinaryOp, UnaryOp};
use crate::isa::Isa;
use crate::vmath::{self, special};

ops! {
    /// The angle of the point `(b, a)`.
    Atan2
    /// The square root.
    Sqrt
    /// `1 / sqrt(x)`
    Rsqrt
    /// `1 / x`
    Reciprocal
    /// `e^x`
    Exp
    /// `e^x - 1`, accurate near 0.
    Expm1
    /// The natural logarithm.
    Log
    /// `log(1 + x)`, accurate near 0.
    Log1p
    /// The sine.
    Sin
    /// The cosine.
    Cos
    /// The tangent.
    Tan
    /// The inverse sine.
    Asin
    /// The inverse cosine.
    Acos
    /// The inverse tangent.
    Atan
    /// The hyperbolic sine.
    Sinh
    /// The hyperbolic cosine.
    Cosh
    /// The hyperbolic tangent.
    Tanh
    /// The inverse hyperbolic sine.
    Asinh
    /// The inverse hyperbolic cosine.
    Acosh
    /// The inverse hyperbolic tangent.
    Atanh
    /// `1 / (1 + e^-x)`
    Sigmoid
    /// `log(1 + e^x)`
    Softplus
    /// `x / (1 + |x|)`
    Softsign
    /// `max(x, 0)`
    Relu
    /// `min(max(x, 0), 6)`
    Relu6
    /// `x` where positive, else `e^x - 1`.
    Elu
    /// The scaled exponential linear unit.
    Selu
    /// `x` where positive, else `x * b`: the slope is the second operand.
    LeakyRelu
    /// The error function.
    Erf
    /// One minus the error function.
    Erfc
    /// `ln |Γ(x)|`
    Lgamma
    /// The derivative of `ln Γ(x)`.
    Digamma
    /// Rounded down.
    Floor
    /// Rounded up.
    Ceil
    /// Rounded to the nearest integer, halves to even.
    Round
    /// Whether the value is NaN.
    IsNan
    /// Whether the value is infinite.
    IsInf
    /// Whether the value is neither infinite nor NaN.
    IsFinite
}

/// `impl BinaryOp` for both float types: operation, whether it is compiled for each instruction set, cost, meaning.
macro_rules! binary_float {
    ($($op:ty, $wide:expr, $cost:expr, |$a:ident, $b:ident| $body:expr;)*) => {$(
        binary_float!(@one f32, $op, $wide, $cost, |$a, $b| $body);
        binary_float!(@one f64, $op, $wide, $cost, |$a, $b| $body);
        binary_halves!($op);
    )*};
    (@one $t:ty, $op:ty, $wide:expr, $cost:expr, |$a:ident, $b:ident| $body:expr) => {
        impl BinaryOp<$t> for $op {
            type Out = $t;
            const WIDE: bool = $wide;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>($a: $t, $b: $t) -> $t {
                $body
            }
        }
    };
}

binary_float! {
    Add, true, 0.4, |a, b| a + b;
    Sub, true, 0.4, |a, b| a - b;
    Mul, true, 0.4, |a, b| a * b;
    Div, true, 0.5, |a, b| a / b;
    SquaredDifference, true, 0.4, |a, b| (a - b) * (a - b);
    Maximum, true, 0.4, |a, b| if a >= b || a.is_nan() { a } else { b };
    Minimum, true, 0.4, |a, b| if a <= b || a.is_nan() { a } else { b };
    LeakyRelu, true, 0.4, |a, b| if a > 0.0 { a } else { a * b };
    FloorDiv, false, 1.5, |a, b| (a / b).floor();
    TruncateDiv, false, 1.5, |a, b| (a / b).trunc();
    TruncateMod, false, 8.0, |a, b| a % b;
    FloorMod, false, 8.0, |a, b| {
        let r = a % b;
        if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }
    };
}

macro_rules! angles {
    ($($t:ident $cost:expr;)*) => {$(
        impl BinaryOp<$t> for Atan2 {
            type Out = $t;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>(a: $t, b: $t) -> $t {
                vmath::$t::atan2::<I>(a, b)
            }
        }
    )*};
}
angles! { f32 1.5; f64 2.5; }
binary_halves!(Atan2);

macro_rules! impl_unary {
    ($t:ty, $op:ty, $out:ty, $wide:expr, $cost:expr, $f:expr) => {
        impl UnaryOp<$t> for $op {
            type Out = $out;
            const WIDE: bool = $wide;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>(x: $t) -> $out {
                let f: fn($t) -> $out = $f;
                f(x)
            }
        }
    };
}

/// `impl UnaryOp` for both float types by one expression.
macro_rules! unary_float {
    ($($op:ty, $wide:expr, $cost:expr, |$x:ident| $body:expr;)*) => {$(
        impl_unary!(f32, $op, f32, $wide, $cost, |$x| $body);
        impl_unary!(f64, $op, f64, $wide, $cost, |$x| $body);
        unary_halves!($op);
    )*};
    (bool: $($op:ty, |$x:ident| $body:expr;)*) => {$(
        impl_unary!(f32, $op, bool, true, 0.4, |$x| $body);
        impl_unary!(f64, $op, bool, true, 0.4, |$x| $body);
        unary_halves!(bool: $op);
    )*};
}

unary_float! {
    Neg, true, 0.4, |x| -x;
    Abs, true, 0.4, |x| x.abs();
    Sign, true, 0.4, |x| if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x + 0.0 };
    Square, true, 0.4, |x| x * x;
    Sqrt, true, 0.6, |x| x.sqrt();
    Rsqrt, true, 0.8, |x| 1.0 / x.sqrt();
    Reciprocal, true, 0.5, |x| 1.0 / x;
    Relu, true, 0.4, |x| if x < 0.0 { 0.0 } else { x };
    Relu6, true, 0.4, |x| x.clamp(0.0, 6.0);
    Softsign, true, 0.5, |x| x / (1.0 + x.abs());
    Floor, true, 0.4, |x| x.floor();
    Ceil, true, 0.4, |x| x.ceil();
    Round, true, 0.4, |x| x.round_ties_even();
}

unary_float! { bool:
    IsNan, |x| x.is_nan();
    IsInf, |x| x.is_infinite();
    IsFinite, |x| x.is_finite();
}

/// Functions of `vmath`.
macro_rules! vector_math {
    ($t:ident: $($op:ty, $cost:expr, $f:ident;)*) => {$(
        impl UnaryOp<$t> for $op {
            type Out = $t;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>(x: $t) -> $t {
                vmath::$t::$f::<I>(x)
            }
        }
    )*};
}

vector_math! { f32:
    Exp, 0.5, exp;
    Expm1, 0.6, expm1;
    Log, 0.6, log;
    Log1p, 0.8, log1p;
    Tanh, 0.8, tanh;
    Sigmoid, 0.7, sigmoid;
    Softplus, 1.2, softplus;
    Erf, 0.8, erf;
    Erfc, 0.9, erfc;
    Asin, 1.2, asin;
    Acos, 1.2, acos;
    Atan, 1.2, atan;
    Sinh, 1.4, sinh;
    Cosh, 1.2, cosh;
    Asinh, 2.0, asinh;
    Acosh, 2.0, acosh;
    Atanh, 2.0, atanh;
}

vector_math! { f64:
    Exp, 1.2, exp;
    Log, 1.5, log;
    Sigmoid, 1.5, sigmoid;
    Log1p, 1.7, log1p;
    Tanh, 1.7, tanh;
    Expm1, 1.4, expm1;
    Softplus, 3.0, softplus;
    Erf, 2.5, erf;
    Erfc, 2.5, erfc;
    Asin, 1.8, asin;
    Acos, 1.8, acos;
    Atan, 2.2, atan;
    Sinh, 3.0, sinh;
    Cosh, 2.4, cosh;
    Asinh, 3.0, asinh;
    Acosh, 2.6, acosh;
    Atanh, 2.4, atanh;
}

/// Functions of the library, one element at a time.
macro_rules! scalar_math {
    ($t:ty: $($op:ty, $cost:expr, $f:expr;)*) => {$(
        impl_unary!($t, $op, $t, false, $cost, $f);
    )*};
}

scalar_math! { f32:
    Lgamma, 15.0, |x| libm::lgamma(x as f64) as f32;
    Digamma, 20.0, |x| special::digamma(x as f64) as f32;
}

scalar_math! { f64:
    Lgamma, 15.0, vmath::lgamma::lgamma;
    Digamma, 20.0, special::digamma;
}
unary_halves!(
    Exp, Expm1, Log, Log1p, Tanh, Sigmoid, Softplus, Erf, Erfc, Lgamma, Digamma, Asin, Acos, Atan,
    Sinh, Cosh, Asinh, Acosh, Atanh
);

/// Sine, cosine and tangent: vectors for moderate arguments, the library for far ones.
macro_rules! circular {
    ($($op:ty, $f:ident, $single:expr, $double:expr;)*) => {$(
        circular!(@one f32, $op, $f, $single);
        circular!(@one f64, $op, $f, $double);
        unary_halves!($op);
    )*};
    (@one $t:ident, $op:ty, $f:ident, $cost:expr) => {
        impl UnaryOp<$t> for $op {
            type Out = $t;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>(x: $t) -> $t {
                vmath::$t::$f::<I>(x)
            }
            #[inline(always)]
            fn is_rare(x: $t) -> bool {
                vmath::$t::is_far(x)
            }
            fn rare(x: $t) -> $t {
                x.$f()
            }
        }
    };
}
circular! { Sin, sin, 0.8, 1.8; Cos, cos, 0.8, 1.8; Tan, tan, 1.0, 2.4; }

const SELU_SCALE: f64 = 1.050_700_987_355_480_5;
const SELU_ALPHA: f64 = 1.673_263_242_354_377_2;

macro_rules! exponential_units {
    ($($t:ident, $cost:expr;)*) => {$(
        impl UnaryOp<$t> for Elu {
            type Out = $t;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>(x: $t) -> $t {
                let below = <Expm1 as UnaryOp<$t>>::apply::<I>(x);
                if x < 0.0 { below } else { x }
            }
        }
        impl UnaryOp<$t> for Selu {
            type Out = $t;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>(x: $t) -> $t {
                let below = <Expm1 as UnaryOp<$t>>::apply::<I>(x) * (SELU_SCALE * SELU_ALPHA) as $t;
                if x < 0.0 { below } else { x * SELU_SCALE as $t }
            }
        }
    )*};
}
exponential_units! { f32, 0.7; f64, 1.6; }
unary_halves!(Elu, Selu);

/// `x³`; of `f32` rounded once.
struct Cube;

/// The square root as a power: that of minus infinity is infinite, and no zero is negative.
struct Root;

/// The exponents of powers that are a few operations.
const SHORT_POWERS: [f64; 4] = [1.0, 2.0, 3.0, 0.5];

macro_rules! short_powers {
    ($($t:ty, |$x:ident| $cube:expr;)*) => {$(
        impl UnaryOp<$t> for Cube {
            type Out = $t;
            #[inline(always)]
            fn apply<I: Isa>($x: $t) -> $t {
                $cube
            }
        }
        impl UnaryOp<$t> for Root {
            type Out = $t;
            const COST_NS: f64 = 0.5;
            #[inline(always)]
            fn apply<I: Isa>(x: $t) -> $t {
                if x == <$t>::NEG_INFINITY { <$t>::INFINITY } else { (x + 0.0).sqrt() }
            }
        }
    )*};
}
short_powers! {
    f32, |x| { let wide = f64::from(x); (wide * wide * wide) as f32 };
    f64, |x| x * x * x;
}

/// Powers. What short ones give does not depend on whether the exponent is one for all.
macro_rules! powers {
    ($($t:ident, $cost:expr;)*) => {$(
        impl BinaryOp<$t> for Pow {
            type Out = $t;
            const COST_NS: f64 = $cost;
            #[inline(always)]
            fn apply<I: Isa>(a: $t, b: $t) -> $t {
                let y = vmath::$t::pow::<I>(a, b);
                let y = if b == 0.5 { <Root as UnaryOp<$t>>::apply::<I>(a) } else { y };
                let y = if b == 3.0 { <Cube as UnaryOp<$t>>::apply::<I>(a) } else { y };
                let y = if b == 2.0 { a * a } else { y };
                if b == 1.0 { a } else { y }
            }
            fn vec_scalar(a: &[$t], b: $t, out: &mut [$t]) {
                match SHORT_POWERS.iter().position(|&short| short as $t == b) {
                    Some(0) => out.copy_from_slice(a),
                    Some(1) => Mul::vec_vec(a, a, out),
                    Some(2) => Cube::slice(a, out),
                    Some(_) => Root::slice(a, out),
                    None => run_vec_scalar::<$t, Self>(a, b, out),
                }
            }
        }
    )*};
}
powers! { f32, 2.5; f64, 4.0; }
binary_halves!(Pow);

/// Relu and friends on integers.
macro_rules! relu_int {
    ($($t:ty)*) => {$(
        impl UnaryOp<$t> for Relu {
            type Out = $t;
            const WIDE: bool = false;
            #[inline(always)]
            #[allow(unused_comparisons)]
            fn apply<I: Isa>(x: $t) -> $t {
                if x < 0 { 0 } else { x }
            }
        }
        impl UnaryOp<$t> for Relu6 {
            type Out = $t;
            const WIDE: bool = false;
            #[inline(always)]
            #[allow(unused_comparisons)]
            fn apply<I: Isa>(x: $t) -> $t {
                if x < 0 { 0 } else if x > 6 { 6 } else { x }
            }
        }
    )*};
}
relu_int!(i8 i16 i32 i64 u8 u16 u32 u64);
