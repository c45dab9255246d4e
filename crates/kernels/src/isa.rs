//! Instruction sets: one loop written once in plain Rust, compiled for each set, chosen when it runs.
//!
//! A [`Job`] is a loop; [`dispatch`] runs it in the widest instruction set that the machine has. Loops must be
//! `#[inline(always)]` all the way down, so that LLVM vectorises them inside the function that enables the features.

use std::sync::atomic::{AtomicU8, Ordering};

/// How an instruction set multiplies and adds. Within one process every loop uses the same one, so that results do
/// not depend on chunking.
pub trait Isa {
    /// Whether a multiply-add has one rounding.
    const FUSED: bool;
    /// `a * b + c` in f32.
    fn fma32(a: f32, b: f32, c: f32) -> f32;
    /// `a * b + c` in f64.
    fn fma64(a: f64, b: f64, c: f64) -> f64;
}

/// Two roundings; for machines without fused multiply-add, where the fused one is a slow library call.
pub(crate) struct Unfused;

/// One rounding, in hardware.
pub(crate) struct Fused;

impl Isa for Unfused {
    const FUSED: bool = false;
    #[inline(always)]
    fn fma32(a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }
    #[inline(always)]
    fn fma64(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }
}

impl Isa for Fused {
    const FUSED: bool = true;
    #[inline(always)]
    fn fma32(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
    #[inline(always)]
    fn fma64(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
}

/// A loop to be compiled once for each instruction set.
pub trait Job {
    /// What it returns.
    type Out;
    /// The loop; mark it `#[inline(always)]`.
    fn run<I: Isa>(self) -> Self::Out;
}

/// The widths a loop is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Level {
    /// What the target guarantees.
    Baseline = 1,
    /// 256-bit vectors with fused multiply-add, and conversions of half floats.
    Avx2 = 2,
    /// 512-bit vectors.
    Avx512 = 3,
}

/// The level of this machine, found once.
#[inline]
pub(crate) fn level() -> Level {
    static LEVEL: AtomicU8 = AtomicU8::new(0);
    match LEVEL.load(Ordering::Relaxed) {
        1 => Level::Baseline,
        2 => Level::Avx2,
        3 => Level::Avx512,
        _ => {
            let found = detect();
            LEVEL.store(found as u8, Ordering::Relaxed);
            found
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[cold]
fn detect() -> Level {
    let avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c");
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq");
    match (avx2, avx512) {
        (true, true) => Level::Avx512,
        (true, false) => Level::Avx2,
        _ => Level::Baseline,
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[cold]
fn detect() -> Level {
    Level::Baseline
}

/// Runs a loop in the widest instruction set of this machine.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn dispatch<J: Job>(job: J) -> J::Out {
    match level() {
        // SAFETY: `level` reports these only where the machine has the features.
        Level::Avx512 => unsafe { run_avx512(job) },
        // SAFETY: as above.
        Level::Avx2 => unsafe { run_avx2(job) },
        Level::Baseline => job.run::<Unfused>(),
    }
}

/// Runs a loop in the widest instruction set of this machine.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn dispatch<J: Job>(job: J) -> J::Out {
    job.run::<Fused>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512vl,avx512dq")]
fn run_avx512<J: Job>(job: J) -> J::Out {
    job.run::<Fused>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<J: Job>(job: J) -> J::Out {
    job.run::<Fused>()
}
