//! What several factorisations share.

use faer::MatRef;
use ferrograph_graph::Inputs;
use ferrograph_tensor::{Result, TensorSpec, err};

use crate::field::Field;

/// Whether a triangular factor has a zero, or what is no number, on its diagonal.
pub(crate) fn is_singular<T: Field>(triangular: MatRef<'_, T>) -> bool {
    (0..triangular.nrows()).any(|i| triangular[(i, i)].modulus() == 0.0)
}

/// Whether all of a matrix is finite.
pub(crate) fn is_finite<T: Field>(a: MatRef<'_, T>) -> bool {
    (0..a.nrows()).all(|i| (0..a.ncols()).all(|j| a[(i, j)].is_finite_number()))
}

/// For each matrix of the output the numbers of those of two inputs, whose leading dimensions broadcast; none where the
/// output has no elements.
pub(crate) fn broadcast_offsets(
    inputs: &Inputs<'_>,
    output: &TensorSpec,
) -> Result<Vec<[usize; 2]>> {
    let lead = |spec: &TensorSpec| -> Result<Vec<usize>> {
        let shape = spec.shape.to_static();
        let shape = shape.ok_or_else(|| err!(Internal, "shape {} is open", spec.shape))?;
        Ok(shape[..shape.len() - 2].to_vec())
    };
    if output.shape.n_elements() == Some(0) {
        return Ok(Vec::new());
    }
    let out = lead(output)?;
    let both = [lead(inputs.spec(0))?, lead(inputs.spec(1))?];
    let number = |mut at: usize, of: &[usize]| {
        let (mut number, mut step) = (0, 1);
        for (k, &size) in out.iter().enumerate().rev() {
            let index = at % size;
            at /= size;
            let Some(axis) = (k + of.len()).checked_sub(out.len()) else {
                continue;
            };
            if of[axis] != 1 {
                number += index * step;
            }
            step *= of[axis];
        }
        number
    };
    let n: usize = out.iter().product();
    Ok((0..n)
        .map(|i| [number(i, &both[0]), number(i, &both[1])])
        .collect())
}
