//! Special functions: incomplete gamma and beta functions, Bessel functions, and integrals of Dawson, Fresnel, Spence.
//!
//! * [`function`](self) holds the functions of single numbers, each with the formula that it was written from.
//! * Operations apply them element by element, in double precision whatever the dtype, and broadcast.

pub mod emit;
mod function;
mod kernel;
mod one;
mod rules;
mod three;
mod two;

use ferrograph_graph::Registry;

/// Adds the operations of this crate.
pub fn register(registry: &mut Registry) {
    one::register(registry);
    two::register(registry);
    three::register(registry);
}
