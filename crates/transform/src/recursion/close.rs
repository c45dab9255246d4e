//! Closing the recursion, at the end of the trace of a graph that calls itself. Its calls were made before it was known
//! what the graph captures: they get that now, through all regions around them, and the graph gets its handle.

use ferrograph_graph::{
    Branch, Effect, Graph, Node, NodeId, OpRef, Region, Role, ValueId, ValueInfo,
};
use ferrograph_ops::{Placeholder, RecursiveCall, RecursiveHandle};
use ferrograph_tensor::{Result, TensorSpec, bail, err};
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;
use std::sync::Arc;

/// The finished graph of a trace in which calls of `handle` stand. Whoever holds it holds what they need.
///
/// # Errors
/// `Unimplemented` where such a call stands in a graph that cannot be given more to take.
pub fn close_recursion(graph: Arc<Graph>, handle: &Arc<RecursiveHandle>) -> Result<Arc<Graph>> {
    let captured = graph.inputs[graph.n_args..].to_vec();
    let (graph, handle) = if captured.is_empty() {
        (graph, handle.clone())
    } else {
        let specs = captured.iter().map(|v| graph.spec(*v).clone()).collect();
        let mut closing = Closing {
            specs,
            handles: HashMap::new(),
            known: HashMap::new(),
        };
        let with = closing.replace(handle);
        (closing.root(&graph, &captured)?, with)
    };
    handle.fill(&graph);
    settle(&handle, &graph);
    ferrograph_graph::check(&graph)?;
    Ok(graph)
}

/// Gives recursive calls what their graphs captured.
struct Closing {
    /// The types of that.
    specs: Vec<TensorSpec>,
    /// By the address of a handle the one that takes that, too.
    handles: HashMap<*const RecursiveHandle, Arc<RecursiveHandle>>,
    /// Whether graphs hold such calls.
    known: HashMap<*const Graph, bool>,
}

impl Closing {
    fn replace(&mut self, handle: &Arc<RecursiveHandle>) -> Arc<RecursiveHandle> {
        let inputs = [handle.inputs(), &self.specs].concat();
        let made = RecursiveHandle::new(handle.name().clone(), inputs, handle.outputs().to_vec());
        self.handles.insert(Arc::as_ptr(handle), made.clone());
        made
    }

    fn called(&self, node: &Node) -> Option<&Arc<RecursiveHandle>> {
        let handle = node.op.downcast::<RecursiveCall>()?.target()?;
        self.handles.get(&Arc::as_ptr(&handle))
    }

    /// Whether calls stand in a graph that are to take more.
    fn concerns(&mut self, graph: &Arc<Graph>) -> bool {
        if let Some(known) = self.known.get(&Arc::as_ptr(graph)) {
            return *known;
        }
        let found = graph.nodes.iter().any(|node| {
            self.called(node).is_some() || node.op.regions().iter().any(|r| self.concerns(r.graph))
        });
        self.known.insert(Arc::as_ptr(graph), found);
        found
    }

    /// The graph whose own inputs `captured` are what the calls in it take.
    fn root(&mut self, graph: &Arc<Graph>, captured: &[ValueId]) -> Result<Arc<Graph>> {
        let (mut made, _) = Parts::with_inputs(graph, &[]);
        self.extend(&mut made, captured)?;
        Ok(Arc::new(made.finish(graph, graph.inputs.clone())))
    }

    /// A graph held by an operation with more inputs: what the calls in it take, but for `there`, which it takes.
    fn region(&mut self, graph: &Arc<Graph>, there: &[Option<ValueId>]) -> Result<Arc<Graph>> {
        let own = RecursiveHandle::of(graph).map(|handle| self.replace(&handle));
        if own.is_some() {
            self.known.clear(); // calls of that handle count, too
        }
        let missing = self
            .specs
            .iter()
            .zip(there)
            .filter(|(_, there)| there.is_none());
        let specs: Vec<TensorSpec> = missing.map(|(spec, _)| spec.clone()).collect();
        let (mut made, added) = Parts::with_inputs(graph, &specs);
        let mut fresh = added.iter();
        let more: Option<Vec<ValueId>> = (there.iter())
            .map(|there| there.or_else(|| fresh.next().copied()))
            .collect();
        let more = more.ok_or_else(|| err!(Internal, "a region takes too little"))?;
        self.extend(&mut made, &more)?;
        let inputs = [&graph.inputs[..], &added].concat();
        let graph = Arc::new(made.finish(graph, inputs));
        if let Some(own) = own {
            own.fill(&graph);
        }
        Ok(graph)
    }

