//! Graph to graph: emitting into a trace, reverse-mode differentiation of recorded operations, and the gradients of
//! whole graphs, on which those of calls, branches and loops rest.

mod backprop;
mod emit;
mod gradient;
mod loops;
mod region;

pub use backprop::{Record, Replay, backprop, densify};
pub use emit::{TraceEmitter, emit_into};
pub use gradient::{GraphGradient, graph_gradient};
