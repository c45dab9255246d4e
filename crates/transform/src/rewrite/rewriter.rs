//! Changes to a graph: what replaces a value, what a node becomes, which nodes go. Only what changes is copied, and
//! ids stay as they are until the changed graph is built.

use super::overlay::Overlay;
use super::{Made, Operand, Rewrite};
use ferrograph_graph::{
    AlgebraicIdentity, Graph, Inputs, Known, KnownOutputs, Node, NodeId, OpRef, Specs, ValueId,
    ValueInfo,
};
use ferrograph_ops::Const;
use ferrograph_tensor::{Result, Tensor, TensorSpec, err};
use hashbrown::{HashMap, HashSet};
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;
use std::sync::Arc;

/// A graph with the changes made to it.
#[derive(Clone)]
pub struct Rewriter<'g> {
    graph: &'g Graph,
    nodes: Overlay<'g, Node>,
    values: Overlay<'g, ValueInfo>,
    outputs: Cow<'g, [ValueId]>,
    is_input: Vec<bool>,
    /// What replaces each value; empty while each is itself.
    stands: Vec<ValueId>,
    /// Values of which more is known than when what takes them was inferred; empty while there are none.
    sharper: Vec<bool>,
    /// Nodes that were taken out; empty while there are none.
    gone: Vec<bool>,
    n_gone: usize,
    /// How many of those a plan has a step for.
    n_steps_gone: usize,
    /// Program order; empty while it is that of the ids.
    order: Vec<NodeId>,
    /// Nodes added behind all others, each with the node it is to stand before.
    added: Vec<(NodeId, NodeId)>,
    /// The names of all nodes, each with the last number put behind it; empty until a node is added.
    names: HashMap<Arc<str>, u32>,
}

impl<'g> Rewriter<'g> {
    /// A graph without changes.
    pub fn new(graph: &'g Graph) -> Rewriter<'g> {
        let mut is_input = vec![false; graph.nodes.len()];
        for v in &graph.inputs {
            is_input[graph.value(*v).node.index()] = true;
        }
        Rewriter {
            graph,
            nodes: Overlay::new(&graph.nodes),
            values: Overlay::new(&graph.values),
            outputs: Cow::Borrowed(&graph.outputs),
            is_input,
            stands: Vec::new(),
            sharper: Vec::new(),
            gone: Vec::new(),
            n_gone: 0,
            n_steps_gone: 0,
            order: Vec::new(),
            added: Vec::new(),
            names: HashMap::new(),
        }
    }

    /// The node of that id. [`Rewriter::inputs`] gives what replaces the values that it names.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// What is known of a value.
    pub fn value(&self, v: ValueId) -> &ValueInfo {
        &self.values[v.index()]
    }

    /// What a node takes.
    pub fn inputs(&self, id: NodeId) -> impl Iterator<Item = ValueId> {
        let inputs = self.node(id).inputs.iter();
        inputs.map(|v| self.resolve(*v))
    }

    /// Input `i` of a node.
    pub fn input(&self, id: NodeId, i: usize) -> Option<ValueId> {
        let named = self.node(id).inputs.get(i);
        named.map(|v| self.resolve(*v))
    }

    /// The node that gives a value.
    pub fn maker(&self, v: ValueId) -> &Node {
        self.node(self.value(v).node)
    }

    /// The value of a constant of the graph. What else is known to have one value, such as a captured tensor, is none.
    pub fn constant(&self, v: ValueId) -> Option<&Tensor> {
        self.value(v).constant.as_ref()?;
        self.maker(v).op.constant()
    }

    /// What the graph returns.
    pub fn outputs(&self) -> impl Iterator<Item = ValueId> {
        self.outputs.iter().map(|v| self.resolve(*v))
    }

    /// How many ids of nodes there are, those of nodes taken out among them.
    pub fn n_ids(&self) -> usize {
        self.nodes.len()
    }

    /// How many nodes were taken out.
    pub fn n_gone(&self) -> usize {
        self.n_gone
    }

    /// Whether the node is one of the graph's inputs, which all stay.
    pub fn is_input(&self, id: NodeId) -> bool {
        self.is_input.get(id.index()).copied().unwrap_or(false)
    }

    /// Whether anything changed.
    pub(super) fn is_changed(&self) -> bool {
        self.nodes.is_changed() || self.n_gone > 0
    }

    /// Whether a plan of the changed graph would do less, or be made sooner: constants and what passes values on are no
    /// steps of a plan, so that it is worth copying the graph without them only where they are many.
    pub(super) fn is_worth_it(&self) -> bool {
        let is_many = self.n_gone * 8 >= self.graph.nodes.len();
        self.nodes.is_changed() || self.n_steps_gone > 0 || (self.n_gone > 0 && is_many)
    }

    /// The node at a place in program order; `None` behind the last. Places hold nodes taken out as well.
    pub(super) fn at(&self, place: usize) -> Option<NodeId> {
        match self.order.is_empty() {
            true => (place < self.graph.nodes.len()).then(|| NodeId::new(place)),
            false => self.order.get(place).copied(),
        }
    }

    /// The nodes in program order.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> {
        (0..)
            .map_while(|place| self.at(place))
            .filter(|id| !self.is_gone(*id))
    }

