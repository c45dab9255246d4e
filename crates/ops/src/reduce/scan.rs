//! Running sums and products.

use super::axes::resolve;
use crate::emit::*;
use crate::movement::static_shape;
use crate::number::Number;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, VjpCall, declare_family, of_family,
};
use ferrograph_kernels::movement as k;
use ferrograph_tensor::{Element, Result, TensorSpec, bail, with_element};
use smallvec::smallvec;

declare_family! {
    trait EmitScans;

    /// The running sum or product along an axis.
    Scan {
        /// Multiplies; else adds.
        product: bool,
    } (x: T in numeric, axis: Tidx in index) -> (out: T) {
        /// Each element leaves itself out.
        exclusive: bool = false,
        /// Runs from the end.
        reverse: bool = false,
    };

    /// The running sum of `x` along `axis`.
    Cumsum: cumsum, gradient Vjp { product: false };
    /// The running product of `x` along `axis`.
    Cumprod: cumprod, gradient Vjp { product: true };
}

impl Op for Scan {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if let (Some(axis), Some(rank)) = (inputs.ints(1), inputs.shape(0).rank()) {
            for axis in axis {
                resolve(axis, rank)?;
            }
        }
        Ok(smallvec![inputs.spec(0).clone()])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let Some(axis) = inputs.ints(1) else {
            return Ok(Lowered::Eval);
        };
        let shape = static_shape(inputs.spec(0))?;
        let &[axis] = axis.as_slice() else {
            bail!(InvalidArgument, "axis must be a scalar");
        };
        let axis = resolve(axis, shape.rank())?;
        let scan = k::Scan {
            n: shape[axis],
            inner: shape[axis + 1..].iter().product(),
            exclusive: self.exclusive,
            reverse: self.reverse,
        };
        with_element!(inputs.dtype(0), numeric, T => Ok(Lowered::Kernel(if self.product {
            bind::<T>(scan, T::one(), Number::times)
        } else {
            bind::<T>(scan, T::default(), Number::plus)
        })), else => Ok(Lowered::Eval))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (x, axis, g) = (&call.inputs[0], &call.inputs[1], call.grad()?);
        let back = |e: &mut dyn Emitter, v| e.cumsum(v, axis, self.exclusive, !self.reverse);
        if !self.product {
            return Ok(smallvec![Some(back(e, g)?.into()), None]);
        }
        let y = e.conj(&call.outputs[0])?;
        let weighted = e.mul(&y, g)?;
        let sums = back(e, &weighted)?;
        let x = e.conj(x)?;
        let grad = if x.dtype().is_differentiable() {
            e.div_no_nan(&sums, &x)?
        } else {
            e.div(&sums, &x)?
        };
        Ok(smallvec![Some(grad.into()), None])
    }
}

fn bind<T: Element>(
    scan: k::Scan,
    start: T,
    combine: impl Fn(T, T) -> T + Send + Sync + 'static,
) -> Kernel {
    Box::new(move |o| {
        scan.run(o.input::<T>(0), start, &combine, o.output::<T>(0));
        Ok(())
    })
}
