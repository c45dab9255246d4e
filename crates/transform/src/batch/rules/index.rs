//! Reading and writing by index.

use super::super::build::ints;
use super::super::{Rowed, Site};
use super::Found;
use crate::emit::TraceEmitter;
use ferrograph_graph::{Emitter, Val};
use ferrograph_ops::GatherV2;
use ferrograph_ops::emit::*;
use ferrograph_tensor::{DType, Result};

pub(crate) fn gather(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(op) = site.op.downcast::<GatherV2>() else {
        return Ok(None);
    };
    if !site.only_each(&[0, 1]) {
        return Ok(None);
    }
    let (params, indices, axis) = (site.val(0), site.val(1), site.val(2));
    if op.batch_dims == 0 && !site.inputs[1].is_each() {
        let axis = e.moved_axes(axis)?;
        let found = e.gather_v2(params, indices, &axis, 0)?;
        return Ok(Some(vec![Rowed::Each(found)]));
    }
    if op.batch_dims == 0
        && !site.inputs[0].is_each()
        && let Some(found) = shared(e, site)?
    {
        return Ok(Some(vec![Rowed::Each(found)]));
    }
    let matched = match (op.batch_dims, site.rank(1)) {
        (n, _) if n >= 0 => n + 1,
        (n, Some(rank)) => n + i64::try_from(rank).unwrap_or(0) + 1,
        _ => return Ok(None),
    };
    let (params, indices) = (site.each(e, 0)?, site.each(e, 1)?);
    let axis = e.moved_axes(axis)?;
    let found = e.gather_v2(&params, &indices, &axis, matched)?;
    Ok(Some(vec![Rowed::Each(found)]))
}

/// From what all rows share, at indices of each: the rows come where the axis was, and are moved to the front.
fn shared(e: &mut TraceEmitter, site: &Site<'_>) -> Result<Option<Val>> {
    let (Some(rank), Some(axis)) = (site.rank(0), ints(site.val(2))) else {
        return Ok(None);
    };
    let rank = i64::try_from(rank).unwrap_or(0);
    let axis = if axis[0] < 0 { axis[0] + rank } else { axis[0] };
    let found = e.gather_v2(site.val(0), site.val(1), site.val(2), 0)?;
    if axis == 0 {
        return Ok(Some(found));
    }
    let Some(total) = found.spec().shape.rank() else {
        return Ok(None);
    };
    let total = i64::try_from(total).unwrap_or(0);
    let perm: Vec<i64> = std::iter::once(axis)
        .chain((0..total).filter(|&a| a != axis))
        .collect();
    let perm = e.int_vector(&perm)?;
    e.transpose(&found, &perm).map(Some)
}

/// Index tuples for each row with the number of the row in front.
fn with_rows(e: &mut TraceEmitter, site: &Site<'_>, i: usize) -> Result<Option<Val>> {
    let Some(rank) = site.rank(i) else {
        return Ok(None);
    };
    let indices = site.each(e, i)?;
    let numbers = e.numbers(site.rows, indices.dtype())?;
    let numbers = e.widened(&numbers, 0, rank)?;
    let shape = e.shape_of(&indices)?;
    let lead = lead_of(e, &shape, rank)?;
    let one = e.ints(&[1], shape.dtype())?;
    let column = e.joined(&[&lead, &one])?;
    let numbers = e.broadcast_to(&numbers, &column)?;
    let last = e.scalar(-1.0, DType::Int32)?;
    e.concat_v2(&[numbers, indices], &last).map(Some)
}

/// The first `n` items of a vector of more.
fn lead_of(e: &mut TraceEmitter, vector: &Val, n: usize) -> Result<Val> {
    if let Some(known) = ints(vector) {
        return e.ints(&known[..n], vector.dtype());
    }
    let n = i64::try_from(n).unwrap_or(0);
    let (begin, end, one) = (
        e.int_vector(&[0])?,
        e.int_vector(&[n])?,
        e.int_vector(&[1])?,
    );
    e.strided_slice(vector, &begin, &end, &one, 0, 0, 0, 0, 0)
}

pub(crate) fn gather_nd(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.inputs[0].is_each() {
        return site.again(e, &site.vals()).map(Some);
    }
    match with_rows(e, site, 1)? {
        Some(indices) => site.again(e, &[site.val(0).clone(), indices]).map(Some),
        None => Ok(None),
    }
}

