//! Convolutions as products of matrices: windows are laid out as rows, a part of them at a time.

use ferrograph_kernels::halves::Short;
use ferrograph_kernels::matmul::{BatchMatMul, MatMul, Matrix, Operand, batch_matmul, gemm};
use ferrograph_kernels::movement::{Strided, View};
use ferrograph_kernels::pool::par_rows_mut;
use ferrograph_kernels::scratch::vec_of;
use ferrograph_tensor::Element;
use half::{bf16, f16};
use num_traits::NumAssign;

use crate::geometry::{AXES, Axis};
use crate::{channels, depthwise, tiled};

/// A number that convolutions are of.
pub(crate) trait Number: Element + MatMul + NumAssign + Copy {
    /// Slides filters over images, of which neither is empty.
    fn slide(conv: &Convolution, input: &[Self], filters: &[Self], output: &mut [Self]) {
        conv.slide_laid(input, filters, output);
    }

    /// The gradient of the filters, where there are windows.
    fn sum(conv: &Convolution, input: &[Self], grad: &[Self], filters: &mut [Self]) {
        conv.sum_laid(input, grad, filters);
    }

    /// The gradient of the input by laying that of each window out, where none of them is empty.
    fn add_up(conv: &Convolution, filters: &[Self], grad: &[Self], images: &mut [Self]) {
        conv.add_laid(filters, grad, images);
    }

    /// Slides a filter over each channel.
    fn slide_channels(conv: &Convolution, input: &[Self], filters: &[Self], output: &mut [Self]) {
        depthwise::slide_plain(conv, input, filters, output);
    }

    /// The gradient of a filter for each channel, where there are both and windows.
    fn sum_channels(conv: &Convolution, input: &[Self], grad: &[Self], filters: &mut [Self]) {
        depthwise::sum_plain(conv, input, grad, filters);
    }
}

impl Number for f64 {}

impl Number for f32 {
    fn slide(conv: &Convolution, input: &[f32], filters: &[f32], output: &mut [f32]) {
        tiled::forward(conv, input, filters, output);
    }
    fn sum(conv: &Convolution, input: &[f32], grad: &[f32], filters: &mut [f32]) {
        tiled::of_filters(conv, input, grad, filters);
    }
    fn slide_channels(conv: &Convolution, input: &[f32], filters: &[f32], output: &mut [f32]) {
        channels::forward(conv, input, filters, output);
    }
    fn sum_channels(conv: &Convolution, input: &[f32], grad: &[f32], filters: &mut [f32]) {
        channels::of_filters(conv, input, grad, filters);
    }
}

/// Halves are convolved in `f32`, and rounded once; products of matrices widen them on the way.
macro_rules! halves {
    ($($t:ty)*) => {$(
        impl Number for $t {
            fn slide(conv: &Convolution, input: &[$t], filters: &[$t], output: &mut [$t]) {
                match conv.is_pointwise() {
                    true => conv.slide_laid(input, filters, output),
                    false => tiled::forward(conv, input, filters, output),
                }
            }
            fn sum(conv: &Convolution, input: &[$t], grad: &[$t], filters: &mut [$t]) {
                let sizes = (conv.channels, conv.images * conv.windows(), conv.filters);
                match conv.is_pointwise() {
                    true => product(sizes, [true, false], input, grad, filters),
                    false => tiled::of_filters(conv, input, grad, filters),
                }
            }
            fn slide_channels(conv: &Convolution, input: &[$t], filters: &[$t], output: &mut [$t]) {
                channels::forward(conv, input, filters, output);
            }
            fn sum_channels(conv: &Convolution, input: &[$t], grad: &[$t], filters: &mut [$t]) {
                channels::of_filters(conv, input, grad, filters);
            }
            fn add_up(conv: &Convolution, filters: &[$t], grad: &[$t], images: &mut [$t]) {
                <$t>::make(images, |images| conv.add_laid(&<$t>::wide(filters), &<$t>::wide(grad), images));
            }
        }
    )*};
}
halves!(f16 bf16);

/// Elements of windows that are laid out at a time, roughly: what stays in the cache of a core.
const PART: usize = 1 << 18;

/// Slices in which gradients of filters are summed, at most.
const SLICES: usize = 16;

/// A convolution at given sizes: images of `channels` with their channels last, filters of `channels / groups`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Convolution {
    pub images: usize,
    pub axes: [Axis; AXES],
    pub channels: usize,
    pub filters: usize,
    pub groups: usize,
}

impl Convolution {
    /// Windows of an image.
    pub fn windows(&self) -> usize {
        self.axes.iter().map(|a| a.output).product()
    }

    /// Positions in an image.
    pub fn positions(&self) -> usize {
        self.axes.iter().map(|a| a.input).product()
    }

