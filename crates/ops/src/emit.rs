//! Typed emission of every operation, for gradient rules and compositions: `use crate::emit::*`.

pub use crate::build::Build;
pub use crate::create::EmitCreate;
pub use crate::elementwise::{
    EmitActivationGradients, EmitActivations, EmitArithmetic, EmitBits, EmitCast, EmitChecks,
    EmitClip, EmitComplex, EmitEquality, EmitLikes, EmitLogic, EmitMath, EmitOrder, EmitParts,
    EmitSelect, EmitSloped,
};
pub use crate::matmul::{EmitBatchMatMul, EmitMatMul};
pub use crate::nn::{EmitBias, EmitLosses, EmitSoftmax};
pub use crate::print::EmitPrint;
pub use crate::random::{EmitKeys, EmitShuffle};
pub use crate::reduce::{EmitExtremes, EmitReducedAxes, EmitReductions, EmitScans, EmitSums};
pub use crate::resource::{EmitAssign, EmitRead};
pub use crate::strings::{
    EmitPattern, EmitStringCase, EmitStringJoin, EmitStringMap, EmitStringNumber, EmitStringSplit,
};
pub use crate::tensor_list::{EmitListEnds, EmitListItems, EmitListMoves};
