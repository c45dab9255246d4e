//! Conversion between any two element types.

use half::{bf16, f16};
use num_complex::Complex;

use crate::pool;

/// Conversion of one element: integers wrap, floats saturate at integer bounds, complex numbers lose their imaginary
/// part, and anything that is not zero (NaN included) is true.
pub trait CastTo<U>: Copy {
    /// The value as a `U`.
    fn cast_to(self) -> U;
}

/// Converts a slice, over the pool when that is worth it.
pub fn cast<T: CastTo<U> + Sync, U: Send>(x: &[T], out: &mut [U]) {
    assert_eq!(x.len(), out.len(), "operand and result have one length");
    pool::par_chunks_mut(out, 0.7, |at, out| {
        for (o, v) in out.iter_mut().zip(&x[at..]) {
            *o = v.cast_to();
        }
    });
}

macro_rules! cast {
    ($from:ty => $($to:ty)*; |$x:ident| $body:expr) => {$(
        impl CastTo<$to> for $from {
            #[inline(always)]
            fn cast_to(self) -> $to {
                let $x = self;
                $body as $to
            }
        }
    )*};
}

macro_rules! to_bool {
    ($($from:ty)*; |$x:ident| $body:expr) => {$(
        impl CastTo<bool> for $from {
            #[inline(always)]
            fn cast_to(self) -> bool {
                let $x = self;
                $body
            }
        }
    )*};
}

/// Conversions whose result is made by a function of the `f32` or `f64` value.
macro_rules! from_real {
    ($to:ty, $real:ty, $make:expr; $($from:ty)*) => {$(
        impl CastTo<$to> for $from {
            #[inline(always)]
            fn cast_to(self) -> $to {
                $make(<$from as CastTo<$real>>::cast_to(self))
            }
        }
    )*};
}

macro_rules! primitives {
    ($($from:ty)*) => {$(
        cast!($from => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; |x| x);
    )*};
}

primitives!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
cast!(bool => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; |x| x as u8);
cast!(f16 => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; |x| x.to_f32());
cast!(bf16 => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; |x| x.to_f32());
cast!(Complex<f32> => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; |x| x.re);
cast!(Complex<f64> => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; |x| x.re);

to_bool!(i8 i16 i32 i64 u8 u16 u32 u64; |x| x != 0);
to_bool!(f32 f64; |x| x != 0.0);
to_bool!(f16 bf16; |x| x.to_f32() != 0.0);
to_bool!(Complex<f32> Complex<f64>; |x| x.re != 0.0 || x.im != 0.0);
to_bool!(bool; |x| x);

from_real!(f16, f64, f16::from_f64; i32 i64 u32 u64 f64 Complex<f64>);
from_real!(f16, f32, f16::from_f32; bool i8 i16 u8 u16 f16 bf16 f32 Complex<f32>);
from_real!(bf16, f64, bf16::from_f64; i32 i64 u32 u64 f64 Complex<f64>);
from_real!(bf16, f32, bf16::from_f32; bool i8 i16 u8 u16 f16 bf16 f32 Complex<f32>);
from_real!(Complex<f32>, f32, |re| Complex { re, im: 0.0 }; bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64);
from_real!(Complex<f64>, f64, |re| Complex { re, im: 0.0 }; bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64);

macro_rules! complex_to_complex {
    ($($from:ty, $to:ty);*) => {$(
        impl CastTo<Complex<$to>> for Complex<$from> {
            #[inline(always)]
            fn cast_to(self) -> Complex<$to> {
                Complex { re: self.re as $to, im: self.im as $to }
            }
        }
    )*};
}
complex_to_complex!(f32, f32; f32, f64; f64, f32; f64, f64);

#[cfg(test)]
mod tests {
    use super::*;

    fn one<T: CastTo<U> + Sync, U: Send + Default + Copy>(x: T) -> U {
        let mut out = [U::default()];
        cast(&[x], &mut out);
        out[0]
    }

    #[test]
    fn casts_follow_the_rules() {
        assert_eq!(one::<i32, i8>(300), 44);
        assert_eq!(one::<i64, u8>(-1), 255);
        assert_eq!(one::<f32, i32>(-3.9), -3);
        assert_eq!(one::<f64, u8>(1e9), 255);
        assert!(one::<f32, bool>(f32::NAN));
        assert!(!one::<f32, bool>(-0.0));
        assert_eq!(one::<bool, f64>(true), 1.0);
        assert_eq!(one::<Complex<f64>, f32>(Complex::new(2.5, 3.0)), 2.5);
        assert!(one::<Complex<f64>, bool>(Complex::new(0.0, 3.0)));
        assert_eq!(one::<f32, f16>(65519.9), f16::MAX);
        assert_eq!(one::<bf16, f64>(bf16::from_f32(1.5)), 1.5);
        assert_eq!(one::<u8, Complex<f32>>(7), Complex::new(7.0, 0.0));
    }
}
