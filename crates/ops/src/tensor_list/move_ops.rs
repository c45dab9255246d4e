//! Operations between lists and tensors that hold all their elements.

use super::grad::{any_shape, element_dtype, empty_like, grads};
use super::list::TensorList;
use super::ops::{element_shape, expect_list, list_spec, place_in, shape_in};
use crate::args::{checked, expect_index, expect_rank};
use crate::emit::*;
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Emitter, Grads, Inputs, Op, Registry, Runner,
    Specs, Tensors, VjpCall, op_object,
};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err};
use smallvec::smallvec;
use std::sync::Arc;

/// `shape` with one more axis before it.
fn stacked(shape: &PartialShape, n: Dim) -> PartialShape {
    match shape.dims() {
        Some(dims) => std::iter::once(n).chain(dims.iter().copied()).collect(),
        None => PartialShape::UNKNOWN,
    }
}

/// `shape` without its first axis.
fn rows_of(shape: &PartialShape) -> PartialShape {
    match shape.dims() {
        Some([_, rest @ ..]) => PartialShape::new(rest),
        _ => PartialShape::UNKNOWN,
    }
}

/// Tensors of one shape, stacked; `shape` is that of each where there is none.
fn stack(
    runner: &dyn Runner,
    items: &[Tensor],
    dtype: DType,
    shape: &PartialShape,
) -> Result<Tensor> {
    if items.is_empty() {
        let Some(shape) = shape.to_static() else {
            bail!(
                InvalidArgument,
                "there are no elements to stack, and their shape {shape} is not known"
            );
        };
        let dims: Shape = std::iter::once(0).chain(shape.iter().copied()).collect();
        return Tensor::zeros(dtype, dims);
    }
    let stacked = crate::Pack { axis: 0 }.eval(runner, items)?;
    let first = stacked.into_iter().next();
    first.ok_or_else(|| err!(Internal, "nothing was stacked"))
}

/// Row `i` of a tensor.
fn row(t: &Tensor, i: usize) -> Result<Tensor> {
    let shape: Shape = t.shape()[1..].into();
    t.rows(i, i + 1)?.reshaped(shape)
}

fn expect_element_dtype(list: &TensorList, dtype: DType) -> Result<()> {
    if list.dtype != dtype {
        bail!(DType, "a list of {} was read as {dtype}", list.dtype);
    }
    Ok(())
}

/// All elements of list 0 stacked; input 1 is the elements' shape.
#[derive(Debug)]
pub struct TensorListStack {
    /// The dtype of the elements.
    pub element_dtype: DType,
    /// How many there must be; any number where negative.
    pub num_elements: i64,
}

impl Op for TensorListStack {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListStack"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("element_dtype", Attr::DType(self.element_dtype))
            .with("num_elements", Attr::Int(self.num_elements))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        expect_list(inputs, 0)?;
        let n = Dim::from(usize::try_from(self.num_elements).ok());
        let shape = stacked(&element_shape(inputs, 1)?, n);
        Ok(smallvec![TensorSpec::new(self.element_dtype, shape)])
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let list = TensorList::of(&inputs[0])?;
        expect_element_dtype(list, self.element_dtype)?;
        if usize::try_from(self.num_elements).is_ok_and(|n| n != list.len()) {
            bail!(
                InvalidArgument,
                "expected {} elements, the list has {}",
                self.num_elements,
                list.len()
            );
        }
        let declared = shape_in(&inputs[1])?;
        let shape = list.shape(&declared)?;
        if let Some(shape) = shape.to_static()
            && let Some(all) = list.packed(&shape)?
        {
            return Ok(smallvec![all]);
        }
        let items = list.items(&declared)?;
        Ok(smallvec![stack(runner, &items, list.dtype, &shape)?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = any_shape(e)?;
        let attrs = vec![element_dtype(self.element_dtype)];
        let grad = e.op("TensorListFromTensor", &[call.grad()?, &shape], attrs)?;
        Ok(grads([Some(grad), None]))
    }
}

/// The rows of tensor 0 as a list; input 1 is what their shape must fit.
#[derive(Debug)]
pub struct TensorListFromTensor {
    /// The dtype of the elements.
    pub element_dtype: DType,
}

impl Op for TensorListFromTensor {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListFromTensor"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("element_dtype", Attr::DType(self.element_dtype))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        inputs.expect_dtype(0, self.element_dtype)?;
        if inputs.shape(0).rank() == Some(0) {
            bail!(Shape, "a scalar has no rows to make a list of");
        }
        element_shape(inputs, 1)?.merge(&rows_of(inputs.shape(0)))?;
        Ok(smallvec![list_spec()])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let t = &inputs[0];
        let n = t.shape()[0];
        let mut list = TensorList::new(self.element_dtype, shape_in(&inputs[1])?, n)?;
        for i in 0..n {
            list.set(i, row(t, i)?)?;
        }
        list.element_shape = PartialShape::from(&t.shape()[1..]);
        Ok(smallvec![list.into_tensor()])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = e.shape_of(&call.inputs[0])?;
        let (one, none) = (e.int_vector(&[1])?, e.int_vector(&[0])?);
        let tail = vec![("end_mask", Attr::Int(1))];
        let shape = e.op("StridedSlice", &[&shape, &one, &none, &one], tail)?;
        let attrs = vec![element_dtype(self.element_dtype)];
        let grad = e.op("TensorListStack", &[call.grad()?, &shape], attrs)?;
        let grad = e.reshape_like(&grad, &call.inputs[0])?;
        Ok(grads([Some(grad), None]))
    }
}

