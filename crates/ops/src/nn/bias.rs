//! Biases of channels.

use crate::attrs::attr_enum;
use crate::emit::*;
use crate::movement::static_shape;
use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, VjpCall, declare, declared,
};
use ferrograph_kernels::elementwise::{Add, Binary};
use ferrograph_kernels::pool;
use ferrograph_tensor::{Dim, Element, PartialShape, Result, TensorSpec, bail, with_element};
use smallvec::smallvec;

declare! {
    trait EmitBias;

    /// `bias` added to each channel of `value`.
    BiasAdd: bias_add(value: T in numeric, bias: T) -> (output: T), gradient Vjp, batch Rule {
        /// Where channels are.
        data_format: DataFormat = DataFormat::ChannelsLast,
    };

    /// The gradient of the bias: the sum of `out_backprop` over all axes but that of the channels.
    BiasAddGrad: bias_add_grad(out_backprop: T in numeric) -> (output: T), gradient Vjp, batch Rule {
        /// Where channels are.
        data_format: DataFormat = DataFormat::ChannelsLast,
    };
}

attr_enum! {
    /// Where channels are among the axes.
    DataFormat {
        /// On the last one.
        ChannelsLast = "NHWC",
        /// On the second.
        ChannelsFirst = "NCHW",
    }
}

impl DataFormat {
    /// The axis of the channels.
    fn axis(self, rank: usize) -> Result<usize> {
        if rank < 2 {
            bail!(Shape, "Input tensor must be at least 2D, got rank {rank}");
        }
        Ok(match self {
            DataFormat::ChannelsFirst => 1,
            DataFormat::ChannelsLast => rank - 1,
        })
    }
}

impl Op for BiasAdd {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let (x, bias) = (inputs.shape(0), inputs.shape(1));
        if bias.rank().is_some_and(|r| r != 1) {
            bail!(Shape, "Biases must be 1D, got shape {bias}");
        }
        let Some(dims) = x.dims() else {
            return Ok(smallvec![inputs.spec(0).clone()]);
        };
        let axis = self.data_format.axis(dims.len())?;
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
        Ok(smallvec![TensorSpec::new(
            inputs.dtype(0),
            PartialShape::new(&dims)
        )])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let shape = static_shape(&outputs[0])?;
        let axis = self.data_format.axis(shape.rank())?;
        let (channels, inner) = (shape[axis], shape[axis + 1..].iter().product());
        with_element!(inputs.dtype(0), numeric, T => Ok(Lowered::Kernel(
            biased::<T>(channels, inner, Binary::of::<Add>())
        )), else => Ok(Lowered::Eval))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let g = call.grad()?;
        let by_bias = e.bias_add_grad(g, self.data_format)?;
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

impl Op for BiasAddGrad {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = inputs.shape(0);
        let channels = match shape.rank() {
            Some(rank) => shape.dim(self.data_format.axis(rank)?),
            None => Dim::UNKNOWN,
        };
        Ok(smallvec![TensorSpec::new(
            inputs.dtype(0),
            PartialShape::new(&[channels])
        )])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let rank = inputs.shape(0).rank().unwrap_or(0);
        let channel = self.data_format.axis(rank)?;
        let axes = (0..rank).map(|axis| axis != channel).collect();
        crate::reduce::lower_sum(inputs.spec(0), axes)
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (x, g) = (&call.inputs[0], call.grad()?);
        let zeros = e.zeros_like(x)?;
        let spread = e.bias_add(&zeros, g, self.data_format)?;
        Ok(smallvec![Some(spread.into())])
    }
}
