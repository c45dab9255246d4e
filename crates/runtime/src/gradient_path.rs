//! Why a gradient is none: the first place between a source and a target that lets no gradient through.

use ferrograph_graph::{Differentiability, Graph, NodeId, OpRef, Region, Role, ValueId};
use ferrograph_tensor::{DType, Origin};
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;
use std::sync::Arc;

/// What an operation took and gave, by the keys of the values.
#[derive(Clone)]
pub(crate) struct Step {
    pub op: OpRef,
    pub inputs: SmallVec<[u64; 3]>,
    pub outputs: SmallVec<[(u64, DType); 1]>,
    /// The user's line, where it is known.
    pub origin: Option<Arc<Origin>>,
}

/// Why no gradient flows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The tape does not watch the source.
    NotWatched,
    /// It was made while the tape did not record.
    NotRecorded,
    /// The value left for NumPy or Python.
    LeftAsNumpy,
    /// A value of a dtype that has no gradient.
    DType(DType),
    /// The program stopped it.
    StopGradient,
    /// The operation has no gradient.
    NoGradient,
    /// The target does not depend on the source.
    NoPath,
}

/// Where a gradient ends.
#[derive(Clone, Debug)]
pub struct Break {
    /// Why.
    pub reason: Reason,
    /// The operation that lets none through.
    pub op: Option<&'static str>,
    /// The user's line.
    pub origin: Option<Arc<Origin>>,
}

impl Break {
    /// A reason that is no operation's.
    pub fn of(reason: Reason) -> Break {
        Break {
            reason,
            op: None,
            origin: None,
        }
    }
}

/// Whether gradients may flow through a value of that dtype.
pub(crate) fn carries(dtype: DType) -> bool {
    dtype.is_differentiable() || matches!(dtype, DType::Resource | DType::Variant)
}

/// The best way to a value from a source: on how many places it breaks, and the first of them.
#[derive(Clone, Default)]
pub(crate) struct Way {
    breaks: usize,
    pub first: Option<Break>,
}

impl Way {
    /// The way on from its end.
    fn and(&self, next: &Way) -> Way {
        Way {
            breaks: self.breaks + next.breaks,
            first: self.first.clone().or_else(|| next.first.clone()),
        }
    }
}

/// The best ways from one source to the values that depend on it, by their keys.
pub(crate) struct Ways(HashMap<u64, Way>);

impl Ways {
    /// Ways that begin there.
    pub fn from(source: u64) -> Ways {
        Ways(HashMap::from_iter([(source, Way::default())]))
    }

    /// The way to a value.
    pub fn to(&self, key: u64) -> Option<&Way> {
        self.0.get(&key)
    }

    /// Goes on through steps in program order. Where `watched` tells what a tape saw made, a value that it did not see
    /// is where the way breaks.
    pub fn follow(&mut self, steps: &[Step], watched: Option<&HashSet<u64>>) {
        for step in steps {
            for (i, input) in step.inputs.iter().enumerate() {
                let Some(way) = self.0.get(input).cloned() else {
                    continue;
                };
                for (o, &(output, dtype)) in step.outputs.iter().enumerate() {
                    let Some(mut next) = through(step, i, o, dtype) else {
                        continue;
                    };
                    let unseen = watched.is_some_and(|w| !w.contains(&output));
                    if unseen && way.breaks + next.breaks == 0 {
                        next = broken(step, Reason::NotRecorded);
                    }
                    self.offer(output, way.and(&next));
                }
            }
        }
    }

    /// Takes a way where it is better than what is known; gives whether it is.
    fn offer(&mut self, key: u64, way: Way) -> bool {
        let is_better = self.0.get(&key).is_none_or(|old| way.breaks < old.breaks);
        if is_better {
            self.0.insert(key, way);
        }
        is_better
    }
}

fn broken(step: &Step, reason: Reason) -> Way {
    Way {
        breaks: 1,
        first: Some(Break {
            reason,
            op: Some(step.op.name()),
            origin: step.origin.clone(),
        }),
    }
}

/// The way through a step from one input to one output; `None` where the output does not depend on the input.
fn through(step: &Step, input: usize, output: usize, dtype: DType) -> Option<Way> {
    let op = &step.op;
    Some(match op.differentiability() {
        Differentiability::Regions => {
            let regions = op.regions();
            let inner = through_regions(&regions, input, output)?;
            return Some(located(inner, step));
        }
        Differentiability::Stops if op.name() == "StopGradient" => {
            broken(step, Reason::StopGradient)
        }
        Differentiability::Stops if op.name().starts_with("PyFunc") => {
            broken(step, Reason::LeftAsNumpy)
        }
        _ if !carries(dtype) => broken(step, Reason::DType(dtype)),
        Differentiability::Stops | Differentiability::Missing => broken(step, Reason::NoGradient),
        Differentiability::Vjp | Differentiability::Passes => Way::default(),
    })
}

/// What breaks inside an operation that holds graphs has a line of its own, or that of the operation.
fn located(mut way: Way, step: &Step) -> Way {
    if let Some(first) = &mut way.first
        && first.origin.is_none()
    {
        first.origin.clone_from(&step.origin);
    }
    way
}

fn through_regions(regions: &[Region<'_>], input: usize, output: usize) -> Option<Way> {
    let ways = regions.iter().filter_map(|region| match region.role {
        Role::Call | Role::Branch => through_graph(region, input, output, 0),
        Role::Body(carried) => through_graph(region, input, output, carried.vars.len()),
        Role::Condition | Role::Function => None,
    });
    ways.min_by_key(|way| way.breaks)
}

/// The way through a graph from what an input of its operation feeds; of a loop's body the first `n_carried` outputs are
/// inputs of the next iteration.
fn through_graph(
    region: &Region<'_>,
    input: usize,
    output: usize,
    n_carried: usize,
) -> Option<Way> {
    let graph = region.graph;
    let steps = steps_of(graph);
    let mut ways = Ways(HashMap::new());
    for (&from, value) in region.inputs.iter().zip(&graph.inputs) {
        if from as usize == input {
            ways.offer(key_of(*value), Way::default());
        }
    }
    let is_variable = input < n_carried && input == output;
    loop {
        ways.follow(&steps, None);
        let mut is_better = false;
        for i in 0..n_carried {
            let next = graph
                .inputs
                .get(region.inputs.iter().position(|&k| k as usize == i)?);
            if let (Some(way), Some(next)) = (ways.to(key_of(graph.outputs[i])).cloned(), next) {
                is_better |= ways.offer(key_of(*next), way);
            }
        }
        if !is_better {
            break;
        }
    }
    let found = ways.to(key_of(*graph.outputs.get(output)?)).cloned();
    match is_variable {
        // A loop may run not at all.
        true => Some(found.unwrap_or_default()),
        false => found,
    }
}

fn key_of(value: ValueId) -> u64 {
    value.index() as u64
}

fn steps_of(graph: &Graph) -> Vec<Step> {
    let all = (0..graph.nodes.len()).map(NodeId::new);
    let steps = all.map(|id| {
        let node = graph.node(id);
        let output = |v: &ValueId| (key_of(*v), graph.spec(*v).dtype);
        Step {
            op: node.op.clone(),
            inputs: node.inputs.iter().map(|v| key_of(*v)).collect(),
            outputs: node.outputs.iter().map(output).collect(),
            origin: node.origin.clone(),
        }
    });
    steps.collect()
}
