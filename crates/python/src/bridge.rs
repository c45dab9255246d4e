//! Dtypes and shapes across the border: the Python objects that represent them, registered once at import.

use crate::errors::naming;
use ferrograph_tensor::{DType, Dim, PartialShape};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyList, PyString, PyTuple, PyType};

struct Registered {
    /// The DType objects in the order of [`DType::ALL`].
    dtypes: Vec<Py<PyAny>>,
    /// `as_dtype` of the front end: anything that names a dtype to a DType object.
    as_dtype: Py<PyAny>,
    tensor_shape: Py<PyType>,
    /// The classes whose instances are tensors to a conversion (Tensor, Variable).
    tensor_types: Vec<Py<PyType>>,
}

impl Registered {
    /// The dtype that a DType object represents.
    fn dtype(&self, obj: &Bound<'_, PyAny>) -> Option<DType> {
        let at = self.dtypes.iter().position(|d| d.is(obj));
        at.map(|code| DType::ALL[code])
    }
}

static REGISTERED: PyOnceLock<Registered> = PyOnceLock::new();

/// Takes the Python objects that represent dtypes and shapes, and the classes that count as tensors.
///
/// `dtypes` lists the DType objects in the order of their `_code`. A second call has no effect.
#[pyfunction]
pub(crate) fn register_types(
    dtypes: Vec<Py<PyAny>>,
    as_dtype: &Bound<'_, PyAny>,
    tensor_shape: &Bound<'_, PyType>,
    tensor_types: Vec<Py<PyType>>,
) -> PyResult<()> {
    let py = as_dtype.py();
    if dtypes.len() != DType::ALL.len() {
        return Err(PyRuntimeError::new_err(format!(
            "{} dtypes registered, expected {}",
            dtypes.len(),
            DType::ALL.len()
        )));
    }
    let registered = Registered {
        dtypes,
        as_dtype: as_dtype.clone().unbind(),
        tensor_shape: tensor_shape.clone().unbind(),
        tensor_types,
    };
    let _ = REGISTERED.set(py, registered);
    Ok(())
}

fn registered(py: Python<'_>) -> PyResult<&'static Registered> {
    REGISTERED
        .get(py)
        .ok_or_else(|| PyRuntimeError::new_err("ferrograph is not fully imported yet"))
}

/// The dtype that an object is, where it is a DType object.
pub(crate) fn registered_dtype(obj: &Bound<'_, PyAny>) -> Option<DType> {
    REGISTERED.get(obj.py())?.dtype(obj)
}

/// The DType object of a dtype.
pub(crate) fn dtype_to_py(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    Ok(registered(py)?.dtypes[dtype as usize].bind(py).clone())
}

/// The dtype that an object names: a DType, a name, a NumPy dtype or scalar type, a Python type.
///
/// # Errors
/// `TypeError` where it names none, or one that tensors cannot have here.
pub(crate) fn dtype_from_py(obj: &Bound<'_, PyAny>) -> PyResult<DType> {
    let py = obj.py();
    if let Ok(name) = obj.cast_exact::<PyString>()
        && let Some(dtype) = DType::from_name(name.to_str()?)
    {
        return Ok(dtype);
    }
    let registered = registered(py)?;
    if let Some(dtype) = registered.dtype(obj) {
        return Ok(dtype);
    }
    let named = registered.as_dtype.bind(py).call1((obj,));
    let named = named.map_err(|e| naming(obj, e))?;
    registered
        .dtype(&named)
        .ok_or_else(|| PyTypeError::new_err(format!("there are no tensors of dtype {named}")))
}

/// The dtype that an optional argument names.
pub(crate) fn optional_dtype_from_py(obj: Option<&Bound<'_, PyAny>>) -> PyResult<Option<DType>> {
    match obj {
        Some(obj) if !obj.is_none() => dtype_from_py(obj).map(Some),
        _ => Ok(None),
    }
}

/// The TensorShape of a static shape.
pub(crate) fn shape_to_py<'py>(py: Python<'py>, dims: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    shape_of(py, PyTuple::new(py, dims)?.into_any())
}

