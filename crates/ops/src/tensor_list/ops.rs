//! Operations on single elements of lists.

use super::PACKED_BYTES;
use super::grad::{element_dtype, empty_like, grads};
use super::list::TensorList;
use crate::args::{checked, expect_index, scalar};
use crate::emit::*;
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Emitter, Grads, Inputs, ObjectKernel, Op, Operands,
    Registry, Runner, Specs, Tensors, VjpCall, op_object,
};
use ferrograph_tensor::{DType, PartialShape, Result, Shape, Tensor, TensorSpec, bail, err};
use smallvec::smallvec;
use std::sync::Arc;

/// A list.
pub(super) fn list_spec() -> TensorSpec {
    TensorSpec::scalar(DType::Variant)
}

/// Checks that input `i` is a list.
pub(super) fn expect_list(inputs: &Inputs<'_>, i: usize) -> Result<()> {
    inputs.expect_dtype(i, DType::Variant)
}

/// The element shape that input `i` spells; a scalar -1 leaves it open.
pub(super) fn element_shape(inputs: &Inputs<'_>, i: usize) -> Result<PartialShape> {
    expect_index(inputs, i, "element_shape")?;
    match inputs.shape(i).rank() {
        Some(1) => Ok(inputs.shape_value(i)),
        _ => Ok(PartialShape::UNKNOWN),
    }
}

