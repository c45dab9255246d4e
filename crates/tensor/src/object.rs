//! What tensors refer to that holds no numbers and no strings.

use crate::{Result, Tensor, bail};
use std::any::Any;
use std::fmt;

/// What a scalar of dtype resource or variant refers to.
pub trait Object: Any + Send + Sync + fmt::Debug {
    /// For downcasting.
    fn as_any(&self) -> &dyn Any;

    /// Whether it is nothing but what it holds, so that one can be shared for all that are made alike.
    fn is_value(&self) -> bool {
        false
    }

    /// How many levels of objects it is: itself, and what it holds.
    fn depth(&self) -> usize {
        1
    }
}

/// How many levels of objects are within each other at most: to walk through them and to drop them takes stack.
const MAX_DEPTH: usize = 12_000;

/// The levels of an object that holds these.
///
/// # Errors
/// `ResourceExhausted` where they are too many.
pub fn depth_over(held: &[Tensor]) -> Result<usize> {
    let depth = 1 + held.iter().map(Tensor::depth).max().unwrap_or_default();
    if depth > MAX_DEPTH {
        bail!(
            ResourceExhausted,
            "variants lie within each other more than {MAX_DEPTH} levels deep"
        );
    }
    Ok(depth)
}
