//! Graphs being traced, as the front end builds them.

use crate::attrs::PyGraphHandle;
use crate::bridge;
use crate::emit::{as_val, to_val};
use crate::errors::{IntoPyResult, guarded};
use crate::graph_handle::{describe, describe_graph, tensors_of};
use crate::tensor::wrap;
use crate::variable::PyVariable;
use ferrograph_graph::{Capture, Graph, NodeId, Sym, Trace, TraceRef, Val, ValueId};
use ferrograph_ops::{LeafOps, Placeholder, RecursiveHandle};
use ferrograph_runtime::{LevelGuard, current_trace, enter_eager, enter_trace};
use ferrograph_tensor::{Dim, PartialShape, TensorSpec};
use ferrograph_transform::{Request, batch_graph, close_recursion};
use parking_lot::Mutex;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::Arc;

/// A graph under construction; finished it holds the graph and what it captured.
#[pyclass(name = "Region", module = "ferrograph._core", frozen, weakref)]
pub(crate) struct PyRegion {
    pub(crate) trace: TraceRef,
    guard: Mutex<Option<LevelGuard>>,
    pub(crate) finished: Mutex<Option<(Arc<Graph>, Vec<Capture>)>>,
}

impl PyRegion {
    pub(crate) fn parts(&self) -> PyResult<(Arc<Graph>, Vec<Capture>)> {
        self.finished
            .lock()
            .clone()
            .ok_or_else(|| PyRuntimeError::new_err("the region is not finished"))
    }

    /// The region of a graph that is being traced: where it is entered and finished is another one's business. None for a
    /// finished graph.
    pub(crate) fn being_traced(trace: &TraceRef) -> Option<PyRegion> {
        trace.with_builder(|_| ()).ok()?;
        Some(PyRegion {
            trace: trace.clone(),
            guard: Mutex::new(None),
            finished: Mutex::new(None),
        })
    }

    /// A new argument of the graph.
    pub(crate) fn placeholder(
        &self,
        py: Python<'_>,
        spec: TensorSpec,
        name: &str,
    ) -> PyResult<Val> {
        let origin = crate::origin::find(py);
        let value = self
            .trace
            .add_arg(Arc::new(Placeholder::from(spec)), name, origin)
            .or_raise(py)?;
        Ok(Val::Sym(Sym {
            trace: self.trace.clone(),
            value,
        }))
    }
}

/// What the calls of a graph in itself name while it is traced: its arguments are those of the region, its outputs of
/// these dtypes and shapes.
#[pyclass(name = "RecursiveHandle", module = "ferrograph._core", frozen)]
pub(crate) struct PyRecursiveHandle(pub(crate) Arc<RecursiveHandle>);

#[pymethods]
impl PyRecursiveHandle {
    #[new]
    fn new(
        py: Python<'_>,
        region: &PyRegion,
        outputs: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
    ) -> PyResult<PyRecursiveHandle> {
        let inputs = region.trace.arg_specs().or_raise(py)?;
        let spec = |(dtype, shape): &(Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let shape = bridge::partial_shape_from_py(shape)?;
            PyResult::Ok(TensorSpec::new(bridge::dtype_from_py(dtype)?, shape))
        };
        let outputs = outputs.iter().map(spec).collect::<PyResult<_>>()?;
        let name = region.trace.name().clone();
        Ok(PyRecursiveHandle(RecursiveHandle::new(
            name, inputs, outputs,
        )))
    }
}

#[pymethods]
impl PyRegion {
    #[new]
    #[pyo3(signature = (name, top_level=false))]
    fn new(name: &str, top_level: bool) -> PyRegion {
        let parent = if top_level { None } else { current_trace() };
        PyRegion {
            trace: Trace::new(name, parent),
            guard: Mutex::new(None),
            finished: Mutex::new(None),
        }
    }

    /// Operations of this thread become nodes of this graph, until `exit`.
    fn enter(&self) {
        *self.guard.lock() = Some(enter_trace(self.trace.clone()));
    }

