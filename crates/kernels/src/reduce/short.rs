//! Reductions of many short rows of floats, eight at a time: the lanes of each in registers, and the last steps of their
//! trees side by side, a row in each lane. The bits are those of single rows.

use std::arch::x86_64::*;

use super::tree::{FEW, LANES};
use crate::isa::{Level, level};
use crate::tiles::lanes::Lanes;
use crate::tiles::parts::Parts;

/// Rows that are reduced at once.
const ROWS: usize = 8;

/// How two numbers are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// Their sum.
    Sum,
    /// Their product.
    Prod,
    /// The greater; NaN if one is.
    Max,
    /// The less; NaN if one is.
    Min,
}

/// What merges nothing but by one kind of fold: known where it is compiled.
pub(super) trait Merge {
    const FOLD: Fold;
}

macro_rules! merges {
    ($($name:ident)*) => {$(
        struct $name;
        impl Merge for $name {
            const FOLD: Fold = Fold::$name;
        }
    )*};
}
merges!(Sum Prod Max Min);

/// Vectors of 256 bits that are merged.
pub(super) trait Merged<T>: Parts<T> {
    /// The number that changes nothing.
    fn identity(fold: Fold) -> T;

    /// Merges each number with its neighbour in the other vector.
    ///
    /// # Safety
    /// The machine must have the instruction set.
    unsafe fn merge<M: Merge>(self, other: Self) -> Self;

    /// Some numbers of this vector, the others of another.
    ///
    /// # Safety
    /// As [`Self::merge`].
    unsafe fn or(self, some: Self::Some, other: Self) -> Self;

    /// Merges the lanes of each row, each with the one that is half of them further on, until one is left; writes them.
    ///
    /// # Safety
    /// As [`Self::merge`], and there must be room for one number a row.
    unsafe fn ends<M: Merge>(rows: &[Self; ROWS], to: *mut T);
}

/// Reduces rows of `n` elements, as many as there are accumulators but for fewer than eight at the end; says how many.
pub(super) fn rows<T: Floats>(fold: Fold, x: &[T], n: usize, acc: &mut [T]) -> usize {
    assert!(x.len() >= acc.len() * n, "there are as many rows");
    if n < FEW || level() == Level::Baseline {
        return 0;
    }
    #[target_feature(enable = "avx2,fma")]
    // SAFETY: called below alone, where `level` says that the machine has the features, with rows that are within `x`.
    unsafe fn of<T: Floats, M: Merge>(x: &[T], n: usize, acc: &mut [T]) -> usize {
        for (i, acc) in acc.chunks_exact_mut(ROWS).enumerate() {
            // SAFETY: promised by the caller; there are eight accumulators.
            unsafe {
                let first = x.as_ptr().add(i * ROWS * n);
                let mut rows = [T::row::<M>(first, n); ROWS];
                for (r, row) in rows.iter_mut().enumerate().skip(1) {
                    *row = T::row::<M>(first.add(r * n), n);
                }
                T::Vector::ends::<M>(&rows, acc.as_mut_ptr());
            }
        }
        acc.len() / ROWS * ROWS
    }
    // SAFETY: the machine has the instructions, and the rows are within the slice.
    unsafe {
        match fold {
            Fold::Sum => of::<T, Sum>(x, n, acc),
            Fold::Prod => of::<T, Prod>(x, n, acc),
            Fold::Max => of::<T, Max>(x, n, acc),
            Fold::Min => of::<T, Min>(x, n, acc),
        }
    }
}

/// Numbers whose rows are reduced in vectors.
pub(super) trait Floats: Copy + 'static {
    type Vector: Merged<Self>;

    /// The lanes of a row, merged to those of one vector.
    ///
    /// # Safety
    /// The machine must have the instruction set, and the row must be within one slice.
    // SAFETY: unsafe as it says; only `rows` calls it.
    unsafe fn row<M: Merge>(row: *const Self, n: usize) -> Self::Vector;
}

macro_rules! floats {
    ($($t:ty, $vector:ty, $vectors:literal;)*) => {$(
        impl Floats for $t {
            type Vector = $vector;

            // SAFETY: unsafe as the trait says; callers keep its promises.
            #[inline(always)]
            unsafe fn row<M: Merge>(row: *const $t, n: usize) -> $vector {
                // SAFETY: promised by the caller.
                unsafe { lanes::<$t, $vector, M, $vectors>(row, n) }
            }
        }
    )*};
}
floats! { f32, __m256, 4; f64, __m256d, 8; }

