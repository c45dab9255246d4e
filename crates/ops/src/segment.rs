//! Combining the rows of a tensor that carry the same id.

use crate::args::{expect_index, expect_numbers, expect_rank, scalar};
use crate::emit::*;
use crate::gather::position_text;
use crate::movement::{index_input, static_shape};
use crate::number::Number;
use crate::scatter::behind;
use ferrograph_graph::{
    Differentiability, Emitter, Grads, Inputs, Kernel, Op, OpRef, Registry, Runner, Specs, Tensors,
    Val, VjpCall, op_object,
};
use ferrograph_kernels::movement::{Indices, fill, scatter_rows};
use ferrograph_tensor::{
    DType, Dim, Element, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err, with_element,
};
use smallvec::smallvec;
use std::sync::Arc;

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
    fn function<T: Number>(self) -> fn(T, T) -> T {
        match self {
            Combine::Sum | Combine::Mean => Number::plus,
            Combine::Prod => Number::times,
            Combine::Max => Number::greater,
            Combine::Min => Number::lesser,
        }
    }

    fn identity<T: Number>(self) -> T {
        match self {
            Combine::Sum | Combine::Mean => T::default(),
            Combine::Prod => T::one(),
            Combine::Max => T::lowest(),
            Combine::Min => T::highest(),
        }
    }
}

