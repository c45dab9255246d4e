//! Products of a sparse matrix, whose elements come with their places, and a dense one.

use crate::isa::{Isa, Job, dispatch};
use crate::movement::{Indices, fill};
use crate::pool::{self, Base};
use crate::stop;

/// Elements that are multiplied between pauses.
const BLOCK: usize = 256;

/// Shorter rows of the result are left to one thread where places come in no order: finding them costs as much.
const SHORTEST_SHARED: usize = 8;

/// A sparse matrix, or its transpose.
#[derive(Clone, Copy)]
pub struct Sparse<'a, T> {
    /// The row and the column of each element.
    pub places: Indices<'a>,
    /// The elements.
    pub values: &'a [T],
    /// How many rows and columns there are.
    pub dims: [usize; 2],
    /// Rows are taken for columns, and columns for rows.
    pub transposed: bool,
}

/// A dense matrix: its elements, and the distances between rows and columns.
#[derive(Clone, Copy)]
pub struct Dense<'a, T> {
    /// The elements.
    pub data: &'a [T],
    /// From row to row.
    pub down: usize,
    /// From column to column.
    pub right: usize,
}

impl<T> Sparse<'_, T> {
    /// Rows and columns as they are read.
    fn shape(&self) -> (usize, usize) {
        let [rows, columns] = self.dims;
        match self.transposed {
            true => (columns, rows),
            false => (rows, columns),
        }
    }

    /// Writes the rows and the columns, as they are read, of elements from number `first` on.
    fn read(&self, first: usize, rows: &mut [usize], columns: &mut [usize]) {
        let (rows, columns) = match self.transposed {
            true => (columns, rows),
            false => (rows, columns),
        };
        let n = rows.len();
        let part = 2 * first..2 * (first + n);
        let to = (rows, columns);
        match self.places {
            Indices::Bytes(x) => apart(&x[part], to, usize::from),
            Indices::Signed(x) => apart(&x[part], to, |i| i as isize as usize),
            Indices::Narrow(x) => apart(&x[part], to, |i| i as isize as usize),
            Indices::Wide(x) => apart(&x[part], to, |i| i as usize),
        }
    }

    fn row(&self, i: usize) -> usize {
        self.places.get(2 * i + usize::from(self.transposed)) as usize
    }

    /// Whether all places are within the matrix, and whether rows do not fall.
    fn order(&self) -> (bool, bool) {
        let [rows, columns] = self.dims;
        let at = usize::from(self.transposed);
        match self.places {
            Indices::Narrow(places) => {
                let most = [rows, columns].map(clipped);
                dispatch(Checked { places, most, at })
            }
            Indices::Wide(places) => {
                let most = [rows, columns].map(|n| n as i64 - 1);
                dispatch(Checked { places, most, at })
            }
            _ => (self.wrong().is_none(), false),
        }
    }

    /// The first element whose place is not within the matrix.
    fn wrong(&self) -> Option<usize> {
        let place = |i: usize| self.places.get(i) as usize;
        let [rows, columns] = self.dims;
        (0..self.values.len()).find(|i| place(2 * i) >= rows || place(2 * i + 1) >= columns)
    }
}

/// The greatest place of an axis, as 32 bits hold it.
fn clipped(n: usize) -> i32 {
    i32::try_from(n as i64 - 1).unwrap_or(i32::MAX)
}

fn apart<I: Copy>(pairs: &[I], to: (&mut [usize], &mut [usize]), place: impl Fn(I) -> usize) {
    let both = to.0.iter_mut().zip(to.1);
    for ((row, column), pair) in both.zip(pairs.chunks_exact(2)) {
        (*row, *column) = (place(pair[0]), place(pair[1]));
    }
}

/// Whether pairs of places are at most these, and none negative; and whether those at `at` of the pairs do not fall, where
/// all are within.
struct Checked<'a, T> {
    places: &'a [T],
    most: [T; 2],
    at: usize,
}

