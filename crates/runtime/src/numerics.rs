//! Checks of everything that operations compute for NaN and infinity, which a thread can ask for.

use crate::context;
use crate::dispatcher::{emit, when_run};
use ferrograph_graph::{Differentiability, OpRef, Val, Vals};
use ferrograph_ops::{CheckNumericsV2, Faults};
use ferrograph_tensor::Result;
use std::sync::Arc;

/// Operations that move or choose elements, and reads: they make no NaN, so what came with one has been told of already
/// or was there from the start.
const PASSING: &[&str] = &[
    "CheckNumerics",
    "CheckNumericsV2",
    "ConcatV2",
    "ExpandDims",
    "Fill",
    "GatherV2",
    "Identity",
    "IdentityN",
    "Maximum",
    "Minimum",
    "Pack",
    "ReadVariableOp",
    "Reshape",
    "Slice",
    "Squeeze",
    "StridedSlice",
    "StridedSliceGrad",
    "TensorListGetItem",
    "TensorListStack",
    "Transpose",
    "Unpack",
];

/// The outputs of an operation, the floating ones checked: at once where they are computed, by a node behind each in a
/// trace.
///
/// # Errors
/// `InvalidArgument` for a computed output with NaN or infinity in it, which counts them.
pub(crate) fn checked(op: &OpRef, inputs: &[Val], outputs: Vals) -> Result<Vals> {
    let holds_graphs = op.differentiability() == Differentiability::Regions;
    if inputs.is_empty() || holds_graphs || PASSING.contains(&op.name()) {
        return Ok(outputs);
    }
    let n = outputs.len();
    let check = |(i, val): (usize, Val)| match val.dtype().is_floating() {
        true => check_one(op, inputs, val, (i, n)),
        false => Ok(val),
    };
    outputs.into_iter().enumerate().map(check).collect()
}

fn check_one(op: &OpRef, inputs: &[Val], val: Val, place: (usize, usize)) -> Result<Val> {
    match val.tensor() {
        Some(tensor) => match Faults::of(tensor)? {
            Some(faults) => {
                let error = faults.refuse(&message(op, inputs, &val, place));
                let error = error.in_op("CheckNumericsV2");
                Err(when_run(error).at(context::origin().as_ref()))
            }
            None => Ok(val),
        },
        None => {
            let message = message(op, inputs, &val, place);
            let check: OpRef = Arc::new(CheckNumericsV2 { message });
            Ok(emit(check, &[val])?.remove(0))
        }
    }
}

/// What the error of output `i` of `n` says first.
fn message(op: &OpRef, inputs: &[Val], val: &Val, (i, n): (usize, usize)) -> String {
    let (how, graph) = match val {
        Val::Eager(_) => ("eagerly-executing", String::new()),
        Val::Sym(sym) => ("graph", format!("\n  Graph name: {:?}", sym.trace.name())),
    };
    let spec = val.spec();
    let made = context::origin().map_or_else(String::new, |o| format!("\n  Made at: {o}"));
    let given: String = inputs
        .iter()
        .enumerate()
        .map(|(i, input)| format!("\n    {i}: {}", input.spec()))
        .collect();
    format!(
        "\n\n!!! Detected Infinity or NaN in output {i} of {how} op {:?} (# of outputs: {n}) !!!\n  dtype: {}\n  shape: {}\
         \n  Input tensors ({}):{given}{graph}{made}",
        op.name(),
        spec.dtype,
        spec.shape,
        inputs.len(),
    )
}

/// Begins or ends such checks in this thread. Graphs keep the checks that they were traced with.
pub fn check_numerics(on: bool) {
    context::set_checks_numerics(on);
}
