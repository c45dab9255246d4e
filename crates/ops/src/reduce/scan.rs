//! Running sums and products.

use super::axes::resolve;
use crate::emit::*;
use crate::movement::static_shape;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, VjpCall, declare_family, of_family,
};
use ferrograph_kernels::elementwise::{Add, Binary, Mul};
use ferrograph_kernels::pool;
use ferrograph_tensor::{Element, Result, TensorSpec, bail, with_element};
use num_traits::{One, Zero};
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
        let plan = Plan {
            n: shape[axis],
            inner: shape[axis + 1..].iter().product(),
            exclusive: self.exclusive,
            reverse: self.reverse,
        };
        with_element!(inputs.dtype(0), numeric, T => Ok(Lowered::Kernel(if self.product {
            bind::<T>(plan, T::one(), &Binary::of::<Mul>())
        } else {
            bind::<T>(plan, T::zero(), &Binary::of::<Add>())
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

struct Plan {
    n: usize,
    inner: usize,
    exclusive: bool,
    reverse: bool,
}

fn bind<T: Element>(plan: Plan, start: T, merge: &Binary<T, T>) -> Kernel {
    let (slab, merge) = (plan.n * plan.inner, merge.vec_vec);
    Box::new(move |o| {
        let x = o.input::<T>(0);
        #[allow(clippy::cast_precision_loss)]
        let cost = slab as f64;
        pool::par_rows_mut(o.output::<T>(0), slab, cost, |first, out| {
            for (i, out) in out.chunks_exact_mut(slab).enumerate() {
                scan(&plan, start, merge, &x[(first + i) * slab..][..slab], out);
            }
        });
        Ok(())
    })
}

/// Scans one slab of `n` rows of `inner` elements, row by row.
fn scan<T: Copy>(plan: &Plan, start: T, merge: fn(&[T], &[T], &mut [T]), x: &[T], out: &mut [T]) {
    let inner = plan.inner;
    let mut total = vec![start; inner];
    let mut next = total.clone();
    for step in 0..plan.n {
        let row = if plan.reverse {
            plan.n - 1 - step
        } else {
            step
        };
        let at = row * inner..(row + 1) * inner;
        merge(&total, &x[at.clone()], &mut next);
        let written = if plan.exclusive { &total } else { &next };
        out[at].copy_from_slice(written);
        std::mem::swap(&mut total, &mut next);
    }
}