    /// Positions in a window.
    pub fn taps(&self) -> usize {
        self.axes.iter().map(|a| a.window).product()
    }

    /// Channels of a group.
    pub fn deep(&self) -> usize {
        self.channels / self.groups
    }

    /// Filters of a group.
    pub fn wide(&self) -> usize {
        self.filters / self.groups
    }

    /// Elements of a window, of one group.
    pub fn row(&self) -> usize {
        self.taps() * self.deep()
    }

    /// Multiply-adds.
    pub fn flops(&self) -> f64 {
        2.0 * (self.images * self.windows()) as f64 * (self.row() * self.filters) as f64
    }

    /// Whether a window is one position, and windows are the image.
    fn is_pointwise(&self) -> bool {
        let one = |a: &Axis| a.window == 1 && a.stride == 1 && a.before == 0 && a.output == a.input;
        self.groups == 1 && self.axes.iter().all(one)
    }

    /// How many windows are laid out at a time: parts of one size, whatever the number of threads.
    fn part(&self) -> usize {
        let all = (self.images * self.windows()).max(1);
        let most = (PART / self.row().max(1)).clamp(1, all);
        all.div_ceil(all.div_ceil(most))
    }

    /// The windows from `begin` to `end`, of one group, and what becomes of them.
    fn parts(&self, mut f: impl FnMut(usize, usize)) {
        let all = self.images * self.windows();
        for begin in (0..all).step_by(self.part()) {
            f(begin, all.min(begin + self.part()));
        }
    }

    /// The image, and the place along each axis, of a window.
    pub fn place(&self, window: usize) -> (usize, [usize; AXES]) {
        let (mut rest, mut place) = (window, [0; AXES]);
        for (at, axis) in place.iter_mut().zip(&self.axes).rev() {
            *at = rest % axis.output;
            rest /= axis.output;
        }
        (rest, place)
    }

    /// Calls `f` with the place in a window and that in the image of each position of a window within the image.
    #[inline(always)]
    pub fn each_tap(&self, place: [usize; AXES], mut f: impl FnMut(usize, usize)) {
        self.each_run(place, |tap, at, n| {
            (0..n).for_each(|i| f(tap.wrapping_add(i), at + i));
        });
    }

    /// As [`Self::each_tap`], for positions that follow one another in both: with how many these are. Places in windows
    /// larger than memory, of which there are no filters, mean nothing.
    #[inline(always)]
    pub fn each_run(&self, place: [usize; AXES], mut f: impl FnMut(usize, usize, usize)) {
        let [d, h, w] = &self.axes;
        for i in d.within(place[0]) {
            let Some(x) = d.at(place[0], i) else { continue };
            for j in h.within(place[1]) {
                let Some(y) = h.at(place[1], j) else { continue };
                let row = i.wrapping_mul(h.window).wrapping_add(j);
                let (tap, at) = (row.wrapping_mul(w.window), (x * h.input + y) * w.input);
                if w.dilation == 1 {
                    let (first, z, n) = w.run(place[2]);
                    if n > 0 {
                        f(tap.wrapping_add(first), at + z, n);
                    }
                    continue;
                }
                for k in w.within(place[2]) {
                    let Some(z) = w.at(place[2], k) else { continue };
                    f(tap.wrapping_add(k), at + z, 1);
                }
            }
        }
    }

