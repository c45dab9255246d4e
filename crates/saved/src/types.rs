//! Dtypes and shapes from and to their messages.

use ferrograph_formats::messages::{Dim as DimMessage, SavedVariable, TensorShapeProto};
use ferrograph_tensor::{DType, Dim, PartialShape, Result, TensorSpec, err};

/// The dtype of a public number; one of a reference is the dtype itself.
///
/// # Errors
/// `Unimplemented` for a number that is none here.
pub fn dtype_of(code: i32) -> Result<DType> {
    let plain = if code > 100 { code - 100 } else { code };
    DType::from_graphdef_code(plain)
        .ok_or_else(|| err!(Unimplemented, "there is no dtype of number {code} here"))
}

/// The message of a shape.
pub fn shape_message(shape: &PartialShape) -> TensorShapeProto {
    let dim = |d: &Dim| DimMessage {
        size: d.known().and_then(|n| i64::try_from(n).ok()).unwrap_or(-1),
        name: String::new(),
    };
    TensorShapeProto {
        dim: shape.dims().unwrap_or_default().iter().map(dim).collect(),
        unknown_rank: shape.dims().is_none(),
    }
}

/// The shape of a message.
pub fn partial_shape_of(message: &TensorShapeProto) -> PartialShape {
    if message.unknown_rank {
        return PartialShape::UNKNOWN;
    }
    let dim = |d: &DimMessage| Dim::from(usize::try_from(d.size).ok());
    message.dim.iter().map(dim).collect()
}

/// The type of a variable: what may be assigned to it.
///
/// # Errors
/// As [`dtype_of`].
pub fn variable_spec(variable: &SavedVariable) -> Result<TensorSpec> {
    let shape = variable.shape.as_ref();
    let shape = shape.map_or(PartialShape::UNKNOWN, partial_shape_of);
    Ok(TensorSpec::new(dtype_of(variable.dtype)?, shape))
}
