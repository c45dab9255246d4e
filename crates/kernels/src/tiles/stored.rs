//! Numbers as they are in memory, and as vectors compute with them: halves as `f32`.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use half::{bf16, f16};

use super::lanes::{Lanes, Plain};
#[cfg(target_arch = "x86_64")]
use super::parts::Parts;
use crate::halves::Half;

/// Vectors that are read from numbers `S` in memory, and written to them.
pub trait Holds<S>: Copy {
    /// The numbers from a place on.
    ///
    /// # Safety
    /// The machine must have the instruction set, and they must be within one slice.
    unsafe fn read(from: *const S) -> Self;

    /// Writes the numbers from a place on, rounded.
    ///
    /// # Safety
    /// As [`Self::read`].
    unsafe fn write(self, to: *mut S);
}

/// Vectors whose first numbers can be read alone.
#[cfg(target_arch = "x86_64")]
pub(crate) trait HoldsSome<T, S>: Parts<T> + Holds<S> {
    /// The first `n` numbers from a place on, which are `some`, the others 0; only those are read.
    ///
    /// # Safety
    /// As [`Holds::read`].
    unsafe fn read_some(from: *const S, n: usize, some: Self::Some) -> Self;
}

/// Vectors of `f32` that are read from shorter numbers as well.
pub trait Vectors: Lanes + Holds<f16> + Holds<bf16> {}

impl<V: Lanes + Holds<f16> + Holds<bf16>> Vectors for V {}

/// Numbers that vectors of every machine are read from, and written to.
pub trait Held: Copy {
    /// As [`Holds::read`].
    ///
    /// # Safety
    /// As there.
    unsafe fn read<V: Vectors>(from: *const Self) -> V;

    /// As [`Holds::write`].
    ///
    /// # Safety
    /// As there.
    unsafe fn write<V: Vectors>(all: V, to: *mut Self);
}

macro_rules! held {
    ($($t:ty)*) => {$(
        impl Held for $t {
            // SAFETY: unsafe as the trait says; callers keep its promises.
            #[inline(always)]
            unsafe fn read<V: Vectors>(from: *const $t) -> V {
                // SAFETY: promised by the caller.
                unsafe { <V as Holds<$t>>::read(from) }
            }
            // SAFETY: unsafe as the trait says; callers keep its promises.
            #[inline(always)]
            unsafe fn write<V: Vectors>(all: V, to: *mut $t) {
                // SAFETY: promised by the caller.
                unsafe { <V as Holds<$t>>::write(all, to) }
            }
        }
    )*};
}
held!(f32 f16 bf16);

impl<T, V: Lanes<T>> Holds<T> for V {
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn read(from: *const T) -> V {
        // SAFETY: promised by the caller.
        unsafe { V::load(from) }
    }
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn write(self, to: *mut T) {
        // SAFETY: promised by the caller.
        unsafe { self.store(to) }
    }
}

#[cfg(target_arch = "x86_64")]
impl<T, V: Parts<T>> HoldsSome<T, T> for V {
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn read_some(from: *const T, _: usize, some: V::Some) -> V {
        // SAFETY: promised by the caller.
        unsafe { V::load_some(from, some) }
    }
}

macro_rules! plain {
    ($($t:ty)*) => {$(
        impl Holds<$t> for Plain {
            // SAFETY: unsafe as the trait says; callers keep its promises.
            #[inline(always)]
            unsafe fn read(from: *const $t) -> Plain {
                // SAFETY: promised by the caller.
                let all = unsafe { from.cast::<[$t; Plain::N]>().read_unaligned() };
                Plain(all.map(Half::widen1))
            }
            // SAFETY: unsafe as the trait says; callers keep its promises.
            #[inline(always)]
            unsafe fn write(self, to: *mut $t) {
                // SAFETY: promised by the caller.
                unsafe {
                    to.cast::<[$t; Plain::N]>()
                        .write_unaligned(self.0.map(Half::narrow1))
                }
            }
        }
    )*};
}
plain!(f16 bf16);

