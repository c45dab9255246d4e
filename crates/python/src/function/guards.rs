//! Guards of a trace: Python values that the traced code read from globals, closures and attributes, and what it read
//! of containers there, which have to be what they were for the trace to serve.

use super::contents::{Expected, PyReadContents};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyString, PyWeakrefMethods,
    PyWeakrefReference,
};
use pyo3::{PyTraverseError, PyVisit};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

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
    held: Held,
}

/// What the dictionaries were when the guard held last: while they are the same, it holds.
#[derive(Default)]
struct Held {
    /// The version of the globals that have the name.
    globals: AtomicU64,
    /// The value then, as an address, where its contents are expected.
    value: AtomicUsize,
    /// The version of the contents.
    contents: AtomicU64,
}

impl Held {
    /// Notes that the guard holds, or that it does not.
    fn keep(&self, holds: bool, globals: u64, value: usize, contents: u64) {
        let or_none = |version| if holds { version } else { 0 };
        self.value.store(value, Ordering::Relaxed);
        self.contents.store(or_none(contents), Ordering::Relaxed);
        self.globals.store(or_none(globals), Ordering::Relaxed);
    }

    /// Whether an object is the value then, with the contents then.
    fn has_contents(&self, now: &Bound<'_, PyAny>) -> bool {
        let version = version_of(now);
        now.as_ptr() as usize == self.value.load(Ordering::Relaxed)
            && version != 0
            && version == self.contents.load(Ordering::Relaxed)
    }
}

/// The number that a dictionary gets anew with each change of it; 0 of other objects, and from Python 3.12 on, which
/// deprecates it.
fn version_of(object: &Bound<'_, PyAny>) -> u64 {
    #[cfg(not(Py_3_12))]
    if object.is_exact_instance_of::<PyDict>() {
        // SAFETY: the object is a dictionary, which the reference keeps.
        return unsafe { (*object.as_ptr().cast::<ffi::PyDictObject>()).ma_version_tag };
    }
    let _ = object;
    0
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
            held: Held::default(),
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
        let globals = match &self.place {
            Place::Name(globals, _) => version_of(globals.bind(py)),
            _ => 0,
        };
        if globals == 0 || globals != self.held.globals.load(Ordering::Relaxed) {
            return self.holds_now(py, globals);
        }
        let Expected::Contents(contents) = &self.expected else {
            return true;
        };
        let value = self.held.value.load(Ordering::Relaxed) as *mut ffi::PyObject;
        // SAFETY: globals that have not changed hold the value.
        let value = unsafe { Bound::from_borrowed_ptr(py, value) };
        self.has_contents(&value, contents.get(), globals)
    }

    /// Whether the value is what it was, looked up; `globals` is the version of the globals.
    fn holds_now(&self, py: Python<'_>, globals: u64) -> bool {
        if let Place::Attribute(weak, _) = &self.place
            && weak.bind(py).upgrade().is_none()
        {
            return true;
        }
        let Some(now) = self.now(py) else {
            return false;
        };
        if let Expected::Contents(contents) = &self.expected {
            return self.has_contents(&now, contents.get(), globals);
        }
        let holds = self.expected.holds(&now);
        self.held.keep(holds, globals, 0, 0);
        holds
    }

    /// Whether a container has what it had.
    fn has_contents(&self, now: &Bound<'_, PyAny>, facts: &PyReadContents, globals: u64) -> bool {
        let version = match facts.is_shallow() {
            true => version_of(now),
            false => 0,
        };
        let is_known = version != 0 && self.held.has_contents(now);
        let holds = is_known || facts.holds(now);
        self.held
            .keep(holds, globals, now.as_ptr() as usize, version);
        holds
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