    /// Operations go where they went before `enter`.
    fn exit(&self) {
        *self.guard.lock() = None;
    }

    /// Adds an argument.
    #[pyo3(signature = (dtype, shape=None, name="arg"))]
    fn add_input<'py>(
        &self,
        py: Python<'py>,
        dtype: &Bound<'py, PyAny>,
        shape: Option<&Bound<'py, PyAny>>,
        name: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape = shape.map_or(Ok(PartialShape::UNKNOWN), bridge::partial_shape_from_py)?;
        wrap(
            py,
            self.placeholder(
                py,
                TensorSpec::new(bridge::dtype_from_py(dtype)?, shape),
                name,
            )?,
        )
    }

    /// Seals the graph with these outputs. `handle` is what the calls of the graph in itself name.
    #[pyo3(signature = (outputs, handle=None))]
    fn finish(
        &self,
        py: Python<'_>,
        outputs: &Bound<'_, PyAny>,
        handle: Option<&PyRecursiveHandle>,
    ) -> PyResult<()> {
        let mut ids: Vec<ValueId> = Vec::new();
        for output in outputs.try_iter()? {
            let val = as_val(&output?)?
                .ok_or_else(|| PyTypeError::new_err("a region returns tensors only"))?;
            ids.push(self.trace.resolve(&val, &LeafOps).or_raise(py)?);
        }
        let mut sealed = self.trace.seal(ids).or_raise(py)?;
        if let Some(handle) = handle {
            sealed.0 = guarded(|| close_recursion(sealed.0.clone(), &handle.0)).or_raise(py)?;
        }
        *self.finished.lock() = Some(sealed);
        Ok(())
    }

    /// The finished graph of one row as one of many, which takes the same: `each` says of which arguments there is one for
    /// each row, `count` how many rows there are. Operations run row by row where nothing else is known of them and
    /// `may_loop` holds. UnimplementedError where that is not enough.
    fn batched(
        &self,
        py: Python<'_>,
        mut each: Vec<bool>,
        count: &Bound<'_, PyAny>,
        may_loop: bool,
    ) -> PyResult<PyRegion> {
        let (graph, mut captures) = self.parts()?;
        each.resize(graph.inputs.len(), false);
        let request = Request {
            each,
            forced: vec![true; graph.outputs.len()],
            rows: Dim::from(count.extract::<usize>().ok()),
            may_loop,
        };
        let made = guarded(|| batch_graph(&graph, &request))
            .or_raise(py)?
            .graph;
        if let Some(&inner) = made.inputs.last() {
            let outer = to_val(count, None)?;
            captures.push(Capture { outer, inner });
        }
        Ok(PyRegion {
            trace: Trace::finished(made.clone()),
            guard: Mutex::new(None),
            finished: Mutex::new(Some((made, captures))),
        })
    }

    /// Drops the graph after an exception: its values can no longer be used.
    fn abandon(&self) {
        *self.guard.lock() = None;
        // Sealing fails only where it was sealed before, which serves as well.
        let _ = self.trace.seal(Vec::new());
    }

    /// The value of output `index` of the finished graph for these arguments. Only what it depends on is evaluated;
    /// nothing with an effect may be among that.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        args: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (graph, captures) = self.parts()?;
        let mut inputs = Vec::new();
        for arg in args.try_iter()? {
            let arg = arg?;
            inputs.push(match arg.cast::<PyVariable>() {
                Ok(v) => v.get().handle.clone(),
                Err(_) => to_val(&arg, None)?,
            });
        }
        inputs.extend(captures.into_iter().map(|c| c.outer));
        let work = || {
            let tensors = inputs
                .iter()
                .map(|v| v.expect_tensor().cloned())
                .collect::<Result<Vec<_>, _>>()?;
            ferrograph_runtime::evaluate_output(&graph, index, &tensors)
        };
        wrap(py, Val::eager(guarded(work).or_raise(py)?))
    }

    /// The number of the graph, by which symbolic tensors name it.
    #[getter]
    fn graph_id(&self) -> u32 {
        self.trace.id()
    }

    /// The finished graph.
    fn graph(&self) -> PyResult<PyGraphHandle> {
        Ok(PyGraphHandle(self.parts()?.0))
    }

    /// The tensors that each node gives.
    fn tensors<'py>(&self, py: Python<'py>) -> PyResult<Vec<Vec<Bound<'py, PyAny>>>> {
        if let Some((graph, _)) = &*self.finished.lock() {
            return tensors_of(py, &self.trace, &graph.nodes);
        }
        let nodes = self.trace.with_builder(|b| b.nodes().to_vec());
        tensors_of(py, &self.trace, &nodes.or_raise(py)?)
    }

    /// The values outside that the graph captured so far, in the order of its captured inputs.
    fn captured<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let captures = match &*self.finished.lock() {
            Some((_, captures)) => captures.clone(),
            None => self.trace.captures().or_raise(py)?,
        };
        let items = captures
            .into_iter()
            .map(|c| wrap(py, c.outer))
            .collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, items)
    }

    /// The name given to nodes added from now on, as a prefix; gives the former one.
    fn set_scope(&self, py: Python<'_>, scope: &str) -> PyResult<String> {
        self.trace
            .with_builder(|b| {
                let old = b.scope().to_owned();
                b.set_scope(scope);
                old
            })
            .or_raise(py)
    }

    /// A name that no node has and none will get: the hint in the scope of now, or it with a number.
    fn unique_name(&self, py: Python<'_>, hint: &str) -> PyResult<String> {
        self.trace
            .with_builder(|b| b.unique_name(hint).to_string())
            .or_raise(py)
    }

    /// Makes nodes added from now on run after those that give these tensors; gives what to restore.
    fn set_control(&self, py: Python<'_>, after: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        let mut nodes = Vec::new();
        for tensor in after.try_iter()? {
            if let Some(Val::Sym(s)) = as_val(&tensor?)?
                && s.trace.id() == self.trace.id()
            {
                nodes.push(
                    self.trace
                        .with_builder(|b| b.value(s.value).node)
                        .or_raise(py)?,
                );
            }
        }
        let old = self.trace.set_control(nodes).or_raise(py)?;
        Ok(old
            .into_iter()
            .filter_map(|n| u32::try_from(n.index()).ok())
            .collect())
    }

    /// Undoes `set_control`.
    fn restore_control(&self, py: Python<'_>, nodes: Vec<u32>) -> PyResult<()> {
        let nodes = nodes.into_iter().map(|n| NodeId::new(n as usize)).collect();
        self.trace.set_control(nodes).or_raise(py).map(|_| ())
    }

    /// A description of each node so far: name, operation, input names, control names, output specs.
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        if let Some((graph, _)) = &*self.finished.lock() {
            return describe_graph(py, graph);
        }
        self.trace
            .with_builder(|b| describe(py, b.nodes(), |v| b.value(v).clone()))
            .or_raise(py)?
    }
}

/// A level of eager execution, whatever is being traced: enter, then exit.
#[pyclass(name = "EagerScope", module = "ferrograph._core", frozen)]
pub(crate) struct PyEagerScope(Mutex<Option<LevelGuard>>);

#[pymethods]
impl PyEagerScope {
    #[new]
    fn new() -> PyEagerScope {
        PyEagerScope(Mutex::new(None))
    }

    /// Operations of this thread compute at once, until `exit`.
    fn enter(&self) {
        *self.0.lock() = Some(enter_eager());
    }

    /// Operations go where they went before `enter`.
    fn exit(&self) {
        *self.0.lock() = None;
    }
}

/// The number of the graph being traced on this thread, None when eager.
#[pyfunction]
pub(crate) fn current_graph_id() -> Option<u32> {
    current_trace().map(|t| t.id())
}
