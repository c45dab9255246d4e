//! Seeds, and the keys and counters made of them.

use ferrograph_graph::{
    Differentiability, Inputs, Kernel, Op, Operands, Registry, Specs, op_object,
};
use ferrograph_kernels::random::stateless_key_counter;
use ferrograph_tensor::{DType, PartialShape, Result, TensorSpec, bail};
use smallvec::smallvec;
use std::sync::Arc;

/// Checks that input `i` is a seed: two integers.
pub(super) fn check_seed(inputs: &Inputs<'_>, i: usize) -> Result<()> {
    if !matches!(
        inputs.dtype(i),
        DType::Int32 | DType::Int64 | DType::UInt32 | DType::UInt64
    ) {
        bail!(
            DType,
            "seed must be an int32 or int64 tensor, got {}",
            inputs.spec(i)
        );
    }
    let two: PartialShape = (&[2usize][..]).into();
    if !inputs.shape(i).is_compatible(&two) {
        bail!(Shape, "seed must have shape [2], not {}", inputs.shape(i));
    }
    Ok(())
}

/// The seed that input `i` holds.
pub(super) fn read_seed(o: &Operands<'_>, i: usize, dtype: DType) -> Result<[i64; 2]> {
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

/// The key and the counter that a seed is scrambled to.
#[derive(Debug)]
pub struct KeyCounter;

impl Op for KeyCounter {
    op_object!();
    fn name(&self) -> &'static str {
        "StatelessRandomGetKeyCounter"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        check_seed(inputs, 0)?;
        let vector = |n: usize| TensorSpec::new(DType::UInt64, (&[n][..]).into());
        Ok(smallvec![vector(1), vector(2)])
    }
    fn kernel(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let dtype = inputs.dtype(0);
        Ok(Some(Box::new(move |o| {
            let state = stateless_key_counter(read_seed(o, 0, dtype)?);
            let join = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
            let [a, b, c, d] = state.counter;
            let (key, counter) = o.two_outputs::<u64, u64>();
            key.fill(join(state.key[0], state.key[1]));
            counter.copy_from_slice(&[join(a, b), join(c, d)]);
            Ok(())
        })))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// The number of the generator to use: Philox.
#[derive(Debug)]
pub struct Algorithm;

impl Op for Algorithm {
    op_object!();
    fn name(&self) -> &'static str {
        "StatelessRandomGetAlg"
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(0)?;
        Ok(smallvec![TensorSpec::scalar(DType::Int32)])
    }
    fn kernel(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        Ok(Some(Box::new(|o| {
            o.output::<i32>(0).fill(1);
            Ok(())
        })))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

pub(super) fn register(r: &mut Registry) {
    r.add("StatelessRandomGetKeyCounter", |_| Ok(Arc::new(KeyCounter)));
    r.add("StatelessRandomGetAlg", |_| Ok(Arc::new(Algorithm)));
}
