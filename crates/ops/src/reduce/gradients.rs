//! Gradients of reductions.

use super::axes::marks;
use crate::emit::*;
use crate::gather::product;
use ferrograph_graph::{Emitter, Val};
use ferrograph_tensor::{DType, Result};

/// What the rule of a reduction works from.
pub(crate) struct ReduceCall<'a> {
    pub x: &'a Val,
    pub axes: &'a Val,
    /// The result.
    pub y: &'a Val,
    /// Its gradient.
    pub g: &'a Val,
    pub keep_dims: bool,
}

impl ReduceCall<'_> {
    /// The reduced axes in order, where they and the rank are known.
    fn reduced(&self) -> Option<Vec<i64>> {
        let rank = self.x.spec().shape.rank()?;
        let axes = self.axes.constant()?.to_i64s().ok()?;
        let marks = marks(&axes, rank).ok()?;
        (0i64..)
            .zip(marks)
            .filter(|&(_, reduced)| reduced)
            .map(|(axis, _)| Some(axis))
            .collect()
    }

    /// Something of the result's shape with the reduced dimensions kept.
    fn kept(&self, e: &mut dyn Emitter, y: &Val) -> Result<Val> {
        if self.keep_dims {
            return Ok(y.clone());
        }
        let Some(axes) = self.reduced() else {
            let shape = e.shape_of(self.x)?;
            let kept = e.reduced_shape(&shape, self.axes)?;
            return e.reshape(y, &kept);
        };
        if let Some(shape) = self.x.spec().shape.to_static() {
            let ones = |(i, &n): (usize, &usize)| match i64::try_from(i) {
                Ok(axis) if axes.contains(&axis) => 1,
                _ => i64::try_from(n).unwrap_or(i64::MAX),
            };
            let dims: Vec<i64> = shape.iter().enumerate().map(ones).collect();
            let dims = e.int_vector(&dims)?;
            return e.reshape(y, &dims);
        }
        let mut kept = y.clone();
        for axis in axes {
            let axis = e.scalar(axis as f64, DType::Int32)?;
            kept = e.expand_dims(&kept, &axis)?;
        }
        Ok(kept)
    }
}

/// `a` repeated to the shape of `like`.
fn spread(e: &mut dyn Emitter, a: &Val, like: &Val) -> Result<Val> {
    let (from, to) = (a.spec().shape, like.spec().shape);
    if from.is_static() && from == to {
        return Ok(a.clone());
    }
    let shape = e.shape_of(like)?;
    e.broadcast_to(a, &shape)
}

pub(super) fn sum(e: &mut dyn Emitter, c: &ReduceCall<'_>) -> Result<Val> {
    let g = c.kept(e, c.g)?;
    spread(e, &g, c.x)
}

/// The gradient of the sum over the number of elements that a result is made of.
pub(super) fn mean(e: &mut dyn Emitter, c: &ReduceCall<'_>) -> Result<Val> {
    let (from, to) = (c.x.spec().shape.n_elements(), c.y.spec().shape.n_elements());
    let scaled = match (from, to) {
        #[allow(clippy::cast_precision_loss)]
        (Some(from), Some(to)) => e.scale(c.g, to.max(1) as f64 / from.max(1) as f64)?,
        _ => {
            let n = n_reduced(e, c)?;
            let n = e.cast(&n, c.g.dtype())?;
            e.div(c.g, &n)?
        }
    };
    sum(e, &ReduceCall { g: &scaled, ..*c })
}

/// How many elements a result is made of.
fn n_reduced(e: &mut dyn Emitter, c: &ReduceCall<'_>) -> Result<Val> {
    if let Some(axes) = c.reduced() {
        let shape = e.shape_of(c.x)?;
        let axes = e.int_vector(&axes)?;
        let zero = e.scalar(0.0, DType::Int32)?;
        let sizes = e.gather_v2(&shape, &axes, &zero, 0)?;
        return e.prod(&sizes, &zero, false);
    }
    let from = e.size(c.x, DType::Int32)?;
    let to = e.size(c.y, DType::Int32)?;
    let one = e.scalar(1.0, DType::Int32)?;
    let to = e.maximum(&to, &one)?;
    e.floor_div(&from, &to)
}

/// Elements equal to the extreme share its gradient.
pub(super) fn extreme(e: &mut dyn Emitter, c: &ReduceCall<'_>) -> Result<Val> {
    let (y, g) = (c.kept(e, c.y)?, c.kept(e, c.g)?);
    let equal = e.equal(c.x, &y, true)?;
    let hits = e.cast(&equal, c.g.dtype())?;
    let count = e.sum(&hits, c.axes, true)?;
    let share = e.div(&g, &count)?;
    e.mul(&hits, &share)
}

/// `x g / y`, 0 where the norm is.
pub(super) fn norm(e: &mut dyn Emitter, c: &ReduceCall<'_>) -> Result<Val> {
    let ratio = e.div_no_nan(c.g, c.y)?;
    let ratio = c.kept(e, &ratio)?;
    e.mul(c.x, &ratio)
}

