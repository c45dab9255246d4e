//! Number crunching over plain slices; knows no graphs.

pub mod elementwise;
mod fork_join;
pub mod halves;
pub mod isa;
pub mod matmul;
pub mod movement;
pub mod nn;
pub mod pool;
pub mod random;
pub mod reduce;
pub mod scratch;
pub mod sparse;
pub mod special;
pub mod stop;
pub mod tiles;
mod vmath;

pub use vmath::coefficients;
