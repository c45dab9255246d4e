//! Running sums, products and sums of exponentials.

use super::axes::resolve;
use crate::args::expect_one;
use crate::emit::*;
use crate::movement::static_shape;
use crate::number::Number;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, Val, VjpCall, declare_family, of_family,
};
use ferrograph_kernels::movement as k;
use ferrograph_tensor::{Element, Result, TensorSpec, bail, with_element};
use num_traits::AsPrimitive;
use smallvec::smallvec;

declare_family! {
    trait EmitScans;

    /// The running combination along an axis.
    Scan {
        /// How elements combine.
        combine: Combine,
    } (x: T in numeric, axis: Tidx in index) -> (out: T) {
        /// Each element leaves itself out.
        exclusive: bool = false,
        /// Runs from the end.
        reverse: bool = false,
    };

    /// The running sum of `x` along `axis`.
    Cumsum: cumsum, gradient Vjp, batch Axes(1) { combine: Combine::Sum };
    /// The running product of `x` along `axis`.
    Cumprod: cumprod, gradient Vjp, batch Axes(1) { combine: Combine::Product };
    /// `log(cumsum(exp(x)))` along `axis`, without overflow.
    CumulativeLogsumexp: cumulative_logsumexp, gradient Vjp, batch Axes(1) { combine: Combine::LogSumExp };
}

/// How a scan combines elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combine {
    /// `a + b`.
    Sum,
    /// `a * b`.
    Product,
    /// `log(exp(a) + exp(b))`.
    LogSumExp,
}

impl Op for Scan {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if self.combine == Combine::LogSumExp && !inputs.dtype(0).is_floating() {
            bail!(
                DType,
                "x must be a floating point tensor, got {}",
                inputs.spec(0)
            );
        }
        expect_one(inputs, 1, "axis")?;
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
        if self.combine == Combine::LogSumExp {
            return with_element!(inputs.dtype(0), floating, T => Ok(Lowered::Kernel(bind::<T>(
                scan,
                f64::NEG_INFINITY.as_(),
                |a, b| log_add(a.as_(), b.as_()).as_(),
            ))), else => Ok(Lowered::Eval));
        }
        let product = self.combine == Combine::Product;
        with_element!(inputs.dtype(0), numeric, T => Ok(Lowered::Kernel(if product {
            bind::<T>(scan, T::one(), Number::times)
        } else {
            bind::<T>(scan, T::default(), Number::plus)
        })), else => Ok(Lowered::Eval))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (x, axis, g) = (&call.inputs[0], &call.inputs[1], call.grad()?);
        let back = |e: &mut dyn Emitter, v| e.cumsum(v, axis, self.exclusive, !self.reverse);
        match self.combine {
            Combine::Sum => return Ok(smallvec![Some(back(e, g)?.into()), None]),
            Combine::LogSumExp => {
                let minus = e.neg(g)?;
                let (up, down) = (self.share(e, call, g)?, self.share(e, call, &minus)?);
                return Ok(smallvec![Some(e.sub(&up, &down)?.into()), None]);
            }
            Combine::Product => {}
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

impl Scan {
    /// What the positive part of `grad` gives each element of a running sum of exponentials: the sum of
    /// `grad exp(x - y)` over the results that it is in, computed in logarithms.
    fn share(&self, e: &mut dyn Emitter, call: &VjpCall<'_>, grad: &Val) -> Result<Val> {
        let (x, axis, y) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let zero = e.scalar(0.0, x.dtype())?;
        let one = e.scalar(1.0, x.dtype())?;
        let nothing = e.scalar(f64::NEG_INFINITY, x.dtype())?;
        let positive = e.greater(grad, &zero)?;
        let safe = e.select(&positive, grad, &one)?;
        let log = e.log(&safe)?;
        let log = e.sub(&log, y)?;
        let log = e.select(&positive, &log, &nothing)?;
        let sums = e.cumulative_logsumexp(&log, axis, self.exclusive, !self.reverse)?;
        let share = e.add(&sums, x)?;
        e.exp(&share)
    }
}

/// `log(exp(a) + exp(b))`
fn log_add(a: f64, b: f64) -> f64 {
    if a == b {
        return a + std::f64::consts::LN_2;
    }
    a.max(b) + (-(a - b).abs()).exp().ln_1p()
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
