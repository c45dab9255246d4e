//! Profiles as Python holds them.

use crate::errors::IntoPyResult;
use ferrograph_runtime::{Profile, ProfiledStep};
use ferrograph_tensor::err;
use pyo3::prelude::*;
use std::sync::Arc;

/// What plans on all threads took while it was open.
#[pyclass(name = "ProfileBase", module = "ferrograph._core", subclass, frozen)]
pub(crate) struct PyProfile(Arc<Profile>);

/// Operation, node, kind and place in the program; count, nanoseconds in total and without the steps inside, bytes.
type Step = (
    String,
    Option<String>,
    &'static str,
    Option<(String, u32, String)>,
    (u64, u64, u64, u64),
);

/// Which step, the number of the thread, begin and duration in nanoseconds, bytes.
type Run = (usize, usize, u64, u64, u64);

#[pymethods]
impl PyProfile {
    #[new]
    fn new() -> PyProfile {
        PyProfile(Profile::new())
    }

    /// Takes calls that begin from now on.
    fn _open(&self, py: Python<'_>) -> PyResult<()> {
        match self.0.open() {
            true => Ok(()),
            false => Err(err!(InvalidArgument, "this profile is open already")).or_raise(py),
        }
    }

    /// Takes no more.
    fn _close(&self) {
        self.0.close();
    }

    /// The steps, single runs of them, and the numbers and names of threads.
    fn _data(&self) -> (Vec<Step>, Vec<Run>, Vec<(usize, String)>) {
        let data = self.0.data();
        let runs = data.runs.iter();
        let runs = runs.map(|r| (r.step, r.thread, r.begin, r.took, r.bytes));
        let threads = data.threads.iter();
        let threads = threads.map(|(id, name)| (*id, name.to_string()));
        (
            data.steps.iter().map(described).collect(),
            runs.collect(),
            threads.collect(),
        )
    }
}

fn described(step: &ProfiledStep) -> Step {
    let origin = step.origin();
    (
        step.operation(),
        step.node().map(str::to_owned),
        step.kind(),
        origin.map(|o| (o.file.to_string(), o.line, o.function.to_string())),
        (step.count, step.total, step.own, step.bytes),
    )
}
