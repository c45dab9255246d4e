//! Plans: graphs compiled for concrete input shapes, and running them.

mod atomic_slot;
mod frame;
mod native;
mod outline;
mod parallel_chains;
mod place;
mod plans;
mod print;
mod recorded;
mod repeated;
mod slots;
mod step;
mod tiled;
mod total;
mod traversal;
mod update;
mod vectors;
mod verify;

pub(crate) use atomic_slot::AtomicSlot;
pub(crate) use frame::{Frame, Frames};
pub(crate) use native::{ENTRY, HostCall, HostWork, Native, Part, Path};
pub use native::{Tier, set_warning};
pub use outline::{FusedOutline, NodeOutline, Outline, SlotOutline, StepOutline};
pub(crate) use parallel_chains::ParallelChains;
pub(crate) use place::ALIGN;
pub(crate) use plans::{LastPlan, PlanCache};
pub use plans::{PlanRunner, compile_unoptimised, plan_for};
pub(crate) use print::Listing;
pub(crate) use repeated::{Repeated, Rows, Together};
pub(crate) use slots::SlotSet;
pub(crate) use step::{
    Action, Block, Bound, Conditional, Fused, Loop, Move, Record, Reduced, Site, Slot, Step, Taken,
};
pub(crate) use tiled::{At, Binding, Member, Tiled, Work};
pub(crate) use total::{Extent, Total, block, total};
pub(crate) use traversal::{BroadcastIndex, Lines, Traversal};
pub(crate) use update::{Single, Source, Update, UpdateKernel};
pub(crate) use vectors::{Order, Run, Summed, Task, Vectors};
pub(crate) use verify::check_plan;
pub use verify::verify_plan;

use crate::profile;
use ferrograph_graph::{Graph, ObjectKernel, Operands, SlotType, Tensors};
use ferrograph_ops::{TensorList, Watch, empty_records, recorded_values};
use ferrograph_tensor::{Error, Result, Shape, Tensor, bail};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use smallvec::SmallVec;
use std::sync::{Arc, Weak};

/// A graph compiled for concrete input shapes: blocks of steps over slots, the regions of branches, loops and small
/// calls among them. The storage of a slot is a place in the slab, or a tensor of its own.
pub struct Plan {
    /// The graph, then those compiled into it. Weak, since graphs keep their plans; whoever runs a plan holds the graph.
    pub(crate) graphs: Vec<Weak<Graph>>,
    pub(crate) name: Arc<str>,
    pub(crate) types: Vec<SlotType>,
    pub(crate) in_slab: Vec<(Slot, usize)>,
    /// The shapes of slots in the slab that may be read as tensors.
    pub(crate) slab_shapes: HashMap<Slot, Shape, FixedState>,
    pub(crate) slab_bytes: usize,
    /// The head of the slab in which only bools are, so that each of its bytes is one.
    pub(crate) bool_bytes: usize,
    pub(crate) constants: Vec<(Slot, Tensor)>,
    pub(crate) inputs: Vec<Slot>,
    pub(crate) outputs: Vec<Slot>,
    pub(crate) block: Block,
    /// Slots that may hold tensors when the plan has run.
    pub(crate) boxed: Vec<Slot>,
    pub(crate) flops: f64,
    pub(crate) guessed_flops: f64,
    /// Whether there are steps whose cost is known at run time only.
    pub(crate) is_open: bool,
    pub(crate) frames: Frames,
}

/// Frames with slabs up to this size wait for the next call.
const KEPT_SLAB_LIMIT: usize = 1 << 20;

/// The length of slots whose number of elements is known at run time only.
pub(crate) const UNKNOWN_LEN: usize = usize::MAX;

impl Plan {
    /// A rough cost of one execution in floating-point operations.
    pub fn flops(&self) -> f64 {
        self.flops
    }

    /// The same with one iteration of each loop, where `flops` has a guess.
    pub fn flops_of_one_iteration(&self) -> f64 {
        self.flops - self.guessed_flops
    }

    /// Whether there are steps whose cost is known at run time only.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// How many steps there are outside branches and loops.
    pub fn n_steps(&self) -> usize {
        self.block.steps.len()
    }

    /// The bytes of the slab that intermediate values share.
    pub fn slab_bytes(&self) -> usize {
        self.slab_bytes
    }

