//! Operations as Python names them: made once for each set of small attributes, and shared.

use crate::attrs::attrs_of;
use crate::bridge;
use crate::errors::IntoPyResult;
use ferrograph_data::registry;
use ferrograph_graph::{Effect, OpRef};
use ferrograph_tensor::DType;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use parking_lot::RwLock;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};
use smallvec::SmallVec;
use std::hash::{BuildHasher, Hash, Hasher};

/// The value of an attribute that takes a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Small {
    Bool(bool),
    Int(i64),
    DType(DType),
}

/// Attributes by name, in the order given.
type Smalls<'a> = SmallVec<[(&'a str, Small); 4]>;

struct Made {
    name: Box<str>,
    attrs: Box<[(Box<str>, Small)]>,
    op: OpRef,
}

impl Made {
    fn is(&self, name: &str, attrs: &Smalls<'_>) -> bool {
        let own = self.attrs.iter().map(|(name, value)| (&**name, *value));
        *self.name == *name && own.eq(attrs.iter().copied())
    }

    fn hash(&self) -> u64 {
        hash(
            &self.name,
            self.attrs.iter().map(|(name, value)| (&**name, *value)),
        )
    }
}

fn hash<'a>(name: &str, attrs: impl Iterator<Item = (&'a str, Small)>) -> u64 {
    let mut state = FixedState::default().build_hasher();
    name.hash(&mut state);
    attrs.for_each(|attr| attr.hash(&mut state));
    state.finish()
}

/// Those made so far.
static MADE: RwLock<HashTable<Made>> = RwLock::new(HashTable::new());

/// Operations kept; past it the memory starts anew.
const LIMIT: usize = 4096;

/// The operation of that name with these attributes.
///
/// # Errors
/// What the operation refuses in its attributes, and names that are none's.
pub(crate) fn made(
    py: Python<'_>,
    name: &str,
    attrs: Option<&Bound<'_, PyDict>>,
) -> PyResult<OpRef> {
    let items: SmallVec<[_; 4]> = attrs.into_iter().flat_map(|attrs| attrs.iter()).collect();
    let Some(smalls) = smalls(&items) else {
        return anew(py, name, attrs);
    };
    let hash = hash(name, smalls.iter().copied());
    if let Some(found) = MADE.read().find(hash, |made| made.is(name, &smalls)) {
        return Ok(found.op.clone());
    }
    let op = anew(py, name, attrs)?;
    // Others may have a state of their own, such as the numbers that one draws.
    if op.effect() == Effect::Pure {
        keep(hash, name, &smalls, &op);
    }
    Ok(op)
}

fn anew(py: Python<'_>, name: &str, attrs: Option<&Bound<'_, PyDict>>) -> PyResult<OpRef> {
    let attrs = attrs_of(registry().decl(name), attrs)?;
    registry().make(name, &attrs).or_raise(py)
}

fn keep(hash: u64, name: &str, attrs: &Smalls<'_>, op: &OpRef) {
    let mut made = MADE.write();
    if made.len() >= LIMIT {
        made.clear();
    }
    let attrs = attrs.iter().map(|&(name, value)| (name.into(), value));
    let new = Made {
        name: name.into(),
        attrs: attrs.collect(),
        op: op.clone(),
    };
    let known = made.find(hash, |old| old.name == new.name && old.attrs == new.attrs);
    if known.is_none() {
        made.insert_unique(hash, new, Made::hash);
    }
}

/// The attributes where all of them are small.
fn smalls<'a>(items: &'a [(Bound<'_, PyAny>, Bound<'_, PyAny>)]) -> Option<Smalls<'a>> {
    let read = |(name, value): &'a (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = name.cast_exact::<PyString>().ok()?.to_str().ok()?;
        Some((name, small(value)?))
    };
    items.iter().map(read).collect()
}

fn small(value: &Bound<'_, PyAny>) -> Option<Small> {
    if let Ok(value) = value.cast_exact::<PyBool>() {
        return Some(Small::Bool(value.is_true()));
    }
    if let Ok(value) = value.cast_exact::<PyInt>() {
        return value.extract().ok().map(Small::Int);
    }
    bridge::registered_dtype(value).map(Small::DType)
}
