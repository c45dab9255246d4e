//! Resizing by the nearest pixel.

use ferrograph_graph::{
    Emitter, Grads, Inputs, Kernel, Lowered, Op, Specs, VjpCall, declare, declared,
};
use ferrograph_kernels::pool::par_rows_mut;
use ferrograph_kernels::stop::poll_cancellation;
use ferrograph_tensor::{DType, Result, TensorSpec, bail, vec_for};
use smallvec::smallvec;

use crate::pixels::{Sizes, check_some, resized, singles, two_sizes, written};
use crate::resize::size_of;
use crate::spans::Grid;

declare! {
    trait EmitNearest;

    /// Images of `size` pixels, each the one of `images` that is nearest.
    ResizeNearestNeighbor: resize_nearest_neighbor(images: T in real rank 4, size: int32 rank 1)
        -> (resized_images: T), gradient Vjp, batch Folds(1) {
        /// The middles of corners coincide.
        align_corners: bool = false,
        /// Pixels are at their middles.
        half_pixel_centers: bool = false,
    };

    /// The gradient of the images of `ResizeNearestNeighbor`, of `size` pixels: each of `grads` goes to the nearest one.
    ResizeNearestNeighborGrad: resize_nearest_neighbor_grad(grads: T in floating rank 4, size: int32 rank 1)
        -> (output: T), gradient Vjp, batch Folds(1) {
        /// As in the operation.
        align_corners: bool = false,
        /// As in the operation.
        half_pixel_centers: bool = false,
    };
}

/// For each element of an axis the nearest one of the other.
fn places(
    from: usize,
    to: usize,
    align_corners: bool,
    half_pixel_centers: bool,
) -> Result<Vec<usize>> {
    let grid = Grid {
        from,
        to,
        align_corners,
        half_pixel_centers,
    };
    let mut all = vec_for(to)?;
    all.extend((0..to).map(|i| grid.nearest(i)));
    Ok(all)
}

fn check(inputs: &Inputs<'_>, both: [bool; 2], what: &str) -> Result<Specs> {
    if both == [true; 2] {
        bail!(
            InvalidArgument,
            "If half_pixel_centers is True, align_corners must be False."
        );
    }
    check_some(inputs.shape(0), what)?;
    let size = two_sizes(inputs, 1, "size")?;
    let shape = resized(inputs.shape(0), size);
    Ok(smallvec![TensorSpec::new(inputs.dtype(0), shape)])
}

impl Op for ResizeNearestNeighbor {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check(
            inputs,
            [self.align_corners, self.half_pixel_centers],
            "images",
        )
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (from, to) = (Sizes::of(inputs.shape(0))?, Sizes::of(&outputs[0].shape)?);
        if to.n * to.image() == 0 {
            return Ok(Lowered::Kernel(Box::new(|_| Ok(()))));
        }
        let (corners, middles) = (self.align_corners, self.half_pixel_centers);
        let rows = places(from.h, to.h, corners, middles)?;
        let columns = places(from.w, to.w, corners, middles)?;
        let pixel = from.c * inputs.dtype(0).size();
        Ok(Lowered::Kernel(match pixel {
            1 => picking::<1>(from, rows, columns),
            3 => picking::<3>(from, rows, columns),
            4 => picking::<4>(from, rows, columns),
            12 => picking::<12>(from, rows, columns),
            16 => picking::<16>(from, rows, columns),
            _ => picking_any(from, pixel, rows, columns),
        }))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let (x, grad) = (&call.inputs[0], call.grad()?);
        let size = size_of(e, x)?;
        let (corners, middles) = (self.align_corners, self.half_pixel_centers);
        let grad = e.resize_nearest_neighbor_grad(grad, &size, corners, middles)?;
        Ok(smallvec![Some(grad.into()), None])
    }
}

/// Copies pixels of `N` bytes.
fn picking<const N: usize>(from: Sizes, rows: Vec<usize>, columns: Vec<usize>) -> Kernel {
    copying(from, N, rows, columns, |columns, row, to| {
        let (pixels, _) = row.as_chunks::<N>();
        let (to, _) = to.as_chunks_mut::<N>();
        to.iter_mut()
            .zip(columns)
            .for_each(|(to, &x)| *to = pixels[x]);
    })
}

