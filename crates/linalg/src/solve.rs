//! Inverses and systems of equations.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::lu::partial_pivoting::solve::{
    solve_in_place_scratch, solve_in_place_with_conj, solve_transpose_in_place_scratch,
    solve_transpose_in_place_with_conj,
};
use faer::linalg::solvers::{DenseSolveCore as _, PartialPivLu};
use faer::{Conj, Mat, MatRef, Par, Spec};
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, Val, VjpCall, declare, declared,
};
use ferrograph_tensor::{Dim, PartialShape, Result, TensorSpec, bail};
use smallvec::smallvec;

use crate::emit::*;
use crate::factor::{broadcast_offsets, is_singular};
use crate::field::{Field, with_field};
use crate::stack::{Stack, cost, each, matrices, open, spec_of, square, square_spec, write};

declare! {
    trait EmitSolve;

    /// The inverses of square matrices, or of their adjoints. An error where one has none.
    MatrixInverse: matrix_inverse(input: T in field) -> (output: T), gradient Vjp, batch Leads(1) {
        /// The adjoints are inverted.
        adjoint: bool = false,
    };

    /// The `output` with `matrix @ output = rhs`, or with the adjoint of `matrix`. An error where that has no inverse.
    MatrixSolve: matrix_solve(matrix: T in field, rhs: T) -> (output: T), gradient Vjp, batch Leads(2) {
        /// The system is that of the adjoint.
        adjoint: bool = false,
    };

    /// As `MatrixSolve`, for triangular matrices, of which the other triangle is not read; leading dimensions broadcast.
    /// Zeros on the diagonal give infinities.
    MatrixTriangularSolve: matrix_triangular_solve(matrix: T in field, rhs: T) -> (output: T), gradient Vjp, batch Broadcasts {
        /// The matrix is lower triangular, else upper.
        lower: bool = true,
        /// The system is that of the adjoint.
        adjoint: bool = false,
    };
}

impl Op for MatrixInverse {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![square_spec(inputs, 0)?])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let stack = Stack::of(inputs.spec(0))?;
        Ok(Lowered::Kernel(
            with_field!(inputs.dtype(0), T => inverse_kernel::<T>(stack, self.adjoint)),
        ))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (inverse, grad) = (&call.outputs[0], call.grad()?);
        let right = e.batch_matmul(grad, inverse, self.adjoint, !self.adjoint)?;
        let both = e.batch_matmul(inverse, &right, !self.adjoint, false)?;
        Ok(smallvec![Some(e.neg(&both)?.into())])
    }
    fn flops(&self, _inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        Stack::of(&outputs[0]).map_or(0.0, |s| s.n as f64 * 2.0 * (s.rows as f64).powi(3))
    }
}

fn inverse_kernel<T: Field>(stack: Stack, adjoint: bool) -> Kernel {
    Box::new(move |o| {
        if stack.size() == 0 {
            return Ok(());
        }
        let input = o.input::<T>(0);
        let flops = 2.0 * (stack.rows as f64).powi(3);
        let found = each(stack.n, cost(flops), |i| {
            let lu = PartialPivLu::new(stack.at(input, i));
            if is_singular(lu.U()) {
                bail!(InvalidArgument, "Input is not invertible.");
            }
            Ok(lu.inverse())
        })?;
        let output = o.output::<T>(0);
        for (i, inverse) in found.iter().enumerate() {
            let to = stack.at_mut(output, i);
            match adjoint {
                true => write(to, inverse.adjoint().to_owned().as_ref()),
                false => write(to, inverse.as_ref()),
            }
        }
        Ok(())
    })
}

/// The sizes of systems: those of the matrices, and those of the right-hand sides.
fn check_system(inputs: &Inputs<'_>) -> Result<Option<PartialShape>> {
    let (Some((lead, n)), Some((of_rhs, rows, columns))) =
        (square(inputs, 0)?, matrices(inputs, 1)?)
    else {
        return Ok(None);
    };
    if !n.is_compatible(rows) {
        bail!(
            Shape,
            "Input matrix and rhs are incompatible: shapes {} and {}",
            inputs.shape(0),
            inputs.shape(1)
        );
    }
    let lead = PartialShape::new(lead).broadcast(&PartialShape::new(of_rhs))?;
    let rows = if n.known().is_some() { n } else { rows };
    let lead = lead.dims().unwrap_or_default();
    Ok(Some(spec_of(inputs.spec(0), lead, &[rows, columns]).shape))
}

