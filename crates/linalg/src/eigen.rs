//! Eigenvalues and eigenvectors.

use faer::linalg::solvers::{Eigen, SelfAdjointEigen};
use faer::traits::{Conjugate, RealField};
use faer::{Mat, MatRef, Side};
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, VjpCall, declare, declared,
};
use ferrograph_tensor::{DType, Dim, Result, TensorSpec, bail};
use num_complex::{Complex, Complex32, Complex64};
use num_traits::Float;
use smallvec::smallvec;

use crate::deflation;
use crate::emit::*;
use crate::factor::is_finite;
use crate::field::{Field, with_field};
use crate::qr::grad_or_zero;
use crate::stack::{Stack, cost, each, open, spec_of, square, with_real_diagonal, write};

declare! {
    trait EmitEigen;

    /// Eigenvalues in rising order and orthonormal eigenvectors, in columns, of self-adjoint matrices, which are read in
    /// their lower triangle.
    SelfAdjointEigV2: self_adjoint_eig(input: T in field) -> (e: T, v: T), gradient Vjp, batch Leads(1) {
        /// Eigenvectors are computed, else empty.
        compute_v: bool = true,
    };

    /// Eigenvalues and eigenvectors, in columns of length 1, of square matrices: of complex ones by rising absolute value,
    /// of real ones of up to 64 rows in the order of the diagonal of the Schur form.
    Eig: eig(input: T in field) -> (e: Tout in complex, v: Tout), gradient Vjp, batch Leads(1) {
        /// Eigenvectors are computed, else empty.
        compute_v: bool = true,
        /// The complex dtype of the input's precision.
        tout as "Tout": DType = DType::Complex128,
    };
}

/// The specs of values and vectors.
fn specs(inputs: &Inputs<'_>, dtype: DType, vectors: bool) -> Result<Specs> {
    let like = TensorSpec::new(dtype, inputs.shape(0).clone());
    let sizes = square(inputs, 0)?;
    let (values, full) = match sizes {
        Some((lead, n)) => (spec_of(&like, lead, &[n]), spec_of(&like, lead, &[n, n])),
        None => (open(&like), open(&like)),
    };
    let none = spec_of(&like, &[], &[Dim::new(0)]);
    Ok(smallvec![values, if vectors { full } else { none }])
}

fn flops(inputs: &Inputs<'_>, factor: f64) -> f64 {
    Stack::of(inputs.spec(0)).map_or(0.0, |s| s.n as f64 * factor * (s.rows as f64).powi(3))
}

impl Op for SelfAdjointEigV2 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        specs(inputs, inputs.dtype(0), self.compute_v)
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let stack = Stack::of(inputs.spec(0))?;
        Ok(Lowered::Kernel(
            with_field!(inputs.dtype(0), T => self_adjoint::<T>(stack, self.compute_v)),
        ))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (values, v) = match self.compute_v {
            true => (call.outputs[0].clone(), call.outputs[1].clone()),
            false => {
                let [values, v] = e.self_adjoint_eig(&call.inputs[0], true)?;
                (values, v)
            }
        };
        let of_values = grad_or_zero(e, call, 0)?;
        let along = e.across(&of_values)?;
        let scaled = e.mul(&v, &along)?;
        let mut grad = e.batch_matmul(&scaled, &v, false, true)?;
        if let (true, Some(dv)) = (self.compute_v, &call.grads[1]) {
            let inside = e.batch_matmul(&v, dv, true, false)?;
            let gaps = e.gaps(&values)?;
            let inside = e.mul(&gaps, &inside)?;
            let left = e.batch_matmul(&v, &inside, false, false)?;
            let turned = e.batch_matmul(&left, &v, false, true)?;
            grad = e.add(&grad, &turned)?;
        }
        // Only the lower triangle was read, which determines the upper one as well.
        let symmetric = e.plus_adjoint(&grad)?;
        Ok(smallvec![Some(e.lower_half(&symmetric)?.into())])
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        flops(inputs, 9.0)
    }
}