/// The TensorShape of a partial shape.
pub(crate) fn partial_shape_to_py<'py>(
    py: Python<'py>,
    shape: &PartialShape,
) -> PyResult<Bound<'py, PyAny>> {
    let dims = match shape.dims() {
        Some(dims) => PyTuple::new(py, dims.iter().map(|d| d.known()))?.into_any(),
        None => py.None().into_bound(py),
    };
    shape_of(py, dims)
}

/// A TensorShape made without running its constructor: its one field is a checked tuple, or None.
fn shape_of<'py>(py: Python<'py>, dims: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let class = registered(py)?.tensor_shape.bind(py);
    // SAFETY: TensorShape is a plain Python class, whose instances the generic allocator makes.
    let shape = unsafe {
        let made = ffi::PyType_GenericAlloc(class.as_type_ptr(), 0);
        Bound::from_owned_ptr_or_err(py, made)?
    };
    shape.setattr(intern!(py, "_dims"), dims)?;
    Ok(shape)
}

/// Whether an object is a TensorShape.
pub(crate) fn is_tensor_shape(obj: &Bound<'_, PyAny>) -> bool {
    let py = obj.py();
    let registered = REGISTERED.get(py);
    registered.is_some_and(|r| obj.get_type().is(r.tensor_shape.bind(py)))
}

/// The partial shape that an object spells: a TensorShape, None, an int, or a sequence of ints and None.
pub(crate) fn partial_shape_from_py(obj: &Bound<'_, PyAny>) -> PyResult<PartialShape> {
    if obj.is_none() {
        return Ok(PartialShape::UNKNOWN);
    }
    let py = obj.py();
    if is_tensor_shape(obj) {
        return partial_shape_from_py(&obj.getattr(intern!(py, "_dims"))?);
    }
    if obj.is_instance_of::<PyList>() || obj.is_instance_of::<PyTuple>() {
        return obj.try_iter()?.map(|dim| dim_from_py(&dim?)).collect();
    }
    if obj.is_instance_of::<PyInt>() {
        return Ok(PartialShape::new(&[dim_from_py(obj)?]));
    }
    // Everything else TensorShape itself knows: arrays, tensors, iterables of dimensions.
    let shape = registered(py)?.tensor_shape.bind(py).call1((obj,))?;
    partial_shape_from_py(&shape.getattr(intern!(py, "_dims"))?)
}

fn dim_from_py(obj: &Bound<'_, PyAny>) -> PyResult<Dim> {
    if obj.is_none() {
        return Ok(Dim::UNKNOWN);
    }
    let refused = || {
        PyTypeError::new_err(format!(
            "dimension {} is neither an integer nor None",
            super::convert::describe(obj)
        ))
    };
    let obj = match obj.getattr_opt(intern!(obj.py(), "value"))? {
        Some(value) if !obj.is_instance_of::<PyInt>() && value.is_none() => {
            return Ok(Dim::UNKNOWN);
        }
        _ => obj,
    };
    let size: i64 = obj.extract().map_err(|_| refused())?;
    match usize::try_from(size) {
        Ok(size) => Ok(Dim::new(size)),
        Err(_) => Err(PyValueError::new_err(format!(
            "dimension {size} is negative"
        ))),
    }
}

/// Whether an object is a tensor to a conversion: an instance of a registered class, or of one that says by a
/// `__tf_tensor__` method how to become one.
pub(crate) fn is_tensor_like(obj: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = obj.py();
    if let Some(registered) = REGISTERED.get(py) {
        for class in &registered.tensor_types {
            if obj.is_instance(class.bind(py))? {
                return Ok(true);
            }
        }
    }
    let class = obj.get_type();
    Ok(class.getattr_opt(intern!(py, "__tf_tensor__"))?.is_some())
}
