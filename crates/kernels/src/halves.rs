//! Floats of 16 bits from and to `f32`, as many at once as the machine can.

use std::ops::Deref;

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};

use crate::isa::{Isa, Job, dispatch};
use crate::pool;
use crate::scratch::{Floats, floats};
use crate::tiles::stored::Held;

/// A 16-bit float that converts from and to `f32` by slices of one length.
pub(crate) trait Half: Copy + Default + Send + Sync + 'static {
    /// Exactly.
    fn widen(from: &[Self], to: &mut [f32]) {
        let n = from.len().max(1);
        Self::widen_rows((from, n), n, (to, n));
    }
    /// Rounded to the nearest, to the even one of two.
    fn narrow(from: &[f32], to: &mut [Self]);
    /// As [`Self::widen`], rows of `width`, which begin as far apart as said beside each side.
    fn widen_rows(from: (&[Self], usize), width: usize, to: (&mut [f32], usize));
    /// As [`Self::widen`].
    fn widen1(self) -> f32;
    /// As [`Self::narrow`].
    fn narrow1(x: f32) -> Self;
}

/// Nanoseconds that an element takes, roughly.
const COST_NS: f64 = 0.3;

/// As `f32`, over the pool when that is worth it.
pub(crate) fn widened<H: Half>(all: &[H]) -> Floats {
    let mut wide = floats(all.len());
    pool::par_chunks_mut(&mut wide, COST_NS, |at, wide| {
        H::widen(&all[at..][..wide.len()], wide);
    });
    wide
}

/// Rounds to 16 bits, over the pool when that is worth it.
pub(crate) fn narrow<H: Half>(wide: &[f32], to: &mut [H]) {
    assert_eq!(wide.len(), to.len(), "operand and result have one length");
    pool::par_chunks_mut(to, COST_NS, |at, to| H::narrow(&wide[at..][..to.len()], to));
}

/// Floats of at most 32 bits, which are computed with as `f32`.
pub trait Short: Held + Send + Sync + 'static {
    /// As `f32`, over the pool when that is worth it.
    fn wide(all: &[Self]) -> Wide<'_>;
    /// Copies, exactly.
    fn copy(from: &[Self], to: &mut [f32]) {
        let n = from.len().max(1);
        Self::copy_rows((from, n), n, (to, n));
    }
    /// As [`Self::copy`], rows of `width`, which begin as far apart as said beside each side.
    fn copy_rows(from: (&[Self], usize), width: usize, to: (&mut [f32], usize));
    /// As `f32`.
    fn single(self) -> f32;
    /// From `f32`, rounded.
    fn rounded(x: f32) -> Self;
    /// Has numbers made, and rounds them.
    fn make(to: &mut [Self], make: impl FnOnce(&mut [f32]));
}

/// Numbers as `f32`.
pub enum Wide<'a> {
    /// That were.
    Own(&'a [f32]),
    /// That became.
    Made(Floats),
}

impl Deref for Wide<'_> {
    type Target = [f32];
    fn deref(&self) -> &[f32] {
        match self {
            Wide::Own(all) => all,
            Wide::Made(all) => all,
        }
    }
}

impl Short for f32 {
    fn wide(all: &[f32]) -> Wide<'_> {
        Wide::Own(all)
    }
    fn copy_rows(from: (&[f32], usize), width: usize, to: (&mut [f32], usize)) {
        for (from, to) in from.0.chunks(from.1).zip(to.0.chunks_mut(to.1)) {
            to[..width].copy_from_slice(&from[..width]);
        }
    }
    #[inline(always)]
    fn single(self) -> f32 {
        self
    }
    #[inline(always)]
    fn rounded(x: f32) -> f32 {
        x
    }
    fn make(to: &mut [f32], make: impl FnOnce(&mut [f32])) {
        make(to);
    }
}

impl<H: Half + Held> Short for H {
    fn wide(all: &[H]) -> Wide<'_> {
        Wide::Made(widened(all))
    }
    fn copy_rows(from: (&[H], usize), width: usize, to: (&mut [f32], usize)) {
        H::widen_rows(from, width, to);
    }
    #[inline(always)]
    fn single(self) -> f32 {
        self.widen1()
    }
    #[inline(always)]
    fn rounded(x: f32) -> H {
        H::narrow1(x)
    }
    fn make(to: &mut [H], make: impl FnOnce(&mut [f32])) {
        let mut wide = floats(to.len());
        make(&mut wide);
        narrow(&wide, to);
    }
}

impl Half for bf16 {
    fn narrow(from: &[f32], to: &mut [bf16]) {
        dispatch(Narrow(from, to));
    }
    fn widen_rows(from: (&[bf16], usize), width: usize, to: (&mut [f32], usize)) {
        dispatch(WidenRows(from, width, to));
    }
    #[inline(always)]
    fn widen1(self) -> f32 {
        self.to_f32()
    }
    #[inline(always)]
    fn narrow1(x: f32) -> bf16 {
        bf16::from_f32(x)
    }
}

/// The bit that tells a quiet NaN, in the upper half of an `f32`.
const QUIET: u32 = 0x40;

struct WidenRows<'a>((&'a [bf16], usize), usize, (&'a mut [f32], usize));

impl Job for WidenRows<'_> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let WidenRows((from, apart), width, (to, to_apart)) = self;
        for (from, to) in from.chunks(apart).zip(to.chunks_mut(to_apart)) {
            for (to, from) in to[..width].iter_mut().zip(from) {
                let bits = u32::from(from.to_bits());
                let nan = if bits & 0x7fff > 0x7f80 { QUIET } else { 0 };
                *to = f32::from_bits((bits | nan) << 16);
            }
        }
    }
}

