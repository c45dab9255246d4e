//! Writing elements and slices by index.

use crate::emit::*;
use crate::gather::Tuples;
use crate::movement::{Io, Moving, Rearrange, index_input, indices_of, moving, static_shape};
use crate::number::{Merge, Number, merge};
use crate::slice::span;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Runner, Specs, Tensors, Val, VjpCall, declare,
    declared,
};
use ferrograph_kernels::movement::{copy, fill, put_rows, scatter_rows};
use ferrograph_tensor::{
    Bytes, DType, Dim, Element, PartialShape, Result, Shape, Tensor, TensorSpec, bail, vec_of,
    with_element,
};
use smallvec::smallvec;

declare! {
    trait EmitScatter;

    /// Zeros of the shape `shape` to which `updates` are added at the index tuples `indices`; strings are joined.
    ScatterNd: scatter_nd(indices: Tindices in index, updates: T in plain, shape: _ in index rank 1)
        -> (output: T), gradient Vjp, batch Rule;

    /// `tensor` with the slices at the index tuples `indices` replaced by `updates`; the last one wins.
    TensorScatterUpdate: tensor_scatter_update(tensor: T, indices: Tindices in index, updates: T)
        -> (output: T), gradient Vjp, batch Rule;
}

/// Checks that updates have a slice of `shape` for each tuple in `indices`.
fn check_updates(
    shape: &PartialShape,
    indices: &PartialShape,
    updates: &PartialShape,
) -> Result<()> {
    let Some(dims) = indices.dims() else {
        return Ok(());
    };
    let Some((depth, lead)) = dims.split_last() else {
        bail!(Shape, "indices must have rank 1 at least, got a scalar");
    };
    let (Some(depth), Some(shape_dims)) = (depth.known(), shape.dims()) else {
        return Ok(());
    };
    if depth > shape_dims.len() {
        bail!(
            Shape,
            "index tuples of {depth} for a tensor of shape {shape}"
        );
    }
    let wanted: PartialShape = lead.iter().chain(&shape_dims[depth..]).copied().collect();
    if !wanted.is_compatible(updates) {
        bail!(
            Shape,
            "updates must have shape {wanted} for indices of shape {indices} and a tensor of shape {shape}, got {updates}"
        );
    }
    Ok(())
}

impl Op for ScatterNd {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if let Some(known) = inputs.known(2)
            && let Some(d) = known.iter().flatten().find(|d| **d < 0)
        {
            bail!(Shape, "shape holds {d}, which is no size");
        }
        let shape = inputs.shape_value(2);
        check_updates(&shape, inputs.shape(0), inputs.shape(1))?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(1), shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (shape, at) = (static_shape(&outputs[0])?, static_shape(inputs.spec(0))?);
        let index = inputs.dtype(0);
        let tuples = Tuples::new(&shape, &at, index)?;
        if inputs.dtype(1) == DType::Bool {
            return Ok(scatter_fresh::<bool>(tuples, index, merge!(|a, b| a | b)));
        }
        with_element!(inputs.dtype(1), numeric, T => Ok(scatter_fresh::<T>(tuples, index, merge!(T::plus))),
            else => Ok(Lowered::Eval))
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let shape: Vec<usize> = inputs[2].to_i64s()?.iter().map(|&d| d as usize).collect();
        let shape = Shape::from(&shape[..]);
        let tuples = Tuples::new(&shape, inputs[0].shape(), inputs[0].dtype())?;
        let rows = tuples.checked_rows(indices_of(&inputs[0])?)?;
        let mut out = vec_of(Bytes::from(&b""[..]), shape.checked_count()?)?;
        let rows = |at, to: &mut [usize]| rows.places(at, to);
        let updates = inputs[1].as_strings()?;
        scatter_rows(updates, tuples.inner, &rows, &mut out, join_rows);
        Ok(smallvec![Tensor::from_strings(shape, out)?])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = e.gather_nd(call.grad()?, &call.inputs[0])?;
        Ok(smallvec![None, Some(grad.into()), None])
    }
}

/// Puts each row of strings behind what is there.
fn join_rows(out: &mut [Bytes], inner: usize, rows: &[usize], updates: &[Bytes]) {
    let n = out.len() / inner;
    for (&row, update) in rows.iter().zip(updates.chunks_exact(inner)) {
        if row >= n {
            continue;
        }
        for (to, text) in out[row * inner..][..inner].iter_mut().zip(update) {
            *to = match to.is_empty() {
                true => text.clone(),
                false => [&to[..], &text[..]].concat().into(),
            };
        }
    }
}

