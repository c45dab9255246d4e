//! The eigenvalues of a real matrix in the order of the diagonal of its real Schur form, as the double-shift QR algorithm leaves
//! them (Francis; EISPACK's `hqr`, from which the one in tensorflow 2.21 descends): that is the order of its eigenvalues.

use num_complex::Complex;
use num_traits::Float;

/// Iterations for each row before the algorithm is given up.
const MOST: usize = 40;

/// A square matrix by rows that becomes its Schur form; what stands outside of the active block is not kept.
struct Active<R> {
    n: usize,
    all: Vec<R>,
    /// What was taken from the diagonal by exceptional shifts.
    shifted: R,
}

/// What makes the Francis step: both shifts, by the last two of the diagonal and the product of what stands beside it.
#[derive(Clone, Copy)]
struct Shift<R> {
    last: R,
    before: R,
    product: R,
}

/// The eigenvalues of a matrix of `n` rows, whose elements `at` gives; none where the algorithm does not converge.
pub(crate) fn eigenvalues<R: Float>(
    n: usize,
    at: impl Fn(usize, usize) -> R,
) -> Option<Vec<Complex<R>>> {
    let mut all: Vec<R> = (0..n * n).map(|i| at(i / n, i % n)).collect();
    let scale = all.iter().fold(R::zero(), |most, x| most.max(x.abs()));
    if scale < R::min_positive_value() {
        return Some(vec![Complex::new(R::zero(), R::zero()); n]);
    }
    all.iter_mut().for_each(|x| *x = *x / scale);
    let mut active = Active {
        n,
        all,
        shifted: R::zero(),
    };
    active.reduce_to_hessenberg();
    let mut found = active.deflated()?;
    found.iter_mut().for_each(|x| *x = *x * scale);
    Some(found)
}

fn number<R: Float>(x: f64) -> R {
    R::from(x).expect("both floats hold the number, or one near it")
}

/// A reflection that turns a vector into a multiple of the first axis.
struct Reflection<R, const N: usize> {
    /// The vector in whose plane it reflects, whose first number is 1.
    along: [R; N],
    factor: R,
    /// The first number of what the vector becomes.
    length: R,
}

impl<R: Float, const N: usize> Reflection<R, N> {
    fn of(x: [R; N]) -> Self {
        let tail = x[1..].iter().fold(R::zero(), |sum, v| sum + *v * *v);
        let mut along = [R::zero(); N];
        along[0] = R::one();
        if tail <= R::min_positive_value() {
            let (factor, length) = (R::zero(), x[0]);
            return Reflection {
                along,
                factor,
                length,
            };
        }
        let size = (x[0] * x[0] + tail).sqrt();
        let length = if x[0] >= R::zero() { -size } else { size };
        (1..N).for_each(|i| along[i] = x[i] / (x[0] - length));
        let factor = (length - x[0]) / length;
        Reflection {
            along,
            factor,
            length,
        }
    }
}

impl<R: Float> Active<R> {
    fn get(&self, row: usize, column: usize) -> R {
        self.all[row * self.n + column]
    }

    fn set(&mut self, row: usize, column: usize, x: R) {
        self.all[row * self.n + column] = x;
    }

    /// The size that a neighbour on the diagonal gives to what stands below it.
    fn sizes(&self, row: usize) -> R {
        self.get(row - 1, row - 1).abs() + self.get(row, row).abs()
    }

    /// Reflects below the diagonal what stands below the first subdiagonal away, column by column.
    fn reduce_to_hessenberg(&mut self) {
        let n = self.n;
        for k in 0..n.saturating_sub(2) {
            let first = self.get(k + 1, k);
            let tail = (k + 2..n).fold(R::zero(), |sum, i| sum + self.get(i, k) * self.get(i, k));
            if tail <= R::min_positive_value() {
                (k + 2..n).for_each(|i| self.set(i, k, R::zero()));
                continue;
            }
            let size = (first * first + tail).sqrt();
            let length = if first >= R::zero() { -size } else { size };
            let mut along: Vec<R> = (k + 1..n)
                .map(|i| self.get(i, k) / (first - length))
                .collect();
            along[0] = R::one();
            let factor = (length - first) / length;
            self.set(k + 1, k, length);
            (k + 2..n).for_each(|i| self.set(i, k, R::zero()));
            for column in k + 1..n {
                let dot = (k + 1..n).fold(R::zero(), |sum, i| {
                    sum + along[i - k - 1] * self.get(i, column)
                });
                for i in k + 1..n {
                    let x = self.get(i, column) - factor * dot * along[i - k - 1];
                    self.set(i, column, x);
                }
            }
            for row in 0..n {
                let dot = (k + 1..n).fold(R::zero(), |sum, j| {
                    sum + self.get(row, j) * along[j - k - 1]
                });
                for j in k + 1..n {
                    let x = self.get(row, j) - factor * dot * along[j - k - 1];
                    self.set(row, j, x);
                }
            }
        }
    }

