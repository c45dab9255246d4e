//! The blocks of branches and loops: what enters and leaves them moves between slots.

use super::lower::{Lowering, Names, SMALL, SlotInfo, Storage};
use super::regions::{Entry, Region};
use crate::plan::{Action, Block, Conditional, Loop, Move, Record, Slot, Step, Taken};
use ferrograph_graph::Node;
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
            Region::Inline(entry) => {
                let (inner, outputs) = self.entered(entry, ins, &wanted)?;
                steps.extend(inner);
                for (v, slot) in node.outputs.iter().zip(outputs) {
                    names.slots[v.index()] = slot;
                }
                Ok(None)
            }
            Region::If {
                then_side,
                else_side,
            } => {
                let then_side = self.entered(then_side, ins, &wanted)?;
                let else_side = self.entered(else_side, ins, &wanted)?;
                let branch = self.merge(names, node, ins[0], then_side, else_side)?;
                Ok(Some(Action::If(Box::new(branch))))
            }
            Region::While {
                cond,
                body,
                vars,
                recorded,
            } => {
                let guess = node.op.flops(&names.scope.inputs(node), &[]);
                self.flops += guess;
                self.guessed_flops += guess;
                let (mut repeat, mut finals) = self.repeat(cond, body, vars, ins)?;
                if let Some(specs) = recorded {
                    let lists = self.lists(specs)?;
                    finals.extend_from_slice(&lists);
                    repeat.recorded = Some((specs.clone(), lists));
                }
                for (v, slot) in node.outputs.iter().zip(finals) {
                    names.slots[v.index()] = Some(slot);
                }
                Ok(Some(Action::While(Box::new(repeat))))
            }
        }
    }

    /// The steps of a graph that a node with these inputs holds.
    fn entered(&mut self, entry: &Entry, ins: &[Slot], wanted: &[bool]) -> Result<Side> {
        let inputs: Vec<Slot> = entry.inputs.iter().map(|&i| ins[i as usize]).collect();
        self.scope(&entry.scope, &inputs, wanted)
    }

    /// The slots of what a recording loop gives behind its variables.
    fn lists(&mut self, specs: &[TensorSpec]) -> Result<Box<[Slot]>> {
        let count = TensorSpec::scalar(DType::Int32);
        let list = TensorSpec::scalar(DType::Variant);
        let all = std::iter::once(&count).chain(specs.iter().map(|_| &list));
        all.map(|spec| self.slot(spec, Storage::Boxed)).collect()
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
        cond: &Entry,
        body: &Entry,
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
        let (steps, condition) = self.entered(cond, &state, &[true])?;
        let cond_block = Block {
            steps,
            ..Block::default()
        };
        let all = vec![true; body.scope.graph.outputs.len()];
        let (steps, leaving) = self.entered(body, &state, &all)?;
        let leaving: Vec<Slot> = leaving.into_iter().flatten().collect();
        let changed = (0..vars.len()).filter(|&i| vars[i].is_some());
        let moves = self.parallel(changed.map(|i| (state[i], leaving[i])).collect())?;
        let recorded = leaving[vars.len()..].iter();
        let records = recorded.map(|&slot| self.record(slot)).collect();
        state.truncate(vars.len());
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
                recorded: None,
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
