//! Running a graph node by node, and the plain interpreter that does so with each operation's `eval`. Every faster
//! executor must agree with it.

use crate::{Graph, Node, NodeId, Runner, Tensors, ValueId};
use ferrograph_tensor::{Result, bail, err};
use smallvec::SmallVec;
use std::sync::Arc;

/// Runs nodes of a graph in program order, each by `step` on what it takes; gives what `wanted` names. Inputs are given
/// in the order of the graph's. Nodes of which `is_needed` is false are passed over.
///
/// # Errors
/// What `step` fails with; `Internal` where something needed was passed over.
pub fn run_nodes<V: Clone>(
    graph: &Graph,
    inputs: impl IntoIterator<Item = V>,
    wanted: &[ValueId],
    is_needed: impl Fn(NodeId) -> bool,
    mut step: impl FnMut(&Node, SmallVec<[V; 2]>) -> Result<SmallVec<[V; 2]>>,
) -> Result<SmallVec<[V; 2]>> {
    let mut values: Vec<Option<V>> = vec![None; graph.values.len()];
    for (id, value) in graph.inputs.iter().zip(inputs) {
        values[id.index()] = Some(value);
    }
    let find = |values: &[Option<V>], v: &ValueId| {
        let found = values[v.index()].clone();
        found.ok_or_else(|| err!(Internal, "value {v} is used before it is made"))
    };
    for (id, node) in graph.iter() {
        let is_given = |v: &ValueId| values[v.index()].is_some();
        if node.outputs.first().is_some_and(is_given) || !is_needed(id) {
            continue;
        }
        let ins = node.inputs.iter().map(|v| find(&values, v));
        let outs = step(node, ins.collect::<Result<_>>()?)?;
        for (v, value) in node.outputs.iter().zip(outs) {
            values[v.index()] = Some(value);
        }
    }
    wanted.iter().map(|v| find(&values, v)).collect()
}

/// Evaluates graphs node by node.
pub struct Interpreter;

impl Runner for Interpreter {
    fn run(&self, graph: &Arc<Graph>, inputs: Tensors) -> Result<Tensors> {
        if inputs.len() != graph.inputs.len() {
            bail!(
                Internal,
                "graph {} takes {} inputs, got {}",
                graph.name,
                graph.inputs.len(),
                inputs.len()
            );
        }
        run_nodes(
            graph,
            inputs,
            &graph.outputs,
            |_| true,
            |node, ins| {
                (node.op.eval(self, &ins))
                    .map_err(|e| e.in_op(node.op.name()).at(node.origin.as_ref()))
            },
        )
    }
}
