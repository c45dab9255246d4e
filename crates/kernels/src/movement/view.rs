//! Strided views of a row-major slice: transposes, slices, reversals, repetitions, all by one copy.

use crate::pool;

/// One dimension of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Dim {
    len: usize,
    stride: isize,
}

/// A view: where each element of an n-dimensional result lies in a slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    offset: isize,
    dims: Vec<Dim>,
}

/// The edge of the square that a transposing copy takes at once.
const TILE: usize = 16;

impl View {
    /// All of a row-major array.
    pub fn of(shape: &[usize]) -> Self {
        let mut stride = 1;
        let mut dims: Vec<Dim> = Vec::with_capacity(shape.len());
        for &len in shape.iter().rev() {
            dims.push(Dim { len, stride });
            stride *= len as isize;
        }
        dims.reverse();
        View { offset: 0, dims }
    }

    /// The dimensions in the order `perm`.
    pub fn permute(mut self, perm: &[usize]) -> Self {
        assert_eq!(perm.len(), self.dims.len(), "one entry a dimension");
        self.dims = perm.iter().map(|&d| self.dims[d]).collect();
        self
    }

    /// Elements `begin, begin + step, …` of a dimension, `len` of them.
    pub fn slice(mut self, dim: usize, begin: usize, step: isize, len: usize) -> Self {
        let d = &mut self.dims[dim];
        let last = begin as isize + step * len.saturating_sub(1) as isize;
        assert!(
            len == 0 || (begin < d.len && (0..d.len as isize).contains(&last)),
            "the slice lies within its dimension"
        );
        if len > 0 {
            self.offset += begin as isize * d.stride;
        }
        *d = Dim {
            len,
            stride: d.stride * step,
        };
        self
    }

    /// A dimension backwards.
    pub fn reverse(self, dim: usize) -> Self {
        let len = self.dims[dim].len;
        self.slice(dim, len.saturating_sub(1), -1, len)
    }

    /// The whole repeated along each dimension, as `tile` does.
    pub fn tile(mut self, repeats: &[usize]) -> Self {
        assert_eq!(repeats.len(), self.dims.len(), "one repeat a dimension");
        self.dims = self
            .dims
            .iter()
            .zip(repeats)
            .flat_map(|(&d, &len)| [Dim { len, stride: 0 }, d])
            .collect();
        self
    }

    /// Broadcast to `shape`: dimensions of length 1 repeat and missing ones lead.
    pub fn broadcast_to(mut self, shape: &[usize]) -> Self {
        let missing = shape.len() - self.dims.len();
        let own = |i: usize| i.checked_sub(missing).map(|j| self.dims[j]);
        self.dims = shape
            .iter()
            .enumerate()
            .map(|(i, &len)| match own(i) {
                Some(d) if d.len == len => d,
                Some(d) => {
                    assert_eq!(d.len, 1, "the dimension broadcasts");
                    Dim { len, stride: 0 }
                }
                None => Dim { len, stride: 0 },
            })
            .collect();
        self
    }

    /// The number of elements.
    pub fn size(&self) -> usize {
        self.dims.iter().map(|d| d.len).product()
    }

    /// Merges dimensions that one stride can walk.
    fn merged(&self) -> View {
        let mut dims: Vec<Dim> = Vec::with_capacity(self.dims.len());
        for &d in self.dims.iter().filter(|d| d.len != 1) {
            match dims.last_mut() {
                Some(last) if last.stride == d.stride * d.len as isize => {
                    *last = Dim {
                        len: last.len * d.len,
                        stride: d.stride,
                    };
                }
                _ => dims.push(d),
            }
        }
        if dims.is_empty() {
            dims.push(Dim { len: 1, stride: 1 });
        }
        View {
            offset: self.offset,
            dims,
        }
    }

    /// Whether every element lies within a slice of length `n`.
    fn fits(&self, n: usize) -> bool {
        let reach = |d: &Dim| d.stride * (d.len as isize - 1);
        let low: isize = self.offset + self.dims.iter().map(|d| reach(d).min(0)).sum::<isize>();
        let high: isize = self.offset + self.dims.iter().map(|d| reach(d).max(0)).sum::<isize>();
        low >= 0 && high < n as isize
    }

