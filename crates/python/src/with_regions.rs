//! Operations that hold regions, as the front end emits them: branches, loops, calls, gradients of the program's own.

use crate::emit::{name_of, to_val, wrap_all};
use crate::errors::{IntoPyResult, guarded};
use crate::region::PyRegion;
use crate::tensor::wrap;
use crate::variable::PyVariable;
use crate::work;
use ferrograph_graph::{Branch, OpRef, Val, Vals};
use ferrograph_ops::{CustomGradient, If, While};
use ferrograph_runtime::{emit_named, is_tracing};
use ferrograph_tensor::TensorSpec;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

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
    name: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let name = name_of(name)?;
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
    name: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let name = name_of(name)?;
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
