//! The order that effects ask for, as edges between nodes, so that whatever may run out of program order knows what it
//! must keep.
//!
//! * What writes a resource follows all that read or wrote it before; what reads it follows what wrote it last, and
//!   passes other reads.
//! * An external effect follows all effects before it, and all effects behind it follow it: an assert that fails
//!   keeps the program from writing, a callback sees what was written.
//!
//! Two handles are of different resources only where both are known; one that a caller hands in may be any.

use ferrograph_graph::{Effect, Graph, Node, NodeId, ValueId};
use ferrograph_tensor::DType;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The nodes that one must follow for the sake of effects; of those that follow one another only the last.
pub type Before = SmallVec<[NodeId; 2]>;

/// For each node of a graph, the nodes that it must follow for the sake of effects. What it takes and what the program
/// asked to run before it comes on top of that.
pub fn effect_edges(graph: &Graph) -> Vec<Before> {
    let mut seen = Seen::default();
    graph
        .iter()
        .map(|(id, node)| match node.op.effect() {
            Effect::Pure => Before::new(),
            Effect::Reads => seen.read(id, &resources(graph, node)),
            Effect::Writes => seen.write(id, &resources(graph, node)),
            Effect::World => seen.act(id),
        })
        .collect()
}

/// What a handle refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Resource {
    /// The object at that address.
    Known(*const ()),
    /// Any.
    Unknown,
}

impl Resource {
    fn may_be(self, other: Resource) -> bool {
        self == other || self == Resource::Unknown || other == Resource::Unknown
    }
}

/// The resources that a node reads or writes.
fn resources(graph: &Graph, node: &Node) -> SmallVec<[Resource; 2]> {
    let is_handle = |v: &&ValueId| graph.spec(**v).dtype == DType::Resource;
    let handles = node.inputs.iter().filter(is_handle);
    let mut found: SmallVec<[Resource; 2]> = handles.map(|v| resource(graph, *v)).collect();
    if found.is_empty() {
        found.push(Resource::Unknown);
    }
    found
}

fn resource(graph: &Graph, v: ValueId) -> Resource {
    let constant = graph.value(v).constant.as_deref();
    if let Some(Ok(object)) = constant.map(|t| t.as_object()) {
        return Resource::Known(Arc::as_ptr(object).cast());
    }
    let maker = graph.node(graph.value(v).node);
    match maker.inputs[..] {
        [handle] if maker.op.name() == "Identity" => resource(graph, handle),
        _ => Resource::Unknown,
    }
}

/// The effects that others may have to follow.
#[derive(Default)]
struct Seen {
    /// What acted on the world last.
    world: Option<NodeId>,
    /// Since then, what wrote each resource last.
    writes: Vec<(Resource, NodeId)>,
    /// Since then, what read a resource that was not written after that.
    reads: Vec<(Resource, NodeId)>,
}

impl Seen {
    fn read(&mut self, id: NodeId, resources: &[Resource]) -> Before {
        let mut before = Before::new();
        for r in resources {
            collect(&mut before, &self.writes, *r);
            self.reads.push((*r, id));
        }
        self.or_world(before)
    }

    fn write(&mut self, id: NodeId, resources: &[Resource]) -> Before {
        let mut before = Before::new();
        for r in resources {
            collect(&mut before, &self.writes, *r);
            collect(&mut before, &self.reads, *r);
        }
        for &r in resources {
            let stays = |(other, _): &(Resource, NodeId)| r != Resource::Unknown && *other != r;
            self.writes.retain(|entry| stays(entry));
            self.reads.retain(|entry| stays(entry));
            self.writes.push((r, id));
        }
        self.or_world(before)
    }

    fn act(&mut self, id: NodeId) -> Before {
        let mut before = Before::new();
        collect(&mut before, &self.writes, Resource::Unknown);
        collect(&mut before, &self.reads, Resource::Unknown);
        let before = self.or_world(before);
        *self = Seen {
            world: Some(id),
            ..Seen::default()
        };
        before
    }

    /// What follows nothing since the world was acted on follows that.
    fn or_world(&self, before: Before) -> Before {
        match self.world {
            Some(world) if before.is_empty() => smallvec![world],
            _ => before,
        }
    }
}

fn collect(before: &mut Before, entries: &[(Resource, NodeId)], of: Resource) {
    for (resource, id) in entries {
        if resource.may_be(of) && !before.contains(id) {
            before.push(*id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrograph_graph::{GraphBuilder, OpRef};
    use ferrograph_ops::{AssignKind, AssignVariable, Const, NoOp, ReadVariableOp, VariableCell};
    use ferrograph_tensor::{PartialShape, Tensor, TensorSpec};

    fn spec() -> TensorSpec {
        TensorSpec::new(DType::Float32, PartialShape::scalar())
    }

    /// A graph of reads (`r`) and writes (`w`) of variables `a` and `b`, and of external effects (`!`).
    fn edges(program: &[&str]) -> Vec<Vec<usize>> {
        let mut b = GraphBuilder::new("f");
        let mut add = |op: OpRef, inputs: &[ValueId]| {
            let id = b.add(op, inputs, None, None).unwrap();
            b.node(id).outputs.first().copied()
        };
        let constant = |value: Tensor| -> OpRef { Arc::new(Const { value }) };
        let mut handle = |name: &str| {
            let cell = VariableCell::new(name.to_owned(), spec(), true);
            let value = Tensor::from_object(DType::Resource, Arc::new(cell));
            add(constant(value), &[]).unwrap()
        };
        let (one, other) = (handle("a"), handle("b"));
        let value = add(constant(Tensor::scalar(1.0f32).unwrap()), &[]).unwrap();
        let n_made = 3;
        for step in program {
            let on = if step.ends_with('a') { one } else { other };
            match &step[..1] {
                "r" => add(Arc::new(ReadVariableOp::of(spec())), &[on]),
                "w" => add(Arc::new(AssignVariable::of(AssignKind::Set)), &[on, value]),
                _ => add(Arc::new(NoOp), &[]),
            };
        }
        let graph = b.finish(vec![], 0, vec![]);
        let edges = effect_edges(&graph);
        assert!(edges[..n_made].iter().all(|before| before.is_empty()));
        let numbers = |before: &Before| before.iter().map(|id| id.index() - n_made).collect();
        edges[n_made..].iter().map(numbers).collect()
    }

    #[test]
    fn reads_pass_reads_and_writes_pass_nothing_of_the_same_resource() {
        let found = edges(&["ra", "ra", "wa", "ra", "ra", "wa", "wa"]);
        let expected: [&[usize]; 7] = [&[], &[], &[0, 1], &[2], &[2], &[2, 3, 4], &[5]];
        assert_eq!(found, expected);
    }

    #[test]
    fn effects_on_different_resources_pass_each_other() {
        let found = edges(&["wa", "wb", "ra", "rb", "wb"]);
        let expected: [&[usize]; 5] = [&[], &[], &[0], &[1], &[1, 3]];
        assert_eq!(found, expected);
    }

    #[test]
    fn nothing_passes_an_act_on_the_world() {
        let found = edges(&["wa", "rb", "!", "ra", "wb", "!", "!", "rb"]);
        let expected: [&[usize]; 8] = [&[], &[], &[0, 1], &[2], &[2], &[4, 3], &[5], &[6]];
        assert_eq!(found, expected);
    }
}
