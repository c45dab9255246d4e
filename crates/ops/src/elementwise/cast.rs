//! Conversion between dtypes.

use super::float8;
use crate::emit::*;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Known, Lowered, Map, Op, Runner, ScalarCode, Specs, Tensors,
    VjpCall, declare, declared, evaluate,
};
use ferrograph_kernels::elementwise::{CastTo, cast};
use ferrograph_tensor::{
    DType, Element, PartialShape, Result, Tensor, TensorSpec, bail, with_element,
};
use smallvec::smallvec;

declare! {
    trait EmitCast;

    /// The nearest values of another dtype to those of `x`: integers wrap, floats are truncated to integers, complex
    /// numbers lose their imaginary part; floats of one byte are rounded once.
    Cast: cast_to(x: SrcT) -> (y: DstT), gradient Vjp, identity Casts, batch Broadcasts {
        /// The dtype to convert to.
        dtype as "DstT": DType,
    };

    /// The bytes of `input` under another dtype: a wider one takes the last axis in, a narrower one adds one.
    Bitcast: bitcast(input: T) -> (output: type), gradient Missing, batch Broadcasts {
        /// The dtype of the result.
        dtype as "type": DType,
    };
}

impl Op for Cast {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let from = inputs.dtype(0);
        if from != self.dtype && !(from.is_dense() && self.dtype.is_dense()) {
            bail!(
                Unimplemented,
                "Cast from {from} to {} is not supported",
                self.dtype
            );
        }
        Ok(smallvec![TensorSpec::new(
            self.dtype,
            inputs.shape(0).clone()
        )])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let from = inputs.dtype(0);
        if let Some(format) = from.float8() {
            let kernel = match self.dtype.float8() {
                Some(other) if other == format => return Ok(Lowered::Kernel(float8::same())),
                Some(other) => float8::to_bytes(DType::Float32, other),
                None => f32::to(self.dtype),
            };
            let kernel = kernel.map(|k| float8::from_bytes(format, self.dtype, &k));
            return Ok(Lowered::kernel_or_eval(kernel.transpose()?));
        }
        if let Some(format) = self.dtype.float8() {
            return Ok(Lowered::kernel_or_eval(float8::to_bytes(from, format)));
        }
        let kernel = with_element!(from, dense, T => cast_from::<T>(self.dtype), else => None);
        Ok(kernel.map_or(Lowered::Eval, |kernel| {
            Lowered::Map(Map {
                code: ScalarCode::Cast,
                kernel,
            })
        }))
    }
    fn eval(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        match inputs {
            [x] if x.dtype() == self.dtype => Ok(smallvec![x.clone()]),
            _ => evaluate(self, runner, inputs),
        }
    }
    fn compute(&self, runner: &dyn Runner, inputs: &[Tensor]) -> Result<Tensors> {
        float8::by_floats(self.dtype, runner, &inputs[0])
    }
    fn known(&self, inputs: &Inputs<'_>) -> Option<Known> {
        if !matches!(self.dtype, DType::Int32 | DType::Int64) || !inputs.dtype(0).is_integer() {
            return None;
        }
        let small = self.dtype == DType::Int32;
        let fits = |x: &i64| !small || i32::try_from(*x).is_ok();
        Some(inputs.known(0)?.iter().map(|x| x.filter(fits)).collect())
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let from = call.inputs[0].dtype();
        if !from.is_differentiable() || !self.dtype.is_differentiable() {
            return Ok(smallvec![None]);
        }
        Ok(smallvec![Some(e.cast(call.grad()?, from)?.into())])
    }
}

trait CastToAll: Element {
    fn to(dtype: DType) -> Option<Kernel>;
}

fn cast_from<T: CastToAll>(dtype: DType) -> Option<Kernel> {
    T::to(dtype)
}

macro_rules! casts {
    ($($t:ty)*) => {$(
        impl CastToAll for $t {
            fn to(dtype: DType) -> Option<Kernel> {
                with_element!(dtype, dense, U => Some(kernel::<$t, U>()), else => None)
            }
        }
    )*};
}
casts!(bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
casts!(ferrograph_tensor::f16 ferrograph_tensor::bf16 ferrograph_tensor::Complex32 ferrograph_tensor::Complex64);

fn kernel<T: Element + CastTo<U>, U: Element>() -> Kernel {
    Box::new(|o| {
        cast::<T, U>(o.input(0), o.output(0));
        Ok(())
    })
}

impl Op for Bitcast {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let (from, to) = (inputs.dtype(0), self.dtype);
        if !from.is_numeric() || !to.is_numeric() {
            bail!(DType, "Cannot bitcast from {from} to {to}");
        }
        let shape = recast_shape(inputs.shape(0), from, to)?;
        Ok(smallvec![TensorSpec::new(to, shape)])
    }
    fn lower(&self, _inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        Ok(Lowered::Kernel(Box::new(|o| {
            let bytes = o.input_bytes(0);
            o.output_bytes(0).copy_from_slice(bytes);
            Ok(())
        })))
    }
}

fn recast_shape(shape: &PartialShape, from: DType, to: DType) -> Result<PartialShape> {
    let (have, want) = (from.size(), to.size());
    let Some(dims) = shape.dims().filter(|_| have != want) else {
        return Ok(shape.clone());
    };
    if have > want {
        let inner = ferrograph_tensor::Dim::new(have / want);
        return Ok(dims.iter().copied().chain([inner]).collect());
    }
    match dims.split_last() {
        Some((last, rest)) if last.known().is_none_or(|n| n == want / have) => {
            Ok(PartialShape::new(rest))
        }
        _ => bail!(
            Shape,
            "Cannot bitcast from {from} to {to} with shape {shape}: the last dimension must be {}",
            want / have
        ),
    }
}
