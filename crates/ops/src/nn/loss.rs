//! Cross entropies.

use super::softmax::{last_size, through_softmax};
use super::wide::{Wide, losses};
use crate::emit::*;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, Val, VjpCall, declare, declared,
};
use ferrograph_kernels::nn as k;
use ferrograph_kernels::scratch::collected;
use ferrograph_tensor::{
    DType, Dim, Element, PartialShape, Result, TensorSpec, bail, with_element,
};
use smallvec::smallvec;

declare! {
    trait EmitLosses;

    /// The cross entropy of `labels`, a probability for each class, against the softmax of `features`, row by row;
    /// `backprop` is its gradient by the features.
    SoftmaxCrossEntropyWithLogits: softmax_cross_entropy(features: T in floating, labels: T)
        -> (loss: T, backprop: T), gradient Vjp, batch Folds(2);

    /// The cross entropy of `labels`, each the number of one class, against the softmax of `features`, row by row;
    /// `backprop` is its gradient by the features.
    SparseSoftmaxCrossEntropyWithLogits: sparse_softmax_cross_entropy(
        features: T in floating, labels: Tlabels in index
    ) -> (loss: T, backprop: T), gradient Vjp, batch Folds(2);
}

/// The specs of losses and their gradient.
fn specs(dtype: DType, logits: PartialShape) -> Specs {
    let rows = PartialShape::new(&[logits.dim(0)]);
    smallvec![TensorSpec::new(dtype, rows), TensorSpec::new(dtype, logits)]
}

impl Op for SoftmaxCrossEntropyWithLogits {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(specs(inputs.dtype(0), dense_shape(inputs)?))
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let Some(classes) = last_size(&outputs[1].shape) else {
            return Ok(Lowered::Eval);
        };
        dense_kernel(inputs, outputs, classes).map(Lowered::kernel_or_eval)
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (logits, labels) = (&call.inputs[0], &call.inputs[1]);
        let backprop = &call.outputs[1];
        let mut by_labels = None;
        if let Some(g) = &call.grads[0] {
            let g = column(e, g)?;
            let log = e.log_softmax(logits)?;
            let minus = e.neg(&log)?;
            by_labels = Some(e.mul(&g, &minus)?);
        }
        if let Some(g) = &call.grads[1] {
            by_labels = Some(match by_labels {
                Some(first) => e.sub(&first, g)?,
                None => e.neg(g)?,
            });
        }
        let by_logits = by_logits(e, call)?
            .map(|g| e.unbroadcast(&g, logits, backprop))
            .transpose()?;
        let by_labels = by_labels
            .map(|g| e.unbroadcast(&g, labels, backprop))
            .transpose()?;
        Ok(smallvec![
            by_logits.map(Into::into),
            by_labels.map(Into::into)
        ])
    }
}

impl Op for SparseSoftmaxCrossEntropyWithLogits {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok(specs(inputs.dtype(0), sparse_shape(inputs)?))
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let Some(classes) = last_size(&outputs[1].shape) else {
            return Ok(Lowered::Eval);
        };
        Ok(Lowered::kernel_or_eval(match inputs.dtype(1) {
            DType::Int32 => sparse_kernel::<i32>(inputs.dtype(0), classes),
            _ => sparse_kernel::<i64>(inputs.dtype(0), classes),
        }))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        Ok(smallvec![by_logits(e, call)?.map(Into::into), None])
    }
}

