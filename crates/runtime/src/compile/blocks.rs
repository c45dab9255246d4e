//! The blocks of branches and loops: what enters and leaves them moves between slots.

use super::facts::Scope;
use super::lower::{Lowering, Names, SMALL, SlotInfo, Storage};
use super::regions::Region;
use crate::plan::{Action, Block, Conditional, Loop, Move, Record, Slot, Step, Taken};
use ferrograph_graph::{Node, Op};
use ferrograph_ops::{If, While};
use ferrograph_tensor::{DType, PartialShape, Result, TensorSpec, err};

/// The steps of a block and the slots of what it gives, where that is wanted.
type Side = (Vec<Step>, Vec<Option<Slot>>);

impl Lowering {
    pub(super) fn region(
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
                    .downcast::<If>()
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
        then_side: Side,
        else_side: Side,
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
                    None => PartialShape::UNKNOWN,
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

fn picked(mapping: &[u32], slots: &[Slot]) -> Vec<Slot> {
    mapping.iter().map(|&i| slots[i as usize]).collect()
}
