//! Typed emission for the gradient rules of this crate: `use crate::emit::*`.

pub(crate) use crate::gradients::Lengths;
pub(crate) use ferrograph_ops::emit::*;
