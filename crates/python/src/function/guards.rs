//! Guards of a trace: Python values that the traced code read from globals and closures, which have to be what they
//! were for the trace to serve.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyString, PyWeakrefMethods,
    PyWeakrefReference,
};
use pyo3::{PyTraverseError, PyVisit};

/// Where a value is read from.
enum Place {
    /// A closure's cell.
    Cell(Py<PyAny>),
    /// A name in a module's globals.
    Name(Py<PyDict>, Py<PyString>),
    /// An attribute of what a weak reference refers to.
    Attribute(Py<PyWeakrefReference>, Py<PyString>),
}

/// One value: where it stands, what the user calls it, and what it was.
pub(super) struct Guard {
    place: Place,
    label: Py<PyString>,
    expected: Py<PyAny>,
}

/// A guard as the front end writes it: cell, globals or weak reference, name there, label, value.
pub(super) type Written<'py> = (
    Bound<'py, PyAny>,
    Option<Bound<'py, PyString>>,
    Bound<'py, PyString>,
    Bound<'py, PyAny>,
);

impl Guard {
    pub(super) fn read((owner, name, label, value): Written<'_>) -> PyResult<Guard> {
        let place = match name {
            Some(name) => match owner.cast_into::<PyWeakrefReference>() {
                Ok(weak) => Place::Attribute(weak.unbind(), name.unbind()),
                Err(e) => {
                    let globals = e.into_inner().cast_into::<PyDict>()?;
                    Place::Name(globals.unbind(), name.unbind())
                }
            },
            None => Place::Cell(owner.unbind()),
        };
        Ok(Guard {
            place,
            label: label.unbind(),
            expected: value.unbind(),
        })
    }

    pub(super) fn write<'py>(&self, py: Python<'py>) -> Written<'py> {
        let (owner, name) = match &self.place {
            Place::Cell(cell) => (cell.bind(py).clone(), None),
            Place::Name(globals, name) => (
                globals.bind(py).clone().into_any(),
                Some(name.bind(py).clone()),
            ),
            Place::Attribute(weak, name) => (
                weak.bind(py).clone().into_any(),
                Some(name.bind(py).clone()),
            ),
        };
        let label = self.label.bind(py).clone();
        (owner, name, label, self.expected.bind(py).clone())
    }

    /// The value now; `None` where the name is gone.
    pub(super) fn now<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        match &self.place {
            Place::Name(globals, name) => globals.bind(py).get_item(name).ok().flatten(),
            Place::Attribute(weak, name) => {
                let object = weak.bind(py).upgrade()?;
                object.getattr(name).ok()
            }
            Place::Cell(cell) => {
                let cell = cell.as_ptr();
                // SAFETY: PyCell_Get gives a new reference, or null: for an empty cell without, for what is no cell
                // with an exception, which is taken.
                let value = unsafe { Bound::from_owned_ptr_or_opt(py, ffi::PyCell_Get(cell)) };
                if value.is_none() {
                    drop(PyErr::take(py));
                }
                value
            }
        }
    }

    /// Whether the value is what it was; of an object that is gone nobody reads another one.
    pub(super) fn holds(&self, py: Python<'_>) -> bool {
        if let Place::Attribute(weak, _) = &self.place
            && weak.bind(py).upgrade().is_none()
        {
            return true;
        }
        let expected = self.expected.bind(py);
        (self.now(py)).is_some_and(|now| now.is(expected) || equal_literals(&now, expected))
    }

    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.place {
            Place::Cell(cell) => visit.call(cell),
            Place::Name(globals, _) => visit.call(globals),
            Place::Attribute(weak, _) => visit.call(weak),
        }
    }
}

/// Whether two values are literals of one class and value. No code of the user runs.
fn equal_literals(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    if !a.get_type().is(b.get_type()) {
        return false;
    }
    if let (Ok(a), Ok(b)) = (a.cast_exact::<PyFloat>(), b.cast_exact::<PyFloat>()) {
        return a.value().to_bits() == b.value().to_bits();
    }
    let is_literal = a.cast_exact::<PyInt>().is_ok()
        || a.cast_exact::<PyString>().is_ok()
        || a.cast_exact::<PyBool>().is_ok()
        || a.cast_exact::<PyBytes>().is_ok()
        || a.cast_exact::<PyComplex>().is_ok();
    is_literal && a.eq(b).unwrap_or(false)
}
