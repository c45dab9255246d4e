//! Places in streams: what is drawn there is made by operations that take a key and a counter.

use super::stream::{Drawing, Stream};
use ferrograph_graph::{Inputs, Lowered, Op, Specs, declare_family, of_family};
use ferrograph_tensor::{DType, Result, TensorSpec, bail};
use smallvec::smallvec;

declare_family! {
    trait EmitReservations;

    /// Sets aside `each` blocks of a stream for each number of a draw of shape `shape`: the key and the counter at which
    /// they begin.
    Reserve {
        /// The stream.
        stream: Stream,
    } (shape: T in index rank 1) -> (key: uint64, counter: uint64) {
        /// What draws: operations of one kind with equal seeds of their own go on in one stream.
        kind: String,
        /// Blocks for each number.
        each: i64,
        /// What the stream begins from; two zeros take a seed from the program's.
        seed: i64 = 0,
        /// The second part of that.
        seed2: i64 = 0,
        /// The second seed is the operation's, beside the program's at the time.
        shared: bool = false,
    };

    /// The key and the counter at which a draw of shape `shape` begins, with `each` blocks for each of its numbers.
    ReserveRandomBlocks: reserve_random_blocks, gradient Stops, effect World { stream: Stream::default() };
}

impl Op for Reserve {
    of_family!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        if self.each < 0 {
            bail!(
                InvalidArgument,
                "each must not be negative, got {}",
                self.each
            );
        }
        let vector = |n: usize| TensorSpec::new(DType::UInt64, (&[n][..]).into());
        Ok(smallvec![vector(1), vector(2)])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let drawing = Drawing {
            name: self.kind.clone().into(),
            seeds: (self.seed, self.seed2),
            shared: self.shared,
            own: self.stream.clone(),
        };
        let (each, wide) = (self.each.unsigned_abs(), inputs.dtype(0) == DType::Int64);
        Ok(Lowered::Kernel(Box::new(move |o| {
            let numbers = match wide {
                true => count(o.input::<i64>(0).iter().copied()),
                false => count(o.input::<i32>(0).iter().map(|&d| d.into())),
            }?;
            let stream = drawing.stream(DType::UInt64);
            let start = stream.reserve_blocks(numbers.saturating_mul(each));
            let (key, counter) = o.two_outputs::<u64, u64>();
            key.fill(start.key_word());
            counter.copy_from_slice(&start.counter_words());
            Ok(())
        })))
    }
}

/// The number of elements of a shape.
fn count(sizes: impl Iterator<Item = i64>) -> Result<u64> {
    let mut n = 1u64;
    for size in sizes {
        let Ok(size) = u64::try_from(size) else {
            bail!(Shape, "shape holds {size}, which is no size");
        };
        n = n.saturating_mul(size);
    }
    Ok(n)
}
