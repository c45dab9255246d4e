//! Reading elements and slices by index.

use crate::args::{axis_of, elements, expect_one, scalar};
use crate::emit::*;
use crate::movement::{Io, Moving, Rearrange, moving, static_shape};
use crate::slice::span;
use ferrograph_graph::{
    Emitter, Grad, Grads, IndexTerm, Inputs, Known, Op, Places, Specs, Val, VjpCall, declare,
    declared,
};
use ferrograph_kernels::movement::{Gather, Indices, Rows, gather_rows};
use ferrograph_tensor::{DType, Error, PartialShape, Result, Shape, TensorSpec, bail, err};
use smallvec::{SmallVec, smallvec};

declare! {
    trait EmitGather;

    /// The slices of `params` along `axis` at `indices`; leading axes of both may be matched.
    GatherV2: gather_v2(params: Tparams, indices: Tindices in index, axis: Taxis in index)
        -> (output: Tparams), gradient Vjp, batch Rule {
        /// How many leading axes of `params` and `indices` go together.
        batch_dims: i64 = 0,
    };

    /// The slices of `params` at the index tuples in the last axis of `indices`.
    GatherNd: gather_nd(params: Tparams, indices: Tindices in index) -> (output: Tparams), gradient Vjp, batch Rule;
}

/// The index of element `flat` of a tensor of that shape, as `[1,0]`; empty for a scalar.
pub(crate) fn position_text(mut flat: usize, dims: &[usize]) -> String {
    if dims.is_empty() {
        return String::new();
    }
    let mut at: Vec<String> = Vec::new();
    for &n in dims.iter().rev() {
        at.push((flat % n.max(1)).to_string());
        flat /= n.max(1);
    }
    at.reverse();
    format!("[{}]", at.join(","))
}

#[cold]
fn out_of_range(index: i64, flat: usize, dims: &[usize], n: usize) -> Error {
    err!(
        InvalidArgument,
        "indices{} = {index} is not in [0, {n})",
        position_text(flat, dims)
    )
}

impl GatherV2 {
    fn batch(&self, indices: &PartialShape) -> Result<Option<usize>> {
        match indices.rank() {
            Some(rank) if self.batch_dims == rank as i64 => Ok(Some(rank)),
            Some(rank) => axis_of(self.batch_dims, rank, "batch_dims").map(Some),
            None => Ok(usize::try_from(self.batch_dims).ok()),
        }
    }

    fn output(
        &self,
        params: &PartialShape,
        indices: &PartialShape,
        axis: Option<i64>,
    ) -> Result<PartialShape> {
        let batch = self.batch(indices)?;
        let (Some(p), Some(i), Some(batch)) = (params.dims(), indices.dims(), batch) else {
            return Ok(PartialShape::UNKNOWN);
        };
        if p.is_empty() {
            bail!(Shape, "cannot gather from a scalar");
        }
        let Some(axis) = axis else {
            return Ok(PartialShape::of_rank(
                (p.len() + i.len()).saturating_sub(1 + batch),
            ));
        };
        let axis = axis_of(axis, p.len(), "axis")?;
        if axis < batch {
            bail!(Shape, "axis {axis} is one of the {batch} batch dimensions");
        }
        let both = PartialShape::new(&p[..batch]).merge(&PartialShape::new(&i[..batch]));
        let Ok(both) = both else {
            bail!(
                Shape,
                "params of shape {params} and indices of shape {indices} differ in the first {batch} axes"
            );
        };
        let both = both.dims().unwrap_or_default();
        let parts = [both, &p[batch..axis], &i[batch..], &p[axis + 1..]];
        Ok(parts.into_iter().flatten().copied().collect())
    }
}

