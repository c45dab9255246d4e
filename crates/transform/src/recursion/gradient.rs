//! The gradient of a graph that calls itself calls itself, too. The forward graph gives, behind its outputs, one bundle of
//! all that the backward graph needs, among which are the bundles of the calls in it; so both have types that are known
//! before they are derived.

use super::close::settle;
use super::connected::{carries_gradient, connected_inputs};
use crate::emit::TraceEmitter;
use crate::gradient::{GraphGradient, add_arg, apply_backward, graph_gradient};
use crate::region::{Node, read_of, zeros_of};
use ferrograph_graph::{
    Emitter, Grad, Grads, Graph, OpRef, Sym, Trace, TraceRef, Val, ValueId, VjpCall,
};
use ferrograph_ops::emit::*;
use ferrograph_ops::{Call, LeafOps, RecursiveCall, RecursiveGradient, RecursiveHandle};
use ferrograph_tensor::{DType, Result, TensorSpec, err};
use parking_lot::ReentrantMutex;
use std::sync::Arc;

/// Held while a gradient is derived, which asks for that of the graph itself and for those of graphs that call it.
static DERIVING: ReentrantMutex<()> = ReentrantMutex::new(());

/// The gradients of what a recursive call takes. Its node is extended so that it also gives what they need.
pub(crate) fn recursive_vjp(
    e: &mut dyn Emitter,
    node: &Node,
    op: &RecursiveCall,
    call: &VjpCall<'_>,
) -> Result<Grads> {
    let handle = op.handle()?;
    let kept = kept_bundle(&handle, call);
    let base = kept.as_ref().map_or(&handle, |(base, _)| base);
    let gradient = knot_gradient(base)?;
    let bundle = match kept.as_ref() {
        Some((_, bundle)) => bundle.clone(),
        None => {
            let forward: OpRef = Arc::new(RecursiveCall::of(&gradient.forward));
            let added = node.extend(forward, gradient.forward.outputs())?;
            added
                .into_iter()
                .next_back()
                .ok_or_else(|| err!(Internal, "nothing was added"))?
        }
    };
    let mut inputs = Vec::new();
    for &i in &gradient.seeds {
        inputs.push(match call.grads.get(i).and_then(Option::as_ref) {
            Some(grad) => grad.clone(),
            None => e.zeros_like(&call.outputs[i])?,
        });
    }
    inputs.push(bundle);
    let found = e.emit(Arc::new(RecursiveCall::of(&gradient.backward)), &inputs)?;
    let grad = |i: &Option<usize>| i.map(|i| Grad::Dense(found[i].clone()));
    Ok(gradient.inputs.iter().map(grad).collect())
}

/// Where the call gives what its gradient needs already, and nothing depends on that: the handle without it, and that.
fn kept_bundle(
    handle: &RecursiveHandle,
    call: &VjpCall<'_>,
) -> Option<(Arc<RecursiveHandle>, Val)> {
    let base = handle.extended()?;
    let place = base.outputs().len();
    let depends = call.grads.get(place).is_some_and(Option::is_some);
    (!depends).then(|| Some((base, call.outputs.get(place)?.clone())))?
}

/// The gradient of the graph of a handle; derived once.
fn knot_gradient(handle: &Arc<RecursiveHandle>) -> Result<Arc<RecursiveGradient>> {
    let _alone = DERIVING.lock();
    if let Some(known) = handle.gradient() {
        return Ok(known);
    }
    let graph = handle.graph().ok_or_else(|| {
        err!(
            Unimplemented,
            "{} takes the gradient of a call of itself, which is of higher order at each level: take the gradient \
             outside of it",
            handle.name()
        )
    })?;
    let gradient = Arc::new(declared(handle, &graph)?);
    handle.set_gradient(Some(gradient.clone()));
    let filled = fill(&graph, &gradient);
    if filled.is_err() {
        handle.set_gradient(None);
    }
    filled.map(|()| gradient)
}

/// The gradient with handles that are not filled in yet.
fn declared(handle: &Arc<RecursiveHandle>, graph: &Graph) -> Result<RecursiveGradient> {
    let bundle = TensorSpec::scalar(DType::Variant);
    let seeds: Vec<usize> = (0..handle.outputs().len())
        .filter(|&i| carries_gradient(handle.outputs()[i].dtype))
        .collect();
    let (mut inputs, mut grads) = (Vec::new(), Vec::new());
    for (i, connected) in connected_inputs(graph, handle).into_iter().enumerate() {
        inputs.push(connected.then_some(grads.len()));
        if connected {
            grads.push(gradient_spec(graph, graph.inputs[i])?);
        }
    }
    let forward = [handle.outputs(), std::slice::from_ref(&bundle)].concat();
    let mut taken: Vec<TensorSpec> = seeds.iter().map(|&i| handle.outputs()[i].clone()).collect();
    taken.push(bundle);
    let named = |prefix: &str| Arc::from(format!("__{prefix}_{}", handle.name()));
    Ok(RecursiveGradient {
        forward: RecursiveHandle::extending(handle, named("forward"), forward),
        backward: RecursiveHandle::new(named("backward"), taken, grads),
        seeds,
        inputs,
    })
}

