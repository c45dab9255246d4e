//! The call path of `function`. A call binds its arguments, encodes their types as a signature, finds the trace for
//! it, runs that trace's plan and wraps the outputs; Python runs only where no trace fits.

mod bind;
mod concrete;
mod contents;
mod describe;
mod encode;
mod guards;
mod substitute;
mod tree;

pub(crate) use concrete::PyConcrete;
pub(crate) use contents::{PyReadContents, PyReadObject};
pub(crate) use encode::set_device;
pub(crate) use tree::Tree;

use crate::hooks::hooks;
use bind::{Bound as BoundArgs, Params};
use encode::{Encoded, Encoder, Objects};
use ferrograph_runtime::{Signature, TraceCache, generalise, is_tracing, matches};
use ferrograph_tensor::give_back;
use parking_lot::Mutex;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};

static RUN_EAGERLY: AtomicBool = AtomicBool::new(false);

/// Makes every function run its Python body at each call, or stops that.
#[pyfunction]
pub(crate) fn run_functions_eagerly(on: bool) {
    RUN_EAGERLY.store(on, Ordering::Relaxed);
}

/// Whether every function runs its Python body at each call.
#[pyfunction]
pub(crate) fn functions_run_eagerly() -> bool {
    RUN_EAGERLY.load(Ordering::Relaxed)
}

/// The signature of a call, and the trace types of the program's own that it names.
#[pyclass(name = "Signature", module = "ferrograph._core", frozen, eq, hash)]
pub(crate) struct PySignature(Signature, Vec<Py<PyAny>>);

impl PartialEq for PySignature {
    fn eq(&self, other: &PySignature) -> bool {
        self.0 == other.0
    }
}

impl Eq for PySignature {}

impl Hash for PySignature {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl From<Signature> for PySignature {
    fn from(words: Signature) -> PySignature {
        PySignature(words, Vec::new())
    }
}

#[pymethods]
impl PySignature {
    /// Tokens of the objects among the arguments.
    fn _objects(&self) -> Vec<u64> {
        encode::objects(&self.0)
    }

    /// Tokens of the trace types of the program's own, in order.
    fn _types(&self) -> Vec<u64> {
        encode::types(&self.0)
    }

    /// The signature with trace types of other tokens, as many as `_types` gives; it holds `held`.
    #[pyo3(signature = (tokens, held=Vec::new()))]
    fn _with_types(&self, tokens: Vec<u64>, held: Vec<Py<PyAny>>) -> PySignature {
        PySignature(encode::with_types(&self.0, &tokens), held)
    }

    /// The types of those tokens, where the signature is that of a call.
    fn _held_types(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.1.iter().map(|t| t.clone_ref(py)).collect()
    }

    /// The signature that relaxes the dimensions in which this one and another differ, where they differ in nothing
    /// else: this one where it serves the other. None where they differ in more.
    fn _relaxed_with(&self, other: &PySignature) -> Option<PySignature> {
        if matches(&self.0, &other.0) {
            return Some(PySignature::from(self.0.clone()));
        }
        generalise(&self.0, &other.0, false).map(PySignature::from)
    }

    /// The arguments as nested tuples, see `describe.rs`.
    fn _describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        describe::describe(py, &self.0)
    }
}

/// A polymorphic function: traces by the signatures of calls. The front end's class derives from it and adds the
/// tracing itself.
#[pyclass(
    name = "FunctionBase",
    module = "ferrograph._core",
    subclass,
    weakref,
    frozen
)]
pub(crate) struct PyFunction {
    params: Params,
    has_signature: bool,
    cache: TraceCache<Py<PyConcrete>>,
    objects: Mutex<Objects>,
}

/// A function that was called so often gives memory back when it dies.
const MANY_CALLS: u64 = 256;

impl Drop for PyFunction {
    fn drop(&mut self) {
        let stats = self.cache.stats();
        if stats.hits + stats.misses >= MANY_CALLS {
            self.cache.clear();
            give_back();
        }
    }
}

