//! Random order.

use super::stream::Stream;
use ferrograph_graph::{
    Attr, Attrs, Differentiability, Effect, Inputs, Kernel, Op, Registry, Runner, Specs, Tensors,
    evaluate, op_object,
};
use ferrograph_kernels::random::PhiloxState;
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail};
use smallvec::smallvec;
use std::sync::Arc;

/// The slices along the first axis in random order.
#[derive(Debug)]
pub struct Shuffle {
    /// Where the order comes from.
    pub stream: Stream,
}

impl Op for Shuffle {
    op_object!();
    fn name(&self) -> &'static str {
        "RandomShuffle"
    }
    fn attrs(&self) -> Attrs {
        let (seed, seed2) = self.stream.seeds;
        Attrs::new()
            .with("seed", Attr::Int(seed))
            .with("seed2", Attr::Int(seed2))
    }
    fn effect(&self) -> Effect {
        Effect::World
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        let dtype = inputs.dtype(0);
        if !dtype.is_dense() && dtype != DType::String {
            bail!(DType, "RandomShuffle is not defined for {dtype} tensors");
        }
        Ok(smallvec![inputs.spec(0).clone()])
    }
    fn kernel(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let (dtype, Some(shape)) = (inputs.dtype(0), inputs.shape(0).to_static()) else {
            return Ok(None);
        };
        if !dtype.is_dense() {
            return Ok(None);
        }
        let n = shape.first().copied().unwrap_or(1);
        let row = shape.iter().skip(1).product::<usize>() * dtype.size();
        let stream = self.stream.clone();
        Ok(Some(Box::new(move |o| {
            let order = order(stream.reserve(n), n);
            let x = o.input_bytes(0);
            if row > 0 {
                for (to, from) in o.output_bytes(0).chunks_exact_mut(row).zip(order) {
                    to.copy_from_slice(&x[from * row..][..row]);
                }
            }
            Ok(())
        })))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        match inputs {
            [x] if x.dtype() == DType::String && x.rank() > 0 => {
                Ok(smallvec![self.strings(x, x.shape()[0])?])
            }
            [x] if x.rank() == 0 => Ok(smallvec![x.clone()]),
            _ => evaluate(self, inputs),
        }
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

impl Shuffle {
    fn strings(&self, x: &Tensor, n: usize) -> Result<Tensor> {
        let (all, row) = (x.as_strings()?, x.n_elements() / n.max(1));
        let shuffled = order(self.stream.reserve(n), n)
            .into_iter()
            .flat_map(|i| all[i * row..(i + 1) * row].iter().cloned())
            .collect();
        Tensor::from_strings(x.shape().clone(), shuffled)
    }
}

/// The numbers below `n` in random order: each place takes one of those that are left.
fn order(state: PhiloxState, n: usize) -> Vec<usize> {
    let mut words = vec![0u32; n];
    state.words(&mut words);
    let mut order: Vec<usize> = (0..n).collect();
    for (i, &word) in words.iter().enumerate().take(n.saturating_sub(1)) {
        order.swap(i, i + word as usize % (n - i));
    }
    order
}

pub(super) fn register(r: &mut Registry) {
    r.add("RandomShuffle", |a| {
        Ok(Arc::new(Shuffle {
            stream: Stream::new(a.int_or("seed", 0)?, a.int_or("seed2", 0)?),
        }))
    });
}