/// What is known of solutions where the rank of one input is not: both have the same leading dimensions.
fn unstacked_solution(inputs: &Inputs<'_>) -> Result<PartialShape> {
    if let Some((lead, n)) = square(inputs, 0)? {
        return Ok(spec_of(inputs.spec(0), lead, &[n, Dim::UNKNOWN]).shape);
    }
    matrices(inputs, 1)?;
    Ok(inputs.shape(1).clone())
}

impl Op for MatrixSolve {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let (a, b) = (inputs.shape(0), inputs.shape(1));
        if let (Some(a_rank), Some(b_rank)) = (a.rank(), b.rank())
            && a_rank != b_rank
        {
            bail!(
                Shape,
                "All input tensors must have the same rank, got shapes {a} and {b}"
            );
        }
        if let (Some((a_lead, ..)), Some((b_lead, ..))) =
            (matrices(inputs, 0)?, matrices(inputs, 1)?)
        {
            let differ = a_lead.iter().zip(b_lead).any(|(a, b)| !a.is_compatible(*b));
            if differ {
                bail!(
                    Shape,
                    "leading dimensions must be equal, got shapes {a} and {b}"
                );
            }
        }
        let shape = match check_system(inputs)? {
            Some(shape) => shape,
            None => unstacked_solution(inputs)?,
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let (a, b) = (Stack::of(inputs.spec(0))?, Stack::of(inputs.spec(1))?);
        Ok(Lowered::Kernel(
            with_field!(inputs.dtype(0), T => solve_kernel::<T>(a, b, self.adjoint)),
        ))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let rhs = e.matrix_solve(&call.inputs[0], call.grad()?, !self.adjoint)?;
        let matrix = system_grad(e, &call.outputs[0], &rhs, self.adjoint)?;
        Ok(smallvec![Some(matrix.into()), Some(rhs.into())])
    }
    fn flops(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        solve_flops(inputs, outputs)
    }
}

fn solve_flops(inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
    let Ok(out) = Stack::of(&outputs[0]) else {
        return 0.0;
    };
    let n = Stack::of(inputs.spec(0)).map_or(0.0, |s| s.rows as f64);
    out.n as f64 * n * n * (n / 1.5 + 2.0 * out.columns as f64)
}

/// The gradient of the matrix of a system from its solution and the gradient of its right-hand side.
fn system_grad(e: &mut dyn Emitter, solution: &Val, rhs: &Val, adjoint: bool) -> Result<Val> {
    let product = match adjoint {
        true => e.batch_matmul(solution, rhs, false, true)?,
        false => e.batch_matmul(rhs, solution, false, true)?,
    };
    e.neg(&product)
}

fn solve_kernel<T: Field>(a: Stack, b: Stack, adjoint: bool) -> Kernel {
    Box::new(move |o| {
        if b.size() == 0 {
            return Ok(());
        }
        let (matrix, rhs) = (o.input::<T>(0), o.input::<T>(1));
        let n = a.rows as f64;
        let flops = n * n * (n / 1.5 + 2.0 * b.columns as f64);
        let found = each(a.n, cost(flops), |i| {
            let mut x = b.at(rhs, i).to_owned();
            if !solve(a.at(matrix, i).to_owned(), &mut x, adjoint) {
                bail!(InvalidArgument, "Input matrix is not invertible.");
            }
            Ok(x)
        })?;
        let output = o.output::<T>(0);
        for (i, x) in found.iter().enumerate() {
            write(b.at_mut(output, i), x.as_ref());
        }
        Ok(())
    })
}

