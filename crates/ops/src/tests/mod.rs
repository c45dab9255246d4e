//! Tests of operations as programs meet them: made by name, inferred, evaluated, differentiated.

mod grads;
mod lowered;
mod moves;
mod regions;
pub(crate) mod support;