    /// Lets the calls in these nodes take `more`.
    fn extend(&mut self, parts: &mut Parts, more: &[ValueId]) -> Result<()> {
        for node in &mut parts.nodes {
            if let Some(handle) = self.called(node) {
                node.op = Arc::new(RecursiveCall::of(handle));
                node.inputs.extend_from_slice(more);
            } else if let Some((op, inputs)) = self.extended(node, more)? {
                node.op = op;
                node.inputs = inputs;
            }
        }
        Ok(())
    }

    /// The operation of a node whose graphs hold such calls, with graphs that take `more`, too, and what it takes then.
    fn extended(&mut self, node: &Node, more: &[ValueId]) -> Result<Option<(OpRef, Taken)>> {
        let regions = node.op.regions();
        let concerned: Vec<bool> = regions.iter().map(|r| self.concerns(r.graph)).collect();
        if !concerned.contains(&true) {
            return Ok(None);
        }
        let mut inputs = node.inputs.clone();
        let fixed = fixed_inputs(&regions);
        let mut places = Vec::new();
        for value in more {
            let known = (inputs.iter().skip(fixed)).position(|v| v == value);
            let place = known.map_or(inputs.len(), |i| i + fixed);
            if known.is_none() {
                inputs.push(*value);
            }
            places.push(u32::try_from(place).map_err(|_| err!(Internal, "too many inputs"))?);
        }
        let mut branches = Vec::new();
        for (region, concerned) in regions.iter().zip(concerned) {
            branches.push(match concerned {
                true => self.fed(node, region, &places)?,
                false => region.with(region.graph.clone()),
            });
        }
        let made = node.op.with_regions(branches);
        let made = made.ok_or_else(|| err!(Internal, "{} takes no other graphs", node.op.name()));
        made.map(|op| Some((op, inputs)))
    }

    fn fed(&mut self, node: &Node, region: &Region<'_>, places: &[u32]) -> Result<Branch> {
        if region.role == Role::Function {
            bail!(
                Unimplemented,
                "a function given to {} calls a function that calls itself and uses values from outside: pass \
                 these as arguments",
                node.op.name()
            );
        }
        let of = |place: &u32| region.inputs.iter().position(|i| i == place);
        let there = places
            .iter()
            .map(|place| Some(region.graph.inputs[of(place)?]));
        let there: Vec<Option<ValueId>> = match region.role {
            Role::Call => vec![None; places.len()],
            _ => there.collect(),
        };
        let mut branch = region.with(self.region(region.graph, &there)?);
        let missing = places
            .iter()
            .zip(&there)
            .filter(|(_, there)| there.is_none());
        branch.inputs.extend(missing.map(|(place, _)| *place));
        Ok(branch)
    }
}

/// What a node takes.
type Taken = SmallVec<[ValueId; 3]>;

/// How many leading inputs of an operation are no values that its graphs could share: all of a call's, which takes what
/// its graph does, and the variables of a loop, which change.
fn fixed_inputs(regions: &[Region<'_>]) -> usize {
    let fixed = |region: &Region<'_>| match region.role {
        Role::Call => usize::MAX,
        Role::Body(carried) => carried.vars.len(),
        _ => 0,
    };
    regions.iter().map(fixed).max().unwrap_or(0)
}

/// A graph taken apart, with other ids of nodes.
struct Parts {
    nodes: Vec<Node>,
    values: Vec<ValueInfo>,
}

