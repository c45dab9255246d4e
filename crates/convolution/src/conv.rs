//! Convolutions in two and three dimensions, and their gradients, which are gradients of one another.

use ferrograph_graph::{Emitter, Grads, Inputs, Lowered, Op, Specs, VjpCall, declare, declared};
use ferrograph_ops::emit::Build;
use ferrograph_tensor::{Dim, PartialShape, Result, TensorSpec, bail, err};
use smallvec::smallvec;

use crate::geometry::{AXES, Axis, Windows};
use crate::kernel::{Convolution, Number};

/// Declares the convolutions: those of images with the first attributes, of volumes with the second.
macro_rules! declare_convolutions {
    ({ $($images:tt)* } { $($volumes:tt)* }) => {
        declare! {
            trait EmitConvolutions;

            /// Images `[n, h, w, c]` with filters `[h, w, c / groups, filters]` slid over them.
            Conv2D: conv2d(input: T in floating rank 4, filter: T rank 4)
                -> (output: T), gradient Vjp, batch Folds(1) { $($images)* };

            /// The gradient of the input of `Conv2D`, whose sizes are `input_sizes`.
            Conv2DBackpropInput: conv2d_of_input(
                input_sizes: _ in index rank 1, filter: T in floating rank 4, out_backprop: T rank 4,
            ) -> (output: T), gradient Vjp, batch Rule { $($images)* };

            /// The gradient of the filter of `Conv2D`, whose sizes are `filter_sizes`.
            Conv2DBackpropFilter: conv2d_of_filter(
                input: T in floating rank 4, filter_sizes: _ in index rank 1, out_backprop: T rank 4,
            ) -> (output: T), gradient Vjp { $($images)* };

            /// Volumes `[n, d, h, w, c]` with filters `[d, h, w, c / groups, filters]` slid over them.
            Conv3D: conv3d(input: T in floating rank 5, filter: T rank 5)
                -> (output: T), gradient Vjp, batch Folds(1) { $($volumes)* };

            /// The gradient of the input of `Conv3D`, whose sizes are `input_sizes`.
            Conv3DBackpropInputV2: conv3d_of_input(
                input_sizes: Tshape in index rank 1, filter: T in floating rank 5, out_backprop: T rank 5,
            ) -> (output: T), gradient Vjp, batch Rule { $($volumes)* };

            /// The gradient of the filter of `Conv3D`, whose sizes are `filter_sizes`.
            Conv3DBackpropFilterV2: conv3d_of_filter(
                input: T in floating rank 5, filter_sizes: _ in index rank 1, out_backprop: T rank 5,
            ) -> (output: T), gradient Vjp { $($volumes)* };
        }
    };
}
declare_convolutions! {
    {
        /// How far windows are apart, along each axis.
        strides: Vec<i64>,
        /// Without meaning here.
        use_cudnn_on_gpu: bool = true,
        /// "VALID", "SAME" or "EXPLICIT".
        padding: String,
        /// Elements before and after, along each axis.
        explicit_paddings: Vec<i64> = Vec::new(),
        /// Where the channels are: last.
        data_format: String = String::from("NHWC"),
        /// How far elements of a window are apart, along each axis.
        dilations: Vec<i64> = vec![1; 4],
    }
    {
        /// How far windows are apart, along each axis.
        strides: Vec<i64>,
        /// "VALID" or "SAME".
        padding: String,
        /// Where the channels are: last.
        data_format: String = String::from("NDHWC"),
        /// How far elements of a window are apart, along each axis.
        dilations: Vec<i64> = vec![1; 5],
    }
}

/// Runs `$body` with `$t` naming the float type of a dtype.
macro_rules! with_float {
    ($dtype:expr, $t:ident => $body:expr) => {
        ::ferrograph_tensor::with_element!($dtype, floating, $t => $body, else => {
            ::ferrograph_tensor::bail!(DType, "expected floats, got {}", $dtype)
        })
    };
}
pub(crate) use with_float;

/// The sizes of a static shape.
pub(crate) fn sizes(shape: &PartialShape) -> Result<Vec<usize>> {
    let shape = shape.to_static();
    let shape = shape.ok_or_else(|| err!(Internal, "a shape is open where it must be static"))?;
    Ok(shape.to_vec())
}

/// The shape of a convolution's output.
fn output_shape(
    windows: &Windows,
    x: &PartialShape,
    filter: &PartialShape,
) -> Result<PartialShape> {
    let rank = windows.strides.len() + 2;
    let (x, filter) = (
        x.merge(&PartialShape::of_rank(rank))?,
        filter.merge(&PartialShape::of_rank(rank))?,
    );
    check_channels(x.dim(rank - 1), filter.dim(rank - 2), filter.dim(rank - 1))?;
    let mut dims = vec![x.dim(0)];
    for i in 0..rank - 2 {
        dims.push(windows.output(i, x.dim(i + 1), filter.dim(i))?);
    }
    dims.push(filter.dim(rank - 1));
    Ok(PartialShape::new(&dims))
}

