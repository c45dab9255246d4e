//! A graph being built by a running program.
//!
//! Values from outside that the program uses become captures: inputs of the graph behind its arguments. When the
//! trace is sealed its values can no longer be used; to try is a leak, reported with where the value was made.

use crate::{Graph, GraphBuilder, NodeId, OpRef, Sym, Val, Vals, ValueId};
use ferrograph_tensor::{
    DType, Error, Origin, PartialShape, Result, Tensor, TensorSpec, bail, err,
};
use hashbrown::{HashMap, HashSet};
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A shared trace.
pub type TraceRef = Arc<Trace>;

/// Makes the operations that a trace needs by itself, which are defined further up.
pub trait Leaves {
    /// A placeholder of that type.
    fn placeholder(&self, spec: TensorSpec) -> OpRef;
    /// A constant.
    fn constant(&self, value: Tensor) -> OpRef;
}

/// Constants of an outer graph up to this many elements are repeated inside instead of being captured.
const REPEATED_CONSTANT_LIMIT: usize = 64;

/// A value from outside and the input that represents it inside.
#[derive(Clone)]
pub struct Capture {
    /// The value outside.
    pub outer: Val,
    /// The input inside.
    pub inner: ValueId,
}

struct State {
    builder: GraphBuilder,
    args: Vec<ValueId>,
    captures: Vec<Capture>,
    captured: HashMap<u64, ValueId>,
    control: Vec<NodeId>,
    /// Values that are distinct from their equals: graphs inside capture them, be they constants.
    singled_out: HashSet<ValueId>,
}

/// How a value of a trace was made.
pub struct Made {
    /// The operation that gives it.
    pub op: &'static str,
    /// The name of its node.
    pub name: Arc<str>,
    /// The user's line.
    pub origin: Option<Arc<Origin>>,
    /// Whether it is an argument of the graph.
    pub is_argument: bool,
}

/// A graph under construction, the trace it is nested in, and what it captured.
pub struct Trace {
    id: u32,
    name: Arc<str>,
    parent: Option<TraceRef>,
    state: Mutex<Result<State, Arc<Graph>>>,
}