impl Op for GatherV2 {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        expect_one(inputs, 2, "axis")?;
        let shape = self.output(inputs.shape(0), inputs.shape(1), scalar(inputs, 2))?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let params = inputs.known(0)?;
        if inputs.shape(0).rank()? != 1 || inputs.shape(1).rank()? > 1 {
            return None;
        }
        let at = |i: &Option<i64>| match i {
            Some(i) => params.get(usize::try_from(*i).ok()?).copied(),
            None => Some(None),
        };
        elements(inputs, 1)?.iter().map(at).collect()
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let axis = call.inputs[2].constant();
        let axis = match axis {
            Some(axis) => axis.to_i64s()?.first().copied(),
            None => None,
        };
        // An axis that is counted from the end gives a dense gradient, also where it is the first: what gathers on its
        // way to something else asks for that so.
        let grad = if axis == Some(0) && self.batch_dims == 0 {
            slices(e, call)?
        } else {
            self.dense(e, call, axis)?.into()
        };
        Ok(smallvec![Some(grad), None, None])
    }
}

/// The gradient of slices along the first axis.
fn slices(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grad> {
    let (params, indices) = (&call.inputs[0], &call.inputs[1]);
    let dense_shape = e.shape_of(params)?;
    let flat = if indices.spec().shape.rank() == Some(1) {
        indices.clone()
    } else {
        let minus_one = e.int_vector(&[-1])?;
        e.reshape(indices, &minus_one)?
    };
    let one = e.int_vector(&[1])?;
    let inner = span(e, &dense_shape, &one, None)?;
    let rows = e.shape_of(&flat)?;
    let shape = joined(e, &[&rows, &inner])?;
    Ok(Grad::Slices {
        values: e.reshape(call.grad()?, &shape)?,
        indices: flat,
        dense_shape,
    })
}

/// The product of elements `begin..end` of an int32 vector, as a vector of one.
pub(crate) fn product(
    e: &mut dyn Emitter,
    vector: &Val,
    begin: &Val,
    end: Option<&Val>,
) -> Result<Val> {
    let part = span(e, vector, begin, end)?;
    let axis = e.int_vector(&[0])?;
    e.prod(&part, &axis, true)
}

/// The axis of a gather, counted from the front, and the one behind it, as vectors of one.
fn axis_bounds(e: &mut dyn Emitter, call: &VjpCall<'_>, axis: Option<i64>) -> Result<(Val, Val)> {
    let rank = call.inputs[0].spec().shape.rank();
    let known = match (axis, rank) {
        (Some(axis), Some(rank)) => Some(axis_of(axis, rank, "axis")? as i64),
        (Some(axis), None) if axis >= 0 => Some(axis),
        _ => None,
    };
    if let Some(axis) = known {
        return Ok((e.int_vector(&[axis])?, e.int_vector(&[axis + 1])?));
    }
    let rank = e.rank(&call.inputs[0])?;
    let axis = e.cast(&call.inputs[2], DType::Int32)?;
    let axis = e.floor_mod(&axis, &rank)?;
    let one = e.int_vector(&[1])?;
    let at = e.reshape(&axis, &one)?;
    let after = e.add(&at, &one)?;
    Ok((at, after))
}

/// Vectors end to end.
fn joined(e: &mut dyn Emitter, parts: &[&Val]) -> Result<Val> {
    let zero = e.scalar(0.0, DType::Int32)?;
    let parts: Vec<Val> = parts.iter().map(|v| (*v).clone()).collect();
    e.concat_v2(&parts, &zero)
}

impl GatherV2 {
    /// The dense gradient: parameters are seen as `[outer, n, inner]`, so that row `o * n + i` of `[outer * n, inner]`
    /// collects the gradients of slice `i`.
    fn dense(&self, e: &mut dyn Emitter, call: &VjpCall<'_>, axis: Option<i64>) -> Result<Val> {
        let (params, indices) = (&call.inputs[0], &call.inputs[1]);
        let Some(batch) = self.batch(&indices.spec().shape)? else {
            bail!(
                Unimplemented,
                "the gradient of gather needs a known number of batch dimensions"
            );
        };
        let batch = e.int_vector(&[batch as i64])?;
        let start = e.int_vector(&[0])?;
        let (at, after) = axis_bounds(e, call, axis)?;
        let shape = e.shape_of(params)?;
        let shape_i = e.shape_of(indices)?;
        let batches = product(e, &shape, &start, Some(&batch))?;
        let between = product(e, &shape, &batch, Some(&at))?;
        let outer = e.mul(&batches, &between)?;
        let n = span(e, &shape, &at, Some(&after))?;
        let inner = product(e, &shape, &after, None)?;
        let k = product(e, &shape_i, &batch, None)?;
        let one = e.int_vector(&[1])?;
        let by_batch = joined(e, &[&batches, &one, &k])?;
        let by_outer = joined(e, &[&batches, &between, &k])?;
        let narrow = e.cast(indices, DType::Int32)?;
        let narrow = e.reshape(&narrow, &by_batch)?;
        let spread = e.broadcast_to(&narrow, &by_outer)?;
        let (rows, row) = (joined(e, &[&outer, &k])?, joined(e, &[&outer, &one])?);
        let spread = e.reshape(&spread, &rows)?;
        let scalar_shape = e.int_vector(&[])?;
        let n_outer = e.reshape(&outer, &scalar_shape)?;
        let (zero, step) = (e.scalar(0.0, DType::Int32)?, e.scalar(1.0, DType::Int32)?);
        let range = e.range(&zero, &n_outer, &step)?;
        let starts = e.mul(&range, &n)?;
        let starts = e.reshape(&starts, &row)?;
        let ids = e.add(&spread, &starts)?;
        let minus_one = e.int_vector(&[-1])?;
        let ids = e.reshape(&ids, &minus_one)?;
        let updates_rows = e.mul(&outer, &k)?;
        let flat_shape = joined(e, &[&updates_rows, &inner])?;
        let updates = e.reshape(call.grad()?, &flat_shape)?;
        let n_rows = e.mul(&outer, &n)?;
        let n_rows = e.reshape(&n_rows, &scalar_shape)?;
        let summed = e.unsorted_segment_sum(&updates, &ids, &n_rows)?;
        e.reshape(&summed, &shape)
    }
}

/// A gather at indices of that dtype and shape.
pub(crate) struct BoundGather {
    gather: Gather,
    index: DType,
    index_dims: Shape,
}

impl Rearrange for BoundGather {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let (from, indices) = (io.input(0), io.ints(1, self.index));
        let gathered = self.gather.run(from, indices, io.output(0));
        let wrong = |i| out_of_range(indices.get(i), i, &self.index_dims, self.gather.n);
        gathered.map_err(wrong)
    }
    fn places(&self) -> Places {
        let Gather {
            batch,
            outer,
            n,
            inner,
            k,
        } = self.gather;
        match (batch, outer, k) {
            (1, _, 1) => Places::Indexed {
                index: 1,
                terms: smallvec![IndexTerm {
                    entry: 0,
                    len: n,
                    stride: inner as isize,
                    wraps: false,
                }],
                start: 0,
                dims: smallvec![outer, inner],
                strides: smallvec![(n * inner) as isize, 1],
            },
            (1, 1, _) => Places::Rows,
            _ => Places::Opaque,
        }
    }
}

