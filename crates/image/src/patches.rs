//! Windows of images laid out as channels.

use ferrograph_graph::{Emitter, Grads, Inputs, Lowered, Op, Specs, VjpCall, declare, declared};
use ferrograph_kernels::pool::par_rows_mut;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_ops::emit::Build;
use ferrograph_tensor::{DType, Dim, PartialShape, Result, TensorSpec, bail, err, with_element};
use smallvec::smallvec;

use crate::pixels::Sizes;

declare! {
    trait EmitPatches;

    /// Each window of the images as the channels of one pixel: row by row, pixel by pixel, zeros beyond the image.
    ExtractImagePatches: extract_image_patches(images: T in dense rank 4) -> (patches: T), gradient Vjp, batch Folds(1) {
        /// Sizes of windows, along each axis.
        ksizes: Vec<i64>,
        /// How far windows are apart, along each axis.
        strides: Vec<i64>,
        /// How far elements of a window are apart, along each axis.
        rates: Vec<i64>,
        /// "VALID" or "SAME".
        padding: String,
    };

    /// The gradient of the images of `ExtractImagePatches`, of shape `image_size`: each of `grads` goes back to its pixel.
    ExtractImagePatchesGrad: extract_image_patches_grad(grads: T in inexact rank 4, image_size: int32 rank 1)
        -> (output: T), gradient Vjp {
        /// As in the operation.
        ksizes: Vec<i64>,
        /// As in the operation.
        strides: Vec<i64>,
        /// As in the operation.
        rates: Vec<i64>,
        /// As in the operation.
        padding: String,
    };
}

/// How windows are spaced along one axis.
#[derive(Clone, Copy, Debug)]
struct Axis {
    size: usize,
    stride: usize,
    rate: usize,
}

impl Axis {
    /// How far a window reaches.
    fn reach(&self) -> Result<usize> {
        let reach = (self.size - 1).checked_mul(self.rate);
        let reach = reach.and_then(|n| n.checked_add(1));
        reach.ok_or_else(|| err!(InvalidArgument, "ksizes and rates are too large"))
    }

    /// How many windows there are along an axis of `n` elements, and how far the first begins before it.
    fn windows(&self, n: usize, is_same: bool) -> Result<(usize, usize)> {
        let reach = self.reach()?;
        if is_same {
            let count = n.div_ceil(self.stride);
            let end = count
                .saturating_sub(1)
                .saturating_mul(self.stride)
                .saturating_add(reach);
            return Ok((count, end.saturating_sub(n) / 2));
        }
        Ok(((n + 1).saturating_sub(reach).div_ceil(self.stride), 0))
    }

    /// Where element `k` of window `i` is.
    fn at(&self, i: usize, k: usize, before: usize, n: usize) -> Option<usize> {
        let at = (i * self.stride + k.checked_mul(self.rate)?).checked_sub(before)?;
        (at < n).then_some(at)
    }
}

/// The attributes.
#[derive(Clone, Copy, Debug)]
struct Windows {
    down: Axis,
    across: Axis,
    is_same: bool,
}

impl Windows {
    fn read(ksizes: &[i64], strides: &[i64], rates: &[i64], padding: &str) -> Result<Windows> {
        let read = |what: &str, all: &[i64]| match *all {
            [1, h, w, 1] if h > 0 && w > 0 => {
                Ok([h.unsigned_abs() as usize, w.unsigned_abs() as usize])
            }
            _ => Err(err!(
                InvalidArgument,
                "{what} must be 1, two positive integers and 1, got {all:?}"
            )),
        };
        let (sizes, strides) = (read("ksizes", ksizes)?, read("strides", strides)?);
        let rates = read("rates", rates)?;
        let axis = |i: usize| Axis {
            size: sizes[i],
            stride: strides[i],
            rate: rates[i],
        };
        let is_same = match padding {
            "SAME" => true,
            "VALID" => false,
            other => bail!(
                InvalidArgument,
                "padding must be \"VALID\" or \"SAME\", got {other:?}"
            ),
        };
        Ok(Windows {
            down: axis(0),
            across: axis(1),
            is_same,
        })
    }

    fn patches(&self, images: &PartialShape) -> Result<PartialShape> {
        let count = |axis: Axis, dim: Dim| -> Result<Dim> {
            let n = dim.known().map(|n| axis.windows(n, self.is_same));
            Ok(n.transpose()?.map(|(n, _)| n).into())
        };
        let taps = self.down.size.checked_mul(self.across.size);
        let taps = taps.ok_or_else(|| err!(InvalidArgument, "ksizes are too large"))?;
        let deep = images.dim(3).known().map(|c| c.checked_mul(taps));
        if deep == Some(None) {
            bail!(
                InvalidArgument,
                "ksizes are too large for images of shape {images}"
            );
        }
        Ok(PartialShape::new(&[
            images.dim(0),
            count(self.down, images.dim(1))?,
            count(self.across, images.dim(2))?,
            deep.flatten().into(),
        ]))
    }

