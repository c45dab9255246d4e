//! The gradient of a whole graph: a forward graph that also returns the intermediate values (residuals) that the
//! backward graph needs, and that backward graph.

use crate::backprop::{Record, backprop, densify};
use crate::emit::TraceEmitter;
use ferrograph_graph::{Emitter, Grad, Graph, OpRef, Sym, Trace, TraceRef, Val, Vals, ValueId};
use ferrograph_ops::{Call, LeafOps, Placeholder};
use ferrograph_tensor::{Result, TensorSpec, bail};
use hashbrown::{HashMap, HashSet};
use parking_lot::Mutex;
use std::sync::Arc;

/// The gradient of a graph with respect to those of its inputs that it was asked for.
#[derive(Debug)]
pub struct GraphGradient {
    /// The graph with its outputs followed by the residuals.
    pub forward: Arc<Graph>,
    /// Takes the gradients of the outputs in `wanted`, then the residuals.
    pub backward: Arc<Graph>,
    /// Which outputs of the graph the backward graph takes the gradients of.
    pub wanted: Vec<bool>,
    /// For each input of the graph which output of the backward graph is its gradient; `None` where unconnected or not
    /// asked for.
    pub inputs: Vec<Option<usize>>,
}

#[derive(Default)]
struct Known(Mutex<HashMap<[Vec<bool>; 2], Arc<GraphGradient>>>);

/// The gradient of `graph` with respect to all inputs, for gradients of its `wanted` outputs; derived once and kept with
/// the graph.
pub fn graph_gradient(graph: &Arc<Graph>, wanted: &[bool]) -> Result<Arc<GraphGradient>> {
    gradient_for(graph, wanted, |_| true)
}

/// As [`graph_gradient`], with respect to the inputs of these places alone: what only others need is not computed.
pub(crate) fn gradient_for(
    graph: &Arc<Graph>,
    wanted: &[bool],
    needs: impl Fn(usize) -> bool,
) -> Result<Arc<GraphGradient>> {
    let needs: Vec<bool> = (0..graph.inputs.len()).map(needs).collect();
    let key = [wanted.to_vec(), needs];
    let known = graph.attachment(Known::default);
    if let Some(found) = known.0.lock().get(&key) {
        return Ok(found.clone());
    }
    let derived = Arc::new(derive(graph, wanted, &key[1])?);
    known.0.lock().insert(key, derived.clone());
    Ok(derived)
}

fn sym(trace: &TraceRef, value: ValueId) -> Val {
    Val::Sym(Sym {
        trace: trace.clone(),
        value,
    })
}

/// What a graph's nodes did, as records on a trace that reopened it.
fn records_of(graph: &Graph, trace: &TraceRef) -> Vec<Record> {
    let vals = |ids: &[ValueId]| -> Vals { ids.iter().map(|v| sym(trace, *v)).collect() };
    let record = |n: &ferrograph_graph::Node| Record {
        op: n.op.clone(),
        inputs: vals(&n.inputs),
        outputs: vals(&n.outputs),
        replay: None,
        origin: n.origin.clone(),
    };
    graph.nodes.iter().map(record).collect()
}

/// A placeholder added to a trace as an argument.
pub(crate) fn add_arg(trace: &TraceRef, spec: TensorSpec, name: &str) -> Result<Val> {
    let op: OpRef = Arc::new(Placeholder::from(spec));
    Ok(sym(trace, trace.add_arg(op, name, None)?))
}

fn derive(graph: &Arc<Graph>, wanted: &[bool], needs: &[bool]) -> Result<GraphGradient> {
    let forward = Trace::reopen(&format!("__forward_{}", graph.name), graph, None);
    let backward = Trace::new(&format!("__backward_{}", graph.name), Some(forward.clone()));
    let mut e = TraceEmitter {
        trace: backward.clone(),
        origin: None,
    };
    let mut targets = Vec::new();
    for (output, _) in graph.outputs.iter().zip(wanted).filter(|(_, w)| **w) {
        let seed = add_arg(&backward, graph.spec(*output).clone(), "grad")?;
        targets.push((sym(&forward, *output), Grad::Dense(seed)));
    }
    let keys: Vec<u64> = graph
        .inputs
        .iter()
        .map(|v| sym(&forward, *v).key())
        .collect();
    let asked = keys.iter().zip(needs).filter(|(_, needed)| **needed);
    let sources: HashSet<u64> = asked.map(|(key, _)| *key).collect();
    let grads = backprop(&mut e, &records_of(graph, &forward), targets, &sources)?;
    let mut outputs = Vec::new();
    let mut inputs = Vec::new();
    for key in &keys {
        let Some(grad) = grads.get(key) else {
            inputs.push(None);
            continue;
        };
        let dense = densify(&mut e, grad)?;
        inputs.push(Some(outputs.len()));
        outputs.push(backward.resolve(&dense, &LeafOps)?);
    }
    let (backward, captures) = backward.seal(outputs)?;
    let mut returned = graph.outputs.clone();
    for capture in &captures {
        match &capture.outer {
            Val::Sym(s) if s.trace.id() == forward.id() => returned.push(s.value),
            other => bail!(
                Internal,
                "the gradient of {} captured {other:?}",
                graph.name
            ),
        }
    }
    let (forward, _) = forward.seal(returned)?;
    Ok(GraphGradient {
        forward,
        backward,
        wanted: wanted.to_vec(),
        inputs,
    })
}

/// Runs a backward graph, of which `call` is one, through `e` and deals its outputs to the inputs they belong to.
pub(crate) fn apply_backward(
    e: &mut dyn Emitter,
    gradient: &GraphGradient,
    call: Call,
    seeds: Vec<Val>,
    residuals: &[Val],
) -> Result<Vec<Option<Val>>> {
    let mut inputs = seeds;
    inputs.extend_from_slice(residuals);
    let results = e.emit(Arc::new(call), &inputs)?;
    Ok(gradient
        .inputs
        .iter()
        .map(|i| i.map(|i| results[i].clone()))
        .collect())
}
