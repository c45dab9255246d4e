//! What tests and explanations ask of a traced function beside calling it: the same work by other executors, its plans
//! as text, and what they cost.
//! `inputs` is a flat list of the function's arguments; what it captured is added.

use crate::errors::{IntoPyResult, guarded};
use crate::function::PyConcrete;
use crate::tensor::wrap;
use ferrograph_graph::{Graph, Interpreter, Runner, Tensors, Val};
use ferrograph_runtime::{compile_unoptimised, plan_for, when_run};
use ferrograph_tensor::Result;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::Arc;

/// The outputs, a flat list, as the plain interpreter computes them: node by node in program order.
#[pyfunction]
pub(crate) fn interpret<'py>(
    function: &Bound<'py, PyConcrete>,
    inputs: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    run(function, inputs, |graph, inputs| {
        Interpreter.run(graph, inputs)
    })
}

/// The outputs, a flat list, as the plan of exactly the traced graph computes them: no pass rewrites it first.
#[pyfunction]
pub(crate) fn run_planned<'py>(
    function: &Bound<'py, PyConcrete>,
    inputs: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    run(function, inputs, |graph, inputs| {
        compile_unoptimised(graph, &inputs)?.execute(inputs)
    })
}

/// The plan that a call with these inputs runs, as text; of exactly the traced graph where `optimised` is false.
#[pyfunction]
#[pyo3(signature = (function, inputs, optimised=true))]
pub(crate) fn plan_text(
    function: &Bound<'_, PyConcrete>,
    inputs: &Bound<'_, PyAny>,
    optimised: bool,
) -> PyResult<String> {
    let (graph, inputs) = parts(function, inputs)?;
    let text = || match optimised {
        true => plan_for(&graph, inputs.iter()).map(|plan| plan.to_string()),
        false => compile_unoptimised(&graph, &inputs).map(|plan| plan.to_string()),
    };
    guarded(text).map_err(when_run).or_raise(function.py())
}

/// The floating-point operations of a call with these inputs, roughly and with one iteration of each loop, and
/// the bytes that intermediate values share.
#[pyfunction]
pub(crate) fn plan_cost(
    function: &Bound<'_, PyConcrete>,
    inputs: &Bound<'_, PyAny>,
) -> PyResult<(f64, usize)> {
    let (graph, inputs) = parts(function, inputs)?;
    let plan = guarded(|| plan_for(&graph, inputs.iter()));
    let plan = plan.map_err(when_run).or_raise(function.py())?;
    Ok((plan.flops_of_one_iteration(), plan.slab_bytes()))
}

/// What breaks the invariants of the plan that a call with these inputs runs, a line each; empty for a sound one.
#[pyfunction]
pub(crate) fn verify_plan(
    function: &Bound<'_, PyConcrete>,
    inputs: &Bound<'_, PyAny>,
) -> PyResult<Vec<String>> {
    let (graph, inputs) = parts(function, inputs)?;
    let plan = guarded(|| plan_for(&graph, inputs.iter()));
    let plan = plan.map_err(when_run).or_raise(function.py())?;
    let breaches = ferrograph_runtime::verify_plan(&plan);
    Ok(breaches.iter().map(ToString::to_string).collect())
}

/// Whether every finished graph and every compiled plan is verified.
#[pyfunction]
pub(crate) fn verifies() -> bool {
    ferrograph_graph::verifies()
}

/// Of each pass over graphs, in the order in which they run: its name, how many nodes it changed in this process, and
/// how many of those it removed.
#[pyfunction]
pub(crate) fn pass_counts() -> Vec<(&'static str, u64, u64)> {
    let counts = ferrograph_transform::pass_counts().into_iter();
    counts.map(|c| (c.name, c.rewrites, c.removed)).collect()
}

/// The graph of a function and all that it takes.
fn parts(
    function: &Bound<'_, PyConcrete>,
    inputs: &Bound<'_, PyAny>,
) -> PyResult<(Arc<Graph>, Tensors)> {
    let concrete = function.get();
    let args = concrete.flat(inputs)?;
    let all = args.iter().chain(&concrete.function().captures);
    let all: Result<Tensors> = all.map(|val| val.expect_tensor().cloned()).collect();
    Ok((
        concrete.function().graph.clone(),
        all.or_raise(function.py())?,
    ))
}

fn run<'py>(
    function: &Bound<'py, PyConcrete>,
    inputs: &Bound<'py, PyAny>,
    work: impl FnOnce(&Arc<Graph>, Tensors) -> Result<Tensors>,
) -> PyResult<Bound<'py, PyList>> {
    let py = function.py();
    let (graph, inputs) = parts(function, inputs)?;
    let outputs = guarded(|| work(&graph, inputs))
        .map_err(when_run)
        .or_raise(py)?;
    let outputs: Vec<_> = outputs
        .into_iter()
        .map(|tensor| wrap(py, Val::eager(tensor)))
        .collect::<PyResult<_>>()?;
    PyList::new(py, outputs)
}
