//! The global seed.

use pyo3::prelude::*;

/// Sets the global seed: reduced by its modulus, and the words of its magnitude, the lowest first. None takes it away.
#[pyfunction]
#[pyo3(signature = (seed, words))]
pub(crate) fn set_global_seed(seed: Option<i64>, words: Vec<u32>) {
    ferrograph_ops::set_global_seed(seed.map(|seed| (seed, &words[..])));
}