    /// Whether the node was taken out.
    pub fn is_gone(&self, id: NodeId) -> bool {
        self.gone.get(id.index()).copied().unwrap_or(false)
    }

    fn resolve(&self, mut v: ValueId) -> ValueId {
        while let Some(&other) = self.stands.get(v.index())
            && other != v
        {
            v = other;
        }
        v
    }

    fn is_sharper(&self, v: ValueId) -> bool {
        self.sharper.get(v.index()).copied().unwrap_or(false)
    }

    fn sharpen(&mut self, v: ValueId) {
        self.sharper.resize(self.values.len(), false);
        self.sharper[v.index()] = true;
    }

    /// Brings a node up to date with what became of the values it takes: its outputs are inferred again where more is
    /// known of one.
    pub(super) fn refresh(&mut self, id: NodeId) {
        if self.sharper.is_empty() {
            return;
        }
        let mut named = self.node(id).inputs.iter();
        if named.any(|v| self.is_sharper(*v) || self.is_sharper(self.resolve(*v))) {
            self.infer(id);
        }
    }

    /// Infers a node's outputs from what is known of its inputs, and keeps what was known of them besides. What is
    /// refused here will be when it runs.
    fn infer(&mut self, id: NodeId) {
        let Some((specs, mut known)) = self.inferred(id) else {
            return;
        };
        known.resize(specs.len(), None);
        let outputs = self.node(id).outputs.clone();
        for ((v, spec), known) in outputs.into_iter().zip(specs).zip(known) {
            let info = self.value(v);
            let shape = spec.shape.merge(&info.spec.shape);
            let shape = shape.ok().filter(|shape| *shape != info.spec.shape);
            let known = known.filter(|_| info.known.is_none());
            if shape.is_none() && known.is_none() {
                continue;
            }
            let info = &mut self.values[v.index()];
            info.spec.shape = shape.unwrap_or_else(|| info.spec.shape.clone());
            info.known = known.map(Box::new).or_else(|| info.known.take());
            self.sharpen(v);
        }
    }

    fn inferred(&self, id: NodeId) -> Option<(Specs, KnownOutputs)> {
        let node = self.node(id);
        let inputs = Inputs::new(self.inputs(id).map(|v| self.value(v).as_input()));
        Some((node.op.specs(&inputs).ok()?, node.op.known_outputs(&inputs)))
    }

    /// Makes a change to a node; gives whether it could be.
    pub fn apply(&mut self, id: NodeId, rewrite: Rewrite) -> bool {
        match rewrite {
            Rewrite::Replace(values) => self.replace(id, &values),
            Rewrite::Become(op, operands) => {
                let like = id;
                self.compose(id, vec![Made { op, operands, like }])
            }
            Rewrite::Compose(made) => self.compose(id, made),
            Rewrite::Constants(tensors) => {
                if let [tensor] = &tensors[..] {
                    let value = tensor.clone();
                    self.become_op(id, Arc::new(Const { value }), smallvec![]);
                    return true;
                }
                let add = |t| self.add_constant(id, t);
                let values: SmallVec<[ValueId; 2]> = tensors.into_iter().map(add).collect();
                self.replace(id, &values)
            }
            Rewrite::Remove => {
                self.remove(id);
                true
            }
        }
    }