/// The elements of list 0 at places 1, stacked; input 2 is the elements' shape.
#[derive(Debug)]
pub struct TensorListGather {
    /// The dtype of the elements.
    pub element_dtype: DType,
}

impl Op for TensorListGather {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListGather"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("element_dtype", Attr::DType(self.element_dtype))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(3)?;
        expect_list(inputs, 0)?;
        expect_index(inputs, 1, "indices")?;
        expect_rank(inputs, 1, 1, "indices")?;
        let shape = stacked(&element_shape(inputs, 2)?, inputs.shape(1).dim(0));
        Ok(smallvec![TensorSpec::new(self.element_dtype, shape)])
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let list = TensorList::of(&inputs[0])?;
        expect_element_dtype(list, self.element_dtype)?;
        let shape = list.shape(&shape_in(&inputs[2])?)?;
        let item = |i: i64| {
            let i = usize::try_from(i).map_err(|_| err!(OutOfRange, "index {i} is negative"))?;
            list.item(i, &shape)
        };
        let items: Vec<Tensor> = inputs[1]
            .to_i64s()?
            .into_iter()
            .map(item)
            .collect::<Result<_>>()?;
        Ok(smallvec![stack(runner, &items, list.dtype, &shape)?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let zeros = empty_like(e, &call.inputs[0], self.element_dtype)?;
        let attrs = vec![element_dtype(self.element_dtype), ("add", Attr::Bool(true))];
        let inputs = [&zeros, call.grad()?, &call.inputs[1]];
        let grad = e.op("TensorListScatterIntoExistingList", &inputs, attrs)?;
        Ok(grads([Some(grad), None, None]))
    }
}

/// List 0 with the rows of tensor 1 at places 2.
#[derive(Debug)]
pub struct TensorListScatter {
    /// The dtype of the elements.
    pub element_dtype: DType,
    /// Whether a row is added to what a place holds, rather than replacing it.
    pub add: bool,
}

impl Op for TensorListScatter {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListScatterIntoExistingList"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("element_dtype", Attr::DType(self.element_dtype))
            .with("add", Attr::Bool(self.add))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(3)?;
        expect_list(inputs, 0)?;
        inputs.expect_dtype(1, self.element_dtype)?;
        expect_index(inputs, 2, "indices")?;
        expect_rank(inputs, 2, 1, "indices")?;
        let (rows, places) = (inputs.shape(1), inputs.shape(2));
        if rows.rank() == Some(0) || !rows.dim(0).is_compatible(places.dim(0)) {
            bail!(
                Shape,
                "a tensor of shape {rows} has not one row for each index of shape {places}"
            );
        }
        Ok(smallvec![list_spec()])
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let mut list = TensorList::of(&inputs[0])?.clone();
        let add = crate::registry().make("AddV2", &[])?;
        for (r, i) in inputs[2].to_i64s()?.into_iter().enumerate() {
            let i = usize::try_from(i).map_err(|_| err!(OutOfRange, "index {i} is negative"))?;
            let mut item = row(&inputs[1], r)?;
            if self.add
                && let Some(old) = list.get(i)
            {
                let sum = add.eval(runner, &[old.clone(), item])?.into_iter().next();
                item = sum.ok_or_else(|| err!(Internal, "AddV2 gave nothing"))?;
            }
            if i >= list.len() {
                list.resize(i + 1)?;
            }
            list.set(i, item)?;
        }
        Ok(smallvec![list.into_tensor()])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (grad, tensor, places) = (call.grad()?, &call.inputs[1], &call.inputs[2]);
        let attrs = vec![element_dtype(self.element_dtype)];
        let shape = any_shape(e)?;
        let of_rows = e.op("TensorListGather", &[grad, places, &shape], attrs.clone())?;
        let of_rows = e.reshape_like(&of_rows, tensor)?;
        let rest = if self.add {
            grad.clone()
        } else {
            let zeros = e.zeros_like(tensor)?;
            e.op(
                "TensorListScatterIntoExistingList",
                &[grad, &zeros, places],
                attrs,
            )?
        };
        let n = e.op("TensorListLength", &[&call.inputs[0]], vec![])?;
        let rest = e.op("TensorListResize", &[&rest, &n], vec![])?;
        Ok(grads([Some(rest), Some(of_rows), None]))
    }
}

