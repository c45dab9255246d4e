//! Graphs that do what an operation, or a message, says in another way.

use crate::emit::TraceEmitter;
use crate::gradient::add_arg;
use ferrograph_graph::{Graph, Trace, Val};
use ferrograph_ops::LeafOps;
use ferrograph_tensor::{Result, TensorSpec};
use std::sync::Arc;

/// The graph of what a rule makes of arguments of these types.
///
/// # Errors
/// Those of the rule.
pub fn traced(
    name: &str,
    specs: &[TensorSpec],
    rule: impl FnOnce(&mut TraceEmitter, &[Val]) -> Result<Vec<Val>>,
) -> Result<Arc<Graph>> {
    let trace = Trace::new(name, None);
    let args = specs
        .iter()
        .map(|spec| add_arg(&trace, spec.clone(), "arg"));
    let args = args.collect::<Result<Vec<_>>>()?;
    let mut e = TraceEmitter {
        trace: trace.clone(),
        origin: None,
    };
    let results = rule(&mut e, &args)?;
    let results = results.iter().map(|v| trace.resolve(v, &LeafOps));
    Ok(trace.seal(results.collect::<Result<_>>()?)?.0)
}
