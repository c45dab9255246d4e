//! When tensors and places in the slab are alive: what each step may drop or take, and which places may be shared.

use super::layout::Lifetime;
use super::lower::{Lowering, Storage};
use crate::plan::{Action, Block, Loop, Move, Slot, Step, Taken};
use ferrograph_graph::ObjectKernel;

/// A set of slots.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Slots(Vec<u64>);

impl Slots {
    pub fn new(n: usize) -> Slots {
        Slots(vec![0; n.div_ceil(64)])
    }

    pub fn has(&self, slot: Slot) -> bool {
        self.0[slot as usize / 64] >> (slot % 64) & 1 == 1
    }

    pub fn add(&mut self, slot: Slot) {
        self.0[slot as usize / 64] |= 1 << (slot % 64);
    }

    fn remove(&mut self, slot: Slot) {
        self.0[slot as usize / 64] &= !(1 << (slot % 64));
    }

    fn union(&mut self, other: &Slots) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }

    /// Those in here and not in the other.
    fn without(&self, other: &Slots) -> impl Iterator<Item = Slot> {
        let words = self.0.iter().zip(&other.0).map(|(a, b)| a & !b);
        words.enumerate().flat_map(|(i, word)| {
            (0..64u32)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| i as u32 * 64 + bit)
        })
    }
}

/// Says at each step which tensors it is the last to need.
pub(super) struct TensorLiveness<'a> {
    pub lowering: &'a Lowering,
}

impl TensorLiveness<'_> {
    fn is_boxed(&self, slot: Slot) -> bool {
        self.lowering.slots[slot as usize].storage == Storage::Boxed
    }

    fn dying(&self, candidates: &[Slot], live: &Slots) -> Box<[Slot]> {
        let mut dying: Vec<Slot> = Vec::new();
        for &slot in candidates {
            if self.is_boxed(slot) && !live.has(slot) && !dying.contains(&slot) {
                dying.push(slot);
            }
        }
        dying.into()
    }

    fn between(&self, before: &Slots, after: &Slots) -> Box<[Slot]> {
        before
            .without(after)
            .filter(|&s| self.is_boxed(s))
            .collect()
    }

    /// Annotates a block, given what is live after it; returns what is live before it.
    pub fn block(&self, block: &mut Block, after: &Slots) -> Slots {
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

    fn take(&self, taken: &mut Taken, live: &mut Slots) {
        taken.last = self.is_boxed(taken.slot) && !live.has(taken.slot);
        live.add(taken.slot);
    }

    fn moves(&self, moves: &mut [Move], live: &mut Slots) {
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

    fn step(&self, step: &mut Step, live: &mut Slots) {
        let ends = |ins: &[Slot], outs: &[Slot], live: &mut Slots| {
            let drops = self.dying(&[ins, outs].concat(), live);
            outs.iter().for_each(|&slot| live.remove(slot));
            ins.iter().for_each(|&slot| live.add(slot));
            drops
        };
        match &mut step.action {
            Action::Kernel(bound) => step.drops = ends(&bound.ins, &bound.outs, live),
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
                step.drops = self.dying(&[branch.condition], live);
                let then_live = self.block(&mut branch.then_block, live);
                let else_live = self.block(&mut branch.else_block, live);
                *live = then_live.clone();
                live.union(&else_live);
                branch.then_block.entry_drops = self.between(live, &then_live);
                branch.else_block.entry_drops = self.between(live, &else_live);
                live.add(branch.condition);
            }
            Action::While(repeat) => self.repeat(repeat, live),
        }
    }

    fn repeat(&self, repeat: &mut Loop, live: &mut Slots) {
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

/// The lifetimes of slots in the slab, as steps in program order; a loop keeps what enters it to its end.
#[derive(Default)]
pub(super) struct SlabLiveness {
    first: Vec<Option<usize>>,
    last: Vec<usize>,
    now: usize,
    /// For each loop around, what was touched in it.
    touched: Vec<Vec<Slot>>,
}

impl SlabLiveness {
    pub fn of(lowering: &Lowering, block: &Block, outputs: &[Slot]) -> Vec<(Slot, Lifetime)> {
        let n = lowering.slots.len();
        let mut all = SlabLiveness {
            first: vec![None; n],
            last: vec![0; n],
            ..SlabLiveness::default()
        };
        all.block(block);
        all.now += 1;
        outputs.iter().for_each(|&slot| all.touch(slot));
        let mut lives = Vec::new();
        for (slot, info) in (0..).zip(&lowering.slots) {
            if matches!(info.storage, Storage::Slab | Storage::Pinned)
                && let (Some(start), Some(bytes)) = (all.first[slot as usize], info.bytes())
            {
                let end = all.last[slot as usize];
                lives.push((slot, Lifetime { start, end, bytes }));
            }
        }
        lives
    }

    fn touch(&mut self, slot: Slot) {
        let i = slot as usize;
        self.first[i].get_or_insert(self.now);
        self.last[i] = self.last[i].max(self.now);
        if let Some(touched) = self.touched.last_mut() {
            touched.push(slot);
        }
    }

    fn moves(&mut self, moves: &[Move]) {
        for step in moves {
            self.now += 1;
            let (from, to) = match step {
                Move::Bytes { from, to, .. } => (*from, *to),
                Move::Tensor { from, to } => (from.slot, *to),
            };
            self.touch(from);
            self.touch(to);
        }
    }

    fn block(&mut self, block: &Block) {
        for step in &block.steps {
            self.now += 1;
            match &step.action {
                Action::Kernel(bound) => {
                    let operands = bound.ins.iter().chain(&bound.outs);
                    operands.for_each(|&slot| self.touch(slot));
                }
                Action::Object { bound, .. } => {
                    let operands = bound.ins.iter().chain(&bound.outs);
                    operands.for_each(|&slot| self.touch(slot));
                }
                Action::Eval { ins, .. } => ins.iter().for_each(|taken| self.touch(taken.slot)),
                Action::Alias { from, .. } => self.touch(*from),
                Action::If(branch) => {
                    self.touch(branch.condition);
                    self.block(&branch.then_block);
                    self.block(&branch.else_block);
                }
                Action::While(repeat) => self.repeat(repeat),
            }
        }
        self.now += 1;
        for record in &block.records {
            self.touch(record.from.slot);
        }
        self.moves(&block.moves);
    }

    fn repeat(&mut self, repeat: &Loop) {
        self.moves(&repeat.entry);
        self.now += 1;
        let start = self.now;
        self.touched.push(Vec::new());
        self.block(&repeat.cond_block);
        self.touch(repeat.condition);
        self.block(&repeat.body);
        self.now += 1;
        for slot in self.touched.pop().unwrap_or_default() {
            if self.first[slot as usize].is_some_and(|first| first < start) {
                self.touch(slot);
            } else if let Some(outer) = self.touched.last_mut() {
                outer.push(slot);
            }
        }
    }
}
