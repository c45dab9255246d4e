//! The Schur form of matrices: what functions of matrices are computed in.

use faer::{Mat, MatRef};
use num_complex::Complex64;

/// `a == u @ t @ adjoint(u)`: `u` is unitary, `t` upper triangular.
pub(crate) struct Schur {
    pub u: Mat<Complex64>,
    pub t: Mat<Complex64>,
}

/// Shifts that one eigenvalue may take; few take more than three.
const SHIFTS: usize = 60;

impl Schur {
    /// The form of a finite square matrix; nothing where the iteration does not end.
    pub fn of(a: Mat<Complex64>) -> Option<Schur> {
        let n = a.nrows();
        let mut form = Schur {
            u: Mat::identity(n, n),
            t: a,
        };
        for k in 1..n.saturating_sub(1) {
            form.clear_below(k);
        }
        let mut end = n.saturating_sub(1);
        let mut count = 0;
        while end > 0 {
            let start = form.block_start(end);
            if start == end {
                (end, count) = (end - 1, 0);
                continue;
            }
            if count == SHIFTS {
                return None;
            }
            count += 1;
            let shift = match count % 10 {
                // A shift that is none of the usual ones, where those go round in circles.
                0 => form.t[(end, end)] + form.t[(end, end - 1)].norm(),
                _ => form.shift(end),
            };
            form.step(start, end, shift);
        }
        Some(form)
    }

    /// `u @ x @ adjoint(u)`.
    pub fn turned_back(&self, x: MatRef<'_, Complex64>) -> Mat<Complex64> {
        &self.u * x * self.u.adjoint()
    }

    /// Reflects column `k - 1` into one that is zero below row `k` (Golub and Van Loan, Matrix Computations, 7.4.3).
    fn clear_below(&mut self, k: usize) {
        let n = self.t.nrows();
        let mut v: Vec<Complex64> = (k..n).map(|i| self.t[(i, k - 1)]).collect();
        let length = norm(&v);
        if norm(&v[1..]) == 0.0 {
            return;
        }
        let size = v[0].norm();
        let phase = if size == 0.0 {
            Complex64::ONE
        } else {
            v[0] / size
        };
        v[0] += phase * length;
        let scale = norm(&v);
        v.iter_mut().for_each(|x| *x /= scale);
        for j in 0..n {
            let dot: Complex64 = v
                .iter()
                .enumerate()
                .map(|(i, x)| x.conj() * self.t[(k + i, j)])
                .sum();
            for (i, x) in v.iter().enumerate() {
                self.t[(k + i, j)] -= 2.0 * dot * x;
            }
        }
        reflect_columns(&mut self.t, k, &v);
        reflect_columns(&mut self.u, k, &v);
        for i in k + 1..n {
            self.t[(i, k - 1)] = Complex64::ZERO;
        }
    }

    /// Where the block that ends in row `end` begins: behind a subdiagonal element that is next to nothing, which becomes
    /// zero.
    fn block_start(&mut self, end: usize) -> usize {
        for i in (1..=end).rev() {
            let beside = self.t[(i, i)].norm() + self.t[(i - 1, i - 1)].norm();
            let scale = if beside == 0.0 {
                f64::MIN_POSITIVE
            } else {
                beside
            };
            if self.t[(i, i - 1)].norm() <= f64::EPSILON * scale {
                self.t[(i, i - 1)] = Complex64::ZERO;
                return i;
            }
        }
        0
    }

    /// The eigenvalue of the last two rows that is nearer to the last element (Wilkinson).
    fn shift(&self, end: usize) -> Complex64 {
        let at = |i: usize, j: usize| self.t[(end - i, end - j)];
        let (a, b, c, d) = (at(1, 1), at(1, 0), at(0, 1), at(0, 0));
        let half = (a - d) / 2.0;
        let root = (half * half + b * c).sqrt();
        let sum = match (half + root).norm() < (half - root).norm() {
            true => half - root,
            false => half + root,
        };
        match sum.norm() == 0.0 {
            true => d,
            false => d - b * c / sum,
        }
    }

