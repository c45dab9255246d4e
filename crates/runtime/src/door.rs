//! The one door for operations.

use crate::compile::live_nodes;
use crate::context::{self, current_trace, has_tapes};
use crate::{PlanRunner, tape};
use ferrograph_graph::{Differentiability, Emitter, Graph, OpRef, Tensors, Val, Vals, ValueId};
use ferrograph_ops::{Branch, Call, If, While};
use ferrograph_tensor::{Error, ErrorKind, Result, err};
use ferrograph_transform::{Replay, emit_into, graph_gradient};

/// Emits an operation: computes it, or adds it to the thread's trace; then tells the active tapes.
pub fn emit(op: OpRef, inputs: &[Val]) -> Result<Vals> {
    emit_named(op, inputs, None)
}

/// [`emit`] with a name for the node.
pub fn emit_named(op: OpRef, inputs: &[Val], name: Option<&str>) -> Result<Vals> {
    let taped = has_tapes();
    let mut replay = None;
    let outputs = match current_trace() {
        Some(trace) => {
            let origin = context::origin();
            emit_into(&trace, op.clone(), inputs, name, origin.clone())
                .map_err(|e| while_tracing(e).at(origin.as_ref()))?
        }
        None if taped
            && op.differentiability() == Differentiability::Regions
            && tape::concerns(&op, inputs) =>
        {
            if tape::may_nest() {
                return inline(&op, inputs);
            }
            let (outputs, kept) = eager_with_residuals(&op, inputs)?;
            replay = kept;
            outputs
        }
        None => eager(&op, inputs)?,
    };
    if taped {
        tape::tell(op, inputs, &outputs, replay);
    }
    Ok(outputs)
}

fn eager(op: &OpRef, inputs: &[Val]) -> Result<Vals> {
    let located = |e: Error| when_run(e).in_op(op.name()).at(context::origin().as_ref());
    let tensors: Tensors = inputs
        .iter()
        .map(|v| v.expect_tensor().cloned())
        .collect::<Result<_>>()
        .map_err(located)?;
    let outputs = op.eval(&PlanRunner, &tensors).map_err(located)?;
    Ok(outputs.into_iter().map(Val::eager).collect())
}

/// Runs a call so that its gradient can be taken: the intermediate values are kept.
fn eager_with_residuals(op: &OpRef, inputs: &[Val]) -> Result<(Vals, Option<Replay>)> {
    let Some(call) = op.downcast::<Call>() else {
        return Ok((eager(op, inputs)?, None));
    };
    let wanted: Vec<bool> = call
        .graph
        .output_specs()
        .map(|s| s.dtype.is_differentiable())
        .collect();
    let gradient = graph_gradient(&call.graph, &wanted)?;
    let forward: OpRef = std::sync::Arc::new(Call {
        graph: gradient.forward.clone(),
    });
    let mut outputs = eager(&forward, inputs)?;
    let residuals = outputs.drain(wanted.len()..).collect();
    Ok((
        outputs,
        Some(Replay {
            gradient,
            residuals,
        }),
    ))
}

/// Runs an operation with regions by emitting what they hold one by one, so that tapes record each.
fn inline(op: &OpRef, inputs: &[Val]) -> Result<Vals> {
    if let Some(call) = op.downcast::<Call>() {
        return inline_graph(&call.graph, inputs.to_vec());
    }
    let pick = |branch: &Branch, from: &[Val]| {
        branch
            .inputs
            .iter()
            .map(|&i| from[i as usize].clone())
            .collect()
    };
    if let Some(op) = op.downcast::<If>() {
        let branch = if truth(&inputs[0])? {
            &op.then_branch
        } else {
            &op.else_branch
        };
        return inline_graph(&branch.graph, pick(branch, inputs));
    }
    match op.downcast::<While>().filter(|w| w.recorded.is_none()) {
        Some(op) => {
            let mut state = inputs.to_vec();
            while truth(&inline_graph(&op.cond.graph, pick(&op.cond, &state))?[0])? {
                let next = inline_graph(&op.body.graph, pick(&op.body, &state))?;
                state.splice(..op.vars.len(), next);
            }
            Ok(state.into_iter().take(op.vars.len()).collect())
        }
        None => eager(op, inputs),
    }
}

fn truth(condition: &Val) -> Result<bool> {
    condition.expect_tensor()?.item::<bool>()
}

fn inline_graph(graph: &Graph, inputs: Vec<Val>) -> Result<Vals> {
    let mut values: Vec<Option<Val>> = vec![None; graph.values.len()];
    for (v, val) in graph.inputs.iter().zip(inputs) {
        values[v.index()] = Some(val);
    }
    let live = live_nodes(graph, &vec![true; graph.outputs.len()]);
    let find = |values: &[Option<Val>], v: &ValueId| {
        values[v.index()]
            .clone()
            .ok_or_else(|| err!(Internal, "{v} is used before it is made"))
    };
    for (id, node) in graph.iter().filter(|(id, _)| live[id.index()]) {
        if node
            .outputs
            .first()
            .is_some_and(|v| values[v.index()].is_some())
        {
            continue;
        }
        let ins = node
            .inputs
            .iter()
            .map(|v| find(&values, v))
            .collect::<Result<Vec<_>>>()?;
        let outs = emit(node.op.clone(), &ins).map_err(|e| e.at(graph.node(id).origin.as_ref()))?;
        for (v, val) in node.outputs.iter().zip(outs) {
            values[v.index()] = Some(val);
        }
    }
    graph.outputs.iter().map(|v| find(&values, v)).collect()
}

/// Errors of inference carry the documented classes of tracing.
fn while_tracing(e: Error) -> Error {
    match e.kind() {
        ErrorKind::Shape | ErrorKind::InvalidArgument | ErrorKind::OutOfRange => {
            e.with_kind(ErrorKind::Value)
        }
        ErrorKind::DType => e.with_kind(ErrorKind::Type),
        _ => e,
    }
}

/// Errors of running carry the documented classes of execution.
pub fn when_run(e: Error) -> Error {
    match e.kind() {
        ErrorKind::Shape | ErrorKind::DType => e.with_kind(ErrorKind::InvalidArgument),
        _ => e,
    }
}

/// The door as an [`Emitter`], for gradient rules and compositions.
pub struct Door;

impl Emitter for Door {
    fn emit(&mut self, op: OpRef, inputs: &[Val]) -> Result<Vals> {
        emit(op, inputs)
    }
}
