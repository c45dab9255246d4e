//! Tensors of one axis as Arrow arrays, by the capsules of the Arrow C data interface.
//!
//! Numbers are shared, not copied: the array keeps the tensor's memory, and Arrow's arrays do not change either. Bools, which
//! are bits there, and strings are copied.

use crate::arrow::{ARRAY, ArrowArray, ArrowSchema, SCHEMA, carried, format_of};
use ferrograph_tensor::{Bytes, DType, Tensor};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::any::Any;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

/// Elements may be missing in the columns that are made of such arrays.
const NULLABLE: i64 = 2;

/// What an exported array keeps until it is released.
struct Exported {
    buffers: Vec<*const c_void>,
    /// What the buffers point into.
    _memory: Box<dyn Any + Send>,
}

/// What `__arrow_c_array__(requested_schema)` gives: the capsules of the type and of the array. Of the types that may be
/// requested, those of text and bytes are given for strings; others are the consumer's to cast.
///
/// # Errors
/// `ValueError` for another rank, and for strings that are not what is requested; `TypeError` for dtypes that Arrow does not
/// have.
pub(super) fn to_arrow<'py>(
    py: Python<'py>,
    tensor: &Tensor,
    requested: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    if tensor.rank() != 1 {
        return Err(PyValueError::new_err(format!(
            "an Arrow array has one axis, got a tensor of shape {}; reshape it to [-1]",
            tensor.shape()
        )));
    }
    let wanted = match requested.filter(|r| !r.is_none()) {
        Some(capsule) => Some(format_of(carried::<ArrowSchema>(capsule, SCHEMA)?)),
        None => None,
    };
    let (format, exported) = match tensor.dtype() {
        DType::String => of_strings(tensor.as_strings().unwrap_or_default(), wanted)?,
        DType::Bool => (c"b", owned(vec![packed(tensor.bytes())])),
        dtype => (format_of_numbers(dtype)?, shared(tensor.clone())),
    };
    let array = ArrowArray {
        length: tensor.n_elements() as i64,
        null_count: 0,
        offset: 0,
        n_buffers: exported.buffers.len() as i64,
        n_children: 0,
        buffers: null_mut(),
        children: null_mut(),
        dictionary: null_mut(),
        release: Some(release_array),
        private_data: null_mut(),
    };
    let schema = ArrowSchema {
        format: format.as_ptr(),
        name: c"".as_ptr(),
        metadata: null(),
        flags: NULLABLE,
        n_children: 0,
        children: null_mut(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private_data: null_mut(),
    };
    let held = Box::into_raw(Box::new(exported));
    let array = ArrowArray {
        // SAFETY: just made of a box, and nobody else's yet; the vector keeps its place until it is released.
        buffers: unsafe { (*held).buffers.as_mut_ptr() },
        private_data: held.cast(),
        ..array
    };
    let array = capsule(py, array, ARRAY, drop_array)?;
    let schema = capsule(py, schema, SCHEMA, drop_schema)?;
    PyTuple::new(py, [schema, array])
}

/// A capsule of a struct, with what frees it.
fn capsule<'py, T>(
    py: Python<'py>,
    value: T,
    name: &'static CStr,
    free: unsafe extern "C" fn(*mut ffi::PyObject),
) -> PyResult<Bound<'py, PyAny>> {
    let value = Box::into_raw(Box::new(value));
    // SAFETY: `value` is a fresh box of the struct that `name` represents; `free` takes it from a capsule of that name.
    unsafe {
        let made = ffi::PyCapsule_New(value.cast(), name.as_ptr(), Some(free));
        Bound::from_owned_ptr_or_err(py, made)
    }
}

/// The memory of a tensor itself.
fn shared(tensor: Tensor) -> Exported {
    Exported {
        buffers: vec![null(), tensor.bytes().as_ptr().cast()],
        _memory: Box::new(tensor),
    }
}

/// Memory that was made for the array.
fn owned(parts: Vec<Vec<u8>>) -> Exported {
    let mut buffers = vec![null()];
    buffers.extend(parts.iter().map(|part| part.as_ptr().cast::<c_void>()));
    Exported {
        buffers,
        _memory: Box::new(parts),
    }
}

