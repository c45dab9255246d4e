//! Convolutions in `f32` straight from the images: each window is a row in pieces, which no one lays out again.
//!
//! Images that windows reach beyond, and those of shorter floats, are first copied into padded ones, a group of them at
//! a time, so that memory stays bounded.

use ferrograph_kernels::halves::Short;
use ferrograph_kernels::matmul::Matrix;
use ferrograph_kernels::pool::{n_threads, par_rows_mut};
use ferrograph_kernels::scratch::floats;
use ferrograph_kernels::tiles::{Panels, Pieces, multiply, multiply_transposed};

use crate::geometry::{AXES, Axis};
use crate::kernel::Convolution;

/// Elements of padded images, and windows, that a group has, unless one image has more.
const GROUP: usize = 1 << 21;

/// Windows that a thread takes at a time are a multiple of this: a tile's.
const TILE: usize = 14;

/// Parts of the filters' gradient for each thread, and in all where the output's is in a near cache.
const PARTS: usize = 2;
const SMALL_PARTS: usize = 16;
/// Numbers that fit a near cache, the second one.
const NEAR: usize = 1 << 18;

/// Nanoseconds of a multiply-add, roughly.
const COST: f64 = 0.025;

/// How the windows of a convolution are laid out as rows in pieces.
struct Layout {
    /// The sizes of an image, padded where windows reach beyond it.
    sizes: [usize; AXES],
    padded: bool,
    /// How far the pieces of a window are from its origin.
    runs: Vec<usize>,
    /// The elements of a piece.
    len: usize,
    /// Images that are worked on at a time.
    group: usize,
}

/// How far along an axis windows reach, from the first one's beginning on.
fn reach(axis: &Axis) -> usize {
    axis.output.saturating_sub(1) * axis.stride + axis.window.saturating_sub(1) * axis.dilation + 1
}

impl Layout {
    fn of(conv: &Convolution) -> Layout {
        let padded = conv.axes.iter().any(|a| a.before > 0 || reach(a) > a.input);
        let sizes = conv.axes.map(|a| if padded { reach(&a) } else { a.input });
        let [d, h, w] = &conv.axes;
        let whole = w.dilation == 1 && conv.groups == 1;
        let taps = if whole { 1 } else { w.window };
        let mut runs = Vec::with_capacity(d.window * h.window * taps);
        for i in 0..d.window {
            for j in 0..h.window {
                let row = (i * d.dilation * sizes[1] + j * h.dilation) * sizes[2];
                runs.extend((0..taps).map(|k| (row + k * w.dilation) * conv.channels));
            }
        }
        let image = sizes.iter().product::<usize>() * conv.channels;
        Layout {
            len: conv.deep() * if whole { w.window } else { 1 },
            group: (GROUP / image.max(conv.windows()).max(1)).clamp(1, conv.images.max(1)),
            sizes,
            padded,
            runs,
        }
    }

    /// The elements of an image.
    fn image(&self, conv: &Convolution) -> usize {
        self.sizes.iter().product::<usize>() * conv.channels
    }

    /// Where each window of a group of images begins.
    fn origins(&self, conv: &Convolution) -> Vec<usize> {
        let [d, h, w] = &conv.axes;
        let mut origins = Vec::with_capacity(self.group * conv.windows());
        for image in 0..self.group {
            for (i, j) in (0..d.output).flat_map(|i| (0..h.output).map(move |j| (i, j))) {
                let plane = image * self.sizes[0] + i * d.stride;
                let row = (plane * self.sizes[1] + j * h.stride) * self.sizes[2];
                let at = |k: usize| (row + k * w.stride) * conv.channels;
                origins.extend((0..w.output).map(at));
            }
        }
        origins
    }

    /// Copies images into padded ones.
    fn pad<T: Short>(&self, conv: &Convolution, images: &[T], padded: &mut [f32]) {
        let ([d, h, w], [deep, high, wide]) = (&conv.axes, self.sizes);
        let c = conv.channels;
        let (left, kept) = (w.before.min(wide), w.input.min(wide - w.before.min(wide)));
        let inside =
            |at: usize, axis: &Axis| at.checked_sub(axis.before).filter(|&at| at < axis.input);
        par_rows_mut(
            padded,
            wide * c,
            5.0 + 0.1 * (wide * c) as f64,
            |first, rows| {
                for (r, to) in rows.chunks_exact_mut(wide * c).enumerate() {
                    let (plane, y) = ((first + r) / high, (first + r) % high);
                    let (image, z) = (plane / deep, plane % deep);
                    let (Some(z), Some(y)) = (inside(z, d), inside(y, h)) else {
                        to.fill(0.0);
                        continue;
                    };
                    let from = ((image * d.input + z) * h.input + y) * w.input * c;
                    to[..left * c].fill(0.0);
                    T::copy(
                        &images[from..from + kept * c],
                        &mut to[left * c..][..kept * c],
                    );
                    to[(left + kept) * c..].fill(0.0);
                }
            },
        );
    }

