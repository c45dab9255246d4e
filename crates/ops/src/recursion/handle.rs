//! What a recursive call names: a graph of known types that is filled in when its trace ends.
//!
//! A graph owns its handle, as an attachment, and the handle owns what is derived from the graph; calls inside the
//! graph hold the handle weakly. So nothing holds itself, and whoever holds the graph holds all that its recursion
//! needs.

use ferrograph_graph::{Effect, Graph};
use ferrograph_tensor::{Object, TensorSpec};
use parking_lot::Mutex;
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock, Weak};

/// A graph that calls itself, as its calls see it.
pub struct RecursiveHandle {
    name: Arc<str>,
    inputs: Vec<TensorSpec>,
    outputs: Vec<TensorSpec>,
    graph: OnceLock<Held>,
    effect: OnceLock<Effect>,
    gradient: Mutex<Option<Arc<RecursiveGradient>>>,
    /// Of the graph that also gives what the gradient needs: the handle without that.
    extends: Option<Weak<RecursiveHandle>>,
}

/// How a handle holds its graph.
enum Held {
    /// The graph owns the handle.
    Owner(Weak<Graph>),
    /// The handle of another graph owns this one.
    Owned(Arc<Graph>),
}

/// The gradient of a graph that calls itself, of all outputs that carry gradients. Both graphs call themselves, too.
#[derive(Debug)]
pub struct RecursiveGradient {
    /// Gives the outputs, then one variant with all that the backward graph needs.
    pub forward: Arc<RecursiveHandle>,
    /// Takes the gradients of `seeds`, then that variant.
    pub backward: Arc<RecursiveHandle>,
    /// The outputs that carry gradients.
    pub seeds: Vec<usize>,
    /// For each input which output of the backward graph is its gradient; `None` where unconnected.
    pub inputs: Vec<Option<usize>>,
}

/// The attachment by which a graph owns its handle.
struct Owned(Arc<RecursiveHandle>);

impl RecursiveHandle {
    /// A handle for a graph of that name and these types.
    pub fn new(
        name: Arc<str>,
        inputs: Vec<TensorSpec>,
        outputs: Vec<TensorSpec>,
    ) -> Arc<RecursiveHandle> {
        Arc::new(RecursiveHandle::made(name, inputs, outputs, None))
    }

    /// A handle for a graph that takes what that of `base` does and gives more: what the gradient needs.
    pub fn extending(
        base: &Arc<RecursiveHandle>,
        name: Arc<str>,
        outputs: Vec<TensorSpec>,
    ) -> Arc<RecursiveHandle> {
        let extends = Some(Arc::downgrade(base));
        Arc::new(RecursiveHandle::made(
            name,
            base.inputs.clone(),
            outputs,
            extends,
        ))
    }

    fn made(
        name: Arc<str>,
        inputs: Vec<TensorSpec>,
        outputs: Vec<TensorSpec>,
        extends: Option<Weak<RecursiveHandle>>,
    ) -> RecursiveHandle {
        RecursiveHandle {
            name,
            inputs,
            outputs,
            graph: OnceLock::new(),
            effect: OnceLock::new(),
            gradient: Mutex::new(None),
            extends,
        }
    }

    /// The name of the graph.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The types of what the graph takes.
    pub fn inputs(&self) -> &[TensorSpec] {
        &self.inputs
    }

    /// The types of what the graph gives.
    pub fn outputs(&self) -> &[TensorSpec] {
        &self.outputs
    }

    /// The graph; `None` before it is filled in, and when it is gone.
    pub fn graph(&self) -> Option<Arc<Graph>> {
        match self.graph.get()? {
            Held::Owner(graph) => graph.upgrade(),
            Held::Owned(graph) => Some(graph.clone()),
        }
    }

    /// Fills in the graph, which owns the handle from now on.
    pub fn fill(self: &Arc<Self>, graph: &Arc<Graph>) {
        // A handle is filled once: by the trace that made it.
        drop(self.graph.set(Held::Owner(Arc::downgrade(graph))));
        graph.attachment(|| Owned(self.clone()));
    }

    /// Fills in a graph that this handle owns, which itself belongs to the gradient of another one.
    pub fn fill_owned(&self, graph: Arc<Graph>) {
        drop(self.graph.set(Held::Owned(graph)));
    }

    /// The handle of a graph that owns one: of a function that calls itself.
    pub fn of(graph: &Graph) -> Option<Arc<RecursiveHandle>> {
        Some(graph.find_attachment::<Owned>()?.0.clone())
    }

    /// What running the graph does beyond computing, as far as that is known: the whole world before it is settled.
    pub fn effect(&self) -> Effect {
        self.effect.get().copied().unwrap_or(Effect::World)
    }

    /// Whether the effect is known.
    pub fn is_settled(&self) -> bool {
        self.effect.get().is_some()
    }

    /// Says, once, what running the graph does.
    pub fn settle(&self, effect: Effect) {
        // What is found again is the same.
        let _ = self.effect.set(effect);
    }

    /// The gradient, where it was derived or is being derived.
    pub fn gradient(&self) -> Option<Arc<RecursiveGradient>> {
        self.gradient.lock().clone()
    }

    /// Keeps the gradient; `None` where deriving it failed.
    pub fn set_gradient(&self, gradient: Option<Arc<RecursiveGradient>>) {
        *self.gradient.lock() = gradient;
    }

    /// The handle whose outputs this one gives, too, before what the gradient needs.
    pub fn extended(&self) -> Option<Arc<RecursiveHandle>> {
        self.extends.as_ref()?.upgrade()
    }
}

impl fmt::Debug for RecursiveHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.name)
    }
}

impl Object for RecursiveHandle {
    fn as_any(&self) -> &dyn Any {
        self
    }
}
