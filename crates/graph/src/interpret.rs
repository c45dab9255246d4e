//! The plain interpreter: evaluates a graph node by node in program order. Every faster executor must agree with it.

use crate::{Graph, Runner, Tensors};
use ferrograph_tensor::{Result, Tensor, bail, err};
use std::sync::Arc;

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
        let mut values: Vec<Option<Tensor>> = vec![None; graph.values.len()];
        for (id, tensor) in graph.inputs.iter().zip(inputs) {
            values[id.index()] = Some(tensor);
        }
        for (_, node) in graph.iter() {
            if node
                .outputs
                .first()
                .is_some_and(|v| values[v.index()].is_some())
            {
                continue; // an input
            }
            let mut ins = Tensors::new();
            for v in &node.inputs {
                ins.push(
                    values[v.index()]
                        .clone()
                        .ok_or_else(|| err!(Internal, "value {v} is used before it is made"))?,
                );
            }
            let outs = node
                .op
                .eval(self, &ins)
                .map_err(|e| e.in_op(node.op.name()).at(node.origin.as_ref()))?;
            for (v, t) in node.outputs.iter().zip(outs) {
                values[v.index()] = Some(t);
            }
        }
        graph
            .outputs
            .iter()
            .map(|v| {
                values[v.index()]
                    .clone()
                    .ok_or_else(|| err!(Internal, "output {v} was not computed"))
            })
            .collect()
    }
}
