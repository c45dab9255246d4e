//! Short rows, by blocks of several: a kernel that is called for a few elements spends its time on being called.

use super::Binary;
use super::broadcast::Broadcast;
use crate::pool;
use std::borrow::Cow;

/// Rows of as many elements or more go to kernels by themselves.
const SHORT: usize = 256;
/// Elements of a block, at most.
const BLOCK: usize = 512;
/// Elements written at once where one is repeated, which may go beyond a row.
const AHEAD: usize = 16;

/// An operand of a block: where its rows begin, how far apart they are, and whether one of their elements is repeated.
#[derive(Clone, Copy)]
struct Rows {
    at: usize,
    step: usize,
    repeats: bool,
}

/// Memory for the rows of an operand, side by side.
struct Wide<T> {
    buffer: Option<[T; BLOCK + AHEAD]>,
    /// Where the row is that all rows of the buffer are copies of.
    copied: Option<usize>,
}

impl<T: Copy> Wide<T> {
    fn new() -> Wide<T> {
        Wide {
            buffer: None,
            copied: None,
        }
    }

    /// `n` rows of `len` elements side by side.
    fn rows<'a>(&'a mut self, x: &'a [T], from: Rows, n: usize, len: usize) -> &'a [T] {
        let Rows { at, step, repeats } = from;
        if step == len && !repeats {
            return &x[at..at + n * len];
        }
        let buffer = self.buffer.get_or_insert_with(|| [x[at]; BLOCK + AHEAD]);
        if repeats {
            repeat_elements(x, from, &mut buffer[..n * len + AHEAD], len);
        } else if step != 0 {
            for (row, to) in buffer[..n * len].chunks_exact_mut(len).enumerate() {
                to.copy_from_slice(&x[at + row * step..][..len]);
            }
        } else if self.copied != Some(at) {
            self.copied = Some(at);
            repeat_row(&x[at..at + len], &mut buffer[..BLOCK / len * len]);
        }
        &buffer[..n * len]
    }
}

/// Fills rows of `len` elements with one element each; what is [`AHEAD`] of them is overwritten.
#[inline]
fn repeat_elements<T: Copy>(x: &[T], from: Rows, rows: &mut [T], len: usize) {
    let (mut at, mut to) = (from.at, 0);
    while to + AHEAD < rows.len() {
        let value = [x[at]; AHEAD];
        for ahead in (0..len).step_by(AHEAD) {
            rows[to + ahead..][..AHEAD].copy_from_slice(&value);
        }
        (at, to) = (at + from.step, to + len);
    }
}

/// Fills `rows` with copies of one row.
fn repeat_row<T: Copy>(row: &[T], rows: &mut [T]) {
    rows[..row.len()].copy_from_slice(row);
    let mut filled = row.len();
    while filled < rows.len() {
        let n = filled.min(rows.len() - filled);
        rows.copy_within(..n, filled);
        filled += n;
    }
}

impl Broadcast<2> {
    /// Whether rows are short, and many are at equal distances.
    pub(super) fn has_short_rows(&self) -> bool {
        match self.dims() {
            [.., rows, row] => row.len < SHORT && rows.len * row.len >= BLOCK / 2,
            _ => false,
        }
    }

