//! What every operation means. One file a family, one struct an operation: its fields are the attributes, and
//! inference, evaluation and gradient stand side by side. [`registry`] lists them by their public names.
//!
//! Gradient rules are written with [`Build`], the short names for emitting operations, so that one rule serves eager
//! tapes, traces and higher derivatives.

mod args;
mod build;
mod concat;
mod core;
mod create;
mod custom;
mod diag;
mod elementwise;
mod format;
mod gather;
mod index;
mod matmul;
mod movement;
mod nn;
mod number;
mod pad;
mod print;
mod random;
mod reduce;
mod region;
mod resource;
mod scatter;
mod segment;
mod shape;
mod shape_info;
mod slice;
mod slice_spec;
mod split;
mod strings;
mod tensor_list;
#[cfg(test)]
mod testing;
mod topk;
mod transpose;

pub use build::Build;
pub use concat::{ConcatV2, Pack};
pub use core::{Const, Identity, LeafOps, NoOp, Placeholder, StopGradient};
pub use create::{Fill, LinSpace, OneHot, Range};
pub use custom::CustomGradient;
pub use diag::{Align, MatrixBandPart, MatrixDiag, MatrixDiagPart, MatrixSetDiag};
pub use elementwise::{Binary, Cast, Equality, Unary};
pub use gather::{GatherNd, GatherV2};
pub use index::Where;
pub use pad::{MirrorPad, MirrorPadGrad, Pad};
pub use print::{Assert, PrintSink, PrintV2, StringFormat, set_print_sink};
pub use random::{Distribution, Draw, Source, Stream};
pub use reduce::Reduce;
pub use region::{
    Branch, Call, If, While, check_interrupt, empty_records, recorded_values, set_interrupt_check,
};
pub use resource::{AssignKind, AssignVariable, ReadVariable, VariableCell};
pub use scatter::{ScatterKind, ScatterNd, TensorScatter, TensorScatterUpdate};
pub use segment::{Combine, Segment, UnsortedSegment};
pub use shape::{ExpandDims, IdentityN, Reshape, Squeeze};
pub use shape_info::{BroadcastArgs, EnsureShape, InvertPermutation, Rank, Shape, ShapeN, Size};
pub use slice::{Slice, StridedSlice, StridedSliceGrad};
pub use slice_spec::SliceMasks;
pub use split::{Split, SplitV, Unpack};
pub use strings::{
    AsString, ReduceJoin, RegexFullMatch, RegexReplace, StringCase, StringJoin, StringLength,
    StringSplitV2, StringStrip, StringToNumber, Substr, UnsortedSegmentJoin,
};
pub use tensor_list::{
    EmptyTensorList, TensorList, TensorListConcat, TensorListFromTensor, TensorListGather,
    TensorListGetItem, TensorListLength, TensorListPopBack, TensorListPushBack, TensorListReserve,
    TensorListResize, TensorListScatter, TensorListScatterV2, TensorListSetItem, TensorListSplit,
    TensorListStack,
};
pub use topk::{SearchSorted, TopKV2, Unique};
pub use transpose::{BroadcastTo, ReverseV2, Roll, Tile, Transpose};

use ferrograph_graph::Registry;
use std::sync::LazyLock;

/// All operations by name.
pub fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
        let mut registry = Registry::new();
        core::register(&mut registry);
        region::register(&mut registry);
        elementwise::register(&mut registry);
        reduce::register(&mut registry);
        matmul::register(&mut registry);
        nn::register(&mut registry);
        random::register(&mut registry);
        resource::register(&mut registry);
        custom::register(&mut registry);
        shape_info::register(&mut registry);
        shape::register(&mut registry);
        transpose::register(&mut registry);
        slice::register(&mut registry);
        concat::register(&mut registry);
        split::register(&mut registry);
        gather::register(&mut registry);
        create::register(&mut registry);
        index::register(&mut registry);
        print::register(&mut registry);
        pad::register(&mut registry);
        scatter::register(&mut registry);
        segment::register(&mut registry);
        tensor_list::register(&mut registry);
        strings::register(&mut registry);
        topk::register(&mut registry);
        diag::register(&mut registry);
        registry
    });
    &REGISTRY
}

#[cfg(test)]
mod tests;
