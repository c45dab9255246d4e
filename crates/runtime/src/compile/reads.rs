//! Which slots steps read.

use super::lower::Program;
use crate::plan::{Action, Block, Loop, Move, Slot, Step};

/// How often each slot of a program is read.
pub(super) fn count_reads(program: &Program) -> Vec<u32> {
    let mut reads = vec![0; program.slots.len()];
    let mut add = |slot: Slot| reads[slot as usize] += 1;
    block(&program.block, &mut add);
    program.outputs.iter().for_each(|&slot| add(slot));
    reads
}

/// Calls `f` on each slot that a step reads, as often as it does, with those of the blocks in it.
pub(super) fn each_read(step: &Step, f: &mut dyn FnMut(Slot)) {
    match &step.action {
        Action::Kernel(bound) => bound.ins.iter().for_each(|&slot| f(slot)),
        Action::Object { object, bound, .. } => {
            f(object.slot);
            bound.ins.iter().for_each(|&slot| f(slot));
        }
        Action::Update { variables, bound } => {
            let ins = variables.iter().chain(&bound.ins);
            ins.for_each(|&slot| f(slot));
        }
        Action::Eval { ins, .. } => ins.iter().for_each(|taken| f(taken.slot)),
        Action::Alias { from, .. } => f(*from),
        Action::If(branch) => {
            f(branch.condition);
            block(&branch.then_block, f);
            block(&branch.else_block, f);
        }
        Action::While(repeat) => each_of_loop(repeat, f),
    }
}

fn block(block: &Block, f: &mut dyn FnMut(Slot)) {
    block.steps.iter().for_each(|step| each_read(step, f));
    block.records.iter().for_each(|record| f(record.from.slot));
    moves(&block.moves, f);
}

fn moves(moves: &[Move], f: &mut dyn FnMut(Slot)) {
    for step in moves {
        match step {
            Move::Bytes { from, .. } => f(*from),
            Move::Tensor { from, .. } => f(from.slot),
        }
    }
}

fn each_of_loop(repeat: &Loop, f: &mut dyn FnMut(Slot)) {
    moves(&repeat.entry, f);
    block(&repeat.cond_block, f);
    f(repeat.condition);
    block(&repeat.body, f);
}
