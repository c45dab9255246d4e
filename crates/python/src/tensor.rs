//! The tensor classes: `Tensor`, and its two kinds, eager with a value and symbolic without.

use crate::errors::IntoPyResult;
use crate::hooks::hooks;
use crate::{bridge, export, index, operators};
use ferrograph_graph::Val;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyDict, PyList};

/// A multi-dimensional array of elements of one dtype.
///
/// Eager tensors have a value, which `numpy()` gives; symbolic ones stand for a value of the graph that is being traced.
/// Operators compute elementwise, on operands of one dtype whose shapes broadcast; `==` too, and `@` multiplies matrices.
/// Tensors never change.
///
///     >>> x = fg.constant([[1, 2], [3, 4]])
///     >>> (2 * x - x[0]).numpy()
///     array([[1, 2],
///            [5, 6]], dtype=int32)
///     >>> x.shape, x.dtype
///     (TensorShape([2, 2]), tf.int32)
#[pyclass(name = "Tensor", module = "ferrograph", subclass, frozen, weakref)]
pub(crate) struct PyTensor {
    pub(crate) val: Val,
}

/// A tensor that has a value.
#[pyclass(name = "EagerTensor", module = "ferrograph", extends = PyTensor, frozen)]
pub(crate) struct PyEager;

/// A tensor of a graph being traced: dtype and shape, but no value.
#[pyclass(name = "SymbolicTensor", module = "ferrograph", extends = PyTensor, frozen)]
pub(crate) struct PySymbolic;

/// The Python object for a value.
#[inline]
pub(crate) fn wrap(py: Python<'_>, val: Val) -> PyResult<Bound<'_, PyAny>> {
    match val {
        Val::Eager(_) => Ok(Bound::new(py, (PyEager, PyTensor { val }))?.into_any()),
        Val::Sym(_) => Ok(Bound::new(py, (PySymbolic, PyTensor { val }))?.into_any()),
    }
}

impl PyTensor {
    fn not_in_graph(&self, py: Python<'_>, what: &str) -> PyErr {
        let name = match &self.val {
            Val::Sym(s) => s.trace.describe(s.value).0,
            Val::Eager(_) => String::new(),
        };
        let text = format!(
            "{what} is not allowed on the symbolic tensor {name}: it has no value while the function is traced. \
             Let AutoGraph convert the code, or use an operation that works on tensors"
        );
        ferrograph_tensor::Error::new(ferrograph_tensor::ErrorKind::NotAllowedInGraph, text)
            .pipe(py)
    }

    fn first_axis(&self, py: Python<'_>) -> PyResult<usize> {
        match &self.val {
            Val::Eager(e) => e
                .tensor
                .shape()
                .first()
                .copied()
                .ok_or_else(|| PyTypeError::new_err("Scalar tensor has no `len()`")),
            Val::Sym(_) => Err(self.not_in_graph(py, "len()")),
        }
    }
}

trait Pipe {
    fn pipe(self, py: Python<'_>) -> PyErr;
}

impl Pipe for ferrograph_tensor::Error {
    fn pipe(self, py: Python<'_>) -> PyErr {
        crate::errors::to_py(py, &self)
    }
}

#[pymethods]
impl PyTensor {
    fn __add__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::ADD, slf, other, false)
    }
    fn __radd__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::ADD, slf, other, true)
    }
    fn __sub__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::SUB, slf, other, false)
    }
    fn __rsub__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::SUB, slf, other, true)
    }
    fn __mul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::MUL, slf, other, false)
    }
    fn __rmul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::MUL, slf, other, true)
    }
    fn __truediv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::true_division(slf, other, false)
    }
    fn __rtruediv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::true_division(slf, other, true)
    }
    fn __floordiv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::FLOORDIV, slf, other, false)
    }
    fn __rfloordiv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::FLOORDIV, slf, other, true)
    }
    fn __mod__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::MOD, slf, other, false)
    }
    fn __rmod__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::MOD, slf, other, true)
    }
    fn __matmul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::MATMUL, slf, other, false)
    }
    fn __rmatmul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::MATMUL, slf, other, true)
    }
    fn __and__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::AND, slf, other, false)
    }
    fn __rand__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::AND, slf, other, true)
    }
    fn __or__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::OR, slf, other, false)
    }
    fn __ror__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::OR, slf, other, true)
    }
    fn __xor__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::XOR, slf, other, false)
    }
    fn __rxor__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::XOR, slf, other, true)
    }
}

