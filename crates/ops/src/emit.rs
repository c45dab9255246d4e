//! Typed emission of every operation, for gradient rules and compositions: `use crate::emit::*`.

pub use crate::build::Build;
pub use crate::concat::EmitJoin;
pub use crate::core::EmitLeaves;
pub use crate::create::EmitCreate;
pub use crate::custom::EmitCustomGradient;
pub use crate::diag::EmitDiag;
pub use crate::elementwise::{
    EmitActivationGradients, EmitActivations, EmitArithmetic, EmitBits, EmitCast, EmitChecks,
    EmitClip, EmitComplex, EmitEquality, EmitLikes, EmitLogic, EmitMath, EmitOrder, EmitParts,
    EmitSelect, EmitSloped,
};
pub use crate::gather::EmitGather;
pub use crate::index::EmitWhere;
pub use crate::matmul::{EmitBatchMatMul, EmitMatMul};
pub use crate::nn::{EmitBias, EmitLosses, EmitSoftmax};
pub use crate::pad::EmitPad;
pub use crate::print::EmitPrint;
pub use crate::random::{
    EmitCategorical, EmitKeys, EmitSeeds, EmitShuffle, EmitStatelessCategorical,
    EmitStatelessShuffle,
};
pub use crate::recursion::EmitBundles;
pub use crate::reduce::{EmitExtremes, EmitReducedAxes, EmitReductions, EmitScans, EmitSums};
pub use crate::region::EmitRegions;
pub use crate::resource::{EmitAssign, EmitCounting, EmitRead};
pub use crate::scatter::EmitScatter;
pub use crate::search_sorted::EmitSearch;
pub use crate::segment::EmitUnsortedSegment;
pub use crate::segment_sorted::EmitSegment;
pub use crate::shape::EmitReshape;
pub use crate::shape_info::EmitShapes;
pub use crate::slice::EmitSlice;
pub use crate::sparse::EmitSparse;
pub use crate::split::EmitSplit;
pub use crate::strings::{
    EmitPattern, EmitStringCase, EmitStringJoin, EmitStringMap, EmitStringNumber, EmitStringSplit,
};
pub use crate::tensor_list::{EmitListEnds, EmitListItems, EmitListMoves};
pub use crate::tensor_scatter::EmitTensorScatter;
pub use crate::topk::EmitTopK;
pub use crate::transpose::EmitTranspose;
pub use crate::unique::EmitUnique;
