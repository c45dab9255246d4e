//! Combining the rows of a tensor that carry the same id.

use crate::args::{expect_numbers, scalar};
use crate::emit::*;
use crate::gather::position_text;
use crate::movement::{index_input, static_shape};
use crate::number::{Merge, Number, merge};
use crate::scatter::behind;
use crate::slice::span;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Lowered, Op, Specs, Val, VjpCall, declare_family, of_family,
};
use ferrograph_kernels::movement::{Indices, fill, scatter_in_any_order, scatter_rows};
use ferrograph_tensor::{DType, Dim, Element, Result, TensorSpec, bail, err, with_element};
use smallvec::smallvec;

/// How the rows of a segment combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// Their sum.
    Sum,
    /// Their mean.
    Mean,
    /// Their product.
    Prod,
    /// The greatest.
    Max,
    /// The least.
    Min,
}

impl Combine {
    pub(crate) fn function<T: Number>(self) -> Merge<T> {
        match self {
            Combine::Sum | Combine::Mean => merge!(T::plus),
            Combine::Prod => merge!(T::times),
            Combine::Max => merge!(T::greater),
            Combine::Min => merge!(T::lesser),
        }
    }

    pub(crate) fn identity<T: Number>(self) -> T {
        match self {
            Combine::Sum | Combine::Mean => T::default(),
            Combine::Prod => T::one(),
            Combine::Max => T::lowest(),
            Combine::Min => T::highest(),
        }
    }
}

/// Checks that no id reaches `n`; `dims` is their shape.
pub(crate) fn check_ids(ids: Indices<'_>, n: usize, dims: &[usize]) -> Result<()> {
    if !ids.reach(n) {
        return Ok(());
    }
    let beyond = |id: &i64| usize::try_from(*id).is_ok_and(|id| id >= n);
    match ids.iter().enumerate().find(|(_, id)| beyond(id)) {
        None => Ok(()),
        Some((i, id)) => Err(err!(
            InvalidArgument,
            "segment_ids{} = {id} is not in [0, {n})",
            position_text(i, dims)
        )),
    }
}

/// Combines rows of `inner` elements into `out`, which holds where to start from; those of negative id are left out.
pub(crate) fn combine_rows<T: Element>(
    data: &[T],
    inner: usize,
    ids: Indices<'_>,
    out: &mut [T],
    f: Merge<T>,
) {
    scatter_rows(data, inner, &|at, rows| ids.places(at, rows), out, f);
}

declare_family! {
    trait EmitUnsortedSegment;

    /// Rows of `data` combined by the ids `segment_ids` into `num_segments` rows; those of negative id are dropped.
    UnsortedSegment {
        /// How.
        combine: Combine,
    } (
        data: T in numeric, segment_ids: Tindices in index, num_segments: Tnumsegments in index rank 0
    ) -> (output: T) {};

    /// The sum of the rows of each id.
    UnsortedSegmentSum: unsorted_segment_sum, gradient Vjp, batch Rule { combine: Combine::Sum };
    /// The product of the rows of each id.
    UnsortedSegmentProd: unsorted_segment_prod, gradient Vjp, batch Rule { combine: Combine::Prod };
    /// The greatest elements of the rows of each id.
    UnsortedSegmentMax: unsorted_segment_max, gradient Vjp, batch Rule { combine: Combine::Max };
    /// The least elements of the rows of each id.
    UnsortedSegmentMin: unsorted_segment_min, gradient Vjp, batch Rule { combine: Combine::Min };
}

