//! Gradients of operations that hold graphs. The traced node is extended so that it also returns the residuals that
//! the gradient needs.

use crate::backprop::{Record, Replay};
use crate::emit::TraceEmitter;
use crate::gradient::{GraphGradient, add_arg, apply_backward, gradient_for};
use crate::loops::while_vjp;
use crate::recursion::recursive_vjp;
use crate::rewrite::with_outputs;
use ferrograph_graph::{
    Branch, Emitter, Grad, Grads, Graph, NodeId, OpRef, Region, Role, Sym, Trace, TraceRef, Val,
    Vals, ValueId, VjpCall,
};
use ferrograph_ops::emit::*;
use ferrograph_ops::{Call, LeafOps, ReadVariableOp, RecursiveCall, While};
use ferrograph_tensor::{DType, Origin, Result, Tensor, TensorSpec, bail, err};
use std::sync::Arc;

/// The gradients of the inputs of an operation with regions.
pub(crate) fn region_vjp(
    e: &mut dyn Emitter,
    record: &Record,
    call: &VjpCall<'_>,
) -> Result<Grads> {
    if let Some(replay) = &record.replay {
        return replayed(e, &record.op, replay, call);
    }
    let Some(Val::Sym(first)) = record.outputs.first() else {
        bail!(
            Internal,
            "operation {} ran without keeping what its gradient needs",
            record.op.name()
        );
    };
    let node = Node::of(first)?;
    if let Some(op) = node.op.downcast::<RecursiveCall>() {
        return recursive_vjp(e, &node, op, call);
    }
    let regions = node.op.regions();
    match &regions[..] {
        [region] if region.role == Role::Call => call_vjp(e, &node, region, call),
        [first, ..] if first.role == Role::Branch => branches_vjp(e, &node, &regions, call),
        _ => match node.op.downcast::<While>() {
            // What a loop records for its gradient is its own affair.
            Some(op) => while_vjp(e, &node, op, call),
            None => bail!(
                Unimplemented,
                "gradients of operation {} are not implemented",
                node.op.name()
            ),
        },
    }
}

/// An operation with other graphs in the places of its own.
fn with_regions(op: &OpRef, regions: Vec<Branch>) -> Result<OpRef> {
    let made = op.with_regions(regions);
    made.ok_or_else(|| err!(Internal, "operation {} takes no other graphs", op.name()))
}

/// A node of a trace that is still open.
pub(crate) struct Node {
    trace: TraceRef,
    id: NodeId,
    op: OpRef,
    /// The user's line.
    pub origin: Option<Arc<Origin>>,
}

impl Node {
    fn of(output: &Sym) -> Result<Node> {
        output.trace.with_builder(|b| {
            let id = b.value(output.value).node;
            Node {
                trace: output.trace.clone(),
                id,
                op: b.node(id).op.clone(),
                origin: b.node(id).origin.clone(),
            }
        })
    }

    /// Replaces the operation by one with more outputs and gives those.
    pub(crate) fn extend(&self, op: OpRef, specs: &[TensorSpec]) -> Result<Vec<Val>> {
        let added = self
            .trace
            .with_builder(|b| b.extend_node(self.id, op, &[], specs))??;
        Ok(added
            .into_iter()
            .map(|value| {
                Val::Sym(Sym {
                    trace: self.trace.clone(),
                    value,
                })
            })
            .collect())
    }
}

fn to_grads(found: Vec<Option<Val>>) -> Grads {
    found.into_iter().map(|g| g.map(Grad::Dense)).collect()
}

/// The call of the backward graph that belongs to the graph which an operation calls.
fn backward_call(op: &OpRef, gradient: &GraphGradient) -> Call {
    let backward = gradient.backward.clone();
    match op.downcast::<Call>() {
        Some(call) => call.of_derived(backward),
        None => Call::of(backward),
    }
}

fn replayed(e: &mut dyn Emitter, op: &OpRef, replay: &Replay, call: &VjpCall<'_>) -> Result<Grads> {
    let mut seeds = Vec::new();
    for ((output, grad), _) in call
        .outputs
        .iter()
        .zip(call.grads)
        .zip(&replay.gradient.wanted)
        .filter(|(_, w)| **w)
    {
        seeds.push(match grad {
            Some(g) => g.clone(),
            None => e.zeros_like(output)?,
        });
    }
    let backward = backward_call(op, &replay.gradient);
    Ok(to_grads(apply_backward(
        e,
        &replay.gradient,
        backward,
        seeds,
        &replay.residuals,
    )?))
}

