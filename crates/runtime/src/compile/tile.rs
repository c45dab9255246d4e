//! The step that does what those of a group do, a tile of rows at a time.

use super::fuse::{Facts, FusionGroup};
use super::rows::{Cut, Indexing, StepKind, bind, bind_update, cut, within};
use super::slice_inputs::{SliceInput, slice_input};
use super::totals::extent_of;
use super::update::update;
use super::variables::Variables;
use super::vectors::vectors;
use crate::plan::{
    Action, Binding, Bound, BroadcastIndex, Fused, Member, Order, Site, Slot, Step, Task, Tiled,
    Total, Traversal, Work, total,
};
use ferrograph_graph::{Kernel, OpRef, Operands, SlotType};
use ferrograph_ops::AssignKind;
use ferrograph_tensor::{DType, Origin, Result, Shape};
use smallvec::SmallVec;
use std::sync::Arc;

/// What a step costs for an element that it reads or makes, roughly.
const ELEMENT_NS: f64 = 0.2;

/// One of the steps to be fused.
pub(super) struct Part<'a> {
    pub op: OpRef,
    pub origin: Option<Arc<Origin>>,
    site: Site,
    pub kind: StepKind<'a>,
    /// What it reads, apart from variables, before other shapes were given to it.
    pub ins: SmallVec<[Slot; 4]>,
    cut: Cut,
}

/// A value of the fused step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// The rows of a slot.
    Rows(Slot),
    /// All of a slot, whose elements a broadcast index gives for those of a row.
    All(Slot, Option<BroadcastIndex>),
    /// Rows of a slot that a broadcast index gives, and likewise their elements.
    Broadcast(Slot, BroadcastIndex, Option<BroadcastIndex>),
    /// The rows that the slice of that part takes, in its operand.
    Slice(usize),
    /// The rows of that variable.
    Variable(usize),
    /// The new rows of that variable.
    Next(usize),
}

/// What a member of the fused step runs.
pub(super) enum Run {
    /// The kernel of that part.
    Part(usize),
    /// A copy.
    Copy,
    /// Takes the rows of the slice of that part.
    Slice(usize),
    /// Feeds that total, so many elements a row.
    Feed(usize, usize),
    /// What an assignment adds to the rows of that variable, or subtracts.
    Update(AssignKind, usize),
}

/// What a fused step is made from.
pub(super) struct Fusion<'a> {
    pub facts: &'a Facts<'a>,
    pub rows: usize,
    pub tile: usize,
    pub parts: Vec<Part<'a>>,
    pub variables: Variables,
    pub values: Vec<Value>,
    pub members: Vec<Member>,
    pub runs: Vec<Run>,
    /// The reductions of all rows, with the outputs that they are.
    pub totals: Vec<(usize, usize)>,
    /// In which order tiles are taken.
    pub traversal: Traversal,
    /// The inputs of the fused step, and its outputs.
    pub ins: Vec<Slot>,
    pub outs: Vec<Slot>,
    /// Outputs that others read under another shape: the step that gives it to them.
    aliases: Vec<(Slot, Slot, Site)>,
}

/// The step that does what those of a group do, and those that give its outputs other shapes; none where they are
/// better left alone.
pub(super) fn fused(facts: &Facts<'_>, group: &FusionGroup) -> Option<Vec<Step>> {
    let (_, last) = group.steps.last()?;
    let mut ways = group.rows.iter();
    let fusion = ways.find_map(|&rows| Fusion::of(facts, group, rows))?;
    let updates = |part: &Part<'_>| part.kind.changes();
    let works = |part: &&Part<'_>| !matches!(part.kind, StepKind::Alias { .. });
    let computes = |part: &Part<'_>| matches!(part.kind, StepKind::Compute(_) | StepKind::Total(_));
    let is_more = fusion.parts.iter().filter(works).count() > 1;
    let is_worth = is_more && fusion.parts.iter().any(computes);
    if !is_worth && !fusion.parts.iter().any(updates) {
        return None;
    }
    let tiled = fusion.tiled()?;
    let action = match fusion.variables.slots.is_empty() {
        true => {
            let in_vectors = tiled.in_vectors();
            Action::Kernel(fusion.bound(tiled.into_kernel(), in_vectors))
        }
        false => update(&fusion, tiled)?,
    };
    let step = Step {
        action,
        drops: Box::default(),
        site: last.site,
    };
    let aliases = fusion.aliases.iter();
    let aliases = aliases.map(|&(from, to, site)| alias(facts, from, to, site));
    std::iter::once(Some(step)).chain(aliases).collect()
}

