//! Files of records, and numbers of varying length in messages.

use crate::errors::IntoPyResult;
use crate::fork::unlocked;
use ferrograph_files::RecordFile;
use parking_lot::Mutex;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyList};
use std::path::PathBuf;

/// Longer records are written without the interpreter lock.
const LONG: usize = 64 << 10;

/// A file that records are written to.
#[pyclass(
    name = "RecordWriter",
    module = "ferrograph._core",
    subclass,
    frozen,
    weakref
)]
pub(crate) struct PyRecordWriter(Mutex<RecordFile>);

#[pymethods]
impl PyRecordWriter {
    #[new]
    #[pyo3(signature = (path, compression = "", level = None))]
    fn new(py: Python<'_>, path: PathBuf, compression: &str, level: Option<u32>) -> PyResult<Self> {
        let file = unlocked(py, || RecordFile::create(&path, compression, level));
        Ok(PyRecordWriter(Mutex::new(file.or_raise(py)?)))
    }

    /// Appends a record.
    fn write_record(&self, py: Python<'_>, record: &[u8]) -> PyResult<()> {
        if record.len() < LONG
            && let Some(mut file) = self.0.try_lock()
        {
            return file.write(record).or_raise(py);
        }
        unlocked(py, || self.0.lock().write(record)).or_raise(py)
    }

    /// Writes what is buffered.
    fn flush_records(&self, py: Python<'_>) -> PyResult<()> {
        unlocked(py, || self.0.lock().flush()).or_raise(py)
    }

    /// Writes what is left.
    fn close_records(&self, py: Python<'_>) -> PyResult<()> {
        unlocked(py, || self.0.lock().close()).or_raise(py)
    }
}

/// Integers as numbers of varying length, one behind the other.
#[pyfunction]
pub(crate) fn pack_varints<'py>(values: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyBytes>> {
    let mut bytes = Vec::with_capacity(values.len());
    for value in values {
        if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyBool>() {
            return Err(PyTypeError::new_err("expected an integer"));
        }
        let mut rest = value.extract::<i64>()?.cast_unsigned();
        while rest > 0x7f {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    Ok(PyBytes::new(values.py(), &bytes))
}

/// The integers that such bytes are.
#[pyfunction]
pub(crate) fn unpack_varints<'py>(
    py: Python<'py>,
    mut packed: &[u8],
) -> PyResult<Bound<'py, PyList>> {
    let mut values = Vec::new();
    while !packed.is_empty() {
        let value = ferrograph_files::varint(&mut packed);
        let value = value.map_err(|e| PyValueError::new_err(e.message().to_owned()))?;
        values.push(value.cast_signed());
    }
    PyList::new(py, values)
}