    /// One step of the QR iteration on the block of those rows.
    fn step(&mut self, start: usize, end: usize, shift: Complex64) {
        let n = self.t.nrows();
        (start..=end).for_each(|i| self.t[(i, i)] -= shift);
        let mut turns = Vec::with_capacity(end - start);
        for k in start..end {
            let (a, b) = (self.t[(k, k)], self.t[(k + 1, k)]);
            let length = a.norm().hypot(b.norm());
            let (c, s) = match length == 0.0 {
                true => (Complex64::ONE, Complex64::ZERO),
                false => (a / length, b / length),
            };
            for j in k..n {
                let (x, y) = (self.t[(k, j)], self.t[(k + 1, j)]);
                self.t[(k, j)] = c.conj() * x + s.conj() * y;
                self.t[(k + 1, j)] = c * y - s * x;
            }
            turns.push((c, s));
        }
        for (k, turn) in (start..end).zip(turns) {
            turn_columns(&mut self.t, k, (k + 2).min(end + 1), turn);
            turn_columns(&mut self.u, k, n, turn);
        }
        (start..=end).for_each(|i| self.t[(i, i)] += shift);
    }
}

fn norm(v: &[Complex64]) -> f64 {
    v.iter().fold(0.0, |sum: f64, x| sum.hypot(x.norm()))
}

/// Columns from `k` on times `1 - 2 v v^H`.
fn reflect_columns(a: &mut Mat<Complex64>, k: usize, v: &[Complex64]) {
    for i in 0..a.nrows() {
        let dot: Complex64 = v.iter().enumerate().map(|(j, x)| a[(i, k + j)] * x).sum();
        for (j, x) in v.iter().enumerate() {
            a[(i, k + j)] -= 2.0 * dot * x.conj();
        }
    }
}

/// Columns `k` and `k + 1` in the first rows times the adjoint of a rotation.
fn turn_columns(a: &mut Mat<Complex64>, k: usize, rows: usize, (c, s): (Complex64, Complex64)) {
    for i in 0..rows {
        let (x, y) = (a[(i, k)], a[(i, k + 1)]);
        a[(i, k)] = x * c + y * s;
        a[(i, k + 1)] = y * c.conj() - x * s.conj();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without a pattern.
    fn scattered(n: usize) -> Mat<Complex64> {
        let part = |i: usize| (i as f64 * 0.754_877_666 + 0.1).fract() - 0.5;
        Mat::from_fn(n, n, |i, j| {
            Complex64::new(part(7 * i + 31 * j), part(17 * i + 5 * j + 1))
        })
    }

    #[test]
    fn a_matrix_is_put_together_again() {
        for n in [1, 2, 3, 5, 12, 40] {
            let a = scattered(n);
            let form = Schur::of(a.clone()).expect("it converges");
            let off = (form.turned_back(form.t.as_ref()) - &a).norm_max();
            assert!(off < 1e-13 * n as f64, "{n}: {off}");
            let below = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
            assert!(below.into_iter().all(|at| form.t[at] == Complex64::ZERO));
            let identity = form.u.adjoint() * &form.u - Mat::<Complex64>::identity(n, n);
            assert!(identity.norm_max() < 1e-13 * n as f64);
        }
    }

    #[test]
    fn permutations_and_blocks_converge() {
        let cycle = Mat::from_fn(6, 6, |i, j| {
            Complex64::from(f64::from(u8::from((i + 1) % 6 == j)))
        });
        let form = Schur::of(cycle.clone()).expect("it converges");
        assert!((form.turned_back(form.t.as_ref()) - cycle).norm_max() < 1e-13);
        assert!(Schur::of(Mat::zeros(4, 4)).is_some());
        assert!(Schur::of(Mat::zeros(0, 0)).is_some());
    }
}
