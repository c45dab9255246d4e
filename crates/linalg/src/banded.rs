//! Matrices of few diagonals: what is solved by them, products with them, and the diagonals of products.
//!
//! A stack of matrices is `[..., k, n]`: row `d` holds the diagonal `upper - d` above the main one, each element at the
//! place of its row in the matrix. What has no place in the matrix does not count. Leading dimensions broadcast.

use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Operands, Specs, Val, VjpCall, declare, declared,
};
use ferrograph_tensor::{Dim, PartialShape, Result, TensorSpec, bail, vec_of};
use smallvec::smallvec;

use crate::banded_system::Band;
use crate::emit::*;
use crate::factor::broadcast_offsets;
use crate::field::{Field, with_field};
use crate::stack::{Stack, cost, each, matrices, open, spec_of};

declare! {
    trait EmitBanded;

    /// The `output` with `A @ output = rhs`, or with the adjoint of `A`, whose diagonals are `bands`. An error where it has
    /// no inverse.
    BandedSolve: banded_solve(bands: T in field, rhs: T) -> (output: T), gradient Vjp, batch Broadcasts {
        /// How many diagonals are above the main one; all but that one where negative.
        upper: i64 = 0,
        /// The system is that of the adjoint.
        adjoint: bool = false,
    };

    /// `A @ rhs`, or with the adjoint of `A`, whose diagonals are `bands`.
    BandedMatMul: banded_mat_mul(bands: T in field, rhs: T) -> (output: T), gradient Vjp, batch Broadcasts {
        /// How many diagonals are above the main one; all but that one where negative.
        upper: i64 = 0,
        /// The product is that of the adjoint.
        adjoint: bool = false,
    };

    /// As many diagonals of `left @ adjoint(right)` as `like` has.
    BandedOuter: banded_outer(left: T in field, right: T, like: T) -> (bands: T), gradient Vjp, batch Broadcasts {
        /// How many diagonals are above the main one; all but that one where negative.
        upper: i64 = 0,
    };
}

/// Checks that the main diagonal is among those in input `i`, with `upper` of them above.
fn check_upper(inputs: &Inputs<'_>, i: usize, upper: i64) -> Result<()> {
    let count = matrices(inputs, i)?.and_then(|(_, count, _)| count.known());
    let fits = |count: usize| usize::try_from(upper).is_ok_and(|upper| upper < count);
    if count.is_some_and(|count| count == 0 || (upper >= 0 && !fits(count))) {
        bail!(
            Shape,
            "the main diagonal must be among the bands: {upper} above it do not fit bands of shape {}",
            inputs.shape(i)
        );
    }
    Ok(())
}

/// The first of two sizes that is known.
fn known_of(a: Dim, b: Dim) -> Dim {
    if a.known().is_some() { a } else { b }
}

/// The shape of `rhs`, its leading dimensions those of both.
fn like_rhs(inputs: &Inputs<'_>, upper: i64) -> Result<Specs> {
    check_upper(inputs, 0, upper)?;
    let (Some((lead, _, n)), Some((of_rhs, rows, columns))) =
        (matrices(inputs, 0)?, matrices(inputs, 1)?)
    else {
        return Ok(smallvec![open(inputs.spec(0))]);
    };
    if !n.is_compatible(rows) {
        bail!(
            Shape,
            "bands and rhs are incompatible: shapes {} and {}",
            inputs.shape(0),
            inputs.shape(1)
        );
    }
    let lead = PartialShape::new(lead).broadcast(&PartialShape::new(of_rhs))?;
    let lead = lead.dims().unwrap_or_default();
    let rest = [known_of(n, rows), columns];
    Ok(smallvec![spec_of(inputs.spec(0), lead, &rest)])
}

/// What a kernel needs to know: where the elements are, and which matrices meet.
struct Meeting {
    band: Band,
    columns: usize,
    offsets: Vec<[usize; 2]>,
}

impl Meeting {
    fn new(
        inputs: &Inputs<'_>,
        output: &TensorSpec,
        bands: Stack,
        columns: usize,
        (upper, adjoint): (i64, bool),
    ) -> Result<Meeting> {
        let band = Band {
            n: bands.columns,
            count: bands.rows,
            upper: usize::try_from(upper).unwrap_or(bands.rows.saturating_sub(1)),
            adjoint,
        };
        let offsets = broadcast_offsets(inputs, output)?;
        Ok(Meeting {
            band,
            columns,
            offsets,
        })
    }

    /// A kernel that makes each matrix of the output from one of either input.
    fn kernel<T: Field>(
        self,
        sizes: [usize; 2],
        one: impl Fn(&Band, usize, &[T], &[T]) -> Result<Vec<T>> + Send + Sync + 'static,
    ) -> Kernel {
        Box::new(move |o: &mut Operands<'_>| {
            if o.output::<T>(0).is_empty() {
                return Ok(());
            }
            let (left, right) = (o.input::<T>(0), o.input::<T>(1));
            let flops = (self.band.size() * self.columns * 4) as f64;
            let found = each(self.offsets.len(), cost(flops), |i| {
                let [a, b] = self.offsets[i];
                let left = &left[a * sizes[0]..(a + 1) * sizes[0]];
                let right = &right[b * sizes[1]..(b + 1) * sizes[1]];
                one(&self.band, self.columns, left, right)
            })?;
            let output = o.output::<T>(0);
            for (to, from) in output.chunks_mut(output.len() / found.len()).zip(&found) {
                to.copy_from_slice(from);
            }
            Ok(())
        })
    }
}

/// What is made of one matrix of either input, the second one of so many columns.
type One<T> = fn(&Band, usize, &[T], &[T]) -> Result<Vec<T>>;

