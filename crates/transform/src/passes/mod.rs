//! The passes, one file each.

mod cse;
mod fold;
mod prune;
mod simplify;

use crate::rewrite::Named;
use ferrograph_graph::Node;
use ferrograph_tensor::DType;

/// All passes in the order in which they run.
pub(crate) static ALL: [Named; 4] = [
    Named::new("fold", || Box::new(fold::Fold)),
    Named::new("simplify", || Box::new(simplify::Simplify)),
    Named::new("cse", || Box::<cse::Cse>::default()),
    Named::new("prune", || Box::<prune::Prune>::default()),
];

/// Constants of more elements than this are neither folded nor compared.
const SMALL: usize = 4096;

/// Whether a node only computes: without it, given its outputs, a run would do the same.
fn is_pure(node: &Node) -> bool {
    node.op.effect() == ferrograph_graph::Effect::Pure
}

/// Whether values of a dtype are nothing but their bits.
fn is_plain(dtype: DType) -> bool {
    !matches!(dtype, DType::Resource | DType::Variant)
}
