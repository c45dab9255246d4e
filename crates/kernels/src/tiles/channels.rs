//! Windows that slide over channels, each of which has a filter of its own.

use super::lanes::for_lanes;
use super::stored::Vectors;
use crate::halves::Short;

/// An element of a window.
#[derive(Clone, Copy, Debug)]
pub struct Tap {
    /// Where its channels are in the data, for the first window.
    pub at: usize,
    /// Where their filters are.
    pub filter: usize,
}

/// Windows that follow one another.
#[derive(Clone, Copy, Debug)]
pub struct Channels<'a, S> {
    /// Where the numbers are.
    pub data: &'a [S],
    /// The elements of a window.
    pub taps: &'a [Tap],
    /// How far a window is from the one before it.
    pub step: usize,
    /// The numbers of an element.
    pub channels: usize,
}

impl<S> Channels<'_, S> {
    /// Checks what `n` windows reach, with so many numbers of filters.
    fn check(&self, n: usize, filters: usize) {
        let far = n.saturating_sub(1).checked_mul(self.step);
        let end = |begin: usize| far?.checked_add(begin)?.checked_add(self.channels);
        let fits = |tap: &Tap| {
            end(tap.at).is_some_and(|end| end <= self.data.len())
                && tap.filter + self.channels <= filters
        };
        assert!(
            n == 0 || self.taps.iter().all(fits),
            "windows lie within the data"
        );
    }
}

/// Writes, channel by channel, the sum of each window's products with the filters.
pub fn slide_channels<S: Short>(windows: Channels<'_, S>, filters: &[f32], out: &mut [S]) {
    let c = windows.channels;
    assert!(
        c > 0 && out.len().is_multiple_of(c),
        "windows have all channels"
    );
    windows.check(out.len() / c, filters.len());
    slide_widest(windows, filters, out);
}