/// The gradient of a cross entropy by its logits, in the shape that they broadcast to: of the losses, and of the gradient
/// that it gives.
fn by_logits(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Option<Val>> {
    let (logits, backprop) = (&call.inputs[0], &call.outputs[1]);
    let mut total: Option<Val> = None;
    if let Some(g) = &call.grads[0] {
        let g = column(e, g)?;
        total = Some(e.mul(&g, backprop)?);
    }
    if let Some(g) = &call.grads[1] {
        let softmax = e.softmax(logits)?;
        let second = through_softmax(e, &softmax, g)?;
        total = Some(match total {
            Some(first) => e.add(&first, &second)?,
            None => second,
        });
    }
    Ok(total)
}

/// A vector as a matrix of one column.
fn column(e: &mut dyn Emitter, x: &Val) -> Result<Val> {
    let shape = e.int_vector(&[-1, 1])?;
    e.reshape(x, &shape)
}

fn dense_shape(inputs: &Inputs<'_>) -> Result<PartialShape> {
    // No operand has more axes than two.
    let rows = PartialShape::of_rank(2);
    let [a, b] = [0, 1].map(|i| match inputs.shape(i) {
        shape if shape.rank().is_none() => &rows,
        shape => shape,
    });
    let both = a.broadcast(b)?;
    if both.rank().is_some_and(|r| r != 2) {
        bail!(
            Shape,
            "logits and labels must be 2-dimensional, got shapes {} and {}",
            inputs.shape(0),
            inputs.shape(1)
        );
    }
    both.merge(&PartialShape::of_rank(2))
}

fn sparse_shape(inputs: &Inputs<'_>) -> Result<PartialShape> {
    let (logits, labels) = (inputs.shape(0), inputs.shape(1));
    if logits.rank().is_some_and(|r| r != 2) {
        bail!(Shape, "logits must be 2-D, but got shape {logits}");
    }
    if labels.rank().is_some_and(|r| r != 1) {
        bail!(Shape, "labels must be 1-D, but got shape {labels}");
    }
    if !logits.dim(0).is_compatible(labels.dim(0)) {
        bail!(
            Shape,
            "logits and labels must have the same first dimension, got logits shape {logits} and labels shape {labels}"
        );
    }
    let rows = PartialShape::new(&[labels.dim(0), Dim::UNKNOWN]);
    logits.merge(&rows)
}

fn dense_kernel(
    inputs: &Inputs<'_>,
    outputs: &[TensorSpec],
    classes: usize,
) -> Result<Option<Kernel>> {
    let out = &outputs[1].shape;
    if inputs.shape(0) == out && inputs.shape(1) == out {
        return Ok(
            with_element!(inputs.dtype(0), floating, T => Some(dense::<T>(classes)), else => None),
        );
    }
    let shapes = [inputs.shape(0), inputs.shape(1), out].map(PartialShape::to_static);
    let [Some(logits), Some(labels), Some(out)] = shapes else {
        return Ok(None);
    };
    let places = [logits, labels]
        .map(|own| crate::elementwise::broadcast_indices(&own, &out).collect::<Vec<usize>>());
    Ok(
        with_element!(inputs.dtype(0), floating, T => Some(repeated::<T>(places, classes)), else => None),
    )
}

fn dense<T: Wide>(classes: usize) -> Kernel {
    Box::new(move |o| {
        let (logits, labels) = (T::widen(o.input(0)), T::widen(o.input(1)));
        let (loss, gradient) = o.two_outputs::<T, T>();
        losses(loss, gradient, |loss, gradient| {
            k::softmax_cross_entropy(&logits, &labels, classes, loss, gradient);
        });
        Ok(())
    })
}

/// As [`dense`], with operands of which each is repeated to the shape of both.
fn repeated<T: Wide>(places: [Vec<usize>; 2], classes: usize) -> Kernel {
    Box::new(move |o| {
        let take = |i: usize| {
            let x = T::widen(o.input::<T>(i)).into_owned();
            collected(places[i].iter().map(|&at| x[at]))
        };
        let (logits, labels) = (take(0), take(1));
        let (loss, gradient) = o.two_outputs::<T, T>();
        losses(loss, gradient, |loss, gradient| {
            k::softmax_cross_entropy(&logits, &labels, classes, loss, gradient);
        });
        Ok(())
    })
}

fn sparse_kernel<L: Element + Into<i64>>(logits: DType, classes: usize) -> Option<Kernel> {
    with_element!(logits, floating, T => Some(sparse::<T, L>(classes)), else => None)
}

fn sparse<T: Wide, L: Element + Into<i64>>(classes: usize) -> Kernel {
    Box::new(move |o| {
        let labels: Vec<i64> = collected(o.input::<L>(1).iter().map(|&l| l.into()));
        let outside = |l: &&i64| usize::try_from(**l).map_or(true, |l| l >= classes);
        if let Some(label) = labels.iter().find(outside) {
            bail!(
                InvalidArgument,
                "Received a label value of {label} which is outside the valid range of [0, {classes})"
            );
        }
        let logits = T::widen(o.input(0));
        let (loss, gradient) = o.two_outputs::<T, T>();
        losses(loss, gradient, |loss, gradient| {
            k::sparse_softmax_cross_entropy(&logits, &labels, classes, loss, gradient);
        });
        Ok(())
    })
}
