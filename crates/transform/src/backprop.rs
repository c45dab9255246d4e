//! Reverse mode: from what was recorded in program order to the gradients of its sources.

use crate::gradient::GraphGradient;
use crate::region::region_vjp;
use ferrograph_graph::{Differentiability, Emitter, Grad, Grads, OpRef, Sym, Val, Vals, VjpCall};
use ferrograph_ops::emit::*;
use ferrograph_tensor::{DType, Origin, Result, bail};
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;
use std::sync::Arc;

/// One operation that ran or was traced.
#[derive(Clone)]
pub struct Record {
    /// The operation.
    pub op: OpRef,
    /// What it took, as the program gave it (before captures).
    pub inputs: Vals,
    /// What it gave.
    pub outputs: Vals,
    /// For an operation with regions that ran eagerly: what its gradient needs.
    pub replay: Option<Replay>,
    /// The user's line it is of, for a node of a finished graph: its gradient is of the same line.
    pub origin: Option<Arc<Origin>>,
}

/// The gradient of a graph that ran, with the intermediate values that it needs.
#[derive(Clone)]
pub struct Replay {
    /// The gradient, of all differentiable outputs.
    pub gradient: Arc<GraphGradient>,
    /// The intermediate values, in the order the gradient's backward graph takes them.
    pub residuals: Vals,
}

/// Whether gradients may flow through a value of that dtype; resources and variants carry those of what they hold.
fn carries_gradient(dtype: DType) -> bool {
    dtype.is_differentiable() || matches!(dtype, DType::Resource | DType::Variant)
}

/// Gradients collected so far, summed when read.
#[derive(Default)]
struct Collected(HashMap<u64, SmallVec<[Grad; 1]>>);

impl Collected {
    fn add(&mut self, key: u64, grad: Grad) {
        self.0.entry(key).or_default().push(grad);
    }

    fn has(&self, val: &Val) -> bool {
        self.0.contains_key(&val.key())
    }

    fn sum(&mut self, e: &mut dyn Emitter, key: u64) -> Result<Option<Grad>> {
        let Some(parts) = self.0.get_mut(&key) else {
            return Ok(None);
        };
        if parts.len() > 1 {
            let total = sum_grads(e, parts)?;
            parts.clear();
            parts.push(total);
        }
        Ok(parts.first().cloned())
    }
}

fn sum_grads(e: &mut dyn Emitter, parts: &[Grad]) -> Result<Grad> {
    let slices: Option<Vec<_>> = parts
        .iter()
        .map(|g| match g {
            Grad::Slices {
                values,
                indices,
                dense_shape,
            } => Some((values, indices, dense_shape)),
            Grad::Dense(_) => None,
        })
        .collect();
    if let Some(slices) = slices {
        let dtype = slices[0].1.dtype();
        let values: Vec<Val> = slices.iter().map(|s| s.0.clone()).collect();
        let indices = slices
            .iter()
            .map(|s| e.cast(s.1, dtype))
            .collect::<Result<Vec<_>>>()?;
        let axis = e.scalar(0.0, DType::Int32)?;
        return Ok(Grad::Slices {
            values: e.concat_v2(&values, &axis)?,
            indices: e.concat_v2(&indices, &axis)?,
            dense_shape: slices[0].2.clone(),
        });
    }
    let dense = parts
        .iter()
        .map(|g| densify(e, g))
        .collect::<Result<Vec<_>>>()?;
    Ok(Grad::Dense(match &dense[..] {
        [a, b] if a.dtype() != DType::Variant => e.add(a, b)?,
        all => e.add_n(all)?,
    }))
}

/// A gradient as one dense value.
pub fn densify(e: &mut dyn Emitter, grad: &Grad) -> Result<Val> {
    match grad {
        Grad::Dense(v) => Ok(v.clone()),
        Grad::Slices {
            values,
            indices,
            dense_shape,
        } => {
            let zero = e.scalar(0.0, DType::Int32)?;
            let n = e.gather_v2(dense_shape, &zero, &zero, 0)?;
            let sum = e.unsorted_segment_sum(values, indices, &n)?;
            e.reshape(&sum, dense_shape)
        }
    }
}

