//! What every operation means. One file a family, one struct an operation: its fields are the attributes, and
//! inference, evaluation and gradient stand side by side. [`registry`] lists them by their public names.
//!
//! Gradient rules are written with [`Build`], the short names for emitting operations, so that one rule serves eager
//! tapes, traces and higher derivatives.

mod args;
mod attrs;
mod build;
mod concat;
mod core;
mod create;
mod custom;
mod diag;
mod elementwise;
pub mod emit;
mod format;
mod gather;
mod index;
mod interrupt;
mod matmul;
mod movement;
mod nn;
mod number;
mod pad;
mod print;
mod random;
mod recursion;
mod reduce;
mod region;
mod resource;
mod scatter;
mod search_sorted;
mod segment;
mod segment_sorted;
mod shape;
mod shape_info;
mod slice;
mod slice_spec;
mod sparse;
mod split;
mod strings;
mod tensor_list;
mod tensor_scatter;
#[cfg(test)]
mod testing;
mod topk;
mod transpose;
mod unique;
mod variant;

pub use args::checked;
pub use concat::{ConcatV2, Pack};
pub use core::{Const, Identity, LeafOps, NoOp, Placeholder, StopGradient};
pub use create::{Fill, LinSpace, OneHot, Range};
pub use custom::CustomGradient;
pub use diag::{Align, MatrixBandPart, MatrixDiagPartV3, MatrixDiagV3, MatrixSetDiagV3};
pub use elementwise::{
    Binary, Cast, CheckNumericsV2, Equality, Faults, ScalarFunction, Unary, scalar_function,
};
pub use gather::{GatherNd, GatherV2};
pub use index::{MergeRows, Where};
pub use interrupt::{
    Watch, attempt, check_interrupt, set_interrupt_check, set_waiting, stopped, while_waiting,
    while_wanted,
};
pub use pad::{MirrorMode, MirrorPad, MirrorPadGrad, Pad, PadV2};
pub use print::{PrintSink, is_assertion, set_print_sink};
pub use random::{Iteration, SEED_MODULUS, Stream, number_draws, set_global_seed};
pub use recursion::{Bundle, Level, RecursiveCall, RecursiveGradient, RecursiveHandle};
pub use reduce::Reduce;
pub use region::{Call, If, While, empty_records, recorded_values};
pub use resource::{
    AssignKind, AssignVariable, BorrowedValues, Held, ReadVariableOp, VariableCell, combining,
};
pub use scatter::{ScatterNd, TensorScatterUpdate};
pub use search_sorted::SearchSorted;
pub use segment::{Combine, UnsortedSegment};
pub use segment_sorted::Segment;
pub use shape::{ExpandDims, IdentityN, Reshape, Squeeze};
pub use shape_info::{BroadcastArgs, EnsureShape, InvertPermutation, Rank, Shape, ShapeN, Size};
pub use slice::{Slice, StridedSlice, StridedSliceGrad};
pub use slice_spec::{OutOfBounds, SliceMasks};
pub use split::{Split, SplitV, Unpack};
pub use tensor_list::{PACKED_BYTES, TensorList};
pub use tensor_scatter::{ScatterKind, TensorScatter};
pub use topk::TopK;
pub use transpose::{BroadcastTo, ReverseV2, Roll, Tile, Transpose};

/// What operations on strings have in common, here and in other crates.
pub mod text {
    pub use crate::strings::{like_input, made, map_strings};
}

/// Where draws begin, by their inputs, here and in other crates.
pub mod seeded {
    pub use crate::random::{check_seed, keyed, read_seed};
}

use ferrograph_graph::Registry;
use std::sync::LazyLock;

/// All operations by name.
pub fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
        let mut registry = Registry::new();
        register(&mut registry);
        registry
    });
    &REGISTRY
}

/// Adds all operations of this crate.
pub fn register(registry: &mut Registry) {
    core::register(registry);
    region::register(registry);
    elementwise::register(registry);
    reduce::register(registry);
    matmul::register(registry);
    nn::register(registry);
    random::register(registry);
    resource::register(registry);
    custom::register(registry);
    recursion::register(registry);
    shape_info::register(registry);
    shape::register(registry);
    transpose::register(registry);
    slice::register(registry);
    concat::register(registry);
    split::register(registry);
    gather::register(registry);
    create::register(registry);
    index::register(registry);
    print::register(registry);
    pad::register(registry);
    scatter::register(registry);
    tensor_scatter::register(registry);
    segment::register(registry);
    segment_sorted::register(registry);
    search_sorted::register(registry);
    sparse::register(registry);
    tensor_list::register(registry);
    strings::register(registry);
    topk::register(registry);
    unique::register(registry);
    diag::register(registry);
}

#[cfg(test)]
mod tests;
