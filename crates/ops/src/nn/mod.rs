//! Operations of neural networks: softmax, its losses, biases.

mod bias;
mod loss;
mod softmax;
mod wide;

use bias::channels_first;
pub use bias::{BiasAdd, BiasAddGrad};
pub use loss::{Labels, SoftmaxCrossEntropy};
pub use softmax::Softmax;

use ferrograph_graph::Registry;
use std::sync::Arc;

pub(crate) fn register(r: &mut Registry) {
    r.add("Softmax", |_| Ok(Arc::new(Softmax { log: false })));
    r.add("LogSoftmax", |_| Ok(Arc::new(Softmax { log: true })));
    r.add("SoftmaxCrossEntropyWithLogits", |_| {
        Ok(Arc::new(SoftmaxCrossEntropy {
            labels: Labels::Dense,
        }))
    });
    r.add("SparseSoftmaxCrossEntropyWithLogits", |_| {
        Ok(Arc::new(SoftmaxCrossEntropy {
            labels: Labels::Sparse,
        }))
    });
    r.add("BiasAdd", |a| {
        Ok(Arc::new(BiasAdd {
            channels_first: channels_first(a)?,
        }))
    });
    r.add("BiasAddGrad", |a| {
        Ok(Arc::new(BiasAddGrad {
            channels_first: channels_first(a)?,
        }))
    });
}

#[cfg(test)]
mod tests;
