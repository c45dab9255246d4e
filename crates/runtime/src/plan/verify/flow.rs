//! Reads, writes and drops in the order of every run.

use super::Faults;
use crate::plan::slots::SlotSet;
use crate::plan::{Action, Block, Conditional, Loop, Move, Slot, Step, Taken};
use ferrograph_graph::ObjectKernel;

pub(super) fn check(faults: &mut Faults<'_>) {
    let plan = faults.plan;
    let n = plan.types.len();
    let mut constants = SlotSet::new(n);
    plan.constants.iter().for_each(|(s, _)| constants.add(*s));
    let mut full = constants.clone();
    plan.inputs.iter().for_each(|slot| full.add(*slot));
    let mut flow = Flow {
        faults,
        constants,
        full,
    };
    flow.block(&plan.block);
    flow.faults.at = None;
    for &slot in &plan.outputs {
        flow.read(slot);
    }
}

/// Goes through a plan as a run does. What holds on some paths only holds nothing.
struct Flow<'a, 'b> {
    faults: &'a mut Faults<'b>,
    constants: SlotSet,
    /// The slots that surely hold a value.
    full: SlotSet,
}

impl Flow<'_, '_> {
    fn read(&mut self, slot: Slot) {
        self.faults.expect(
            self.full.has(slot),
            format_args!("reads s{slot}, which does not hold a value on every path"),
        );
    }

    fn reads(&mut self, slots: &[Slot]) {
        slots.iter().for_each(|slot| self.read(*slot));
    }

    fn write(&mut self, slot: Slot) {
        self.faults.expect(
            !self.constants.has(slot),
            format_args!("writes the constant s{slot}"),
        );
        self.full.add(slot);
    }

    fn writes(&mut self, slots: &[Slot]) {
        slots.iter().for_each(|slot| self.write(*slot));
    }

    fn drops(&mut self, slots: &[Slot]) {
        for &slot in slots {
            self.faults.expect(
                self.full.has(slot),
                format_args!("drops s{slot}, which does not hold a value on every path"),
            );
            self.full.remove(slot);
        }
    }

    fn take(&mut self, taken: Taken) {
        self.read(taken.slot);
        if taken.last {
            self.full.remove(taken.slot);
        }
    }

    fn block(&mut self, block: &Block) {
        self.steps(block);
        self.moves(&block.moves);
    }

    fn steps(&mut self, block: &Block) {
        self.drops(&block.entry_drops);
        for step in &block.steps {
            self.faults.at = Some(step.site);
            self.step(step);
            self.faults.at = Some(step.site);
            self.drops(&step.drops);
        }
        for record in &block.records {
            self.take(record.from);
        }
    }

    fn moves(&mut self, moves: &[Move]) {
        for step in moves {
            match *step {
                Move::Bytes { from, to, .. } => {
                    self.read(from);
                    self.write(to);
                }
                Move::Tensor { from, to } => {
                    self.take(from);
                    self.write(to);
                }
            }
        }
    }

    fn step(&mut self, step: &Step) {
        match &step.action {
            Action::Kernel(bound) => {
                self.reads(&bound.ins);
                self.writes(&bound.outs);
            }
            Action::Object { object, bound, to } => {
                self.take(*object);
                if matches!(bound.kernel, ObjectKernel::Changes(_)) {
                    self.write(*to);
                }
                self.reads(&bound.ins);
                self.writes(&bound.outs);
            }
            Action::Update { variables, bound } => {
                self.reads(variables);
                self.reads(&bound.ins);
                self.writes(&bound.outs);
            }
            Action::Eval { ins, outs, .. } => {
                ins.iter().for_each(|taken| self.take(*taken));
                self.writes(outs);
            }
            Action::Alias { from, to, .. } => {
                self.read(*from);
                self.write(*to);
            }
            Action::If(branch) => self.branch(branch),
            Action::While(repeat) => self.repeat(repeat),
        }
    }

    fn branch(&mut self, branch: &Conditional) {
        self.read(branch.condition);
        let before = self.full.clone();
        self.block(&branch.then_block);
        let then_full = std::mem::replace(&mut self.full, before);
        self.block(&branch.else_block);
        self.full.intersect(&then_full);
    }

    /// A loop, entered with what holds a value at the head of every iteration.
    fn repeat(&mut self, repeat: &Loop) {
        self.moves(&repeat.entry);
        let n_errors = self.faults.errors.len();
        let at = self.faults.at;
        loop {
            let head = self.full.clone();
            self.block(&repeat.cond_block);
            self.faults.at = at;
            self.read(repeat.condition);
            let exit = self.full.clone();
            self.block(&repeat.body);
            self.faults.at = at;
            self.full.intersect(&head);
            if self.full == head {
                self.full = exit;
                break;
            }
            self.faults.errors.truncate(n_errors);
        }
        self.drops(&repeat.exit_drops);
        if let Some((_, slots)) = &repeat.recorded {
            self.writes(slots);
        }
    }
}