fn alias(facts: &Facts<'_>, from: Slot, to: Slot, site: Site) -> Option<Step> {
    let shape = facts.slots()[to as usize].shape.clone()?;
    Some(Step {
        action: Action::Alias { from, shape, to },
        drops: Box::default(),
        site,
    })
}

impl<'a> Fusion<'a> {
    /// Of so many rows, where tiles of them suit all steps.
    fn of(facts: &'a Facts<'a>, group: &'a FusionGroup, rows: usize) -> Option<Fusion<'a>> {
        let mut parts: Vec<Part<'a>> = Vec::with_capacity(group.steps.len());
        for (_, step) in &group.steps {
            let kind = StepKind::of(facts, step)?;
            let graph = facts.program.graphs[step.site.graph as usize].upgrade()?;
            let node = graph.node(step.site.node);
            let ins = kind.ins().iter().map(|&slot| root(&parts, slot));
            let ins = ins.collect();
            parts.push(Part {
                op: node.op.clone(),
                origin: node.origin.clone(),
                kind,
                ins,
                site: step.site,
                cut: cut(facts.slots(), &kind, rows)?,
            });
        }
        let mut fusion = Fusion {
            facts,
            rows,
            tile: 0,
            variables: Variables::of(facts, parts.iter().map(|part| part.kind))?,
            parts,
            values: Vec::new(),
            members: Vec::new(),
            runs: Vec::new(),
            totals: Vec::new(),
            traversal: Traversal::Along(1),
            ins: Vec::new(),
            outs: Vec::new(),
            aliases: Vec::new(),
        };
        fusion.name_operands(group);
        fusion.name_members();
        fusion.choose_tile()?;
        Some(fusion)
    }

    /// Says what comes from outside and what is needed there.
    fn name_operands(&mut self, group: &FusionGroup) {
        let mut inside = vec![0; group.made.len()];
        for part in &self.parts {
            for slot in part.kind.ins() {
                let made = group.made.iter().position(|made| made == slot);
                made.into_iter().for_each(|at| inside[at] += 1);
            }
            let is_alias = matches!(part.kind, StepKind::Alias { .. });
            for &slot in part.ins.iter().filter(|_| !is_alias) {
                if !group.made.contains(&slot) && !self.ins.contains(&slot) {
                    self.ins.push(slot);
                }
            }
        }
        let needed = |slot: Slot| {
            let at = group.made.iter().position(|&made| made == slot);
            at.is_none_or(|at| self.facts.reads[slot as usize] > inside[at])
        };
        for part in &self.parts {
            if let StepKind::Alias { out, .. } = part.kind
                && needed(out)
            {
                self.aliases.push((part.ins[0], out, part.site));
            }
        }
        let is_shown = |slot: &Slot| needed(*slot) || self.aliases.iter().any(|a| a.0 == *slot);
        let works = |part: &&Part<'_>| !matches!(part.kind, StepKind::Alias { .. });
        let made = self.parts.iter().filter(works);
        let made = made.filter_map(|part| part.kind.made());
        self.outs = made.filter(is_shown).collect();
    }

    /// Says which kernels run, on which values.
    fn name_members(&mut self) {
        self.variables.place(&self.parts, &self.outs);
        for at in 0..self.parts.len() {
            let kind = self.parts[at].kind;
            match kind {
                StepKind::Compute(bound) => {
                    let operands = self.parts[at].cut.operands.clone();
                    let ins = self.parts[at].ins.iter().zip(operands);
                    let within = |slot| self.within(at, slot, bound.outs[0]);
                    let ins: Vec<Value> = ins
                        .map(|(&slot, indexing)| match indexing {
                            Indexing::Each => self.variables.rows(slot),
                            Indexing::All => Value::All(slot, within(slot)),
                            Indexing::Broadcast(index) => {
                                Value::Broadcast(slot, index, within(slot))
                            }
                        })
                        .collect();
                    let out = self.variables.rows(bound.outs[0]);
                    self.member(Run::Part(at), &ins, out);
                }
                StepKind::Total(bound) => self.name_total(at, bound.outs[0]),
                StepKind::Alias { .. } => {}
                StepKind::Slice { bound, .. } => {
                    let out = self.variables.rows(bound.outs[0]);
                    self.member(Run::Slice(at), &[Value::Slice(at)], out);
                }
                StepKind::Read { variable, out } => {
                    let (from, to) = (self.variables.value(variable), self.variables.rows(out));
                    if from != to {
                        self.member(Run::Copy, &[from], to);
                    }
                }
                StepKind::Assign { kind, variable, .. } => {
                    let value = self.parts[at].ins[0];
                    self.name_assignment(kind, variable, value);
                }
            }
        }
    }

    /// How the elements that a slot has for a row go with those of a row that a part makes.
    fn within(&self, part: usize, slot: Slot, out: Slot) -> Option<BroadcastIndex> {
        let shape = |slot: Slot| self.facts.slots()[slot as usize].shape.as_ref();
        within(shape(slot)?, shape(out)?, self.parts[part].cut.axes)
    }

    fn name_total(&mut self, at: usize, out: Slot) {
        let Some(output) = self.outs.iter().position(|&slot| slot == out) else {
            return;
        };
        let value = self.variables.rows(self.parts[at].ins[0]);
        let ins = [self.number(value)].into();
        let outs = Box::default();
        self.members.push(Member { ins, outs });
        let width = self.width(value);
        self.runs.push(Run::Feed(self.totals.len(), width));
        self.totals.push((at, output));
    }

    fn name_assignment(&mut self, kind: AssignKind, variable: Slot, value: Slot) {
        let (to, value) = (self.variables.value(variable), self.variables.rows(value));
        let Value::Variable(number) = to else { return };
        if kind == AssignKind::Set {
            if value != to {
                self.member(Run::Copy, &[value], to);
            }
            return;
        }
        let next = Value::Next(number);
        self.member(Run::Update(kind, number), &[to, value], next);
        self.member(Run::Copy, &[next], to);
    }

    fn member(&mut self, run: Run, ins: &[Value], out: Value) {
        let ins = ins.iter().map(|&value| self.number(value)).collect();
        let outs = [self.number(out)].into();
        self.members.push(Member { ins, outs });
        self.runs.push(run);
    }

    /// The number of a value; it is added where there is none.
    fn number(&mut self, value: Value) -> u32 {
        let at = self.values.iter().position(|v| *v == value);
        let at = at.unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        at as u32
    }

    pub fn dtype(&self, value: Value) -> DType {
        match value {
            Value::Rows(slot) | Value::All(slot, _) | Value::Broadcast(slot, ..) => {
                self.facts.slots()[slot as usize].dtype
            }
            Value::Slice(at) => self.facts.slots()[self.parts[at].ins[0] as usize].dtype,
            Value::Variable(i) | Value::Next(i) => self.variables.held[i].dtype,
        }
    }

    pub fn elements(&self, value: Value) -> usize {
        match value {
            Value::Rows(slot) | Value::All(slot, _) | Value::Broadcast(slot, ..) => {
                let shape = self.facts.slots()[slot as usize].shape.as_ref();
                shape.map_or(0, Shape::n_elements)
            }
            Value::Slice(at) => self
                .slice_input(at)
                .map_or(0, |slice_input| slice_input.width * self.rows),
            Value::Variable(i) | Value::Next(i) => self.variables.held[i].shape.n_elements(),
        }
    }

    /// The rows that the slice of a part takes.
    pub fn slice_input(&self, at: usize) -> Option<SliceInput> {
        match self.parts[at].kind {
            StepKind::Slice { bound, .. } => slice_input(self.facts.slots(), bound, self.rows),
            _ => None,
        }
    }

    fn bytes(&self, value: Value) -> usize {
        self.elements(value) * self.dtype(value).size()
    }

    /// Elements of a row.
    pub fn width(&self, value: Value) -> usize {
        let rows = match value {
            Value::Broadcast(_, index, _) => index.count,
            _ => self.rows,
        };
        self.elements(value) / rows
    }

    fn tiled(&self) -> Option<Tiled> {
        let rest = self.traversal.rest(self.rows, self.tile);
        let (places, scratch_bytes, bool_bytes) = self.places(&self.members);
        let touched = self
            .members
            .iter()
            .flat_map(|m| m.ins.first().into_iter().chain(&m.outs));
        let elements: usize = touched.map(|&v| self.width(self.values[v as usize])).sum();
        #[allow(clippy::cast_precision_loss)]
        let row_ns = elements as f64 * ELEMENT_NS;
        Some(Tiled {
            rows: self.rows,
            tile: self.tile,
            whole: self.binding(self.tile)?,
            rest: match rest {
                0 => None,
                n => Some(self.binding(n)?),
            },
            members: self.members.clone(),
            totals: self.running()?,
            traversal: self.traversal,
            order: Order {
                tasks: (0..self.members.len()).map(Task::Member).collect(),
                places,
                scratch_bytes,
                bool_bytes,
            },
            vectors: vectors(self),
            row_ns,
        })
    }

    /// The kernels for tiles of so many rows.
    fn binding(&self, tile: usize) -> Option<Binding> {
        let slot_type = |&value: &Value| SlotType {
            dtype: self.dtype(value),
            len: match value {
                Value::All(..) => self.elements(value),
                Value::Broadcast(_, index, _) => self.width(value) * index.rows(tile),
                Value::Slice(at) => self
                    .slice_input(at)
                    .map_or(0, |slice_input| slice_input.span(tile)),
                _ => self.width(value) * tile,
            },
        };
        let work = self.runs.iter().map(|run| self.work(run, tile));
        Some(Binding {
            work: work.collect::<Option<_>>()?,
            types: self.values.iter().map(slot_type).collect(),
        })
    }

    /// The reductions of all rows, with the outputs that they are.
    fn running(&self) -> Option<Vec<(Total, usize)>> {
        let total = |&(at, output): &(usize, usize)| {
            let StepKind::Total(bound) = self.parts[at].kind else {
                return None;
            };
            let extent = extent_of(self.facts.slots(), bound)?;
            let dtype = self.facts.slots()[bound.ins[0] as usize].dtype;
            let code = bound.reduced.as_ref()?.code;
            Some((total(code, dtype, extent)?, output))
        };
        self.totals.iter().map(total).collect()
    }

    fn work(&self, run: &Run, tile: usize) -> Option<Work> {
        let kernel: Option<Kernel> = match *run {
            Run::Feed(total, width) => return Some(Work::Feed(total, width)),
            Run::Part(at) => {
                let part = &self.parts[at];
                let StepKind::Compute(bound) = part.kind else {
                    return None;
                };
                let constants = |slot: Slot| self.facts.constants.get(&slot).cloned();
                bind(
                    self.facts.slots(),
                    &constants,
                    (&part.op, bound),
                    &part.cut,
                    tile,
                )
            }
            Run::Copy => Some(Box::new(copy)),
            Run::Slice(at) => {
                let size = self.dtype(Value::Slice(at)).size();
                self.slice_input(at)
                    .map(|slice_input| slice_input.kernel(size))
            }
            Run::Update(kind, number) => {
                let value = Value::Variable(number);
                bind_update(kind, self.dtype(value), self.width(value) * tile)
            }
        };
        kernel.map(Work::Compute)
    }

    /// The operands of the fused step, with its kernel.
    pub fn bound<K>(&self, kernel: K, vectors: Box<[Box<[usize]>]>) -> Bound<K> {
        let bytes = |slots: &[Slot]| -> usize {
            slots
                .iter()
                .map(|&slot| self.bytes(Value::Rows(slot)))
                .sum()
        };
        let of_variables = |which: &[bool]| -> usize {
            let chosen = (0..which.len()).filter(|&i| which[i]);
            chosen.map(|i| self.bytes(Value::Variable(i))).sum()
        };
        let read: Vec<bool> = self
            .variables
            .held
            .iter()
            .map(|held| held.is_read)
            .collect();
        Bound {
            kernel,
            fused: Some(Box::new(Fused {
                operations: self.parts.iter().map(|part| part.op.name()).collect(),
                sites: self.parts.iter().map(|part| part.site).collect(),
                rows: self.rows,
                tile: self.tile,
                vectors,
                bytes_read: bytes(&self.ins) + of_variables(&read),
                bytes_written: bytes(&self.outs) + of_variables(&self.variables.changed),
            })),
            ins: self.ins.clone().into(),
            outs: self.outs.clone().into(),
            fresh: Box::default(),
            code: None,
            places: None,
            reduced: None,
            transposed: None,
            repeats: false,
            by_rows: false,
        }
    }
}

/// The value that was given other shapes to make that one.
fn root(parts: &[Part<'_>], slot: Slot) -> Slot {
    let gives = |part: &&Part<'_>| matches!(part.kind, StepKind::Alias { out, .. } if out == slot);
    parts.iter().find(gives).map_or(slot, |part| part.ins[0])
}

/// Copies rows from one place to another, which may be the same: of two variables that are one.
fn copy(o: &mut Operands<'_>) -> Result<()> {
    let from = o.input_bytes(0).as_ptr();
    let to = o.output_bytes(0);
    // SAFETY: both values are of one type, so that there are as many bytes to read.
    unsafe { std::ptr::copy(from, to.as_mut_ptr(), to.len()) };
    Ok(())
}
