//! The variables of a fused step: what they hold, and which values are in them all the time.

use super::fuse::Facts;
use super::rows::StepKind;
use super::tile::{Part, Value};
use crate::plan::Slot;
use ferrograph_ops::{AssignKind, Held};

/// The variables that a fused step reads and changes. Any two of them may turn out to be one.
#[derive(Default)]
pub(super) struct Variables {
    /// The slots of their handles.
    pub slots: Vec<Slot>,
    pub held: Vec<Held>,
    /// Whether they are changed.
    pub changed: Vec<bool>,
    /// Values that are in a variable from when they are made until nothing reads them any more.
    in_place: Vec<(Slot, usize)>,
}

impl Variables {
    /// Those of these steps; none where steps disagree about what one of them holds.
    pub fn of<'a>(
        facts: &Facts<'_>,
        kinds: impl Iterator<Item = StepKind<'a>>,
    ) -> Option<Variables> {
        let mut all = Variables::default();
        for kind in kinds {
            let (slot, value, is_read) = match kind {
                StepKind::Compute(_)
                | StepKind::Total(_)
                | StepKind::Slice { .. }
                | StepKind::Alias { .. } => continue,
                StepKind::Read { variable, out } => (variable, out, true),
                StepKind::Assign {
                    kind,
                    variable,
                    value,
                } => (variable, value, kind != AssignKind::Set),
            };
            let info = &facts.slots()[value as usize];
            let shape = info.shape.clone()?;
            match all.slots.iter().position(|&s| s == slot) {
                Some(at) => {
                    let held = &all.held[at];
                    if held.dtype != info.dtype || held.shape != shape {
                        return None;
                    }
                    all.changed[at] |= kind.changes();
                }
                None => {
                    all.slots.push(slot);
                    all.changed.push(kind.changes());
                    all.held.push(Held {
                        dtype: info.dtype,
                        shape,
                        is_read,
                    });
                }
            }
        }
        Some(all)
    }

    /// The value that a variable with this handle holds.
    pub fn value(&self, handle: Slot) -> Value {
        let at = self.slots.iter().position(|&slot| slot == handle);
        Value::Variable(at.unwrap_or(0))
    }

    /// The rows of a value, wherever they are.
    pub fn rows(&self, slot: Slot) -> Value {
        let in_place = self.in_place.iter().find(|(s, _)| *s == slot);
        in_place.map_or(Value::Rows(slot), |&(_, at)| Value::Variable(at))
    }

    /// Says which values are in variables: what is read of one until it changes, and what is computed for one, where
    /// nothing reads the variables in between. Others of the variables may be that one.
    pub fn place(&mut self, parts: &[Part<'_>], outs: &[Slot]) {
        for (at, part) in parts.iter().enumerate() {
            let found = match part.kind {
                StepKind::Read { variable, out } => {
                    self.stays(parts, at, out).then_some((out, variable))
                }
                StepKind::Assign {
                    kind: AssignKind::Set,
                    variable,
                    ..
                } => {
                    let value = part.ins[0];
                    self.arises(parts, at, value).then_some((value, variable))
                }
                _ => None,
            };
            if let Some((slot, variable)) = found
                && !outs.contains(&slot)
                && let Value::Variable(number) = self.value(variable)
            {
                self.in_place.push((slot, number));
            }
        }
    }

    /// Whether no variable changes behind a step while a value is read, which no assignment takes as it is.
    fn stays(&self, parts: &[Part<'_>], at: usize, value: Slot) -> bool {
        let Some(last) = last_use(parts, value) else {
            return false;
        };
        let taken = |part: &Part<'_>| part.kind.changes() && part.ins.contains(&value);
        let behind = &parts[at..=last.max(at)];
        !behind.iter().any(|part| part.kind.changes()) && !parts.iter().any(taken)
    }

    /// Whether what an assignment takes can be computed in the memory of the variable: nothing reads a variable from
    /// then on until the assignment, and none changes while the value is read.
    fn arises(&self, parts: &[Part<'_>], at: usize, value: Slot) -> bool {
        let computes = |part: &Part<'_>| {
            matches!(part.kind, StepKind::Compute(_)) && part.kind.made() == Some(value)
        };
        let Some(from) = parts.iter().position(computes) else {
            return false;
        };
        let last = last_use(parts, value).unwrap_or(at).max(at);
        let reads = |part: &Part<'_>| {
            let is_in_variable = |slot: &Slot| *slot != value && self.is_in_variable(*slot);
            part.kind.variable().is_some() || part.ins.iter().any(is_in_variable)
        };
        let untouched = !parts[from..at].iter().any(reads);
        let later = &parts[(at + 1).min(last + 1)..=last];
        let is_only = parts[at].ins.len() == 1 && !self.is_in_variable(value);
        untouched && is_only && !later.iter().any(|part| part.kind.changes())
    }

    fn is_in_variable(&self, slot: Slot) -> bool {
        self.in_place.iter().any(|(s, _)| *s == slot)
    }
}

fn last_use(parts: &[Part<'_>], value: Slot) -> Option<usize> {
    parts.iter().rposition(|part| part.ins.contains(&value))
}
