//! Convolutions of each channel by filters of its own.

use ferrograph_graph::{Emitter, Grads, Inputs, Lowered, Op, Specs, VjpCall, declare, declared};
use ferrograph_kernels::pool::par_rows_mut;
use ferrograph_kernels::scratch::vec_of;
use ferrograph_ops::emit::Build;
use ferrograph_tensor::{PartialShape, Result, TensorSpec, bail};
use smallvec::smallvec;

use crate::conv::{Slide, Slides, check_grad, convolutions, with_float};
use crate::geometry::{AXES, Axis, Windows};
use crate::kernel::{Convolution, Number};

/// Declares the convolution and its gradients, with the same attributes.
macro_rules! declare_depthwise {
    ($($attributes:tt)*) => {
        declare! {
            trait EmitDepthwise;

            /// Images `[n, h, w, c]` with filters `[h, w, c, m]`, `m` for each channel, slid over them.
            DepthwiseConv2dNative: depthwise_conv2d(input: T in floating rank 4, filter: T rank 4)
                -> (output: T), gradient Vjp, batch Folds(1) { $($attributes)* };

            /// The gradient of the input of `DepthwiseConv2dNative`, whose sizes are `input_sizes`.
            DepthwiseConv2dNativeBackpropInput: depthwise_of_input(
                input_sizes: _ in index rank 1, filter: T in floating rank 4, out_backprop: T rank 4,
            ) -> (output: T), gradient Vjp, batch Rule { $($attributes)* };

            /// The gradient of the filter of `DepthwiseConv2dNative`, whose sizes are `filter_sizes`.
            DepthwiseConv2dNativeBackpropFilter: depthwise_of_filter(
                input: T in floating rank 4, filter_sizes: _ in index rank 1, out_backprop: T rank 4,
            ) -> (output: T), gradient Vjp { $($attributes)* };
        }
    };
}
declare_depthwise! {
    /// How far windows are apart, along each axis.
    strides: Vec<i64>,
    /// "VALID", "SAME" or "EXPLICIT".
    padding: String,
    /// Elements before and after, along each axis.
    explicit_paddings: Vec<i64> = Vec::new(),
    /// Where the channels are: last.
    data_format: String = String::from("NHWC"),
    /// How far elements of a window are apart, along each axis.
    dilations: Vec<i64> = vec![1; 4],
}

convolutions!(Depthwise, 4: DepthwiseConv2dNative depthwise_conv2d,
    DepthwiseConv2dNativeBackpropInput depthwise_of_input,
    DepthwiseConv2dNativeBackpropFilter depthwise_of_filter,
    explicit op => &op.explicit_paddings,
    attributes strides padding explicit_paddings data_format dilations);

/// A convolution with as many groups as channels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Depthwise(Convolution);

impl Depthwise {
    /// Filters of a channel.
    fn each(&self) -> usize {
        self.0.filters / self.0.channels.max(1)
    }
}

impl Slide for Depthwise {
    fn output_shape(
        windows: &Windows,
        x: &PartialShape,
        filter: &PartialShape,
    ) -> Result<PartialShape> {
        let four = PartialShape::of_rank(4);
        let (x, filter) = (x.merge(&four)?, filter.merge(&four)?);
        if !x.dim(3).is_compatible(filter.dim(2)) {
            bail!(
                Shape,
                "filter must have the input's channels, of which there are {}, got shape {filter}",
                x.dim(3)
            );
        }
        let channels = x.dim(3).known().or(filter.dim(2).known());
        let filters = channels
            .zip(filter.dim(3).known())
            .and_then(|(c, m)| c.checked_mul(m));
        let axes = [0, 1].map(|i| windows.output(i, x.dim(i + 1), filter.dim(i)));
        let [h, w] = axes;
        Ok(PartialShape::new(&[x.dim(0), h?, w?, filters.into()]))
    }

    fn new(windows: &Windows, x: &[usize], filter: &[usize]) -> Result<Depthwise> {
        let [h, w] = [0, 1].map(|i| windows.axis(i, x[i + 1], filter[i]));
        let axes: [Axis; AXES] = [Axis::ONE, h?, w?];
        let channels = x[3];
        Ok(Depthwise(Convolution {
            images: x[0],
            axes,
            channels,
            filters: channels * filter[3],
            groups: channels.max(1),
        }))
    }

    fn flops(&self) -> f64 {
        self.0.flops()
    }

    fn forward<T: Number>(&self, x: &[T], filters: &[T], output: &mut [T]) {
        let (conv, each) = (&self.0, self.each());
        if each == 1 {
            return T::slide_channels(conv, x, filters, output);
        }
        let width = conv.filters;
        let cost = (conv.taps() * width) as f64 * 0.5;
        par_rows_mut(output, width, cost, |first, rows| {
            for (i, to) in rows.chunks_mut(width).enumerate() {
                let (n, place) = conv.place(first + i);
                to.fill(T::zero());
                conv.each_tap(place, |tap, at| {
                    let filters = filters[tap * width..(tap + 1) * width].chunks(each);
                    let all = to
                        .chunks_mut(each)
                        .zip(filters)
                        .zip(conv.channels_at(x, n, at));
                    for ((to, filters), &x) in all {
                        to.iter_mut().zip(filters).for_each(|(to, &w)| *to += x * w);
                    }
                });
            }
        });
    }

