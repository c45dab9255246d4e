//! Classes drawn by a seed given as a tensor.

use super::categorical::{infer, lower};
use super::key::{check_seed, read_seed};
use ferrograph_graph::{Inputs, Lowered, Op, Specs, declare, declared};
use ferrograph_kernels::random::stateless_key_counter;
use ferrograph_tensor::{DType, Result, TensorSpec};

declare! {
    trait EmitStatelessCategorical;

    /// `num_samples` classes for each row of `logits`, with probabilities in proportion to `exp(logits)`, by `seed`.
    StatelessMultinomial: stateless_multinomial(logits: T in real rank 2, num_samples: int32 rank 0, seed: Tseed in seed)
        -> (output: output_dtype in index), gradient Stops {
        /// The dtype of classes.
        output_dtype: DType = DType::Int64,
    };
}

impl Op for StatelessMultinomial {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check_seed(inputs, 2)?;
        infer(inputs, self.output_dtype)
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let dtype = inputs.dtype(2);
        lower(
            inputs,
            outputs,
            Box::new(move |o, _| Ok(stateless_key_counter(read_seed(o, 2, dtype)?))),
        )
    }
}
