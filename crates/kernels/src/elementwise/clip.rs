//! Keeping numbers within bounds.

use crate::isa::{Isa, Job, dispatch};

/// The number, or the bound that it is beyond, the lower one first; NaN stays.
#[inline(always)]
pub fn clipped_to<T: Copy + PartialOrd>(x: T, low: T, high: T) -> T {
    let y = if x > high { high } else { x };
    if x < low { low } else { y }
}

struct Clip<'a, T>(&'a [T], T, T, &'a mut [T]);

impl<T: Copy + PartialOrd> Job for Clip<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Clip(x, low, high, out) = self;
        for (o, &x) in out.iter_mut().zip(x) {
            *o = clipped_to(x, low, high);
        }
    }
}

/// Numbers kept within two bounds.
pub fn clip<T: Copy + PartialOrd>(x: &[T], low: T, high: T, out: &mut [T]) {
    assert_eq!(x.len(), out.len(), "operand and result have one length");
    dispatch(Clip(x, low, high, out));
}
