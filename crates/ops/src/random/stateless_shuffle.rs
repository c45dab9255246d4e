//! Random order by a key and a counter.

use super::draw::{keyed, keyed_by};
use super::shuffle::{n_slices, order_from, reordering, strings};
use ferrograph_graph::{Inputs, Lowered, Op, Runner, Tensors, declare, declared};
use ferrograph_tensor::{Result, Tensor, TensorSpec};
use smallvec::smallvec;

declare! {
    trait EmitStatelessShuffle;

    /// The slices of `value` along the first axis in the order that a key and counter decide.
    StatelessShuffle: stateless_shuffle(
        value: T in stored, key: uint64 rank 1, counter: uint64 rank 1, alg: int32 rank 0
    ) -> (output: T like value), gradient Stops;
}

impl Op for StatelessShuffle {
    declared!();
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        reordering(inputs, |o, n| order_from(keyed(o)?, n))
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let (key, counter) = (inputs[1].as_slice::<u64>()?, inputs[2].as_slice::<u64>()?);
        let state = keyed_by(key, counter, inputs[3].as_slice::<i32>()?)?;
        let order = order_from(state, n_slices(&inputs[0]))?;
        Ok(smallvec![strings(&inputs[0], order)?])
    }
}
