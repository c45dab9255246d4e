//! Singular values.

use faer::linalg::solvers::Svd as Factors;
use faer::{Mat, MatRef};
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, Val, VjpCall, declare, declared,
};
use ferrograph_tensor::{Dim, Result, TensorSpec, bail};
use smallvec::smallvec;

use crate::emit::*;
use crate::factor::is_finite;
use crate::field::{Field, with_field};
use crate::qr::shorter;
use crate::stack::{Stack, cost, each, fill_identities, matrices, open, spec_of, write};

declare! {
    trait EmitSvd;

    /// Singular values in falling order, and `U` and `V` with orthonormal columns: `input = U diag(s) V^H`. NaN where
    /// a matrix is not finite.
    Svd: svd(input: T in field) -> (s: T, u: T, v: T), gradient Vjp, batch Leads(1) {
        /// `U` and `V` are computed, else empty.
        compute_uv: bool = true,
        /// `U` and `V` are square, else they have as many columns as the input's shorter side.
        full_matrices: bool = false,
    };
}

impl Op for Svd {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let like = inputs.spec(0);
        let sizes = matrices(inputs, 0)?;
        let s = match sizes {
            Some((lead, m, n)) => spec_of(like, lead, &[shorter(m, n)]),
            None => open(like),
        };
        if !self.compute_uv {
            let none = spec_of(like, &[], &[Dim::new(0)]);
            return Ok(smallvec![s, none.clone(), none]);
        }
        let Some((lead, m, n)) = sizes else {
            return Ok(smallvec![s, open(like), open(like)]);
        };
        let inner = |side: Dim| {
            if self.full_matrices {
                side
            } else {
                shorter(m, n)
            }
        };
        Ok(smallvec![
            s,
            spec_of(like, lead, &[m, inner(m)]),
            spec_of(like, lead, &[n, inner(n)])
        ])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let stack = Stack::of(inputs.spec(0))?;
        let (uv, full) = (self.compute_uv, self.full_matrices);
        Ok(Lowered::Kernel(
            with_field!(inputs.dtype(0), T => kernel::<T>(stack, uv, full)),
        ))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let a = &call.inputs[0];
        if !self.compute_uv {
            let [_, u, v] = e.svd(a, true, false)?;
            let grad = values_grad(e, &u, &v, call.grad()?)?;
            return Ok(smallvec![Some(grad.into())]);
        }
        let shape = a.spec().shape;
        let is_square = matches!(shape.dims(), Some([.., m, n]) if m == n && m.known().is_some());
        if self.full_matrices && !is_square && (call.grads[1].is_some() || call.grads[2].is_some())
        {
            bail!(
                InvalidArgument,
                "there is no gradient of the full U and V of Svd for matrices that are not square, got shape {shape}"
            );
        }
        Ok(smallvec![full_grad(e, call)?.map(Into::into)])
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        Stack::of(inputs.spec(0)).map_or(0.0, |s| s.n as f64 * flops(s))
    }
}

/// `U diag(ds) V^H`.
fn values_grad(e: &mut dyn Emitter, u: &Val, v: &Val, ds: &Val) -> Result<Val> {
    let ds = e.across(ds)?;
    let left = e.mul(u, &ds)?;
    e.batch_matmul(&left, v, false, true)
}

