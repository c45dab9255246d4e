//! The plans of a graph, by input shapes.

use super::{Plan, Tier};
use crate::cache::CacheStats;
use crate::compile::compile;
use ferrograph_graph::{Graph, Memo, Runner, Tensors};
use ferrograph_tensor::{PartialShape, Result, Shape, Tensor, bail};
use ferrograph_transform::optimised;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use parking_lot::RwLock;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Runs graphs by their plans.
pub struct PlanRunner;

impl Runner for PlanRunner {
    fn run(&self, graph: &Arc<Graph>, inputs: Tensors) -> Result<Tensors> {
        plan_for(graph, inputs.iter())?.execute(inputs)
    }

    fn run_again(&self, graph: &Arc<Graph>, inputs: Tensors, memo: &mut Memo) -> Result<Tensors> {
        let kept = memo.as_ref().and_then(|m| m.downcast_ref::<LastPlan>());
        if let Some(last) = kept
            && last.serves(inputs.iter())
        {
            return last.plan.execute(inputs);
        }
        let last = LastPlan::find(&PlanCache::of(graph), graph, inputs.iter())?;
        let plan = last.plan.clone();
        *memo = Some(Arc::new(last));
        plan.execute(inputs)
    }
}

/// The plan that a caller ran last, and for which shapes.
pub(crate) struct LastPlan {
    shapes: SmallVec<[Shape; 2]>,
    pub plan: Arc<Plan>,
    cache: Arc<PlanCache>,
}

impl LastPlan {
    /// The plan of a graph for inputs of these shapes, by its cache.
    pub fn find<'a>(
        cache: &Arc<PlanCache>,
        graph: &Arc<Graph>,
        inputs: impl ExactSizeIterator<Item = &'a Tensor> + Clone,
    ) -> Result<LastPlan> {
        Ok(LastPlan {
            shapes: inputs.clone().map(|t| t.shape().clone()).collect(),
            plan: cache.plan(graph, inputs)?,
            cache: cache.clone(),
        })
    }

    /// Whether it is the plan for inputs of these shapes, which counts as a hit.
    #[inline]
    pub fn serves<'a>(&self, inputs: impl ExactSizeIterator<Item = &'a Tensor>) -> bool {
        let serves = inputs.len() == self.shapes.len()
            && (self.shapes.iter().zip(inputs)).all(|(shape, tensor)| *shape == *tensor.shape());
        if serves {
            self.cache.calls.fetch_add(1, Ordering::Relaxed);
        }
        serves
    }
}

/// Place, rank and dimensions of those inputs whose shapes the graph's own specs do not say.
type ShapeKey = SmallVec<[usize; 8]>;

/// A bounded number of plans of a graph by input shapes; the least recently used makes room.
#[derive(Default)]
pub(crate) struct PlanCache {
    plans: RwLock<HashMap<Box<[usize]>, Entry, FixedState>>,
    /// How often a plan was asked for, the clock of `used`.
    calls: AtomicU64,
    misses: AtomicU64,
    evictions: AtomicU64,
    /// When plans get machine code.
    tier: OnceLock<Tier>,
}

struct Entry {
    plan: Arc<Plan>,
    used: AtomicU64,
}

/// Plans that a graph keeps.
const PLANS_LIMIT: usize = 256;

impl PlanCache {
    /// The cache of a graph.
    pub fn of(graph: &Graph) -> Arc<PlanCache> {
        graph.attachment(PlanCache::default)
    }

    /// The plan for inputs of these shapes; compiled on first use.
    fn plan<'a>(
        &self,
        graph: &Arc<Graph>,
        inputs: impl ExactSizeIterator<Item = &'a Tensor> + Clone,
    ) -> Result<Arc<Plan>> {
        expect_inputs(graph, inputs.len())?;
        let now = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let key = shape_key(graph, inputs.clone());
        if let Some(entry) = self.plans.read().get(&key[..]) {
            entry.used.store(now, Ordering::Relaxed);
            return Ok(entry.plan.clone());
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let inputs: Vec<Tensor> = inputs.cloned().collect();
        let plan = Arc::new(compile(&optimised(graph)?, &inputs, true, self.tier())?);
        drop(self.keep(&key, &plan, now));
        Ok(plan)
    }

    /// Keeps a plan, and gives the one that made room for it.
    fn keep(&self, key: &[usize], plan: &Arc<Plan>, now: u64) -> Option<Entry> {
        let mut plans = self.plans.write();
        let gone = if plans.len() >= PLANS_LIMIT && !plans.contains_key(key) {
            let used = |entry: &Entry| entry.used.load(Ordering::Relaxed);
            let oldest = plans.iter().min_by_key(|(_, entry)| used(entry));
            let oldest = oldest.map(|(key, _)| key.clone());
            oldest.and_then(|oldest| plans.remove(&oldest))
        } else {
            None
        };
        self.evictions
            .fetch_add(u64::from(gone.is_some()), Ordering::Relaxed);
        let entry = Entry {
            plan: plan.clone(),
            used: AtomicU64::new(now),
        };
        plans.insert(key.into(), entry);
        gone
    }

    fn tier(&self) -> Tier {
        self.tier.get().copied().unwrap_or_default()
    }

    /// Says when plans get machine code, before the first is made; what was said first holds.
    pub fn set_tier(&self, tier: Tier) {
        self.tier.get_or_init(|| tier);
    }

    /// How it was used.
    pub fn stats(&self) -> CacheStats {
        let misses = self.misses.load(Ordering::Relaxed);
        CacheStats {
            n_entries: self.plans.read().len(),
            hits: self.calls.load(Ordering::Relaxed).saturating_sub(misses),
            misses,
            evictions: self.evictions.load(Ordering::Relaxed),
        }
    }
}

fn shape_key<'a>(graph: &Graph, inputs: impl Iterator<Item = &'a Tensor>) -> ShapeKey {
    let mut key = ShapeKey::new();
    for (i, (tensor, spec)) in inputs.zip(graph.input_specs()).enumerate() {
        if !is_as_traced(tensor, &spec.shape) {
            key.push(i);
            key.push(tensor.rank());
            key.extend_from_slice(tensor.shape());
        }
    }
    key
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

/// The plan of a graph for inputs of these shapes; compiled on first use.
///
/// # Errors
/// What inference refuses at these shapes; a wrong number of inputs.
pub fn plan_for<'a>(
    graph: &Arc<Graph>,
    inputs: impl ExactSizeIterator<Item = &'a Tensor> + Clone,
) -> Result<Arc<Plan>> {
    PlanCache::of(graph).plan(graph, inputs)
}

/// A plan of exactly this graph for inputs of these shapes, made anew: no pass rewrites it and no cache keeps it. For
/// tests, which compare it with the plan that calls run.
///
/// # Errors
/// As [`plan_for`].
pub fn compile_unoptimised(graph: &Arc<Graph>, inputs: &[Tensor]) -> Result<Plan> {
    expect_inputs(graph, inputs.len())?;
    compile(graph, inputs, false, Tier::Never)
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
