//! Transforms of real numbers, of which the first half tells the whole.

use std::sync::Arc;

use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, Val, VjpCall, declare_family, emit_as,
    of_family,
};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, TensorSpec, bail};
use smallvec::smallvec;

use crate::emit::*;
use crate::numbers::Part;
use crate::shapes::{Fit, Sizes, blocks, half, joined, lead, lengths};
use crate::transform::{fitted_rows, flops, half_rows, leading_axes, real_rows};

/// Transforms of real numbers.
pub(crate) mod forward {
    use super::*;
    declare_family! {
        trait EmitRealFourier;

        /// The discrete Fourier transform of real numbers along the last axes, each cut or continued by zeros to its
        /// length. Along the last one come the numbers up to half the length, which tell the others.
        RealFourier {
            /// How many axes.
            rank: usize,
        } (input: Treal in float_parts, fft_length: int32 rank 1) -> (output: Tcomplex in complex) {
            /// The dtype of the transform.
            dtype as "Tcomplex": DType = DType::Complex64,
        };

        /// The discrete Fourier transform of real numbers along the last axis.
        RFFT: rfft, gradient Vjp, batch Leads(1) { rank: 1 };
        /// The discrete Fourier transform of real numbers along the last two axes.
        RFFT2D: rfft_2d, gradient Vjp, batch Leads(1) { rank: 2 };
        /// The discrete Fourier transform of real numbers along the last three axes.
        RFFT3D: rfft_3d, gradient Vjp, batch Leads(1) { rank: 3 };
    }
}

/// Transforms back to real numbers.
pub(crate) mod inverse {
    use super::*;
    declare_family! {
        trait EmitInverseRealFourier;

        /// The real numbers of these lengths along the last axes whose discrete Fourier transform begins with the input,
        /// cut or continued by zeros.
        InverseRealFourier {
            /// How many axes.
            rank: usize,
        } (input: Tcomplex in complex, fft_length: int32 rank 1) -> (output: Treal in float_parts) {
            /// The dtype of the numbers.
            dtype as "Treal": DType = DType::Float32,
        };

        /// The inverse of the discrete Fourier transform of real numbers along the last axis.
        IRFFT: irfft, gradient Vjp, batch Leads(1) { rank: 1 };
        /// The inverse of the discrete Fourier transform of real numbers along the last two axes.
        IRFFT2D: irfft_2d, gradient Vjp, batch Leads(1) { rank: 2 };
        /// The inverse of the discrete Fourier transform of real numbers along the last three axes.
        IRFFT3D: irfft_3d, gradient Vjp, batch Leads(1) { rank: 3 };
    }
}

use forward::RealFourier;
use inverse::InverseRealFourier;

/// Adds the operations of this file.
pub(crate) fn register(registry: &mut ferrograph_graph::Registry) {
    forward::register(registry);
    inverse::register(registry);
}

/// The complex dtype of a real one's parts.
fn complex_of(real: DType) -> DType {
    match real {
        DType::Float64 => DType::Complex128,
        _ => DType::Complex64,
    }
}

/// Refuses a dtype of the output that is not that of the input's precision.
fn check_precision(real: DType, complex: DType) -> Result<()> {
    if complex_of(real) != complex {
        bail!(
            DType,
            "the transform of {real} is {}, got {complex}",
            complex_of(real)
        );
    }
    Ok(())
}

fn spec(inputs: &Inputs<'_>, dtype: DType, rank: usize, sizes: &[Dim]) -> Result<Specs> {
    let shape = match lead(inputs, rank)? {
        Some(lead) => joined(lead, sizes),
        None => PartialShape::UNKNOWN,
    };
    Ok(smallvec![TensorSpec::new(dtype, shape)])
}

/// The lengths where all of them are known.
fn known_lengths(inputs: &Inputs<'_>, rank: usize) -> Result<Option<Sizes>> {
    Ok(lengths(inputs, rank)?.iter().map(|n| n.known()).collect())
}