    /// Replaces a node's outputs by values and takes the node out; refused where less is known of one of them.
    fn replace(&mut self, id: NodeId, values: &[ValueId]) -> bool {
        let outputs = self.node(id).outputs.clone();
        let fits = |(out, v): (&ValueId, &ValueId)| {
            let (out, new) = (&self.value(*out).spec, &self.value(*v).spec);
            out.dtype == new.dtype && new.shape.is_subtype_of(&out.shape)
        };
        if outputs.len() != values.len() || !outputs.iter().zip(values).all(fits) {
            return false;
        }
        let unset = self.stands.len()..self.values.len();
        self.stands.extend(unset.map(ValueId::new));
        for (&out, &v) in outputs.iter().zip(values) {
            self.stands[out.index()] = v;
            let (old, new) = (self.value(out), self.value(v));
            let knows_more = (new.constant.is_some() && old.constant.is_none())
                || (new.known.is_some() && old.known.is_none())
                || old.spec.shape != new.spec.shape;
            if new.known.is_none()
                && let Some(known) = old.known.clone()
            {
                self.values[v.index()].known = Some(known);
            }
            if knows_more {
                self.sharpen(out);
            }
        }
        self.remove(id);
        true
    }

    fn become_op(&mut self, id: NodeId, op: OpRef, inputs: SmallVec<[ValueId; 3]>) {
        let constant = op.constant().cloned();
        let node = &mut self.nodes[id.index()];
        (node.op, node.inputs) = (op, inputs);
        match (constant, &node.outputs[..]) {
            (Some(constant), &[v]) => {
                let info = &mut self.values[v.index()];
                info.spec = constant.spec();
                info.constant = Some(Box::new(constant));
                self.sharpen(v);
            }
            _ => self.infer(id),
        }
    }

    /// Lets the last of some operations take a node's place, and the others stand before it; refused where one of those
    /// is no operation of one output.
    fn compose(&mut self, id: NodeId, made: Vec<Made>) -> bool {
        let n = made.len();
        let mut values: SmallVec<[ValueId; 4]> = SmallVec::with_capacity(n);
        for (i, Made { op, operands, like }) in made.into_iter().enumerate() {
            let mut inputs = SmallVec::with_capacity(operands.len());
            for operand in operands {
                inputs.push(match operand {
                    Operand::Value(v) => v,
                    Operand::Constant(t) => self.add_constant(id, t),
                    Operand::Made(at) => match values.get(at) {
                        Some(v) => *v,
                        None => return false,
                    },
                });
            }
            if i + 1 == n {
                self.become_op(id, op, inputs);
                return true;
            }
            match self.add_operation(id, op, inputs, like) {
                Some(v) => values.push(v),
                None => return false,
            }
        }
        false
    }

    /// An operation to stand before a node, with the name and line of another.
    fn add_operation(
        &mut self,
        before: NodeId,
        op: OpRef,
        inputs: SmallVec<[ValueId; 3]>,
        like: NodeId,
    ) -> Option<ValueId> {
        let (specs, known) = {
            let of = Inputs::new(inputs.iter().map(|v| self.value(*v).as_input()));
            (op.specs(&of).ok()?, op.known(&of))
        };
        let [spec] = <[_; 1]>::try_from(specs.into_vec()).ok()?;
        let hint = self.node(like).name.to_string();
        Some(self.add(before, op, inputs, (spec, known), &hint, like))
    }

    /// A node of one output to stand before another one, with the line of a third.
    fn add(
        &mut self,
        before: NodeId,
        op: OpRef,
        inputs: SmallVec<[ValueId; 3]>,
        (spec, known): (TensorSpec, Option<Known>),
        hint: &str,
        like: NodeId,
    ) -> ValueId {
        let node = NodeId::new(self.nodes.len());
        let v = ValueId::new(self.values.len());
        let name = self.free_name(hint);
        let origin = self.node(like).origin.clone();
        self.values.push(ValueInfo {
            node,
            index: 0,
            spec,
            constant: op.constant().cloned().map(Box::new),
            known: known.map(Box::new),
        });
        self.nodes.push(Node {
            op,
            inputs,
            outputs: smallvec![v],
            control: smallvec![],
            name,
            origin,
        });
        self.added.push((before, node));
        v
    }

    /// A constant to stand before a node, named after it.
    fn add_constant(&mut self, before: NodeId, value: Tensor) -> ValueId {
        let hint = format!("{}/Const", self.node(before).name);
        let spec = value.spec();
        let op = Arc::new(Const { value });
        self.add(before, op, smallvec![], (spec, None), &hint, before)
    }

