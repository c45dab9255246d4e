//! Logarithms of matrices.

use faer::{Mat, MatRef, Scale};
use ferrograph_graph::{Emitter, Grads, Inputs, Lowered, Op, Specs, VjpCall, declare, declared};
use ferrograph_tensor::{DType, Result, TensorSpec};
use num_complex::{Complex32, Complex64};
use smallvec::smallvec;

use crate::chain::chained;
use crate::root::{by_schur, flops, root};
use crate::stack::{Stack, square_spec};

declare! {
    trait EmitLogarithm;

    /// The principal logarithms of square matrices: the exponentials of `output` are `input`, and its eigenvalues have
    /// imaginary parts in `(-pi, pi]`. NaN where a matrix is singular.
    MatrixLogarithm: matrix_logarithm(input: T in complex) -> (output: T), gradient Vjp, batch Leads(1);
}

impl Op for MatrixLogarithm {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![square_spec(inputs, 0)?])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let stack = Stack::of(inputs.spec(0))?;
        Ok(Lowered::Kernel(match inputs.dtype(0) {
            DType::Complex64 => by_schur::<Complex32>(stack, logarithm),
            _ => by_schur::<Complex64>(stack, logarithm),
        }))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        chained(e, call, |e, block| e.matrix_logarithm(block))
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        Stack::of(inputs.spec(0)).map_or(0.0, |s| s.n as f64 * 1.5 * flops(s))
    }
}

/// Nodes and weights of the Gauss-Legendre rule of seven points on [-1, 1]; the nodes besides 0 come in pairs.
const RULE: [(f64, f64); 4] = [
    (0.0, 0.417_959_183_673_469_4),
    (0.405_845_151_377_397_2, 0.381_830_050_505_118_9),
    (0.741_531_185_599_394_4, 0.279_705_391_489_276_7),
    (0.949_107_912_342_758_5, 0.129_484_966_168_869_7),
];
/// The largest distance from the identity at which the Padé approximant of that order is exact to double precision
/// (Higham, Functions of Matrices, table 11.1).
const LARGEST: f64 = 0.264;
/// Roots that bring every number near 1.
const ROOTS: i32 = 1100;

/// Of an upper triangular matrix, by inverse scaling and squaring: roots until it is near the identity, then the Padé
/// approximant as a sum of partial fractions (Higham, Functions of Matrices, 11.5). The diagonal is that of the numbers.
fn logarithm(t: MatRef<'_, Complex64>) -> Mat<Complex64> {
    let n = t.nrows();
    let logs: Vec<Complex64> = (0..n).map(|i| t[(i, i)].ln()).collect();
    if logs.iter().any(|log| !log.is_finite()) {
        return Mat::from_fn(n, n, |_, _| Complex64::from(f64::NAN));
    }
    let mut near = t.to_owned();
    let mut roots = 0;
    let mut x = less_identity(near.as_ref(), &logs, roots);
    while largest_column(&x) > LARGEST && roots < ROOTS {
        near = root(near.as_ref());
        roots += 1;
        x = less_identity(near.as_ref(), &logs, roots);
    }
    let mut sum = Mat::zeros(n, n);
    for (node, weight) in RULE {
        let signs: &[f64] = if node == 0.0 { &[1.0] } else { &[1.0, -1.0] };
        for sign in signs {
            let at = f64::midpoint(1.0, sign * node);
            sum += Scale(Complex64::from(weight / 2.0)) * fraction(&x, at);
        }
    }
    let mut found = Scale(Complex64::from(f64::from(roots).exp2())) * sum;
    (0..n).for_each(|i| found[(i, i)] = logs[i]);
    found
}

/// A root of that depth less the identity, whose diagonal comes from the logarithms, without cancellation.
fn less_identity(near: MatRef<'_, Complex64>, logs: &[Complex64], roots: i32) -> Mat<Complex64> {
    let mut x = near.to_owned();
    for (i, log) in logs.iter().enumerate() {
        x[(i, i)] = expm1(log / f64::from(roots).exp2());
    }
    x
}

/// `e^z - 1`, accurate near 0.
fn expm1(z: Complex64) -> Complex64 {
    let half = (z.im / 2.0).sin();
    let real = z.re.exp_m1() * z.im.cos() - 2.0 * half * half;
    Complex64::new(real, z.re.exp() * z.im.sin())
}

/// The largest sum of the absolute values of a column; at most infinity.
fn largest_column(x: &Mat<Complex64>) -> f64 {
    let sum = |j: usize| (0..=j).map(|i| x[(i, j)].norm()).sum::<f64>();
    (0..x.ncols()).map(sum).fold(0.0, f64::max)
}

/// `(1 + at x)^-1 x` of an upper triangular matrix.
fn fraction(x: &Mat<Complex64>, at: f64) -> Mat<Complex64> {
    let n = x.nrows();
    let one = |i: usize, j: usize| Complex64::from(f64::from(u8::from(i == j)));
    let system = Mat::from_fn(n, n, |i, j| one(i, j) + at * x[(i, j)]);
    let mut solved = x.clone();
    system.solve_upper_triangular_in_place(solved.as_mut());
    solved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upper(entries: [Complex64; 3]) -> Mat<Complex64> {
        let [a, b, d] = entries;
        logarithm(Mat::from_fn(2, 2, |i, j| [[a, b], [Complex64::ZERO, d]][i][j]).as_ref())
    }

    #[test]
    fn of_shears_scales_and_singular_ones() {
        let c = Complex64::new;
        let shear = upper([c(1.0, 0.0), c(3.0, 0.0), c(1.0, 0.0)]);
        assert!((shear[(0, 1)] - 3.0).norm() < 1e-13);
        let (a, b, d) = (c(1e-8, 0.0), c(2.0, 1.0), c(0.0, 5.0));
        let want = b * (d.ln() - a.ln()) / (d - a);
        assert!((upper([a, b, d])[(0, 1)] - want).norm() < 1e-13 * want.norm());
        let none = upper([c(0.0, 0.0), c(1.0, 0.0), c(1.0, 0.0)]);
        assert!(none[(0, 1)].is_nan());
    }
}
