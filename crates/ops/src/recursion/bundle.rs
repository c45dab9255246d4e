//! Several values as one, whatever their types: what a level of a recursion keeps for its gradient, in which the levels
//! below are one value.

use crate::emit::*;
use ferrograph_graph::{
    Emitter, Grad, Grads, Inputs, Op, Runner, Specs, Tensors, Val, VjpCall, declare, declared,
};
use ferrograph_tensor::{
    DType, Object, PartialShape, Result, Tensor, TensorSpec, bail, depth_over, err,
};
use smallvec::smallvec;
use std::any::Any;
use std::sync::Arc;

/// The values in a variant tensor.
#[derive(Debug)]
struct Values {
    parts: Tensors,
    depth: usize,
}

impl Object for Values {
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

impl Values {
    fn over(parts: Tensors) -> Result<Values> {
        let depth = depth_over(&parts)?;
        Ok(Values { parts, depth })
    }

    fn find(t: &Tensor) -> Option<&Values> {
        t.as_object().ok()?.as_any().downcast_ref()
    }

    fn of(t: &Tensor) -> Result<&Values> {
        Values::find(t).ok_or_else(|| err!(InvalidArgument, "expected a bundle, got {t:?}"))
    }

    fn into_tensor(self) -> Tensor {
        Tensor::from_object(DType::Variant, Arc::new(self))
    }
}

declare! {
    trait EmitBundles;

    /// The values `components` as one.
    Bundle is "CompositeTensorVariantFromComponents" as "bundle": bundle(components: [Tcomponents]) -> (encoded: variant),
        gradient Vjp {
        /// What other programs say of the composite value that they are; it has no effect.
        metadata: String = String::new(),
    };

    /// The values in `encoded`.
    Unbundle is "CompositeTensorVariantToComponents" as "unbundle": unbundle(encoded: variant)
        -> (components: [Tcomponents]), gradient Vjp {
        /// What other programs say of the composite value that they are; it has no effect.
        metadata: String = String::new(),
        /// Their dtypes.
        dtypes as "Tcomponents": Vec<DType>,
        /// Their shapes.
        output_shapes: Vec<PartialShape>,
    };
}

/// Whether gradients flow through a value of that dtype.
fn carries(dtype: DType) -> bool {
    dtype.is_differentiable() || dtype == DType::Variant
}

impl Op for Bundle {
    declared!();
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let values = inputs.iter().cloned().collect();
        Ok(smallvec![Values::over(values)?.into_tensor()])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let specs = call.inputs.iter().map(Val::spec);
        let (dtypes, shapes) = specs.map(|s| (s.dtype, s.shape)).unzip();
        let parts = e.unbundle(call.grad()?, self.metadata.clone(), dtypes, shapes)?;
        let grad = |part: Val| carries(part.dtype()).then_some(Grad::Dense(part));
        Ok(parts.into_iter().map(grad).collect())
    }
}

impl Op for Unbundle {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        if self.dtypes.len() != self.output_shapes.len() {
            bail!(Value, "a bundle has as many dtypes as shapes");
        }
        let types = self.dtypes.iter().zip(&self.output_shapes);
        Ok(types
            .map(|(dtype, shape)| TensorSpec::new(*dtype, shape.clone()))
            .collect())
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let values = &Values::of(&inputs[0])?.parts;
        let fits = values.len() == self.dtypes.len()
            && (values.iter().zip(&self.dtypes)).all(|(t, dtype)| t.dtype() == *dtype);
        if !fits {
            bail!(InvalidArgument, "the bundle holds other values");
        }
        Ok(values.clone())
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let mut parts = Vec::with_capacity(call.outputs.len());
        for (output, grad) in call.outputs.iter().zip(call.grads) {
            parts.push(match grad {
                Some(grad) => grad.clone(),
                None if carries(output.dtype()) => e.zeros_like(output)?,
                None => output.clone(),
            });
        }
        Ok(smallvec![Some(
            e.bundle(&parts, self.metadata.clone())?.into()
        )])
    }
}

/// The zero of gradients for a variant that is a bundle: zeros for what gradients flow through, the rest as it is.
pub(crate) fn zeros_like_bundle(t: &Tensor) -> Option<Result<Tensor>> {
    let zero = |t: &Tensor| match t.dtype() {
        DType::Variant => crate::variant::zeros_like(t),
        dtype if dtype.is_differentiable() => Tensor::zeros(dtype, t.shape().clone()),
        _ => Ok(t.clone()),
    };
    let zeros: Result<Tensors> = Values::find(t)?.parts.iter().map(zero).collect();
    Some(zeros.and_then(|zeros| Ok(Values::over(zeros)?.into_tensor())))
}

/// The sum of variants that are bundles, value by value; `None` where the first is none.
pub(crate) fn sum_of_bundles(runner: &dyn Runner, all: &[Tensor]) -> Option<Result<Tensor>> {
    let first = Values::find(all.first()?)?;
    let add = |i: usize| -> Result<Tensor> {
        let values = all.iter().map(|t| {
            let value = Values::of(t)?.parts.get(i).cloned();
            value.ok_or_else(|| err!(InvalidArgument, "bundles of other values are added"))
        });
        let values: Tensors = values.collect::<Result<_>>()?;
        match values[0].dtype() {
            DType::Variant => crate::variant::sum(runner, &values),
            dtype if dtype.is_differentiable() => (values[1..].iter())
                .try_fold(values[0].clone(), |sum, x| {
                    crate::elementwise::add_now(runner, &sum, x)
                }),
            _ => Ok(values[0].clone()),
        }
    };
    let sums: Result<Tensors> = (0..first.parts.len()).map(add).collect();
    Some(sums.and_then(|sums| Ok(Values::over(sums)?.into_tensor())))
}
