//! One operation run row by row, in a loop of its own.

use super::{Rowed, Site, unbatchable};
use crate::emit::TraceEmitter;
use crate::gradient::add_arg;
use ferrograph_graph::{Branch, Emitter, Graph, Trace, Val, ValueId};
use ferrograph_ops::emit::*;
use ferrograph_ops::{LeafOps, While};
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail};
use std::sync::Arc;

fn is_list(dtype: DType) -> bool {
    matches!(dtype, DType::Variant | DType::Resource)
}

/// The outputs of the operation, computed row after row.
pub(crate) fn looped(e: &mut TraceEmitter, site: &Site<'_>) -> Result<Vec<Rowed>> {
    if !site.rows.may_loop {
        bail!(
            Value,
            "it has no rule to run for many rows at once, and fallback_to_while_loop=False asks for one"
        );
    }
    let lists = site
        .inputs
        .iter()
        .any(|v| v.is_each() && is_list(v.val().dtype()));
    if lists || site.outputs.iter().any(|o| is_list(o.dtype)) {
        return Err(unbatchable("an operation on lists or resources"));
    }
    let n = site.outputs.len();
    let mut inputs = vec![e.scalar(0.0, DType::Int32)?];
    for spec in &site.outputs {
        let shape = element_shape(e, spec)?;
        inputs.push(e.tensor_list_reserve(&shape, &site.rows.val, spec.dtype)?);
    }
    inputs.push(site.rows.val.clone());
    inputs.extend(site.inputs.iter().map(|v| v.val().clone()));
    let mut vars = vec![TensorSpec::scalar(DType::Int32)];
    vars.extend((0..n).map(|_| TensorSpec::scalar(DType::Variant)));
    let number = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
    let op = While {
        cond: Branch {
            graph: is_before(e)?,
            inputs: vec![0, number(n + 1)],
        },
        body: Branch {
            graph: one_row(e, site, &inputs)?,
            inputs: (0..number(inputs.len())).collect(),
        },
        vars,
        recorded: None,
    };
    let lists = e.emit(Arc::new(op), &inputs)?;
    let mut outputs = Vec::new();
    for (spec, list) in site.outputs.iter().zip(&lists[1..]) {
        let shape = element_shape(e, spec)?;
        let rows = site.rows.dim.known().and_then(|n| i64::try_from(n).ok());
        let all = e.tensor_list_stack(list, &shape, spec.dtype, rows.unwrap_or(-1))?;
        outputs.push(Rowed::Each(all));
    }
    Ok(outputs)
}

/// The shape of the elements of a list: -1 for what is not known.
pub(crate) fn element_shape(e: &mut TraceEmitter, spec: &TensorSpec) -> Result<Val> {
    match spec.shape.dims() {
        Some(dims) => {
            let size = |d: &ferrograph_tensor::Dim| d.known().and_then(|n| i64::try_from(n).ok());
            let dims: Vec<i64> = dims.iter().map(|d| size(d).unwrap_or(-1)).collect();
            e.int_vector(&dims)
        }
        None => e.constant(Tensor::scalar(-1i32)?),
    }
}

/// Whether the index is below the number of rows.
fn is_before(e: &TraceEmitter) -> Result<Arc<Graph>> {
    let mut inner = TraceEmitter {
        trace: Trace::new("rows_cond", None),
        origin: e.origin.clone(),
    };
    let index = add_arg(&inner.trace, TensorSpec::scalar(DType::Int32), "index")?;
    let count = add_arg(&inner.trace, TensorSpec::scalar(DType::Int32), "rows")?;
    let more = inner.less(&index, &count)?;
    let id = inner.trace.resolve(&more, &LeafOps)?;
    Ok(inner.trace.seal(vec![id])?.0)
}

/// One iteration: takes the index, the lists, the number of rows and the inputs.
fn one_row(e: &TraceEmitter, site: &Site<'_>, inputs: &[Val]) -> Result<Arc<Graph>> {
    let trace = Trace::new("rows_body", None);
    let mut inner = TraceEmitter {
        trace: trace.clone(),
        origin: e.origin.clone(),
    };
    let mut args = Vec::new();
    for input in inputs {
        args.push(add_arg(&trace, input.spec(), "arg")?);
    }
    let (index, lists) = (&args[0], &args[1..=site.outputs.len()]);
    let zero = inner.scalar(0.0, DType::Int32)?;
    let mut row = Vec::new();
    for (input, arg) in site.inputs.iter().zip(&args[site.outputs.len() + 2..]) {
        row.push(match input {
            Rowed::Same(_) => arg.clone(),
            Rowed::Each(_) => inner.gather_v2(arg, index, &zero, 0)?,
        });
    }
    let found = inner.emit(site.op.clone(), &row)?;
    let one = inner.scalar(1.0, DType::Int32)?;
    let mut outputs = vec![inner.add(index, &one)?];
    for (list, value) in lists.iter().zip(&found) {
        outputs.push(inner.tensor_list_set_item(list, index, value, value.dtype(), false)?);
    }
    let ids: Vec<ValueId> = outputs
        .iter()
        .map(|v| trace.resolve(v, &LeafOps))
        .collect::<Result<_>>()?;
    Ok(trace.seal(ids)?.0)
}
