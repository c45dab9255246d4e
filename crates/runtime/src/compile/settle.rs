//! The steps that a fusion group ends as: one, with those before and after it that are better done by themselves.

use super::join::{Facts, Group};
use super::rows::Doing;
use super::tile::joined;
use crate::plan::{Slot, Step};
use ferrograph_ops::AssignKind;

/// What a group becomes. Reads whose values are shared more cheaply than copied stand before the joined step or behind
/// it, and so do assignments of values that others need too: the variables then hold the same tensors.
pub(super) fn settled(facts: &Facts<'_>, mut group: Group) -> Vec<Step> {
    let after = apart(facts, &mut group, behind);
    let before = apart(facts, &mut group, ahead);
    let steps = |steps: Vec<(usize, Step)>| steps.into_iter().map(|(_, step)| step);
    let inside = match joined(facts, &group) {
        Some(joined) => joined,
        None => steps(group.steps).collect(),
    };
    let around = steps(before).chain(inside);
    around.chain(steps(after)).collect()
}

/// Takes steps out of a group that stand apart from the rest of it.
fn apart(
    facts: &Facts<'_>,
    group: &mut Group,
    which: fn(&Facts<'_>, &Group, usize) -> bool,
) -> Vec<(usize, Step)> {
    let mut apart = Vec::new();
    for at in (0..group.steps.len()).rev() {
        if which(facts, group, at) {
            apart.insert(0, group.steps.remove(at));
        }
    }
    let made = |step: &(usize, Step)| Doing::of(facts, &step.1).and_then(|doing| doing.made());
    let gone: Vec<Slot> = apart.iter().filter_map(made).collect();
    group.made.retain(|slot| !gone.contains(slot));
    apart
}

fn doings<'a>(facts: &'a Facts<'_>, group: &'a Group) -> impl Iterator<Item = Doing<'a>> {
    let steps = group.steps.iter();
    steps.filter_map(|(_, step)| Doing::of(facts, step))
}

/// How often the steps of a group read a slot.
fn uses(facts: &Facts<'_>, group: &Group, slot: Slot) -> usize {
    let ins = doings(facts, group).map(|doing| doing.ins().iter().filter(|&&s| s == slot).count());
    ins.sum()
}

/// Whether a step may stand behind the joined one, and had better: it shares what an assignment inside would copy.
fn behind(facts: &Facts<'_>, group: &Group, at: usize) -> bool {
    let later = doings(facts, group).skip(at + 1);
    let is_last = later.into_iter().all(|doing| doing.variable().is_none());
    let reads = |slot: Slot| facts.reads[slot as usize] as usize;
    is_last
        && match doings(facts, group).nth(at) {
            Some(Doing::Read { out, .. }) => uses(facts, group, out) == 0,
            Some(Doing::Assign {
                kind: AssignKind::Set,
                value,
                ..
            }) => reads(value) > uses(facts, group, value),
            _ => false,
        }
}

/// Whether a step is a read that may stand before the joined one, and had better: of a variable that does not change in
/// it, or of a value that others need too.
fn ahead(facts: &Facts<'_>, group: &Group, at: usize) -> bool {
    let Some(Doing::Read { variable, out }) = doings(facts, group).nth(at) else {
        return false;
    };
    let mut earlier = doings(facts, group).take(at);
    let mut changed = doings(facts, group).filter(Doing::changes);
    let is_shared = facts.reads[out as usize] as usize > uses(facts, group, out);
    let changes = changed.any(|doing| doing.variable() == Some(variable));
    earlier.all(|doing| !doing.changes()) && (is_shared || !changes)
}