trait Place: Copy + Default + PartialOrd {
    const ALL: Self;
    fn less(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
}

macro_rules! places {
    ($($t:ty)*) => {$(
        impl Place for $t {
            const ALL: $t = -1;
            #[inline(always)]
            fn less(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
        }
    )*};
}
places!(i32 i64);

impl<T: Place> Job for Checked<'_, T> {
    type Out = (bool, bool);
    #[inline(always)]
    fn run<I: Isa>(self) -> (bool, bool) {
        const SOME: usize = 256;
        let Checked { places, most, at } = self;
        let zero = T::default();
        let most: [T; SOME] = std::array::from_fn(|i| most[i % 2]);
        let mask: [T; SOME] = std::array::from_fn(|i| if i % 2 == at { T::ALL } else { zero });
        // What is negative is known by the highest bit. After the last pair the last one is taken again.
        let (mut beyond, mut falling) = (zero, zero);
        let mut some = |x: &[T; SOME], next: &[T; SOME]| {
            for i in 0..SOME {
                beyond = beyond.or(x[i]).or(most[i].less(x[i]));
                falling = falling.or(mask[i].and(next[i].less(x[i])));
            }
        };
        let mut first = 0;
        while first + SOME + 2 <= places.len() {
            let all = &places[first..first + SOME + 2];
            if let (Some(x), Some(next)) = (all.first_chunk(), all.last_chunk()) {
                some(x, next);
            }
            first += SOME;
        }
        if let Some(last) = places.len().checked_sub(2) {
            let place = |i: usize| places[if i < places.len() { i } else { last + i % 2 }];
            for from in [first, first + SOME] {
                let x = std::array::from_fn(|i| place(from + i));
                some(&x, &std::array::from_fn(|i| place(from + i + 2)));
            }
        }
        (beyond >= zero, falling >= zero)
    }
}

/// Writes the product, `width` numbers a row, of which each is `fused(sum, value, number)` of the elements of its row in
/// their order, from `zero` on. `Err` holds the first element whose place is not within the matrix.
pub fn sparse_times_dense<T: Copy + Send + Sync>(
    sparse: &Sparse<'_, T>,
    dense: Dense<'_, T>,
    width: usize,
    zero: T,
    fused: impl Fn(T, T, T) -> T + Copy + Sync,
    out: &mut [T],
) -> Result<(), usize> {
    let (n, (rows, columns)) = (sparse.values.len(), sparse.shape());
    assert_eq!(out.len(), rows * width, "a row for each of the matrix");
    let (within, in_order) = sparse.order();
    if !within && let Some(wrong) = sparse.wrong() {
        return Err(wrong);
    }
    fill(&zero, out);
    if n == 0 || out.is_empty() {
        return Ok(());
    }
    let last = (columns - 1) * dense.down + (width - 1) * dense.right;
    assert!(last < dense.data.len(), "the matrix lies within its slice");
    let of = |elements: std::ops::Range<usize>, first: usize, out: &mut [T]| {
        for at in elements.clone().step_by(BLOCK) {
            dispatch(Stretch {
                sparse,
                dense,
                width,
                fused,
                at,
                n: BLOCK.min(elements.end - at),
                first,
                out,
            });
            stop::pause();
        }
    };
    let cost = n as f64 * (3.0 + (width * size_of::<T>()) as f64 * 0.08);
    if !pool::worth_it(cost) || !in_order && width < SHORTEST_SHARED {
        of(0..n, 0, out);
    } else if !in_order {
        // Each thread owns a part of the result and takes the elements that fall there, so that order is kept.
        let share = rows.div_ceil(pool::n_threads());
        pool::par_pieces_mut(out, share * width, |i, out| of(0..n, i * share, out));
    } else {
        let parts = (2 * pool::n_threads()).max((cost / 1e6) as usize).min(n);
        // A part begins where a row does.
        let begin = |part: usize| {
            let at = part * n / parts;
            match at {
                0 => 0,
                _ => (at..n)
                    .find(|&i| sparse.row(i) != sparse.row(i - 1))
                    .unwrap_or(n),
            }
        };
        let base = Base::of(out);
        pool::par_tasks(parts, &|part| {
            let elements = begin(part)..begin(part + 1);
            if elements.is_empty() {
                return;
            }
            let (first, last) = (sparse.row(elements.start), sparse.row(elements.end - 1));
            // SAFETY: rows do not fall and are within the result, so that those of parts are different ones.
            let out = unsafe { base.piece(first * width, (last + 1 - first) * width) };
            of(elements, first, out);
        });
    }
    Ok(())
}

/// Some elements times what they meet, for rows from `first` on; those of others are left out.
struct Stretch<'a, 'b, T, F> {
    sparse: &'a Sparse<'a, T>,
    dense: Dense<'a, T>,
    width: usize,
    fused: F,
    at: usize,
    n: usize,
    first: usize,
    out: &'b mut [T],
}

impl<T: Copy, F: Fn(T, T, T) -> T> Job for Stretch<'_, '_, T, F> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (mut rows, mut columns) = ([0; BLOCK], [0; BLOCK]);
        let (rows, columns) = (&mut rows[..self.n], &mut columns[..self.n]);
        self.sparse.read(self.at, rows, columns);
        // Rows before the first one wrap to such beyond all.
        rows.iter_mut()
            .for_each(|row| *row = row.wrapping_sub(self.first));
        let values = &self.sparse.values[self.at..][..self.n];
        match self.width {
            1 => self.singly(rows, columns, values),
            _ => self.by_rows(rows, columns, values),
        }
    }
}

