//! Transforms of one length with their tables, kept for the lengths used last.

use std::sync::Arc;

use ferrograph_tensor::{Result, checked_bytes};
use parking_lot::Mutex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};

use crate::numbers::Part;
use crate::packed::Packed;

/// How many transforms of a kind are kept.
const KEPT: usize = 16;
/// How long those that are kept of a kind are together, at most.
const LENGTHS: usize = 1 << 20;
/// How many times its length the tables of a transform may take, at most.
const TABLES: usize = 4;

/// Transforms of one kind by their lengths, the one used last at the end.
struct Shelf<P: ?Sized>(Mutex<Vec<(usize, Arc<P>)>>);

impl<P: ?Sized> Shelf<P> {
    const fn new() -> Self {
        Shelf(Mutex::new(Vec::new()))
    }

    /// The transform of that length, made where none is kept.
    fn get<T>(&self, n: usize, make: impl FnOnce() -> Result<Arc<P>>) -> Result<Arc<P>> {
        if let Some(found) = self.taken(n) {
            return Ok(found);
        }
        checked_bytes(n, TABLES * size_of::<Complex<T>>())?;
        let made = make()?;
        if n <= LENGTHS {
            let mut all = self.0.lock();
            all.push((n, made.clone()));
            // Those that were used longest ago go.
            let mut rest = LENGTHS;
            let fits = |(n, _): &&(usize, Arc<P>)| {
                rest.checked_sub(*n).is_some_and(|left| {
                    rest = left;
                    true
                })
            };
            let kept = all.iter().rev().take(KEPT).take_while(fits).count();
            let gone = all.len() - kept;
            all.drain(..gone);
        }
        Ok(made)
    }

    fn taken(&self, n: usize) -> Option<Arc<P>> {
        let mut all = self.0.lock();
        let at = all.iter().position(|(length, _)| *length == n)?;
        all[at..].rotate_left(1);
        all.last().map(|(_, found)| found.clone())
    }
}

/// A transform of an even number of real ones, or of an odd one, which `P` makes.
pub(crate) enum Real<T, P: ?Sized> {
    Even(Packed<T>),
    Odd(Arc<P>),
}

impl<T: Part> FromReal<T> {
    /// Numbers that it needs for its work.
    pub(crate) fn scratch(&self) -> usize {
        match self {
            Real::Even(plan) => plan.scratch(),
            Real::Odd(plan) => plan.get_scratch_len(),
        }
    }
}

impl<T: Part> ToReal<T> {
    /// Numbers that it needs for its work.
    pub(crate) fn scratch(&self) -> usize {
        match self {
            Real::Even(plan) => plan.scratch(),
            Real::Odd(plan) => plan.get_scratch_len(),
        }
    }
}

/// From real numbers.
pub(crate) type FromReal<T> = Real<T, dyn RealToComplex<T>>;

/// To real numbers, divided by how many they are where these are even.
pub(crate) type ToReal<T> = Real<T, dyn ComplexToReal<T>>;

/// The transforms of one precision.
pub(crate) struct Plans<T> {
    forward: Shelf<dyn Fft<T>>,
    inverse: Shelf<dyn Fft<T>>,
    real: Shelf<FromReal<T>>,
    half: Shelf<ToReal<T>>,
}

impl<T: Part> Plans<T> {
    pub(crate) const fn new() -> Self {
        Plans {
            forward: Shelf::new(),
            inverse: Shelf::new(),
            real: Shelf::new(),
            half: Shelf::new(),
        }
    }

    /// From complex numbers to complex numbers; the inverse is not divided by the length.
    pub(crate) fn complex(&self, n: usize, inverse: bool) -> Result<Arc<dyn Fft<T>>> {
        let mut planner = FftPlanner::new();
        match inverse {
            true => self.inverse.get::<T>(n, || Ok(planner.plan_fft_inverse(n))),
            false => self.forward.get::<T>(n, || Ok(planner.plan_fft_forward(n))),
        }
    }

    /// From real numbers to the first half of their transform.
    pub(crate) fn real(&self, n: usize) -> Result<Arc<FromReal<T>>> {
        self.real.get::<T>(n, || {
            Ok(Arc::new(match n % 2 {
                0 => Real::Even(Packed::new(FftPlanner::new().plan_fft_forward(n / 2))?),
                _ => Real::Odd(RealFftPlanner::new().plan_fft_forward(n)),
            }))
        })
    }

    /// From the first half of a transform to real numbers.
    pub(crate) fn half(&self, n: usize) -> Result<Arc<ToReal<T>>> {
        self.half.get::<T>(n, || {
            Ok(Arc::new(match n % 2 {
                0 => Real::Even(Packed::new(FftPlanner::new().plan_fft_inverse(n / 2))?),
                _ => Real::Odd(RealFftPlanner::new().plan_fft_inverse(n)),
            }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lengths_used_last_are_kept() {
        let plans = Plans::<f64>::new();
        let first = plans.complex(7, false).unwrap();
        for n in 20..20 + KEPT - 1 {
            plans.complex(n, false).unwrap();
        }
        assert!(Arc::ptr_eq(&first, &plans.complex(7, false).unwrap()));
        plans.complex(100, false).unwrap();
        assert!(Arc::ptr_eq(&first, &plans.complex(7, false).unwrap()));
        for n in 50..50 + KEPT {
            plans.complex(n, false).unwrap();
        }
        assert!(!Arc::ptr_eq(&first, &plans.complex(7, false).unwrap()));
        plans.complex(LENGTHS + 1, false).unwrap();
        assert_eq!(plans.forward.0.lock().len(), KEPT);
    }

    #[test]
    fn long_ones_take_the_place_of_many() {
        let plans = Plans::<f32>::new();
        let lengths = || {
            plans
                .forward
                .0
                .lock()
                .iter()
                .map(|(n, _)| *n)
                .collect::<Vec<_>>()
        };
        for n in [10, 11, LENGTHS / 2, LENGTHS / 2 - 11] {
            plans.complex(n, false).unwrap();
        }
        assert_eq!(lengths(), [11, LENGTHS / 2, LENGTHS / 2 - 11]);
        let long = plans.complex(LENGTHS, false).unwrap();
        assert_eq!(lengths(), [LENGTHS]);
        assert!(Arc::ptr_eq(&long, &plans.complex(LENGTHS, false).unwrap()));
    }
}
