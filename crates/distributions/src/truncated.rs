//! Normal numbers between bounds, by the proposals of Robert (Statistics and Computing 5 (1995), 121).
//!
//! The samples of one distribution follow each other in the stream; the next distribution begins with a fresh block.

use ferrograph_kernels::random::{
    PhiloxState, Uniform, fill_normal_f32, fill_normal_f64, fill_uniform,
};
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Result, bail};
use num_traits::{Float, FromPrimitive};

/// A number of which blocks of a stream make some uniform and normal ones.
pub(crate) trait Drawn: Float + FromPrimitive + Uniform {
    /// How many of them a block makes.
    const PER_BLOCK: usize;
    fn normal(state: PhiloxState, out: &mut [Self]);
}

impl Drawn for f32 {
    const PER_BLOCK: usize = 4;
    fn normal(state: PhiloxState, out: &mut [f32]) {
        fill_normal_f32(state, out);
    }
}

impl Drawn for f64 {
    const PER_BLOCK: usize = 2;
    fn normal(state: PhiloxState, out: &mut [f64]) {
        fill_normal_f64(state, out);
    }
}

/// The most numbers of a block.
const MOST: usize = 4;
/// Proposals in a row that are refused, after which the next one is taken.
const PATIENCE: usize = 1000;
/// Where the mean is that many deviations within a bound, normal numbers are proposed.
const INSIDE: f64 = 1.3;

/// The blocks of a stream one by one.
struct Blocks(PhiloxState);

impl Blocks {
    fn uniform<T: Drawn>(&mut self) -> [T; MOST] {
        let mut numbers = [T::zero(); MOST];
        fill_uniform(self.0, &mut numbers[..T::PER_BLOCK]);
        self.0 = self.0.skip(1);
        numbers
    }

    fn normal<T: Drawn>(&mut self) -> [T; MOST] {
        let mut numbers = [T::zero(); MOST];
        T::normal(self.0, &mut numbers[..T::PER_BLOCK]);
        self.0 = self.0.skip(1);
        numbers
    }
}

/// A normal distribution between bounds.
#[derive(Clone, Copy)]
pub(crate) struct Truncated<T> {
    pub mean: T,
    pub deviation: T,
    pub low: T,
    pub high: T,
}

/// How numbers are proposed.
enum Proposal {
    Normal,
    Uniform,
    Exponential,
}

impl<T: Drawn> Truncated<T> {
    /// # Errors
    /// `InvalidArgument` where the bounds leave no interval, or neither they nor the deviation are finite.
    pub fn check(&self) -> Result<()> {
        let is_bounded = self.low.is_finite() || self.high.is_finite();
        if self.deviation > T::zero()
            && self.low < self.high
            && (self.deviation.is_finite() || is_bounded)
        {
            return Ok(());
        }
        bail!(
            InvalidArgument,
            "a truncated normal distribution needs stddevs above 0 and minvals below maxvals"
        )
    }

    /// Fills `out` from a place of the stream on; where the next distribution begins.
    pub fn fill<'a>(
        mut self,
        start: PhiloxState,
        out: impl ExactSizeIterator<Item = &'a mut T>,
    ) -> PhiloxState
    where
        T: 'a,
    {
        // A bound that is on one side of the mean becomes the lower one.
        if self.low == T::neg_infinity() || self.high < self.mean {
            std::mem::swap(&mut self.low, &mut self.high);
            self.deviation = -self.deviation;
        }
        let low = (self.low - self.mean) / self.deviation;
        let high = (self.high - self.mean) / self.deviation;
        let mut blocks = Blocks(start);
        let mut accepted = Accepted {
            left: out.len(),
            out,
            refused: 0,
            scale: |x: T| x * self.deviation + self.mean,
        };
        while accepted.left > 0 {
            poll_cancellation();
            match proposal(low, high) {
                Proposal::Normal => by_normal(&mut blocks, low, high, &mut accepted),
                Proposal::Uniform => by_uniform(&mut blocks, low, high, &mut accepted),
                Proposal::Exponential => by_exponential(&mut blocks, low, high, &mut accepted),
            }
        }
        blocks.0
    }
}

/// Where accepted samples go.
struct Accepted<I, F> {
    out: I,
    left: usize,
    /// Proposals refused since the last sample.
    refused: usize,
    scale: F,
}

impl<'a, T: Drawn + 'a, I: Iterator<Item = &'a mut T>, F: Fn(T) -> T> Accepted<I, F> {
    /// Takes a proposal, or refuses it.
    fn offer(&mut self, x: T, is_good: bool) {
        if !is_good && self.refused + 1 < PATIENCE {
            self.refused += 1;
        } else if let Some(to) = self.out.next() {
            *to = (self.scale)(x);
            (self.refused, self.left) = (0, self.left - 1);
        }
    }
}

fn of<T: Drawn>(x: f64) -> T {
    T::from_f64(x).unwrap_or_else(T::nan)
}

/// What accepts most, for bounds of the standard normal distribution.
fn proposal<T: Drawn>(low: T, high: T) -> Proposal {
    let (inside, zero) = (of::<T>(INSIDE), T::zero());
    if (low < -inside && high >= zero) || (high > inside && low <= zero) {
        return Proposal::Normal;
    }
    let (two, four) = (of::<T>(2.0), of::<T>(4.0));
    let root = (low * low + four).sqrt();
    let cutoff = two * (of::<T>(0.5) + (low * (low - root)) / four).exp() / (low + root);
    match high - low < cutoff {
        true => Proposal::Uniform,
        false => Proposal::Exponential,
    }
}

fn by_normal<'a, T: Drawn + 'a>(
    blocks: &mut Blocks,
    low: T,
    high: T,
    accepted: &mut Accepted<impl Iterator<Item = &'a mut T>, impl Fn(T) -> T>,
) {
    for x in &blocks.normal::<T>()[..T::PER_BLOCK] {
        accepted.offer(*x, *x >= low && *x <= high);
    }
}

/// A block of proposals, and one of numbers by which they are accepted.
fn by_uniform<'a, T: Drawn + 'a>(
    blocks: &mut Blocks,
    low: T,
    high: T,
    accepted: &mut Accepted<impl Iterator<Item = &'a mut T>, impl Fn(T) -> T>,
) {
    let least = if low < T::zero() {
        T::zero()
    } else {
        low * low
    };
    let (proposed, judged) = (blocks.uniform::<T>(), blocks.uniform::<T>());
    for (x, u) in proposed.iter().zip(&judged).take(T::PER_BLOCK) {
        let z = *x * (high - low) + low;
        let g = (least - z * z) / of(2.0);
        accepted.offer(z, *u <= g.exp());
    }
}

/// Pairs of a proposal and a number by which it is accepted.
fn by_exponential<'a, T: Drawn + 'a>(
    blocks: &mut Blocks,
    low: T,
    high: T,
    accepted: &mut Accepted<impl Iterator<Item = &'a mut T>, impl Fn(T) -> T>,
) {
    let rate = (low + (low * low + of(4.0)).sqrt()) / of(2.0);
    for pair in blocks.uniform::<T>()[..T::PER_BLOCK].chunks_exact(2) {
        let z = -pair[0].ln() / rate + low;
        let x = if low < rate { rate - z } else { low - rate };
        let g = (-x * x / of(2.0)).exp();
        accepted.offer(z, pair[1] <= g && z < high);
    }
}
