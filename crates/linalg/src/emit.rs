//! Typed emission for the gradient rules of this crate: `use crate::emit::*`.

pub(crate) use crate::rules::Matrices;
pub(crate) use crate::solve::EmitSolve;
pub(crate) use ferrograph_ops::emit::*;
