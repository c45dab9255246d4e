//! What kernels know of images: their sizes, and their elements as floats.

use std::borrow::Cow;

use ferrograph_graph::{Inputs, Operands};
use ferrograph_kernels::scratch::collected;
use ferrograph_tensor::{DType, Dim, PartialShape, Result, Tensor, bail, err, with_element};
use num_traits::AsPrimitive;

/// The sizes of a stack of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub n: usize,
    pub h: usize,
    pub w: usize,
    pub c: usize,
}

impl Sizes {
    /// The sizes of a static shape of rank 4.
    pub fn of(shape: &PartialShape) -> Result<Sizes> {
        match shape.to_static().as_deref() {
            Some(&[n, h, w, c]) => Ok(Sizes { n, h, w, c }),
            _ => Err(err!(Internal, "shape {shape} is open or not of rank 4")),
        }
    }

    /// Elements of an image.
    pub fn image(&self) -> usize {
        self.h * self.w * self.c
    }

    /// Elements of a row.
    pub fn row(&self) -> usize {
        self.w * self.c
    }
}

/// Two positive sizes that the vector that is input `i` holds, as far as they are known.
pub(crate) fn two_sizes(inputs: &Inputs<'_>, i: usize, what: &str) -> Result<[Dim; 2]> {
    if !inputs.shape(i).dim(0).is_compatible(Dim::new(2)) {
        bail!(
            Shape,
            "{what} must have two elements, got {}",
            inputs.shape(i)
        );
    }
    let known = inputs.known(i).unwrap_or_default();
    if let Some(wrong) = known.iter().flatten().find(|n| **n <= 0) {
        bail!(InvalidArgument, "{what} must be positive, got {wrong}");
    }
    let spelled = inputs.shape_value(i);
    Ok(match spelled.rank() {
        Some(2) => [spelled.dim(0), spelled.dim(1)],
        _ => [Dim::UNKNOWN; 2],
    })
}

/// Refuses numbers that single precision does not hold.
pub(crate) fn check_single(dtype: DType, what: &str) -> Result<()> {
    if dtype == DType::Float64 {
        bail!(
            DType,
            "{what} must be float32 or of fewer bits, got {dtype}"
        );
    }
    Ok(())
}

/// The shape of images of another height and width.
pub(crate) fn resized(images: &PartialShape, [h, w]: [Dim; 2]) -> PartialShape {
    PartialShape::new(&[images.dim(0), h, w, images.dim(3)])
}

/// Refuses images of no pixels or channels, as far as that is known.
pub(crate) fn check_some(images: &PartialShape, what: &str) -> Result<()> {
    if [1, 2, 3].iter().any(|&i| images.dim(i).known() == Some(0)) {
        bail!(
            InvalidArgument,
            "{what} must have pixels and channels, got shape {images}"
        );
    }
    Ok(())
}

/// The elements of a tensor as floats of single precision.
pub(crate) fn singles_of(t: &Tensor) -> Result<Cow<'_, [f32]>> {
    if t.dtype() == DType::Float32 {
        return Ok(Cow::Borrowed(t.as_slice::<f32>()?));
    }
    Ok(Cow::Owned(with_element!(t.dtype(), real, T => {
        collected(t.as_slice::<T>()?.iter().map(|x| AsPrimitive::<f32>::as_(*x)))
    }, else => bail!(DType, "{} is no dtype of numbers", t.dtype()))))
}

/// Input `i` as floats of single precision.
pub(crate) fn singles<'a>(o: &Operands<'a>, i: usize, dtype: DType) -> Result<Cow<'a, [f32]>> {
    if dtype == DType::Float32 {
        return Ok(Cow::Borrowed(o.input::<f32>(i)));
    }
    Ok(Cow::Owned(with_element!(dtype, real, T => {
        collected(o.input::<T>(i).iter().map(|x| AsPrimitive::<f32>::as_(*x)))
    }, else => bail!(DType, "{dtype} is no dtype of pixels"))))
}

/// What `fill` writes as floats of single precision, in the output of that dtype.
pub(crate) fn written(
    o: &mut Operands<'_>,
    dtype: DType,
    fill: impl FnOnce(&mut [f32]) -> Result<()>,
) -> Result<()> {
    if dtype == DType::Float32 {
        return fill(o.output::<f32>(0));
    }
    with_element!(dtype, floating, T => {
        let output = o.output::<T>(0);
        let mut singles = ferrograph_kernels::scratch::vec_of(0f32, output.len());
        fill(&mut singles)?;
        for (to, x) in output.iter_mut().zip(&singles) {
            *to = AsPrimitive::<T>::as_(*x);
        }
        Ok(())
    }, else => bail!(DType, "{dtype} has no gradient"))
}
