//! Codegen eligibility: which steps can be machine code, and whether that is faster.

use super::MOST;
use super::functions::{Scalar, raw_type, scalar};
use super::moved::{indexed, moved};
use super::product::product;
use crate::compile::lower::SlotInfo;
use crate::plan::{Action, Block, Bound, Loop, Move, Slot, Step, Taken};
use ferrograph_graph::Kernel;
use ferrograph_ops::is_assertion;
use ferrograph_tensor::Shape;

/// What a run of steps is made of.
#[derive(Clone, Copy, Default)]
pub(super) struct Worth {
    /// Instructions, roughly.
    pub size: usize,
    /// Steps that are instructions.
    pub computes: usize,
    /// Steps that call their kernels.
    pub calls: usize,
    /// Whether there is a loop.
    pub loops: bool,
}

impl Worth {
    pub fn add(&mut self, other: Worth) {
        self.size += other.size;
        self.computes += other.computes;
        self.calls += other.calls;
        self.loops |= other.loops;
    }
}

/// How many elements a value has that fits registers.
///
/// # Errors
/// Why it does not.
pub(super) fn length(slots: &[SlotInfo], slot: Slot) -> Result<usize, String> {
    let info = &slots[slot as usize];
    if raw_type(info.dtype).is_none() {
        return Err(format!("a value is of {}", info.dtype));
    }
    match info.shape.as_ref().map(Shape::n_elements) {
        None => Err("the shape of a value is not known".to_owned()),
        Some(n) if n == 0 || n > MOST => Err(format!("a value has {n} elements")),
        Some(n) => Ok(n),
    }
}

/// What a step is made of.
///
/// # Errors
/// Why it stays a step.
pub(super) fn eligible(slots: &[SlotInfo], step: &Step) -> Result<Worth, String> {
    match &step.action {
        Action::Kernel(bound) => kernel(slots, bound),
        Action::Alias { from, to, .. } => {
            length(slots, *from)?;
            length(slots, *to).map(|size| Worth {
                size,
                ..Worth::default()
            })
        }
        Action::If(branch) => {
            length(slots, branch.condition)?;
            let mut worth = block(slots, &branch.then_block)?;
            worth.add(block(slots, &branch.else_block)?);
            worth.size += 1;
            Ok(worth)
        }
        Action::While(repeat) => whole_loop(slots, repeat),
        Action::Eval { op, ins, .. } if is_assertion(op.as_ref()) => assertion(slots, ins),
        Action::Eval { op, .. } => Err(format!("{} computes on tensors", op.name())),
        Action::Update { .. } => Err("variables are updated in place".to_owned()),
        Action::Object { bound, .. } => Ok(call(slots, bound)),
    }
}

/// What a kernel computes for each element, where registers hold all of them.
pub(super) fn computed(slots: &[SlotInfo], bound: &Bound<Kernel>) -> Option<Scalar> {
    let mut operands = bound.ins.iter().chain(&bound.outs);
    let held = operands.all(|&slot| length(slots, slot).is_ok());
    scalar(slots, bound).filter(|_| held)
}

/// A look at a condition; the operation runs where it does not hold.
fn assertion(slots: &[SlotInfo], ins: &[Taken]) -> Result<Worth, String> {
    let is_held = |taken: &&Taken| length(slots, taken.slot).is_ok();
    if ins.iter().any(|taken| taken.last && !is_held(&taken)) {
        return Err("what an assertion says is handed to it".to_owned());
    }
    match ins.first().map(|condition| length(slots, condition.slot)) {
        Some(Ok(1)) => Ok(Worth {
            size: 1 + ins.iter().filter(is_held).count(),
            computes: 1,
            ..Worth::default()
        }),
        _ => Err("an assertion has no condition of one element".to_owned()),
    }
}

fn kernel(slots: &[SlotInfo], bound: &Bound<Kernel>) -> Result<Worth, String> {
    if let Some(product) = product(slots, bound) {
        return Ok(Worth {
            size: product.size(),
            computes: 1,
            ..Worth::default()
        });
    }
    let is_known = computed(slots, bound).is_some()
        || moved(slots, bound).is_some()
        || indexed(slots, bound).is_some();
    if !is_known {
        return Ok(call(slots, bound));
    }
    let sizes = bound.outs.iter().map(|&slot| length(slots, slot));
    Ok(Worth {
        size: sizes.sum::<Result<usize, String>>()?,
        computes: 1,
        ..Worth::default()
    })
}

/// A kernel that is called: what is larger than registers is in memory.
fn call<K>(slots: &[SlotInfo], bound: &Bound<K>) -> Worth {
    let operands = bound.ins.iter().chain(&bound.outs);
    let sizes = operands.map(|&slot| length(slots, slot).unwrap_or(1));
    Worth {
        size: sizes.sum(),
        calls: 1,
        ..Worth::default()
    }
}

fn whole_loop(slots: &[SlotInfo], repeat: &Loop) -> Result<Worth, String> {
    length(slots, repeat.condition)?;
    moves(slots, &repeat.entry)?;
    let mut worth = block(slots, &repeat.cond_block)?;
    worth.add(block(slots, &repeat.body)?);
    worth.loops = true;
    worth.size += 4;
    Ok(worth)
}

fn block(slots: &[SlotInfo], block: &Block) -> Result<Worth, String> {
    let mut worth = Worth::default();
    for step in &block.steps {
        worth.add(eligible(slots, step)?);
    }
    for record in &block.records {
        let size = length(slots, record.from.slot);
        if size.is_ok() != record.small.is_some() {
            return Err("a value of middling size is recorded".to_owned());
        }
        worth.size += size.unwrap_or(0);
    }
    worth.add(moves(slots, &block.moves)?);
    Ok(worth)
}

fn moves(slots: &[SlotInfo], moves: &[Move]) -> Result<Worth, String> {
    let mut worth = Worth::default();
    for step in moves {
        match step {
            Move::Bytes { from, to, .. } => {
                worth.size += length(slots, *from)?;
                length(slots, *to)?;
            }
            Move::Tensor { from, to } => {
                if length(slots, from.slot).is_ok() || length(slots, *to).is_ok() {
                    return Err("a small tensor is handed on".to_owned());
                }
                worth.calls += 1;
                worth.size += 1;
            }
        }
    }
    Ok(worth)
}
