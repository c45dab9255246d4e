//! What a reduction does to its elements.

use half::{bf16, f16};
use num_complex::Complex;

/// A reduction of elements `T`: a monoid over accumulators.
pub trait ReduceOp<T: Copy>: 'static {
    /// The running result; wider than `T` for 16-bit floats.
    type Acc: Copy + Send + Sync + 'static;
    /// The element type of the result.
    type Out: Copy + Send;
    /// The reduction that lifts and merges as this one does: its loops are compiled for both.
    type Loop: ReduceOp<T, Acc = Self::Acc>;
    /// The reduction of accumulators of this one.
    type Merge: ReduceOp<Self::Acc, Acc = Self::Acc>;
    /// Whether no order of its elements changes the result.
    const ANY_ORDER: bool = false;
    /// The accumulator of nothing.
    fn identity() -> Self::Acc;
    /// An element as an accumulator.
    fn lift(x: T) -> Self::Acc;
    /// Combines two accumulators.
    fn merge(a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// The result of `n` elements.
    fn finish(acc: Self::Acc, n: usize) -> Self::Out;
    /// Reduces the first ones of many rows of `n` elements each, where this machine does several at once; says how many.
    #[doc(hidden)]
    #[inline]
    fn short_rows(_x: &[T], _n: usize, _acc: &mut [Self::Acc]) -> usize {
        0
    }
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name;
    )*};
}
names! {
    /// The sum; integers wrap.
    Sum
    /// The product; integers wrap.
    Prod
    /// The greatest; NaN if any is.
    Max
    /// The least; NaN if any is.
    Min
    /// The mean; of integers it is truncated.
    Mean
    /// Whether all are true.
    All
    /// Whether any is true.
    Any
}

/// One reduction at one type: whose loops it has, what merges its accumulators, how it begins, lifts, merges and ends.
macro_rules! reduction {
    (any order: $($rest:tt)*) => {
        reduction!(@ true; $($rest)*);
    };
    (@ $any_order:literal; $op:ty [$loop:ty, $merges:ty], $t:ty, $acc:ty, $identity:expr, |$x:ident| $lift:expr, |$a:ident, $b:ident| $merge:expr, |$r:ident, $n:pat_param| $finish:expr $(; short $fold:ident)?) => {
        impl ReduceOp<$t> for $op {
            type Acc = $acc;
            type Out = $t;
            type Loop = $loop;
            type Merge = $merges;
            const ANY_ORDER: bool = $any_order;
            #[inline(always)]
            fn identity() -> $acc {
                $identity
            }
            #[inline(always)]
            fn lift($x: $t) -> $acc {
                $lift
            }
            #[inline(always)]
            fn merge($a: $acc, $b: $acc) -> $acc {
                $merge
            }
            #[inline(always)]
            fn finish($r: $acc, $n: usize) -> $t {
                $finish
            }
            $(
                #[cfg(target_arch = "x86_64")]
                #[inline]
                fn short_rows(x: &[$t], n: usize, acc: &mut [$acc]) -> usize {
                    super::short::rows(super::short::Fold::$fold, x, n, acc)
                }
            )?
        }
    };
}

macro_rules! integers {
    ($wide:ty: $($t:ty)*) => {$(
        reduction!(any order: Sum [Sum, Sum], $t, $t, 0, |x| x, |a, b| a.wrapping_add(b), |r, _| r);
        reduction!(any order: Prod [Prod, Prod], $t, $t, 1, |x| x, |a, b| a.wrapping_mul(b), |r, _| r);
        reduction!(any order: Max [Max, Max], $t, $t, <$t>::MIN, |x| x, |a, b| if b > a { b } else { a }, |r, _| r);
        reduction!(any order: Min [Min, Min], $t, $t, <$t>::MAX, |x| x, |a, b| if b < a { b } else { a }, |r, _| r);
        reduction!(any order: Mean [Mean, Sum], $t, $wide, 0, |x| x as $wide, |a, b| a.wrapping_add(b), |r, n| if n == 0 { 0 } else { (r / n as $wide) as $t });
    )*};
}
integers!(i64: i8 i16 i32 i64);
integers!(u64: u8 u16 u32 u64);

macro_rules! floats {
    ($($t:ty, $acc:ident, |$x:ident| $widen:expr, |$r:ident| $narrow:expr $(, $short:tt)?;)*) => {$(
        reduction!(@ false; Sum [Sum, Sum], $t, $acc, 0.0, |$x| $widen, |a, b| a + b, |$r, _| $narrow $(; $short Sum)?);
        reduction!(@ false; Prod [Prod, Prod], $t, $acc, 1.0, |$x| $widen, |a, b| a * b, |$r, _| $narrow $(; $short Prod)?);
        reduction!(@ false; Max [Max, Max], $t, $acc, $acc::NEG_INFINITY, |$x| $widen, |a, b| if a >= b || a.is_nan() { a } else { b }, |$r, _| $narrow $(; $short Max)?);
        reduction!(@ false; Min [Min, Min], $t, $acc, $acc::INFINITY, |$x| $widen, |a, b| if a <= b || a.is_nan() { a } else { b }, |$r, _| $narrow $(; $short Min)?);
        reduction!(@ false; Mean [Sum, Sum], $t, $acc, 0.0, |$x| $widen, |a, b| a + b, |r, n| { let $r = r / n as $acc; $narrow } $(; $short Sum)?);
    )*};
}
floats! {
    f32, f32, |x| x, |r| r, short;
    f64, f64, |x| x, |r| r, short;
    f16, f32, |x| x.to_f32(), |r| f16::from_f32(r);
    bf16, f32, |x| x.to_f32(), |r| bf16::from_f32(r);
}

macro_rules! complexes {
    ($($r:ty)*) => {$(
        reduction!(@ false; Sum [Sum, Sum], Complex<$r>, Complex<$r>, Complex::new(0.0, 0.0), |x| x, |a, b| a + b, |r, _| r);
        reduction!(@ false; Prod [Prod, Prod], Complex<$r>, Complex<$r>, Complex::new(1.0, 0.0), |x| x, |a, b| a * b, |r, _| r);
        reduction!(@ false; Mean [Sum, Sum], Complex<$r>, Complex<$r>, Complex::new(0.0, 0.0), |x| x, |a, b| a + b, |r, n| r / n as $r);
    )*};
}
complexes!(f32 f64);

reduction!(any order: All [All, All], bool, bool, true, |x| x, |a, b| a & b, |r, _| r);
reduction!(any order: Any [Any, Any], bool, bool, false, |x| x, |a, b| a | b, |r, _| r);
