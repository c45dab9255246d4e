//! Guards of a trace: Python values that the traced code read from globals, closures and attributes, and what it read
//! of containers there, which have to be what they were for the trace to serve.

use super::contents::Expected;
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
    expected: Expected,
}

/// A guard as the front end writes it: cell, globals or weak reference, name there, label, value.
pub(super) type Written<'py> = (
    Bound<'py, PyAny>,
    Option<Bound<'py, PyString>>,
    Bound<'py, PyString>,
    Bound<'py, PyAny>,
);

/// A fact that does not hold, as a guard, and the value now.
pub(super) type Stale<'py> = (Written<'py>, Option<Bound<'py, PyAny>>);

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
            expected: Expected::read(value),
        })
    }

    pub(super) fn write<'py>(&self, py: Python<'py>) -> Written<'py> {
        let (owner, name) = self.place(py);
        let label = self.label.bind(py).clone();
        (owner, name, label, self.expected.write(py))
    }

    fn place<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, Option<Bound<'py, PyString>>) {
        match &self.place {
            Place::Cell(cell) => (cell.bind(py).clone(), None),
            Place::Name(globals, name) => (
                globals.bind(py).clone().into_any(),
                Some(name.bind(py).clone()),
            ),
            Place::Attribute(weak, name) => (
                weak.bind(py).clone().into_any(),
                Some(name.bind(py).clone()),
            ),
        }
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
        (self.now(py)).is_some_and(|now| self.expected.holds(&now))
    }

    /// What does not hold of it: each fact of a container by itself, with the value now.
    pub(super) fn stale<'py>(&self, py: Python<'py>) -> Vec<Stale<'py>> {
        if self.holds(py) {
            return Vec::new();
        }
        let now = self.now(py);
        let (Expected::Contents(contents), Some(value)) = (&self.expected, &now) else {
            return vec![(self.write(py), now)];
        };
        let mut found = Vec::new();
        let label = self.label.bind(py).to_string_lossy();
        (contents.get()).differences(&label, value, &mut found);
        let (owner, name) = self.place(py);
        let none = || py.None().into_bound(py);
        (found.into_iter())
            .map(|(label, then, now)| {
                let then = then.unwrap_or_else(none);
                let label = PyString::new(py, &label);
                ((owner.clone(), name.clone(), label, then), now)
            })
            .collect()
    }

    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.place {
            Place::Cell(cell) => visit.call(cell)?,
            Place::Name(globals, _) => visit.call(globals)?,
            Place::Attribute(weak, _) => visit.call(weak)?,
        }
        self.expected.traverse(visit)
    }
}

/// Whether two values are literals of one class and value. No code of the user runs.
pub(super) fn equal_literals(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
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
