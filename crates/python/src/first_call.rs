//! Taking out of a graph what only the first call of a function does: making its variables.

use crate::errors::IntoPyResult;
use crate::region::PyRegion;
use ferrograph_graph::{Effect, NodeId, check};
use ferrograph_transform::Rewriter;
use pyo3::prelude::*;
use std::sync::Arc;

#[pymethods]
impl PyRegion {
    /// How many nodes there are so far.
    fn n_nodes(&self, py: Python<'_>) -> PyResult<usize> {
        (self.trace.with_builder(|b| b.nodes().len())).or_raise(py)
    }

    /// Keeps, of the finished graph, the first `n_outputs` outputs, and of its first `n_first` nodes the placeholders.
    /// Gives whether that can be: nothing else needs those nodes, and the further outputs need those with an effect.
    fn drop_first(&self, py: Python<'_>, n_first: usize, n_outputs: usize) -> PyResult<bool> {
        let (graph, captures) = self.parts()?;
        let is_input = |id: NodeId| {
            graph
                .node(id)
                .outputs
                .iter()
                .any(|v| graph.inputs.contains(v))
        };
        let is_dropped = |id: NodeId| id.index() < n_first && !is_input(id);
        let needed = graph.needed_by(&graph.outputs[n_outputs.min(graph.outputs.len())..]);
        let has_effect =
            |id: NodeId| !matches!(graph.node(id).op.effect(), Effect::Pure | Effect::Reads);
        if graph
            .iter()
            .any(|(id, _)| is_dropped(id) && has_effect(id) && !needed[id.index()])
        {
            return Ok(false);
        }
        let mut rewriter = Rewriter::new(&graph);
        rewriter.set_outputs(graph.outputs[..n_outputs].to_vec());
        (graph.iter().map(|(id, _)| id))
            .filter(|id| is_dropped(*id))
            .for_each(|id| rewriter.remove(id));
        // Where something else needs what is dropped, there is no such graph.
        let Ok(rest) = rewriter.finish() else {
            return Ok(false);
        };
        check(&rest).or_raise(py)?;
        *self.finished.lock() = Some((Arc::new(rest), captures));
        Ok(true)
    }
}