impl<T: Copy, F: Fn(T, T, T) -> T> Stretch<'_, '_, T, F> {
    /// Of one column: what a row gets one after the other is summed before it is written.
    #[inline(always)]
    fn singly(self, rows: &[usize], columns: &[usize], values: &[T]) {
        let (dense, n) = (self.dense, rows.len().min(columns.len()).min(values.len()));
        let mut i = 0;
        while i < n {
            let row = rows[i];
            let Some(to) = self.out.get_mut(row) else {
                i += 1;
                continue;
            };
            let mut sum = *to;
            while i < n && rows[i] == row {
                sum = (self.fused)(sum, values[i], dense.data[columns[i] * dense.down]);
                i += 1;
            }
            *to = sum;
        }
    }

    #[inline(always)]
    fn by_rows(self, rows: &[usize], columns: &[usize], values: &[T]) {
        let (dense, width) = (self.dense, self.width);
        let n = self.out.len() / width;
        for ((&row, &column), &value) in rows.iter().zip(columns).zip(values) {
            if row >= n {
                continue;
            }
            let to = &mut self.out[row * width..][..width];
            let from = &dense.data[column * dense.down..];
            if dense.right == 1 {
                let both = to.iter_mut().zip(&from[..width]);
                both.for_each(|(to, &x)| *to = (self.fused)(*to, value, x));
            } else {
                let both = to.iter_mut().zip(from.iter().step_by(dense.right));
                both.for_each(|(to, &x)| *to = (self.fused)(*to, value, x));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize, below: usize) -> Vec<i64> {
        let mut state = 1u64 + n as u64;
        let mut next = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 33) as usize % below
        };
        (0..n).map(|_| next() as i64).collect()
    }

    /// Sums in the order of the elements.
    fn plain(sparse: &Sparse<'_, f32>, dense: Dense<'_, f32>, width: usize) -> Vec<f32> {
        let mut out = vec![0.0; sparse.shape().0 * width];
        for (i, &value) in sparse.values.iter().enumerate() {
            let (mut row, mut column) = ([0], [0]);
            sparse.read(i, &mut row, &mut column);
            for j in 0..width {
                let x = dense.data[column[0] * dense.down + j * dense.right];
                out[row[0] * width + j] += value * x;
            }
        }
        out
    }