fn scatter_fresh<T: Element>(tuples: Tuples, index: DType, combine: Merge<T>) -> Lowered {
    let kernel: Kernel = Box::new(move |operands| {
        let rows = tuples.checked_rows(index_input(operands, 0, index))?;
        let updates = operands.input::<T>(1);
        let out = operands.output::<T>(0);
        fill(&T::default(), out);
        let rows = |at, to: &mut [usize]| rows.places(at, to);
        scatter_rows(updates, tuples.inner, &rows, out, combine);
        Ok(())
    });
    Lowered::Kernel(kernel)
}

/// The spec of tensor input 0 with slices at index tuples input 1 changed by updates input 2.
pub(crate) fn infer_update(inputs: &Inputs<'_>) -> Result<Specs> {
    check_updates(inputs.shape(0), inputs.shape(1), inputs.shape(2))?;
    Ok(smallvec![inputs.spec(0).clone()])
}

/// A copy with slices replaced.
pub(crate) struct Replace {
    tuples: Tuples,
    index: DType,
}

impl Rearrange for Replace {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let rows = self.tuples.checked_rows(io.ints(1, self.index))?;
        let (from, updates) = (io.input(0), io.input(2));
        let to = io.output(0);
        copy(from, to);
        let rows = |at, to: &mut [usize]| rows.places(at, to);
        scatter_rows(updates, self.tuples.inner, &rows, to, put_rows);
        Ok(())
    }
}

impl Op for TensorScatterUpdate {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        infer_update(inputs)
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (grad, indices) = (call.grad()?, &call.inputs[1]);
        let updates = e.gather_nd(grad, indices)?;
        let zeros = e.zeros_like(&updates)?;
        let last = last_written(e, &call.inputs[0], indices, &updates)?;
        let updates = e.select(&last, &updates, &zeros)?;
        let rest = e.tensor_scatter_update(grad, indices, &zeros)?;
        Ok(smallvec![Some(rest.into()), None, Some(updates.into())])
    }
}

/// Which updates stay: the last one at each place. With axes of size 1 for those of the slices.
fn last_written(e: &mut dyn Emitter, tensor: &Val, indices: &Val, updates: &Val) -> Result<Val> {
    let (zero, one) = (e.scalar(0.0, DType::Int32)?, e.scalar(1.0, DType::Int32)?);
    let tuples = e.shape_of(indices)?;
    let (start, end) = (e.int_vector(&[0])?, e.int_vector(&[-1])?);
    let lead = span(e, &tuples, &start, Some(&end))?;
    let depth = span(e, &tuples, &end, None)?;
    let sizes = e.shape_of(tensor)?;
    let sizes = span(e, &sizes, &start, Some(&depth))?;
    let axes = e.int_vector(&[0])?;
    let n = e.prod(&lead, &axes, false)?;
    let order = e.range(&zero, &n, &one)?;
    let order = e.reshape(&order, &lead)?;
    let empty = e.fill(&sizes, &zero)?;
    let written = e.tensor_scatter_max(&empty, indices, &order)?;
    let last = e.gather_nd(&written, indices)?;
    let last = e.equal(&last, &order, true)?;
    let (shape, begin) = (e.shape_of(updates)?, e.size(&lead, DType::Int32)?);
    let vector = e.int_vector(&[1])?;
    let begin = e.reshape(&begin, &vector)?;
    let behind = span(e, &shape, &begin, None)?;
    let ones = e.ones_like(&behind)?;
    let shape = e.concat_v2(&[lead, ones], &zero)?;
    e.reshape(&last, &shape)
}

impl Moving for TensorScatterUpdate {
    type Bound = Replace;
    fn bind(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Replace>> {
        let (shape, at) = (static_shape(&outputs[0])?, static_shape(inputs.spec(1))?);
        let index = inputs.dtype(1);
        let tuples = Tuples::new(&shape, &at, index)?;
        Ok(Some(Replace { tuples, index }))
    }
}

/// The dimensions that a tensor of segments has behind those that its ids take.
pub(crate) fn behind(data: &PartialShape, ids: &PartialShape, n: Dim) -> Result<PartialShape> {
    let (Some(data_dims), Some(id_dims)) = (data.dims(), ids.dims()) else {
        return Ok(PartialShape::UNKNOWN);
    };
    let fits = id_dims.len() <= data_dims.len()
        && id_dims
            .iter()
            .zip(data_dims)
            .all(|(a, b)| a.is_compatible(*b));
    if !fits {
        bail!(
            Shape,
            "segment_ids of shape {ids} do not match the first axes of data of shape {data}"
        );
    }
    let rest = data_dims[id_dims.len()..].iter().copied();
    Ok(std::iter::once(n).chain(rest).collect())
}
