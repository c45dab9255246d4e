//! What gradients do with variants, whatever these hold.

use crate::recursion::{sum_of_bundles, zeros_like_bundle};
use crate::tensor_list::{sum_of_lists, zeros_like_list};
use ferrograph_graph::Runner;
use ferrograph_tensor::{Result, Tensor};

/// The zero of gradients for a variant.
pub(crate) fn zeros_like(t: &Tensor) -> Result<Tensor> {
    zeros_like_bundle(t).unwrap_or_else(|| zeros_like_list(t))
}

/// The sum of variants of one kind.
pub(crate) fn sum(runner: &dyn Runner, all: &[Tensor]) -> Result<Tensor> {
    sum_of_bundles(runner, all).unwrap_or_else(|| sum_of_lists(runner, all))
}
