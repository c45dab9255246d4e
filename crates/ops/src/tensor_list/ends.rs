//! Operations on the end of lists.

use super::grad::{empty_like, grads};
use super::list::TensorList;
use super::ops::{element_shape, list_spec, packed, parts, place_in, shape_in};
use crate::emit::*;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Lowered, ObjectKernel, Op, Runner, Specs, Tensors, VjpCall, declare,
    declared,
};
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail};
use smallvec::smallvec;

declare! {
    trait EmitListEnds;

    /// The list with `tensor` behind its end.
    TensorListPushBack: tensor_list_push_back(input_handle: variant, tensor: element_dtype)
        -> (output_handle: variant), gradient Vjp, batch Rule {
        /// The dtype of the elements.
        element_dtype: DType,
    };

    /// The list without its last element, and that element, of shape `element_shape`.
    TensorListPopBack: tensor_list_pop_back(input_handle: variant, element_shape: _ in index)
        -> (output_handle: variant, tensor: element_dtype), gradient Vjp, batch Rule {
        /// The dtype of the elements.
        element_dtype: DType,
    };

    /// The list shortened or lengthened to `size` places.
    TensorListResize: tensor_list_resize(input_handle: variant, size: _ in index)
        -> (output_handle: variant), gradient Vjp;
}

impl Op for TensorListPushBack {
    declared!();
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let dtype = self.element_dtype;
        Ok(packed(inputs.spec(1)).map_or(Lowered::Eval, |shape| {
            Lowered::Object(ObjectKernel::Changes(Box::new(move |list, o| {
                TensorList::change(list, |list| {
                    list.push_bytes(dtype, &shape, o.input_bytes(0))
                })
            })))
        }))
    }
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        self.eval_owned(runner, inputs.iter().cloned().collect())
    }
    fn eval_owned(&self, _runner: &dyn Runner, inputs: Tensors) -> Result<Tensors> {
        let [mut list, item] = parts(inputs)?;
        TensorList::change(&mut list, |list| list.push(item))?;
        Ok(smallvec![list])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = e.shape_of(&call.inputs[1])?;
        let parts = e.tensor_list_pop_back(call.grad()?, &shape, self.element_dtype)?;
        Ok(grads(parts.map(Some)))
    }
}

impl Op for TensorListPopBack {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = element_shape(inputs, 1);
        Ok(smallvec![
            list_spec(),
            TensorSpec::new(self.element_dtype, shape)
        ])
    }
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        self.eval_owned(runner, inputs.iter().cloned().collect())
    }
    fn eval_owned(&self, _runner: &dyn Runner, inputs: Tensors) -> Result<Tensors> {
        let [mut list, shape] = parts(inputs)?;
        let item = TensorList::change(&mut list, |list| {
            let Some(last) = list.len().checked_sub(1) else {
                bail!(InvalidArgument, "cannot take an element from an empty list");
            };
            let item = list.item(last, &shape_in(&shape))?;
            list.resize(last)?;
            Ok(item)
        })?;
        Ok(smallvec![list, item])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let list = match call.grads.first().cloned().flatten() {
            Some(list) => list,
            None => empty_like(e, &call.outputs[0], self.element_dtype)?,
        };
        let item = match call.grads.get(1).cloned().flatten() {
            Some(item) => item,
            None => e.zeros_like(&call.outputs[1])?,
        };
        let grad = e.tensor_list_push_back(&list, &item, self.element_dtype)?;
        Ok(grads([Some(grad), None]))
    }
}

impl Op for TensorListResize {
    declared!();
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        self.eval_owned(runner, inputs.iter().cloned().collect())
    }
    fn eval_owned(&self, _runner: &dyn Runner, inputs: Tensors) -> Result<Tensors> {
        let [mut list, size] = parts(inputs)?;
        let n = place_in(&size, "size")?;
        TensorList::change(&mut list, |list| list.resize(n))?;
        Ok(smallvec![list])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let n = e.tensor_list_length(&call.inputs[0])?;
        let grad = e.tensor_list_resize(call.grad()?, &n)?;
        Ok(grads([Some(grad), None]))
    }
}
