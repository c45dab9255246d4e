//! What a plan is made of: blocks of steps over the slots of a frame.

use super::{Native, ParallelChains, UpdateKernel};
use ferrograph_graph::{Kernel, NodeId, ObjectKernel, OpRef, Places, ReduceCode, ScalarCode};
use ferrograph_tensor::{DType, Shape, TensorSpec};
use smallvec::SmallVec;

/// A slot of a frame.
pub(crate) type Slot = u32;

/// Steps in order, then what leaves the block.
#[derive(Default)]
pub(crate) struct Block {
    /// Tensors that only other ways than through this block still need.
    pub entry_drops: Box<[Slot]>,
    pub steps: Vec<Step>,
    /// What a loop records of an iteration, before the moves.
    pub records: Vec<Record>,
    /// Carried out one after the other.
    pub moves: Vec<Move>,
    /// What machine code can do of the steps.
    pub native: Option<Box<Native>>,
    /// Runs of steps, in order and outside of machine code, of which some may run at once.
    pub chains: Box<[ParallelChains]>,
}

/// One step of a plan.
pub(crate) struct Step {
    pub action: Action,
    /// Tensors that nothing needs after this step.
    pub drops: Box<[Slot]>,
    pub site: Site,
}

/// The node that a step runs, for errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Site {
    /// Which of the plan's graphs.
    pub graph: u32,
    pub node: NodeId,
}

/// What a step does.
pub(crate) enum Action {
    /// Computes on slots.
    Kernel(Bound<Kernel>),
    /// Reads an object, or changes it on its way to the slot `to`.
    Object {
        object: Taken,
        bound: Bound<ObjectKernel>,
        to: Slot,
    },
    /// Computes on slots, and on the variables that these slots refer to, which it may update in place.
    Update {
        variables: Box<[Slot]>,
        bound: Bound<UpdateKernel>,
    },
    /// Computes on tensors.
    Eval {
        op: OpRef,
        ins: Box<[Taken]>,
        outs: Box<[Slot]>,
    },
    /// Gives the input under another shape.
    Alias { from: Slot, shape: Shape, to: Slot },
    /// Runs one of two blocks.
    If(Box<Conditional>),
    /// Runs a block again and again.
    While(Box<Loop>),
}

/// A kernel with its slots.
pub(crate) struct Bound<K> {
    pub kernel: K,
    pub ins: Box<[Slot]>,
    pub outs: Box<[Slot]>,
    /// Outputs that become tensors of their own, to be allocated before the kernel runs.
    pub fresh: Box<[(Slot, DType, Shape)]>,
    /// What it computes for each element, where executors know that.
    pub code: Option<ScalarCode>,
    /// Of a movement, where its elements come from.
    pub places: Option<Box<Places>>,
    /// How it reduces the first input, where it does.
    pub reduced: Option<Box<Reduced>>,
    /// Of a product of matrices, whether it reads the left and the right one transposed.
    pub transposed: Option<[bool; 2]>,
    /// Whether it repeats the first input to the shape of the output.
    pub repeats: bool,
    /// Whether each row along the last axis of the output is made from the same row of the inputs, which have its shape.
    pub by_rows: bool,
    /// What a fused step does; none for others.
    pub fused: Option<Box<Fused>>,
}

/// A reduction.
pub(crate) struct Reduced {
    pub code: ReduceCode,
    /// Of each axis of the first input, whether it is reduced.
    pub axes: SmallVec<[bool; 6]>,
}

/// What a fused step does.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fused {
    pub operations: Box<[&'static str]>,
    /// The nodes of the operations.
    pub sites: Box<[Site]>,
    /// Rows that go through all of them, and how many at a time.
    pub rows: usize,
    pub tile: usize,
    /// The operations that vector code does, by their numbers, for each of its loops.
    pub vectors: Box<[Box<[usize]>]>,
    /// Bytes of what is read from memory, and of what is written there.
    pub bytes_read: usize,
    pub bytes_written: usize,
}

/// A slot read as a tensor; the last reader takes it out of the frame.
#[derive(Clone, Copy)]
pub(crate) struct Taken {
    pub slot: Slot,
    pub last: bool,
}

impl Taken {
    /// A read that leaves the tensor where it is.
    pub fn shared(slot: Slot) -> Taken {
        Taken { slot, last: false }
    }
}

/// A value that a loop records in each iteration.
pub(crate) struct Record {
    pub from: Taken,
    /// Where it is small, dense and of static shape: then it is read in place.
    pub small: Option<Shape>,
}

/// A value moved to another slot.
pub(crate) enum Move {
    /// The bytes of a small dense value into its place in the slab.
    Bytes { from: Slot, to: Slot, len: u32 },
    /// A tensor.
    Tensor { from: Taken, to: Slot },
}

/// A branch: each block moves its results to common slots.
pub(crate) struct Conditional {
    pub condition: Slot,
    pub then_block: Block,
    pub else_block: Block,
}

/// A loop: its variables have slots of their own, which the body's moves write.
pub(crate) struct Loop {
    /// The first values of the variables.
    pub entry: Vec<Move>,
    pub cond_block: Block,
    pub condition: Slot,
    pub body: Block,
    /// Tensors that only the loop needed.
    pub exit_drops: Box<[Slot]>,
    /// The types of what the body records, and the slots of the count of iterations and of the lists.
    pub recorded: Option<(Vec<TensorSpec>, Box<[Slot]>)>,
}
