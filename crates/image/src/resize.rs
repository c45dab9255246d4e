//! Resizing by the elements around each place: linear, cubic, and by areas.

use std::sync::Arc;

use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, Val, VjpCall, declare_family, emit_as,
    of_family,
};
use ferrograph_ops::emit::Build;
use ferrograph_tensor::{DType, Result, TensorSpec, bail};
use smallvec::smallvec;

use crate::pixels::{Sizes, check_some, resized, singles, two_sizes, written};
use crate::resample::Resample;
use crate::spans::{Grid, Spans};

/// How neighbours are weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Linear,
    Cubic,
    Area,
}

/// Resized images.
pub(crate) mod forward {
    use super::*;
    declare_family! {
        trait EmitResize;

        /// Images of `size` pixels, in single precision.
        Resize {
            /// How neighbours are weighed.
            method: Method,
        } (images: T in real rank 4, size: int32 rank 1) -> (resized_images: float32) {
            /// The middles of corners coincide.
            align_corners: bool = false,
            /// Pixels are at their middles.
            half_pixel_centers: bool = false,
        };

        /// Each pixel is weighed of the four around it, by distance.
        ResizeBilinear: resize_bilinear, gradient Vjp, batch Folds(1) { method: Method::Linear };
        /// Each pixel is weighed of the sixteen around it, by cubic polynomials.
        ResizeBicubic: resize_bicubic, gradient Vjp, batch Folds(1) { method: Method::Cubic };
        /// Each pixel is the mean of the area that it represents.
        ResizeArea: resize_area, gradient Vjp, batch Folds(1) { method: Method::Area };
    }
}

/// Gradients of resized images.
pub(crate) mod backward {
    use super::*;
    declare_family! {
        trait EmitResizeGrad;

        /// The gradient of `original_image` that was resized, from that of the result.
        ResizeGrad {
            /// How neighbours are weighed.
            method: Method,
        } (grads: float32 rank 4, original_image: T in floating rank 4) -> (output: T) {
            /// As in the operation.
            align_corners: bool = false,
            /// As in the operation.
            half_pixel_centers: bool = false,
        };

        /// The gradient of `ResizeBilinear`.
        ResizeBilinearGrad: resize_bilinear_grad, gradient Vjp, batch Folds(2) { method: Method::Linear };
        /// The gradient of `ResizeBicubic`.
        ResizeBicubicGrad: resize_bicubic_grad, gradient Vjp, batch Folds(2) { method: Method::Cubic };
        /// The gradient of `ResizeArea`.
        ResizeAreaGrad: resize_area_grad, gradient Vjp, batch Folds(2) { method: Method::Area };
    }
}

use backward::ResizeGrad;
use forward::Resize;

/// Adds the operations of this file.
pub(crate) fn register(registry: &mut ferrograph_graph::Registry) {
    forward::register(registry);
    backward::register(registry);
}

impl Method {
    fn spans(self, grid: Grid) -> Result<Spans> {
        match self {
            Method::Linear => grid.linear(),
            Method::Cubic => grid.cubic(),
            Method::Area => grid.area(),
        }
    }
}

/// Refuses two ways of aligning at once.
fn check_alignment(align_corners: bool, half_pixel_centers: bool) -> Result<()> {
    if align_corners && half_pixel_centers {
        bail!(
            InvalidArgument,
            "If half_pixel_centers is True, align_corners must be False."
        );
    }
    Ok(())
}

