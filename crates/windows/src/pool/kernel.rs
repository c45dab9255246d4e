//! The loops of pools.

use ferrograph_kernels::pool::par_rows_mut;
use num_traits::Float;

use crate::kernel::{Convolution, Number};

/// Windows over images, channel by channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pool(pub(super) Convolution);

impl Pool {
    fn cost(&self) -> f64 {
        let reached = self.0.axes.iter().map(|a| a.window.min(a.input) as f64);
        reached.product::<f64>() * self.0.channels as f64
    }

    /// The largest elements of a window, and where in the image the first of them stand. NaN is largest.
    fn largest_of<T: Float>(
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
        let conv = &self.0;
        par_rows_mut(output, conv.channels, 0.3 * self.cost(), |begin, rows| {
            for (i, best) in rows.chunks_mut(conv.channels).enumerate() {
                let (n, place) = conv.place(begin + i);
                best.fill(T::neg_infinity());
                conv.each_tap(place, |_, at| {
                    let x = conv.channels_at(x, n, at);
                    for (best, &x) in best.iter_mut().zip(x) {
                        *best = if x > *best || x.is_nan() { x } else { *best };
                    }
                });
            }
        });
    }

    /// As [`Self::largest`]; tells `seen` of each window its number, its image and where they stand.
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
                self.largest_of(x, n, window, best, &mut first);
                seen(window, n, &first);
            }
        });
    }

    /// Adds each gradient to the first largest element of its window.
    pub(super) fn scatter_largest<T: Number + Float>(&self, x: &[T], grad: &[T], images: &mut [T]) {
        let conv = &self.0;
        let (channels, image) = (conv.channels, conv.positions() * conv.channels);
        images.fill(T::zero());
        if image == 0 {
            return;
        }
        let mut firsts = vec![usize::MAX; grad.len()];
        par_rows_mut(&mut firsts, channels, self.cost(), |begin, rows| {
            let mut best = vec![T::zero(); channels];
            for (i, first) in rows.chunks_mut(channels).enumerate() {
                let n = (begin + i) / conv.windows();
                self.largest_of(x, n, begin + i, &mut best, first);
            }
        });
        let of_image = conv.windows() * channels;
        par_rows_mut(images, image, of_image as f64, |begin, all| {
            for (i, image) in all.chunks_mut(image).enumerate() {
                let own = (begin + i) * of_image..(begin + i + 1) * of_image;
                let rows = firsts[own.clone()]
                    .chunks(channels)
                    .zip(grad[own].chunks(channels));
                for (firsts, grad) in rows {
                    for (c, (&at, &g)) in firsts.iter().zip(grad).enumerate() {
                        if at != usize::MAX {
                            image[at * channels + c] += g;
                        }
                    }
                }
            }
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
                self.largest_of(x, n, begin + i, &mut best, &mut first);
                for (c, (to, &at)) in to.iter_mut().zip(&first).enumerate() {
                    *to = match at {
                        usize::MAX => T::zero(),
                        at => conv.channels_at(grad, n, at)[c],
                    };
                }
            }
        });
    }

    /// How many positions of a window lie within the image.
    fn count<T: Number + Float>(&self, window: usize) -> T {
        let mut n = 0;
        self.0.each_tap(self.0.place(window).1, |_, _| n += 1);
        T::from(n).unwrap_or_else(T::one)
    }

    pub(super) fn means<T: Number + Float>(&self, x: &[T], output: &mut [T]) {
        let conv = &self.0;
        par_rows_mut(output, conv.channels, self.cost(), |begin, rows| {
            for (i, to) in rows.chunks_mut(conv.channels).enumerate() {
                let (n, place) = conv.place(begin + i);
                to.fill(T::zero());
                conv.each_tap(place, |_, at| {
                    let x = conv.channels_at(x, n, at);
                    to.iter_mut().zip(x).for_each(|(to, &x)| *to += x);
                });
                let count = self.count::<T>(begin + i);
                to.iter_mut().for_each(|to| *to /= count);
            }
        });
    }

    /// Adds each gradient, divided, to all elements of its window.
    pub(super) fn spread_means<T: Number + Float>(&self, grad: &[T], images: &mut [T]) {
        let conv = &self.0;
        let (channels, image) = (conv.channels, conv.positions() * conv.channels);
        images.fill(T::zero());
        if image == 0 {
            return;
        }
        par_rows_mut(
            images,
            image,
            self.cost() * conv.windows() as f64,
            |begin, all| {
                for (i, image) in all.chunks_mut(image).enumerate() {
                    for window in 0..conv.windows() {
                        let number = (begin + i) * conv.windows() + window;
                        let grad = &grad[number * channels..(number + 1) * channels];
                        let count = self.count::<T>(window);
                        conv.each_tap(conv.place(window).1, |_, at| {
                            let to = &mut image[at * channels..(at + 1) * channels];
                            to.iter_mut()
                                .zip(grad)
                                .for_each(|(to, &g)| *to += g / count);
                        });
                    }
                }
            },
        );
    }
}
