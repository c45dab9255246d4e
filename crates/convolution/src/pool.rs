//! The largest elements and the means of windows.

use ferrograph_graph::{
    Emitter, Grad, Grads, Inputs, Kernel, Lowered, Op, Specs, Val, VjpCall, declare, declared,
};
use ferrograph_ops::emit::{Build, EmitLikes};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, TensorSpec, bail};
use num_traits::Float;
use smallvec::smallvec;

mod kernel;

use crate::conv::{check_grad, sizes, with_float};
use crate::geometry::{AXES, Axis, Windows, inner};
use crate::kernel::{Convolution, Number};
use kernel::Pool;

/// Declares the pools: those of largest elements of images with the first attributes, of means with the second, those of
/// volumes with the third.
macro_rules! declare_pools {
    ({ $($largest:tt)* } { $($means:tt)* } { $($volumes:tt)* }) => {
        declare! {
            trait EmitPools;

            /// The largest element of each window of `[n, h, w, c]`, channel by channel.
            MaxPool: max_pool(input: T in floating rank 4) -> (output: T), gradient Vjp, batch Folds(1) { $($largest)* };

            /// The gradient of the input of `MaxPool`: each of the output goes to the first largest element of its
            /// window.
            MaxPoolGrad: max_pool_grad(orig_input: T in floating rank 4, orig_output: T rank 4, grad: T rank 4)
                -> (output: T), gradient Vjp, batch Folds(3) { $($largest)* };

            /// The elements of `grad` where those of `orig_input` are the first largest of their windows.
            MaxPoolGradGrad: max_pool_grad_grad(
                orig_input: T in floating rank 4, orig_output: T rank 4, grad: T rank 4,
            ) -> (output: T), gradient Vjp, batch Folds(3) { $($largest)* };

            /// As `MaxPool`, with where the elements stand: in their image, or among all images, rows first.
            MaxPoolWithArgmax: max_pool_with_argmax(input: T in floating rank 4)
                -> (output: T, argmax: Targmax in index), gradient Vjp {
                /// Sizes of windows, along each axis.
                ksize: Vec<i64>,
                /// How far windows are apart, along each axis.
                strides: Vec<i64>,
                /// The dtype of the places.
                targmax as "Targmax": DType = DType::Int64,
                /// "VALID" or "SAME".
                padding: String,
                /// Places are counted through all images.
                include_batch_in_index: bool = false,
            };

            /// The mean of each window of `[n, h, w, c]`, channel by channel, of the elements within the image.
            AvgPool: avg_pool(value: T in floating rank 4) -> (output: T), gradient Vjp, batch Folds(1) { $($means)* };

            /// The gradient of the input of `AvgPool`, whose sizes are `orig_input_shape`.
            AvgPoolGrad: avg_pool_grad(orig_input_shape: int32 rank 1, grad: T in floating rank 4)
                -> (output: T), gradient Vjp, batch Rule { $($means)* };

            /// As `MaxPool`, of volumes `[n, d, h, w, c]`.
            MaxPool3D: max_pool3d(input: T in floating rank 5) -> (output: T), gradient Vjp, batch Folds(1) { $($volumes)* };

            /// As `MaxPoolGrad`, of volumes.
            MaxPool3DGrad: max_pool3d_grad(
                orig_input: T in floating rank 5, orig_output: T rank 5, grad: T rank 5,
            ) -> (output: T), gradient Vjp, batch Folds(3) { $($volumes)* };

            /// As `MaxPoolGradGrad`, of volumes.
            MaxPool3DGradGrad: max_pool3d_grad_grad(
                orig_input: T in floating rank 5, orig_output: T rank 5, grad: T rank 5,
            ) -> (output: T), gradient Vjp, batch Folds(3) { $($volumes)* };

            /// As `AvgPool`, of volumes `[n, d, h, w, c]`.
            AvgPool3D: avg_pool3d(input: T in floating rank 5) -> (output: T), gradient Vjp, batch Folds(1) { $($volumes)* };

            /// As `AvgPoolGrad`, of volumes.
            AvgPool3DGrad: avg_pool3d_grad(orig_input_shape: int32 rank 1, grad: T in floating rank 5)
                -> (output: T), gradient Vjp, batch Rule { $($volumes)* };
        }
    };
}
declare_pools! {
    {
        /// Sizes of windows, along each axis.
        ksize: Vec<i64>,
        /// How far windows are apart, along each axis.
        strides: Vec<i64>,
        /// "VALID", "SAME" or "EXPLICIT".
        padding: String,
        /// Elements before and after, along each axis.
        explicit_paddings: Vec<i64> = Vec::new(),
        /// Where the channels are: last.
        data_format: String = String::from("NHWC"),
    }
    {
        /// Sizes of windows, along each axis.
        ksize: Vec<i64>,
        /// How far windows are apart, along each axis.
        strides: Vec<i64>,
        /// "VALID" or "SAME".
        padding: String,
        /// Where the channels are: last.
        data_format: String = String::from("NHWC"),
    }
    {
        /// Sizes of windows, along each axis.
        ksize: Vec<i64>,
        /// How far windows are apart, along each axis.
        strides: Vec<i64>,
        /// "VALID" or "SAME".
        padding: String,
        /// Where the channels are: last.
        data_format: String = String::from("NDHWC"),
    }
}

