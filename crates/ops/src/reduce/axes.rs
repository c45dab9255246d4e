//! Which axes are reduced, and the shapes that follow.

use ferrograph_graph::{Inputs, Known, Op, Runner, Tensors, declare, declared};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Tensor, bail, err};
use smallvec::{SmallVec, smallvec};

declare! {
    trait EmitReducedAxes;

    /// The shape vector `input_shape` with ones at `axes`: what a reduction that keeps its dimensions leaves.
    ReducedShape: reduced_shape(input_shape: T in index, axes: Tidx in index) -> (output: T like input_shape), gradient Stops;

    /// Of two shapes that broadcast against each other: the axes of the result along which each was repeated.
    BroadcastGradientArgs: broadcast_gradient_args(s0: T in index, s1: T) -> (r0: T rank 1, r1: T rank 1), gradient Stops;
}

/// For each axis whether it is reduced.
pub(super) type Marks = SmallVec<[bool; 6]>;

/// Marks axes, which may be negative.
///
/// # Errors
/// `InvalidArgument` where one is outside the rank or comes twice.
pub(super) fn marks(axes: &[i64], rank: usize) -> Result<Marks> {
    let mut marks: Marks = smallvec![false; rank];
    for &axis in axes {
        let at = resolve(axis, rank)?;
        if std::mem::replace(&mut marks[at], true) {
            bail!(
                InvalidArgument,
                "Invalid reduction arguments: Axes contains duplicate dimension: {at}"
            );
        }
    }
    Ok(marks)
}

/// The axis from the front that a possibly negative one means.
pub(super) fn resolve(axis: i64, rank: usize) -> Result<usize> {
    let n = i64::try_from(rank).unwrap_or(i64::MAX);
    let from_front = if axis < 0 {
        axis.checked_add(n)
    } else {
        Some(axis)
    };
    from_front
        .and_then(|a| usize::try_from(a).ok())
        .filter(|&a| a < rank)
        .ok_or_else(|| {
            err!(
                InvalidArgument,
                "Invalid reduction dimension ({axis} for input with {rank} dimension(s))"
            )
        })
}

/// The shape left by a reduction of `shape` over axes, as far as they are known.
pub(super) fn reduced_shape(
    shape: &PartialShape,
    axes: Option<&[i64]>,
    keep_dims: bool,
) -> Result<PartialShape> {
    let Some(dims) = shape.dims() else {
        return Ok(PartialShape::UNKNOWN);
    };
    let Some(axes) = axes else {
        return Ok(match keep_dims {
            true => PartialShape::of_rank(dims.len()),
            false => PartialShape::UNKNOWN,
        });
    };
    let marks = marks(axes, dims.len())?;
    Ok(dims
        .iter()
        .zip(&marks)
        .filter(|&(_, &reduced)| keep_dims || !reduced)
        .map(|(&dim, &reduced)| if reduced { Dim::new(1) } else { dim })
        .collect())
}

impl Op for ReducedShape {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let mut sizes = inputs[0].to_i64s()?;
        let marks = marks(&inputs[1].to_i64s()?, sizes.len())?;
        let of_reduced = sizes.iter_mut().zip(marks).filter(|(_, reduced)| *reduced);
        of_reduced.for_each(|(size, _)| *size = 1);
        Ok(smallvec![int_vector(&sizes, inputs[0].dtype())?])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let mut sizes = inputs.known(0)?;
        let marks = marks(&inputs.ints(1)?, sizes.len()).ok()?;
        for (size, reduced) in sizes.iter_mut().zip(marks) {
            if reduced {
                *size = Some(1);
            }
        }
        Some(sizes)
    }
}

/// An int32 or int64 vector.
pub(super) fn int_vector(elements: &[i64], dtype: DType) -> Result<Tensor> {
    if dtype == DType::Int64 {
        return Tensor::vector(elements);
    }
    let narrow: Result<Vec<i32>> = elements
        .iter()
        .map(|&x| i32::try_from(x).map_err(|_| err!(InvalidArgument, "{x} does not fit int32")))
        .collect();
    Tensor::vector(&narrow?)
}

impl Op for BroadcastGradientArgs {
    declared!();
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (a, b) = repeated(&inputs[0].to_i64s()?, &inputs[1].to_i64s()?)?;
        [a, b]
            .iter()
            .map(|axes| int_vector(axes, inputs[0].dtype()))
            .collect()
    }
}

fn repeated(a: &[i64], b: &[i64]) -> Result<(Vec<i64>, Vec<i64>)> {
    let rank = a.len().max(b.len());
    let at = |s: &[i64], i: usize| (i + s.len()).checked_sub(rank).map_or(1, |j| s[j]);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for i in 0..rank {
        let axis = i64::try_from(i).unwrap_or(i64::MAX);
        match (at(a, i), at(b, i)) {
            (1, 1) => {
                first.push(axis);
                second.push(axis);
            }
            (x, y) if x == y => {}
            (1, _) => first.push(axis),
            (_, 1) => second.push(axis),
            _ => bail!(Shape, "shapes {a:?} and {b:?} do not broadcast"),
        }
    }
    Ok((first, second))
}