    /// A name that no node has: the hint, or the hint with a number.
    fn free_name(&mut self, hint: &str) -> Arc<str> {
        if self.names.is_empty() {
            self.names = self.nodes.iter().map(|n| (n.name.clone(), 0)).collect();
        }
        let hint: Arc<str> = hint.into();
        let mut name = hint.clone();
        if let Some(&last) = self.names.get(&hint) {
            let mut number = last;
            while self.names.contains_key(&name) {
                number += 1;
                name = format!("{hint}_{number}").into();
            }
            self.names.insert(hint, number);
        }
        self.names.insert(name.clone(), 0);
        name
    }

    /// Takes a node out; nothing may take what it gives.
    pub fn remove(&mut self, id: NodeId) {
        self.gone.resize(self.nodes.len(), false);
        if !std::mem::replace(&mut self.gone[id.index()], true) {
            let op = &self.node(id).op;
            let is_step =
                op.constant().is_none() && op.decl().identity != AlgebraicIdentity::Forwards;
            self.n_gone += 1;
            self.n_steps_gone += usize::from(is_step);
        }
    }

    /// Lets the graph return other values of its own.
    pub fn set_outputs(&mut self, outputs: Vec<ValueId>) {
        self.outputs = Cow::Owned(outputs);
    }

    /// Gives nodes that were added their places.
    pub(super) fn settle(&mut self) {
        if self.added.is_empty() {
            return;
        }
        let old: Vec<NodeId> = (0..).map_while(|place| self.at(place)).collect();
        let mut added = std::mem::take(&mut self.added).into_iter().peekable();
        self.order = Vec::with_capacity(self.nodes.len());
        for id in old {
            while let Some((_, node)) = added.next_if(|(before, _)| *before == id) {
                self.order.push(node);
            }
            self.order.push(id);
        }
    }

    /// The changed graph.
    ///
    /// # Errors
    /// `Internal` where a node or output needs what is gone.
    pub fn finish(mut self) -> Result<Graph> {
        self.settle();
        let n_kept = self.nodes.len() - self.n_gone;
        let ids: Vec<NodeId> = self.ids().collect();
        let mut new_values: Vec<Option<ValueId>> = vec![None; self.values.len()];
        let mut new_nodes: Vec<Option<NodeId>> = vec![None; self.nodes.len()];
        let mut nodes: Vec<Node> = Vec::with_capacity(n_kept);
        let mut values: Vec<ValueInfo> = Vec::with_capacity(n_kept);
        for id in ids {
            let new_id = NodeId::new(nodes.len());
            let mut node = self.node(id).clone();
            for v in &mut node.inputs {
                *v = self.renumbered(*v, &new_values)?;
            }
            for v in &mut node.outputs {
                let new = ValueId::new(values.len());
                let info = self.value(*v).clone();
                values.push(ValueInfo {
                    node: new_id,
                    ..info
                });
                new_values[v.index()] = Some(new);
                *v = new;
            }
            if !node.control.is_empty() {
                node.control = self.predecessors(&node.control, &new_nodes);
            }
            new_nodes[id.index()] = Some(new_id);
            nodes.push(node);
        }
        let all = |vs: &[ValueId]| -> Result<Vec<ValueId>> {
            vs.iter()
                .map(|v| self.renumbered(*v, &new_values))
                .collect()
        };
        let (inputs, outputs) = (all(&self.graph.inputs)?, all(&self.outputs)?);
        let (name, n_args) = (self.graph.name.clone(), self.graph.n_args);
        Ok(Graph::new(name, nodes, values, inputs, n_args, outputs))
    }

    fn renumbered(&self, v: ValueId, new_values: &[Option<ValueId>]) -> Result<ValueId> {
        let new = new_values[self.resolve(v).index()];
        new.ok_or_else(|| err!(Internal, "{v} is needed and was taken out"))
    }

    /// Control predecessors by their new ids; for one that is gone those that it came after.
    fn predecessors(
        &self,
        control: &[NodeId],
        new_nodes: &[Option<NodeId>],
    ) -> SmallVec<[NodeId; 0]> {
        let mut seen = HashSet::new();
        let mut found = SmallVec::new();
        let mut work: Vec<NodeId> = control.iter().rev().copied().collect();
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Some(new) = new_nodes[id.index()] {
                found.push(new);
                continue;
            }
            let node = self.node(id);
            let makers = self.inputs(id).map(|v| self.value(v).node);
            work.extend(makers.chain(node.control.iter().copied()));
        }
        found
    }
}
