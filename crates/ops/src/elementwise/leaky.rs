//! The rectifier that lets a little through.

use crate::emit::*;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Map, Op, ScalarCode, VjpCall, declare, declared,
};
use ferrograph_kernels::elementwise as k;
use ferrograph_kernels::elementwise::{Binary as Of, BinaryOp};
use ferrograph_kernels::pool;
use ferrograph_tensor::{Element, Result, TensorSpec, with_element};
use num_traits::AsPrimitive;
use smallvec::smallvec;

declare! {
    trait EmitSloped;

    /// `features` where positive, else `features` times a slope.
    LeakyRelu: leaky_relu(features: T in floating) -> (activations: T like features), gradient Vjp, batch Broadcasts {
        /// The slope of the negative half.
        alpha: f64 = 0.2,
    };
}

impl Op for LeakyRelu {
    declared!();
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        with_element!(inputs.dtype(0), floating, T => Ok(Lowered::Map(Map {
            code: ScalarCode::Opaque,
            kernel: leaky::<T>(self.alpha),
        })), else => Ok(Lowered::Eval))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (x, g) = (&call.inputs[0], call.grad()?);
        let below = e.scale(g, self.alpha)?;
        let zero = e.scalar(0.0, x.dtype())?;
        let positive = e.greater(x, &zero)?;
        // Where `x` is positive this is `g`; by `x` it has a gradient, of zeros.
        let above = e.relu_grad(g, x)?;
        Ok(smallvec![Some(e.select(&positive, &above, &below)?.into())])
    }
}

fn leaky<T: Element>(alpha: f64) -> Kernel
where
    f64: AsPrimitive<T>,
    k::LeakyRelu: BinaryOp<T, Out = T>,
{
    let (loops, slope) = (Of::<T, T>::of::<k::LeakyRelu>(), alpha.as_());
    Box::new(move |o| {
        let x = o.input::<T>(0);
        pool::par_chunks_mut(o.output::<T>(0), loops.cost_ns, |at, out| {
            (loops.vec_scalar)(&x[at..at + out.len()], slope, out);
        });
        Ok(())
    })
}