    /// The outputs for these inputs, which must have the dtypes and shapes the plan was compiled for.
    pub fn execute(&self, inputs: impl IntoIterator<Item = Tensor>) -> Result<Tensors> {
        match profile::is_on() {
            false => self.call(inputs, false),
            true => self.in_recorded_call(|| self.call(inputs, true)),
        }
    }

    #[inline]
    fn call(&self, inputs: impl IntoIterator<Item = Tensor>, is_recorded: bool) -> Result<Tensors> {
        let mut frame = match self.frames.take() {
            Some(frame) => frame,
            None => Box::new(Frame::new(self)?),
        };
        frame.is_recorded = is_recorded;
        for (&slot, tensor) in self.inputs.iter().zip(inputs) {
            let expected = self.types[slot as usize];
            let fits = expected.len == UNKNOWN_LEN || tensor.n_elements() == expected.len;
            if tensor.dtype() != expected.dtype || !fits {
                bail!(
                    Internal,
                    "graph {} got {tensor:?} for an input of {expected:?}",
                    self.name
                );
            }
            frame.set(slot, tensor);
        }
        let result = self
            .run_block(&self.block, &mut frame)
            .and_then(|()| self.collect(&frame));
        self.recycle(frame);
        result
    }

    fn collect(&self, frame: &Frame) -> Result<Tensors> {
        self.outputs
            .iter()
            .map(|&slot| frame.tensor(self, slot))
            .collect()
    }

    /// Keeps a frame for the next call, without the tensors of this one.
    fn recycle(&self, mut frame: Box<Frame>) {
        if self.slab_bytes <= KEPT_SLAB_LIMIT {
            frame.drop_all(&self.boxed);
            self.frames.put(frame);
        }
    }

    #[inline]
    fn run_block(&self, block: &Block, frame: &mut Frame) -> Result<()> {
        self.run_steps(block, frame)?;
        frame.apply(self, &block.moves)
    }

    fn run_steps(&self, block: &Block, frame: &mut Frame) -> Result<()> {
        frame.drop_all(&block.entry_drops);
        match &block.native {
            None if block.chains.is_empty() => self.run_range(&block.steps, frame),
            None => self.run_span(block, 0..block.steps.len(), frame),
            Some(native) => self.run_parts(block, native, frame),
        }
    }

    #[inline]
    fn run_range(&self, steps: &[Step], frame: &mut Frame) -> Result<()> {
        if frame.is_recorded {
            return self.run_recorded(steps, frame);
        }
        for step in steps {
            if let Err(e) = self.run_step(&step.action, frame) {
                return Err(self.located(e, step.site));
            }
            frame.drop_all(&step.drops);
        }
        Ok(())
    }

    #[cold]
    fn located(&self, e: Error, site: Site) -> Error {
        match self.graphs[site.graph as usize].upgrade() {
            Some(graph) => {
                let node = graph.node(site.node);
                e.in_op(node.op.name()).at(node.origin.as_ref())
            }
            None => e,
        }
    }

    #[inline]
    fn run_step(&self, action: &Action, frame: &mut Frame) -> Result<()> {
        match action {
            Action::Kernel(bound) => {
                frame.allocate(&bound.fresh)?;
                (bound.kernel)(&mut self.operands(bound, &frame.pointers))
            }
            Action::Object { object, bound, to } => {
                frame.allocate(&bound.fresh)?;
                self.run_object(*object, bound, *to, frame)
            }
            Action::Update { variables, bound } => {
                frame.allocate(&bound.fresh)?;
                let handles = variables.iter().map(|&slot| frame.get(slot));
                let handles = handles.collect::<Result<SmallVec<[&Tensor; 4]>>>()?;
                (bound.kernel)(&handles, &mut self.operands(bound, &frame.pointers))
            }
            Action::Eval { op, ins, outs } => {
                let mut inputs = Tensors::new();
                for &from in ins {
                    inputs.push(frame.take(self, from)?);
                }
                let mut results = op.eval_owned(&PlanRunner, inputs)?;
                if results.len() != outs.len() {
                    bail!(
                        Internal,
                        "operation {} gave {} outputs, not {}",
                        op.name(),
                        results.len(),
                        outs.len()
                    );
                }
                for &slot in outs.iter().rev() {
                    if let Some(tensor) = results.pop() {
                        self.check_result(slot, &tensor)?;
                        frame.set(slot, tensor);
                    }
                }
                Ok(())
            }
            Action::Alias { from, shape, to } => {
                let tensor = frame.tensor(self, *from)?.reshaped(shape.clone())?;
                frame.set(*to, tensor);
                Ok(())
            }
            Action::If(branch) => {
                let block = if frame.truth(branch.condition) {
                    &branch.then_block
                } else {
                    &branch.else_block
                };
                self.run_block(block, frame)
            }
            Action::While(l) => self.run_loop(l, frame),
        }
    }