    /// The plan and the operands with what repeats within the innermost rows written out, where those rows are then short
    /// ones that are at equal distances: a pattern that is repeated from row to row, such as a number for each group of
    /// channels.
    pub(super) fn patterned<'a, T: Copy>(
        &self,
        operands: [&'a [T]; 2],
    ) -> Option<(Broadcast<2>, [Cow<'a, [T]>; 2])> {
        let dims = self.dims();
        let mut width = 1;
        let split = (0..dims.len()).rev().find(|&at| {
            width *= dims[at].len;
            at + 2 < dims.len() && width >= BLOCK / 2
        })?;
        let width = width / dims[split].len;
        let (outside, rows) = (&dims[..split], dims[split]);
        if width >= SHORT {
            return None;
        }
        let mut shapes = [Vec::new(), Vec::new()];
        let mut written = [Cow::Borrowed(operands[0]), Cow::Borrowed(operands[1])];
        for k in 0..2 {
            let mut below = 1;
            let is_dense = dims[split + 1..].iter().rev().all(|dim| {
                let fits = dim.strides[k] == below;
                below *= dim.len;
                fits
            });
            let sizes = outside.iter().map(|dim| match dim.strides[k] {
                0 => 1,
                _ => dim.len,
            });
            shapes[k] = sizes.collect();
            match (is_dense, rows.strides[k]) {
                (true, step) if step == width => shapes[k].extend([rows.len, width]),
                (_, 0) => {
                    shapes[k].extend([1, width]);
                    written[k] = Cow::Owned(self.pattern(k, split, operands[k]));
                }
                _ => return None,
            }
        }
        let out: Vec<usize> = outside.iter().map(|dim| dim.len).collect();
        let out = [&out[..], &[rows.len, width]].concat();
        Some((Broadcast::new([&shapes[0], &shapes[1]], &out), written))
    }

    /// The elements of an operand in the order of the walk, for the first position of that dimension and of those along
    /// which it repeats outside of it.
    fn pattern<T: Copy>(&self, k: usize, split: usize, x: &[T]) -> Vec<T> {
        let mut places = vec![0];
        for (at, dim) in self.dims().iter().enumerate() {
            let repeats = at == split || at < split && dim.strides[k] == 0;
            let len = if repeats { 1 } else { dim.len };
            let each = places
                .iter()
                .flat_map(|&place: &usize| (0..len).map(move |i| place + i * dim.strides[k]));
            places = each.collect();
        }
        places.into_iter().map(|place| x[place]).collect()
    }

    /// Runs a binary kernel by blocks of rows, over the pool when that is worth it.
    pub(super) fn by_blocks<T: Copy + Sync, U: Copy + Send>(
        &self,
        kernel: &Binary<T, U>,
        a: &[T],
        b: &[T],
        out: &mut [U],
    ) {
        let [.., row] = self.dims() else { return };
        #[allow(clippy::cast_precision_loss)]
        let cost = (kernel.cost_ns + 0.1) * row.len as f64;
        pool::par_rows_mut(out, row.len, cost, |first, out| {
            self.blocks(kernel, a, b, first, out);
        });
    }

    /// As many rows from the `first` on as `out` has.
    fn blocks<T: Copy, U>(
        &self,
        kernel: &Binary<T, U>,
        a: &[T],
        b: &[T],
        first: usize,
        mut out: &mut [U],
    ) {
        let ([.., rows, row], false) = (self.dims(), out.is_empty()) else {
            return;
        };
        let side = |k: usize, at: usize| Rows {
            at,
            step: rows.strides[k],
            repeats: row.strides[k] == 0,
        };
        let (mut wide_a, mut wide_b) = (Wide::new(), Wide::new());
        let mut first = first;
        while !out.is_empty() {
            let at = self.row_begin(first);
            let left = (rows.len - first % rows.len).min(out.len() / row.len);
            for begin in (0..left).step_by(BLOCK / row.len) {
                let n = (BLOCK / row.len).min(left - begin);
                let (block, rest) = out.split_at_mut(n * row.len);
                let [x, y] = [0, 1].map(|k| side(k, at[k] + begin * rows.strides[k]));
                let x = wide_a.rows(a, x, n, row.len);
                let y = wide_b.rows(b, y, n, row.len);
                (kernel.vec_vec)(x, y, block);
                out = rest;
            }
            first += left;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Binary, Sub};
    use super::*;

    /// `a - b` by index arithmetic over a result of three axes.
    fn naive(a: (&[i32], [usize; 3]), b: (&[i32], [usize; 3]), out: [usize; 3]) -> Vec<i32> {
        let at = |dims: [usize; 3], index: [usize; 3]| {
            (0..3).fold(0, |o, d| {
                o * dims[d] + if dims[d] == 1 { 0 } else { index[d] }
            })
        };
        let mut all = Vec::new();
        for i in 0..out[0] {
            for j in 0..out[1] {
                for k in 0..out[2] {
                    let index = [i, j, k];
                    all.push(a.0[at(a.1, index)] - b.0[at(b.1, index)]);
                }
            }
        }
        all
    }

    #[test]
    fn patterns_agree_with_index_arithmetic() {
        for (sa, sb, so) in [
            (&[2, 40, 8, 8][..], &[2, 1, 8, 1][..], &[2, 40, 8, 8][..]),
            (&[40, 8, 8], &[8, 1], &[40, 8, 8]),
            (&[1, 40, 8, 8], &[3, 1, 8, 1], &[3, 40, 8, 8]),
            (&[3, 1, 8, 1], &[3, 40, 8, 8], &[3, 40, 8, 8]),
            (&[5, 300, 2, 3], &[300, 1, 3], &[5, 300, 2, 3]),
            (&[5, 100, 2, 3, 4], &[5, 1, 2, 1, 4], &[5, 100, 2, 3, 4]),
        ] {
            let plan = Broadcast::new([sa, sb], so);
            let numbers = |shape: &[usize], by| -> Vec<i32> {
                (0..shape.iter().product::<usize>() as i32)
                    .map(|v| v * by)
                    .collect()
            };
            let (a, b) = (numbers(sa, 7), numbers(sb, 1));
            let mut out = vec![0; plan.size()];
            plan.binary(&Binary::of::<Sub>(), &a, &b, &mut out);
            let mut wanted = vec![0; plan.size()];
            plan.map([&a, &b], &mut wanted, 1.0, |[a, b]| a - b);
            assert_eq!(out, wanted, "{sa:?} {sb:?}");
        }
    }

    #[test]
    fn short_rows_agree_with_index_arithmetic() {
        for len in [2, 3, 15, 16, 17, 50, 64, 200, 255] {
            for (sa, sb) in [
                ([1, 700, len], [1, 1, len]),
                ([1, 700, len], [1, 700, 1]),
                ([1, 1, len], [1, 700, 1]),
                ([3, 300, len], [3, 1, len]),
                ([3, 300, 1], [1, 300, len]),
                ([3, 1, len], [1, 300, 1]),
                ([3, 300, len], [1, 300, len]),
            ] {
                let so = std::array::from_fn(|d: usize| sa[d].max(sb[d]));
                let numbers = |dims: [usize; 3], by| -> Vec<i32> {
                    (0..dims.iter().product::<usize>() as i32)
                        .map(|v| v * by)
                        .collect()
                };
                let (a, b) = (numbers(sa, 7), numbers(sb, 1));
                let plan = Broadcast::new([&sa, &sb], &so);
                let mut out = vec![0; so.iter().product()];
                plan.binary(&Binary::of::<Sub>(), &a, &b, &mut out);
                assert_eq!(out, naive((&a, sa), (&b, sb), so), "{sa:?} {sb:?}");
            }
        }
    }
}
