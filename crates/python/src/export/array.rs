//! Tensors to NumPy arrays and scalars.

use super::interface::interface;
use crate::convert::core_error;
use crate::work;
use crate::yield_gil::GilYield;
use ferrograph_tensor::{Bytes, DType, Tensor};
use numpy::npyffi::{NPY_ARRAY_CARRAY_RO, PyArrayObject, npy_intp};
use pyo3::exceptions::{PyImportError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};
use std::ffi::c_int;

/// The base of arrays that show a tensor's memory.
#[pyclass(name = "TensorOwner", frozen, module = "ferrograph._core")]
pub(crate) struct TensorOwner(Tensor);

impl TensorOwner {
    /// The tensor whose memory the arrays show.
    pub fn tensor(&self) -> &Tensor {
        &self.0
    }
}

/// An array that may be written, of memory of its own.
pub(crate) fn copied<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    match tensor.dtype() {
        DType::String => string_array(py, tensor),
        _ => new_array(py, tensor, None),
    }
}

/// An array that shows the tensor's memory, read-only; one of strings has memory of its own.
pub(crate) fn shared<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    if tensor.dtype() == DType::String {
        return string_array(py, tensor);
    }
    let owner = Bound::new(py, TensorOwner(tensor.clone()))?;
    new_array(py, tensor, Some(owner.into_any()))
}

/// NumPy's scalar of a tensor of rank 0.
pub(crate) fn scalar<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    if let Ok([text]) = tensor.as_strings() {
        return Ok(PyBytes::new(py, text).into_any());
    }
    let descr = descr(py, tensor.dtype())?;
    // SAFETY: the tensor holds one element of that dtype.
    unsafe { interface(py)?.scalar(&descr, tensor.bytes().as_ptr()) }
}

/// An array over the tensor's memory that `owner` keeps, or over a copy of it.
fn new_array<'py>(
    py: Python<'py>,
    tensor: &Tensor,
    owner: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = tensor.bytes();
    let (data, flags) = match owner {
        Some(_) => (bytes.as_ptr().cast_mut(), NPY_ARRAY_CARRAY_RO),
        None => (std::ptr::null_mut(), 0),
    };
    let array = allocate(py, tensor, descr(py, tensor.dtype())?, data, flags)?;
    // SAFETY: `array` is an array object made just now: it has room for the tensor's bytes where it has memory of
    // its own, and no base yet.
    unsafe {
        match owner {
            Some(owner) => interface(py)?.set_base(&array, owner)?,
            None => {
                let object = array.as_ptr().cast::<PyArrayObject>();
                let to = (*object).fields.data.cast::<u8>();
                let own = std::slice::from_raw_parts_mut(to, bytes.len());
                work::run(py, work::is_long(bytes.len() as f64), || {
                    own.copy_from_slice(bytes)
                });
            }
        }
    }
    Ok(array)
}

fn allocate<'py>(
    py: Python<'py>,
    tensor: &Tensor,
    descr: Bound<'py, PyAny>,
    data: *mut u8,
    flags: c_int,
) -> PyResult<Bound<'py, PyAny>> {
    let mut dims: Vec<npy_intp> = tensor.shape().iter().map(|&d| d as npy_intp).collect();
    // SAFETY: `data` is null or the tensor's memory, which the array's base keeps.
    unsafe { interface(py)?.array(descr, &mut dims, data, flags) }
}

/// An array of bytes objects.
fn string_array<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    let strings: &[Bytes] = tensor.as_strings().map_err(|e| core_error(py, e))?;
    let array = allocate(
        py,
        tensor,
        descr(py, DType::String)?,
        std::ptr::null_mut(),
        0,
    )?;
    // SAFETY: the array was made just now with memory of its own for as many references, all null, as there are
    // strings; each reference written is owned by the array from then on.
    unsafe {
        let to = (*array.as_ptr().cast::<PyArrayObject>()).fields.data;
        let to = to.cast::<*mut ffi::PyObject>();
        let mut gil = GilYield::new();
        for (i, text) in strings.iter().enumerate() {
            to.add(i).write(PyBytes::new(py, text).into_ptr());
            gil.tick(py)?;
        }
    }
    Ok(array)
}

/// NumPy's descriptor of a dtype.
fn descr(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    let long = size_of::<std::ffi::c_long>() == 8;
    let type_num = match dtype {
        DType::Bool => 0,
        DType::Int8 => 1,
        DType::UInt8 => 2,
        DType::Int16 => 3,
        DType::UInt16 => 4,
        DType::Int32 => 5,
        DType::UInt32 => 6,
        DType::Int64 => 9 - 2 * c_int::from(long),
        DType::UInt64 => 10 - 2 * c_int::from(long),
        DType::Float32 => 11,
        DType::Float64 => 12,
        DType::Complex64 => 14,
        DType::Complex128 => 15,
        DType::String => 17,
        DType::Float16 => 23,
        DType::BFloat16
        | DType::Float8E5M2
        | DType::Float8E4M3FN
        | DType::Float8E4M3FNUZ
        | DType::Float8E4M3B11FNUZ
        | DType::Float8E5M2FNUZ => return added(py, dtype),
        DType::Resource | DType::Variant => {
            let why = format!("a {dtype} tensor has no NumPy form");
            return Err(PyTypeError::new_err(why));
        }
    };
    interface(py)?.descr(py, type_num)
}

/// The descriptor of a dtype that the package `ml_dtypes` adds to NumPy's.
fn added(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    static DESCRS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let descrs = DESCRS.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
    if let Some(found) = descrs.get_item(dtype.name())? {
        return Ok(found);
    }
    let ml_dtypes = py.import("ml_dtypes").map_err(|_| {
        PyImportError::new_err(format!(
            "NumPy has no {dtype} of its own: install ml_dtypes, or cast to float32 first"
        ))
    })?;
    let numpy = py.import("numpy")?;
    let descr = numpy.call_method1("dtype", (ml_dtypes.getattr(dtype.name())?,))?;
    descrs.set_item(dtype.name(), &descr)?;
    Ok(descr)
}
