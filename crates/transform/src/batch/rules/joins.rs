//! Tensors joined and parted.

use super::super::{Rowed, Site};
use super::Found;
use crate::emit::TraceEmitter;
use ferrograph_graph::{Emitter, OpRef, Val};
use ferrograph_ops::{Pack, Unpack};
use ferrograph_tensor::Result;
use std::sync::Arc;

/// An axis of a row among those of all rows.
fn moved(axis: i64) -> i64 {
    if axis < 0 { axis } else { axis + 1 }
}

/// The first `n` inputs for each row.
fn all_each(e: &mut TraceEmitter, site: &Site<'_>, n: usize) -> Result<Vec<Val>> {
    (0..n).map(|i| site.each(e, i)).collect()
}

fn emitted(e: &mut TraceEmitter, op: OpRef, inputs: &[Val]) -> Found {
    let outputs = e.emit(op, inputs)?;
    Ok(Some(outputs.into_iter().map(Rowed::Each).collect()))
}

pub(crate) fn concat(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let n = site.inputs.len() - 1;
    if site.inputs[n].is_each() {
        return Ok(None);
    }
    let mut inputs = all_each(e, site, n)?;
    inputs.push(e.moved_axes(site.val(n))?);
    site.again(e, &inputs).map(Some)
}

pub(crate) fn pack(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(op) = site.op.downcast::<Pack>() else {
        return Ok(None);
    };
    let inputs = all_each(e, site, site.inputs.len())?;
    let axis = moved(op.axis);
    emitted(e, Arc::new(Pack { axis }), &inputs)
}

pub(crate) fn unpack(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(op) = site.op.downcast::<Unpack>() else {
        return Ok(None);
    };
    let axis = moved(op.axis);
    emitted(e, Arc::new(Unpack { num: op.num, axis }), &site.vals())
}

pub(crate) fn identity_n(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let outputs = e.emit(site.op.clone(), &site.vals())?;
    let like = |(val, input): (Val, &Rowed)| match input {
        Rowed::Each(_) => Rowed::Each(val),
        Rowed::Same(_) => Rowed::Same(val),
    };
    Ok(Some(
        outputs.into_iter().zip(site.inputs).map(like).collect(),
    ))
}

pub(crate) fn split(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.only_each(&[1]) {
        return Ok(None);
    }
    let axis = e.moved_axes(site.val(0))?;
    site.again(e, &[axis, site.val(1).clone()]).map(Some)
}

pub(crate) fn split_v(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.only_each(&[0]) {
        return Ok(None);
    }
    let mut inputs = site.vals();
    inputs[2] = e.moved_axes(&inputs[2])?;
    site.again(e, &inputs).map(Some)
}