/// The element shape that a tensor spells.
pub(super) fn shape_in(t: &Tensor) -> Result<PartialShape> {
    let spec = t.spec();
    element_shape(&Inputs::new([(&spec, Some(t), None)]), 0)
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

fn single(list: TensorList) -> Result<Tensors> {
    Ok(smallvec![list.into_tensor()])
}

/// A list without places.
#[derive(Debug)]
pub struct EmptyTensorList {
    /// The dtype of the elements.
    pub element_dtype: DType,
}

impl Op for EmptyTensorList {
    op_object!();
    fn name(&self) -> &'static str {
        "EmptyTensorList"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("element_dtype", Attr::DType(self.element_dtype))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        element_shape(inputs, 0)?;
        Ok(smallvec![list_spec()])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        single(TensorList::new(
            self.element_dtype,
            shape_in(&inputs[0])?,
            0,
        )?)
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// A list of as many places as input 1 says, with nothing in them.
#[derive(Debug)]
pub struct TensorListReserve {
    /// The dtype of the elements.
    pub element_dtype: DType,
}

impl Op for TensorListReserve {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListReserve"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("element_dtype", Attr::DType(self.element_dtype))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        element_shape(inputs, 0)?;
        expect_index(inputs, 1, "num_elements")?;
        if let Some(n) = scalar(inputs, 1).filter(|n| *n < 0) {
            bail!(Shape, "num_elements must not be negative, got {n}");
        }
        Ok(smallvec![list_spec()])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let n = place_in(&inputs[1], "num_elements")?;
        single(TensorList::new(
            self.element_dtype,
            shape_in(&inputs[0])?,
            n,
        )?)
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// How many places a list has.
#[derive(Debug)]
pub struct TensorListLength;

impl Op for TensorListLength {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListLength"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        expect_list(inputs, 0)?;
        Ok(smallvec![TensorSpec::scalar(DType::Int32)])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let n = i32::try_from(TensorList::of(&inputs[0])?.len());
        Ok(smallvec![Tensor::scalar(n.unwrap_or(i32::MAX))?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// List 0 with tensor 2 at place 1.
#[derive(Debug)]
pub struct TensorListSetItem {
    /// The dtype of the elements.
    pub element_dtype: DType,
    /// Whether the list grows where the place lies behind its end.
    pub grows: bool,
}

impl Op for TensorListSetItem {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListSetItem"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("element_dtype", Attr::DType(self.element_dtype))
            .with("resize_if_index_out_of_bounds", Attr::Bool(self.grows))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(3)?;
        expect_list(inputs, 0)?;
        expect_index(inputs, 1, "index")?;
        inputs.expect_dtype(2, self.element_dtype)?;
        Ok(smallvec![list_spec()])
    }
    fn object_kernel(
        &self,
        inputs: &Inputs<'_>,
        _outputs: &[TensorSpec],
    ) -> Result<Option<ObjectKernel>> {
        let (index, dtype, grows) = (inputs.dtype(1), self.element_dtype, self.grows);
        let shape = packed(inputs.spec(2)).filter(|_| inputs.shape(1).n_elements() == Some(1));
        Ok(shape.map(|shape| {
            ObjectKernel::Changes(Box::new(move |list, o| {
                let i = place_of(o, index)?;
                TensorList::change(list, |list| {
                    if grows && i >= list.len() {
                        list.resize(i + 1)?;
                    }
                    list.set_bytes(i, dtype, &shape, o.input_bytes(1))
                })
            }))
        }))
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
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
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = call.grad()?;
        let (index, item) = (&call.inputs[1], &call.inputs[2]);
        let dtype = element_dtype(self.element_dtype);
        let shape = e.shape_of(item)?;
        let of_item = e.op(
            "TensorListGetItem",
            &[grad, index, &shape],
            vec![dtype.clone()],
        )?;
        let zeros = e.zeros_like(item)?;
        let rest = e.op("TensorListSetItem", &[grad, index, &zeros], vec![dtype])?;
        let rest = if self.grows {
            let n = e.op("TensorListLength", &[&call.inputs[0]], vec![])?;
            e.op("TensorListResize", &[&rest, &n], vec![])?
        } else {
            rest
        };
        Ok(grads([Some(rest), None, Some(of_item)]))
    }
}

/// The element of list 0 at place 1, zeros of shape 2 where none was written.
#[derive(Debug)]
pub struct TensorListGetItem {
    /// The dtype of the elements.
    pub element_dtype: DType,
}

impl Op for TensorListGetItem {
    op_object!();
    fn name(&self) -> &'static str {
        "TensorListGetItem"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("element_dtype", Attr::DType(self.element_dtype))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(3)?;
        expect_list(inputs, 0)?;
        expect_index(inputs, 1, "index")?;
        let shape = element_shape(inputs, 2)?;
        Ok(smallvec![TensorSpec::new(self.element_dtype, shape)])
    }
    fn object_kernel(
        &self,
        inputs: &Inputs<'_>,
        outputs: &[TensorSpec],
    ) -> Result<Option<ObjectKernel>> {
        let (index, dtype) = (inputs.dtype(1), self.element_dtype);
        let shape = packed(&outputs[0]).filter(|_| inputs.shape(1).n_elements() == Some(1));
        Ok(shape.map(|shape| {
            ObjectKernel::Reads(Box::new(move |list, o| {
                let i = place_of(o, index)?;
                TensorList::of(list)?.read(i, dtype, &shape, o.output_bytes(0))
            }))
        }))
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
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
        Ok(smallvec![list.item(i, &shape_in(&inputs[2])?)?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let zeros = empty_like(e, &call.inputs[0], self.element_dtype)?;
        let attrs = vec![element_dtype(self.element_dtype)];
        let inputs = [&zeros, &call.inputs[1], call.grad()?];
        let grad = e.op("TensorListSetItem", &inputs, attrs)?;
        Ok(grads([Some(grad), None, None]))
    }
}

pub(super) fn dtype(a: &AttrReader<'_>) -> Result<DType> {
    a.dtype("element_dtype")
}

pub(super) fn register(r: &mut Registry) {
    r.add("EmptyTensorList", |a| {
        Ok(Arc::new(EmptyTensorList {
            element_dtype: dtype(a)?,
        }))
    });
    r.add("TensorListReserve", |a| {
        Ok(Arc::new(TensorListReserve {
            element_dtype: dtype(a)?,
        }))
    });
    r.add("TensorListLength", |_| Ok(Arc::new(TensorListLength)));
    r.add("TensorListSetItem", |a| {
        Ok(Arc::new(TensorListSetItem {
            element_dtype: dtype(a)?,
            grows: a.bool_or("resize_if_index_out_of_bounds", false)?,
        }))
    });
    r.add("TensorListGetItem", |a| {
        Ok(Arc::new(TensorListGetItem {
            element_dtype: dtype(a)?,
        }))
    });
}
