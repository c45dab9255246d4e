//! Which work is long enough to let other Python threads run meanwhile. Short work keeps the interpreter lock: to give
//! it up and get it back costs more than most operations on small tensors.

use crate::fork::unlocked;
use ferrograph_graph::{Inputs, OpRef, Specs};
use ferrograph_ops::TensorList;
use ferrograph_tensor::{DType, Tensor};
use pyo3::prelude::*;
use std::time::Duration;

/// Work above this many floating-point operations, or elements moved, runs without the interpreter lock.
const LONG: f64 = 50_000.0;
/// Operations whose inputs reach less far are not looked at: none of them is long.
const WORTH_A_LOOK: f64 = 8_192.0;
/// Numbers of inputs with at most this many may be sizes of the result.
const MOST_SIZES: usize = 8;

/// So many allocations given back one by one are long work.
const MANY: usize = 10_000;

/// Work that took longer than this is taken to be long the next time.
pub(crate) const LONG_TIME: Duration = Duration::from_micros(50);

/// Asks for a pool of so many threads. False where another number is settled.
#[pyfunction]
pub(crate) fn ask_for_threads(n: usize) -> bool {
    ferrograph_kernels::pool::ask_for_threads(n)
}

/// Whether so many floating-point operations are long work.
#[inline]
pub(crate) fn is_long(flops: f64) -> bool {
    flops > LONG
}

/// Does work, without the interpreter lock where it is long.
#[inline]
pub(crate) fn run<R: Send>(py: Python<'_>, long: bool, work: impl FnOnce() -> R + Send) -> R {
    if long { unlocked(py, work) } else { work() }
}

/// Whether an operation on these tensors is long work: by the elements that it reads, else by its own estimate. Of a
/// list most operations read one element.
#[inline]
pub(crate) fn is_long_op<'a>(op: &OpRef, inputs: impl Iterator<Item = &'a Tensor> + Clone) -> bool {
    let (mut read, mut reached) = (0.0, 0.0);
    for tensor in inputs.clone() {
        if tensor.dtype() != DType::Variant {
            read += size(tensor);
        }
        if is_long(read) {
            return true;
        }
        reached += reach(tensor);
    }
    reached >= WORTH_A_LOOK && is_long(cost(op, inputs))
}

/// What an operation costs by its own estimate, where the size of its result depends on values all that it may read;
/// nothing where it refuses its inputs.
#[cold]
fn cost<'a>(op: &OpRef, inputs: impl Iterator<Item = &'a Tensor> + Clone) -> f64 {
    let specs: Specs = inputs.clone().map(Tensor::spec).collect();
    let known = Inputs::new(
        specs
            .iter()
            .zip(inputs.clone())
            .map(|(s, t)| (s, Some(t), None)),
    );
    match op.specs(&known) {
        Ok(outputs) if outputs.iter().all(|o| o.shape.is_static()) => op.flops(&known, &outputs),
        Ok(outputs) => op.flops(&known, &outputs).max(inputs.map(size).sum()),
        Err(_) => 0.0,
    }
}

/// The elements of the result of an elementwise operation.
#[inline]
pub(crate) fn broadcast_cost(a: &Tensor, b: &Tensor) -> f64 {
    if a.shape() == b.shape() {
        return size(a);
    }
    let (a, b) = (a.shape().dims(), b.shape().dims());
    let from_the_end = |dims: &[usize], i: usize| {
        let at = dims.len().checked_sub(i);
        at.map_or(1, |at| dims[at])
    };
    let larger = |i| from_the_end(a, i).max(from_the_end(b, i)) as f64;
    (1..=a.len().max(b.len())).map(larger).product()
}

/// The floating-point operations of a matrix product.
#[inline]
pub(crate) fn product_cost(a: &Tensor, b: &Tensor) -> f64 {
    let columns = b.shape().last().copied().unwrap_or(1);
    2.0 * size(a) * columns as f64
}

/// The elements of a tensor, the bytes of its text unless it has many, the places of a list.
#[inline]
pub(crate) fn size(tensor: &Tensor) -> f64 {
    match tensor.dtype() {
        DType::Variant => TensorList::find(tensor).map_or(1.0, |list| 10.0 * list.len() as f64),
        DType::String => {
            let strings = tensor.as_strings().unwrap_or_default();
            match strings.len() as f64 {
                n if is_long(n) => n,
                _ => strings.iter().map(|s| s.len() as f64).sum(),
            }
        }
        _ => tensor.n_elements() as f64,
    }
}

/// Whether to give a tensor back is long work: strings and elements of lists go one by one.
#[inline]
pub(crate) fn is_long_to_drop(tensor: &Tensor) -> bool {
    match tensor.dtype() {
        DType::String => tensor.n_elements() > MANY,
        DType::Variant => {
            TensorList::find(tensor).is_some_and(|list| list.len() > MANY && list.is_alone())
        }
        _ => false,
    }
}

/// How much a tensor may give to do: its size, and of a few numbers what they count, as sizes of a result do.
#[inline]
fn reach(tensor: &Tensor) -> f64 {
    if tensor.n_elements() > MOST_SIZES {
        return size(tensor);
    }
    let product = |numbers: &mut dyn Iterator<Item = f64>| numbers.filter(|&x| x > 1.0).product();
    match tensor.dtype() {
        DType::Int32 => product(
            &mut tensor
                .as_slice::<i32>()
                .unwrap_or_default()
                .iter()
                .map(|&x| x.into()),
        ),
        DType::Int64 => product(
            &mut tensor
                .as_slice::<i64>()
                .unwrap_or_default()
                .iter()
                .map(|&x| x as f64),
        ),
        DType::Float32 => product(
            &mut tensor
                .as_slice::<f32>()
                .unwrap_or_default()
                .iter()
                .map(|&x| x.into()),
        ),
        DType::Float64 => {
            product(&mut tensor.as_slice::<f64>().unwrap_or_default().iter().copied())
        }
        _ => size(tensor),
    }
}
