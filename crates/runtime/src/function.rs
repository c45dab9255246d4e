//! A traced function: its graph and what it captured.

use crate::cache::CacheStats;
use crate::dispatcher::{computes_now, emit, when_run};
use crate::plan::{AtomicSlot, LastPlan, Plan, PlanCache, PlanRunner, Tier};
use ferrograph_graph::{Effect, Graph, NodeId, OpRef, Val, Vals, run_nodes};
use ferrograph_ops::{Call, RecursiveCall};
use ferrograph_tensor::{Result, Tensor, bail, err};
use std::ops::Deref;
use std::sync::Arc;

/// A graph with the values it captured from outside.
pub struct ConcreteFunction {
    /// The graph: arguments, then captures.
    pub graph: Arc<Graph>,
    /// The values outside that feed the captures.
    pub captures: Vec<Val>,
    call: OpRef,
    plans: Arc<PlanCache>,
    last: AtomicSlot<LastPlan>,
}

/// The plan for a call. It goes back to its function when dropped, so that the next call of these shapes finds it
/// without a look-up.
pub struct Planned<'a> {
    /// There until it is dropped.
    held: Option<Box<LastPlan>>,
    function: &'a ConcreteFunction,
}

impl Deref for Planned<'_> {
    type Target = Plan;
    #[inline]
    fn deref(&self) -> &Plan {
        match &self.held {
            Some(last) => &last.plan,
            None => unreachable!("a plan is held until its drop"),
        }
    }
}

impl Drop for Planned<'_> {
    fn drop(&mut self) {
        if let Some(last) = self.held.take() {
            // Where a call on another thread has put its own, that one stays.
            drop(self.function.last.put(last));
        }
    }
}

impl ConcreteFunction {
    /// A traced function of that graph.
    pub fn new(graph: Arc<Graph>, captures: Vec<Val>) -> ConcreteFunction {
        let call = Arc::new(Call::of(graph.clone()));
        ConcreteFunction {
            plans: PlanCache::of(&graph),
            last: AtomicSlot::new(),
            graph,
            captures,
            call,
        }
    }

    /// A placeholder for a function that is being traced and calls itself: a call through the dispatcher adds a
    /// recursive call.
    pub fn of_recursive(call: RecursiveCall) -> ConcreteFunction {
        let empty = Graph::new("recursive".into(), vec![], vec![], vec![], 0, vec![]);
        ConcreteFunction {
            call: Arc::new(call),
            ..ConcreteFunction::new(Arc::new(empty), Vec::new())
        }
    }

    /// How many arguments it takes before the captures; `None` while it is being traced.
    pub fn n_args(&self) -> Option<usize> {
        self.call.as_any().is::<Call>().then_some(self.graph.n_args)
    }

    /// Whether a call can run its plan directly: no trace to add a node to, no tape to tell.
    pub fn can_run(&self) -> bool {
        computes_now()
    }

    /// The plan for inputs of these shapes, arguments and captures: that of the call before where they are the same.
    ///
    /// # Errors
    /// What inference refuses at these shapes.
    #[inline]
    pub fn plan(&self, inputs: &[&Tensor]) -> Result<Planned<'_>> {
        let inputs = inputs.iter().copied();
        let held = match self.last.take() {
            Some(last) if last.serves(inputs.clone()) => last,
            _ => Box::new(LastPlan::find(&self.plans, &self.graph, inputs)?),
        };
        Ok(Planned {
            held: Some(held),
            function: self,
        })
    }

    /// The plan of the last call, where none runs just now.
    pub fn plan_of_last_call(&self) -> Option<Arc<Plan>> {
        let last = self.last.take()?;
        let plan = last.plan.clone();
        // Where a call on another thread has put its own, that one stays.
        drop(self.last.put(last));
        Some(plan)
    }

    /// Says when plans of its graph get machine code, before the first is made.
    pub fn set_tier(&self, tier: Tier) {
        self.plans.set_tier(tier);
    }

    /// How the plans of its graph were used.
    pub fn plan_stats(&self) -> CacheStats {
        self.plans.stats()
    }

    /// Calls through the dispatcher.
    pub fn call(&self, args: &[Val]) -> Result<Vals> {
        let mut inputs = args.to_vec();
        inputs.extend(self.captures.iter().cloned());
        emit(self.call.clone(), &inputs)
    }
}

/// The value of one output of a graph for these inputs. Only nodes that it depends on are evaluated.
///
/// # Errors
/// `Unimplemented` where it depends on a node with an effect; otherwise what the nodes raise.
pub fn evaluate_output(graph: &Graph, index: usize, inputs: &[Tensor]) -> Result<Tensor> {
    let output = *graph
        .outputs
        .get(index)
        .ok_or_else(|| err!(Internal, "graph {} has no output {index}", graph.name))?;
    let needed = graph.needed_by(&[output]);
    let is_needed = |id: NodeId| needed[id.index()];
    let given = inputs.iter().cloned();
    let found = run_nodes(graph, given, &[output], is_needed, |node, ins| {
        if matches!(node.op.effect(), Effect::Writes) {
            bail!(
                Unimplemented,
                "an initial value depends on {}, which has an effect",
                node.op.name()
            );
        }
        (node.op.eval(&PlanRunner, &ins)).map_err(|e| when_run(e).in_op(node.op.name()))
    })?;
    Ok(found[0].clone())
}
