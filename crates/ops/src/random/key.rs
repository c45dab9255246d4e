//! Seeds, and the keys and counters made of them.

use ferrograph_graph::{Inputs, Lowered, Op, Operands, Specs, declare, declared};
use ferrograph_kernels::random::stateless_key_counter;
use ferrograph_tensor::{DType, PartialShape, Result, TensorSpec, bail};
use smallvec::smallvec;

declare! {
    trait EmitKeys;

    /// The key and the counter that `seed` is scrambled to.
    StatelessRandomGetKeyCounter: key_counter(seed: Tseed in seed)
        -> (key: uint64, counter: uint64), gradient Stops;

    /// The number of the generator to use: Philox.
    StatelessRandomGetAlg: random_algorithm() -> (alg: int32 rank 0), gradient Stops;
}

/// Checks that input `i`, a seed, may be two integers.
///
/// # Errors
/// `Shape` where it may not.
pub fn check_seed(inputs: &Inputs<'_>, i: usize) -> Result<()> {
    let two: PartialShape = (&[2usize][..]).into();
    if !inputs.shape(i).is_compatible(&two) {
        bail!(Shape, "seed must have shape [2], not {}", inputs.shape(i));
    }
    Ok(())
}

/// The seed that input `i` holds.
///
/// # Errors
/// `Shape` where it holds another number of integers.
pub fn read_seed(o: &Operands<'_>, i: usize, dtype: DType) -> Result<[i64; 2]> {
    let seed = match dtype {
        DType::Int32 => pair(o.input::<i32>(i)).map(|s| s.map(i64::from)),
        DType::UInt32 => pair(o.input::<u32>(i)).map(|s| s.map(i64::from)),
        DType::UInt64 => pair(o.input::<u64>(i)).map(|s| s.map(u64::cast_signed)),
        _ => pair(o.input::<i64>(i)),
    };
    match seed {
        Some(seed) => Ok(seed),
        None => bail!(Shape, "seed must have shape [2]"),
    }
}

fn pair<T: Copy>(x: &[T]) -> Option<[T; 2]> {
    x.try_into().ok()
}

impl Op for StatelessRandomGetKeyCounter {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check_seed(inputs, 0)?;
        let vector = |n: usize| TensorSpec::new(DType::UInt64, (&[n][..]).into());
        Ok(smallvec![vector(1), vector(2)])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let dtype = inputs.dtype(0);
        Ok(Lowered::Kernel(Box::new(move |o| {
            let state = stateless_key_counter(read_seed(o, 0, dtype)?);
            let (key, counter) = o.two_outputs::<u64, u64>();
            key.fill(state.key_word());
            counter.copy_from_slice(&state.counter_words());
            Ok(())
        })))
    }
}

impl Op for StatelessRandomGetAlg {
    declared!();
    fn lower(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        Ok(Lowered::Kernel(Box::new(|o| {
            o.output::<i32>(0).fill(1);
            Ok(())
        })))
    }
}
