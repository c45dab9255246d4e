//! From what is known of a graph to blocks of steps: bound kernels where shapes are static, slots for values, and moves
//! where regions give and take them.

use super::facts::Scope;
use super::regions::Region;
use crate::plan::{Action, Block, Bound, Conditional, Loop, Move, Record, Site, Slot, Step, Taken};
use ferrograph_graph::{Effect, Graph, Node, NodeId, Op, ValueId};
use ferrograph_ops::While;
use ferrograph_tensor::{DType, Result, Shape, Tensor, TensorSpec, err};
use std::sync::{Arc, Weak};

/// Values that several blocks write are kept in the slab up to this many bytes, and as tensors beyond.
const SMALL: usize = 64;

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
        Some(n * self.dtype.size())
    }
}

/// The slots and graphs of a plan while it is made.
#[derive(Default)]
pub(super) struct Lowering {
    pub slots: Vec<SlotInfo>,
    pub constants: Vec<(Slot, Tensor)>,
    pub graphs: Vec<Weak<Graph>>,
    pub flops: f64,
}

/// The slots of a graph's values, as far as they have one.
struct Names<'a> {
    scope: &'a Scope,
    slots: Vec<Option<Slot>>,
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
    fn target(&mut self, spec: &TensorSpec, sources: &[Slot]) -> Result<Slot> {
        let slot = self.slot(spec, Storage::Boxed)?;
        let bytes = self.info(slot).bytes();
        let fits = |&from: &Slot| self.slots[from as usize].bytes() == bytes;
        if bytes.is_some_and(|n| n <= SMALL) && sources.iter().all(fits) {
            self.info(slot).storage = Storage::Pinned;
        }
        Ok(slot)
    }

    fn move_to(&mut self, to: Slot, from: Slot) -> Result<Move> {
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

    fn operation(&mut self, names: &mut Names<'_>, node: &Node, ins: Vec<Slot>) -> Result<Action> {
        let scope = names.scope;
        let fact = |v: &ValueId| &scope.facts[v.index()];
        let inputs = scope.inputs(node);
        let outputs: Vec<TensorSpec> = node.outputs.iter().map(|v| fact(v).spec.clone()).collect();
        self.flops += node.op.flops(&inputs, &outputs);
        if let Some(from) = node.op.alias() {
            let n = fact(&node.inputs[from]).spec.shape.n_elements();
            if let Some(shape) = outputs[0].shape.to_static()
                && n == Some(shape.n_elements())
            {
                self.boxed(ins[from]);
                let to = self.write(names, node.outputs[0], Storage::Boxed)?;
                return Ok(Action::Alias {
                    from: ins[from],
                    shape,
                    to,
                });
            }
        } else if !node.outputs.is_empty()
            && node.outputs.iter().all(|v| fact(v).is_dense_static())
            && node.inputs.iter().all(|v| fact(v).is_dense_static())
            && let Some(kernel) = node.op.kernel(&inputs, &outputs)?
        {
            return Ok(Action::Kernel(Bound {
                kernel,
                ins: ins.into(),
                outs: self.writes(names, node, Storage::Slab)?,
                fresh: Box::default(),
            }));
        }
        if let Some(action) = self.object(names, node, &ins)? {
            return Ok(action);
        }
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
    ) -> Result<Option<Action>> {
        let scope = names.scope;
        let fact = |v: &ValueId| &scope.facts[v.index()];
        let is_object = |v: &ValueId| !fact(v).spec.dtype.is_dense();
        let [object, rest @ ..] = &node.inputs[..] else {
            return Ok(None);
        };
        let changes = node.outputs.first().is_some_and(is_object);
        let dense = &node.outputs[usize::from(changes)..];
        if !is_object(object) || !rest.iter().chain(dense).all(|v| fact(v).is_dense_static()) {
            return Ok(None);
        }
        let outputs: Vec<TensorSpec> = node.outputs.iter().map(|v| fact(v).spec.clone()).collect();
        let Some(kernel) = node.op.object_kernel(&scope.inputs(node), &outputs)? else {
            return Ok(None);
        };
        self.boxed(ins[0]);
        let to = match changes {
            true => self.write(names, node.outputs[0], Storage::Boxed)?,
            false => ins[0],
        };
        let outs = dense.iter().map(|v| self.write(names, *v, Storage::Slab));
        Ok(Some(Action::Object {
            object: Taken::shared(ins[0]),
            bound: Bound {
                kernel,
                ins: ins[1..].into(),
                outs: outs.collect::<Result<_>>()?,
                fresh: Box::default(),
            },
            to,
        }))
    }

    fn region(
        &mut self,
        names: &mut Names<'_>,
        node: &Node,
        region: &Region,
        ins: &[Slot],
        steps: &mut Vec<Step>,
    ) -> Result<Option<Action>> {
        let wanted: Vec<bool> = node
            .outputs
            .iter()
            .map(|v| names.scope.used[v.index()])
            .collect();
        match region {
            Region::Inline { scope, inputs } => {
                let inputs = picked(inputs, ins);
                let (inner, outputs) = self.scope(scope, &inputs, &wanted)?;
                steps.extend(inner);
                for (v, slot) in node.outputs.iter().zip(outputs) {
                    names.slots[v.index()] = slot;
                }
                Ok(None)
            }
            Region::If {
                then_scope,
                else_scope,
            } => {
                let op = node
                    .op
                    .downcast::<ferrograph_ops::If>()
                    .ok_or_else(|| err!(Internal, "a branch is no If"))?;
                let then_inputs = picked(&op.then_branch.inputs, ins);
                let else_inputs = picked(&op.else_branch.inputs, ins);
                let then_side = self.scope(then_scope, &then_inputs, &wanted)?;
                let else_side = self.scope(else_scope, &else_inputs, &wanted)?;
                let branch = self.merge(names, node, ins[0], then_side, else_side)?;
                Ok(Some(Action::If(Box::new(branch))))
            }
            Region::While { cond, body, vars } => {
                let op = node
                    .op
                    .downcast::<While>()
                    .ok_or_else(|| err!(Internal, "a loop is no While"))?;
                self.flops += op.flops(&names.scope.inputs(node), &[]);
                let (repeat, finals) = self.repeat(op, cond, body, vars, ins)?;
                for (v, slot) in node.outputs.iter().zip(finals) {
                    names.slots[v.index()] = Some(slot);
                }
                Ok(Some(Action::While(Box::new(repeat))))
            }
        }
    }

    /// Both sides of a branch, moving their results to common slots where they differ.
    fn merge(
        &mut self,
        names: &mut Names<'_>,
        node: &Node,
        condition: Slot,
        then_side: (Vec<Step>, Vec<Option<Slot>>),
        else_side: (Vec<Step>, Vec<Option<Slot>>),
    ) -> Result<Conditional> {
        let (mut then_block, mut else_block) = (Block::default(), Block::default());
        (then_block.steps, else_block.steps) = (then_side.0, else_side.0);
        let results = then_side.1.into_iter().zip(else_side.1);
        for (v, (a, b)) in node.outputs.iter().zip(results) {
            let (Some(a), Some(b)) = (a, b) else {
                continue; // not wanted
            };
            names.slots[v.index()] = Some(a);
            if a != b {
                let to = self.target(&names.scope.facts[v.index()].spec, &[a, b])?;
                then_block.moves.push(self.move_to(to, a)?);
                else_block.moves.push(self.move_to(to, b)?);
                names.slots[v.index()] = Some(to);
            }
        }
        Ok(Conditional {
            condition,
            then_block,
            else_block,
        })
    }

    /// A loop, and the slots of what it gives.
    fn repeat(
        &mut self,
        op: &While,
        cond: &Scope,
        body: &Scope,
        vars: &[Option<TensorSpec>],
        ins: &[Slot],
    ) -> Result<(Loop, Vec<Slot>)> {
        let mut state = ins.to_vec();
        let mut entry = Vec::new();
        for (i, spec) in vars.iter().enumerate() {
            if let Some(spec) = spec {
                state[i] = self.target(spec, &[ins[i]])?;
                entry.push(self.move_to(state[i], ins[i])?);
            }
        }
        let cond_inputs = picked(&op.cond.inputs, &state);
        let (steps, condition) = self.scope(cond, &cond_inputs, &[true])?;
        let cond_block = Block {
            steps,
            ..Block::default()
        };
        let body_inputs = picked(&op.body.inputs, &state);
        let all = vec![true; body.graph.outputs.len()];
        let (steps, leaving) = self.scope(body, &body_inputs, &all)?;
        let leaving: Vec<Slot> = leaving.into_iter().flatten().collect();
        let changed = (0..vars.len()).filter(|&i| vars[i].is_some());
        let moves = self.parallel(changed.map(|i| (state[i], leaving[i])).collect())?;
        let recorded = leaving[vars.len()..].iter();
        let records = recorded.map(|&slot| self.record(slot)).collect();
        state.truncate(vars.len());
        let mut recorded = None;
        if let Some(specs) = &op.recorded {
            let mut slots = vec![self.slot(&TensorSpec::scalar(DType::Int32), Storage::Boxed)?];
            for _ in specs {
                slots.push(self.slot(&TensorSpec::scalar(DType::Variant), Storage::Boxed)?);
            }
            state.extend_from_slice(&slots);
            recorded = Some((specs.clone(), slots.into()));
        }
        let [Some(condition)] = condition[..] else {
            return Err(err!(Internal, "a loop condition gives nothing"));
        };
        Ok((
            Loop {
                entry,
                cond_block,
                condition,
                body: Block {
                    steps,
                    records,
                    moves,
                    ..Block::default()
                },
                exit_drops: Box::default(),
                recorded,
            },
            state,
        ))
    }

    /// What is recorded of a slot: where it is small its bytes, else a tensor.
    fn record(&mut self, slot: Slot) -> Record {
        let info = self.info(slot);
        let small = info.bytes().is_some_and(|n| n <= SMALL);
        let shape = info.shape.clone().filter(|_| small);
        if shape.is_none() {
            self.boxed(slot);
        }
        Record {
            from: Taken::shared(slot),
            small: shape,
        }
    }

    /// Moves that happen at once, as a sequence: what another of them would overwrite first moves aside.
    fn parallel(&mut self, pairs: Vec<(Slot, Slot)>) -> Result<Vec<Move>> {
        let targets: Vec<Slot> = pairs.iter().map(|(to, _)| *to).collect();
        let mut aside = Vec::new();
        let mut moves = Vec::new();
        for (to, from) in pairs {
            let mut from = from;
            if from == to {
                continue;
            }
            if targets.contains(&from) {
                let SlotInfo { dtype, shape, .. } = self.info(from);
                let shape = match shape {
                    Some(shape) => (&*shape).into(),
                    None => ferrograph_tensor::PartialShape::UNKNOWN,
                };
                let spec = TensorSpec::new(*dtype, shape);
                let temporary = self.target(&spec, &[from])?;
                aside.push(self.move_to(temporary, from)?);
                from = temporary;
            }
            moves.push(self.move_to(to, from)?);
        }
        aside.extend(moves);
        Ok(aside)
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

fn picked(mapping: &[u32], slots: &[Slot]) -> Vec<Slot> {
    mapping.iter().map(|&i| slots[i as usize]).collect()
}
