//! Graph to graph: emitting into a trace, reverse-mode differentiation of recorded operations, and the gradients of
//! whole graphs, on which those of calls and branches rest.

mod backprop;
mod emit;
mod gradient;
mod region;

pub use backprop::{Record, Replay, backprop, densify};
pub use emit::{TraceEmitter, emit_into};
pub use gradient::{GraphGradient, graph_gradient};
