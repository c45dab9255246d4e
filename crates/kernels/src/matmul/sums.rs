//! Vectors that are added up within.

use std::arch::x86_64::*;

use crate::tiles::parts::Parts;

/// Rows that are summed at once.
pub(super) const ROWS: usize = 8;

/// Vectors whose numbers are added up.
pub(super) trait Sums<T>: Parts<T> {
    /// The sum of each vector's numbers.
    ///
    /// # Safety
    /// The machine must have the instruction set.
    unsafe fn totals(rows: &[Self; ROWS]) -> [T; ROWS];
}

impl Sums<f32> for __m512 {
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn totals(rows: &[Self; ROWS]) -> [f32; ROWS] {
        // SAFETY: promised by the caller.
        unsafe {
            // Halves first: what is left are vectors of half the width.
            let mut halves = [_mm256_setzero_ps(); ROWS];
            for (half, &row) in halves.iter_mut().zip(rows) {
                let high = _mm512_extractf32x8_ps::<1>(row);
                *half = _mm256_add_ps(_mm512_castps512_ps256(row), high);
            }
            <__m256 as Sums<f32>>::totals(&halves)
        }
    }
}

impl Sums<f32> for __m256 {
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn totals(rows: &[Self; ROWS]) -> [f32; ROWS] {
        // SAFETY: promised by the caller; the array has the vector's eight numbers.
        unsafe {
            let [a, b, c, d, e, f, g, h] = *rows;
            let low = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
            let high = _mm256_hadd_ps(_mm256_hadd_ps(e, f), _mm256_hadd_ps(g, h));
            let sums = _mm256_add_ps(
                _mm256_permute2f128_ps::<0x20>(low, high),
                _mm256_permute2f128_ps::<0x31>(low, high),
            );
            let mut out = [0.0; ROWS];
            _mm256_storeu_ps(out.as_mut_ptr(), sums);
            out
        }
    }
}

impl Sums<f64> for __m512d {
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn totals(rows: &[Self; ROWS]) -> [f64; ROWS] {
        // SAFETY: promised by the caller.
        unsafe {
            let mut halves = [_mm256_setzero_pd(); ROWS];
            for (half, &row) in halves.iter_mut().zip(rows) {
                let high = _mm512_extractf64x4_pd::<1>(row);
                *half = _mm256_add_pd(_mm512_castpd512_pd256(row), high);
            }
            <__m256d as Sums<f64>>::totals(&halves)
        }
    }
}

impl Sums<f64> for __m256d {
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn totals(rows: &[Self; ROWS]) -> [f64; ROWS] {
        // SAFETY: promised by the caller; the array has the numbers of two vectors.
        unsafe {
            let mut out = [0.0; ROWS];
            for i in [0, 4] {
                let low = _mm256_hadd_pd(rows[i], rows[i + 1]);
                let high = _mm256_hadd_pd(rows[i + 2], rows[i + 3]);
                let sums = _mm256_add_pd(
                    _mm256_permute2f128_pd::<0x20>(low, high),
                    _mm256_permute2f128_pd::<0x31>(low, high),
                );
                _mm256_storeu_pd(out.as_mut_ptr().add(i), sums);
            }
            out
        }
    }
}
