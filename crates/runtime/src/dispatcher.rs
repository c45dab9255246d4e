//! The dispatcher: every operation goes through [`emit`].

use crate::compile::live_nodes;
use crate::context::{self, current_trace, has_tapes, is_tracing};
use crate::gradient_path::carries;
use crate::numerics::checked;
use crate::{PlanRunner, tape};
use ferrograph_graph::{
    Differentiability, Emitter, NodeId, OpRef, Region, Role, Tensors, TraceRef, Val, Vals,
    explain_mixed, picked_branch, run_nodes,
};
use ferrograph_ops::{Identity, Level, RecursiveCall, StopGradient, While};
use ferrograph_tensor::{DType, Error, ErrorKind, Result, Tensor, TensorSpec, err};
use ferrograph_transform::{Replay, emit_into, graph_gradient, plain_loop};
use std::sync::Arc;

/// Emits an operation: computes it, or adds it to the thread's trace; then informs the active tapes.
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
                .map_err(|e| while_tracing(explained(&op, inputs, e)).at(origin.as_ref()))?
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
        tape::tell(&op, inputs, &outputs, replay);
        if let Some(trace) = context::unrecorded_trace() {
            return stopped(&trace, outputs);
        }
    }
    if context::checks_numerics() {
        return checked(&op, inputs, outputs);
    }
    Ok(outputs)
}

/// Outputs of an operation at which the gradient of their graph ends. To tapes that began in that graph they are the
/// outputs themselves.
fn stopped(trace: &TraceRef, made: Vals) -> Result<Vals> {
    let stop = |value: Val| -> Result<Val> {
        if !carries(value.dtype()) || value.dtype() == DType::Resource {
            return Ok(value);
        }
        let (stop, origin) = (Arc::new(StopGradient {}), context::origin());
        let found = emit_into(trace, stop, std::slice::from_ref(&value), None, origin)?;
        let same: OpRef = Arc::new(Identity {});
        tape::tell(&same, &[value], &found, None);
        let first = found.into_iter().next();
        first.ok_or_else(|| err!(Internal, "an operation without an output"))
    };
    made.into_iter().map(stop).collect()
}

fn eager(op: &OpRef, inputs: &[Val]) -> Result<Vals> {
    let tensors: Result<Tensors> = inputs.iter().map(|v| v.expect_tensor().cloned()).collect();
    let tensors = tensors.map_err(|e| located(op, &[], e))?;
    Ok(compute(op, &tensors)?.into_iter().map(Val::eager).collect())
}

/// An error of an operation on these inputs, with what they are where they should have one dtype and have not.
#[cold]
fn explained(op: &OpRef, inputs: &[Val], e: Error) -> Error {
    match e.kind() {
        ErrorKind::DType => e.noting(explain_mixed(op.decl(), inputs)),
        _ => e,
    }
}

/// Whether an operation emitted now on tensors does no more than compute: no trace takes it, no tape hears of it, nobody
/// looks for NaN in what it gives.
#[inline]
pub fn computes_now() -> bool {
    !is_tracing() && !has_tapes() && !context::checks_numerics()
}

/// The outputs of an operation, without a look at the context: what [`emit`] does where [`computes_now`] says so.
///
/// # Errors
/// What the operation refuses, with its name and the user's line.
#[inline]
pub fn compute(op: &OpRef, inputs: &[Tensor]) -> Result<Tensors> {
    op.eval(&PlanRunner, inputs)
        .map_err(|e| located(op, inputs, e))
}

/// The only output of an operation on two values, as [`compute`] gives it; `None` where it takes them in its own.
///
/// # Errors
/// As [`compute`].
#[inline]
pub fn compute_pair(op: &OpRef, a: &Tensor, b: &Tensor) -> Option<Result<Tensor>> {
    let result = op.eval_pair(a, b)?;
    Some(result.map_err(|e| located(op, &[a.clone(), b.clone()], e)))
}