impl Trace {
    /// A trace nested in `parent`, or at top level.
    pub fn new(name: &str, parent: Option<TraceRef>) -> TraceRef {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed) & 0x7fff_ffff;
        let state = State {
            builder: GraphBuilder::new(name),
            args: Vec::new(),
            captures: Vec::new(),
            captured: HashMap::new(),
            control: Vec::new(),
            singled_out: HashSet::new(),
        };
        Arc::new(Trace {
            id,
            name: name.into(),
            parent,
            state: Mutex::new(Ok(state)),
        })
    }

    /// A trace that goes on from a finished graph, all of whose inputs become arguments. Values keep their ids.
    pub fn reopen(name: &str, graph: &Graph, parent: Option<TraceRef>) -> TraceRef {
        let trace = Trace::new(name, parent);
        if let Ok(state) = &mut *trace.state.lock() {
            state.builder = GraphBuilder::from_graph(name, graph);
            state.args.clone_from(&graph.inputs);
        }
        trace
    }

    /// A finished trace of that graph, to which symbolic values of it belong.
    pub fn finished(graph: Arc<Graph>) -> TraceRef {
        let trace = Trace::new(&graph.name, None);
        *trace.state.lock() = Err(graph);
        trace
    }

    /// A number that no other live trace has.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The name of the graph.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The trace this one is nested in.
    pub fn parent(&self) -> Option<&TraceRef> {
        self.parent.as_ref()
    }

    /// Whether the graph is finished.
    pub fn is_sealed(&self) -> bool {
        self.state.lock().is_err()
    }

    /// Whether `self` is `other` or nested in it.
    pub fn is_within(&self, other: &Trace) -> bool {
        self.id == other.id || self.parent.as_ref().is_some_and(|p| p.is_within(other))
    }

    fn with<R>(&self, f: impl FnOnce(&mut State) -> Result<R>) -> Result<R> {
        match &mut *self.state.lock() {
            Ok(state) => f(state),
            Err(_) => Err(err!(
                Leak,
                "graph {} is finished: nothing can be added to it",
                self.name
            )),
        }
    }

    /// Reads or refines the builder.
    ///
    /// # Errors
    /// `Leak` where the trace is sealed.
    pub fn with_builder<R>(&self, f: impl FnOnce(&mut GraphBuilder) -> R) -> Result<R> {
        self.with(|state| Ok(f(&mut state.builder)))
    }

    fn info<R>(&self, value: ValueId, f: impl FnOnce(&crate::ValueInfo) -> R) -> R {
        match &*self.state.lock() {
            Ok(state) => f(state.builder.value(value)),
            Err(graph) => f(graph.value(value)),
        }
    }

    /// The dtype of a value.
    pub fn dtype_of(&self, value: ValueId) -> DType {
        self.info(value, |i| i.spec.dtype)
    }

    /// The spec of a value as known now.
    pub fn spec_of(&self, value: ValueId) -> TensorSpec {
        self.info(value, |i| i.spec.clone())
    }

    /// The value where it is a constant of this trace.
    pub fn constant_of(&self, value: ValueId) -> Option<Tensor> {
        self.info(value, |i| i.constant.as_deref().cloned())
    }

    /// The public name of a value, `node:output`, and where its node was made.
    pub fn describe(&self, value: ValueId) -> (String, Option<Arc<Origin>>) {
        let of = |node: &crate::Node, index: u32| {
            (format!("{}:{index}", node.name), node.origin.clone())
        };
        match &*self.state.lock() {
            Ok(s) => of(
                s.builder.node(s.builder.value(value).node),
                s.builder.value(value).index,
            ),
            Err(g) => of(g.node(g.value(value).node), g.value(value).index),
        }
    }

    /// How a value was made.
    pub fn made(&self, value: ValueId) -> Made {
        let of = |node: &crate::Node, is_argument: bool| Made {
            op: node.op.name(),
            name: node.name.clone(),
            origin: node.origin.clone(),
            is_argument,
        };
        match &*self.state.lock() {
            Ok(s) => {
                let node = s.builder.node(s.builder.value(value).node);
                of(node, s.args.contains(&value))
            }
            Err(g) => of(
                g.node(g.value(value).node),
                g.inputs[..g.n_args].contains(&value),
            ),
        }
    }

    /// All outputs of the node that gives a value.
    pub fn siblings(&self, value: ValueId) -> SmallVec<[ValueId; 2]> {
        match &*self.state.lock() {
            Ok(s) => s
                .builder
                .node(s.builder.value(value).node)
                .outputs
                .iter()
                .copied()
                .collect(),
            Err(g) => g
                .node(g.value(value).node)
                .outputs
                .iter()
                .copied()
                .collect(),
        }
    }

    /// Adds what the program says of a value's shape.
    pub fn set_shape(&self, value: ValueId, shape: &PartialShape) -> Result<()> {
        self.with(|state| {
            let info = state.builder.value_mut(value);
            info.spec.shape = info.spec.shape.merge(shape)?;
            Ok(())
        })
    }

    /// Tells a value apart from its equals, as a tape does that watches it: graphs inside capture it even where it is a
    /// constant that they could repeat. In a finished trace there are no more graphs to come.
    pub fn single_out(&self, value: ValueId) {
        if let Ok(state) = &mut *self.state.lock() {
            state.singled_out.insert(value);
        }
    }

    /// Adds an argument: `placeholder` makes its operation.
    pub fn add_arg(
        &self,
        placeholder: OpRef,
        name: &str,
        origin: Option<Arc<Origin>>,
    ) -> Result<ValueId> {
        self.with(|state| {
            let node = state.builder.add(placeholder, &[], Some(name), origin)?;
            let value = state.builder.node(node).outputs[0];
            state.args.push(value);
            Ok(value)
        })
    }

    /// The error of using a value of this trace where it does not belong.
    pub fn leak_error(&self, value: ValueId) -> Error {
        let (name, origin) = self.describe(value);
        let made = origin
            .as_ref()
            .map_or_else(String::new, |o| format!(", made at {o},"));
        err!(
            Leak,
            "the symbolic tensor {name}{made} belongs to the graph of '{}' and is out of scope here: \
             it has no value outside that graph. Return it from the function, or keep state in a Variable",
            self.name
        )
    }

    /// The value inside that represents `val`: itself, or a capture. Traces between capture it, too, when the
    /// operation that holds this graph is emitted.
    pub fn resolve(self: &Arc<Self>, val: &Val, leaves: &dyn Leaves) -> Result<ValueId> {
        if let Val::Sym(s) = val
            && s.trace.id == self.id
        {
            if self.is_sealed() {
                return Err(s.trace.leak_error(s.value));
            }
            return Ok(s.value);
        }
        if let Some(found) = self.with(|state| Ok(state.captured.get(&val.key()).copied()))? {
            return Ok(found);
        }
        if let Some(id) = self.repeat_constant(val, leaves)? {
            return Ok(id);
        }
        if let Val::Sym(s) = val
            && !self
                .parent
                .as_ref()
                .is_some_and(|p| p.is_within(&s.trace) && !s.trace.is_sealed())
        {
            return Err(s.trace.leak_error(s.value));
        }
        self.capture(val, leaves)
    }

    /// A small constant of an enclosing graph becomes one here, so that it stays visible to inference and planning.
    fn repeat_constant(&self, val: &Val, leaves: &dyn Leaves) -> Result<Option<ValueId>> {
        let Val::Sym(s) = val else { return Ok(None) };
        if !self.parent.as_ref().is_some_and(|p| p.is_within(&s.trace)) || s.trace.is_sealed() {
            return Ok(None);
        }
        let is_made_there = s.trace.with(|state| {
            let node = state.builder.value(s.value).node;
            let has_equals = !state.singled_out.contains(&s.value);
            Ok(has_equals && state.builder.node(node).op.constant().is_some())
        })?;
        let Some(value) = s
            .trace
            .constant_of(s.value)
            .filter(|t| is_made_there && t.dtype().is_dense())
        else {
            return Ok(None);
        };
        if value.n_elements() > REPEATED_CONSTANT_LIMIT {
            return Ok(None);
        }
        self.with(|state| {
            let node = state.builder.add(leaves.constant(value), &[], None, None)?;
            let id = state.builder.node(node).outputs[0];
            state.captured.insert(val.key(), id);
            Ok(Some(id))
        })
    }

    fn capture(&self, outer: &Val, leaves: &dyn Leaves) -> Result<ValueId> {
        let spec = outer.spec();
        let has_known_value = |t: &Tensor| t.dtype().is_dense() || t.dtype() == DType::Resource;
        let constant = outer.constant().filter(has_known_value);
        let known = match outer {
            Val::Sym(s) => s.trace.info(s.value, |i| i.known.clone()),
            Val::Eager(_) => None,
        };
        self.with(|state| {
            let node = state
                .builder
                .add(leaves.placeholder(spec), &[], Some("capture"), None)?;
            let inner = state.builder.node(node).outputs[0];
            let info = state.builder.value_mut(inner);
            info.constant = constant.map(Box::new);
            info.known = known;
            state.captured.insert(outer.key(), inner);
            state.captures.push(Capture {
                outer: outer.clone(),
                inner,
            });
            Ok(inner)
        })
    }

    /// Adds a node on values of this trace and gives its outputs.
    pub fn add(
        self: &Arc<Self>,
        op: OpRef,
        inputs: &[ValueId],
        name: Option<&str>,
        origin: Option<Arc<Origin>>,
    ) -> Result<Vals> {
        let outputs: SmallVec<[ValueId; 2]> = self.with(|state| {
            let node = state.builder.add(op.clone(), inputs, name, origin)?;
            if !state.control.is_empty() {
                let control = std::mem::take(&mut state.control);
                state.builder.add_control(node, &control);
                state.control = control;
            }
            Ok(state.builder.node(node).outputs.iter().copied().collect())
        })?;
        Ok(outputs
            .into_iter()
            .map(|value| {
                Val::Sym(Sym {
                    trace: self.clone(),
                    value,
                })
            })
            .collect())
    }

    /// Replaces the control predecessors of nodes added from now on and gives the former ones.
    pub fn set_control(&self, nodes: Vec<NodeId>) -> Result<Vec<NodeId>> {
        self.with(|state| Ok(std::mem::replace(&mut state.control, nodes)))
    }

    /// The types of the arguments so far.
    pub fn arg_specs(&self) -> Result<Vec<TensorSpec>> {
        let spec = |state: &mut State, v: ValueId| state.builder.value(v).spec.clone();
        self.with(|state| {
            Ok(state
                .args
                .clone()
                .into_iter()
                .map(|v| spec(state, v))
                .collect())
        })
    }

    /// What was captured so far.
    pub fn captures(&self) -> Result<Vec<Capture>> {
        self.with(|state| Ok(state.captures.clone()))
    }

    /// The graph so far with one output, and the captured values that are its inputs; `None` where the output depends on
    /// an argument.
    pub fn behind(&self, output: ValueId) -> Result<Option<(Graph, Vec<Val>)>> {
        self.with(|state| {
            let mut graph = state.builder.so_far(Vec::new(), vec![output]);
            let needed = graph.needed_by(&[output]);
            let is_needed = |v: ValueId| needed[graph.value(v).node.index()];
            if state.args.iter().any(|&arg| is_needed(arg)) {
                return Ok(None);
            }
            let captures = state.captures.iter().filter(|c| is_needed(c.inner));
            let (inputs, outer) = captures.map(|c| (c.inner, c.outer.clone())).unzip();
            graph.inputs = inputs;
            Ok(Some((graph, outer)))
        })
    }

    /// Finishes the graph with these outputs and gives it with its captures, in the order of its inputs.
    pub fn seal(&self, outputs: Vec<ValueId>) -> Result<(Arc<Graph>, Vec<Capture>)> {
        let mut slot = self.state.lock();
        let placeholder = Err(Arc::new(Graph::new(
            self.name.clone(),
            vec![],
            vec![],
            vec![],
            0,
            vec![],
        )));
        match std::mem::replace(&mut *slot, placeholder) {
            Ok(state) => {
                let n_args = state.args.len();
                let mut inputs = state.args;
                inputs.extend(state.captures.iter().map(|c| c.inner));
                let graph = Arc::new(state.builder.finish(inputs, n_args, outputs));
                *slot = Err(graph.clone());
                crate::check(&graph)?;
                Ok((graph, state.captures))
            }
            Err(graph) => {
                *slot = Err(graph);
                bail!(Internal, "graph {} is finished twice", self.name)
            }
        }
    }
}
