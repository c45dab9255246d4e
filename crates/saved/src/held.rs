//! What variables hold, as far as the operations that take them say it.

use crate::types::shape_message;
use ferrograph_formats::messages::DtypeAndShape;
use ferrograph_graph::{Graph, Node, ValueId};
use ferrograph_ops::{CustomGradient, ReadVariableOp};
use ferrograph_tensor::{DType, TensorSpec};

/// How deep calls are looked into.
const DEPTH: usize = 8;

/// The type of what the variable holds whose handle that value of a graph is.
pub fn held_by(graph: &Graph, handle: ValueId) -> Option<TensorSpec> {
    match graph.spec(handle).dtype {
        DType::Resource => found(graph, handle, DEPTH),
        _ => None,
    }
}

fn found(graph: &Graph, handle: ValueId, depth: usize) -> Option<TensorSpec> {
    let users = graph.nodes.iter().filter(|n| n.inputs.contains(&handle));
    users
        .into_iter()
        .find_map(|node| told(graph, node, handle, depth))
}

fn told(graph: &Graph, node: &Node, handle: ValueId, depth: usize) -> Option<TensorSpec> {
    if node.op.downcast::<ReadVariableOp>().is_some() {
        return Some(graph.spec(node.outputs[0]).clone());
    }
    let at = |i: usize| node.inputs.get(i) == Some(&handle);
    if let Some(op) = node.op.downcast::<CustomGradient>() {
        let places = op.gradients.iter().enumerate();
        let mut places = places.filter(|(i, _)| at(op.n_results + i));
        return places.find_map(|(_, place)| {
            let output = op.backward.outputs.get(usize::try_from(*place).ok()?)?;
            Some(op.backward.spec(*output).clone())
        });
    }
    let depth = depth.checked_sub(1)?;
    node.op.regions().iter().find_map(|region| {
        let fed = region.inputs.iter().zip(&region.graph.inputs);
        let mut fed = fed.filter(|(i, _)| at(**i as usize));
        fed.find_map(|(_, inner)| found(region.graph, *inner, depth))
    })
}

/// The message of what a variable holds.
pub fn handle_data(held: Option<&TensorSpec>) -> Vec<DtypeAndShape> {
    let message = |spec: &TensorSpec| DtypeAndShape {
        dtype: spec.dtype.graphdef_code(),
        shape: Some(shape_message(&spec.shape)),
    };
    held.map(message).into_iter().collect()
}
