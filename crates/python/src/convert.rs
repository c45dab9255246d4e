//! Python values to tensors: the inference of `constant`, and operands that take their partner's dtype.
//!
//! A conversion always copies, since tensors are immutable and arrays are not. The one exception is an array that
//! is a view of a tensor's own memory, as `numpy()` gives: it shares that memory back.
//!
//! NumPy is never imported here: an object can be one of NumPy's only where NumPy is imported already.

mod arrow;
mod foreign;
mod numpy;
mod scalar;
mod sequence;
pub(crate) mod strided;
mod values;

pub(crate) use foreign::format_of;

use crate::bridge::{is_tensor_like, is_tensor_shape};
use ferrograph_tensor::{DType, Tensor, printed_name};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyFloat, PyInt};
use scalar::Scalar;

/// The tensor that a Python value represents, of that dtype where one is given, else as the value suggests.
///
/// `None` where a tensor stands inside a sequence, or is the value itself: only the caller can pack those.
///
/// # Errors
/// `TypeError` where the value does not convert to the dtype given; `ValueError` where no tensor holds the value
/// (ragged or mixed sequences, None, numbers out of range, unknown objects).
pub(crate) fn tensor_from_py(
    obj: &Bound<'_, PyAny>,
    dtype: Option<DType>,
) -> PyResult<Option<Tensor>> {
    if let Some(scalar) = Scalar::exact(obj)? {
        return scalar.to_tensor(obj, dtype).map(Some);
    }
    if let Some(found) = numpy::tensor_of(obj, dtype)? {
        return Ok(Some(found));
    }
    if !sequence::is_plain(obj) {
        if let Some(scalar) = Scalar::subclass(obj)? {
            return scalar.to_tensor(obj, dtype).map(Some);
        }
        if is_tensor_like(obj)? {
            return Ok(None);
        }
        if is_tensor_shape(obj) {
            return sequence::tensor_of(obj, dtype.or(Some(DType::Int32)));
        }
        if let Some(found) = foreign::tensor_of(obj)? {
            return cast_freely(obj, found, dtype).map(Some);
        }
    }
    sequence::tensor_of(obj, dtype)
}

/// The tensor that an operand represents beside a tensor of that dtype, which it takes where it fits.
///
/// `None` where tensors stand inside the operand, see [`tensor_from_py`].
///
/// # Errors
/// `TypeError` where the operand does not fit the dtype: a fraction beside integers, a number out of their range, text
/// beside numbers; otherwise as [`tensor_from_py`].
pub(crate) fn scalar_for_partner(obj: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<Tensor>> {
    if let Some(scalar) = Scalar::exact(obj)? {
        scalar.check_fits(obj, dtype)?;
        return scalar.to_tensor(obj, Some(dtype)).map(Some);
    }
    if let Some(found) = numpy::tensor_of(obj, None)? {
        if found.dtype() == dtype {
            return Ok(Some(found));
        }
        if !values::fits(obj.py(), &found, dtype)? {
            return Err(does_not_convert(obj, dtype));
        }
        return cast_freely(obj, found, Some(dtype)).map(Some);
    }
    tensor_from_py(obj, Some(dtype))
}

/// A tensor made from an array, cast to the dtype asked for as arrays are: freely between numbers.
fn cast_freely(obj: &Bound<'_, PyAny>, tensor: Tensor, dtype: Option<DType>) -> PyResult<Tensor> {
    let Some(dtype) = dtype.filter(|&d| d != tensor.dtype()) else {
        return Ok(tensor);
    };
    let has_text = dtype == DType::String || tensor.dtype() == DType::String;
    if tensor.shape().contains(&0) && has_text && (dtype == DType::String || dtype.is_dense()) {
        return Tensor::zeros(dtype, tensor.shape().clone()).map_err(|e| core_error(obj.py(), e));
    }
    if has_text || !dtype.is_dense() {
        return Err(does_not_convert(obj, dtype));
    }
    values::cast(obj.py(), &tensor, dtype)
}

/// `TypeError` for a value that a dtype does not take.
#[cold]
fn does_not_convert(obj: &Bound<'_, PyAny>, dtype: DType) -> PyErr {
    let number = obj.is_instance_of::<PyFloat>() || obj.is_instance_of::<PyComplex>();
    let hint = if dtype.is_integer() && obj.is_instance_of::<PyInt>() {
        ": it is out of range".to_owned()
    } else if number && dtype.is_numeric() {
        let fg = printed_name();
        format!("; to drop what does not fit, use {fg}.cast(value, {fg}.{dtype})")
    } else {
        String::new()
    };
    PyTypeError::new_err(format!(
        "cannot convert {} to a tensor of dtype {dtype}{hint}",
        describe(obj)
    ))
}

/// `ValueError` for a value that no tensor holds.
#[cold]
fn no_tensor(obj: &Bound<'_, PyAny>, why: &str) -> PyErr {
    PyValueError::new_err(format!(
        "cannot convert {} to a tensor: {why}",
        describe(obj)
    ))
}

/// A short description of a value for messages: its text, cut where long, and its type.
pub(crate) fn describe(obj: &Bound<'_, PyAny>) -> String {
    const LONGEST: usize = 80;
    if obj.is_none() {
        return "None".to_owned();
    }
    let class = obj.get_type();
    let class = class
        .name()
        .map_or_else(|_| "?".to_owned(), |n| n.to_string());
    let Ok(text) = obj.repr().map(|r| r.to_string()) else {
        return format!("a value of type {class}");
    };
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("{} (of type {class})", short.replace('\n', " "))
}

/// An error of the core as a Python exception.
pub(crate) fn core_error(py: Python<'_>, e: ferrograph_tensor::Error) -> PyErr {
    crate::errors::to_py(py, &e)
}
