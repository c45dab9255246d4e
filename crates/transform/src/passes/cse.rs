//! Common subexpression elimination: computes once what is computed several times, which are nodes of equal operations
//! on the same values, after the same control predecessors. What reads, writes or draws random numbers is computed as
//! often as the program says, and so is what gives handles and objects, which are distinguished by more than their
//! bits.

use super::{SMALL, is_plain, is_pure};
use crate::rewrite::{Pass, Rewrite, Rewriter};
use ferrograph_graph::{NodeId, hash_tensor, same_tensor};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash, Hasher};

#[derive(Default)]
pub(super) struct Cse {
    /// The first node of each kind.
    first: HashTable<(u32, NodeId)>,
}

impl Pass for Cse {
    fn start(&mut self, graph: &Rewriter<'_>) {
        self.first
            .reserve(graph.n_ids() / 2, |(hash, _)| spread(*hash));
    }

    fn visit(&mut self, graph: &Rewriter<'_>, id: NodeId) -> Option<Rewrite> {
        let node = graph.node(id);
        if !is_pure(node) || node.outputs.is_empty() {
            return None;
        }
        let hash = hash(graph, id);
        let is_same = |(h, other): &(u32, NodeId)| *h == hash && is_same(graph, id, *other);
        if let Some((_, other)) = self.first.find(spread(hash), is_same) {
            let plain = |v| is_plain(graph.value(v).spec.dtype);
            let outputs = &graph.node(*other).outputs;
            let is_known = outputs.iter().copied().all(plain);
            return is_known.then(|| Rewrite::Replace(outputs.iter().copied().collect()));
        }
        self.first
            .insert_unique(spread(hash), (hash, id), |(hash, _)| spread(*hash));
        None
    }
}

/// Nodes that are the same have the same hash. What takes nothing differs by attributes alone.
fn hash(graph: &Rewriter<'_>, id: NodeId) -> u32 {
    let node = graph.node(id);
    let mut state = FixedState::default().build_hasher();
    node.op.name().hash(&mut state);
    match node.op.constant() {
        Some(value) => hash_tensor(value, &mut state),
        None if node.inputs.is_empty() => node.op.attrs().hash(&mut state),
        None => graph.inputs(id).for_each(|v| v.hash(&mut state)),
    }
    let hash = state.finish();
    #[allow(clippy::cast_possible_truncation)]
    let folded = (hash ^ (hash >> 32)) as u32;
    folded
}

/// The table looks at the first and the last bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

fn is_same(graph: &Rewriter<'_>, a: NodeId, b: NodeId) -> bool {
    let (x, y) = (graph.node(a), graph.node(b));
    if x.control != y.control || x.outputs.len() != y.outputs.len() {
        return false;
    }
    match (x.op.constant(), y.op.constant()) {
        (Some(x), Some(y)) if x.n_elements() > SMALL => x.shares_storage(y) && same_tensor(x, y),
        (Some(x), Some(y)) => same_tensor(x, y),
        _ => graph.inputs(a).eq(graph.inputs(b)) && *x.op == *y.op,
    }
}
