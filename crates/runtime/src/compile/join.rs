//! The third stage: steps that compute row by row, over as many rows, become one that takes a tile of rows through all
//! of them. What only they read has no place in memory any more. Results have the bits that the steps give one by one.
//!
//! Steps need not be neighbours: a group stays open until another step needs what it makes, and stands where its last
//! step stood. Steps join the group that makes what they read, or one that reads the same.

use super::lower::{Program, SlotInfo};
use super::reads::{count_reads, each_read};
use super::rows::{Rows, cut, most_elements, row_counts, row_wise};
use super::tile::joined;
use crate::plan::{Action, Block, Slot, Step};
use ferrograph_tensor::Tensor;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Elements below which the values in between stay in the cache anyhow.
const FEW: usize = 4096;

/// Steps that one takes in, at most: their tiles have to fit the cache.
const MOST: usize = 48;

/// Joins the steps of all blocks.
pub(super) fn join(program: &mut Program) {
    let reads = count_reads(program);
    let mut block = std::mem::take(&mut program.block);
    let facts = Facts {
        program,
        constants: program.constants.iter().cloned().collect(),
        reads,
    };
    join_block(&facts, &mut block);
    program.block = block;
}

/// What is known of a program besides its blocks.
pub(super) struct Facts<'a> {
    pub program: &'a Program,
    pub constants: HashMap<Slot, Tensor, FixedState>,
    /// How often each slot is read.
    pub reads: Vec<u32>,
}

impl Facts<'_> {
    pub fn slots(&self) -> &[SlotInfo] {
        &self.program.slots
    }
}

fn join_block(facts: &Facts<'_>, block: &mut Block) {
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
            join_block(facts, &mut branch.then_block);
            join_block(facts, &mut branch.else_block);
        }
        Action::While(repeat) => {
            join_block(facts, &mut repeat.cond_block);
            join_block(facts, &mut repeat.body);
        }
        _ => {}
    }
}

/// Steps that may become one.
#[derive(Default)]
pub(super) struct Group {
    /// In program order, with where they stood.
    pub steps: Vec<(usize, Step)>,
    /// What they make.
    pub made: Vec<Slot>,
    /// What they read.
    taken: Vec<Slot>,
    /// The numbers of rows into which all of them can be cut.
    pub rows: Rows,
}

impl Group {
    fn makes(&self, read: &[Slot]) -> bool {
        read.iter().any(|slot| self.made.contains(slot))
    }

    fn takes(&self, read: &[Slot]) -> bool {
        read.iter().any(|slot| self.taken.contains(slot))
    }

    /// Takes another group in.
    fn absorb(&mut self, other: Group) {
        self.steps.extend(other.steps);
        self.steps.sort_by_key(|(at, _)| *at);
        self.made.extend(other.made);
        self.taken.extend(other.taken);
        self.rows.retain(|rows| other.rows.contains(rows));
    }
}

/// The groups of a block that are open, and the steps that stand behind one another already.
struct Groups<'a> {
    facts: &'a Facts<'a>,
    open: Vec<Group>,
    steps: Vec<Step>,
}

impl Groups<'_> {
    fn step(&mut self, at: usize, step: Step) {
        let mut read = Vec::new();
        each_read(&step, &mut |slot| read.push(slot));
        let rows = self.rows(&step, &read);
        if rows.is_empty() {
            self.close(|group| group.makes(&read));
            return self.steps.push(step);
        }
        let made = row_wise(self.facts.slots(), &step).map_or(&[][..], |bound| &bound.outs);
        let mut group = Group {
            made: made.to_vec(),
            taken: read.clone(),
            rows,
            steps: vec![(at, step)],
        };
        if !self.join_makers(&mut group, &read) {
            self.close(|group| group.makes(&read));
            self.join_reader(&mut group, &read);
        }
        self.open.push(group);
    }

    /// The numbers of rows into which a step can be cut that may be joined; none for others.
    fn rows(&self, step: &Step, read: &[Slot]) -> Rows {
        let slots = self.facts.slots();
        let Some(bound) = row_wise(slots, step) else {
            return Rows::new();
        };
        let is_inside = || self.open.iter().any(|group| group.makes(read));
        match most_elements(slots, bound) >= FEW || is_inside() {
            true => row_counts(slots, bound),
            false => Rows::new(),
        }
    }

    /// Adds the groups that make what a step reads to the group of that step, where all of them can be one.
    fn join_makers(&mut self, single: &mut Group, read: &[Slot]) -> bool {
        let makers = || self.open.iter().filter(|group| group.makes(read));
        let fits = |rows: &usize| {
            let inside = makers().all(|group| group.rows.contains(rows));
            inside && makers().all(|group| slices(self.facts, single, *rows, &group.made))
        };
        let n_steps: usize = makers().map(|group| group.steps.len()).sum();
        let fitting: Rows = single.rows.iter().copied().filter(fits).collect();
        if n_steps == 0 || n_steps >= MOST || fitting.is_empty() {
            return false;
        }
        single.rows = fitting;
        let makers: Vec<Group> = self.open.extract_if(.., |g| g.makes(read)).collect();
        makers.into_iter().for_each(|group| single.absorb(group));
        true
    }

    /// Adds a group that reads what a step reads to the group of that step.
    fn join_reader(&mut self, single: &mut Group, read: &[Slot]) {
        let fits = |group: &Group| {
            let has_room = group.steps.len() < MOST && group.takes(read);
            has_room && single.rows.iter().any(|rows| group.rows.contains(rows))
        };
        if let Some(at) = self.open.iter().position(fits) {
            let group = self.open.remove(at);
            single.absorb(group);
        }
    }

    /// Ends groups: their steps stand here.
    fn close(&mut self, which: impl Fn(&Group) -> bool) {
        let closed: Vec<Group> = self.open.extract_if(.., |group| which(group)).collect();
        for group in closed {
            match joined(self.facts, &group) {
                Some(step) => self.steps.push(step),
                None => self
                    .steps
                    .extend(group.steps.into_iter().map(|(_, step)| step)),
            }
        }
    }
}

/// Whether a step that is cut into so many rows reads only its own rows of what others make.
fn slices(facts: &Facts<'_>, single: &Group, rows: usize, made: &[Slot]) -> bool {
    single.steps.iter().all(|(_, step)| {
        let bound = row_wise(facts.slots(), step);
        bound.is_some_and(|bound| {
            cut(facts.slots(), bound, rows).is_some_and(|cut| {
                let mut ins = bound.ins.iter().zip(&cut.sliced);
                ins.all(|(slot, &sliced)| sliced || !made.contains(slot))
            })
        })
    })
}
