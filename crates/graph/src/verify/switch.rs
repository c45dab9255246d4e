//! Whether what is made is verified as it is made.

use super::verify_alone;
use crate::Graph;
use ferrograph_tensor::{Error, ErrorKind, Result};
use std::sync::LazyLock;

/// Whether every finished graph, every rewritten one and every compiled plan is verified: in debug builds, and where
/// the environment said `FERROGRAPH_VERIFY=1` when it was first asked.
pub fn verifies() -> bool {
    static ASKED_FOR: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("FERROGRAPH_VERIFY").is_some_and(|v| v == "1"));
    cfg!(debug_assertions) || *ASKED_FOR
}

/// Verifies a graph where verification is on. Regions that were verified when they were made are not looked at again.
///
/// # Errors
/// `Internal` with the list of what is broken.
pub fn check(graph: &Graph) -> Result<()> {
    match verifies() {
        true => all_or_error(breaches(graph)),
        false => Ok(()),
    }
}

/// Kept with graphs in which no breach was found.
struct Verified;

fn breaches(graph: &Graph) -> Vec<Error> {
    if graph.has_attachment::<Verified>() {
        return Vec::new();
    }
    let mut errors = verify_alone(graph);
    for node in &graph.nodes {
        for region in node.op.regions() {
            errors.extend(breaches(region.graph));
        }
    }
    if errors.is_empty() {
        graph.attachment(|| Verified);
    }
    errors
}

/// Breaches of invariants as one error that lists them.
///
/// # Errors
/// `Internal` where there are any.
pub fn all_or_error(breaches: Vec<Error>) -> Result<()> {
    if breaches.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = breaches.iter().map(ToString::to_string).collect();
    let text = format!(
        "a fault inside ferrograph, please report it: {}",
        list.join("; ")
    );
    Err(Error::new(ErrorKind::Internal, text))
}
