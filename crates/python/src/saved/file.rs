//! A saved model that was read.

use super::expand::expander;
use super::objects::{Object, object_of};
use super::structure::spelt;
use crate::attrs::PyGraphHandle;
use crate::errors::{IntoPyResult, guarded};
use crate::fork::unlocked;
use crate::tensor::wrap;
use ferrograph_graph::Val;
use ferrograph_saved::{Functions, SavedFile, model_of, objects_of};
use ferrograph_tensor::Result;
use pyo3::prelude::*;

/// A saved model that was read.
#[pyclass(name = "SavedModelFile", module = "ferrograph._core", frozen)]
pub(crate) struct PySavedFile(SavedFile);

/// A graph, the nodes bound to its captures, the structures of its arguments and of its result.
type Loaded<'py> = (
    PyGraphHandle,
    Vec<i32>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
);

#[pymethods]
impl PySavedFile {
    /// DataLossError for bytes that are no model or not those of the fingerprint, NotFoundError for tags that it lacks.
    #[new]
    fn new(
        py: Python<'_>,
        model: &[u8],
        fingerprint: Option<&[u8]>,
        tags: Option<Vec<String>>,
    ) -> PyResult<PySavedFile> {
        let read = || SavedFile::of(model_of(model, fingerprint)?, tags.as_deref());
        unlocked(py, || guarded(read)).or_raise(py).map(PySavedFile)
    }

    /// The objects, as `finish` of a writer takes them.
    fn objects<'py>(&self, py: Python<'py>) -> PyResult<Vec<Object<'py>>> {
        let nodes = self.0.objects().nodes.iter();
        nodes.map(|node| object_of(py, node)).collect()
    }

    /// What each object is called by the one that refers to it first.
    fn names(&self) -> Vec<&str> {
        self.0.names()
    }

    /// The numbers of the variables with the names of their values in the checkpoint whose graph of objects these bytes
    /// are. DataLossError where they are none.
    fn value_keys(&self, py: Python<'_>, graph: &[u8]) -> PyResult<Vec<(usize, String)>> {
        let found = unlocked(py, || {
            guarded(|| {
                let graph = objects_of(graph)?;
                let keys = self.0.value_keys(&graph).into_iter();
                Ok(keys.map(|(n, key)| (n, key.to_owned())).collect())
            })
        });
        found.or_raise(py)
    }

    /// The numbers of the tables with the names of their keys and values in that checkpoint. DataLossError as above.
    fn table_keys(&self, py: Python<'_>, graph: &[u8]) -> PyResult<Vec<(usize, [String; 2])>> {
        let found = unlocked(py, || {
            guarded(|| Ok(self.0.table_keys(&objects_of(graph)?)))
        });
        found.or_raise(py)
    }

    /// The name in the model's folder of files of the file of that number. DataLossError for one that leads out of it.
    fn asset(&self, py: Python<'_>, index: i32) -> PyResult<&str> {
        self.0.asset(index).or_raise(py)
    }

    /// The function that makes a table anew. DataLossError where there is none.
    fn creator(&self, py: Python<'_>, number: usize) -> PyResult<&str> {
        self.0.creator(number).or_raise(py)
    }

    /// The names of the functions, each once.
    fn functions(&self) -> Vec<&str> {
        self.0.function_names()
    }

    /// The tags.
    fn tags(&self) -> Vec<String> {
        self.0.tags().to_vec()
    }

    /// A constant of the graph.
    fn constant<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let tensor = guarded(|| self.0.constant(name)).or_raise(py)?;
        wrap(py, Val::eager(tensor))
    }

    /// The graphs of these functions and what surrounds them, in their order; `expand` is asked for the graphs of
    /// operations that there are not here.
    fn concretes<'py>(
        &self,
        py: Python<'py>,
        names: Vec<String>,
        expand: Py<PyAny>,
    ) -> PyResult<Vec<Loaded<'py>>> {
        let graphs = unlocked(py, || {
            guarded(|| {
                let functions: Functions<'_> = self.0.functions();
                let mut functions = functions.with_expander(expander(&expand));
                let graphs = names.iter().map(|n| self.0.concrete(&mut functions, n));
                graphs.collect::<Result<Vec<_>>>()
            })
        });
        let surroundings = &self.0.objects().concrete_functions;
        let mut all = Vec::with_capacity(names.len());
        for (made, name) in graphs.or_raise(py)?.into_iter().zip(&names) {
            let around = surroundings.get(name);
            let arguments = around.and_then(|f| f.canonicalized_input_signature.as_ref());
            let result = around.and_then(|f| f.output_signature.as_ref());
            all.push((
                PyGraphHandle(made.graph),
                made.bound,
                spelt(py, arguments)?,
                spelt(py, result)?,
            ));
        }
        Ok(all)
    }
}