pub(crate) fn scatter_nd(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.only_each(&[0, 1]) {
        return Ok(None);
    }
    let Some(indices) = with_rows(e, site, 0)? else {
        return Ok(None);
    };
    let updates = site.each(e, 1)?;
    let shape = e.rows_of(site.val(2), site.rows)?;
    site.again(e, &[indices, updates, shape]).map(Some)
}

pub(crate) fn tensor_scatter(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(indices) = with_rows(e, site, 1)? else {
        return Ok(None);
    };
    let (tensor, updates) = (site.each(e, 0)?, site.each(e, 2)?);
    site.again(e, &[tensor, indices, updates]).map(Some)
}

impl TraceEmitter {
    /// Axis `from`, counted from the front, moved to place `to`; the rank must be known unless both are below 2.
    pub(crate) fn moved(&mut self, val: &Val, from: usize, to: usize) -> Result<Option<Val>> {
        let number = |i: usize| i64::try_from(i).unwrap_or(0);
        let perm = match val.spec().shape.rank() {
            Some(rank) => {
                let mut axes: Vec<i64> = (0..number(rank)).collect();
                let axis = axes.remove(from);
                axes.insert(to, axis);
                self.int_vector(&axes)?
            }
            None if from + to == 1 => {
                let (rank, two) = (self.rank(val)?, self.scalar(2.0, DType::Int32)?);
                let one = self.scalar(1.0, DType::Int32)?;
                let (first, rest) = (self.int_vector(&[1, 0])?, self.range(&two, &rank, &one)?);
                self.joined(&[&first, &rest])?
            }
            None => return Ok(None),
        };
        self.transpose(val, &perm).map(Some)
    }
}

/// By ids that all rows share: the rows go behind the axes of the ids and come back to the front.
fn behind_ids(e: &mut TraceEmitter, site: &Site<'_>, ids: usize) -> Found {
    let Some(data) = e.moved(site.val(0), 0, ids)? else {
        return Ok(None);
    };
    let mut inputs = site.vals();
    inputs[0] = data;
    let outputs = e.emit(site.op.clone(), &inputs)?;
    Ok(e.moved(&outputs[0], 1, 0)?.map(|v| vec![Rowed::Each(v)]))
}

pub(crate) fn segment(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    match site.only_each(&[0]) {
        true => behind_ids(e, site, 1),
        false => Ok(None),
    }
}

pub(crate) fn unsorted_segment(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if site.only_each(&[0]) {
        return match site.rank(1) {
            Some(rank) => behind_ids(e, site, rank),
            None => Ok(None),
        };
    }
    let (true, Some(rank)) = (site.only_each(&[0, 1]), site.rank(1)) else {
        return Ok(None);
    };
    let (data, ids) = (site.each(e, 0)?, site.each(e, 1)?);
    let n = e.cast(site.val(2), ids.dtype())?;
    let count = e.cast(&site.rows.val, ids.dtype())?;
    let total = e.mul(&count, &n)?;
    let numbers = e.numbers(site.rows, ids.dtype())?;
    let numbers = e.widened(&numbers, 0, rank)?;
    let first = e.mul(&numbers, &n)?;
    let place = e.add(&ids, &first)?;
    // An id that is none of a row's stays one that is none at all.
    let beyond = e.greater_equal(&ids, &n)?;
    let place = e.select(&beyond, &total, &place)?;
    let zero = e.scalar(0.0, ids.dtype())?;
    let is_none = e.less(&ids, &zero)?;
    let place = e.select(&is_none, &ids, &place)?;
    let outputs = e.emit(site.op.clone(), &[data, place, total])?;
    let shape = e.shape_of(&outputs[0])?;
    let one = e.ints(&[1], n.dtype())?;
    let n = e.reshape(&n, &one)?;
    let n = e.cast(&n, shape.dtype())?;
    let rest = e.tail(&shape, 1)?;
    let row = e.joined(&[&n, &rest])?;
    let all = e.rows_of(&row, site.rows)?;
    Ok(Some(vec![Rowed::Each(e.reshape(&outputs[0], &all)?)]))
}
