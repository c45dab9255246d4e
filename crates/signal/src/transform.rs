//! Transforms of stacks of arrays, over the pool.

use ferrograph_kernels::pool::par_rows_mut;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Result, err, vec_of};
use rustfft::Fft;
use rustfft::num_complex::Complex;

use crate::numbers::Part;
use crate::plans::{FromReal, Real, ToReal};
use crate::shapes::{Fit, half};

/// The side of blocks that are turned at once: what a line of the cache holds.
const TURNED: usize = 8;

/// Nanoseconds that a transform of that length takes, roughly.
fn cost(n: usize) -> f64 {
    let n = n as f64;
    20.0 + n * (1.0 + n.max(1.0).log2() / 4.0)
}

/// Floating point operations of a transform of that many elements.
pub(crate) fn flops(n: usize) -> f64 {
    5.0 * n as f64 * (n.max(2) as f64).log2()
}

fn zero<T: Part>() -> Complex<T> {
    Complex::new(T::zero(), T::zero())
}

/// Multiplies a row by `scale`.
fn scaled<T: Part>(row: &mut [Complex<T>], scale: T) {
    if scale != T::one() {
        row.iter_mut().for_each(|x| *x = *x * scale);
    }
}

/// Transforms each row of `n` elements in place and multiplies it by `scale`.
fn in_place<T: Part>(rows: &mut [Complex<T>], plan: &dyn Fft<T>, scale: T) {
    let mut scratch = vec![zero(); plan.get_inplace_scratch_len()];
    for row in rows.chunks_exact_mut(plan.len()) {
        plan.process_with_scratch(row, &mut scratch);
        scaled(row, scale);
        poll_cancellation();
    }
}

/// The factor of a transform of that length.
fn scale_of<T: Part>(n: usize, inverse: bool) -> T {
    if inverse { T::reciprocal(n) } else { T::one() }
}

/// The transform of stacks of complex arrays of these sizes. All sizes are positive.
pub(crate) fn complex<T: Part>(
    from: &[Complex<T>],
    to: &mut [Complex<T>],
    sizes: &[usize],
    inverse: bool,
) -> Result<()> {
    let n = sizes[sizes.len() - 1];
    let plan = T::plans().complex(n, inverse)?;
    let scale: T = scale_of(n, inverse);
    par_rows_mut(to, n, cost(n), |first, rows| {
        let mut scratch = vec![zero(); plan.get_immutable_scratch_len()];
        let from = from[first * n..].chunks_exact(n);
        for (to, from) in rows.chunks_exact_mut(n).zip(from) {
            plan.process_immutable_with_scratch(from, to, &mut scratch);
            scaled(to, scale);
            poll_cancellation();
        }
    });
    leading_axes(to, sizes, inverse)
}

/// The transform of stacks of complex arrays of these sizes along the axes but the last one, in place. All sizes are
/// positive.
pub(crate) fn leading_axes<T: Part>(
    data: &mut [Complex<T>],
    sizes: &[usize],
    inverse: bool,
) -> Result<()> {
    let mut inner = sizes[sizes.len() - 1];
    for &n in sizes[..sizes.len() - 1].iter().rev() {
        let plan = T::plans().complex(n, inverse)?;
        columns(data, inner, &*plan, scale_of(n, inverse))?;
        inner *= n;
    }
    Ok(())
}

/// Transforms the columns of stacks of matrices with rows of `inner` elements.
fn columns<T: Part>(
    data: &mut [Complex<T>],
    inner: usize,
    plan: &dyn Fft<T>,
    scale: T,
) -> Result<()> {
    let n = plan.len();
    let mut turned = vec_of(zero::<T>(), data.len())?;
    let from: &[Complex<T>] = data;
    par_rows_mut(&mut turned, n, cost(n), |first, rows| {
        transpose(from, n, inner, first, rows);
        in_place(rows, plan, scale);
    });
    par_rows_mut(data, inner, inner as f64 * 2.0, |first, rows| {
        transpose(&turned, inner, n, first, rows);
    });
    Ok(())
}

