//! Biases of channels.

use crate::emit::*;
use ferrograph_graph::{
    Attr, AttrReader, Attrs, Differentiability, Emitter, Grads, Inputs, Kernel, Op, Specs, VjpCall,
    op_object,
};
use ferrograph_kernels::elementwise::{Add, Binary};
use ferrograph_kernels::pool;
use ferrograph_tensor::{Dim, Element, PartialShape, Result, TensorSpec, bail, err, with_element};
use smallvec::smallvec;
use std::sync::Arc;

/// A bias added to each channel: along the last axis, or the second where `channels_first`.
#[derive(Debug)]
pub struct BiasAdd {
    /// Channels are axis 1 (`NCHW`); else the last.
    pub channels_first: bool,
}

impl BiasAdd {
    fn axis(&self, rank: usize) -> Result<usize> {
        if rank < 2 {
            bail!(Shape, "Input tensor must be at least 2D, got rank {rank}");
        }
        Ok(if self.channels_first { 1 } else { rank - 1 })
    }
}

impl Op for BiasAdd {
    op_object!();
    fn name(&self) -> &'static str {
        "BiasAdd"
    }
    fn attrs(&self) -> Attrs {
        let format = if self.channels_first { "NCHW" } else { "NHWC" };
        Attrs::new().with("data_format", Attr::str(format))
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(2)?;
        let dtype = inputs.same_dtype(0, 1)?;
        if !dtype.is_numeric() {
            bail!(DType, "BiasAdd is not defined for {dtype} tensors");
        }
        let (x, bias) = (inputs.shape(0), inputs.shape(1));
        if bias.rank().is_some_and(|r| r != 1) {
            bail!(Shape, "Biases must be 1D, got shape {bias}");
        }
        let Some(dims) = x.dims() else {
            return Ok(smallvec![inputs.spec(0).clone()]);
        };
        let axis = self.axis(dims.len())?;
        if !dims[axis].is_compatible(bias.dim(0)) {
            bail!(
                Shape,
                "Must provide as many biases as the channels of the input tensor: {bias} vs. {x}"
            );
        }
        let mut dims = dims.to_vec();
        if dims[axis].known().is_none() {
            dims[axis] = bias.dim(0);
        }
        Ok(smallvec![TensorSpec::new(dtype, PartialShape::new(&dims))])
    }
    fn kernel(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let shape = outputs[0].shape.to_static().ok_or_else(|| {
            err!(
                Internal,
                "a kernel was bound to the open shape {}",
                outputs[0].shape
            )
        })?;
        let axis = self.axis(shape.rank())?;
        let (channels, inner) = (shape[axis], shape[axis + 1..].iter().product());
        Ok(
            with_element!(inputs.dtype(0), numeric, T => Some(biased::<T>(channels, inner, Binary::of::<Add>())), else => None),
        )
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let g = call.grad()?;
        let attrs = vec![(
            "data_format",
            Attr::str(if self.channels_first { "NCHW" } else { "NHWC" }),
        )];
        let by_bias = e.op("BiasAddGrad", &[g], attrs)?;
        Ok(smallvec![Some(g.clone().into()), Some(by_bias.into())])
    }
}

fn biased<T: Element>(channels: usize, inner: usize, add: Binary<T, T>) -> Kernel {
    let (row, flat) = if inner == 1 {
        (channels, true)
    } else {
        (inner, false)
    };
    Box::new(move |o| {
        let (x, bias) = (o.input::<T>(0), o.input::<T>(1));
        #[allow(clippy::cast_precision_loss)]
        let cost = add.cost_ns * row as f64;
        pool::par_rows_mut(o.output::<T>(0), row, cost, |first, out| {
            for (i, out) in out.chunks_exact_mut(row).enumerate() {
                let x = &x[(first + i) * row..][..row];
                if flat {
                    (add.vec_vec)(x, bias, out);
                } else {
                    (add.vec_scalar)(x, bias[(first + i) % channels], out);
                }
            }
        });
        Ok(())
    })
}

/// The gradient of the bias: the sum over all axes but that of the channels.
#[derive(Debug)]
pub struct BiasAddGrad {
    /// Channels are axis 1; else the last.
    pub channels_first: bool,
}

impl Op for BiasAddGrad {
    op_object!();
    fn name(&self) -> &'static str {
        "BiasAddGrad"
    }
    fn attrs(&self) -> Attrs {
        BiasAdd {
            channels_first: self.channels_first,
        }
        .attrs()
    }
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        inputs.expect(1)?;
        let (dtype, shape) = (inputs.dtype(0), inputs.shape(0));
        if !dtype.is_numeric() {
            bail!(DType, "BiasAddGrad is not defined for {dtype} tensors");
        }
        let bias = BiasAdd {
            channels_first: self.channels_first,
        };
        let channels = match shape.rank() {
            Some(rank) => shape.dim(bias.axis(rank)?),
            None => Dim::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(
            dtype,
            PartialShape::new(&[channels])
        )])
    }
    fn kernel(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Option<Kernel>> {
        let Some(shape) = inputs.shape(0).to_static() else {
            return Ok(None);
        };
        let bias = BiasAdd {
            channels_first: self.channels_first,
        };
        let channel = bias.axis(shape.rank())?;
        let axes = (0..shape.rank()).map(|axis| axis != channel).collect();
        Ok(crate::reduce::sum_kernel(inputs.dtype(0), shape, axes))
    }
    fn differentiability(&self) -> Differentiability {
        Differentiability::Vjp
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (x, g) = (&call.inputs[0], call.grad()?);
        let zeros = e.zeros_like(x)?;
        let spread = e.one(
            Arc::new(BiasAdd {
                channels_first: self.channels_first,
            }),
            &[zeros, g.clone()],
        )?;
        Ok(smallvec![Some(spread.into())])
    }
}

/// What the attribute `data_format` says.
pub(super) fn channels_first(a: &AttrReader<'_>) -> Result<bool> {
    match a.str_or("data_format", "NHWC")?.as_str() {
        "NHWC" => Ok(false),
        "NCHW" => Ok(true),
        other => Err(err!(Value, "data_format must be NHWC or NCHW, got {other}")),
    }
}
