//! Steps that run at once do not get in each other's way.

use super::Faults;
use crate::plan::{Action, Block, ParallelChains, Slot, Step};
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
    /// The bytes of the slab that slots are in.
    ranges: Vec<Option<Range<usize>>>,
}

/// When a step of a run comes: reads first, then the chains at once, then what is late.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    First,
    Chain(usize),
    Last,
}

impl Checker<'_, '_> {
    fn block(&mut self, block: &Block) {
        for chains in &block.chains {
            self.chains(chains, &block.steps);
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

    fn chains(&mut self, chains: &ParallelChains, steps: &[Step]) {
        let mut phases: Vec<(usize, Phase)> = Vec::new();
        phases.extend(chains.early.iter().map(|&at| (at, Phase::First)));
        for (i, chain) in chains.chains.iter().enumerate() {
            phases.extend(chain.iter().map(|&at| (at, Phase::Chain(i))));
            let rising = chain.is_sorted_by(|a, b| a < b);
            self.faults
                .expect(rising, format_args!("parallel chain {i} is out of order"));
        }
        phases.extend(chains.late.iter().map(|&at| (at, Phase::Last)));
        phases.sort_by_key(|(at, _)| *at);
        let places: Vec<usize> = phases.iter().map(|(at, _)| *at).collect();
        if places != chains.steps.clone().collect::<Vec<_>>() || chains.steps.end > steps.len() {
            let run = &chains.steps;
            self.faults.fault(format_args!(
                "the parallel chains of steps {run:?} have {places:?}"
            ));
            return;
        }
        for (i, &(at, phase)) in phases.iter().enumerate() {
            self.faults.at = Some(steps[at].site);
            if matches!(phase, Phase::Chain(_)) && !matches!(steps[at].action, Action::Kernel(_)) {
                self.faults.fault(format_args!(
                    "a parallel chain has a step that is no kernel"
                ));
            }
            for &(before, earlier) in &phases[..i] {
                self.pair((&steps[before], earlier), (&steps[at], phase));
            }
        }
    }

    /// Two steps in program order, of which the second may run beside the first or before it.
    fn pair(&mut self, (a, first): (&Step, Phase), (b, second): (&Step, Phase)) {
        let in_order = match (first, second) {
            (Phase::First, _) | (_, Phase::Last) => true,
            (Phase::Chain(a), Phase::Chain(b)) => a == b,
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

/// What a step in a run of chains reads and writes.
fn operands(step: &Step) -> (Vec<Slot>, Vec<Slot>) {
    match &step.action {
        Action::Kernel(bound) => (bound.ins.to_vec(), bound.outs.to_vec()),
        Action::Eval { ins, outs, .. } => {
            (ins.iter().map(|taken| taken.slot).collect(), outs.to_vec())
        }
        _ => (Vec::new(), Vec::new()),
    }
}