impl PyFunction {
    fn encode<'py>(&self, bound: &BoundArgs<'py>) -> PyResult<Encoded> {
        let mut encoder = Encoder::new(&self.objects);
        for value in &bound.named {
            encoder.leaf(value)?;
        }
        if let Some(rest) = &bound.rest {
            encoder.sequence(encode::VARARGS, rest.iter())?;
        }
        if let Some(extra) = &bound.extra {
            encoder.keywords(extra)?;
        }
        Ok(encoder.finish())
    }

    /// What a call encodes to. Where there is an input signature the arguments are converted to it first, unless a
    /// trace serves them as they are: then they are tensors already.
    fn encoded<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Encoded> {
        let this = slf.get();
        let encode = |args, kwargs| this.encode(&this.params.bind(slf, args, kwargs)?);
        if !this.has_signature {
            return encode(args, kwargs);
        }
        // Arguments that can't be encoded as they are may be after conversion, which else says what is wrong.
        if let Ok(encoded) = encode(args, kwargs)
            && this
                .cache
                .peek(encoded.signature.words(), |_| true)
                .is_some()
        {
            return Ok(encoded);
        }
        let py = slf.py();
        let converted = slf
            .call_method1(intern!(py, "_convert"), (args, kwargs))
            .map_err(|error| with_users_frames(py, error))?;
        encode(converted.cast::<PyTuple>()?, None)
    }
}

/// The error of a call that has a TensorSpec where it needs a tensor.
#[cold]
fn without_value(function: &Bound<'_, PyFunction>, spec: &Bound<'_, PyAny>) -> PyErr {
    let name = || function.getattr(intern!(function.py(), "__name__"))?.str();
    let texts = name().and_then(|name| Ok(format!("{name}() is called with {}", spec.repr()?)));
    match texts {
        Ok(text) => PyValueError::new_err(format!(
            "{text}, which says what a tensor is like and has no value: give a tensor, or make the trace with \
             get_concrete_function"
        )),
        Err(error) => error,
    }
}

/// The error with a traceback that leaves out the front end's own frames.
fn with_users_frames(py: Python<'_>, error: PyErr) -> PyErr {
    let value = error.into_value(py).into_bound(py).into_any();
    let shown = hooks(py).and_then(|hooks| hooks.show_users_frames.bind(py).call1((&value,)));
    // Without the hook the traceback is longer; the error is the same.
    drop(shown);
    PyErr::from_value(value)
}

