//! The last stage, buffer assignment: which kernel outputs are tensors of their own, and the offsets of the other
//! values in the slab. Bools are apart from what is no bool, so that memory which is used again always holds valid
//! ones.

use super::layout::{Lifetime, assign};
use super::lower::{Program, SlotInfo, Storage};
use crate::plan::{Action, Block, Frames, Loop, Move, Plan, Slot, UNKNOWN_LEN};
use ferrograph_graph::SlotType;
use ferrograph_tensor::{DType, Result, Shape, err};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A plan of scheduled steps.
///
/// # Errors
/// `Internal` where a kernel was bound to outputs of unknown shape.
pub(super) fn assign_buffers(name: &Arc<str>, mut program: Program) -> Result<Plan> {
    allocate(&program.slots, &mut program.block)?;
    let (bools, others) = SlabLiveness::of(&program)
        .into_iter()
        .partition::<Vec<_>, _>(|value| program.slots[value.slot as usize].dtype == DType::Bool);
    let (mut in_slab, bool_bytes) = placed(&bools, 0);
    let (rest, slab_bytes) = placed(&others, bool_bytes);
    in_slab.extend(rest);
    program.constants.shrink_to_fit();
    program.graphs.shrink_to_fit();
    program.block.steps.shrink_to_fit();
    let infos = || (0..).zip(&program.slots);
    Ok(Plan {
        name: name.clone(),
        types: program.slots.iter().map(slot_type).collect(),
        in_slab,
        slab_shapes: infos()
            .filter(|(_, info)| info.storage == Storage::Pinned)
            .filter_map(|(slot, info)| Some((slot, info.shape.clone()?)))
            .collect(),
        boxed: infos()
            .filter(|(_, info)| info.storage == Storage::Boxed)
            .map(|(slot, _)| slot)
            .collect(),
        slab_bytes,
        bool_bytes,
        constants: program.constants,
        inputs: program.inputs,
        outputs: program.outputs,
        block: program.block,
        flops: program.flops,
        guessed_flops: program.guessed_flops,
        is_open: program.is_open,
        graphs: program.graphs,
        frames: Frames::new(),
    })
}

pub(super) fn slot_type(info: &SlotInfo) -> SlotType {
    SlotType {
        dtype: info.dtype,
        len: info.shape.as_ref().map_or(UNKNOWN_LEN, Shape::n_elements),
    }
}

/// A value in the slab.
struct Value {
    slot: Slot,
    life: Lifetime,
    /// The chain that alone touches it, and how long all chains beside it run.
    chain: Option<(Chain, Range<usize>)>,
}

/// A run of steps in chains, and one of its chains.
type Chain = (usize, usize);

/// Offsets from `base` on, and where the last of them ends. The values of a chain share bytes with one another, and
/// with nothing else that is alive while chains run.
fn placed(values: &[Value], base: usize) -> (Vec<(Slot, usize)>, usize) {
    let mut within: BTreeMap<Chain, (Range<usize>, Vec<&Value>)> = BTreeMap::new();
    for value in values {
        if let Some((chain, runs)) = &value.chain {
            let entry = within.entry(*chain);
            let (_, of_chain) = entry.or_insert_with(|| (runs.clone(), Vec::new()));
            of_chain.push(value);
        }
    }
    let free: Vec<&Value> = values
        .iter()
        .filter(|value| value.chain.is_none())
        .collect();
    let mut lives = lives(&free);
    let chains: Vec<_> = (within.into_values())
        .map(|(runs, values)| {
            let (offsets, bytes) = assign(&self::lives(&values));
            lives.push(Lifetime {
                start: runs.start,
                end: runs.end,
                bytes,
            });
            (values, offsets)
        })
        .collect();
    let (places, bytes) = assign(&lives);
    let (of_free, of_chains) = places.split_at(free.len());
    let at = |offset: usize| base.saturating_add(offset);
    let free = free.iter().zip(of_free);
    let mut found: Vec<(Slot, usize)> = free.map(|(v, &offset)| (v.slot, at(offset))).collect();
    for ((values, offsets), &chain) in chains.iter().zip(of_chains) {
        let offsets = offsets
            .iter()
            .map(|offset| at(chain.saturating_add(*offset)));
        found.extend(values.iter().map(|value| value.slot).zip(offsets));
    }
    (found, at(bytes))
}

