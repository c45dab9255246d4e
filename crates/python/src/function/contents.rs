//! What a trace has read of lists, tuples, dictionaries and sets: facts that have to hold for the trace to serve.
//!
//! The front end notes the facts (`contents.py`) and makes a tree of them, containers within containers. A call walks
//! it along what is there now: items are looked up without code of the program's, numbers and strings are compared by
//! pointer and then by value, objects by identity.

use super::guards::equal_literals;
use pyo3::prelude::*;
use pyo3::types::{
    PyDict, PyFrozenSet, PyList, PySet, PyTuple, PyType, PyWeakrefMethods, PyWeakrefReference,
};
use pyo3::{IntoPyObjectExt, ffi};
use pyo3::{PyTraverseError, PyVisit};

/// One object that was read: held weakly where that can be, and told from others by identity or, for numbers of
/// libraries, by value.
#[pyclass(name = "ReadObject", module = "ferrograph._core", frozen)]
pub(crate) struct PyReadObject {
    weak: Option<Py<PyWeakrefReference>>,
    held: Option<Py<PyAny>>,
    by_value: bool,
}

impl PyReadObject {
    fn object<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        match (&self.held, &self.weak) {
            (Some(held), _) => Some(held.bind(py).clone()),
            (None, Some(weak)) => weak.bind(py).upgrade(),
            (None, None) => None,
        }
    }

    fn is(&self, now: &Bound<'_, PyAny>) -> bool {
        let Some(object) = self.object(now.py()) else {
            return false;
        };
        let equal = || object.get_type().is(now.get_type()) && object.eq(now).unwrap_or(false);
        object.is(now) || (self.by_value && equal())
    }
}

#[pymethods]
impl PyReadObject {
    #[new]
    fn new(value: Bound<'_, PyAny>, by_value: bool) -> PyReadObject {
        let weak = match by_value {
            true => None,
            false => PyWeakrefReference::new(&value).ok().map(Bound::unbind),
        };
        let held = weak.is_none().then(|| value.unbind());
        PyReadObject {
            weak,
            held,
            by_value,
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.held)
    }
}

/// What a value has to be.
pub(super) enum Expected {
    Literal(Py<PyAny>),
    Object(Py<PyReadObject>),
    Contents(Py<PyReadContents>),
}

impl Expected {
    pub(super) fn read(value: Bound<'_, PyAny>) -> Expected {
        match value.cast_into::<PyReadContents>() {
            Ok(contents) => Expected::Contents(contents.unbind()),
            Err(e) => match e.into_inner().cast_into::<PyReadObject>() {
                Ok(object) => Expected::Object(object.unbind()),
                Err(e) => Expected::Literal(e.into_inner().unbind()),
            },
        }
    }

    /// As the front end writes it.
    pub(super) fn write<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match self {
            Expected::Literal(value) => value.bind(py).clone(),
            Expected::Object(object) => object.bind(py).clone().into_any(),
            Expected::Contents(contents) => contents.bind(py).clone().into_any(),
        }
    }

    pub(super) fn holds(&self, now: &Bound<'_, PyAny>) -> bool {
        match self {
            Expected::Literal(value) => {
                let value = value.bind(now.py());
                now.is(value) || equal_literals(now, value)
            }
            Expected::Object(object) => object.get().is(now),
            Expected::Contents(contents) => contents.get().holds(now),
        }
    }

    /// The value or object itself, the class of a container.
    fn shown<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        match self {
            Expected::Literal(value) => Some(value.bind(py).clone()),
            Expected::Object(object) => object.get().object(py),
            Expected::Contents(contents) => Some(contents.get().kind.bind(py).clone().into_any()),
        }
    }

    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Expected::Literal(value) => visit.call(value),
            Expected::Object(object) => visit.call(object),
            Expected::Contents(contents) => visit.call(contents),
        }
    }
}

/// Under what an item stands.
enum Key {
    Index(isize),
    /// A literal, or a tuple of them.
    Name(Py<PyAny>),
    Object(Py<PyReadObject>),
}

impl Key {
    fn read(key: Bound<'_, PyAny>, is_sequence: bool) -> PyResult<Key> {
        if is_sequence {
            return Ok(Key::Index(key.extract()?));
        }
        Ok(match key.cast_into::<PyReadObject>() {
            Ok(object) => Key::Object(object.unbind()),
            Err(e) => Key::Name(e.into_inner().unbind()),
        })
    }

