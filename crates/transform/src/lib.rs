//! Graph to graph: emitting into a trace, reverse-mode differentiation of recorded operations, and the gradients of
//! whole graphs, on which those of calls, branches and loops rest; and rewriting: named passes that make a graph smaller
//! without changing a bit of what it gives.

mod backprop;
mod batch;
mod effects;
mod emit;
mod gradient;
mod loops;
mod passes;
mod recorded;
mod recursion;
mod region;
mod rewrite;
mod traced;

pub use backprop::{Record, Replay, backprop, densify};
pub use batch::{BatchedGraph, Request, batch_graph, has_rule};
pub use effects::{Before, effect_edges};
pub use emit::{TraceEmitter, emit_into};
pub use gradient::{GraphGradient, graph_gradient};
pub use recorded::plain_loop;
pub use recursion::close_recursion;
pub use rewrite::{Operand, Pass, PassCount, Rewrite, Rewriter, optimised, pass_counts, run_pass};
pub use traced::traced;