struct Narrow<'a>(&'a [f32], &'a mut [bf16]);

impl Job for Narrow<'_> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for (to, from) in self.1.iter_mut().zip(self.0) {
            let bits = from.to_bits();
            let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
            let nan = bits & 0x7fff_ffff > 0x7f80_0000;
            *to = bf16::from_bits(if nan { bits >> 16 | QUIET } else { rounded } as u16);
        }
    }
}

impl Half for f16 {
    fn narrow(from: &[f32], to: &mut [f16]) {
        #[cfg(target_arch = "x86_64")]
        if crate::isa::level() == crate::isa::Level::Avx512 {
            // SAFETY: the machine has the features.
            return unsafe { by_16::narrow(from, to) };
        }
        to.convert_from_f32_slice(from);
    }
    fn widen_rows(from: (&[f16], usize), width: usize, to: (&mut [f32], usize)) {
        #[cfg(target_arch = "x86_64")]
        if crate::isa::level() == crate::isa::Level::Avx512 {
            // SAFETY: the machine has the features.
            return unsafe { by_16::widen_rows(from, width, to) };
        }
        for (from, to) in from.0.chunks(from.1).zip(to.0.chunks_mut(to.1)) {
            from[..width].convert_to_f32_slice(&mut to[..width]);
        }
    }
    #[inline(always)]
    fn widen1(self) -> f32 {
        self.to_f32()
    }
    #[inline(always)]
    fn narrow1(x: f32) -> f16 {
        f16::from_f32(x)
    }
}

/// Sixteen at once.
#[cfg(target_arch = "x86_64")]
mod by_16 {
    use super::f16;
    use std::arch::x86_64::*;

    const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
    pub(super) fn widen_rows(from: (&[f16], usize), width: usize, to: (&mut [f32], usize)) {
        for (from, to) in from.0.chunks(from.1).zip(to.0.chunks_mut(to.1)) {
            widen(&from[..width], &mut to[..width]);
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
    fn widen(from: &[f16], to: &mut [f32]) {
        let (from, from_rest) = from.as_chunks::<16>();
        let (to, to_rest) = to.as_chunks_mut::<16>();
        from.iter()
            .zip(to)
            .for_each(|(from, to)| widen_16(from, to));
        if from_rest.is_empty() {
            return;
        }
        let (mut last, mut wide) = ([f16::ZERO; 16], [0.0; 16]);
        last[..from_rest.len()].copy_from_slice(from_rest);
        widen_16(&last, &mut wide);
        to_rest.copy_from_slice(&wide[..to_rest.len()]);
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
    pub(super) fn narrow(from: &[f32], to: &mut [f16]) {
        let (from, from_rest) = from.as_chunks::<16>();
        let (to, to_rest) = to.as_chunks_mut::<16>();
        from.iter()
            .zip(to)
            .for_each(|(from, to)| narrow_16(from, to));
        if from_rest.is_empty() {
            return;
        }
        let (mut last, mut slim) = ([0.0; 16], [f16::ZERO; 16]);
        last[..from_rest.len()].copy_from_slice(from_rest);
        narrow_16(&last, &mut slim);
        to_rest.copy_from_slice(&slim[..to_rest.len()]);
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
    fn widen_16(from: &[f16; 16], to: &mut [f32; 16]) {
        // SAFETY: both sides hold sixteen.
        unsafe {
            let all = _mm256_loadu_si256(from.as_ptr().cast());
            _mm512_storeu_ps(to.as_mut_ptr(), _mm512_cvtph_ps(all));
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
    fn narrow_16(from: &[f32; 16], to: &mut [f16; 16]) {
        // SAFETY: both sides hold sixteen.
        unsafe {
            let all = _mm512_cvtps_ph::<NEAREST>(_mm512_loadu_ps(from.as_ptr()));
            _mm256_storeu_si256(to.as_mut_ptr().cast(), all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree<H: Half + PartialEq + std::fmt::Debug>(all: &[H], bits: impl Fn(H) -> u16) {
        let wide = widened(all);
        for (x, wide) in all.iter().zip(wide.iter()) {
            assert_eq!(wide.to_bits(), x.widen1().to_bits(), "{x:?}");
        }
        // Each number, the middle to the next one, and what is beside that.
        let near = wide
            .iter()
            .flat_map(|x| (0..8).map(|i| x.to_bits() ^ (i << 11)));
        let near: Vec<f32> = near.flat_map(|b| [b, b + 1]).map(f32::from_bits).collect();
        let mut slim = vec![H::narrow1(0.0); near.len()];
        narrow(&near, &mut slim);
        for (x, slim) in near.iter().zip(slim) {
            assert_eq!(bits(slim), bits(H::narrow1(*x)), "{x}");
        }
    }

    #[test]
    fn slices_convert_as_elements_do() {
        let all: Vec<u16> = (0..=u16::MAX).collect();
        agree(
            &all.iter().map(|b| f16::from_bits(*b)).collect::<Vec<_>>(),
            f16::to_bits,
        );
        agree(
            &all.iter().map(|b| bf16::from_bits(*b)).collect::<Vec<_>>(),
            bf16::to_bits,
        );
        for n in 0..40 {
            assert_eq!(*widened(&vec![f16::ONE; n]), vec![1.0; n]);
        }
    }
}
