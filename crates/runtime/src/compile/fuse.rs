//! The third stage, fusion: steps that compute row by row, over as many rows, become one that takes a tile of rows
//! through all of them. What only they read is not stored any more. Results have the bits that the steps give one by
//! one.
//!
//! Steps need not be neighbours: a fusion group stays open until another step needs what it makes, and its step is
//! where its last member was. A step is added to the group that makes what it reads, or to one that reads the same. So
//! are reads of variables and assignments, in their order: an effect that must not change its order with theirs ends
//! the group.

use super::lower::{Program, SlotInfo};
use super::reads::{count_reads, each_read};
use super::rows::{Indexing, Rows, StepKind, cut, most_elements, row_counts};
use super::split_group::split_group;
use super::totals::{ReductionRequest, WHOLE, extent_of, is_whole, request};
use crate::plan::{Action, Block, Slot, Step};
use ferrograph_graph::Effect;
use ferrograph_ops::AssignKind;
use ferrograph_tensor::{Shape, Tensor};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Elements below which the values in between stay in the cache anyhow.
const FEW: usize = 256;

/// Steps that become one, at most: their tiles have to fit the cache.
const MOST: usize = 48;

/// Fuses the steps of all blocks; `vectors` says whether vector code may do what they do.
pub(super) fn fuse(program: &mut Program, vectors: bool) {
    if !program.slots.iter().any(|slot| elements(slot) >= FEW) {
        return;
    }
    let reads = count_reads(program);
    let mut block = std::mem::take(&mut program.block);
    let facts = Facts {
        program,
        constants: program.constants.iter().cloned().collect(),
        reads,
        vectors,
    };
    fuse_block(&facts, &mut block);
    program.block = block;
}

/// How many elements a slot is known to have.
fn elements(slot: &SlotInfo) -> usize {
    slot.shape.as_ref().map_or(0, Shape::n_elements)
}

/// What is known of a program besides its blocks.
pub(super) struct Facts<'a> {
    pub program: &'a Program,
    pub constants: HashMap<Slot, Tensor, FixedState>,
    /// How often each slot is read.
    pub reads: Vec<u32>,
    /// Whether there may be vector code.
    pub vectors: bool,
}

impl Facts<'_> {
    pub fn slots(&self) -> &[SlotInfo] {
        &self.program.slots
    }
}

fn fuse_block(facts: &Facts<'_>, block: &mut Block) {
    let mut groups = Groups {
        facts,
        open: Vec::new(),
        steps: Vec::with_capacity(block.steps.len()),
    };
    for (at, mut step) in std::mem::take(&mut block.steps).into_iter().enumerate() {
        inner(facts, &mut step);
        groups.step(at, step);
    }
    groups.close(|_| true);
    block.steps = groups.steps;
}

fn inner(facts: &Facts<'_>, step: &mut Step) {
    match &mut step.action {
        Action::If(branch) => {
            fuse_block(facts, &mut branch.then_block);
            fuse_block(facts, &mut branch.else_block);
        }
        Action::While(repeat) => {
            fuse_block(facts, &mut repeat.cond_block);
            fuse_block(facts, &mut repeat.body);
        }
        _ => {}
    }
}

/// Steps that may become one.
#[derive(Default)]
pub(super) struct FusionGroup {
    /// In program order, with where they stood.
    pub steps: Vec<(usize, Step)>,
    /// What they make.
    pub made: Vec<Slot>,
    /// Which of that is there only when all rows are done.
    totals: Vec<Slot>,
    /// What they read.
    taken: Vec<Slot>,
    /// In which order their reductions want their elements.
    request: Option<ReductionRequest>,
    /// The numbers of rows into which all of them can be cut.
    pub rows: Rows,
    /// Whether they read variables, and whether they change some.
    effect: Option<Effect>,
    /// Whether one of them reduces all to so little that one thread does it.
    has_whole: bool,
    /// The most elements of a value of theirs.
    largest: usize,
    /// Whether one of them reads a slice without a copy: variables, which may be left to the single steps, do not go
    /// along.
    slices: bool,
}

