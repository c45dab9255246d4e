//! From a graph and concrete input shapes to a plan: infer every shape, fold what is constant, drop what nothing
//! needs, bind kernels, and place intermediate values in the slab.

use crate::layout::{Lifetime, assign};
use crate::plan::{Action, Plan, PlanRunner, Step};
use ferrograph_graph::{Effect, Graph, Inputs, Kernel, Known, Node, NodeId, SlotType, Specs};
use ferrograph_tensor::{DType, Result, Shape, Tensor, TensorSpec, err};
use parking_lot::Mutex;
use std::sync::Arc;

/// Constants are folded while their outputs have at most this many elements.
const FOLD_LIMIT: usize = 4096;

/// What is known of the graph's values at these input shapes.
struct Facts {
    specs: Vec<TensorSpec>,
    constants: Vec<Option<Tensor>>,
    known: Vec<Option<Known>>,
}

impl Facts {
    fn inputs<'a>(&'a self, node: &'a Node) -> Inputs<'a> {
        Inputs::new(node.inputs.iter().map(|v| {
            let i = v.index();
            (
                &self.specs[i],
                self.constants[i].as_ref(),
                self.known[i].as_ref(),
            )
        }))
    }
}

/// How a node will run.
enum Choice {
    Skip,
    Kernel(Kernel),
    Alias(Shape),
    Eval,
}

/// Compiles a graph for inputs of these shapes.
pub(crate) fn compile(graph: &Arc<Graph>, inputs: &[Tensor]) -> Result<Plan> {
    let live = live_nodes(graph);
    let facts = infer(graph, inputs, &live)?;
    let choices = choose(graph, &facts, &live)?;
    let boxed = boxed_values(graph, &choices, &facts);
    let last_use = last_uses(graph, &choices);
    assemble(graph, facts, choices, &boxed, &last_use)
}

/// Nodes that an output or an effect depends on.
pub(crate) fn live_nodes(graph: &Graph) -> Vec<bool> {
    let mut live = vec![false; graph.nodes.len()];
    let mut work: Vec<NodeId> = graph.outputs.iter().map(|v| graph.value(*v).node).collect();
    for (id, node) in graph.iter() {
        if matches!(node.op.effect(), Effect::Writes | Effect::World) {
            work.push(id);
        }
    }
    while let Some(id) = work.pop() {
        if !std::mem::replace(&mut live[id.index()], true) {
            let node = graph.node(id);
            work.extend(node.inputs.iter().map(|v| graph.value(*v).node));
        }
    }
    live
}

fn infer(graph: &Graph, inputs: &[Tensor], live: &[bool]) -> Result<Facts> {
    let n = graph.values.len();
    let mut facts = Facts {
        specs: graph.values.iter().map(|v| v.spec.clone()).collect(),
        constants: vec![None; n],
        known: vec![None; n],
    };
    let mut is_input = vec![false; n];
    for (v, tensor) in graph.inputs.iter().zip(inputs) {
        facts.specs[v.index()] = tensor.spec();
        is_input[v.index()] = true;
    }
    for (_, node) in graph.iter().filter(|(id, _)| live[id.index()]) {
        if node.outputs.first().is_some_and(|v| is_input[v.index()]) {
            continue;
        }
        infer_node(graph, node, &mut facts)
            .map_err(|e| e.in_op(node.op.name()).at(node.origin.as_ref()))?;
    }
    Ok(facts)
}

fn infer_node(graph: &Graph, node: &Node, facts: &mut Facts) -> Result<()> {
    let (specs, known) = {
        let inputs = facts.inputs(node);
        (node.op.infer(&inputs)?, node.op.known(&inputs))
    };
    let known_constant = known.as_ref().and_then(|k| known_tensor(k, &specs));
    for (v, spec) in node.outputs.iter().zip(&specs) {
        let recorded = &graph.value(*v).spec;
        // What the program asserted of a shape holds at run time too, or the run fails where it is used.
        let shape = spec
            .shape
            .merge(&recorded.shape)
            .unwrap_or_else(|_| spec.shape.clone());
        facts.specs[v.index()] = TensorSpec::new(spec.dtype, shape);
    }
    let Some(first) = node.outputs.first().map(|v| v.index()) else {
        return Ok(());
    };
    facts.known[first] = known;
    facts.constants[first] = node.op.constant().cloned().or(known_constant);
    if facts.constants[first].is_none()
        && let Some(values) = fold(node, &specs, facts)
    {
        for (v, value) in node.outputs.iter().zip(values) {
            facts.specs[v.index()] = value.spec();
            facts.constants[v.index()] = Some(value);
        }
    }
    Ok(())
}

