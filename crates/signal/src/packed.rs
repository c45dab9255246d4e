//! Transforms of an even number of real ones, which go as the parts of half as many complex ones.

use std::sync::Arc;

use ferrograph_kernels::isa::{Isa, Job, dispatch};
use ferrograph_tensor::{Result, vec_for};
use rustfft::Fft;
use rustfft::num_complex::Complex;

use crate::numbers::Part;

/// Transforms between `2 m` real numbers and the first `m + 1` of their transform.
pub(crate) struct Packed<T> {
    fft: Arc<dyn Fft<T>>,
    /// `-i exp(-2 pi i k / n)` for each `k` from 1 to below a quarter of the length.
    turns: Vec<Complex<T>>,
}

/// Pairs of numbers of the transform, the `k`-th and the `k`-th from the end: where both are made of both.
fn pairs(m: usize) -> usize {
    m.saturating_sub(1) / 2
}

impl<T: Part> Packed<T> {
    /// By a transform of `m` complex numbers.
    pub(crate) fn new(fft: Arc<dyn Fft<T>>) -> Result<Packed<T>> {
        let m = fft.len();
        let mut turns = vec_for(pairs(m))?;
        turns.extend((1..=pairs(m)).map(|k| {
            let angle = std::f64::consts::PI * k as f64 / m as f64;
            Complex::new(T::nearest(-angle.sin()), T::nearest(-angle.cos()))
        }));
        Ok(Packed { fft, turns })
    }

    /// How many complex numbers there are.
    fn m(&self) -> usize {
        self.fft.len()
    }

    /// Numbers that [`Self::forward`] and [`Self::inverse`] need for their work.
    pub(crate) fn scratch(&self) -> usize {
        self.fft.get_immutable_scratch_len()
    }

    /// The first numbers of the transform of as many real ones.
    pub(crate) fn forward(&self, from: &[T], to: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let (m, n) = (self.m(), self.turns.len());
        let from = in_pairs(&from[..2 * m]);
        self.fft
            .process_immutable_with_scratch(from, &mut to[..m], scratch);
        let (first, middle) = (to[0], to[m / 2]);
        let (front, back) = to[1..].split_at_mut(n);
        let back = &mut back[m - 1 - 2 * n..m - 1 - n];
        dispatch(Unfold(front, back, &self.turns));
        if m.is_multiple_of(2) {
            to[m / 2] = middle.conj();
        }
        to[0] = Complex::new(first.re + first.im, T::zero());
        to[m] = Complex::new(first.re - first.im, T::zero());
    }

    /// The real numbers, divided by how many they are, whose transform begins with `from`; imaginary parts at both ends
    /// are not read. `folded` is overwritten.
    pub(crate) fn inverse(
        &self,
        from: &[Complex<T>],
        folded: &mut [Complex<T>],
        to: &mut [T],
        scratch: &mut [Complex<T>],
    ) {
        let (m, n) = (self.m(), self.turns.len());
        let scale = T::reciprocal(2 * m);
        let (first, last) = (from[0].re, from[m].re);
        folded[0] = Complex::new((first + last) * scale, (first - last) * scale);
        if m.is_multiple_of(2) {
            folded[m / 2] = from[m / 2].conj() * (scale + scale);
        }
        let (front, back) = folded[1..m].split_at_mut(n);
        let back = &mut back[m - 1 - 2 * n..];
        dispatch(Fold {
            from: [&from[1..=n], &from[m - n..m]],
            front,
            back,
            turns: &self.turns,
            scale,
        });
        let to = in_pairs_mut(&mut to[..2 * m]);
        self.fft
            .process_immutable_with_scratch(&folded[..m], to, scratch);
    }
}

/// Real numbers as the parts of complex ones.
fn in_pairs<T: Part>(reals: &[T]) -> &[Complex<T>] {
    // SAFETY: a complex number is its two parts, one after the other, and half as many fit.
    unsafe { std::slice::from_raw_parts(reals.as_ptr().cast(), reals.len() / 2) }
}

fn in_pairs_mut<T: Part>(reals: &mut [T]) -> &mut [Complex<T>] {
    // SAFETY: as in `in_pairs`; the numbers are borrowed by the result alone.
    unsafe { std::slice::from_raw_parts_mut(reals.as_mut_ptr().cast(), reals.len() / 2) }
}

/// Makes numbers of the transform of pairs of real ones the transform of these: those from the front, those up to the
/// end, and the turns.
struct Unfold<'a, T>(&'a mut [Complex<T>], &'a mut [Complex<T>], &'a [Complex<T>]);

impl<T: Part> Job for Unfold<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Unfold(front, back, turns) = self;
        let (n, half) = (turns.len(), T::reciprocal(2));
        let (front, back) = (&mut front[..n], &mut back[..n]);
        for k in 0..n {
            let (a, b, turn) = (front[k], back[n - 1 - k], turns[k]);
            let (sum, difference) = ((a + b.conj()) * half, (a - b.conj()) * half);
            let turned = difference * turn;
            front[k] = sum + turned;
            back[n - 1 - k] = (sum - turned).conj();
        }
    }
}

/// What undoes [`Unfold`], and multiplies by a number.
struct Fold<'a, T> {
    from: [&'a [Complex<T>]; 2],
    front: &'a mut [Complex<T>],
    back: &'a mut [Complex<T>],
    turns: &'a [Complex<T>],
    scale: T,
}

impl<T: Part> Job for Fold<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (n, [first, last]) = (self.turns.len(), self.from);
        let (first, last) = (&first[..n], &last[..n]);
        let (front, back) = (&mut self.front[..n], &mut self.back[..n]);
        for k in 0..n {
            let (a, b, turn) = (first[k], last[n - 1 - k], self.turns[k]);
            let (sum, difference) = ((a + b.conj()) * self.scale, (a - b.conj()) * self.scale);
            let turned = difference * turn.conj();
            front[k] = sum + turned;
            back[n - 1 - k] = (sum - turned).conj();
        }
    }
}
