//! Typed emission for gradient rules.

pub use crate::one::EmitOne;
pub use crate::two::EmitTwo;
pub(crate) use ferrograph_ops::emit::*;