impl Op for UnsortedSegment {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let ordered = matches!(self.combine, Combine::Max | Combine::Min);
        expect_numbers(inputs, 0, "data", ordered)?;
        let n = match scalar(inputs, 2) {
            Some(n) if n < 0 => bail!(Shape, "num_segments must not be negative, got {n}"),
            n => Dim::from(n.and_then(|n| usize::try_from(n).ok())),
        };
        let shape = behind(inputs.shape(0), inputs.shape(1), n)?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (out, ids) = (static_shape(&outputs[0])?, static_shape(inputs.spec(1))?);
        let inner: usize = out[1..].iter().product();
        let index = inputs.dtype(1);
        let in_any_order = inputs.dtype(0).is_integer();
        with_element!(inputs.dtype(0), numeric, T => {
            let (f, start) = (self.combine.function::<T>(), self.combine.identity::<T>());
            Ok(Lowered::Kernel(Box::new(move |operands| {
                let at = index_input(operands, 1, index);
                check_ids(at, out[0], &ids)?;
                let data = operands.input::<T>(0);
                let to = operands.output::<T>(0);
                fill(&start, to);
                if inner == 1 && in_any_order {
                    let rows = |first, rows: &mut [usize]| at.places(first, rows);
                    scatter_in_any_order(data, &rows, to, f, start);
                } else {
                    combine_rows(data, inner, at, to, f);
                }
                Ok(())
            })))
        }, else => Ok(Lowered::Eval))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = match self.combine {
            Combine::Sum | Combine::Mean => gather_kept(e, call.grad()?, &call.inputs[1])?,
            Combine::Prod => prod_grad(e, call)?,
            Combine::Max | Combine::Min => extremum_grad(e, call)?,
        };
        Ok(smallvec![Some(grad.into()), None, None])
    }
}

/// The rows of `x` at `ids`, zeros where an id is negative.
pub(crate) fn gather_kept(e: &mut dyn Emitter, x: &Val, ids: &Val) -> Result<Val> {
    let zero = e.scalar(0.0, ids.dtype())?;
    let axis = e.scalar(0.0, DType::Int32)?;
    let clipped = e.maximum(ids, &zero)?;
    let rows = e.gather_v2(x, &clipped, &axis, 0)?;
    let kept = e.greater_equal(ids, &zero)?;
    // A mask of the ids' shape, with axes of size 1 for those behind.
    let ids_shape = e.shape_of(ids)?;
    let rows_shape = e.shape_of(&rows)?;
    let n_ids = e.size(&ids_shape, DType::Int32)?;
    let vector = e.int_vector(&[1])?;
    let begin = e.reshape(&n_ids, &vector)?;
    let behind = span(e, &rows_shape, &begin, None)?;
    let ones = e.ones_like(&behind)?;
    let shape = e.concat_v2(&[ids_shape, ones], &axis)?;
    let mask = e.reshape(&kept, &shape)?;
    let zeros = e.zeros_like(&rows)?;
    e.select(&mask, &rows, &zeros)
}

/// The gradient of the greatest or least of segments: shared evenly by all rows that are equal to it.
pub(crate) fn extremum_grad(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Val> {
    let [data, ids, n] = call.all()?;
    let grad = call.grad()?;
    let chosen = gather_kept(e, &call.outputs[0], ids)?;
    let equal = e.equal(data, &chosen, true)?;
    let equal = e.cast(&equal, grad.dtype())?;
    let count = e.unsorted_segment_sum(&equal, ids, n)?;
    let share = e.div_no_nan(grad, &count)?;
    let share = gather_kept(e, &share, ids)?;
    e.mul(&equal, &share)
}

/// The gradient of products of segments, right where rows are zero too.
pub(crate) fn prod_grad(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Val> {
    let [data, ids, n] = call.all()?;
    let (zeros, ones) = (e.zeros_like(data)?, e.ones_like(data)?);
    let is_zero = e.equal(data, &zeros, true)?;
    let nonzero = e.select(&is_zero, &ones, data)?;
    let others = e.unsorted_segment_prod(&nonzero, ids, n)?;
    let zero_count = e.cast(&is_zero, data.dtype())?;
    let n_zeros = e.unsorted_segment_sum(&zero_count, ids, n)?;
    let others = gather_kept(e, &others, ids)?;
    let n_zeros = gather_kept(e, &n_zeros, ids)?;
    let other_zeros = e.sub(&n_zeros, &zero_count)?;
    let rest = e.div(&others, &nonzero)?;
    let alone = e.equal(&other_zeros, &zeros, true)?;
    let rest = e.select(&alone, &rest, &zeros)?;
    let grad = gather_kept(e, call.grad()?, ids)?;
    e.mul(&grad, &rest)
}