fn check_channels(channels: Dim, deep: Dim, filters: Dim) -> Result<()> {
    let (Some(channels), Some(deep)) = (channels.known(), deep.known()) else {
        return Ok(());
    };
    let groups = channels.checked_div(deep).unwrap_or(0);
    if channels != groups * deep {
        bail!(
            Shape,
            "input depth must be evenly divisible by filter depth: {channels} vs {deep}"
        );
    }
    if let Some(filters) = filters.known()
        && groups > 1
        && !filters.is_multiple_of(groups)
    {
        bail!(
            Shape,
            "the number of filters must be evenly divisible by that of groups: {filters} vs {groups}"
        );
    }
    Ok(())
}

/// The convolution of an input and filters of these sizes.
fn convolution(windows: &Windows, x: &[usize], filter: &[usize]) -> Result<Convolution> {
    let inner = x.len() - 2;
    let mut axes = [Axis::ONE; AXES];
    for i in 0..inner {
        axes[AXES - inner + i] = windows.axis(i, x[i + 1], filter[i])?;
    }
    let (channels, deep) = (x[inner + 1], filter[inner]);
    Ok(Convolution {
        images: x[0],
        axes,
        channels,
        filters: filter[inner + 1],
        groups: channels.checked_div(deep).unwrap_or(1).max(1),
    })
}

/// An error where the output's gradient has not the output's shape.
pub(crate) fn check_grad(expected: &PartialShape, grad: &PartialShape) -> Result<()> {
    if !expected.is_compatible(grad) {
        bail!(
            Shape,
            "out_backprop must have the shape of the output, {expected}, got {grad}"
        );
    }
    Ok(())
}

/// A kind of convolution: how its shapes follow from one another, and its kernels.
pub(crate) trait Slide: Sized + Send + Sync + 'static {
    /// The shape of the output.
    fn output_shape(
        windows: &Windows,
        x: &PartialShape,
        filter: &PartialShape,
    ) -> Result<PartialShape>;

    /// The convolution of an input and filters of these sizes.
    fn new(windows: &Windows, x: &[usize], filter: &[usize]) -> Result<Self>;

    /// What one run computes, in operations on numbers.
    fn flops(&self) -> f64;

    /// Slides the filters over the input.
    fn forward<T: Number>(&self, x: &[T], filters: &[T], output: &mut [T]);

    /// The gradient of the input.
    fn of_input<T: Number>(&self, filters: &[T], grad: &[T], images: &mut [T]);

    /// The gradient of the filters.
    fn of_filters<T: Number>(&self, x: &[T], grad: &[T], filters: &mut [T]);
}

impl Slide for Convolution {
    fn output_shape(
        windows: &Windows,
        x: &PartialShape,
        filter: &PartialShape,
    ) -> Result<PartialShape> {
        output_shape(windows, x, filter)
    }
    fn new(windows: &Windows, x: &[usize], filter: &[usize]) -> Result<Convolution> {
        convolution(windows, x, filter)
    }
    fn flops(&self) -> f64 {
        self.flops()
    }
    fn forward<T: Number>(&self, x: &[T], filters: &[T], output: &mut [T]) {
        self.forward(x, filters, output);
    }
    fn of_input<T: Number>(&self, filters: &[T], grad: &[T], images: &mut [T]) {
        self.of_input(filters, grad, images);
    }
    fn of_filters<T: Number>(&self, x: &[T], grad: &[T], filters: &mut [T]) {
        self.of_filters(x, grad, filters);
    }
}

/// An operation that slides windows.
pub(crate) trait Slides {
    /// Of the kind.
    type Kind: Slide;

    /// Where the windows are.
    fn windows(&self) -> Result<Windows>;

    /// The shape of the output of the convolution that it is, or is a gradient of.
    fn output(&self, x: &PartialShape, filter: &PartialShape) -> Result<PartialShape> {
        Self::Kind::output_shape(&self.windows()?, x, filter)
    }

    /// That convolution, of static shapes.
    fn convolution(&self, x: &PartialShape, filter: &PartialShape) -> Result<Self::Kind> {
        Self::Kind::new(&self.windows()?, &sizes(x)?, &sizes(filter)?)
    }

    /// Its operations on numbers, 0 where the shapes are open.
    fn work(&self, x: &PartialShape, filter: &PartialShape) -> f64 {
        self.convolution(x, filter).map_or(0.0, |conv| conv.flops())
    }
}

