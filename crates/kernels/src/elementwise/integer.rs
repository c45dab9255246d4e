//! Arithmetic, bitwise and sign operations on integers; they wrap.
//!
//! Division and modulo by zero give 0 here: a caller that must refuse asks [`contains_zero`] first. Likewise a
//! negative exponent gives what wrapping allows (1, -1 or 0): see [`contains_negative`].

use super::{BinaryOp, UnaryOp};
use crate::isa::Isa;

/// Declares operation types, each with its meaning.
macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name;
    )*};
}
pub(crate) use ops;

ops! {
    /// `a + b`
    Add
    /// `a - b`
    Sub
    /// `a * b`
    Mul
    /// `a / b`: true division of floats, truncating division of integers.
    Div
    /// Division rounded down, as Python's `//`.
    FloorDiv
    /// The modulo that takes the sign of the divisor, as Python's `%`.
    FloorMod
    /// Division rounded towards zero.
    TruncateDiv
    /// The remainder that takes the sign of the dividend.
    TruncateMod
    /// The greater; NaN if either is.
    Maximum
    /// The lesser; NaN if either is.
    Minimum
    /// `a` to the power of `b`
    Pow
    /// `(a - b)²`, for complex numbers `(a - b) * conj(a - b)`.
    SquaredDifference
    /// `a & b`
    BitAnd
    /// `a | b`
    BitOr
    /// `a ^ b`
    BitXor
    /// `a << b`; 0 when `b` reaches the width.
    ShiftLeft
    /// `a >> b`, arithmetic for signed integers; a shift beyond the width fills with the sign.
    ShiftRight
    /// `!a`
    Invert
    /// `-x`
    Neg
    /// `|x|`
    Abs
    /// -1, 0 or 1; for complex numbers `x / |x|`.
    Sign
    /// `x * x`
    Square
}

