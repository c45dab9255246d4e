//! The one door for operations.

use crate::context::{self, current_trace, has_tapes};
use crate::{PlanRunner, tape};
use ferrograph_graph::{Differentiability, Emitter, OpRef, Tensors, Val, Vals};
use ferrograph_tensor::{Error, ErrorKind, Result};
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
    let Some(call) = op.downcast::<ferrograph_ops::Call>() else {
        return Ok((eager(op, inputs)?, None));
    };
    let wanted: Vec<bool> = call
        .graph
        .output_specs()
        .map(|s| s.dtype.is_differentiable())
        .collect();
    let gradient = graph_gradient(&call.graph, &wanted)?;
    let forward: OpRef = std::sync::Arc::new(ferrograph_ops::Call {
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
