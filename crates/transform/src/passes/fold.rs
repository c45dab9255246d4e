//! Constant folding: computes what depends on small constants alone, and on the shapes of what is not known. What fails
//! to compute is left to fail when it runs.

use super::{SMALL, is_plain, is_pure};
use crate::rewrite::{Pass, Rewrite, Rewriter};
use ferrograph_graph::{AlgebraicIdentity, Differentiability, Interpreter, Node, NodeId};
use ferrograph_ops::attempt;
use ferrograph_tensor::Tensor;

pub(super) struct Fold;

impl Pass for Fold {
    fn visit(&mut self, graph: &Rewriter<'_>, id: NodeId) -> Option<Rewrite> {
        let node = graph.node(id);
        if node.inputs.is_empty() || !node.control.is_empty() || node.outputs.is_empty() {
            return None;
        }
        let runs_graphs = !node.op.regions().is_empty()
            || node.op.differentiability() == Differentiability::Regions;
        if !is_pure(node) || runs_graphs || !gives_small(graph, node) {
            return None;
        }
        let inputs = constants(graph, id).or_else(|| blank(graph, node))?;
        let outputs = attempt(node.op.eval(&Interpreter, &inputs))?;
        let is_small = |t: &Tensor| t.n_elements() <= SMALL;
        let fits = node.outputs.iter().zip(&outputs).all(|(v, t)| {
            let spec = &graph.value(*v).spec;
            spec.dtype == t.dtype() && spec.shape.accepts(t.shape())
        });
        (fits && outputs.len() == node.outputs.len() && outputs.iter().all(is_small))
            .then(|| Rewrite::Constants(outputs.into_vec()))
    }
}

/// The inputs, where all are small constants.
fn constants(graph: &Rewriter<'_>, id: NodeId) -> Option<Vec<Tensor>> {
    let small = |t: &&Tensor| t.n_elements() <= SMALL && is_plain(t.dtype());
    let constants = graph.inputs(id).map(|v| graph.constant(v).filter(small));
    constants.map(|constant| constant.cloned()).collect()
}

/// An input of the same type, where that is all that counts.
fn blank(graph: &Rewriter<'_>, node: &Node) -> Option<Vec<Tensor>> {
    if node.op.decl().identity != AlgebraicIdentity::OfShape {
        return None;
    }
    let spec = &graph.value(node.outputs[0]).spec;
    let shape = spec.shape.to_static().filter(|_| spec.dtype.is_dense())?;
    Some(vec![Tensor::zeros(spec.dtype, shape).ok()?])
}

/// Whether the outputs may be few plain elements, as far as that can be told before they are computed.
fn gives_small(graph: &Rewriter<'_>, node: &Node) -> bool {
    let mut specs = node.outputs.iter().map(|v| &graph.value(*v).spec);
    specs.all(|s| is_plain(s.dtype) && s.shape.n_elements().is_none_or(|n| n <= SMALL))
}