macro_rules! binary_int {
    ($t:ty, $op:ty, $wide:expr, $cost:expr, |$a:ident, $b:ident| $body:expr) => {
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

macro_rules! unary_int {
    ($t:ty, $op:ty, |$x:ident| $body:expr) => {
        impl UnaryOp<$t> for $op {
            type Out = $t;
            const WIDE: bool = false;
            #[inline(always)]
            fn apply<I: Isa>($x: $t) -> $t {
                $body
            }
        }
    };
}

macro_rules! integers {
    ($($t:ty, $wide:expr, $sign:expr, $abs:expr;)*) => {$(
        binary_int!($t, Add, $wide, 0.4, |a, b| a.wrapping_add(b));
        binary_int!($t, Sub, $wide, 0.4, |a, b| a.wrapping_sub(b));
        binary_int!($t, Mul, $wide, 0.5, |a, b| a.wrapping_mul(b));
        binary_int!($t, Maximum, $wide, 0.4, |a, b| if a > b { a } else { b });
        binary_int!($t, Minimum, $wide, 0.4, |a, b| if a < b { a } else { b });
        binary_int!($t, Pow, false, 4.0, |a, b| pow_by_squaring(a as i64, b as i64) as $t);
        binary_int!($t, SquaredDifference, $wide, 0.5, |a, b| {
            let d = a.wrapping_sub(b);
            d.wrapping_mul(d)
        });
        binary_int!($t, BitAnd, false, 0.4, |a, b| a & b);
        binary_int!($t, BitOr, false, 0.4, |a, b| a | b);
        binary_int!($t, BitXor, false, 0.4, |a, b| a ^ b);
        // By none where `b` is negative, by all bits but one where it is more than that.
        binary_int!($t, ShiftLeft, $wide, 0.6, |a, b| a << b.clamp(0, <$t>::BITS as $t - 1));
        binary_int!($t, ShiftRight, $wide, 0.6, |a, b| a >> b.clamp(0, <$t>::BITS as $t - 1));
        unary_int!($t, Invert, |x| !x);
        unary_int!($t, Neg, |x| x.wrapping_neg());
        unary_int!($t, Abs, |x| $abs(x));
        unary_int!($t, Sign, |x| $sign(x));
        unary_int!($t, Square, |x| x.wrapping_mul(x));
    )*};
}

macro_rules! divisions {
    ($($t:ident, $wide:expr, $cost:expr, $is_below:expr;)*) => {$(
        binary_int!($t, Div, $wide, $cost, |a, b| quotient::$t(a, b));
        binary_int!($t, TruncateDiv, $wide, $cost, |a, b| quotient::$t(a, b));
        binary_int!($t, TruncateMod, $wide, $cost, |a, b| {
            let r = a.wrapping_sub(quotient::$t(a, b).wrapping_mul(b));
            if b == 0 { 0 } else { r }
        });
        binary_int!($t, FloorDiv, $wide, $cost, |a, b| {
            let q = quotient::$t(a, b);
            let r = a.wrapping_sub(q.wrapping_mul(b));
            let is_above = r != 0 && $is_below(r) != $is_below(b);
            let q = if is_above { q.wrapping_sub(1) } else { q };
            if b == 0 { 0 } else { q }
        });
        binary_int!($t, FloorMod, $wide, $cost, |a, b| {
            let r = a.wrapping_sub(quotient::$t(a, b).wrapping_mul(b));
            let is_other = r != 0 && $is_below(r) != $is_below(b);
            let r = if is_other { r.wrapping_add(b) } else { r };
            if b == 0 { 0 } else { r }
        });
    )*};
}

divisions! {
    i8, true, 0.6, |x: i8| x < 0;
    i16, true, 0.6, |x: i16| x < 0;
    i32, true, 1.0, |x: i32| x < 0;
    i64, false, 2.0, |x: i64| x < 0;
    u8, true, 0.6, |_| false;
    u16, true, 0.6, |_| false;
    u32, true, 1.0, |_| false;
    u64, false, 2.0, |_| false;
}

/// Quotients rounded towards zero; 0 where the divisor is.
mod quotient {
    /// By floats with some bits more than the integers: a quotient that is no integer then is further from the next one
    /// than it is rounded.
    macro_rules! by_floats {
        ($($t:ident: $float:ident, $is_minus_one:expr;)*) => {$(
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            pub fn $t(a: $t, b: $t) -> $t {
                let q = ($float::from(a) / $float::from(b)) as $t;
                let q = if $is_minus_one(b) { a.wrapping_neg() } else { q };
                if b == 0 { 0 } else { q }
            }
        )*};
    }

    by_floats! {
        i8: f32, |b| b == -1;
        i16: f32, |b| b == -1;
        i32: f64, |b| b == -1;
        u8: f32, |_| false;
        u16: f32, |_| false;
        u32: f64, |_| false;
    }

    #[inline(always)]
    pub fn i64(a: i64, b: i64) -> i64 {
        if b == 0 { 0 } else { a.wrapping_div(b) }
    }

    #[inline(always)]
    pub fn u64(a: u64, b: u64) -> u64 {
        a.checked_div(b).unwrap_or(0)
    }
}

integers! {
    i8, false, i8::signum, i8::wrapping_abs;
    i16, false, i16::signum, i16::wrapping_abs;
    i32, true, i32::signum, i32::wrapping_abs;
    i64, true, i64::signum, i64::wrapping_abs;
    u8, false, |x: u8| (x > 0) as u8, |x| x;
    u16, false, |x: u16| (x > 0) as u16, |x| x;
    u32, false, |x: u32| (x > 0) as u32, |x| x;
    u64, false, |x: u64| (x > 0) as u64, |x| x;
}

/// Wrapping power; the low bits are right for every narrower type. A negative exponent keeps only ±1.
fn pow_by_squaring(base: i64, exponent: i64) -> i64 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 => 1 - 2 * (exponent & 1),
            _ => 0,
        };
    }
    let (mut result, mut square, mut e) = (1i64, base, exponent);
    while e > 0 {
        if e & 1 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        e >>= 1;
    }
    result
}

/// Whether a divisor holds a zero.
pub fn contains_zero<T: num_traits::Zero>(x: &[T]) -> bool {
    x.iter().any(T::is_zero)
}

/// Whether an exponent holds a negative number.
pub fn contains_negative<T: PartialOrd + num_traits::Zero>(x: &[T]) -> bool {
    let zero = T::zero();
    x.iter().any(|v| *v < zero)
}
