//! Graphs being traced, as the front end builds them, and the operations that hold them.

use crate::attrs::PyGraphHandle;
use crate::bridge;
use crate::emit::{as_val, to_val, wrap_all};
use crate::errors::{IntoPyResult, guarded};
use crate::tensor::wrap;
use crate::variable::PyVariable;
use crate::work;
use ferrograph_graph::{
    Attr, Branch, Capture, Graph, Node, NodeId, OpRef, Sym, Trace, TraceRef, Val, Vals, ValueId,
};
use ferrograph_ops::{CustomGradient, If, Knot, LeafOps, Placeholder, While};
use ferrograph_runtime::{
    LevelGuard, current_trace, emit_named, enter_eager, enter_trace, is_tracing,
};
use ferrograph_tensor::{Dim, PartialShape, TensorSpec};
use ferrograph_transform::{Request, batch_graph, tie};
use parking_lot::Mutex;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::HashMap;
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
#[pyclass(name = "Knot", module = "ferrograph._core", frozen)]
pub(crate) struct PyKnot(pub(crate) Arc<Knot>);

#[pymethods]
impl PyKnot {
    #[new]
    fn new(
        py: Python<'_>,
        region: &PyRegion,
        outputs: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
    ) -> PyResult<PyKnot> {
        let inputs = region.trace.arg_specs().or_raise(py)?;
        let spec = |(dtype, shape): &(Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let shape = bridge::partial_shape_from_py(shape)?;
            PyResult::Ok(TensorSpec::new(bridge::dtype_from_py(dtype)?, shape))
        };
        let outputs = outputs.iter().map(spec).collect::<PyResult<_>>()?;
        let name = region.trace.name().clone();
        Ok(PyKnot(Knot::new(name, inputs, outputs)))
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

    /// Seals the graph with these outputs. `knot` is what the calls of the graph in itself name.
    #[pyo3(signature = (outputs, knot=None))]
    fn finish(
        &self,
        py: Python<'_>,
        outputs: &Bound<'_, PyAny>,
        knot: Option<&PyKnot>,
    ) -> PyResult<()> {
        let mut ids: Vec<ValueId> = Vec::new();
        for output in outputs.try_iter()? {
            let val = as_val(&output?)?
                .ok_or_else(|| PyTypeError::new_err("a region returns tensors only"))?;
            ids.push(self.trace.resolve(&val, &LeafOps).or_raise(py)?);
        }
        let mut sealed = self.trace.seal(ids).or_raise(py)?;
        if let Some(knot) = knot {
            sealed.0 = guarded(|| tie(sealed.0.clone(), &knot.0)).or_raise(py)?;
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

fn describe<'py>(
    py: Python<'py>,
    nodes: &[ferrograph_graph::Node],
    value: impl Fn(ValueId) -> ferrograph_graph::ValueInfo,
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
fn tensors_of<'py>(
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

/// Collects the inputs of an operation with regions, each value once.
struct Inputs {
    vals: Vec<Val>,
    index: HashMap<u64, u32>,
}

impl Inputs {
    fn add(&mut self, val: &Val) -> u32 {
        *self.index.entry(val.key()).or_insert_with(|| {
            self.vals.push(val.clone());
            u32::try_from(self.vals.len() - 1).unwrap_or(u32::MAX)
        })
    }

    fn branch(&mut self, region: &PyRegion, own: impl Iterator<Item = u32>) -> PyResult<Branch> {
        let (graph, captures) = region.parts()?;
        let mut inputs: Vec<u32> = own.collect();
        inputs.extend(captures.iter().map(|c| self.add(&c.outer)));
        Ok(Branch { graph, inputs })
    }
}

/// Emits an `If` on a scalar bool: the outputs of the region chosen when it runs.
#[pyfunction]
#[pyo3(signature = (pred, then_region, else_region, name=None))]
pub(crate) fn emit_if<'py>(
    py: Python<'py>,
    pred: &Bound<'py, PyAny>,
    then_region: &PyRegion,
    else_region: &PyRegion,
    name: Option<&str>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut inputs = Inputs {
        vals: vec![to_val(pred, None)?],
        index: HashMap::new(),
    };
    let then_branch = inputs.branch(then_region, std::iter::empty())?;
    let else_branch = inputs.branch(else_region, std::iter::empty())?;
    let op = Arc::new(If {
        then_branch,
        else_branch,
    });
    let outputs = run_long(py, op, &inputs.vals, name)?;
    outputs.into_iter().map(|v| wrap(py, v)).collect()
}

/// The outputs of an operation that may run for long: eagerly without the interpreter lock.
fn run_long(py: Python<'_>, op: OpRef, inputs: &[Val], name: Option<&str>) -> PyResult<Vals> {
    let emit = || guarded(|| emit_named(op, inputs, name));
    work::run(py, !is_tracing(), emit).or_raise(py)
}

/// Emits a `While`: the loop variables, which start as `init`, after the last iteration.
#[pyfunction]
#[pyo3(signature = (cond_region, body_region, init, name=None))]
pub(crate) fn emit_while<'py>(
    py: Python<'py>,
    cond_region: &PyRegion,
    body_region: &PyRegion,
    init: &Bound<'py, PyAny>,
    name: Option<&str>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut inputs = Inputs {
        vals: Vec::new(),
        index: HashMap::new(),
    };
    for value in init.try_iter()? {
        inputs.vals.push(to_val(&value?, None)?);
    }
    let n = u32::try_from(inputs.vals.len()).unwrap_or(u32::MAX);
    let cond = inputs.branch(cond_region, 0..n)?;
    let body = inputs.branch(body_region, 0..n)?;
    let vars: Vec<TensorSpec> = body.graph.input_specs().take(n as usize).cloned().collect();
    let op = Arc::new(While {
        cond,
        body,
        vars,
        recorded: None,
    });
    let outputs = run_long(py, op, &inputs.vals, name)?;
    outputs.into_iter().map(|v| wrap(py, v)).collect()
}

/// Emits a call of a finished region on these tensors and what it captured.
#[pyfunction]
pub(crate) fn emit_call<'py>(
    py: Python<'py>,
    region: &PyRegion,
    args: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (graph, captures) = region.parts()?;
    let mut vals = Vec::new();
    for arg in args.try_iter()? {
        vals.push(to_val(&arg?, None)?);
    }
    vals.extend(captures.into_iter().map(|c| c.outer));
    let op = Arc::new(ferrograph_ops::Call::of(graph));
    wrap_all(py, run_long(py, op, &vals, None)?)
}

/// Emits values with a gradient of the program's own: the results, as they are. `region` takes the gradients of the
/// results; `gradients` gives for each argument which of its outputs is the argument's gradient, or None.
#[pyfunction]
pub(crate) fn emit_custom_gradient<'py>(
    py: Python<'py>,
    results: &Bound<'py, PyAny>,
    args: &Bound<'py, PyAny>,
    region: &PyRegion,
    gradients: Vec<Option<usize>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (backward, captures) = region.parts()?;
    let mut vals = Vec::new();
    for result in results.try_iter()? {
        vals.push(to_val(&result?, None)?);
    }
    let n_results = vals.len();
    for arg in args.try_iter()? {
        let arg = arg?;
        vals.push(match arg.cast::<PyVariable>() {
            Ok(v) => v.get().handle.clone(),
            Err(_) => to_val(&arg, None)?,
        });
    }
    vals.extend(captures.into_iter().map(|c| c.outer));
    let place = |g: Option<usize>| g.and_then(|i| i64::try_from(i).ok()).unwrap_or(-1);
    let op = Arc::new(CustomGradient {
        backward,
        n_results,
        gradients: gradients.into_iter().map(place).collect(),
    });
    let outputs = guarded(|| emit_named(op, &vals, None)).or_raise(py)?;
    outputs.into_iter().map(|v| wrap(py, v)).collect()
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
