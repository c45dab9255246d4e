//! Encoding the types of arguments as a signature, and collecting the tensors among them.

use crate::bridge;
use crate::hooks::hooks;
use crate::tensor::PyTensor;
use crate::variable::PyVariable;
use ferrograph_graph::{Val, Vals};
use ferrograph_runtime::{Signature, SignatureBuilder, with_words_of_class, words_of_class};
use ferrograph_tensor::PartialShape;
use parking_lot::Mutex;
use pyo3::exceptions::{PyRecursionError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyWeakrefMethods,
    PyWeakrefReference,
};
use smallvec::SmallVec;
use std::cell::Cell;
use std::collections::HashMap;

/// Containers inside containers that arguments may have.
const DEPTH_LIMIT: usize = 500;

pub(super) const NONE: u32 = 1;
pub(super) const BOOL: u32 = 2;
pub(super) const INT: u32 = 3;
pub(super) const FLOAT: u32 = 4;
const STR: u32 = 5;
pub(super) const BYTES: u32 = 6;
pub(super) const BIG_INT: u32 = 7;
pub(super) const LIST: u32 = 8;
const TUPLE: u32 = 9;
pub(super) const DICT: u32 = 10;
pub(super) const VARARGS: u32 = 11;
pub(super) const VARKW: u32 = 12;
const OBJECT: u32 = 13;
pub(super) const STRUCT: u32 = 14;
pub(super) const TYPED: u32 = 15;
pub(super) const DEVICE: u32 = 16;

thread_local! {
    static CURRENT_DEVICE: Cell<u64> = const { Cell::new(0) };
}

/// Sets the number of the device that this thread asks for, 0 for none, and gives the one before.
#[pyfunction]
pub(crate) fn set_device(number: u64) -> u64 {
    CURRENT_DEVICE.replace(number)
}

/// Tokens of the objects that a function was called with, by address, as long as they live.
#[derive(Default)]
pub(super) struct Objects {
    known: HashMap<usize, (Py<PyWeakrefReference>, u64)>,
}

impl Objects {
    fn find(&self, obj: &Bound<'_, PyAny>) -> Option<u64> {
        let (weak, token) = self.known.get(&(obj.as_ptr() as usize))?;
        weak.bind(obj.py())
            .upgrade()
            .is_some_and(|o| o.is(obj))
            .then_some(*token)
    }

    /// Forgets objects that are gone and gives their tokens.
    pub(super) fn sweep(&mut self, py: Python<'_>) -> Vec<u64> {
        let mut dead = Vec::new();
        self.known.retain(|_, (weak, token)| {
            let alive = weak.bind(py).upgrade().is_some();
            if !alive {
                dead.push(*token);
            }
            alive
        });
        dead
    }
}

/// The tokens of the objects that a signature mentions.
pub(super) fn objects(signature: &[u64]) -> Vec<u64> {
    words_of_class(signature, OBJECT)
}

/// Whether a signature mentions the object of that token.
pub(super) fn mentions(signature: &[u64], token: u64) -> bool {
    objects(signature).contains(&token)
}

/// The tokens of the trace types of the program's own that a signature mentions, in order.
pub(super) fn types(signature: &[u64]) -> Vec<u64> {
    words_of_class(signature, TYPED)
}

/// The signature with other trace types, as many as `types` gives.
pub(super) fn with_types(signature: &[u64], types: &[u64]) -> Signature {
    with_words_of_class(signature, TYPED, types)
}

/// What encoding gives: the signature and the tensors and variable handles, in its order.
pub(super) struct Encoded {
    pub signature: SignatureBuilder,
    pub vals: Vals,
    /// The trace types whose tokens the signature has, which live as long as these.
    pub types: Vec<Py<PyAny>>,
    /// The first TensorSpec, which represents a tensor: there is no value for it.
    pub spec: Option<Py<PyAny>>,
}

/// Encodes arguments one after the other.
pub(super) struct Encoder<'a> {
    signature: SignatureBuilder,
    vals: Vals,
    types: Vec<Py<PyAny>>,
    spec: Option<Py<PyAny>>,
    variables: SmallVec<[u64; 8]>,
    depth: usize,
    objects: &'a Mutex<Objects>,
}

