//! Tapes: what a program did with the values it watches, for taking gradients.

use crate::context::{self, active_tapes, is_tracing, level};
use crate::dispatcher::Dispatcher;
use crate::gradient_path::{Break, Reason, Step, Ways, carries};
use ferrograph_graph::{Differentiability, Grad, OpRef, Sym, TraceRef, Val, Vals, ValueId};
use ferrograph_ops::emit::*;
use ferrograph_ops::{Placeholder, ReadVariableOp, VariableCell};
use ferrograph_tensor::{DType, Origin, Result, Tensor, bail, printed_name};
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
    /// What depends on watched values, and lets no gradient through to them.
    touched: HashSet<u64>,
    /// The eager operations that made that, each behind so many records.
    path: Vec<(usize, Step)>,
    /// Values that left for NumPy or Python, and where.
    left: Vec<(u64, Option<Arc<Origin>>)>,
    /// What the records said of operations, once these are gone and a gradient was none.
    kept: Vec<Step>,
    /// Whether a gradient was none.
    has_none: bool,
    /// Whether records are gone, and nothing is kept of them.
    forgotten: bool,
}

/// A tape notes this many operations that no gradient flows through.
const MOST_NOTED: usize = 10_000;

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

    /// Whether another active tape records the branch or loop under construction as a whole, too.
    pub fn is_joined(&self) -> bool {
        let now = level().id();
        let others = |t: &Arc<Tape>| t.level != now && !std::ptr::eq(t.as_ref(), self);
        active_tapes().iter().any(others)
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

    /// Records what the graph under construction, and those around it, hold already of what is watched, as if it
    /// had recorded it. Nothing is followed back through what gives one of `stops`.
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
                     {}.identity of it, made before they use it",
                    node.name,
                    printed_name()
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
        let is_concerned = self.is_concerned(inputs);
        let stops = op.differentiability() == Differentiability::Stops;
        let ends = stops || op.differentiability() == Differentiability::Missing;
        if self.level == 0 && (!is_concerned || ends || outputs.iter().any(|o| !carries(o.dtype())))
        {
            self.note(op, inputs, outputs, is_concerned);
        }
        if stops || !is_concerned {
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

    /// Notes an operation that lets no gradient through, or goes on from one.
    fn note(&self, op: &OpRef, inputs: &[Val], outputs: &Vals, is_concerned: bool) {
        let is_touched = |state: &State| {
            !state.touched.is_empty() && inputs.iter().any(|i| state.touched.contains(&i.key()))
        };
        if !is_concerned && !is_touched(&self.state.lock()) {
            return;
        }
        let origin = if is_concerned {
            context::origin()
        } else {
            None
        };
        let mut state = self.state.lock();
        if state.path.len() < MOST_NOTED {
            state.touched.extend(outputs.iter().map(Val::key));
            let at = state.records.len();
            state.path.push((at, step_of(op, inputs, outputs, origin)));
        }
    }

    /// Notes that a value left for NumPy or Python.
    fn note_left(&self, val: &Val) {
        let key = val.key();
        let is_followed =
            |state: &State| state.watched.contains(&key) || state.touched.contains(&key);
        if is_followed(&self.state.lock()) {
            let origin = context::origin();
            let mut state = self.state.lock();
            if state.left.len() < MOST_NOTED {
                state.left.push((key, origin));
            }
        }
    }

    /// What was recorded of eager operations, in program order.
    fn steps(&self) -> Vec<Step> {
        let state = self.state.lock();
        let mut steps = state.kept.clone();
        let mut path = state.path.iter().peekable();
        for (i, record) in state.records.iter().enumerate() {
            while let Some((_, step)) = path.next_if(|(at, _)| *at <= i) {
                steps.push(step.clone());
            }
            steps.push(step_of(&record.op, &record.inputs, &record.outputs, None));
        }
        steps.extend(path.map(|(_, step)| step.clone()));
        steps
    }

    /// Whether what was recorded can still be told.
    pub fn can_explain(&self) -> bool {
        self.level != 0 || !self.state.lock().forgotten
    }

    /// The first place between a source and a target that lets no gradient through; `None` where one flows.
    ///
    /// # Errors
    /// `Leak` for values of a graph that is finished.
    pub fn why_none(&self, target: &Val, source: &Val) -> Result<Option<Break>> {
        if !carries(source.dtype()) {
            return Ok(Some(Break::of(Reason::DType(source.dtype()))));
        }
        if !self.tracks(source) {
            return Ok(Some(Break::of(Reason::NotWatched)));
        }
        let mut ways = Ways::from(source.key());
        match (target, source) {
            (Val::Sym(s), _) | (_, Val::Sym(s)) => {
                let watched = self.state.lock().watched.clone();
                ways.follow(&traced_steps(&s.trace)?, Some(&watched));
            }
            _ => ways.follow(&self.steps(), None),
        }
        if let Some(way) = ways.to(target.key()) {
            return Ok(way.first.clone());
        }
        let state = self.state.lock();
        let left = state.left.iter().find(|(key, _)| ways.to(*key).is_some());
        let reason = left.map_or(Reason::NoPath, |_| Reason::LeftAsNumpy);
        Ok(Some(Break {
            origin: left.and_then(|(_, origin)| origin.clone()),
            ..Break::of(reason)
        }))
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
        let kept = if self.state.lock().has_none {
            self.steps()
        } else {
            Vec::new()
        };
        let mut state = self.state.lock();
        state.forgotten |= !(state.has_none || state.records.is_empty());
        (state.records, state.path, state.kept) = (Vec::new(), Vec::new(), kept);
    }

    /// Forgets everything.
    pub fn reset(&self) {
        *self.state.lock() = State::default();
    }

    /// The gradients of the sum of the targets, each weighted by its seed (ones by default), by each source; `None`
    /// where unconnected. Works from what was recorded; emits through the dispatcher, so that other tapes record it.
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
                None => Dispatcher.ones_like(&target)?,
            };
            seeded.push((target, Grad::Dense(seed)));
        }
        let found = backprop(&mut Dispatcher, &records, seeded, &keys)?;
        let grads: Vec<Option<Grad>> = (sources.iter())
            .map(|s| found.get(&s.key()).cloned())
            .collect();
        if grads.iter().any(Option::is_none) {
            self.state.lock().has_none = true;
        }
        Ok(grads)
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

