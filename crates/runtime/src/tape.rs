//! Tapes: what a program did with the values it watches, for taking gradients.

use crate::context::{self, active_tapes, is_tracing, level};
use crate::door::Door;
use ferrograph_graph::{Differentiability, Grad, OpRef, Sym, TraceRef, Val, Vals, ValueId};
use ferrograph_ops::emit::*;
use ferrograph_ops::{Placeholder, ReadVariableOp, VariableCell};
use ferrograph_tensor::{DType, Result, Tensor, bail};
use ferrograph_transform::{Record, Replay, backprop};
use hashbrown::{HashMap, HashSet};
use parking_lot::Mutex;
use std::sync::Arc;

/// Records operations on watched values.
pub struct Tape {
    level: u32,
    watch_variables: bool,
    persistent: bool,
    state: Mutex<State>,
}

/// A gradient of more operations than this takes some time.
const LONG_RECORDS: usize = 100;
/// As does one over values of more elements than this.
const LONG_ELEMENTS: usize = 8_192;

#[derive(Default)]
struct State {
    watched: HashSet<u64>,
    records: Vec<Record>,
    variables: Vec<Val>,
}

impl Tape {
    /// A tape for the present level; with `watch_variables` reads of trainable variables are watched by themselves.
    /// A `persistent` one may be asked for gradients of gradients that it recorded itself.
    pub fn new(watch_variables: bool, persistent: bool) -> Arc<Tape> {
        Arc::new(Tape {
            persistent,
            level: level().id(),
            watch_variables,
            state: Mutex::default(),
        })
    }

    /// Starts recording this thread's operations.
    pub fn start(self: &Arc<Self>) {
        context::push_tape(self.clone());
    }

    /// Stops recording.
    pub fn stop(&self) {
        context::remove_tape(self);
    }

    /// Watches a value: operations that depend on it are recorded.
    pub fn watch(&self, val: &Val) {
        if let Val::Sym(s) = val {
            s.trace.single_out(s.value);
        }
        self.state.lock().watched.insert(val.key());
    }

    /// Watches a variable by its handle.
    pub fn watch_variable(&self, handle: &Val) {
        let mut state = self.state.lock();
        if state.watched.insert(handle.key())
            || !state.variables.iter().any(|v| v.key() == handle.key())
        {
            state.variables.push(handle.clone());
        }
    }

    /// Records what the graph under construction, and those around it, hold already of what is watched, as if it had
    /// been told of it. Nothing is followed back through what gives one of `stops`.
    ///
    /// # Errors
    /// A watched constant that a region may hold a copy of, by which nothing could be followed.
    pub fn follow(&self, trace: &TraceRef, stops: &[Val]) -> Result<()> {
        let stops: HashSet<u64> = stops.iter().map(Val::key).collect();
        let mut chain = vec![trace];
        while let Some(parent) = chain.last().and_then(|t| t.parent()) {
            chain.push(parent);
        }
        let around = chain.len() > 1;
        chain
            .into_iter()
            .rev()
            .try_for_each(|t| self.follow_graph(t, &stops, around))
    }

    fn follow_graph(&self, trace: &TraceRef, stops: &HashSet<u64>, around: bool) -> Result<()> {
        let outer: HashMap<ValueId, Val> =
            HashMap::from_iter(trace.captures()?.into_iter().map(|c| (c.inner, c.outer)));
        let own = |value: ValueId| {
            let trace = trace.clone();
            Val::Sym(Sym { trace, value })
        };
        let val = |value: &ValueId| outer.get(value).cloned().unwrap_or_else(|| own(*value));
        let nodes = trace.with_builder(|b| b.nodes().to_vec())?;
        let has_regions = around || nodes.iter().any(|n| !n.op.regions().is_empty());
        for node in nodes {
            let outputs: Vals = node.outputs.iter().map(val).collect();
            if has_regions && node.op.constant().is_some() && outputs.iter().any(|o| self.tracks(o))
            {
                bail!(
                    Value,
                    "'{}' is a constant, which branches, loops and calls hold copies of: take the gradient by \
                     fg.identity of it, made before they use it",
                    node.name
                );
            }
            let inputs: Vals = node.inputs.iter().map(val).collect();
            if !outputs.iter().any(|o| stops.contains(&o.key())) {
                self.record(&node.op, &inputs, &outputs, None);
            }
        }
        Ok(())
    }

    /// Records an operation where it depends on what is watched.
    fn record(&self, op: &OpRef, inputs: &[Val], outputs: &Vals, replay: Option<Replay>) {
        if op.differentiability() == Differentiability::Stops || !self.is_concerned(inputs) {
            return;
        }
        let mut state = self.state.lock();
        state
            .watched
            .extend(outputs.iter().filter(|o| carries(o.dtype())).map(Val::key));
        state.records.push(Record {
            op: op.clone(),
            inputs: inputs.iter().cloned().collect(),
            outputs: outputs.clone(),
            replay,
            origin: None,
        });
    }

    /// Handles of the variables watched, in order of first use.
    pub fn watched_variables(&self) -> Vec<Val> {
        self.state.lock().variables.clone()
    }

    /// Whether a value is watched or depends on one that is.
    pub fn tracks(&self, val: &Val) -> bool {
        self.state.lock().watched.contains(&val.key())
    }

    /// Drops the records, which hold what was computed; what is watched stays known.
    pub fn release(&self) {
        self.state.lock().records = Vec::new();
    }

    /// Forgets everything.
    pub fn reset(&self) {
        *self.state.lock() = State::default();
    }