/// The gradients of the sources (by key), given those of the targets. Records are in program order. A source that no
/// target depends on has none.
pub fn backprop(
    e: &mut dyn Emitter,
    records: &[Record],
    targets: Vec<(Val, Grad)>,
    sources: &HashSet<u64>,
) -> Result<HashMap<u64, Grad>> {
    let records = &with_all_outputs(records)[..];
    let reached = reach(records, sources);
    let mut collected = Collected::default();
    for (target, grad) in targets {
        collected.add(target.key(), grad);
    }
    for record in records.iter().rev() {
        let concerned = record
            .outputs
            .iter()
            .any(|o| collected.has(o) && reached.contains(&o.key()));
        if !concerned {
            continue;
        }
        e.set_origin(record.origin.clone());
        let needs: SmallVec<[bool; 4]> = record
            .inputs
            .iter()
            .map(|i| reached.contains(&i.key()))
            .collect();
        let mut sums = Grads::new();
        for output in &record.outputs {
            sums.push(collected.sum(e, output.key())?);
        }
        let found = if record.op.differentiability() == Differentiability::Passes {
            sums
        } else {
            let dense = |g: Option<Grad>| g.map(|g| densify(e, &g)).transpose();
            let grads: SmallVec<[Option<Val>; 2]> =
                sums.into_iter().map(dense).collect::<Result<_>>()?;
            vjp(e, record, &grads, &needs)?
        };
        for ((input, grad), need) in record.inputs.iter().zip(found).zip(&needs) {
            if let (Some(grad), true) = (grad, *need) {
                collected.add(input.key(), grad);
            }
        }
    }
    let mut result = HashMap::new();
    for &key in sources {
        if let Some(grad) = collected.sum(e, key)? {
            result.insert(key, grad);
        }
    }
    Ok(result)
}

/// Records in which traced operations with regions have the outputs that their nodes have by now.
fn with_all_outputs(records: &[Record]) -> Vec<Record> {
    let all = |record: &Record| {
        let mut record = record.clone();
        if record.op.differentiability() == Differentiability::Regions
            && let Some(Val::Sym(first)) = record.outputs.first()
        {
            let sym = |value| {
                Val::Sym(Sym {
                    trace: first.trace.clone(),
                    value,
                })
            };
            record.outputs = first
                .trace
                .siblings(first.value)
                .into_iter()
                .map(sym)
                .collect();
        }
        record
    };
    records.iter().map(all).collect()
}

/// The values that depend on the sources through operations that pass gradients on.
fn reach(records: &[Record], sources: &HashSet<u64>) -> HashSet<u64> {
    let mut reached = sources.clone();
    for record in records {
        if record.op.differentiability() == Differentiability::Stops {
            continue;
        }
        if record.inputs.iter().any(|i| reached.contains(&i.key())) {
            reached.extend(
                record
                    .outputs
                    .iter()
                    .filter(|o| carries_gradient(o.dtype()))
                    .map(Val::key),
            );
        }
    }
    reached
}

fn vjp(
    e: &mut dyn Emitter,
    record: &Record,
    grads: &[Option<Val>],
    needs: &[bool],
) -> Result<Grads> {
    let call = VjpCall {
        inputs: &record.inputs,
        outputs: &record.outputs,
        grads,
        needs,
    };
    let found = match record.op.differentiability() {
        Differentiability::Vjp => record.op.vjp(e, &call),
        Differentiability::Regions => region_vjp(e, record, &call),
        Differentiability::Stops | Differentiability::Passes => return Ok(Grads::new()),
        Differentiability::Missing => bail!(
            NotFound,
            "no gradient is defined for operation {}",
            record.op.name()
        ),
    };
    found.map_err(|err| err.in_op(record.op.name()))
}
