//! The verifier of plans. A plan is sound when:
//!
//! 1. every slot, graph and node that is named exists (`types`);
//! 2. a slot lives in one place: it is a constant, a tensor or is in the slab; what is in the slab is aligned,
//!    inside it, and shares bytes with bools only where it holds bools (`types`);
//! 3. kernels take and give dense slots of known length; what they allocate is just those of their outputs that are
//!    tensors, under a shape of as many elements; tensors are given to tensors alone; what is read as a tensor and
//!    is in the slab has a shape (`types`);
//! 4. moves, aliases and records agree in dtype and number of elements, conditions are one bool (`types`);
//! 5. every read comes after a write on every path, and so do outputs (`flow`);
//! 6. tensors are dropped where they are there and never read again, so once and behind their last use; constants are
//!    neither written nor dropped (`flow`);
//! 7. values in the slab that are alive together do not overlap, and no operand overlaps an output (`overlap`);
//! 8. steps that run at once, or out of program order, share no slot and no bytes that one of them writes, and chains
//!    hold kernels alone (`parallel_chains`).

mod flow;
mod overlap;
mod parallel_chains;
mod types;

#[cfg(test)]
mod tests;

use super::Plan;
use super::step::Site;
use ferrograph_graph::verifies;
use ferrograph_tensor::{Error, ErrorKind, Result};
use std::fmt::{Arguments, Display};

/// Every breach of the invariants, with the step it was found at; empty for a sound plan.
pub fn verify_plan(plan: &Plan) -> Vec<Error> {
    let mut faults = Faults {
        plan,
        at: None,
        errors: Vec::new(),
    };
    types::check(&mut faults);
    if faults.errors.is_empty() {
        flow::check(&mut faults);
        overlap::check(&mut faults);
        parallel_chains::check(&mut faults);
    }
    faults.errors
}

/// Verifies a plan where verification is on.
///
/// # Errors
/// `Internal` with the list of what is broken.
pub(crate) fn check_plan(plan: &Plan) -> Result<()> {
    match verifies() {
        true => ferrograph_graph::all_or_error(verify_plan(plan)),
        false => Ok(()),
    }
}

/// What was found so far, and the step looked at.
struct Faults<'a> {
    plan: &'a Plan,
    at: Option<Site>,
    errors: Vec<Error>,
}

impl Faults<'_> {
    #[cold]
    fn fault(&mut self, text: Arguments<'_>) {
        let place = match self.at.and_then(|site| node_at(self.plan, site)) {
            Some(node) => format!("{node}: "),
            None => String::new(),
        };
        let name = &self.plan.name;
        let text = format!("plan {name}: {place}{text}");
        self.errors.push(Error::new(ErrorKind::Internal, text));
    }

    fn expect(&mut self, holds: bool, text: Arguments<'_>) {
        if !holds {
            self.fault(text);
        }
    }
}

/// The node that a step runs, in words.
fn node_at(plan: &Plan, site: Site) -> Option<impl Display> {
    let graph = plan.graphs.get(site.graph as usize)?.upgrade()?;
    let node = graph.nodes.get(site.node.index())?;
    Some(format!("{} ({})", node.name, node.op.name()))
}
