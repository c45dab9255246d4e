//! Arrays of other libraries to tensors: by the Arrow C data interface, `__array__`, the buffer
//! protocol, or DLPack.

use super::strided::Strided;
use super::{arrow, no_tensor, numpy};
use crate::export::dlpack;
use ferrograph_tensor::{DType, Tensor};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::{PyMemoryView, PyType};

/// A copy of the array that an object offers; `None` where it offers none.
pub(super) fn tensor_of(obj: &Bound<'_, PyAny>) -> PyResult<Option<Tensor>> {
    let py = obj.py();
    if obj.is_instance_of::<PyType>() {
        return Ok(None);
    }
    if let Some(found) = arrow::tensor_of(obj)? {
        return Ok(Some(found));
    }
    let class = obj.get_type();
    let dlpack = class.getattr_opt(intern!(py, "__dlpack__"))?.is_some();
    if class.getattr_opt(intern!(py, "__array__"))?.is_some() {
        match obj.call_method0(intern!(py, "__array__")) {
            Ok(array) => return numpy::tensor_of(&array, None),
            Err(e) if !dlpack => return Err(e),
            Err(_) => (),
        }
    }
    if dlpack {
        return dlpack::from_dlpack(obj, true).map(Some);
    }
    // SAFETY: the object is live.
    if unsafe { pyo3::ffi::PyObject_CheckBuffer(obj.as_ptr()) } == 0 {
        return Ok(None);
    }
    from_buffer(obj).map(Some)
}

fn from_buffer(obj: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    // Exporters may leave strides out; memory views have them.
    let Ok(buffer) = PyUntypedBuffer::get(PyMemoryView::from(obj)?.as_any()) else {
        return Err(no_tensor(obj, "its buffer is no array"));
    };
    let format = buffer.format().to_string_lossy();
    let Some(dtype) = dtype_of(&format, buffer.item_size()) else {
        return Err(no_tensor(
            obj,
            &format!("tensors have no elements of buffer format '{format}'"),
        ));
    };
    if buffer
        .suboffsets()
        .is_some_and(|s| s.iter().any(|&o| o >= 0))
    {
        return Err(PyBufferError::new_err(
            "buffers with suboffsets are not supported",
        ));
    }
    let view = Strided {
        dtype,
        shape: buffer.shape().iter().copied().collect(),
        strides: Some(buffer.strides()),
        data: buffer.buf_ptr().cast_const().cast(),
    };
    // SAFETY: the exporter promises readable memory at each element until the buffer is released.
    unsafe { view.to_tensor(obj.py(), || true) }
}

/// The dtype of a native buffer format.
fn dtype_of(format: &str, size: usize) -> Option<DType> {
    let code = format.trim_start_matches([
        '@',
        '=',
        if cfg!(target_endian = "little") {
            '<'
        } else {
            '>'
        },
    ]);
    let dtype = match (code, size) {
        ("?", 1) => DType::Bool,
        ("b", 1) => DType::Int8,
        ("B" | "", 1) => DType::UInt8,
        ("h" | "i" | "l" | "q" | "n", 2) => DType::Int16,
        ("h" | "i" | "l" | "q" | "n", 4) => DType::Int32,
        ("h" | "i" | "l" | "q" | "n", 8) => DType::Int64,
        ("H" | "I" | "L" | "Q" | "N", 2) => DType::UInt16,
        ("H" | "I" | "L" | "Q" | "N", 4) => DType::UInt32,
        ("H" | "I" | "L" | "Q" | "N", 8) => DType::UInt64,
        ("e", 2) => DType::Float16,
        ("f", 4) => DType::Float32,
        ("d", 8) => DType::Float64,
        ("Zf", 8) => DType::Complex64,
        ("Zd", 16) => DType::Complex128,
        _ => return None,
    };
    Some(dtype)
}

const LONG_IS_64: bool = size_of::<std::ffi::c_long>() == 8;

/// The buffer format of a dtype; `None` where the buffer protocol has none.
pub(crate) fn format_of(dtype: DType) -> Option<&'static std::ffi::CStr> {
    Some(match dtype {
        DType::Bool => c"?",
        DType::Int8 => c"b",
        DType::UInt8 => c"B",
        DType::Int16 => c"h",
        DType::UInt16 => c"H",
        DType::Int32 => c"i",
        DType::UInt32 => c"I",
        // Where both have 64 bits, NumPy calls long, not long long, int64.
        DType::Int64 if LONG_IS_64 => c"l",
        DType::UInt64 if LONG_IS_64 => c"L",
        DType::Int64 => c"q",
        DType::UInt64 => c"Q",
        DType::Float16 => c"e",
        DType::Float32 => c"f",
        DType::Float64 => c"d",
        DType::Complex64 => c"Zf",
        DType::Complex128 => c"Zd",
        _ => return None,
    })
}