/// Tells the active tapes that a value leaves for NumPy or Python.
pub fn left_graph(val: &Val) {
    if context::has_tapes() {
        for tape in listening() {
            tape.note_left(val);
        }
    }
}

fn step_of(op: &OpRef, inputs: &[Val], outputs: &[Val], origin: Option<Arc<Origin>>) -> Step {
    Step {
        op: op.clone(),
        inputs: inputs.iter().map(Val::key).collect(),
        outputs: outputs.iter().map(|o| (o.key(), o.dtype())).collect(),
        origin,
    }
}

/// What the graph under construction and those around it hold.
fn traced_steps(trace: &TraceRef) -> Result<Vec<Step>> {
    let mut chain = vec![trace];
    while let Some(parent) = chain.last().and_then(|t| t.parent()) {
        chain.push(parent);
    }
    let mut steps = Vec::new();
    for trace in chain.into_iter().rev() {
        let captures = trace.captures()?;
        let outer: HashMap<ValueId, u64> =
            captures.iter().map(|c| (c.inner, c.outer.key())).collect();
        let own = |value: ValueId| {
            Val::Sym(Sym {
                trace: trace.clone(),
                value,
            })
        };
        let key = |value: &ValueId| {
            outer
                .get(value)
                .copied()
                .unwrap_or_else(|| own(*value).key())
        };
        trace.with_builder(|b| {
            for node in b.nodes() {
                let output = |v: &ValueId| (key(v), b.value(*v).spec.dtype);
                steps.push(Step {
                    op: node.op.clone(),
                    inputs: node.inputs.iter().map(&key).collect(),
                    outputs: node.outputs.iter().map(output).collect(),
                    origin: node.origin.clone(),
                });
            }
        })?;
    }
    Ok(steps)
}