/// Checks that no id reaches `n`; `dims` is their shape.
fn check_ids(ids: Indices<'_>, n: usize, dims: &[usize]) -> Result<()> {
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
fn combine_rows<T: Element>(
    data: &[T],
    inner: usize,
    ids: Indices<'_>,
    out: &mut [T],
    f: fn(T, T) -> T,
) {
    let row = |i| usize::try_from(ids.get(i)).ok();
    scatter_rows(data, inner, row, out, |to, x| *to = f(*to, *x));
}

/// Rows of input 0 combined by the ids input 1 into as many rows as input 2 says; rows of negative id are dropped.
#[derive(Debug)]
pub struct UnsortedSegment {
    /// How.
    pub combine: Combine,
}

impl Op for UnsortedSegment {
    op_object!();
    fn name(&self) -> &'static str {
        match self.combine {
            Combine::Sum | Combine::Mean => "UnsortedSegmentSum",
            Combine::Prod => "UnsortedSegmentProd",
            Combine::Max => "UnsortedSegmentMax",
            Combine::Min => "UnsortedSegmentMin",
        }
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(3)?;
        expect_index(inputs, 1, "segment_ids")?;
        expect_index(inputs, 2, "num_segments")?;
        expect_rank(inputs, 2, 0, "num_segments")?;
        let ordered = matches!(self.combine, Combine::Max | Combine::Min);
        expect_numbers(inputs, 0, "data", ordered)?;
        let n = match scalar(inputs, 2) {
            Some(n) if n < 0 => bail!(Shape, "num_segments must not be negative, got {n}"),
            n => Dim::from(n.and_then(|n| usize::try_from(n).ok())),
        };
        let shape = behind(inputs.shape(0), inputs.shape(1), n)?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        if !outputs[0].shape.is_static() {
            return Ok(None);
        }
        let (out, ids) = (static_shape(&outputs[0])?, static_shape(inputs.spec(1))?);
        let inner: usize = out[1..].iter().product();
        let index = inputs.dtype(1);
        with_element!(inputs.dtype(0), numeric, T => {
            let (f, start) = (self.combine.function::<T>(), self.combine.identity::<T>());
            Ok(Some(Box::new(move |operands| {
                let at = index_input(operands, 1, index);
                check_ids(at, out[0], &ids)?;
                let data = operands.input::<T>(0);
                let to = operands.output::<T>(0);
                fill(&start, to);
                combine_rows(data, inner, at, to, f);
                Ok(())
            })))
        }, else => Ok(None))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
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
fn gather_kept(e: &mut dyn Emitter, x: &Val, ids: &Val) -> Result<Val> {
    let zero = e.scalar(0.0, ids.dtype())?;
    let axis = e.scalar(0.0, DType::Int32)?;
    let clipped = e.op("Maximum", &[ids, &zero], vec![])?;
    let rows = e.op("GatherV2", &[x, &clipped, &axis], vec![])?;
    let kept = e.op("GreaterEqual", &[ids, &zero], vec![])?;
    let kept = e.cast(&kept, DType::Int32)?;
    // A mask of the ids' shape, with axes of size 1 for those behind.
    let ids_shape = e.shape_of(ids)?;
    let rows_shape = e.shape_of(&rows)?;
    let n_ids = e.op("Size", &[&ids_shape], vec![])?;
    let one = e.int_vector(&[1])?;
    let vector = e.int_vector(&[1])?;
    let begin = e.reshape(&n_ids, &vector)?;
    let behind = e.op(
        "StridedSlice",
        &[&rows_shape, &begin, &one, &one],
        vec![("end_mask", ferrograph_graph::Attr::Int(1))],
    )?;
    let ones = e.ones_like(&behind)?;
    let shape = e.op("ConcatV2", &[&ids_shape, &ones, &axis], vec![])?;
    let mask = e.reshape(&kept, &shape)?;
    let mask = e.op(
        "Cast",
        &[&mask],
        vec![("DstT", ferrograph_graph::Attr::DType(DType::Bool))],
    )?;
    let zeros = e.zeros_like(&rows)?;
    e.select(&mask, &rows, &zeros)
}

/// The gradient of the greatest or least of segments: shared evenly by all rows that are equal to it.
fn extremum_grad(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Val> {
    let [data, ids, n] = call.inputs else {
        bail!(
            Internal,
            "a segment reduction has {} inputs",
            call.inputs.len()
        );
    };
    let grad = call.grad()?;
    let chosen = gather_kept(e, &call.outputs[0], ids)?;
    let equal = e.op("Equal", &[data, &chosen], vec![])?;
    let equal = e.cast(&equal, grad.dtype())?;
    let count = e.op("UnsortedSegmentSum", &[&equal, ids, n], vec![])?;
    let share = e.op("DivNoNan", &[grad, &count], vec![])?;
    let share = gather_kept(e, &share, ids)?;
    e.mul(&equal, &share)
}

/// The gradient of products of segments, right where rows are zero too.
fn prod_grad(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Val> {
    let [data, ids, n] = call.inputs else {
        bail!(
            Internal,
            "a segment reduction has {} inputs",
            call.inputs.len()
        );
    };
    let (zeros, ones) = (e.zeros_like(data)?, e.ones_like(data)?);
    let is_zero = e.op("Equal", &[data, &zeros], vec![])?;
    let nonzero = e.select(&is_zero, &ones, data)?;
    let others = e.op("UnsortedSegmentProd", &[&nonzero, ids, n], vec![])?;
    let zero_count = e.cast(&is_zero, data.dtype())?;
    let n_zeros = e.op("UnsortedSegmentSum", &[&zero_count, ids, n], vec![])?;
    let others = gather_kept(e, &others, ids)?;
    let n_zeros = gather_kept(e, &n_zeros, ids)?;
    let other_zeros = e.sub(&n_zeros, &zero_count)?;
    let rest = e.div(&others, &nonzero)?;
    let alone = e.op("Equal", &[&other_zeros, &zeros], vec![])?;
    let rest = e.select(&alone, &rest, &zeros)?;
    let grad = gather_kept(e, call.grad()?, ids)?;
    e.mul(&grad, &rest)
}

/// Rows of input 0 combined by the ids input 1, which do not decrease; there are as many rows as the last id says.
#[derive(Debug)]
pub struct Segment {
    /// How.
    pub combine: Combine,
}

impl Segment {
    fn reduce<T: Number>(&self, data: &Tensor, ids: &[i64], n: usize) -> Result<Tensor> {
        let mut dims = data.shape().clone().into_dims();
        dims[0] = n;
        let mut out = Tensor::empty(data.dtype(), Shape::from(dims))?;
        let inner: usize = data.shape()[1..].iter().product();
        let at = Indices::Wide(ids);
        check_ids(at, n, &[ids.len()])?;
        let elements = out.as_mut_slice::<T>()?;
        elements.fill(self.combine.identity());
        combine_rows(
            data.as_slice::<T>()?,
            inner,
            at,
            elements,
            self.combine.function::<T>(),
        );
        let mut counts = vec![0usize; n];
        let rows = at.iter().filter_map(|id| usize::try_from(id).ok());
        rows.for_each(|row| counts[row] += 1);
        if inner > 0 {
            for (row, &count) in elements.chunks_exact_mut(inner).zip(&counts) {
                if count == 0 && self.combine != Combine::Prod {
                    row.fill(T::default());
                } else if self.combine == Combine::Mean {
                    row.iter_mut().for_each(|x| *x = x.over(count));
                }
            }
        }
        Ok(out)
    }
}

impl Op for Segment {
    op_object!();
    fn name(&self) -> &'static str {
        match self.combine {
            Combine::Sum => "SegmentSum",
            Combine::Mean => "SegmentMean",
            Combine::Prod => "SegmentProd",
            Combine::Max => "SegmentMax",
            Combine::Min => "SegmentMin",
        }
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        expect_index(inputs, 1, "segment_ids")?;
        expect_rank(inputs, 1, 1, "segment_ids")?;
        let ordered = matches!(self.combine, Combine::Max | Combine::Min);
        expect_numbers(inputs, 0, "data", ordered)?;
        let ids = inputs.shape(1).merge(&PartialShape::of_rank(1))?;
        let shape = behind(inputs.shape(0), &ids, Dim::UNKNOWN)?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        crate::args::checked(self, inputs)?;
        let ids = inputs[1].to_i64s()?;
        if let Some(i) = (1..ids.len()).find(|&i| ids[i] < ids[i - 1]) {
            bail!(
                InvalidArgument,
                "segment_ids[{i}] = {} is less than the one before it",
                ids[i]
            );
        }
        if let Some(first) = ids.first().filter(|id| **id < 0) {
            bail!(InvalidArgument, "segment_ids[0] = {first} is negative");
        }
        let n = ids
            .last()
            .map_or(Some(0), |&id| usize::try_from(id).ok()?.checked_add(1));
        let n = n.ok_or_else(|| err!(InvalidArgument, "segment_ids are too large"))?;
        let out = with_element!(inputs[0].dtype(), numeric, T => self.reduce::<T>(&inputs[0], &ids, n)?,
            else => bail!(DType, "data must be numbers, got {}", inputs[0].spec()));
        Ok(smallvec![out])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = call.grad()?;
        let (data, ids, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let shape = e.op("Shape", &[out], vec![])?;
        let (zero, one) = (e.int_vector(&[0])?, e.int_vector(&[1])?);
        let shrink = vec![("shrink_axis_mask", ferrograph_graph::Attr::Int(1))];
        let n = e.op("StridedSlice", &[&shape, &zero, &one, &one], shrink)?;
        // The rows fall into the same segments as in the unsorted operations, whose rules serve here.
        let inputs = [data.clone(), ids.clone(), n];
        let call = VjpCall {
            inputs: &inputs,
            outputs: call.outputs,
            grads: call.grads,
            needs: &[true, false, false],
        };
        let grad = match self.combine {
            Combine::Sum => gather_kept(e, grad, ids)?,
            Combine::Mean => {
                let ones = e.ones_like(data)?;
                let counts = e.op("SegmentSum", &[&ones, ids], vec![])?;
                let share = e.op("DivNoNan", &[grad, &counts], vec![])?;
                gather_kept(e, &share, ids)?
            }
            Combine::Prod => prod_grad(e, &call)?,
            Combine::Max | Combine::Min => extremum_grad(e, &call)?,
        };
        Ok(smallvec![Some(grad.into()), None])
    }
}

pub(crate) fn register(r: &mut Registry) {
    r.add("UnsortedSegmentSum", |_| unsorted(Combine::Sum));
    r.add("UnsortedSegmentProd", |_| unsorted(Combine::Prod));
    r.add("UnsortedSegmentMax", |_| unsorted(Combine::Max));
    r.add("UnsortedSegmentMin", |_| unsorted(Combine::Min));
    r.add("SegmentSum", |_| sorted(Combine::Sum));
    r.add("SegmentMean", |_| sorted(Combine::Mean));
    r.add("SegmentProd", |_| sorted(Combine::Prod));
    r.add("SegmentMax", |_| sorted(Combine::Max));
    r.add("SegmentMin", |_| sorted(Combine::Min));
}

fn unsorted(combine: Combine) -> Result<OpRef> {
    Ok(Arc::new(UnsortedSegment { combine }))
}

fn sorted(combine: Combine) -> Result<OpRef> {
    Ok(Arc::new(Segment { combine }))
}