#[cold]
fn located(op: &OpRef, inputs: &[Tensor], e: Error) -> Error {
    let inputs: Vals = inputs.iter().cloned().map(Val::eager).collect();
    when_run(explained(op, &inputs, e))
        .in_op(op.name())
        .at(context::origin().as_ref())
}

/// Runs a call so that its gradient can be taken: the intermediate values are kept.
fn eager_with_residuals(op: &OpRef, inputs: &[Val]) -> Result<(Vals, Option<Replay>)> {
    let regions = op.regions();
    let [called] = &regions[..] else {
        return Ok((eager(op, inputs)?, None));
    };
    let outputs = called.graph.output_specs();
    let wanted: Vec<bool> = outputs.map(|s| s.dtype.is_differentiable()).collect();
    let gradient = graph_gradient(called.graph, &wanted)?;
    let forward = op.with_regions(vec![called.with(gradient.forward.clone())]);
    let (Role::Call, Some(forward)) = (called.role, forward) else {
        return Ok((eager(op, inputs)?, None));
    };
    let mut outputs = eager(&forward, inputs)?;
    let residuals = outputs.drain(wanted.len()..).collect();
    let replay = Replay {
        gradient,
        residuals,
    };
    Ok((outputs, Some(replay)))
}

/// Runs an operation with regions by emitting what they hold one by one, so that tapes record each.
fn inline(op: &OpRef, inputs: &[Val]) -> Result<Vals> {
    if let Some(call) = op.downcast::<RecursiveCall>() {
        let graph = call.graph()?;
        let _level = Level::enter(&graph.name)?;
        return inline_region(&Region::call(&graph), inputs);
    }
    let regions = op.regions();
    match &regions[..] {
        [called] if called.role == Role::Call => inline_region(called, inputs),
        [first, ..] if first.role == Role::Branch => {
            let picked = picked_branch(inputs[0].expect_tensor()?)?;
            let branch = regions.get(picked);
            inline_region(branch.ok_or_else(|| err!(Internal, "no branch"))?, inputs)
        }
        [cond, body] => match body.role {
            Role::Body(carried) if carried.recorded.is_none() => {
                inline_loop(cond, body, carried.vars.len(), inputs)
            }
            Role::Body(_) => inline_recording(op, inputs),
            _ => eager(op, inputs),
        },
        _ => eager(op, inputs),
    }
}

/// A loop that records, as one of which tapes hear how its lists come about.
fn inline_recording(op: &OpRef, inputs: &[Val]) -> Result<Vals> {
    let looped = op.downcast::<While>();
    let looped = looped.ok_or_else(|| err!(Internal, "{} is no loop", op.name()))?;
    let specs: Vec<TensorSpec> = inputs.iter().map(Val::spec).collect();
    let graph = plain_loop(looped, &specs)?;
    inline_region(&Region::call(&graph), inputs)
}

fn inline_loop(
    cond: &Region<'_>,
    body: &Region<'_>,
    n_vars: usize,
    inputs: &[Val],
) -> Result<Vals> {
    let mut state = inputs.to_vec();
    let goes_on = |state: &[Val]| -> Result<bool> {
        inline_region(cond, state)?[0]
            .expect_tensor()?
            .item::<bool>()
    };
    while goes_on(&state)? {
        let next = inline_region(body, &state)?;
        state.splice(..n_vars, next);
    }
    Ok(state.into_iter().take(n_vars).collect())
}

fn inline_region(region: &Region<'_>, inputs: &[Val]) -> Result<Vals> {
    let graph = region.graph;
    let live = live_nodes(graph, &vec![true; graph.outputs.len()]);
    let is_live = |id: NodeId| live[id.index()];
    let fed: Vals = region.fed(inputs);
    run_nodes(graph, fed, &graph.outputs, is_live, |node, ins| {
        emit(node.op.clone(), &ins).map_err(|e| e.at(node.origin.as_ref()))
    })
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

/// The dispatcher as an [`Emitter`], for gradient rules and compositions.
pub struct Dispatcher;

impl Emitter for Dispatcher {
    fn emit(&mut self, op: OpRef, inputs: &[Val]) -> Result<Vals> {
        emit(op, inputs)
    }
}
