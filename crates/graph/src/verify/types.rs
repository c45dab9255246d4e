//! What operations say of their outputs, and what is recorded of values.

use super::Faults;
use crate::{Effect, Graph, Inputs, Known, Node, NodeId, ValueId, ValueInfo};
use ferrograph_tensor::DType;

pub(super) fn check(faults: &mut Faults<'_>) {
    for (id, node) in faults.graph.iter() {
        inferred(faults, id, node);
        effect(faults, id, node);
        for v in &node.outputs {
            if let Some(text) = value(*v, faults.graph.value(*v)) {
                faults.fault_at(id, node, format_args!("{text}"));
            }
        }
    }
}

fn inferred(faults: &mut Faults<'_>, id: NodeId, node: &Node) {
    let graph = faults.graph;
    let inputs = Inputs::new(node.inputs.iter().map(|v| graph.value(*v).as_input()));
    let specs = match node.op.specs(&inputs) {
        Ok(specs) => specs,
        // What is refused for its values alone is the program's own: running it says so.
        Err(_) if fits_by_types(graph, node) => return,
        Err(e) => return faults.fault_at(id, node, format_args!("is refused by inference: {e}")),
    };
    let (n, expected) = (node.outputs.len(), specs.len());
    if n != expected {
        faults.fault_at(
            id,
            node,
            format_args!("has {n} outputs, should have {expected}"),
        );
    }
    for (spec, v) in specs.iter().zip(&node.outputs) {
        let recorded = graph.spec(*v);
        if spec.dtype != recorded.dtype || !spec.shape.is_compatible(&recorded.shape) {
            faults.fault_at(
                id,
                node,
                format_args!("{v} is {spec}, recorded as {recorded}"),
            );
        }
    }
    for (expected, v) in node.op.known_outputs(&inputs).iter().zip(&node.outputs) {
        if let (Some(expected), Some(known)) = (expected, graph.value(*v).known.as_deref())
            && graph.value(*v).constant.is_none()
            && disagree(known, expected)
        {
            let (known, expected) = (elements(known), elements(expected));
            faults.fault_at(
                id,
                node,
                format_args!("{v} is known as {known:?}, which is {expected:?}"),
            );
        }
    }
}

/// Whether no elements are what both say, however much each leaves open.
fn disagree(a: &Known, b: &Known) -> bool {
    let differ =
        |(a, b): (&Option<i64>, &Option<i64>)| matches!((a, b), (Some(a), Some(b)) if a != b);
    a.len() != b.len() || a.iter().zip(b).any(differ)
}

/// Whether a node's inputs fit by their types, whatever their values.
fn fits_by_types(graph: &Graph, node: &Node) -> bool {
    let blind = node.inputs.iter().map(|v| (graph.spec(*v), None, None));
    node.op.specs(&Inputs::new(blind)).is_ok()
}

fn effect(faults: &mut Faults<'_>, id: NodeId, node: &Node) {
    let is_object = |v: &ValueId| {
        let dtype = faults.graph.spec(*v).dtype;
        matches!(dtype, DType::Resource | DType::Variant)
    };
    let effect = node.op.effect();
    if matches!(effect, Effect::Reads | Effect::Writes) && !node.inputs.iter().any(is_object) {
        let text = format_args!("has the effect {effect:?} and takes no resource");
        faults.fault_at(id, node, text);
    }
}

/// What does not fit together of what is recorded of a value.
fn value(v: ValueId, info: &ValueInfo) -> Option<String> {
    let spec = &info.spec;
    if let Some(constant) = info.constant.as_deref() {
        let is = constant.spec();
        if is.dtype != spec.dtype || !is.shape.is_compatible(&spec.shape) {
            return Some(format!("{v} of {spec} is the constant {is}"));
        }
    }
    let known = info.known.as_deref()?;
    let n_elements = match spec.shape.rank() {
        None | Some(0 | 1) => spec.shape.n_elements(),
        Some(_) => Some(spec.shape.n_elements().unwrap_or(usize::MAX)),
    };
    if !spec.dtype.is_integer() || n_elements.is_some_and(|n| n != known.len()) {
        let n = known.len();
        return Some(format!("{v} of {spec} has {n} known elements"));
    }
    let constant = info.constant.as_deref()?.to_i64s().ok()?;
    let differs = |(k, x): (&Option<i64>, &i64)| k.is_some_and(|k| k != *x);
    (constant.len() != known.len() || known.iter().zip(&constant).any(differs))
        .then(|| format!("{v} is {constant:?}, known as {:?}", elements(known)))
}

fn elements(known: &Known) -> &[Option<i64>] {
    known
}
