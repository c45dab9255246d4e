//! A finished graph.

use crate::region::depth_below;
use crate::{Effect, Known, NodeId, OpRef, ValueId};
use ferrograph_tensor::{Origin, Tensor, TensorSpec};
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// One operation in a graph.
#[derive(Clone)]
pub struct Node {
    /// What it does.
    pub op: OpRef,
    /// What it takes.
    pub inputs: SmallVec<[ValueId; 3]>,
    /// What it gives; consecutive values.
    pub outputs: SmallVec<[ValueId; 1]>,
    /// Nodes that the program asked to run before this one.
    pub control: SmallVec<[NodeId; 0]>,
    /// Its name, unique in the graph.
    pub name: Arc<str>,
    /// The user's line that made it.
    pub origin: Option<Arc<Origin>>,
}

/// What is known of a value.
#[derive(Clone)]
pub struct ValueInfo {
    /// The node that gives it.
    pub node: NodeId,
    /// Which of that node's outputs it is.
    pub index: u32,
    /// Its type.
    pub spec: TensorSpec,
    /// Its value, where it is a constant. Boxed, as most values have neither this nor the next.
    pub constant: Option<Box<Tensor>>,
    /// Its elements as far as shape arithmetic knows them.
    pub known: Option<Box<Known>>,
}

impl ValueInfo {
    /// What inference knows of it.
    pub fn as_input(&self) -> (&TensorSpec, Option<&Tensor>, Option<&Known>) {
        let (constant, known) = (self.constant.as_deref(), self.known.as_deref());
        (&self.spec, constant, known)
    }
}

/// A graph: nodes in program order, each after those it takes values from.
pub struct Graph {
    /// The name, usually the traced function's.
    pub name: Arc<str>,
    /// The nodes in program order.
    pub nodes: Vec<Node>,
    /// The values.
    pub values: Vec<ValueInfo>,
    /// Outputs of the `Placeholder` nodes that represent arguments, then captures.
    pub inputs: Vec<ValueId>,
    /// How many of the inputs are arguments.
    pub n_args: usize,
    /// What it returns.
    pub outputs: Vec<ValueId>,
    /// The strongest effect of any node, once it is known for good.
    effect: OnceLock<Effect>,
    depth: OnceLock<usize>,
    attachments: Mutex<Vec<Arc<dyn Any + Send + Sync>>>,
}

impl Graph {
    /// A graph of these parts.
    pub fn new(
        name: Arc<str>,
        nodes: Vec<Node>,
        values: Vec<ValueInfo>,
        inputs: Vec<ValueId>,
        n_args: usize,
        outputs: Vec<ValueId>,
    ) -> Graph {
        Graph {
            name,
            nodes,
            values,
            inputs,
            n_args,
            outputs,
            effect: OnceLock::new(),
            depth: OnceLock::new(),
            attachments: Mutex::new(Vec::new()),
        }
    }

    /// The node of that id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// What is known of that value.
    pub fn value(&self, id: ValueId) -> &ValueInfo {
        &self.values[id.index()]
    }

    /// The type of that value.
    pub fn spec(&self, id: ValueId) -> &TensorSpec {
        &self.values[id.index()].spec
    }

    /// Nodes with their ids, in program order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> {
        self.nodes
            .iter()
            .enumerate()
            .map(|(i, n)| (NodeId::new(i), n))
    }

    /// The specs of the inputs.
    pub fn input_specs(&self) -> impl Iterator<Item = &TensorSpec> {
        self.inputs.iter().map(|v| self.spec(*v))
    }

    /// The specs of the outputs.
    pub fn output_specs(&self) -> impl Iterator<Item = &TensorSpec> {
        self.outputs.iter().map(|v| self.spec(*v))
    }

    /// For each node, whether one of these values depends on it.
    pub fn needed_by(&self, values: &[ValueId]) -> Vec<bool> {
        let mut needed = vec![false; self.nodes.len()];
        let mut work = values.to_vec();
        while let Some(v) = work.pop() {
            let node = self.value(v).node;
            if !std::mem::replace(&mut needed[node.index()], true) {
                work.extend_from_slice(&self.node(node).inputs);
            }
        }
        needed
    }

    /// How many levels of graphs it is: itself, and those of its operations.
    pub fn depth(&self) -> usize {
        *self.depth.get_or_init(|| {
            let below = self.nodes.iter().map(|node| depth_below(&*node.op));
            1 + below.max().unwrap_or_default()
        })
    }

    /// The strongest effect of any node. A call of what is being traced counts as the strongest until that is there.
    pub fn effect(&self) -> Effect {
        if let Some(known) = self.effect.get() {
            return *known;
        }
        let strongest = self.strongest_effect();
        match strongest {
            Effect::World => strongest,
            _ => *self.effect.get_or_init(|| strongest),
        }
    }

    fn strongest_effect(&self) -> Effect {
        let mut strongest = Effect::Pure;
        for node in &self.nodes {
            match (node.op.effect(), strongest) {
                (Effect::World, _) => return Effect::World,
                (Effect::Writes, _) => strongest = Effect::Writes,
                (Effect::Reads, Effect::Pure) => strongest = Effect::Reads,
                _ => {}
            }
        }
        strongest
    }

    /// What another layer keeps with this graph (its compiled plan, its gradient), made on first use.
    /// `make` runs outside any lock; where two threads make one, the first stays.
    pub fn attachment<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        if let Some(found) = self.find_attachment::<T>() {
            return found;
        }
        let made: Arc<T> = Arc::new(make());
        let mut all = self.attachments.lock();
        if let Some(found) = all.iter().find_map(|a| a.clone().downcast::<T>().ok()) {
            return found;
        }
        all.push(made.clone());
        made
    }

    /// Whether such an attachment was made.
    pub fn has_attachment<T: Any + Send + Sync>(&self) -> bool {
        self.attachments.lock().iter().any(|a| a.is::<T>())
    }

    /// The attachment of that type, where it was made.
    pub fn find_attachment<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.attachments
            .lock()
            .iter()
            .find_map(|a| a.clone().downcast::<T>().ok())
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({}, {} nodes)", self.name, self.nodes.len())
    }
}
