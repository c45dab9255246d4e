//! What holds whatever the operations mean: ids, names and order.

use super::Faults;
use crate::{Node, NodeId, ValueId};
use hashbrown::HashSet;

pub(super) fn check(faults: &mut Faults<'_>) {
    let graph = faults.graph;
    let mut names = HashSet::with_capacity(graph.nodes.len());
    let mut made = Made(vec![false; graph.values.len()]);
    for (id, node) in graph.iter() {
        if !names.insert(&node.name) {
            faults.fault_at(id, node, format_args!("the name is taken"));
        }
        for v in node.inputs.iter().filter(|v| !made.has(**v)) {
            faults.fault_at(
                id,
                node,
                format_args!("takes {v}, which no earlier node makes"),
            );
        }
        for c in node.control.iter().filter(|c| c.index() >= id.index()) {
            let text = format_args!("runs after {c}, which does not come earlier");
            faults.fault_at(id, node, text);
        }
        outputs(faults, id, node, &mut made);
    }
    inputs(faults);
    for v in graph.outputs.iter().filter(|v| !made.has(**v)) {
        faults.fault(format_args!("output {v} is not made"));
    }
}

/// The values made so far.
struct Made(Vec<bool>);

impl Made {
    fn has(&self, v: ValueId) -> bool {
        self.0.get(v.index()).copied().unwrap_or(false)
    }
}

fn outputs(faults: &mut Faults<'_>, id: NodeId, node: &Node, made: &mut Made) {
    for (i, v) in node.outputs.iter().enumerate() {
        match faults.graph.values.get(v.index()) {
            Some(info) if info.node == id && info.index as usize == i && !made.has(*v) => {
                made.0[v.index()] = true;
            }
            _ => faults.fault_at(id, node, format_args!("output {i} is not {v}")),
        }
    }
}

fn inputs(faults: &mut Faults<'_>) {
    let graph = faults.graph;
    let mut seen = HashSet::with_capacity(graph.inputs.len());
    for v in &graph.inputs {
        let node = graph.values.get(v.index()).map(|info| info.node.index());
        let node = node.and_then(|i| graph.nodes.get(i));
        if !node.is_some_and(is_placeholder) {
            faults.fault(format_args!("input {v} is not made by a Placeholder"));
        }
        if !seen.insert(*v) {
            faults.fault(format_args!("{v} is two inputs"));
        }
    }
    let (n_args, n) = (graph.n_args, graph.inputs.len());
    if n_args > n {
        faults.fault(format_args!("{n_args} arguments among {n} inputs"));
    }
    for (id, node) in graph.iter().filter(|(_, node)| is_placeholder(node)) {
        if !node.outputs.iter().all(|v| seen.contains(v)) {
            faults.fault_at(id, node, format_args!("is no input"));
        }
    }
}

fn is_placeholder(node: &Node) -> bool {
    node.op.name() == "Placeholder"
}
