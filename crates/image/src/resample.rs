//! Weighted sums along the two axes of images.

use ferrograph_kernels::pool::par_rows_mut;
use ferrograph_kernels::scratch::vec_of;
use ferrograph_kernels::stop::poll_cancellation;

use crate::spans::Spans;

/// Images of `w * c` elements a row and `h` rows, each element of whose results is a sum over rows and columns.
pub(crate) struct Resample<'a> {
    pub h: usize,
    pub w: usize,
    pub c: usize,
    pub rows: &'a Spans,
    pub columns: &'a Spans,
}

impl Resample<'_> {
    /// How many sums an output row takes where rows are summed first, and where columns are.
    fn costs(&self) -> [f64; 2] {
        let taps = self.rows.n_weights() as f64 / self.rows.len().max(1) as f64;
        let across = self.columns.n_weights() as f64;
        [taps * self.w as f64 + across, taps * across]
    }

    /// The sums for a stack of images.
    pub fn run(&self, input: &[f32], output: &mut [f32]) {
        let row = self.columns.len() * self.c;
        let [down_first, across_first] = self.costs();
        let cost = down_first.min(across_first) * self.c as f64 * 0.5;
        par_rows_mut(output, row, cost, |first, rows| {
            let mut line = match down_first < across_first {
                true => vec_of(0f32, self.w * self.c),
                false => Vec::new(),
            };
            for (i, to) in rows.chunks_exact_mut(row).enumerate() {
                let (image, y) = ((first + i) / self.rows.len(), (first + i) % self.rows.len());
                let image = &input[image * self.h * self.w * self.c..][..self.h * self.w * self.c];
                self.one(image, y, &mut line, to);
                poll_cancellation();
            }
        });
    }

    /// One row of a result. Rows are summed first where there is a line to sum them in.
    fn one(&self, image: &[f32], y: usize, line: &mut [f32], to: &mut [f32]) {
        let (first, weights) = self.rows.at(y);
        let rows = image[first * self.w * self.c..].chunks_exact((self.w * self.c).max(1));
        to.fill(0.0);
        match weights {
            [1.0] => self.across(rows.take(1).next().unwrap_or_default(), 1.0, to),
            _ if line.is_empty() => {
                rows.zip(weights)
                    .for_each(|(row, w)| self.across(row, *w, to));
            }
            _ => {
                sum(rows, weights, line);
                self.across(line, 1.0, to);
            }
        }
    }

    /// Adds `factor` times the sums along a row.
    fn across(&self, row: &[f32], factor: f32, to: &mut [f32]) {
        match self.c {
            1 => across::<1>(self.columns, row, factor, to),
            2 => across::<2>(self.columns, row, factor, to),
            3 => across::<3>(self.columns, row, factor, to),
            4 => across::<4>(self.columns, row, factor, to),
            c => across_many(self.columns, row, c, factor, to),
        }
    }
}

/// The weighted sum of rows.
fn sum<'a>(rows: impl Iterator<Item = &'a [f32]>, weights: &[f32], to: &mut [f32]) {
    let mut all = rows.zip(weights);
    match (weights.len(), all.next()) {
        (_, None) => to.fill(0.0),
        (2, Some((low, a))) => {
            let Some((high, b)) = all.next() else { return };
            for ((to, x), y) in to.iter_mut().zip(low).zip(high) {
                *to = x * a + y * b;
            }
        }
        (_, Some((row, w))) => {
            to.iter_mut().zip(row).for_each(|(to, x)| *to = x * w);
            for (row, w) in all {
                to.iter_mut().zip(row).for_each(|(to, x)| *to += x * w);
            }
        }
    }
}

fn across<const C: usize>(columns: &Spans, row: &[f32], factor: f32, to: &mut [f32]) {
    let (pixels, _) = row.as_chunks::<C>();
    let (outputs, _) = to.as_chunks_mut::<C>();
    for (x, to) in outputs.iter_mut().enumerate() {
        let (first, weights) = columns.at(x);
        let mut sums = [0f32; C];
        for (pixel, w) in pixels[first..].iter().zip(weights) {
            for (sum, x) in sums.iter_mut().zip(pixel) {
                *sum += x * w;
            }
        }
        to.iter_mut()
            .zip(sums)
            .for_each(|(to, x)| *to += x * factor);
    }
}

fn across_many(columns: &Spans, row: &[f32], c: usize, factor: f32, to: &mut [f32]) {
    for (x, to) in to.chunks_exact_mut(c).enumerate() {
        let (first, weights) = columns.at(x);
        for (pixel, w) in row[first * c..].chunks_exact(c).zip(weights) {
            let w = w * factor;
            to.iter_mut().zip(pixel).for_each(|(to, x)| *to += x * w);
        }
    }
}
