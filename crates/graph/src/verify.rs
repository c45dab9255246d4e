//! The verifier. A graph is well formed when:
//!
//! 1. every node takes only values made by earlier nodes;
//! 2. every value names the node and output that makes it, and is made once;
//! 3. every input is the output of a `Placeholder`, arguments before captures;
//! 4. outputs are values of the graph;
//! 5. node names are unique;
//! 6. inferring a node's outputs again from its inputs gives specs compatible with the recorded ones;
//! 7. control predecessors come earlier;
//! 8. all of this holds for every region as well.

use crate::{Graph, Inputs, Node, NodeId};
use ferrograph_tensor::{Error, ErrorKind};
use hashbrown::HashSet;

/// Every breach of the invariants, with the node it was found at; empty for a well-formed graph.
pub fn verify(graph: &Graph) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut names = HashSet::new();
    let mut fault = |text: String| {
        errors.push(Error::new(
            ErrorKind::Internal,
            format!("graph {}: {text}", graph.name),
        ))
    };
    let mut made = vec![false; graph.values.len()];
    for (id, node) in graph.iter() {
        let at = || format!("node {id} {} ({})", node.name, node.op.name());
        if !names.insert(node.name.clone()) {
            fault(format!("{}: the name is taken", at()));
        }
        for v in node
            .inputs
            .iter()
            .filter(|v| !made.get(v.index()).copied().unwrap_or(false))
        {
            fault(format!("{}: takes {v}, which no earlier node makes", at()));
        }
        for c in node.control.iter().filter(|c| c.index() >= id.index()) {
            fault(format!(
                "{}: runs after {c}, which does not come earlier",
                at()
            ));
        }
        for text in check_outputs(graph, id, node, &mut made) {
            fault(format!("{}: {text}", at()));
        }
    }
    for v in &graph.inputs {
        let is_placeholder = graph
            .values
            .get(v.index())
            .is_some_and(|i| graph.node(i.node).op.name() == "Placeholder");
        if !is_placeholder {
            fault(format!("input {v} is not made by a Placeholder"));
        }
    }
    if graph.n_args > graph.inputs.len() {
        fault(format!(
            "{} arguments among {} inputs",
            graph.n_args,
            graph.inputs.len()
        ));
    }
    for v in graph
        .outputs
        .iter()
        .filter(|v| !made.get(v.index()).copied().unwrap_or(false))
    {
        fault(format!("output {v} is not made"));
    }
    for node in &graph.nodes {
        for region in node.op.regions() {
            errors.extend(verify(region));
        }
    }
    errors
}

fn check_outputs(graph: &Graph, id: NodeId, node: &Node, made: &mut [bool]) -> Vec<String> {
    let mut faults = Vec::new();
    for (i, v) in node.outputs.iter().enumerate() {
        match graph.values.get(v.index()) {
            Some(info) if info.node == id && info.index as usize == i && !made[v.index()] => {
                made[v.index()] = true
            }
            _ => faults.push(format!("output {i} is not {v}")),
        }
    }
    if !faults.is_empty() || node.inputs.iter().any(|v| v.index() >= graph.values.len()) {
        return faults;
    }
    let inputs = Inputs::new(node.inputs.iter().map(|v| {
        let info = graph.value(*v);
        (&info.spec, info.constant.as_deref(), info.known.as_deref())
    }));
    match node.op.specs(&inputs) {
        Ok(specs) if specs.len() != node.outputs.len() => {
            faults.push(format!(
                "has {} outputs, should have {}",
                node.outputs.len(),
                specs.len()
            ));
        }
        Ok(specs) => {
            for (spec, v) in specs.iter().zip(&node.outputs) {
                let recorded = graph.spec(*v);
                if spec.dtype != recorded.dtype || !spec.shape.is_compatible(&recorded.shape) {
                    faults.push(format!("{v} is {spec}, recorded as {recorded}"));
                }
            }
        }
        Err(e) => faults.push(format!("is refused by inference: {e}")),
    }
    faults
}
