//! Boxes drawn onto images.

use ferrograph_graph::{Inputs, Lowered, Op, Specs, declare, declared};
use ferrograph_kernels::pool::par_rows_mut;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{Dim, Result, TensorSpec, bail};
use smallvec::smallvec;

use crate::pixels::{Sizes, check_single, singles, written};

declare! {
    trait EmitBoxes;

    /// The images with the outlines of boxes `[y1, x1, y2, x2]`, given by relative corners, one pixel wide, in turns of
    /// each of the colours, of which there is a table where none are given.
    DrawBoundingBoxesV2: draw_bounding_boxes(images: T in floating rank 4, boxes: float32 rank 3, colors: float32 rank 2)
        -> (output: T), gradient Missing, batch Folds(2);
}

/// Colours for those who give none.
const COLORS: [[f32; 4]; 10] = [
    [1.0, 1.0, 0.0, 1.0],
    [0.0, 0.0, 1.0, 1.0],
    [1.0, 0.0, 0.0, 1.0],
    [0.0, 1.0, 0.0, 1.0],
    [0.5, 0.0, 0.5, 1.0],
    [0.5, 0.5, 0.0, 1.0],
    [0.5, 0.0, 0.0, 1.0],
    [0.0, 0.0, 0.5, 1.0],
    [0.0, 1.0, 1.0, 1.0],
    [1.0, 0.0, 1.0, 1.0],
];

/// The images, and how many boxes and colours there are.
#[derive(Clone, Copy)]
struct Drawing {
    images: Sizes,
    boxes: usize,
    colors: usize,
}

impl Op for DrawBoundingBoxesV2 {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        let [images, boxes, colors] = [0, 1, 2].map(|i| inputs.shape(i));
        check_single(inputs.dtype(0), "images")?;
        if !boxes.dim(2).is_compatible(Dim::new(4)) || !boxes.dim(0).is_compatible(images.dim(0)) {
            bail!(
                Shape,
                "boxes of shape {boxes} are not four corners each for images of shape {images}"
            );
        }
        let depth = images.dim(3).known();
        let deep = colors.dim(1).known();
        if colors.dim(0).known() != Some(0) && depth.zip(deep).is_some_and(|(c, d)| d < c) {
            bail!(
                InvalidArgument,
                "colors must have {} columns for images of shape {images}, got shape {colors}",
                images.dim(3)
            );
        }
        if depth.is_some_and(|c| !matches!(c, 1 | 3 | 4)) {
            bail!(
                InvalidArgument,
                "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)"
            );
        }
        Ok(smallvec![inputs.spec(0).clone()])
    }
    fn lower(&self, inputs: &Inputs<'_>, _outputs: &[TensorSpec]) -> Result<Lowered> {
        let known = |i: usize, axis| inputs.shape(i).dim(axis).known().unwrap_or(0);
        let drawing = Drawing {
            images: Sizes::of(inputs.shape(0))?,
            boxes: known(1, 1),
            colors: known(2, 0),
        };
        let (dtype, columns) = (inputs.dtype(0), known(2, 1));
        Ok(Lowered::Kernel(Box::new(move |o| {
            let images = singles(o, 0, dtype)?;
            let (boxes, colors) = (o.input::<f32>(1), o.input::<f32>(2));
            let color = |i: usize| match drawing.colors {
                0 => &COLORS[i % COLORS.len()][..],
                n => &colors[i % n * columns..][..columns],
            };
            written(o, dtype, |output| {
                output.copy_from_slice(&images);
                drawing.draw(boxes, &color, output);
                Ok(())
            })
        })))
    }
}

impl Drawing {
    fn draw<'a>(
        &self,
        boxes: &[f32],
        color: &(dyn Fn(usize) -> &'a [f32] + Sync),
        output: &mut [f32],
    ) {
        let image = self.images.image();
        par_rows_mut(output, image, 20.0 * self.boxes as f64, |first, images| {
            for (i, image) in images.chunks_exact_mut(image).enumerate() {
                let boxes = boxes[(first + i) * self.boxes * 4..].chunks_exact(4);
                for (n, corners) in boxes.take(self.boxes).enumerate() {
                    self.outline(image, corners, color(n));
                    poll_cancellation();
                }
            }
        });
    }

    /// Draws the sides that are within the image.
    fn outline(&self, image: &mut [f32], corners: &[f32], color: &[f32]) {
        let (h, w, c) = (self.images.h, self.images.w, self.images.c);
        // Whole numbers of pixels towards zero; NaN is none.
        #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
        let pixel = |x: f32, n: usize| (x * (n - 1) as f32) as i64;
        let (top, bottom) = (pixel(corners[0], h), pixel(corners[2], h));
        let (left, right) = (pixel(corners[1], w), pixel(corners[3], w));
        let outside = |a: i64, b: i64, n: usize| a > b || a >= n as i64 || b < 0;
        if outside(top, bottom, h) || outside(left, right, w) {
            return;
        }
        let within = |x: i64, n: usize| usize::try_from(x.max(0)).unwrap_or(0).min(n - 1);
        let mut paint = |y: usize, x: usize| {
            let at = (y * w + x) * c;
            image[at..at + c].copy_from_slice(&color[..c]);
        };
        let (rows, columns) = (
            within(top, h)..=within(bottom, h),
            within(left, w)..=within(right, w),
        );
        for (side, n) in [(top, h), (bottom, h)] {
            if side == within(side, n) as i64 {
                columns.clone().for_each(|x| paint(within(side, n), x));
            }
        }
        for (side, n) in [(left, w), (right, w)] {
            if side == within(side, n) as i64 {
                rows.clone().for_each(|y| paint(y, within(side, n)));
            }
        }
    }
}