fn lives(values: &[&Value]) -> Vec<Lifetime> {
    values.iter().map(|value| value.life).collect()
}

/// Says of each kernel which outputs are tensors of their own.
fn allocate(slots: &[SlotInfo], block: &mut Block) -> Result<()> {
    for step in &mut block.steps {
        match &mut step.action {
            Action::Kernel(bound) => bound.fresh = fresh(slots, &bound.outs)?,
            Action::Object { bound, .. } => bound.fresh = fresh(slots, &bound.outs)?,
            Action::Update { bound, .. } => bound.fresh = fresh(slots, &bound.outs)?,
            Action::If(branch) => {
                allocate(slots, &mut branch.then_block)?;
                allocate(slots, &mut branch.else_block)?;
            }
            Action::While(repeat) => {
                allocate(slots, &mut repeat.cond_block)?;
                allocate(slots, &mut repeat.body)?;
            }
            Action::Eval { .. } | Action::Alias { .. } => {}
        }
    }
    Ok(())
}

fn fresh(slots: &[SlotInfo], outs: &[Slot]) -> Result<Box<[(Slot, DType, Shape)]>> {
    let info = |slot: Slot| &slots[slot as usize];
    let boxed = outs
        .iter()
        .filter(|slot| info(**slot).storage == Storage::Boxed);
    let typed = boxed.map(|&slot| {
        let shape = info(slot).shape.clone();
        let shape = shape.ok_or_else(|| err!(Internal, "a bound output has no static shape"))?;
        Ok((slot, info(slot).dtype, shape))
    });
    typed.collect()
}

/// The lifetimes of slots in the slab, as steps in program order; a loop keeps what enters it to its end.
#[derive(Default)]
struct SlabLiveness {
    first: Vec<Option<usize>>,
    last: Vec<usize>,
    now: usize,
    /// For each loop around, what was touched in it.
    touched: Vec<Vec<Slot>>,
    /// The chain whose step this is.
    chain: Option<Chain>,
    /// When each run of chains begins and ends.
    runs: Vec<Range<usize>>,
    /// What chains touched.
    in_chains: Vec<(Slot, Chain)>,
    /// What is touched by steps that are in no chain.
    outside: Vec<bool>,
}

impl SlabLiveness {
    fn of(program: &Program) -> Vec<Value> {
        let n = program.slots.len();
        let mut all = SlabLiveness {
            first: vec![None; n],
            last: vec![0; n],
            outside: vec![false; n],
            ..SlabLiveness::default()
        };
        all.block(&program.block);
        all.now += 1;
        program.outputs.iter().for_each(|&slot| all.touch(slot));
        let chains = all.chains_by_slot();
        let mut values = Vec::new();
        for (slot, info) in (0..).zip(&program.slots) {
            if matches!(info.storage, Storage::Slab | Storage::Pinned)
                && let (Some(start), Some(bytes)) = (all.first[slot as usize], info.bytes())
            {
                let end = all.last[slot as usize];
                let life = Lifetime { start, end, bytes };
                let chain = chains.get(&slot);
                let chain = chain.map(|&chain| (chain, all.runs[chain.0].clone()));
                values.push(Value { slot, life, chain });
            }
        }
        values
    }

