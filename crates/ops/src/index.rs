//! Finding elements: by truth, by order.

use ferrograph_graph::{Inputs, Op, Runner, Specs, Tensors, declare, declared};
use ferrograph_kernels::movement::Truths;
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Tensor, TensorSpec, err, with_element};
use smallvec::smallvec;

declare! {
    trait EmitWhere;

    /// The coordinates of the true or nonzero elements of `input`, one a row.
    Where: where_true(input: T in dense) -> (index: int64), gradient Stops;
}

impl Op for Where {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = PartialShape::new(&[Dim::UNKNOWN, inputs.shape(0).rank().into()]);
        Ok(smallvec![TensorSpec::new(DType::Int64, shape)])
    }
    fn compute(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let t = &inputs[0];
        let truths = match t.dtype() {
            DType::Bool => Truths::of(t.as_slice()?),
            _ => with_element!(t.dtype(), dense, T => Truths::nonzero(t.as_slice::<T>()?),
                else => return Err(err!(DType, "condition must be bool or a number, got {}", t.spec()))),
        };
        let mut out = Tensor::empty(DType::Int64, [truths.count(), t.rank()].into())?;
        truths.coordinates(t.shape(), out.as_mut_slice()?);
        Ok(smallvec![out])
    }
}