/// Copies pixels of as many bytes as they have.
fn picking_any(from: Sizes, pixel: usize, rows: Vec<usize>, columns: Vec<usize>) -> Kernel {
    copying(from, pixel, rows, columns, move |columns, row, to| {
        for (to, &x) in to.chunks_exact_mut(pixel).zip(columns) {
            to.copy_from_slice(&row[x * pixel..][..pixel]);
        }
    })
}

/// A kernel that lets `copy` pick the columns of each row.
fn copying(
    from: Sizes,
    pixel: usize,
    rows: Vec<usize>,
    columns: Vec<usize>,
    copy: impl Fn(&[usize], &[u8], &mut [u8]) + Send + Sync + 'static,
) -> Kernel {
    Box::new(move |o| {
        let input = o.input_bytes(0);
        let line = columns.len() * pixel;
        par_rows_mut(o.output_bytes(0), line, line as f64, |first, all| {
            for (i, to) in all.chunks_exact_mut(line).enumerate() {
                let (image, y) = ((first + i) / rows.len(), (first + i) % rows.len());
                let at = (image * from.h + rows[y]) * from.w * pixel;
                copy(&columns, &input[at..][..from.w * pixel], to);
                poll_cancellation();
            }
        });
        Ok(())
    })
}

impl Op for ResizeNearestNeighborGrad {
    declared!();
    fn infer(&self, inputs: &Inputs<'_>) -> Result<Specs> {
        check(
            inputs,
            [self.align_corners, self.half_pixel_centers],
            "grads",
        )
    }
    fn lower(&self, inputs: &Inputs<'_>, outputs: &[TensorSpec]) -> Result<Lowered> {
        let (of, to) = (Sizes::of(inputs.shape(0))?, Sizes::of(&outputs[0].shape)?);
        if to.n * to.image() == 0 {
            return Ok(Lowered::Kernel(Box::new(|_| Ok(()))));
        }
        let (corners, middles) = (self.align_corners, self.half_pixel_centers);
        let rows = places(to.h, of.h, corners, middles)?;
        let columns = places(to.w, of.w, corners, middles)?;
        let dtype = inputs.dtype(0);
        Ok(Lowered::Kernel(Box::new(move |o| {
            if dtype == DType::Float64 {
                let grads = o.input::<f64>(0);
                spread(grads, of, to, [&rows, &columns], o.output::<f64>(0));
                return Ok(());
            }
            let grads = singles(o, 0, dtype)?;
            written(o, dtype, |output| {
                spread(&grads, of, to, [&rows, &columns], output);
                Ok(())
            })
        })))
    }
    fn vjp(&self, e: &mut dyn Emitter, call: &VjpCall<'_>) -> Result<Grads> {
        let size = size_of(e, &call.inputs[0])?;
        let (corners, middles) = (self.align_corners, self.half_pixel_centers);
        let grad = e.resize_nearest_neighbor(call.grad()?, &size, corners, middles)?;
        Ok(smallvec![Some(grad.into()), None])
    }
}

/// Adds each gradient to the pixel that it came of.
fn spread<T: num_traits::Float + std::ops::AddAssign + Send + Sync>(
    grads: &[T],
    of: Sizes,
    to: Sizes,
    [rows, columns]: [&[usize]; 2],
    output: &mut [T],
) {
    par_rows_mut(output, to.image(), of.image() as f64, |first, images| {
        for (i, image) in images.chunks_exact_mut(to.image()).enumerate() {
            image.fill(T::zero());
            let grads = &grads[(first + i) * of.image()..][..of.image()];
            for (y, line) in grads.chunks_exact(of.row().max(1)).enumerate() {
                let row = &mut image[rows[y] * to.row()..][..to.row()];
                for (x, pixel) in line.chunks_exact(of.c).enumerate() {
                    let to = &mut row[columns[x] * of.c..][..of.c];
                    to.iter_mut().zip(pixel).for_each(|(to, g)| *to += *g);
                }
                poll_cancellation();
            }
        }
    });
}
