//! The distinct elements of a vector.

use crate::emit::*;
use crate::movement::indices_of;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Op, Runner, Specs, Tensors, VjpCall, declare, declared,
};
use ferrograph_kernels::movement::Distinct;
use ferrograph_kernels::scratch::vec_of;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{
    Bytes, DType, Element, PartialShape, Result, Tensor, TensorSpec, bail, with_element,
};
use foldhash::fast::RandomState;
use smallvec::smallvec;
use std::hash::Hash;

declare! {
    trait EmitUnique;

    /// The distinct elements of the vector `x` in order of appearance, and which of them each element is.
    Unique: unique(x: T in plain rank 1) -> (y: T, idx: out_idx in index), gradient Vjp {
        /// The dtype of places.
        out_idx: DType = DType::Int32,
    };

    /// As `Unique`, and how often each element appears.
    UniqueWithCounts: unique_with_counts(x: T in plain rank 1)
        -> (y: T, idx: out_idx in index, count: out_idx), gradient Vjp {
        /// The dtype of places and counts.
        out_idx: DType = DType::Int32,
    };
}

/// Keys that are numbered at a time.
const BLOCK: usize = 1024;

/// The distinct ones of as many keys as `which` has, of which `fill` writes those from a number on: where each appears first, and by
/// `which` the number of each key.
fn distinct<K: Copy + Eq + Hash>(
    (zero, never): (K, Option<K>),
    fill: impl Fn(usize, &mut [K]),
    which: &mut Numbers<'_>,
) -> Vec<i64> {
    let n = which.len();
    let mut all = Distinct::new(n, never, RandomState::default());
    let (mut keys, mut numbers) = ([zero; BLOCK], [0; BLOCK]);
    for begin in (0..n).step_by(BLOCK) {
        let size = BLOCK.min(n - begin);
        fill(begin, &mut keys[..size]);
        all.number(&keys[..size], &mut numbers[..size]);
        which.write(begin, &numbers[..size]);
    }
    all.into_first()
}

/// Integers of either index dtype that are written.
enum Numbers<'a> {
    Narrow(&'a mut [i32]),
    Wide(&'a mut [i64]),
}

impl Numbers<'_> {
    fn of(t: &mut Tensor) -> Result<Numbers<'_>> {
        Ok(match t.dtype() {
            DType::Int32 => Numbers::Narrow(t.as_mut_slice()?),
            _ => Numbers::Wide(t.as_mut_slice()?),
        })
    }

    fn len(&self) -> usize {
        match self {
            Numbers::Narrow(x) => x.len(),
            Numbers::Wide(x) => x.len(),
        }
    }

    fn write(&mut self, at: usize, numbers: &[u32]) {
        match self {
            Numbers::Narrow(x) => {
                let both = x[at..].iter_mut().zip(numbers);
                both.for_each(|(to, n)| *to = *n as i32);
            }
            Numbers::Wide(x) => {
                let both = x[at..].iter_mut().zip(numbers);
                both.for_each(|(to, n)| *to = i64::from(*n));
            }
        }
    }
}

/// Writes the bits of the elements from number `at` on, those of zero for negative zero too, all ones for NaN.
fn element_keys<T: Element, K>(t: &Tensor, at: usize, keys: &mut [K], key: impl Fn(u128) -> K) {
    const NAN: u128 = !0;
    let zero = T::default();
    let bytes = t.bytes()[at * size_of::<T>()..].chunks_exact(size_of::<T>());
    let elements = t.as_slice::<T>().unwrap_or(&[])[at..].iter();
    for ((to, x), bytes) in keys.iter_mut().zip(elements).zip(bytes) {
        let mut bits = [0; 16];
        if *x != zero {
            bits[..size_of::<T>()].copy_from_slice(bytes);
        }
        #[allow(clippy::eq_op)]
        let same = *x == *x;
        *to = key(if same { u128::from_le_bytes(bits) } else { NAN });
    }
}

fn distinct_elements<T: Element>(t: &Tensor, which: &mut Numbers<'_>) -> Vec<i64> {
    // All ones are a NaN, or no element at all, but for integers of 64 bits.
    let exact = T::DTYPE.is_integer();
    if size_of::<T>() <= 8 {
        let fill =
            |at: usize, keys: &mut [u64]| element_keys::<T, _>(t, at, keys, |bits| bits as u64);
        distinct((0, (!exact).then_some(u64::MAX)), fill, which)
    } else {
        let fill = |at: usize, keys: &mut [u128]| element_keys::<T, _>(t, at, keys, |bits| bits);
        distinct((0, Some(u128::MAX)), fill, which)
    }
}

fn distinct_strings(all: &[Bytes], which: &mut Numbers<'_>) -> Vec<i64> {
    fn fill<'a>(all: &'a [Bytes]) -> impl Fn(usize, &mut [&'a [u8]]) {
        move |at, keys| {
            let both = keys.iter_mut().zip(&all[at..]);
            both.for_each(|(key, text)| *key = text.as_ref());
        }
    }
    distinct((&[][..], None), fill(all), which)
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
    15.0 * inputs.shape(0).n_elements().unwrap_or(0) as f64
}

/// The distinct elements of a vector and which of them each element is.
fn unique(runner: &dyn Runner, t: &Tensor, out_idx: DType) -> Result<[Tensor; 2]> {
    let mut which = Tensor::empty(out_idx, [t.n_elements()].into())?;
    let mut numbers = Numbers::of(&mut which)?;
    let first = if t.dtype() == DType::String {
        distinct_strings(t.as_strings()?, &mut numbers)
    } else {
        with_element!(t.dtype(), dense, T => distinct_elements::<T>(t, &mut numbers),
            else => bail!(DType, "x has dtype {}, which cannot be compared", t.dtype()))
    };
    let gather = crate::GatherV2 { batch_dims: 0 };
    let axis = Tensor::scalar(0i32)?;
    let y = gather.eval(runner, &[t.clone(), Tensor::vector(&first)?, axis])?;
    Ok([y[0].clone(), which])
}

/// How often each of `n` numbers occurs.
fn counts(which: &Tensor, n: usize) -> Result<Tensor> {
    let mut counts = vec_of(0i64, n);
    let numbers = indices_of(which)?;
    let mut places = [0; BLOCK];
    for begin in (0..numbers.len()).step_by(BLOCK) {
        let places = &mut places[..BLOCK.min(numbers.len() - begin)];
        numbers.places(begin, places);
        places.iter().for_each(|&i| counts[i] += 1);
        poll_cancellation();
    }
    crate::shape_info::ints_tensor(which.dtype(), &[n], &counts)
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
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let [y, which] = unique(runner, &inputs[0], self.out_idx)?;
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
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let [y, which] = unique(runner, &inputs[0], self.out_idx)?;
        let counts = counts(&which, y.n_elements())?;
        Ok(smallvec![y, which, counts])
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        to_first(e, call)
    }
}
