//! Values of one feature in many examples, one behind the other.

use ferrograph_formats::example::Feature;
use ferrograph_tensor::{
    Bytes, DType, Dims, Element, Result, Shape, Tensor, bail, string_of, vec_for,
};

/// Strings, floats or integers.
pub(super) enum Values {
    Ints(Vec<i64>),
    Floats(Vec<f32>),
    Strings(Vec<Bytes>),
}

/// The same work on whichever vector it is.
macro_rules! each_kind {
    ($values:expr, $all:ident => $work:expr) => {
        match $values {
            Values::Ints($all) => $work,
            Values::Floats($all) => $work,
            Values::Strings($all) => $work,
        }
    };
}

impl Values {
    /// No values of that dtype.
    ///
    /// # Errors
    /// `DType` for one that features do not have.
    pub(super) fn new(dtype: DType) -> Result<Values> {
        match dtype {
            DType::Int64 => Ok(Values::Ints(Vec::new())),
            DType::Float32 => Ok(Values::Floats(Vec::new())),
            DType::String => Ok(Values::Strings(Vec::new())),
            other => bail!(
                DType,
                "features are float32, int64 or string, not {other}; cast them afterwards"
            ),
        }
    }

    pub(super) fn dtype(&self) -> DType {
        match self {
            Values::Ints(_) => DType::Int64,
            Values::Floats(_) => DType::Float32,
            Values::Strings(_) => DType::String,
        }
    }

    pub(super) fn len(&self) -> usize {
        each_kind!(self, all => all.len())
    }

    /// Adds the values of a feature, which is of this dtype.
    pub(super) fn add(&mut self, feature: &Feature<'_>) -> Result<()> {
        match self {
            Values::Ints(all) => feature.ints(all),
            Values::Floats(all) => feature.floats(all),
            Values::Strings(all) => feature.strings(|s| {
                all.push(string_of(s)?);
                Ok(())
            }),
        }
    }

    /// Adds the elements of a tensor.
    pub(super) fn extend(&mut self, tensor: &Tensor) -> Result<()> {
        match self {
            Values::Ints(all) => all.extend_from_slice(tensor.as_slice()?),
            Values::Floats(all) => all.extend_from_slice(tensor.as_slice()?),
            Values::Strings(all) => all.extend_from_slice(tensor.as_strings()?),
        }
        Ok(())
    }

    /// The values as a tensor of that shape.
    pub(super) fn tensor(self, shape: impl Into<Shape>) -> Result<Tensor> {
        match self {
            Values::Ints(all) => Tensor::from_slice(shape, &all),
            Values::Floats(all) => Tensor::from_slice(shape, &all),
            Values::Strings(all) => Tensor::from_strings(shape.into(), all),
        }
    }

    /// The values as a vector.
    pub(super) fn vector(self) -> Result<Tensor> {
        let n = self.len();
        self.tensor([n])
    }

    /// Rows of `width` values as a tensor of that shape: `counts` values each, filled up with `filler`.
    pub(super) fn padded(
        self,
        counts: &[usize],
        width: usize,
        filler: &Tensor,
        shape: Dims,
    ) -> Result<Tensor> {
        let shape = Shape::from(shape);
        match self {
            Values::Ints(all) => {
                Tensor::from_slice(shape, &filled(&all, counts, width, filler.item()?)?)
            }
            Values::Floats(all) => {
                Tensor::from_slice(shape, &filled(&all, counts, width, filler.item()?)?)
            }
            Values::Strings(all) => {
                let [filler] = filler.as_strings()? else {
                    bail!(
                        Shape,
                        "a default value must be a scalar, got {}",
                        filler.spec()
                    );
                };
                Tensor::from_strings(shape, filled(&all, counts, width, filler.clone())?)
            }
        }
    }
}

/// Rows of `width` elements: `counts` of them each, and then copies of `filler`.
fn filled<T: Clone>(all: &[T], counts: &[usize], width: usize, filler: T) -> Result<Vec<T>> {
    let mut rows = vec_for(counts.len().saturating_mul(width))?;
    let mut from = 0;
    for (i, count) in counts.iter().enumerate() {
        rows.extend_from_slice(&all[from..from + count]);
        rows.resize((i + 1) * width, filler.clone());
        from += count;
    }
    Ok(rows)
}

/// A vector of integers of that dtype.
pub(super) fn splits(dtype: DType, lengths: impl Iterator<Item = usize>) -> Result<Tensor> {
    let mut all = vec![0i64];
    let mut end = 0;
    for length in lengths {
        end += length as i64;
        all.push(end);
    }
    match dtype {
        DType::Int64 => Tensor::vector(&all),
        DType::Int32 => narrow(&all),
        other => bail!(DType, "row splits are int32 or int64, not {other}"),
    }
}

fn narrow(all: &[i64]) -> Result<Tensor> {
    let narrow: Option<Vec<i32>> = all.iter().map(|&v| i32::try_from(v).ok()).collect();
    match narrow {
        Some(narrow) => Tensor::vector(&narrow),
        None => bail!(
            InvalidArgument,
            "there are too many values for int32 splits"
        ),
    }
}

/// A matrix of coordinates, row by row.
pub(super) fn matrix<T: Element>(rows: &[T], width: usize) -> Result<Tensor> {
    Tensor::from_slice([rows.len() / width, width], rows)
}
