//! The second stage: from what is known of a graph to steps, bound kernels where shapes are static, and slots for
//! values.

use super::facts::Scope;
use crate::plan::{Action, Block, Bound, Move, Reduced, Site, Slot, Step, Taken};
use ferrograph_graph::{
    AlgebraicIdentity, Effect, Graph, Inputs, Lowered, Node, NodeId, ObjectKernel, ValueId, lower,
};
use ferrograph_ops::{BroadcastTo, PACKED_BYTES};
use ferrograph_tensor::{DType, Result, Shape, Tensor, TensorSpec, err};
use std::sync::{Arc, Weak};

/// Values that several blocks write are kept in the slab up to this many bytes, and as tensors beyond: as long as lists
/// keep what is recorded of them as bytes, too.
pub(super) const SMALL: usize = PACKED_BYTES;

/// Where the value of a slot lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Storage {
    /// In the slab.
    Slab,
    /// In the slab whoever reads it: readers of tensors get copies.
    Pinned,
    /// A tensor of its own.
    Boxed,
    /// A tensor that stays from run to run.
    Constant,
}

/// What the compiler knows of a slot.
pub(super) struct SlotInfo {
    pub dtype: DType,
    /// Known where the value is dense and its shape static.
    pub shape: Option<Shape>,
    pub storage: Storage,
}

impl SlotInfo {
    pub fn bytes(&self) -> Option<usize> {
        let n = self.shape.as_ref()?.n_elements();
        n.checked_mul(self.dtype.size())
    }
}

/// What lowering makes: blocks of steps over slots. No step drops anything yet, and each read is a shared one.
pub(super) struct Program {
    pub slots: Vec<SlotInfo>,
    pub constants: Vec<(Slot, Tensor)>,
    /// The graph, then those compiled into it.
    pub graphs: Vec<Weak<Graph>>,
    pub flops: f64,
    /// Those of them that are a guess for iterations of loops.
    pub guessed_flops: f64,
    pub is_open: bool,
    pub inputs: Vec<Slot>,
    pub outputs: Vec<Slot>,
    pub block: Block,
}

/// The steps of a graph of which all outputs are wanted, as tensors.
///
/// # Errors
/// What binding an operation refuses.
pub(super) fn lower_graph(scope: &Scope) -> Result<Program> {
    let mut lowering = Lowering::default();
    let inputs = scope.graph.inputs.iter();
    let inputs: Vec<Slot> = inputs
        .map(|v| lowering.slot(&scope.facts[v.index()].spec, Storage::Boxed))
        .collect::<Result<_>>()?;
    let wanted = vec![true; scope.graph.outputs.len()];
    let (steps, outputs) = lowering.scope(scope, &inputs, &wanted)?;
    let outputs: Vec<Slot> = outputs.into_iter().flatten().collect();
    for slot in &outputs {
        lowering.boxed(*slot);
    }
    Ok(Program {
        slots: lowering.slots,
        constants: lowering.constants,
        graphs: lowering.graphs,
        flops: lowering.flops,
        guessed_flops: lowering.guessed_flops,
        is_open: lowering.is_open,
        inputs,
        outputs,
        block: Block {
            steps,
            ..Block::default()
        },
    })
}

/// The slots and graphs of a plan while it is made.
#[derive(Default)]
pub(super) struct Lowering {
    pub slots: Vec<SlotInfo>,
    pub constants: Vec<(Slot, Tensor)>,
    pub graphs: Vec<Weak<Graph>>,
    pub flops: f64,
    /// Those of them that are a guess for iterations of loops.
    pub guessed_flops: f64,
    pub is_open: bool,
}

/// The slots of a graph's values, as far as they have one.
pub(super) struct Names<'a> {
    pub scope: &'a Scope,
    pub slots: Vec<Option<Slot>>,
    graph: u32,
}

fn index(n: usize) -> Result<u32> {
    u32::try_from(n).map_err(|_| err!(ResourceExhausted, "the graph has too many values"))
}

impl Lowering {
    pub fn slot(&mut self, spec: &TensorSpec, storage: Storage) -> Result<Slot> {
        let shape = if spec.dtype.is_dense() {
            spec.shape.to_static()
        } else {
            None
        };
        self.slots.push(SlotInfo {
            dtype: spec.dtype,
            shape,
            storage,
        });
        index(self.slots.len() - 1)
    }

    pub fn info(&mut self, slot: Slot) -> &mut SlotInfo {
        &mut self.slots[slot as usize]
    }

    /// Says that a slot is read or written as a tensor.
    pub fn boxed(&mut self, slot: Slot) {
        let info = self.info(slot);
        if info.storage == Storage::Slab {
            info.storage = Storage::Boxed;
        }
    }

