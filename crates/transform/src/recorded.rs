//! Loops that record for their gradient as loops that do not: what they record are lists among their variables.

use crate::emit::TraceEmitter;
use crate::traced::traced;
use ferrograph_graph::{Branch, Emitter, Graph, Val, Vals};
use ferrograph_ops::emit::*;
use ferrograph_ops::{Call, While};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, TensorSpec};
use std::sync::Arc;

/// A graph that gives what a loop does for inputs of these types: the variables, the number of iterations, and the
/// lists of what it records.
///
/// # Errors
/// Where there is no memory for it.
pub fn plain_loop(op: &While, inputs: &[TensorSpec]) -> Result<Arc<Graph>> {
    let recorded = op.recorded.clone().unwrap_or_default();
    let n = op.vars.len();
    let mut vars = op.vars.clone();
    vars.push(TensorSpec::scalar(DType::Int32));
    vars.extend(recorded.iter().map(|_| TensorSpec::scalar(DType::Variant)));
    let types = [&vars[..], &inputs[n..]].concat();
    // What is invariant comes behind more variables.
    let moved = |fed: &[u32]| -> Vec<u32> {
        let more = u32::try_from(vars.len() - n).unwrap_or(u32::MAX);
        let place = |&i: &u32| if (i as usize) < n { i } else { i + more };
        fed.iter().map(place).collect()
    };
    let body = traced(&op.body.graph.name, &types, |e, args| {
        body_of(e, op, &moved(&op.body.inputs), args)
    })?;
    let looped = While {
        cond: Branch {
            graph: op.cond.graph.clone(),
            inputs: moved(&op.cond.inputs),
        },
        body: Branch {
            graph: body,
            inputs: (0..).take(types.len()).collect(),
        },
        vars: vars.clone(),
        recorded: None,
    };
    traced("recording_while", inputs, |e, args| {
        let mut first = args[..n].to_vec();
        first.push(e.scalar(0.0, DType::Int32)?);
        for spec in &recorded {
            first.push(empty_list(e, spec)?);
        }
        first.extend_from_slice(&args[n..]);
        Ok(e.emit(Arc::new(looped), &first)?.into_vec())
    })
}

/// What the body gives: the next variables, one iteration more, and the lists with what it gives behind the variables.
fn body_of(e: &mut TraceEmitter, op: &While, fed: &[u32], args: &[Val]) -> Result<Vec<Val>> {
    let n = op.vars.len();
    let given: Vec<Val> = fed.iter().map(|&i| args[i as usize].clone()).collect();
    let given: Vals = e.emit(Arc::new(Call::of(op.body.graph.clone())), &given)?;
    let one = e.scalar(1.0, DType::Int32)?;
    let mut results = given[..n].to_vec();
    results.push(e.add(&args[n], &one)?);
    for (list, item) in args[n + 1..].iter().zip(&given[n..]) {
        results.push(e.tensor_list_push_back(list, item, item.dtype())?);
    }
    Ok(results)
}

fn empty_list(e: &mut TraceEmitter, spec: &TensorSpec) -> Result<Val> {
    let shape = dims_of(e, &spec.shape)?;
    let unbounded = e.scalar(-1.0, DType::Int32)?;
    e.empty_tensor_list(&shape, &unbounded, spec.dtype)
}

/// A shape as lists take it: -1 for what is not known.
fn dims_of(e: &mut TraceEmitter, shape: &PartialShape) -> Result<Val> {
    let Some(dims) = shape.dims() else {
        return e.scalar(-1.0, DType::Int32);
    };
    let size = |d: &Dim| {
        d.known()
            .map_or(-1, |d| i64::try_from(d).unwrap_or(i64::MAX))
    };
    e.int_vector(&dims.iter().map(size).collect::<Vec<_>>())
}
