//! Graphs as JSON.

use ferrograph_graph::{Attr, Graph, Inputs, Node, Role, ValueId, text};
use ferrograph_tensor::{Origin, TensorSpec};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Attributes are shown up to this many bytes.
const LONGEST_TEXT: usize = 400;

/// Tensors of up to so many elements are shown with these.
const SHOWN_ELEMENTS: usize = 16;

/// The graph and those that its nodes hold, each once: the first is the graph itself.
pub(super) fn graphs(graph: &Arc<Graph>) -> Value {
    let mut all = vec![graph.clone()];
    let mut described = Vec::new();
    while let Some(next) = all.get(described.len()).cloned() {
        described.push(one(&next, &mut all));
    }
    Value::Array(described)
}

fn one(graph: &Graph, all: &mut Vec<Arc<Graph>>) -> Value {
    let values = |ids: &[ValueId]| -> Vec<Value> { ids.iter().map(|v| value(graph, *v)).collect() };
    let nodes: Vec<Value> = graph.nodes.iter().map(|n| node(graph, n, all)).collect();
    json!({
        "name": &*graph.name,
        "nodes": nodes,
        "inputs": values(&graph.inputs),
        "outputs": values(&graph.outputs),
    })
}

fn value(graph: &Graph, id: ValueId) -> Value {
    let info = graph.value(id);
    json!([info.node.index(), info.index])
}

fn node(graph: &Graph, node: &Node, all: &mut Vec<Arc<Graph>>) -> Value {
    let inputs: Vec<Value> = node.inputs.iter().map(|v| value(graph, *v)).collect();
    let after: Vec<usize> = node.control.iter().map(|n| n.index()).collect();
    let specs: Vec<TensorSpec> = node
        .outputs
        .iter()
        .map(|v| graph.spec(*v).clone())
        .collect();
    let types: Vec<String> = specs.iter().map(ToString::to_string).collect();
    json!({
        "name": &*node.name,
        "op": node.op.name(),
        "inputs": inputs,
        "after": after,
        "types": types,
        "attrs": attributes(node),
        "line": node.origin.as_deref().map(line),
        "regions": regions(node, all),
        "flops": flops(graph, node, &specs),
        "bytes": bytes(&specs),
    })
}

/// A line of the program.
pub(super) fn line(origin: &Origin) -> Value {
    json!([&*origin.file, origin.line, &*origin.function])
}

fn attributes(node: &Node) -> Map<String, Value> {
    let attrs = node.op.attrs();
    let shown = attrs
        .iter()
        .filter(|(_, attr)| !matches!(attr, Attr::Graph(_)));
    shown
        .map(|(name, attr)| (name.to_string(), shortened(attribute(attr)).into()))
        .collect()
}

/// An attribute, a small tensor with its elements.
fn attribute(attr: &Attr) -> String {
    match attr {
        Attr::Tensor(t) if t.as_object().is_err() && t.n_elements() <= SHOWN_ELEMENTS => {
            text::print_tensor(t)
        }
        other => format!("{other:?}"),
    }
}

fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_TEXT {
        text.truncate(text.floor_char_boundary(LONGEST_TEXT));
        text.push('…');
    }
    text
}

/// The graphs that a node holds: what each is for, and its number among all.
fn regions(node: &Node, all: &mut Vec<Arc<Graph>>) -> Vec<Value> {
    let held = node.op.regions();
    let mut n_branches = 0;
    let described = held.iter().map(|region| {
        let role = match region.role {
            Role::Call => "call",
            Role::Branch => {
                n_branches += 1;
                if n_branches == 1 { "then" } else { "else" }
            }
            Role::Condition => "condition",
            Role::Body(_) => "body",
            Role::Function => "function",
        };
        let known = all.iter().position(|g| Arc::ptr_eq(g, region.graph));
        let number = known.unwrap_or_else(|| {
            all.push(region.graph.clone());
            all.len() - 1
        });
        json!({"role": role, "graph": number})
    });
    described.collect()
}

/// A rough cost in floating-point operations, where all shapes are known; none for what holds graphs.
fn flops(graph: &Graph, node: &Node, outputs: &[TensorSpec]) -> Option<f64> {
    let inputs: Vec<TensorSpec> = node.inputs.iter().map(|v| graph.spec(*v).clone()).collect();
    let is_static = inputs.iter().chain(outputs).all(|s| s.shape.is_static());
    let is_plain = is_static && node.op.regions().is_empty();
    is_plain.then(|| node.op.flops(&Inputs::of_specs(&inputs), outputs))
}

/// The bytes of what a node gives, where they are known.
fn bytes(specs: &[TensorSpec]) -> Option<usize> {
    let each = specs.iter().map(|spec| {
        let n = spec.shape.n_elements().filter(|_| spec.dtype.is_dense())?;
        n.checked_mul(spec.dtype.size())
    });
    each.sum()
}
