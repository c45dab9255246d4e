//! Elements of a queue as one: a component of each, one after another.

use crate::rows::{Elements, Row};
use ferrograph_tensor::{Bytes, DType, Result, Shape, Tensor, bail, checked_bytes, err};

/// What a tensor of a few elements takes, with its buffer.
const ROW: usize = 256;

/// The tensors in one, behind zeros or empty strings where they are of several shapes and `pads` allows that.
///
/// # Errors
/// `InvalidArgument` for tensors of several shapes, or ranks; where memory does not suffice.
pub(crate) fn stacked(parts: &[&Tensor], dtype: DType, none: &Shape, pads: bool) -> Result<Tensor> {
    let item = parts.first().map_or(none, |t| t.shape());
    let mut most = item.clone().into_dims();
    for part in parts {
        if part.rank() != most.len() || !pads && part.shape() != item {
            bail!(
                InvalidArgument,
                "elements of shapes {item} and {} are taken at once",
                part.shape()
            );
        }
        most.iter_mut()
            .zip(part.shape().iter())
            .for_each(|(m, n)| *m = (*m).max(*n));
    }
    let item: Shape = most.iter().copied().collect();
    let whole: Shape = std::iter::once(parts.len()).chain(most).collect();
    let per = item.n_elements();
    if dtype == DType::String {
        let mut out: Vec<Bytes> = Tensor::zeros(dtype, whole.clone())?.as_strings()?.to_vec();
        for (i, part) in parts.iter().enumerate() {
            place(
                &mut out[i * per..],
                &item,
                part.as_strings()?,
                part.shape(),
                1,
            );
        }
        return Tensor::from_strings(whole, out);
    }
    let mut tensor = Tensor::zeros(dtype, whole)?;
    let fresh = tensor.bytes_mut();
    let out = fresh.ok_or_else(|| err!(Internal, "a fresh tensor is shared"))?;
    let size = dtype.size();
    for (i, part) in parts.iter().enumerate() {
        place(
            &mut out[i * per * size..],
            &item,
            part.bytes(),
            part.shape(),
            size,
        );
    }
    Ok(tensor)
}

/// Copies an array into the corner of a larger one; an element is `unit` places.
fn place<T: Clone>(to: &mut [T], to_dims: &[usize], from: &[T], from_dims: &[usize], unit: usize) {
    if from.is_empty() {
        return;
    }
    let n = from.len();
    if to_dims == from_dims {
        return to[..n].clone_from_slice(from);
    }
    let step = |dims: &[usize]| dims[1..].iter().product::<usize>() * unit;
    let (to_step, from_step) = (step(to_dims), step(from_dims));
    for (i, part) in from.chunks_exact(from_step).enumerate() {
        place(
            &mut to[i * to_step..],
            &to_dims[1..],
            part,
            &from_dims[1..],
            unit,
        );
    }
}

/// The rows of a tensor, one tensor each.
///
/// # Errors
/// `InvalidArgument` for a scalar, `ResourceExhausted` where there is no room for so many rows.
pub(crate) fn split(whole: &Tensor) -> Result<Vec<Tensor>> {
    let Some((&n, item)) = whole.shape().split_first() else {
        bail!(
            InvalidArgument,
            "several elements at once are rows, got a scalar"
        );
    };
    // Each row is a tensor with a buffer of its own.
    checked_bytes(n, ROW + whole.dtype().size())?;
    let item = Shape::new(item);
    let rows = Elements::of(whole)?.rows(item.n_elements());
    (0..n)
        .map(|i| match rows.row(i) {
            Row::Strings(strings) => Tensor::from_strings(item.clone(), strings.to_vec()),
            Row::Dense(bytes) => {
                let mut row = Tensor::empty(whole.dtype(), item.clone())?;
                let fresh = row.bytes_mut();
                let out = fresh.ok_or_else(|| err!(Internal, "a fresh tensor is shared"))?;
                out.copy_from_slice(bytes);
                Ok(row)
            }
        })
        .collect()
}
