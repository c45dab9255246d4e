//! The last stage: which kernel outputs are tensors of their own, and where in the slab the other values lie. Bools
//! lie apart from what is no bool, so that a place which is used again always holds valid ones.

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
pub(super) fn place(name: &Arc<str>, mut program: Program) -> Result<Plan> {
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
    /// The lane that alone touches it, and how long all lanes beside it run.
    lane: Option<(Lane, Range<usize>)>,
}

/// A run of steps in lanes, and one of its lanes.
type Lane = (usize, usize);

/// Offsets from `base` on, and where the last of them ends. The values of a lane share bytes with one another, and with
/// nothing else that is alive while lanes run.
fn placed(values: &[Value], base: usize) -> (Vec<(Slot, usize)>, usize) {
    let mut within: BTreeMap<Lane, (Range<usize>, Vec<&Value>)> = BTreeMap::new();
    for value in values {
        if let Some((lane, runs)) = &value.lane {
            let entry = within.entry(*lane);
            let (_, of_lane) = entry.or_insert_with(|| (runs.clone(), Vec::new()));
            of_lane.push(value);
        }
    }
    let free: Vec<&Value> = values.iter().filter(|value| value.lane.is_none()).collect();
    let mut lives = lives(&free);
    let lanes: Vec<_> = (within.into_values())
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
    let (of_free, of_lanes) = places.split_at(free.len());
    let at = |offset: usize| base.saturating_add(offset);
    let free = free.iter().zip(of_free);
    let mut found: Vec<(Slot, usize)> = free.map(|(v, &offset)| (v.slot, at(offset))).collect();
    for ((values, offsets), &lane) in lanes.iter().zip(of_lanes) {
        let offsets = offsets
            .iter()
            .map(|offset| at(lane.saturating_add(*offset)));
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
    /// The lane whose step this is.
    lane: Option<Lane>,
    /// When each run of lanes begins and ends.
    runs: Vec<Range<usize>>,
    /// What lanes touched.
    in_lanes: Vec<(Slot, Lane)>,
    /// What is touched by steps that are in no lane.
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
        let lanes = all.settle_lanes();
        let mut values = Vec::new();
        for (slot, info) in (0..).zip(&program.slots) {
            if matches!(info.storage, Storage::Slab | Storage::Pinned)
                && let (Some(start), Some(bytes)) = (all.first[slot as usize], info.bytes())
            {
                let end = all.last[slot as usize];
                let life = Lifetime { start, end, bytes };
                let lane = lanes.get(&slot);
                let lane = lane.map(|&lane| (lane, all.runs[lane.0].clone()));
                values.push(Value { slot, life, lane });
            }
        }
        values
    }

    /// Which slots only one lane touches; others that lanes touch live as long as the lanes run.
    fn settle_lanes(&mut self) -> BTreeMap<Slot, Lane> {
        let mut lanes: BTreeMap<Slot, Option<Lane>> = BTreeMap::new();
        for &(slot, lane) in &self.in_lanes {
            let alone = (!self.outside[slot as usize]).then_some(lane);
            let found = lanes.entry(slot).or_insert(alone);
            if *found != alone {
                *found = None;
            }
        }
        for &(slot, (run, _)) in &self.in_lanes {
            if lanes[&slot].is_none() {
                let (i, runs) = (slot as usize, &self.runs[run]);
                self.first[i] = self.first[i].map(|first| first.min(runs.start));
                self.last[i] = self.last[i].max(runs.end);
            }
        }
        let alone = lanes.into_iter();
        alone
            .filter_map(|(slot, lane)| Some((slot, lane?)))
            .collect()
    }

    fn touch(&mut self, slot: Slot) {
        let i = slot as usize;
        self.first[i].get_or_insert(self.now);
        self.last[i] = self.last[i].max(self.now);
        match self.lane {
            Some(lane) => self.in_lanes.push((slot, lane)),
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
        let mut runs = (self.runs.len()..).zip(&block.lanes).peekable();
        let places = self.lane_places(block);
        for (at, (step, lane)) in block.steps.iter().zip(places).enumerate() {
            self.now += 1;
            self.lane = lane;
            if let Some((run, lanes)) = runs.next_if(|(_, lanes)| lanes.steps.start == at) {
                self.runs[run] = self.now..self.now + lanes.steps.len() - 1;
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
        self.lane = None;
        self.now += 1;
        for record in &block.records {
            self.touch(record.from.slot);
        }
        self.moves(&block.moves);
    }

    /// The lane of each step. When they run is said as steps are met.
    fn lane_places(&mut self, block: &Block) -> Vec<Option<Lane>> {
        let mut places = vec![None; block.steps.len()];
        for lanes in &block.lanes {
            for (i, lane) in lanes.lanes.iter().enumerate() {
                lane.iter()
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
