//! How many rewrites may still be made: to find the one that goes wrong, stop after more and more of them.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The environment variable that says after how many rewrites, all graphs together, nothing is rewritten any more.
const VARIABLE: &str = "FERROGRAPH_MAX_REWRITES";

/// A number of rewrites.
pub(super) struct Budget(AtomicU64);

impl Budget {
    pub fn new(n_rewrites: u64) -> Budget {
        Budget(AtomicU64::new(n_rewrites))
    }

    /// What the environment of the process grants; without bound where it says nothing, or no number.
    pub fn of_process() -> &'static Budget {
        static BUDGET: LazyLock<Budget> = LazyLock::new(|| {
            let said = std::env::var(VARIABLE).ok();
            Budget::new(said.and_then(|n| n.parse().ok()).unwrap_or(u64::MAX))
        });
        &BUDGET
    }

    /// Takes one, if one is left.
    pub fn take(&self) -> bool {
        let less = |left: u64| match left {
            u64::MAX => Some(left),
            _ => left.checked_sub(1),
        };
        (self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less))
        .is_ok()
    }
}
