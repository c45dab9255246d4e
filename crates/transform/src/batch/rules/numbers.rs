//! Products, losses, draws and others.

use super::super::facts::{folded, folds, unfolded};
use super::super::{Rowed, Site};
use super::Found;
use crate::emit::TraceEmitter;
use ferrograph_graph::Emitter;
use ferrograph_ops::OneHot;
use ferrograph_ops::emit::*;
use ferrograph_tensor::DType;
use std::sync::Arc;

/// Rows times one matrix are one product; others are a stack of products.
pub(crate) fn matmul(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let (left, right) = (site.holds("transpose_a"), site.holds("transpose_b"));
    let (a, b) = (site.val(0), site.val(1));
    if !left && site.only_each(&[0]) && site.rank(0) == Some(2) && site.rank(1) == Some(2) {
        let shape = e.shape_of(a)?;
        let rows = folded(e, a)?;
        let product = e.matmul(&rows, b, false, right)?;
        return Ok(Some(vec![Rowed::Each(unfolded(e, &product, &shape)?)]));
    }
    if a.dtype().is_complex() && (left || right) {
        return Ok(None);
    }
    let product = e.batch_matmul(a, b, left, right)?;
    Ok(Some(vec![Rowed::Each(product)]))
}

/// One sparse matrix times the dense ones side by side.
pub(crate) fn sparse_product(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.only_each(&[3]) || site.holds("adjoint_b") {
        return Ok(None);
    }
    let front = e.int_vector(&[1, 0, 2])?;
    let dense = e.transpose(site.val(3), &front)?;
    let shape = e.shape_of(&dense)?;
    let (begin, end, step) = (
        e.int_vector(&[0])?,
        e.int_vector(&[1])?,
        e.int_vector(&[1])?,
    );
    let inner = e.strided_slice(&shape, &begin, &end, &step, 0, 0, 0, 0, 0)?;
    let behind = e.tail(&shape, 1)?;
    let zero = e.int_vector(&[0])?;
    let width = e.prod(&behind, &zero, true)?;
    let flat = e.joined(&[&inner, &width])?;
    let dense = e.reshape(&dense, &flat)?;
    let inputs = [site.val(0), site.val(1), site.val(2), &dense].map(Clone::clone);
    let product = e.emit(site.op.clone(), &inputs)?.remove(0);
    let shape = e.shape_of(&product)?;
    let rows = e.strided_slice(&shape, &begin, &end, &step, 0, 0, 0, 0, 0)?;
    let apart = e.joined(&[&rows, &behind])?;
    let product = e.reshape(&product, &apart)?;
    Ok(Some(vec![Rowed::Each(e.transpose(&product, &front)?)]))
}

pub(crate) fn bias_add(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.inputs[1].is_each() {
        return folds(e, site, 1);
    }
    let Some(rank) = site
        .rank(0)
        .filter(|_| !site.has_text("data_format", "NCHW"))
    else {
        return Ok(None);
    };
    let bias = e.widened(site.val(1), 1, rank)?;
    Ok(Some(vec![Rowed::Each(e.add(site.val(0), &bias)?)]))
}

pub(crate) fn bias_add_grad(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(rank) = site.rank(0).and_then(|r| i64::try_from(r).ok()) else {
        return Ok(None);
    };
    let channels = match site.has_text("data_format", "NCHW") {
        true => 2,
        false => rank,
    };
    let axes: Vec<i64> = (1..=rank).filter(|&a| a != channels).collect();
    let axes = e.int_vector(&axes)?;
    Ok(Some(vec![Rowed::Each(e.sum(site.val(0), &axes, false)?)]))
}

pub(crate) fn l2_loss(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(rank) = site.rank(0).and_then(|r| i64::try_from(r).ok()) else {
        return Ok(None);
    };
    let axes: Vec<i64> = (1..=rank).collect();
    let axes = e.int_vector(&axes)?;
    let squares = e.mul(site.val(0), site.val(0))?;
    let sum = e.sum(&squares, &axes, false)?;
    Ok(Some(vec![Rowed::Each(e.scale(&sum, 0.5)?)]))
}

pub(crate) fn one_hot(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let Some(op) = site
        .op
        .downcast::<OneHot>()
        .filter(|_| site.only_each(&[0]))
    else {
        return Ok(None);
    };
    let axis = if op.axis < 0 { op.axis } else { op.axis + 1 };
    let outputs = e.emit(Arc::new(OneHot { axis }), &site.vals())?;
    Ok(Some(outputs.into_iter().map(Rowed::Each).collect()))
}

/// The older selection: a vector of conditions chooses rows of the operands.
pub(crate) fn select(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let (Some(of_condition), Some(rank)) = (site.rank(0), site.rank(1)) else {
        return Ok(None);
    };
    let mut condition = site.val(0).clone();
    let last = e.scalar(-1.0, DType::Int32)?;
    for _ in of_condition..rank {
        condition = e.expand_dims(&condition, &last)?;
    }
    let (a, b) = (site.each(e, 1)?, site.each(e, 2)?);
    Ok(Some(vec![Rowed::Each(e.select(&condition, &a, &b)?)]))
}

/// One assertion that all rows hold.
pub(crate) fn assert(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if !site.inputs[0].is_each() {
        return Ok(None);
    }
    let axes = e.int_vector(&[0])?;
    let mut inputs = site.vals();
    inputs[0] = e.all(&inputs[0], &axes, false)?;
    site.again(e, &inputs).map(Some)
}

/// Numbers of their own for each row.
pub(crate) fn draw(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    if site.inputs.iter().any(Rowed::is_each) {
        return Ok(None);
    }
    let mut inputs = site.vals();
    inputs[0] = e.rows_of(&inputs[0], site.rows)?;
    site.again(e, &inputs).map(Some)
}

/// Of gradients by images, of which input 0 tells the sizes and the last is folded.
pub(crate) fn of_image_sizes(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    let last = site.inputs.len() - 1;
    if !site.only_each(&[last]) {
        return Ok(None);
    }
    let mut inputs = site.vals();
    let shape = e.shape_of(&inputs[last])?;
    inputs[last] = folded(e, &inputs[last])?;
    let own = e.shape_of(&inputs[last])?;
    let (zero, one) = (e.int_vector(&[0])?, e.int_vector(&[1])?);
    let items = e.strided_slice(&own, &zero, &one, &one, 0, 0, 0, 0, 0)?;
    let rest = e.tail(&inputs[0], 1)?;
    inputs[0] = e.joined(&[&items, &rest])?;
    let outputs = e.emit(site.op.clone(), &inputs)?;
    Ok(Some(vec![Rowed::Each(unfolded(e, &outputs[0], &shape)?)]))
}
