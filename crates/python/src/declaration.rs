//! What is declared of operations, as the front end reads it.

use crate::attrs::attr_to_py;
use crate::bridge;
use ferrograph_data::registry;
use ferrograph_graph::{AttrDecl, DTypeSet, Kind, Port};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// What an operation takes and gives, and does; None for a name that is none's.
///
/// Three lists, inputs, attributes, outputs, and its documentation. An input or output is its name, its form (`"one"`, `"list"` of one dtype,
/// `"each"` of a dtype of its own), the dtypes that it may have (none where any goes), its type attribute and the attribute
/// of its number, None where there is none. An attribute is its name, its kind, whether it has a default, and that.
#[pyfunction]
pub(crate) fn op_declaration<'py>(
    py: Python<'py>,
    name: &str,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let Some(decl) = registry().decl(name) else {
        return Ok(None);
    };
    let ports = |ports: &[Port]| {
        let all: PyResult<Vec<_>> = ports.iter().map(|p| port(py, p)).collect();
        PyList::new(py, all?)
    };
    let attrs: PyResult<Vec<_>> = decl.attrs.iter().map(|a| attribute(py, a)).collect();
    let attrs = PyList::new(py, attrs?)?;
    let parts = (ports(decl.inputs)?, attrs, ports(decl.outputs)?, decl.doc);
    parts.into_pyobject(py).map(Some)
}

fn port<'py>(py: Python<'py>, port: &Port) -> PyResult<Bound<'py, PyTuple>> {
    let of = |set: DTypeSet| set.iter().collect::<Vec<_>>();
    let (form, dtypes, var, count) = match port.kind {
        Kind::Is(dtype) => ("one", vec![dtype], None, None),
        Kind::Of(set) => ("one", of(set), None, None),
        Kind::Var(var, set) => ("one", of(set), Some(var), None),
        Kind::List(var, set, count) => ("list", of(set), Some(var), Some(count)),
        Kind::Copies(dtype, count) => ("list", vec![dtype], None, Some(count)),
        Kind::Each(var) => ("each", Vec::new(), Some(var), None),
    };
    let dtypes = dtypes.into_iter().map(|d| bridge::dtype_to_py(py, d));
    let dtypes = dtypes.collect::<PyResult<Vec<_>>>()?;
    (port.name, form, dtypes, var, count).into_pyobject(py)
}

fn attribute<'py>(py: Python<'py>, attr: &AttrDecl) -> PyResult<Bound<'py, PyTuple>> {
    let default = attr.default.and_then(|make| make());
    let value = default.as_ref().map(|d| attr_to_py(py, d)).transpose()?;
    let kind = format!("{:?}", attr.kind).to_lowercase();
    (attr.name, kind, attr.default.is_some(), value).into_pyobject(py)
}
