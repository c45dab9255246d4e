//! Systems and products of matrices of few diagonals, in the time of their elements.

use crate::field::Field;

/// Where the elements of a matrix are: row `d` of `bands` holds the diagonal `upper - d` above the main one, each
/// element at the place of its row in the matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Band {
    /// Rows and columns of the matrix.
    pub n: usize,
    /// Diagonals.
    pub count: usize,
    /// Diagonals above the main one.
    pub upper: usize,
    /// The matrix is the adjoint of what the diagonals say.
    pub adjoint: bool,
}

impl Band {
    /// The elements that the diagonals of one matrix are.
    pub fn size(&self) -> usize {
        self.n * self.count
    }

    /// The column of diagonal `d` in row `i`, where there is one.
    pub fn column(&self, d: usize, i: usize) -> Option<usize> {
        (i + self.upper).checked_sub(d).filter(|j| *j < self.n)
    }

    /// Diagonals below and above the main one of the matrix that counts.
    fn sides(&self) -> (usize, usize) {
        let lower = self.count - 1 - self.upper;
        match self.adjoint {
            true => (self.upper, lower),
            false => (lower, self.upper),
        }
    }

    /// Calls `f` with row, column and value of each element of the matrix that counts.
    fn each<T: Field>(&self, bands: &[T], mut f: impl FnMut(usize, usize, T)) {
        for d in 0..self.count {
            for i in 0..self.n {
                let Some(j) = self.column(d, i) else { continue };
                let value = bands[d * self.n + i];
                match self.adjoint {
                    true => f(j, i, value.conjugate()),
                    false => f(i, j, value),
                }
            }
        }
    }

    /// Adds the product with the rows of `x`, `columns` numbers each, to `out`.
    pub fn multiply<T: Field>(&self, bands: &[T], x: &[T], columns: usize, out: &mut [T]) {
        self.each(bands, |i, j, a| {
            let from = &x[j * columns..(j + 1) * columns];
            add_scaled(&mut out[i * columns..(i + 1) * columns], a, from);
        });
    }

    /// Replaces the rows of `x` by the solution of the system; `None` where the matrix has no inverse.
    pub fn solve<T: Field>(&self, bands: &[T], x: &mut [T], columns: usize) -> Option<()> {
        let mut rows = Rows::new(*self, bands);
        for k in 0..self.n {
            rows.pivot(k, x, columns)?;
            for i in k + 1..(k + rows.lower + 1).min(self.n) {
                let factor = rows.eliminate(k, i);
                let (above, below) = x.split_at_mut(i * columns);
                let from = &above[k * columns..(k + 1) * columns];
                add_scaled(&mut below[..columns], T::of_real(0.0) - factor, from);
            }
        }
        for i in (0..self.n).rev() {
            let (above, below) = x.split_at_mut((i + 1) * columns);
            let row = &mut above[i * columns..];
            for j in i + 1..rows.end(i) {
                let from = &below[(j - i - 1) * columns..(j - i) * columns];
                add_scaled(row, T::of_real(0.0) - rows.at(i, j), from);
            }
            let diagonal = rows.at(i, i);
            row.iter_mut().for_each(|v| *v /= diagonal);
        }
        Some(())
    }
}

fn add_scaled<T: Field>(to: &mut [T], factor: T, from: &[T]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * *from;
    }
}

/// The rows of a matrix of few diagonals while it is eliminated; rows change places unless it is triangular.
struct Rows<T> {
    lower: usize,
    /// How far right of the diagonal a row reaches, places for other rows included.
    reach: usize,
    n: usize,
    pivoting: bool,
    values: Vec<T>,
}

impl<T: Field> Rows<T> {
    fn new(band: Band, bands: &[T]) -> Rows<T> {
        let (lower, upper) = band.sides();
        let pivoting = lower > 0 && upper > 0;
        let reach = if pivoting { upper + lower } else { upper };
        let width = lower + reach + 1;
        let mut rows = Rows {
            lower,
            reach,
            n: band.n,
            pivoting,
            values: vec![T::of_real(0.0); band.n * width],
        };
        band.each(bands, |i, j, a| {
            let place = rows.place(i, j);
            rows.values[place] = a;
        });
        rows
    }

    fn place(&self, i: usize, j: usize) -> usize {
        i * (self.lower + self.reach + 1) + (j + self.lower - i)
    }

    fn at(&self, i: usize, j: usize) -> T {
        self.values[self.place(i, j)]
    }

    /// The end of the columns that row `i` may reach.
    fn end(&self, i: usize) -> usize {
        (i + self.reach + 1).min(self.n)
    }

    /// Brings the row of the largest element in column `k` to row `k`; `None` where all are zero.
    fn pivot(&mut self, k: usize, x: &mut [T], columns: usize) -> Option<()> {
        let candidates = k + 1..(k + self.lower + 1).min(self.n);
        let mut best = k;
        for i in candidates.filter(|_| self.pivoting) {
            if self.at(i, k).modulus() > self.at(best, k).modulus() {
                best = i;
            }
        }
        if best != k {
            for j in k..self.end(k) {
                let (a, b) = (self.place(k, j), self.place(best, j));
                self.values.swap(a, b);
            }
            for c in 0..columns {
                x.swap(k * columns + c, best * columns + c);
            }
        }
        (self.at(k, k).modulus() != 0.0).then_some(())
    }

    /// Clears column `k` of row `i`: how many times row `k` it took.
    fn eliminate(&mut self, k: usize, i: usize) -> T {
        let factor = self.at(i, k) / self.at(k, k);
        for j in k..self.end(k) {
            let value = self.at(i, j) - factor * self.at(k, j);
            let place = self.place(i, j);
            self.values[place] = value;
        }
        factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Products with the solutions are the right-hand sides, for matrices that need exchanges of rows.
    #[test]
    fn solutions_fit() {
        let n = 9;
        for (count, upper) in [(1, 0), (3, 1), (3, 0), (3, 2), (5, 1), (5, 3)] {
            for adjoint in [false, true] {
                let band = Band {
                    n,
                    count,
                    upper,
                    adjoint,
                };
                let wave = |i: usize| (i as f64 * 1.7 + 0.3).sin();
                let bands: Vec<f64> = (0..band.size()).map(wave).collect();
                let rhs: Vec<f64> = (0..2 * n).map(|i| wave(3 * i + 1)).collect();
                let mut x = rhs.clone();
                band.solve(&bands, &mut x, 2).expect("it has an inverse");
                let mut back = vec![0.0; 2 * n];
                band.multiply(&bands, &x, 2, &mut back);
                let scale = x.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
                for (got, want) in back.iter().zip(&rhs) {
                    assert!(
                        (got - want).abs() < 1e-12 * scale,
                        "{count} {upper} {adjoint}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_singular_matrix_has_no_solution() {
        let band = Band {
            n: 2,
            count: 3,
            upper: 1,
            adjoint: false,
        };
        assert!(
            band.solve(&[1.0, 0.0, 1.0, 1.0, 0.0, 1.0], &mut [1.0, 2.0], 1)
                .is_none()
        );
        assert!(
            band.solve(&[1.0, 0.0, 0.0, 1.0, 0.0, 1.0], &mut [1.0, 2.0], 1)
                .is_some()
        );
    }
}