    /// Calls `f` with each group of images, padded where need be, the number of its first window, and where its windows
    /// begin.
    fn groups<T: Short>(
        &self,
        conv: &Convolution,
        input: &[T],
        mut f: impl FnMut(&[f32], usize, &[usize]),
    ) {
        let (own, image) = (conv.positions() * conv.channels, self.image(conv));
        let origins = self.origins(conv);
        let mut padded = floats(if self.padded { self.group * image } else { 0 });
        for first in (0..conv.images).step_by(self.group) {
            let n = self.group.min(conv.images - first);
            let images = &input[first * own..(first + n) * own];
            let origins = &origins[..n * conv.windows()];
            match self.padded {
                true => {
                    self.pad(conv, images, &mut padded[..n * image]);
                    f(&padded[..n * image], first * conv.windows(), origins);
                }
                false => f(&T::wide(images), first * conv.windows(), origins),
            }
        }
    }

    /// The runs of a group of channels.
    fn runs_of(&self, conv: &Convolution, group: usize) -> Vec<usize> {
        self.runs
            .iter()
            .map(|run| run + group * conv.deep())
            .collect()
    }
}

/// Slides the filters over the input.
pub(crate) fn forward<T: Short>(conv: &Convolution, input: &[T], filters: &[T], output: &mut [T]) {
    let layout = Layout::of(conv);
    let (row, wide, width) = (conv.row(), conv.wide(), conv.filters);
    let groups: Vec<(Vec<usize>, Panels)> = (0..conv.groups)
        .map(|group| {
            let own = Matrix::row_major(&filters[group * wide..], width);
            (layout.runs_of(conv, group), Panels::of(row, wide, own))
        })
        .collect();
    layout.groups(conv, input, |images, first, origins| {
        let output = &mut output[first * width..][..origins.len() * width];
        let block = origins
            .len()
            .div_ceil(32)
            .next_multiple_of(TILE)
            .min(8 * TILE);
        let cost = (block * row * width) as f64 * COST;
        par_rows_mut(output, block * width, cost, |first, output| {
            for (i, output) in output.chunks_mut(block * width).enumerate() {
                let begin = (first + i) * block;
                let origins = &origins[begin..begin + output.len() / width];
                for (group, (runs, panels)) in groups.iter().enumerate() {
                    let windows = Pieces {
                        data: images,
                        origins,
                        runs,
                        len: layout.len,
                    };
                    multiply(&windows, panels, &mut output[group * wide..], width);
                }
            }
        });
    });
}

/// The gradient of the filters from that of the output: each thread sums some of them over all windows, in their order.
pub(crate) fn of_filters<T: Short>(conv: &Convolution, input: &[T], grad: &[T], filters: &mut [T]) {
    let grad = T::wide(grad);
    T::make(filters, |filters| sum(conv, input, &grad, filters));
}

/// As [`of_filters`], of a gradient as `f32`.
fn sum<T: Short>(conv: &Convolution, input: &[T], grad: &[f32], filters: &mut [f32]) {
    filters.fill(0.0);
    let layout = Layout::of(conv);
    let (row, wide, width) = (conv.row(), conv.wide(), conv.filters);
    let runs: Vec<Vec<usize>> = (0..conv.groups)
        .map(|group| layout.runs_of(conv, group))
        .collect();
    // Rows of the filters that a thread takes at a time: as few as their sums stay in its cache, but what does not fit the
    // caches passes by seldom.
    let passes = conv.images * conv.windows() * width;
    let least = if passes > NEAR { PARTS } else { SMALL_PARTS };
    let parts = least.max(PARTS * n_threads());
    let few = if row < 144 { 8 } else { 24 };
    let block = row.div_ceil(parts).next_multiple_of(8).max(few);
    layout.groups(conv, input, |images, first, origins| {
        let grad = &grad[first * width..][..origins.len() * width];
        let cost = (block * origins.len() * width) as f64 * COST;
        par_rows_mut(filters, block * width, cost, |first, filters| {
            let rows = first * block..first * block + filters.len() / width;
            for (group, runs) in runs.iter().enumerate() {
                let windows = Pieces {
                    data: images,
                    origins,
                    runs,
                    len: layout.len,
                };
                let own = Matrix::row_major(&grad[group * wide..], width);
                let to = &mut filters[group * wide..];
                multiply_transposed(&windows, rows.clone(), (own, wide), to, width);
            }
        });
    });
}
