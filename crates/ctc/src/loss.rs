//! The loss.

use crate::alignment::{self, Rules, least_time};
use crate::frames::{Frames, batch};
use ferrograph_graph::{
    Emitter, Grads, Inputs, Op, Runner, Specs, Tensors, VjpCall, declare, declared,
};
use ferrograph_kernels::pool::par_rows_mut;
use ferrograph_ops::emit::*;
use ferrograph_tensor::{DType, Element, PartialShape, Result, Tensor, TensorSpec, bail};
use num_traits::AsPrimitive;
use smallvec::smallvec;

declare! {
    trait EmitCtcLoss;

    /// Minus the log probability of each sequence's labels under the scores `inputs` (`[time, batch, class]`, the last
    /// class is blank), and its gradient by them. Labels are a sparse matrix, a row each sequence.
    CTCLoss: ctc_loss(
        inputs: T in float_parts rank 3, labels_indices: int64 rank 2, labels_values: int32 rank 1,
        sequence_length: int32 rank 1,
    ) -> (loss: T, gradient: T), gradient Vjp {
        /// Whether equal labels one after the other are made one first.
        preprocess_collapse_repeated: bool = false,
        /// Whether equal classes one after the other are one label.
        ctc_merge_repeated: bool = true,
        /// Whether labels that do not fit into their sequence give 0 rather than an error.
        ignore_longer_outputs_than_inputs: bool = false,
    };
}

impl Op for CTCLoss {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let batch = batch(inputs, 3)?;
        let places = inputs.shape(1).merge(&PartialShape::of_rank(2))?;
        if places.dim(1).known().is_some_and(|n| n != 2) {
            bail!(Shape, "labels_indices must have shape [n, 2], got {places}");
        }
        let values = inputs.shape(2).merge(&PartialShape::of_rank(1))?;
        if !places.dim(0).is_compatible(values.dim(0)) {
            bail!(
                Shape,
                "labels_indices of shape {places} do not fit labels_values of shape {values}"
            );
        }
        let dtype = inputs.dtype(0);
        Ok(smallvec![
            TensorSpec::new(dtype, PartialShape::new(&[batch])),
            TensorSpec::new(dtype, inputs.shape(0).merge(&PartialShape::of_rank(3))?)
        ])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        match inputs[0].dtype() {
            DType::Float32 => self.losses::<f32>(inputs),
            _ => self.losses::<f64>(inputs),
        }
    }
    /// The loss moves with the scores as the other output says, which is a constant here.
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        if call.grads[1].is_some() {
            bail!(
                Unimplemented,
                "there is no second derivative of CTCLoss by its logits"
            );
        }
        let Some(grad) = &call.grads[0] else {
            return Ok(smallvec![None; 4]);
        };
        let axis = e.scalar(1.0, DType::Int32)?;
        let column = e.expand_dims(grad, &axis)?;
        let grad = e.mul(&call.outputs[1], &column)?;
        Ok(smallvec![Some(grad.into()), None, None, None])
    }
}

/// A loss, and its gradient by the scores of its sequence.
type Slopes = (f64, Vec<f64>);

impl CTCLoss {
    fn losses<T>(&self, inputs: &[Tensor]) -> Result<Tensors>
    where
        T: Element + AsPrimitive<f64>,
        f64: AsPrimitive<T>,
    {
        let frames = Frames::<T>::new(&inputs[0], &inputs[3])?;
        if frames.classes == 0 {
            bail!(InvalidArgument, "inputs must have a class at least, blank");
        }
        let rules = Rules {
            blank: frames.classes - 1,
            merge: self.ctc_merge_repeated,
        };
        let labels = self.labels(&inputs[1], &inputs[2], frames.batch, rules.blank)?;
        let one = |b: usize| self.one(&frames, &labels[b], b, rules);
        let mut found: Vec<Option<Result<Slopes>>> = (0..frames.batch).map(|_| None).collect();
        let cost = 20.0 * frames.time as f64 * frames.classes as f64;
        par_rows_mut(&mut found, 1, cost, |first, slots| {
            for (i, slot) in slots.iter_mut().enumerate() {
                *slot = Some(one(first + i));
            }
        });
        let mut losses: Vec<T> = Vec::with_capacity(frames.batch);
        let mut gradient = Tensor::zeros(T::DTYPE, inputs[0].shape().clone())?;
        let all = gradient.as_mut_slice::<T>()?;
        for (b, found) in found.into_iter().flatten().enumerate() {
            let (loss, slopes) = found?;
            losses.push(loss.as_());
            for (t, row) in slopes.chunks(frames.classes).enumerate() {
                let to = &mut all[frames.at(t, b)..][..frames.classes];
                to.iter_mut()
                    .zip(row)
                    .for_each(|(to, from)| *to = from.as_());
            }
        }
        Ok(smallvec![Tensor::vector(&losses)?, gradient])
    }

    /// The loss and gradient of one sequence.
    fn one<T: Element + AsPrimitive<f64>>(
        &self,
        frames: &Frames<'_, T>,
        labels: &[usize],
        b: usize,
        rules: Rules,
    ) -> Result<Slopes> {
        let (needed, there) = (least_time(labels, rules), frames.lengths[b]);
        if needed > there {
            if self.ignore_longer_outputs_than_inputs {
                return Ok((0.0, Vec::new()));
            }
            bail!(
                InvalidArgument,
                "the labels of sequence {b} need {needed} steps of time, it has {there}"
            );
        }
        let log_probs = frames.log_probabilities(b)?;
        alignment::loss(labels, &log_probs, frames.classes, rules)
    }

    /// The labels of each sequence.
    fn labels(
        &self,
        places: &Tensor,
        values: &Tensor,
        batch: usize,
        blank: usize,
    ) -> Result<Vec<Vec<usize>>> {
        let mut all: Vec<Vec<usize>> = ferrograph_tensor::vec_of(Vec::new(), batch)?;
        let (places, values) = (places.as_slice::<i64>()?, values.as_slice::<i32>()?);
        for (i, (place, &value)) in places.chunks(2).zip(values).enumerate() {
            let row = usize::try_from(place[0]).ok().and_then(|r| all.get_mut(r));
            let Some(row) = row else {
                bail!(
                    InvalidArgument,
                    "labels_indices[{i}, 0] = {} is not in [0, {batch})",
                    place[0]
                );
            };
            let label = usize::try_from(value).ok().filter(|l| *l < blank);
            let Some(label) = label else {
                bail!(
                    InvalidArgument,
                    "labels_values[{i}] must be in [0, {blank}), got {value}"
                );
            };
            if !(self.preprocess_collapse_repeated && row.last() == Some(&label)) {
                ferrograph_kernels::scratch::push(row, label);
            }
        }
        Ok(all)
    }
}
