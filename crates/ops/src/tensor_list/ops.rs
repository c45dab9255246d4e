//! Operations on single elements of lists.

use super::PACKED_BYTES;
use super::grad::{empty_like, grads};
use super::list::TensorList;
use crate::args::scalar;
use crate::emit::*;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Lowered, ObjectKernel, Op, Operands, Runner, Specs, Tensors, VjpCall,
    declare, declared,
};
use ferrograph_tensor::{DType, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err};
use smallvec::smallvec;

/// A list.
pub(super) fn list_spec() -> TensorSpec {
    TensorSpec::scalar(DType::Variant)
}

/// The element shape that input `i` spells; a scalar -1 leaves it open.
pub(super) fn element_shape(inputs: &Inputs<'_>, i: usize) -> PartialShape {
    match inputs.shape(i).rank() {
        Some(1) => inputs.shape_value(i),
        _ => PartialShape::UNKNOWN,
    }
}

/// The element shape that a tensor spells.
pub(super) fn shape_in(t: &Tensor) -> PartialShape {
    let spec = t.spec();
    element_shape(&Inputs::new([(&spec, Some(t), None)]), 0)
}

/// Whether a tensor spells that very shape, with nothing left open.
fn spells(t: &Tensor, shape: &Shape) -> Result<bool> {
    let is = |(n, &dim): (i64, &usize)| usize::try_from(n) == Ok(dim);
    if t.rank() != 1 || t.n_elements() != shape.rank() {
        return Ok(false);
    }
    Ok(match t.dtype() {
        DType::Int64 => t.as_slice::<i64>()?.iter().copied().zip(&**shape).all(is),
        _ => (t.as_slice::<i32>()?.iter())
            .map(|&n| n.into())
            .zip(&**shape)
            .all(is),
    })
}

/// The one integer in a tensor, as a place or count.
pub(super) fn place_in(t: &Tensor, what: &str) -> Result<usize> {
    if t.n_elements() != 1 {
        bail!(Shape, "{what} must be a scalar, got {}", t.spec());
    }
    let n = match t.dtype() {
        DType::Int64 => t.item::<i64>()?,
        _ => i64::from(t.item::<i32>()?),
    };
    usize::try_from(n).map_err(|_| err!(OutOfRange, "{what} {n} is negative"))
}

/// The index that operand 0 holds.
fn place_of(o: &Operands<'_>, dtype: DType) -> Result<usize> {
    let i = match dtype {
        DType::Int64 => o.input::<i64>(0)[0],
        _ => i64::from(o.input::<i32>(0)[0]),
    };
    usize::try_from(i).map_err(|_| err!(OutOfRange, "index {i} is negative"))
}

/// The shape of elements that lists keep side by side, if these are such.
pub(super) fn packed(spec: &TensorSpec) -> Option<Shape> {
    let shape = spec.shape.to_static()?;
    let bytes = shape.n_elements().checked_mul(spec.dtype.size())?;
    (spec.dtype.is_dense() && bytes <= PACKED_BYTES).then_some(shape)
}

/// The inputs of an operation that may consume them.
pub(super) fn parts<const N: usize>(inputs: Tensors) -> Result<[Tensor; N]> {
    let n = inputs.len();
    let parts = inputs.into_vec().try_into();
    parts.map_err(|_| err!(Type, "expected {N} inputs, got {n}"))
}

declare! {
    trait EmitListItems;

    /// A list without places, of elements of shape `element_shape`.
    EmptyTensorList: empty_tensor_list(element_shape: shape_type in index, max_num_elements: _ in any)
        -> (handle: variant), gradient Stops, batch Rule {
        /// The dtype of the elements.
        element_dtype: DType,
    };

    /// A list of `num_elements` places, with nothing in them, of elements of shape `element_shape`.
    TensorListReserve: tensor_list_reserve(element_shape: shape_type in index, num_elements: _ in index)
        -> (handle: variant), gradient Stops, batch Rule {
        /// The dtype of the elements.
        element_dtype: DType,
    };

    /// How many places a list has.
    TensorListLength: tensor_list_length(input_handle: variant) -> (length: int32 rank 0), gradient Stops, batch Rule;

    /// The list with `item` at place `index`.
    TensorListSetItem: tensor_list_set_item(input_handle: variant, index: _ in index, item: element_dtype)
        -> (output_handle: variant), gradient Vjp, batch Rule {
        /// The dtype of the elements.
        element_dtype: DType,
        /// Whether the list grows where the place is behind its end.
        grows as "resize_if_index_out_of_bounds": bool = false,
    };

    /// The element at place `index`, zeros of shape `element_shape` where none was written.
    TensorListGetItem: tensor_list_get_item(input_handle: variant, index: _ in index, element_shape: _ in index)
        -> (item: element_dtype), gradient Vjp, batch Rule {
        /// The dtype of the elements.
        element_dtype: DType,
    };
}

