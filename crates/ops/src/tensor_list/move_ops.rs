//! Operations between lists and tensors that hold all their elements.

use super::grad::{any_shape, empty_like, grads};
use super::list::TensorList;
use super::ops::{element_shape, list_spec, place_in, shape_in};
use crate::emit::*;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Op, Runner, Specs, Tensors, VjpCall, declare, declared,
};
use ferrograph_tensor::{
    DType, Dim, PartialShape, Result, Shape, Tensor, TensorSpec, bail, checked_bytes, err, vec_for,
};
use smallvec::smallvec;

declare! {
    trait EmitListMoves;

    /// All elements of the list stacked; each is of shape `element_shape`.
    TensorListStack: tensor_list_stack(input_handle: variant, element_shape: _ in index)
        -> (tensor: element_dtype), gradient Vjp, batch Rule {
        /// The dtype of the elements.
        element_dtype: DType,
        /// How many there must be; any number where negative.
        num_elements: i64 = -1,
    };

    /// The rows of `tensor` as a list; their shape must fit `element_shape`.
    TensorListFromTensor: tensor_list_from_tensor(tensor: element_dtype, element_shape: shape_type in index)
        -> (output_handle: variant), gradient Vjp, batch Rule {
        /// The dtype of the elements.
        element_dtype: DType,
    };

    /// The elements of the list at places `indices`, stacked; each is of shape `element_shape`.
    TensorListGather: tensor_list_gather(
        input_handle: variant, indices: _ in index rank 1, element_shape: _ in index
    ) -> (values: element_dtype), gradient Vjp {
        /// The dtype of the elements.
        element_dtype: DType,
    };

    /// The list with the rows of `tensor` at places `indices`.
    TensorListScatterIntoExistingList: tensor_list_scatter_into(
        input_handle: variant, tensor: element_dtype, indices: _ in index rank 1
    ) -> (output_handle: variant), gradient Vjp {
        /// The dtype of the elements.
        element_dtype: DType,
        /// Whether a row is added to what a place holds, rather than replacing it.
        add: bool = false,
    };

    /// A new list of `num_elements` with the rows of `tensor` at places `indices`; each is of shape `element_shape`.
    TensorListScatterV2: tensor_list_scatter(
        tensor: element_dtype, indices: _ in index, element_shape: shape_type in index, num_elements: _ in index
    ) -> (output_handle: variant), gradient Vjp {
        /// The dtype of the elements.
        element_dtype: DType,
    };

    /// The elements of the list joined along their first axis, and their lengths along it; each is of shape
    /// `element_shape`.
    TensorListConcatV2: tensor_list_concat(
        input_handle: variant, element_shape: shape_type in index, leading_dims: _ in any
    ) -> (tensor: element_dtype, lengths: int64), gradient Vjp {
        /// The dtype of the elements.
        element_dtype: DType,
    };

    /// `tensor` cut along its first axis into elements of these `lengths`; their shape must fit `element_shape`.
    TensorListSplit: tensor_list_split(
        tensor: element_dtype, element_shape: shape_type in index, lengths: _ in index rank 1
    ) -> (output_handle: variant), gradient Vjp {
        /// The dtype of the elements.
        element_dtype: DType,
    };
}

/// What a place of a list that is written takes at least.
const LIST_PLACE_BYTES: usize = 16;

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

impl Op for TensorListStack {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let n = Dim::from(usize::try_from(self.num_elements).ok());
        let shape = stacked(&element_shape(inputs, 1), n);
        Ok(smallvec![TensorSpec::new(self.element_dtype, shape)])
    }
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
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
        let declared = shape_in(&inputs[1]);
        let shape = list.shape(&declared)?;
        if let Some(shape) = shape.to_static()
            && let Some(all) = list.packed(&shape)?
        {
            return Ok(smallvec![all]);
        }
        let items = list.items(&declared)?;
        Ok(smallvec![stack(runner, &items, list.dtype, &shape)?])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = any_shape(e)?;
        let grad = e.tensor_list_from_tensor(call.grad()?, &shape, self.element_dtype)?;
        Ok(grads([Some(grad), None]))
    }
}

impl Op for TensorListFromTensor {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect_dtype(0, self.element_dtype)?;
        if inputs.shape(0).rank() == Some(0) {
            bail!(Shape, "a scalar has no rows to make a list of");
        }
        element_shape(inputs, 1).merge(&rows_of(inputs.shape(0)))?;
        Ok(smallvec![list_spec()])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let t = &inputs[0];
        let n = t.shape()[0];
        checked_bytes(n, LIST_PLACE_BYTES)?;
        let mut list = TensorList::new(self.element_dtype, shape_in(&inputs[1]), n)?;
        for i in 0..n {
            list.set(i, row(t, i)?)?;
        }
        list.element_shape = PartialShape::from(&t.shape()[1..]);
        Ok(smallvec![list.into_tensor()])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = e.shape_of(&call.inputs[0])?;
        let (one, none) = (e.int_vector(&[1])?, e.int_vector(&[0])?);
        let to_end = 1;
        let shape = e.strided_slice(&shape, &one, &none, &one, 0, to_end, 0, 0, 0)?;
        let grad = e.tensor_list_stack(call.grad()?, &shape, self.element_dtype, -1)?;
        let grad = e.reshape_like(&grad, &call.inputs[0])?;
        Ok(grads([Some(grad), None]))
    }
}