    /// Refuses a result that is not what kernels were bound for: what the program asserted of a shape was wrong.
    fn check_result(&self, slot: Slot, tensor: &Tensor) -> Result<()> {
        let expected = self.types[slot as usize];
        if expected.len != UNKNOWN_LEN && tensor.n_elements() != expected.len {
            bail!(
                InvalidArgument,
                "a result of shape {} has not the {} elements that the program asserted",
                tensor.shape(),
                expected.len
            );
        }
        Ok(())
    }

    #[inline]
    fn operands<'a, K>(&'a self, bound: &'a Bound<K>, pointers: &'a [*mut u8]) -> Operands<'a> {
        // SAFETY: the layout keeps slots that are alive together apart; tensors set in this frame live until
        // dropped behind their last use, and fresh outputs are unshared.
        unsafe { Operands::new(pointers, &self.types, &bound.ins, &bound.outs) }
    }

    fn run_object(
        &self,
        object: Taken,
        bound: &Bound<ObjectKernel>,
        to: Slot,
        frame: &mut Frame,
    ) -> Result<()> {
        match &bound.kernel {
            ObjectKernel::Reads(kernel) => {
                let object = frame.get(object.slot)?;
                kernel(object, &mut self.operands(bound, &frame.pointers))
            }
            ObjectKernel::Changes(kernel) => {
                frame.hand_on(self, object, to)?;
                let (tensor, pointers) = frame.change(to)?;
                kernel(tensor, &mut self.operands(bound, pointers))
            }
        }
    }

    /// Runs a loop, which may become machine code as it runs.
    fn run_loop(&self, l: &Loop, frame: &mut Frame) -> Result<()> {
        frame.apply(self, &l.entry)?;
        let recorded = l.recorded.as_ref();
        let mut records = empty_records(recorded.map_or(&[], |(specs, _)| specs))?;
        let mut n_iterations = 0i32;
        let mut watch = Watch::start();
        loop {
            self.run_block(&l.cond_block, frame)?;
            if !frame.truth(l.condition) {
                break;
            }
            self.run_steps(&l.body, frame)?;
            for (list, record) in records.iter_mut().zip(&l.body.records) {
                self.record(record, list, frame)?;
            }
            frame.apply(self, &l.body.moves)?;
            n_iterations = n_iterations.saturating_add(1);
            watch.tick()?;
        }
        frame.drop_all(&l.exit_drops);
        self.hand_out(l, n_iterations, records, frame)
    }

    /// Gives what a loop recorded to its slots.
    fn hand_out(
        &self,
        l: &Loop,
        n_iterations: i32,
        records: Vec<TensorList>,
        frame: &mut Frame,
    ) -> Result<()> {
        if let Some((_, slots)) = &l.recorded {
            let values = recorded_values(n_iterations, records)?;
            for (&slot, value) in slots.iter().zip(values) {
                frame.set(slot, value);
            }
        }
        Ok(())
    }

    fn record(&self, record: &Record, list: &mut TensorList, frame: &mut Frame) -> Result<()> {
        match &record.small {
            Some(shape) => {
                let slot = record.from.slot as usize;
                let SlotType { dtype, len } = self.types[slot];
                // SAFETY: the body has written the slot, and a slot of static shape has room for all its elements.
                let bytes =
                    unsafe { std::slice::from_raw_parts(frame.pointers[slot], len * dtype.size()) };
                list.push_bytes(dtype, shape, bytes)
            }
            None => list.push(frame.take(self, record.from)?),
        }
    }
}
