//! Shapes, and tensors under other ones.

use super::super::build::ints;
use super::super::{Rowed, Site};
use super::Found;
use crate::emit::TraceEmitter;
use ferrograph_graph::{Emitter, Val};
use ferrograph_ops::emit::*;
use ferrograph_ops::{EnsureShape, Squeeze};
use ferrograph_tensor::{DType, Dim, PartialShape, Result};
use std::sync::Arc;

/// The sizes of a static shape.
fn sizes(shape: &PartialShape) -> Option<Vec<i64>> {
    let known = shape.to_static()?;
    known.iter().map(|&d| i64::try_from(d).ok()).collect()
}

/// Of `Shape` and `ShapeN`: those of a row, which are the same for all.
pub(crate) fn shape(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let mut shapes = Vec::new();
    for (i, input) in site.inputs.iter().enumerate() {
        let dtype = site.outputs[i].dtype;
        let found = match (sizes(&site.specs[i].shape), input) {
            (Some(sizes), _) => e.ints(&sizes, dtype)?,
            (None, Rowed::Same(val)) => e.shape(val, dtype)?,
            (None, Rowed::Each(val)) => {
                let all = e.shape(val, dtype)?;
                e.tail(&all, 1)?
            }
        };
        shapes.push(Rowed::Same(found));
    }
    Ok(Some(shapes))
}

pub(crate) fn size(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let shape = e.row_shape(site.val(0))?;
    let axes = e.int_vector(&[0])?;
    let size = e.prod(&shape, &axes, false)?;
    Ok(Some(vec![Rowed::Same(
        e.cast(&size, site.outputs[0].dtype)?,
    )]))
}

pub(crate) fn rank(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let (all, one) = (e.rank(site.val(0))?, e.scalar(1.0, DType::Int32)?);
    Ok(Some(vec![Rowed::Same(e.sub(&all, &one)?)]))
}

pub(crate) fn ensure_shape(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(op) = site.op.downcast::<EnsureShape>() else {
        return Ok(None);
    };
    let dims = op.shape.dims().map(|d| d.iter().copied());
    let shape = dims.map(|dims| std::iter::once(Dim::UNKNOWN).chain(dims).collect());
    let op = EnsureShape {
        shape: shape.unwrap_or(PartialShape::UNKNOWN),
    };
    let outputs = e.emit(Arc::new(op), &site.vals())?;
    Ok(Some(outputs.into_iter().map(Rowed::Each).collect()))
}

pub(crate) fn reshape(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.only_each(&[0]) {
        return Ok(None);
    }
    let shape = match sizes(&site.outputs[0].shape) {
        Some(sizes) => e.ints(&sizes, site.val(1).dtype())?,
        None => explicit(e, site)?,
    };
    let shape = e.rows_of(&shape, site.rows)?;
    Ok(Some(vec![Rowed::Each(e.reshape(site.val(0), &shape)?)]))
}

/// The shape of a row that a reshape asks for, with a size in the place of -1: what is left cannot be told where there are
/// no rows.
fn explicit(e: &mut TraceEmitter, site: &Site<'_>) -> Result<Val> {
    let shape = site.val(1);
    if ints(shape).is_some_and(|s| s.iter().all(|&d| d >= 0)) {
        return Ok(shape.clone());
    }
    let dtype = shape.dtype();
    let own = e.row_shape(site.val(0))?;
    let own = e.cast(&own, dtype)?;
    let axes = e.int_vector(&[0])?;
    let size = e.prod(&own, &axes, false)?;
    let (zero, one) = (e.scalar(0.0, dtype)?, e.scalar(1.0, dtype)?);
    let open = e.less(shape, &zero)?;
    let others = e.select(&open, &one, shape)?;
    let others = e.prod(&others, &axes, false)?;
    let others = e.maximum(&others, &one)?;
    let left = e.floor_div(&size, &others)?;
    e.select(&open, &left, shape)
}

pub(crate) fn squeeze(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(op) = site.op.downcast::<Squeeze>() else {
        return Ok(None);
    };
    let up = |&axis: &i64| if axis < 0 { axis } else { axis + 1 };
    let mut axes: Vec<i64> = op.squeeze_dims.iter().map(up).collect();
    if axes.is_empty() {
        let Some(sizes) = sizes(&site.specs[0].shape) else {
            return Ok(None);
        };
        let ones = (1..).zip(&sizes).filter(|(_, size)| **size == 1);
        axes = ones.map(|(axis, _)| axis).collect();
    }
    if axes.is_empty() {
        return Ok(Some(site.inputs.to_vec()));
    }
    let op = Squeeze { squeeze_dims: axes };
    let outputs = e.emit(Arc::new(op), &site.vals())?;
    Ok(Some(outputs.into_iter().map(Rowed::Each).collect()))
}

/// A value for each row, of `rank` in one row, widened to as many axes as a vector of sizes has items.
fn widened_like(
    e: &mut TraceEmitter,
    val: &Val,
    rank: Option<usize>,
    sizes: (&Val, Option<usize>),
) -> Result<Val> {
    if let (Some(rank), Some(to)) = (rank, sizes.1) {
        return e.widened(val, rank, to);
    }
    let to = e.size(sizes.0, DType::Int32)?;
    let one = e.int_vector(&[1])?;
    let to = e.reshape(&to, &one)?;
    e.widened_to(val, &to)
}

pub(crate) fn broadcast_to(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.only_each(&[0]) {
        return Ok(None);
    }
    let (val, shape) = (site.val(0), site.val(1));
    let to = site.specs[1].shape.dim(0).known();
    let wide = widened_like(e, val, site.rank(0), (shape, to))?;
    let all = e.rows_of(shape, site.rows)?;
    Ok(Some(vec![Rowed::Each(e.broadcast_to(&wide, &all)?)]))
}

pub(crate) fn fill(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.only_each(&[1]) {
        return Ok(None);
    }
    let to = site.specs[0].shape.dim(0).known();
    let wide = widened_like(e, site.val(1), Some(0), (site.val(0), to))?;
    let all = e.rows_of(site.val(0), site.rows)?;
    Ok(Some(vec![Rowed::Each(e.broadcast_to(&wide, &all)?)]))
}

pub(crate) fn transpose(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.only_each(&[0]) {
        return Ok(None);
    }
    let moved = e.moved_axes(site.val(1))?;
    let perm = e.behind(0, &moved)?;
    site.again(e, &[site.val(0).clone(), perm]).map(Some)
}

pub(crate) fn tile(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.only_each(&[0]) {
        return Ok(None);
    }
    let multiples = e.behind(1, site.val(1))?;
    site.again(e, &[site.val(0).clone(), multiples]).map(Some)
}

/// Of all pads: none around the rows.
pub(crate) fn pad(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.only_each(&[0]) {
        return Ok(None);
    }
    let none = e.ints(&[0, 0], site.val(1).dtype())?;
    let (row, axis) = (e.int_vector(&[1, 2])?, e.scalar(0.0, DType::Int32)?);
    let none = e.reshape(&none, &row)?;
    let mut inputs = site.vals();
    inputs[1] = e.concat_v2(&[none, inputs[1].clone()], &axis)?;
    site.again(e, &inputs).map(Some)
}