impl Op for Eig {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let single = matches!(inputs.dtype(0), DType::Float32 | DType::Complex64);
        let wanted = if single {
            DType::Complex64
        } else {
            DType::Complex128
        };
        if self.tout != wanted {
            bail!(
                DType,
                "the eigenvalues of {} matrices are {wanted}, not {}",
                inputs.dtype(0),
                self.tout
            );
        }
        specs(inputs, self.tout, self.compute_v)
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let (stack, v) = (Stack::of(inputs.spec(0))?, self.compute_v);
        Ok(Lowered::Kernel(match inputs.dtype(0) {
            DType::Float32 => general::<f32, Complex32>(stack, v, move |a| of_real(a, v)),
            DType::Float64 => general::<f64, Complex64>(stack, v, move |a| of_real(a, v)),
            DType::Complex64 => {
                general::<Complex32, Complex32>(stack, v, move |a| of_complex(a, v))
            }
            _ => general::<Complex64, Complex64>(stack, v, move |a| of_complex(a, v)),
        }))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let input = &call.inputs[0];
        let (values, v) = match self.compute_v {
            true => (call.outputs[0].clone(), call.outputs[1].clone()),
            false => {
                let [values, v] = e.eig(input, true, self.tout)?;
                (values, v)
            }
        };
        let of_values = grad_or_zero(e, call, 0)?;
        let identity = e.identity_like(&v)?;
        let along = e.across(&of_values)?;
        let mut middle = e.mul(&identity, &along)?;
        if let (true, Some(dv)) = (self.compute_v, &call.grads[1]) {
            let gaps = e.gaps(&values)?;
            let gaps = e.conj(&gaps)?;
            let inside = e.batch_matmul(&v, dv, true, false)?;
            // Vectors have length 1: what would change it is taken out.
            let diagonal = e.band(&inside, 0, 0)?;
            let real = e.real_part(&diagonal)?;
            let overlaps = e.batch_matmul(&v, &v, true, false)?;
            let lengths = e.batch_matmul(&overlaps, &real, false, false)?;
            let inside = e.sub(&inside, &lengths)?;
            let inside = e.mul(&gaps, &inside)?;
            middle = e.add(&middle, &inside)?;
        }
        let right = e.batch_matmul(&middle, &v, false, true)?;
        let grad = e.matrix_solve(&v, &right, true)?;
        Ok(smallvec![Some(e.cast(&grad, input.dtype())?.into())])
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        flops(inputs, 25.0)
    }
}

/// Values, and vectors in columns where they are wanted.
type Pairs<T> = (Vec<T>, Option<Mat<T>>);

fn self_adjoint<T: Field>(stack: Stack, vectors: bool) -> Kernel {
    let of = move |a: MatRef<'_, T>| {
        let is_lower_finite = (0..a.nrows()).all(|i| (0..=i).all(|j| a[(i, j)].is_finite_number()));
        match (is_lower_finite, vectors) {
            (false, _) => None,
            (true, false) => {
                let values = a.self_adjoint_eigenvalues(Side::Lower).ok()?;
                Some((values.into_iter().map(T::of_part).collect(), None))
            }
            (true, true) => {
                let factors = SelfAdjointEigen::new(a, Side::Lower).ok()?;
                let values = factors.S().column_vector().iter().copied().collect();
                Some((values, Some(factors.U().to_owned())))
            }
        }
    };
    general::<T, T>(stack, vectors, move |a| with_real_diagonal(a, of))
}

/// Rows up to which a real matrix has its eigenvalues in the order of its Schur form; it costs as much again as the vectors.
const ORDERED: usize = 64;