    /// Iterates from the last row up until nothing is left.
    fn deflated(mut self) -> Option<Vec<Complex<R>>> {
        let n = self.n;
        let norm = (0..n).fold(R::zero(), |sum, i| {
            (i.saturating_sub(1)..n).fold(sum, |sum, j| sum + self.get(i, j).abs())
        });
        let nothing = (norm * R::epsilon() * R::epsilon()).max(R::min_positive_value());
        let mut found = vec![Complex::new(R::zero(), R::zero()); n];
        let (mut rows, mut steps, mut total) = (n, 0, 0);
        while rows > 0 {
            let last = rows - 1;
            let first = self.block(last, nothing);
            if first == last {
                found[last] = Complex::new(self.get(last, last) + self.shifted, R::zero());
            } else if first + 1 == last {
                let pair = self.pair(last);
                found[last - 1..=last].copy_from_slice(&pair);
            } else {
                if total == MOST * n {
                    return None;
                }
                let shift = self.shift(last, steps);
                self.step(first, last, shift);
                (steps, total) = (steps + 1, total + 1);
                continue;
            }
            (rows, steps) = (first, 0);
        }
        Some(found)
    }

    /// The first row of the block that ends with `last`, above which the subdiagonal vanishes.
    fn block(&self, last: usize, nothing: R) -> usize {
        let vanishes = |row: usize| {
            let least = (self.sizes(row) * R::epsilon()).max(nothing);
            self.get(row, row - 1).abs() <= least
        };
        (1..=last).rev().find(|row| vanishes(*row)).unwrap_or(0)
    }

    /// The eigenvalues of a block of two rows.
    fn pair(&self, last: usize) -> [Complex<R>; 2] {
        let before = last - 1;
        let corner = self.get(last, last);
        let half = (self.get(before, before) - corner) * number(0.5);
        let product = self.get(last, before) * self.get(before, last);
        let square = half * half + product;
        let (corner, root) = (corner + self.shifted, square.abs().sqrt());
        if square < R::zero() {
            let value = Complex::new(corner + half, root);
            return [value, value.conj()];
        }
        let far = if half >= R::zero() {
            half + root
        } else {
            half - root
        };
        let near = if far == R::zero() {
            far
        } else {
            -product / far
        };
        [far, near].map(|x| Complex::new(corner + x, R::zero()))
    }

    /// The shifts for a block, which are exceptional after 10 and 30 steps.
    fn shift(&mut self, last: usize, steps: usize) -> Shift<R> {
        let mut shift = Shift {
            last: self.get(last, last),
            before: self.get(last - 1, last - 1),
            product: self.get(last, last - 1) * self.get(last - 1, last),
        };
        if steps == 10 {
            self.take(last, shift.last);
            let size = self.get(last, last - 1).abs() + self.get(last - 1, last - 2).abs();
            shift.last = number::<R>(0.75) * size;
            shift.before = shift.last;
            shift.product = number::<R>(-0.4375) * size * size;
        }
        if steps == 30 {
            let half = (shift.before - shift.last) * number(0.5);
            let square = half * half + shift.product;
            if square > R::zero() {
                let root = match shift.before < shift.last {
                    true => -square.sqrt(),
                    false => square.sqrt(),
                };
                let taken = shift.last - shift.product / (root + half);
                self.take(last, taken);
                let value = number(0.964);
                shift = Shift {
                    last: value,
                    before: value,
                    product: value,
                };
            }
        }
        shift
    }

    /// Takes a number from the diagonal.
    fn take(&mut self, last: usize, shift: R) {
        self.shifted = self.shifted + shift;
        for i in 0..=last {
            let x = self.get(i, i) - shift;
            self.set(i, i, x);
        }
    }

    /// One double step of QR on the rows from `first` to `last`.
    fn step(&mut self, first: usize, last: usize, shift: Shift<R>) {
        let (from, start) = self.start(first, last, shift);
        for k in from..last - 1 {
            let is_start = k == from;
            let column = match is_start {
                true => start,
                false => [0, 1, 2].map(|i| self.get(k + i, k - 1)),
            };
            let reflection = Reflection::of(column);
            if reflection.length != R::zero() {
                if is_start && k > first {
                    let x = -self.get(k, k - 1);
                    self.set(k, k - 1, x);
                } else if !is_start {
                    self.set(k, k - 1, reflection.length);
                }
                self.reflect(&reflection, k, first, last);
            }
        }
        let column = [0, 1].map(|i| self.get(last - 1 + i, last - 2));
        let reflection = Reflection::of(column);
        if reflection.length != R::zero() {
            self.set(last - 1, last - 2, reflection.length);
            self.reflect(&reflection, last - 1, first, last);
        }
        for i in from + 2..=last {
            self.set(i, i - 2, R::zero());
            if i > from + 2 {
                self.set(i, i - 3, R::zero());
            }
        }
    }

