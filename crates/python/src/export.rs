//! Tensors to Python: NumPy arrays and scalars, Python numbers, and the memory that other libraries may look at.
//!
//! Arrays show the tensor's own memory and are read-only, since tensors are immutable; their base keeps the tensor
//! alive. Where the caller asks for a copy the array has memory of its own and may be written.

mod array;
mod arrow;
mod buffer;
pub(crate) mod dlpack;
mod interface;

use crate::errors::IntoPyResult;
use crate::tensor::{PyTensor, wrap};
pub(crate) use array::TensorOwner;
use ferrograph_graph::Val;
use ferrograph_tensor::{DType, Tensor, printed_name};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyTuple};
use std::ffi::c_int;

/// What `__dlpack_device__` gives: the CPU in DLPack's numbering, and the number of the device.
pub(crate) const DLPACK_CPU: (i32, i32) = (dlpack::CPU, 0);

/// What `__dlpack__` may be asked.
pub(crate) struct DlpackOptions<'a, 'py> {
    pub stream: Option<&'a Bound<'py, PyAny>>,
    pub max_version: Option<(u32, u32)>,
    pub dl_device: Option<(i32, i32)>,
    pub copy: Option<bool>,
}

fn eager<'a>(tensor: &'a Bound<'_, PyTensor>) -> PyResult<&'a Tensor> {
    let val = &tensor.get().val;
    val.expect_tensor().or_raise(tensor.py())
}

/// What `numpy()` gives: an array of its own, a NumPy scalar for rank 0, bytes for a string scalar.
pub(crate) fn to_numpy<'py>(
    py: Python<'py>,
    tensor: &Bound<'py, PyTensor>,
) -> PyResult<Bound<'py, PyAny>> {
    ferrograph_runtime::left_graph(&tensor.get().val);
    let tensor = eager(tensor)?;
    match tensor.rank() {
        0 => array::scalar(py, tensor),
        _ => array::copied(py, tensor),
    }
}

/// What `__array__(dtype, copy)` gives: an array whatever the rank.
pub(crate) fn to_array<'py>(
    py: Python<'py>,
    tensor: &Bound<'py, PyTensor>,
    dtype: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    ferrograph_runtime::left_graph(&tensor.get().val);
    let tensor = eager(tensor)?;
    let array = match copy {
        Some(true) => array::copied(py, tensor)?,
        Some(false) if tensor.dtype() == DType::String => {
            return Err(PyValueError::new_err(
                "an array of a string tensor is always a copy",
            ));
        }
        _ => array::shared(py, tensor)?,
    };
    let Some(dtype) = dtype.filter(|d| !d.is_none()) else {
        return Ok(array);
    };
    if array.getattr(intern!(py, "dtype"))?.eq(dtype)? {
        return Ok(array);
    }
    if copy == Some(false) {
        let why = format!(
            "an array of dtype {dtype} of a {} tensor is a copy",
            tensor.dtype()
        );
        return Err(PyValueError::new_err(why));
    }
    array.call_method1(intern!(py, "astype"), (dtype,))
}

/// What `__dlpack__` gives.
pub(crate) fn to_dlpack<'py>(
    py: Python<'py>,
    val: &Val,
    options: &DlpackOptions<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some((kind, _)) = options.dl_device {
        dlpack::check_device(kind)?;
    }
    if options.stream.is_some_and(|s| !s.is_none()) {
        return Err(PyValueError::new_err("tensors on the CPU have no stream"));
    }
    let tensor = val.expect_tensor().or_raise(py)?;
    dlpack::to_dlpack(py, tensor, options.max_version, options.copy)
}

/// What `__arrow_c_array__` gives.
pub(crate) fn to_arrow<'py>(
    py: Python<'py>,
    val: &Val,
    requested: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    ferrograph_runtime::left_graph(val);
    arrow::to_arrow(py, val.expect_tensor().or_raise(py)?, requested)
}

/// A DLPack capsule of a copy of a tensor, which its taker may write to; `ferrograph.experimental.dlpack` calls it.
#[pyfunction]
#[pyo3(name = "to_dlpack")]
pub(crate) fn capsule_of<'py>(tensor: &Bound<'py, PyTensor>) -> PyResult<Bound<'py, PyAny>> {
    dlpack::to_dlpack(tensor.py(), eager(tensor)?, None, None)
}

