//! Typed emission for the gradient rules of this crate: `use crate::emit::*`.

pub(crate) use crate::one::EmitOne;
pub(crate) use ferrograph_ops::emit::*;
