//! Vectors of numbers, of the widths that machines have.

use super::stored::Vectors;
use crate::halves::Short;

/// Numbers that one instruction works on.
pub trait Lanes<T = f32>: Copy {
    /// How many.
    const N: usize;

    /// Copies of one number.
    ///
    /// # Safety
    /// The machine must have the instruction set.
    unsafe fn splat(x: T) -> Self;

    /// The numbers from a place on.
    ///
    /// # Safety
    /// As [`Self::splat`], and they must be within one slice.
    unsafe fn load(from: *const T) -> Self;

    /// Writes the numbers from a place on.
    ///
    /// # Safety
    /// As [`Self::load`].
    unsafe fn store(self, to: *mut T);

    /// `a * b + self`.
    ///
    /// # Safety
    /// As [`Self::splat`].
    unsafe fn fused(self, a: Self, b: Self) -> Self;
}

/// What every machine has.
#[derive(Clone, Copy)]
pub(super) struct Plain(pub [f32; 8]);

impl Lanes for Plain {
    const N: usize = 8;

    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn splat(x: f32) -> Self {
        Plain([x; 8])
    }
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: promised by the caller.
        Plain(unsafe { from.cast::<[f32; 8]>().read_unaligned() })
    }
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: promised by the caller.
        unsafe { to.cast::<[f32; 8]>().write_unaligned(self.0) }
    }
    // SAFETY: unsafe as the trait says; callers keep its promises.
    #[inline(always)]
    unsafe fn fused(self, a: Self, b: Self) -> Self {
        Plain(std::array::from_fn(|i| {
            match cfg!(target_arch = "x86_64") {
                true => a.0[i] * b.0[i] + self.0[i],
                false => a.0[i].mul_add(b.0[i], self.0[i]),
            }
        }))
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! lanes {
    ($t:ident $of:ident $n:literal $splat:ident $load:ident $store:ident $fused:ident) => {
        impl Lanes<$of> for std::arch::x86_64::$t {
            const N: usize = $n;

            // SAFETY: unsafe as the trait says; callers keep its promises.
            #[inline(always)]
            unsafe fn splat(x: $of) -> Self {
                // SAFETY: promised by the caller.
                unsafe { std::arch::x86_64::$splat(x) }
            }
            // SAFETY: unsafe as the trait says; callers keep its promises.
            #[inline(always)]
            unsafe fn load(from: *const $of) -> Self {
                // SAFETY: promised by the caller.
                unsafe { std::arch::x86_64::$load(from) }
            }
            // SAFETY: unsafe as the trait says; callers keep its promises.
            #[inline(always)]
            unsafe fn store(self, to: *mut $of) {
                // SAFETY: promised by the caller.
                unsafe { std::arch::x86_64::$store(to, self) }
            }
            // SAFETY: unsafe as the trait says; callers keep its promises.
            #[inline(always)]
            unsafe fn fused(self, a: Self, b: Self) -> Self {
                // SAFETY: promised by the caller.
                unsafe { std::arch::x86_64::$fused(a, b, self) }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
lanes!(__m256 f32 8 _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_fmadd_ps);
#[cfg(target_arch = "x86_64")]
lanes!(__m512 f32 16 _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_fmadd_ps);
#[cfg(target_arch = "x86_64")]
lanes!(__m256d f64 4 _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_fmadd_pd);
#[cfg(target_arch = "x86_64")]
lanes!(__m512d f64 8 _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_fmadd_pd);

/// Defines `$name`, which runs `$body` compiled for the widest vectors that this machine has, with the rows of a tile
/// that fit its registers. Of `<S>` the vectors are to hold such numbers.
macro_rules! for_lanes {
    ($(#[$doc:meta])* $vis:vis fn $name:ident $(<$s:ident: $is:ident>)? ($($arg:ident: $t:ty),* $(,)?) => $body:ident,
     $wide:literal $narrow:literal $plain:literal) => {
        $(#[$doc])*
        $vis fn $name $(<$s: $is>)? ($($arg: $t),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
            fn wide $(<$s: $is>)? ($($arg: $t),*) {
                $body::<$($s,)? std::arch::x86_64::__m512, $wide>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c")]
            fn narrow $(<$s: $is>)? ($($arg: $t),*) {
                $body::<$($s,)? std::arch::x86_64::__m256, $narrow>($($arg),*)
            }
            match $crate::isa::level() {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: `level` reports these only where the machine has the features.
                $crate::isa::Level::Avx512 => unsafe { wide($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: as above.
                $crate::isa::Level::Avx2 => unsafe { narrow($($arg),*) },
                _ => $body::<$($s,)? $crate::tiles::lanes::Plain, $plain>($($arg),*),
            }
        }
    };
}
pub(super) use for_lanes;

/// How many numbers the widest vectors of this machine hold.
pub(super) fn widest() -> usize {
    match crate::isa::level() {
        crate::isa::Level::Avx512 => 16,
        _ => 8,
    }
}

/// Writes the first `columns` numbers of vectors.
///
/// # Safety
/// The machine must have the instruction set, and they must be within one slice.
#[inline(always)]
pub(super) unsafe fn put<S: Short, V: Vectors, const W: usize>(
    from: &[V; W],
    to: *mut S,
    columns: usize,
) {
    let mut all = [S::rounded(0.0); 32];
    // SAFETY: `all` holds two of the widest vectors; the rest is promised by the caller.
    unsafe {
        if columns == W * V::N {
            return (0..W).for_each(|w| S::write(from[w], to.add(w * V::N)));
        }
        (0..W).for_each(|w| S::write(from[w], all.as_mut_ptr().add(w * V::N)));
        std::ptr::copy_nonoverlapping(all.as_ptr(), to, columns);
    }
}
