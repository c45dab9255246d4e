//! Putting placeholders in place of the tensors among a call's arguments, in the order that signatures encode them.

use super::bind::{Bound as BoundArgs, Params};
use super::encode::{self, Kind, classify, sorted_items};
use crate::hooks::hooks;
use crate::region::PyRegion;
use crate::tensor::{PyTensor, wrap};
use crate::variable::PyVariable;
use ferrograph_runtime::tensor_shapes;
use ferrograph_tensor::{DType, Dim, PartialShape, TensorSpec};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::collections::HashMap;

type Shapes = std::vec::IntoIter<Option<Vec<Option<usize>>>>;

struct Substitution<'a, 'py> {
    py: Python<'py>,
    region: &'a Bound<'py, PyRegion>,
    shapes: Shapes,
    types: std::vec::IntoIter<u64>,
    variables: HashMap<u64, Bound<'py, PyAny>>,
}

/// The positional and keyword arguments to call the Python function with.
pub(super) fn placeholders<'py>(
    py: Python<'py>,
    params: &Params,
    bound: &BoundArgs<'py>,
    region: &Bound<'py, PyRegion>,
    signature: &[u64],
) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
    let mut s = Substitution {
        py,
        region,
        shapes: tensor_shapes(signature).into_iter(),
        types: encode::types(signature).into_iter(),
        variables: HashMap::new(),
    };
    let mut args = Vec::new();
    let kwargs = PyDict::new(py);
    for (param, value) in params.named.iter().zip(&bound.named) {
        let name = param.name.bind(py);
        let value = s.visit(value, name.to_str()?)?;
        if param.keyword_only {
            kwargs.set_item(name, value)?;
        } else {
            args.push(value);
        }
    }
    if let (Some(rest), Some(name)) = (&bound.rest, &params.rest) {
        let name = name.bind(py).to_str()?.to_owned();
        for (i, value) in rest.iter().enumerate() {
            args.push(s.visit(&value, &format!("{name}_{i}"))?);
        }
    }
    if let Some(extra) = &bound.extra {
        for (key, value) in sorted_items(extra)? {
            let name: String = key.extract()?;
            kwargs.set_item(key, s.visit(&value, &name)?)?;
        }
    }
    Ok((PyTuple::new(py, args)?, kwargs))
}

impl<'py> Substitution<'_, 'py> {
    fn placeholder(&mut self, dtype: DType, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let shape = self
            .shapes
            .next()
            .ok_or_else(|| PyRuntimeError::new_err("more tensors than the signature has"))?;
        let shape = match shape {
            Some(dims) => dims.into_iter().map(Dim::from).collect(),
            None => PartialShape::UNKNOWN,
        };
        wrap(
            self.py,
            self.region
                .get()
                .placeholder(self.py, TensorSpec::new(dtype, shape), name)?,
        )
    }

    fn variable(&mut self, v: &Bound<'py, PyVariable>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(known) = self.variables.get(&v.get().handle.key()) {
            return Ok(known.clone());
        }
        let handle =
            self.region
                .get()
                .placeholder(self.py, TensorSpec::scalar(DType::Resource), name)?;
        let inner = hooks(self.py)?
            .variable_from_handle
            .bind(self.py)
            .call1((v, wrap(self.py, handle)?))?;
        self.variables.insert(v.get().handle.key(), inner.clone());
        Ok(inner)
    }

    fn visit(&mut self, obj: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        if let Ok(t) = obj.cast::<PyTensor>() {
            return self.placeholder(t.get().val.dtype(), name);
        }
        if let Ok(v) = obj.cast::<PyVariable>() {
            return self.variable(v, name);
        }
        if let Ok(t) = obj.cast_exact::<PyTuple>() {
            let items = t
                .iter()
                .map(|i| self.visit(&i, name))
                .collect::<PyResult<Vec<_>>>()?;
            return Ok(PyTuple::new(py, items)?.into_any());
        }
        if let Ok(l) = obj.cast_exact::<PyList>() {
            let items = l
                .iter()
                .map(|i| self.visit(&i, name))
                .collect::<PyResult<Vec<_>>>()?;
            return Ok(PyList::new(py, items)?.into_any());
        }
        if let Ok(d) = obj.cast_exact::<PyDict>() {
            return self.dict(d, name);
        }
        if is_plain(obj) {
            return Ok(obj.clone());
        }
        match classify(obj)? {
            Kind::Typed(..) => self.typed(name),
            Kind::Tensor(val) => self.placeholder(val.dtype(), name),
            Kind::Spec(dtype, _) => {
                let own: Option<String> = obj.getattr(intern!(py, "name"))?.extract()?;
                self.placeholder(DType::ALL[dtype as usize], own.as_deref().unwrap_or(name))
            }
            Kind::Identity(_) | Kind::Object(_) => Ok(obj.clone()),
            Kind::Struct(_, children, _) => {
                let inner = children
                    .iter()
                    .map(|c| self.visit(c, name))
                    .collect::<PyResult<Vec<_>>>()?;
                hooks(py)?.rebuild.bind(py).call1((obj, inner))
            }
        }
    }

    /// The placeholder that a trace type of the program's own makes.
    fn typed(&mut self, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let token = self
            .types
            .next()
            .ok_or_else(|| PyRuntimeError::new_err("more trace types than the signature has"))?;
        hooks(self.py)?
            .typed_placeholder
            .bind(self.py)
            .call1((token, self.region.clone(), name))
    }

    /// Values are visited by key, as signatures have them; the dict keeps the order it was given in.
    fn dict(&mut self, d: &Bound<'py, PyDict>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let copy = d.copy()?;
        for (key, value) in sorted_items(d)? {
            copy.set_item(key, self.visit(&value, name)?)?;
        }
        Ok(copy.into_any())
    }
}

fn is_plain(obj: &Bound<'_, PyAny>) -> bool {
    obj.is_none()
        || obj.cast_exact::<PyString>().is_ok()
        || obj.cast_exact::<pyo3::types::PyBool>().is_ok()
        || obj.cast_exact::<pyo3::types::PyInt>().is_ok()
        || obj.cast_exact::<pyo3::types::PyFloat>().is_ok()
        || obj.cast_exact::<pyo3::types::PyBytes>().is_ok()
}
