//! The last stage: which kernel outputs are tensors of their own, and where in the slab the other values lie. Bools
//! lie apart from what is no bool, so that a place which is used again always holds valid ones.

use super::layout::{Lifetime, assign};
use super::lower::{Program, SlotInfo, Storage};
use crate::plan::{Action, Block, Frames, Loop, Move, Plan, Slot, UNKNOWN_LEN};
use ferrograph_graph::SlotType;
use ferrograph_tensor::{DType, Result, Shape, err};
use std::sync::Arc;

/// A plan of scheduled steps.
///
/// # Errors
/// `Internal` where a kernel was bound to outputs of unknown shape.
pub(super) fn place(name: &Arc<str>, mut program: Program) -> Result<Plan> {
    allocate(&program.slots, &mut program.block)?;
    let (bools, others) = SlabLiveness::of(&program)
        .into_iter()
        .partition::<Vec<_>, _>(|(slot, _)| program.slots[*slot as usize].dtype == DType::Bool);
    let (mut in_slab, bool_bytes) = placed(&bools, 0);
    let (rest, slab_bytes) = placed(&others, bool_bytes);
    in_slab.extend(rest);
    program.constants.shrink_to_fit();
    program.graphs.shrink_to_fit();
    program.block.steps.shrink_to_fit();
    let infos = || (0..).zip(&program.slots);
    Ok(Plan {
        name: name.clone(),
        types: program.slots.iter().map(slot_type).collect(),
        in_slab,
        slab_shapes: infos()
            .filter(|(_, info)| info.storage == Storage::Pinned)
            .filter_map(|(slot, info)| Some((slot, info.shape.clone()?)))
            .collect(),
        boxed: infos()
            .filter(|(_, info)| info.storage == Storage::Boxed)
            .map(|(slot, _)| slot)
            .collect(),
        slab_bytes,
        bool_bytes,
        constants: program.constants,
        inputs: program.inputs,
        outputs: program.outputs,
        block: program.block,
        flops: program.flops,
        is_open: program.is_open,
        graphs: program.graphs,
        frames: Frames::new(),
    })
}

pub(super) fn slot_type(info: &SlotInfo) -> SlotType {
    SlotType {
        dtype: info.dtype,
        len: info.shape.as_ref().map_or(UNKNOWN_LEN, Shape::n_elements),
    }
}

/// Offsets from `base` on, and where the last of them ends.
fn placed(values: &[(Slot, Lifetime)], base: usize) -> (Vec<(Slot, usize)>, usize) {
    let lifetimes: Vec<Lifetime> = values.iter().map(|(_, life)| *life).collect();
    let (offsets, bytes) = assign(&lifetimes);
    let offsets = offsets
        .into_iter()
        .map(|offset| base.saturating_add(offset));
    let slots = values.iter().map(|(slot, _)| *slot);
    (slots.zip(offsets).collect(), base.saturating_add(bytes))
}

/// Says of each kernel which outputs are tensors of their own.
fn allocate(slots: &[SlotInfo], block: &mut Block) -> Result<()> {
    for step in &mut block.steps {
        match &mut step.action {
            Action::Kernel(bound) => bound.fresh = fresh(slots, &bound.outs)?,
            Action::Object { bound, .. } => bound.fresh = fresh(slots, &bound.outs)?,
            Action::Update { bound, .. } => bound.fresh = fresh(slots, &bound.outs)?,
            Action::If(branch) => {
                allocate(slots, &mut branch.then_block)?;
                allocate(slots, &mut branch.else_block)?;
            }
            Action::While(repeat) => {
                allocate(slots, &mut repeat.cond_block)?;
                allocate(slots, &mut repeat.body)?;
            }
            Action::Eval { .. } | Action::Alias { .. } => {}
        }
    }
    Ok(())
}

fn fresh(slots: &[SlotInfo], outs: &[Slot]) -> Result<Box<[(Slot, DType, Shape)]>> {
    let info = |slot: Slot| &slots[slot as usize];
    let boxed = outs
        .iter()
        .filter(|slot| info(**slot).storage == Storage::Boxed);
    let typed = boxed.map(|&slot| {
        let shape = info(slot).shape.clone();
        let shape = shape.ok_or_else(|| err!(Internal, "a bound output has no static shape"))?;
        Ok((slot, info(slot).dtype, shape))
    });
    typed.collect()
}

/// The lifetimes of slots in the slab, as steps in program order; a loop keeps what enters it to its end.
#[derive(Default)]
struct SlabLiveness {
    first: Vec<Option<usize>>,
    last: Vec<usize>,
    now: usize,
    /// For each loop around, what was touched in it.
    touched: Vec<Vec<Slot>>,
}

impl SlabLiveness {
    fn of(program: &Program) -> Vec<(Slot, Lifetime)> {
        let n = program.slots.len();
        let mut all = SlabLiveness {
            first: vec![None; n],
            last: vec![0; n],
            ..SlabLiveness::default()
        };
        all.block(&program.block);
        all.now += 1;
        program.outputs.iter().for_each(|&slot| all.touch(slot));
        let mut lives = Vec::new();
        for (slot, info) in (0..).zip(&program.slots) {
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
                Action::Update { bound, .. } => {
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
