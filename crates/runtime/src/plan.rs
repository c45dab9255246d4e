//! Plans: graphs compiled for concrete input shapes, and running them.

use crate::compile::compile;
use ferrograph_graph::{Graph, Kernel, NodeId, OpRef, Operands, Runner, SlotType, Tensors};
use ferrograph_tensor::{Buffer, DType, PartialShape, Result, Shape, Tensor, bail, err};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use parking_lot::{Mutex, RwLock};
use smallvec::SmallVec;
use std::sync::{Arc, Weak};

/// What a step does.
pub(crate) enum Action {
    /// Computes on slots.
    Kernel(Kernel),
    /// Computes on tensors.
    Eval(OpRef),
    /// Gives the input under another shape.
    Alias(Shape),
}

/// One step of a plan.
pub(crate) struct Step {
    pub action: Action,
    pub ins: Box<[u32]>,
    pub outs: Box<[u32]>,
    /// Outputs that become tensors of their own, to be allocated before a kernel runs.
    pub fresh: Box<[(u32, DType, Shape)]>,
    /// Tensors that nothing needs after this step.
    pub drops: Box<[u32]>,
    pub node: NodeId,
}

/// A graph compiled for concrete input shapes: a flat list of steps over slots. One slot a value; its storage is a
/// place in the slab, or a tensor of its own.
pub struct Plan {
    /// Weak, since the graph keeps its plans; whoever runs a plan holds the graph.
    pub(crate) graph: Weak<Graph>,
    pub(crate) name: Arc<str>,
    pub(crate) types: Vec<SlotType>,
    pub(crate) in_slab: Vec<(u32, usize)>,
    pub(crate) slab_bytes: usize,
    pub(crate) constants: Vec<(u32, Tensor)>,
    pub(crate) inputs: Vec<u32>,
    pub(crate) outputs: Vec<u32>,
    pub(crate) steps: Vec<Step>,
    pub(crate) flops: f64,
    pub(crate) frames: Mutex<Vec<Frame>>,
}

/// The storage of one execution of a plan.
pub(crate) struct Frame {
    pointers: Vec<*mut u8>,
    tensors: Vec<Option<Tensor>>,
    _slab: Buffer,
}

// SAFETY: the pointers point into the frame's own slab and tensors, which are Send.
unsafe impl Send for Frame {}

/// Frames with slabs up to this size wait for the next call.
const KEPT_SLAB_LIMIT: usize = 1 << 20;
const KEPT_FRAMES: usize = 8;

impl Frame {
    fn new(plan: &Plan) -> Result<Frame> {
        let mut slab = Buffer::new(plan.slab_bytes)?;
        let base = slab
            .as_mut_ptr()
            .ok_or_else(|| err!(Internal, "a fresh slab cannot be written"))?;
        let n = plan.types.len();
        let mut frame = Frame {
            pointers: vec![std::ptr::null_mut(); n],
            tensors: vec![None; n],
            _slab: slab,
        };
        for &(slot, offset) in &plan.in_slab {
            // SAFETY: the layout placed the slot inside the slab.
            frame.pointers[slot as usize] = unsafe { base.add(offset) };
        }
        for (slot, tensor) in &plan.constants {
            frame.set(*slot, tensor.clone());
        }
        Ok(frame)
    }

    fn set(&mut self, slot: u32, tensor: Tensor) {
        self.pointers[slot as usize] = tensor.bytes().as_ptr().cast_mut();
        self.tensors[slot as usize] = Some(tensor);
    }

    fn set_fresh(&mut self, slot: u32, dtype: DType, shape: &Shape) -> Result<()> {
        let mut tensor = Tensor::empty(dtype, shape.clone())?;
        let bytes = tensor
            .bytes_mut()
            .ok_or_else(|| err!(Internal, "a fresh tensor is shared"))?;
        self.pointers[slot as usize] = bytes.as_mut_ptr();
        self.tensors[slot as usize] = Some(tensor);
        Ok(())
    }

    fn get(&self, slot: u32) -> Result<&Tensor> {
        self.tensors[slot as usize]
            .as_ref()
            .ok_or_else(|| err!(Internal, "slot {slot} holds no tensor"))
    }
}

impl Plan {
    /// A rough cost of one execution in floating-point operations.
    pub fn flops(&self) -> f64 {
        self.flops
    }

    /// How many steps there are.
    pub fn n_steps(&self) -> usize {
        self.steps.len()
    }

    /// The bytes of the slab that intermediate values share.
    pub fn slab_bytes(&self) -> usize {
        self.slab_bytes
    }

    /// The outputs for these inputs, which must have the dtypes and shapes the plan was compiled for.
    pub fn execute(&self, inputs: Tensors) -> Result<Tensors> {
        let mut frame = match self.frames.lock().pop() {
            Some(frame) => frame,
            None => Frame::new(self)?,
        };
        for (&slot, tensor) in self.inputs.iter().zip(inputs) {
            let expected = self.types[slot as usize];
            if tensor.dtype() != expected.dtype || tensor.n_elements() != expected.len {
                bail!(
                    Internal,
                    "graph {} got {tensor:?} for an input of {expected:?}",
                    self.name
                );
            }
            frame.set(slot, tensor);
        }
        let result = self
            .run_steps(&mut frame)
            .and_then(|()| self.collect(&frame));
        self.recycle(frame);
        result
    }

