//! The incomplete beta function.

use crate::emit::*;
use crate::function::beta::betainc;
use crate::kernel::{infer, lower};
use ferrograph_graph::{Emitter, Grads, Inputs, Lowered, Op, Specs, VjpCall, declare, declared};
use ferrograph_tensor::{DType, Result, TensorSpec};
use smallvec::smallvec;

declare! {
    trait EmitThree;

    /// The regularised incomplete beta function `I_x(a, b)`; the shapes broadcast. No gradient flows to the parameters.
    Betainc: betainc(a: T in float_parts, b: T, x: T) -> (z: T), gradient Vjp, batch Broadcasts;
}

impl Op for Betainc {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        infer(inputs, 3)
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        lower(|[a, b, x]| betainc(a, b, x), inputs, outputs)
    }
    /// `x^(a-1) (1-x)^(b-1) / B(a, b)`, in double precision: the parts of its logarithm cancel.
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [a, b, x] = call.all()?;
        let wide = DType::Float64;
        let (p, q, at) = (e.cast(a, wide)?, e.cast(b, wide)?, e.cast(x, wide)?);
        let one = e.scalar(1.0, wide)?;
        let (less_p, less_q) = (e.sub(&p, &one)?, e.sub(&q, &one)?);
        let minus = e.neg(&at)?;
        let log = e.xlogy(&less_p, &at)?;
        let other = e.xlog1py(&less_q, &minus)?;
        let mut log = e.add(&log, &other)?;
        let sum = e.add(&p, &q)?;
        let total = e.lgamma(&sum)?;
        log = e.add(&log, &total)?;
        for parameter in [&p, &q] {
            let part = e.lgamma(parameter)?;
            log = e.sub(&log, &part)?;
        }
        let density = e.exp(&log)?;
        let density = e.cast(&density, x.dtype())?;
        let grad = e.mul_no_nan(&density, call.grad()?)?;
        let grad = e.unbroadcast(&grad, x, &call.outputs[0])?;
        Ok(smallvec![None, None, Some(grad.into())])
    }
}
