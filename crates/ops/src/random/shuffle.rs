//! Random order.

use super::stream::{Drawing, Stream};
use crate::movement::static_shape;
use ferrograph_graph::{Inputs, Lowered, Op, Runner, Tensors, declare_family, of_family};
use ferrograph_kernels::stop::breathe;
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, vec_for, vec_of};
use smallvec::smallvec;

declare_family! {
    trait EmitShuffle;

    /// The slices along the first axis in random order.
    Shuffle {
        /// Where the order comes from.
        stream: Stream,
    } (value: T in plain) -> (output: T like value) {
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
        let (dtype, shape) = (inputs.dtype(0), static_shape(inputs.spec(0))?);
        let n = shape.first().copied().unwrap_or(1);
        let row = shape.iter().skip(1).product::<usize>() * dtype.size();
        let drawing = self.drawing();
        Ok(Lowered::Kernel(Box::new(move |o| {
            let order = order(&drawing.stream(dtype), n)?;
            let x = o.input_bytes(0);
            if row > 0 {
                for (to, from) in o.output_bytes(0).chunks_exact_mut(row).zip(order) {
                    to.copy_from_slice(&x[from * row..][..row]);
                }
            }
            Ok(())
        })))
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let n = inputs[0].shape().first().copied().unwrap_or(1);
        Ok(smallvec![self.strings(&inputs[0], n)?])
    }
}

impl Shuffle {
    fn drawing(&self) -> Drawing {
        Drawing {
            name: "RandomShuffle",
            seeds: (self.seed, self.seed2),
            shared: self.shared,
            own: self.stream.clone(),
        }
    }

    fn strings(&self, x: &Tensor, n: usize) -> Result<Tensor> {
        let (all, row) = (x.as_strings()?, x.n_elements() / n.max(1));
        let mut shuffled = vec_for(all.len())?;
        for i in order(&self.drawing().stream(DType::String), n)? {
            shuffled.extend_from_slice(&all[i * row..(i + 1) * row]);
            breathe();
        }
        Tensor::from_strings(x.shape().clone(), shuffled)
    }
}

/// The numbers below `n` in random order: each place takes one of those that are left.
fn order(stream: &Stream, n: usize) -> Result<Vec<usize>> {
    let mut words = vec_of(0u32, n.saturating_sub(1))?;
    let state = stream.reserve_blocks(words.len().div_ceil(4) as u64);
    state.words(&mut words);
    let mut order = vec_for(n)?;
    order.extend(0..n);
    for (i, &word) in words.iter().enumerate() {
        order.swap(i, i + word as usize % (n - i));
    }
    Ok(order)
}