#[pymethods]
impl PyFunction {
    /// `params`: (name, kind, has_default, default) each; kinds as `inspect.Parameter` numbers them.
    #[new]
    fn new(
        params: Vec<(String, u8, bool, Py<PyAny>)>,
        has_signature: bool,
        max_traces: usize,
        py: Python<'_>,
    ) -> PyResult<PyFunction> {
        Ok(PyFunction {
            params: Params::new(py, params)?,
            has_signature,
            cache: TraceCache::new(max_traces),
            objects: Mutex::new(Objects::default()),
        })
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if RUN_EAGERLY.load(Ordering::Relaxed) {
            return slf
                .getattr(intern!(py, "python_function"))?
                .call(args, kwargs);
        }
        let this = slf.get();
        let encoded = PyFunction::encoded(slf, args, kwargs)?;
        if let Some(spec) = &encoded.spec {
            return Err(without_value(slf, spec.bind(py)));
        }
        let made;
        let words = encoded.signature.words();
        let found = this.cache.find(words, |c| c.get().is_fresh(py));
        let concrete = match &found {
            Some(found) => found.trace.bind(py),
            None => {
                crate::exit::enter(py);
                made = slf
                    .call_method1(intern!(py, "_on_miss"), (args, kwargs))
                    .map_err(|error| with_users_frames(py, error))?;
                made.cast::<PyConcrete>()?
            }
        };
        if concrete.get().has_guards() && is_tracing() {
            hooks(py)?
                .called_while_tracing
                .bind(py)
                .call1((concrete,))?;
        }
        let concrete = concrete.get();
        match concrete.call(py, encoded.vals) {
            Err(error) if concrete.may_be_too_general() => slf
                .call_method1(
                    intern!(py, "_on_relaxed_failure"),
                    (args, kwargs, error.into_value(py)),
                )
                .map_err(|error| with_users_frames(py, error)),
            result => result,
        }
    }

    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        instance: Option<&Bound<'py, PyAny>>,
        owner: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        match instance {
            Some(instance) if !instance.is_none() => {
                slf.call_method1(intern!(py, "_bind_to"), (instance, owner))
            }
            _ => Ok(slf.clone().into_any()),
        }
    }

    /// The signature of a call with these arguments, among which TensorSpecs may be given for tensors.
    #[pyo3(signature = (args, kwargs=None))]
    fn _signature_of<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<PySignature> {
        let bound = slf.get().params.bind(slf, args, kwargs)?;
        let encoded = slf.get().encode(&bound)?;
        Ok(PySignature(encoded.signature.finish(), encoded.types))
    }

    /// The tensors and variable handles among a call's arguments, in the order of the graph's inputs.
    #[pyo3(signature = (args, kwargs=None))]
    fn _tensors_of<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let bound = slf.get().params.bind(slf, args, kwargs)?;
        let vals = slf.get().encode(&bound)?.vals;
        vals.into_iter()
            .map(|v| crate::tensor::wrap(slf.py(), v))
            .collect()
    }

    /// The trace that serves a signature, None where there is none.
    fn _find(&self, py: Python<'_>, signature: &PySignature) -> Option<Py<PyConcrete>> {
        let found = self.cache.peek(&signature.0, |c| c.get().is_fresh(py));
        found.map(|entry| entry.trace.clone_ref(py))
    }

    /// The signature that differs from this one in the fewest leaves, and its trace; None where there is none.
    fn _nearest(
        &self,
        py: Python<'_>,
        signature: &PySignature,
    ) -> Option<(PySignature, Py<PyConcrete>)> {
        let entry = self.cache.nearest(&signature.0)?;
        let nearest = PySignature::from(Signature::from_slice(&entry.signature));
        Some((nearest, entry.trace.clone_ref(py)))
    }

    /// The signature that relaxes the dimensions (with `ranks` also ranks) in which `signature` differs from the
    /// newest trace that differs from it in nothing else; None where there is none.
    fn _relaxed(&self, signature: &PySignature, ranks: bool) -> Option<PySignature> {
        let wanted = &signature.0;
        let relax = |s: &[u64]| generalise(s, wanted, ranks).filter(|g| g != wanted);
        self.cache
            .newest(|entry| relax(&entry.signature))
            .map(PySignature::from)
    }

    /// Keeps a trace for all calls that fit the signature; gives the one that made room for it.
    fn _add(
        &self,
        py: Python<'_>,
        signature: &PySignature,
        concrete: Py<PyConcrete>,
    ) -> Option<(PySignature, Py<PyConcrete>)> {
        let gone = self.cache.insert(&signature.0, concrete)?;
        Some((
            Signature::from_slice(&gone.signature).into(),
            gone.trace.clone_ref(py),
        ))
    }

    /// Serves calls of that very signature by a trace that was kept for another.
    fn _alias(&self, signature: &PySignature, concrete: Py<PyConcrete>) {
        self.cache.alias(&signature.0, |c| c.is(&concrete));
    }

    /// The signatures that traces are kept for, oldest first.
    fn _signatures(&self) -> Vec<PySignature> {
        let entries = self.cache.entries();
        let words = entries.iter().map(|e| Signature::from_slice(&e.signature));
        words.map(PySignature::from).collect()
    }

    /// The traces, oldest first.
    fn _traces(&self, py: Python<'_>) -> Vec<Py<PyConcrete>> {
        self.cache
            .entries()
            .iter()
            .map(|entry| entry.trace.clone_ref(py))
            .collect()
    }

    /// Traces kept, hits, misses, evictions, and how many traces are kept at most.
    fn _cache_stats(&self) -> (usize, u64, u64, u64, usize) {
        let s = self.cache.stats();
        (
            s.n_entries,
            s.hits,
            s.misses,
            s.evictions,
            self.cache.limit(),
        )
    }

    /// Drops all traces and gives memory back that is kept for reuse.
    fn _clear(&self) {
        self.cache.clear();
        give_back();
    }

    /// Drops the traces for objects that are gone; gives their tokens.
    fn _purge(&self, py: Python<'_>) -> Vec<u64> {
        let dead = self.objects.lock().sweep(py);
        if !dead.is_empty() {
            self.cache
                .retain(|s| !dead.iter().any(|t| encode::mentions(s, *t)));
        }
        dead
    }

    /// The arguments with placeholders of the region in place of tensors, of the shapes that `signature` says; as the
    /// tuple and dict to call the Python function with, and the flat list of placeholders.
    #[pyo3(signature = (args, kwargs, region, signature))]
    fn _placeholders<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
        region: &Bound<'py, crate::region::PyRegion>,
        signature: &PySignature,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let bound = slf.get().params.bind(slf, args, kwargs)?;
        substitute::placeholders(slf.py(), &slf.get().params, &bound, region, &signature.0)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.params.traverse(&visit)?;
        self.cache.try_for_each(|concrete| visit.call(concrete))
    }

    fn __clear__(&self) {
        self.cache.clear();
    }
}
