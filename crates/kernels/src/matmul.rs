//! Matrix products.

mod batch;
#[cfg(target_arch = "x86_64")]
mod direct;
mod element;
#[cfg(target_arch = "x86_64")]
mod halves;
#[cfg(target_arch = "x86_64")]
mod integers;
#[cfg(target_arch = "x86_64")]
mod packed;
#[cfg(target_arch = "x86_64")]
mod pairs;
#[cfg(target_arch = "x86_64")]
mod sums;
#[cfg(target_arch = "x86_64")]
mod tile;
#[cfg(target_arch = "x86_64")]
mod vector;

pub use batch::{BatchMatMul, Operand, batch_matmul};
pub use element::MatMul;

/// A matrix within a slice: its first element and the strides of its rows and columns, in elements.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a, T> {
    /// The elements, from the first on.
    pub data: &'a [T],
    /// The distance between rows.
    pub row_stride: usize,
    /// The distance between columns.
    pub col_stride: usize,
    /// Whether elements are to be conjugated.
    pub conj: bool,
}

impl<'a, T> Matrix<'a, T> {
    /// A row-major matrix of `cols` columns.
    pub fn row_major(data: &'a [T], cols: usize) -> Self {
        Matrix {
            data,
            row_stride: cols,
            col_stride: 1,
            conj: false,
        }
    }

    /// The transpose.
    pub fn t(self) -> Self {
        Matrix {
            row_stride: self.col_stride,
            col_stride: self.row_stride,
            ..self
        }
    }

    pub(crate) fn check(&self, rows: usize, cols: usize) {
        if rows > 0 && cols > 0 {
            let last = (rows - 1) * self.row_stride + (cols - 1) * self.col_stride;
            assert!(last < self.data.len(), "the matrix lies within its slice");
        }
    }
}

/// `out = a b`, or `out += a b` if `accumulate`; `a` is m×k, `b` is k×n, `out` row-major m×n.
pub fn gemm<T: MatMul>(
    m: usize,
    k: usize,
    n: usize,
    a: Matrix<T>,
    b: Matrix<T>,
    out: &mut [T],
    accumulate: bool,
) {
    gemm_with(m, k, n, a, b, out, accumulate, true);
}

/// As [`gemm`], with the choice to stay on the caller's thread.
#[allow(clippy::too_many_arguments)]
fn gemm_with<T: MatMul>(
    m: usize,
    k: usize,
    n: usize,
    a: Matrix<T>,
    b: Matrix<T>,
    out: &mut [T],
    accumulate: bool,
    spread: bool,
) {
    a.check(m, k);
    b.check(k, n);
    assert_eq!(out.len(), m * n, "the result is m by n");
    if out.is_empty() {
        return;
    }
    if k == 0 {
        return if !accumulate {
            out.fill(T::zero())
        };
    }
    T::product(
        element::Product {
            m,
            k,
            n,
            a,
            b,
            accumulate,
            spread: spread && worth_it(m, k, n),
        },
        out,
    );
}

/// Whether a product has enough work for threads: some 2 MFLOP.
fn worth_it(m: usize, k: usize, n: usize) -> bool {
    2 * m * k * n > 2_000_000 && crate::pool::is_free()
}

#[cfg(test)]
mod tests;