    fn shown(&self, py: Python<'_>) -> String {
        let repr = |value: &Bound<'_, PyAny>| match value.repr() {
            Ok(text) => text.to_string_lossy().into_owned(),
            Err(_) => "...".to_owned(),
        };
        match self {
            Key::Index(index) => index.to_string(),
            Key::Name(name) => repr(name.bind(py)),
            Key::Object(object) => (object.get().object(py)).map_or("...".to_owned(), |o| repr(&o)),
        }
    }

    /// Whether it is this key of a dictionary.
    fn is(&self, key: &Bound<'_, PyAny>) -> bool {
        match self {
            Key::Index(_) => false,
            Key::Name(name) => {
                let name = name.bind(key.py());
                key.is(name)
                    || equal_literals(key, name)
                    || (key.is_exact_instance_of::<PyTuple>() && key.eq(name).unwrap_or(false))
            }
            Key::Object(object) => object.get().is(key),
        }
    }
}

/// The facts that were read of one container, and hold.
#[pyclass(name = "ReadContents", module = "ferrograph._core", frozen)]
pub(crate) struct PyReadContents {
    kind: Py<PyType>,
    length: Option<usize>,
    /// Whether it has elements.
    truth: Option<bool>,
    /// Whether the items are all there are of a dictionary, in their order.
    is_ordered: bool,
    /// Whether the order is that of the dictionary itself, not one that its class keeps.
    is_plain: bool,
    is_shallow: bool,
    /// Whether all facts are literals at places of a list.
    are_of_list: bool,
    items: Box<[(Key, Expected)]>,
    members: Box<[Key]>,
    absent: Box<[Key]>,
}

/// One fact that does not hold: what it says, the value then and now.
pub(super) type Difference<'py> = (String, Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

impl PyReadContents {
    /// Whether all facts are of the container itself, and none of containers in it or of keys of the program's.
    pub(super) fn is_shallow(&self) -> bool {
        self.is_shallow
    }

    /// Whether all facts hold of a container.
    #[inline]
    pub(super) fn holds(&self, now: &Bound<'_, PyAny>) -> bool {
        (self.are_of_list && self.has_same_items(now)) || self.holds_by_value(now)
    }

    /// Whether it is a list with the very literals that are expected.
    #[inline]
    fn has_same_items(&self, now: &Bound<'_, PyAny>) -> bool {
        (self.items.iter()).all(|(key, expected)| is_same_item(now, key, expected))
    }

    /// Whether all facts hold, asked of each item by its value.
    #[inline(never)]
    fn holds_by_value(&self, now: &Bound<'_, PyAny>) -> bool {
        if now.get_type_ptr().cast() != self.kind.as_ptr() {
            return false;
        }
        if self.length.is_some() || self.truth.is_some() {
            let Some(length) = length_of(now) else {
                return false;
            };
            if self.length.is_some_and(|n| n != length)
                || self.truth.is_some_and(|t| t != (length > 0))
            {
                return false;
            }
        }
        let items = match self.is_ordered {
            true => self.holds_in_order(now),
            false => (self.items.iter())
                .all(|(key, expected)| item(now, key).is_some_and(|found| expected.holds(&found))),
        };
        items
            && self.members.iter().all(|key| has(now, key))
            && !self.absent.iter().any(|key| has(now, key))
    }

    fn holds_in_order(&self, now: &Bound<'_, PyAny>) -> bool {
        let Ok(dict) = now.cast::<PyDict>() else {
            return false;
        };
        if !self.is_plain {
            let Ok(mut keys) = now.try_iter() else {
                return false;
            };
            return self.items.iter().all(|(key, expected)| {
                matches!(keys.next(), Some(Ok(found)) if key.is(&found))
                    && item(now, key).is_some_and(|found| expected.holds(&found))
            });
        }
        let mut pairs = Pairs { dict, place: 0 };
        (self.items.iter()).all(|(key, expected)| {
            (pairs.next()).is_some_and(|(k, value)| key.is(&k) && expected.holds(&value))
        })
    }

