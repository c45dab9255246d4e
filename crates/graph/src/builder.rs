//! Building graphs: adds nodes, infers their types, and names them.

use crate::names::Names;
use crate::region::depth_below;
use crate::{Graph, Inputs, KnownOutputs, Node, NodeId, Op, OpRef, ValueId, ValueInfo};
use ferrograph_tensor::{Error, ErrorKind, Origin, Result, TensorSpec, bail, err};
use smallvec::SmallVec;
use std::sync::Arc;

/// How many levels of graphs are within each other at most: passes and plans walk through them by recursion.
pub const MAX_DEPTH: usize = 500;

fn check_depth(op: &dyn Op) -> Result<()> {
    if depth_below(op) >= MAX_DEPTH {
        bail!(
            ResourceExhausted,
            "functions, branches and loops lie within each other more than {MAX_DEPTH} levels deep: let a function \
             that calls itself, or a loop, do what each level does"
        );
    }
    Ok(())
}

/// A graph under construction.
pub struct GraphBuilder {
    name: Arc<str>,
    nodes: Vec<Node>,
    values: Vec<ValueInfo>,
    names: Names,
    scope: String,
}

impl GraphBuilder {
    /// An empty graph of that name.
    pub fn new(name: &str) -> GraphBuilder {
        GraphBuilder {
            name: name.into(),
            nodes: Vec::new(),
            values: Vec::new(),
            names: Names::default(),
            scope: String::new(),
        }
    }

    /// A builder that goes on from a finished graph; node and value ids stay.
    pub fn from_graph(name: &str, graph: &Graph) -> GraphBuilder {
        GraphBuilder {
            name: name.into(),
            nodes: graph.nodes.clone(),
            values: graph.values.clone(),
            names: Names::of(graph.nodes.iter().map(|n| &n.name)),
            scope: String::new(),
        }
    }

    /// The graph so far, of these inputs and outputs.
    pub(crate) fn so_far(&self, inputs: Vec<ValueId>, outputs: Vec<ValueId>) -> Graph {
        let (nodes, values) = (self.nodes.clone(), self.values.clone());
        Graph::new(self.name.clone(), nodes, values, inputs, 0, outputs)
    }

    /// The graph's name.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The nodes so far.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What is known of that value.
    pub fn value(&self, id: ValueId) -> &ValueInfo {
        &self.values[id.index()]
    }

    /// What is known of that value, to be refined.
    pub fn value_mut(&mut self, id: ValueId) -> &mut ValueInfo {
        &mut self.values[id.index()]
    }

    /// The node of that id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The prefix of the names of nodes added from now on, with its trailing slash; empty at top level.
    pub fn set_scope(&mut self, scope: &str) {
        scope.clone_into(&mut self.scope);
    }

    /// The prefix of names now.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// A name not used yet: the hint, or the hint with the next free number.
    pub fn unique_name(&mut self, hint: &str) -> Arc<str> {
        self.names.unique(&self.scope, hint)
    }

    /// Adds a node for an operation on these values and gives its id.
    ///
    /// # Errors
    /// What inference refuses, with the operation's name.
    pub fn add(
        &mut self,
        op: OpRef,
        inputs: &[ValueId],
        name: Option<&str>,
        origin: Option<Arc<Origin>>,
    ) -> Result<NodeId> {
        let (specs, known) = {
            let infos = Inputs::new(inputs.iter().map(|v| self.value(*v).as_input()));
            let specs = op.specs(&infos).map_err(|e| e.in_op(op.name()))?;
            (specs, op.known_outputs(&infos))
        };
        self.add_typed(op, inputs, &specs, known, name, origin)
    }

    /// Takes memory for one more node with that many values, so that none of what follows fails.
    fn make_room(&mut self, n_values: usize) -> Result<()> {
        let nodes = self.nodes.try_reserve(1);
        let values = self.values.try_reserve(n_values);
        nodes.and(values).map_err(|_| self.too_large())?;
        self.names.try_reserve().map_err(|_| self.too_large())
    }

    #[cold]
    fn too_large(&self) -> Error {
        let n_nodes = self.nodes.len();
        err!(
            ResourceExhausted,
            "out of memory for one more node of a graph of {n_nodes}"
        )
    }

    fn add_typed(
        &mut self,
        op: OpRef,
        inputs: &[ValueId],
        specs: &[TensorSpec],
        mut known: KnownOutputs,
        name: Option<&str>,
        origin: Option<Arc<Origin>>,
    ) -> Result<NodeId> {
        check_depth(&*op)?;
        self.make_room(specs.len())?;
        let node = NodeId::new(self.nodes.len());
        let mut outputs = SmallVec::new();
        for (i, spec) in specs.iter().enumerate() {
            outputs.push(ValueId::new(self.values.len()));
            let index = u32::try_from(i).map_err(|_| {
                ferrograph_tensor::Error::new(ErrorKind::Internal, "too many outputs")
            })?;
            self.values.push(ValueInfo {
                node,
                index,
                spec: spec.clone(),
                constant: None,
                known: known.get_mut(i).and_then(Option::take).map(Box::new),
            });
        }
        if let (Some(value), Some(info)) = (op.constant(), self.values.last_mut()) {
            info.constant = Some(Box::new(value.clone()));
        }
        let name = self.unique_name(name.unwrap_or_else(|| op.node_name()));
        self.nodes.push(Node {
            op,
            inputs: inputs.into(),
            outputs,
            control: SmallVec::new(),
            name,
            origin,
        });
        Ok(node)
    }

    /// Makes a node run after others.
    pub fn add_control(&mut self, node: NodeId, after: &[NodeId]) {
        self.nodes[node.index()].control.extend_from_slice(after);
    }

    /// Replaces a node by one with another operation of which the present inputs and outputs are the first: further
    /// inputs and outputs are appended. Gives the new outputs.
    pub fn extend_node(
        &mut self,
        node: NodeId,
        op: OpRef,
        more_inputs: &[ValueId],
        specs: &[TensorSpec],
    ) -> Result<SmallVec<[ValueId; 4]>> {
        let old = self.nodes[node.index()].outputs.len();
        if specs.len() < old {
            bail!(
                Internal,
                "operation {} cannot replace one with more outputs",
                op.name()
            );
        }
        let mut added = SmallVec::new();
        for (i, spec) in specs.iter().enumerate().skip(old) {
            let id = ValueId::new(self.values.len());
            let index = u32::try_from(i).map_err(|_| {
                ferrograph_tensor::Error::new(ErrorKind::Internal, "too many outputs")
            })?;
            self.values.push(ValueInfo {
                node,
                index,
                spec: spec.clone(),
                constant: None,
                known: None,
            });
            added.push(id);
        }
        let target = &mut self.nodes[node.index()];
        target.op = op;
        target.inputs.extend_from_slice(more_inputs);
        target.outputs.extend(added.iter().copied());
        Ok(added)
    }

    /// The finished graph.
    pub fn finish(mut self, inputs: Vec<ValueId>, n_args: usize, outputs: Vec<ValueId>) -> Graph {
        self.nodes.shrink_to_fit();
        self.values.shrink_to_fit();
        Graph::new(self.name, self.nodes, self.values, inputs, n_args, outputs)
    }
}
