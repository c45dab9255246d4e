//! Writing elements and slices by index.

use crate::args::{expect_index, expect_numbers, expect_rank};
use crate::emit::*;
use crate::gather::Tuples;
use crate::movement::{Io, Moving, Rearrange, index_input, moving, static_shape};
use crate::number::Number;
use ferrograph_graph::{
    Differentiability, Emitter, Grads, Inputs, Kernel, Op, Registry, Specs, Val, VjpCall, op_object,
};
use ferrograph_kernels::movement::{copy, fill, scatter_rows};
use ferrograph_tensor::{
    DType, Dim, Element, PartialShape, Result, TensorSpec, bail, with_element,
};
use smallvec::smallvec;
use std::sync::Arc;

/// How an update combines with what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScatterKind {
    /// It is added.
    Add,
    /// It is subtracted.
    Sub,
    /// The greater one stays.
    Max,
    /// The lesser one stays.
    Min,
}

impl ScatterKind {
    fn combine<T: Number>(self) -> fn(T, T) -> T {
        match self {
            ScatterKind::Add => Number::plus,
            ScatterKind::Sub => Number::minus,
            ScatterKind::Max => Number::greater,
            ScatterKind::Min => Number::lesser,
        }
    }
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

/// Zeros of the shape input 2 to which updates (input 1) are added at the index tuples input 0.
#[derive(Debug)]
pub struct ScatterNd;

impl Op for ScatterNd {
    op_object!();
    fn name(&self) -> &'static str {
        "ScatterNd"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(3)?;
        expect_index(inputs, 0, "indices")?;
        expect_index(inputs, 2, "shape")?;
        expect_rank(inputs, 2, 1, "shape")?;
        if let Some(known) = inputs.known(2)
            && let Some(d) = known.iter().flatten().find(|d| **d < 0)
        {
            bail!(Shape, "shape holds {d}, which is no size");
        }
        if !inputs.dtype(1).is_numeric() && inputs.dtype(1) != DType::Bool {
            bail!(DType, "updates must be numbers, got {}", inputs.spec(1));
        }
        let shape = inputs.shape_value(2);
        check_updates(&shape, inputs.shape(0), inputs.shape(1))?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(1), shape)])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        if !outputs[0].shape.is_static() {
            return Ok(None);
        }
        let (shape, at) = (static_shape(&outputs[0])?, static_shape(inputs.spec(0))?);
        let index = inputs.dtype(0);
        let tuples = Tuples::new(&shape, &at, index)?;
        if inputs.dtype(1) == DType::Bool {
            return Ok(Some(scatter_fresh::<bool>(tuples, index, |a, b| a | b)));
        }
        with_element!(inputs.dtype(1), numeric, T => Ok(Some(scatter_fresh::<T>(tuples, index, Number::plus))),
            else => Ok(None))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = e.op("GatherNd", &[call.grad()?, &call.inputs[0]], vec![])?;
        Ok(smallvec![None, Some(grad.into()), None])
    }
}

fn scatter_fresh<T: Element>(tuples: Tuples, index: DType, combine: fn(T, T) -> T) -> Kernel {
    Box::new(move |operands| {
        let rows = tuples.checked_rows(index_input(operands, 0, index))?;
        let updates = operands.input::<T>(1);
        let out = operands.output::<T>(0);
        fill(&T::default(), out);
        let put = |to: &mut T, update: &T| *to = combine(*to, *update);
        scatter_rows(updates, tuples.inner, |i| rows.get(i), out, put);
        Ok(())
    })
}

fn infer_update(inputs: &Inputs<'_>) -> Result<Specs> {
    inputs.expect(3)?;
    expect_index(inputs, 1, "indices")?;
    inputs.same_dtype(0, 2)?;
    check_updates(inputs.shape(0), inputs.shape(1), inputs.shape(2))?;
    Ok(smallvec![inputs.spec(0).clone()])
}

/// Input 0 with the slices at the index tuples input 1 replaced by the updates input 2; the last one wins.
#[derive(Debug)]
pub struct TensorScatterUpdate;

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
        scatter_rows(
            updates,
            self.tuples.inner,
            |i| rows.get(i),
            to,
            T::clone_from,
        );
        Ok(())
    }
}