/// The lanes of a row in `K` vectors, merged by halves to those of one.
///
/// # Safety
/// As for [`Floats::row`].
#[inline(always)]
// SAFETY: only `Floats::row` calls it, with what it was promised.
unsafe fn lanes<T: Copy, V: Merged<T>, M: Merge, const K: usize>(row: *const T, n: usize) -> V {
    // SAFETY: promised by the caller; what is loaded is before the row's end.
    unsafe {
        let mut lanes = [V::splat(V::identity(M::FOLD)); K];
        let whole = n / LANES * LANES;
        for at in (0..whole).step_by(LANES) {
            for (k, lane) in lanes.iter_mut().enumerate() {
                *lane = lane.merge::<M>(V::load(row.add(at + k * V::N)));
            }
        }
        let rest = n - whole;
        let full = rest / V::N;
        for (k, lane) in lanes.iter_mut().enumerate() {
            if k < full {
                *lane = lane.merge::<M>(V::load(row.add(whole + k * V::N)));
            } else if k == full && rest > full * V::N {
                let some = V::first(rest - full * V::N);
                let merged = lane.merge::<M>(V::load_some(row.add(whole + k * V::N), some));
                *lane = merged.or(some, *lane);
            }
        }
        let mut width = K / 2;
        while width > 0 {
            for k in 0..width {
                lanes[k] = lanes[k].merge::<M>(lanes[k + width]);
            }
            width /= 2;
        }
        lanes[0]
    }
}

macro_rules! merged {
    ($v:ident $t:ident $add:ident $mul:ident $cmp:ident $and:ident $blend:ident $cast:ident) => {
        fn identity(fold: Fold) -> $t {
            match fold {
                Fold::Sum => 0.0,
                Fold::Prod => 1.0,
                Fold::Max => $t::NEG_INFINITY,
                Fold::Min => $t::INFINITY,
            }
        }

        // SAFETY: unsafe as the trait says; callers keep its promises.
        #[inline(always)]
        unsafe fn merge<M: Merge>(self, other: Self) -> Self {
            // The other number where neither this one is as far or further, nor NaN.
            // SAFETY: promised by the caller.
            unsafe {
                let number = $cmp::<_CMP_ORD_Q>(self, self);
                match M::FOLD {
                    Fold::Sum => $add(self, other),
                    Fold::Prod => $mul(self, other),
                    Fold::Max => {
                        let further = $cmp::<_CMP_NGE_UQ>(self, other);
                        $blend(self, other, $and(further, number))
                    }
                    Fold::Min => {
                        let further = $cmp::<_CMP_NLE_UQ>(self, other);
                        $blend(self, other, $and(further, number))
                    }
                }
            }
        }

        // SAFETY: unsafe as the trait says; callers keep its promises.
        #[inline(always)]
        unsafe fn or(self, some: __m256i, other: Self) -> Self {
            // SAFETY: promised by the caller.
            unsafe { $blend(other, self, $cast(some)) }
        }
    };
}

impl Merged<f32> for __m256 {
    merged!(__m256 f32 _mm256_add_ps _mm256_mul_ps _mm256_cmp_ps _mm256_and_ps _mm256_blendv_ps _mm256_castsi256_ps);

    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn ends<M: Merge>(rows: &[Self; ROWS], to: *mut f32) {
        // SAFETY: promised by the caller.
        unsafe {
            // Lanes k and k + 4 of rows r and r + 4: the halves of the vectors.
            let mut merged = [rows[0]; 4];
            for (r, merged) in merged.iter_mut().enumerate() {
                let low = _mm256_permute2f128_ps::<0x20>(rows[r], rows[r + 4]);
                *merged = low.merge::<M>(_mm256_permute2f128_ps::<0x31>(rows[r], rows[r + 4]));
            }
            // Lanes k and k + 2 of two of them.
            let mut pairs = [rows[0]; 2];
            for (pair, of) in pairs.iter_mut().zip(merged.chunks_exact(2)) {
                let low = _mm256_shuffle_ps::<0x44>(of[0], of[1]);
                *pair = low.merge::<M>(_mm256_shuffle_ps::<0xee>(of[0], of[1]));
            }
            let even = _mm256_shuffle_ps::<0x88>(pairs[0], pairs[1]);
            let odd = _mm256_shuffle_ps::<0xdd>(pairs[0], pairs[1]);
            even.merge::<M>(odd).store(to);
        }
    }
}

impl Merged<f64> for __m256d {
    merged!(__m256d f64 _mm256_add_pd _mm256_mul_pd _mm256_cmp_pd _mm256_and_pd _mm256_blendv_pd _mm256_castsi256_pd);

    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn ends<M: Merge>(rows: &[Self; ROWS], to: *mut f64) {
        // SAFETY: promised by the caller.
        unsafe {
            for first in [0, 4] {
                // Lanes k and k + 2 of rows r and r + 2.
                let mut merged = [rows[0]; 2];
                for (r, merged) in merged.iter_mut().enumerate() {
                    let (a, b) = (rows[first + r], rows[first + r + 2]);
                    let low = _mm256_permute2f128_pd::<0x20>(a, b);
                    *merged = low.merge::<M>(_mm256_permute2f128_pd::<0x31>(a, b));
                }
                let even = _mm256_unpacklo_pd(merged[0], merged[1]);
                let odd = _mm256_unpackhi_pd(merged[0], merged[1]);
                even.merge::<M>(odd).store(to.add(first));
            }
        }
    }
}