/// The elements of list 0 joined along their first axis, and their lengths along it; input 1 is the elements' shape.
#[derive(Debug)]
pub struct TensorListConcat {
    /// The dtype of the elements.
    pub element_dtype: DType,
}

impl Op for TensorListConcat {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListConcatV2"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("element_dtype", Attr::DType(self.element_dtype))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(3)?;
        expect_list(inputs, 0)?;
        let shape = stacked(&rows_of(&element_shape(inputs, 1)?), Dim::UNKNOWN);
        let lengths = TensorSpec::new(DType::Int64, PartialShape::of_rank(1));
        Ok(smallvec![
            TensorSpec::new(self.element_dtype, shape),
            lengths
        ])
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let list = TensorList::of(&inputs[0])?;
        expect_element_dtype(list, self.element_dtype)?;
        let mut items = Vec::with_capacity(list.len());
        let shape = shape_in(&inputs[1])?;
        for i in 0..list.len() {
            items.push(list.item(i, &shape)?);
        }
        let Some(lengths) = items
            .iter()
            .map(|t| t.shape().first().map(|&n| n as i64))
            .collect::<Option<Vec<i64>>>()
        else {
            bail!(Shape, "scalars cannot be joined; stack them instead");
        };
        let joined = if items.is_empty() {
            let rest = rows_of(&list.shape(&shape)?);
            let rest = rest.to_static().ok_or_else(|| {
                err!(
                    InvalidArgument,
                    "there are no elements to join, and their shape is not known"
                )
            })?;
            let dims: Shape = std::iter::once(0).chain(rest.iter().copied()).collect();
            Tensor::zeros(list.dtype, dims)?
        } else {
            items.push(Tensor::scalar(0i32)?);
            let joined = crate::ConcatV2.eval(runner, &items)?.into_iter().next();
            joined.ok_or_else(|| err!(Internal, "nothing was joined"))?
        };
        Ok(smallvec![joined, Tensor::vector(&lengths)?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = any_shape(e)?;
        let attrs = vec![element_dtype(self.element_dtype)];
        let inputs = [call.grad()?, &shape, &call.outputs[1]];
        let grad = e.op("TensorListSplit", &inputs, attrs)?;
        Ok(grads([Some(grad), None, None]))
    }
}

/// Tensor 0 cut along its first axis into elements of lengths 2; input 1 is what their shape must fit.
#[derive(Debug)]
pub struct TensorListSplit {
    /// The dtype of the elements.
    pub element_dtype: DType,
}

impl Op for TensorListSplit {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListSplit"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("element_dtype", Attr::DType(self.element_dtype))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(3)?;
        inputs.expect_dtype(0, self.element_dtype)?;
        expect_index(inputs, 2, "lengths")?;
        expect_rank(inputs, 2, 1, "lengths")?;
        if inputs.shape(0).rank() == Some(0) {
            bail!(Shape, "a scalar cannot be cut");
        }
        Ok(smallvec![list_spec()])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let t = &inputs[0];
        let lengths = inputs[2].to_i64s()?;
        let mut list = TensorList::new(self.element_dtype, shape_in(&inputs[1])?, lengths.len())?;
        let mut at = 0usize;
        for (i, length) in lengths.into_iter().enumerate() {
            let end = usize::try_from(length).ok().and_then(|n| at.checked_add(n));
            let Some(end) = end.filter(|e| *e <= t.shape()[0]) else {
                bail!(
                    InvalidArgument,
                    "lengths[{i}] = {length} does not fit a tensor of shape {}",
                    t.shape()
                );
            };
            list.set(i, t.rows(at, end)?)?;
            at = end;
        }
        if at != t.shape()[0] {
            bail!(
                InvalidArgument,
                "lengths add up to {at}, the tensor has shape {}",
                t.shape()
            );
        }
        Ok(smallvec![list.into_tensor()])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = any_shape(e)?;
        let attrs = vec![element_dtype(self.element_dtype)];
        // A piece that nobody read has no gradient, and its shape differs from that of the others.
        let (lengths, zeros) = (&call.inputs[2], e.zeros_like(&call.inputs[0])?);
        let unread = e.op("TensorListSplit", &[&zeros, &shape, lengths], attrs.clone())?;
        let pieces = e.op("AddN", &[call.grad()?, &unread], vec![])?;
        let inputs = [&pieces, &shape, lengths];
        let grad = e.op("TensorListConcatV2", &inputs, attrs)?;
        let grad = e.reshape_like(&grad, &call.inputs[0])?;
        Ok(grads([Some(grad), None, None]))
    }
}

