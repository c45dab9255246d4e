//! Elements by truth: where they are, and rows of two tensors by it.

use crate::emit::*;
use crate::movement::{Io, Moving, Rearrange, moving, static_shape};
use ferrograph_graph::{
    Emitter, Grads, Inputs, Op, Runner, Specs, Tensors, Val, VjpCall, declare, declared,
};
use ferrograph_kernels::movement::{Truths, merge_by};
use ferrograph_tensor::{
    DType, Dim, PartialShape, Result, Tensor, TensorSpec, bail, err, with_element,
};
use smallvec::smallvec;

declare! {
    trait EmitWhere;

    /// The coordinates of the true or nonzero elements of `input`, one a row.
    Where: where_true(input: T in dense) -> (index: int64), gradient Stops;

    /// Rows, the next one of `yes` for each truth in `condition`, the next one of `no` otherwise.
    MergeRows: merge_rows(condition: bool rank 1, yes: T in stored, no: T) -> (output: T), gradient Vjp;
}

impl Op for Where {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = PartialShape::new(&[Dim::UNKNOWN, inputs.shape(0).rank().into()]);
        Ok(smallvec![TensorSpec::new(DType::Int64, shape)])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let t = &inputs[0];
        let truths = match t.dtype() {
            DType::Bool => Truths::of(t.as_slice()?),
            _ => with_element!(t.dtype(), dense, T => Truths::nonzero(t.as_slice::<T>()?),
                else => return Err(err!(DType, "condition must be bool or a number, got {}", t.spec()))),
        };
        let mut out = Tensor::empty(DType::Int64, [truths.count(), t.rank()].into())?;
        truths.coordinates(t.shape(), out.as_mut_slice()?);
        Ok(smallvec![out])
    }
}

/// How many rows there are by a shape, and what shape they have.
fn rows_of(name: &str, shape: &PartialShape) -> Result<(Dim, PartialShape)> {
    match shape.dims().map(|dims| dims.split_first()) {
        None => Ok((Dim::UNKNOWN, PartialShape::UNKNOWN)),
        Some(Some((n, row))) => Ok((*n, PartialShape::new(row))),
        Some(None) => bail!(Shape, "{name} must have rank 1 at least, got a scalar"),
    }
}

/// Row numbers for which a vector holds.
fn numbers(e: &mut dyn Emitter, holds: &Val) -> Result<Val> {
    let (places, flat) = (e.where_true(holds)?, e.int_vector(&[-1])?);
    e.reshape(&places, &flat)
}

impl Op for MergeRows {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let (yes, row) = rows_of("yes", inputs.shape(1))?;
        let (no, other) = rows_of("no", inputs.shape(2))?;
        let Ok(row) = row.merge(&other) else {
            bail!(Shape, "rows of yes have shape {row}, those of no {other}");
        };
        let n = inputs.shape(0).dim(0);
        if let (Some(yes), Some(no), Some(n)) = (yes.known(), no.known(), n.known())
            && yes.checked_add(no) != Some(n)
        {
            bail!(Shape, "{yes} rows of yes and {no} of no do not make {n}");
        }
        let shape = match row.dims() {
            Some(row) => std::iter::once(n).chain(row.iter().copied()).collect(),
            None => PartialShape::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(1), shape)])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (grad, condition) = (call.grad()?, &call.inputs[0]);
        let (axis, not) = (e.scalar(0.0, DType::Int32)?, e.logical_not(condition)?);
        let (yes, no) = (numbers(e, condition)?, numbers(e, &not)?);
        let yes = e.gather_v2(grad, &yes, &axis, 0)?;
        let no = e.gather_v2(grad, &no, &axis, 0)?;
        Ok(smallvec![None, Some(yes.into()), Some(no.into())])
    }
}

/// Bound to how many rows of each there are, and elements in one.
pub(crate) struct Merged {
    yes: usize,
    no: usize,
    inner: usize,
}

impl Rearrange for Merged {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let (condition, yes, no) = (io.truths(0), io.input(1), io.input(2));
        let truths = Truths::of(condition);
        let holds = truths.count();
        if (holds, condition.len() - holds) != (self.yes, self.no) {
            bail!(
                InvalidArgument,
                "condition holds for {holds} of {} rows, but yes has {} and no {}",
                condition.len(),
                self.yes,
                self.no
            );
        }
        merge_by(&truths, yes, no, self.inner, io.output(0));
        Ok(())
    }
}

impl Moving for MergeRows {
    type Bound = Merged;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Merged>> {
        let rows = |i| Ok(static_shape(inputs.spec(i))?[0]);
        let row = &static_shape(&outputs[0])?[1..];
        Ok(Some(Merged {
            yes: rows(1)?,
            no: rows(2)?,
            inner: row.iter().product(),
        }))
    }
    fn data(&self) -> usize {
        1
    }
}