    /// A slot that moves from these slots will write.
    pub(super) fn target(&mut self, spec: &TensorSpec, sources: &[Slot]) -> Result<Slot> {
        let slot = self.slot(spec, Storage::Boxed)?;
        let bytes = self.info(slot).bytes();
        let fits = |&from: &Slot| self.slots[from as usize].bytes() == bytes;
        if bytes.is_some_and(|n| n <= SMALL) && sources.iter().all(fits) {
            self.info(slot).storage = Storage::Pinned;
        }
        Ok(slot)
    }

    pub(super) fn move_to(&mut self, to: Slot, from: Slot) -> Result<Move> {
        let target = self.info(to);
        if target.storage == Storage::Pinned {
            let len = index(target.bytes().unwrap_or(0))?;
            return Ok(Move::Bytes { from, to, len });
        }
        self.boxed(from);
        Ok(Move::Tensor {
            from: Taken::shared(from),
            to,
        })
    }

    /// The steps of a graph whose inputs are these slots, and the slots of the outputs that `wanted` names.
    pub fn scope(
        &mut self,
        scope: &Scope,
        inputs: &[Slot],
        wanted: &[bool],
    ) -> Result<(Vec<Step>, Vec<Option<Slot>>)> {
        let graph = index(self.graphs.len())?;
        self.graphs.push(Arc::downgrade(&scope.graph));
        let mut names = Names {
            scope,
            slots: vec![None; scope.facts.len()],
            graph,
        };
        for (v, slot) in scope.graph.inputs.iter().zip(inputs) {
            names.slots[v.index()] = Some(*slot);
        }
        let mut steps = Vec::new();
        for (id, node) in scope.graph.iter() {
            if scope.live[id.index()] && !is_given(scope, node) {
                self.node(&mut names, id, node, &mut steps)
                    .map_err(|e| e.in_op(node.op.name()).at(node.origin.as_ref()))?;
            }
        }
        let outputs = scope.graph.outputs.iter().zip(wanted);
        let outputs = outputs
            .map(|(v, w)| w.then(|| self.read(&mut names, *v)).transpose())
            .collect::<Result<_>>()?;
        Ok((steps, outputs))
    }

    /// The slot of a value that is there.
    fn read(&mut self, names: &mut Names<'_>, v: ValueId) -> Result<Slot> {
        if let Some(slot) = names.slots[v.index()] {
            return Ok(slot);
        }
        let fact = &names.scope.facts[v.index()];
        let Some(constant) = &fact.constant else {
            return Err(err!(Internal, "value {v} is used before it is made"));
        };
        let slot = self.slot(&fact.spec, Storage::Constant)?;
        self.constants.push((slot, constant.clone()));
        names.slots[v.index()] = Some(slot);
        Ok(slot)
    }

    fn reads(&mut self, names: &mut Names<'_>, values: &[ValueId]) -> Result<Vec<Slot>> {
        values.iter().map(|v| self.read(names, *v)).collect()
    }

    fn write(&mut self, names: &mut Names<'_>, v: ValueId, storage: Storage) -> Result<Slot> {
        let slot = self.slot(&names.scope.facts[v.index()].spec, storage)?;
        names.slots[v.index()] = Some(slot);
        Ok(slot)
    }

    fn writes(
        &mut self,
        names: &mut Names<'_>,
        node: &Node,
        storage: Storage,
    ) -> Result<Box<[Slot]>> {
        let outputs = node.outputs.iter();
        outputs.map(|v| self.write(names, *v, storage)).collect()
    }

    fn node(
        &mut self,
        names: &mut Names<'_>,
        id: NodeId,
        node: &Node,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        let scope = names.scope;
        if node.op.decl().identity == AlgebraicIdentity::Forwards {
            return self.forward(names, node);
        }
        let ins = self.reads(names, &node.inputs)?;
        let action = if let Some(region) = scope.regions.get(&id.index()) {
            self.region(names, node, region, &ins, steps)?
        } else {
            Some(self.operation(names, node, ins)?)
        };
        steps.extend(action.map(|action| Step {
            action,
            drops: Box::default(),
            site: Site {
                graph: names.graph,
                node: id,
            },
        }));
        Ok(())
    }

    /// The outputs are the first inputs: no step is needed.
    fn forward(&mut self, names: &mut Names<'_>, node: &Node) -> Result<()> {
        for (from, to) in node.inputs.iter().zip(&node.outputs) {
            names.slots[to.index()] = Some(self.read(names, *from)?);
        }
        Ok(())
    }