    /// Which slots only one chain touches; others that chains touch live as long as the chains run.
    fn chains_by_slot(&mut self) -> BTreeMap<Slot, Chain> {
        let mut chains: BTreeMap<Slot, Option<Chain>> = BTreeMap::new();
        for &(slot, chain) in &self.in_chains {
            let alone = (!self.outside[slot as usize]).then_some(chain);
            let found = chains.entry(slot).or_insert(alone);
            if *found != alone {
                *found = None;
            }
        }
        for &(slot, (run, _)) in &self.in_chains {
            if chains[&slot].is_none() {
                let (i, runs) = (slot as usize, &self.runs[run]);
                self.first[i] = self.first[i].map(|first| first.min(runs.start));
                self.last[i] = self.last[i].max(runs.end);
            }
        }
        let alone = chains.into_iter();
        alone
            .filter_map(|(slot, chain)| Some((slot, chain?)))
            .collect()
    }

    fn touch(&mut self, slot: Slot) {
        let i = slot as usize;
        self.first[i].get_or_insert(self.now);
        self.last[i] = self.last[i].max(self.now);
        match self.chain {
            Some(chain) => self.in_chains.push((slot, chain)),
            None => self.outside[i] = true,
        }
        if let Some(touched) = self.touched.last_mut() {
            touched.push(slot);
        }
    }

    fn moves(&mut self, moves: &[Move]) {
        for step in moves {
            self.now += 1;
            let (from, to) = match step {
                Move::Bytes { from, to, .. } => (*from, *to),
                Move::Tensor { from, to } => (from.slot, *to),
            };
            self.touch(from);
            self.touch(to);
        }
    }

    fn block(&mut self, block: &Block) {
        let mut runs = (self.runs.len()..).zip(&block.chains).peekable();
        let places = self.chains_of_steps(block);
        for (at, (step, chain)) in block.steps.iter().zip(places).enumerate() {
            self.now += 1;
            self.chain = chain;
            if let Some((run, chains)) = runs.next_if(|(_, chains)| chains.steps.start == at) {
                self.runs[run] = self.now..self.now + chains.steps.len() - 1;
            }
            match &step.action {
                Action::Kernel(bound) => {
                    let operands = bound.ins.iter().chain(&bound.outs);
                    operands.for_each(|&slot| self.touch(slot));
                }
                Action::Object { bound, .. } => {
                    let operands = bound.ins.iter().chain(&bound.outs);
                    operands.for_each(|&slot| self.touch(slot));
                }
                Action::Update { bound, .. } => {
                    let operands = bound.ins.iter().chain(&bound.outs);
                    operands.for_each(|&slot| self.touch(slot));
                }
                Action::Eval { ins, .. } => ins.iter().for_each(|taken| self.touch(taken.slot)),
                Action::Alias { from, .. } => self.touch(*from),
                Action::If(branch) => {
                    self.touch(branch.condition);
                    self.block(&branch.then_block);
                    self.block(&branch.else_block);
                }
                Action::While(repeat) => self.repeat(repeat),
            }
        }
        self.chain = None;
        self.now += 1;
        for record in &block.records {
            self.touch(record.from.slot);
        }
        self.moves(&block.moves);
    }

    /// The chain of each step. When they run is said as steps are met.
    fn chains_of_steps(&mut self, block: &Block) -> Vec<Option<Chain>> {
        let mut places = vec![None; block.steps.len()];
        for chains in &block.chains {
            for (i, chain) in chains.chains.iter().enumerate() {
                chain
                    .iter()
                    .for_each(|&at| places[at] = Some((self.runs.len(), i)));
            }
            self.runs.push(0..0);
        }
        places
    }

    fn repeat(&mut self, repeat: &Loop) {
        self.moves(&repeat.entry);
        self.now += 1;
        let start = self.now;
        self.touched.push(Vec::new());
        self.block(&repeat.cond_block);
        self.touch(repeat.condition);
        self.block(&repeat.body);
        self.now += 1;
        for slot in self.touched.pop().unwrap_or_default() {
            if self.first[slot as usize].is_some_and(|first| first < start) {
                self.touch(slot);
            } else if let Some(outer) = self.touched.last_mut() {
                outer.push(slot);
            }
        }
    }
}
