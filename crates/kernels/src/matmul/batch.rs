//! Products of stacks of matrices.

use super::{MatMul, Matrix, gemm_with};
use crate::elementwise::Broadcast;
use crate::pool;

/// How an operand is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Operand {
    /// Rows and columns are exchanged.
    pub transpose: bool,
    /// Elements are conjugated.
    pub conj: bool,
}

impl Operand {
    /// As it is stored.
    pub const PLAIN: Operand = Operand {
        transpose: false,
        conj: false,
    };
    /// Transposed.
    pub const TRANSPOSE: Operand = Operand {
        transpose: true,
        conj: false,
    };
    /// Transposed and conjugated.
    pub const ADJOINT: Operand = Operand {
        transpose: true,
        conj: true,
    };

    fn matrix<'a, T>(self, data: &'a [T], rows: usize, cols: usize) -> Matrix<'a, T> {
        // `rows` and `cols` are those of the operand as it is read.
        let stored = if self.transpose {
            Matrix::row_major(data, rows).t()
        } else {
            Matrix::row_major(data, cols)
        };
        Matrix {
            conj: self.conj,
            ..stored
        }
    }
}

/// The shape of a batched product: leading dimensions that broadcast, and `m×k` times `k×n` as the operands are read.
#[derive(Debug, Clone, Copy)]
pub struct BatchMatMul<'a> {
    /// Leading dimensions of `a`.
    pub batch_a: &'a [usize],
    /// Leading dimensions of `b`.
    pub batch_b: &'a [usize],
    /// Leading dimensions of the result.
    pub batch_out: &'a [usize],
    /// Rows of the result.
    pub m: usize,
    /// The summed dimension.
    pub k: usize,
    /// Columns of the result.
    pub n: usize,
    /// How `a` is read.
    pub a: Operand,
    /// How `b` is read.
    pub b: Operand,
}

/// Multiplies stacks of row-major matrices.
pub fn batch_matmul<T: MatMul>(shape: &BatchMatMul, a: &[T], b: &[T], out: &mut [T]) {
    let &BatchMatMul { m, k, n, .. } = shape;
    let n_batches: usize = shape.batch_out.iter().product();
    assert_eq!(
        out.len(),
        n_batches * m * n,
        "the result has the planned size"
    );
    if out.is_empty() {
        return;
    }
    let b_is_one = shape.batch_b.iter().all(|&d| d == 1);
    if b_is_one
        && !shape.a.transpose
        && n_batches > 1
        && shape.batch_a.iter().product::<usize>() == n_batches
    {
        // One matrix on the right: the stack on the left is one tall matrix.
        return one(m * n_batches, k, n, shape, a, b, out, true);
    }
    let plan = Broadcast::new([shape.batch_a, shape.batch_b], shape.batch_out);
    let cost = 100.0 + (m * k * n) as f64 * 0.02;
    let apart = pool::worth_it(n_batches as f64 * cost) && n_batches >= pool::n_threads();
    let work = |first: usize, out: &mut [T]| {
        plan.runs(first..first + out.len() / (m * n), |run| {
            for i in 0..run.len {
                let [at_a, at_b] = [0, 1].map(|o| run.at[o] + i * run.strides[o]);
                let out = &mut out[(run.out + i - first) * m * n..][..m * n];
                one(
                    m,
                    k,
                    n,
                    shape,
                    &a[at_a * m * k..][..m * k],
                    &b[at_b * k * n..][..k * n],
                    out,
                    !apart,
                );
            }
        });
    };
    if apart {
        pool::par_rows_mut(out, m * n, cost, work)
    } else {
        work(0, out)
    }
}

#[allow(clippy::too_many_arguments)]
fn one<T: MatMul>(
    m: usize,
    k: usize,
    n: usize,
    shape: &BatchMatMul,
    a: &[T],
    b: &[T],
    out: &mut [T],
    spread: bool,
) {
    gemm_with(
        m,
        k,
        n,
        shape.a.matrix(a, m, k),
        shape.b.matrix(b, k, n),
        out,
        false,
        spread,
    );
}