/// The windows of a pool.
struct Pools {
    windows: Windows,
    sizes: Vec<usize>,
}

impl Pools {
    fn read(
        rank: usize,
        ksize: &[i64],
        strides: &[i64],
        padding: &str,
        explicit: &[i64],
        format: &str,
    ) -> Result<Pools> {
        let ones = vec![1; rank];
        Ok(Pools {
            windows: Windows::read(rank, strides, &ones, padding, explicit, format)?,
            sizes: inner("ksize", rank, ksize)?,
        })
    }

    /// The shape of the input with its rank.
    fn ranked(&self, x: &PartialShape) -> Result<PartialShape> {
        x.merge(&PartialShape::of_rank(self.sizes.len() + 2))
    }

    fn output_shape(&self, x: &PartialShape) -> Result<PartialShape> {
        let (x, rank) = (self.ranked(x)?, self.sizes.len() + 2);
        let mut dims = vec![x.dim(0)];
        for (i, &size) in self.sizes.iter().enumerate() {
            dims.push(self.windows.output(i, x.dim(i + 1), Dim::new(size))?);
        }
        dims.push(x.dim(rank - 1));
        Ok(PartialShape::new(&dims))
    }

    fn pool(&self, x: &PartialShape) -> Result<Pool> {
        let x = sizes(x)?;
        let n = self.sizes.len();
        let mut axes = [Axis::ONE; AXES];
        for (i, &size) in self.sizes.iter().enumerate() {
            axes[AXES - n + i] = self.windows.axis(i, x[i + 1], size)?;
        }
        Ok(Pool(Convolution {
            images: x[0],
            axes,
            channels: x[n + 1],
            filters: x[n + 1],
            groups: x[n + 1].max(1),
        }))
    }
}

macro_rules! pools_of {
    ($rank:literal, $op:ident => $explicit:expr, $format:expr; $($name:ident)*) => { $(
        impl $name {
            fn pools(&self) -> Result<Pools> {
                let $op = self;
                Pools::read($rank, &$op.ksize, &$op.strides, &$op.padding, $explicit, $format)
            }
        }
    )* };
}
pools_of!(4, op => &op.explicit_paddings, &op.data_format; MaxPool MaxPoolGrad MaxPoolGradGrad);
pools_of!(4, op => &[], &op.data_format; AvgPool AvgPoolGrad);
pools_of!(4, op => &[], "NHWC"; MaxPoolWithArgmax);
pools_of!(5, op => &[], &op.data_format;
    MaxPool3D MaxPool3DGrad MaxPool3DGradGrad AvgPool3D AvgPool3DGrad);