/// A convolution and its gradients: of the kind `$kind`, over tensors of the rank `$rank`.
macro_rules! convolutions {
    ($kind:ty, $rank:literal: $forward:ident $conv:ident, $of_input:ident $input:ident, $of_filter:ident $filter:ident,
     explicit $op:ident => $explicit:expr, attributes $($attr:ident)*) => {
        convolutions!(@slides $kind, $rank $op $explicit; $forward $of_input $of_filter);

        impl Op for $forward {
            declared!();
            fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
                let shape = self.output(inputs.shape(0), inputs.shape(1))?;
                Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
            }
            fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
                let conv = self.convolution(inputs.shape(0), inputs.shape(1))?;
                Ok(Lowered::Kernel(with_float!(inputs.dtype(0), T => Box::new(move |o| {
                    let (x, filters) = (o.input::<T>(0), o.input::<T>(1));
                    conv.forward(x, filters, o.output::<T>(0));
                    Ok(())
                }))))
            }
            fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
                let (x, filter, grad) = (&call.inputs[0], &call.inputs[1], call.grad()?);
                let (of_x, of_filter) = (e.shape_of(x)?, e.shape_of(filter)?);
                let of_x = e.$input(&of_x, filter, grad, $(self.$attr.clone()),*)?;
                let of_filter = e.$filter(x, &of_filter, grad, $(self.$attr.clone()),*)?;
                Ok(smallvec![Some(of_x.into()), Some(of_filter.into())])
            }
            fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
                self.work(inputs.shape(0), inputs.shape(1))
            }
        }

        impl Op for $of_input {
            declared!();
            fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
                let x = inputs.shape_value(0).merge(&PartialShape::of_rank($rank))?;
                check_grad(&self.output(&x, inputs.shape(1))?, inputs.shape(2))?;
                Ok(smallvec![TensorSpec::new(inputs.dtype(1), x)])
            }
            fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
                let conv = self.convolution(&outputs[0].shape, inputs.shape(1))?;
                Ok(Lowered::Kernel(with_float!(inputs.dtype(1), T => Box::new(move |o| {
                    let (filters, grad) = (o.input::<T>(1), o.input::<T>(2));
                    conv.of_input(filters, grad, o.output::<T>(0));
                    Ok(())
                }))))
            }
            fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
                let (filter, out, grad) = (&call.inputs[1], &call.inputs[2], call.grad()?);
                let sizes = e.shape_of(filter)?;
                let of_filter = e.$filter(grad, &sizes, out, $(self.$attr.clone()),*)?;
                let of_out = e.$conv(grad, filter, $(self.$attr.clone()),*)?;
                Ok(smallvec![None, Some(of_filter.into()), Some(of_out.into())])
            }
            fn flops(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
                self.work(&outputs[0].shape, inputs.shape(1))
            }
        }

        impl Op for $of_filter {
            declared!();
            fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
                let filter = inputs.shape_value(1).merge(&PartialShape::of_rank($rank))?;
                check_grad(&self.output(inputs.shape(0), &filter)?, inputs.shape(2))?;
                Ok(smallvec![TensorSpec::new(inputs.dtype(0), filter)])
            }
            fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
                let conv = self.convolution(inputs.shape(0), &outputs[0].shape)?;
                Ok(Lowered::Kernel(with_float!(inputs.dtype(0), T => Box::new(move |o| {
                    let (x, grad) = (o.input::<T>(0), o.input::<T>(2));
                    conv.of_filters(x, grad, o.output::<T>(0));
                    Ok(())
                }))))
            }
            fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
                let (x, out, grad) = (&call.inputs[0], &call.inputs[2], call.grad()?);
                let sizes = e.shape_of(x)?;
                let of_x = e.$input(&sizes, grad, out, $(self.$attr.clone()),*)?;
                let of_out = e.$conv(x, grad, $(self.$attr.clone()),*)?;
                Ok(smallvec![Some(of_x.into()), None, Some(of_out.into())])
            }
            fn flops(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
                self.work(inputs.shape(0), &outputs[0].shape)
            }
        }
    };
    (@slides $kind:ty, $rank:literal $op:ident $explicit:expr; $($name:ident)*) => { $(
        impl Slides for $name {
            type Kind = $kind;
            fn windows(&self) -> Result<Windows> {
                let $op = self;
                let (strides, dilations) = (&$op.strides, &$op.dilations);
                Windows::read($rank, strides, dilations, &$op.padding, $explicit, &$op.data_format)
            }
        }
    )* };
}
pub(crate) use convolutions;

convolutions!(Convolution, 4: Conv2D conv2d, Conv2DBackpropInput conv2d_of_input,
    Conv2DBackpropFilter conv2d_of_filter,
    explicit op => &op.explicit_paddings,
    attributes strides use_cudnn_on_gpu padding explicit_paddings data_format dilations);
convolutions!(Convolution, 5: Conv3D conv3d, Conv3DBackpropInputV2 conv3d_of_input,
    Conv3DBackpropFilterV2 conv3d_of_filter,
    explicit op => &[],
    attributes strides padding data_format dilations);
