//! The static type of a tensor.

use crate::{DType, PartialShape, Shape};
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
