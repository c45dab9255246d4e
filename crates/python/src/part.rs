//! Parts of variables: what `variable[key]` gives, a tensor whose place can be assigned.

use crate::hooks::hooks;
use crate::tensor::{PyEager, PySymbolic, PyTensor};
use crate::variable::PyVariable;
use ferrograph_graph::Val;
use pyo3::PyClassInitializer;
use pyo3::prelude::*;

/// Which part of which variable.
struct Place {
    variable: Py<PyVariable>,
    key: Py<PyAny>,
}

impl Place {
    fn assign<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        hooks(py)?
            .assign_part
            .bind(py)
            .call1((&self.variable, &self.key, value))
    }
}

/// A part of a variable, with its value.
#[pyclass(name = "EagerTensor", module = "ferrograph", extends = PyEager, frozen)]
struct PyEagerPart(Place);

/// A part of a variable in a graph being traced.
#[pyclass(name = "SymbolicTensor", module = "ferrograph", extends = PySymbolic, frozen)]
struct PySymbolicPart(Place);

macro_rules! assignable {
    ($part:ident) => {
        #[pymethods]
        impl $part {
            /// Replaces this part of the variable by a value that broadcasts to it; gives the variable.
            #[pyo3(signature = (value, name=None))]
            fn assign<'py>(
                &self,
                value: &Bound<'py, PyAny>,
                name: Option<&str>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let _ = name;
                self.0.assign(value)
            }
        }
    };
}
assignable!(PyEagerPart);
assignable!(PySymbolicPart);

/// The tensor that a key picks of a variable's value, as that part of the variable.
#[pyfunction]
pub(crate) fn part_of<'py>(
    variable: &Bound<'py, PyVariable>,
    key: &Bound<'py, PyAny>,
    tensor: &Bound<'py, PyTensor>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let place = Place {
        variable: variable.clone().unbind(),
        key: key.clone().unbind(),
    };
    let val = tensor.get().val.clone();
    let is_eager = matches!(val, Val::Eager(_));
    let base = PyClassInitializer::from(PyTensor { val });
    if is_eager {
        let made = base.add_subclass(PyEager).add_subclass(PyEagerPart(place));
        return Ok(Bound::new(py, made)?.into_any());
    }
    let made = base
        .add_subclass(PySymbolic)
        .add_subclass(PySymbolicPart(place));
    Ok(Bound::new(py, made)?.into_any())
}