    /// Calls `f` with each pixel of a window that is within the image: where it is among the elements of the window,
    /// and in the image.
    fn each(&self, of: Sizes, [y, x]: [usize; 2], mut f: impl FnMut(usize, usize)) -> Result<()> {
        let (_, above) = self.down.windows(of.h, self.is_same)?;
        let (_, left) = self.across.windows(of.w, self.is_same)?;
        for i in 0..self.down.size {
            let Some(row) = self.down.at(y, i, above, of.h) else {
                continue;
            };
            for j in 0..self.across.size {
                if let Some(column) = self.across.at(x, j, left, of.w) {
                    f(
                        (i * self.across.size + j) * of.c,
                        (row * of.w + column) * of.c,
                    );
                }
            }
        }
        Ok(())
    }
}

macro_rules! reads_windows {
    ($($name:ident)*) => { $(
        impl $name {
            fn windows(&self) -> Result<Windows> {
                Windows::read(&self.ksizes, &self.strides, &self.rates, &self.padding)
            }
        }
    )* };
}
reads_windows!(ExtractImagePatches ExtractImagePatchesGrad);

impl Op for ExtractImagePatches {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let shape = self.windows()?.patches(inputs.shape(0))?;
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (windows, of) = (self.windows()?, Sizes::of(inputs.shape(0))?);
        let (to, size) = (Sizes::of(&outputs[0].shape)?, inputs.dtype(0).size());
        Ok(Lowered::Kernel(Box::new(move |o| {
            let input = o.input_bytes(0);
            let (pixel, patch) = (of.c * size, to.c * size);
            par_rows_mut(o.output_bytes(0), patch, patch as f64, |first, all| {
                for (i, patch) in all.chunks_exact_mut(patch).enumerate() {
                    let (rest, x) = ((first + i) / to.w, (first + i) % to.w);
                    let image = &input[rest / to.h * of.image() * size..];
                    patch.fill(0);
                    let copy = |at: usize, from: usize| {
                        patch[at * size..][..pixel].copy_from_slice(&image[from * size..][..pixel]);
                    };
                    // Sizes that do not fit were refused with the shapes.
                    let _ = windows.each(of, [rest % to.h, x], copy);
                    poll_cancellation();
                }
            });
            Ok(())
        })))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (x, grad) = (&call.inputs[0], call.grad()?);
        let size = e.shape_of(x)?;
        let (k, s, r) = (
            self.ksizes.clone(),
            self.strides.clone(),
            self.rates.clone(),
        );
        let grad = e.extract_image_patches_grad(grad, &size, k, s, r, self.padding.clone())?;
        Ok(smallvec![Some(grad.into())])
    }
}

impl Op for ExtractImagePatchesGrad {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let images = inputs.shape_value(1).merge(&PartialShape::of_rank(4))?;
        let patches = self.windows()?.patches(&images)?;
        if !patches.is_compatible(inputs.shape(0)) {
            bail!(
                Shape,
                "grads have shape {} but patches of images of shape {images} have shape {patches}",
                inputs.shape(0)
            );
        }
        Ok(smallvec![TensorSpec::new(inputs.dtype(0), images)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (windows, to) = (self.windows()?, Sizes::of(&outputs[0].shape)?);
        let (of, dtype) = (Sizes::of(inputs.shape(0))?, inputs.dtype(0));
        Ok(Lowered::Kernel(match dtype {
            DType::Float16 | DType::BFloat16 => Box::new(move |o| {
                let grads = crate::pixels::singles(o, 0, dtype)?;
                crate::pixels::written(o, dtype, |output| fold(windows, &grads, of, to, output))
            }),
            _ => with_element!(dtype, inexact, T => Box::new(move |o| {
                fold(windows, o.input::<T>(0), of, to, o.output::<T>(0))
            }), else => bail!(DType, "{dtype} has no gradient")),
        }))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (k, s, r) = (
            self.ksizes.clone(),
            self.strides.clone(),
            self.rates.clone(),
        );
        let grad = e.extract_image_patches(call.grad()?, k, s, r, self.padding.clone())?;
        Ok(smallvec![Some(grad.into()), None])
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        inputs.shape(0).n_elements().unwrap_or(0) as f64
    }
}

/// Adds each element of the patches to its pixel.
fn fold<T: Copy + Default + Send + Sync + std::ops::Add<Output = T>>(
    windows: Windows,
    patches: &[T],
    of: Sizes,
    to: Sizes,
    output: &mut [T],
) -> Result<()> {
    par_rows_mut(output, to.image(), of.image() as f64, |first, images| {
        for (i, image) in images.chunks_exact_mut(to.image()).enumerate() {
            image.fill(T::default());
            let patches = patches[(first + i) * of.image()..].chunks_exact(of.c.max(1));
            for (n, patch) in patches.take(of.h * of.w).enumerate() {
                let add = |at: usize, into: usize| {
                    let pixels = image[into..][..to.c].iter_mut();
                    pixels.zip(&patch[at..]).for_each(|(x, g)| *x = *x + *g);
                };
                // Sizes that do not fit were refused with the shapes.
                let _ = windows.each(to, [n / of.w, n % of.w], add);
                poll_cancellation();
            }
        }
    });
    Ok(())
}
