//! Gradients of operations that hold graphs. The traced node is extended so that it also returns the residuals that
//! the gradient needs.

use crate::backprop::{Record, Replay};
use crate::emit::TraceEmitter;
use crate::gradient::{GraphGradient, add_arg, apply_backward, graph_gradient};
use crate::loops::while_vjp;
use ferrograph_graph::{
    Attr, Emitter, Grad, Grads, Graph, NodeId, OpRef, Sym, Trace, TraceRef, Val, Vals, ValueId,
    VjpCall,
};
use ferrograph_ops::emit::*;
use ferrograph_ops::{Branch, Call, If, LeafOps, ReadVariable, While};
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail, err};
use std::sync::Arc;

/// The gradients of the inputs of an operation with regions.
pub(crate) fn region_vjp(
    e: &mut dyn Emitter,
    record: &Record,
    call: &VjpCall<'_>,
) -> Result<Grads> {
    if let Some(replay) = &record.replay {
        return replayed(e, replay, call);
    }
    let Some(Val::Sym(first)) = record.outputs.first() else {
        bail!(
            Internal,
            "operation {} ran without keeping what its gradient needs",
            record.op.name()
        );
    };
    let node = Node::of(first)?;
    if let Some(op) = node.op.downcast::<Call>() {
        return call_vjp(e, &node, op, call);
    }
    if let Some(op) = node.op.downcast::<If>() {
        return if_vjp(e, &node, op, call);
    }
    if let Some(op) = node.op.downcast::<While>() {
        return while_vjp(e, &node, op, call);
    }
    bail!(
        Unimplemented,
        "gradients of operation {} are not implemented",
        node.op.name()
    )
}

/// A node of a trace that is still open.
pub(crate) struct Node {
    trace: TraceRef,
    id: NodeId,
    op: OpRef,
}