/// Writes to `to` consecutive rows, from number `first`, of the transposes of a stack of `rows x columns` matrices.
fn transpose<T: Copy>(from: &[T], rows: usize, columns: usize, first: usize, to: &mut [T]) {
    let (mut at, mut rest) = (first, to);
    while !rest.is_empty() {
        let (matrix, column) = (at / columns, at % columns);
        let group = TURNED.min(columns - column).min(rest.len() / rows);
        let (now, later) = rest.split_at_mut(group * rows);
        let base = matrix * rows * columns + column;
        for r in (0..rows).step_by(TURNED) {
            let n = TURNED.min(rows - r);
            for c in 0..group {
                let lines = from[base + r * columns + c..].iter().step_by(columns);
                let to = &mut now[c * rows + r..][..n];
                to.iter_mut().zip(lines).for_each(|(to, x)| *to = *x);
            }
        }
        at += group;
        rest = later;
    }
}

/// Copies a row, cut or continued by `with`.
fn fit<T: Copy>(from: Option<&[T]>, with: T, to: &mut [T]) {
    let from = from.unwrap_or_default();
    let n = from.len().min(to.len());
    to[..n].copy_from_slice(&from[..n]);
    to[n..].fill(with);
}

/// Row `i` of `n` elements; an empty one where there is none.
fn row<T>(all: &[T], i: Option<usize>, n: usize) -> Option<&[T]> {
    i.map(|i| &all[i * n..(i + 1) * n])
}

/// The first halves of the transforms of rows of `from` real numbers, cut or continued to rows of `n`.
pub(crate) fn real_rows<T: Part>(
    input: &[T],
    from: usize,
    at: &Fit,
    (plan, n): (&FromReal<T>, usize),
    output: &mut [Complex<T>],
) {
    par_rows_mut(output, half(n), cost(n) / 2.0, |first, rows| {
        let mut reals = vec![T::zero(); n];
        let mut scratch = vec![zero(); plan.scratch()];
        for (i, to) in rows.chunks_exact_mut(half(n)).enumerate() {
            let row = row(input, at.row(first + i), from);
            match (plan, row) {
                (Real::Even(plan), Some(row)) if from >= n => plan.forward(row, to, &mut scratch),
                (Real::Even(plan), row) => {
                    fit(row, T::zero(), &mut reals);
                    plan.forward(&reals, to, &mut scratch);
                }
                (Real::Odd(plan), row) => {
                    fit(row, T::zero(), &mut reals);
                    let done = plan.process_with_scratch(&mut reals, to, &mut scratch);
                    done.expect("the buffers have the plan's lengths");
                }
            }
            poll_cancellation();
        }
    });
}

/// The rows of the first halves of transforms, of `from` numbers each, cut or continued to rows of `to`.
pub(crate) fn fitted_rows<T: Part>(
    input: &[Complex<T>],
    from: usize,
    at: &Fit,
    to: usize,
    count: usize,
) -> Result<Vec<Complex<T>>> {
    let n = count.checked_mul(to);
    let n = n.ok_or_else(|| err!(ResourceExhausted, "{count} rows of {to} are too many"))?;
    let mut all = vec_of(zero::<T>(), n)?;
    par_rows_mut(&mut all, to, to as f64, |first, rows| {
        for (i, out) in rows.chunks_exact_mut(to).enumerate() {
            fit(row(input, at.row(first + i), from), zero(), out);
        }
    });
    Ok(all)
}

