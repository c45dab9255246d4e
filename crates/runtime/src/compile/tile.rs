//! The step that does what those of a group do, a tile of rows at a time.

use super::join::{Facts, Group};
use super::layout::{Lifetime, assign};
use super::rows::{Cut, bind, cut, row_wise};
use crate::plan::{Action, At, Binding, Bound, Joined, Member, Slot, Step, Tiled};
use ferrograph_graph::{Kernel, OpRef, SlotType};
use ferrograph_tensor::{DType, Shape};

/// Elements of the widest value of a tile, where a row has no more.
const TILE: usize = 2048;

/// What a step costs for an element, roughly.
const ELEMENT_NS: f64 = 0.4;

/// One of the steps to be joined.
struct Part<'a> {
    op: OpRef,
    bound: &'a Bound<Kernel>,
    cut: Cut,
}

/// A value of the joined step.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Value {
    slot: Slot,
    /// Whether a tile has its rows of it, or all of it.
    sliced: bool,
}

/// What a joined step is made from.
struct Joining<'a> {
    facts: &'a Facts<'a>,
    rows: usize,
    tile: usize,
    parts: Vec<Part<'a>>,
    values: Vec<Value>,
    members: Vec<Member>,
    /// The inputs of the joined step, and its outputs.
    ins: Vec<Slot>,
    outs: Vec<Slot>,
}

/// The step that does what those of a group do; none where they are better left alone.
pub(super) fn joined(facts: &Facts<'_>, group: &Group) -> Option<Step> {
    let (_, last) = group.steps.last()?;
    if group.steps.len() < 2 {
        return None;
    }
    let mut joining = Joining::of(facts, group)?;
    joining.name_values(group);
    let kernel = joining.tiled()?.into_kernel();
    Some(Step {
        action: Action::Kernel(Bound {
            kernel,
            joined: Some(joining.summary()),
            ins: joining.ins.into(),
            outs: joining.outs.into(),
            fresh: Box::default(),
            code: None,
            reduced: None,
        }),
        drops: Box::default(),
        site: last.site,
    })
}

impl<'a> Joining<'a> {
    fn of(facts: &'a Facts<'a>, group: &'a Group) -> Option<Joining<'a>> {
        let rows = *group.rows.first()?;
        let part = |step: &'a Step| {
            let bound = row_wise(facts.slots(), step)?;
            let graph = facts.program.graphs[step.site.graph as usize].upgrade()?;
            Some(Part {
                op: graph.node(step.site.node).op.clone(),
                bound,
                cut: cut(facts.slots(), bound, rows)?,
            })
        };
        let steps = group.steps.iter();
        Some(Joining {
            facts,
            rows,
            tile: 0,
            parts: steps.map(|(_, step)| part(step)).collect::<Option<_>>()?,
            values: Vec::new(),
            members: Vec::new(),
            ins: Vec::new(),
            outs: Vec::new(),
        })
    }

    /// Says which values there are, which of them come from outside and which are needed there.
    fn name_values(&mut self, group: &Group) {
        for part in std::mem::take(&mut self.parts) {
            let ins = part.bound.ins.iter().zip(&part.cut.sliced);
            let ins = ins
                .map(|(&slot, &sliced)| self.value(slot, sliced))
                .collect();
            let outs = part.bound.outs.iter();
            let outs = outs.map(|&slot| self.value(slot, true)).collect();
            self.members.push(Member { ins, outs });
            self.parts.push(part);
        }
        let slots = self.parts.iter().flat_map(|part| part.bound.ins.iter());
        let mut inside = vec![0; group.made.len()];
        for &slot in slots {
            match group.made.iter().position(|&made| made == slot) {
                Some(at) => inside[at] += 1,
                None if !self.ins.contains(&slot) => self.ins.push(slot),
                None => {}
            }
        }
        let made = self.parts.iter().flat_map(|part| part.bound.outs.iter());
        let needed = |slot: &&Slot| {
            let at = group.made.iter().position(|made| made == *slot);
            at.is_none_or(|at| self.facts.reads[**slot as usize] > inside[at])
        };
        self.outs = made.filter(needed).copied().collect();
        let widest = self.values.iter().filter(|value| value.sliced);
        let widest = widest.map(|value| self.width(value.slot)).max();
        self.tile = (TILE / widest.unwrap_or(1).max(1)).clamp(1, self.rows);
    }

