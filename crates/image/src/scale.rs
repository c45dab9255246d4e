//! Resizing by kernels of any reach, with or without widening them where images shrink.

use ferrograph_graph::{Emitter, Grads, Inputs, Lowered, Op, Specs, VjpCall, declare, declared};
use ferrograph_ops::emit::Build;
use ferrograph_tensor::{DType, Dim, Result, TensorSpec, bail, err};
use smallvec::smallvec;

use crate::pixels::{Sizes, check_some, resized, two_sizes};
use crate::resize::{check_grads, size_of, spreading, summing, sums};
use crate::spans::{Bell, Spans};

declare! {
    trait EmitScale;

    /// Images of `size` pixels, in single precision: scaled, then moved.
    ScaleAndTranslate: scale_and_translate(
        images: T in real rank 4, size: int32 rank 1, scale: float32 rank 1, translation: float32 rank 1,
    ) -> (resized_images: float32), gradient Vjp, batch Folds(1) {
        /// How neighbours are weighed.
        kernel_type: String = String::from("lanczos3"),
        /// Whether more of them are where images shrink.
        antialias: bool = true,
    };

    /// The gradient of the images of `ScaleAndTranslate`.
    ScaleAndTranslateGrad: scale_and_translate_grad(
        grads: float32 rank 4, original_image: T in floating rank 4, scale: float32 rank 1, translation: float32 rank 1,
    ) -> (output: T), gradient Vjp, batch Folds(2) {
        /// As in the operation.
        kernel_type: String = String::from("lanczos3"),
        /// As in the operation.
        antialias: bool = true,
    };
}

/// Refuses vectors of other lengths than two, and scales that are not positive.
fn check_scale(inputs: &Inputs<'_>) -> Result<()> {
    for (i, what) in [(2, "scale"), (3, "translation")] {
        if !inputs.shape(i).dim(0).is_compatible(Dim::new(2)) {
            bail!(
                Shape,
                "{what} must have two elements, got {}",
                inputs.shape(i)
            );
        }
    }
    if let Some(scale) = inputs.constant(2)
        && scale
            .as_slice::<f32>()?
            .iter()
            .any(|s| !(*s > 0.0 && s.is_finite()))
    {
        bail!(InvalidArgument, "scale must be positive");
    }
    Ok(())
}

/// The weights of rows and columns; `None` where scale or translation are not known yet.
fn axes(
    inputs: &Inputs<'_>,
    kernel: &str,
    antialias: bool,
    from: Sizes,
    to: Sizes,
) -> Result<Option<[Spans; 2]>> {
    let (Some(scale), Some(by)) = (inputs.constant(2), inputs.constant(3)) else {
        return Ok(None);
    };
    let (scale, by) = (scale.as_slice::<f32>()?, by.as_slice::<f32>()?);
    let bell = bell(kernel)?;
    Ok(Some([
        bell.spans([from.h, to.h], scale[0], by[0], antialias)?,
        bell.spans([from.w, to.w], scale[1], by[1], antialias)?,
    ]))
}

fn bell(kernel: &str) -> Result<Bell> {
    Bell::named(kernel).ok_or_else(|| err!(InvalidArgument, "there is no kernel {kernel:?}"))
}

impl Op for ScaleAndTranslate {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        bell(&self.kernel_type)?;
        check_scale(inputs)?;
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
        let axes = axes(inputs, &self.kernel_type, self.antialias, from, to)?;
        Ok(axes.map_or(Lowered::Eval, |[rows, columns]| {
            Lowered::Kernel(summing(from, inputs.dtype(0), rows, columns))
        }))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (x, grad) = (&call.inputs[0], call.grad()?);
        if !x.dtype().is_floating() {
            return Ok(smallvec![None, None, None, None]);
        }
        let (scale, by) = (&call.inputs[2], &call.inputs[3]);
        let (kernel, antialias) = (self.kernel_type.clone(), self.antialias);
        let grad = e.scale_and_translate_grad(grad, x, scale, by, kernel, antialias)?;
        Ok(smallvec![Some(grad.into()), None, None, None])
    }
    fn flops(&self, _inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        sums(&outputs[0], 16.0)
    }
}

impl Op for ScaleAndTranslateGrad {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        bell(&self.kernel_type)?;
        check_scale(inputs)?;
        check_grads(inputs)?;
        Ok(smallvec![inputs.spec(1).clone()])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let (from, to) = (Sizes::of(inputs.shape(1))?, Sizes::of(inputs.shape(0))?);
        if from.n * from.image() == 0 {
            return Ok(Lowered::Kernel(Box::new(|_| Ok(()))));
        }
        let axes = axes(inputs, &self.kernel_type, self.antialias, from, to)?;
        let Some([rows, columns]) = axes else {
            return Ok(Lowered::Eval);
        };
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
        let (scale, by) = (&call.inputs[2], &call.inputs[3]);
        let (kernel, antialias) = (self.kernel_type.clone(), self.antialias);
        let grad = e.scale_and_translate(&grad, &size, scale, by, kernel, antialias)?;
        Ok(smallvec![Some(grad.into()), None, None, None])
    }
    fn flops(&self, _inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        sums(&outputs[0], 16.0)
    }
}