impl Parts {
    /// The graph with its inputs, and more placeholders, before all else; gives the values of the latter.
    fn with_inputs(graph: &Graph, specs: &[TensorSpec]) -> (Parts, Vec<ValueId>) {
        let is_input = |id: &NodeId| graph.inputs.iter().any(|v| graph.value(*v).node == *id);
        let all = (0..graph.nodes.len()).map(NodeId::new);
        let (mut order, rest): (Vec<_>, Vec<_>) = all.partition(is_input);
        order.extend(rest);
        let mut places = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            places[old.index()] = new + specs.len();
        }
        let nodes = order.iter().map(|id| graph.node(*id).clone()).collect();
        let mut parts = Parts::renumbered(graph, nodes, |id| NodeId::new(places[id.index()]));
        let names: HashSet<Arc<str>> = graph.nodes.iter().map(|n| n.name.clone()).collect();
        let mut names = (0..)
            .map(|i| Arc::<str>::from(format!("recursion_capture_{i}")))
            .filter(|name| !names.contains(name));
        let (mut added, mut placeholders) = (Vec::new(), Vec::new());
        for spec in specs {
            let value = ValueId::new(parts.values.len());
            parts.values.push(ValueInfo {
                node: NodeId::new(placeholders.len()),
                index: 0,
                spec: spec.clone(),
                constant: None,
                known: None,
            });
            placeholders.push(Node {
                op: Arc::new(Placeholder::from(spec.clone())),
                inputs: SmallVec::new(),
                outputs: SmallVec::from_slice(&[value]),
                control: SmallVec::new(),
                name: names.next().unwrap_or_else(|| graph.name.clone()),
                origin: None,
            });
            added.push(value);
        }
        placeholders.append(&mut parts.nodes);
        parts.nodes = placeholders;
        (parts, added)
    }

    fn renumbered(graph: &Graph, mut nodes: Vec<Node>, new: impl Fn(NodeId) -> NodeId) -> Parts {
        let mut values = graph.values.clone();
        for info in &mut values {
            info.node = new(info.node);
        }
        for node in &mut nodes {
            for before in &mut node.control {
                *before = new(*before);
            }
        }
        Parts { nodes, values }
    }

    fn finish(self, graph: &Graph, inputs: Vec<ValueId>) -> Graph {
        let name = graph.name.clone();
        let outputs = graph.outputs.clone();
        Graph::new(name, self.nodes, self.values, inputs, graph.n_args, outputs)
    }
}

/// Says of all handles in a graph, and of its own, what running their graphs does beyond computing, once all of them
/// are filled in.
pub(super) fn settle(handle: &Arc<RecursiveHandle>, graph: &Graph) {
    let mut seen = Seen::default();
    seen.graph(graph);
    if seen.is_open {
        return;
    }
    for handle in seen.handles.values().chain([handle]) {
        handle.settle(seen.effect());
    }
}

/// What recursive calls do, as far as it is known.
#[derive(Default)]
struct Seen {
    graphs: HashSet<*const Graph>,
    /// Those whose effects are not known yet.
    handles: HashMap<*const RecursiveHandle, Arc<RecursiveHandle>>,
    effects: Vec<Effect>,
    /// Whether a call names a graph that is still being traced.
    is_open: bool,
}

impl Seen {
    fn graph(&mut self, graph: &Graph) {
        if !self.graphs.insert(std::ptr::from_ref(graph)) {
            return;
        }
        for node in &graph.nodes {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        if let Some(call) = node.op.downcast::<RecursiveCall>() {
            match call.target() {
                Some(handle) if handle.is_settled() => self.effects.push(handle.effect()),
                Some(handle) => {
                    self.is_open |= handle.graph().is_none();
                    self.handles.insert(Arc::as_ptr(&handle), handle);
                }
                None => self.is_open = true,
            }
            return;
        }
        let regions = node.op.regions();
        if regions.is_empty() || regions.iter().any(|r| r.role == Role::Function) {
            self.effects.push(node.op.effect());
        }
        for region in regions.iter().filter(|r| r.role != Role::Function) {
            self.graph(region.graph);
        }
    }

    fn effect(&self) -> Effect {
        let strongest = [Effect::World, Effect::Writes, Effect::Reads];
        let found = strongest.into_iter().find(|e| self.effects.contains(e));
        found.unwrap_or(Effect::Pure)
    }
}