    #[test]
    fn products_are_sums_in_order() {
        for (n, rows, columns) in [
            (0, 3, 4),
            (1, 1, 1),
            (7, 5, 9),
            (3000, 300, 70),
            (70_000, 1000, 900),
        ] {
            let mut by_row = numbers(n, rows);
            let by_column = numbers(n + 1, columns);
            for sorted in [false, true] {
                if sorted {
                    by_row.sort_unstable();
                }
                let pairs: Vec<i64> = by_row
                    .iter()
                    .zip(&by_column)
                    .flat_map(|(&r, &c)| [r, c])
                    .collect();
                let narrow: Vec<i32> = pairs.iter().map(|&i| i as i32).collect();
                let values: Vec<f32> = numbers(n, 1000)
                    .iter()
                    .map(|&x| x as f32 / 7.0 - 50.0)
                    .collect();
                for (width, transposed) in
                    [(1, false), (1, true), (3, false), (16, true), (33, false)]
                {
                    let inner = if transposed { rows } else { columns };
                    let data: Vec<f32> = numbers(inner * width, 999)
                        .iter()
                        .map(|&x| x as f32 / 3.0)
                        .collect();
                    for places in [Indices::Wide(&pairs), Indices::Narrow(&narrow)] {
                        let sparse = Sparse {
                            places,
                            values: &values,
                            dims: [rows, columns],
                            transposed,
                        };
                        for dense in [
                            Dense {
                                data: &data,
                                down: width,
                                right: 1,
                            },
                            Dense {
                                data: &data,
                                down: 1,
                                right: inner,
                            },
                        ] {
                            let mut out = vec![9.0; sparse.shape().0 * width];
                            let done = sparse_times_dense(
                                &sparse,
                                dense,
                                width,
                                0.0,
                                |s, x, y| s + x * y,
                                &mut out,
                            );
                            assert_eq!(done, Ok(()));
                            assert!(
                                out == plain(&sparse, dense, width),
                                "{n} {width} {transposed} {sorted}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn orders_are_told() {
        for n in [1, 2, 100, 127, 128, 129, 130, 256, 257, 700] {
            for wrong in (0..n).step_by(7).chain([n - 1]) {
                let mut rows: Vec<i64> = (0..n as i64).collect();
                if wrong > 0 {
                    rows.swap(wrong, wrong - 1);
                }
                for transposed in [false, true] {
                    let pair = |r: i64| if transposed { [0, r] } else { [r, 0] };
                    let pairs: Vec<i64> = rows.iter().flat_map(|&r| pair(r)).collect();
                    let values = vec![1.0f32; n];
                    let sparse = Sparse {
                        places: Indices::Wide(&pairs),
                        values: &values,
                        dims: [n, n],
                        transposed,
                    };
                    assert_eq!(sparse.order(), (true, wrong == 0), "{n} {wrong}");
                    let less = Sparse {
                        dims: [n - 1; 2],
                        ..sparse
                    };
                    assert!(!less.order().0);
                }
            }
        }
    }

    #[test]
    fn places_beyond_the_matrix_are_found() {
        let n = 100;
        for (wrong, place) in [(0, 5), (77, -1), (99, i64::MAX), (50, i64::MIN)] {
            for at in [0, 1] {
                let mut pairs = numbers(2 * n, 5);
                pairs[2 * wrong + at] = place;
                let narrow: Vec<i32> = pairs.iter().map(|&i| i as i32).collect();
                let values = vec![1.0f32; n];
                for places in [Indices::Wide(&pairs), Indices::Narrow(&narrow)] {
                    if place as i32 == 0 && matches!(places, Indices::Narrow(_)) {
                        continue;
                    }
                    let sparse = Sparse {
                        places,
                        values: &values,
                        dims: [5, 5],
                        transposed: false,
                    };
                    let dense = Dense {
                        data: &[1.0; 5],
                        down: 1,
                        right: 1,
                    };
                    let done = sparse_times_dense(
                        &sparse,
                        dense,
                        1,
                        0.0,
                        |s, x, y| s + x * y,
                        &mut [0.0; 5],
                    );
                    assert_eq!(done, Err(wrong));
                }
            }
        }
    }
}
