//! The static type of a tensor.

use crate::{DType, PartialShape, Result, Shape};
use std::fmt;

/// What is known of a tensor before it exists: its dtype and as much of its shape as possible.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TensorSpec {
    /// The dtype.
    pub dtype: DType,
    /// The shape as far as known.
    pub shape: PartialShape,
}

impl TensorSpec {
    /// A spec of that dtype and partial shape.
    pub fn new(dtype: DType, shape: PartialShape) -> TensorSpec {
        TensorSpec { dtype, shape }
    }

    /// The spec of a tensor of that dtype and shape.
    pub fn of(dtype: DType, shape: &Shape) -> TensorSpec {
        TensorSpec {
            dtype,
            shape: shape.into(),
        }
    }

    /// A scalar of that dtype.
    pub fn scalar(dtype: DType) -> TensorSpec {
        TensorSpec {
            dtype,
            shape: PartialShape::scalar(),
        }
    }

    /// A tensor of that dtype and any shape.
    pub fn unknown(dtype: DType) -> TensorSpec {
        TensorSpec {
            dtype,
            shape: PartialShape::UNKNOWN,
        }
    }
}

impl TensorSpec {
    /// Refuses a static shape whose elements this process has no memory for.
    ///
    /// # Errors
    /// `ResourceExhausted` there.
    pub fn check_fits(&self) -> Result<()> {
        match self.shape.n_elements() {
            Some(n) if n > ALWAYS_FITS => match self.shape.to_static() {
                Some(shape) => shape.checked_bytes(self.dtype).map(drop),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

/// Tensors of so many elements are not held against the memory there is.
const ALWAYS_FITS: usize = 1 << 20;

impl fmt::Display for TensorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, self.shape)
    }
}

impl fmt::Debug for TensorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
