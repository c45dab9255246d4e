//! Boxes of images, given by relative corners, each resized to one size.

use ferrograph_graph::{
    Emitter, Grads, Inputs, Lowered, Op, Operands, Specs, VjpCall, declare, declared,
};
use ferrograph_kernels::pool::par_rows_mut;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_ops::emit::Build;
use ferrograph_tensor::{DType, Dim, PartialShape, Result, TensorSpec, bail, err};
use smallvec::smallvec;

use crate::pixels::{Sizes, check_some, singles, two_sizes, written};
use crate::resize::sums;

declare! {
    trait EmitCrop;

    /// The boxes `[y1, x1, y2, x2]` of the images that `box_ind` says, resized to `crop_size`, in single precision. The
    /// corners 0 and 1 are the middles of the first and the last pixel.
    CropAndResize: crop_and_resize(
        image: T in real rank 4, boxes: float32 rank 2, box_ind: int32 rank 1, crop_size: int32 rank 1,
    ) -> (crops: float32), gradient Vjp {
        /// "bilinear" or "nearest".
        method: String = String::from("bilinear"),
        /// The value of pixels beyond the image.
        extrapolation_value: f64 = 0.0,
    };

    /// The gradient of the images of `CropAndResize`, of shape `image_size`.
    CropAndResizeGradImage: crop_and_resize_grad_image(
        grads: float32 rank 4, boxes: float32 rank 2, box_ind: int32 rank 1, image_size: int32 rank 1,
    ) -> (output: T in floating), gradient Vjp {
        /// The dtype of the images.
        dtype as "T": DType,
        /// As in the operation.
        method: String = String::from("bilinear"),
    };

    /// The gradient of the boxes of `CropAndResize`, along which bilinear values change.
    CropAndResizeGradBoxes: crop_and_resize_grad_boxes(
        grads: float32 rank 4, image: T in real rank 4, boxes: float32 rank 2, box_ind: int32 rank 1,
    ) -> (output: float32), gradient Missing {
        /// As in the operation.
        method: String = String::from("bilinear"),
    };
}

/// Between which elements of an axis a place is, and how far from the first.
#[derive(Clone, Copy)]
struct Between {
    low: usize,
    high: usize,
    beyond: f32,
}

/// How elements of a box are spaced along an axis.
#[derive(Clone, Copy)]
struct Side {
    begin: f32,
    end: f32,
    /// Elements of the axis.
    from: usize,
    /// Elements of the crop.
    to: usize,
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
impl Side {
    fn last(&self) -> f32 {
        (self.from - 1) as f32
    }

    /// The place of element `i`; `None` beyond the image.
    fn place(&self, i: usize) -> Option<f32> {
        let at = match self.to > 1 {
            true => {
                let step = (self.end - self.begin) * self.last() / (self.to - 1) as f32;
                self.begin * self.last() + i as f32 * step
            }
            false => 0.5 * (self.begin + self.end) * self.last(),
        };
        (0.0..=self.last()).contains(&at).then_some(at)
    }

    fn between(&self, i: usize, is_nearest: bool) -> Option<Between> {
        let at = self.place(i)?;
        let near = |x: f32| (x as usize).min(self.from - 1);
        Some(match is_nearest {
            true => Between {
                low: near(at.round()),
                high: near(at.round()),
                beyond: 0.0,
            },
            false => Between {
                low: near(at.floor()),
                high: near(at.ceil()),
                beyond: at - at.floor(),
            },
        })
    }

    /// How the place of element `i` changes with the begin and the end of the box.
    fn slopes(&self, i: usize) -> [f32; 2] {
        match self.to > 1 {
            true => {
                let part = i as f32 / (self.to - 1) as f32;
                [self.last() * (1.0 - part), self.last() * part]
            }
            false => [0.5 * self.last(); 2],
        }
    }
}

/// Boxes of images: what all kernels here go over.
struct Crops<'a> {
    images: Sizes,
    h: usize,
    w: usize,
    boxes: &'a [f32],
    of: &'a [i32],
    is_nearest: bool,
}