    fn collect(&self, frame: &Frame) -> Result<Tensors> {
        self.outputs
            .iter()
            .map(|&slot| frame.get(slot).cloned())
            .collect()
    }

    /// Keeps a frame for the next call, without the tensors of this one.
    fn recycle(&self, mut frame: Frame) {
        if self.slab_bytes > KEPT_SLAB_LIMIT {
            return;
        }
        for step in &self.steps {
            for &slot in step.outs.iter() {
                frame.tensors[slot as usize] = None;
            }
        }
        for &slot in &self.inputs {
            frame.tensors[slot as usize] = None;
        }
        let mut frames = self.frames.lock();
        if frames.len() < KEPT_FRAMES {
            frames.push(frame);
        }
    }

    fn run_steps(&self, frame: &mut Frame) -> Result<()> {
        for step in &self.steps {
            self.run_step(step, frame)
                .map_err(|e| match self.graph.upgrade() {
                    Some(graph) => {
                        let node = graph.node(step.node);
                        e.in_op(node.op.name()).at(node.origin.as_ref())
                    }
                    None => e,
                })?;
            for &slot in step.drops.iter() {
                frame.tensors[slot as usize] = None;
            }
        }
        Ok(())
    }

    #[inline]
    fn run_step(&self, step: &Step, frame: &mut Frame) -> Result<()> {
        match &step.action {
            Action::Kernel(kernel) => {
                for (slot, dtype, shape) in step.fresh.iter() {
                    frame.set_fresh(*slot, *dtype, shape)?;
                }
                // SAFETY: the layout keeps slots that are alive together apart; tensors set in this frame live until
                // dropped behind their last use, and fresh outputs are unshared.
                let mut operands =
                    unsafe { Operands::new(&frame.pointers, &self.types, &step.ins, &step.outs) };
                kernel(&mut operands)
            }
            Action::Eval(op) => {
                let ins: Tensors = step
                    .ins
                    .iter()
                    .map(|&s| frame.get(s).cloned())
                    .collect::<Result<_>>()?;
                let outs = op.eval(&PlanRunner, &ins)?;
                drop(ins);
                if outs.len() != step.outs.len() {
                    bail!(
                        Internal,
                        "operation {} gave {} outputs, not {}",
                        op.name(),
                        outs.len(),
                        step.outs.len()
                    );
                }
                for (&slot, tensor) in step.outs.iter().zip(outs) {
                    frame.set(slot, tensor);
                }
                Ok(())
            }
            Action::Alias(shape) => {
                let tensor = frame.get(step.ins[0])?.reshaped(shape.clone())?;
                frame.set(step.outs[0], tensor);
                Ok(())
            }
        }
    }
}

/// Runs graphs by their plans.
pub struct PlanRunner;

impl Runner for PlanRunner {
    fn run(&self, graph: &Arc<Graph>, inputs: Tensors) -> Result<Tensors> {
        plan_for(graph, &inputs)?.execute(inputs)
    }
}

/// Place, rank and dimensions of those inputs whose shapes the graph's own specs do not say.
type ShapeKey = SmallVec<[usize; 8]>;

/// Plans of a graph by input shapes.
#[derive(Default)]
struct Plans {
    plans: RwLock<HashMap<ShapeKey, Arc<Plan>, FixedState>>,
    last: RwLock<Option<(ShapeKey, Arc<Plan>)>>,
}

/// Whether a tensor has just the shape, static throughout, that an input was traced with.
fn is_as_traced(tensor: &Tensor, traced: &PartialShape) -> bool {
    traced.dims().is_some_and(|dims| {
        dims.len() == tensor.rank()
            && dims
                .iter()
                .zip(tensor.shape().iter())
                .all(|(d, n)| d.known() == Some(*n))
    })
}

/// Plans a graph keeps; past it they are made anew.
const PLANS_LIMIT: usize = 256;

/// The plan of a graph for inputs of these shapes; compiled on first use.
///
/// # Errors
/// What inference refuses at these shapes; a wrong number of inputs.
pub fn plan_for(graph: &Arc<Graph>, inputs: &[Tensor]) -> Result<Arc<Plan>> {
    if inputs.len() != graph.inputs.len() {
        bail!(
            Internal,
            "graph {} takes {} inputs, got {}",
            graph.name,
            graph.inputs.len(),
            inputs.len()
        );
    }
    let plans = graph.attachment(Plans::default);
    let mut key = ShapeKey::new();
    for (i, (tensor, spec)) in inputs.iter().zip(graph.input_specs()).enumerate() {
        if !is_as_traced(tensor, &spec.shape) {
            key.push(i);
            key.push(tensor.rank());
            key.extend_from_slice(tensor.shape());
        }
    }
    if let Some((last_key, plan)) = &*plans.last.read()
        && *last_key == key
    {
        return Ok(plan.clone());
    }
    let found = plans.plans.read().get(&key).cloned();
    let plan = match found {
        Some(plan) => plan,
        None => {
            let plan = Arc::new(compile(graph, inputs)?);
            let mut all = plans.plans.write();
            if all.len() >= PLANS_LIMIT {
                all.clear();
            }
            all.insert(key.clone(), plan.clone());
            plan
        }
    };
    *plans.last.write() = Some((key, plan.clone()));
    Ok(plan)
}
