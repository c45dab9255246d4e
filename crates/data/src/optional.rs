//! Values that may be missing.

use crate::op::check_element;
use ferrograph_graph::{Op, Runner, Tensors, declare, declared};
use ferrograph_tensor::{DType, Object, Result, Tensor, TensorSpec, bail, depth_over, err};
use smallvec::smallvec;
use std::any::Any;
use std::sync::Arc;

/// The components of a value, or nothing.
#[derive(Debug)]
pub struct OptionalValue {
    /// The components, if there is a value.
    pub value: Option<Tensors>,
    depth: usize,
}

impl Object for OptionalValue {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn is_value(&self) -> bool {
        true
    }
    fn depth(&self) -> usize {
        self.depth
    }
}

impl OptionalValue {
    /// An optional of that value, or of nothing.
    ///
    /// # Errors
    /// `ResourceExhausted` for optionals within each other beyond all measure.
    pub fn new(value: Option<Tensors>) -> Result<OptionalValue> {
        let depth = depth_over(value.as_deref().unwrap_or_default())?;
        Ok(OptionalValue { value, depth })
    }

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

declare! {
    trait EmitOptionals;

    /// An optional of `components`.
    OptionalFromValue: optional_from_value(components: [Toutput_types]) -> (optional: variant), gradient Stops;

    /// An optional of nothing.
    OptionalNone: optional_none() -> (optional: variant), gradient Stops;

    /// Whether `optional` has a value.
    OptionalHasValue: optional_has_value(optional: variant) -> (has_value: bool rank 0), gradient Stops;

    /// The components of the value of `optional`.
    OptionalGetValue: optional_get_value(optional: variant) -> (components: [output_types]), gradient Stops {
        /// The types of the components of the value.
        value as ("output_types", "output_shapes"): Vec<TensorSpec>,
    };
}

impl Op for OptionalFromValue {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let value = inputs.iter().cloned().collect();
        Ok(smallvec![OptionalValue::new(Some(value))?.into_tensor()])
    }
}

impl Op for OptionalNone {
    declared!();
    fn eval(&self, _runner: &dyn Runner, _inputs: &[Tensor]) -> Result<Tensors> {
        Ok(smallvec![OptionalValue::new(None)?.into_tensor()])
    }
}

impl Op for OptionalHasValue {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let has = OptionalValue::of(&inputs[0])?.value.is_some();
        Ok(smallvec![Tensor::scalar(has)?])
    }
}

impl Op for OptionalGetValue {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        match &OptionalValue::of(&inputs[0])?.value {
            Some(value) => {
                check_element(&self.value, value)?;
                Ok(value.clone())
            }
            None => bail!(InvalidArgument, "the optional has no value"),
        }
    }
}