/// For each element the product of the others: of those before it and those after it, so that zeros do no harm.
pub(super) fn prod(e: &mut dyn Emitter, c: &ReduceCall<'_>) -> Result<Val> {
    let g = c.kept(e, c.g)?;
    let others = match (c.reduced(), c.x.spec().shape.rank()) {
        (Some(axes), Some(rank)) if axes.len() == rank => {
            let flat = e.int_vector(&[-1])?;
            let flat = e.reshape(c.x, &flat)?;
            let others = others_along(e, &flat, 0)?;
            e.reshape_like(&others, c.x)?
        }
        (Some(axes), _) if axes.len() == 1 => others_along(e, c.x, axes[0])?,
        (Some(axes), _) if axes.is_empty() => e.ones_like(c.x)?,
        (Some(axes), Some(rank)) => others_across(e, c.x, &axes, rank)?,
        _ => others_anywhere(e, c)?,
    };
    let slope = e.conj(&others)?;
    e.mul(&slope, &g)
}

/// The product of the other elements along one axis.
fn others_along(e: &mut dyn Emitter, x: &Val, axis: i64) -> Result<Val> {
    let axis = e.scalar(axis as f64, DType::Int32)?;
    let before = e.cumprod(x, &axis, true, false)?;
    let after = e.cumprod(x, &axis, true, true)?;
    e.mul(&before, &after)
}

/// The product of the other elements over several axes: they are brought to the end and joined.
fn others_across(e: &mut dyn Emitter, x: &Val, axes: &[i64], rank: usize) -> Result<Val> {
    let rank = i64::try_from(rank).unwrap_or(i64::MAX);
    let kept: Vec<i64> = (0..rank).filter(|axis| !axes.contains(axis)).collect();
    let perm: Vec<i64> = kept.iter().chain(axes).copied().collect();
    let mut back = vec![0; perm.len()];
    for (to, &from) in (0i64..).zip(&perm) {
        if let Some(slot) = usize::try_from(from).ok().and_then(|i| back.get_mut(i)) {
            *slot = to;
        }
    }
    let (perm, back) = (e.int_vector(&perm)?, e.int_vector(&back)?);
    let moved = e.transpose(x, &perm)?;
    let rows = e.shape_of(&moved)?;
    let (zero, n_kept) = (e.int_vector(&[0])?, e.int_vector(&[kept.len() as i64])?);
    let outer = e.slice(&rows, &zero, &n_kept)?;
    let rest = product(e, &rows, &n_kept, None)?;
    let axis = e.scalar(0.0, DType::Int32)?;
    let joined = e.concat_v2(&[outer, rest], &axis)?;
    let flat = e.reshape(&moved, &joined)?;
    let others = others_along(e, &flat, -1)?;
    let others = e.reshape_like(&others, &moved)?;
    e.transpose(&others, &back)
}

/// The product of the other elements where only the run knows the rank, or which axes are reduced: those are brought to
/// the end and joined, as are the others.
fn others_anywhere(e: &mut dyn Emitter, c: &ReduceCall<'_>) -> Result<Val> {
    let (zero, one) = (e.scalar(0.0, DType::Int32)?, e.scalar(1.0, DType::Int32)?);
    let (rank, reduced) = marked(e, c)?;
    let kept = e.select(&reduced, &zero, &one)?;
    let [_, perm] = e.top_k_v2(&kept, &rank, true)?;
    let back = e.invert_permutation(&perm)?;
    let (shape, first) = (e.shape_of(c.x)?, e.int_vector(&[0])?);
    let outer = e.select(&reduced, &one, &shape)?;
    let inner = e.select(&reduced, &shape, &one)?;
    let sizes = [e.prod(&outer, &first, true)?, e.prod(&inner, &first, true)?];
    let sizes = e.concat_v2(&sizes, &zero)?;
    let moved = e.transpose(c.x, &perm)?;
    let flat = e.reshape(&moved, &sizes)?;
    let others = others_along(e, &flat, -1)?;
    let others = e.reshape_like(&others, &moved)?;
    e.transpose(&others, &back)
}

/// The rank as the run knows it, and for each axis whether it is reduced.
fn marked(e: &mut dyn Emitter, c: &ReduceCall<'_>) -> Result<(Val, Val)> {
    let (zero, one) = (e.scalar(0.0, DType::Int32)?, e.scalar(1.0, DType::Int32)?);
    let rank = e.rank(c.x)?;
    let axes = e.cast(c.axes, DType::Int32)?;
    let row = e.int_vector(&[-1])?;
    let axes = e.reshape(&axes, &row)?;
    let least = e.maximum(&rank, &one)?;
    let axes = e.floor_mod(&axes, &least)?;
    let all = e.range(&zero, &rank, &one)?;
    let column = e.int_vector(&[-1, 1])?;
    let all = e.reshape(&all, &column)?;
    let hits = e.equal(&all, &axes, true)?;
    Ok((rank, e.any(&hits, &one, false)?))
}