impl Moving for GatherV2 {
    type Bound = BoundGather;
    fn bind(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<BoundGather>> {
        let (params, indices) = (static_shape(inputs.spec(0))?, static_shape(inputs.spec(1))?);
        let (Some(axis), Some(batch)) = (scalar(inputs, 2), self.batch(inputs.shape(1))?) else {
            return Ok(None);
        };
        let axis = axis_of(axis, params.rank(), "axis")?;
        let count = |dims: &[usize]| dims.iter().product::<usize>();
        Ok(Some(BoundGather {
            gather: Gather {
                batch: count(&params[..batch]),
                outer: count(&params[batch..axis]),
                n: params[axis],
                inner: count(&params[axis + 1..]),
                k: count(&indices[batch..]),
            },
            index: inputs.dtype(1),
            index_dims: indices,
        }))
    }
}

impl Op for GatherNd {
    declared!();
    moving!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let (params, indices) = (inputs.shape(0), inputs.shape(1));
        let shape = match (params.dims(), indices.dims()) {
            (_, Some([])) => bail!(Shape, "indices must have rank 1 at least, got a scalar"),
            (Some(p), Some([lead @ .., depth])) => match depth.known() {
                Some(depth) if depth > p.len() => bail!(
                    Shape,
                    "index tuples of {depth} for params of shape {params}"
                ),
                Some(depth) => lead.iter().chain(&p[depth..]).copied().collect(),
                None => PartialShape::UNKNOWN,
            },
            _ => PartialShape::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let indices = &call.inputs[1];
        let shape = e.shape_of(&call.inputs[0])?;
        let shape = e.cast(&shape, indices.dtype())?;
        let grad = e.scatter_nd(indices, call.grad()?, &shape)?;
        Ok(smallvec![Some(grad.into()), None])
    }
}

/// Reads index tuples as rows of a tensor.
pub(crate) struct Tuples {
    dims: SmallVec<[usize; 4]>,
    /// Elements a tuple addresses.
    pub inner: usize,
    /// How many tuples there are.
    pub count: usize,
    index: DType,
    lead: SmallVec<[usize; 4]>,
}

impl Tuples {
    /// Tuples in input `at` of shape `indices` into a tensor of shape `params`.
    pub(crate) fn new(params: &[usize], indices: &[usize], index: DType) -> Result<Tuples> {
        let Some((&depth, lead)) = indices.split_last() else {
            bail!(Shape, "indices must have rank 1 at least, got a scalar");
        };
        if depth > params.len() {
            bail!(
                Shape,
                "index tuples of {depth} for a tensor of shape {}",
                Shape::new(params)
            );
        }
        Ok(Tuples {
            dims: SmallVec::from_slice(&params[..depth]),
            inner: params[depth..].iter().product(),
            count: lead.iter().product(),
            index,
            lead: SmallVec::from_slice(lead),
        })
    }

