//! Tensors filled like another.

use ferrograph_graph::{
    Inputs, Kernel, Known, Lowered, Op, Runner, Specs, Tensors, declare_family, evaluate, of_family,
};
use ferrograph_tensor::{DType, Result, Tensor, TensorSpec, bail, with_element};
use num_traits::One;
use smallvec::smallvec;

declare_family! {
    trait EmitLikes;

    /// One number everywhere.
    FillLike {
        /// Ones; else zeros.
        ones: bool,
    } (x: T) -> (y: T) {};

    /// Zeros of the dtype and shape of `x`.
    ZerosLike as "zeros_like": zeros_like, gradient Stops, identity OfShape, batch Broadcasts { ones: false };
    /// Ones of the dtype and shape of `x`.
    OnesLike as "ones_like": ones_like, gradient Stops, identity OfShape, batch Broadcasts { ones: true };
}

fn ones(dtype: DType) -> Option<Kernel> {
    if dtype == DType::Bool {
        return Some(Box::new(|o| {
            o.output::<bool>(0).fill(true);
            Ok(())
        }));
    }
    if let Some(format) = dtype.float8() {
        return Some(Box::new(move |o| {
            o.output_bytes(0).fill(format.encode(1.0));
            Ok(())
        }));
    }
    with_element!(dtype, numeric, T => Some(Box::new(|o| {
        o.output::<T>(0).fill(T::one());
        Ok(())
    })), else => None)
}

impl Op for FillLike {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let dtype = inputs.dtype(0);
        let has_zeros = dtype.is_dense() || matches!(dtype, DType::String | DType::Variant);
        if !has_zeros || (self.ones && !dtype.is_dense()) {
            bail!(DType, "{} is not defined for {dtype} tensors", self.name());
        }
        Ok(smallvec![inputs.spec(0).clone()])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        if self.ones {
            return Ok(Lowered::kernel_or_eval(ones(inputs.dtype(0))));
        }
        Ok(Lowered::Kernel(Box::new(|o| {
            o.output_bytes(0).fill(0);
            Ok(())
        })))
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        match inputs {
            [x] if !self.ones && x.dtype() == DType::Variant => {
                Ok(smallvec![crate::variant::zeros_like(x)?])
            }
            [x] if !self.ones && x.dtype() != DType::Resource => {
                Ok(smallvec![Tensor::zeros(x.dtype(), x.shape().clone())?])
            }
            _ => evaluate(self, runner, inputs),
        }
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let (dtype, shape) = (inputs.dtype(0), inputs.shape(0));
        let n = shape.n_elements().filter(|&n| n <= 64)?;
        dtype
            .is_integer()
            .then(|| (0..n).map(|_| Some(i64::from(self.ones))).collect())
    }
}