/// The tensor of a DLPack capsule, or of an object with `__dlpack__`; shares the memory where it can.
#[pyfunction]
pub(crate) fn from_dlpack<'py>(obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let tensor = dlpack::from_dlpack(obj, false)?;
    wrap(obj.py(), Val::eager(tensor))
}

/// Fills a view over a tensor's memory, read-only.
///
/// # Safety
/// `view` must point to a view to be filled, as in `__getbuffer__`.
pub(crate) unsafe fn get_buffer(
    tensor: &Bound<'_, PyTensor>,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    // SAFETY: the caller's promise; the object holds its tensor unchanged as long as it lives.
    unsafe { buffer::fill(view, flags, tensor.as_any(), eager(tensor)?) }
}

/// Frees what [`get_buffer`] made.
///
/// # Safety
/// `view` must be one that `get_buffer` filled and that is being released, as in `__releasebuffer__`.
pub(crate) unsafe fn release_buffer(view: *mut ffi::Py_buffer) {
    // SAFETY: passed on.
    unsafe { buffer::release(view) }
}

/// What `int()`, `float()`, `complex()` and `operator.index()` give, named by `kind` ("index" for the last).
pub(crate) fn to_number<'py>(
    tensor: &Bound<'py, PyTensor>,
    kind: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    ferrograph_runtime::left_graph(&tensor.get().val);
    let tensor = eager(tensor)?;
    if tensor.n_elements() != 1 || (kind == "index" && tensor.rank() != 0) {
        return Err(PyTypeError::new_err(format!(
            "only a tensor of one element converts to a Python number, got shape {}",
            tensor.shape()
        )));
    }
    if kind == "index" && !tensor.dtype().is_integer() && tensor.dtype() != DType::Bool {
        return Err(PyTypeError::new_err(format!(
            "only integer scalar tensors serve as an index, got dtype {}",
            tensor.dtype()
        )));
    }
    let number = python_number(py, tensor)?;
    match kind {
        "float" => py.get_type::<PyFloat>().call1((number,)),
        "complex" => py.get_type::<PyComplex>().call1((number,)),
        _ => py.get_type::<PyInt>().call1((number,)),
    }
}

/// The only element of a tensor as a Python number, text as bytes.
fn python_number<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    if let [x] = tensor.as_slice::<f32>().unwrap_or_default() {
        return Ok(PyFloat::new(py, f64::from(*x)).into_any());
    }
    if let (Some(format), [x]) = (tensor.dtype().float8(), tensor.bytes()) {
        return Ok(PyFloat::new(py, f64::from(format.decode(*x))).into_any());
    }
    if tensor.dtype().is_integer() && tensor.dtype() != DType::UInt64 {
        let x = tensor.to_i64s().or_raise(py)?;
        return Ok(x[0].into_pyobject(py)?.into_any());
    }
    if let [x] = tensor.as_slice::<bool>().unwrap_or_default() {
        return Ok(PyBool::new(py, *x).to_owned().into_any());
    }
    let scalar = array::scalar(py, &tensor.reshaped([].into()).or_raise(py)?)?;
    match scalar.getattr_opt(intern!(py, "item"))? {
        Some(item) if tensor.dtype() != DType::BFloat16 => item.call0(),
        Some(_) => py.get_type::<PyFloat>().call1((scalar,)),
        None => Ok(scalar),
    }
}

/// What `bool()` gives.
///
/// # Errors
/// `ValueError` for more than one element.
pub(crate) fn truth(py: Python<'_>, tensor: &Tensor) -> PyResult<bool> {
    match tensor.n_elements() {
        1 => python_number(py, tensor)?.is_truthy(),
        0 => Ok(false),
        n => {
            let fg = printed_name();
            Err(PyValueError::new_err(format!(
                "the truth value of a tensor with {n} elements is ambiguous; use {fg}.reduce_any(x) or \
                 {fg}.reduce_all(x)"
            )))
        }
    }
}
