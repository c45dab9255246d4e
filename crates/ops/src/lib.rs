//! What every operation means. One file a family, one struct an operation: its fields are the attributes, and
//! inference, evaluation and gradient stand side by side. [`registry`] lists them by their public names.
//!
//! Gradient rules are written with [`Build`], the short names for emitting operations, so that one rule serves eager
//! tapes, traces and higher derivatives.

mod build;
mod core;
mod region;
mod resource;

pub use build::Build;
pub use core::{Const, Identity, LeafOps, NoOp, Placeholder, StopGradient};
pub use region::{Branch, Call, If, While};
pub use resource::{AssignKind, AssignVariable, ReadVariable, VariableCell};

use ferrograph_graph::Registry;
use std::sync::LazyLock;

/// All operations by name.
pub fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
        let mut registry = Registry::new();
        core::register(&mut registry);
        resource::register(&mut registry);
        registry
    });
    &REGISTRY
}
