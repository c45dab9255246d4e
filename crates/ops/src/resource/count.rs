//! Counting with a variable.

use super::VariableCell;
use crate::elementwise::add_now;
use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail};
use smallvec::smallvec;

declare! {
    trait EmitCounting;

    /// The value of the scalar variable `resource`, to which 1 is added; an error once it is `limit`.
    ResourceCountUpTo: resource_count_up_to(resource: resource) -> (output: T), gradient Stops, effect Writes {
        /// What it counts up to.
        limit: i64,
        /// The dtype of the variable: int32 or int64.
        dtype as "T": DType = DType::Int64,
    };
}

impl Op for ResourceCountUpTo {
    declared!();
    fn infer(&self, _inputs: &Inputs<'_>) -> Result<Specs> {
        if !matches!(self.dtype, DType::Int32 | DType::Int64) {
            bail!(
                Type,
                "only int32 and int64 variables count, this one is {}",
                self.dtype
            );
        }
        Ok(smallvec![TensorSpec::scalar(self.dtype)])
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let cell = VariableCell::of(&inputs[0])?;
        if cell.spec.dtype != self.dtype {
            bail!(
                Type,
                "the variable is {}, expected {}",
                cell.spec.dtype,
                self.dtype
            );
        }
        let before = std::cell::RefCell::new(None);
        cell.update(|old| {
            let (now, one) = match self.dtype {
                DType::Int32 => (i64::from(old.item::<i32>()?), Tensor::scalar(1i32)?),
                _ => (old.item::<i64>()?, Tensor::scalar(1i64)?),
            };
            if now >= self.limit {
                bail!(OutOfRange, "Reached limit of {}", self.limit);
            }
            before.replace(Some(old.clone()));
            add_now(runner, old, &one)
        })?;
        Ok(before.into_inner().into_iter().collect())
    }
}