    /// Copies the view of `x` into `out`, in order.
    pub fn copy<T: Copy + Send + Sync>(&self, x: &[T], out: &mut [T]) {
        assert_eq!(out.len(), self.size(), "the result has the view's size");
        if out.is_empty() {
            return;
        }
        assert!(self.fits(x.len()), "the view lies within the slice");
        let view = self.merged();
        let row = out.len() / view.dims[0].len;
        let per_element = if view.dims.last().is_some_and(|d| d.stride == 1) {
            0.3
        } else {
            1.0
        };
        pool::par_rows_mut(out, row, row as f64 * per_element, |first, out| {
            let mut dims = view.dims.clone();
            dims[0].len = out.len() / row;
            copy_dims(x, view.offset + first as isize * dims[0].stride, &dims, out);
        });
    }

    /// Writes the elements of `x`, in order, to the view's places in `out`; the reverse of [`View::copy`].
    pub fn write<T: Copy>(&self, x: &[T], out: &mut [T]) {
        self.update(x, out, |_, new| new);
    }

    /// As [`View::write`], combining each old element with the new one.
    pub fn update<T: Copy>(&self, x: &[T], out: &mut [T], combine: impl Fn(T, T) -> T + Copy) {
        assert_eq!(x.len(), self.size(), "the operand has the view's size");
        if x.is_empty() {
            return;
        }
        assert!(self.fits(out.len()), "the view lies within the slice");
        let view = self.merged();
        let (inner, outer) = view.dims.split_last().expect("at least one dimension");
        let mut rows = x.chunks_exact(inner.len);
        each_row(outer, view.offset, &mut |at| {
            let row = rows.next().expect("a row for each place");
            if inner.stride == 1 {
                let out = &mut out[at as usize..][..row.len()];
                out.iter_mut()
                    .zip(row)
                    .for_each(|(o, &v)| *o = combine(*o, v));
            } else {
                let places = (0..row.len()).map(|i| (at + i as isize * inner.stride) as usize);
                places
                    .zip(row)
                    .for_each(|(p, &v)| out[p] = combine(out[p], v));
            }
        });
    }
}

/// Calls `f` with the offset of each row, in order.
fn each_row(outer: &[Dim], at: isize, f: &mut impl FnMut(isize)) {
    match outer.split_first() {
        None => f(at),
        Some((d, rest)) => (0..d.len as isize).for_each(|i| each_row(rest, at + i * d.stride, f)),
    }
}

fn copy_dims<T: Copy>(x: &[T], at: isize, dims: &[Dim], out: &mut [T]) {
    let (inner, outer) = dims.split_last().expect("at least one dimension");
    let transposed = outer.iter().rposition(|d| d.stride == 1 && d.len > 1);
    match (inner.stride, transposed) {
        (0 | 1, _) | (_, None) => {
            let mut rows = out.chunks_exact_mut(inner.len);
            each_row(outer, at, &mut |at| {
                copy_row(
                    x,
                    at,
                    inner.stride,
                    rows.next().expect("a row for each place"),
                )
            });
        }
        (_, Some(d)) => copy_transposed(x, at, dims, d, out),
    }
}

#[inline]
fn copy_row<T: Copy>(x: &[T], at: isize, stride: isize, out: &mut [T]) {
    let start = at as usize;
    match stride {
        1 => out.copy_from_slice(&x[start..start + out.len()]),
        0 => out.fill(x[start]),
        2.. => out
            .iter_mut()
            .zip(x[start..].iter().step_by(stride as usize))
            .for_each(|(o, &v)| *o = v),
        _ => out
            .iter_mut()
            .zip(x[..=start].iter().rev().step_by(stride.unsigned_abs()))
            .for_each(|(o, &v)| *o = v),
    }
}

/// Dimension `d` of the operand is contiguous and the last one of the result is: goes by square tiles of the two.
fn copy_transposed<T: Copy>(x: &[T], at: isize, dims: &[Dim], d: usize, out: &mut [T]) {
    let (before, from_d) = dims.split_at(d);
    let inner = dims[dims.len() - 1];
    let between = &from_d[1..from_d.len() - 1];
    let step: usize = inner.len * between.iter().map(|d| d.len).product::<usize>();
    let mut blocks = out.chunks_exact_mut(step * from_d[0].len);
    each_row(before, at, &mut |at| {
        let block = blocks.next().expect("a block for each place");
        let mut first = 0;
        each_row(between, at, &mut |at| {
            transpose_tiles(x, at, from_d[0].len, inner, step, &mut block[first..]);
            first += inner.len;
        });
    });
}

