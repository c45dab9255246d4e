//! Decoding by the best class at each time.

use crate::decoded::{sparse, sparse_specs};
use crate::frames::{Frames, batch};
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::scratch::push;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{DType, Dim, Element, PartialShape, Result, Tensor, TensorSpec, bail};
use num_traits::AsPrimitive;

declare! {
    trait EmitCtcGreedy;

    /// The classes with the best score of each time, without blanks, as a sparse matrix, a row each sequence; and minus
    /// the sums of these scores.
    CTCGreedyDecoder: ctc_greedy_decoder(inputs: T in float_parts rank 3, sequence_length: int32 rank 1)
        -> (decoded_indices: int64, decoded_values: int64, decoded_shape: int64, log_probability: T), gradient Stops {
        /// Whether equal classes one after the other are one label.
        merge_repeated: bool = false,
        /// The class that represents no label; counted from the end where negative.
        blank_index: i64 = -1,
    };
}

impl Op for CTCGreedyDecoder {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let batch = batch(inputs, 1)?;
        let mut specs: Specs = sparse_specs().into_iter().collect();
        let column = PartialShape::new(&[batch, Dim::new(1)]);
        specs.push(TensorSpec::new(inputs.dtype(0), column));
        Ok(specs)
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        match inputs[0].dtype() {
            DType::Float32 => self.decoded::<f32>(inputs),
            _ => self.decoded::<f64>(inputs),
        }
    }
}

/// The first of the best scores.
fn best(scores: impl Iterator<Item = f64>) -> (usize, f64) {
    let mut found = (0, f64::NEG_INFINITY);
    for (class, score) in scores.enumerate() {
        if score > found.1 || class == 0 {
            found = (class, score);
        }
    }
    found
}

impl CTCGreedyDecoder {
    fn decoded<T>(&self, inputs: &[Tensor]) -> Result<Tensors>
    where
        T: Element + AsPrimitive<f64>,
        f64: AsPrimitive<T>,
    {
        let frames = Frames::<T>::new(&inputs[0], &inputs[1])?;
        let classes = frames.classes as i64;
        let blank = if self.blank_index < 0 {
            self.blank_index + classes
        } else {
            self.blank_index
        };
        if !(0..classes).contains(&blank) {
            bail!(
                InvalidArgument,
                "blank_index must be in [-{classes}, {classes}), got {}",
                self.blank_index
            );
        }
        let (mut rows, mut scores) = (Vec::new(), Vec::new());
        for b in 0..frames.batch {
            let (mut row, mut sum, mut before) = (Vec::new(), 0.0, -1);
            for t in 0..frames.lengths[b] {
                poll_cancellation();
                let (class, score) = best(frames.scores(t, b).iter().map(|&x| x.as_()));
                let class = class as i64;
                sum -= score;
                if class != blank && !(self.merge_repeated && class == before) {
                    push(&mut row, class);
                }
                before = class;
            }
            push(&mut rows, row);
            push(&mut scores, AsPrimitive::<T>::as_(sum));
        }
        let mut outputs: Tensors = sparse(&rows)?.into_iter().collect();
        outputs.push(Tensor::from_slice([frames.batch, 1], &scores)?);
        Ok(outputs)
    }
}
