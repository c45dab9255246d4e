//! Sets of slots.

use super::Slot;

/// A set of the slots of one plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlotSet(Vec<u64>);

impl SlotSet {
    /// None of `n` slots.
    pub fn new(n: usize) -> SlotSet {
        SlotSet(vec![0; n.div_ceil(64)])
    }

    pub fn has(&self, slot: Slot) -> bool {
        self.0[slot as usize / 64] >> (slot % 64) & 1 == 1
    }

    pub fn add(&mut self, slot: Slot) {
        self.0[slot as usize / 64] |= 1 << (slot % 64);
    }

    pub fn remove(&mut self, slot: Slot) {
        self.0[slot as usize / 64] &= !(1 << (slot % 64));
    }

    pub fn union(&mut self, other: &SlotSet) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }

    pub fn intersect(&mut self, other: &SlotSet) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= b;
        }
    }

    /// Those in here and not in the other.
    pub fn without(&self, other: &SlotSet) -> impl Iterator<Item = Slot> {
        let words = self.0.iter().zip(&other.0).map(|(a, b)| a & !b);
        words.enumerate().flat_map(|(i, word)| {
            (0..64u32)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| i as u32 * 64 + bit)
        })
    }
}