/// The gradient from those of values and vectors: Townsend, "Differentiating the singular value decomposition" (2016),
/// with the term for complex numbers of Wan and Zhang (2019).
fn full_grad(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Option<Val>> {
    let [s, u, v] = [0, 1, 2].map(|i| call.outputs[i].clone());
    let mut terms: Vec<Val> = Vec::new();
    if let Some(ds) = &call.grads[0] {
        terms.push(values_grad(e, &u, &v, ds)?);
    }
    let squares = e.mul(&s, &s)?;
    let gaps = e.gaps(&squares)?;
    let (columns, rows) = (e.across(&s)?, e.down(&s)?);
    let one = e.scalar(1.0, s.dtype())?;
    let inverse = e.div_no_nan(&one, &columns)?;
    if let Some(du) = &call.grads[1] {
        let inside = e.batch_matmul(&u, du, true, false)?;
        let turn = e.minus_adjoint(&inside)?;
        let turn = e.mul(&gaps, &turn)?;
        let turn = e.mul(&turn, &columns)?;
        let left = e.batch_matmul(&u, &turn, false, false)?;
        let along = e.batch_matmul(&u, &inside, false, false)?;
        let across = e.sub(du, &along)?;
        let across = e.mul(&across, &inverse)?;
        let left = e.add(&left, &across)?;
        terms.push(e.batch_matmul(&left, &v, false, true)?);
    }
    if let Some(dv) = &call.grads[2] {
        let inside = e.batch_matmul(&v, dv, true, false)?;
        let turn = e.minus_adjoint(&inside)?;
        let turn = e.mul(&gaps, &turn)?;
        let turn = e.mul(&rows, &turn)?;
        let mut left = e.batch_matmul(&u, &turn, false, false)?;
        if s.dtype().is_complex() {
            let diagonal = e.band(&inside, 0, 0)?;
            let conj = e.conj(&diagonal)?;
            let twice = e.sub(&conj, &diagonal)?;
            let phase = e.scale(&twice, 0.5)?;
            let phase = e.mul(&phase, &inverse)?;
            let of_phase = e.batch_matmul(&u, &phase, false, false)?;
            left = e.add(&left, &of_phase)?;
        }
        terms.push(e.batch_matmul(&left, &v, false, true)?);
        let along = e.batch_matmul(&v, &inside, false, false)?;
        let across = e.sub(dv, &along)?;
        let across = e.mul(&across, &inverse)?;
        terms.push(e.batch_matmul(&u, &across, false, true)?);
    }
    let mut terms = terms.into_iter();
    let Some(mut sum) = terms.next() else {
        return Ok(None);
    };
    for term in terms {
        sum = e.add(&sum, &term)?;
    }
    Ok(Some(sum))
}

fn flops(stack: Stack) -> f64 {
    20.0 * (stack.size() * stack.shorter()) as f64
}

fn kernel<T: Field>(stack: Stack, uv: bool, full: bool) -> Kernel {
    let inner = |side: usize| if full { side } else { stack.shorter() };
    let u_stack = Stack {
        columns: inner(stack.rows),
        ..stack
    };
    let v_stack = Stack {
        rows: stack.columns,
        columns: inner(stack.columns),
        ..stack
    };
    Box::new(move |o| {
        if stack.size() == 0 {
            if uv {
                fill_identities(u_stack, o.output::<T>(1));
                fill_identities(v_stack, o.output::<T>(2));
            }
            return Ok(());
        }
        let input = o.input::<T>(0);
        let found = each(stack.n, cost(flops(stack)), |i| {
            Ok(decompose(stack.at(input, i), uv, full))
        })?;
        for (to, (s, _)) in o
            .output::<T>(0)
            .chunks_mut(stack.shorter().max(1))
            .zip(&found)
        {
            to.copy_from_slice(s);
        }
        if !uv {
            return Ok(());
        }
        for (i, (_, vectors)) in found.iter().enumerate() {
            let [u, v] = vectors;
            write(u_stack.at_mut(o.output::<T>(1), i), u.as_ref());
            write(v_stack.at_mut(o.output::<T>(2), i), v.as_ref());
        }
        Ok(())
    })
}

/// Values, and left and right vectors; all NaN where there are none.
fn decompose<T: Field>(a: MatRef<'_, T>, uv: bool, full: bool) -> (Vec<T>, [Mat<T>; 2]) {
    let (m, n) = (a.nrows(), a.ncols());
    let k = m.min(n);
    let nothing = || [Mat::zeros(0, 0), Mat::zeros(0, 0)];
    if !uv {
        let values = is_finite(a).then(|| a.singular_values().ok()).flatten();
        let values = values.map(|s| s.into_iter().map(|x| T::of_part(x)).collect());
        return (
            values.unwrap_or_else(|| vec![T::of_real(f64::NAN); k]),
            nothing(),
        );
    }
    let factors = is_finite(a).then(|| match full {
        true => Factors::new(a).ok(),
        false => Factors::new_thin(a).ok(),
    });
    match factors.flatten() {
        Some(svd) => {
            let s = svd.S();
            let values = (0..k).map(|i| s.column_vector()[i]).collect();
            (values, [svd.U().to_owned(), svd.V().to_owned()])
        }
        None => {
            let nan = T::of_real(f64::NAN);
            let inner = |side: usize| if full { side } else { k };
            let u = Mat::from_fn(m, inner(m), |_, _| nan);
            (vec![nan; k], [u, Mat::from_fn(n, inner(n), |_, _| nan)])
        }
    }
}
