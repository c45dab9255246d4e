//! The steps that a fusion group ends as: one, with those before and after it that are better done by themselves.

use super::fuse::{Facts, FusionGroup};
use super::rows::StepKind;
use super::tile::fused;
use crate::plan::{Slot, Step};
use ferrograph_ops::AssignKind;

/// What a group becomes. Reads whose values are shared more cheaply than copied stand before the fused step or behind
/// it, and so do assignments of values that others need too: the variables then hold the same tensors.
pub(super) fn split_group(facts: &Facts<'_>, mut group: FusionGroup) -> Vec<Step> {
    let after = apart(facts, &mut group, behind);
    let before = apart(facts, &mut group, ahead);
    let steps = |steps: Vec<(usize, Step)>| steps.into_iter().map(|(_, step)| step);
    let inside = match fused(facts, &group) {
        Some(fused) => fused,
        None => steps(group.steps).collect(),
    };
    let around = steps(before).chain(inside);
    around.chain(steps(after)).collect()
}

/// Takes steps out of a group that stand apart from the rest of it.
fn apart(
    facts: &Facts<'_>,
    group: &mut FusionGroup,
    which: fn(&Facts<'_>, &FusionGroup, usize) -> bool,
) -> Vec<(usize, Step)> {
    let mut apart = Vec::new();
    for at in (0..group.steps.len()).rev() {
        if which(facts, group, at) {
            apart.insert(0, group.steps.remove(at));
        }
    }
    let made = |step: &(usize, Step)| StepKind::of(facts, &step.1).and_then(|kind| kind.made());
    let gone: Vec<Slot> = apart.iter().filter_map(made).collect();
    group.made.retain(|slot| !gone.contains(slot));
    apart
}

fn kinds<'a>(facts: &'a Facts<'_>, group: &'a FusionGroup) -> impl Iterator<Item = StepKind<'a>> {
    let steps = group.steps.iter();
    steps.filter_map(|(_, step)| StepKind::of(facts, step))
}

/// How often the steps of a group read a slot.
fn uses(facts: &Facts<'_>, group: &FusionGroup, slot: Slot) -> usize {
    let ins = kinds(facts, group).map(|kind| kind.ins().iter().filter(|&&s| s == slot).count());
    ins.sum()
}

/// Whether a step may stand behind the fused one, and had better: it shares what an assignment inside would copy.
fn behind(facts: &Facts<'_>, group: &FusionGroup, at: usize) -> bool {
    let later = kinds(facts, group).skip(at + 1);
    let is_last = later.into_iter().all(|kind| kind.variable().is_none());
    let reads = |slot: Slot| facts.reads[slot as usize] as usize;
    is_last
        && match kinds(facts, group).nth(at) {
            Some(StepKind::Read { out, .. }) => uses(facts, group, out) == 0,
            Some(StepKind::Assign {
                kind: AssignKind::Set,
                value,
                ..
            }) => reads(value) > uses(facts, group, value),
            _ => false,
        }
}

/// Whether a step is a read that may stand before the fused one, and had better: of a variable that does not change in
/// it, or of a value that others need too.
fn ahead(facts: &Facts<'_>, group: &FusionGroup, at: usize) -> bool {
    let Some(StepKind::Read { variable, out }) = kinds(facts, group).nth(at) else {
        return false;
    };
    let mut earlier = kinds(facts, group).take(at);
    let mut changed = kinds(facts, group).filter(StepKind::changes);
    let is_shared = facts.reads[out as usize] as usize > uses(facts, group, out);
    let changes = changed.any(|kind| kind.variable() == Some(variable));
    earlier.all(|kind| !kind.changes()) && (is_shared || !changes)
}
