//! The QR factorisation.

use faer::linalg::solvers::Qr as Factors;
use faer::{Mat, MatRef};
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, Val, VjpCall, declare, declared,
};
use ferrograph_tensor::{Dim, Result, TensorSpec, bail};
use smallvec::smallvec;

use crate::emit::*;
use crate::field::{Field, with_field};
use crate::stack::{Stack, cost, each, fill_identities, matrices, open, spec_of, write};

declare! {
    trait EmitQr;

    /// `Q` with orthonormal columns and upper triangular `R`: `Q @ R = input`. Signs are those of Householder's
    /// reflections that do not cancel, with a real diagonal of `R`.
    Qr: qr(input: T in field) -> (q: T, r: T), gradient Vjp, batch Leads(1) {
        /// `Q` is square and `R` has the shape of the input, else as many columns and rows as the input's shorter side.
        full_matrices: bool = false,
    };
}

impl Op for Qr {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let like = inputs.spec(0);
        let Some((lead, m, n)) = matrices(inputs, 0)? else {
            return Ok(smallvec![open(like), open(like)]);
        };
        let inner = if self.full_matrices { m } else { shorter(m, n) };
        Ok(smallvec![
            spec_of(like, lead, &[m, inner]),
            spec_of(like, lead, &[inner, n])
        ])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let stack = Stack::of(inputs.spec(0))?;
        Ok(Lowered::Kernel(
            with_field!(inputs.dtype(0), T => kernel::<T>(stack, self.full_matrices)),
        ))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = call.inputs[0].spec().shape;
        let sizes = match shape.dims() {
            Some([.., m, n]) => m.known().zip(n.known()),
            _ => None,
        };
        if self.full_matrices && sizes.is_none_or(|(m, n)| m > n) {
            bail!(
                InvalidArgument,
                "there is no gradient of Qr with full_matrices for more rows than columns, got shape {shape}"
            );
        }
        let (q, r) = (&call.outputs[0], &call.outputs[1]);
        let dq = grad_or_zero(e, call, 0)?;
        let dr = grad_or_zero(e, call, 1)?;
        let grad = match sizes {
            Some((m, n)) if m >= n => tall(e, q, r, &dq, &dr)?,
            _ => wide(e, &call.inputs[0], q, r, &dq, &dr)?,
        };
        Ok(smallvec![Some(grad.into())])
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        Stack::of(inputs.spec(0)).map_or(0.0, |s| s.n as f64 * flops(s))
    }
}

/// The smaller of two sizes, unknown where either is.
pub(crate) fn shorter(m: Dim, n: Dim) -> Dim {
    match (m.known(), n.known()) {
        (Some(m), Some(n)) => Dim::new(m.min(n)),
        _ => Dim::UNKNOWN,
    }
}

pub(crate) fn flops(stack: Stack) -> f64 {
    4.0 * (stack.size() * stack.shorter()) as f64
}

/// The gradient of an output, zeros where nothing depends on it.
pub(crate) fn grad_or_zero(e: &mut dyn Emitter, call: &VjpCall<'_>, i: usize) -> Result<Val> {
    match &call.grads[i] {
        Some(grad) => Ok(grad.clone()),
        None => e.zeros_like(&call.outputs[i]),
    }
}

/// The gradient of a matrix with at least as many rows as columns.
fn tall(e: &mut dyn Emitter, q: &Val, r: &Val, dq: &Val, dr: &Val) -> Result<Val> {
    let qdq = e.batch_matmul(q, dq, true, false)?;
    let rdr = e.batch_matmul(r, dr, false, true)?;
    let (of_q, of_r) = (e.minus_adjoint(&qdq)?, e.minus_adjoint(&rdr)?);
    let both = e.add(&of_q, &of_r)?;
    let lower = e.band(&both, -1, 0)?;
    let mut inner = e.over_upper(&lower, r)?;
    if q.dtype().is_complex() {
        // What the imaginary parts of the diagonal, which `R` has none of, take back.
        let qdq = e.adjoint(&qdq)?;
        let diagonal = e.sub(&rdr, &qdq)?;
        let diagonal = e.band(&diagonal, 0, 0)?;
        let real = e.real_part(&diagonal)?;
        let imaginary = e.sub(&diagonal, &real)?;
        let correction = e.over_upper(&imaginary, r)?;
        inner = e.add(&inner, &correction)?;
    }
    let inner = e.add(dr, &inner)?;
    let inside = e.batch_matmul(q, &inner, false, false)?;
    let along = e.batch_matmul(q, &qdq, false, false)?;
    let across = e.sub(dq, &along)?;
    let across = e.over_upper(&across, r)?;
    e.add(&inside, &across)
}

