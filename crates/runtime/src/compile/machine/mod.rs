//! Which runs of steps machine code can do, as programs: kernels over at most [`MOST`] dense elements, branches and
//! loops of these, assertions, and the records of such loops. A kernel that neither is a function of scalars nor moves
//! elements to places known now is called as it is, and may read what is larger.
//! What is not eligible stays a step; for a loop the reason is kept.

mod codegen_eligibility;
mod functions;
mod moved;
mod product;
mod write;

use super::lower::Program;
use super::reads::count_reads;
use crate::plan::{Action, Block, Native, Step};
use codegen_eligibility::{Worth, eligible};
use ferrograph_tensor::Tensor;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::ops::Range;
use write::Writer;

pub(super) use functions::{Scalar, scalar, spelled_function};

/// Elements of a value that lives in registers, at most.
const MOST: usize = 16;

/// Instructions of one part, at most: compiling them takes some milliseconds.
const LARGEST: usize = 4000;

/// Steps without a loop that are worth machine code, at least.
const FEWEST: usize = 8;

/// The tensors of constant slots.
type Constants<'a> = HashMap<u32, &'a Tensor, FixedState>;

/// Finds the parts of all blocks.
pub(super) fn find_parts(program: &mut Program) {
    let reads = count_reads(program);
    let mut body = std::mem::take(&mut program.block);
    let finder = Finder {
        program,
        constants: program.constants.iter().map(|(s, t)| (*s, t)).collect(),
        reads,
    };
    finder.block(&mut body);
    drop(finder);
    program.block = body;
}

struct Finder<'a> {
    program: &'a Program,
    constants: Constants<'a>,
    /// How often each slot is read.
    reads: Vec<u32>,
}

impl Finder<'_> {
    fn block(&self, block: &mut Block) {
        let mut native = Native::default();
        let (mut begin, mut worth) = (0, Worth::default());
        for at in 0..block.steps.len() {
            match eligible(&self.program.slots, &block.steps[at]) {
                Ok(step) if worth.size + step.size <= LARGEST => worth.add(step),
                answer => {
                    self.part(&block.steps, begin..at, worth, &mut native);
                    (begin, worth) = (at, Worth::default());
                    match answer {
                        Ok(step) if step.size <= LARGEST => worth.add(step),
                        Ok(_) => self.refused(block, at, "it is too long", &mut native),
                        Err(why) => self.refused(block, at, &why, &mut native),
                    }
                    if worth.size == 0 {
                        begin = at + 1;
                    }
                }
            }
        }
        self.part(&block.steps, begin..block.steps.len(), worth, &mut native);
        if !native.parts.is_empty() || !native.refused.is_empty() {
            block.native = Some(Box::new(native));
        }
    }

    /// Looks for parts inside a step that is none.
    fn refused(&self, block: &mut Block, at: usize, why: &str, native: &mut Native) {
        match &mut block.steps[at].action {
            Action::If(branch) => {
                self.block(&mut branch.then_block);
                self.block(&mut branch.else_block);
            }
            Action::While(repeat) => {
                native.refused.push((at, why.to_owned()));
                self.block(&mut repeat.cond_block);
                self.block(&mut repeat.body);
            }
            _ => {}
        }
    }

    fn part(&self, steps: &[Step], range: Range<usize>, worth: Worth, native: &mut Native) {
        if worth.computes < worth.calls {
            let loops = range.filter(|&at| matches!(steps[at].action, Action::While(_)));
            let why = || "most of its steps call kernels".to_owned();
            native.refused.extend(loops.map(|at| (at, why())));
        } else if worth.loops || range.len() >= FEWEST {
            let writer = Writer::new(self.program, &self.constants);
            let part = writer.part(steps, range, &self.reads, worth.loops);
            native.parts.push(part);
        }
    }
}
