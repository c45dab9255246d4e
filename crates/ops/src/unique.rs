//! The distinct elements of a vector.

use crate::args::checked;
use crate::emit::*;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Op, Runner, Specs, Tensors, VjpCall, declare, declared,
};
use ferrograph_kernels::scratch::{collected, exhausted, push};
use ferrograph_kernels::stop::breathe;
use ferrograph_tensor::{
    Bytes, DType, Element, PartialShape, Result, Tensor, TensorSpec, bail, with_element,
};
use foldhash::fast::RandomState;
use smallvec::smallvec;
use std::collections::HashMap;
use std::hash::Hash;

declare! {
    trait EmitUnique;

    /// The distinct elements of the vector `x` in order of appearance, and which of them each element is.
    Unique: unique(x: T rank 1) -> (y: T, idx: out_idx in index), gradient Vjp {
        /// The dtype of places.
        out_idx: DType = DType::Int32,
    };

    /// As `Unique`, and how often each element appears.
    UniqueWithCounts: unique_with_counts(x: T rank 1)
        -> (y: T, idx: out_idx in index, count: out_idx), gradient Vjp {
        /// The dtype of places and counts.
        out_idx: DType = DType::Int32,
    };
}

/// Places of first appearance, which distinct element each is, counts.
struct Distinct {
    first: Vec<usize>,
    which: Vec<i64>,
    counts: Vec<i64>,
}

/// Finds the distinct ones of keys, of which none equals nothing, not even itself.
fn distinct<K: Hash + Eq>(keys: impl Iterator<Item = Option<K>>) -> Distinct {
    let mut found: HashMap<K, usize, RandomState> = HashMap::default();
    let mut all = Distinct {
        first: Vec::new(),
        which: Vec::new(),
        counts: Vec::new(),
    };
    for (i, key) in keys.enumerate() {
        breathe();
        let next = all.first.len();
        if found.len() == found.capacity() && found.try_reserve(1).is_err() {
            exhausted(found.len().saturating_mul(size_of::<(K, usize)>()));
        }
        let id = key.map_or(next, |key| *found.entry(key).or_insert(next));
        if id == next {
            push(&mut all.first, i);
            push(&mut all.counts, 0);
        }
        push(&mut all.which, id as i64);
        all.counts[id] += 1;
    }
    all
}

/// The bits of each element, those of zero for negative zero too; none for NaN, which equals nothing.
fn element_keys<T: Element>(t: &Tensor) -> Result<impl Iterator<Item = Option<u128>>> {
    let zero = T::default();
    let bytes = t.bytes().chunks_exact(size_of::<T>());
    let elements = t.as_slice::<T>()?.iter().zip(bytes);
    #[allow(clippy::eq_op)]
    Ok(elements.map(move |(x, bytes)| {
        let mut bits = [0; 16];
        if *x != zero {
            bits[..bytes.len()].copy_from_slice(bytes);
        }
        (*x == *x).then_some(u128::from_le_bytes(bits))
    }))
}

fn distinct_elements<T: Element>(t: &Tensor) -> Result<Distinct> {
    let keys = element_keys::<T>(t)?;
    Ok(if size_of::<T>() <= 8 {
        distinct(keys.map(|key| key.map(|bits| bits as u64)))
    } else {
        distinct(keys)
    })
}

/// The specs of the distinct elements and of which of them each element is.
fn unique_specs(inputs: &Inputs<'_>, out_idx: DType) -> Result<Specs> {
    let open = PartialShape::of_rank(1);
    let which = inputs.shape(0).merge(&open)?;
    Ok(smallvec![
        TensorSpec::new(inputs.dtype(0), open),
        TensorSpec::new(out_idx, which)
    ])
}

/// What it costs to find the distinct elements of input 0.
fn hashing(inputs: &Inputs<'_>) -> f64 {
    50.0 * inputs.shape(0).n_elements().unwrap_or(0) as f64
}

/// The distinct elements of a vector, which of them each element is, how often each appears.
fn unique(runner: &dyn Runner, t: &Tensor, out_idx: DType) -> Result<[Tensor; 3]> {
    let found = if t.dtype() == DType::String {
        distinct(t.as_strings()?.iter().map(|text| Some(Bytes::clone(text))))
    } else {
        with_element!(t.dtype(), dense, T => distinct_elements::<T>(t)?,
            else => bail!(DType, "x has dtype {}, which cannot be compared", t.dtype()))
    };
    let first = collected(found.first.iter().map(|&i| i as i64));
    let gather = crate::GatherV2 { batch_dims: 0 };
    let axis = Tensor::scalar(0i32)?;
    let y = gather.eval(runner, &[t.clone(), Tensor::vector(&first)?, axis])?;
    let ints = |x: &[i64]| crate::shape_info::ints_tensor(out_idx, &[x.len()], x);
    Ok([y[0].clone(), ints(&found.which)?, ints(&found.counts)?])
}

/// The gradient of the distinct elements goes to where each appears first.
fn to_first(e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
    let Some(Some(grad)) = call.grads.first() else {
        return Ok(smallvec![None]);
    };
    let which = &call.outputs[1];
    let dtype = which.dtype();
    let (zero, one) = (e.scalar(0.0, dtype)?, e.scalar(1.0, dtype)?);
    let (n, n_distinct) = (e.size(which, dtype)?, e.size(grad, dtype)?);
    let places = e.range(&zero, &n, &one)?;
    let first = e.unsorted_segment_min(&places, which, &n_distinct)?;
    let grad = e.unsorted_segment_sum(grad, &first, &n)?;
    Ok(smallvec![Some(grad.into())])
}

impl Op for Unique {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        unique_specs(inputs, self.out_idx)
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        hashing(inputs)
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        let [y, which, _] = unique(runner, &inputs[0], self.out_idx)?;
        Ok(smallvec![y, which])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        to_first(e, call)
    }
}

impl Op for UniqueWithCounts {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let mut specs = unique_specs(inputs, self.out_idx)?;
        specs.push(TensorSpec::new(self.out_idx, PartialShape::of_rank(1)));
        Ok(specs)
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        hashing(inputs)
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        checked(self, inputs)?;
        Ok(unique(runner, &inputs[0], self.out_idx)?
            .into_iter()
            .collect())
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        to_first(e, call)
    }
}
