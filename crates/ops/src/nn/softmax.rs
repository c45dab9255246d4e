//! Softmax and its logarithm.

use crate::emit::*;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, Val, VjpCall, declare_family, of_family,
};
use ferrograph_kernels::nn::{self as k, Rows};
use ferrograph_tensor::{Element, PartialShape, Result, TensorSpec, bail, with_element};
use smallvec::smallvec;

declare_family! {
    trait EmitSoftmax;

    /// `e^x / sum(e^x)` along the last axis, or its logarithm.
    Softmax {
        /// Gives the logarithm.
        log: bool,
    } (logits: T in floating) -> (softmax: T) {};

    /// `exp(logits)` over its sum along the last axis.
    Softmax: softmax, gradient Vjp, batch Leads(1) { log: false };
    /// The logarithm of `exp(logits)` over its sum along the last axis.
    LogSoftmax: log_softmax, gradient Vjp, batch Leads(1) { log: true };
}

impl Op for Softmax {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let spec = inputs.spec(0);
        if spec.shape.rank() == Some(0) {
            bail!(
                Shape,
                "logits must have at least one dimension, got a scalar"
            );
        }
        Ok(smallvec![spec.clone()])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let Some(classes) = last_size(inputs.shape(0)) else {
            return Ok(Lowered::Eval);
        };
        with_element!(inputs.dtype(0), floating,
            T => Ok(Lowered::Rows(self.bind::<T>(classes))), else => Ok(Lowered::Eval))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (y, g) = (&call.outputs[0], call.grad()?);
        let grad = if self.log {
            let sum = row_sums(e, g)?;
            let softmax = e.exp(y)?;
            let spread = e.mul(&sum, &softmax)?;
            e.sub(g, &spread)?
        } else {
            through_softmax(e, y, g)?
        };
        Ok(smallvec![Some(grad.into())])
    }
}

impl Softmax {
    fn bind<T: Element + Rows>(&self, classes: usize) -> Kernel {
        let rows: fn(&[T], usize, &mut [T]) = if self.log { k::log_softmax } else { k::softmax };
        Box::new(move |o| {
            rows(o.input(0), classes, o.output(0));
            Ok(())
        })
    }
}

/// The size of the last axis where known.
pub(super) fn last_size(shape: &PartialShape) -> Option<usize> {
    shape.dims()?.last()?.known()
}

/// The sums along the last axis, which is kept.
fn row_sums(e: &mut dyn Emitter, x: &Val) -> Result<Val> {
    let axis = e.int_vector(&[-1])?;
    e.sum(x, &axis, true)
}

/// The gradient `g` of a softmax that gave `y`: `y (g - sum(g y))`.
pub(super) fn through_softmax(e: &mut dyn Emitter, y: &Val, g: &Val) -> Result<Val> {
    let product = e.mul(g, y)?;
    let sum = row_sums(e, &product)?;
    let rest = e.sub(g, &sum)?;
    e.mul(&rest, y)
}