impl Op for TensorListGather {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = stacked(&element_shape(inputs, 2), inputs.shape(1).dim(0));
        Ok(smallvec![TensorSpec::new(self.element_dtype, shape)])
    }
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let list = TensorList::of(&inputs[0])?;
        expect_element_dtype(list, self.element_dtype)?;
        let shape = list.shape(&shape_in(&inputs[2]))?;
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
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let zeros = empty_like(e, &call.inputs[0], self.element_dtype)?;
        let (tensor, places) = (call.grad()?, &call.inputs[1]);
        let grad = e.tensor_list_scatter_into(&zeros, tensor, places, self.element_dtype, true)?;
        Ok(grads([Some(grad), None, None]))
    }
}

impl Op for TensorListScatterIntoExistingList {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect_dtype(1, self.element_dtype)?;
        let (rows, places) = (inputs.shape(1), inputs.shape(2));
        if rows.rank() == Some(0) || !rows.dim(0).is_compatible(places.dim(0)) {
            bail!(
                Shape,
                "a tensor of shape {rows} has not one row for each index of shape {places}"
            );
        }
        Ok(smallvec![list_spec()])
    }
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let mut list = TensorList::of(&inputs[0])?.clone();
        for (r, i) in inputs[2].to_i64s()?.into_iter().enumerate() {
            let i = usize::try_from(i).map_err(|_| err!(OutOfRange, "index {i} is negative"))?;
            let mut item = row(&inputs[1], r)?;
            if self.add
                && let Some(old) = list.get(i)
            {
                item = crate::elementwise::add_now(runner, &old, &item)?;
            }
            if i >= list.len() {
                list.resize(i + 1)?;
            }
            list.set(i, item)?;
        }
        Ok(smallvec![list.into_tensor()])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (grad, tensor, places) = (call.grad()?, &call.inputs[1], &call.inputs[2]);
        let shape = any_shape(e)?;
        let of_rows = e.tensor_list_gather(grad, places, &shape, self.element_dtype)?;
        let of_rows = e.reshape_like(&of_rows, tensor)?;
        let rest = if self.add {
            grad.clone()
        } else {
            let zeros = e.zeros_like(tensor)?;
            e.tensor_list_scatter_into(grad, &zeros, places, self.element_dtype, false)?
        };
        let n = e.tensor_list_length(&call.inputs[0])?;
        let rest = e.tensor_list_resize(&rest, &n)?;
        Ok(grads([Some(rest), Some(of_rows), None]))
    }
}

impl Op for TensorListConcatV2 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = stacked(&rows_of(&element_shape(inputs, 1)), Dim::UNKNOWN);
        let lengths = TensorSpec::new(DType::Int64, PartialShape::of_rank(1));
        Ok(smallvec![
            TensorSpec::new(self.element_dtype, shape),
            lengths
        ])
    }
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let list = TensorList::of(&inputs[0])?;
        expect_element_dtype(list, self.element_dtype)?;
        let shape = shape_in(&inputs[1]);
        let mut items = vec_for(list.len().saturating_add(1))?;
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
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = any_shape(e)?;
        let lengths = &call.outputs[1];
        let grad = e.tensor_list_split(call.grad()?, &shape, lengths, self.element_dtype)?;
        Ok(grads([Some(grad), None, None]))
    }
}

impl Op for TensorListSplit {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect_dtype(0, self.element_dtype)?;
        if inputs.shape(0).rank() == Some(0) {
            bail!(Shape, "a scalar cannot be cut");
        }
        Ok(smallvec![list_spec()])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let t = &inputs[0];
        let lengths = inputs[2].to_i64s()?;
        let mut list = TensorList::new(self.element_dtype, shape_in(&inputs[1]), lengths.len())?;
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
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = any_shape(e)?;
        // A piece that nobody read has no gradient, and its shape differs from that of the others.
        let (lengths, zeros) = (&call.inputs[2], e.zeros_like(&call.inputs[0])?);
        let unread = e.tensor_list_split(&zeros, &shape, lengths, self.element_dtype)?;
        let pieces = e.add_n(&[call.grad()?.clone(), unread])?;
        let [grad, _] = e.tensor_list_concat(&pieces, &shape, lengths, self.element_dtype)?;
        let grad = e.reshape_like(&grad, &call.inputs[0])?;
        Ok(grads([Some(grad), None, None]))
    }
}

impl Op for TensorListScatterV2 {
    declared!();
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let n = match inputs[3].to_i64s()?.as_slice() {
            [n] if *n < 0 => 0,
            _ => place_in(&inputs[3], "num_elements")?,
        };
        let list = TensorList::new(self.element_dtype, shape_in(&inputs[2]), n)?;
        let into = TensorListScatterIntoExistingList {
            element_dtype: self.element_dtype,
            add: false,
        };
        let list = list.into_tensor();
        into.eval(runner, &[list, inputs[0].clone(), inputs[1].clone()])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = any_shape(e)?;
        let (grad, places) = (call.grad()?, &call.inputs[1]);
        let grad = e.tensor_list_gather(grad, places, &shape, self.element_dtype)?;
        let grad = e.reshape_like(&grad, &call.inputs[0])?;
        Ok(grads([Some(grad), None, None, None]))
    }
}