    /// The number of a value; it is added where there is none.
    fn value(&mut self, slot: Slot, sliced: bool) -> u32 {
        let value = Value { slot, sliced };
        let at = self.values.iter().position(|v| *v == value);
        let at = at.unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        });
        at as u32
    }

    fn dtype(&self, slot: Slot) -> DType {
        self.facts.slots()[slot as usize].dtype
    }

    fn elements(&self, slot: Slot) -> usize {
        let shape = self.facts.slots()[slot as usize].shape.as_ref();
        shape.map_or(0, Shape::n_elements)
    }

    /// Elements of a row.
    fn width(&self, slot: Slot) -> usize {
        self.elements(slot) / self.rows
    }

    fn tiled(&self) -> Option<Tiled> {
        let rest = self.rows % self.tile;
        let (places, scratch_bytes, bool_bytes) = self.places();
        let elements: usize = (self.parts.iter())
            .flat_map(|part| part.bound.outs.iter().chain(part.bound.ins.first()))
            .map(|&slot| self.width(slot))
            .sum();
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
            places,
            scratch_bytes,
            bool_bytes,
            row_ns,
        })
    }

    /// The kernels for tiles of so many rows.
    fn binding(&self, tile: usize) -> Option<Binding> {
        let constants = |slot: Slot| self.facts.constants.get(&slot).cloned();
        let kernel = |part: &Part<'_>| {
            let step = (&part.op, part.bound);
            bind(self.facts.slots(), &constants, step, &part.cut, tile)
        };
        let slot_type = |value: &Value| SlotType {
            dtype: self.dtype(value.slot),
            len: match value.sliced {
                true => self.width(value.slot) * tile,
                false => self.elements(value.slot),
            },
        };
        Some(Binding {
            kernels: self.parts.iter().map(kernel).collect::<Option<_>>()?,
            types: self.values.iter().map(slot_type).collect(),
        })
    }

    /// Where each value is, the bytes of scratch memory, and how many of them hold bools.
    fn places(&self) -> (Vec<At>, usize, usize) {
        let position = |slots: &[Slot], slot| slots.iter().position(|&s| s == slot);
        let mut places = Vec::with_capacity(self.values.len());
        let mut inside = Vec::new();
        for (number, value) in self.values.iter().enumerate() {
            let row = self.width(value.slot) * self.dtype(value.slot).size();
            let row = if value.sliced { row } else { 0 };
            places.push(match position(&self.ins, value.slot) {
                Some(at) => At::Input(at, row),
                None => match position(&self.outs, value.slot) {
                    Some(at) => At::Output(at, row),
                    None => {
                        inside.push(number);
                        At::Scratch(0)
                    }
                },
            });
        }
        let (bools, others) = inside
            .into_iter()
            .partition::<Vec<_>, _>(|&number| self.dtype(self.values[number].slot) == DType::Bool);
        let bool_bytes = self.lay_out(&bools, 0, &mut places);
        let bytes = self.lay_out(&others, bool_bytes, &mut places);
        (places, bytes, bool_bytes)
    }

    /// Gives values places in the scratch memory from `base` on; where the last of them ends.
    fn lay_out(&self, numbers: &[usize], base: usize, places: &mut [At]) -> usize {
        let lifetime = |&number: &usize| {
            let value = self.values[number];
            let number = number as u32;
            let uses = |m: &Member| m.ins.contains(&number) || m.outs.contains(&number);
            Lifetime {
                start: self.members.iter().position(uses).unwrap_or(0),
                end: self.members.iter().rposition(uses).unwrap_or(0),
                bytes: self.width(value.slot) * self.tile * self.dtype(value.slot).size(),
            }
        };
        let lifetimes: Vec<Lifetime> = numbers.iter().map(lifetime).collect();
        let (offsets, bytes) = assign(&lifetimes);
        for (&number, offset) in numbers.iter().zip(offsets) {
            places[number] = At::Scratch(base + offset);
        }
        base + bytes
    }

    fn summary(&self) -> Joined {
        let bytes = |slots: &[Slot]| {
            let bytes = |&slot: &Slot| self.elements(slot) * self.dtype(slot).size();
            slots.iter().map(bytes).sum()
        };
        Joined {
            n_operations: self.parts.len(),
            rows: self.rows,
            tile: self.tile,
            bytes_read: bytes(&self.ins),
            bytes_written: bytes(&self.outs),
        }
    }
}
