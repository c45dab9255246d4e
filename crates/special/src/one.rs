//! Special functions of one number.

use crate::function::{bessel, integrals};
use crate::kernel::{Function, infer, lower};
use crate::rules as g;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Lowered, Op, Specs, VjpCall, declare_family, of_family,
};
use ferrograph_tensor::{Result, TensorSpec};
use smallvec::smallvec;

declare_family! {
    trait EmitOne;

    /// A special function of one number, element by element.
    One {
        /// The function.
        function: Function<1>,
        /// Its derivative.
        slope: g::Slope,
    } (x: T in floating) -> (y: T) {};

    /// The modified Bessel function of the first kind of order 0.
    BesselI0: bessel_i0, gradient Vjp, batch Broadcasts { function: |[x]| bessel::i0(x), slope: g::bessel_i0 };
    /// The modified Bessel function of the first kind of order 1.
    BesselI1: bessel_i1, gradient Vjp, batch Broadcasts { function: |[x]| bessel::i1(x), slope: g::bessel_i1 };
    /// The modified Bessel function of the second kind of order 0.
    BesselK0: bessel_k0, gradient Vjp, batch Broadcasts { function: |[x]| bessel::k0(x), slope: g::bessel_k0 };
    /// `e^x K0(x)` for the modified Bessel function of the second kind of order 0.
    BesselK0e: bessel_k0e, gradient Vjp, batch Broadcasts { function: |[x]| bessel::k0e(x), slope: g::bessel_k0e };
    /// The modified Bessel function of the second kind of order 1.
    BesselK1: bessel_k1, gradient Vjp, batch Broadcasts { function: |[x]| bessel::k1(x), slope: g::bessel_k1 };
    /// `e^x K1(x)` for the modified Bessel function of the second kind of order 1.
    BesselK1e: bessel_k1e, gradient Vjp, batch Broadcasts { function: |[x]| bessel::k1e(x), slope: g::bessel_k1e };
    /// The Bessel function of the first kind of order 0.
    BesselJ0: bessel_j0, gradient Vjp, batch Broadcasts { function: |[x]| bessel::j0(x), slope: g::bessel_j0 };
    /// The Bessel function of the first kind of order 1.
    BesselJ1: bessel_j1, gradient Vjp, batch Broadcasts { function: |[x]| bessel::j1(x), slope: g::bessel_j1 };
    /// The Bessel function of the second kind of order 0.
    BesselY0: bessel_y0, gradient Vjp, batch Broadcasts { function: |[x]| bessel::y0(x), slope: g::bessel_y0 };
    /// The Bessel function of the second kind of order 1.
    BesselY1: bessel_y1, gradient Vjp, batch Broadcasts { function: |[x]| bessel::y1(x), slope: g::bessel_y1 };
    /// Dawson's integral: `e^-x²` times the integral of `e^t²` from 0 to `x`.
    Dawsn: dawsn, gradient Vjp, batch Broadcasts { function: |[x]| integrals::dawsn(x), slope: g::dawsn };
    /// The integral of `e^t / t` from minus infinity to `x`.
    Expint: expint, gradient Vjp, batch Broadcasts { function: |[x]| integrals::expint(x), slope: g::expint };
    /// The integral of `cos(pi t² / 2)` from 0 to `x`.
    FresnelCos: fresnel_cos, gradient Vjp, batch Broadcasts {
        function: |[x]| integrals::fresnel_cos(x), slope: g::fresnel_cos
    };
    /// The integral of `sin(pi t² / 2)` from 0 to `x`.
    FresnelSin: fresnel_sin, gradient Vjp, batch Broadcasts {
        function: |[x]| integrals::fresnel_sin(x), slope: g::fresnel_sin
    };
    /// The dilogarithm of `1 - x`.
    Spence: spence, gradient Vjp, batch Broadcasts { function: |[x]| integrals::spence(x), slope: g::spence };
}

impl Op for One {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        infer(inputs, 1)
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        lower(self.function, inputs, outputs)
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let slope = (self.slope)(e, &call.inputs[0], &call.outputs[0])?;
        Ok(smallvec![Some(g::times(e, call.grad()?, &slope)?.into())])
    }
}
