//! Reading of axes, counts and shapes from the inputs of operations.

use ferrograph_graph::{Inputs, Known, MOST_KNOWN, MOST_KNOWN_IN_ROWS, Op, Specs};
use ferrograph_tensor::{Dim, MAX_RANK, PartialShape, Result, Tensor, TensorSpec, bail, err};

/// Checks that input `i`, called `what`, holds numbers: real ones where their order counts.
pub(crate) fn expect_numbers(
    inputs: &Inputs<'_>,
    i: usize,
    what: &str,
    ordered: bool,
) -> Result<()> {
    let dtype = inputs.dtype(i);
    if !dtype.is_numeric() || ordered && dtype.is_complex() {
        let kind = if ordered { "real numbers" } else { "numbers" };
        bail!(DType, "{what} must hold {kind}, got {}", inputs.spec(i));
    }
    Ok(())
}

/// Checks that input `i` may be one integer, a scalar or a vector of one.
pub(crate) fn expect_one(inputs: &Inputs<'_>, i: usize, what: &str) -> Result<()> {
    let shape = inputs.shape(i);
    let fits = match shape.dims() {
        Some([]) | None => true,
        Some([n]) => n.is_compatible(Dim::new(1)),
        Some(_) => false,
    };
    if !fits {
        bail!(Shape, "{what} must be one integer, got shape {shape}");
    }
    Ok(())
}

/// Checks that input `i` may be integers, a scalar or a vector of no more than a tensor has dimensions.
pub(crate) fn expect_integers(inputs: &Inputs<'_>, i: usize, what: &str) -> Result<()> {
    if inputs.shape(i).rank().is_some_and(|rank| rank > 1) {
        bail!(
            Shape,
            "{what} must be a scalar or a vector, got shape {}",
            inputs.shape(i)
        );
    }
    expect_few(inputs, i, what)
}

/// Checks that input `i` may be integers, one for each dimension of some tensor.
pub(crate) fn expect_few(inputs: &Inputs<'_>, i: usize, what: &str) -> Result<()> {
    let shape = inputs.shape(i);
    if shape.rank() == Some(1) && shape.dim(0).known().is_some_and(|n| n > MAX_RANK) {
        bail!(
            Shape,
            "{what} has shape {shape}, a tensor has at most {MAX_RANK} dimensions"
        );
    }
    Ok(())
}

/// The one integer of input `i`, a scalar or a vector of one, where it is known.
pub(crate) fn scalar(inputs: &Inputs<'_>, i: usize) -> Option<i64> {
    match inputs.known(i)?.as_slice() {
        [x] => *x,
        _ => None,
    }
}

/// The axis that `axis`, which may count from the end, means of a tensor of that rank.
pub(crate) fn axis_of(axis: i64, rank: usize, what: &str) -> Result<usize> {
    let n = rank as i64;
    let found = if axis < 0 {
        axis.checked_add(n)
    } else {
        Some(axis)
    };
    match found {
        Some(a) if (0..n).contains(&a) => Ok(a as usize),
        _ => Err(err!(
            Shape,
            "{what} {axis} is not in [-{n}, {n}): the tensor has rank {rank}"
        )),
    }
}

/// The elements of input `i` as far as known: for an integer scalar or vector of known length at least how many, where
/// they are not more than [`MOST_KNOWN`].
pub(crate) fn elements(inputs: &Inputs<'_>, i: usize) -> Option<Known> {
    if !inputs.dtype(i).is_integer() {
        return None;
    }
    if let Some(known) = inputs.known(i) {
        return Some(known);
    }
    match inputs.shape(i).dims()? {
        [] => Some(Known::from_elem(None, 1)),
        [n] => {
            let n = n.known().filter(|&n| n <= MOST_KNOWN)?;
            Some(Known::from_elem(None, n))
        }
        _ => None,
    }
}

/// The elements of integer input `i` of any rank, row by row, as far as they are known, where it is known how many there
/// are, and they are few.
pub(crate) fn elements_of_rows(inputs: &Inputs<'_>, i: usize) -> Option<Known> {
    let shape = inputs.shape(i);
    if shape.rank().is_some_and(|rank| rank <= 1) {
        return elements(inputs, i);
    }
    if !inputs.dtype(i).is_integer() {
        return None;
    }
    let n = shape.n_elements().filter(|&n| n <= MOST_KNOWN_IN_ROWS)?;
    Some(
        inputs
            .known_rows(i)
            .unwrap_or_else(|| Known::from_elem(None, n)),
    )
}

/// The dimensions of a shape of known rank as the elements of a shape vector.
pub(crate) fn dims_as_known(shape: &PartialShape) -> Option<Known> {
    Some(
        shape
            .dims()?
            .iter()
            .map(|d| d.known().map(|n| n as i64))
            .collect(),
    )
}

/// A size that a program gave as an integer.
pub(crate) fn size_of(size: i64, what: &str) -> Result<usize> {
    usize::try_from(size).map_err(|_| err!(Shape, "{what} must not be negative, got {size}"))
}

/// The shape of `input` without `axis`, of which only the rank is known where the axis is not.
pub(crate) fn without_axis(shape: &PartialShape, axis: Option<usize>) -> PartialShape {
    match (shape.dims(), axis) {
        (Some(dims), Some(axis)) => dims
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != axis)
            .map(|(_, d)| *d)
            .collect(),
        (Some(dims), None) => PartialShape::of_rank(dims.len().saturating_sub(1)),
        (None, _) => PartialShape::UNKNOWN,
    }
}

/// The sum of sizes where all are known.
pub(crate) fn sum_dims(dims: impl IntoIterator<Item = Dim>) -> Dim {
    dims.into_iter()
        .try_fold(0usize, |n, d| n.checked_add(d.known()?))
        .into()
}

/// What inference says of these very tensors: what an operation that evaluates by itself checks first. There is memory
/// for what is sure of the outputs.
///
/// # Errors
/// Those of inference, and `ResourceExhausted`.
pub fn checked(op: &dyn Op, tensors: &[Tensor]) -> Result<Specs> {
    let specs: Specs = tensors.iter().map(Tensor::spec).collect();
    let inputs = Inputs::new(specs.iter().zip(tensors).map(|(s, t)| (s, Some(t), None)));
    let outputs = op.specs(&inputs)?;
    outputs.iter().try_for_each(TensorSpec::check_fits)?;
    Ok(outputs)
}