fn of_real<R>(a: MatRef<'_, R>, vectors: bool) -> Option<Pairs<Complex<R>>>
where
    R: Field + RealField + Float,
    Complex<R>: Field,
{
    if !is_finite(a) {
        return None;
    }
    let known = (a.nrows() <= ORDERED)
        .then(|| deflation::eigenvalues(a.nrows(), |i, j| a[(i, j)]))
        .flatten();
    if let (Some(values), false) = (&known, vectors) {
        return Some((values.clone(), None));
    }
    let found = Eigen::new_from_real(a).ok()?;
    let s: Vec<_> = found.S().column_vector().iter().copied().collect();
    let order = known.map_or_else(|| (0..s.len()).collect(), |known| nearest(&known, &s));
    Some(pairs(&found, &order, vectors))
}

/// For each value, one after another, the place of the nearest one that is left.
fn nearest<R: RealField>(values: &[Complex<R>], among: &[Complex<R>]) -> Vec<usize>
where
    Complex<R>: Field,
{
    let mut left: Vec<usize> = (0..among.len()).collect();
    let far = |a: &Complex<R>, b: usize| (a.wide() - among[b].wide()).norm();
    let take = |value: &Complex<R>| {
        let distance = |i: &usize| far(value, left[*i]);
        let at = (0..left.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        left.remove(at.unwrap_or(0))
    };
    values.iter().map(take).collect()
}

fn of_complex<R>(a: MatRef<'_, Complex<R>>, vectors: bool) -> Option<Pairs<Complex<R>>>
where
    R: Field + RealField,
    Complex<R>: Field + Conjugate<Canonical = Complex<R>>,
{
    let found = is_finite(a).then(|| Eigen::new(a).ok()).flatten()?;
    let s = found.S().column_vector();
    let mut order: Vec<usize> = (0..a.nrows()).collect();
    order.sort_by(|&i, &j| s[i].modulus().total_cmp(&s[j].modulus()));
    Some(pairs(&found, &order, vectors))
}

/// The values in that order, and the vectors scaled to length 1 where they are wanted.
fn pairs<R: RealField>(found: &Eigen<R>, order: &[usize], vectors: bool) -> Pairs<Complex<R>>
where
    Complex<R>: Field,
{
    let (u, s) = (found.U(), found.S().column_vector());
    let values = order.iter().map(|&i| s[i]).collect();
    let vectors = vectors.then(|| {
        let scale = |j: usize| 1.0 / length(u, j);
        let scales: Vec<f64> = order.iter().map(|&j| scale(j)).collect();
        Mat::from_fn(u.nrows(), u.ncols(), |i, j| {
            u[(i, order[j])].times(Complex::<R>::of_real(scales[j]))
        })
    });
    (values, vectors)
}

fn length<T: Field>(u: MatRef<'_, T>, column: usize) -> f64 {
    let squares = (0..u.nrows()).map(|i| u[(i, column)].modulus().powi(2));
    squares.sum::<f64>().sqrt()
}

/// A kernel that finds values and vectors of each matrix by `f`.
fn general<T: Field, C: Field>(
    stack: Stack,
    vectors: bool,
    f: impl Fn(MatRef<'_, T>) -> Option<Pairs<C>> + Send + Sync + 'static,
) -> Kernel {
    Box::new(move |o| {
        if stack.size() == 0 {
            return Ok(());
        }
        let input = o.input::<T>(0);
        let flops = 9.0 * (stack.rows as f64).powi(3);
        let found = each(stack.n, cost(flops), |i| match f(stack.at(input, i)) {
            Some(found) => Ok(found),
            None => bail!(
                InvalidArgument,
                "The eigenvalue decomposition was not successful. The input might not be valid."
            ),
        })?;
        for (to, (values, _)) in o.output::<C>(0).chunks_mut(stack.rows.max(1)).zip(&found) {
            to.copy_from_slice(values);
        }
        if vectors {
            let output = o.output::<C>(1);
            for (i, vectors) in found.iter().map(|(_, v)| v).enumerate() {
                if let Some(v) = vectors {
                    write(stack.at_mut(output, i), v.as_ref());
                }
            }
        }
        Ok(())
    })
}
