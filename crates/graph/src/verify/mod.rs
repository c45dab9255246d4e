//! The verifier of graphs. A graph is well formed when:
//!
//! 1. every node takes only values made by earlier nodes (`structure`);
//! 2. every value names the node and output that makes it, and is made once (`structure`);
//! 3. inputs are outputs of `Placeholder` nodes, arguments before captures, each of them once, and every placeholder
//!    is an input (`structure`);
//! 4. outputs are values that a node makes (`structure`);
//! 5. node names are unique (`structure`);
//! 6. control predecessors come earlier (`structure`);
//! 7. inferring a node's outputs again from its inputs gives as many, with specs compatible with the recorded ones
//!    (`types`);
//! 8. a value's constant has its dtype and a shape that fits it; known elements belong to integers of as many
//!    elements and agree with the constant and with what the operation knows (`types`);
//! 9. what reads or writes a resource takes one (`types`);
//! 10. a region is fed by inputs of its operation, of types that fit; what it gives is what its role says; and its
//!     operation has no weaker effect (`regions`);
//! 11. all of this holds for every region as well.

mod regions;
mod structure;
mod switch;
mod types;

pub use switch::{all_or_error, check, verifies};

use crate::{Graph, Node, NodeId};
use ferrograph_tensor::{Error, ErrorKind};
use std::fmt::Arguments;

/// Every breach of the invariants, with the node it was found at; empty for a well-formed graph.
pub fn verify(graph: &Graph) -> Vec<Error> {
    let mut errors = verify_alone(graph);
    for node in &graph.nodes {
        for region in node.op.regions() {
            errors.extend(verify(region.graph));
        }
    }
    errors
}

/// [`verify`] without the regions.
fn verify_alone(graph: &Graph) -> Vec<Error> {
    let mut faults = Faults {
        graph,
        errors: Vec::new(),
    };
    structure::check(&mut faults);
    if faults.errors.is_empty() {
        // These read values by id.
        types::check(&mut faults);
        regions::check(&mut faults);
    }
    faults.errors
}

/// What was found so far.
struct Faults<'a> {
    graph: &'a Graph,
    errors: Vec<Error>,
}

impl Faults<'_> {
    #[cold]
    fn fault(&mut self, text: Arguments<'_>) {
        let text = format!("graph {}: {text}", self.graph.name);
        self.errors.push(Error::new(ErrorKind::Internal, text));
    }

    #[cold]
    fn fault_at(&mut self, id: NodeId, node: &Node, text: Arguments<'_>) {
        let op = node.op.name();
        self.fault(format_args!("node {id} {} ({op}): {text}", node.name));
    }
}