fn single(list: TensorList) -> Result<Tensors> {
    Ok(smallvec![list.into_tensor()])
}

impl Op for EmptyTensorList {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        single(TensorList::new(
            self.element_dtype,
            shape_in(&inputs[0]),
            0,
        )?)
    }
}

impl Op for TensorListReserve {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if let Some(n) = scalar(inputs, 1).filter(|n| *n < 0) {
            bail!(Shape, "num_elements must not be negative, got {n}");
        }
        Ok(smallvec![list_spec()])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let n = place_in(&inputs[1], "num_elements")?;
        single(TensorList::new(
            self.element_dtype,
            shape_in(&inputs[0]),
            n,
        )?)
    }
}

impl Op for TensorListLength {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let n = i32::try_from(TensorList::of(&inputs[0])?.len());
        Ok(smallvec![Tensor::scalar(n.unwrap_or(i32::MAX))?])
    }
}

impl Op for TensorListSetItem {
    declared!();
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let (index, dtype, grows) = (inputs.dtype(1), self.element_dtype, self.grows);
        let shape = packed(inputs.spec(2)).filter(|_| inputs.shape(1).n_elements() == Some(1));
        Ok(shape.map_or(Lowered::Eval, |shape| {
            Lowered::Object(ObjectKernel::Changes(Box::new(move |list, o| {
                let i = place_of(o, index)?;
                TensorList::change(list, |list| {
                    if grows && i >= list.len() {
                        list.resize(i + 1)?;
                    }
                    list.set_bytes(i, dtype, &shape, o.input_bytes(1))
                })
            })))
        }))
    }
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        self.eval_owned(runner, inputs.iter().cloned().collect())
    }
    fn eval_owned(&self, _runner: &dyn Runner, inputs: Tensors) -> Result<Tensors> {
        let [mut list, index, item] = parts(inputs)?;
        let i = place_in(&index, "index")?;
        TensorList::change(&mut list, |list| {
            if self.grows && i >= list.len() {
                list.resize(i + 1)?;
            }
            list.set(i, item)
        })?;
        Ok(smallvec![list])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = call.grad()?;
        let (index, item) = (&call.inputs[1], &call.inputs[2]);
        let shape = e.shape_of(item)?;
        let of_item = e.tensor_list_get_item(grad, index, &shape, self.element_dtype)?;
        let zeros = e.zeros_like(item)?;
        let rest = e.tensor_list_set_item(grad, index, &zeros, self.element_dtype, false)?;
        let rest = if self.grows {
            let n = e.tensor_list_length(&call.inputs[0])?;
            e.tensor_list_resize(&rest, &n)?
        } else {
            rest
        };
        Ok(grads([Some(rest), None, Some(of_item)]))
    }
}

impl Op for TensorListGetItem {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = element_shape(inputs, 2);
        Ok(smallvec![TensorSpec::new(self.element_dtype, shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (index, dtype) = (inputs.dtype(1), self.element_dtype);
        let shape = packed(&outputs[0]).filter(|_| inputs.shape(1).n_elements() == Some(1));
        Ok(shape.map_or(Lowered::Eval, |shape| {
            Lowered::Object(ObjectKernel::Reads(Box::new(move |list, o| {
                let i = place_of(o, index)?;
                TensorList::of(list)?.read(i, dtype, &shape, o.output_bytes(0))
            })))
        }))
    }
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        self.eval_owned(runner, inputs.iter().cloned().collect())
    }
    fn eval_owned(&self, _runner: &dyn Runner, inputs: Tensors) -> Result<Tensors> {
        let list = TensorList::of(&inputs[0])?;
        if list.dtype != self.element_dtype {
            bail!(
                DType,
                "a list of {} was read as {}",
                list.dtype,
                self.element_dtype
            );
        }
        let i = place_in(&inputs[1], "index")?;
        let written = (i < list.len()).then(|| list.get(i)).flatten();
        if let Some(item) = written
            && spells(&inputs[2], item.shape())?
        {
            return Ok(smallvec![item]);
        }
        Ok(smallvec![list.item(i, &shape_in(&inputs[2]))?])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let zeros = empty_like(e, &call.inputs[0], self.element_dtype)?;
        let (index, item) = (&call.inputs[1], call.grad()?);
        let grad = e.tensor_list_set_item(&zeros, index, item, self.element_dtype, false)?;
        Ok(grads([Some(grad), None, None]))
    }
}
