//! Graphs that call themselves: the end of their traces, and their gradients.

mod connected;
mod gradient;
mod tie;

pub(crate) use gradient::recursive_vjp;
pub use tie::tie;