impl Crops<'_> {
    /// Refuses boxes of images that there are not.
    fn check(&self) -> Result<()> {
        let wrong = |i: &&i32| !usize::try_from(**i).is_ok_and(|i| i < self.images.n);
        match self.of.iter().find(wrong) {
            Some(i) => bail!(
                OutOfRange,
                "box_index has values outside [0, batch_size): {i} of {}",
                self.images.n
            ),
            None => Ok(()),
        }
    }

    fn image_of(&self, n: usize) -> usize {
        self.of[n].unsigned_abs() as usize
    }

    fn sides(&self, n: usize) -> [Side; 2] {
        let corners = &self.boxes[4 * n..4 * n + 4];
        let side = |begin: f32, end: f32, from, to| Side {
            begin,
            end,
            from,
            to,
        };
        [
            side(corners[0], corners[2], self.images.h, self.h),
            side(corners[1], corners[3], self.images.w, self.w),
        ]
    }

    /// The four pixels around a place of an image, as where their channels begin.
    fn corners(&self, y: Between, x: Between) -> [usize; 4] {
        let at = |y: usize, x: usize| (y * self.images.w + x) * self.images.c;
        [
            at(y.low, x.low),
            at(y.low, x.high),
            at(y.high, x.low),
            at(y.high, x.high),
        ]
    }

    fn cut(&self, images: &[f32], beyond: f32, output: &mut [f32]) {
        let (c, row) = (self.images.c, self.w * self.images.c);
        par_rows_mut(output, row, row as f64 * 4.0, |first, rows| {
            for (i, row) in rows.chunks_exact_mut(row).enumerate() {
                let (n, line) = ((first + i) / self.h, (first + i) % self.h);
                let image = &images[self.image_of(n) * self.images.image()..];
                let [y, x] = self.sides(n);
                let y = y.between(line, self.is_nearest);
                for (column, to) in row.chunks_exact_mut(c).enumerate() {
                    let (Some(y), Some(x)) = (y, x.between(column, self.is_nearest)) else {
                        to.fill(beyond);
                        continue;
                    };
                    let [a, b, e, d] = self.corners(y, x);
                    for (k, to) in to.iter_mut().enumerate() {
                        let top = image[a + k] + (image[b + k] - image[a + k]) * x.beyond;
                        let bottom = image[e + k] + (image[d + k] - image[e + k]) * x.beyond;
                        *to = top + (bottom - top) * y.beyond;
                    }
                }
                poll_cancellation();
            }
        });
    }

    /// Calls `f` with each box, the place in the crops of each element within its image, and where that is.
    fn each(&self, mut f: impl FnMut(usize, usize, [Between; 2], [usize; 2])) {
        for n in 0..self.of.len() {
            let [y, x] = self.sides(n);
            for line in 0..self.h {
                let Some(row) = y.between(line, self.is_nearest) else {
                    continue;
                };
                for column in 0..self.w {
                    if let Some(at) = x.between(column, self.is_nearest) {
                        let place = ((n * self.h + line) * self.w + column) * self.images.c;
                        f(n, place, [row, at], [line, column]);
                    }
                }
                poll_cancellation();
            }
        }
    }

    fn spread(&self, grads: &[f32], output: &mut [f32]) {
        output.fill(0.0);
        self.each(|n, place, [y, x], _| {
            let image = &mut output[self.image_of(n) * self.images.image()..];
            let parts = [
                (1.0 - y.beyond) * (1.0 - x.beyond),
                (1.0 - y.beyond) * x.beyond,
                y.beyond * (1.0 - x.beyond),
                y.beyond * x.beyond,
            ];
            for (at, part) in self.corners(y, x).into_iter().zip(parts) {
                for k in 0..self.images.c {
                    image[at + k] += grads[place + k] * part;
                }
            }
        });
    }

    fn slopes(&self, grads: &[f32], images: &[f32], output: &mut [f32]) {
        output.fill(0.0);
        self.each(|n, place, [y, x], [line, column]| {
            let image = &images[self.image_of(n) * self.images.image()..];
            let [a, b, e, d] = self.corners(y, x);
            let (mut down, mut across) = (0.0, 0.0);
            for k in 0..self.images.c {
                let [a, b, e, d] = [a, b, e, d].map(|at| image[at + k]);
                let grad = grads[place + k];
                down += grad * ((1.0 - x.beyond) * (e - a) + x.beyond * (d - b));
                across += grad * ((1.0 - y.beyond) * (b - a) + y.beyond * (d - e));
            }
            let sides = self.sides(n);
            let (rows, columns) = (sides[0].slopes(line), sides[1].slopes(column));
            let to = &mut output[4 * n..4 * n + 4];
            to[0] += down * rows[0];
            to[1] += across * columns[0];
            to[2] += down * rows[1];
            to[3] += across * columns[1];
        });
    }
}

/// Refuses boxes that are not four numbers and an image each.
fn check_boxes(inputs: &Inputs<'_>, boxes: usize, of: usize) -> Result<Dim> {
    let (shape, images) = (inputs.shape(boxes), inputs.shape(of));
    if !shape.dim(1).is_compatible(Dim::new(4)) {
        bail!(Shape, "boxes must have 4 columns, got shape {shape}");
    }
    let n = PartialShape::new(&[shape.dim(0)]).merge(images);
    let n = n.map_err(|_| {
        err!(
            Shape,
            "box_ind of shape {images} are not one each of {shape}"
        )
    })?;
    Ok(n.dim(0))
}

/// Whether the nearest pixel is taken.
fn is_nearest(method: &str) -> Result<bool> {
    match method {
        "bilinear" => Ok(false),
        "nearest" => Ok(true),
        other => bail!(
            InvalidArgument,
            "method must be \"bilinear\" or \"nearest\", got {other:?}"
        ),
    }
}

fn crops<'a>(
    o: &Operands<'a>,
    boxes: usize,
    images: Sizes,
    [h, w]: [usize; 2],
    is_nearest: bool,
) -> Result<Crops<'a>> {
    let crops = Crops {
        images,
        h,
        w,
        boxes: o.input::<f32>(boxes),
        of: o.input::<i32>(boxes + 1),
        is_nearest,
    };
    crops.check()?;
    Ok(crops)
}

