//! The structure of a function's result.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyTuple};

/// How flat outputs become the result.
pub(crate) enum Tree {
    /// The output of that index.
    Leaf(usize),
    /// None.
    None,
    /// A tuple.
    Tuple(Vec<Tree>),
    /// A list.
    List(Vec<Tree>),
    /// A dict, in the order of its making.
    Dict(Vec<(Py<PyAny>, Tree)>),
    /// Another container: an object whose `pack` takes the packed children.
    Other(Py<PyAny>, Vec<Tree>),
}

impl Tree {
    /// Reads a template: an int is a leaf; tuples, lists and dicts are themselves; any other object has `children`
    /// (templates) and `pack`.
    pub(crate) fn parse(template: &Bound<'_, PyAny>) -> PyResult<Tree> {
        if template.is_none() {
            return Ok(Tree::None);
        }
        if let Ok(i) = template.cast_exact::<PyInt>() {
            return Ok(Tree::Leaf(i.extract()?));
        }
        if let Ok(t) = template.cast_exact::<PyTuple>() {
            return Ok(Tree::Tuple(
                t.iter().map(|c| Tree::parse(&c)).collect::<PyResult<_>>()?,
            ));
        }
        if let Ok(l) = template.cast_exact::<PyList>() {
            return Ok(Tree::List(
                l.iter().map(|c| Tree::parse(&c)).collect::<PyResult<_>>()?,
            ));
        }
        if let Ok(d) = template.cast_exact::<PyDict>() {
            let items = d.iter().map(|(k, v)| Ok((k.unbind(), Tree::parse(&v)?)));
            return Ok(Tree::Dict(items.collect::<PyResult<_>>()?));
        }
        let children: Vec<Bound<'_, PyAny>> = template
            .getattr(intern!(template.py(), "children"))?
            .extract()?;
        let children = children.iter().map(Tree::parse).collect::<PyResult<_>>()?;
        Ok(Tree::Other(template.clone().unbind(), children))
    }

    /// The result for these outputs.
    pub(crate) fn build<'py>(
        &self,
        py: Python<'py>,
        outputs: &[Bound<'py, PyAny>],
    ) -> PyResult<Bound<'py, PyAny>> {
        let all = |children: &[Tree]| {
            children
                .iter()
                .map(|c| c.build(py, outputs))
                .collect::<PyResult<Vec<_>>>()
        };
        match self {
            Tree::Leaf(i) => outputs
                .get(*i)
                .cloned()
                .ok_or_else(|| PyRuntimeError::new_err("fewer outputs than the result has")),
            Tree::None => Ok(py.None().into_bound(py)),
            Tree::Tuple(c) => Ok(PyTuple::new(py, all(c)?)?.into_any()),
            Tree::List(c) => Ok(PyList::new(py, all(c)?)?.into_any()),
            Tree::Dict(items) => {
                let dict = PyDict::new(py);
                for (key, child) in items {
                    dict.set_item(key, child.build(py, outputs)?)?;
                }
                Ok(dict.into_any())
            }
            Tree::Other(packer, c) => packer
                .bind(py)
                .call_method1(intern!(py, "pack"), (all(c)?,)),
        }
    }
}