impl FusionGroup {
    fn makes(&self, read: &[Slot]) -> bool {
        read.iter().any(|slot| self.made.contains(slot))
    }

    /// Whether a step that reads that needs all rows of these.
    fn ends_before(&self, read: &[Slot]) -> bool {
        read.iter().any(|slot| self.totals.contains(slot))
    }

    /// Whether what has an effect must not change places with these.
    fn keeps_order(&self, effect: Effect) -> bool {
        let writes = |effect| effect > Effect::Reads;
        self.effect.is_some_and(|own| {
            effect > Effect::Pure && own > Effect::Pure && (writes(effect) || writes(own))
        })
    }

    fn takes(&self, read: &[Slot]) -> bool {
        read.iter().any(|slot| self.taken.contains(slot))
    }

    /// Whether the reductions of both can be fed in one order, none by one thread what the other shares among some, and
    /// none slices while the other has effects.
    fn agrees(&self, other: &FusionGroup) -> bool {
        let is_bound = |group: &FusionGroup| group.effect > Some(Effect::Pure);
        if self.slices && is_bound(other) || other.slices && is_bound(self) {
            return false;
        }
        let holds_up =
            |group: &FusionGroup, other: &FusionGroup| group.has_whole && other.largest > WHOLE;
        if holds_up(self, other) || holds_up(other, self) {
            return false;
        }
        match (self.request, other.request) {
            (Some(one), Some(two)) => one == two,
            _ => true,
        }
    }

    /// Takes another group in.
    fn absorb(&mut self, other: FusionGroup) {
        self.steps.extend(other.steps);
        self.steps.sort_by_key(|(at, _)| *at);
        self.made.extend(other.made);
        self.totals.extend(other.totals);
        self.request = self.request.or(other.request);
        self.taken.extend(other.taken);
        self.rows.retain(|rows| other.rows.contains(rows));
        self.effect = self.effect.max(other.effect);
        self.has_whole |= other.has_whole;
        self.largest = self.largest.max(other.largest);
        self.slices |= other.slices;
    }
}

/// The groups of a block that are open, and the steps that stand behind one another already.
struct Groups<'a> {
    facts: &'a Facts<'a>,
    open: Vec<FusionGroup>,
    steps: Vec<Step>,
}

