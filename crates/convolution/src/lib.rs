//! Convolutions and pools: what slides windows over images, and the gradients of that.
//!
//! Images have their channels last. Sizes, strides, dilations and paddings are read by [`geometry`]; a convolution lays
//! windows out as rows and multiplies matrices ([`kernel`]), part by part, so that memory stays bounded.

mod channels;
mod conv;
mod depthwise;
mod geometry;
mod kernel;
mod pool;
mod tiled;

use ferrograph_graph::Registry;

/// Adds the operations of this crate.
pub fn register(registry: &mut Registry) {
    conv::register(registry);
    depthwise::register(registry);
    pool::register(registry);
}
