//! Graphs that call themselves: what such a call names, the call, and the values that one hands to its gradient.

mod bundle;
mod call;
mod depth;
mod handle;

pub use bundle::{Bundle, EmitBundles};
pub(crate) use bundle::{sum_of_bundles, zeros_like_bundle};
pub use call::RecursiveCall;
pub use depth::Level;
pub use handle::{RecursiveGradient, RecursiveHandle};

pub(crate) fn register(r: &mut ferrograph_graph::Registry) {
    bundle::register(r);
}
