//! Counter-based random numbers: Philox 4x32-10 and the distributions drawn from it.
//!
//! The position of a number in a draw decides its value, so that draws are the same for any number of threads.

mod draw;
mod philox;

pub use draw::{
    Uniform, UniformInt, fill_int, fill_int_full, fill_normal_f32, fill_normal_f64,
    fill_truncated_normal_f32, fill_truncated_normal_f64, fill_uniform,
};
pub use philox::{PhiloxState, stateless_key_counter};

/// Blocks that a stateful generator reserves for each number drawn.
pub const RESERVED_PER_NUMBER: u64 = 256;