/// Loads and stores of a kind of halves as a vector of `$n`, by the integers that hold them.
#[cfg(target_arch = "x86_64")]
macro_rules! halves {
    ($t:ident as $v:ident of $n:literal, $load:ident $store:ident, |$bits:ident| $widen:expr, |$all:ident| $narrow:expr) => {
        impl Holds<$t> for $v {
            // SAFETY: unsafe as the trait says; callers keep its promises.
            #[inline(always)]
            unsafe fn read(from: *const $t) -> $v {
                // SAFETY: promised by the caller.
                unsafe {
                    let $bits = $load(from.cast());
                    $widen
                }
            }
            // SAFETY: unsafe as the trait says; callers keep its promises.
            #[inline(always)]
            unsafe fn write(self, to: *mut $t) {
                let $all = self;
                // SAFETY: promised by the caller.
                unsafe { $store(to.cast(), $narrow) }
            }
        }
        impl HoldsSome<f32, $t> for $v {
            // SAFETY: unsafe as the trait says; callers keep its promises.
            #[inline(always)]
            unsafe fn read_some(from: *const $t, n: usize, _: Self::Some) -> $v {
                let mut all = [$t::ZERO; $n];
                // SAFETY: promised by the caller, and there are fewer than a vector's.
                unsafe {
                    std::ptr::copy_nonoverlapping(from, all.as_mut_ptr(), n);
                    <$v as Holds<$t>>::read(all.as_ptr())
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

#[cfg(target_arch = "x86_64")]
halves!(f16 as __m512 of 16, _mm256_loadu_si256 _mm256_storeu_si256,
    |bits| _mm512_cvtph_ps(bits), |all| _mm512_cvtps_ph::<NEAREST>(all));
#[cfg(target_arch = "x86_64")]
halves!(f16 as __m256 of 8, _mm_loadu_si128 _mm_storeu_si128,
    |bits| _mm256_cvtph_ps(bits), |all| _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(all));
#[cfg(target_arch = "x86_64")]
halves!(bf16 as __m512 of 16, _mm256_loadu_si256 _mm256_storeu_si256,
|bits| _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(bits))),
|all| {
    let bits = _mm512_castps_si512(all);
    let odd = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
    let up = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
    let rounded = _mm512_add_epi32(bits, up);
    let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(all, all);
    let quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x40_0000));
    let chosen = _mm512_mask_blend_epi32(nan, rounded, quiet);
    _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(chosen))
});
#[cfg(target_arch = "x86_64")]
halves!(bf16 as __m256 of 8, _mm_loadu_si128 _mm_storeu_si128,
|bits| _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(bits))),
|all| {
    let bits = _mm256_castps_si256(all);
    let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
    let up = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
    let rounded = _mm256_castsi256_ps(_mm256_add_epi32(bits, up));
    let nan = _mm256_cmp_ps::<_CMP_UNORD_Q>(all, all);
    let quiet = _mm256_castsi256_ps(_mm256_or_si256(bits, _mm256_set1_epi32(0x40_0000)));
    let chosen = _mm256_srli_epi32::<16>(_mm256_castps_si256(_mm256_blendv_ps(rounded, quiet, nan)));
    let packed = _mm256_packus_epi32(chosen, chosen);
    _mm256_castsi256_si128(_mm256_permute4x64_epi64::<0x08>(packed))
});

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::isa::{Level, level};

    /// Reads and writes by one width of vectors agree with those of single numbers.
    #[inline(always)]
    // SAFETY: the tests below call it where the machine has the vectors.
    unsafe fn agree<H, V>(halves: &[H], bits: impl Fn(H) -> u16)
    where
        H: Half + std::fmt::Debug,
        V: HoldsSome<f32, H>,
    {
        for all in halves.chunks_exact(V::N) {
            let (mut wide, mut near) = ([0.0f32; 16], [H::default(); 16]);
            // SAFETY: promised by the caller; there are as many numbers as a vector holds.
            unsafe { V::read(all.as_ptr()).store(wide.as_mut_ptr()) };
            for (x, wide) in all.iter().zip(wide) {
                let same = wide == x.widen1() || wide.is_nan() && x.widen1().is_nan();
                assert!(same, "{x:?} {wide}");
            }
            for part in 1..V::N {
                let mut some = [1.0f32; 16];
                // SAFETY: as above.
                unsafe {
                    V::read_some(all.as_ptr(), part, V::first(part)).store(some.as_mut_ptr())
                };
                let kept = |i: usize| if i < part { wide[i].to_bits() } else { 0 };
                assert!((0..V::N).all(|i| some[i].to_bits() == kept(i)), "{part}");
            }
            // Each number, the middle to the next one, and what is beside that.
            for change in (0..8).flat_map(|i| [i << 11, (i << 11) + 1, (1 << 16) - (i << 11)]) {
                let moved = wide.map(|x| f32::from_bits(x.to_bits().wrapping_add(change)));
                // SAFETY: as above.
                unsafe { V::load(moved.as_ptr()).write(near.as_mut_ptr()) };
                for (x, near) in moved.iter().zip(near).take(V::N) {
                    assert_eq!(bits(near), bits(H::narrow1(*x)), "{x} {:x}", x.to_bits());
                }
            }
        }
    }

    #[test]
    fn vectors_of_each_width_convert_as_numbers_do() {
        #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
        fn wide(f: &[f16], b: &[bf16]) {
            // SAFETY: the machine has the vectors.
            unsafe {
                agree::<f16, __m512>(f, f16::to_bits);
                agree::<bf16, __m512>(b, bf16::to_bits);
            }
        }
        #[target_feature(enable = "avx2,fma,f16c")]
        fn narrow(f: &[f16], b: &[bf16]) {
            // SAFETY: the machine has the vectors.
            unsafe {
                agree::<f16, __m256>(f, f16::to_bits);
                agree::<bf16, __m256>(b, bf16::to_bits);
            }
        }
        let f: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        let b: Vec<bf16> = (0..=u16::MAX).map(bf16::from_bits).collect();
        if level() == Level::Avx512 {
            // SAFETY: the machine has the features.
            unsafe { wide(&f, &b) };
        }
        if level() != Level::Baseline {
            // SAFETY: as above.
            unsafe { narrow(&f, &b) };
        }
    }
}
