//! Determinants.

use faer::linalg::solvers::PartialPivLu;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, Val, VjpCall, declare, declared,
};
use ferrograph_tensor::{Result, TensorSpec};
use smallvec::smallvec;

use crate::emit::*;
use crate::field::{Field, with_field};
use crate::stack::{Stack, cost, each, open, spec_of, square};

declare! {
    trait EmitDeterminants;

    /// The determinants of square matrices.
    MatrixDeterminant: matrix_determinant(input: T in field) -> (output: T), gradient Vjp, batch Leads(1);

    /// Sign and logarithm of the absolute value of the determinants of square matrices; 0 and -inf where one is zero.
    LogMatrixDeterminant: log_matrix_determinant(input: T in field)
        -> (sign: T, log_abs_determinant: T), gradient Vjp, batch Leads(1);
}

fn one_each(inputs: &Inputs<'_>) -> Result<TensorSpec> {
    Ok(match square(inputs, 0)? {
        Some((lead, _)) => spec_of(inputs.spec(0), lead, &[]),
        None => open(inputs.spec(0)),
    })
}

fn flops(inputs: &Inputs<'_>) -> f64 {
    Stack::of(inputs.spec(0)).map_or(0.0, |s| s.n as f64 * (s.rows as f64).powi(3) / 1.5)
}

impl Op for MatrixDeterminant {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![one_each(inputs)?])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let stack = Stack::of(inputs.spec(0))?;
        Ok(Lowered::Kernel(
            with_field!(inputs.dtype(0), T => determinant::<T>(stack)),
        ))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let conj = e.conj(&call.outputs[0])?;
        let factor = e.mul(call.grad()?, &conj)?;
        let factor = e.everywhere(&factor)?;
        let inverse = e.matrix_inverse(&call.inputs[0], true)?;
        Ok(smallvec![Some(e.mul(&factor, &inverse)?.into())])
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        flops(inputs)
    }
}

impl Op for LogMatrixDeterminant {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let spec = one_each(inputs)?;
        Ok(smallvec![spec.clone(), spec])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let stack = Stack::of(inputs.spec(0))?;
        Ok(Lowered::Kernel(
            with_field!(inputs.dtype(0), T => log_determinant::<T>(stack)),
        ))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let sign = of_sign(e, call)?;
        let size = call.grads[1].as_ref().map(|grad| e.real_part(grad));
        let factor = match (sign, size.transpose()?) {
            (Some(sign), Some(size)) => e.add(&sign, &size)?,
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return Ok(smallvec![None]),
        };
        let factor = e.everywhere(&factor)?;
        let inverse = e.matrix_inverse(&call.inputs[0], true)?;
        Ok(smallvec![Some(e.mul(&factor, &inverse)?.into())])
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        flops(inputs)
    }
}

/// What the gradient of a complex sign, a number on the unit circle, adds to that of the logarithm: its turn, as an
/// imaginary number. A real sign is constant.
fn of_sign(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Option<Val>> {
    let Some(grad) = &call.grads[0] else {
        return Ok(None);
    };
    if !grad.dtype().is_complex() {
        return Ok(None);
    }
    let conj = e.conj(&call.outputs[0])?;
    let turn = e.mul(grad, &conj)?;
    let real = e.real_part(&turn)?;
    Ok(Some(e.sub(&turn, &real)?))
}

/// The diagonal of the triangular factor of each matrix, and whether its rows change places oddly. Behind a zero, where
/// the factorisation of a singular matrix ends, there are ones.
fn diagonals<T: Field>(stack: Stack, all: &[T]) -> Result<Vec<(Vec<T>, bool)>> {
    each(stack.n, cost((stack.rows as f64).powi(3) / 1.5), |i| {
        let lu = PartialPivLu::new(stack.at(all, i));
        let mut diagonal: Vec<T> = (0..stack.rows).map(|k| lu.U()[(k, k)]).collect();
        if let Some(zero) = diagonal.iter().position(|d| d.modulus() == 0.0) {
            diagonal[zero + 1..].fill(T::of_real(1.0));
        }
        Ok((diagonal, is_odd(lu.P().arrays().0)))
    })
}

/// Whether a permutation is made of an odd number of exchanges.
fn is_odd(order: &[usize]) -> bool {
    let (mut seen, mut odd) = (vec![false; order.len()], false);
    for start in 0..order.len() {
        let mut at = order[start];
        while !seen[start] && at != start {
            seen[at] = true;
            odd = !odd;
            at = order[at];
        }
    }
    odd
}

fn determinant<T: Field>(stack: Stack) -> Kernel {
    Box::new(move |o| {
        let found = diagonals(stack, o.input::<T>(0))?;
        for (to, (diagonal, odd)) in o.output::<T>(0).iter_mut().zip(found) {
            let sign = T::of_real(if odd { -1.0 } else { 1.0 });
            *to = diagonal.into_iter().fold(sign, T::times);
        }
        Ok(())
    })
}

fn log_determinant<T: Field>(stack: Stack) -> Kernel {
    Box::new(move |o| {
        let found = diagonals(stack, o.input::<T>(0))?;
        let (signs, logs) = o.two_outputs::<T, T>();
        for (i, (diagonal, odd)) in found.into_iter().enumerate() {
            let sign = T::of_real(if odd { -1.0 } else { 1.0 });
            signs[i] = diagonal.iter().fold(sign, |s, d| s.times(d.phase()));
            logs[i] = T::of_real(diagonal.iter().map(|d| d.modulus().ln()).sum());
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::is_odd;

    #[test]
    fn an_exchange_is_odd_and_a_turn_of_three_is_not() {
        assert!(!is_odd(&[]));
        assert!(!is_odd(&[0, 1, 2]));
        assert!(is_odd(&[1, 0, 2]));
        assert!(!is_odd(&[1, 2, 0]));
        assert!(is_odd(&[1, 2, 3, 0]));
        assert!(!is_odd(&[1, 0, 3, 2]));
    }
}