/// The gradients of an operation that is linear in its third input with steps at the first two: of those it has zeros.
fn piecewise_linear(e: &mut dyn Emitter, call: &VjpCall<'_>, grad: Val) -> Result<Grads> {
    let mut zeros = |i: usize| -> Result<Option<Grad>> {
        let wanted = call.needs[i].then(|| e.zeros_like(&call.inputs[i]));
        Ok(wanted.transpose()?.map(Grad::from))
    };
    Ok(smallvec![zeros(0)?, zeros(1)?, Some(grad.into())])
}

/// The pool of an input, its gradient and the gradient of that, of largest elements.
macro_rules! max_pools {
    ($pool:ident $grad:ident $m_grad:ident $again:ident $m_again:ident, attributes $($attr:ident)*) => {
        impl Op for $pool {
            declared!();
            fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
                let shape = self.pools()?.output_shape(inputs.shape(0))?;
                Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
            }
            fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
                let pool = self.pools()?.pool(inputs.shape(0))?;
                Ok(Lowered::Kernel(with_float!(inputs.dtype(0), T => Box::new(move |o| {
                    let x = o.input::<T>(0);
                    pool.largest(x, o.output::<T>(0));
                    Ok(())
                }))))
            }
            fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
                let (x, y, grad) = (&call.inputs[0], &call.outputs[0], call.grad()?);
                let grad = e.$m_grad(x, y, grad, $(self.$attr.clone()),*)?;
                Ok(smallvec![Some(grad.into())])
            }
        }

        impl Op for $grad {
            declared!();
            fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
                let pools = self.pools()?;
                check_grad(&pools.output_shape(inputs.shape(0))?, inputs.shape(2))?;
                let shape = pools.ranked(inputs.shape(0))?;
                Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
            }
            fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
                let pool = self.pools()?.pool(inputs.shape(0))?;
                Ok(Lowered::Kernel(with_float!(inputs.dtype(0), T => Box::new(move |o| {
                    let (x, grad) = (o.input::<T>(0), o.input::<T>(2));
                    pool.scatter_largest(x, grad, o.output::<T>(0));
                    Ok(())
                }))))
            }
            fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
                let (x, y, grad) = (&call.inputs[0], &call.inputs[1], call.grad()?);
                let grad = e.$m_again(x, y, grad, $(self.$attr.clone()),*)?;
                piecewise_linear(e, call, grad)
            }
        }

        impl Op for $again {
            declared!();
            fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
                check_grad(inputs.shape(0), inputs.shape(2))?;
                let shape = self.pools()?.output_shape(inputs.shape(0))?;
                Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
            }
            fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
                let pool = self.pools()?.pool(inputs.shape(0))?;
                Ok(Lowered::Kernel(with_float!(inputs.dtype(0), T => Box::new(move |o| {
                    let (x, grad) = (o.input::<T>(0), o.input::<T>(2));
                    pool.gather_largest(x, grad, o.output::<T>(0));
                    Ok(())
                }))))
            }
            fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
                let (x, y, grad) = (&call.inputs[0], &call.inputs[1], call.grad()?);
                let grad = e.$m_grad(x, y, grad, $(self.$attr.clone()),*)?;
                piecewise_linear(e, call, grad)
            }
        }
    };
}
max_pools!(MaxPool MaxPoolGrad max_pool_grad MaxPoolGradGrad max_pool_grad_grad,
    attributes ksize strides padding explicit_paddings data_format);
max_pools!(MaxPool3D MaxPool3DGrad max_pool3d_grad MaxPool3DGradGrad max_pool3d_grad_grad,
    attributes ksize strides padding data_format);