impl Groups<'_> {
    fn step(&mut self, at: usize, step: Step) {
        let mut read = Vec::new();
        each_read(&step, &mut |slot| read.push(slot));
        let effect = self.effect(&step);
        let rows = self.rows(&step);
        if rows.is_empty() {
            let may_fail = may_fail(self.facts, &step);
            self.close(|group| {
                let waits = may_fail && group.effect >= Some(Effect::Writes);
                waits || group.makes(&read) || group.keeps_order(effect)
            });
            return self.steps.push(step);
        }
        let kind = StepKind::of(self.facts, &step);
        let made = kind.and_then(|kind| kind.made());
        let is_total = matches!(kind, Some(StepKind::Total(_)));
        let extent = match kind {
            Some(StepKind::Total(bound)) => extent_of(self.facts.slots(), bound),
            _ => None,
        };
        let largest = kind.map_or(0, |kind| most_elements(self.facts.slots(), &kind));
        let mut group = FusionGroup {
            made: made.into_iter().collect(),
            totals: made.into_iter().filter(|_| is_total).collect(),
            taken: self.large(&read),
            request: extent.and_then(request),
            has_whole: extent.is_some_and(is_whole),
            largest,
            rows,
            effect: Some(effect),
            slices: matches!(kind, Some(StepKind::Slice { .. })),
            steps: vec![(at, step)],
        };
        let is_host = |group: &FusionGroup| group.makes(&read) || group.keeps_order(effect);
        let ends = self.open.iter().any(|group| group.ends_before(&read));
        if ends || !self.merge_hosts(&mut group, is_host) {
            self.close(is_host);
            self.merge_reader(&mut group, &read);
        }
        self.open.push(group);
    }

    /// Those of the slots that are worth reading once for several steps.
    fn large(&self, read: &[Slot]) -> Vec<Slot> {
        let slots = self.facts.slots();
        let is_large = |slot: &&Slot| elements(&slots[**slot as usize]) >= FEW;
        read.iter().filter(is_large).copied().collect()
    }

    /// What a step does beyond computing.
    fn effect(&self, step: &Step) -> Effect {
        let graph = self.facts.program.graphs[step.site.graph as usize].upgrade();
        graph.map_or(Effect::World, |graph| {
            graph.node(step.site.node).op.effect()
        })
    }

    /// The numbers of rows into which a step can be cut that may be fused; none for others.
    fn rows(&self, step: &Step) -> Rows {
        let slots = self.facts.slots();
        let Some(kind) = StepKind::of(self.facts, step) else {
            return Rows::new();
        };
        let is_inside = || self.open.iter().any(|group| group.makes(kind.ins()));
        let only_moves = matches!(
            kind,
            StepKind::Assign {
                kind: AssignKind::Set,
                ..
            } | StepKind::Alias { .. }
        );
        let is_large = !only_moves && most_elements(slots, &kind) >= FEW;
        match is_large || is_inside() {
            true => row_counts(slots, &kind),
            false => Rows::new(),
        }
    }

    /// Adds the groups behind which a step must stand to the group of that step, where all of them can be one.
    fn merge_hosts(
        &mut self,
        single: &mut FusionGroup,
        is_host: impl Fn(&FusionGroup) -> bool,
    ) -> bool {
        let hosts = || self.open.iter().filter(|group| is_host(group));
        let fits = |rows: &usize| {
            let inside = hosts().all(|group| group.rows.contains(rows));
            inside && hosts().all(|group| slices(self.facts, single, *rows, &group.made))
        };
        let n_steps: usize = hosts().map(|group| group.steps.len()).sum();
        let agree =
            hosts().all(|group| group.agrees(single) && hosts().all(|other| group.agrees(other)));
        let fitting: Rows = single.rows.iter().copied().filter(fits).collect();
        if n_steps == 0 || n_steps >= MOST || !agree || fitting.is_empty() {
            return false;
        }
        single.rows = fitting;
        let hosts: Vec<FusionGroup> = self.open.extract_if(.., |group| is_host(group)).collect();
        hosts.into_iter().for_each(|group| single.absorb(group));
        true
    }

    /// Adds a group that reads what a step reads to the group of that step.
    fn merge_reader(&mut self, single: &mut FusionGroup, read: &[Slot]) {
        let fits = |group: &FusionGroup| {
            let has_room = group.steps.len() < MOST && group.takes(read);
            has_room
                && group.agrees(single)
                && single.rows.iter().any(|rows| group.rows.contains(rows))
        };
        if let Some(at) = self.open.iter().position(fits) {
            let group = self.open.remove(at);
            single.absorb(group);
        }
    }

    /// Ends groups: their steps stand here.
    fn close(&mut self, which: impl Fn(&FusionGroup) -> bool) {
        let closed: Vec<FusionGroup> = self.open.extract_if(.., |group| which(group)).collect();
        for group in closed {
            self.steps.extend(split_group(self.facts, group));
        }
    }
}

/// Whether a step may fail, so that what the program wrote before it is to be written by then.
fn may_fail(facts: &Facts<'_>, step: &Step) -> bool {
    let is_sure =
        matches!(step.action, Action::Alias { .. }) || StepKind::of(facts, step).is_some();
    !is_sure
}

/// Whether a step that is cut into so many rows reads only its own rows of what others make.
fn slices(facts: &Facts<'_>, single: &FusionGroup, rows: usize, made: &[Slot]) -> bool {
    let slots = facts.slots();
    single.steps.iter().all(|(_, step)| {
        StepKind::of(facts, step).is_some_and(|kind| {
            cut(slots, &kind, rows).is_some_and(|cut| {
                let mut ins = kind.ins().iter().zip(&cut.operands);
                ins.all(|(slot, &indexing)| indexing == Indexing::Each || !made.contains(slot))
            })
        })
    })
}
