//! Convolutions in `f32` that give each channel a filter of its own, straight from the images.

use std::ops::Range;

use ferrograph_kernels::halves::Short;
use ferrograph_kernels::pool::par_rows_mut;
use ferrograph_kernels::scratch::vec_of;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_kernels::tiles::{Channels, Tap, slide_channels, sum_channels};

use crate::kernel::Convolution;

/// Nanoseconds of a multiply-add, roughly.
const COST: f64 = 0.05;

/// The windows of a row that have all their elements along it within the image.
fn whole(conv: &Convolution) -> Range<usize> {
    let axis = &conv.axes[2];
    let reach = axis.window.saturating_sub(1) * axis.dilation;
    let first = axis.before.div_ceil(axis.stride).min(axis.output);
    let end = (axis.input + axis.before).checked_sub(reach + 1);
    let end = end.map_or(0, |last| last / axis.stride + 1);
    first..end.clamp(first, axis.output)
}

/// Calls `f` with stretches of windows of a row of the output that have the same elements within the image, and these.
fn stretches(conv: &Convolution, row: usize, mut f: impl FnMut(Range<usize>, &[Tap])) {
    let [d, h, w] = &conv.axes;
    let (image, place) = (row / (d.output * h.output), row % (d.output * h.output));
    let (i, j) = (place / h.output, place % h.output);
    let mut taps = Vec::with_capacity(conv.taps());
    let mut stretch = |windows: Range<usize>| {
        taps.clear();
        conv.each_tap([i, j, windows.start], |tap, at| {
            taps.push(Tap {
                at: (image * conv.positions() + at) * conv.channels,
                filter: tap * conv.channels,
            });
        });
        f(windows, &taps);
    };
    let whole = whole(conv);
    (0..whole.start).for_each(|o| stretch(o..o + 1));
    if !whole.is_empty() {
        stretch(whole.clone());
    }
    (whole.end..w.output).for_each(|o| stretch(o..o + 1));
}

/// Slides the filters over images of at least one channel.
pub(crate) fn forward<T: Short>(conv: &Convolution, input: &[T], filters: &[T], output: &mut [T]) {
    let (c, width) = (conv.channels, conv.axes[2].output * conv.channels);
    let filters = T::wide(filters);
    let cost = (conv.taps() * width) as f64 * COST;
    par_rows_mut(output, width, cost, |first, rows| {
        for (i, to) in rows.chunks_exact_mut(width).enumerate() {
            stretches(conv, first + i, |windows, taps| {
                let to = &mut to[windows.start * c..windows.end * c];
                slide_channels(sliding(conv, input, taps), &filters, to);
            });
            poll_cancellation();
        }
    });
}

/// Parts in which gradients of filters are summed, at most.
const PARTS: usize = 64;

/// Windows in such a part, at least.
const SMALLEST_PART: usize = 64;

/// The gradient of the filters, where there are windows, from that of the output.
pub(crate) fn of_filters<T: Short>(conv: &Convolution, input: &[T], grad: &[T], filters: &mut [T]) {
    T::make(filters, |filters| sum(conv, input, grad, filters));
}

/// As [`of_filters`], not rounded.
fn sum<T: Short>(conv: &Convolution, input: &[T], grad: &[T], filters: &mut [f32]) {
    let (c, width) = (conv.channels, conv.axes[2].output * conv.channels);
    let rows = grad.len() / width;
    // Parts of fixed sizes, summed in their order, whatever the number of threads.
    let part = rows
        .div_ceil(PARTS)
        .max((SMALLEST_PART * c).div_ceil(width));
    let mut parts = vec_of(0.0, rows.div_ceil(part) * filters.len());
    let cost = (part * width * conv.taps()) as f64 * COST;
    par_rows_mut(&mut parts, filters.len(), cost, |first, parts| {
        for (i, to) in parts.chunks_exact_mut(filters.len()).enumerate() {
            let begin = (first + i) * part;
            for row in begin..rows.min(begin + part) {
                let grad = &grad[row * width..][..width];
                stretches(conv, row, |windows, taps| {
                    let grad = &grad[windows.start * c..windows.end * c];
                    sum_channels(sliding(conv, input, taps), grad, to);
                });
                poll_cancellation();
            }
        }
    });
    filters.fill(0.0);
    for part in parts.chunks_exact(filters.len()) {
        filters.iter_mut().zip(part).for_each(|(to, &x)| *to += x);
    }
}

fn sliding<'a, T>(conv: &Convolution, data: &'a [T], taps: &'a [Tap]) -> Channels<'a, T> {
    Channels {
        data,
        taps,
        step: conv.axes[2].stride * conv.channels,
        channels: conv.channels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::depthwise::{slide_plain, sum_plain};
    use crate::geometry::{Axis, Windows};
    use half::f16;

    /// Whole numbers, so that sums are exact in any order.
    fn numbers(n: usize, step: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * step + 3) % 11) as f32 - 5.0).collect()
    }

    /// A filter for each channel of images of 7 by 6.
    fn convolution(c: usize, window: [usize; 2], padding: &str, by: i64, wide: i64) -> Convolution {
        let (strides, dilations) = ([1, by, by, 1], [1, wide, wide, 1]);
        let windows = Windows::read(4, &strides, &dilations, padding, &[], "NHWC").unwrap();
        let [h, w] = [0, 1].map(|i| windows.axis(i, [7, 6][i], window[i]).unwrap());
        Convolution {
            images: 2,
            axes: [Axis::ONE, h, w],
            channels: c,
            filters: c,
            groups: c,
        }
    }

    #[test]
    fn sums_are_those_of_the_plain_loops() {
        let kinds = [(1, 1), (2, 1), (1, 2), (3, 1), (1, 5)];
        for (c, window) in [
            (1, [3, 2]),
            (5, [3, 3]),
            (16, [1, 1]),
            (83, [3, 3]),
            (64, [5, 6]),
        ] {
            for ((by, wide), padding) in kinds.iter().flat_map(|k| [(k, "SAME"), (k, "VALID")]) {
                let conv = convolution(c, window, padding, *by, *wide);
                let (x, filters) = (numbers(2 * 42 * c, 7), numbers(conv.taps() * c, 5));
                let outputs = 2 * conv.windows() * c;
                let half = |all: &[f32]| all.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>();
                let (mut out, mut want) = (vec![f32::NAN; outputs], vec![f32::NAN; outputs]);
                forward(&conv, &x, &filters, &mut out);
                slide_plain(&conv, &x, &filters, &mut want);
                assert_eq!(out, want, "{conv:?}");
                let mut halves = vec![f16::NAN; outputs];
                forward(&conv, &half(&x), &half(&filters), &mut halves);
                assert_eq!(halves, half(&want), "{conv:?}");
                if outputs == 0 {
                    continue;
                }
                let grad = numbers(outputs, 3);
                let (mut sums, mut want) = (filters.clone(), filters.clone());
                of_filters(&conv, &x, &grad, &mut sums);
                sum_plain(&conv, &x, &grad, &mut want);
                assert_eq!(sums, want, "{conv:?}");
                let mut halves = half(&filters);
                of_filters(&conv, &half(&x), &half(&grad), &mut halves);
                assert_eq!(halves, half(&want), "{conv:?}");
            }
        }
    }
}