/// The weights of rows and columns.
fn axes(
    method: Method,
    from: Sizes,
    to: Sizes,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Result<[Spans; 2]> {
    let spans = |from, to| {
        method.spans(Grid {
            from,
            to,
            align_corners,
            half_pixel_centers,
        })
    };
    Ok([spans(from.h, to.h)?, spans(from.w, to.w)?])
}

impl Op for Resize {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check_alignment(self.align_corners, self.half_pixel_centers)?;
        check_some(inputs.shape(0), "images")?;
        let size = two_sizes(inputs, 1, "size")?;
        let shape = resized(inputs.shape(0), size);
        Ok(smallvec![TensorSpec::new(DType::Float32, shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (from, to) = (Sizes::of(inputs.shape(0))?, Sizes::of(&outputs[0].shape)?);
        if to.n * to.image() == 0 {
            return Ok(Lowered::Kernel(Box::new(|_| Ok(()))));
        }
        let (corners, middles) = (self.align_corners, self.half_pixel_centers);
        let [rows, columns] = axes(self.method, from, to, corners, middles)?;
        Ok(Lowered::Kernel(summing(
            from,
            inputs.dtype(0),
            rows,
            columns,
        )))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (x, grad) = (&call.inputs[0], call.grad()?);
        if !x.dtype().is_floating() {
            return Ok(smallvec![None, None]);
        }
        let op = ResizeGrad {
            decl: match self.method {
                Method::Linear => ResizeGrad::ResizeBilinearGrad,
                Method::Cubic => ResizeGrad::ResizeBicubicGrad,
                Method::Area => ResizeGrad::ResizeAreaGrad,
            },
            method: self.method,
            align_corners: self.align_corners,
            half_pixel_centers: self.half_pixel_centers,
        };
        let grad: Val = emit_as(e, Arc::new(op), &[grad.clone(), x.clone()])?;
        Ok(smallvec![Some(grad.into()), None])
    }
    fn flops(&self, _inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        sums(&outputs[0], 8.0)
    }
}

impl Op for ResizeGrad {
    of_family!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check_alignment(self.align_corners, self.half_pixel_centers)?;
        check_grads(inputs)?;
        Ok(smallvec![inputs.spec(1).clone()])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let (from, to) = (Sizes::of(inputs.shape(1))?, Sizes::of(inputs.shape(0))?);
        if from.n * from.image() == 0 {
            return Ok(Lowered::Kernel(Box::new(|_| Ok(()))));
        }
        let (corners, middles) = (self.align_corners, self.half_pixel_centers);
        let [rows, columns] = axes(self.method, from, to, corners, middles)?;
        let (rows, columns) = (rows.transposed(from.h)?, columns.transposed(from.w)?);
        Ok(Lowered::Kernel(spreading(
            to,
            inputs.dtype(1),
            rows,
            columns,
        )))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let grad = e.cast(call.grad()?, DType::Float32)?;
        let size = size_of(e, &call.inputs[0])?;
        let op = Resize {
            decl: match self.method {
                Method::Linear => Resize::ResizeBilinear,
                Method::Cubic => Resize::ResizeBicubic,
                Method::Area => Resize::ResizeArea,
            },
            method: self.method,
            align_corners: self.align_corners,
            half_pixel_centers: self.half_pixel_centers,
        };
        let grad: Val = emit_as(e, Arc::new(op), &[grad, size])?;
        Ok(smallvec![Some(grad.into()), None])
    }
    fn flops(&self, _inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        sums(&outputs[0], 8.0)
    }
}

/// So many operations for each element.
pub(crate) fn sums(output: &TensorSpec, each: f64) -> f64 {
    output.shape.n_elements().unwrap_or(0) as f64 * each
}

/// Refuses gradients and images of different numbers or channels, and of no pixels.
pub(crate) fn check_grads(inputs: &Inputs<'_>) -> Result<()> {
    let (grads, images) = (inputs.shape(0), inputs.shape(1));
    if [0, 3]
        .iter()
        .any(|&i| !grads.dim(i).is_compatible(images.dim(i)))
    {
        bail!(
            Shape,
            "grads of shape {grads} are not those of images of shape {images}"
        );
    }
    check_some(grads, "grads")?;
    check_some(images, "original_image")
}

/// The height and width of images as a vector.
pub(crate) fn size_of(e: &mut dyn Emitter, images: &Val) -> Result<Val> {
    use ferrograph_ops::emit::EmitSlice;
    let shape = e.shape_of(images)?;
    let (begin, two) = (e.int_vector(&[1])?, e.int_vector(&[2])?);
    e.slice(&shape, &begin, &two)
}

/// A kernel that sums over input 0, of `from` pixels.
pub(crate) fn summing(from: Sizes, dtype: DType, rows: Spans, columns: Spans) -> Kernel {
    Box::new(move |o| {
        let input = singles(o, 0, dtype)?;
        let sums = Resample {
            h: from.h,
            w: from.w,
            c: from.c,
            rows: &rows,
            columns: &columns,
        };
        sums.run(&input, o.output::<f32>(0));
        Ok(())
    })
}

/// A kernel that sums over the gradients that are input 0, of `from` pixels, for images of a dtype.
pub(crate) fn spreading(from: Sizes, dtype: DType, rows: Spans, columns: Spans) -> Kernel {
    Box::new(move |o| {
        let input = o.input::<f32>(0);
        let sums = Resample {
            h: from.h,
            w: from.w,
            c: from.c,
            rows: &rows,
            columns: &columns,
        };
        written(o, dtype, |output| {
            sums.run(input, output);
            Ok(())
        })
    })
}
