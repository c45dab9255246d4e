//! The passes, one file each.

mod cse;
mod fold;
mod prune;
mod simplify;
mod transpose_elimination;

use crate::rewrite::Named;
use ferrograph_graph::Node;
use ferrograph_tensor::{DType, Tensor};

/// All passes in the order in which they run.
pub(crate) static ALL: [Named; 5] = [
    Named::new("fold", || Box::new(fold::Fold)),
    Named::new("transpose_elimination", || {
        Box::<transpose_elimination::TransposeElimination>::default()
    }),
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

/// The axes that a permutation names, where it does.
fn permutation(perm: &Tensor) -> Option<Vec<usize>> {
    let named = perm.to_i64s().ok()?;
    let rank = i64::try_from(named.len()).ok()?;
    let axis = |p: i64| usize::try_from(if p < 0 { p + rank } else { p }).ok();
    let axes: Vec<usize> = named.into_iter().map(axis).collect::<Option<_>>()?;
    let is_permutation = (0..axes.len()).all(|axis| axes.contains(&axis));
    is_permutation.then_some(axes)
}
