//! Tensors filled like another, and checks of values.

use ferrograph_graph::{
    Attr, Attrs, Differentiability, Effect, Emitter, Grads, Inputs, Kernel, Known, Op, Registry,
    Runner, Specs, Tensors, VjpCall, evaluate, op_object,
};
use ferrograph_tensor::{
    Complex32, Complex64, DType, Result, Tensor, TensorSpec, bail, with_element,
};
use num_traits::One;
use smallvec::smallvec;
use std::sync::Arc;

/// Zeros or ones of the dtype and shape of the operand.
#[derive(Debug)]
pub struct FillLike {
    /// Ones; else zeros.
    pub ones: bool,
}

impl Op for FillLike {
    op_object!();
    fn name(&self) -> &'static str {
        if self.ones { "OnesLike" } else { "ZerosLike" }
    }
    fn node_name(&self) -> &'static str {
        if self.ones { "ones_like" } else { "zeros_like" }
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        let dtype = inputs.dtype(0);
        let has_zeros = dtype.is_dense() || matches!(dtype, DType::String | DType::Variant);
        if !has_zeros || (self.ones && !dtype.is_dense()) {
            bail!(DType, "{} is not defined for {dtype} tensors", self.name());
        }
        Ok(smallvec![inputs.spec(0).clone()])
    }
    fn kernel(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        if !inputs.dtype(0).is_dense() {
            return Ok(None);
        }
        if !self.ones {
            return Ok(Some(Box::new(|o| {
                o.output_bytes(0).fill(0);
                Ok(())
            })));
        }
        let dtype = inputs.dtype(0);
        if dtype == DType::Bool {
            return Ok(Some(Box::new(|o| {
                o.output::<bool>(0).fill(true);
                Ok(())
            })));
        }
        Ok(with_element!(dtype, numeric, T => Some(Box::new(|o| {
            o.output::<T>(0).fill(T::one());
            Ok(())
        })), else => None))
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        match inputs {
            [x] if !self.ones && x.dtype() == DType::Variant => {
                Ok(smallvec![crate::tensor_list::zeros_like_list(x)?])
            }
            [x] if !self.ones && x.dtype() != DType::Resource => {
                Ok(smallvec![Tensor::zeros(x.dtype(), x.shape().clone())?])
            }
            _ => evaluate(self, inputs),
        }
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        let (dtype, shape) = (inputs.dtype(0), inputs.shape(0));
        let n = shape.n_elements().filter(|&n| n <= 64)?;
        let usable = dtype.is_integer() && shape.rank().is_some_and(|r| r <= 1);
        usable.then(|| (0..n).map(|_| Some(i64::from(self.ones))).collect())
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Stops
    }
}

/// Its input; NaN and infinity in it are an error.
#[derive(Debug)]
pub struct CheckNumerics {
    /// What the error says first.
    pub message: String,
}

trait Part: Copy {
    fn nan(self) -> bool;
    fn finite(self) -> bool;
}

macro_rules! part {
    ($($t:ty)*) => {$(
        impl Part for $t {
            fn nan(self) -> bool {
                self.is_nan()
            }
            fn finite(self) -> bool {
                self.is_finite()
            }
        }
    )*};
}
part!(f32 f64 ferrograph_tensor::f16 ferrograph_tensor::bf16 Complex32 Complex64);

fn fault<T: Part>(x: &[T]) -> Option<&'static str> {
    if x.iter().all(|v| v.finite()) {
        return None;
    }
    let (nan, inf) = x.iter().fold((false, false), |(nan, inf), v| {
        (nan || v.nan(), inf || !(v.finite() || v.nan()))
    });
    Some(match (nan, inf) {
        (true, true) => "Inf and NaN",
        (true, false) => "NaN",
        _ => "Inf",
    })
}

impl Op for CheckNumerics {
    op_object!();
    fn name(&self) -> &'static str {
        "CheckNumerics"
    }
    fn attrs(&self) -> Attrs {
        Attrs::new().with("message", Attr::str(&self.message))
    }
    fn effect(&self) -> Effect {
        Effect::World
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        let dtype = inputs.dtype(0);
        if !dtype.is_differentiable() {
            bail!(DType, "CheckNumerics is not defined for {dtype} tensors");
        }
        Ok(smallvec![inputs.spec(0).clone()])
    }
    fn eval(&self, _runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        let [x] = inputs else {
            return evaluate(self, inputs);
        };
        let fault = with_element!(x.dtype(), inexact, T => fault(x.as_slice::<T>()?),
            else => return evaluate(self, inputs));
        if let Some(fault) = fault {
            bail!(
                InvalidArgument,
                "{} : Tensor had {fault} values",
                self.message
            );
        }
        Ok(smallvec![x.clone()])
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, _e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        Ok(smallvec![Some(call.grad()?.clone().into())])
    }
}

pub(crate) fn register(r: &mut Registry) {
    r.add("ZerosLike", |_| Ok(Arc::new(FillLike { ones: false })));
    r.add("OnesLike", |_| Ok(Arc::new(FillLike { ones: true })));
    r.add("CheckNumerics", |a| {
        Ok(Arc::new(CheckNumerics {
            message: a.str("message")?,
        }))
    });
}