/// Bools as bits, the first one lowest.
fn packed(bools: &[u8]) -> Vec<u8> {
    let byte = |eight: &[u8]| {
        let bits = eight.iter().enumerate();
        bits.fold(0, |made, (i, &b)| made | (u8::from(b != 0) << i))
    };
    bools.chunks(8).map(byte).collect()
}

/// Strings one behind the other, with where each starts: bytes unless text is requested.
fn of_strings(strings: &[Bytes], wanted: Option<&CStr>) -> PyResult<(&'static CStr, Exported)> {
    let formats = [c"z", c"Z", c"u", c"U"];
    let format = formats.into_iter().find(|f| wanted == Some(*f));
    let format = format.unwrap_or(c"z");
    if matches!(format.to_bytes(), b"u" | b"U")
        && let Some(other) = strings.iter().find(|s| std::str::from_utf8(s).is_err())
    {
        return Err(PyValueError::new_err(format!(
            "the string {:?} is no UTF-8, so that Arrow has it as bytes alone",
            String::from_utf8_lossy(other)
        )));
    }
    let is_long = matches!(format.to_bytes(), b"Z" | b"U");
    let total: usize = strings.iter().map(|s| s.len()).sum();
    if !is_long && i32::try_from(total).is_err() {
        return Err(PyValueError::new_err(format!(
            "{total} bytes of strings need Arrow's large_binary or large_string: request it"
        )));
    }
    let mut offsets = Vec::with_capacity((strings.len() + 1) * if is_long { 8 } else { 4 });
    let mut data = Vec::with_capacity(total);
    let mut mark = |at: usize| match is_long {
        true => offsets.extend_from_slice(&(at as i64).to_ne_bytes()),
        false => offsets.extend_from_slice(&(at as i32).to_ne_bytes()),
    };
    mark(0);
    for string in strings {
        data.extend_from_slice(string);
        mark(data.len());
    }
    Ok((format, owned(vec![offsets, data])))
}

fn format_of_numbers(dtype: DType) -> PyResult<&'static CStr> {
    Ok(match dtype {
        DType::Int8 => c"c",
        DType::UInt8 => c"C",
        DType::Int16 => c"s",
        DType::UInt16 => c"S",
        DType::Int32 => c"i",
        DType::UInt32 => c"I",
        DType::Int64 => c"l",
        DType::UInt64 => c"L",
        DType::Float16 => c"e",
        DType::Float32 => c"f",
        DType::Float64 => c"g",
        _ => {
            let why = format!("Arrow has no arrays of dtype {dtype}");
            return Err(PyTypeError::new_err(why));
        }
    })
}

/// Frees what an array keeps.
///
/// # Safety
/// Called once for each array, with one that [`to_arrow`] made, wherever it was moved to.
unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: the consumer passes a live array of `to_arrow`, whose private data is a box that is freed here alone.
    unsafe {
        drop(Box::from_raw((*array).private_data.cast::<Exported>()));
        (*array).release = None;
    }
}

/// Marks a type as released: its texts are static.
///
/// # Safety
/// As for [`release_array`].
unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the consumer passes a live schema.
    unsafe { (*schema).release = None };
}

/// Frees a capsule's array, and what it keeps unless a consumer has taken that.
///
/// # Safety
/// Called by the interpreter alone, with a capsule that [`to_arrow`] made.
unsafe extern "C" fn drop_array(capsule: *mut ffi::PyObject) {
    // SAFETY: the capsule holds a box of an array; who took what is in it has set `release` to null.
    unsafe {
        let array = ffi::PyCapsule_GetPointer(capsule, ARRAY.as_ptr()).cast::<ArrowArray>();
        let mut array = Box::from_raw(array);
        if let Some(release) = array.release {
            release(&raw mut *array);
        }
    }
}

/// As [`drop_array`], of the type.
///
/// # Safety
/// As for [`drop_array`].
unsafe extern "C" fn drop_schema(capsule: *mut ffi::PyObject) {
    // SAFETY: as in `drop_array`; a schema keeps nothing.
    unsafe {
        let schema = ffi::PyCapsule_GetPointer(capsule, SCHEMA.as_ptr());
        drop(Box::from_raw(schema.cast::<ArrowSchema>()));
    }
}