/// The constant that fully known elements spell.
fn known_tensor(known: &Known, specs: &Specs) -> Option<Tensor> {
    let spec = specs.first()?;
    let shape = spec.shape.to_static()?;
    let elements: Vec<i64> = known.iter().copied().collect::<Option<_>>()?;
    if shape.n_elements() != elements.len() {
        return None;
    }
    match spec.dtype {
        DType::Int64 => Tensor::from_slice(shape, &elements).ok(),
        DType::Int32 => {
            let elements: Vec<i32> = elements
                .iter()
                .map(|&x| i32::try_from(x).ok())
                .collect::<Option<_>>()?;
            Tensor::from_slice(shape, &elements).ok()
        }
        _ => None,
    }
}

/// The outputs of a pure node of small constants. What fails to evaluate is left to fail when run.
fn fold(node: &Node, specs: &Specs, facts: &Facts) -> Option<Vec<Tensor>> {
    let small = |s: &TensorSpec| s.shape.n_elements().is_none_or(|n| n <= FOLD_LIMIT);
    if node.op.effect() != Effect::Pure || node.inputs.is_empty() || !specs.iter().all(small) {
        return None;
    }
    if !node.op.regions().is_empty() {
        return None;
    }
    let inputs: Vec<Tensor> = node
        .inputs
        .iter()
        .map(|v| facts.constants[v.index()].clone())
        .collect::<Option<_>>()?;
    if inputs.iter().any(|t| t.n_elements() > FOLD_LIMIT) {
        return None;
    }
    let outputs = node.op.eval(&PlanRunner, &inputs).ok()?;
    Some(outputs.into_iter().collect())
}

fn choose(graph: &Graph, facts: &Facts, live: &[bool]) -> Result<Vec<Choice>> {
    let mut is_input = vec![false; graph.values.len()];
    for v in &graph.inputs {
        is_input[v.index()] = true;
    }
    let mut choices = Vec::with_capacity(graph.nodes.len());
    for (id, node) in graph.iter() {
        let given = |v: &ferrograph_graph::ValueId| {
            is_input[v.index()] || facts.constants[v.index()].is_some()
        };
        let pure = matches!(node.op.effect(), Effect::Pure | Effect::Reads);
        if !live[id.index()] || (pure && !node.outputs.is_empty() && node.outputs.iter().all(given))
        {
            choices.push(Choice::Skip);
            continue;
        }
        choices.push(
            choose_one(node, facts)
                .map_err(|e| e.in_op(node.op.name()).at(node.origin.as_ref()))?,
        );
    }
    Ok(choices)
}

fn choose_one(node: &Node, facts: &Facts) -> Result<Choice> {
    let dense_static = |v: &ferrograph_graph::ValueId| {
        let spec = &facts.specs[v.index()];
        spec.dtype.is_dense() && spec.shape.is_static()
    };
    let outputs: Vec<TensorSpec> = node
        .outputs
        .iter()
        .map(|v| facts.specs[v.index()].clone())
        .collect();
    if node.op.alias().is_some()
        && let Some(shape) = outputs[0].shape.to_static()
        && facts.specs[node.inputs[node.op.alias().unwrap_or(0)].index()]
            .shape
            .n_elements()
            == Some(shape.n_elements())
    {
        return Ok(Choice::Alias(shape));
    }
    let bindable = !node.outputs.is_empty()
        && node.outputs.iter().all(dense_static)
        && node.inputs.iter().all(dense_static)
        && node.op.alias().is_none();
    if bindable && let Some(kernel) = node.op.kernel(&facts.inputs(node), &outputs)? {
        return Ok(Choice::Kernel(kernel));
    }
    Ok(Choice::Eval)
}

/// Values that must be tensors of their own: outputs of the graph, and what evaluated or aliasing steps touch.
fn boxed_values(graph: &Graph, choices: &[Choice], facts: &Facts) -> Vec<bool> {
    let mut boxed: Vec<bool> = facts.constants.iter().map(Option::is_some).collect();
    for v in graph.inputs.iter().chain(&graph.outputs) {
        boxed[v.index()] = true;
    }
    for (choice, node) in choices.iter().zip(&graph.nodes) {
        if matches!(choice, Choice::Eval | Choice::Alias(_)) {
            for v in node.inputs.iter().chain(&node.outputs) {
                boxed[v.index()] = true;
            }
        }
    }
    boxed
}

