//! A traced function as Python holds it.

use super::guards::{Guard, Stale, Written};
use super::tree::Tree;
use crate::attrs::PyGraphHandle;
use crate::emit::to_val;
use crate::errors::{IntoPyResult, guarded};
use crate::fork::unlocked;
use crate::region::{PyRecursiveHandle, PyRegion};
use crate::tensor::wrap;
use crate::work;
use ferrograph_graph::{Effect, Graph, Tensors, Val, Vals};
use ferrograph_ops::RecursiveCall;
use ferrograph_runtime::{ConcreteFunction, Plan, Tier, is_tracing};
use ferrograph_tensor::{DType, Tensor, TensorSpec};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3::{PyTraverseError, PyVisit};
use smallvec::SmallVec;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// One trace: a graph with what it captured and the structure of its result.
#[pyclass(
    name = "ConcreteBase",
    module = "ferrograph._core",
    subclass,
    frozen,
    weakref
)]
pub(crate) struct PyConcrete {
    function: ConcreteFunction,
    result: Tree,
    /// Whether it was traced with dimensions unknown that its first call knew.
    relaxed: AtomicBool,
    /// Whether the last call under a tape took long; the first one does, which makes the gradient's graphs.
    taped_calls_are_long: AtomicBool,
    /// Whether the last run was short of a plan whose cost is not known.
    open_runs_are_short: AtomicBool,
    /// What the traced code read from globals and closures.
    guards: OnceLock<Box<[Guard]>>,
}

impl PyConcrete {
    fn of(function: ConcreteFunction, template: &Bound<'_, PyAny>) -> PyResult<PyConcrete> {
        Ok(PyConcrete {
            function,
            result: Tree::parse(template)?,
            relaxed: AtomicBool::new(false),
            taped_calls_are_long: AtomicBool::new(true),
            open_runs_are_short: AtomicBool::new(false),
            guards: OnceLock::new(),
        })
    }

    fn guards(&self) -> &[Guard] {
        self.guards.get().map_or(&[], |g| g)
    }

    /// Whether values from globals and closures belong to the trace.
    pub(crate) fn has_guards(&self) -> bool {
        !self.guards().is_empty()
    }

    /// Whether those values are what they were.
    pub(crate) fn is_fresh(&self, py: Python<'_>) -> bool {
        self.guards().iter().all(|guard| guard.holds(py))
    }

    /// The graph with what it captured.
    pub(crate) fn function(&self) -> &ConcreteFunction {
        &self.function
    }

    /// The values of a flat list of arguments.
    pub(crate) fn flat(&self, args: &Bound<'_, PyAny>) -> PyResult<Vals> {
        let args = args.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        self.check_number(args.len())?;
        let specs = self.function.graph.input_specs();
        let pairs = args.iter().zip(specs).enumerate();
        pairs
            .map(|(i, (arg, spec))| flat_val(i, arg, spec))
            .collect()
    }

    /// `TypeError` where the graph takes another number of arguments.
    fn check_number(&self, n: usize) -> PyResult<()> {
        match self.function.n_args() {
            Some(expected) if expected != n => Err(PyTypeError::new_err(format!(
                "{} takes {expected} flat tensors, got {n}",
                self.function.graph.name
            ))),
            _ => Ok(()),
        }
    }

    /// Whether a call that failed may be tried again by a trace of the exact shapes: nothing but reads happened.
    pub(crate) fn may_be_too_general(&self) -> bool {
        let effect = || self.function.graph.effect();
        self.relaxed.load(Ordering::Relaxed)
            && self.function.can_run()
            && matches!(effect(), Effect::Pure | Effect::Reads)
    }