/// The type of the gradient of an input: that of what it holds where it refers to a variable.
fn gradient_spec(graph: &Graph, input: ValueId) -> Result<TensorSpec> {
    let spec = graph.spec(input);
    if spec.dtype != DType::Resource {
        return Ok(spec.clone());
    }
    read_of(graph, input).ok_or_else(|| err!(Internal, "a variable has a gradient but is not read"))
}

fn fill(graph: &Arc<Graph>, gradient: &RecursiveGradient) -> Result<()> {
    let mut mask = vec![false; graph.outputs.len()];
    for &i in &gradient.seeds {
        mask[i] = true;
    }
    let derived = graph_gradient(graph, &mask)?;
    let missing = missing(gradient, &derived);
    let forward = forward_graph(graph, gradient, &derived, &missing)?;
    let backward = backward_graph(graph, gradient, &derived, &missing)?;
    gradient.forward.fill_owned(forward.clone());
    gradient.backward.fill_owned(backward.clone());
    settle(&gradient.forward, &forward);
    settle(&gradient.backward, &backward);
    Ok(())
}

/// The inputs whose gradients are asked for and turn out to be nothing: zeros.
fn missing(gradient: &RecursiveGradient, derived: &GraphGradient) -> Vec<usize> {
    let wanted = |i: &usize| gradient.inputs[*i].is_some() && derived.inputs[*i].is_none();
    (0..gradient.inputs.len()).filter(wanted).collect()
}

fn sym(trace: &TraceRef, value: ValueId) -> Val {
    Val::Sym(Sym {
        trace: trace.clone(),
        value,
    })
}

/// What the bundle holds: what the backward graph takes, then the inputs whose zeros are asked for.
fn bundled(graph: &Graph, derived: &GraphGradient, missing: &[usize]) -> Vec<ValueId> {
    let kept = derived.forward.outputs[graph.outputs.len()..].iter();
    let inputs = missing.iter().map(|i| &derived.forward.inputs[*i]);
    kept.chain(inputs).copied().collect()
}

fn forward_graph(
    graph: &Graph,
    gradient: &RecursiveGradient,
    derived: &GraphGradient,
    missing: &[usize],
) -> Result<Arc<Graph>> {
    let trace = Trace::reopen(gradient.forward.name(), &derived.forward, None);
    let mut e = TraceEmitter {
        trace: trace.clone(),
        origin: None,
    };
    let values = bundled(graph, derived, missing);
    let values: Vec<Val> = values.into_iter().map(|v| sym(&trace, v)).collect();
    let bundle = e.bundle(&values, String::new())?;
    let mut outputs = derived.forward.outputs[..graph.outputs.len()].to_vec();
    outputs.push(trace.resolve(&bundle, &LeafOps)?);
    Ok(trace.seal(outputs)?.0)
}

fn backward_graph(
    graph: &Graph,
    gradient: &RecursiveGradient,
    derived: &GraphGradient,
    missing: &[usize],
) -> Result<Arc<Graph>> {
    let trace = Trace::new(gradient.backward.name(), None);
    let mut e = TraceEmitter {
        trace: trace.clone(),
        origin: None,
    };
    let mut taken = Vec::new();
    for spec in gradient.backward.inputs() {
        taken.push(add_arg(&trace, spec.clone(), "grad")?);
    }
    let bundle = taken
        .pop()
        .ok_or_else(|| err!(Internal, "a gradient takes nothing"))?;
    let specs = bundled(graph, derived, missing).into_iter();
    let (dtypes, shapes) = specs
        .map(|v| derived.forward.spec(v).clone())
        .map(|s| (s.dtype, s.shape))
        .unzip();
    let values = e.unbundle(&bundle, String::new(), dtypes, shapes)?;
    let (kept, inputs) = values.split_at(values.len() - missing.len());
    let call = Call::of(derived.backward.clone());
    let mut found = apply_backward(&mut e, derived, call, taken, kept)?;
    for (i, input) in missing.iter().zip(inputs) {
        found[*i] = Some(zeros_of(&mut e, input, read_of(graph, graph.inputs[*i]))?);
    }
    let mut outputs = Vec::new();
    for (grad, _) in found
        .iter()
        .zip(&gradient.inputs)
        .filter(|(_, i)| i.is_some())
    {
        let grad = grad
            .as_ref()
            .ok_or_else(|| err!(Internal, "a gradient is missing"))?;
        outputs.push(trace.resolve(grad, &LeafOps)?);
    }
    Ok(trace.seal(outputs)?.0)
}
