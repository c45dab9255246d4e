//! Element by element on strings.

use ferrograph_tensor::{Bytes, Dims, Result, Shape, Tensor, broadcast_shapes};

/// Where the elements of an operand are that is walked over the shape it broadcasts to.
pub(crate) fn broadcast_indices<'a>(
    own: &'a [usize],
    out: &'a Shape,
) -> impl Iterator<Item = usize> + 'a {
    let mut strides = Dims::from_elem(0, out.rank());
    let mut below = 1;
    for (stride, &n) in strides.iter_mut().rev().zip(own.iter().rev()) {
        *stride = if n == 1 { 0 } else { below };
        below *= n;
    }
    (0..out.n_elements()).map(move |mut flat| {
        let mut at = 0;
        for (&n, &stride) in out.iter().zip(&strides).rev() {
            at += flat % n * stride;
            flat /= n;
        }
        at
    })
}

/// The pairs of elements of two string tensors under broadcasting, and the shape they fill.
fn pairs<R>(a: &Tensor, b: &Tensor, f: impl Fn(&Bytes, &Bytes) -> R) -> Result<(Shape, Vec<R>)> {
    let shape = broadcast_shapes(a.shape(), b.shape())?;
    let (x, y) = (a.as_strings()?, b.as_strings()?);
    let all = broadcast_indices(a.shape(), &shape)
        .zip(broadcast_indices(b.shape(), &shape))
        .map(|(i, j)| f(&x[i], &y[j]))
        .collect();
    Ok((shape, all))
}

/// The strings of `a` each followed by those of `b`.
pub(super) fn join(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (shape, all) = pairs(a, b, |x, y| Bytes::from([&**x, &**y].concat()))?;
    Tensor::from_strings(shape, all)
}

/// Whether the strings are equal, or are not.
pub(super) fn equal(a: &Tensor, b: &Tensor, wanted: bool) -> Result<Tensor> {
    let (shape, all) = pairs(a, b, |x, y| (x == y) == wanted)?;
    Tensor::from_slice(shape, &all)
}
