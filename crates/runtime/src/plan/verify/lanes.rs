//! Steps that run at once do not get in each other's way.

use super::Faults;
use crate::plan::{Action, Block, Lanes, Slot, Step};
use std::ops::Range;

pub(super) fn check(faults: &mut Faults<'_>) {
    let plan = faults.plan;
    let mut ranges = vec![None; plan.types.len()];
    for &(slot, start) in &plan.in_slab {
        let t = plan.types[slot as usize];
        let bytes = start..start + t.len * t.dtype.size();
        ranges[slot as usize] = (!bytes.is_empty()).then_some(bytes);
    }
    let mut checker = Checker { faults, ranges };
    checker.block(&plan.block);
}

struct Checker<'a, 'b> {
    faults: &'a mut Faults<'b>,
    /// The bytes of the slab that slots lie in.
    ranges: Vec<Option<Range<usize>>>,
}

/// When a step of a run takes its turn: reads first, then the lanes at once, then what is late.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    First,
    Lane(usize),
    Last,
}

impl Checker<'_, '_> {
    fn block(&mut self, block: &Block) {
        for lanes in &block.lanes {
            self.lanes(lanes, &block.steps);
        }
        for step in &block.steps {
            match &step.action {
                Action::If(branch) => {
                    self.block(&branch.then_block);
                    self.block(&branch.else_block);
                }
                Action::While(repeat) => {
                    self.block(&repeat.cond_block);
                    self.block(&repeat.body);
                }
                _ => {}
            }
        }
    }

    fn lanes(&mut self, lanes: &Lanes, steps: &[Step]) {
        let mut turns: Vec<(usize, Turn)> = Vec::new();
        turns.extend(lanes.early.iter().map(|&at| (at, Turn::First)));
        for (i, lane) in lanes.lanes.iter().enumerate() {
            turns.extend(lane.iter().map(|&at| (at, Turn::Lane(i))));
            let rising = lane.is_sorted_by(|a, b| a < b);
            self.faults
                .expect(rising, format_args!("lane {i} is out of order"));
        }
        turns.extend(lanes.late.iter().map(|&at| (at, Turn::Last)));
        turns.sort_by_key(|(at, _)| *at);
        let places: Vec<usize> = turns.iter().map(|(at, _)| *at).collect();
        if places != lanes.steps.clone().collect::<Vec<_>>() || lanes.steps.end > steps.len() {
            let run = &lanes.steps;
            self.faults
                .fault(format_args!("the lanes of steps {run:?} hold {places:?}"));
            return;
        }
        for (i, &(at, turn)) in turns.iter().enumerate() {
            self.faults.at = Some(steps[at].site);
            if matches!(turn, Turn::Lane(_)) && !matches!(steps[at].action, Action::Kernel(_)) {
                self.faults
                    .fault(format_args!("what is no kernel is in a lane"));
            }
            for &(before, earlier) in &turns[..i] {
                self.pair((&steps[before], earlier), (&steps[at], turn));
            }
        }
    }

    /// Two steps in program order, of which the second may run beside the first or before it.
    fn pair(&mut self, (a, first): (&Step, Turn), (b, second): (&Step, Turn)) {
        let in_order = match (first, second) {
            (Turn::First, _) | (_, Turn::Last) => true,
            (Turn::Lane(a), Turn::Lane(b)) => a == b,
            _ => false,
        };
        if in_order {
            return;
        }
        let ((a_reads, a_writes), (b_reads, b_writes)) = (operands(a), operands(b));
        let met = self
            .meet(&a_writes, &b_reads)
            .or_else(|| self.meet(&a_writes, &b_writes))
            .or_else(|| self.meet(&a_reads, &b_writes));
        if let Some((one, other)) = met {
            self.faults
                .fault(format_args!("s{one} and s{other} are touched out of order"));
        }
    }

    /// Two slots that are one, or share bytes.
    fn meet(&self, a: &[Slot], b: &[Slot]) -> Option<(Slot, Slot)> {
        let range = |slot: Slot| self.ranges[slot as usize].as_ref();
        let share = |a: Slot, b: Slot| match (range(a), range(b)) {
            _ if a == b => true,
            (Some(a), Some(b)) => a.start < b.end && b.start < a.end,
            _ => false,
        };
        let pairs = a
            .iter()
            .flat_map(|&one| b.iter().map(move |&other| (one, other)));
        pairs.into_iter().find(|&(one, other)| share(one, other))
    }
}

/// What a step in a run of lanes reads and writes.
fn operands(step: &Step) -> (Vec<Slot>, Vec<Slot>) {
    match &step.action {
        Action::Kernel(bound) => (bound.ins.to_vec(), bound.outs.to_vec()),
        Action::Eval { ins, outs, .. } => {
            (ins.iter().map(|taken| taken.slot).collect(), outs.to_vec())
        }
        _ => (Vec::new(), Vec::new()),
    }
}
