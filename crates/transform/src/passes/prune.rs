//! Dead code elimination: takes out what neither an output nor an effect needs.

use crate::rewrite::{Pass, Rewrite, Rewriter};
use ferrograph_graph::{Effect, NodeId};

#[derive(Default)]
pub(super) struct Prune {
    is_needed: Vec<bool>,
}

impl Pass for Prune {
    fn start(&mut self, graph: &Rewriter<'_>) {
        self.is_needed = vec![false; graph.n_ids()];
        let mut work: Vec<NodeId> = graph.outputs().map(|v| graph.value(v).node).collect();
        let has_effect =
            |id: &NodeId| matches!(graph.node(*id).op.effect(), Effect::Writes | Effect::World);
        work.extend(graph.ids().filter(has_effect));
        while let Some(id) = work.pop() {
            if !std::mem::replace(&mut self.is_needed[id.index()], true) {
                work.extend(graph.inputs(id).map(|v| graph.value(v).node));
            }
        }
    }

    fn visit(&mut self, _graph: &Rewriter<'_>, id: NodeId) -> Option<Rewrite> {
        (!self.is_needed[id.index()]).then_some(Rewrite::Remove)
    }
}
