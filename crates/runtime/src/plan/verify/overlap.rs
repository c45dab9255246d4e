//! Values in the slab that are alive together are apart.

use super::Faults;
use crate::plan::slots::SlotSet;
use crate::plan::{Action, Block, Conditional, Loop, Move, Slot, Step};
use std::collections::BTreeMap;

pub(super) fn check(faults: &mut Faults<'_>) {
    let plan = faults.plan;
    let mut ranges = vec![None; plan.types.len()];
    for &(slot, start) in &plan.in_slab {
        let t = plan.types[slot as usize];
        ranges[slot as usize] = Some((start, start + t.len * t.dtype.size()));
    }
    let mut live = Live {
        slots: SlotSet::new(plan.types.len()),
        by_start: BTreeMap::new(),
    };
    let mut overlap = Overlap { faults, ranges };
    for &slot in &plan.outputs {
        overlap.read(slot, &mut live);
    }
    overlap.block(&plan.block, &mut live);
}

/// The slots in the slab that are read later, by where they begin. They do not overlap.
#[derive(Clone)]
struct Live {
    slots: SlotSet,
    by_start: BTreeMap<usize, (usize, Slot)>,
}

/// Goes through a plan backwards.
struct Overlap<'a, 'b> {
    faults: &'a mut Faults<'b>,
    ranges: Vec<Option<(usize, usize)>>,
}

impl Overlap<'_, '_> {
    /// A slot is alive here; a fault where another one is in its place.
    fn read(&mut self, slot: Slot, live: &mut Live) {
        let Some((start, end)) = self.ranges[slot as usize] else {
            return;
        };
        if start == end || live.slots.has(slot) {
            return;
        }
        // Those alive do not overlap, so that only the last one to begin before the end can reach in.
        if let Some((_, &(other_end, other))) = live.by_start.range(..end).next_back()
            && other_end > start
        {
            self.faults.fault(format_args!(
                "s{slot} and s{other} are alive together and overlap"
            ));
            return;
        }
        live.slots.add(slot);
        live.by_start.insert(start, (end, slot));
    }

    fn reads(&mut self, slots: &[Slot], live: &mut Live) {
        slots.iter().for_each(|slot| self.read(*slot, live));
    }

    /// A slot is written here: what it held before is not alive.
    fn written(&self, slot: Slot, live: &mut Live) {
        if live.slots.has(slot)
            && let Some((start, _)) = self.ranges[slot as usize]
        {
            live.slots.remove(slot);
            live.by_start.remove(&start);
        }
    }

    /// A step whose operands are all touched at once.
    fn operands(&mut self, ins: &[Slot], outs: &[Slot], live: &mut Live) {
        self.reads(outs, live);
        for slot in outs.iter().filter(|slot| ins.contains(slot)) {
            self.faults
                .fault(format_args!("s{slot} is read and written at once"));
        }
        self.reads(ins, live);
        outs.iter().for_each(|slot| self.written(*slot, live));
    }

    fn block(&mut self, block: &Block, live: &mut Live) {
        self.moves(&block.moves, live);
        for record in &block.records {
            self.read(record.from.slot, live);
        }
        for step in block.steps.iter().rev() {
            self.faults.at = Some(step.site);
            self.step(step, live);
        }
    }

    fn moves(&mut self, moves: &[Move], live: &mut Live) {
        for step in moves.iter().rev() {
            match step {
                Move::Bytes { from, to, .. } => self.operands(&[*from], &[*to], live),
                Move::Tensor { from, .. } => self.read(from.slot, live),
            }
        }
    }

    fn step(&mut self, step: &Step, live: &mut Live) {
        match &step.action {
            Action::Kernel(bound) => self.operands(&bound.ins, &bound.outs, live),
            Action::Object { bound, .. } => self.operands(&bound.ins, &bound.outs, live),
            Action::Update { bound, .. } => self.operands(&bound.ins, &bound.outs, live),
            Action::Eval { ins, .. } => {
                for taken in ins {
                    self.read(taken.slot, live);
                }
            }
            Action::Alias { from, .. } => self.read(*from, live),
            Action::If(branch) => self.branch(branch, live),
            Action::While(repeat) => self.repeat(repeat, live),
        }
    }

    fn branch(&mut self, branch: &Conditional, live: &mut Live) {
        let mut else_live = live.clone();
        self.block(&branch.then_block, live);
        self.block(&branch.else_block, &mut else_live);
        self.union(&else_live, live);
        self.read(branch.condition, live);
    }

    fn union(&mut self, other: &Live, live: &mut Live) {
        for (_, slot) in other.by_start.values() {
            self.read(*slot, live);
        }
    }

    fn repeat(&mut self, repeat: &Loop, live: &mut Live) {
        let exit = live.clone();
        let n_errors = self.faults.errors.len();
        loop {
            let mut next = live.clone();
            self.block(&repeat.body, &mut next);
            self.union(&exit, &mut next);
            self.read(repeat.condition, &mut next);
            self.block(&repeat.cond_block, &mut next);
            self.union(live, &mut next);
            let stable = next.slots == live.slots;
            *live = next;
            if stable {
                break;
            }
            self.faults.errors.truncate(n_errors);
        }
        self.moves(&repeat.entry, live);
    }
}