    /// The rows that the tuples address.
    pub(crate) fn rows<'a>(&'a self, indices: Indices<'a>) -> Rows<'a> {
        match self.dims.len() {
            0 => Rows::of_one(self.count),
            _ => Rows::new(indices, &self.dims),
        }
    }

    /// Those, all of which there are.
    pub(crate) fn checked_rows<'a>(&'a self, indices: Indices<'a>) -> Result<Rows<'a>> {
        let rows = self.rows(indices);
        let checked = rows.check().map_err(|i| self.wrong(indices, i));
        checked.map(|()| rows)
    }

    #[cold]
    fn wrong(&self, indices: Indices<'_>, i: usize) -> Error {
        let depth = self.dims.len();
        let tuple: Vec<_> = (0..depth)
            .map(|j| indices.get(i * depth + j).to_string())
            .collect();
        err!(
            InvalidArgument,
            "indices{} = [{}] does not index into shape {}",
            position_text(i, &self.lead),
            tuple.join(", "),
            Shape::new(&self.dims)
        )
    }
}

impl Rearrange for Tuples {
    fn run<'a, T: Clone + Send + Sync + 'a>(&self, io: &mut impl Io<'a, T>) -> Result<()> {
        let (from, indices) = (io.input(0), io.ints(1, self.index));
        let gathered = gather_rows(from, self.inner, self.rows(indices), io.output(0));
        gathered.map_err(|i| self.wrong(indices, i))
    }
}

impl Moving for GatherNd {
    type Bound = Tuples;
    fn bind(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Tuples>> {
        let (params, indices) = (static_shape(inputs.spec(0))?, static_shape(inputs.spec(1))?);
        Tuples::new(&params, &indices, inputs.dtype(1)).map(Some)
    }
}
