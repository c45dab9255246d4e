//! The LU factorisation with row exchanges.

use faer::linalg::solvers::PartialPivLu;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, VjpCall, declare, declared,
};
use ferrograph_tensor::{DType, Element, Result, TensorSpec, bail};
use smallvec::smallvec;

use crate::emit::*;
use crate::factor::is_singular;
use crate::field::{Field, with_field};
use crate::stack::{Stack, cost, each, open, spec_of, square, square_spec};

declare! {
    trait EmitLu;

    /// `L` (unit lower triangular, below the diagonal) and `U` of square matrices in one, and the rows of the input in
    /// their order: `input[p[i]] = (L @ U)[i]`. An error where a matrix is singular.
    Lu: lu(input: T in field) -> (lu: T, p: output_idx_type in index), gradient Vjp, batch Leads(1) {
        /// The dtype of the order.
        output_idx_type: DType = DType::Int32,
    };
}

impl Op for Lu {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let order = match square(inputs, 0)? {
            Some((lead, n)) => spec_of(inputs.spec(0), lead, &[n]),
            None => open(inputs.spec(0)),
        };
        let order = TensorSpec::new(self.output_idx_type, order.shape);
        Ok(smallvec![square_spec(inputs, 0)?, order])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let stack = Stack::of(inputs.spec(0))?;
        let wide = self.output_idx_type == DType::Int64;
        Ok(Lowered::Kernel(
            with_field!(inputs.dtype(0), T => match wide {
                true => kernel::<T, i64>(stack, |i| i as i64),
                false => kernel::<T, i32>(stack, |i| i as i32),
            }),
        ))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let Some(Some(grad)) = call.grads.first() else {
            return Ok(smallvec![None]);
        };
        let (lu, order) = (&call.outputs[0], &call.outputs[1]);
        let upper = e.band(lu, 0, -1)?;
        let lower = e.unit_lower(lu)?;
        let of_upper = e.band(grad, 0, -1)?;
        let of_lower = e.sub(grad, &of_upper)?;
        // The gradient of `L @ U` is L^-H (tril(L^H dL, -1) + triu(dU U^H)) U^-H.
        let left = e.batch_matmul(&lower, &of_lower, true, false)?;
        let right = e.batch_matmul(&of_upper, &upper, false, true)?;
        let (left_upper, right) = (e.band(&left, 0, -1)?, e.band(&right, 0, -1)?);
        let left = e.sub(&left, &left_upper)?;
        let middle = e.add(&left, &right)?;
        let solved = e.matrix_triangular_solve(&lower, &middle, true, true)?;
        let permuted = e.over_upper(&solved, &upper)?;
        let exchange = e.rows_picked(order, &permuted)?;
        Ok(smallvec![Some(
            e.batch_matmul(&exchange, &permuted, true, false)?.into()
        )])
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        Stack::of(inputs.spec(0)).map_or(0.0, |s| s.n as f64 * (s.rows as f64).powi(3) / 1.5)
    }
}

fn kernel<T: Field, I: Element>(stack: Stack, index: fn(usize) -> I) -> Kernel {
    Box::new(move |o| {
        if stack.size() == 0 {
            return Ok(());
        }
        let input = o.input::<T>(0);
        let found = each(stack.n, cost((stack.rows as f64).powi(3) / 1.5), |i| {
            let lu = PartialPivLu::new(stack.at(input, i));
            if is_singular(lu.U()) {
                bail!(InvalidArgument, "Input is not invertible.");
            }
            Ok(lu)
        })?;
        let (packed, orders) = o.two_outputs::<T, I>();
        for (i, lu) in found.iter().enumerate() {
            let mut to = stack.at_mut(packed, i);
            for r in 0..stack.rows {
                for c in 0..stack.rows {
                    to[(r, c)] = if c < r {
                        lu.L()[(r, c)]
                    } else {
                        lu.U()[(r, c)]
                    };
                }
            }
            for (r, &from) in lu.P().arrays().0.iter().enumerate() {
                orders[i * stack.rows + r] = index(from);
            }
        }
        Ok(())
    })
}
