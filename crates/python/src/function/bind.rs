//! Binding call arguments to parameters, in the order the signature encodes them.

use crate::hooks::hooks;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use smallvec::SmallVec;

const KEYWORD_ONLY: u8 = 3;
const VAR_POSITIONAL: u8 = 2;
const VAR_KEYWORD: u8 = 4;
const POSITIONAL_ONLY: u8 = 0;

/// A named parameter.
pub(super) struct Param {
    pub name: Py<PyString>,
    pub keyword_only: bool,
    positional_only: bool,
    default: Option<Py<PyAny>>,
}

/// The parameters of a function: positional ones first, then keyword-only ones.
pub(super) struct Params {
    pub named: Vec<Param>,
    n_positional: usize,
    pub rest: Option<Py<PyString>>,
    pub extra: Option<Py<PyString>>,
}

/// Arguments bound to parameters, defaults filled in.
pub(super) struct Bound<'py> {
    /// One value a named parameter.
    pub named: SmallVec<[pyo3::Bound<'py, PyAny>; 8]>,
    /// What `*args` collects.
    pub rest: Option<pyo3::Bound<'py, PyTuple>>,
    /// What `**kwargs` collects.
    pub extra: Option<pyo3::Bound<'py, PyDict>>,
}

impl Params {
    pub(super) fn new(
        py: Python<'_>,
        params: Vec<(String, u8, bool, Py<PyAny>)>,
    ) -> PyResult<Params> {
        let mut all = Params {
            named: Vec::new(),
            n_positional: 0,
            rest: None,
            extra: None,
        };
        for (name, kind, has_default, default) in params {
            let name = PyString::intern(py, &name).unbind();
            match kind {
                VAR_POSITIONAL => all.rest = Some(name),
                VAR_KEYWORD => all.extra = Some(name),
                _ => {
                    let keyword_only = kind == KEYWORD_ONLY;
                    all.n_positional += usize::from(!keyword_only);
                    let positional_only = kind == POSITIONAL_ONLY;
                    all.named.push(Param {
                        name,
                        keyword_only,
                        positional_only,
                        default: has_default.then_some(default),
                    });
                }
            }
        }
        Ok(all)
    }

    /// Binds a call.
    ///
    /// # Errors
    /// Python's own `TypeError` where the call does not fit the parameters.
    pub(super) fn bind<'py>(
        &self,
        function: &pyo3::Bound<'py, super::PyFunction>,
        args: &pyo3::Bound<'py, PyTuple>,
        kwargs: Option<&pyo3::Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py>> {
        match self.try_bind(args, kwargs)? {
            Some(bound) => Ok(bound),
            None => {
                let py = args.py();
                let error = hooks(py)?
                    .binding_error
                    .bind(py)
                    .call1((function, args, kwargs))?;
                Err(PyErr::from_value(error))
            }
        }
    }

    fn try_bind<'py>(
        &self,
        args: &pyo3::Bound<'py, PyTuple>,
        kwargs: Option<&pyo3::Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py>>> {
        let py = args.py();
        let kwargs = kwargs.filter(|k| !k.is_empty());
        let given = args.len().min(self.n_positional);
        if args.len() > self.n_positional && self.rest.is_none() {
            return Ok(None);
        }
        let mut named = SmallVec::new();
        let mut used = 0;
        for (i, param) in self.named.iter().enumerate() {
            if i < given {
                named.push(args.get_borrowed_item(i)?.to_owned());
                if kwargs.is_some_and(|k| {
                    !param.positional_only && k.contains(&param.name).unwrap_or(false)
                }) {
                    return Ok(None);
                }
                continue;
            }
            let by_name = match kwargs {
                Some(k) if !param.positional_only => k.get_item(&param.name)?,
                _ => None,
            };
            match (by_name, &param.default) {
                (Some(value), _) => {
                    used += 1;
                    named.push(value);
                }
                (None, Some(default)) => named.push(default.bind(py).clone()),
                (None, None) => return Ok(None),
            }
        }
        let n_kwargs = kwargs.map_or(0, |k| k.len());
        if n_kwargs > used && self.extra.is_none() {
            return Ok(None);
        }
        let rest = self
            .rest
            .is_some()
            .then(|| args.get_slice(given, args.len()));
        let extra = match (&self.extra, kwargs) {
            (None, _) => None,
            (Some(_), None) => Some(PyDict::new(py)),
            (Some(_), Some(k)) => {
                let extra = k.copy()?;
                for param in self.named.iter().filter(|p| !p.positional_only) {
                    if extra.contains(&param.name)? {
                        extra.del_item(&param.name)?;
                    }
                }
                Some(extra)
            }
        };
        Ok(Some(Bound { named, rest, extra }))
    }

    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        for default in self.named.iter().filter_map(|p| p.default.as_ref()) {
            visit.call(default)?;
        }
        Ok(())
    }
}