for_lanes! {
    fn slide_widest<S: Short>(windows: Channels<'_, S>, filters: &[f32], out: &mut [S]) => slide, 6 4 2
}

#[inline(always)]
fn slide<S: Short, V: Vectors, const M: usize>(
    windows: Channels<'_, S>,
    filters: &[f32],
    out: &mut [S],
) {
    let c = windows.channels;
    for (t, out) in out.chunks_mut(M * c).enumerate() {
        // SAFETY: the windows and the filters were checked to be within their slices.
        unsafe {
            match out.len() == M * c {
                true => slide_some::<S, V, M>(&windows, filters, t * M, out),
                false => {
                    for (k, out) in out.chunks_mut(c).enumerate() {
                        slide_some::<S, V, 1>(&windows, filters, t * M + k, out);
                    }
                }
            }
        }
    }
}

/// `M` windows from number `k` on.
///
/// # Safety
/// They and the filters must be within their slices, and the machine must have the instruction set.
#[inline(always)]
// SAFETY: only `slide` calls it, whose windows were checked, inside of what `for_lanes` compiles for the machine.
unsafe fn slide_some<S: Short, V: Vectors, const M: usize>(
    windows: &Channels<'_, S>,
    filters: &[f32],
    k: usize,
    out: &mut [S],
) {
    let c = windows.channels;
    let mut at = 0;
    // SAFETY: promised by the caller; channels from `at` on are as many as are taken.
    unsafe {
        while at + 2 * V::N <= c {
            slide_block::<S, V, M, 2>(windows, filters, (k, at), out);
            at += 2 * V::N;
        }
        while at + V::N <= c {
            slide_block::<S, V, M, 1>(windows, filters, (k, at), out);
            at += V::N;
        }
    }
    if at < c {
        for (i, out) in out.chunks_exact_mut(c).enumerate() {
            slide_rest(windows, filters, (k + i, at), &mut out[at..]);
        }
    }
}

/// Some channels of some windows.
///
/// # Safety
/// As [`slide_some`].
#[allow(clippy::needless_range_loop)] // numbers of rows and vectors are offsets too
#[inline(always)]
// SAFETY: only `slide_some` calls it, with channels that are there.
unsafe fn slide_block<S: Short, V: Vectors, const M: usize, const W: usize>(
    windows: &Channels<'_, S>,
    filters: &[f32],
    (k, at): (usize, usize),
    out: &mut [S],
) {
    // SAFETY: promised by the caller.
    unsafe {
        let data = windows.data.as_ptr().add(k * windows.step + at);
        let filters = filters.as_ptr().add(at);
        let mut sums = [[V::splat(0.0); W]; M];
        for tap in windows.taps {
            let (x, w) = (data.add(tap.at), filters.add(tap.filter));
            for j in 0..W {
                let w = V::load(w.add(j * V::N));
                for i in 0..M {
                    let x: V = S::read(x.add(i * windows.step + j * V::N));
                    sums[i][j] = sums[i][j].fused(x, w);
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            let to = out.as_mut_ptr().add(i * windows.channels + at);
            for (j, sum) in sums.iter().enumerate() {
                S::write(*sum, to.add(j * V::N));
            }
        }
    }
}

/// The most numbers of a vector.
const MOST: usize = 16;

/// The channels of window `k` from `at` on, too few for a vector.
#[inline(always)]
fn slide_rest<S: Short>(
    windows: &Channels<'_, S>,
    filters: &[f32],
    (k, at): (usize, usize),
    out: &mut [S],
) {
    let mut sums = [0.0; MOST];
    for tap in windows.taps {
        let x = &windows.data[tap.at + k * windows.step + at..][..out.len()];
        let w = &filters[tap.filter + at..][..out.len()];
        let products = x.iter().zip(w).map(|(x, w)| x.single() * w);
        sums.iter_mut().zip(products).for_each(|(sum, x)| *sum += x);
    }
    out.iter_mut()
        .zip(sums)
        .for_each(|(to, sum)| *to = S::rounded(sum));
}

/// Adds to the filters, channel by channel, the products of all windows with their numbers of `grad`.
pub fn sum_channels<S: Short>(windows: Channels<'_, S>, grad: &[S], filters: &mut [f32]) {
    let c = windows.channels;
    assert!(
        c > 0 && grad.len().is_multiple_of(c),
        "windows have all channels"
    );
    windows.check(grad.len() / c, filters.len());
    sum_widest(windows, grad, filters);
}

for_lanes! {
    fn sum_widest<S: Short>(windows: Channels<'_, S>, grad: &[S], filters: &mut [f32]) => sum, 2 1 1
}

/// Taps whose sums stay in registers.
const MANY: usize = 9;

/// As [`MANY`], where there are fewer.
const FEW: usize = 3;

#[inline(always)]
fn sum<S: Short, V: Vectors, const W: usize>(
    windows: Channels<'_, S>,
    grad: &[S],
    filters: &mut [f32],
) {
    let (many, rest) = windows.taps.as_chunks::<MANY>();
    let (few, rest) = rest.as_chunks::<FEW>();
    // SAFETY: the windows and the filters were checked to be within their slices.
    unsafe {
        for taps in many {
            sum_taps::<S, V, W, MANY>(&windows, taps, grad, filters);
        }
        for taps in few {
            sum_taps::<S, V, W, FEW>(&windows, taps, grad, filters);
        }
        for tap in rest {
            sum_taps::<S, V, W, 1>(&windows, &[*tap], grad, filters);
        }
    }
}

/// What some taps give.
///
/// # Safety
/// The windows and the filters must be within their slices, and the machine must have the instruction set.
#[inline(always)]
// SAFETY: only `sum` calls it, whose windows were checked, inside of what `for_lanes` compiles for the machine.
unsafe fn sum_taps<S: Short, V: Vectors, const W: usize, const N: usize>(
    windows: &Channels<'_, S>,
    taps: &[Tap; N],
    grad: &[S],
    filters: &mut [f32],
) {
    let c = windows.channels;
    let mut at = 0;
    // SAFETY: promised by the caller; channels from `at` on are as many as are taken.
    unsafe {
        while at + W * V::N <= c {
            sum_block::<S, V, W, N>(windows, taps, grad, at, filters);
            at += W * V::N;
        }
        while at + V::N <= c {
            sum_block::<S, V, 1, N>(windows, taps, grad, at, filters);
            at += V::N;
        }
    }
    if at < c {
        for (k, grad) in grad.chunks_exact(c).enumerate() {
            for tap in taps {
                let x = &windows.data[tap.at + k * windows.step + at..][..c - at];
                let products = x
                    .iter()
                    .zip(&grad[at..])
                    .map(|(x, g)| x.single() * g.single());
                let to = &mut filters[tap.filter + at..][..c - at];
                to.iter_mut().zip(products).for_each(|(to, x)| *to += x);
            }
        }
    }
}

/// Some channels of some taps.
///
/// # Safety
/// As [`sum_taps`].
#[allow(clippy::needless_range_loop)] // numbers of taps and vectors are offsets too
#[inline(always)]
// SAFETY: only `sum_taps` calls it, with channels that are there.
unsafe fn sum_block<S: Short, V: Vectors, const W: usize, const N: usize>(
    windows: &Channels<'_, S>,
    taps: &[Tap; N],
    grad: &[S],
    at: usize,
    filters: &mut [f32],
) {
    // SAFETY: promised by the caller.
    unsafe {
        let mut sums = [[V::splat(0.0); W]; N];
        for t in 0..N {
            for j in 0..W {
                let from = filters.as_ptr().add(taps[t].filter + at + j * V::N);
                sums[t][j] = V::load(from);
            }
        }
        let (mut data, mut grads) = (windows.data.as_ptr().add(at), grad.as_ptr().add(at));
        for k in 0..grad.len() / windows.channels {
            if k > 0 {
                data = data.add(windows.step);
                grads = grads.add(windows.channels);
            }
            for j in 0..W {
                let g: V = S::read(grads.add(j * V::N));
                for t in 0..N {
                    let x: V = S::read(data.add(taps[t].at + j * V::N));
                    sums[t][j] = sums[t][j].fused(x, g);
                }
            }
        }
        for t in 0..N {
            for j in 0..W {
                let to = filters.as_mut_ptr().add(taps[t].filter + at + j * V::N);
                sums[t][j].store(to);
            }
        }
    }
}
