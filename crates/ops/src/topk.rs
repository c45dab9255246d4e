//! The greatest elements, and distinct ones.

use crate::args::{checked, scalar};
use crate::emit::*;
use crate::movement::static_shape;
use crate::slice::element;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Lowered, Op, Runner, Specs, Tensors, VjpCall, declare, declared,
};
use ferrograph_kernels::movement::top_k;
use ferrograph_kernels::stop::breathe;
use ferrograph_tensor::{
    Bytes, DType, Dim, Element, PartialShape, Result, Tensor, TensorSpec, bail, with_element,
};
use smallvec::{SmallVec, smallvec};
use std::collections::HashMap;
use std::hash::Hash;

declare! {
    trait EmitTopK;

    /// The `k` greatest elements along the last axis of `input`, the greatest first, and their places.
    TopKV2: top_k_v2(input: T in real, k: Tk in index rank 0) -> (values: T, indices: int32), gradient Vjp {
        /// Whether they must come in order; they do in any case.
        sorted: bool = true,
    };

    /// The distinct elements of the vector `x` in order of appearance, and which of them each element is.
    Unique: unique(x: T rank 1) -> (y: T, idx: out_idx in index), gradient Stops {
        /// The dtype of places.
        out_idx: DType = DType::Int32,
    };

    /// As `Unique`, and how often each element appears.
    UniqueWithCounts: unique_with_counts(x: T rank 1)
        -> (y: T, idx: out_idx in index, count: out_idx), gradient Stops {
        /// The dtype of places and counts.
        out_idx: DType = DType::Int32,
    };
}

impl Op for TopKV2 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let k = match scalar(inputs, 1) {
            Some(k) if k < 0 => bail!(Shape, "k must not be negative, got {k}"),
            k => Dim::from(k.and_then(|k| usize::try_from(k).ok())),
        };
        let shape = match inputs.shape(0).dims() {
            None => PartialShape::UNKNOWN,
            Some([]) => bail!(Shape, "input must have rank 1 at least, got a scalar"),
            Some([lead @ .., last]) => {
                if let (Some(k), Some(n)) = (k.known(), last.known())
                    && k > n
                {
                    bail!(
                        Shape,
                        "k is {k}, the last axis of shape {} has {n} elements",
                        inputs.shape(0)
                    );
                }
                lead.iter().copied().chain([k]).collect()
            }
        };
        let places = TensorSpec::new(DType::Int32, shape.clone());
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape), places])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (from, to) = (static_shape(inputs.spec(0))?, static_shape(&outputs[0])?);
        let (Some(&n), Some(&k)) = (from.last(), to.last()) else {
            return Ok(Lowered::Eval);
        };
        if k > n {
            bail!(Shape, "k is {k}, the last axis has {n} elements");
        }
        with_element!(inputs.dtype(0), real, T => Ok(Lowered::Kernel(Box::new(move |operands| {
            let x = operands.input::<T>(0);
            if k > 0 && !x.is_empty() {
                let (values, places) = operands.two_outputs::<T, i32>();
                top_k(x, n, k, values, places);
            }
            Ok(())
        }))), else => Ok(Lowered::Eval))
    }
    fn flops(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        let looked_at = inputs.shape(0).n_elements().unwrap_or(0) as f64;
        let sorted = outputs[0].shape.n_elements().unwrap_or(0) as f64;
        let last = outputs[0].shape.dims().and_then(<[Dim]>::last);
        let row = last.and_then(|k| k.known()).unwrap_or(0) as f64;
        2.0 * looked_at + 5.0 * sorted * (row + 1.0).log2()
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let Some(Some(grad)) = call.grads.first() else {
            return Ok(smallvec![None, None]);
        };
        let (x, places) = (&call.inputs[0], &call.outputs[1]);
        let shape = e.shape_of(x)?;
        let minus_one = e.int_vector(&[-1])?;
        // Rows of the input one after another: place p of row r is r * n + p.
        let n = element(e, &shape, -1)?;
        let kept = e.shape_of(places)?;
        let k = element(e, &kept, -1)?;
        let size = e.size(x, DType::Int32)?;
        let any = e.scalar(-1.0, DType::Int32)?;
        let rows = e.pack(&[any, k], 0)?;
        let by_row = e.reshape(places, &rows)?;
        let (zero, one) = (e.scalar(0.0, DType::Int32)?, e.scalar(1.0, DType::Int32)?);
        let n_or_one = e.maximum(&n, &one)?;
        let starts = e.range(&zero, &size, &n_or_one)?;
        let column = e.expand_dims(&starts, &one)?;
        let ids = e.add(&by_row, &column)?;
        let ids = e.reshape(&ids, &minus_one)?;
        let flat = e.reshape(grad, &minus_one)?;
        let summed = e.unsorted_segment_sum(&flat, &ids, &size)?;
        let grad = e.reshape(&summed, &shape)?;
        Ok(smallvec![Some(grad.into()), None])
    }
}

/// Places of first appearance, which distinct element each is, counts.
struct Distinct {
    first: Vec<usize>,
    which: Vec<i64>,
    counts: Vec<i64>,
}

fn distinct<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> Distinct {
    let mut found: HashMap<K, usize> = HashMap::new();
    let mut all = Distinct {
        first: Vec::new(),
        which: Vec::new(),
        counts: Vec::new(),
    };
    for (i, key) in keys.enumerate() {
        breathe();
        let next = all.first.len();
        let id = *found.entry(key).or_insert(next);
        if id == next {
            all.first.push(i);
            all.counts.push(0);
        }
        all.which.push(id as i64);
        all.counts[id] += 1;
    }
    all
}

/// The bytes of each element, those of zero for negative zero too.
fn element_keys<T: Element>(t: &Tensor) -> Result<impl Iterator<Item = SmallVec<[u8; 16]>>> {
    let zero = T::default();
    let bytes = t.bytes().chunks_exact(t.dtype().size());
    Ok(t.as_slice::<T>()?.iter().zip(bytes).map(move |(x, bytes)| {
        if *x == zero {
            smallvec![0; bytes.len()]
        } else {
            SmallVec::from_slice(bytes)
        }
    }))
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
    100.0 * inputs.shape(0).n_elements().unwrap_or(0) as f64
}

/// The distinct elements of a vector, which of them each element is, how often each appears.
fn unique(runner: &dyn Runner, t: &Tensor, out_idx: DType) -> Result<[Tensor; 3]> {
    let found = if t.dtype() == DType::String {
        distinct(t.as_strings()?.iter().map(Bytes::clone))
    } else {
        with_element!(t.dtype(), dense, T => distinct(element_keys::<T>(t)?),
            else => bail!(DType, "x has dtype {}, which cannot be compared", t.dtype()))
    };
    let first: Vec<i64> = found.first.iter().map(|&i| i as i64).collect();
    let gather = crate::GatherV2 { batch_dims: 0 };
    let axis = Tensor::scalar(0i32)?;
    let y = gather.eval(runner, &[t.clone(), Tensor::vector(&first)?, axis])?;
    let ints = |x: &[i64]| crate::shape_info::ints_tensor(out_idx, &[x.len()], x);
    Ok([y[0].clone(), ints(&found.which)?, ints(&found.counts)?])
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
}
