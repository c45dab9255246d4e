//! Random order.

use super::stream::{Drawing, Stream};
use crate::movement::static_shape;
use ferrograph_graph::{Inputs, Lowered, Op, Operands, Runner, Tensors, declare_family, of_family};
use ferrograph_kernels::random::PhiloxState;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, vec_for, vec_of};
use smallvec::smallvec;

declare_family! {
    trait EmitShuffle;

    /// The slices along the first axis in random order.
    Shuffle {
        /// Where the order comes from.
        stream: Stream,
    } (value: T in stored) -> (output: T like value) {
        /// What the stream begins from; two zeros begin anywhere.
        seed: i64 = 0,
        /// The second part of that.
        seed2: i64 = 0,
        /// The second seed is the operation's, beside the program's at the time.
        shared: bool = false,
    };

    /// The slices of `value` along the first axis in random order.
    RandomShuffle: random_shuffle, gradient Stops, effect World { stream: Stream::default() };
}

impl Op for Shuffle {
    of_family!();
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let (dtype, drawing) = (inputs.dtype(0), self.drawing());
        reordering(inputs, move |_, n| order(&drawing.stream(dtype), n))
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let stream = self.drawing().stream(DType::String);
        Ok(smallvec![strings(
            &inputs[0],
            order(&stream, n_slices(&inputs[0]))?
        )?])
    }
}

/// How many slices there are along the first axis.
pub(super) fn n_slices(x: &Tensor) -> usize {
    x.shape().first().copied().unwrap_or(1)
}

/// The kernel that puts the slices of input 0 in the order that is found for their number.
pub(super) fn reordering(
    inputs: &Inputs<'_>,
    order: impl Fn(&Operands<'_>, usize) -> Result<Vec<usize>> + Send + Sync + 'static,
) -> Result<Lowered> {
    let (dtype, shape) = (inputs.dtype(0), static_shape(inputs.spec(0))?);
    let n = shape.first().copied().unwrap_or(1);
    let row = shape.iter().skip(1).product::<usize>() * dtype.size();
    Ok(Lowered::Kernel(Box::new(move |o| {
        let order = order(o, n)?;
        let x = o.input_bytes(0);
        if row > 0 {
            for (to, from) in o.output_bytes(0).chunks_exact_mut(row).zip(order) {
                to.copy_from_slice(&x[from * row..][..row]);
            }
        }
        Ok(())
    })))
}

/// The slices of strings in that order.
pub(super) fn strings(x: &Tensor, order: Vec<usize>) -> Result<Tensor> {
    let (all, row) = (x.as_strings()?, x.n_elements() / order.len().max(1));
    let mut shuffled = vec_for(all.len())?;
    for i in order {
        shuffled.extend_from_slice(&all[i * row..(i + 1) * row]);
        poll_cancellation();
    }
    Tensor::from_strings(x.shape().clone(), shuffled)
}

impl Shuffle {
    fn drawing(&self) -> Drawing {
        Drawing {
            name: "RandomShuffle".into(),
            seeds: (self.seed, self.seed2),
            shared: self.shared,
            own: self.stream.clone(),
        }
    }
}

/// The numbers below `n` in random order, by the next words of a stream.
fn order(stream: &Stream, n: usize) -> Result<Vec<usize>> {
    order_from(
        stream.reserve_blocks(n.saturating_sub(1).div_ceil(4) as u64),
        n,
    )
}

/// The numbers below `n` in random order: each place takes one of those that are left.
pub(super) fn order_from(state: PhiloxState, n: usize) -> Result<Vec<usize>> {
    let mut words = vec_of(0u32, n.saturating_sub(1))?;
    state.words(&mut words);
    let mut order = vec_for(n)?;
    order.extend(0..n);
    for (i, &word) in words.iter().enumerate() {
        order.swap(i, i + word as usize % (n - i));
    }
    Ok(order)
}
