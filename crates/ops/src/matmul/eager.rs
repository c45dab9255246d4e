//! Products of two matrices that are there, without inference: of small ones it takes longer than the product.

use super::Reading;
use ferrograph_kernels::matmul::{MatMul, Matrix, gemm};
use ferrograph_tensor::{Element, Result, Shape, Tensor, with_element};

/// The product of two matrices of one dtype that fit one another; `None` of others, of which inference has more to say.
pub(super) fn product(a: &Tensor, b: &Tensor, reading: Reading) -> Option<Result<Tensor>> {
    let (&[a_rows, a_columns], &[b_rows, b_columns]) = (a.shape().dims(), b.shape().dims()) else {
        return None;
    };
    let turned = |turned: bool, rows: usize, columns: usize| match turned {
        true => (columns, rows),
        false => (rows, columns),
    };
    let (m, k) = turned(reading.a, a_rows, a_columns);
    let (fits, n) = turned(reading.b, b_rows, b_columns);
    if a.dtype() != b.dtype() || k != fits {
        return None;
    }
    with_element!(a.dtype(), numeric, T => Some(of::<T>(a, b, reading, [m, k, n])), else => None)
}

fn of<T: Element + MatMul>(
    a: &Tensor,
    b: &Tensor,
    reading: Reading,
    [m, k, n]: [usize; 3],
) -> Result<Tensor> {
    let mut out = Tensor::empty(a.dtype(), Shape::new(&[m, n]))?;
    let (a, b) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
    let left = match reading.a {
        true => Matrix::row_major(a, m).t(),
        false => Matrix::row_major(a, k),
    };
    let right = match reading.b {
        true => Matrix::row_major(b, k).t(),
        false => Matrix::row_major(b, n),
    };
    gemm(m, k, n, left, right, out.as_mut_slice()?, false);
    Ok(out)
}
