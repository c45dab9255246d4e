//! The loops of pools.

use ferrograph_kernels::isa::{Isa, Job, dispatch};
use ferrograph_kernels::pool::par_rows_mut;
use ferrograph_kernels::stop::poll_cancellation;
use num_traits::Float;

use crate::geometry::{AXES, Axis};
use crate::kernel::{Convolution, Number};

/// Windows over images, channel by channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pool(pub(super) Convolution);

impl Pool {
    /// Nanoseconds that a window takes, roughly.
    fn cost(&self) -> f64 {
        let reached = self.0.axes.iter().map(|a| a.window.min(a.input) as f64);
        10.0 + 0.2 * reached.product::<f64>() * self.0.channels as f64
    }

    /// The largest elements of a window, and where in the image the first of them stand. NaN is largest.
    fn first_largest<T: Float>(
        &self,
        x: &[T],
        n: usize,
        window: usize,
        best: &mut [T],
        first: &mut [usize],
    ) {
        let conv = &self.0;
        best.fill(T::neg_infinity());
        first.fill(usize::MAX);
        conv.each_tap(conv.place(window).1, |_, at| {
            let x = conv.channels_at(x, n, at);
            for ((best, first), &x) in best.iter_mut().zip(&mut *first).zip(x) {
                let is_larger = x > *best || (x.is_nan() && !best.is_nan()) || *first == usize::MAX;
                *best = if is_larger { x } else { *best };
                *first = if is_larger { at } else { *first };
            }
        });
    }

    /// The largest elements. NaN is largest.
    pub(super) fn largest<T: Number + Float>(&self, x: &[T], output: &mut [T]) {
        let pool = self;
        par_rows_mut(output, self.0.channels, self.cost(), |first, best| {
            dispatch(Largest {
                pool,
                x,
                first,
                best,
            });
        });
    }

    /// As [`Self::largest`]; calls `seen` with the number of each window, its image and its position.
    pub(super) fn largest_seen<T: Number + Float>(
        &self,
        x: &[T],
        output: &mut [T],
        seen: impl Fn(usize, usize, &[usize]) + Sync,
    ) {
        let channels = self.0.channels;
        par_rows_mut(output, channels, self.cost(), |begin, rows| {
            let mut first = vec![0; channels];
            for (i, best) in rows.chunks_mut(channels).enumerate() {
                let window = begin + i;
                let n = window / self.0.windows();
                self.first_largest(x, n, window, best, &mut first);
                seen(window, n, &first);
            }
        });
    }

    /// Adds each gradient to the first largest element of its window.
    pub(super) fn scatter_largest<T: Number + Float>(&self, x: &[T], grad: &[T], images: &mut [T]) {
        let (pool, bands) = (self, self.bands());
        let cost = 2.0 * self.cost() * bands.windows as f64;
        par_rows_mut(images, bands.elements, cost, |first, images| {
            dispatch(Scatter {
                pool,
                bands,
                x,
                grad,
                first,
                images,
            });
        });
    }

    /// The elements of `grad` at the first largest elements of windows.
    pub(super) fn gather_largest<T: Number + Float>(&self, x: &[T], grad: &[T], output: &mut [T]) {
        let conv = &self.0;
        let channels = conv.channels;
        par_rows_mut(output, channels, self.cost(), |begin, rows| {
            let (mut best, mut first) = (vec![T::zero(); channels], vec![0; channels]);
            for (i, to) in rows.chunks_mut(channels).enumerate() {
                let n = (begin + i) / conv.windows();
                self.first_largest(x, n, begin + i, &mut best, &mut first);
                for (c, (to, &at)) in to.iter_mut().zip(&first).enumerate() {
                    *to = match at {
                        usize::MAX => T::zero(),
                        at => conv.channels_at(grad, n, at)[c],
                    };
                }
            }
        });
    }

    pub(super) fn means<T: Number + Float>(&self, x: &[T], output: &mut [T]) {
        let pool = self;
        par_rows_mut(output, self.0.channels, self.cost(), |first, means| {
            dispatch(Means {
                pool,
                x,
                first,
                means,
            });
        });
    }

    /// Adds each gradient, divided, to all elements of its window.
    pub(super) fn spread_means<T: Number + Float>(&self, grad: &[T], images: &mut [T]) {
        let (pool, bands) = (self, self.bands());
        let cost = 2.0 * self.cost() * bands.windows as f64;
        par_rows_mut(images, bands.elements, cost, |first, images| {
            dispatch(Spread {
                pool,
                bands,
                grad,
                first,
                images,
            });
        });
    }