/// Which outputs have a gradient, padded to the number of outputs the node has now.
fn wanted(grads: &[Option<Val>], n: usize) -> Vec<bool> {
    (0..n)
        .map(|i| grads.get(i).is_some_and(Option::is_some))
        .collect()
}

/// Whether the gradient of what feeds a region's input is needed, given those of the operation's inputs that are.
fn is_needed(region: &Region<'_>, input: usize, needs: &[bool]) -> bool {
    let fed_by = region.inputs[input] as usize;
    needs.get(fed_by).copied().unwrap_or(true)
}

/// The gradients of what a call takes, which is what its graph takes.
fn call_vjp(
    e: &mut dyn Emitter,
    node: &Node,
    region: &Region<'_>,
    call: &VjpCall<'_>,
) -> Result<Grads> {
    let graph = region.graph;
    let wanted = wanted(call.grads, graph.outputs.len());
    let gradient = gradient_for(graph, &wanted, |p| is_needed(region, p, call.needs))?;
    let specs: Vec<TensorSpec> = gradient.forward.output_specs().cloned().collect();
    let forward = with_regions(&node.op, vec![region.with(gradient.forward.clone())])?;
    let mut residuals = node.extend(forward, &specs)?;
    take_resources(&mut residuals, &gradient, region, call.inputs);
    let seeds = call.grads.iter().flatten().cloned().collect();
    let backward = backward_call(&node.op, &gradient);
    Ok(to_grads(apply_backward(
        e, &gradient, backward, seeds, &residuals,
    )?))
}

/// Puts what a call takes in the places of the resources among its residuals: the gradient of a resource is that of what
/// it holds, which no output has.
fn take_resources(
    residuals: &mut [Val],
    gradient: &GraphGradient,
    region: &Region<'_>,
    inputs: &[Val],
) {
    let forward = &gradient.forward;
    let first = forward.outputs.len() - residuals.len();
    for (residual, value) in residuals.iter_mut().zip(&forward.outputs[first..]) {
        let place = forward.inputs.iter().position(|v| v == value);
        if let Some(place) = place.filter(|_| residual.dtype() == DType::Resource) {
            residual.clone_from(&inputs[region.inputs[place] as usize]);
        }
    }
}

