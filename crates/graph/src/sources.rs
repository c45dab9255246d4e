//! What the dtype of a symbolic value comes from.

use crate::{Sym, Trace, Val};
use hashbrown::HashSet;

/// Values looked at, at most.
const MOST: usize = 10_000;

/// The arguments, of the trace of a value and of those around it, whose dtype the value has, by their keys; `None` where
/// the dtype has another reason, too.
pub fn dtype_sources(val: &Val) -> Option<Vec<u64>> {
    let dtype = val.dtype();
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut left = vec![val.clone()];
    while let Some(val) = left.pop() {
        if !seen.insert(val.key()) {
            continue;
        }
        let Val::Sym(sym) = &val else { return None };
        if seen.len() > MOST {
            return None;
        }
        match origin(sym)? {
            Origin::Argument => found.push(val.key()),
            Origin::Constant => {}
            Origin::Values(values) => {
                let same = values.into_iter().filter(|v| v.dtype() == dtype);
                let before = left.len();
                left.extend(same);
                if left.len() == before {
                    return None;
                }
            }
        }
    }
    Some(found)
}

enum Origin {
    Argument,
    Constant,
    Values(Vec<Val>),
}

/// Where a value of an open trace comes from.
fn origin(sym: &Sym) -> Option<Origin> {
    let trace: &Trace = &sym.trace;
    let captured = trace.captures().ok()?;
    if let Some(capture) = captured.into_iter().find(|c| c.inner == sym.value) {
        return Some(Origin::Values(vec![capture.outer]));
    }
    trace
        .with_builder(|b| {
            let node = b.node(b.value(sym.value).node);
            if node.op.constant().is_some() {
                return Origin::Constant;
            }
            if node.inputs.is_empty() {
                return Origin::Argument;
            }
            let of = |v: &crate::ValueId| {
                Val::Sym(Sym {
                    trace: sym.trace.clone(),
                    value: *v,
                })
            };
            Origin::Values(node.inputs.iter().map(of).collect())
        })
        .ok()
}