/// A new list of `num_elements` (input 3) with the rows of tensor 0 at places 1; input 2 is the elements' shape.
#[derive(Debug)]
pub struct TensorListScatterV2 {
    /// The dtype of the elements.
    pub element_dtype: DType,
}

impl Op for TensorListScatterV2 {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListScatterV2"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("element_dtype", Attr::DType(self.element_dtype))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(4)?;
        inputs.expect_dtype(0, self.element_dtype)?;
        expect_index(inputs, 1, "indices")?;
        element_shape(inputs, 2)?;
        expect_index(inputs, 3, "num_elements")?;
        Ok(smallvec![list_spec()])
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let n = match inputs[3].to_i64s()?.as_slice() {
            [n] if *n < 0 => 0,
            _ => place_in(&inputs[3], "num_elements")?,
        };
        let list = TensorList::new(self.element_dtype, shape_in(&inputs[2])?, n)?;
        let into = TensorListScatter {
            element_dtype: self.element_dtype,
            add: false,
        };
        let list = list.into_tensor();
        into.eval(runner, &[list, inputs[0].clone(), inputs[1].clone()])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = any_shape(e)?;
        let attrs = vec![element_dtype(self.element_dtype)];
        let inputs = [call.grad()?, &call.inputs[1], &shape];
        let grad = e.op("TensorListGather", &inputs, attrs)?;
        let grad = e.reshape_like(&grad, &call.inputs[0])?;
        Ok(grads([Some(grad), None, None, None]))
    }
}

fn dtype(a: &AttrReader<'_>) -> Result<DType> {
    a.dtype("element_dtype")
}

pub(super) fn register(r: &mut Registry) {
    r.add("TensorListStack", |a| {
        Ok(Arc::new(TensorListStack {
            element_dtype: dtype(a)?,
            num_elements: a.int_or("num_elements", -1)?,
        }))
    });
    r.add("TensorListFromTensor", |a| {
        Ok(Arc::new(TensorListFromTensor {
            element_dtype: dtype(a)?,
        }))
    });
    r.add("TensorListGather", |a| {
        Ok(Arc::new(TensorListGather {
            element_dtype: dtype(a)?,
        }))
    });
    r.add("TensorListScatterIntoExistingList", |a| {
        Ok(Arc::new(TensorListScatter {
            element_dtype: dtype(a)?,
            add: a.bool_or("add", false)?,
        }))
    });
    r.add("TensorListScatterV2", |a| {
        Ok(Arc::new(TensorListScatterV2 {
            element_dtype: dtype(a)?,
        }))
    });
    r.add("TensorListConcatV2", |a| {
        Ok(Arc::new(TensorListConcat {
            element_dtype: dtype(a)?,
        }))
    });
    r.add("TensorListSplit", |a| {
        Ok(Arc::new(TensorListSplit {
            element_dtype: dtype(a)?,
        }))
    });
}