impl<'a> Encoder<'a> {
    pub(super) fn new(objects: &'a Mutex<Objects>) -> Encoder<'a> {
        Encoder {
            signature: SignatureBuilder::new(),
            vals: Vals::new(),
            types: Vec::new(),
            spec: None,
            variables: SmallVec::new(),
            depth: 0,
            objects,
        }
    }

    /// The end: the device that is asked for, where one is.
    pub(super) fn finish(mut self) -> Encoded {
        let device = CURRENT_DEVICE.get();
        if device != 0 {
            self.signature.word(DEVICE, device);
        }
        Encoded {
            signature: self.signature,
            vals: self.vals,
            types: self.types,
            spec: self.spec,
        }
    }

    fn tensor(&mut self, val: &Val) {
        match val {
            Val::Eager(e) => {
                self.signature.tensor(
                    e.tensor.dtype() as u8,
                    e.tensor.shape().iter().map(|d| Some(*d)),
                );
            }
            Val::Sym(_) => {
                let spec = val.spec();
                self.spec(spec.dtype as u8, &spec.shape);
            }
        }
        self.vals.push(val.clone());
    }

    /// A tensor the size of whose first axis is no part of its type.
    fn open_tensor(&mut self, val: &Val) {
        let spec = val.spec();
        let Some(dims) = spec.shape.dims() else {
            return self.tensor(val);
        };
        let rest = dims.iter().skip(1).map(|d| d.known());
        let dims: SmallVec<[Option<usize>; 4]> = std::iter::once(None).chain(rest).collect();
        self.signature.tensor(spec.dtype as u8, dims.into_iter());
        self.vals.push(val.clone());
    }

    fn spec(&mut self, dtype: u8, shape: &PartialShape) {
        match shape.dims() {
            Some(dims) => self.signature.tensor(dtype, dims.iter().map(|d| d.known())),
            None => self.signature.tensor_of_any_rank(dtype),
        }
    }

    fn variable(&mut self, v: &PyVariable) {
        let key = v.handle.key();
        let alias = self
            .variables
            .iter()
            .position(|k| *k == key)
            .unwrap_or_else(|| {
                self.variables.push(key);
                self.vals.push(v.handle.clone());
                self.variables.len() - 1
            });
        let dims: SmallVec<[Option<usize>; 4]> = v
            .spec
            .shape
            .dims()
            .map_or_else(SmallVec::new, |d| d.iter().map(|d| d.known()).collect());
        self.signature
            .variable(v.spec.dtype as u8, alias, dims.into_iter());
    }

    pub(super) fn sequence<'py>(
        &mut self,
        class: u32,
        items: impl ExactSizeIterator<Item = Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        self.signature.open(class, items.len());
        self.descend()?;
        for item in items {
            self.leaf(&item)?;
        }
        self.depth -= 1;
        self.signature.close();
        Ok(())
    }

    /// The children of a structure; where `open` says so of a tensor, without the size of its first axis.
    fn parts(&mut self, children: Vec<Bound<'_, PyAny>>, open: &[bool]) -> PyResult<()> {
        self.signature.open(STRUCT, children.len());
        self.descend()?;
        for (i, child) in children.iter().enumerate() {
            match child.cast::<PyTensor>() {
                Ok(t) if open.get(i) == Some(&true) => self.open_tensor(&t.get().val),
                _ => self.leaf(child)?,
            }
        }
        self.depth -= 1;
        self.signature.close();
        Ok(())
    }

    fn dict(&mut self, class: u32, dict: &Bound<'_, PyDict>) -> PyResult<()> {
        self.signature.open(class, dict.len());
        self.descend()?;
        for (key, value) in sorted_items(dict)? {
            self.leaf(&key)?;
            self.leaf(&value)?;
        }
        self.depth -= 1;
        self.signature.close();
        Ok(())
    }

    /// Enters a container; deeper than Python itself would recurse is refused.
    fn descend(&mut self) -> PyResult<()> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(PyRecursionError::new_err(
                "the arguments are nested too deeply",
            ));
        }
        Ok(())
    }

    pub(super) fn keywords(&mut self, extra: &Bound<'_, PyDict>) -> PyResult<()> {
        self.dict(VARKW, extra)
    }

    /// Encodes one argument.
    pub(super) fn leaf(&mut self, obj: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(t) = obj.cast::<PyTensor>() {
            self.tensor(&t.get().val);
        } else if obj.is_none() {
            self.signature.word(NONE, 0);
        } else if let Ok(b) = obj.cast_exact::<PyBool>() {
            self.signature.word(BOOL, u64::from(b.is_true()));
        } else if let Ok(i) = obj.cast_exact::<PyInt>() {
            self.int(i)?;
        } else if let Ok(f) = obj.cast_exact::<PyFloat>() {
            self.signature.word(FLOAT, f.value().to_bits());
        } else if let Ok(s) = obj.cast_exact::<PyString>() {
            self.signature.bytes(STR, s.to_str()?.as_bytes());
        } else if let Ok(t) = obj.cast_exact::<PyTuple>() {
            self.sequence(TUPLE, t.iter())?;
        } else if let Ok(l) = obj.cast_exact::<PyList>() {
            self.sequence(LIST, l.iter())?;
        } else if let Ok(d) = obj.cast_exact::<PyDict>() {
            self.dict(DICT, d)?;
        } else if let Ok(v) = obj.cast::<PyVariable>() {
            self.variable(v.get());
        } else if let Ok(b) = obj.cast_exact::<PyBytes>() {
            self.signature.bytes(BYTES, b.as_bytes());
        } else {
            self.other(obj)?;
        }
        Ok(())
    }

    fn int(&mut self, i: &Bound<'_, PyInt>) -> PyResult<()> {
        match i.extract::<i64>() {
            Ok(value) => self.signature.word(INT, value.cast_unsigned()),
            Err(_) => self.signature.bytes(BIG_INT, i.str()?.to_str()?.as_bytes()),
        }
        Ok(())
    }

    /// Everything the front end has to look at: arrays, specs, structures of other classes, objects.
    fn other(&mut self, obj: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Some(token) = self.objects.lock().find(obj) {
            self.signature.word(OBJECT, token);
            return Ok(());
        }
        match classify(obj)? {
            Kind::Tensor(val) => self.tensor(&val),
            Kind::Spec(dtype, shape) => {
                self.spec(dtype, &shape);
                self.spec.get_or_insert_with(|| obj.clone().unbind());
            }
            Kind::Identity(token) => {
                let weak = PyWeakrefReference::new(obj)?.unbind();
                self.objects
                    .lock()
                    .known
                    .insert(obj.as_ptr() as usize, (weak, token));
                self.signature.word(OBJECT, token);
            }
            Kind::Object(token) => self.signature.word(OBJECT, token),
            Kind::Typed(token, tensors, trace_type) => {
                self.signature.word(TYPED, token);
                self.types.push(trace_type.unbind());
                self.vals.extend(tensors);
            }
            Kind::Struct(token, children, open) => {
                self.signature.word(STRUCT, token);
                self.parts(children, &open)?;
            }
        }
        Ok(())
    }
}

