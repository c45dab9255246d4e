//! Loads of fewer numbers than a vector holds.

use std::arch::x86_64::*;

use super::lanes::Lanes;

/// Vectors whose first numbers can be loaded alone.
pub(crate) trait Parts<T>: Lanes<T> {
    /// Which numbers of a vector are meant.
    type Some: Copy;

    /// The first `n` numbers, fewer than a vector holds.
    ///
    /// # Safety
    /// The machine must have the instruction set.
    unsafe fn first(n: usize) -> Self::Some;

    /// Some numbers from a place on, the others 0; only those are read.
    ///
    /// # Safety
    /// As [`Self::first`], and these must be within one slice.
    unsafe fn load_some(from: *const T, some: Self::Some) -> Self;
}

/// The bits of the first `n` lanes.
fn bits(n: usize) -> u32 {
    (1u32 << n) - 1
}

impl Parts<f32> for __m512 {
    type Some = __mmask16;

    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn first(n: usize) -> __mmask16 {
        bits(n) as __mmask16
    }
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn load_some(from: *const f32, some: __mmask16) -> Self {
        // SAFETY: promised by the caller.
        unsafe { _mm512_maskz_loadu_ps(some, from) }
    }
}

impl Parts<f32> for __m256 {
    type Some = __m256i;

    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn first(n: usize) -> __m256i {
        // SAFETY: promised by the caller.
        unsafe {
            let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            _mm256_cmpgt_epi32(_mm256_set1_epi32(n as i32), lanes)
        }
    }
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn load_some(from: *const f32, some: __m256i) -> Self {
        // SAFETY: promised by the caller.
        unsafe { _mm256_maskload_ps(from, some) }
    }
}

impl Parts<f64> for __m512d {
    type Some = __mmask8;

    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn first(n: usize) -> __mmask8 {
        bits(n) as __mmask8
    }
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn load_some(from: *const f64, some: __mmask8) -> Self {
        // SAFETY: promised by the caller.
        unsafe { _mm512_maskz_loadu_pd(some, from) }
    }
}

impl Parts<f64> for __m256d {
    type Some = __m256i;

    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn first(n: usize) -> __m256i {
        // SAFETY: promised by the caller.
        unsafe {
            let lanes = _mm256_setr_epi64x(0, 1, 2, 3);
            _mm256_cmpgt_epi64(_mm256_set1_epi64x(n as i64), lanes)
        }
    }
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn load_some(from: *const f64, some: __m256i) -> Self {
        // SAFETY: promised by the caller.
        unsafe { _mm256_maskload_pd(from, some) }
    }
}
