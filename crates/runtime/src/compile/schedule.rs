//! The fourth stage, liveness: steps stay in program order; each says which tensors it is the last to need, so that
//! they are dropped, or given to the reader for an in-place update.

use super::lower::{Program, SlotInfo, Storage};
use crate::plan::{Action, Block, Loop, Move, Slot, SlotSet, Step, Taken};
use ferrograph_graph::ObjectKernel;

/// Says at each step what it drops, and of each read whether it is the last.
pub(super) fn schedule(program: &mut Program) {
    let mut after = SlotSet::new(program.slots.len());
    program.outputs.iter().for_each(|&slot| after.add(slot));
    let tensors = TensorLiveness {
        slots: &program.slots,
    };
    tensors.block(&mut program.block, &after);
}

/// Goes through blocks backwards with what is needed behind each step.
struct TensorLiveness<'a> {
    slots: &'a [SlotInfo],
}

impl TensorLiveness<'_> {
    fn is_boxed(&self, slot: Slot) -> bool {
        self.slots[slot as usize].storage == Storage::Boxed
    }

    fn dying(&self, candidates: &[Slot], live: &SlotSet) -> Box<[Slot]> {
        let mut dying: Vec<Slot> = Vec::new();
        for &slot in candidates {
            if self.is_boxed(slot) && !live.has(slot) && !dying.contains(&slot) {
                dying.push(slot);
            }
        }
        dying.into()
    }

    fn between(&self, before: &SlotSet, after: &SlotSet) -> Box<[Slot]> {
        before
            .without(after)
            .filter(|&s| self.is_boxed(s))
            .collect()
    }

    /// Annotates a block, given what is live after it; returns what is live before it.
    fn block(&self, block: &mut Block, after: &SlotSet) -> SlotSet {
        let mut live = after.clone();
        self.moves(&mut block.moves, &mut live);
        for record in block.records.iter_mut().rev() {
            match record.small {
                Some(_) => live.add(record.from.slot),
                None => self.take(&mut record.from, &mut live),
            }
        }
        for step in block.steps.iter_mut().rev() {
            self.step(step, &mut live);
        }
        live
    }

    fn take(&self, taken: &mut Taken, live: &mut SlotSet) {
        taken.last = self.is_boxed(taken.slot) && !live.has(taken.slot);
        live.add(taken.slot);
    }

    fn moves(&self, moves: &mut [Move], live: &mut SlotSet) {
        for step in moves.iter_mut().rev() {
            match step {
                Move::Bytes { from, to, .. } => {
                    live.remove(*to);
                    live.add(*from);
                }
                Move::Tensor { from, to } => {
                    live.remove(*to);
                    self.take(from, live);
                }
            }
        }
    }

    fn step(&self, step: &mut Step, live: &mut SlotSet) {
        let ends = |ins: &[Slot], outs: &[Slot], live: &mut SlotSet| {
            let drops = self.dying(&[ins, outs].concat(), live);
            outs.iter().for_each(|&slot| live.remove(slot));
            ins.iter().for_each(|&slot| live.add(slot));
            drops
        };
        match &mut step.action {
            Action::Kernel(bound) => step.drops = ends(&bound.ins, &bound.outs, live),
            Action::Update { variables, bound } => {
                let ins = [&bound.ins[..], variables].concat();
                step.drops = ends(&ins, &bound.outs, live);
            }
            Action::Object { object, bound, to } => match bound.kernel {
                ObjectKernel::Changes(_) => {
                    let outs = [&bound.outs[..], &[*to]].concat();
                    step.drops = ends(&bound.ins, &outs, live);
                    self.take(object, live);
                }
                ObjectKernel::Reads(_) => {
                    let ins = [&bound.ins[..], &[object.slot]].concat();
                    step.drops = ends(&ins, &bound.outs, live);
                }
            },
            Action::Alias { from, to, .. } => step.drops = ends(&[*from], &[*to], live),
            Action::Eval { ins, outs, .. } => {
                step.drops = self.dying(outs, live);
                outs.iter().for_each(|&slot| live.remove(slot));
                for taken in ins.iter_mut().rev() {
                    self.take(taken, live);
                }
            }
            Action::If(branch) => {
                let dying = self.dying(&[branch.condition], live);
                let then_live = self.block(&mut branch.then_block, live);
                let else_live = self.block(&mut branch.else_block, live);
                *live = then_live.clone();
                live.union(&else_live);
                branch.then_block.entry_drops = self.between(live, &then_live);
                branch.else_block.entry_drops = self.between(live, &else_live);
                // A branch that takes the condition, too, drops it itself.
                let is_taken = live.has(branch.condition);
                step.drops = if is_taken { Box::default() } else { dying };
                live.add(branch.condition);
            }
            Action::While(repeat) => self.repeat(repeat, live),
        }
    }

    fn repeat(&self, repeat: &mut Loop, live: &mut SlotSet) {
        if let Some((_, slots)) = &repeat.recorded {
            slots.iter().for_each(|&slot| live.remove(slot));
        }
        let exit = live.clone();
        let mut head = exit.clone();
        loop {
            let body = self.block(&mut repeat.body, &head);
            let mut after_cond = exit.clone();
            after_cond.union(&body);
            repeat.exit_drops = self.between(&body, &exit);
            repeat.body.entry_drops = self.between(&exit, &body);
            after_cond.add(repeat.condition);
            let mut next = self.block(&mut repeat.cond_block, &after_cond);
            next.union(&head);
            if next == head {
                break;
            }
            head = next;
        }
        *live = head;
        self.moves(&mut repeat.entry, live);
    }
}
