//! Rewriting graphs. A [`Pass`] looks at one node after the other, in program order, and says what is to become of it;
//! the driver makes the change, brings the nodes behind it up to date, counts, and verifies.
//!
//! [`optimised`] runs all passes on a graph, once: the result stays with the graph. Graphs that operations hold are
//! rewritten before the operation is looked at. A graph in which nothing changes is its own result.
//!
//! * Inputs stay, all of them and in their order; so do outputs, names and lines of the program.
//! * What has an effect stays, in its order. What is needed by nothing goes, with the error it might have raised.
//! * A value is replaced only by one that has the same bits.

mod budget;
mod driver;
mod overlay;
mod rewriter;

pub(crate) use driver::Named;
pub use driver::{PassCount, optimised, pass_counts, run_pass};
pub use rewriter::Rewriter;

use ferrograph_graph::{Graph, NodeId, OpRef, ValueId};
use ferrograph_tensor::{Result, Tensor};
use smallvec::SmallVec;
use std::sync::Arc;

/// What is to become of a node.
#[derive(Debug)]
pub enum Rewrite {
    /// These values, made before, replace its outputs; the node goes.
    Replace(SmallVec<[ValueId; 2]>),
    /// It becomes this operation on these operands. Outputs, name and line stay.
    Become(OpRef, SmallVec<[Operand; 2]>),
    /// The last of these operations takes its place, the others stand before it.
    Compose(Vec<Made>),
    /// Its outputs are these constants.
    Constants(Vec<Tensor>),
    /// It goes: nothing takes its outputs.
    Remove,
}

impl Rewrite {
    /// One value replaces the only output.
    pub fn replace(value: ValueId) -> Rewrite {
        Rewrite::Replace(SmallVec::from_slice(&[value]))
    }
}

/// What an operation that a node becomes takes.
#[derive(Debug)]
pub enum Operand {
    /// A value made before.
    Value(ValueId),
    /// A constant to be added to the graph.
    Constant(Tensor),
    /// What that one of the operations of a [`Rewrite::Compose`] gives, which comes before.
    Made(usize),
}

/// An operation of one output that is to be added to the graph.
#[derive(Debug)]
pub struct Made {
    /// What it does.
    pub op: OpRef,
    /// What it takes.
    pub operands: SmallVec<[Operand; 2]>,
    /// The node whose name and line it has.
    pub like: NodeId,
}

/// One kind of rewrite. A pass object sees one graph, from the first node to the last.
pub trait Pass {
    /// Looks at the graph as a whole before the first node.
    fn start(&mut self, _graph: &Rewriter<'_>) {}

    /// What is to become of a node, none of the graph's inputs; `None` leaves it as it is.
    fn visit(&mut self, graph: &Rewriter<'_>, id: NodeId) -> Option<Rewrite>;
}

/// The graph with other outputs of its own.
pub(crate) fn with_outputs(graph: &Graph, outputs: Vec<ValueId>) -> Result<Arc<Graph>> {
    let mut rewriter = Rewriter::new(graph);
    rewriter.set_outputs(outputs);
    rewriter.finish().map(Arc::new)
}
