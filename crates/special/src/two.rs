//! Special functions of two numbers: the incomplete gamma functions and their derivatives by the parameter.

use crate::emit::*;
use crate::function::gamma;
use crate::kernel::{Function, infer, lower};
use ferrograph_graph::{
    Emitter, Grads, Inputs, Lowered, Op, Specs, Val, VjpCall, declare_family, of_family,
};
use ferrograph_tensor::{DType, Result, TensorSpec};

/// Derivatives of a function, from its parameter and argument.
type Slope = fn(&mut dyn Emitter, &Val, &Val) -> Result<Val>;

declare_family! {
    trait EmitTwo;

    /// A special function of a parameter and an argument, element by element; their shapes broadcast.
    Two {
        /// The function.
        function: Function<2>,
        /// Its derivatives by both; none by the parameter where no formula is known.
        slopes: (Option<Slope>, Slope),
    } (a: T in floating, x: T) -> (z: T) {};

    /// The regularised lower incomplete gamma function `P(a, x)`.
    Igamma: igamma, gradient Vjp, batch Broadcasts {
        function: |[a, x]| gamma::igamma(a, x),
        slopes: (Some(|e, a, x| e.igamma_grad_a(a, x)), density)
    };
    /// The regularised upper incomplete gamma function `Q(a, x)`.
    Igammac: igammac, gradient Vjp, batch Broadcasts {
        function: |[a, x]| gamma::igammac(a, x),
        slopes: (Some(minus_grad_a), minus_density)
    };
    /// The derivative of `P(a, x)` by `a`.
    IgammaGradA: igamma_grad_a, gradient Vjp, batch Broadcasts {
        function: |[a, x]| gamma::igamma_grad_a(a, x),
        slopes: (Some(|e, a, x| e.igamma_grad_aa(a, x)), density_by_a)
    };
    /// The second derivative of `P(a, x)` by `a`; a third one has no formula here.
    IgammaGradAA: igamma_grad_aa, gradient Vjp, batch Broadcasts {
        function: |[a, x]| gamma::igamma_grad_aa(a, x),
        slopes: (None, density_by_aa)
    };
}

impl Op for Two {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        infer(inputs, 2)
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        lower(self.function, inputs, outputs)
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (a, x) = (&call.inputs[0], &call.inputs[1]);
        let wanted = |i: usize| call.needs.get(i).copied().unwrap_or(true);
        let mut grads = Grads::new();
        for (i, slope) in [self.slopes.0, Some(self.slopes.1)].into_iter().enumerate() {
            let Some(slope) = slope.filter(|_| wanted(i)) else {
                grads.push(None);
                continue;
            };
            let slope = slope(e, a, x)?;
            let grad = e.mul_no_nan(&slope, call.grad()?)?;
            let like = &call.inputs[i];
            grads.push(Some(e.unbroadcast(&grad, like, &call.outputs[0])?.into()));
        }
        Ok(grads)
    }
}

/// `x^(a-1) e^-x / Gamma(a)`, in double precision: the parts of its logarithm cancel.
fn wide_density(e: &mut dyn Emitter, a: &Val, x: &Val) -> Result<Val> {
    let one = e.scalar(1.0, DType::Float64)?;
    let less = e.sub(a, &one)?;
    let power = e.xlogy(&less, x)?;
    let lgamma = e.lgamma(a)?;
    let log = e.sub(&power, x)?;
    let log = e.sub(&log, &lgamma)?;
    e.exp(&log)
}

/// A function of both in double precision, in their dtype.
fn widely(
    e: &mut dyn Emitter,
    a: &Val,
    x: &Val,
    f: fn(&mut dyn Emitter, &Val, &Val) -> Result<Val>,
) -> Result<Val> {
    let (wide_a, wide_x) = (e.cast(a, DType::Float64)?, e.cast(x, DType::Float64)?);
    let value = f(e, &wide_a, &wide_x)?;
    e.cast(&value, a.dtype())
}

fn density(e: &mut dyn Emitter, a: &Val, x: &Val) -> Result<Val> {
    widely(e, a, x, wide_density)
}

fn minus_density(e: &mut dyn Emitter, a: &Val, x: &Val) -> Result<Val> {
    let density = density(e, a, x)?;
    e.neg(&density)
}

fn minus_grad_a(e: &mut dyn Emitter, a: &Val, x: &Val) -> Result<Val> {
    let slope = e.igamma_grad_a(a, x)?;
    e.neg(&slope)
}

/// `ln(x) - digamma(a)`: the derivative of the logarithm of the density by the parameter.
fn score(e: &mut dyn Emitter, a: &Val, x: &Val) -> Result<Val> {
    let (log, digamma) = (e.log(x)?, e.digamma(a)?);
    e.sub(&log, &digamma)
}

fn density_by_a(e: &mut dyn Emitter, a: &Val, x: &Val) -> Result<Val> {
    widely(e, a, x, |e, a, x| {
        let (density, score) = (wide_density(e, a, x)?, score(e, a, x)?);
        e.mul(&density, &score)
    })
}

fn density_by_aa(e: &mut dyn Emitter, a: &Val, x: &Val) -> Result<Val> {
    widely(e, a, x, |e, a, x| {
        let (density, score) = (wide_density(e, a, x)?, score(e, a, x)?);
        let one = e.scalar(1.0, DType::Float64)?;
        let (square, trigamma) = (e.square(&score)?, e.polygamma(&one, a)?);
        let factor = e.sub(&square, &trigamma)?;
        e.mul(&density, &factor)
    })
}