/// Solves a system, or that of the adjoint, with the factors where the matrix is: small systems take longer to lay these out
/// apart than to solve. Says whether there is a solution.
fn solve<T: Field>(mut lu: Mat<T>, x: &mut Mat<T>, adjoint: bool) -> bool {
    let n = lu.nrows();
    let (mut forward, mut back) = (vec![0usize; n], vec![0usize; n]);
    let needs = [
        lu_in_place_scratch::<usize, T>(n, n, Par::Seq, Spec::default()),
        solve_in_place_scratch::<usize, T>(n, x.ncols(), Par::Seq),
        solve_transpose_in_place_scratch::<usize, T>(n, x.ncols(), Par::Seq),
    ];
    let mut memory = MemBuffer::new(StackReq::any_of(&needs));
    let stack = MemStack::new(&mut memory);
    let spec = Spec::default();
    let (_, order) = lu_in_place(lu.as_mut(), &mut forward, &mut back, Par::Seq, stack, spec);
    let (lu, x) = (lu.as_ref(), x.as_mut());
    if is_singular(lu) {
        return false;
    }
    match adjoint {
        true => solve_transpose_in_place_with_conj(lu, lu, order, Conj::Yes, x, Par::Seq, stack),
        false => solve_in_place_with_conj(lu, lu, order, Conj::No, x, Par::Seq, stack),
    }
    true
}

impl Op for MatrixTriangularSolve {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![match check_system(inputs)? {
            Some(shape) => TensorSpec::new(inputs.dtype(0), shape),
            None => open(inputs.spec(0)),
        }])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let system = Triangular {
            a: Stack::of(inputs.spec(0))?,
            b: Stack::of(inputs.spec(1))?,
            out: Stack::of(&outputs[0])?,
            offsets: broadcast_offsets(inputs, &outputs[0])?,
            lower: self.lower,
            adjoint: self.adjoint,
        };
        Ok(Lowered::Kernel(
            with_field!(inputs.dtype(0), T => system.kernel::<T>()),
        ))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (a, b) = (&call.inputs[0], &call.inputs[1]);
        let rhs = e.matrix_triangular_solve(a, call.grad()?, self.lower, !self.adjoint)?;
        let matrix = system_grad(e, &call.outputs[0], &rhs, self.adjoint)?;
        let matrix = match self.lower {
            true => e.band(&matrix, -1, 0)?,
            false => e.band(&matrix, 0, -1)?,
        };
        let matrix = e.unbroadcast_stack(&matrix, a)?;
        let rhs = e.unbroadcast_stack(&rhs, b)?;
        Ok(smallvec![Some(matrix.into()), Some(rhs.into())])
    }
    fn flops(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        solve_flops(inputs, outputs)
    }
}

struct Triangular {
    a: Stack,
    b: Stack,
    out: Stack,
    /// Which matrix and which right-hand side each solution is of.
    offsets: Vec<[usize; 2]>,
    lower: bool,
    adjoint: bool,
}

impl Triangular {
    fn kernel<T: Field>(self) -> Kernel {
        Box::new(move |o| {
            if self.out.size() == 0 {
                return Ok(());
            }
            let (matrix, rhs) = (o.input::<T>(0), o.input::<T>(1));
            let flops = (self.a.rows * self.out.size()) as f64;
            let found = each(self.out.n, cost(flops), |i| {
                let [a, b] = self.offsets[i];
                let mut x = self.b.at(rhs, b).to_owned();
                self.solve(self.a.at(matrix, a), &mut x);
                Ok(x)
            })?;
            let output = o.output::<T>(0);
            for (i, x) in found.iter().enumerate() {
                write(self.out.at_mut(output, i), x.as_ref());
            }
            Ok(())
        })
    }

    fn solve<T: Field>(&self, a: MatRef<'_, T>, x: &mut Mat<T>) {
        match (self.lower, self.adjoint) {
            (true, false) => a.solve_lower_triangular_in_place(x.as_mut()),
            (false, false) => a.solve_upper_triangular_in_place(x.as_mut()),
            (true, true) => a.adjoint().solve_upper_triangular_in_place(x.as_mut()),
            (false, true) => a.adjoint().solve_lower_triangular_in_place(x.as_mut()),
        }
    }
}
