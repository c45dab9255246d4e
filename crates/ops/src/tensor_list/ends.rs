//! Operations on the end of lists.

use super::grad::{element_dtype, empty_like, grads, no_grad};
use super::list::TensorList;
use super::ops::{dtype, element_shape, expect_list, list_spec, packed, parts, place_in, shape_in};
use crate::args::{checked, expect_index};
use crate::emit::*;
use ferrograph_graph::{
    Attr, Attrs, Differentiability, Emitter, Grads, Inputs, ObjectKernel, Op, Registry, Runner,
    Specs, Tensors, VjpCall, op_object,
};
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail};
use smallvec::smallvec;
use std::sync::Arc;

/// List 0 with tensor 1 behind its end.
#[derive(Debug)]
pub struct TensorListPushBack {
    /// The dtype of the elements.
    pub element_dtype: DType,
}

impl Op for TensorListPushBack {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListPushBack"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("element_dtype", Attr::DType(self.element_dtype))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        expect_list(inputs, 0)?;
        inputs.expect_dtype(1, self.element_dtype)?;
        Ok(smallvec![list_spec()])
    }
    fn object_kernel(
        &self,
        inputs: &Inputs<'_>,
        _outputs: &[TensorSpec],
    ) -> Result<Option<ObjectKernel>> {
        let dtype = self.element_dtype;
        Ok(packed(inputs.spec(1)).map(|shape| {
            ObjectKernel::Changes(Box::new(move |list, o| {
                TensorList::change(list, |list| {
                    list.push_bytes(dtype, &shape, o.input_bytes(0))
                })
            }))
        }))
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        self.eval_owned(runner, inputs.iter().cloned().collect())
    }
    fn eval_owned(&self, _runner: &dyn Runner, inputs: Tensors) -> Result<Tensors> {
        let [mut list, item] = parts(inputs)?;
        TensorList::change(&mut list, |list| list.push(item))?;
        Ok(smallvec![list])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let shape = e.shape_of(&call.inputs[1])?;
        let inputs = [call.grad()?.clone(), shape];
        let attrs = vec![element_dtype(self.element_dtype)];
        let parts = e.op_all("TensorListPopBack", &inputs, attrs)?;
        Ok(parts.into_iter().map(|g| Some(g.into())).collect())
    }
}

/// List 0 without its last element, and that element; input 1 is the elements' shape.
#[derive(Debug)]
pub struct TensorListPopBack {
    /// The dtype of the elements.
    pub element_dtype: DType,
}

impl Op for TensorListPopBack {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListPopBack"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("element_dtype", Attr::DType(self.element_dtype))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        expect_list(inputs, 0)?;
        let shape = element_shape(inputs, 1)?;
        Ok(smallvec![
            list_spec(),
            TensorSpec::new(self.element_dtype, shape)
        ])
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        self.eval_owned(runner, inputs.iter().cloned().collect())
    }
    fn eval_owned(&self, _runner: &dyn Runner, inputs: Tensors) -> Result<Tensors> {
        let [mut list, shape] = parts(inputs)?;
        let item = TensorList::change(&mut list, |list| {
            let Some(last) = list.len().checked_sub(1) else {
                bail!(InvalidArgument, "cannot take an element from an empty list");
            };
            let item = list.item(last, &shape_in(&shape)?)?;
            list.resize(last)?;
            Ok(item)
        })?;
        Ok(smallvec![list, item])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
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
        let attrs = vec![element_dtype(self.element_dtype)];
        let grad = e.op("TensorListPushBack", &[&list, &item], attrs)?;
        Ok(grads([Some(grad), None]))
    }
}

/// List 0 shortened or lengthened to the count input 1.
#[derive(Debug)]
pub struct TensorListResize;

impl Op for TensorListResize {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListResize"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        expect_list(inputs, 0)?;
        expect_index(inputs, 1, "size")?;
        Ok(smallvec![list_spec()])
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        self.eval_owned(runner, inputs.iter().cloned().collect())
    }
    fn eval_owned(&self, _runner: &dyn Runner, inputs: Tensors) -> Result<Tensors> {
        let [mut list, size] = parts(inputs)?;
        let n = place_in(&size, "size")?;
        TensorList::change(&mut list, |list| list.resize(n))?;
        Ok(smallvec![list])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let n = e.op("TensorListLength", &[&call.inputs[0]], vec![])?;
        let grad = e.op("TensorListResize", &[call.grad()?, &n], vec![])?;
        let mut grads = no_grad(2);
        grads[0] = Some(grad.into());
        Ok(grads)
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add("TensorListPushBack", |a| {
        Ok(Arc::new(TensorListPushBack {
            element_dtype: dtype(a)?,
        }))
    });
    r.add("TensorListPopBack", |a| {
        Ok(Arc::new(TensorListPopBack {
            element_dtype: dtype(a)?,
        }))
    });
    r.add("TensorListResize", |_| Ok(Arc::new(TensorListResize)));
}
