//! Values with a gradient of the program's own.

use crate::Call;
use crate::emit::*;
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Emitter, Grads, Graph, Inputs, Op, OpRef, Region,
    Registry, Runner, Specs, Tensors, Val, VjpCall, op_object,
};
use ferrograph_tensor::{Result, Tensor, TensorSpec, bail};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Gives its first inputs (the results) as they are. The gradients of the arguments, which come next among the inputs,
/// are what a graph makes of the gradients of the results and of what it captured, which comes last.
#[derive(Debug)]
pub struct CustomGradient {
    /// Takes the gradients of the results, then the captures.
    pub backward: Arc<Graph>,
    /// How many results there are.
    pub n_results: usize,
    /// For each argument the output of the graph that is its gradient.
    pub gradients: Vec<Option<usize>>,
}

impl CustomGradient {
    fn first_capture(&self) -> usize {
        self.n_results + self.gradients.len()
    }
}

impl Op for CustomGradient {
    op_object!();
    fn name(&self) -> &'static str {
        "CustomGradient"
    }
    fn node_name(&self) -> &'static str {
        "IdentityN"
    }
    fn attrs(&self) -> Attrs {
        let place = |g: &Option<usize>| g.and_then(|i| i64::try_from(i).ok()).unwrap_or(-1);
        Attrs::new()
            .with("backward", Attr::Graph(self.backward.clone()))
            .with(
                "n_results",
                Attr::Int(i64::try_from(self.n_results).unwrap_or(i64::MAX)),
            )
            .with(
                "gradients",
                Attr::Ints(self.gradients.iter().map(place).collect()),
            )
    }
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
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
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
        let backward: OpRef = Arc::new(Call {
            graph: self.backward.clone(),
        });
        let found = e.emit(backward, &inputs)?;
        let mut grads: Grads = (0..call.inputs.len()).map(|_| None).collect();
        for (i, place) in self.gradients.iter().enumerate() {
            grads[self.n_results + i] = place.and_then(|p| found.get(p).cloned()).map(Into::into);
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

fn make(a: &AttrReader<'_>) -> Result<OpRef> {
    let gradients = a
        .ints("gradients")?
        .into_iter()
        .map(|i| usize::try_from(i).ok())
        .collect();
    let n_results = usize::try_from(a.int("n_results")?).unwrap_or(0);
    Ok(Arc::new(CustomGradient {
        backward: a.graph("backward")?,
        n_results,
        gradients,
    }))
}

pub(crate) fn register(r: &mut Registry) {
    r.add("CustomGradient", make);
}