impl Op for CropAndResize {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        is_nearest(&self.method)?;
        check_some(inputs.shape(0), "image")?;
        let n = check_boxes(inputs, 1, 2)?;
        let [h, w] = two_sizes(inputs, 3, "crop_size")?;
        let shape = PartialShape::new(&[n, h, w, inputs.shape(0).dim(3)]);
        Ok(smallvec![TensorSpec::new(DType::Float32, shape)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (from, to) = (Sizes::of(inputs.shape(0))?, Sizes::of(&outputs[0].shape)?);
        let (near, dtype) = (is_nearest(&self.method)?, inputs.dtype(0));
        #[allow(clippy::cast_possible_truncation)]
        let beyond = self.extrapolation_value as f32;
        Ok(Lowered::Kernel(Box::new(move |o| {
            let crops = crops(o, 1, from, [to.h, to.w], near)?;
            let images = singles(o, 0, dtype)?;
            crops.cut(&images, beyond, o.output::<f32>(0));
            Ok(())
        })))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [x, boxes, of] = [0, 1, 2].map(|i| &call.inputs[i]);
        let (grad, method) = (call.grad()?, self.method.clone());
        let mut all: Grads = smallvec![None, None, None, None];
        if call.needs[0] && x.dtype().is_floating() {
            let size = e.shape_of(x)?;
            let grad =
                e.crop_and_resize_grad_image(grad, boxes, of, &size, x.dtype(), method.clone())?;
            all[0] = Some(grad.into());
        }
        if call.needs[1] {
            all[1] = Some(
                e.crop_and_resize_grad_boxes(grad, x, boxes, of, method)?
                    .into(),
            );
        }
        Ok(all)
    }
    fn flops(&self, _inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> f64 {
        sums(&outputs[0], 8.0)
    }
}

impl Op for CropAndResizeGradImage {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        is_nearest(&self.method)?;
        let n = check_boxes(inputs, 1, 2)?;
        let images = inputs.shape_value(3).merge(&PartialShape::of_rank(4))?;
        check_some(&images, "image_size")?;
        let grads = inputs.shape(0);
        if !grads.dim(0).is_compatible(n) || !grads.dim(3).is_compatible(images.dim(3)) {
            bail!(
                Shape,
                "grads of shape {grads} are not of {n} boxes of images of shape {images}"
            );
        }
        Ok(smallvec![TensorSpec::new(self.dtype, images)])
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (of, to) = (Sizes::of(inputs.shape(0))?, Sizes::of(&outputs[0].shape)?);
        let (near, dtype) = (is_nearest(&self.method)?, self.dtype);
        Ok(Lowered::Kernel(Box::new(move |o| {
            let crops = crops(o, 1, to, [of.h, of.w], near)?;
            let grads = o.input::<f32>(0);
            written(o, dtype, |output| {
                crops.spread(grads, output);
                Ok(())
            })
        })))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let [grads, boxes, of] = [0, 1, 2].map(|i| &call.inputs[i]);
        let grad = e.cast(call.grad()?, DType::Float32)?;
        let mut all: Grads = smallvec![None, None, None, None];
        if call.needs[0] {
            let size = crate::resize::size_of(e, grads)?;
            let crops = e.crop_and_resize(&grad, boxes, of, &size, self.method.clone(), 0.0)?;
            all[0] = Some(crops.into());
        }
        if call.needs[1] {
            // What is cut is linear in the image: the boxes move this sum as they would move that over the image.
            let slopes =
                e.crop_and_resize_grad_boxes(grads, &grad, boxes, of, self.method.clone())?;
            all[1] = Some(slopes.into());
        }
        Ok(all)
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        sums(inputs.spec(0), 16.0)
    }
}

impl Op for CropAndResizeGradBoxes {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        is_nearest(&self.method)?;
        check_some(inputs.shape(1), "image")?;
        let n = check_boxes(inputs, 2, 3)?;
        let (grads, images) = (inputs.shape(0), inputs.shape(1));
        if !grads.dim(0).is_compatible(n) || !grads.dim(3).is_compatible(images.dim(3)) {
            bail!(
                Shape,
                "grads of shape {grads} are not of {n} boxes of images of shape {images}"
            );
        }
        Ok(smallvec![inputs.spec(2).clone()])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let (of, images) = (Sizes::of(inputs.shape(0))?, Sizes::of(inputs.shape(1))?);
        let (near, dtype) = (is_nearest(&self.method)?, inputs.dtype(1));
        Ok(Lowered::Kernel(Box::new(move |o| {
            // The nearest pixel is not moved by a little: no box has a slope then.
            let crops = crops(o, 2, images, [of.h, of.w], false)?;
            let grads = o.input::<f32>(0);
            let images = singles(o, 1, dtype)?;
            match near {
                true => o.output::<f32>(0).fill(0.0),
                false => crops.slopes(grads, &images, o.output::<f32>(0)),
            }
            Ok(())
        })))
    }
    fn flops(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> f64 {
        sums(inputs.spec(0), 16.0)
    }
}
