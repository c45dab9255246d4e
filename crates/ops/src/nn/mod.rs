//! Operations of neural networks: softmax, its losses, biases.

mod bias;
mod loss;
mod softmax;
mod wide;

pub use bias::EmitBias;
pub use loss::EmitLosses;
pub use softmax::EmitSoftmax;

use ferrograph_graph::Registry;

pub(crate) fn register(r: &mut Registry) {
    softmax::register(r);
    loss::register(r);
    bias::register(r);
}

#[cfg(test)]
mod tests;