    /// What does not hold any more, of a container that is called `label`.
    pub(super) fn differences<'py>(
        &self,
        label: &str,
        now: &Bound<'py, PyAny>,
        found: &mut Vec<Difference<'py>>,
    ) {
        let py = now.py();
        let before = found.len();
        let kind = self.kind.bind(py);
        if !now.get_type().is(kind) {
            let then = Some(kind.clone().into_any());
            found.push((
                format!("type({label})"),
                then,
                Some(now.get_type().into_any()),
            ));
            return;
        }
        for (key, expected) in &self.items {
            let value = item(now, key);
            if value.as_ref().is_some_and(|v| expected.holds(v)) {
                continue;
            }
            let label = format!("{label}[{}]", key.shown(py));
            match (expected, &value) {
                (Expected::Contents(inner), Some(value)) => {
                    inner.get().differences(&label, value, found);
                }
                _ => found.push((label, expected.shown(py), value)),
            }
        }
        let length = length_of(now);
        if self.length.is_some() && self.length != length {
            let shown = |n: Option<usize>| n.and_then(|n| n.into_bound_py_any(py).ok());
            found.push((format!("len({label})"), shown(self.length), shown(length)));
        }
        let is_filled = length.is_some_and(|n| n > 0);
        let truth = |t: bool| t.into_bound_py_any(py).ok();
        if self.truth.is_some_and(|t| t != is_filled) {
            found.push((
                format!("bool({label})"),
                truth(!is_filled),
                truth(is_filled),
            ));
        }
        let all =
            (self.members.iter().map(|k| (k, true))).chain(self.absent.iter().map(|k| (k, false)));
        for (key, then) in all {
            if has(now, key) != then {
                let label = format!("{} in {label}", key.shown(py));
                found.push((label, truth(then), truth(!then)));
            }
        }
        if found.len() == before && !self.holds(now) {
            let then = self.items.iter().map(|(key, _)| key.shown(py));
            let then = PyList::new(py, then).ok().map(Bound::into_any);
            let keys = now
                .try_iter()
                .and_then(|keys| keys.collect::<PyResult<Vec<_>>>());
            let keys = keys.and_then(|keys| PyList::new(py, keys)).ok();
            found.push((format!("list({label})"), then, keys.map(Bound::into_any)));
        }
    }
}

#[pymethods]
impl PyReadContents {
    /// The facts of a container of that class: how many elements, whether there are any, whether `items` are all of a
    /// dictionary and in order, what stands under which keys, keys or elements that it has, and that it has not.
    #[new]
    fn new(
        kind: Bound<'_, PyType>,
        length: Option<usize>,
        truth: Option<bool>,
        is_ordered: bool,
        items: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
        members: Vec<Bound<'_, PyAny>>,
        absent: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<PyReadContents> {
        let py = kind.py();
        let is_sequence = kind.is_subclass_of::<PyList>()? || kind.is_subclass_of::<PyTuple>()?;
        let walk = pyo3::intern!(py, "__iter__");
        let is_plain = kind
            .getattr(walk)?
            .is(&py.get_type::<PyDict>().getattr(walk)?);
        let items = items
            .into_iter()
            .map(|(key, value)| Ok((Key::read(key, is_sequence)?, Expected::read(value))));
        let keys = |keys: Vec<Bound<'_, PyAny>>| -> PyResult<Box<[Key]>> {
            keys.into_iter()
                .map(|key| Key::read(key, is_sequence))
                .collect()
        };
        let items: Box<[(Key, Expected)]> = items.collect::<PyResult<_>>()?;
        let (members, absent) = (keys(members)?, keys(absent)?);
        let is_name = |key: &Key| matches!(key, Key::Name(_));
        let is_value = |expected: &Expected| !matches!(expected, Expected::Contents(_));
        let is_shallow = items
            .iter()
            .all(|(key, expected)| is_name(key) && is_value(expected))
            && members.iter().chain(&absent).all(is_name);
        let is_of_list = |(key, expected): &(Key, Expected)| {
            matches!((key, expected), (Key::Index(_), Expected::Literal(_)))
        };
        let are_of_list = kind.is(py.get_type::<PyList>())
            && length.is_none()
            && truth.is_none()
            && members.is_empty()
            && absent.is_empty()
            && items.iter().all(is_of_list);
        Ok(PyReadContents {
            length,
            truth,
            is_ordered,
            is_plain,
            is_shallow,
            are_of_list,
            items,
            members,
            absent,
            kind: kind.unbind(),
        })
    }