#[pymethods]
impl PyTensor {
    /// NumPy leaves operators between an array and a tensor to the tensor.
    #[classattr]
    #[pyo3(name = "__array_priority__")]
    const ARRAY_PRIORITY: i32 = 100;

    fn __pow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !modulo.is_none() {
            return Err(PyTypeError::new_err(
                "pow() with a modulus is not defined for tensors",
            ));
        }
        operators::binary(&operators::POW, slf, other, false)
    }

    fn __rpow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        _modulo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::POW, slf, other, true)
    }

    fn __neg__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        operators::negative(slf)
    }

    fn __abs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        operators::absolute(slf)
    }

    fn __invert__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        operators::inverted(slf)
    }

    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        op: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        if other.is_none() && matches!(op, CompareOp::Eq | CompareOp::Ne) {
            return matches!(op, CompareOp::Ne).into_bound_py_any(slf.py());
        }
        operators::binary(operators::comparison(op), slf, other, false)
    }

    fn __hash__(&self) -> PyResult<isize> {
        Err(PyTypeError::new_err(
            "Tensor is unhashable. Instead, use tensor.ref() as the key.",
        ))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        match &self.val {
            Val::Eager(e) => match e.tensor.item::<bool>() {
                Ok(x) => Ok(x),
                Err(_) => export::truth(py, &e.tensor),
            },
            Val::Sym(_) => Err(self.not_in_graph(py, "Using a tensor as a Python `bool`")),
        }
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.first_axis(py)
    }

    fn __getitem__<'py>(
        slf: &Bound<'py, Self>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        index::get_item(slf, key)
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if matches!(slf.get().val, Val::Sym(_)) {
            return Err(slf.get().not_in_graph(py, "Iterating over a tensor"));
        }
        let rows = match &slf.get().val {
            Val::Eager(e) if e.tensor.rank() > 0 => hooks(py)?.unstack.bind(py).call1((slf,))?,
            _ => return Err(PyTypeError::new_err("Cannot iterate over a scalar tensor.")),
        };
        Ok(rows.try_iter()?.into_any())
    }

    fn __reversed__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let rows = PyTensor::__iter__(slf)?.try_iter()?;
        let mut rows: Vec<_> = rows.collect::<PyResult<_>>()?;
        rows.reverse();
        Ok(PyList::new(slf.py(), rows)?.try_iter()?.into_any())
    }

    /// The dtype of the elements.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        bridge::dtype_to_py(py, self.val.dtype())
    }

    /// The shape as far as known, a TensorShape.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.val {
            Val::Eager(e) => bridge::shape_to_py(py, e.tensor.shape()),
            Val::Sym(_) => bridge::partial_shape_to_py(py, &self.val.spec().shape),
        }
    }

    /// The number of dimensions, None where unknown.
    #[getter]
    fn ndim(&self) -> Option<usize> {
        self.val.spec().shape.rank()
    }

    /// The name of a symbolic tensor, `operation:output`.
    #[getter]
    fn name(&self) -> PyResult<String> {
        match &self.val {
            Val::Sym(s) => Ok(s.trace.describe(s.value).0),
            Val::Eager(_) => Err(PyAttributeError::new_err(
                "Tensor.name is undefined when eager execution is enabled.",
            )),
        }
    }

    /// Where the device that holds it is named.
    #[getter]
    fn device(&self) -> &'static str {
        "/job:localhost/replica:0/task:0/device:CPU:0"
    }

    /// Adds what the program knows of the shape; on an eager tensor it is checked.
    fn set_shape(&self, py: Python<'_>, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        let shape = bridge::partial_shape_from_py(shape)?;
        let merged = match &self.val {
            Val::Eager(e) => e.tensor.spec().shape.merge(&shape).map(|_| ()),
            Val::Sym(s) => s.trace.set_shape(s.value, &shape),
        };
        merged
            .map_err(|e| e.with_kind(ferrograph_tensor::ErrorKind::Value))
            .or_raise(py)
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        hooks(slf.py())?.repr.bind(slf.py()).call1((slf,))
    }

    fn __str__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        hooks(slf.py())?.str.bind(slf.py()).call1((slf,))
    }

    fn __format__<'py>(slf: &Bound<'py, Self>, spec: &str) -> PyResult<Bound<'py, PyAny>> {
        hooks(slf.py())?.format.bind(slf.py()).call1((slf, spec))
    }

    /// An object that stands for this very tensor as a dictionary key; `.deref()` gives it back.
    #[pyo3(name = "ref")]
    fn reference<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        hooks(slf.py())?.tensor_ref.bind(slf.py()).call1((slf,))
    }

    /// What identifies the value to tapes.
    #[getter]
    fn _id(&self) -> u64 {
        self.val.key()
    }

    /// The value where it is known now: of an eager tensor, or a constant of the graph being traced; else None.
    fn _constant_value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.val
            .constant()
            .map(|t| wrap(py, Val::eager(t)))
            .transpose()
    }

    /// The graph that a symbolic tensor belongs to: a number; None for an eager one.
    #[getter]
    fn _graph_id(&self) -> Option<u32> {
        match &self.val {
            Val::Sym(s) => Some(s.trace.id()),
            Val::Eager(_) => None,
        }
    }
}

