//! The Cholesky factor.

use faer::linalg::solvers::Llt;
use faer::{MatRef, Side};
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, VjpCall, declare, declared,
};
use ferrograph_tensor::{Result, TensorSpec};
use smallvec::smallvec;

use crate::emit::*;
use crate::field::{Field, with_field};
use crate::stack::{Stack, cost, each, square_spec, with_real_diagonal};

declare! {
    trait EmitCholesky;

    /// The lower triangular `L` with positive diagonal and `L L^H = input`, which is read in its lower triangle; NaN
    /// where a matrix is not positive definite.
    Cholesky: cholesky(input: T in field) -> (output: T), gradient Vjp, batch Leads(1);
}

impl Op for Cholesky {
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
        let (l, grad) = (&call.outputs[0], call.grad()?);
        let middle = e.batch_matmul(l, grad, true, false)?;
        let middle = e.lower_half(&middle)?;
        // L^-H middle L^-1, by two triangular systems.
        let left = e.matrix_triangular_solve(l, &middle, true, true)?;
        let left = e.adjoint(&left)?;
        let both = e.matrix_triangular_solve(l, &left, true, true)?;
        let symmetric = e.plus_adjoint(&both)?;
        let grad = e.scale(&symmetric, 0.5)?;
        Ok(smallvec![Some(grad.into())])
    }
    fn flops(&self, _inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        Stack::of(&outputs[0]).map_or(0.0, |s| s.n as f64 * flops(s))
    }
}

fn flops(stack: Stack) -> f64 {
    (stack.rows as f64).powi(3) / 3.0
}

fn kernel<T: Field>(stack: Stack) -> Kernel {
    Box::new(move |o| {
        if stack.size() == 0 {
            return Ok(());
        }
        let input = o.input::<T>(0);
        let found = each(stack.n, cost(flops(stack)), |i| {
            let of = |a: MatRef<'_, T>| Llt::new(a, Side::Lower).ok();
            Ok(with_real_diagonal(stack.at(input, i), of))
        })?;
        let output = o.output::<T>(0);
        output.fill(T::of_real(0.0));
        for (i, factor) in found.iter().enumerate() {
            let mut to = stack.at_mut(output, i);
            for r in 0..stack.rows {
                for c in 0..=r {
                    to[(r, c)] = match factor {
                        Some(factor) => factor.L()[(r, c)],
                        None => T::of_real(f64::NAN),
                    };
                }
            }
        }
        Ok(())
    })
}
