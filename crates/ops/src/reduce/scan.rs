//! Running sums and products.

use super::axes::{expect_axes, resolve};
use crate::emit::*;
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Emitter, Grads, Inputs, Kernel, Op, OpRef,
    Registry, Specs, VjpCall, op_object,
};
use ferrograph_kernels::elementwise::{Add, Binary, Mul};
use ferrograph_kernels::pool;
use ferrograph_tensor::{Element, Result, TensorSpec, bail, with_element};
use num_traits::{One, Zero};
use smallvec::smallvec;
use std::sync::Arc;

/// The running sum or product along an axis.
#[derive(Debug)]
pub struct Scan {
    /// Multiplies; else adds.
    pub product: bool,
    /// Each element leaves itself out.
    pub exclusive: bool,
    /// Runs from the end.
    pub reverse: bool,
}

impl Op for Scan {
    op_object!();
    fn name(&self) -> &'static str {
        if self.product { "Cumprod" } else { "Cumsum" }
    }
    fn attrs(&self) -> Attrs {
        Attrs::new()
            .with("exclusive", Attr::Bool(self.exclusive))
            .with("reverse", Attr::Bool(self.reverse))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        if !inputs.dtype(0).is_numeric() {
            bail!(
                DType,
                "{} is not defined for {} tensors",
                self.name(),
                inputs.dtype(0)
            );
        }
        expect_axes(inputs, 1)?;
        if let (Some(axis), Some(rank)) = (inputs.ints(1), inputs.shape(0).rank()) {
            for axis in axis {
                resolve(axis, rank)?;
            }
        }
        Ok(smallvec![inputs.spec(0).clone()])
    }
    fn kernel(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let (Some(axis), Some(shape)) = (inputs.ints(1), inputs.shape(0).to_static()) else {
            return Ok(None);
        };
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
        Ok(
            with_element!(inputs.dtype(0), numeric, T => Some(if self.product {
                bind::<T>(plan, T::one(), &Binary::of::<Mul>())
            } else {
                bind::<T>(plan, T::zero(), &Binary::of::<Add>())
            }), else => None),
        )
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (x, axis, g) = (&call.inputs[0], &call.inputs[1], call.grad()?);
        let back = |e: &mut dyn Emitter, v| {
            let attrs = vec![
                ("exclusive", Attr::Bool(self.exclusive)),
                ("reverse", Attr::Bool(!self.reverse)),
            ];
            e.op("Cumsum", &[v, axis], attrs)
        };
        if !self.product {
            return Ok(smallvec![Some(back(e, g)?.into()), None]);
        }
        let y = e.conj(&call.outputs[0])?;
        let weighted = e.mul(&y, g)?;
        let sums = back(e, &weighted)?;
        let x = e.conj(x)?;
        let grad = if x.dtype().is_differentiable() {
            e.op("DivNoNan", &[&sums, &x], vec![])?
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

fn make(product: bool, a: &AttrReader<'_>) -> Result<OpRef> {
    Ok(Arc::new(Scan {
        product,
        exclusive: a.bool_or("exclusive", false)?,
        reverse: a.bool_or("reverse", false)?,
    }))
}

pub(crate) fn register(r: &mut Registry) {
    r.add("Cumsum", |a| make(false, a));
    r.add("Cumprod", |a| make(true, a));
}
