//! Lists whose elements have the further axis.

use super::super::{Rowed, Site};
use super::Found;
use crate::emit::TraceEmitter;
use ferrograph_graph::{Emitter, Val};
use ferrograph_ops::emit::*;
use ferrograph_tensor::{DType, Result};

/// The shape of an element of one row as that of all rows; a scalar is any.
fn elements(e: &mut TraceEmitter, site: &Site<'_>, i: usize) -> Result<Option<Val>> {
    match (&site.inputs[i], site.rank(i)) {
        (Rowed::Same(shape), Some(0)) => Ok(Some(shape.clone())),
        (Rowed::Same(shape), Some(1)) => e.rows_of(shape, site.rows).map(Some),
        _ => Ok(None),
    }
}

pub(crate) fn make(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if site.inputs.iter().any(Rowed::is_each) {
        return Ok(None);
    }
    let Some(shape) = elements(e, site, 0)? else {
        return Ok(None);
    };
    site.again(e, &[shape, site.val(1).clone()]).map(Some)
}

pub(crate) fn length(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let length = e.tensor_list_length(site.val(0))?;
    Ok(Some(vec![Rowed::Same(length)]))
}

pub(crate) fn set_item(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.inputs[0].is_each() || site.inputs[1].is_each() {
        return Ok(None);
    }
    let item = site.each(e, 2)?;
    let inputs = [site.val(0).clone(), site.val(1).clone(), item];
    site.again(e, &inputs).map(Some)
}

pub(crate) fn get_item(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let shape = match site.inputs[0].is_each() {
        true => elements(e, site, 2)?,
        false => site.inputs[2].same().cloned(),
    };
    let Some(shape) = shape else {
        return Ok(None);
    };
    let (list, index, dtype) = (site.val(0), site.val(1), site.outputs[0].dtype);
    if !site.inputs[1].is_each() {
        let inputs = [list.clone(), index.clone(), shape];
        return site.again(e, &inputs).map(Some);
    }
    let all = e.tensor_list_stack(list, &shape, dtype, -1)?;
    let zero = e.scalar(0.0, DType::Int32)?;
    let found = match site.inputs[0].is_each() {
        false => e.gather_v2(&all, index, &zero, 0)?,
        true => {
            let numbers = e.numbers(site.rows, index.dtype())?;
            let columns = [index.clone(), numbers];
            let places = e.pack(&columns, 1)?;
            e.gather_nd(&all, &places)?
        }
    };
    Ok(Some(vec![Rowed::Each(found)]))
}

pub(crate) fn push_back(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.inputs[0].is_each() {
        return Ok(None);
    }
    let item = site.each(e, 1)?;
    site.again(e, &[site.val(0).clone(), item]).map(Some)
}

pub(crate) fn pop_back(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(shape) = elements(e, site, 1)? else {
        return Ok(None);
    };
    site.again(e, &[site.val(0).clone(), shape]).map(Some)
}

pub(crate) fn stack(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(shape) = elements(e, site, 1)? else {
        return Ok(None);
    };
    let all = e.emit(site.op.clone(), &[site.val(0).clone(), shape])?;
    Ok(e.moved(&all[0], 1, 0)?.map(|v| vec![Rowed::Each(v)]))
}

pub(crate) fn from_tensor(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(shape) = elements(e, site, 1)? else {
        return Ok(None);
    };
    match e.moved(site.val(0), 0, 1)? {
        Some(items) => site.again(e, &[items, shape]).map(Some),
        None => Ok(None),
    }
}
