//! Static shapes.

use crate::memory::checked_bytes;
use crate::{Bytes, DType, Error, Result, bail};
use smallvec::SmallVec;
use std::fmt;
use std::ops::Deref;

/// Tensors have at most so many dimensions.
pub const MAX_RANK: usize = 254;

/// Dimensions, inline up to rank 4.
pub type Dims = SmallVec<[usize; 4]>;

/// The sizes of a tensor's dimensions, all known.
#[derive(PartialEq, Eq, Hash, Default)]
pub struct Shape(Dims);

impl Clone for Shape {
    /// Copies the dimensions at once: the vector's own clone takes them one by one.
    #[inline]
    fn clone(&self) -> Shape {
        Shape(Dims::from_slice(&self.0))
    }
}

impl Shape {
    /// The shape of a scalar.
    pub fn scalar() -> Shape {
        Shape::default()
    }

    /// The shape with these dimensions.
    pub fn new(dims: &[usize]) -> Shape {
        Shape(Dims::from_slice(dims))
    }

    /// The dimensions.
    pub fn dims(&self) -> &[usize] {
        &self.0
    }

    /// How many dimensions there are.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// How many elements a tensor of this shape has; the largest number there is where they are more than that. Such
    /// shapes are refused where tensors are made, see [`Shape::checked_count`].
    pub fn n_elements(&self) -> usize {
        self.0.iter().fold(1, |n: usize, &d| n.saturating_mul(d))
    }

    /// The number of elements.
    ///
    /// # Errors
    /// `ResourceExhausted` where it does not fit the address space.
    pub fn checked_count(&self) -> Result<usize> {
        let count = self.n_elements();
        if count > isize::MAX as usize {
            bail!(
                ResourceExhausted,
                "a tensor of shape {self} has more elements than can be addressed"
            );
        }
        Ok(count)
    }

    /// The bytes of a tensor of this shape; of strings those that refer to them.
    ///
    /// # Errors
    /// `ResourceExhausted` where this process may not have so many.
    pub fn checked_bytes(&self, dtype: DType) -> Result<usize> {
        let size = match dtype {
            DType::String => size_of::<Bytes>(),
            _ => dtype.size(),
        };
        checked_bytes(self.checked_count()?, size).map_err(|e| {
            let what = format!("a {dtype} tensor of shape {self}: {}", e.message());
            Error::new(e.kind(), what)
        })
    }

    /// The dimensions as an owned vector.
    pub fn into_dims(self) -> Dims {
        self.0
    }
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl From<Dims> for Shape {
    fn from(dims: Dims) -> Shape {
        Shape(dims)
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(dims: [usize; N]) -> Shape {
        Shape::new(&dims)
    }
}

impl From<&[usize]> for Shape {
    fn from(dims: &[usize]) -> Shape {
        Shape::new(dims)
    }
}

impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(dims: I) -> Shape {
        Shape(dims.into_iter().collect())
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, d) in self.0.iter().enumerate() {
            write!(f, "{}{d}", if i == 0 { "" } else { "," })?;
        }
        f.write_str("]")
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Strides in elements of a dense row-major tensor.
pub fn row_major_strides(dims: &[usize]) -> Dims {
    let mut strides = Dims::from_elem(1, dims.len());
    for i in (0..dims.len().saturating_sub(1)).rev() {
        strides[i] = strides[i + 1].saturating_mul(dims[i + 1].max(1));
    }
    strides
}

/// The shape that two shapes broadcast to: aligned at the trailing axes, sizes equal or one of them 1.
pub fn broadcast_shapes(a: &[usize], b: &[usize]) -> Result<Shape> {
    let rank = a.len().max(b.len());
    let mut dims = Dims::from_elem(1, rank);
    for i in 0..rank {
        let at = |s: &[usize]| {
            if i + s.len() >= rank {
                s[i + s.len() - rank]
            } else {
                1
            }
        };
        dims[i] = match (at(a), at(b)) {
            (x, y) if x == y => x,
            (1, y) => y,
            (x, 1) => x,
            _ => bail!(
                Shape,
                "shapes {} and {} do not broadcast",
                Shape::new(a),
                Shape::new(b)
            ),
        };
    }
    Ok(Shape(dims))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasting_aligns_trailing_axes() {
        assert_eq!(
            broadcast_shapes(&[2, 1], &[3]).unwrap(),
            Shape::from([2, 3])
        );
        assert_eq!(broadcast_shapes(&[], &[0, 3]).unwrap(), Shape::from([0, 3]));
        assert_eq!(broadcast_shapes(&[1], &[0]).unwrap(), Shape::from([0]));
        assert!(broadcast_shapes(&[2], &[3]).is_err());
    }

    #[test]
    fn counts_that_overflow_are_refused() {
        assert!(Shape::from([usize::MAX, 2]).checked_count().is_err());
        assert_eq!(Shape::from([usize::MAX, 2, 0]).checked_count().unwrap(), 0);
    }
}