    /// The pieces of images that threads may write at once.
    fn bands(&self) -> Bands {
        let conv = &self.0;
        let [_, h, w] = &conv.axes;
        let whole = Bands {
            elements: conv.positions() * conv.channels,
            windows: conv.windows(),
        };
        let reach = h.window.saturating_sub(1).saturating_mul(h.dilation);
        let apart = h.before == 0 && reach < h.stride && h.output * h.stride == h.input;
        match apart && conv.axes[0] == Axis::ONE {
            true => Bands {
                elements: h.stride * w.input * conv.channels,
                windows: w.output,
            },
            false => whole,
        }
    }

    /// So many windows from one on.
    fn windows(&self, first: usize, n: usize) -> Windows<'_> {
        let (image, place) = match n {
            0 => (0, [0; AXES]),
            _ => self.0.place(first),
        };
        Windows {
            conv: &self.0,
            window: first,
            end: first + n,
            image,
            place,
            taps: Vec::new(),
            goes_on: false,
        }
    }
}

/// Windows on their way. They are no closure's argument, which would be compiled for one instruction set.
struct Windows<'a> {
    conv: &'a Convolution,
    window: usize,
    end: usize,
    image: usize,
    place: [usize; AXES],
    taps: Vec<usize>,
    /// Whether the window before is in the same row, and is whole along it.
    goes_on: bool,
}

impl Windows<'_> {
    /// The number of the next window, and where each of its elements within the image is in the images, that of the
    /// first channel.
    fn next(&mut self) -> Option<(usize, &[usize])> {
        if self.window == self.end {
            return None;
        }
        let (conv, taps) = (self.conv, &mut self.taps);
        let row = &conv.axes[AXES - 1];
        let is_whole = row.within(self.place[AXES - 1]) == (0..row.window);
        if is_whole && self.goes_on {
            taps.iter_mut()
                .for_each(|tap| *tap += row.stride * conv.channels);
        } else {
            taps.clear();
            let before = self.image * conv.positions();
            conv.each_tap(self.place, |_, at| taps.push((before + at) * conv.channels));
        }
        let mut axes = self.place.iter_mut().zip(&conv.axes).rev();
        let is_last = axes.all(|(at, axis)| {
            *at = if *at + 1 == axis.output { 0 } else { *at + 1 };
            *at == 0
        });
        self.image += usize::from(is_last);
        let ends = self.place[AXES - 1] == 0;
        self.goes_on = is_whole && !ends;
        if ends {
            poll_cancellation();
        }
        self.window += 1;
        Some((self.window - 1, &self.taps))
    }
}

/// How images are cut, so that each window is in one piece.
#[derive(Clone, Copy)]
struct Bands {
    /// Elements of a piece.
    elements: usize,
    /// Its windows.
    windows: usize,
}

/// Does something with blocks of 16, of 4 and of single channels, which stay in registers: `$body` with the first channel
/// and, as a constant, how many they are.
macro_rules! by_channels {
    ($channels:expr, |$at:ident, $n:ident| $body:expr) => {
        let mut $at = 0;
        by_channels!(16, $channels, |$at, $n| $body);
        by_channels!(4, $channels, |$at, $n| $body);
        by_channels!(1, $channels, |$at, $n| $body);
    };
    ($len:literal, $channels:expr, |$at:ident, $n:ident| $body:expr) => {
        while $channels - $at >= $len {
            const $n: usize = $len;
            $body;
            $at += $len;
        }
    };
}

/// The largest elements of consecutive windows.
struct Largest<'a, T> {
    pool: &'a Pool,
    x: &'a [T],
    first: usize,
    best: &'a mut [T],
}

impl<T: Float> Job for Largest<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let c = self.pool.0.channels;
        let n = self.best.len() / c;
        let mut all = self.pool.windows(self.first, n);
        while let Some((window, taps)) = all.next() {
            let to = &mut self.best[(window - self.first) * c..][..c];
            by_channels!(c, |at, N| to[at..at + N]
                .copy_from_slice(&largest_of::<T, N>(self.x, taps, at)));
        }
    }
}

/// Some elements from one on, to be kept in registers.
#[inline(always)]
fn block<T: Copy, const N: usize>(all: &[T], at: usize) -> [T; N] {
    let from = &all[at..at + N];
    std::array::from_fn(|i| from[i])
}

