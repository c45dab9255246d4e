//! Which inputs of a graph that calls itself its outputs depend on, in the sense of gradients: what a level only hands to
//! the next one, which hands it on in its turn, has no gradient.

use ferrograph_graph::{Differentiability, Graph, Node, Role};
use ferrograph_ops::{RecursiveCall, RecursiveHandle};
use ferrograph_tensor::DType;
use std::ptr;
use std::sync::Arc;

/// Whether gradients may flow through a value of that dtype.
pub(super) fn carries_gradient(dtype: DType) -> bool {
    dtype.is_differentiable() || matches!(dtype, DType::Resource | DType::Variant)
}

/// For each input of the graph of `handle`, whether its gradient may be something.
pub(super) fn connected_inputs(graph: &Graph, handle: &RecursiveHandle) -> Vec<bool> {
    let mut found = vec![false; graph.inputs.len()];
    loop {
        let reach = Reach {
            handle,
            connected: &found,
        };
        let next: Vec<bool> = (0..graph.inputs.len())
            .map(|i| {
                let mut from = vec![false; graph.inputs.len()];
                from[i] = carries_gradient(graph.spec(graph.inputs[i]).dtype);
                from[i] && reach.outputs(graph, &from).contains(&true)
            })
            .collect();
        if next == found {
            return found;
        }
        found = next;
    }
}

struct Reach<'a> {
    handle: &'a RecursiveHandle,
    /// What is known so far of the inputs of the graph itself.
    connected: &'a [bool],
}

impl Reach<'_> {
    /// Which outputs of a graph depend on these of its inputs.
    fn outputs(&self, graph: &Graph, inputs: &[bool]) -> Vec<bool> {
        let mut reached = vec![false; graph.values.len()];
        for (v, r) in graph.inputs.iter().zip(inputs) {
            reached[v.index()] = *r;
        }
        for node in &graph.nodes {
            let ins: Vec<bool> = node.inputs.iter().map(|v| reached[v.index()]).collect();
            if !ins.contains(&true) {
                continue;
            }
            for (v, r) in node.outputs.iter().zip(self.node(node, &ins)) {
                reached[v.index()] |= r && carries_gradient(graph.spec(*v).dtype);
            }
        }
        graph.outputs.iter().map(|v| reached[v.index()]).collect()
    }

    fn node(&self, node: &Node, inputs: &[bool]) -> Vec<bool> {
        let n = node.outputs.len();
        if node.op.differentiability() == Differentiability::Stops {
            return vec![false; n];
        }
        if let Some(handle) = node
            .op
            .downcast::<RecursiveCall>()
            .and_then(RecursiveCall::target)
        {
            let own = ptr::eq(Arc::as_ptr(&handle), self.handle);
            let passes = |(r, known): (&bool, &bool)| *r && (*known || !own);
            let known = self.connected.iter().chain(std::iter::repeat(&true));
            return vec![inputs.iter().zip(known).any(passes); n];
        }
        let regions = node.op.regions();
        let plain = |role| matches!(role, Role::Call | Role::Branch);
        if regions.is_empty() || !regions.iter().all(|r| plain(r.role)) {
            return vec![true; n];
        }
        let mut found = vec![false; n];
        for region in &regions {
            let fed: Vec<bool> = region.fed(inputs);
            let given = self.outputs(region.graph, &fed);
            for (f, g) in found.iter_mut().zip(given) {
                *f |= g;
            }
        }
        found
    }
}