impl Op for TensorScatterUpdate {
    op_object!();
    moving!();
    fn name(&self) -> &'static str {
        "TensorScatterUpdate"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        infer_update(inputs)
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (grad, indices) = (call.grad()?, &call.inputs[1]);
        let updates = e.op("GatherNd", &[grad, indices], vec![])?;
        let zeros = e.zeros_like(&updates)?;
        let rest = e.op("TensorScatterUpdate", &[grad, indices, &zeros], vec![])?;
        Ok(smallvec![Some(rest.into()), None, Some(updates.into())])
    }
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

/// Input 0 with the slices at the index tuples input 1 combined with the updates input 2.
#[derive(Debug)]
pub struct TensorScatter {
    /// How.
    pub kind: ScatterKind,
}

impl TensorScatter {
    /// The gradients of a greatest or least: shared evenly by all that are equal to it.
    fn extremum_vjp(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [tensor, indices, updates] = call.inputs else {
            bail!(Internal, "a scatter has {} inputs", call.inputs.len());
        };
        let (grad, out) = (call.grad()?, &call.outputs[0]);
        let equal = |e: &mut dyn Emitter, a: &Val, b: &Val| {
            let same = e.op("Equal", &[a, b], vec![])?;
            e.cast(&same, grad.dtype())
        };
        let kept = equal(e, tensor, out)?;
        let chosen = e.op("GatherNd", &[out, indices], vec![])?;
        let taken = equal(e, updates, &chosen)?;
        let count = e.op("TensorScatterAdd", &[&kept, indices, &taken], vec![])?;
        let share = e.op("DivNoNan", &[grad, &count], vec![])?;
        let of_tensor = e.mul(&kept, &share)?;
        let share = e.op("GatherNd", &[&share, indices], vec![])?;
        let of_updates = e.mul(&taken, &share)?;
        Ok(smallvec![
            Some(of_tensor.into()),
            None,
            Some(of_updates.into())
        ])
    }
}

impl Op for TensorScatter {
    op_object!();
    fn name(&self) -> &'static str {
        match self.kind {
            ScatterKind::Add => "TensorScatterAdd",
            ScatterKind::Sub => "TensorScatterSub",
            ScatterKind::Max => "TensorScatterMax",
            ScatterKind::Min => "TensorScatterMin",
        }
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let specs = infer_update(inputs)?;
        let ordered = matches!(self.kind, ScatterKind::Max | ScatterKind::Min);
        expect_numbers(inputs, 0, "tensor", ordered)?;
        Ok(specs)
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let (shape, at) = (static_shape(&outputs[0])?, static_shape(inputs.spec(1))?);
        let index = inputs.dtype(1);
        let tuples = Tuples::new(&shape, &at, index)?;
        with_element!(inputs.dtype(0), numeric, T => {
            let combine = self.kind.combine::<T>();
            Ok(Some(Box::new(move |operands| {
                let rows = tuples.checked_rows(index_input(operands, 1, index))?;
                let (tensor, updates) = (operands.input::<T>(0), operands.input::<T>(2));
                let out = operands.output::<T>(0);
                copy(tensor, out);
                let put = |to: &mut T, update: &T| *to = combine(*to, *update);
                scatter_rows(updates, tuples.inner, |i| rows.get(i), out, put);
                Ok(())
            })))
        }, else => Ok(None))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        if matches!(self.kind, ScatterKind::Max | ScatterKind::Min) {
            return TensorScatter::extremum_vjp(e, call);
        }
        let grad = call.grad()?.clone();
        let mut updates = e.op("GatherNd", &[&grad, &call.inputs[1]], vec![])?;
        if self.kind == ScatterKind::Sub {
            updates = e.neg(&updates)?;
        }
        Ok(smallvec![Some(grad.into()), None, Some(updates.into())])
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

pub(crate) fn register(r: &mut Registry) {
    r.add("ScatterNd", |_| Ok(Arc::new(ScatterNd)));
    r.add("TensorScatterUpdate", |_| Ok(Arc::new(TensorScatterUpdate)));
    r.add("TensorScatterAdd", |_| scatter(ScatterKind::Add));
    r.add("TensorScatterSub", |_| scatter(ScatterKind::Sub));
    r.add("TensorScatterMax", |_| scatter(ScatterKind::Max));
    r.add("TensorScatterMin", |_| scatter(ScatterKind::Min));
}

fn scatter(kind: ScatterKind) -> Result<ferrograph_graph::OpRef> {
    Ok(Arc::new(TensorScatter { kind }))
}