/// The pool of means and its gradient.
macro_rules! avg_pools {
    ($rank:literal $pool:ident $m_pool:ident $grad:ident $m_grad:ident) => {
        impl Op for $pool {
            declared!();
            fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
                let shape = self.pools()?.output_shape(inputs.shape(0))?;
                Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
            }
            fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
                let pool = self.pools()?.pool(inputs.shape(0))?;
                Ok(Lowered::Kernel(with_float!(inputs.dtype(0), T => Box::new(move |o| {
                    let x = o.input::<T>(0);
                    pool.means(x, o.output::<T>(0));
                    Ok(())
                }))))
            }
            fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
                let (x, grad) = (&call.inputs[0], call.grad()?);
                let sizes = e.shape_of(x)?;
                let (k, s) = (self.ksize.clone(), self.strides.clone());
                let (p, f) = (self.padding.clone(), self.data_format.clone());
                let grad = e.$m_grad(&sizes, grad, k, s, p, f)?;
                Ok(smallvec![Some(grad.into())])
            }
        }

        impl Op for $grad {
            declared!();
            fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
                let x = inputs.shape_value(0).merge(&PartialShape::of_rank($rank))?;
                check_grad(&self.pools()?.output_shape(&x)?, inputs.shape(1))?;
                Ok(smallvec![TensorSpec::new(inputs.dtype(1), x)])
            }
            fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
                let pool = self.pools()?.pool(&outputs[0].shape)?;
                Ok(Lowered::Kernel(with_float!(inputs.dtype(1), T => Box::new(move |o| {
                    let grad = o.input::<T>(1);
                    pool.spread_means(grad, o.output::<T>(0));
                    Ok(())
                }))))
            }
            fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
                let (k, s) = (self.ksize.clone(), self.strides.clone());
                let (p, f) = (self.padding.clone(), self.data_format.clone());
                let grad = e.$m_pool(call.grad()?, k, s, p, f)?;
                Ok(smallvec![None, Some(grad.into())])
            }
        }
    };
}
avg_pools!(4 AvgPool avg_pool AvgPoolGrad avg_pool_grad);
avg_pools!(5 AvgPool3D avg_pool3d AvgPool3DGrad avg_pool3d_grad);

impl Op for MaxPoolWithArgmax {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        if self.padding == "EXPLICIT" {
            bail!(
                InvalidArgument,
                "padding must be \"VALID\" or \"SAME\" here"
            );
        }
        let shape = self.pools()?.output_shape(inputs.shape(0))?;
        Ok(smallvec![
            TensorSpec::new(inputs.dtype(0), shape.clone()),
            TensorSpec::new(self.targmax, shape)
        ])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let pool = self.pools()?.pool(inputs.shape(0))?;
        let (through, wide) = (self.include_batch_in_index, self.targmax == DType::Int64);
        Ok(Lowered::Kernel(
            with_float!(inputs.dtype(0), T => match wide {
                true => placed::<T, i64>(pool, through, |i| i as i64),
                false => placed::<T, i32>(pool, through, |i| i as i32),
            }),
        ))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let Some(grad) = &call.grads[0] else {
            return Ok(smallvec![None]);
        };
        let (x, y) = (&call.inputs[0], &call.outputs[0]);
        let (k, s, p) = (
            self.ksize.clone(),
            self.strides.clone(),
            self.padding.clone(),
        );
        let grad = e.max_pool_grad(x, y, grad, k, s, p, Vec::new(), String::from("NHWC"))?;
        Ok(smallvec![Some(grad.into())])
    }
}

/// A kernel for largest elements and their places.
fn placed<T: Number + Float, I: ferrograph_tensor::Element>(
    pool: Pool,
    through: bool,
    index: fn(usize) -> I,
) -> Kernel {
    Box::new(move |o| {
        let x = o.input::<T>(0);
        let (output, places) = o.two_outputs::<T, I>();
        let (channels, image) = (pool.0.channels, pool.0.positions());
        let each = |n: usize, at: usize, c: usize| {
            let before = if through { n * image } else { 0 };
            (before + at) * channels + c
        };
        let mut found = vec![0; output.len()];
        let base = std::sync::Mutex::new(&mut found);
        pool.largest_seen(x, output, |window, n, firsts| {
            let row: Vec<usize> = firsts
                .iter()
                .enumerate()
                .map(|(c, &at)| each(n, at, c))
                .collect();
            let mut found = base
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            found[window * channels..][..channels].copy_from_slice(&row);
        });
        places
            .iter_mut()
            .zip(found)
            .for_each(|(to, at)| *to = index(at));
        Ok(())
    })
}