/// `out[r * step + c] = x[at + r + c * stride]`
fn transpose_tiles<T: Copy>(
    x: &[T],
    at: isize,
    rows: usize,
    inner: Dim,
    step: usize,
    out: &mut [T],
) {
    for r0 in (0..rows).step_by(TILE) {
        let r1 = (r0 + TILE).min(rows);
        for c0 in (0..inner.len).step_by(TILE) {
            let c1 = (c0 + TILE).min(inner.len);
            if r1 - r0 == TILE && c1 - c0 == TILE {
                full_tile(
                    x,
                    at + r0 as isize + c0 as isize * inner.stride,
                    inner.stride,
                    step,
                    &mut out[r0 * step + c0..],
                );
                continue;
            }
            for c in c0..c1 {
                let from = (at + c as isize * inner.stride) as usize;
                (r0..r1).for_each(|r| out[r * step + c] = x[from + r]);
            }
        }
    }
}

/// A whole tile through a buffer, so that both sides move by rows.
#[inline]
fn full_tile<T: Copy>(x: &[T], at: isize, stride: isize, step: usize, out: &mut [T]) {
    let row = |c: usize| -> &[T; TILE] {
        let from = (at + c as isize * stride) as usize;
        x[from..from + TILE].try_into().expect("a tile's row")
    };
    let tile: [&[T; TILE]; TILE] = std::array::from_fn(row);
    for r in 0..TILE {
        let to: &mut [T] = &mut out[r * step..r * step + TILE];
        for c in 0..TILE {
            to[c] = tile[c][r];
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{ArrayD, IxDyn, s};

    use super::*;

    fn array(shape: &[usize]) -> ArrayD<u32> {
        ArrayD::from_shape_vec(
            IxDyn(shape),
            (0..shape.iter().product::<usize>() as u32).collect(),
        )
        .unwrap()
    }

    fn copied(view: &View, x: &ArrayD<u32>) -> Vec<u32> {
        let mut out = vec![u32::MAX; view.size()];
        view.copy(x.as_slice().unwrap(), &mut out);
        out
    }

    #[test]
    fn permutations_agree_with_ndarray() {
        let perms: &[(&[usize], &[usize])] = &[
            (&[5], &[0]),
            (&[3, 4], &[1, 0]),
            (&[37, 53], &[1, 0]),
            (&[700, 900], &[1, 0]),
            (&[2, 3, 4], &[2, 0, 1]),
            (&[20, 18, 33], &[2, 1, 0]),
            (&[20, 18, 33], &[0, 2, 1]),
            (&[20, 18, 33], &[1, 0, 2]),
            (&[2, 17, 1, 40], &[3, 0, 2, 1]),
            (&[4, 17, 19, 20], &[2, 3, 1, 0]),
            (&[0, 3], &[1, 0]),
        ];
        for &(shape, perm) in perms {
            let x = array(shape);
            let want: Vec<u32> = x
                .view()
                .permuted_axes(perm.to_vec())
                .iter()
                .copied()
                .collect();
            assert_eq!(
                copied(&View::of(shape).permute(perm), &x),
                want,
                "{shape:?} {perm:?}"
            );
        }
    }

    #[test]
    fn slices_agree_with_ndarray() {
        let x = array(&[6, 7, 8]);
        let view = View::of(&[6, 7, 8])
            .slice(0, 1, 2, 3)
            .slice(1, 6, -3, 3)
            .slice(2, 2, 1, 5);
        let want: Vec<u32> = x.slice(s![1..6;2, ..;-3, 2..7]).iter().copied().collect();
        assert_eq!(copied(&view, &x), want);
        assert_eq!(copied(&View::of(&[6, 7, 8]).slice(1, 0, 1, 0), &x), []);
        let mut back = vec![0; 6 * 7 * 8];
        view.write(&want, &mut back);
        let sum = |v: &[u32]| v.iter().map(|&v| v as u64).sum::<u64>();
        assert_eq!(sum(&back), sum(&want));
        assert_eq!(copied(&view, &array(&[6, 7, 8])), want);
    }

    #[test]
    fn reversals_tiles_and_broadcasts() {
        let x = array(&[2, 3]);
        assert_eq!(
            copied(&View::of(&[2, 3]).reverse(1), &x),
            [2, 1, 0, 5, 4, 3]
        );
        assert_eq!(
            copied(&View::of(&[2, 3]).reverse(0).reverse(1), &x),
            [5, 4, 3, 2, 1, 0]
        );
        assert_eq!(
            copied(&View::of(&[2, 3]).tile(&[2, 2]), &x)[..9],
            [0, 1, 2, 0, 1, 2, 3, 4, 5]
        );
        assert_eq!(
            copied(&View::of(&[2, 1]).broadcast_to(&[2, 2, 3]), &array(&[2, 1])),
            [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1]
        );
        assert_eq!(copied(&View::of(&[]), &array(&[])), [0]);
    }
}