    /// Calls with the tensors and handles of the arguments, in the order of the signature.
    pub(crate) fn call<'py>(&self, py: Python<'py>, vals: Vals) -> PyResult<Bound<'py, PyAny>> {
        self.check_number(vals.len())?;
        let outputs: Vals = if self.function.can_run() {
            let outputs = guarded(|| self.run(py, &vals)).or_raise(py)?;
            outputs.into_iter().map(Val::eager).collect()
        } else {
            guarded(|| self.call_through_dispatcher(py, &vals)).or_raise(py)?
        };
        if let (Tree::Leaf(0), 1) = (&self.result, outputs.len()) {
            return wrap(
                py,
                outputs
                    .into_iter()
                    .next()
                    .ok_or_else(|| PyValueError::new_err("no output"))?,
            );
        }
        let outputs = outputs
            .into_iter()
            .map(|v| wrap(py, v))
            .collect::<PyResult<Vec<_>>>()?;
        self.result.build(py, &outputs)
    }

    /// Calls while a trace takes operations or tapes hear of them.
    fn call_through_dispatcher(
        &self,
        py: Python<'_>,
        vals: &[Val],
    ) -> ferrograph_tensor::Result<Vals> {
        if is_tracing() {
            return self.function.call(vals);
        }
        let long = self.taped_calls_are_long.load(Ordering::Relaxed);
        let (outputs, took) = work::run(py, long, || {
            let start = Instant::now();
            (self.function.call(vals), start.elapsed())
        });
        let long = took > work::LONG_TIME;
        self.taped_calls_are_long.store(long, Ordering::Relaxed);
        outputs
    }

    fn run(&self, py: Python<'_>, vals: &[Val]) -> ferrograph_tensor::Result<Tensors> {
        let captures = &self.function.captures;
        let mut tensors: SmallVec<[&Tensor; 8]> = SmallVec::new();
        tensors.reserve(vals.len() + captures.len());
        for val in vals.iter().chain(captures) {
            tensors.push(val.expect_tensor()?);
        }
        let plan = self
            .function
            .plan(&tensors)
            .map_err(ferrograph_runtime::when_run)?;
        let inputs = tensors.into_iter().cloned();
        let outputs = if work::is_long(plan.flops()) {
            let inputs: Tensors = inputs.collect();
            unlocked(py, move || plan.execute(inputs))
        } else if plan.is_open() {
            self.run_open(py, &plan, inputs.collect())
        } else {
            plan.execute(inputs)
        };
        outputs.map_err(ferrograph_runtime::when_run)
    }

    /// Runs a plan whose cost is not known: without the interpreter lock unless the last run was short.
    fn run_open(
        &self,
        py: Python<'_>,
        plan: &Plan,
        inputs: Tensors,
    ) -> ferrograph_tensor::Result<Tensors> {
        let long = !self.open_runs_are_short.load(Ordering::Relaxed);
        let (outputs, took) = work::run(py, long, || {
            let start = Instant::now();
            (plan.execute(inputs), start.elapsed())
        });
        let short = took <= work::LONG_TIME;
        self.open_runs_are_short.store(short, Ordering::Relaxed);
        outputs
    }
}

/// The value of one flat argument, of the dtype that the graph was traced with. What has a value may have another
/// shape, for which there will be a plan; a tensor of a graph may not.
fn flat_val(place: usize, arg: &Bound<'_, PyAny>, spec: &TensorSpec) -> PyResult<Val> {
    if let Ok(v) = arg.cast::<crate::variable::PyVariable>()
        && spec.dtype == DType::Resource
    {
        return Ok(v.get().handle.clone());
    }
    let val = to_val(arg, Some(spec.dtype))?;
    let given = val.spec();
    let fits = matches!(val, Val::Eager(_)) || given.shape.is_compatible(&spec.shape);
    if fits && given.dtype == spec.dtype {
        return Ok(val);
    }
    Err(PyTypeError::new_err(format!(
        "argument {place} was traced as {}{}, got {}{}",
        spec.dtype, spec.shape, given.dtype, given.shape
    )))
}

/// The value that a tensor or variable is as a capture.
fn captured(obj: &Bound<'_, PyAny>) -> PyResult<Val> {
    match obj.cast::<crate::variable::PyVariable>() {
        Ok(v) => Ok(v.get().handle.clone()),
        Err(_) => to_val(obj, None),
    }
}