    fn of_input<T: Number>(&self, filters: &[T], grad: &[T], images: &mut [T]) {
        let (conv, each) = (&self.0, self.each());
        let (width, image) = (conv.filters, conv.positions() * conv.channels);
        images.fill(T::zero());
        if image == 0 || width == 0 {
            return;
        }
        if let Some(reversed) = conv.reversed().filter(|_| each == 1) {
            let turned: Vec<T> = filters.chunks(width).rev().flatten().copied().collect();
            return Depthwise(reversed).forward(grad, &turned, images);
        }
        let cost = (conv.windows() * conv.taps() * width) as f64 * 0.5;
        par_rows_mut(images, image, cost, |first, all| {
            for (i, image) in all.chunks_mut(image).enumerate() {
                for window in 0..conv.windows() {
                    let number = (first + i) * conv.windows() + window;
                    let grad = &grad[number * width..(number + 1) * width];
                    conv.each_tap(conv.place(window).1, |tap, at| {
                        let to = &mut image[at * conv.channels..(at + 1) * conv.channels];
                        let filters = &filters[tap * width..(tap + 1) * width];
                        let all = grad.chunks(each).zip(filters.chunks(each)).zip(to);
                        for ((grad, filters), to) in all {
                            grad.iter().zip(filters).for_each(|(&g, &w)| *to += g * w);
                        }
                    });
                }
            }
        });
    }

    fn of_filters<T: Number>(&self, x: &[T], grad: &[T], filters: &mut [T]) {
        let none = self.0.images * self.0.windows() == 0;
        match self.each() {
            _ if filters.is_empty() => {}
            _ if none => filters.fill(T::zero()),
            1 => T::sum_channels(&self.0, x, grad, filters),
            _ => sum_plain(&self.0, x, grad, filters),
        }
    }
}

/// Slides a filter over each channel.
pub(crate) fn slide_plain<T: Number>(conv: &Convolution, x: &[T], filters: &[T], output: &mut [T]) {
    let width = conv.filters;
    let cost = (conv.taps() * width) as f64 * 0.5;
    par_rows_mut(output, width, cost, |first, rows| {
        for (i, to) in rows.chunks_mut(width).enumerate() {
            let (n, place) = conv.place(first + i);
            let image = n * conv.positions();
            to.fill(T::zero());
            conv.each_run(place, |tap, at, n| {
                let x = &x[(image + at) * width..(image + at + n) * width];
                add_products(to, x, &filters[tap * width..(tap + n) * width]);
            });
        }
    });
}

/// The gradient of the filters, of which there are as many for each channel, where there are windows.
pub(crate) fn sum_plain<T: Number>(conv: &Convolution, x: &[T], grad: &[T], filters: &mut [T]) {
    let (width, all) = (conv.filters, conv.images * conv.windows());
    filters.fill(T::zero());
    // Parts of fixed sizes, summed in their order, whatever the number of threads.
    let part = all.div_ceil(PARTS).max(SMALLEST_PART);
    let mut parts = vec_of(T::zero(), all.div_ceil(part) * filters.len());
    let cost = (part * filters.len()) as f64 * 0.5;
    par_rows_mut(&mut parts, filters.len(), cost, |first, parts| {
        for (i, to) in parts.chunks_mut(conv.taps() * width).enumerate() {
            let begin = (first + i) * part;
            for window in begin..all.min(begin + part) {
                let grad = &grad[window * width..(window + 1) * width];
                add_to_filters(conv, x, conv.place(window), grad, to);
            }
        }
    });
    for part in parts.chunks(filters.len()) {
        filters.iter_mut().zip(part).for_each(|(to, &x)| *to += x);
    }
}

/// Adds what one window, of that gradient, gives to that of the filters.
fn add_to_filters<T: Number>(
    conv: &Convolution,
    x: &[T],
    (n, place): (usize, [usize; AXES]),
    grad: &[T],
    filters: &mut [T],
) {
    let (each, width) = (conv.filters / conv.channels, grad.len());
    conv.each_tap(place, |tap, at| {
        let (x, to) = (
            conv.channels_at(x, n, at),
            &mut filters[tap * width..][..width],
        );
        for ((to, grad), &x) in to.chunks_mut(each).zip(grad.chunks(each)).zip(x) {
            to.iter_mut().zip(grad).for_each(|(to, &g)| *to += x * g);
        }
    });
}

/// Parts in which gradients of filters are summed, at most.
const PARTS: usize = 64;

/// Windows in such a part, at least.
const SMALLEST_PART: usize = 64;

/// Channels that are summed at a time, in registers.
const LANES: usize = 16;

/// Adds to each element of `to` the products of those of `x` and `w` in its column.
fn add_products<T: Number>(to: &mut [T], x: &[T], w: &[T]) {
    let width = to.len();
    let whole = width - width % LANES;
    let rows = || x.chunks_exact(width).zip(w.chunks_exact(width));
    for c in (0..whole).step_by(LANES) {
        let mut sum = [T::zero(); LANES];
        sum.copy_from_slice(&to[c..c + LANES]);
        for (x, w) in rows() {
            let (x, w) = (&x[c..c + LANES], &w[c..c + LANES]);
            (0..LANES).for_each(|i| sum[i] += x[i] * w[i]);
        }
        to[c..c + LANES].copy_from_slice(&sum);
    }
    for (x, w) in rows() {
        let rest = x[whole..].iter().zip(&w[whole..]);
        to[whole..]
            .iter_mut()
            .zip(rest)
            .for_each(|(to, (&x, &w))| *to += x * w);
    }
}
