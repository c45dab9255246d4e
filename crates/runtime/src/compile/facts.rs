//! What is known of every value of a graph, and of the graphs in it, once the inputs are concrete: types, constants,
//! and the elements of shape arithmetic.

use super::regions::{Region, enter};
use crate::plan::PlanRunner;
use ferrograph_graph::{Differentiability, Effect, Graph, Inputs, Known, Node, NodeId, Specs};
use ferrograph_ops::attempt;
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::sync::Arc;

/// Constants are folded while their outputs have at most this many elements.
const FOLD_LIMIT: usize = 4096;

/// What is known of one value.
#[derive(Clone)]
pub(super) struct Fact {
    pub spec: TensorSpec,
    pub constant: Option<Tensor>,
    pub known: Option<Known>,
}

impl Fact {
    pub fn of_spec(spec: TensorSpec) -> Fact {
        Fact {
            spec,
            constant: None,
            known: None,
        }
    }
}

/// A graph with all that is known of it where it is compiled.
pub(super) struct Scope {
    pub graph: Arc<Graph>,
    /// Nodes that a wanted output or an effect depends on.
    pub live: Vec<bool>,
    /// Values that a live node takes or that are wanted.
    pub used: Vec<bool>,
    pub facts: Vec<Fact>,
    pub is_input: Vec<bool>,
    /// How the live nodes with graphs that are compiled into the plan will run.
    pub regions: HashMap<usize, Region, FixedState>,
}

impl Scope {
    pub fn inputs<'a>(&'a self, node: &'a Node) -> Inputs<'a> {
        Inputs::new(node.inputs.iter().map(|v| {
            let fact = &self.facts[v.index()];
            (&fact.spec, fact.constant.as_ref(), fact.known.as_ref())
        }))
    }

    pub fn outputs(&self) -> impl Iterator<Item = &Fact> {
        self.graph.outputs.iter().map(|v| &self.facts[v.index()])
    }
}

/// How much may still be compiled into a plan.
pub(super) struct Budget {
    pub nodes: usize,
    pub depth: usize,
}

/// Infers a graph for these inputs.
///
/// # Errors
/// What an operation refuses.
pub(super) fn infer(
    graph: &Arc<Graph>,
    inputs: Vec<Fact>,
    wanted: &[bool],
    budget: &mut Budget,
) -> Result<Scope> {
    let live = live_nodes(graph, wanted);
    let mut used = vec![false; graph.values.len()];
    let wanted_values = graph.outputs.iter().zip(wanted).filter(|(_, w)| **w);
    let taken = graph.iter().filter(|(id, _)| live[id.index()]);
    for v in taken
        .flat_map(|(_, n)| n.inputs.iter())
        .chain(wanted_values.map(|(v, _)| v))
    {
        used[v.index()] = true;
    }
    let n = graph.values.len();
    let mut scope = Scope {
        graph: graph.clone(),
        live,
        used,
        facts: graph
            .values
            .iter()
            .map(|v| Fact::of_spec(v.spec.clone()))
            .collect(),
        is_input: vec![false; n],
        regions: HashMap::default(),
    };
    for (v, fact) in graph.inputs.iter().zip(inputs) {
        scope.facts[v.index()] = fact;
        scope.is_input[v.index()] = true;
    }
    for (id, node) in graph.iter() {
        if scope.live[id.index()]
            && !node
                .outputs
                .first()
                .is_some_and(|v| scope.is_input[v.index()])
        {
            infer_node(&mut scope, id, node, budget)
                .map_err(|e| e.in_op(node.op.name()).at(node.origin.as_ref()))?;
        }
    }
    Ok(scope)
}

/// Nodes that a wanted output or an effect depends on.
pub(crate) fn live_nodes(graph: &Graph, wanted: &[bool]) -> Vec<bool> {
    let mut live = vec![false; graph.nodes.len()];
    let outputs = graph.outputs.iter().zip(wanted).filter(|(_, w)| **w);
    let mut work: Vec<NodeId> = outputs.map(|(v, _)| graph.value(*v).node).collect();
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

fn infer_node(scope: &mut Scope, id: NodeId, node: &Node, budget: &mut Budget) -> Result<()> {
    if let Some((region, outputs)) = enter(scope, node, budget) {
        for (v, fact) in node.outputs.iter().zip(outputs) {
            scope.facts[v.index()] = fact;
        }
        scope.regions.insert(id.index(), region);
        return Ok(());
    }
    let (specs, known) = {
        let inputs = scope.inputs(node);
        (node.op.specs(&inputs)?, node.op.known_outputs(&inputs))
    };
    for (v, spec) in node.outputs.iter().zip(&specs) {
        let mut fact = Fact::of_spec(spec.clone());
        assert_recorded(&mut fact, &scope.graph.value(*v).spec);
        scope.facts[v.index()] = fact;
    }
    for ((v, spec), known) in node.outputs.iter().zip(&specs).zip(known) {
        let fact = &mut scope.facts[v.index()];
        fact.constant = known.as_ref().and_then(|k| known_tensor(k, spec));
        fact.known = known;
    }
    let Some(first) = node.outputs.first().map(|v| v.index()) else {
        return Ok(());
    };
    if let Some(constant) = node.op.constant() {
        scope.facts[first].constant = Some(constant.clone());
    }
    if scope.facts[first].constant.is_none()
        && let Some(values) = fold(node, &specs, scope)
    {
        for (v, value) in node.outputs.iter().zip(values) {
            scope.facts[v.index()].spec = value.spec();
            scope.facts[v.index()].constant = Some(value);
        }
    }
    Ok(())
}

/// What the program asserted of a shape holds at run time too, or the run fails where it is used.
fn assert_recorded(fact: &mut Fact, recorded: &TensorSpec) {
    if let Ok(shape) = fact.spec.shape.merge(&recorded.shape) {
        fact.spec.shape = shape;
    }
}

/// The constant that fully known elements spell.
fn known_tensor(known: &Known, spec: &TensorSpec) -> Option<Tensor> {
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
fn fold(node: &Node, specs: &Specs, scope: &Scope) -> Option<Vec<Tensor>> {
    let small = |s: &TensorSpec| s.shape.n_elements().is_none_or(|n| n <= FOLD_LIMIT);
    if node.op.effect() != Effect::Pure || node.inputs.is_empty() || !specs.iter().all(small) {
        return None;
    }
    let runs_graphs = node.op.differentiability() == Differentiability::Regions;
    if runs_graphs || !node.op.regions().is_empty() {
        return None;
    }
    let inputs: Vec<Tensor> = node
        .inputs
        .iter()
        .map(|v| scope.facts[v.index()].constant.clone())
        .collect::<Option<_>>()?;
    if inputs.iter().any(|t| t.n_elements() > FOLD_LIMIT) {
        return None;
    }
    let outputs = attempt(node.op.eval(&PlanRunner, &inputs))?;
    outputs
        .iter()
        .all(is_value)
        .then(|| outputs.into_iter().collect())
}

/// Whether one tensor can be shared for all that are made alike, as a dataset, which has iterations, can not.
fn is_value(t: &Tensor) -> bool {
    !matches!(t.dtype(), DType::Resource | DType::Variant)
        || t.as_object().is_ok_and(|object| object.is_value())
}
