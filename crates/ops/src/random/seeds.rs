//! Seeds for what draws elsewhere, such as datasets.

use super::{global, iteration};
use ferrograph_graph::{Inputs, Lowered, Op, declare, declared};
use ferrograph_tensor::{Result, TensorSpec};

declare! {
    trait EmitSeeds;

    /// The program's seed and one for an operation, as an operation with that seed of its own, or without one, would
    /// have them; two zeros where neither has one.
    OperationSeeds: operation_seeds() -> (seed: int64 rank 0, seed2: int64 rank 0), gradient Stops, effect World {
        /// The operation's own seed.
        own: i64 = 0,
        /// Whether it has one.
        given: bool = false,
    };
}

impl Op for OperationSeeds {
    declared!();
    fn lower(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let own = self.given.then_some(self.own);
        Ok(Lowered::Kernel(Box::new(move |o| {
            let seeds = match own {
                None if iteration::is_applying() => global::numbered(0),
                own => global::seeds(own),
            };
            let (first, second) = seeds.unwrap_or((0, 0));
            let (seed, seed2) = o.two_outputs::<i64, i64>();
            seed.fill(first);
            seed2.fill(second);
            Ok(())
        })))
    }
}
