//! Typed emission of every operation, for gradient rules and compositions: `use crate::emit::*`.

pub use crate::build::Build;
pub use crate::create::EmitCreate;
pub use crate::elementwise::{
    EmitActivationGradients, EmitActivations, EmitArithmetic, EmitBits, EmitEquality, EmitLogic,
    EmitMath, EmitOrder, EmitParts,
};
