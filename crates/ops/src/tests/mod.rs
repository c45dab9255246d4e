//! Tests of operations as programs meet them: made by name, inferred, evaluated, differentiated.

mod moves;
mod regions;
mod support;
