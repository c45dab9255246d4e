//! Joined steps that change variables.

use super::rows::Doing;
use super::tile::Joining;
use crate::plan::{Action, Single, Slot, Source, Tiled, Update};

/// The action of a joined step that changes variables.
pub(super) fn update(joining: &Joining<'_>, tiled: Tiled) -> Option<Action> {
    let made = |slot: Slot| {
        let parts = joining.parts.iter();
        parts
            .map(|part| part.doing.made())
            .position(|made| made == Some(slot))
    };
    let position = |slots: &[Slot], slot| slots.iter().position(|&s| s == slot);
    let source = |slot: Slot| match position(&joining.ins, slot) {
        Some(at) => Some(Source::Input(at)),
        None => made(slot).map(Source::Made),
    };
    let sources = |doing: &Doing<'_>| {
        let variable = doing
            .variable()
            .and_then(|v| position(&joining.variables.slots, v));
        let variable = variable.map(|at| Some(Source::Variable(at)));
        let ins = doing.ins().iter().map(|&slot| source(slot));
        variable
            .into_iter()
            .chain(ins)
            .collect::<Option<Box<[Source]>>>()
    };
    let single = |part: &super::tile::Part<'_>| {
        let alias = match part.doing {
            Doing::Alias { out, .. } => joining.facts.slots()[out as usize].shape.clone(),
            _ => None,
        };
        Some(Single {
            op: part.op.clone(),
            alias,
            ins: sources(&part.doing)?,
            origin: part.origin.clone(),
        })
    };
    let typed = |&slot: &Slot| {
        let info = &joining.facts.slots()[slot as usize];
        Some((info.dtype, info.shape.clone()?))
    };
    let in_vectors = tiled.in_vectors();
    let update = Update {
        tiled,
        held: joining.variables.held.clone(),
        singles: joining.parts.iter().map(single).collect::<Option<_>>()?,
        inputs: joining.ins.iter().map(typed).collect::<Option<_>>()?,
        outputs: joining
            .outs
            .iter()
            .map(|&slot| made(slot))
            .collect::<Option<_>>()?,
    };
    Some(Action::Update {
        variables: joining.variables.slots.clone().into(),
        bound: joining.bound(update.into_kernel(), in_vectors),
    })
}