/// The largest elements of a window, of some channels. NaN is largest.
#[inline(always)]
fn largest_of<T: Float, const N: usize>(x: &[T], taps: &[usize], at: usize) -> [T; N] {
    let mut best = [T::neg_infinity(); N];
    for &tap in taps {
        let x = block::<T, N>(x, tap + at);
        for i in 0..N {
            let is_larger = x[i] > best[i] || x[i].is_nan();
            best[i] = if is_larger { x[i] } else { best[i] };
        }
    }
    best
}

/// The gradients of largest elements, in consecutive pieces of images.
struct Scatter<'a, T> {
    pool: &'a Pool,
    bands: Bands,
    x: &'a [T],
    grad: &'a [T],
    first: usize,
    images: &'a mut [T],
}

impl<T: Number + Float> Job for Scatter<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (c, Bands { elements, windows }) = (self.pool.0.channels, self.bands);
        self.images.fill(T::zero());
        for (i, to) in self.images.chunks_mut(elements).enumerate() {
            let own = self.first + i;
            let mut all = self.pool.windows(own * windows, windows);
            while let Some((window, taps)) = all.next() {
                let grad = &self.grad[window * c..][..c];
                by_channels!(c, |at, N| {
                    let best = largest_of::<T, N>(self.x, taps, at);
                    let mut rest = block::<T, N>(grad, at);
                    for &tap in taps {
                        let x = block::<T, N>(self.x, tap + at);
                        let to = &mut to[tap + at - own * elements..][..N];
                        let mut sum = block::<T, N>(to, 0);
                        // The first of them takes it; where one is NaN, that is the largest.
                        let is_largest = |i: usize| x[i] == best[i] || x[i].is_nan();
                        let zero = T::zero();
                        for (i, sum) in sum.iter_mut().enumerate() {
                            *sum += if is_largest(i) { rest[i] } else { zero };
                        }
                        for (i, rest) in rest.iter_mut().enumerate() {
                            *rest = if is_largest(i) { zero } else { *rest };
                        }
                        to.copy_from_slice(&sum);
                    }
                });
            }
        }
    }
}

/// The means of consecutive windows.
struct Means<'a, T> {
    pool: &'a Pool,
    x: &'a [T],
    first: usize,
    means: &'a mut [T],
}

impl<T: Number + Float> Job for Means<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let c = self.pool.0.channels;
        let n = self.means.len() / c;
        let mut all = self.pool.windows(self.first, n);
        while let Some((window, taps)) = all.next() {
            let count = count_of::<T>(taps);
            let to = &mut self.means[(window - self.first) * c..][..c];
            by_channels!(c, |at, N| {
                let mut sum = [T::zero(); N];
                for &tap in taps {
                    let x = block::<T, N>(self.x, tap + at);
                    sum.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
                }
                sum.iter_mut().for_each(|sum| *sum /= count);
                to[at..at + N].copy_from_slice(&sum);
            });
        }
    }
}

/// How many elements a window has.
#[inline(always)]
fn count_of<T: Float>(taps: &[usize]) -> T {
    T::from(taps.len()).unwrap_or_else(T::one)
}

/// The gradients of means, in consecutive pieces of images.
struct Spread<'a, T> {
    pool: &'a Pool,
    bands: Bands,
    grad: &'a [T],
    first: usize,
    images: &'a mut [T],
}

impl<T: Number + Float> Job for Spread<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (c, Bands { elements, windows }) = (self.pool.0.channels, self.bands);
        self.images.fill(T::zero());
        for (i, to) in self.images.chunks_mut(elements).enumerate() {
            let own = self.first + i;
            let mut all = self.pool.windows(own * windows, windows);
            while let Some((window, taps)) = all.next() {
                let (count, grad) = (count_of::<T>(taps), &self.grad[window * c..][..c]);
                by_channels!(c, |at, N| {
                    let mut part = block::<T, N>(grad, at);
                    part.iter_mut().for_each(|part| *part /= count);
                    for &tap in taps {
                        let to = &mut to[tap + at - own * elements..][..N];
                        let mut sum = block::<T, N>(to, 0);
                        sum.iter_mut()
                            .zip(part)
                            .for_each(|(sum, part)| *sum += part);
                        to.copy_from_slice(&sum);
                    }
                });
            }
        }
    }
}
