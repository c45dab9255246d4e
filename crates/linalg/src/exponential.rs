//! The exponential of matrices.

use faer::linalg::solvers::{PartialPivLu, Solve as _};
use faer::{Mat, MatRef, Scale};
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, VjpCall, declare, declared,
};
use ferrograph_tensor::{Result, TensorSpec};
use smallvec::smallvec;

use crate::chain::chained;
use crate::factor::is_finite;
use crate::field::{Field, with_field};
use crate::stack::{Stack, cost, each, square_spec, write};

declare! {
    trait EmitExponential;

    /// The exponentials of square matrices: the sums of `input^k / k!`.
    MatrixExponential: matrix_exponential(input: T in field) -> (output: T), gradient Vjp, batch Leads(1);
}

impl Op for MatrixExponential {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![square_spec(inputs, 0)?])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let stack = Stack::of(inputs.spec(0))?;
        Ok(Lowered::Kernel(
            with_field!(inputs.dtype(0), T => kernel::<T>(stack)),
        ))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        chained(e, call, |e, block| e.matrix_exponential(block))
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        Stack::of(inputs.spec(0)).map_or(0.0, |s| s.n as f64 * flops(s))
    }
}

fn flops(stack: Stack) -> f64 {
    30.0 * (stack.rows as f64).powi(3)
}

fn kernel<T: Field>(stack: Stack) -> Kernel {
    Box::new(move |o| {
        if stack.size() == 0 {
            return Ok(());
        }
        let input = o.input::<T>(0);
        let found = each(stack.n, cost(flops(stack)), |i| {
            Ok(exponential(stack.at(input, i)))
        })?;
        let output = o.output::<T>(0);
        for (i, x) in found.iter().enumerate() {
            write(stack.at_mut(output, i), x.as_ref());
        }
        Ok(())
    })
}

/// The coefficients of the numerator of the Padé approximant of order 13, and the largest norm at which it is exact to
/// double precision: Higham, "The scaling and squaring method for the matrix exponential revisited" (2005).
const PADE: [f64; 14] = [
    64_764_752_532_480_000.0,
    32_382_376_266_240_000.0,
    7_771_770_303_897_600.0,
    1_187_353_796_428_800.0,
    129_060_195_264_000.0,
    10_559_470_521_600.0,
    670_442_572_800.0,
    33_522_128_640.0,
    1_323_241_920.0,
    40_840_800.0,
    960_960.0,
    16_380.0,
    182.0,
    1.0,
];
const LARGEST: f64 = 5.371_920_351_148_152;

/// Scaling and squaring; NaN where the matrix is not finite.
fn exponential<T: Field>(a: MatRef<'_, T>) -> Mat<T> {
    let n = a.nrows();
    if !is_finite(a) {
        return Mat::from_fn(n, n, |_, _| T::of_real(f64::NAN));
    }
    let sum = |j: usize| (0..n).map(|i| a[(i, j)].modulus()).sum::<f64>();
    let norm = (0..n).map(sum).fold(0.0, f64::max);
    let halvings = (norm / LARGEST).log2().ceil().clamp(0.0, 2000.0);
    let a = Scale(T::of_real((-halvings).exp2())) * a;
    let identity = Mat::from_fn(n, n, |i, j| T::of_real(f64::from(u8::from(i == j))));
    let a2 = &a * &a;
    let a4 = &a2 * &a2;
    let a6 = &a4 * &a2;
    let powers = [&identity, &a2, &a4, &a6];
    let sum = |from: usize| combined(&powers, [from, from + 2, from + 4, from + 6]);
    let high = |from: usize| combined(&powers[1..], [from, from + 2, from + 4]);
    let odd = &a * (&a6 * high(9) + sum(1));
    let even = &a6 * high(8) + sum(0);
    let mut x = PartialPivLu::new((&even - &odd).as_ref()).solve(&even + &odd);
    for _ in 0..halvings as usize {
        x = &x * &x;
    }
    x
}

/// The sum of matrices times those coefficients.
fn combined<T: Field, const N: usize>(powers: &[&Mat<T>], coefficients: [usize; N]) -> Mat<T> {
    let mut sum = Mat::zeros(powers[0].nrows(), powers[0].ncols());
    for (power, k) in powers.iter().zip(coefficients) {
        sum += Scale(T::of_real(PADE[k])) * *power;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(entries: [f64; 4]) -> [f64; 4] {
        let x = exponential(MatRef::from_row_major_slice(&entries, 2, 2));
        [x[(0, 0)], x[(0, 1)], x[(1, 0)], x[(1, 1)]]
    }

    fn near(x: [f64; 4], y: [f64; 4]) -> bool {
        x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12)
    }

    #[test]
    fn shears_turns_and_what_is_not_finite() {
        assert!(near(of([0.0; 4]), [1.0, 0.0, 0.0, 1.0]));
        assert!(near(of([0.0, 1.0, 0.0, 0.0]), [1.0, 1.0, 0.0, 1.0]));
        let turn = [20f64.cos(), 20f64.sin(), -20f64.sin(), 20f64.cos()];
        assert!(near(of([0.0, 20.0, -20.0, 0.0]), turn));
        assert!(
            of([f64::INFINITY, 0.0, 0.0, 1.0])
                .iter()
                .all(|x| x.is_nan())
        );
    }
}