    fn operation(&mut self, names: &mut Names<'_>, node: &Node, ins: Vec<Slot>) -> Result<Action> {
        let scope = names.scope;
        let inputs = scope.inputs(node);
        let outputs: Vec<TensorSpec> = (node.outputs.iter())
            .map(|v| scope.facts[v.index()].spec.clone())
            .collect();
        self.flops += node.op.flops(&inputs, &outputs);
        self.is_open |= !outputs.iter().all(|spec| spec.shape.is_static()) || has_text(&inputs);
        match lower(node.op.as_ref(), &inputs, &outputs)? {
            Lowered::Alias(from) => self.alias(names, node, ins[from]),
            Lowered::Object(kernel) => self.object(names, node, &ins, kernel),
            Lowered::Region | Lowered::Eval => self.evaluation(names, node, ins),
            bound => {
                let (code, reduced) = (bound.code(), reduced(&bound));
                let places = bound.places().cloned().map(Box::new);
                let by_rows = matches!(bound, Lowered::Rows(_));
                let transposed = match &bound {
                    Lowered::MatMul(product) => Some([product.transpose_a, product.transpose_b]),
                    _ => None,
                };
                match bound.into_kernel().filter(|_| inputs.all_dense()) {
                    Some(kernel) => Ok(Action::Kernel(Bound {
                        kernel,
                        ins: ins.into(),
                        outs: self.writes(names, node, Storage::Slab)?,
                        fresh: Box::default(),
                        code,
                        places,
                        reduced,
                        transposed,
                        repeats: node.op.downcast::<BroadcastTo>().is_some(),
                        by_rows,
                        fused: None,
                    })),
                    None => self.evaluation(names, node, ins),
                }
            }
        }
    }

    /// The elements of a slot under the shape of the only output.
    fn alias(&mut self, names: &mut Names<'_>, node: &Node, from: Slot) -> Result<Action> {
        let fact = &names.scope.facts[node.outputs[0].index()];
        let shape = fact.spec.shape.to_static();
        let shape = shape.ok_or_else(|| err!(Internal, "an alias has an open shape"))?;
        self.boxed(from);
        let to = self.write(names, node.outputs[0], Storage::Boxed)?;
        Ok(Action::Alias { from, shape, to })
    }

    /// The operation as it stands, on tensors.
    fn evaluation(&mut self, names: &mut Names<'_>, node: &Node, ins: Vec<Slot>) -> Result<Action> {
        for slot in &ins {
            self.boxed(*slot);
        }
        Ok(Action::Eval {
            op: node.op.clone(),
            ins: ins.into_iter().map(Taken::shared).collect(),
            outs: self.writes(names, node, Storage::Boxed)?,
        })
    }

    /// An operation on an object beside dense values, bound as such.
    fn object(
        &mut self,
        names: &mut Names<'_>,
        node: &Node,
        ins: &[Slot],
        kernel: ObjectKernel,
    ) -> Result<Action> {
        let is_object = |v: &ValueId| !names.scope.facts[v.index()].spec.dtype.is_dense();
        let changes = node.outputs.first().is_some_and(is_object);
        let dense = &node.outputs[usize::from(changes)..];
        self.boxed(ins[0]);
        let to = match changes {
            true => self.write(names, node.outputs[0], Storage::Boxed)?,
            false => ins[0],
        };
        let outs = dense.iter().map(|v| self.write(names, *v, Storage::Slab));
        Ok(Action::Object {
            object: Taken::shared(ins[0]),
            bound: Bound {
                kernel,
                ins: ins[1..].into(),
                outs: outs.collect::<Result<_>>()?,
                fresh: Box::default(),
                code: None,
                places: None,
                reduced: None,
                transposed: None,
                repeats: false,
                by_rows: false,
                fused: None,
            },
            to,
        })
    }
}

fn reduced(lowered: &Lowered) -> Option<Box<Reduced>> {
    match lowered {
        Lowered::Reduce(reduction) => Some(Box::new(Reduced {
            code: reduction.code,
            axes: reduction.axes.clone(),
        })),
        _ => None,
    }
}

/// Whether nothing is left to run: the values are inputs or constants.
fn is_given(scope: &Scope, node: &Node) -> bool {
    let given =
        |v: &ValueId| scope.is_input[v.index()] || scope.facts[v.index()].constant.is_some();
    matches!(node.op.effect(), Effect::Pure | Effect::Reads)
        && !node.outputs.is_empty()
        && node.outputs.iter().all(given)
}

/// Whether there are strings among the inputs, whose lengths are known at run time only.
fn has_text(inputs: &Inputs<'_>) -> bool {
    (0..inputs.len()).any(|i| inputs.dtype(i) == DType::String)
}