/// Rows of `n` real numbers whose transforms have first halves that begin with the rows of `from` numbers of the input,
/// cut or continued. Imaginary parts that such halves do not have are not read.
pub(crate) fn half_rows<T: Part>(
    input: &[Complex<T>],
    from: usize,
    (plan, n): (&ToReal<T>, usize),
    output: &mut [T],
) {
    par_rows_mut(output, n, cost(n) / 2.0, |first, rows| {
        let (mut halves, mut folded) = (vec![zero(); half(n)], vec![zero(); half(n)]);
        let mut scratch = vec![zero(); plan.scratch()];
        for (i, to) in rows.chunks_exact_mut(n).enumerate() {
            let row = &input[(first + i) * from..][..from];
            match plan {
                Real::Even(plan) if from >= half(n) => {
                    plan.inverse(row, &mut folded, to, &mut scratch);
                }
                Real::Even(plan) => {
                    fit(Some(row), zero(), &mut halves);
                    plan.inverse(&halves, &mut folded, to, &mut scratch);
                }
                Real::Odd(plan) => {
                    fit(Some(row), zero(), &mut halves);
                    halves[0].im = T::zero();
                    let done = plan.process_with_scratch(&mut halves, to, &mut scratch);
                    done.expect("the buffers have the plan's lengths");
                    let scale = T::reciprocal(n);
                    to.iter_mut().for_each(|x| *x = *x * scale);
                }
            }
            poll_cancellation();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(n: usize) -> Vec<Complex<f64>> {
        let value = |i: usize| Complex::new((i as f64 + 1.0).sin(), (3.0 * i as f64).cos());
        (0..n).map(value).collect()
    }

    /// By the definition, over two axes.
    fn slow(x: &[Complex<f64>], [a, b]: [usize; 2]) -> Vec<Complex<f64>> {
        let turn = |j: usize, k: usize, n: usize| {
            let angle = -2.0 * std::f64::consts::PI * ((j * k) % n) as f64 / n as f64;
            Complex::from_polar(1.0, angle)
        };
        let at = |p: usize, q: usize| -> Complex<f64> {
            let term = |i: usize, j: usize| x[i * b + j] * turn(i, p, a) * turn(j, q, b);
            (0..a)
                .flat_map(|i| (0..b).map(move |j| (i, j)))
                .map(|(i, j)| term(i, j))
                .sum()
        };
        (0..a * b).map(|i| at(i / b, i % b)).collect()
    }

    fn near(x: &[Complex<f64>], y: &[Complex<f64>]) -> bool {
        x.len() == y.len() && x.iter().zip(y).all(|(x, y)| (x - y).norm() < 1e-9)
    }

    #[test]
    fn two_axes_agree_with_the_definition_and_invert() {
        for sizes in [[1, 1], [1, 5], [4, 1], [3, 40], [17, 19]] {
            let x = values(2 * sizes[0] * sizes[1]);
            let (mut y, mut back) = (x.clone(), x.clone());
            complex(&x, &mut y, &sizes, false).unwrap();
            let halves = x.chunks(x.len() / 2).zip(y.chunks(x.len() / 2));
            assert!(halves.into_iter().all(|(x, y)| near(&slow(x, sizes), y)));
            complex(&y, &mut back, &sizes, true).unwrap();
            assert!(near(&x, &back));
        }
    }

    #[test]
    fn rows_of_other_lengths_are_cut_or_continued() {
        let (x, n): (Vec<f64>, _) = (values(20).iter().map(|x| x.re).collect(), 8);
        let (plans, at) = (f64::plans(), Fit::new(&[], &[]));
        for from in [4, 10] {
            let mut fitted = vec![0.0; 2 * n];
            for (to, x) in fitted.chunks_mut(n).zip(x.chunks(from)) {
                fit(Some(x), 0.0, to);
            }
            let plan = plans.real(n).unwrap();
            let (mut halves, mut want) = (vec![zero(); 10], vec![zero(); 10]);
            real_rows(&x[..2 * from], from, &at, (&*plan, n), &mut halves);
            real_rows(&fitted, n, &at, (&*plan, n), &mut want);
            assert_eq!(halves, want);
        }
        let (plan, mut back) = (plans.half(n).unwrap(), vec![0.0; 2 * n]);
        for from in [3, 7] {
            let input = &values(2 * from)[..];
            let mut fitted = vec![zero::<f64>(); 10];
            for (to, x) in fitted.chunks_mut(5).zip(input.chunks(from)) {
                fit(Some(x), zero(), to);
            }
            half_rows(input, from, (&*plan, n), &mut back);
            let mut want = vec![0.0; 2 * n];
            half_rows(&fitted, 5, (&*plan, n), &mut want);
            assert_eq!(back, want);
        }
    }

    #[test]
    fn transforms_of_real_rows_invert() {
        for n in [1, 2, 4, 5, 6, 8, 30, 34, 64] {
            let x: Vec<f64> = values(2 * n).iter().map(|x| x.re).collect();
            let mut halves = vec![zero::<f64>(); 2 * half(n)];
            let (plans, at) = (f64::plans(), Fit::new(&[], &[]));
            real_rows(&x, n, &at, (&*plans.real(n).unwrap(), n), &mut halves);
            for (x, halves) in x.chunks(n).zip(halves.chunks(half(n))) {
                let whole: Vec<_> = x.iter().map(|re| Complex::new(*re, 0.0)).collect();
                assert!(near(&slow(&whole, [1, n])[..half(n)], halves), "{n}");
            }
            halves[0].im = f64::NAN;
            if n % 2 == 0 {
                halves[n / 2].im = f64::NAN;
            }
            let mut back = vec![0.0; 2 * n];
            half_rows(&halves, half(n), (&*plans.half(n).unwrap(), n), &mut back);
            assert!(x.iter().zip(&back).all(|(x, y)| (x - y).abs() < 1e-12));
        }
    }
}