/// What the front end says of an argument of no plain type.
pub(super) enum Kind<'py> {
    /// Its value is this tensor.
    Tensor(Val),
    /// It is a TensorSpec: a tensor without a value.
    Spec(u8, PartialShape),
    /// It is itself only, as long as it lives.
    Identity(u64),
    /// It equals others of that token.
    Object(u64),
    /// A container of these children, of the kind of that token; for each whether the size of its first axis is no part
    /// of its type, where that is so of any.
    Struct(u64, Vec<Bound<'py, PyAny>>, Vec<bool>),
    /// It has the trace type of that token, these tensors, and that type.
    Typed(u64, Vec<Val>, Bound<'py, PyAny>),
}

/// Asks the front end about an argument: a tuple that begins with the kind.
pub(super) fn classify<'py>(obj: &Bound<'py, PyAny>) -> PyResult<Kind<'py>> {
    let py = obj.py();
    let answer = hooks(py)?.classify.bind(py).call1((obj,))?;
    let answer = answer.cast::<PyTuple>()?;
    let kind: u8 = answer.get_item(0)?.extract()?;
    let second = answer.get_item(1)?;
    Ok(match kind {
        0 => Kind::Tensor(second.cast::<PyTensor>()?.get().val.clone()),
        1 => {
            let dtype = bridge::dtype_from_py(&second.getattr(intern!(py, "dtype"))?)?;
            Kind::Spec(
                dtype as u8,
                bridge::partial_shape_from_py(&second.getattr(intern!(py, "shape"))?)?,
            )
        }
        2 => Kind::Identity(second.extract()?),
        3 => Kind::Object(second.extract()?),
        4 => {
            let children = answer.get_item(2)?.extract()?;
            Kind::Struct(second.extract()?, children, answer.get_item(3)?.extract()?)
        }
        5 => Kind::Typed(
            second.extract()?,
            tensors(&answer.get_item(2)?)?,
            answer.get_item(3)?,
        ),
        _ => return Err(PyTypeError::new_err("an argument of unknown kind")),
    })
}

/// The values of a list of tensors and variables.
fn tensors(list: &Bound<'_, PyAny>) -> PyResult<Vec<Val>> {
    let all: Vec<Bound<'_, PyTensor>> = list.extract()?;
    Ok(all.iter().map(|t| t.get().val.clone()).collect())
}

/// The items of a dict by key, in the order that structures are flattened.
pub(super) fn sorted_items<'py>(
    dict: &Bound<'py, PyDict>,
) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    let mut items: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)> = dict.iter().collect();
    if items
        .iter()
        .all(|(k, _)| k.cast_exact::<PyString>().is_ok())
    {
        let key = |k: &Bound<'py, PyAny>| k.extract::<String>().unwrap_or_default();
        if !items.is_sorted_by(|a, b| key(&a.0) <= key(&b.0)) {
            items.sort_by_key(|(k, _)| key(k));
        }
        return Ok(items);
    }
    let mut failed = None;
    items.sort_by(|a, b| {
        a.0.compare(&b.0).unwrap_or_else(|e| {
            failed = Some(e);
            std::cmp::Ordering::Equal
        })
    });
    failed.map_or(Ok(items), Err)
}