impl Op for RealFourier {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check_precision(inputs.dtype(0), self.dtype)?;
        let mut sizes = lengths(inputs, self.rank)?;
        let last = &mut sizes[self.rank - 1];
        *last = last.known().map(half).into();
        spec(inputs, self.dtype, self.rank, &sizes)
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let Some(to) = known_lengths(inputs, self.rank)? else {
            return Ok(Lowered::Eval);
        };
        let (_, from) = blocks(inputs.spec(0), self.rank)?;
        Ok(Lowered::Kernel(match self.dtype {
            DType::Complex128 => forward_kernel::<f64>(from, to),
            _ => forward_kernel::<f32>(from, to),
        }))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (x, length, grad) = (&call.inputs[0], &call.inputs[1], call.grad()?);
        let weights = e.end_weights(grad, length, 0.5)?;
        let weighted = e.mul(grad, &weights)?;
        let decl = match self.rank {
            1 => InverseRealFourier::IRFFT,
            2 => InverseRealFourier::IRFFT2D,
            _ => InverseRealFourier::IRFFT3D,
        };
        let op = InverseRealFourier {
            decl,
            rank: self.rank,
            dtype: x.dtype(),
        };
        let back: Val = emit_as(e, Arc::new(op), &[weighted, length.clone()])?;
        let n = e.product(length, x.dtype())?;
        let back = e.mul(&back, &n)?;
        Ok(smallvec![Some(e.fitted(&back, x)?.into()), None])
    }
    fn flops(&self, _inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        let found = blocks(&outputs[0], self.rank);
        found.map_or(0.0, |(n, sizes)| n as f64 * flops(sizes.iter().product()))
    }
}

fn forward_kernel<T: Part>(from: Sizes, to: Sizes) -> Kernel {
    let last = to.len() - 1;
    let at = Fit::new(&from[..last], &to[..last]);
    Box::new(move |o| {
        let input = o.input::<T>(0);
        let output = T::complex_mut(o.output::<T::Pair>(0));
        if output.is_empty() {
            return Ok(());
        }
        let plan = T::plans().real(to[last])?;
        real_rows(input, from[last], &at, (&*plan, to[last]), output);
        let mut sizes = to.clone();
        sizes[last] = half(to[last]);
        leading_axes(output, &sizes, false)
    })
}

impl Op for InverseRealFourier {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check_precision(self.dtype, inputs.dtype(0))?;
        let sizes = lengths(inputs, self.rank)?;
        spec(inputs, self.dtype, self.rank, &sizes)
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let Some(to) = known_lengths(inputs, self.rank)? else {
            return Ok(Lowered::Eval);
        };
        let (_, from) = blocks(inputs.spec(0), self.rank)?;
        Ok(Lowered::Kernel(match self.dtype {
            DType::Float64 => inverse_kernel::<f64>(from, to),
            _ => inverse_kernel::<f32>(from, to),
        }))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (x, length, grad) = (&call.inputs[0], &call.inputs[1], call.grad()?);
        let decl = match self.rank {
            1 => RealFourier::RFFT,
            2 => RealFourier::RFFT2D,
            _ => RealFourier::RFFT3D,
        };
        let op = RealFourier {
            decl,
            rank: self.rank,
            dtype: x.dtype(),
        };
        let turned: Val = emit_as(e, Arc::new(op), &[grad.clone(), length.clone()])?;
        let weights = e.end_weights(&turned, length, 2.0)?;
        let weighted = e.mul(&turned, &weights)?;
        let n = e.product(length, x.dtype())?;
        let weighted = e.div(&weighted, &n)?;
        Ok(smallvec![Some(e.fitted(&weighted, x)?.into()), None])
    }
    fn flops(&self, _inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        let found = blocks(&outputs[0], self.rank);
        found.map_or(0.0, |(n, sizes)| {
            0.5 * n as f64 * flops(sizes.iter().product())
        })
    }
}

fn inverse_kernel<T: Part>(from: Sizes, to: Sizes) -> Kernel {
    let last = to.len() - 1;
    let at = Fit::new(&from[..last], &to[..last]);
    Box::new(move |o| {
        let input = T::complex(o.input::<T::Pair>(0));
        let output = o.output::<T>(0);
        if output.is_empty() {
            return Ok(());
        }
        let plan = T::plans().half(to[last])?;
        if last == 0 {
            half_rows(input, from[0], (&*plan, to[0]), output);
            return Ok(());
        }
        let (n, rows) = (half(to[last]), output.len() / to[last]);
        let mut halves = fitted_rows(input, from[last], &at, n, rows)?;
        let mut sizes = to.clone();
        sizes[last] = n;
        leading_axes(&mut halves, &sizes, true)?;
        half_rows(&halves, n, (&*plan, to[last]), output);
        Ok(())
    })
}
