//! Running plans while profiles are open.

use super::{Action, Block, Bound, Frame, Part, Plan, Site, Slot, Step, UNKNOWN_LEN};
use crate::profile::{self, Key, Kind};
use ferrograph_graph::{Graph, SlotType};
use ferrograph_tensor::Result;
use std::sync::Weak;

impl Plan {
    /// Runs a call of the plan and records it.
    #[cold]
    pub(super) fn in_recorded_call<R>(&self, call: impl FnOnce() -> R) -> R {
        let key = Key {
            graph: address(&self.graphs[0]),
            node: None,
            kind: Kind::Call,
            n: 1,
        };
        profile::in_call(key, || self.graphs[0].upgrade(), call)
    }

    /// Runs steps and records each.
    #[cold]
    pub(super) fn run_recorded(&self, steps: &[Step], frame: &mut Frame) -> Result<()> {
        steps.iter().try_for_each(|step| {
            let (kind, n) = kind(&step.action);
            self.in_recorded_step(step.site, kind, n, || {
                let done = self.run_step(&step.action, frame);
                let bytes = self.result_bytes(results(&step.action), frame);
                frame.drop_all(&step.drops);
                (done, bytes)
            })
            .map_err(|e| self.located(e, step.site))
        })
    }

    /// Runs machine code, which takes the place of some steps, and records it as one.
    #[cold]
    pub(super) fn in_recorded_part(
        &self,
        block: &Block,
        part: &Part,
        run: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let site = block.steps[part.steps.start].site;
        let bytes = part.fresh.iter();
        let bytes = bytes.map(|(_, dtype, shape)| (dtype.size() * shape.n_elements()) as u64);
        self.in_recorded_step(site, Kind::MachineCode, part.steps.len(), || {
            (run(), bytes.sum())
        })
    }

    fn in_recorded_step(
        &self,
        site: Site,
        kind: Kind,
        n: usize,
        step: impl FnOnce() -> (Result<()>, u64),
    ) -> Result<()> {
        let graph = &self.graphs[site.graph as usize];
        let key = Key {
            graph: address(graph),
            node: Some(site.node),
            kind,
            n,
        };
        profile::in_step(key, || graph.upgrade(), step)
    }

    /// The bytes of the slots that hold results.
    fn result_bytes(&self, slots: &[Slot], frame: &Frame) -> u64 {
        let bytes = |&slot: &Slot| match (self.types[slot as usize], frame.get(slot)) {
            (_, Ok(tensor)) => tensor.bytes().len(),
            (SlotType { len, .. }, _) if len == UNKNOWN_LEN => 0,
            (SlotType { dtype, len }, _) => dtype.size() * len,
        };
        slots.iter().map(|slot| bytes(slot) as u64).sum()
    }
}

fn address(graph: &Weak<Graph>) -> usize {
    Weak::as_ptr(graph).addr()
}

/// How a step runs, and how many operations it is made of.
pub(super) fn kind(action: &Action) -> (Kind, usize) {
    match action {
        Action::Kernel(bound) if bound.fused.is_some() => (Kind::Fused, n_operations(bound)),
        Action::Kernel(_) => (Kind::Kernel, 1),
        Action::Object { .. } => (Kind::Object, 1),
        Action::Update { bound, .. } => (Kind::Update, n_operations(bound)),
        Action::Eval { .. } => (Kind::Eval, 1),
        Action::Alias { .. } => (Kind::Alias, 1),
        Action::If(_) => (Kind::Branch, 1),
        Action::While(_) => (Kind::Loop, 1),
    }
}

fn n_operations<K>(bound: &Bound<K>) -> usize {
    bound
        .fused
        .as_ref()
        .map_or(1, |fused| fused.operations.len())
}

/// The slots that a step computes; none of one that only holds others.
fn results(action: &Action) -> &[Slot] {
    match action {
        Action::Kernel(bound) => &bound.outs,
        Action::Object { bound, .. } => &bound.outs,
        Action::Update { bound, .. } => &bound.outs,
        Action::Eval { outs, .. } => outs,
        Action::Alias { .. } | Action::If(_) | Action::While(_) => &[],
    }
}
