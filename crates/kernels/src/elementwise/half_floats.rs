//! `f16` and `bf16` go through `f32`, a block at a time.

use super::{BinaryOp, UnaryOp};
use crate::halves::Half;
use crate::isa::Isa;

const BLOCK: usize = 512;

/// How results of the `f32` loop become results of the half loop.
pub(crate) trait FromWide<W: Copy>: Copy + Send {
    fn narrow_block(from: &[W], to: &mut [Self]);
    fn zero() -> W;
}

impl<H: Half> FromWide<f32> for H {
    fn narrow_block(from: &[f32], to: &mut [H]) {
        H::narrow(from, to);
    }
    fn zero() -> f32 {
        0.0
    }
}

impl FromWide<bool> for bool {
    fn narrow_block(from: &[bool], to: &mut [bool]) {
        to.copy_from_slice(from);
    }
    fn zero() -> bool {
        false
    }
}

pub(crate) fn unary<H: Half, O: UnaryOp<f32>, U: FromWide<O::Out>>(x: &[H], out: &mut [U]) {
    let (mut wide, mut res) = ([0f32; BLOCK], [U::zero(); BLOCK]);
    for (x, out) in x.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        let n = x.len();
        H::widen(x, &mut wide[..n]);
        O::slice(&wide[..n], &mut res[..n]);
        U::narrow_block(&res[..n], out);
    }
}

pub(crate) fn binary<H: Half, O: BinaryOp<f32>, U: FromWide<O::Out>>(
    a: &[H],
    b: &[H],
    out: &mut [U],
) {
    let (mut wa, mut wb, mut res) = ([0f32; BLOCK], [0f32; BLOCK], [U::zero(); BLOCK]);
    for ((a, b), out) in a
        .chunks(BLOCK)
        .zip(b.chunks(BLOCK))
        .zip(out.chunks_mut(BLOCK))
    {
        let n = out.len();
        H::widen(a, &mut wa[..n]);
        H::widen(b, &mut wb[..n]);
        O::vec_vec(&wa[..n], &wb[..n], &mut res[..n]);
        U::narrow_block(&res[..n], out);
    }
}

pub(crate) fn scalar_vec<H: Half, O: BinaryOp<f32>, U: FromWide<O::Out>>(
    a: H,
    b: &[H],
    out: &mut [U],
) {
    let (mut wide, mut res) = ([0f32; BLOCK], [U::zero(); BLOCK]);
    for (b, out) in b.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        let n = out.len();
        H::widen(b, &mut wide[..n]);
        O::scalar_vec(a.widen1(), &wide[..n], &mut res[..n]);
        U::narrow_block(&res[..n], out);
    }
}

pub(crate) fn vec_scalar<H: Half, O: BinaryOp<f32>, U: FromWide<O::Out>>(
    a: &[H],
    b: H,
    out: &mut [U],
) {
    let (mut wide, mut res) = ([0f32; BLOCK], [U::zero(); BLOCK]);
    for (a, out) in a.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        let n = out.len();
        H::widen(a, &mut wide[..n]);
        O::vec_scalar(&wide[..n], b.widen1(), &mut res[..n]);
        U::narrow_block(&res[..n], out);
    }
}

/// The f32 function applied to one half float.
#[inline(always)]
pub(crate) fn apply1<H: Half, O: UnaryOp<f32, Out = f32>, I: Isa>(x: H) -> H {
    H::narrow1(O::apply::<I>(x.widen1()))
}

/// Implements unary operations for `f16` and `bf16` from their `f32` forms; `=> bool` for predicates.
macro_rules! unary_halves {
    ($($op:ty),* $(,)?) => {$(
        $crate::elementwise::half_floats::unary_halves!(@one $op, half::f16);
        $crate::elementwise::half_floats::unary_halves!(@one $op, half::bf16);
    )*};
    (bool: $($op:ty),* $(,)?) => {$(
        $crate::elementwise::half_floats::unary_halves!(@bool $op, half::f16);
        $crate::elementwise::half_floats::unary_halves!(@bool $op, half::bf16);
    )*};
    (@one $op:ty, $h:ty) => {
        impl $crate::elementwise::UnaryOp<$h> for $op {
            type Out = $h;
            const COST_NS: f64 = <$op as $crate::elementwise::UnaryOp<f32>>::COST_NS + 0.3;
            #[inline(always)]
            fn apply<I: $crate::isa::Isa>(x: $h) -> $h {
                $crate::elementwise::half_floats::apply1::<$h, $op, I>(x)
            }
            fn slice(x: &[$h], out: &mut [$h]) {
                $crate::elementwise::half_floats::unary::<$h, $op, $h>(x, out)
            }
        }
    };
    (@bool $op:ty, $h:ty) => {
        impl $crate::elementwise::UnaryOp<$h> for $op {
            type Out = bool;
            #[inline(always)]
            fn apply<I: $crate::isa::Isa>(x: $h) -> bool {
                <$op as $crate::elementwise::UnaryOp<f32>>::apply::<I>(x.to_f32())
            }
            fn slice(x: &[$h], out: &mut [bool]) {
                $crate::elementwise::half_floats::unary::<$h, $op, bool>(x, out)
            }
        }
    };
}
pub(crate) use unary_halves;

/// Implements binary operations for `f16` and `bf16` from their `f32` forms; `$out` is `self` or `bool`.
macro_rules! binary_halves {
    ($($op:ty),* $(,)?) => {$(
        $crate::elementwise::half_floats::binary_halves!(@one $op, half::f16, half::f16, half::f16::from_f32);
        $crate::elementwise::half_floats::binary_halves!(@one $op, half::bf16, half::bf16, half::bf16::from_f32);
    )*};
    (bool: $($op:ty),* $(,)?) => {$(
        $crate::elementwise::half_floats::binary_halves!(@one $op, half::f16, bool, std::convert::identity);
        $crate::elementwise::half_floats::binary_halves!(@one $op, half::bf16, bool, std::convert::identity);
    )*};
    (@one $op:ty, $h:ty, $out:ty, $wrap:expr) => {
        impl $crate::elementwise::BinaryOp<$h> for $op {
            type Out = $out;
            const COST_NS: f64 = <$op as $crate::elementwise::BinaryOp<f32>>::COST_NS + 0.4;
            #[inline(always)]
            fn apply<I: $crate::isa::Isa>(a: $h, b: $h) -> $out {
                $wrap(<$op as $crate::elementwise::BinaryOp<f32>>::apply::<I>(a.to_f32(), b.to_f32()))
            }
            fn vec_vec(a: &[$h], b: &[$h], out: &mut [$out]) {
                $crate::elementwise::half_floats::binary::<$h, $op, $out>(a, b, out)
            }
            fn scalar_vec(a: $h, b: &[$h], out: &mut [$out]) {
                $crate::elementwise::half_floats::scalar_vec::<$h, $op, $out>(a, b, out)
            }
            fn vec_scalar(a: &[$h], b: $h, out: &mut [$out]) {
                $crate::elementwise::half_floats::vec_scalar::<$h, $op, $out>(a, b, out)
            }
        }
    };
}
pub(crate) use binary_halves;
