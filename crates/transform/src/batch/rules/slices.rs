//! Slices.

use super::super::build::ints;
use super::super::{Rowed, Site};
use super::Found;
use crate::emit::TraceEmitter;
use ferrograph_graph::{Emitter, OpRef, Val};
use ferrograph_ops::emit::*;
use ferrograph_ops::{StridedSlice, StridedSliceGrad};
use ferrograph_tensor::{DType, Result};
use std::sync::Arc;

pub(crate) fn slice(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.only_each(&[0]) {
        return Ok(None);
    }
    let (begin, size) = (e.behind(0, site.val(1))?, e.behind(-1, site.val(2))?);
    site.again(e, &[site.val(0).clone(), begin, size]).map(Some)
}

/// Begin, end and strides with an entry for all rows in front.
fn all_rows(e: &mut TraceEmitter, entries: [&Val; 3]) -> Result<[Val; 3]> {
    let [begin, end, strides] = entries;
    Ok([
        e.behind(0, begin)?,
        e.behind(0, end)?,
        e.behind(1, strides)?,
    ])
}

fn emitted(e: &mut TraceEmitter, op: OpRef, inputs: &[Val]) -> Found {
    let outputs = e.emit(op, inputs)?;
    Ok(Some(outputs.into_iter().map(Rowed::Each).collect()))
}

pub(crate) fn strided_slice(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(op) = site.op.downcast::<StridedSlice>() else {
        return Ok(None);
    };
    if !site.only_each(&[0]) {
        return picked(e, site, op);
    }
    let [begin, end, strides] = all_rows(e, [site.val(1), site.val(2), site.val(3)])?;
    let op = StridedSlice {
        begin_mask: op.begin_mask << 1 | 1,
        end_mask: op.end_mask << 1 | 1,
        ellipsis_mask: op.ellipsis_mask << 1,
        new_axis_mask: op.new_axis_mask << 1,
        shrink_axis_mask: op.shrink_axis_mask << 1,
    };
    let inputs = [site.val(0).clone(), begin, end, strides];
    emitted(e, Arc::new(op), &inputs)
}

/// `x[i]`, where `i` depends on the row.
fn picked(e: &mut TraceEmitter, site: &Site<'_>, op: &StridedSlice) -> Found {
    let one_index = site.specs[1].shape.dim(0).known() == Some(1) && op.shrink_axis_mask == 1;
    let no_others = op.begin_mask | op.end_mask | op.ellipsis_mask | op.new_axis_mask == 0;
    let forward = ints(site.val(3)).is_some_and(|s| s == [1]);
    if !(one_index && no_others && forward && site.inputs[1].is_each()) {
        return Ok(None);
    }
    let (axis, flat) = (i64::from(site.inputs[0].is_each()), e.int_vector(&[-1])?);
    let index = e.reshape(site.val(1), &flat)?;
    let shape = e.shape(site.val(0), index.dtype())?;
    let place = e.scalar(axis as f64, DType::Int32)?;
    let zero_axis = e.scalar(0.0, DType::Int32)?;
    let size = e.gather_v2(&shape, &place, &zero_axis, 0)?;
    let zero = e.scalar(0.0, index.dtype())?;
    let from_end = e.less(&index, &zero)?;
    let around = e.add(&index, &size)?;
    let index = e.select(&from_end, &around, &index)?;
    let found = e.gather_v2(site.val(0), &index, &place, axis)?;
    Ok(Some(vec![Rowed::Each(found)]))
}

pub(crate) fn strided_slice_grad(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(op) = site.op.downcast::<StridedSliceGrad>() else {
        return Ok(None);
    };
    if !site.only_each(&[4]) {
        return Ok(None);
    }
    let shape = e.rows_of(site.val(0), site.rows)?;
    let [begin, end, strides] = all_rows(e, [site.val(1), site.val(2), site.val(3)])?;
    let op = StridedSliceGrad {
        begin_mask: op.begin_mask << 1 | 1,
        end_mask: op.end_mask << 1 | 1,
        ellipsis_mask: op.ellipsis_mask << 1,
        new_axis_mask: op.new_axis_mask << 1,
        shrink_axis_mask: op.shrink_axis_mask << 1,
    };
    let inputs = [shape, begin, end, strides, site.val(4).clone()];
    emitted(e, Arc::new(op), &inputs)
}