    /// The gradients of the sum of the targets, each weighted by its seed (ones by default), by each source; `None`
    /// where unconnected. Works from what was recorded; emits through the door, so that other tapes listen.
    pub fn gradient(
        &self,
        targets: Vec<(Val, Option<Val>)>,
        sources: &[Val],
    ) -> Result<Vec<Option<Grad>>> {
        let (records, keys) = {
            let state = self.state.lock();
            let keys: HashSet<u64> = sources
                .iter()
                .map(Val::key)
                .filter(|k| state.watched.contains(k))
                .collect();
            (state.records.clone(), keys)
        };
        let mut seeded = Vec::new();
        for (target, seed) in targets {
            if target.dtype() == DType::Resource {
                // A variable: its seed says what it holds.
                seeded.extend(seed.map(|s| (target, Grad::Dense(s))));
                continue;
            }
            if !target.dtype().is_differentiable() {
                continue;
            }
            let seed = match seed {
                Some(s) if s.dtype() != target.dtype() => {
                    bail!(
                        Value,
                        "an output gradient is {}, its target {}",
                        s.dtype(),
                        target.dtype()
                    )
                }
                Some(s) => s,
                None => Door.ones_like(&target)?,
            };
            seeded.push((target, Grad::Dense(seed)));
        }
        let found = backprop(&mut Door, &records, seeded, &keys)?;
        Ok(sources
            .iter()
            .map(|s| found.get(&s.key()).cloned())
            .collect())
    }

    /// Whether to walk what was recorded may take long: many operations, large values, graphs to run backwards.
    pub fn is_long(&self) -> bool {
        let state = self.state.lock();
        let values = |r: &Record| {
            r.inputs
                .iter()
                .chain(&r.outputs)
                .filter_map(Val::tensor)
                .map(Tensor::n_elements)
                .sum::<usize>()
        };
        state.records.len() > LONG_RECORDS
            || state.records.iter().any(|r| r.replay.is_some())
            || state.records.iter().map(values).sum::<usize>() > LONG_ELEMENTS
    }

    fn note_variables(&self, op: &OpRef, inputs: &[Val]) {
        if !self.watch_variables {
            return;
        }
        let reads = op.downcast::<ReadVariableOp>().is_some()
            || op.differentiability() == Differentiability::Regions;
        if !reads {
            return;
        }
        for handle in inputs.iter().filter(|v| v.dtype() == DType::Resource) {
            if is_trainable(handle) {
                self.watch_variable(handle);
            }
        }
    }

    fn is_concerned(&self, inputs: &[Val]) -> bool {
        let state = self.state.lock();
        let is_watched = |key: &u64| state.watched.contains(key);
        let watches = |i: &Val| {
            is_watched(&i.key()) || (carries(i.dtype()) && i.node_keys().iter().any(is_watched))
        };
        !state.watched.is_empty() && inputs.iter().any(watches)
    }
}

/// A handle of unknown variable (an argument) counts as trainable.
fn is_trainable(handle: &Val) -> bool {
    match handle.constant() {
        Some(t) => {
            VariableCell::of(&t).is_ok_and(|c| c.trainable && c.spec.dtype.is_differentiable())
        }
        None => true,
    }
}

/// Whether gradients may flow through a value of that dtype.
fn carries(dtype: DType) -> bool {
    dtype.is_differentiable() || matches!(dtype, DType::Resource | DType::Variant)
}

fn listening() -> Vec<Arc<Tape>> {
    let now = level().id();
    let mut tapes = active_tapes();
    tapes.retain(|t| t.level == now);
    tapes
}

/// Whether some active tape would record this operation.
pub(crate) fn concerns(op: &OpRef, inputs: &[Val]) -> bool {
    listening().iter().any(|t| {
        t.note_variables(op, inputs);
        t.is_concerned(inputs)
    })
}

/// Whether a gradient may be asked for of what is computed from these values now: a tape follows one of them, or, while a
/// graph is traced, one depends on what is given to it.
pub fn may_be_followed(inputs: &[Val]) -> bool {
    active_tapes().iter().any(|t| t.is_concerned(inputs))
        || (is_tracing() && inputs.iter().any(depends_on_inputs))
}

/// Whether a gradient can flow from a value to an input of its graph, or to one outside that the graph would capture.
fn depends_on_inputs(val: &Val) -> bool {
    let carries = |d: DType| d.is_differentiable() || matches!(d, DType::Resource | DType::Variant);
    let Val::Sym(sym) = val else {
        return carries(val.dtype());
    };
    let found = sym.trace.with_builder(|b| {
        let (mut work, mut seen) = (vec![sym.value], HashSet::new());
        while let Some(value) = work.pop() {
            let info = b.value(value);
            if !carries(info.spec.dtype) || !seen.insert(info.node) {
                continue;
            }
            let node = b.node(info.node);
            if node.op.downcast::<Placeholder>().is_some() {
                return true;
            }
            if node.op.differentiability() != Differentiability::Stops {
                work.extend_from_slice(&node.inputs);
            }
        }
        false
    });
    found.unwrap_or(true)
}

/// Whether gradients of gradients may be asked for: then every operation has to be recorded by itself.
pub(crate) fn may_nest() -> bool {
    let tapes = listening();
    tapes.len() > 1 || tapes.iter().any(|t| t.persistent)
}

/// Tells the active tapes of an operation that ran.
pub(crate) fn tell(op: &OpRef, inputs: &[Val], outputs: &Vals, replay: Option<Replay>) {
    for tape in listening() {
        tape.note_variables(op, inputs);
        tape.record(op, inputs, outputs, replay.clone());
    }
}