/// The gradients of what an operation takes that runs one of several graphs, by its input 0.
fn branches_vjp(
    e: &mut dyn Emitter,
    node: &Node,
    regions: &[Region<'_>],
    call: &VjpCall<'_>,
) -> Result<Grads> {
    let n = regions[0].graph.outputs.len();
    let mask = wanted(call.grads, n);
    let of = |region| Kept::of(region, n, &mask, call.needs);
    let kept: Vec<Kept> = regions.iter().map(of).collect::<Result<_>>()?;
    let added = extend_branches(node, regions, &kept, n)?;
    let seeds: Vec<Val> = call.grads.iter().flatten().cloned().collect();
    let connected = connected(regions, &kept, call.inputs);
    let mut added = &added[..];
    let mut branches = Vec::new();
    for (region, kept) in regions.iter().zip(&kept) {
        let (own, others) = added.split_at(kept.returned.len());
        added = others;
        let side = Side {
            region,
            gradient: &kept.gradient,
            residuals: &kept.residuals(own, call.inputs)?,
            origin: node.origin.as_ref(),
        };
        branches.push(side.backward(&seeds, call.inputs, &connected, regions)?);
    }
    let results = emit_branches(e, &node.op, &call.inputs[0], branches)?;
    let mut grads: Grads = (0..call.inputs.len()).map(|_| None).collect();
    for (i, value) in connected.into_iter().zip(results) {
        grads[i] = Some(Grad::Dense(value));
    }
    Ok(grads)
}

/// Lets each branch return its residuals behind its `n` outputs, with dummies for those of the others; gives them all.
fn extend_branches(
    node: &Node,
    regions: &[Region<'_>],
    kept: &[Kept],
    n: usize,
) -> Result<Vec<Val>> {
    let returned = |kept: &[Kept]| -> Vec<TensorSpec> {
        kept.iter().flat_map(|k| k.returned.clone()).collect()
    };
    let mut forward = Vec::new();
    for (i, (region, k)) in regions.iter().zip(kept).enumerate() {
        let (before, after) = (returned(&kept[..i]), returned(&kept[i + 1..]));
        let padded = pad_outputs(&k.graph, n, &before, &after, node.origin.as_ref())?;
        forward.push(region.with(padded));
    }
    let of_all = returned(kept).into_iter();
    let of_all = of_all.map(|s| TensorSpec::unknown(s.dtype));
    let specs: Vec<TensorSpec> = (regions[0].graph.output_specs().cloned())
        .chain(of_all)
        .collect();
    node.extend(with_regions(&node.op, forward)?, &specs)
}

/// The inputs, but for the one that picks, that have a gradient in some branch.
fn connected(regions: &[Region<'_>], kept: &[Kept], inputs: &[Val]) -> Vec<usize> {
    let carries = |i: usize| {
        let dtype = inputs[i].dtype();
        dtype.is_differentiable() || matches!(dtype, DType::Resource | DType::Variant)
    };
    let has_gradient = |i: usize| {
        (regions.iter().zip(kept)).any(|(r, k)| gradient_of(r, &k.gradient, i).is_some())
    };
    (1..inputs.len())
        .filter(|&i| carries(i) && has_gradient(i))
        .collect()
}

/// The gradient of a branch, and what of the branch is kept for it.
struct Kept {
    gradient: Arc<GraphGradient>,
    /// The branch with those residuals among its outputs that are no inputs of its own.
    graph: Arc<Graph>,
    /// The types of those residuals.
    returned: Vec<TensorSpec>,
    /// For each residual the input of the operation that it is, or None where the branch returns it.
    places: Vec<Option<usize>>,
}

impl Kept {
    fn of(branch: &Region<'_>, n: usize, mask: &[bool], needs: &[bool]) -> Result<Kept> {
        let gradient = gradient_for(branch.graph, mask, |p| is_needed(branch, p, needs))?;
        let forward = &gradient.forward;
        let mut outputs = forward.outputs[..n].to_vec();
        let (mut returned, mut places) = (Vec::new(), Vec::new());
        for value in &forward.outputs[n..] {
            let place = forward.inputs.iter().position(|v| v == value);
            places.push(place.map(|p| branch.inputs[p] as usize));
            if place.is_none() {
                outputs.push(*value);
                returned.push(forward.spec(*value).clone());
            }
        }
        let graph = with_outputs(forward, outputs)?;
        Ok(Kept {
            gradient,
            graph,
            returned,
            places,
        })
    }

    /// The residuals, given those that the branch returned and the inputs of the operation.
    fn residuals(&self, returned: &[Val], inputs: &[Val]) -> Result<Vec<Val>> {
        let mut returned = returned.iter();
        let mut find = |place: &Option<usize>| match place {
            Some(i) => Ok(inputs[*i].clone()),
            None => returned
                .next()
                .cloned()
                .ok_or_else(|| err!(Internal, "a branch returned too little")),
        };
        self.places.iter().map(&mut find).collect()
    }
}

/// The positions in a branch's inputs, with a gradient, that input `i` of the operation feeds.
fn gradient_of(branch: &Region<'_>, gradient: &GraphGradient, i: usize) -> Option<usize> {
    (0..branch.inputs.len())
        .find(|&k| branch.inputs[k] as usize == i && gradient.inputs[k].is_some())
}

/// One branch with its gradient and the residuals it returned.
struct Side<'a> {
    region: &'a Region<'a>,
    gradient: &'a GraphGradient,
    residuals: &'a [Val],
    origin: Option<&'a Arc<Origin>>,
}

impl Side<'_> {
    /// The backward pass as a graph of its own with what it captures: a zero for what the branch does not touch.
    fn backward(
        &self,
        seeds: &[Val],
        inputs: &[Val],
        connected: &[usize],
        regions: &[Region<'_>],
    ) -> Result<(Arc<Graph>, Vec<Val>)> {
        let trace = Trace::new("cond_grad", None);
        let mut outer: Vec<Val> = Vec::new();
        let mut e = TraceEmitter {
            trace: trace.clone(),
            origin: self.origin.cloned(),
        };
        let enter = |val: &Val, spec: TensorSpec, outer: &mut Vec<Val>| -> Result<Val> {
            outer.push(val.clone());
            add_arg(&trace, spec, "arg")
        };
        let mut inner_seeds = Vec::new();
        for seed in seeds {
            inner_seeds.push(enter(seed, seed.spec(), &mut outer)?);
        }
        let specs = self.gradient.forward.output_specs();
        let specs = specs.skip(self.region.graph.outputs.len()).cloned();
        let mut residuals = Vec::new();
        for (residual, spec) in self.residuals.iter().zip(specs) {
            residuals.push(enter(residual, spec, &mut outer)?);
        }
        let call = Call::of(self.gradient.backward.clone());
        let found = apply_backward(&mut e, self.gradient, call, inner_seeds, &residuals)?;
        let mut outputs: Vec<ValueId> = Vec::new();
        for &i in connected {
            let value = match gradient_of(self.region, self.gradient, i) {
                Some(k) => found[k]
                    .clone()
                    .ok_or_else(|| err!(Internal, "a connected input has no gradient"))?,
                None => {
                    let inner = enter(&inputs[i], inputs[i].spec(), &mut outer)?;
                    zeros_of(&mut e, &inner, variable_in(regions, i))?
                }
            };
            outputs.push(trace.resolve(&value, &LeafOps)?);
        }
        let (graph, _) = trace.seal(outputs)?;
        Ok((graph, outer))
    }
}

/// What is read of a variable that one of a graph's inputs refers to, where it is read at all.
pub(crate) fn read_of(graph: &Graph, input: ValueId) -> Option<TensorSpec> {
    graph.nodes.iter().find_map(|node| {
        let mut places = (0..node.inputs.len()).filter(|&i| node.inputs[i] == input);
        match node.op.downcast::<ReadVariableOp>() {
            Some(read) => places.next().map(|_| read.spec()),
            None => places.find_map(|place| variable_in(&node.op.regions(), place)),
        }
    })
}

/// What the regions of an operation read of the variable that one of its inputs refers to.
pub(crate) fn variable_in(regions: &[Region<'_>], input: usize) -> Option<TensorSpec> {
    regions.iter().find_map(|region| {
        let graph = region.graph;
        let fed = (0..region.inputs.len()).filter(|&p| region.inputs[p] as usize == input);
        fed.into_iter()
            .find_map(|p| read_of(graph, graph.inputs[p]))
    })
}

/// Zeros of a value's type; of what a variable holds for its handle, given what is read of it.
pub(crate) fn zeros_of(e: &mut dyn Emitter, value: &Val, held: Option<TensorSpec>) -> Result<Val> {
    if value.dtype() != DType::Resource {
        return e.zeros_like(value);
    }
    let spec = held.ok_or_else(|| err!(Internal, "a variable has a gradient but is not read"))?;
    let read = e.read_variable(value, spec.dtype, spec.shape)?;
    e.zeros_like(&read)
}

/// Emits an operation like that one, whose branches are these graphs and take what each lists.
fn emit_branches(
    e: &mut dyn Emitter,
    op: &OpRef,
    selector: &Val,
    branches: Vec<(Arc<Graph>, Vec<Val>)>,
) -> Result<Vals> {
    let mut inputs = vec![selector.clone()];
    let mut made = Vec::new();
    for (graph, outer) in branches {
        let mut map = Vec::new();
        for val in outer {
            map.push(u32::try_from(inputs.len()).map_err(|_| err!(Internal, "too many inputs"))?);
            inputs.push(val);
        }
        made.push(Branch { graph, inputs: map });
    }
    e.emit(with_regions(op, made)?, &inputs)
}

/// The graph with dummies of these types among its outputs: behind the first `n`, and at the end.
fn pad_outputs(
    graph: &Arc<Graph>,
    n: usize,
    before: &[TensorSpec],
    after: &[TensorSpec],
    origin: Option<&Arc<Origin>>,
) -> Result<Arc<Graph>> {
    let trace = Trace::reopen(&graph.name, graph, None);
    let mut e = TraceEmitter {
        trace: trace.clone(),
        origin: origin.cloned(),
    };
    let mut dummies = |specs: &[TensorSpec]| -> Result<Vec<ValueId>> {
        let mut ids = Vec::new();
        for spec in specs {
            let value = dummy(&mut e, spec)?;
            ids.push(trace.resolve(&value, &LeafOps)?);
        }
        Ok(ids)
    };
    let outputs = [
        graph.outputs[..n].to_vec(),
        dummies(before)?,
        graph.outputs[n..].to_vec(),
        dummies(after)?,
    ]
    .concat();
    Ok(trace.seal(outputs)?.0)
}

/// Dummies of static shape up to this many elements have it, so that what reads them can be bound to it.
const SHAPED_DUMMY: usize = 64;

/// Any value of that dtype.
fn dummy(e: &mut TraceEmitter, spec: &TensorSpec) -> Result<Val> {
    match spec.dtype {
        DType::Variant => {
            let (shape, none) = (Tensor::scalar(-1i32)?, Tensor::scalar(0i32)?);
            let (shape, none) = (e.constant(shape)?, e.constant(none)?);
            e.empty_tensor_list(&shape, &none, DType::Float32)
        }
        DType::Resource => bail!(
            Unimplemented,
            "a branch whose gradient needs a resource is not supported"
        ),
        dtype => {
            let shape = spec.shape.to_static();
            let small = shape.filter(|shape| shape.n_elements() <= SHAPED_DUMMY);
            e.constant(Tensor::zeros(dtype, small.unwrap_or([0].into()))?)
        }
    }
}