/// The kernel of an operation on bands (input 0) and right-hand sides (input 1).
fn on_rhs<T: Field>(
    inputs: &Inputs<'_>,
    output: &TensorSpec,
    attrs: (i64, bool),
    one: One<T>,
) -> Result<Lowered> {
    let (bands, rhs) = (Stack::of(inputs.spec(0))?, Stack::of(inputs.spec(1))?);
    let meeting = Meeting::new(inputs, output, bands, rhs.columns, attrs)?;
    Ok(Lowered::Kernel(
        meeting.kernel([bands.size(), rhs.size()], one),
    ))
}

fn solution<T: Field>(band: &Band, columns: usize, bands: &[T], rhs: &[T]) -> Result<Vec<T>> {
    let mut x = rhs.to_vec();
    if band.solve(bands, &mut x, columns).is_none() {
        bail!(InvalidArgument, "Input matrix is not invertible.");
    }
    Ok(x)
}

fn product<T: Field>(band: &Band, columns: usize, bands: &[T], rhs: &[T]) -> Result<Vec<T>> {
    let mut out = vec_of(T::of_real(0.0), rhs.len())?;
    band.multiply(bands, rhs, columns, &mut out);
    Ok(out)
}

fn outer<T: Field>(band: &Band, columns: usize, left: &[T], right: &[T]) -> Result<Vec<T>> {
    let mut out = vec_of(T::of_real(0.0), band.size())?;
    for d in 0..band.count {
        for i in 0..band.n {
            let Some(j) = band.column(d, i) else { continue };
            let (x, y) = (
                &left[i * columns..(i + 1) * columns],
                &right[j * columns..(j + 1) * columns],
            );
            let terms = x.iter().zip(y).map(|(x, y)| *x * y.conjugate());
            out[d * band.n + i] = terms.fold(T::of_real(0.0), |sum, x| sum + x);
        }
    }
    Ok(out)
}

/// The gradient of bands: of `left @ adjoint(right)`, or of its adjoint.
fn of_bands(
    e: &mut dyn Emitter,
    bands: &Val,
    sides: [&Val; 2],
    (upper, adjoint): (i64, bool),
) -> Result<Val> {
    let [left, right] = sides;
    let (left, right) = if adjoint {
        (right, left)
    } else {
        (left, right)
    };
    let grad = e.banded_outer(left, right, bands, upper)?;
    e.unbroadcast_stack(&grad, bands)
}

impl Op for BandedSolve {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        like_rhs(inputs, self.upper)
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let attrs = (self.upper, self.adjoint);
        with_field!(inputs.dtype(0), T => on_rhs::<T>(inputs, &outputs[0], attrs, solution))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (bands, rhs) = (&call.inputs[0], &call.inputs[1]);
        let grad = e.banded_solve(bands, call.grad()?, self.upper, !self.adjoint)?;
        let sides = [&grad, &call.outputs[0]];
        let of_bands = of_bands(e, bands, sides, (self.upper, self.adjoint))?;
        let of_bands = e.neg(&of_bands)?;
        let grad = e.unbroadcast_stack(&grad, rhs)?;
        Ok(smallvec![Some(of_bands.into()), Some(grad.into())])
    }
}

impl Op for BandedMatMul {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        like_rhs(inputs, self.upper)
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let attrs = (self.upper, self.adjoint);
        with_field!(inputs.dtype(0), T => on_rhs::<T>(inputs, &outputs[0], attrs, product))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (bands, rhs, grad) = (&call.inputs[0], &call.inputs[1], call.grad()?);
        let of_rhs = e.banded_mat_mul(bands, grad, self.upper, !self.adjoint)?;
        let of_bands = of_bands(e, bands, [grad, rhs], (self.upper, self.adjoint))?;
        let of_rhs = e.unbroadcast_stack(&of_rhs, rhs)?;
        Ok(smallvec![Some(of_bands.into()), Some(of_rhs.into())])
    }
}

impl Op for BandedOuter {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check_upper(inputs, 2, self.upper)?;
        let (Some((lead, rows, columns)), Some((other, n, width)), Some((_, count, _))) = (
            matrices(inputs, 0)?,
            matrices(inputs, 1)?,
            matrices(inputs, 2)?,
        ) else {
            return Ok(smallvec![open(inputs.spec(0))]);
        };
        if !(rows.is_compatible(n) && columns.is_compatible(width)) {
            bail!(
                Shape,
                "left and right must have matrices of one shape, got shapes {} and {}",
                inputs.shape(0),
                inputs.shape(1)
            );
        }
        let lead = PartialShape::new(lead).broadcast(&PartialShape::new(other))?;
        let lead = lead.dims().unwrap_or_default();
        let rest = [count, known_of(rows, n)];
        Ok(smallvec![spec_of(inputs.spec(0), lead, &rest)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (bands, left) = (Stack::of(&outputs[0])?, Stack::of(inputs.spec(0))?);
        let attrs = (self.upper, false);
        let meeting = Meeting::new(inputs, &outputs[0], bands, left.columns, attrs)?;
        let sizes = [left.size(); 2];
        Ok(Lowered::Kernel(
            with_field!(inputs.dtype(0), T => meeting.kernel::<T>(sizes, outer)),
        ))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (left, right, grad) = (&call.inputs[0], &call.inputs[1], call.grad()?);
        let of_left = e.banded_mat_mul(grad, right, self.upper, false)?;
        let of_right = e.banded_mat_mul(grad, left, self.upper, true)?;
        let of_left = e.unbroadcast_stack(&of_left, left)?;
        let of_right = e.unbroadcast_stack(&of_right, right)?;
        Ok(smallvec![Some(of_left.into()), Some(of_right.into()), None])
    }
}
