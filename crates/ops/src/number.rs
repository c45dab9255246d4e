//! Arithmetic on elements of any numeric dtype, for operations that combine what they move.

use ferrograph_kernels::movement::Put;
use ferrograph_tensor::{Complex32, Complex64, Element, bf16, f16};

/// A numeric element.
pub(crate) trait Number: Element {
    /// Their sum; integers wrap.
    fn plus(self, other: Self) -> Self;
    /// Their difference; integers wrap.
    fn minus(self, other: Self) -> Self;
    /// Their product; integers wrap.
    fn times(self, other: Self) -> Self;
    /// `self / n`.
    fn over(self, n: usize) -> Self;
    /// The complex conjugate.
    fn conjugate(self) -> Self;
    /// The greater one, `other` where either is NaN; the real part decides for complex numbers.
    fn greater(self, other: Self) -> Self;
    /// The lesser one, likewise.
    fn lesser(self, other: Self) -> Self;
    /// One.
    fn one() -> Self;
    /// The lowest finite number.
    fn lowest() -> Self;
    /// The highest finite number.
    fn highest() -> Self;
}

/// How rows of elements combine with what is there.
pub(crate) type Merge<T> = Put<T>;

/// The way of combining rows that replaces each element by what a function makes of it and the other row's.
macro_rules! merge {
    ($f:expr) => {
        |out, inner, rows, updates| {
            ferrograph_kernels::movement::merge_rows(out, inner, rows, updates, $f)
        }
    };
}
pub(crate) use merge;

macro_rules! integers {
    ($($t:ty)*) => { $(
        impl Number for $t {
            fn plus(self, other: $t) -> $t { self.wrapping_add(other) }
            fn minus(self, other: $t) -> $t { self.wrapping_sub(other) }
            fn times(self, other: $t) -> $t { self.wrapping_mul(other) }
            fn over(self, n: usize) -> $t {
                <$t>::try_from(n).map_or(0, |n| self.checked_div(n).unwrap_or(0))
            }
            fn conjugate(self) -> $t { self }
            fn greater(self, other: $t) -> $t { self.max(other) }
            fn lesser(self, other: $t) -> $t { self.min(other) }
            fn one() -> $t { 1 }
            fn lowest() -> $t { <$t>::MIN }
            fn highest() -> $t { <$t>::MAX }
        }
    )* };
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($t:ty, $from:expr;)*) => { $(
        impl Number for $t {
            fn plus(self, other: $t) -> $t { self + other }
            fn minus(self, other: $t) -> $t { self - other }
            fn times(self, other: $t) -> $t { self * other }
            fn over(self, n: usize) -> $t { self / $from(n as f64) }
            fn conjugate(self) -> $t { self }
            fn greater(self, other: $t) -> $t {
                if self > other { self } else { other }
            }
            fn lesser(self, other: $t) -> $t {
                if self < other { self } else { other }
            }
            fn one() -> $t { $from(1.0) }
            fn lowest() -> $t { <$t>::MIN }
            fn highest() -> $t { <$t>::MAX }
        }
    )* };
}
floats! {
    f32, |x: f64| x as f32;
    f64, |x: f64| x;
    f16, f16::from_f64;
    bf16, bf16::from_f64;
}

macro_rules! complex {
    ($($t:ty, $part:ty;)*) => { $(
        impl Number for $t {
            fn plus(self, other: $t) -> $t { self + other }
            fn minus(self, other: $t) -> $t { self - other }
            fn times(self, other: $t) -> $t { self * other }
            fn over(self, n: usize) -> $t { self / (n as $part) }
            fn conjugate(self) -> $t { self.conj() }
            fn greater(self, other: $t) -> $t { if self.re > other.re { self } else { other } }
            fn lesser(self, other: $t) -> $t { if self.re < other.re { self } else { other } }
            fn one() -> $t { <$t>::new(1.0, 0.0) }
            fn lowest() -> $t { <$t>::new(<$part>::MIN, 0.0) }
            fn highest() -> $t { <$t>::new(<$part>::MAX, 0.0) }
        }
    )* };
}
complex! {
    Complex32, f32;
    Complex64, f64;
}
