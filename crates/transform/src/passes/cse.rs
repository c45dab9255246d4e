//! Computes once what is computed several times: nodes of equal operations on the same values, after the same control
//! predecessors. What reads, writes or draws random numbers is computed as often as the program says, and so is what
//! gives handles and objects, which are told apart by more than their bits.

use super::{SMALL, is_plain, is_pure};
use crate::rewrite::{Pass, Rewrite, Rewriter};
use ferrograph_graph::{Node, NodeId, hash_tensor, same_tensor};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash, Hasher};

#[derive(Default)]
pub(super) struct Cse {
    /// The first node of each kind.
    first: HashTable<(u64, NodeId)>,
}

impl Pass for Cse {
    fn start(&mut self, graph: &Rewriter<'_>) {
        self.first.reserve(graph.n_ids(), |(hash, _)| *hash);
    }

    fn visit(&mut self, graph: &Rewriter<'_>, id: NodeId) -> Option<Rewrite> {
        let node = graph.node(id);
        if !is_pure(node) || node.outputs.is_empty() {
            return None;
        }
        let hash = hash(node);
        let is_same = |(h, other): &(u64, NodeId)| *h == hash && is_same(node, graph.node(*other));
        if let Some((_, other)) = self.first.find(hash, is_same) {
            let plain = |v| is_plain(graph.value(v).spec.dtype);
            let outputs = &graph.node(*other).outputs;
            let is_known = outputs.iter().copied().all(plain);
            return is_known.then(|| Rewrite::Stand(outputs.iter().copied().collect()));
        }
        self.first
            .insert_unique(hash, (hash, id), |(hash, _)| *hash);
        None
    }
}

/// Nodes that are the same have the same hash. What takes nothing differs by attributes alone.
fn hash(node: &Node) -> u64 {
    let mut state = FixedState::default().build_hasher();
    node.op.name().as_ptr().hash(&mut state);
    match node.op.constant() {
        Some(value) => hash_tensor(value, &mut state),
        None if node.inputs.is_empty() => node.op.attrs().hash(&mut state),
        None => node.inputs.hash(&mut state),
    }
    state.finish()
}

fn is_same(a: &Node, b: &Node) -> bool {
    if a.inputs != b.inputs || a.control != b.control || a.outputs.len() != b.outputs.len() {
        return false;
    }
    match (a.op.constant(), b.op.constant()) {
        (Some(x), Some(y)) if x.n_elements() > SMALL => x.shares_storage(y) && same_tensor(x, y),
        (Some(x), Some(y)) => same_tensor(x, y),
        _ => *a.op == *b.op,
    }
}
