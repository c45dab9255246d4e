//! The tensor classes: `Tensor`, and its two kinds, eager with a value and symbolic without.

mod arithmetic;
mod eager;
pub(crate) mod in_place;
pub(crate) mod pickling;
mod symbolic;

use crate::errors::{IntoPyResult, guarded};
use crate::hooks::hooks;
use crate::region::PyRegion;
use crate::{bridge, export, fork, index, work};
use ferrograph_graph::Val;
use ferrograph_tensor::{Tensor, printed_name};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PyList};

/// A multi-dimensional array of elements of one dtype.
///
/// Eager tensors have a value, which `numpy()` gives; symbolic ones represent a value of the graph that is being
/// traced. Operators compute elementwise, on operands of one dtype whose shapes broadcast; `==` too, and `@` multiplies
/// matrices. Values of tensors never change; a tensor takes attributes, which it keeps for as long as it lives.
///
///     >>> x = fg.constant([[1, 2], [3, 4]])
///     >>> (2 * x - x[0]).numpy()
///     array([[1, 2],
///            [5, 6]], dtype=int32)
///     >>> x.shape, x.dtype
///     (TensorShape([2, 2]), fg.int32)
#[pyclass(
    name = "Tensor",
    module = "ferrograph",
    subclass,
    frozen,
    weakref,
    dict
)]
pub(crate) struct PyTensor {
    pub(crate) val: Val,
}

/// A tensor that has a value.
#[pyclass(name = "EagerTensor", module = "ferrograph", extends = PyTensor, subclass, frozen)]
pub(crate) struct PyEager;

/// A tensor of a graph being traced: dtype and shape, but no value.
#[pyclass(name = "SymbolicTensor", module = "ferrograph", extends = PyTensor, subclass, frozen)]
pub(crate) struct PySymbolic;

/// The name of the device of every tensor.
const DEVICE: &str = "/job:localhost/replica:0/task:0/device:CPU:0";

/// What operators of tensors are called between their underscores.
const OPERATORS: [&str; 32] = [
    "abs",
    "add",
    "and",
    "eq",
    "floordiv",
    "ge",
    "getitem",
    "gt",
    "invert",
    "le",
    "lt",
    "matmul",
    "mod",
    "mul",
    "ne",
    "neg",
    "or",
    "pow",
    "radd",
    "rand",
    "rfloordiv",
    "rmatmul",
    "rmod",
    "rmul",
    "ror",
    "rpow",
    "rsub",
    "rtruediv",
    "rxor",
    "sub",
    "truediv",
    "xor",
];

/// The Python object for a value.
#[inline]
pub(crate) fn wrap(py: Python<'_>, val: Val) -> PyResult<Bound<'_, PyAny>> {
    let object = match val {
        Val::Eager(_) => Bound::new(py, (PyEager, PyTensor { val }))?.into_any(),
        Val::Sym(_) => Bound::new(py, (PySymbolic, PyTensor { val }))?.into_any(),
    };
    // Tensors refer to no objects, so the search for cycles passes them by.
    // SAFETY: the object is of a class with a head for the collector, and nothing of it is in use.
    unsafe { ffi::PyObject_GC_UnTrack(object.as_ptr().cast()) };
    Ok(object)
}

impl Drop for PyTensor {
    fn drop(&mut self) {
        if let Val::Eager(value) = &mut self.val
            && work::is_long_to_drop(&value.tensor)
        {
            give_back(&mut value.tensor);
        }
    }
}

/// Drops a value of many parts without the interpreter lock.
#[cold]
fn give_back(tensor: &mut Tensor) {
    let Ok(nothing) = Tensor::scalar(false) else {
        return;
    };
    let tensor = std::mem::replace(tensor, nothing);
    // Where the interpreter is about to end, nobody waits for the lock.
    Python::try_attach(|py| fork::unlocked(py, move || drop(tensor)));
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
    /// NumPy leaves operators between an array and a tensor to the tensor.
    #[classattr]
    #[pyo3(name = "__array_priority__")]
    const ARRAY_PRIORITY: i32 = 100;

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

    fn __setitem__(&self, _key: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err(format!(
            "a tensor does not support item assignment: its elements never change. Write `x = \
             {}.tensor_scatter_nd_update(x, [[i]], [value])`, or keep the elements in a variable and write \
             `v[i].assign(value)`",
            printed_name()
        )))
    }

    fn __delitem__(&self, _key: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a tensor does not support item deletion: its elements never change",
        ))
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
            Val::Eager(e) if e.tensor.rank() > 0 => hooks(py)?.rows.bind(py).call1((slf,))?,
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
        match &self.val {
            Val::Eager(e) => Some(e.tensor.rank()),
            Val::Sym(_) => self.val.spec().shape.rank(),
        }
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
        DEVICE
    }

    /// The operators that tensors compute.
    #[classattr]
    #[allow(non_snake_case)]
    fn OVERLOADABLE_OPERATORS(py: Python<'_>) -> PyResult<Bound<'_, PyFrozenSet>> {
        PyFrozenSet::new(py, OPERATORS.map(|name| format!("__{name}__")))
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

    /// An object that represents this very tensor as a dictionary key; `.deref()` gives it back.
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

    /// The value, also that of a tensor of a graph which is being built; None where it depends on what is known only when
    /// the graph runs.
    fn _value_so_far<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Val::Sym(symbolic) = &self.val else {
            return wrap(py, self.val.clone()).map(Some);
        };
        let Some((graph, outer)) = symbolic.trace.behind(symbolic.value).or_raise(py)? else {
            return Ok(None);
        };
        let inputs = outer.iter().map(|v| v.expect_tensor().cloned());
        let Ok(inputs) = inputs.collect::<Result<Vec<_>, _>>() else {
            return Ok(None);
        };
        let work = || ferrograph_runtime::evaluate_output(&graph, 0, &inputs);
        wrap(py, Val::eager(guarded(work).or_raise(py)?)).map(Some)
    }

    /// The graph that a symbolic tensor belongs to: a number; None for an eager one.
    #[getter]
    fn _graph_id(&self) -> Option<u32> {
        match &self.val {
            Val::Sym(s) => Some(s.trace.id()),
            Val::Eager(_) => None,
        }
    }

    /// The graph being traced that a symbolic tensor belongs to; None for a finished graph, and for an eager tensor.
    fn _region(&self) -> Option<PyRegion> {
        match &self.val {
            Val::Sym(s) => PyRegion::being_traced(&s.trace),
            Val::Eager(_) => None,
        }
    }
}
