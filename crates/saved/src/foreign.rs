//! What a graph from elsewhere has that there is no counterpart to here.

use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_tensor::{Result, Tensor};

declare! {
    trait EmitForeign;

    /// `input`, all at once, with a gradient that another program gave it and that is not read: asking for it is an error.
    ForeignGradient: foreign_gradient(input: [T]) -> (output: [T]), gradient Missing;
}

impl Op for ForeignGradient {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        Ok((0..inputs.len()).map(|i| inputs.spec(i).clone()).collect())
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        Ok(inputs.iter().cloned().collect())
    }
}
