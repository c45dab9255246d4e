//! What transforms are bound to: the axes, and the lengths along them.

use ferrograph_graph::Inputs;
use ferrograph_tensor::{Dim, PartialShape, Result, TensorSpec, bail, err};
use smallvec::SmallVec;

/// Sizes along the transformed axes, the last one last.
pub(crate) type Sizes = SmallVec<[usize; 4]>;

/// The static sizes of a spec along its last `rank` axes, and how many such blocks are in it.
pub(crate) fn blocks(spec: &TensorSpec, rank: usize) -> Result<(usize, Sizes)> {
    let shape = spec.shape.to_static();
    let shape = shape.ok_or_else(|| err!(Internal, "shape {} is open", spec.shape))?;
    let lead = shape.rank().checked_sub(rank);
    let lead = lead.ok_or_else(|| err!(Internal, "shape {shape} has too few axes"))?;
    Ok((shape[..lead].iter().product(), shape[lead..].into()))
}

/// The dimensions in front of the last `rank` ones; `None` where the rank is unknown.
pub(crate) fn lead<'a>(inputs: &'a Inputs<'_>, rank: usize) -> Result<Option<&'a [Dim]>> {
    let Some(dims) = inputs.shape(0).dims() else {
        return Ok(None);
    };
    match dims.len().checked_sub(rank) {
        Some(n) => Ok(Some(&dims[..n])),
        None => Err(err!(
            Shape,
            "Input must have rank of at least {rank} but got: {}",
            inputs.shape(0)
        )),
    }
}

/// The lengths of a transform of `rank` axes that input 1 gives, as far as they are known.
pub(crate) fn lengths(inputs: &Inputs<'_>, rank: usize) -> Result<SmallVec<[Dim; 4]>> {
    if !inputs.shape(1).dim(0).is_compatible(Dim::new(rank)) {
        bail!(
            Shape,
            "fft_length must have shape [{rank}], got {}",
            inputs.shape(1)
        );
    }
    let known = inputs.known(1).unwrap_or_default();
    let negative = known.iter().flatten().find(|n| **n < 0);
    if let Some(n) = negative {
        bail!(InvalidArgument, "fft_length must not be negative, got {n}");
    }
    let spelled = inputs.shape_value(1);
    Ok((0..rank)
        .map(|i| match spelled.rank() {
            Some(_) => spelled.dim(i),
            None => Dim::UNKNOWN,
        })
        .collect())
}

/// How many complex numbers the transform of `n` real ones is told by: none of none.
pub(crate) fn half(n: usize) -> usize {
    if n == 0 { 0 } else { n / 2 + 1 }
}

/// The shape of dimensions followed by others.
pub(crate) fn joined(lead: &[Dim], rest: &[Dim]) -> PartialShape {
    lead.iter().chain(rest).copied().collect()
}

/// Rows of one array in another one of other sizes: axes are cut at their ends, or continued.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    from: Sizes,
    to: Sizes,
}

impl Fit {
    /// From arrays of `from` rows along some axes to arrays of `to`.
    pub(crate) fn new(from: &[usize], to: &[usize]) -> Fit {
        Fit {
            from: from.into(),
            to: to.into(),
        }
    }

    /// Which row of a stack of arrays is in row `i` of the other stack; `None` for one beyond the ends.
    pub(crate) fn row(&self, i: usize) -> Option<usize> {
        let (mut rest, mut row, mut step) = (i, 0, 1);
        for (&from, &to) in self.from.iter().zip(&self.to).rev() {
            let index = rest % to;
            if index >= from {
                return None;
            }
            row += index * step;
            step *= from;
            rest /= to;
        }
        Some(row + rest * step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_cut_and_continued() {
        let rows = |from: &[usize], to: &[usize], n| {
            let fit = Fit::new(from, to);
            (0..n).map(|i| fit.row(i)).collect::<Vec<_>>()
        };
        assert_eq!(rows(&[], &[], 2), [Some(0), Some(1)]);
        assert_eq!(rows(&[3], &[2], 4), [Some(0), Some(1), Some(3), Some(4)]);
        assert_eq!(rows(&[1], &[2], 4), [Some(0), None, Some(1), None]);
        assert_eq!(rows(&[2, 1], &[1, 2], 4), [Some(0), None, Some(2), None]);
    }
}
