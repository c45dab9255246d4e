//! Images: resizing, crops, patches and boxes.
//!
//! Images are `[n, h, w, c]`. Resizing by any method is a sum over neighbours along one axis after the other: [`spans`]
//! says which with what weights, [`resample`] sums, and the gradient is the same sum with the roles of input and output
//! exchanged. Arithmetic is single precision whatever the images are of; [`pixels`] converts.

mod boxes;
mod codec;
mod crop;
mod decode;
mod distorted;
mod encode;
mod nearest;
mod patches;
mod pixels;
mod resample;
mod resize;
mod scale;
mod spans;
mod suppression;

use ferrograph_graph::Registry;

/// Adds the operations of this crate.
pub fn register(registry: &mut Registry) {
    resize::register(registry);
    scale::register(registry);
    nearest::register(registry);
    crop::register(registry);
    patches::register(registry);
    suppression::register(registry);
    boxes::register(registry);
    decode::register(registry);
    encode::register(registry);
    distorted::register(registry);
}