    /// Whether all facts hold of a container.
    #[pyo3(name = "holds")]
    fn py_holds(&self, now: &Bound<'_, PyAny>) -> bool {
        self.holds(now)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.kind)?;
        for (key, expected) in &self.items {
            match key {
                Key::Index(_) => {}
                Key::Name(name) => visit.call(name)?,
                Key::Object(object) => visit.call(object)?,
            }
            expected.traverse(&visit)?;
        }
        Ok(())
    }
}

/// The items of a dictionary in its own order, each looked up anew, so that nothing is held while they are compared.
struct Pairs<'a, 'py> {
    dict: &'a Bound<'py, PyDict>,
    place: ffi::Py_ssize_t,
}

impl<'py> Iterator for Pairs<'_, 'py> {
    type Item = (Bound<'py, PyAny>, Bound<'py, PyAny>);

    fn next(&mut self) -> Option<Self::Item> {
        let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the object is a dictionary; the interpreter checks the place against what the dictionary is now. Key
        // and value are borrowed from it, and get references of their own before anything else runs.
        unsafe {
            let dict = self.dict.as_ptr();
            if ffi::PyDict_Next(dict, &mut self.place, &mut key, &mut value) == 0 {
                return None;
            }
            let py = self.dict.py();
            Some((
                Bound::from_borrowed_ptr(py, key),
                Bound::from_borrowed_ptr(py, value),
            ))
        }
    }
}

fn length_of(now: &Bound<'_, PyAny>) -> Option<usize> {
    if let Ok(list) = now.cast::<PyList>() {
        return Some(list.len());
    }
    if let Ok(dict) = now.cast::<PyDict>() {
        return Some(dict.len());
    }
    now.len().ok()
}

/// Whether the item of a list is the very literal that is expected, which needs no reference to it.
#[cfg(not(Py_GIL_DISABLED))]
#[inline]
fn is_same_item(now: &Bound<'_, PyAny>, key: &Key, expected: &Expected) -> bool {
    let (Key::Index(index), Expected::Literal(value)) = (key, expected) else {
        return false;
    };
    let Ok(list) = now.cast_exact::<PyList>() else {
        return false;
    };
    let length = list.len();
    let place = match *index < 0 {
        true => length.checked_add_signed(*index),
        false => Some(index.unsigned_abs()),
    };
    let Some(place) = place.filter(|place| *place < length) else {
        return false;
    };
    // SAFETY: the place is within the list, which nothing changes meanwhile; the item is only compared as an address.
    let found = unsafe { ffi::PyList_GET_ITEM(list.as_ptr(), place as ffi::Py_ssize_t) };
    found == value.as_ptr()
}

/// Other threads may change the list.
#[cfg(Py_GIL_DISABLED)]
fn is_same_item(_: &Bound<'_, PyAny>, _: &Key, _: &Expected) -> bool {
    false
}

/// What stands under a key; of a set nothing does.
fn item<'py>(now: &Bound<'py, PyAny>, key: &Key) -> Option<Bound<'py, PyAny>> {
    match key {
        Key::Index(index) => {
            let place = |len: usize| match *index < 0 {
                true => len.checked_add_signed(*index),
                false => Some(index.unsigned_abs()),
            };
            match now.cast::<PyList>() {
                Ok(list) => place(list.len()).and_then(|i| list.get_item(i).ok()),
                Err(_) => {
                    let tuple = now.cast::<PyTuple>().ok()?;
                    place(tuple.len()).and_then(|i| tuple.get_item(i).ok())
                }
            }
        }
        Key::Name(name) => {
            let dict = now.cast::<PyDict>().ok()?;
            dict.get_item(name.bind(now.py())).ok().flatten()
        }
        Key::Object(object) => {
            let dict = now.cast::<PyDict>().ok()?;
            dict.get_item(object.get().object(now.py())?).ok().flatten()
        }
    }
}

/// Whether a set has an element, a dictionary a key, a list an index.
fn has(now: &Bound<'_, PyAny>, key: &Key) -> bool {
    let Key::Name(name) = key else {
        return item(now, key).is_some();
    };
    let name = name.bind(now.py());
    if let Ok(dict) = now.cast::<PyDict>() {
        return dict.contains(name).unwrap_or(false);
    }
    if let Ok(set) = now.cast::<PySet>() {
        return set.contains(name).unwrap_or(false);
    }
    (now.cast::<PyFrozenSet>()).is_ok_and(|set| set.contains(name).unwrap_or(false))
}
