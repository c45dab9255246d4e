//! Squares transposed in registers of 256 bits, by blocks.

use std::arch::x86_64::*;

use super::TILE;

/// Rows of a square that wait to be written past the cache, each a line.
#[repr(align(64))]
struct Lines<T>([std::mem::MaybeUninit<T>; TILE * TILE]);

/// # Safety
/// As [`Transpose`](super::Transpose) says, on a machine with AVX2.
#[target_feature(enable = "avx2")]
// SAFETY: only `transpose` hands it out, for elements of four bytes on such a machine.
pub(super) unsafe fn of_four<T, const PAST: bool>(
    from: *const T,
    columns: isize,
    to: *mut T,
    rows: isize,
) {
    // SAFETY: promised by the caller.
    unsafe { blocks::<T, 8, PAST>(from, columns, to, rows, eight) }
}

/// # Safety
/// As [`Transpose`](super::Transpose) says, on a machine with AVX2.
#[target_feature(enable = "avx2")]
// SAFETY: only `transpose` hands it out, for elements of eight bytes on such a machine.
pub(super) unsafe fn of_eight<T, const PAST: bool>(
    from: *const T,
    columns: isize,
    to: *mut T,
    rows: isize,
) {
    // SAFETY: promised by the caller.
    unsafe { blocks::<T, 4, PAST>(from, columns, to, rows, four) }
}

/// All blocks of `N` by `N` elements, which `turn` transposes.
///
/// # Safety
/// As for the square; the elements must have 32 bytes in `N`.
#[target_feature(enable = "avx2")]
#[inline]
// SAFETY: only `of_four` and `of_eight` call it, with elements of that size.
unsafe fn blocks<T, const N: usize, const PAST: bool>(
    from: *const T,
    columns: isize,
    to: *mut T,
    rows: isize,
    turn: fn([__m256i; N]) -> [__m256i; N],
) {
    let mut lines = Lines::<T>([const { std::mem::MaybeUninit::uninit() }; TILE * TILE]);
    let (written, stride) = match PAST {
        true => (lines.0.as_mut_ptr().cast::<T>(), TILE as isize),
        false => (to, rows),
    };
    // SAFETY: promised by the caller; the lines hold a square.
    unsafe {
        for r in (0..TILE as isize).step_by(N) {
            for c in (0..TILE as isize).step_by(N) {
                let mut x = [_mm256_setzero_si256(); N];
                for (i, x) in (0..).zip(&mut x) {
                    *x = _mm256_loadu_si256(from.offset(r + (c + i) * columns).cast());
                }
                for (i, y) in (0..).zip(turn(x)) {
                    _mm256_storeu_si256(written.offset((r + i) * stride + c).cast(), y);
                }
            }
        }
        if PAST {
            for r in 0..TILE as isize {
                for half in (0..TILE as isize).step_by(N) {
                    let line = _mm256_load_si256(written.offset(r * stride + half).cast());
                    _mm256_stream_si256(to.offset(r * rows + half).cast(), line);
                }
            }
        }
    }
}

/// Eight by eight elements of four bytes.
#[target_feature(enable = "avx2")]
#[inline]
fn eight(x: [__m256i; 8]) -> [__m256i; 8] {
    let mut pairs = x;
    for i in 0..4 {
        pairs[2 * i] = _mm256_unpacklo_epi32(x[2 * i], x[2 * i + 1]);
        pairs[2 * i + 1] = _mm256_unpackhi_epi32(x[2 * i], x[2 * i + 1]);
    }
    let mut fours = x;
    for half in [0, 4] {
        for i in 0..2 {
            let (a, b) = (pairs[half + i], pairs[half + 2 + i]);
            fours[half + 2 * i] = _mm256_unpacklo_epi64(a, b);
            fours[half + 2 * i + 1] = _mm256_unpackhi_epi64(a, b);
        }
    }
    let mut out = x;
    for i in 0..4 {
        out[i] = _mm256_permute2x128_si256::<0x20>(fours[i], fours[4 + i]);
        out[4 + i] = _mm256_permute2x128_si256::<0x31>(fours[i], fours[4 + i]);
    }
    out
}

/// Four by four elements of eight bytes.
#[target_feature(enable = "avx2")]
#[inline]
fn four(x: [__m256i; 4]) -> [__m256i; 4] {
    let (a, b) = (
        _mm256_unpacklo_epi64(x[0], x[1]),
        _mm256_unpackhi_epi64(x[0], x[1]),
    );
    let (c, d) = (
        _mm256_unpacklo_epi64(x[2], x[3]),
        _mm256_unpackhi_epi64(x[2], x[3]),
    );
    [
        _mm256_permute2x128_si256::<0x20>(a, c),
        _mm256_permute2x128_si256::<0x20>(b, d),
        _mm256_permute2x128_si256::<0x31>(a, c),
        _mm256_permute2x128_si256::<0x31>(b, d),
    ]
}
