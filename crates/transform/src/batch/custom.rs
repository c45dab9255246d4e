//! Gradients of the program's own over many rows.

use super::regions::marked;
use super::{Rowed, Site, batch_graph};
use crate::emit::TraceEmitter;
use ferrograph_graph::{Emitter, Graph, Sym, Trace, Val};
use ferrograph_ops::emit::*;
use ferrograph_ops::{CustomGradient, LeafOps};
use ferrograph_tensor::Result;
use std::sync::Arc;

/// The results for all rows; their gradient runs for all rows, too, and sums that of arguments which all rows share.
pub(crate) fn run(
    e: &mut TraceEmitter,
    site: &Site<'_>,
    op: &CustomGradient,
) -> Result<Vec<Rowed>> {
    let n = op.n_results;
    let captures = &site.inputs[n + op.gradients.len()..];
    let mut each = vec![true; n];
    each.extend(captures.iter().map(Rowed::is_each));
    let forced = vec![true; op.backward.outputs.len()];
    let made = batch_graph(&op.backward, &site.request(each, forced, site.rows.dim))?;
    let args = &site.inputs[n..n + op.gradients.len()];
    let (backward, gradients) = summed(e, &made.graph, &op.gradients, args)?;
    let mut inputs = site.counted();
    for (i, input) in inputs.iter_mut().enumerate().take(n) {
        *input = site.each(e, i)?;
    }
    let op = CustomGradient {
        backward,
        n_results: n,
        gradients,
    };
    let outputs = e.emit(Arc::new(op), &inputs)?;
    Ok(marked(outputs, &vec![true; n]))
}

/// The graph with the sums over the rows of those gradients whose arguments all rows share, and where each gradient is.
fn summed(
    e: &TraceEmitter,
    graph: &Arc<Graph>,
    gradients: &[i64],
    args: &[Rowed],
) -> Result<(Arc<Graph>, Vec<i64>)> {
    let trace = Trace::reopen(&graph.name, graph, None);
    let mut inner = TraceEmitter {
        trace: trace.clone(),
        origin: e.origin.clone(),
    };
    let mut outputs = graph.outputs.clone();
    let mut places = gradients.to_vec();
    for (place, arg) in places.iter_mut().zip(args) {
        let Some(at) = usize::try_from(*place).ok().filter(|_| !arg.is_each()) else {
            continue;
        };
        let all = Val::Sym(Sym {
            trace: trace.clone(),
            value: graph.outputs[at],
        });
        let axes = inner.int_vector(&[0])?;
        let sum = inner.sum(&all, &axes, false)?;
        *place = i64::try_from(outputs.len()).unwrap_or(-1);
        outputs.push(trace.resolve(&sum, &LeafOps)?);
    }
    Ok((trace.seal(outputs)?.0, places))
}
