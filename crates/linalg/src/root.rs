//! Square roots of matrices.

use faer::{Mat, MatRef};
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, VjpCall, declare, declared,
};
use ferrograph_tensor::{Result, TensorSpec};
use num_complex::Complex64;
use smallvec::smallvec;

use crate::chain::chained;
use crate::factor::is_finite;
use crate::field::{Field, with_field};
use crate::schur::Schur;
use crate::stack::{Stack, cost, each, square_spec, write};

declare! {
    trait EmitRoot;

    /// The principal square roots of square matrices: `output @ output == input`, with eigenvalues right of the imaginary
    /// axis. NaN where there is none: of singular matrices, and of real ones with negative eigenvalues.
    MatrixSquareRoot: matrix_square_root(input: T in field) -> (output: T), gradient Vjp, batch Leads(1);
}

impl Op for MatrixSquareRoot {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![square_spec(inputs, 0)?])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let stack = Stack::of(inputs.spec(0))?;
        Ok(Lowered::Kernel(
            with_field!(inputs.dtype(0), T => by_schur::<T>(stack, root)),
        ))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        chained(e, call, |e, block| e.matrix_square_root(block))
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        Stack::of(inputs.spec(0)).map_or(0.0, |s| s.n as f64 * flops(s))
    }
}

/// What the Schur form and turning back take.
pub(crate) fn flops(stack: Stack) -> f64 {
    100.0 * (stack.rows as f64).powi(3)
}

/// The function of each matrix of a stack that `of_triangular` is of upper triangular ones; NaN where a matrix is not
/// finite, or the function of a real one is not real.
pub(crate) fn by_schur<T: Field>(
    stack: Stack,
    of_triangular: fn(MatRef<'_, Complex64>) -> Mat<Complex64>,
) -> Kernel {
    Box::new(move |o| {
        if stack.size() == 0 {
            return Ok(());
        }
        let input = o.input::<T>(0);
        let found = each(stack.n, cost(flops(stack)), |i| {
            Ok(function::<T>(stack.at(input, i), of_triangular))
        })?;
        let output = o.output::<T>(0);
        for (i, x) in found.iter().enumerate() {
            write(stack.at_mut(output, i), x.as_ref());
        }
        Ok(())
    })
}

fn function<T: Field>(
    a: MatRef<'_, T>,
    of_triangular: fn(MatRef<'_, Complex64>) -> Mat<Complex64>,
) -> Mat<T> {
    let n = a.nrows();
    let wide = Mat::from_fn(n, n, |i, j| a[(i, j)].wide());
    let form = is_finite(a).then(|| Schur::of(wide)).flatten();
    let found = form.map(|form| form.turned_back(of_triangular(form.t.as_ref()).as_ref()));
    match found.filter(|x| T::DTYPE.is_complex() || is_real(x)) {
        Some(x) => Mat::from_fn(n, n, |i, j| T::of_wide(x[(i, j)])),
        None => Mat::from_fn(n, n, |_, _| T::of_real(f64::NAN)),
    }
}

/// Whether imaginary parts are no more than what rounding leaves.
fn is_real(x: &Mat<Complex64>) -> bool {
    let largest = |part: fn(&Complex64) -> f64| {
        let all = (0..x.nrows()).flat_map(|i| (0..x.ncols()).map(move |j| (i, j)));
        all.fold(0.0, |most: f64, at| most.max(part(&x[at]).abs()))
    };
    largest(|z| z.im) <= 1e-6 * largest(|z| z.re)
}

/// Of an upper triangular matrix, column by column (Björck and Hammarling, Linear Algebra Appl. 52/53 (1983), 127).
pub(crate) fn root(t: MatRef<'_, Complex64>) -> Mat<Complex64> {
    let n = t.nrows();
    let mut r = Mat::zeros(n, n);
    for j in 0..n {
        r[(j, j)] = t[(j, j)].sqrt();
        for i in (0..j).rev() {
            let between: Complex64 = (i + 1..j).map(|k| r[(i, k)] * r[(k, j)]).sum();
            r[(i, j)] = (t[(i, j)] - between) / (r[(i, i)] + r[(j, j)]);
        }
    }
    r
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(entries: [f64; 4]) -> Mat<f64> {
        function(MatRef::from_row_major_slice(&entries, 2, 2), root)
    }

    #[test]
    fn squares_of_roots() {
        for entries in [
            [4.0, 1.0, 0.0, 9.0],
            [0.0, -1.0, 1.0, 0.0],
            [2.0, 5.0, -3.0, 1.0],
        ] {
            let (a, x) = (MatRef::from_row_major_slice(&entries, 2, 2), of(entries));
            assert!((&x * &x - a).norm_max() < 1e-14, "{entries:?}");
        }
    }

    #[test]
    fn what_has_none_is_not_a_number() {
        for entries in [
            [-1.0, 2.0, 0.0, 4.0],
            [0.0; 4],
            [f64::INFINITY, 0.0, 0.0, 1.0],
        ] {
            assert!(of(entries)[(0, 0)].is_nan(), "{entries:?}");
        }
    }
}