    /// Where a step begins: below two small subdiagonals in a row; and the vector that it begins with.
    fn start(&self, first: usize, last: usize, shift: Shift<R>) -> (usize, [R; 3]) {
        let mut at = last - 2;
        loop {
            let corner = self.get(at, at);
            let (a, b) = (shift.last - corner, shift.before - corner);
            let vector = [
                (a * b - shift.product) / self.get(at + 1, at) + self.get(at, at + 1),
                self.get(at + 1, at + 1) - corner - a - b,
                self.get(at + 2, at + 1),
            ];
            if at == first {
                return (at, vector);
            }
            let below = self.get(at, at - 1) * (vector[1].abs() + vector[2].abs());
            let sizes = self.sizes(at) + self.get(at + 1, at + 1).abs();
            if below.abs() < R::epsilon() * (vector[0] * sizes).abs() {
                return (at, vector);
            }
            at -= 1;
        }
    }

    /// Reflects rows and columns from `k` on within the block.
    fn reflect<const N: usize>(
        &mut self,
        by: &Reflection<R, N>,
        k: usize,
        first: usize,
        last: usize,
    ) {
        for column in k..=last {
            let dot = (0..N).fold(R::zero(), |sum, i| {
                sum + by.along[i] * self.get(k + i, column)
            });
            for i in 0..N {
                let x = self.get(k + i, column) - by.factor * dot * by.along[i];
                self.set(k + i, column, x);
            }
        }
        for row in first..=last.min(k + 3) {
            let dot = (0..N).fold(R::zero(), |sum, j| sum + self.get(row, k + j) * by.along[j]);
            for j in 0..N {
                let x = self.get(row, k + j) - by.factor * dot * by.along[j];
                self.set(row, k + j, x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[&[f64]]) -> Vec<(f64, f64)> {
        let found = eigenvalues(rows.len(), |i, j| rows[i][j]).unwrap();
        let round = |x: f64| (x * 1e6).round() / 1e6 + 0.0;
        found.iter().map(|x| (round(x.re), round(x.im))).collect()
    }

    /// tensorflow 2.21.
    #[test]
    fn the_order_is_that_of_the_schur_form() {
        assert_eq!(of(&[&[0.0, 1.0], &[-1.0, 0.0]]), [(0.0, 1.0), (0.0, -1.0)]);
        assert_eq!(of(&[&[0.0, 1.0], &[1.0, 0.0]]), [(1.0, 0.0), (-1.0, 0.0)]);
        let diagonal: [&[f64]; 3] = [&[2.0, 0.0, 0.0], &[0.0, -2.0, 0.0], &[0.0, 0.0, 1.0]];
        assert_eq!(of(&diagonal), [(2.0, 0.0), (-2.0, 0.0), (1.0, 0.0)]);
        let turn: [&[f64]; 4] = [
            &[0.0, 1.0, 0.0, 0.0],
            &[0.0, 0.0, 1.0, 0.0],
            &[0.0, 0.0, 0.0, 1.0],
            &[1.0, 0.0, 0.0, 0.0],
        ];
        let four = [(-1.0, 0.0), (0.0, 1.0), (0.0, -1.0), (1.0, 0.0)];
        assert_eq!(of(&turn), four);
    }

    #[test]
    fn zeros_sizes_and_single_numbers() {
        assert!(eigenvalues(0, |_, _| 0.0f64).unwrap().is_empty());
        assert_eq!(of(&[&[0.0, 0.0], &[0.0, 0.0]]), [(0.0, 0.0); 2]);
        assert_eq!(of(&[&[-3.5]]), [(-3.5, 0.0)]);
        let huge = eigenvalues(2, |i, j| if i == j { 0.0 } else { 1e300 }).unwrap();
        assert_eq!((huge[0].re, huge[1].re), (1e300, -1e300));
    }

    #[test]
    fn sums_and_products_are_those_of_the_matrix() {
        for n in 3..20usize {
            let at = |i: usize, j: usize| ((i * i * 7 + j * 13 + i * j * 5) % 17) as f64 - 8.0;
            let found = eigenvalues(n, at).unwrap();
            let trace: f64 = (0..n).map(|i| at(i, i)).sum();
            let squares: f64 = (0..n * n)
                .map(|i| at(i / n, i % n) * at(i % n, i / n))
                .sum();
            let sum: Complex<f64> = found.iter().sum();
            let square: Complex<f64> = found.iter().map(|x| x * x).sum();
            assert!(
                (sum - trace).norm() < 1e-10 * n as f64,
                "{n}: {sum} {trace}"
            );
            assert!(
                (square - squares).norm() < 1e-9 * squares.abs().max(1e3),
                "{n}"
            );
        }
    }
}
