//! Rules of operations whose declaration does not tell all. A rule gives `None` where it does not cover what depends on the
//! row.

mod index;
mod joins;
mod lists;
mod numbers;
mod shapes;
mod slices;

use super::{Rowed, Site};
use crate::emit::TraceEmitter;
use ferrograph_graph::{Attr, Val};
use ferrograph_tensor::Result;

type Found = Result<Option<Vec<Rowed>>>;
type Rule = fn(&mut TraceEmitter, &Site<'_>) -> Found;

/// Whether the operation makes an empty list: its elements may come to depend on the row.
pub(crate) fn makes_list(site: &Site<'_>) -> bool {
    matches!(site.op.name(), "EmptyTensorList" | "TensorListReserve")
}

fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "Shape" | "ShapeN" => shapes::shape,
        "Size" => shapes::size,
        "Rank" => shapes::rank,
        "EnsureShape" => shapes::ensure_shape,
        "Reshape" => shapes::reshape,
        "Squeeze" => shapes::squeeze,
        "BroadcastTo" => shapes::broadcast_to,
        "Fill" => shapes::fill,
        "Transpose" => shapes::transpose,
        "Tile" => shapes::tile,
        "Pad" | "PadV2" | "MirrorPad" | "MirrorPadGrad" => shapes::pad,
        "ConcatV2" => joins::concat,
        "Pack" => joins::pack,
        "IdentityN" => joins::identity_n,
        "Split" => joins::split,
        "SplitV" => joins::split_v,
        "Unpack" => joins::unpack,
        "Slice" => slices::slice,
        "StridedSlice" => slices::strided_slice,
        "StridedSliceGrad" => slices::strided_slice_grad,
        "GatherV2" => index::gather,
        "GatherNd" => index::gather_nd,
        "ScatterNd" => index::scatter_nd,
        "TensorScatterUpdate"
        | "TensorScatterAdd"
        | "TensorScatterSub"
        | "TensorScatterMax"
        | "TensorScatterMin" => index::tensor_scatter,
        "UnsortedSegmentSum"
        | "UnsortedSegmentProd"
        | "UnsortedSegmentMax"
        | "UnsortedSegmentMin" => index::unsorted_segment,
        "SegmentSum" | "SegmentMean" | "SegmentProd" | "SegmentMax" | "SegmentMin" => {
            index::segment
        }
        "MatMul" => numbers::matmul,
        "SparseTensorDenseMatMul" => numbers::sparse_product,
        "BiasAdd" => numbers::bias_add,
        "BiasAddGrad" => numbers::bias_add_grad,
        "L2Loss" => numbers::l2_loss,
        "OneHot" => numbers::one_hot,
        "Select" => numbers::select,
        "Assert" => numbers::assert,
        "RandomUniform" | "RandomStandardNormal" | "TruncatedNormal" | "RandomUniformInt" => {
            numbers::draw
        }
        "Conv2DBackpropInput"
        | "Conv3DBackpropInputV2"
        | "DepthwiseConv2dNativeBackpropInput"
        | "AvgPoolGrad"
        | "AvgPool3DGrad" => numbers::of_image_sizes,
        "EmptyTensorList" | "TensorListReserve" => lists::make,
        "TensorListLength" => lists::length,
        "TensorListSetItem" => lists::set_item,
        "TensorListGetItem" => lists::get_item,
        "TensorListPushBack" => lists::push_back,
        "TensorListPopBack" => lists::pop_back,
        "TensorListStack" => lists::stack,
        "TensorListFromTensor" => lists::from_tensor,
        _ => return None,
    })
}

/// The outputs by the operation's rule.
pub(crate) fn apply(e: &mut TraceEmitter, site: &Site<'_>) -> Found {
    match rule(site.op.name()) {
        Some(rule) => rule(e, site),
        None => Ok(None),
    }
}

/// Whether there is a rule for the operation of that name.
pub fn has_rule(name: &str) -> bool {
    rule(name).is_some()
}

impl Site<'_> {
    /// Whether of the inputs these, and no others, may depend on the row, and one does.
    fn only_each(&self, may: &[usize]) -> bool {
        let each = |i: &usize| self.inputs[*i].is_each();
        may.iter().any(each) && (0..self.inputs.len()).all(|i| may.contains(&i) || !each(&i))
    }

    fn val(&self, i: usize) -> &Val {
        self.inputs[i].val()
    }

    /// The inputs as they are.
    fn vals(&self) -> Vec<Val> {
        self.inputs.iter().map(|v| v.val().clone()).collect()
    }

    /// Whether a text attribute has that value.
    fn has_text(&self, attr: &str, text: &str) -> bool {
        matches!(self.op.attrs().get(attr), Some(Attr::Str(s)) if **s == *text.as_bytes())
    }

    /// Whether a truth value holds.
    fn holds(&self, attr: &str) -> bool {
        matches!(self.op.attrs().get(attr), Some(Attr::Bool(true)))
    }
}
