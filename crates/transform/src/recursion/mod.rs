//! Graphs that call themselves: the end of their traces, and their gradients.

mod close;
mod connected;
mod gradient;

pub use close::close_recursion;
pub(crate) use gradient::recursive_vjp;