/// `ValueError` where a graph captured something else.
fn check_captures(graph: &Graph, captures: &[Val]) -> PyResult<()> {
    let specs: Vec<_> = graph.input_specs().skip(graph.n_args).collect();
    let fits = specs.len() == captures.len()
        && specs
            .iter()
            .zip(captures)
            .all(|(spec, val)| spec.dtype == val.dtype());
    if fits {
        return Ok(());
    }
    Err(PyValueError::new_err(
        "these are not the values that the graph captured",
    ))
}

#[pymethods]
impl PyConcrete {
    /// A trace of a finished region, of a graph and what it captured, or the handle of one that calls itself and is not
    /// finished; `template` gives the structure of the
    /// result.
    #[new]
    #[pyo3(signature = (source, template, captures=None))]
    fn new(
        source: &Bound<'_, PyAny>,
        template: &Bound<'_, PyAny>,
        captures: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<PyConcrete> {
        if let Ok(handle) = source.cast::<PyRecursiveHandle>() {
            let call = RecursiveCall::of(&handle.get().0);
            return PyConcrete::of(ConcreteFunction::of_recursive(call), template);
        }
        let (graph, captures) = match source.cast::<PyRegion>() {
            Ok(region) => {
                let (graph, captures) = region.get().parts()?;
                (graph, captures.into_iter().map(|c| c.outer).collect())
            }
            Err(_) => {
                let graph = source.cast::<PyGraphHandle>()?.get().0.clone();
                let captures = captures.unwrap_or_default();
                let captures = captures
                    .iter()
                    .map(captured)
                    .collect::<PyResult<Vec<Val>>>()?;
                check_captures(&graph, &captures)?;
                (graph, captures)
            }
        };
        PyConcrete::of(ConcreteFunction::new(graph, captures), template)
    }

    /// Says that it was traced with dimensions unknown that its first call knew.
    fn _set_relaxed(&self) {
        self.relaxed.store(true, Ordering::Relaxed);
    }

    /// Says, before its first call, that its plans get machine code at once, or never.
    fn _set_jit_compile(&self, jit_compile: bool) {
        self.function.set_tier(match jit_compile {
            true => Tier::AtOnce,
            false => Tier::Never,
        });
    }

    /// Sets, once, what the traced code read: owner, name in globals, label and value each.
    fn _set_guards(&self, guards: Vec<Written<'_>>) -> PyResult<()> {
        let guards = (guards.into_iter().map(Guard::read)).collect::<PyResult<_>>()?;
        (self.guards.set(guards)).map_err(|_| PyRuntimeError::new_err("the guards are set already"))
    }

    /// What the traced code read, as `_set_guards` takes it.
    #[getter]
    fn _guards<'py>(&self, py: Python<'py>) -> Vec<Written<'py>> {
        self.guards().iter().map(|guard| guard.write(py)).collect()
    }

    /// What does not hold of the guards, each fact with the value now, None where there is none.
    fn _stale_guards<'py>(&self, py: Python<'py>) -> Vec<Stale<'py>> {
        (self.guards().iter())
            .flat_map(|guard| guard.stale(py))
            .collect()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        (self.guards().iter()).try_for_each(|guard| guard.traverse(&visit))
    }

    /// Calls with a flat list of tensors.
    fn _call_flat<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let vals = self.flat(args)?;
        self.call(py, vals)
    }

    /// The graph.
    #[getter]
    fn _graph(&self) -> PyGraphHandle {
        PyGraphHandle(self.function.graph.clone())
    }

    /// The number of tensor and variable arguments.
    #[getter]
    fn _n_args(&self) -> usize {
        self.function.graph.n_args
    }

    /// Plans kept, hits, misses and evictions: one plan for each set of argument shapes that calls brought.
    fn _plan_stats(&self) -> (usize, u64, u64, u64) {
        let s = self.function.plan_stats();
        (s.n_entries, s.hits, s.misses, s.evictions)
    }

    /// The values outside that it captured.
    #[getter]
    fn _captures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let items = self
            .function
            .captures
            .iter()
            .map(|v| wrap(py, v.clone()))
            .collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, items)
    }
}
