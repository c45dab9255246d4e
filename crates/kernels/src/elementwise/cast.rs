//! Conversion between any two element types.

use half::{bf16, f16};
use num_complex::Complex;

use crate::halves::Half;
use crate::isa::{Isa, Job, dispatch};
use crate::pool;

/// Conversion of one element: integers wrap; floats lose what stands behind the point and wrap, by way of an integer of
/// 32 bits for narrower ones, which is the lowest one for what is beyond it and for NaN; complex numbers lose their
/// imaginary part; a real part that is not zero (NaN included) is true.
pub trait CastTo<U>: Copy {
    /// The value as a `U`.
    fn cast_to(self) -> U;
    /// The values of a slice, each as a `U`.
    fn cast_slice(x: &[Self], out: &mut [U]) {
        for (o, v) in out.iter_mut().zip(x) {
            *o = v.cast_to();
        }
    }
}

/// Converts a slice, over the pool when that is worth it.
pub fn cast<T: CastTo<U> + Sync, U: Send>(x: &[T], out: &mut [U]) {
    assert_eq!(x.len(), out.len(), "operand and result have one length");
    pool::par_chunks_mut(out, 0.7, |at, out| {
        T::cast_slice(&x[at..at + out.len()], out)
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

/// Each element by itself.
struct Each<'a, T, U>(&'a [T], &'a mut [U]);

impl<T: CastTo<U>, U> Job for Each<'_, T, U> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let both = self.1.iter_mut().zip(self.0);
        both.for_each(|(to, x)| *to = x.cast_to());
    }
}

/// Conversions for which the widest vectors of a machine have instructions.
macro_rules! wide {
    ($from:ty => $($to:ty)*; |$x:ident| $body:expr) => {$(
        impl CastTo<$to> for $from {
            #[inline(always)]
            fn cast_to(self) -> $to {
                let $x = self;
                $body as $to
            }
            fn cast_slice(x: &[$from], out: &mut [$to]) {
                dispatch(Each(x, out));
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

primitives!(i8 i16 i32 i64 u8 u16 u32 u64);
cast!(bool => i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; |x| x as u8);
cast!(f32 => f32 f64; |x| x);
cast!(f64 => f32 f64; |x| x);
cast!(f16 => f64; |x| x.to_f32());
cast!(bf16 => f64; |x| x.to_f32());
cast!(Complex<f32> => f32 f64; |x| x.re);
cast!(Complex<f64> => f32 f64; |x| x.re);

/// Between `f32` and the floats of 16 bits, for which machines have instructions that take several at once.
macro_rules! halves {
    ($($half:ty)*) => {$(
        impl CastTo<f32> for $half {
            #[inline(always)]
            fn cast_to(self) -> f32 {
                self.to_f32()
            }
            fn cast_slice(x: &[$half], out: &mut [f32]) {
                <$half as Half>::widen(x, out);
            }
        }
        impl CastTo<$half> for f32 {
            #[inline(always)]
            fn cast_to(self) -> $half {
                <$half>::from_f32(self)
            }
            fn cast_slice(x: &[f32], out: &mut [$half]) {
                <$half as Half>::narrow(x, out);
            }
        }
    )*};
}
halves!(f16 bf16);

/// What is left of a float without what stands behind the point; with each type the highest number too low for 32 bits.
macro_rules! truncation {
    ($($t:ty, $low:expr, $to_i32:ident, $to_i64:ident, $to_u64:ident;)*) => {$(
        #[inline(always)]
        fn $to_i32(x: $t) -> i32 {
            let fits = (x > $low) & (x < 2_147_483_648.0);
            let inside = if fits { x } else { 0.0 };
            // SAFETY: what is left of it has 32 bits; said so, several are converted at once.
            let whole = unsafe { inside.to_int_unchecked::<i32>() };
            if fits { whole } else { i32::MIN }
        }
        #[inline(always)]
        fn $to_i64(x: $t) -> i64 {
            let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&x);
            let inside = if fits { x } else { 0.0 };
            // SAFETY: as above, of 64 bits.
            let whole = unsafe { inside.to_int_unchecked::<i64>() };
            if fits { whole } else { i64::MIN }
        }
        #[inline(always)]
        fn $to_u64(x: $t) -> u64 {
            const HALF: $t = 9_223_372_036_854_775_808.0;
            if (HALF..2.0 * HALF).contains(&x) { x as u64 } else { $to_i64(x) as u64 }
        }
    )*};
}
truncation! {
    f32, -2_147_483_904.0, f32_to_i32, f32_to_i64, f32_to_u64;
    f64, -2_147_483_649.0, f64_to_i32, f64_to_i64, f64_to_u64;
}

macro_rules! to_integers {
    ($cast:ident: $($from:ty, |$x:ident| $real:expr, $to_i32:ident, $to_i64:ident, $to_u64:ident;)*) => {$(
        $cast!($from => i8 i16 i32 u8 u16; |$x| $to_i32($real));
        $cast!($from => u32 i64; |$x| $to_i64($real));
        cast!($from => u64; |$x| $to_u64($real));
    )*};
}
to_integers! {
    wide:
    f32, |x| x, f32_to_i32, f32_to_i64, f32_to_u64;
    f64, |x| x, f64_to_i32, f64_to_i64, f64_to_u64;
}
to_integers! {
    cast:
    f16, |x| x.to_f32(), f32_to_i32, f32_to_i64, f32_to_u64;
    bf16, |x| x.to_f32(), f32_to_i32, f32_to_i64, f32_to_u64;
    Complex<f32>, |x| x.re, f32_to_i32, f32_to_i64, f32_to_u64;
    Complex<f64>, |x| x.re, f64_to_i32, f64_to_i64, f64_to_u64;
}

to_bool!(i8 i16 i32 i64 u8 u16 u32 u64; |x| x != 0);
wide!(f32 => bool; |x| x != 0.0);
wide!(f64 => bool; |x| x != 0.0);
to_bool!(f16 bf16; |x| x.to_f32() != 0.0);
to_bool!(Complex<f32> Complex<f64>; |x| x.re != 0.0);
to_bool!(bool; |x| x);

from_real!(f16, f64, f16::from_f64; i32 i64 u32 u64 f64 Complex<f64>);
from_real!(f16, f32, f16::from_f32; bool i8 i16 u8 u16 f16 bf16 Complex<f32>);
from_real!(bf16, f64, bf16::from_f64; i32 i64 u32 u64 f64 Complex<f64>);
from_real!(bf16, f32, bf16::from_f32; bool i8 i16 u8 u16 f16 bf16 Complex<f32>);
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
    fn slices_follow_the_rules_of_elements() {
        let x: Vec<f32> = (0..u32::MAX).step_by(99_991).map(f32::from_bits).collect();
        let (mut halves, mut brains) = (vec![f16::ZERO; x.len()], vec![bf16::ZERO; x.len()]);
        cast(&x, &mut halves);
        cast(&x, &mut brains);
        for ((&x, h), b) in x.iter().zip(&halves).zip(&brains) {
            let (wanted_h, wanted_b): (f16, bf16) = (x.cast_to(), x.cast_to());
            assert!(
                x.is_nan() && h.is_nan() || h.to_bits() == wanted_h.to_bits(),
                "{x}"
            );
            assert!(
                x.is_nan() && b.is_nan() || b.to_bits() == wanted_b.to_bits(),
                "{x}"
            );
            let whole = x.trunc() as f64;
            let fits = (-2_147_483_648.0..2_147_483_648.0).contains(&whole);
            assert_eq!(
                one::<f32, i32>(x),
                if fits { whole as i32 } else { i32::MIN },
                "{x}"
            );
        }
    }

    #[test]
    fn casts_follow_the_rules() {
        assert_eq!(one::<i32, i8>(300), 44);
        assert_eq!(one::<i64, u8>(-1), 255);
        assert_eq!(one::<f32, i32>(-3.9), -3);
        assert_eq!(one::<f32, i8>(200.0), -56);
        assert_eq!(one::<f64, u8>(1e300), 0);
        assert_eq!(one::<f32, i32>(f32::NAN), i32::MIN);
        assert_eq!(one::<f64, i32>(-2_147_483_648.9), i32::MIN);
        assert_eq!(one::<f64, i32>(-2_147_483_647.9), i32::MIN + 1);
        assert_eq!(one::<f64, i32>(2_147_483_647.9), i32::MAX);
        assert_eq!(one::<f32, i32>(-2_147_483_648.0), i32::MIN);
        assert_eq!(one::<f64, i64>(1e19), i64::MIN);
        assert_eq!(one::<f64, u32>(-1.0), u32::MAX);
        assert_eq!(one::<f64, u64>(1.5e19), 15_000_000_000_000_000_000);
        assert_eq!(one::<f32, u64>(-1.0), u64::MAX);
        assert!(one::<f32, bool>(f32::NAN));
        assert!(!one::<f32, bool>(-0.0));
        assert_eq!(one::<bool, f64>(true), 1.0);
        assert_eq!(one::<Complex<f64>, f32>(Complex::new(2.5, 3.0)), 2.5);
        assert!(!one::<Complex<f64>, bool>(Complex::new(0.0, 3.0)));
        assert_eq!(one::<f32, f16>(65519.9), f16::MAX);
        assert_eq!(one::<bf16, f64>(bf16::from_f32(1.5)), 1.5);
        assert_eq!(one::<u8, Complex<f32>>(7), Complex::new(7.0, 0.0));
    }
}
