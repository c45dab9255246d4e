//! Transforms of complex numbers.

use std::sync::Arc;

use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, Val, VjpCall, declare_family, emit_as,
    of_family,
};
use ferrograph_tensor::{DType, Result, TensorSpec, bail};
use smallvec::smallvec;

use crate::emit::*;
use crate::numbers::Part;
use crate::shapes::{Sizes, blocks, lead};
use crate::transform::{complex, flops};

declare_family! {
    trait EmitFourier;

    /// The discrete Fourier transform of complex numbers along the last axes.
    Fourier {
        /// How many axes.
        rank: usize,
        /// From the transform back to the numbers, divided by how many there are.
        inverse: bool,
    } (input: Tcomplex in complex) -> (output: Tcomplex) {};

    /// The discrete Fourier transform along the last axis.
    FFT: fft, gradient Vjp, batch Leads(1) { rank: 1, inverse: false };
    /// The inverse of the discrete Fourier transform along the last axis.
    IFFT: ifft, gradient Vjp, batch Leads(1) { rank: 1, inverse: true };
    /// The discrete Fourier transform along the last two axes.
    FFT2D: fft_2d, gradient Vjp, batch Leads(1) { rank: 2, inverse: false };
    /// The inverse of the discrete Fourier transform along the last two axes.
    IFFT2D: ifft_2d, gradient Vjp, batch Leads(1) { rank: 2, inverse: true };
    /// The discrete Fourier transform along the last three axes.
    FFT3D: fft_3d, gradient Vjp, batch Leads(1) { rank: 3, inverse: false };
    /// The inverse of the discrete Fourier transform along the last three axes.
    IFFT3D: ifft_3d, gradient Vjp, batch Leads(1) { rank: 3, inverse: true };
}

impl Fourier {
    /// The transform in the other direction.
    fn reversed(&self) -> Fourier {
        let inverse = !self.inverse;
        let decl = match (self.rank, inverse) {
            (1, false) => Fourier::FFT,
            (1, true) => Fourier::IFFT,
            (2, false) => Fourier::FFT2D,
            (2, true) => Fourier::IFFT2D,
            (_, false) => Fourier::FFT3D,
            (_, true) => Fourier::IFFT3D,
        };
        Fourier {
            decl,
            rank: self.rank,
            inverse,
        }
    }
}

impl Op for Fourier {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        lead(inputs, self.rank)?;
        Ok(smallvec![inputs.spec(0).clone()])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (_, sizes) = blocks(&outputs[0], self.rank)?;
        Ok(Lowered::Kernel(match inputs.dtype(0) {
            DType::Complex64 => kernel::<f32>(sizes, self.inverse),
            DType::Complex128 => kernel::<f64>(sizes, self.inverse),
            other => bail!(DType, "there is no Fourier transform of {other}"),
        }))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = call.grad()?;
        let turned: Val = emit_as(e, Arc::new(self.reversed()), std::slice::from_ref(grad))?;
        let n = e.size_of_last(&call.inputs[0], self.rank)?;
        let grad = match self.inverse {
            true => e.div(&turned, &n)?,
            false => e.mul(&turned, &n)?,
        };
        Ok(smallvec![Some(grad.into())])
    }
    fn flops(&self, _inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        let found = blocks(&outputs[0], self.rank);
        found.map_or(0.0, |(n, sizes)| n as f64 * flops(sizes.iter().product()))
    }
}

fn kernel<T: Part>(sizes: Sizes, inverse: bool) -> Kernel {
    Box::new(move |o| {
        let input = o.input::<T::Pair>(0);
        let output = T::complex_mut(o.output::<T::Pair>(0));
        if output.is_empty() {
            return Ok(());
        }
        complex(T::complex(input), output, &sizes, inverse)
    })
}
