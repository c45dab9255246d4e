//! Fused steps that change variables.

use super::rows::StepKind;
use super::tile::Fusion;
use crate::plan::{Action, Single, Slot, Source, Tiled, Update};

/// The action of a fused step that changes variables.
pub(super) fn update(fusion: &Fusion<'_>, tiled: Tiled) -> Option<Action> {
    let made = |slot: Slot| {
        let parts = fusion.parts.iter();
        parts
            .map(|part| part.kind.made())
            .position(|made| made == Some(slot))
    };
    let position = |slots: &[Slot], slot| slots.iter().position(|&s| s == slot);
    let source = |slot: Slot| match position(&fusion.ins, slot) {
        Some(at) => Some(Source::Input(at)),
        None => made(slot).map(Source::Made),
    };
    let sources = |kind: &StepKind<'_>| {
        let variable = kind
            .variable()
            .and_then(|v| position(&fusion.variables.slots, v));
        let variable = variable.map(|at| Some(Source::Variable(at)));
        let ins = kind.ins().iter().map(|&slot| source(slot));
        variable
            .into_iter()
            .chain(ins)
            .collect::<Option<Box<[Source]>>>()
    };
    let single = |part: &super::tile::Part<'_>| {
        let alias = match part.kind {
            StepKind::Alias { out, .. } => fusion.facts.slots()[out as usize].shape.clone(),
            _ => None,
        };
        Some(Single {
            op: part.op.clone(),
            alias,
            ins: sources(&part.kind)?,
            origin: part.origin.clone(),
        })
    };
    let typed = |&slot: &Slot| {
        let info = &fusion.facts.slots()[slot as usize];
        Some((info.dtype, info.shape.clone()?))
    };
    let in_vectors = tiled.in_vectors();
    let update = Update {
        tiled,
        held: fusion.variables.held.clone(),
        singles: fusion.parts.iter().map(single).collect::<Option<_>>()?,
        inputs: fusion.ins.iter().map(typed).collect::<Option<_>>()?,
        outputs: fusion
            .outs
            .iter()
            .map(|&slot| made(slot))
            .collect::<Option<_>>()?,
    };
    Some(Action::Update {
        variables: fusion.variables.slots.clone().into(),
        bound: fusion.bound(update.into_kernel(), in_vectors),
    })
}
