//! The program `ferrograph` as the wheel has it.

use crate::errors::IntoPyResult;
use crate::fork::unlocked;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::io::{BufWriter, stderr, stdout};

/// Does what a command line asks for, the program's name left out, and gives the status to exit with.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, args: Vec<OsString>) -> PyResult<u8> {
    let done = unlocked(py, || {
        let mut out = BufWriter::new(stdout());
        ferrograph::command::command(args, &mut out, &mut stderr())
    });
    done.map_err(ferrograph::Error::into_core).or_raise(py)
}
