//! Where the values of a fused step are while it runs.

use super::layout::{Lifetime, assign};
use super::tile::{Fusion, Value};
use crate::plan::{At, Member, Slot};
use ferrograph_tensor::DType;

impl Fusion<'_> {
    /// Where each value is that these steps read or write, the bytes of scratch memory, and how many of them hold bools.
    pub fn places(&self, steps: &[Member]) -> (Vec<At>, usize, usize) {
        let position = |slots: &[Slot], slot| slots.iter().position(|&s| s == slot);
        let place = |&value: &Value| {
            let row = self.width(value) * self.dtype(value).size();
            match value {
                Value::Variable(at) => At::Variable(at, row),
                Value::Next(_) => At::Scratch(0),
                Value::All(slot, _) => At::Input(position(&self.ins, slot).unwrap_or(0), 0),
                Value::Broadcast(slot, index, _) => {
                    At::Broadcast(position(&self.ins, slot).unwrap_or(0), row, index)
                }
                Value::Slice(at) => {
                    let input = position(&self.ins, self.parts[at].ins[0]).unwrap_or(0);
                    let size = self.dtype(value).size();
                    let (start, step) = self.slice_input(at).map_or((0, 0), |w| (w.start, w.step));
                    At::Slice(input, start * size, step * size)
                }
                Value::Rows(slot) => match position(&self.ins, slot) {
                    Some(at) => At::Input(at, row),
                    None => {
                        position(&self.outs, slot).map_or(At::Scratch(0), |at| At::Output(at, row))
                    }
                },
            }
        };
        let mut places: Vec<At> = self.values.iter().map(place).collect();
        let is_touched = |number: usize| steps.iter().any(|step| touches(step, number));
        let is_inside = |number: &usize| places[*number] == At::Scratch(0) && is_touched(*number);
        let inside = (0..places.len()).filter(is_inside);
        let (bools, others) =
            inside.partition::<Vec<_>, _>(|&number| self.dtype(self.values[number]) == DType::Bool);
        let bool_bytes = self.lay_out(steps, &bools, 0, &mut places);
        let bytes = self.lay_out(steps, &others, bool_bytes, &mut places);
        (places, bytes, bool_bytes)
    }

    /// Gives values places in the scratch memory from `base` on; where the last of them ends.
    fn lay_out(
        &self,
        steps: &[Member],
        numbers: &[usize],
        base: usize,
        places: &mut [At],
    ) -> usize {
        let lifetime = |&number: &usize| {
            let value = self.values[number];
            let uses = |step: &Member| touches(step, number);
            Lifetime {
                start: steps.iter().position(uses).unwrap_or(0),
                end: steps.iter().rposition(uses).unwrap_or(0),
                bytes: self.width(value) * self.tile * self.dtype(value).size(),
            }
        };
        let lifetimes: Vec<Lifetime> = numbers.iter().map(lifetime).collect();
        let (offsets, bytes) = assign(&lifetimes);
        for (&number, offset) in numbers.iter().zip(offsets) {
            places[number] = At::Scratch(base + offset);
        }
        base + bytes
    }

    /// Elements that these steps read and write.
    pub fn touched(&self, steps: &[Member]) -> usize {
        let numbers = steps
            .iter()
            .flat_map(|step| step.ins.iter().chain(&step.outs));
        numbers
            .map(|&number| self.elements(self.values[number as usize]))
            .sum()
    }

    /// Whether that value is one that others than these members need.
    pub fn is_output(&self, number: u32) -> bool {
        matches!(self.values[number as usize], Value::Rows(slot) if self.outs.contains(&slot))
    }

    /// Whether that value is a variable's, and is updated in place.
    pub fn is_variable(&self, number: u32) -> bool {
        matches!(self.values[number as usize], Value::Variable(_))
    }

    /// Whether that value may be written more than once.
    pub fn may_change(&self, number: u32) -> bool {
        matches!(
            self.values[number as usize],
            Value::Variable(_) | Value::Next(_)
        )
    }
}

fn touches(step: &Member, number: usize) -> bool {
    let number = number as u32;
    step.ins.contains(&number) || step.outs.contains(&number)
}
