//! Invariants that hold of each slot, step and move by itself.

use super::Faults;
use crate::plan::place::{ALIGN, Place, places};
use crate::plan::{
    Action, Block, Bound, Conditional, Loop, Move, Record, Slot, Taken, UNKNOWN_LEN,
};
use ferrograph_graph::{ObjectKernel, SlotType};
use ferrograph_tensor::{DType, Shape};

pub(super) fn check(faults: &mut Faults<'_>) {
    let n = faults.plan.types.len();
    let (places, twice) = places(faults.plan);
    for slot in twice {
        faults.fault(format_args!(
            "s{slot} has two places, or is none of {n} slots"
        ));
    }
    let mut types = Types { faults, places };
    types.slots();
    types.block(&types.faults.plan.block);
    types.faults.at = None;
    for &slot in &types.faults.plan.outputs {
        types.as_tensor(slot);
    }
}

struct Types<'a, 'b> {
    faults: &'a mut Faults<'b>,
    places: Vec<Place>,
}

impl<'b> Types<'_, 'b> {
    /// The type and place of a slot; a fault where there is none.
    fn slot(&mut self, slot: Slot) -> Option<(SlotType, Place)> {
        let found = self.faults.plan.types.get(slot as usize);
        let found = found.map(|t| (*t, self.places[slot as usize]));
        match found {
            Some((_, Place::Nowhere)) => {
                self.faults.fault(format_args!("s{slot} has no place"));
                None
            }
            None => {
                self.faults.fault(format_args!("there is no s{slot}"));
                None
            }
            found => found,
        }
    }

    fn slots(&mut self) {
        let plan = self.faults.plan;
        for (slot, place) in (0..).zip(self.places.clone()) {
            let SlotType { dtype, len } = plan.types[slot as usize];
            let Place::Slab(offset) = place else {
                continue;
            };
            let bytes = len.checked_mul(dtype.size()).filter(|_| len != UNKNOWN_LEN);
            let end = bytes.and_then(|n| offset.checked_add(n));
            let inside = end.is_some_and(|end| end <= plan.slab_bytes);
            self.faults.expect(
                inside && dtype.is_dense(),
                format_args!("s{slot} reaches beyond the slab"),
            );
            let aligned = offset.is_multiple_of(ALIGN);
            self.faults
                .expect(aligned, format_args!("s{slot} is not aligned"));
            let bools = end.is_some_and(|end| end <= plan.bool_bytes);
            let apart = if dtype == DType::Bool {
                bools
            } else {
                offset >= plan.bool_bytes
            };
            self.faults.expect(
                apart,
                format_args!("s{slot} of {dtype} mixes bytes of bools with others"),
            );
            let shape = plan.slab_shapes.get(&slot);
            self.faults.expect(
                shape.is_none_or(|shape| shape.n_elements() == len),
                format_args!("the shape of s{slot} has not its {len} elements"),
            );
        }
        for (slot, tensor) in &plan.constants {
            let fits = self.slot(*slot).is_none_or(|(t, _)| {
                let same_length = t.len == UNKNOWN_LEN || t.len == tensor.n_elements();
                t.dtype == tensor.dtype() && same_length
            });
            self.faults
                .expect(fits, format_args!("s{slot} is not of its constant's type"));
        }
        plan.inputs.iter().for_each(|&slot| self.tensor(slot));
    }

    fn block(&mut self, block: &'b Block) {
        for slot in &block.entry_drops {
            self.tensor(*slot);
        }
        for step in &block.steps {
            self.faults.at = Some(step.site);
            let graph = self.faults.plan.graphs.get(step.site.graph as usize);
            self.faults
                .expect(graph.is_some(), format_args!("a step is of no graph"));
            self.action(&step.action);
            self.faults.at = Some(step.site);
            for slot in &step.drops {
                self.tensor(*slot);
            }
        }
        for record in &block.records {
            self.record(record);
        }
        self.moves(&block.moves);
    }

    fn action(&mut self, action: &'b Action) {
        match action {
            Action::Kernel(bound) => self.bound(bound),
            Action::Object { object, bound, to } => {
                self.taken(*object);
                match bound.kernel {
                    ObjectKernel::Changes(_) => self.tensor(*to),
                    ObjectKernel::Reads(_) => self.faults.expect(
                        object.slot == *to && !object.last,
                        format_args!("an object that is read is moved"),
                    ),
                }
                self.bound(bound);
            }
            Action::Update { variables, bound } => {
                variables.iter().for_each(|&slot| self.as_tensor(slot));
                self.bound(bound);
            }
            Action::Eval { ins, outs, .. } => {
                ins.iter().for_each(|taken| self.taken(*taken));
                outs.iter().for_each(|slot| self.tensor(*slot));
            }
            Action::Alias { from, shape, to } => self.alias(*from, shape, *to),
            Action::If(branch) => self.branch(branch),
            Action::While(repeat) => self.repeat(repeat),
        }
    }

    /// A slot that holds a tensor of its own, which is no constant.
    fn tensor(&mut self, slot: Slot) {
        if let Some((_, place)) = self.slot(slot) {
            self.faults.expect(
                place == Place::Tensor,
                format_args!("s{slot} is used as a tensor and is {place}"),
            );
        }
    }

    /// A slot that is read as a tensor.
    fn as_tensor(&mut self, slot: Slot) {
        if let Some((_, Place::Slab(_))) = self.slot(slot) {
            let shaped = self.faults.plan.slab_shapes.contains_key(&slot);
            self.faults.expect(
                shaped,
                format_args!("s{slot} in the slab is read as a tensor and has no shape"),
            );
        }
    }

    fn taken(&mut self, taken: Taken) {
        match taken.last {
            true => self.tensor(taken.slot),
            false => self.as_tensor(taken.slot),
        }
    }

    /// A slot whose elements are read or written in place.
    fn elements(&mut self, slot: Slot) {
        if let Some((t, _)) = self.slot(slot) {
            self.faults.expect(
                t.dtype.is_dense() && t.len != UNKNOWN_LEN,
                format_args!("s{slot} of {} has no elements to compute on", t.dtype),
            );
        }
    }

    fn bound<K>(&mut self, bound: &Bound<K>) {
        bound.ins.iter().for_each(|slot| self.elements(*slot));
        for (i, &slot) in bound.outs.iter().enumerate() {
            self.elements(slot);
            self.faults.expect(
                !bound.outs[..i].contains(&slot),
                format_args!("s{slot} is two outputs"),
            );
            let fresh = bound.fresh.iter().any(|(s, _, _)| *s == slot);
            let place = self.slot(slot).map(|(_, place)| place);
            self.faults.expect(
                place.is_none_or(|p| p != Place::Tensor || fresh),
                format_args!("s{slot} is written and not allocated"),
            );
            self.faults.expect(
                place.is_none_or(|p| p != Place::Constant),
                format_args!("the constant s{slot} is written"),
            );
        }
        for (slot, dtype, shape) in &bound.fresh {
            self.tensor(*slot);
            let named = bound.outs.contains(slot);
            let fits = self
                .slot(*slot)
                .is_none_or(|(t, _)| t.dtype == *dtype && t.len == shape.n_elements());
            self.faults.expect(
                named && fits,
                format_args!("s{slot} is allocated as {dtype}{shape}, which is no output"),
            );
        }
    }

    fn alias(&mut self, from: Slot, shape: &Shape, to: Slot) {
        self.as_tensor(from);
        self.tensor(to);
        let n = shape.n_elements();
        if let (Some((a, _)), Some((b, _))) = (self.slot(from), self.slot(to)) {
            // Of what has no dense form the length is told by the run alone.
            let from_fits = a.len == n || (a.len == UNKNOWN_LEN && !a.dtype.is_dense());
            let to_fits = b.len == n || b.len == UNKNOWN_LEN;
            let fits = a.dtype == b.dtype && from_fits && to_fits;
            self.faults.expect(
                fits,
                format_args!("s{to} cannot be s{from} under the shape {shape}"),
            );
        }
    }

    fn condition(&mut self, slot: Slot) {
        if let Some((t, _)) = self.slot(slot) {
            self.faults.expect(
                t.dtype == DType::Bool && t.len == 1,
                format_args!("the condition s{slot} is not one bool"),
            );
        }
    }

    fn branch(&mut self, branch: &'b Conditional) {
        self.condition(branch.condition);
        self.block(&branch.then_block);
        self.block(&branch.else_block);
    }

    fn repeat(&mut self, repeat: &'b Loop) {
        let at = self.faults.at;
        self.moves(&repeat.entry);
        self.block(&repeat.cond_block);
        self.faults.at = at;
        self.condition(repeat.condition);
        self.block(&repeat.body);
        self.faults.at = at;
        let n = repeat.recorded.as_ref().map_or(0, |(specs, _)| specs.len());
        let slots = repeat.recorded.as_ref().map_or(&[][..], |(_, slots)| slots);
        slots.iter().for_each(|slot| self.tensor(*slot));
        let expected = if repeat.recorded.is_some() { n + 1 } else { 0 };
        self.faults.expect(
            slots.len() == expected && repeat.body.records.len() == n,
            format_args!("a loop records {n} values in {} slots", slots.len()),
        );
        repeat.exit_drops.iter().for_each(|slot| self.tensor(*slot));
    }

    fn record(&mut self, record: &Record) {
        let Some(shape) = &record.small else {
            return self.taken(record.from);
        };
        let slot = record.from.slot;
        self.elements(slot);
        let fits = self
            .slot(slot)
            .is_none_or(|(t, _)| t.len == shape.n_elements());
        self.faults.expect(
            fits && !record.from.last,
            format_args!("s{slot} is recorded under the shape {shape}"),
        );
    }

    fn moves(&mut self, moves: &[Move]) {
        for step in moves {
            match *step {
                Move::Bytes { from, to, len } => self.move_bytes(from, to, len as usize),
                Move::Tensor { from, to } => {
                    self.taken(from);
                    self.tensor(to);
                    self.same_type(from.slot, to);
                }
            }
        }
    }

    fn move_bytes(&mut self, from: Slot, to: Slot, len: usize) {
        self.elements(from);
        self.elements(to);
        self.same_type(from, to);
        if let Some((t, place)) = self.slot(to) {
            self.faults.expect(
                matches!(place, Place::Slab(_)) && t.len.checked_mul(t.dtype.size()) == Some(len),
                format_args!("a move of {len} bytes does not fill s{to}"),
            );
        }
    }

    /// What moves fits its target: where the target's length is known, so is the source's.
    fn same_type(&mut self, from: Slot, to: Slot) {
        if let (Some((a, _)), Some((b, _))) = (self.slot(from), self.slot(to)) {
            self.faults.expect(
                a.dtype == b.dtype && (b.len == UNKNOWN_LEN || a.len == b.len),
                format_args!("s{from} moves to s{to}, which is of another type"),
            );
        }
    }
}