#[pymethods]
impl PyEager {
    /// The shape as far as known, a TensorShape.
    fn get_shape<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.as_super().get().shape(slf.py())
    }

    /// The value as a NumPy array (a scalar for a scalar); shares memory and is read-only where the layout allows.
    fn numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        export::to_numpy(slf.py(), slf.as_super())
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        export::to_array(slf.py(), slf.as_super(), dtype, copy)
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = export::DlpackOptions {
            stream,
            max_version,
            dl_device,
            copy,
        };
        export::to_dlpack(slf.py(), &slf.as_super().get().val, &options)
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        export::DLPACK_CPU
    }

    // SAFETY: unsafe because the slot's signature is; CPython passes a view to be filled.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: std::os::raw::c_int,
    ) -> PyResult<()> {
        // SAFETY: CPython calls this slot with a valid view, as the callee requires.
        unsafe { export::get_buffer(slf.as_super(), view, flags) }
    }

    // SAFETY: unsafe because the slot's signature is; CPython passes a view that `__getbuffer__` filled.
    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: CPython calls this slot with a view that `__getbuffer__` filled.
        unsafe { export::release_buffer(view) }
    }

    fn __int__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        export::to_number(slf.as_super(), "int")
    }

    fn __float__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        export::to_number(slf.as_super(), "float")
    }

    fn __complex__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        export::to_number(slf.as_super(), "complex")
    }

    fn __index__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        export::to_number(slf.as_super(), "index")
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, _memo: &Bound<'py, PyDict>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        hooks(slf.py())?.reduce_tensor.bind(slf.py()).call1((slf,))
    }
}

impl PySymbolic {
    fn refuse<T>(slf: &Bound<'_, Self>, what: &str) -> PyResult<T> {
        Err(slf.as_super().get().not_in_graph(slf.py(), what))
    }
}

#[pymethods]
impl PySymbolic {
    /// The shape as far as known, a TensorShape.
    fn get_shape<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.as_super().get().shape(slf.py())
    }

    fn __int__(slf: &Bound<'_, Self>) -> PyResult<i64> {
        PySymbolic::refuse(slf, "int()")
    }

    fn __float__(slf: &Bound<'_, Self>) -> PyResult<i64> {
        PySymbolic::refuse(slf, "float()")
    }

    fn __complex__(slf: &Bound<'_, Self>) -> PyResult<i64> {
        PySymbolic::refuse(slf, "complex()")
    }

    fn __index__(slf: &Bound<'_, Self>) -> PyResult<i64> {
        PySymbolic::refuse(slf, "Using a tensor as a Python index")
    }

    /// The operation that gives this tensor.
    #[getter]
    fn op<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        hooks(slf.py())?.operation_of.bind(slf.py()).call1((slf,))
    }

    /// The graph this tensor belongs to.
    #[getter]
    fn graph<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        hooks(slf.py())?.graph_of.bind(slf.py()).call1((slf,))
    }

    #[pyo3(signature = (*_args, **_kwargs))]
    fn __array__(
        slf: &Bound<'_, Self>,
        _args: &Bound<'_, pyo3::types::PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        Err(pyo3::exceptions::PyNotImplementedError::new_err(format!(
            "Cannot convert a symbolic tensor ({}) to a numpy array: it has no value while the function is traced. \
             Use an operation of ferrograph instead of NumPy's, or numpy_function",
            slf.as_super().get().name()?
        )))
    }
}
