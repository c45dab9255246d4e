//! Finished graphs as Python sees them: their nodes, tensors, text and faults.

use crate::attrs::PyGraphHandle;
use crate::bridge;
use crate::errors::{IntoPyResult, guarded};
use crate::tensor::wrap;
use ferrograph_graph::{Attr, Effect, Graph, Node, Sym, Trace, TraceRef, Val, ValueId, ValueInfo};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A description of each node: name, operation, input names, control names, output specs, attributes.
pub(crate) fn describe<'py>(
    py: Python<'py>,
    nodes: &[Node],
    value: impl Fn(ValueId) -> ValueInfo,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let name_of = |v: ValueId| {
        let info = value(v);
        format!("{}:{}", nodes[info.node.index()].name, info.index)
    };
    let mut all = Vec::new();
    for node in nodes {
        let d = PyDict::new(py);
        d.set_item("name", &*node.name)?;
        d.set_item("op", node.op.name())?;
        d.set_item(
            "input",
            node.inputs.iter().map(|v| name_of(*v)).collect::<Vec<_>>(),
        )?;
        d.set_item(
            "control",
            node.control
                .iter()
                .map(|c| nodes[c.index()].name.to_string())
                .collect::<Vec<_>>(),
        )?;
        let outputs: PyResult<Vec<_>> = node
            .outputs
            .iter()
            .map(|v| {
                let spec = value(*v).spec;
                Ok((
                    bridge::dtype_to_py(py, spec.dtype)?,
                    bridge::partial_shape_to_py(py, &spec.shape)?,
                ))
            })
            .collect();
        d.set_item("output", outputs?)?;
        d.set_item(
            "origin",
            node.origin
                .as_ref()
                .map(|o| (o.file.to_string(), o.line, o.function.to_string())),
        )?;
        let regions: Vec<PyGraphHandle> = node
            .op
            .regions()
            .into_iter()
            .map(|r| PyGraphHandle(r.graph.clone()))
            .collect();
        let regions = regions
            .into_iter()
            .map(|r| Bound::new(py, r))
            .collect::<PyResult<Vec<_>>>()?;
        d.set_item("regions", regions)?;
        let fed = node.op.regions().into_iter().map(|r| r.inputs.to_vec());
        d.set_item("region_inputs", fed.collect::<Vec<_>>())?;
        d.set_item("writes", node.op.effect() >= Effect::Writes)?;
        let attrs = PyDict::new(py);
        for (name, attr) in node.op.attrs().iter() {
            attrs.set_item(name, format!("{attr:?}"))?;
        }
        d.set_item("attr", attrs)?;
        all.push(d);
    }
    Ok(all)
}

/// The symbolic tensors of a trace, those of each node in a list.
pub(crate) fn tensors_of<'py>(
    py: Python<'py>,
    trace: &TraceRef,
    nodes: &[Node],
) -> PyResult<Vec<Vec<Bound<'py, PyAny>>>> {
    let tensor = |&value: &ValueId| {
        let trace = trace.clone();
        wrap(py, Val::Sym(Sym { trace, value }))
    };
    let of_node = |node: &Node| node.outputs.iter().map(tensor).collect();
    nodes.iter().map(of_node).collect()
}

pub(crate) fn describe_graph<'py>(
    py: Python<'py>,
    graph: &Graph,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    describe(py, &graph.nodes, |v| graph.value(v).clone())
}

#[pymethods]
impl PyGraphHandle {
    /// How many nodes there are.
    fn __len__(&self) -> usize {
        self.0.nodes.len()
    }

    /// The name of the graph.
    #[getter]
    fn name(&self) -> String {
        self.0.name.to_string()
    }

    /// A description of each node, see `Region.nodes`.
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        describe_graph(py, &self.0)
    }

    /// The tensors that each node gives: symbolic, for looking at.
    fn tensors<'py>(&self, py: Python<'py>) -> PyResult<Vec<Vec<Bound<'py, PyAny>>>> {
        tensors_of(py, &Trace::finished(self.0.clone()), &self.0.nodes)
    }

    /// Names of the inputs, arguments before captures.
    fn input_names(&self) -> Vec<String> {
        self.0.inputs.iter().map(|v| self.value_name(*v)).collect()
    }

    /// Names of the outputs.
    fn output_names(&self) -> Vec<String> {
        self.0.outputs.iter().map(|v| self.value_name(*v)).collect()
    }

    /// The graph as text, which `from_text` reads. TypeError where an operation holds an object of this process.
    fn text(&self) -> PyResult<String> {
        if let Some(name) = host_object(&self.0) {
            return Err(PyTypeError::new_err(format!(
                "operation '{name}' of graph '{}' holds an object of this process, which text cannot carry",
                self.0.name
            )));
        }
        Ok(ferrograph_graph::text::print(&self.0))
    }

    /// The graph as text for people: where an operation holds an object of this process stands what that is.
    fn shown(&self) -> String {
        ferrograph_graph::text::print(&self.0)
    }

    /// The graph of a text. InvalidArgumentError where it is not well formed.
    #[staticmethod]
    fn from_text(py: Python<'_>, text: &str) -> PyResult<PyGraphHandle> {
        let graph = guarded(|| ferrograph_graph::text::parse(text, ferrograph_data::registry()))
            .or_raise(py)?;
        match ferrograph_graph::verify(&graph).first() {
            None => Ok(PyGraphHandle(graph)),
            Some(fault) => Err(PyValueError::new_err(format!("no sound graph: {fault}"))),
        }
    }

    /// What breaks the invariants of a graph, a line each; empty for a well-formed one.
    fn verify(&self) -> Vec<String> {
        ferrograph_graph::verify(&self.0)
            .iter()
            .map(ToString::to_string)
            .collect()
    }
}

/// The name of a node, here or in a region, that holds an object of this process.
fn host_object(graph: &Graph) -> Option<&str> {
    graph.nodes.iter().find_map(|node| {
        let own = node.op.attrs().iter().any(|(_, attr)| match attr {
            Attr::Object(_) => true,
            Attr::Tensor(t) => t.as_object().is_ok(),
            _ => false,
        });
        if own {
            return Some(&*node.name);
        }
        node.op
            .regions()
            .into_iter()
            .find_map(|r| host_object(r.graph))
    })
}

impl PyGraphHandle {
    fn value_name(&self, v: ValueId) -> String {
        let info = self.0.value(v);
        format!("{}:{}", self.0.node(info.node).name, info.index)
    }
}
