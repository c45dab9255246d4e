//! Comparisons and logic.

use half::{bf16, f16};
use num_complex::Complex;

use super::integer::ops;
use super::{BinaryOp, UnaryOp};
use crate::isa::Isa;

ops! {
    /// `a == b`
    Equal
    /// `a != b`
    NotEqual
    /// `a < b`
    Less
    /// `a <= b`
    LessEqual
    /// `a > b`
    Greater
    /// `a >= b`
    GreaterEqual
    /// `a and b`
    LogicalAnd
    /// `a or b`
    LogicalOr
    /// `a xor b`
    LogicalXor
    /// `not x`
    LogicalNot
}

macro_rules! comparison {
    ($op:ty, $sign:tt: $($t:ty, $wide:expr);*) => {$(
        impl BinaryOp<$t> for $op {
            type Out = bool;
            const WIDE: bool = $wide;
            #[inline(always)]
            fn apply<I: Isa>(a: $t, b: $t) -> bool {
                a $sign b
            }
        }
    )*};
}

macro_rules! comparisons {
    (ordered: $($op:ty, $sign:tt);*) => {$(
        comparison!($op, $sign: i8, false; i16, false; i32, false; i64, false; u8, false; u16, false; u32, false; u64, false;
            f32, true; f64, true; f16, false; bf16, false);
    )*};
    (equality: $($op:ty, $sign:tt);*) => {$(
        comparison!($op, $sign: bool, false; Complex<f32>, false; Complex<f64>, false);
    )*};
}
comparisons!(ordered: Equal, ==; NotEqual, !=; Less, <; LessEqual, <=; Greater, >; GreaterEqual, >=);
comparisons!(equality: Equal, ==; NotEqual, !=);

comparison!(LogicalAnd, &: bool, false);
comparison!(LogicalOr, |: bool, false);
comparison!(LogicalXor, ^: bool, false);

impl UnaryOp<bool> for LogicalNot {
    type Out = bool;
    const WIDE: bool = false;
    #[inline(always)]
    fn apply<I: Isa>(x: bool) -> bool {
        !x
    }
}
