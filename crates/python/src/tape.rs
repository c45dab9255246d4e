//! The native half of `GradientTape`.

use crate::emit::{as_val, to_val};
use crate::errors::{IntoPyResult, guarded};
use crate::tensor::wrap;
use crate::variable::PyVariable;
use crate::work;
use ferrograph_graph::{Grad, Val};
use ferrograph_runtime::{
    Break, Reason, Tape, begin_unrecorded, current_trace, end_unrecorded, is_tracing,
};
use ferrograph_tensor::{DType, Origin};
use parking_lot::Mutex;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::Arc;

/// Records operations for gradients.
#[pyclass(name = "TapeBase", module = "ferrograph._core", subclass, frozen)]
pub(crate) struct PyTape {
    watch_variables: bool,
    persistent: bool,
    tape: Mutex<Option<Arc<Tape>>>,
}

impl PyTape {
    /// The tape, made at the level of its first use.
    fn tape(&self) -> Arc<Tape> {
        self.tape
            .lock()
            .get_or_insert_with(|| Tape::new(self.watch_variables, self.persistent))
            .clone()
    }
}

/// A source or target: a tensor, or a variable by its handle.
fn endpoint(obj: &Bound<'_, PyAny>) -> PyResult<Val> {
    if let Ok(v) = obj.cast::<PyVariable>() {
        return Ok(v.get().handle.clone());
    }
    as_val(obj)?
        .ok_or_else(|| PyTypeError::new_err(format!("expected a Tensor or Variable, got {obj}")))
}

#[pymethods]
impl PyTape {
    #[new]
    #[pyo3(signature = (watch_variables=true, persistent=false))]
    fn new(watch_variables: bool, persistent: bool) -> PyTape {
        PyTape {
            persistent,
            watch_variables,
            tape: Mutex::new(None),
        }
    }

    /// Starts recording.
    fn _start(&self) {
        self.tape().start();
    }

    /// Stops recording.
    fn _stop(&self) {
        self.tape().stop();
    }

    /// Whether another tape records the branch or loop under construction as a whole, too.
    fn _is_joined(&self) -> bool {
        self.tape().is_joined()
    }

    /// From now on what operations add to the branch or the loop under construction, which tapes record as a whole, is
    /// a constant to its gradient.
    #[staticmethod]
    fn _begin_unrecorded() {
        begin_unrecorded();
    }

    /// Ends what `_begin_unrecorded` began last.
    #[staticmethod]
    fn _end_unrecorded() {
        end_unrecorded();
    }

    /// Forgets what was recorded.
    fn _reset(&self) {
        self.tape().reset();
    }

    /// Drops what was recorded, once it is used up.
    fn _release(&self) {
        self.tape().release();
    }

    /// Watches a tensor or variable.
    fn _watch(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match value.cast::<PyVariable>() {
            Ok(v) => self.tape().watch_variable(&v.get().handle),
            Err(_) => self.tape().watch(&endpoint(value)?),
        }
        Ok(())
    }

    /// Records what the graph under construction holds already of what is watched; nothing back through `stops`.
    fn _follow(&self, py: Python<'_>, stops: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        let stops = stops.iter().map(endpoint).collect::<PyResult<Vec<_>>>()?;
        let trace = current_trace()
            .ok_or_else(|| PyRuntimeError::new_err("no graph is under construction"))?;
        guarded(|| self.tape().follow(&trace, &stops)).or_raise(py)
    }

    /// Ids of the variables watched, in order of first use.
    fn _watched_ids(&self) -> Vec<u64> {
        self.tape()
            .watched_variables()
            .iter()
            .map(Val::key)
            .collect()
    }

    /// Whether a tensor or variable is watched or depends on one that is.
    fn _tracks(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.tape().tracks(&endpoint(value)?))
    }

    /// Why no gradient flows from a target to a source: the reason, the dtype or operation that it is about, and the
    /// user's line; None where one flows.
    fn _why_none(
        &self,
        py: Python<'_>,
        target: &Bound<'_, PyAny>,
        source: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Explanation>> {
        let (target, source) = (endpoint(target)?, endpoint(source)?);
        if !self.tape().can_explain() {
            return Err(PyRuntimeError::new_err(
                "the tape has forgotten what it recorded: ask a persistent one, or one whose gradient was None",
            ));
        }
        let found = guarded(|| self.tape().why_none(&target, &source)).or_raise(py)?;
        Ok(found.map(|b| explanation(&b)))
    }

    /// Gradients of the targets by each source: a tensor, a tuple (values, indices, dense_shape), or None.
    fn _gradient<'py>(
        &self,
        py: Python<'py>,
        targets: Vec<Bound<'py, PyAny>>,
        sources: Vec<Bound<'py, PyAny>>,
        seeds: Vec<Option<Bound<'py, PyAny>>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut seeded = Vec::new();
        for (target, seed) in targets.iter().zip(seeds) {
            let target = endpoint(target)?;
            let hint = Some(target.dtype()).filter(|d| *d != DType::Resource);
            let seed = seed.map(|s| to_val(&s, hint)).transpose()?;
            seeded.push((target, seed));
        }
        let sources = sources.iter().map(endpoint).collect::<PyResult<Vec<_>>>()?;
        let tape = self.tape();
        let long = !is_tracing() && tape.is_long();
        let grads = guarded(|| work::run(py, long, || tape.gradient(seeded, &sources)));
        let grads = grads.or_raise(py)?;
        let items = grads
            .into_iter()
            .map(|g| grad_to_py(py, g))
            .collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, items)
    }
}

/// A reason, what it is about, and the file, line and function of the user's.
type Explanation = (&'static str, Option<String>, Option<(String, u32, String)>);

fn explanation(b: &Break) -> Explanation {
    let operation = b.op.map(ToOwned::to_owned);
    let (reason, about) = match b.reason {
        Reason::NotWatched => ("not watched", None),
        Reason::NotRecorded => ("not recorded", operation),
        Reason::LeftAsNumpy => ("left as NumPy", operation),
        Reason::DType(dtype) => ("no gradient of its dtype", Some(dtype.to_string())),
        Reason::StopGradient => ("stop_gradient", operation),
        Reason::NoGradient => ("no gradient defined", operation),
        Reason::NoPath => ("no path", None),
    };
    let line = |o: &Arc<Origin>| (o.file.to_string(), o.line, o.function.to_string());
    (reason, about, b.origin.as_ref().map(line))
}

/// Whether a gradient may be asked for of what is computed from these tensors and variables now.
#[pyfunction]
pub(crate) fn may_be_followed(values: Vec<Bound<'_, PyAny>>) -> PyResult<bool> {
    let values = values.iter().map(endpoint).collect::<PyResult<Vec<_>>>()?;
    Ok(ferrograph_runtime::may_be_followed(&values))
}

fn grad_to_py(py: Python<'_>, grad: Option<Grad>) -> PyResult<Bound<'_, PyAny>> {
    match grad {
        None => Ok(py.None().into_bound(py)),
        Some(Grad::Dense(v)) => wrap(py, v),
        Some(Grad::Slices {
            values,
            indices,
            dense_shape,
        }) => (
            wrap(py, values)?,
            wrap(py, indices)?,
            wrap(py, dense_shape)?,
        )
            .into_bound_py_any(py),
    }
}