impl Node {
    fn of(output: &Sym) -> Result<Node> {
        let (id, op) = output.trace.with_builder(|b| {
            let id = b.value(output.value).node;
            (id, b.node(id).op.clone())
        })?;
        Ok(Node {
            trace: output.trace.clone(),
            id,
            op,
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

fn replayed(e: &mut dyn Emitter, replay: &Replay, call: &VjpCall<'_>) -> Result<Grads> {
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
    Ok(to_grads(apply_backward(
        e,
        &replay.gradient,
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

fn call_vjp(e: &mut dyn Emitter, node: &Node, op: &Call, call: &VjpCall<'_>) -> Result<Grads> {
    let gradient = graph_gradient(&op.graph, &wanted(call.grads, op.graph.outputs.len()))?;
    let specs: Vec<TensorSpec> = gradient.forward.output_specs().cloned().collect();
    let residuals = node.extend(
        Arc::new(Call {
            graph: gradient.forward.clone(),
        }),
        &specs,
    )?;
    let seeds = call.grads.iter().flatten().cloned().collect();
    Ok(to_grads(apply_backward(e, &gradient, seeds, &residuals)?))
}

fn if_vjp(e: &mut dyn Emitter, node: &Node, op: &If, call: &VjpCall<'_>) -> Result<Grads> {
    let n = op.then_branch.graph.outputs.len();
    let mask = wanted(call.grads, n);
    let then = Kept::of(&op.then_branch, n, &mask)?;
    let other = Kept::of(&op.else_branch, n, &mask)?;
    let forward = If {
        then_branch: Branch {
            graph: pad_outputs(&then.graph, n, &[], &other.returned)?,
            inputs: op.then_branch.inputs.clone(),
        },
        else_branch: Branch {
            graph: pad_outputs(&other.graph, n, &then.returned, &[])?,
            inputs: op.else_branch.inputs.clone(),
        },
    };
    let returned = then
        .returned
        .iter()
        .chain(&other.returned)
        .map(|s| TensorSpec::unknown(s.dtype));
    let specs: Vec<TensorSpec> = op
        .then_branch
        .graph
        .output_specs()
        .cloned()
        .chain(returned)
        .collect();
    let added = node.extend(Arc::new(forward), &specs)?;
    let (of_then, of_other) = added.split_at(then.returned.len());
    let seeds: Vec<Val> = call.grads.iter().flatten().cloned().collect();
    let has_gradient = |i: usize| {
        gradient_of(&op.then_branch, &then.gradient, i).is_some()
            || gradient_of(&op.else_branch, &other.gradient, i).is_some()
    };
    let carries = |i: usize| {
        let dtype = call.inputs[i].dtype();
        dtype.is_differentiable() || matches!(dtype, DType::Resource | DType::Variant)
    };
    let connected: Vec<usize> = (1..call.inputs.len())
        .filter(|&i| carries(i) && has_gradient(i))
        .collect();
    let sides = [
        (&op.then_branch, &then, of_then),
        (&op.else_branch, &other, of_other),
    ];
    let mut branches = Vec::new();
    for (branch, kept, added) in sides {
        let residuals = kept.residuals(added, call.inputs)?;
        let side = Side {
            branch,
            gradient: &kept.gradient,
            residuals: &residuals,
        };
        let both = [&op.then_branch, &op.else_branch];
        branches.push(backward_branch(
            &side,
            &seeds,
            call.inputs,
            &connected,
            &both,
        )?);
    }
    let results = emit_if(e, &call.inputs[0], branches)?;
    let mut grads: Grads = (0..call.inputs.len()).map(|_| None).collect();
    for (i, value) in connected.into_iter().zip(results) {
        grads[i] = Some(Grad::Dense(value));
    }
    Ok(grads)
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
    fn of(branch: &Branch, n: usize, mask: &[bool]) -> Result<Kept> {
        let gradient = graph_gradient(&branch.graph, mask)?;
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
        let graph = Trace::reopen(&forward.name, forward, None).seal(outputs)?.0;
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

/// One branch with its gradient and the residuals it returned.
struct Side<'a> {
    branch: &'a Branch,
    gradient: &'a GraphGradient,
    residuals: &'a [Val],
}

/// The positions in a branch's inputs, with a gradient, that input `i` of the operation feeds.
fn gradient_of(branch: &Branch, gradient: &GraphGradient, i: usize) -> Option<usize> {
    (0..branch.inputs.len())
        .find(|&k| branch.inputs[k] as usize == i && gradient.inputs[k].is_some())
}

/// The backward pass of one branch as a graph of its own with what it captures: a zero for what it does not touch.
fn backward_branch(
    side: &Side<'_>,
    seeds: &[Val],
    inputs: &[Val],
    connected: &[usize],
    branches: &[&Branch],
) -> Result<(Arc<Graph>, Vec<Val>)> {
    let trace = Trace::new("cond_grad", None);
    let mut outer: Vec<Val> = Vec::new();
    let mut e = TraceEmitter {
        trace: trace.clone(),
        origin: None,
    };
    let enter = |val: &Val, spec: TensorSpec, outer: &mut Vec<Val>| -> Result<Val> {
        outer.push(val.clone());
        add_arg(&trace, spec, "arg")
    };
    let mut inner_seeds = Vec::new();
    for seed in seeds {
        inner_seeds.push(enter(seed, seed.spec(), &mut outer)?);
    }
    let specs: Vec<TensorSpec> = side
        .gradient
        .forward
        .output_specs()
        .skip(side.branch.graph.outputs.len())
        .cloned()
        .collect();
    let mut residuals = Vec::new();
    for (residual, spec) in side.residuals.iter().zip(specs) {
        residuals.push(enter(residual, spec, &mut outer)?);
    }
    let found = apply_backward(&mut e, side.gradient, inner_seeds, &residuals)?;
    let mut outputs: Vec<ValueId> = Vec::new();
    for &i in connected {
        let value = match gradient_of(side.branch, side.gradient, i) {
            Some(k) => found[k]
                .clone()
                .ok_or_else(|| err!(Internal, "a connected input has no gradient"))?,
            None => {
                let inner = enter(&inputs[i], inputs[i].spec(), &mut outer)?;
                zeros_of(&mut e, &inner, variable_in(branches, i))?
            }
        };
        outputs.push(trace.resolve(&value, &LeafOps)?);
    }
    let (graph, _) = trace.seal(outputs)?;
    Ok((graph, outer))
}

/// What is read of a variable that one of a graph's inputs refers to, where it is read at all.
fn read_of(graph: &Graph, input: ValueId) -> Option<TensorSpec> {
    graph.nodes.iter().find_map(|node| {
        let place = node.inputs.iter().position(|v| *v == input)?;
        if let Some(read) = node.op.downcast::<ReadVariable>() {
            return Some(read.spec.clone());
        }
        if let Some(call) = node.op.downcast::<Call>() {
            return read_of(&call.graph, call.graph.inputs[place]);
        }
        if let Some(op) = node.op.downcast::<If>() {
            return variable_in(&[&op.then_branch, &op.else_branch], place);
        }
        let op = node.op.downcast::<While>()?;
        variable_in(&[&op.cond, &op.body], place)
    })
}

/// What the regions of an operation read of the variable that one of its inputs refers to.
pub(crate) fn variable_in(branches: &[&Branch], input: usize) -> Option<TensorSpec> {
    branches.iter().find_map(|branch| {
        let fed = (0..branch.inputs.len()).filter(|&p| branch.inputs[p] as usize == input);
        fed.into_iter()
            .find_map(|p| read_of(&branch.graph, branch.graph.inputs[p]))
    })
}

/// Zeros of a value's type; of what a variable holds for its handle, given what is read of it.
pub(crate) fn zeros_of(e: &mut dyn Emitter, value: &Val, held: Option<TensorSpec>) -> Result<Val> {
    if value.dtype() != DType::Resource {
        return e.zeros_like(value);
    }
    let spec = held.ok_or_else(|| err!(Internal, "a variable has a gradient but is not read"))?;
    let read = e.one(Arc::new(ReadVariable { spec }), std::slice::from_ref(value))?;
    e.zeros_like(&read)
}

/// Emits an `If` whose branches take what each lists.
fn emit_if(
    e: &mut dyn Emitter,
    condition: &Val,
    branches: Vec<(Arc<Graph>, Vec<Val>)>,
) -> Result<Vals> {
    let mut inputs = vec![condition.clone()];
    let mut made = Vec::new();
    for (graph, outer) in branches {
        let mut map = Vec::new();
        for val in outer {
            map.push(u32::try_from(inputs.len()).map_err(|_| err!(Internal, "too many inputs"))?);
            inputs.push(val);
        }
        made.push(Branch { graph, inputs: map });
    }
    let else_branch = made.pop().ok_or_else(|| err!(Internal, "no branches"))?;
    let then_branch = made.pop().ok_or_else(|| err!(Internal, "no branches"))?;
    e.emit(
        Arc::new(If {
            then_branch,
            else_branch,
        }),
        &inputs,
    )
}

/// The graph with dummies of these types among its outputs: behind the first `n`, and at the end.
fn pad_outputs(
    graph: &Arc<Graph>,
    n: usize,
    before: &[TensorSpec],
    after: &[TensorSpec],
) -> Result<Arc<Graph>> {
    let trace = Trace::reopen(&graph.name, graph, None);
    let mut e = TraceEmitter {
        trace: trace.clone(),
        origin: None,
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
            let inputs = [&e.constant(shape)?, &e.constant(none)?];
            let attrs = vec![("element_dtype", Attr::DType(DType::Float32))];
            e.op("EmptyTensorList", &inputs, attrs)
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
