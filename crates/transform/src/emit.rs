//! Emitting operations into a trace.

use ferrograph_graph::{Emitter, OpRef, TraceRef, Val, Vals, ValueId};
use ferrograph_ops::LeafOps;
use ferrograph_tensor::{Origin, Result};
use smallvec::SmallVec;
use std::sync::Arc;

/// Adds an operation to a trace; inputs from outside are captured.
pub fn emit_into(
    trace: &TraceRef,
    op: OpRef,
    inputs: &[Val],
    name: Option<&str>,
    origin: Option<Arc<Origin>>,
) -> Result<Vals> {
    let ids: SmallVec<[ValueId; 4]> = inputs
        .iter()
        .map(|v| trace.resolve(v, &LeafOps))
        .collect::<Result<_>>()
        .map_err(|e| e.in_op(op.name()))?;
    trace.add(op, &ids, name, origin)
}

/// An [`Emitter`] that adds to one trace, whatever the thread's context.
pub struct TraceEmitter {
    /// The trace.
    pub trace: TraceRef,
    /// What the nodes it adds say of their origin.
    pub origin: Option<Arc<Origin>>,
}

impl Emitter for TraceEmitter {
    fn emit(&mut self, op: OpRef, inputs: &[Val]) -> Result<Vals> {
        emit_into(&self.trace, op, inputs, None, self.origin.clone())
    }

    fn set_origin(&mut self, origin: Option<Arc<Origin>>) {
        self.origin = origin;
    }
}
