//! Decoded labels as sparse matrices.

use ferrograph_kernels::scratch::push;
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Tensor, TensorSpec};

/// Rows of labels as indices, values and shape of a sparse matrix.
pub(crate) fn sparse(rows: &[Vec<i64>]) -> Result<[Tensor; 3]> {
    let (mut places, mut values) = (Vec::new(), Vec::new());
    for (i, row) in rows.iter().enumerate() {
        for (j, &value) in row.iter().enumerate() {
            push(&mut places, i as i64);
            push(&mut places, j as i64);
            push(&mut values, value);
        }
    }
    let widest = rows.iter().map(Vec::len).max().unwrap_or(0);
    Ok([
        Tensor::from_slice([values.len(), 2], &places)?,
        Tensor::vector(&values)?,
        Tensor::vector(&[rows.len() as i64, widest as i64])?,
    ])
}

/// The specs of [`sparse`].
pub(crate) fn sparse_specs() -> [TensorSpec; 3] {
    let spec = |dims: &[Dim]| TensorSpec::new(DType::Int64, PartialShape::new(dims));
    [
        spec(&[Dim::UNKNOWN, Dim::new(2)]),
        spec(&[Dim::UNKNOWN]),
        spec(&[Dim::new(2)]),
    ]
}
