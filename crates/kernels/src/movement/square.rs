//! Squares transposed in registers: the innermost step of a transposing copy, for elements of four and eight bytes.

#[cfg(target_arch = "x86_64")]
mod narrow;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;
use std::mem::needs_drop;

use super::block::TILE;
use crate::isa::{Level, level};

/// The edge of a square.
pub(crate) const SIDE: usize = TILE;

/// Copies a square of [`TILE`] by [`TILE`] elements: `to[r * rows + c] = from[r + c * columns]`, the strides in this
/// order. The square must be readable there and writable here.
// SAFETY: functions of this type come from `transpose`, which has them for machines with their instructions alone.
pub(crate) type Transpose<T> = unsafe fn(*const T, isize, *mut T, isize);

/// What transposes squares of these elements in registers, where this machine can; elements are copied by their bytes.
/// `past_cache` writes lines of 64 bytes, at multiples of 64, past the cache: [`fence`] must follow.
#[cfg(target_arch = "x86_64")]
pub(crate) fn transpose<T>(past_cache: bool) -> Option<Transpose<T>> {
    if needs_drop::<T>() {
        return None;
    }
    match (level(), size_of::<T>(), past_cache) {
        (Level::Avx512, 4, false) => Some(of_four::<T, false>),
        (Level::Avx512, 4, true) => Some(of_four::<T, true>),
        (Level::Avx512, 8, false) => Some(of_eight::<T, false>),
        (Level::Avx512, 8, true) => Some(of_eight::<T, true>),
        (Level::Avx2, 4, false) => Some(narrow::of_four::<T, false>),
        (Level::Avx2, 4, true) => Some(narrow::of_four::<T, true>),
        (Level::Avx2, 8, false) => Some(narrow::of_eight::<T, false>),
        (Level::Avx2, 8, true) => Some(narrow::of_eight::<T, true>),
        _ => None,
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn transpose<T>(_: bool) -> Option<Transpose<T>> {
    None
}

/// Makes what was written past the cache visible to other threads, in order with what follows.
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: part of SSE, which each x86-64 machine has.
    unsafe {
        _mm_sfence()
    }
}

/// Lanes of 128 bits: the even ones of `a` and then of `b`.
#[cfg(target_arch = "x86_64")]
const EVEN: i32 = 0x88;
/// The odd ones.
#[cfg(target_arch = "x86_64")]
const ODD: i32 = 0xdd;

/// # Safety
/// As [`Transpose`] says, on a machine of [`Level::Avx512`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
// SAFETY: only `transpose` hands it out, for elements of four bytes on such a machine.
unsafe fn of_four<T, const PAST: bool>(from: *const T, columns: isize, to: *mut T, rows: isize) {
    // SAFETY: promised by the caller.
    let mut x = unsafe { load::<T, TILE>(from, columns) };
    let mut y = x;
    for i in 0..8 {
        let (a, b) = (x[2 * i], x[2 * i + 1]);
        y[2 * i] = _mm512_unpacklo_epi32(a, b);
        y[2 * i + 1] = _mm512_unpackhi_epi32(a, b);
    }
    for i in 0..8 {
        let (group, half) = (i / 2 * 4, i % 2);
        let (a, b) = (y[group + half], y[group + 2 + half]);
        x[group + 2 * half] = _mm512_unpacklo_epi64(a, b);
        x[group + 2 * half + 1] = _mm512_unpackhi_epi64(a, b);
    }
    for i in 0..8 {
        let (half, j) = (i / 4 * 8, i % 4);
        let (a, b) = (x[half + j], x[half + 4 + j]);
        y[half + j] = _mm512_shuffle_i32x4::<EVEN>(a, b);
        y[half + 4 + j] = _mm512_shuffle_i32x4::<ODD>(a, b);
    }
    for j in 0..8 {
        x[j] = _mm512_shuffle_i32x4::<EVEN>(y[j], y[8 + j]);
        x[8 + j] = _mm512_shuffle_i32x4::<ODD>(y[j], y[8 + j]);
    }
    // SAFETY: promised by the caller.
    unsafe { store::<T, TILE, PAST>(x, to, rows) }
}

/// # Safety
/// As [`Transpose`] says, on a machine of [`Level::Avx512`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
// SAFETY: only `transpose` hands it out, for elements of eight bytes on such a machine.
unsafe fn of_eight<T, const PAST: bool>(from: *const T, columns: isize, to: *mut T, rows: isize) {
    for (r, c) in [(0, 0), (0, 8), (8, 0), (8, 8)] {
        // SAFETY: promised by the caller.
        unsafe {
            let x = load::<T, 8>(from.offset(r + c * columns), columns);
            store::<T, 8, PAST>(eight(x), to.offset(r * rows + c), rows);
        }
    }
}

/// Eight by eight elements of eight bytes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn eight(x: [__m512i; 8]) -> [__m512i; 8] {
    let mut y = x;
    for i in 0..4 {
        let (a, b) = (x[2 * i], x[2 * i + 1]);
        y[2 * i] = _mm512_unpacklo_epi64(a, b);
        y[2 * i + 1] = _mm512_unpackhi_epi64(a, b);
    }
    let mut out = x;
    for odd in 0..2 {
        let pairs = [(y[odd], y[2 + odd]), (y[4 + odd], y[6 + odd])];
        let even = pairs.map(|(a, b)| _mm512_shuffle_i64x2::<EVEN>(a, b));
        let others = pairs.map(|(a, b)| _mm512_shuffle_i64x2::<ODD>(a, b));
        out[odd] = _mm512_shuffle_i64x2::<EVEN>(even[0], even[1]);
        out[2 + odd] = _mm512_shuffle_i64x2::<EVEN>(others[0], others[1]);
        out[4 + odd] = _mm512_shuffle_i64x2::<ODD>(even[0], even[1]);
        out[6 + odd] = _mm512_shuffle_i64x2::<ODD>(others[0], others[1]);
    }
    out
}

/// # Safety
/// `N` columns of 64 bytes may be read.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
// SAFETY: only `of_four` and `of_eight` call it, with columns of the square, whole or by halves of 64 bytes.
unsafe fn load<T, const N: usize>(from: *const T, columns: isize) -> [__m512i; N] {
    let mut x = [_mm512_setzero_si512(); N];
    for (c, x) in x.iter_mut().enumerate() {
        // SAFETY: promised by the caller.
        *x = unsafe { _mm512_loadu_si512(from.offset(c as isize * columns).cast()) };
    }
    x
}

/// # Safety
/// `N` rows of 64 bytes may be written, at multiples of 64 where that goes past the cache.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
// SAFETY: only `of_four` and `of_eight` call it, with rows of the square, whole or by halves of 64 bytes.
unsafe fn store<T, const N: usize, const PAST: bool>(x: [__m512i; N], to: *mut T, rows: isize) {
    for (r, x) in x.into_iter().enumerate() {
        // SAFETY: promised by the caller.
        unsafe {
            let row = to.offset(r as isize * rows).cast();
            match PAST {
                true => _mm512_stream_si512(row, x),
                false => _mm512_storeu_si512(row, x),
            }
        }
    }
}
