//! Where the slots of a plan live.

use super::{Plan, Slot};
use std::fmt::{self, Display, Formatter};

/// Offsets in the slab are multiples of this.
pub(crate) const ALIGN: usize = 64;

/// Where the value of a slot lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// Nothing reads or writes it.
    Nowhere,
    /// A tensor that stays from run to run.
    Constant,
    /// A tensor of its own.
    Tensor,
    /// In the slab, from this byte on.
    Slab(usize),
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Place::Nowhere => f.write_str("unused"),
            Place::Constant => f.write_str("constant"),
            Place::Tensor => f.write_str("tensor"),
            Place::Slab(offset) => write!(f, "slab {offset}"),
        }
    }
}

/// The place of each slot, and the slots that have more than one, or that are none of the plan's.
pub(crate) fn places(plan: &Plan) -> (Vec<Place>, Vec<Slot>) {
    let mut places = vec![Place::Nowhere; plan.types.len()];
    let constants = plan.constants.iter().map(|(s, _)| (*s, Place::Constant));
    let tensors = plan.boxed.iter().map(|s| (*s, Place::Tensor));
    let in_slab = plan.in_slab.iter().map(|(s, at)| (*s, Place::Slab(*at)));
    let mut twice = Vec::new();
    for (slot, place) in constants.chain(tensors).chain(in_slab) {
        match places.get_mut(slot as usize) {
            Some(there @ Place::Nowhere) => *there = place,
            _ => twice.push(slot),
        }
    }
    (places, twice)
}
