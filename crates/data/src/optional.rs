//! Values that may be missing.

use crate::op::{check_element, element_specs};
use ferrograph_graph::{
    Attrs, Differentiability, Inputs, Op, Registry, Runner, Specs, Tensors, op_object,
};
use ferrograph_ops::specs_attrs;
use ferrograph_tensor::{DType, Object, Result, Tensor, TensorSpec, bail, err};
use smallvec::smallvec;
use std::any::Any;
use std::sync::Arc;

/// The components of a value, or nothing.
#[derive(Debug)]
pub struct OptionalValue(pub Option<Tensors>);

impl Object for OptionalValue {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl OptionalValue {
    /// The value that a variant tensor holds.
    ///
    /// # Errors
    /// `InvalidArgument` for another tensor.
    pub fn of(t: &Tensor) -> Result<&OptionalValue> {
        let object = t.as_object()?;
        object
            .as_any()
            .downcast_ref()
            .ok_or_else(|| err!(InvalidArgument, "expected an optional, got {object:?}"))
    }

    /// The value as a variant tensor.
    pub fn into_tensor(self) -> Tensor {
        Tensor::from_object(DType::Variant, Arc::new(self))
    }
}

fn variant() -> TensorSpec {
    TensorSpec::scalar(DType::Variant)
}

/// An optional of these components.
#[derive(Debug)]
struct FromValue;

impl Op for FromValue {
    op_object!();
    fn name(&self) -> &'static str {
        "OptionalFromValue"
    }
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(smallvec![variant()])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let value = inputs.iter().cloned().collect();
        Ok(smallvec![OptionalValue(Some(value)).into_tensor()])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// An optional of nothing.
#[derive(Debug)]
struct Missing;

impl Op for Missing {
    op_object!();
    fn name(&self) -> &'static str {
        "OptionalNone"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(0)?;
        Ok(smallvec![variant()])
    }
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        Ok(smallvec![OptionalValue(None).into_tensor()])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// Whether there is a value.
#[derive(Debug)]
struct HasValue;

impl Op for HasValue {
    op_object!();
    fn name(&self) -> &'static str {
        "OptionalHasValue"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        inputs.expect_dtype(0, DType::Variant)?;
        Ok(smallvec![TensorSpec::scalar(DType::Bool)])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let has = OptionalValue::of(&inputs[0])?.0.is_some();
        Ok(smallvec![Tensor::scalar(has)?])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// The components of the value.
#[derive(Debug)]
struct GetValue {
    specs: Vec<TensorSpec>,
}

impl Op for GetValue {
    op_object!();
    fn name(&self) -> &'static str {
        "OptionalGetValue"
    }
    fn attrs(&self) -> Attrs {
        specs_attrs(Attrs::new(), &self.specs)
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        inputs.expect_dtype(0, DType::Variant)?;
        Ok(self.specs.iter().cloned().collect())
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        match &OptionalValue::of(&inputs[0])?.0 {
            Some(value) => {
                check_element(&self.specs, value)?;
                Ok(value.clone())
            }
            None => bail!(InvalidArgument, "the optional has no value"),
        }
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

pub(crate) fn register(r: &mut Registry) {
    r.add("OptionalFromValue", |_| Ok(Arc::new(FromValue)));
    r.add("OptionalNone", |_| Ok(Arc::new(Missing)));
    r.add("OptionalHasValue", |_| Ok(Arc::new(HasValue)));
    r.add("OptionalGetValue", |a| {
        Ok(Arc::new(GetValue {
            specs: element_specs(a)?,
        }))
    });
}