/// For each value the index of the last node that reads it.
fn last_uses(graph: &Graph, choices: &[Choice]) -> Vec<Option<usize>> {
    let mut last = vec![None; graph.values.len()];
    for (i, node) in graph.nodes.iter().enumerate() {
        if !matches!(choices[i], Choice::Skip) {
            for v in &node.inputs {
                last[v.index()] = Some(i);
            }
        }
    }
    last
}

fn slot(index: usize) -> Result<u32> {
    u32::try_from(index).map_err(|_| err!(ResourceExhausted, "the graph has too many values"))
}

fn assemble(
    graph: &Arc<Graph>,
    facts: Facts,
    choices: Vec<Choice>,
    boxed: &[bool],
    last_use: &[Option<usize>],
) -> Result<Plan> {
    let mut lifetimes = Vec::new();
    let mut placed = Vec::new();
    let mut steps = Vec::new();
    let mut flops = 0.0;
    let mut keep = vec![false; graph.values.len()];
    for v in graph.inputs.iter().chain(&graph.outputs) {
        keep[v.index()] = true;
    }
    for (i, choice) in choices.into_iter().enumerate() {
        let node = &graph.nodes[i];
        let action = match choice {
            Choice::Skip => continue,
            Choice::Kernel(k) => Action::Kernel(k),
            Choice::Alias(s) => Action::Alias(s),
            Choice::Eval => Action::Eval(node.op.clone()),
        };
        let outputs: Vec<TensorSpec> = node
            .outputs
            .iter()
            .map(|v| facts.specs[v.index()].clone())
            .collect();
        flops += node.op.flops(&facts.inputs(node), &outputs);
        let mut fresh = Vec::new();
        for (v, spec) in node
            .outputs
            .iter()
            .zip(&outputs)
            .filter(|_| matches!(action, Action::Kernel(_)))
        {
            let shape = spec
                .shape
                .to_static()
                .ok_or_else(|| err!(Internal, "a bound output has no static shape"))?;
            if boxed[v.index()] {
                fresh.push((slot(v.index())?, spec.dtype, shape));
            } else {
                let bytes = shape.n_elements() * spec.dtype.size();
                lifetimes.push(Lifetime {
                    start: i,
                    end: last_use[v.index()].unwrap_or(i),
                    bytes,
                });
                placed.push(slot(v.index())?);
            }
        }
        let mut drops = Vec::new();
        for v in node.inputs.iter().chain(&node.outputs) {
            let k = v.index();
            let done = last_use[k].unwrap_or(i) == i;
            if boxed[k]
                && !keep[k]
                && facts.constants[k].is_none()
                && done
                && !drops.contains(&slot(k)?)
            {
                drops.push(slot(k)?);
            }
        }
        steps.push(Step {
            action,
            ins: node
                .inputs
                .iter()
                .map(|v| slot(v.index()))
                .collect::<Result<_>>()?,
            outs: node
                .outputs
                .iter()
                .map(|v| slot(v.index()))
                .collect::<Result<_>>()?,
            fresh: fresh.into(),
            drops: drops.into(),
            node: NodeId::new(i),
        });
    }
    let (offsets, slab_bytes) = assign(&lifetimes);
    let types = facts
        .specs
        .iter()
        .map(|s| SlotType {
            dtype: s.dtype,
            len: s.shape.n_elements().unwrap_or(0),
        })
        .collect();
    let mut constants = Vec::new();
    for (i, value) in facts.constants.iter().enumerate() {
        if let Some(value) = value {
            constants.push((slot(i)?, value.clone()));
        }
    }
    Ok(Plan {
        graph: Arc::downgrade(graph),
        name: graph.name.clone(),
        types,
        in_slab: placed.into_iter().zip(offsets).collect(),
        slab_bytes,
        constants,
        inputs: graph
            .inputs
            .iter()
            .map(|v| slot(v.index()))
            .collect::<Result<_>>()?,
        outputs: graph
            .outputs
            .iter()
            .map(|v| slot(v.index()))
            .collect::<Result<_>>()?,
        steps,
        flops,
        frames: Mutex::new(Vec::new()),
    })
}