/// The gradient of any matrix: its first columns, as many as `Q` has, are factorised, the rest multiplied.
fn wide(e: &mut dyn Emitter, a: &Val, q: &Val, r: &Val, dq: &Val, dr: &Val) -> Result<Val> {
    let ends = e.ends_of_columns(q)?;
    let (u, du) = (e.first_columns(r, &ends)?, e.first_columns(dr, &ends)?);
    let (rest, of_rest) = (e.last_columns(a, &ends)?, e.last_columns(dr, &ends)?);
    let from_rest = e.batch_matmul(&rest, &of_rest, false, true)?;
    let dq = e.add(dq, &from_rest)?;
    let first = tall(e, q, &u, &dq, &du)?;
    let second = e.batch_matmul(q, &of_rest, false, false)?;
    let axis = e.scalar(-1.0, ferrograph_tensor::DType::Int32)?;
    e.concat_v2(&[first, second], &axis)
}

fn kernel<T: Field>(stack: Stack, full: bool) -> Kernel {
    let inner = if full { stack.rows } else { stack.shorter() };
    let (q_stack, r_stack) = (
        Stack {
            columns: inner,
            ..stack
        },
        Stack {
            rows: inner,
            ..stack
        },
    );
    Box::new(move |o| {
        if stack.size() == 0 {
            fill_identities(q_stack, o.output::<T>(0));
            return Ok(());
        }
        let input = o.input::<T>(0);
        let found = each(stack.n, cost(flops(stack)), |i| {
            Ok(factors(stack.at(input, i), inner))
        })?;
        let (all_q, all_r) = o.two_outputs::<T, T>();
        for (i, (q, r)) in found.iter().enumerate() {
            write(q_stack.at_mut(all_q, i), q.as_ref());
            write(r_stack.at_mut(all_r, i), r.as_ref());
        }
        Ok(())
    })
}

/// `Q` of `inner` columns and `R` of as many rows.
fn factors<T: Field>(a: MatRef<'_, T>, inner: usize) -> (Mat<T>, Mat<T>) {
    let qr = Factors::new(a);
    let mut q = if inner == a.nrows() {
        qr.compute_Q()
    } else {
        qr.compute_thin_Q()
    };
    let zero = T::of_real(0.0);
    let mut r = Mat::from_fn(
        inner,
        a.ncols(),
        |i, j| if j < i { zero } else { qr.R()[(i, j)] },
    );
    for k in 0..inner.min(a.ncols()) {
        let phase = r[(k, k)].phase();
        if phase.times(phase.conjugate()).real_part() == 0.0 {
            continue; // a zero keeps its row
        }
        // The diagonal becomes real with the sign of its real part; the last row, which no reflection reached, with
        // that which a reflection would give.
        let is_real = phase.times(phase).phase().real_part() == 1.0;
        let unreached = k + 1 == a.nrows() && !is_real;
        let sign = T::of_real(if (phase.real_part() < 0.0) == unreached {
            1.0
        } else {
            -1.0
        });
        let turn = phase.times(sign);
        for j in k..a.ncols() {
            r[(k, j)] = r[(k, j)].times(turn.conjugate());
        }
        for i in 0..a.nrows() {
            q[(i, k)] = q[(i, k)].times(turn);
        }
    }
    (q, r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex64;

    #[test]
    fn factors_have_real_diagonals_of_the_other_sign() {
        for (m, n) in [(1, 1), (3, 3), (4, 2), (2, 4)] {
            let entry = |i: usize, j: usize| {
                let x = (i * n + j) as f64;
                Complex64::new((x + 1.0).sin(), (3.0 * x).cos())
            };
            let a = Mat::from_fn(m, n, entry);
            for inner in [m.min(n), m] {
                let (q, r) = factors(a.as_ref(), inner);
                let (again, unit) = (&q * &r, q.adjoint() * &q);
                let near = |x: Complex64, y: Complex64| (x - y).norm() < 1e-12;
                assert!((0..m).all(|i| (0..n).all(|j| near(again[(i, j)], a[(i, j)]))));
                for i in 0..inner {
                    let one = |j| Complex64::from(f64::from(u8::from(i == j)));
                    assert!((0..inner).all(|j| near(unit[(i, j)], one(j))));
                }
                for k in 0..inner.min(n) {
                    assert!(r[(k, k)].im.abs() < 1e-12);
                }
                assert!(r[(0, 0)].re * a[(0, 0)].re < 0.0);
            }
        }
    }
}
