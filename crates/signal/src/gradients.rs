//! What gradient rules of transforms are made of.

use ferrograph_graph::{Emitter, Val};
use ferrograph_tensor::{DType, Result};

use crate::emit::*;

/// Emits compositions over the lengths of transforms.
pub(crate) trait Lengths: Emitter {
    /// The product of a vector of integers, as a number of that dtype.
    fn product(&mut self, of: &Val, dtype: DType) -> Result<Val> {
        // Lengths multiply beyond what int32 holds.
        let of = self.cast(of, dtype)?;
        let axis = self.int_vector(&[0])?;
        self.prod(&of, &axis, false)
    }

    /// How many elements are in the last `rank` axes, in the dtype of `x`.
    fn size_of_last(&mut self, x: &Val, rank: usize) -> Result<Val> {
        let shape = x.spec().shape;
        if let Some(dims) = shape.dims() {
            let known = dims[dims.len() - rank..].iter().map(|d| d.known());
            let known: Option<Vec<usize>> = known.collect();
            if let Some(sizes) = known {
                let n: f64 = sizes.iter().map(|&n| n as f64).product();
                return self.scalar(n, x.dtype());
            }
        }
        let shape = self.shape_of(x)?;
        #[allow(clippy::cast_possible_wrap)]
        let first = -(rank as i64);
        let [first, end, step] = [first, 0, 1].map(|i| self.int_vector(&[i]));
        let sizes = self.strided_slice(&shape, &first?, &end?, &step?, 0, 1, 0, 0, 0)?;
        self.product(&sizes, x.dtype())
    }

    /// The last element of a vector.
    fn last_of(&mut self, vector: &Val) -> Result<Val> {
        let [last, end, step] = [-1, 0, 1].map(|i| self.int_vector(&[i]));
        self.strided_slice(vector, &last?, &end?, &step?, 0, 0, 0, 0, 1)
    }

    /// For each of the first half of a transform of these lengths, 1 where it is itself alone and `inner` where it
    /// is its conjugate, too; of the dtype of `halves`.
    fn end_weights(&mut self, halves: &Val, lengths: &Val, inner: f64) -> Result<Val> {
        let shape = self.shape_of(halves)?;
        let count = self.last_of(&shape)?;
        let n = self.last_of(lengths)?;
        let [zero, one] = [0.0, 1.0].map(|x| self.scalar(x, DType::Int32));
        let (zero, one) = (zero?, one?);
        let k = self.range(&zero, &count, &one)?;
        let twice = self.add(&k, &k)?;
        let (first, last) = (self.equal(&k, &zero, true)?, self.equal(&twice, &n, true)?);
        let alone = self.logical_or(&first, &last)?;
        let [one, inner] = [1.0, inner].map(|x| self.scalar(x, halves.dtype()));
        self.select(&alone, &one?, &inner?)
    }

    /// `x` cut or continued by zeros at the ends of its axes, to the shape of `like`.
    fn fitted(&mut self, x: &Val, like: &Val) -> Result<Val> {
        let (from, to) = (x.spec().shape, like.spec().shape);
        if from.is_static() && from == to {
            return Ok(x.clone());
        }
        let (from, to) = (self.shape_of(x)?, self.shape_of(like)?);
        let kept = self.minimum(&from, &to)?;
        let begin = self.zeros_like(&kept)?;
        let cut = self.slice(x, &begin, &kept)?;
        let more = self.sub(&to, &kept)?;
        let paddings = self.pack(&[begin, more], 1)?;
        self.pad(&cut, &paddings)
    }
}

impl<E: Emitter + ?Sized> Lengths for E {}
