//! The plans of a graph, by input shapes.

use super::Plan;
use crate::compile::compile;
use ferrograph_graph::{Graph, Memo, Runner, Tensors};
use ferrograph_tensor::{PartialShape, Result, Shape, Tensor, bail};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use parking_lot::RwLock;
use smallvec::SmallVec;
use std::sync::Arc;

/// Runs graphs by their plans.
pub struct PlanRunner;

impl Runner for PlanRunner {
    fn run(&self, graph: &Arc<Graph>, inputs: Tensors) -> Result<Tensors> {
        plan_for(graph, inputs.iter())?.execute(inputs)
    }

    fn run_again(&self, graph: &Arc<Graph>, inputs: Tensors, memo: &mut Memo) -> Result<Tensors> {
        let kept = memo.as_ref().and_then(|m| m.downcast_ref::<LastPlan>());
        if let Some(last) = kept
            && last.shapes.iter().eq(inputs.iter().map(Tensor::shape))
        {
            return last.plan.execute(inputs);
        }
        let plan = plan_for(graph, inputs.iter())?;
        let shapes = inputs.iter().map(|t| t.shape().clone()).collect();
        *memo = Some(Arc::new(LastPlan {
            shapes,
            plan: plan.clone(),
        }));
        plan.execute(inputs)
    }
}

/// The plan that a caller ran last, and for which shapes.
struct LastPlan {
    shapes: SmallVec<[Shape; 2]>,
    plan: Arc<Plan>,
}

/// Place, rank and dimensions of those inputs whose shapes the graph's own specs do not say.
type ShapeKey = SmallVec<[usize; 8]>;

/// Plans of a graph by input shapes: the one that ran last, and those before it.
#[derive(Default)]
struct Plans {
    last: Option<(Box<[usize]>, Arc<Plan>)>,
    others: HashMap<Box<[usize]>, Arc<Plan>, FixedState>,
}

impl Plans {
    fn keep(&mut self, key: Box<[usize]>, plan: Arc<Plan>) {
        let before = self.last.replace((key, plan));
        if let Some((key, plan)) = before {
            if self.others.len() >= PLANS_LIMIT {
                self.others.clear();
            }
            self.others.insert(key, plan);
        }
    }
}

/// Whether a tensor has just the shape, static throughout, that an input was traced with.
fn is_as_traced(tensor: &Tensor, traced: &PartialShape) -> bool {
    traced.dims().is_some_and(|dims| {
        dims.len() == tensor.rank()
            && dims
                .iter()
                .zip(tensor.shape().iter())
                .all(|(d, n)| d.known() == Some(*n))
    })
}

/// Plans a graph keeps; past it they are made anew.
const PLANS_LIMIT: usize = 256;

/// The plan of a graph for inputs of these shapes; compiled on first use.
///
/// # Errors
/// What inference refuses at these shapes; a wrong number of inputs.
pub fn plan_for<'a>(
    graph: &Arc<Graph>,
    inputs: impl ExactSizeIterator<Item = &'a Tensor> + Clone,
) -> Result<Arc<Plan>> {
    expect_inputs(graph, inputs.len())?;
    let plans = graph.attachment(RwLock::<Plans>::default);
    let mut key = ShapeKey::new();
    for (i, (tensor, spec)) in inputs.clone().zip(graph.input_specs()).enumerate() {
        if !is_as_traced(tensor, &spec.shape) {
            key.push(i);
            key.push(tensor.rank());
            key.extend_from_slice(tensor.shape());
        }
    }
    if let Some((last_key, plan)) = &plans.read().last
        && **last_key == *key
    {
        return Ok(plan.clone());
    }
    let found = plans.read().others.get(&key[..]).cloned();
    let plan = match found {
        Some(plan) => plan,
        None => Arc::new(compile(graph, &inputs.cloned().collect::<Vec<_>>())?),
    };
    plans.write().keep(key[..].into(), plan.clone());
    Ok(plan)
}

/// A plan of exactly this graph for inputs of these shapes, made anew: no pass rewrites it and no cache keeps it. For
/// tests, which compare it with the plan that calls run.
///
/// # Errors
/// As [`plan_for`].
pub fn compile_unoptimised(graph: &Arc<Graph>, inputs: &[Tensor]) -> Result<Plan> {
    expect_inputs(graph, inputs.len())?;
    compile(graph, inputs)
}

fn expect_inputs(graph: &Graph, n: usize) -> Result<()> {
    let expected = graph.inputs.len();
    if n != expected {
        bail!(
            Internal,
            "graph {} takes {expected} inputs, got {n}",
            graph.name
        );
    }
    Ok(())
}