    /// The channels at a place of an image.
    #[inline(always)]
    pub fn channels_at<'a, T>(&self, all: &'a [T], image: usize, at: usize) -> &'a [T] {
        let begin = (image * self.positions() + at) * self.channels;
        &all[begin..begin + self.channels]
    }

    /// Lays the windows from `first` on out as rows.
    fn lay<T: Number>(&self, group: usize, input: &[T], first: usize, rows: &mut [T]) {
        let (deep, row, image) = (self.deep(), self.row(), self.positions() * self.channels);
        let from = group * deep;
        par_rows_mut(rows, row, 2.0 + 0.5 * row as f64, |begin, rows| {
            for (i, to) in rows.chunks_mut(row).enumerate() {
                let (n, place) = self.place(first + begin + i);
                let input = &input[n * image..(n + 1) * image];
                let mut laid = 0;
                self.each_run(place, |_, _, n| laid += n);
                if laid < self.taps() {
                    to.fill(T::zero());
                }
                self.each_run(place, |tap, at, n| {
                    let (to, from) = (&mut to[tap * deep..], &input[at * self.channels + from..]);
                    if self.groups == 1 {
                        return to[..n * deep].copy_from_slice(&from[..n * deep]);
                    }
                    for (to, from) in to.chunks_mut(deep).zip(from.chunks(self.channels)).take(n) {
                        to.copy_from_slice(&from[..deep]);
                    }
                });
            }
        });
    }

    /// Adds rows to where their windows are in the images: what undoes [`Self::lay`].
    fn add<T: Number>(&self, group: usize, rows: &[T], first: usize, images: &mut [T]) {
        let (deep, row, image) = (self.deep(), self.row(), self.positions() * self.channels);
        let (from, windows) = (group * deep, self.windows());
        let last = first + rows.len() / row;
        let (lowest, highest) = (first / windows, last.div_ceil(windows));
        let touched = &mut images[lowest * image..highest * image];
        let cost = (windows * row) as f64;
        par_rows_mut(touched, image, cost, |begin, all| {
            for (i, image) in all.chunks_mut(image).enumerate() {
                let n = lowest + begin + i;
                for window in first.max(n * windows)..last.min((n + 1) * windows) {
                    let from_row = &rows[(window - first) * row..][..row];
                    let (_, place) = self.place(window);
                    self.each_run(place, |tap, at, n| {
                        let to = &mut image[at * self.channels + from..];
                        let added = &from_row[tap * deep..(tap + n) * deep];
                        if self.groups == 1 {
                            return to.iter_mut().zip(added).for_each(|(to, &x)| *to += x);
                        }
                        for (to, added) in to.chunks_mut(self.channels).zip(added.chunks(deep)) {
                            to.iter_mut().zip(added).for_each(|(to, &x)| *to += x);
                        }
                    });
                }
            }
        });
    }

    /// The convolution of the output's gradient that gives the input's, where there is one.
    pub fn reversed(&self) -> Option<Convolution> {
        let [d, h, w] = self.axes.map(|axis| axis.reversed());
        Some(Convolution {
            axes: [d?, h?, w?],
            channels: self.filters,
            filters: self.channels,
            ..*self
        })
    }

    /// The filters of [`Self::reversed`]: from the last position to the first, rows as columns.
    fn turned<T: Number>(&self, filters: &[T]) -> Vec<T> {
        let stored = View::of(&[self.taps(), self.channels, self.filters]);
        let turned = stored.reverse(0).permute(&[0, 2, 1]);
        let mut all = vec_of(T::zero(), filters.len());
        Strided::read(&turned).copy(filters, &mut all);
        all
    }

    /// The filters of a group, as columns.
    fn of_group<T: Number>(&self, group: usize, filters: &[T]) -> Vec<T> {
        let wide = self.wide();
        let rows = filters.chunks(self.filters);
        rows.flat_map(|r| &r[group * wide..(group + 1) * wide])
            .copied()
            .collect()
    }

    /// Slides the filters over the input.
    pub fn forward<T: Number>(&self, input: &[T], filters: &[T], output: &mut [T]) {
        if output.is_empty() {
            return;
        }
        if self.row() == 0 {
            return output.fill(T::zero());
        }
        T::slide(self, input, filters, output);
    }

    /// As [`Self::forward`], by laying windows out.
    fn slide_laid<T: Number>(&self, input: &[T], filters: &[T], output: &mut [T]) {
        if self.is_pointwise() {
            let m = self.images * self.windows();
            return product(
                (m, self.channels, self.filters),
                [false; 2],
                input,
                filters,
                output,
            );
        }
        let own: Vec<Vec<T>> = match self.groups {
            1 => Vec::new(),
            n => (0..n).map(|group| self.of_group(group, filters)).collect(),
        };
        let part = self.part();
        let cost = (part * self.row()) as f64 * (0.5 + 0.02 * self.filters as f64);
        par_rows_mut(output, part * self.filters, cost, |first, output| {
            let (mut rows, mut made) = (Vec::new(), Vec::new());
            for (i, output) in output.chunks_mut(part * self.filters).enumerate() {
                let (begin, m) = ((first + i) * part, output.len() / self.filters);
                rows.resize(m * self.row(), T::zero());
                let sizes = (m, self.row(), self.wide());
                if self.groups == 1 {
                    self.lay(0, input, begin, &mut rows);
                    product(sizes, [false; 2], &rows, filters, output);
                    continue;
                }
                made.resize(m * self.wide(), T::zero());
                for (group, filters) in own.iter().enumerate() {
                    self.lay(group, input, begin, &mut rows);
                    product(sizes, [false; 2], &rows, filters, &mut made);
                    put(&made, self.wide(), group, self.filters, output);
                }
            }
        });
    }

    /// The gradient of the input from that of the output.
    pub fn of_input<T: Number>(&self, filters: &[T], grad: &[T], images: &mut [T]) {
        if images.is_empty() || grad.is_empty() || self.row() == 0 {
            return images.fill(T::zero());
        }
        match self.reversed().filter(|_| self.groups == 1) {
            Some(reversed) => reversed.forward(grad, &self.turned(filters), images),
            None => T::add_up(self, filters, grad, images),
        }
    }

    /// As [`Self::of_input`], by laying windows out.
    fn add_laid<T: Number>(&self, filters: &[T], grad: &[T], images: &mut [T]) {
        images.fill(T::zero());
        let mut rows = Vec::new();
        for group in 0..self.groups {
            let own = (self.groups > 1).then(|| self.of_group(group, filters));
            let filters = own.as_deref().unwrap_or(filters);
            self.parts(|begin, end| {
                rows.resize((end - begin) * self.row(), T::zero());
                let grad =
                    self.grad_of_group(group, &grad[begin * self.filters..end * self.filters]);
                let sizes = (end - begin, self.wide(), self.row());
                product(sizes, [false, true], &grad, filters, &mut rows);
                self.add(group, &rows, begin, images);
            });
        }
    }

    /// The gradient of the filters from that of the output: sums in an order that the number of threads does not change.
    pub fn of_filters<T: Number>(&self, input: &[T], grad: &[T], filters: &mut [T]) {
        filters.fill(T::zero());
        if filters.is_empty() || grad.is_empty() || self.row() * self.wide() == 0 {
            return;
        }
        T::sum(self, input, grad, filters);
    }

    /// As [`Self::of_filters`], by laying windows out: sums of slices, of fixed sizes, added to filters of zeros.
    fn sum_laid<T: Number>(&self, input: &[T], grad: &[T], filters: &mut [T]) {
        let slices = (self.images * self.windows())
            .div_ceil(self.part())
            .min(SLICES);
        let size = self.row() * self.wide();
        let mut sums = vec![T::zero(); slices * size];
        for group in 0..self.groups {
            sums.fill(T::zero());
            self.sum_slices(group, input, grad, slices, &mut sums);
            for sum in sums.chunks(size) {
                self.add_columns(group, sum, filters);
            }
        }
    }

    /// The gradient of a group's filters, slice by slice of the windows.
    fn sum_slices<T: Number>(
        &self,
        group: usize,
        input: &[T],
        grad: &[T],
        slices: usize,
        sums: &mut [T],
    ) {
        let (all, part, row, wide) = (
            self.images * self.windows(),
            self.part(),
            self.row(),
            self.wide(),
        );
        let each = all.div_ceil(part).div_ceil(slices) * part;
        let cost = (each * row) as f64 * (0.5 + 0.02 * wide as f64);
        par_rows_mut(sums, row * wide, cost, |first, sums| {
            let mut rows = Vec::new();
            for (i, sum) in sums.chunks_mut(row * wide).enumerate() {
                let slice = (first + i) * each..all.min((first + i + 1) * each);
                for begin in slice.clone().step_by(part) {
                    let m = part.min(slice.end - begin);
                    rows.resize(m * row, T::zero());
                    self.lay(group, input, begin, &mut rows);
                    let own = &grad[begin * self.filters..][..m * self.filters];
                    let own = self.grad_of_group(group, own);
                    let (rows, own) =
                        (Matrix::row_major(&rows, row), Matrix::row_major(&own, wide));
                    gemm(row, m, wide, rows.t(), own, sum, true);
                }
            }
        });
    }

    /// Adds to the columns of a group.
    fn add_columns<T: Number>(&self, group: usize, from: &[T], to: &mut [T]) {
        let wide = self.wide();
        for (to, from) in to.chunks_mut(self.filters).zip(from.chunks(wide)) {
            let to = &mut to[group * wide..(group + 1) * wide];
            to.iter_mut().zip(from).for_each(|(to, &x)| *to += x);
        }
    }

    /// The columns of a group of the output's gradient.
    fn grad_of_group<'a, T: Number>(
        &self,
        group: usize,
        grad: &'a [T],
    ) -> std::borrow::Cow<'a, [T]> {
        match self.groups {
            1 => grad.into(),
            _ => self.of_group(group, grad).into(),
        }
    }
}

/// Puts rows of `wide` elements into the columns of a group.
fn put<T: Copy>(from: &[T], wide: usize, group: usize, width: usize, to: &mut [T]) {
    for (to, from) in to.chunks_mut(width).zip(from.chunks(wide)) {
        to[group * wide..(group + 1) * wide].copy_from_slice(from);
    }
}

/// A product of matrices, each of which may be read transposed.
fn product<T: Number>(
    (m, k, n): (usize, usize, usize),
    transposed: [bool; 2],
    a: &[T],
    b: &[T],
    out: &mut [T],
) {
    let [a_read, b_read] = transposed.map(|t| {
        if t {
            Operand::TRANSPOSE
        } else {
            Operand::PLAIN
        }
    });
    let shape = BatchMatMul {
        batch_a: &[],
        batch_b: &[],
        batch_out: &[],
        m,
        k,
        n,
        a: a_read,
        b: b_read,
    };
    batch_matmul(&shape, a, b, out);
}

#[cfg(test)]
mod tests;
