//! Values with a gradient of the program's own.

use crate::emit::*;
use ferrograph_graph::{
    Emitter, Grads, Graph, Inputs, Op, Region, Runner, Specs, Tensors, Val, VjpCall, declare,
    declared,
};
use ferrograph_tensor::{Result, Tensor, TensorSpec, bail};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

declare! {
    trait EmitCustomGradient;

    /// The first of `input` (the results) as they are. The gradients of the arguments, which come next among `input`, are
    /// what a graph makes of the gradients of the results and of what it captured, which comes last.
    CustomGradient as "IdentityN": custom_gradient(input: [T]) -> (output: [T]), gradient Vjp, identity Forwards, batch Regions {
        /// Takes the gradients of the results, then the captures.
        backward: Arc<Graph>,
        /// How many results there are.
        n_results: usize,
        /// For each argument the output of the graph that is its gradient; -1 where it has none.
        gradients: Vec<i64>,
    };
}

impl CustomGradient {
    fn first_capture(&self) -> usize {
        self.n_results + self.gradients.len()
    }
}

impl Op for CustomGradient {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let n_captures = self.backward.inputs.len().checked_sub(self.n_results);
        let Some(n_captures) = n_captures else {
            bail!(
                Value,
                "the backward graph takes fewer gradients than there are results"
            );
        };
        inputs.expect(self.first_capture() + n_captures)?;
        Ok((0..self.n_results)
            .map(|i| inputs.spec(i).clone())
            .collect())
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        Ok(inputs[..self.n_results].iter().cloned().collect())
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let mut inputs: Vec<Val> = Vec::new();
        for (output, grad) in call.outputs.iter().zip(call.grads) {
            inputs.push(match grad {
                Some(grad) => grad.clone(),
                None => e.zeros_like(output)?,
            });
        }
        inputs.extend_from_slice(&call.inputs[self.first_capture()..]);
        let found = e.call(&inputs, self.backward.clone(), None)?;
        let mut grads: Grads = (0..call.inputs.len()).map(|_| None).collect();
        for (i, place) in self.gradients.iter().enumerate() {
            let gradient = usize::try_from(*place).ok().and_then(|p| found.get(p));
            grads[self.n_results + i] = gradient.cloned().map(Into::into);
        }
        Ok(grads)
    }
    fn regions(&self) -> SmallVec<[Region<'_>; 2]> {
        smallvec![Region::function(&self.backward)]
    }
    fn flops(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        0.0
    }
}
