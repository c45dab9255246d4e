//! The third stage: neighbouring elementwise steps over as many elements become one, which works tile by tile. What only
//! they read has no place in memory any more. Results have the bits that the steps give one by one.

use super::lower::{Program, SlotInfo};
use crate::plan::{Action, Block, Bound, Loop, Move, Slot, Step};
use ferrograph_graph::{Kernel, ScalarCode};
use ferrograph_ops::chain::{Joined, Operand, joined, joins};
use ferrograph_tensor::{DType, Shape};

/// Elements below which the values in between stay in the cache anyhow.
const FEW: usize = 4096;

/// Steps that one takes in, at most: their tiles have to fit the cache.
const MOST: usize = 48;

/// Joins the steps of all blocks.
pub(super) fn join(program: &mut Program) {
    let mut reads = Reads(vec![0; program.slots.len()]);
    reads.block(&program.block);
    program.outputs.iter().for_each(|&slot| reads.add(slot));
    block(&program.slots, &reads.0, &mut program.block);
}

/// How often each slot is read.
struct Reads(Vec<u32>);

impl Reads {
    fn add(&mut self, slot: Slot) {
        self.0[slot as usize] += 1;
    }

    fn moves(&mut self, moves: &[Move]) {
        for step in moves {
            match step {
                Move::Bytes { from, .. } => self.add(*from),
                Move::Tensor { from, .. } => self.add(from.slot),
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for step in &block.steps {
            match &step.action {
                Action::Kernel(bound) => bound.ins.iter().for_each(|&slot| self.add(slot)),
                Action::Object { object, bound, .. } => {
                    self.add(object.slot);
                    bound.ins.iter().for_each(|&slot| self.add(slot));
                }
                Action::Eval { ins, .. } => ins.iter().for_each(|taken| self.add(taken.slot)),
                Action::Alias { from, .. } => self.add(*from),
                Action::If(branch) => {
                    self.add(branch.condition);
                    self.block(&branch.then_block);
                    self.block(&branch.else_block);
                }
                Action::While(repeat) => self.repeat(repeat),
            }
        }
        block
            .records
            .iter()
            .for_each(|record| self.add(record.from.slot));
        self.moves(&block.moves);
    }

    fn repeat(&mut self, repeat: &Loop) {
        self.moves(&repeat.entry);
        self.block(&repeat.cond_block);
        self.add(repeat.condition);
        self.block(&repeat.body);
    }
}

/// What the steps of a group have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Common {
    dtype: DType,
    n: usize,
}

fn block(slots: &[SlotInfo], reads: &[u32], body: &mut Block) {
    let steps = std::mem::take(&mut body.steps);
    let mut group: Vec<Step> = Vec::new();
    let mut common = None;
    for mut step in steps {
        inner(slots, reads, &mut step);
        let of_step = commons(slots, &step);
        if of_step.is_none() || of_step != common || group.len() == MOST {
            close(reads, common, &mut group, &mut body.steps);
            common = of_step;
        }
        match of_step {
            Some(_) => group.push(step),
            None => body.steps.push(step),
        }
    }
    close(reads, common, &mut group, &mut body.steps);
}

fn inner(slots: &[SlotInfo], reads: &[u32], step: &mut Step) {
    match &mut step.action {
        Action::If(branch) => {
            block(slots, reads, &mut branch.then_block);
            block(slots, reads, &mut branch.else_block);
        }
        Action::While(repeat) => {
            block(slots, reads, &mut repeat.cond_block);
            block(slots, reads, &mut repeat.body);
        }
        _ => {}
    }
}

/// What a step must have in common with others to be joined with them; none where it cannot be.
fn commons(slots: &[SlotInfo], step: &Step) -> Option<Common> {
    let (bound, code) = mapped(step)?;
    let info = |slot: Slot| &slots[slot as usize];
    let size = |slot: Slot| info(slot).shape.as_ref().map(Shape::n_elements);
    let &[out] = &bound.outs[..] else { return None };
    let (dtype, n) = (info(out).dtype, size(out)?);
    let fits = |&slot: &Slot| {
        info(slot).dtype == dtype && matches!(size(slot), Some(m) if m == n || m == 1)
    };
    let joins = n >= FEW && joins(dtype, code) && bound.ins.iter().all(fits);
    joins.then_some(Common { dtype, n })
}

fn mapped(step: &Step) -> Option<(&Bound<Kernel>, ScalarCode)> {
    match &step.action {
        Action::Kernel(bound) => Some((bound, bound.code?)),
        _ => None,
    }
}

/// Ends a group: several steps become one.
fn close(reads: &[u32], common: Option<Common>, group: &mut Vec<Step>, steps: &mut Vec<Step>) {
    let whole = common.filter(|_| group.len() > 1);
    match whole.and_then(|common| one(reads, common.dtype, group)) {
        Some(step) => {
            group.clear();
            steps.push(step);
        }
        None => steps.append(group),
    }
}

/// The step that does what those of a group do, in the place of the last.
fn one(reads: &[u32], dtype: DType, group: &[Step]) -> Option<Step> {
    let mut made: Vec<Slot> = Vec::new();
    let mut ins: Vec<Slot> = Vec::new();
    let mut operations = Vec::new();
    let mut inside = vec![0; group.len()];
    for step in group {
        let (bound, code) = mapped(step)?;
        let mut operands = Vec::new();
        for &slot in &bound.ins {
            operands.push(match made.iter().position(|&m| m == slot) {
                Some(k) => {
                    inside[k] += 1;
                    Operand::Link(k)
                }
                None => Operand::Input(place_of(&mut ins, slot)),
            });
        }
        operations.push(Joined { code, operands });
        made.push(bound.outs[0]);
    }
    let outside = |&k: &usize| reads[made[k] as usize] > inside[k];
    let results: Vec<usize> = (0..made.len()).filter(outside).collect();
    let outs = results.iter().map(|&k| made[k]).collect();
    let kernel = joined(dtype, &operations, results)?;
    Some(Step {
        action: Action::Kernel(Bound {
            kernel,
            ins: ins.into(),
            outs,
            fresh: Box::default(),
            code: None,
            n_joined: group.len() as u32,
        }),
        drops: Box::default(),
        site: group.last()?.site,
    })
}

/// Where a slot stands among others; it is added where it is not there.
fn place_of(slots: &mut Vec<Slot>, slot: Slot) -> usize {
    slots.iter().position(|&s| s == slot).unwrap_or_else(|| {
        slots.push(slot);
        slots.len() - 1
    })
}
