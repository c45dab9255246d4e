//! A saved model being written.

use super::objects::{Concrete, Object, message_of};
use super::structure::{structure_of, tensor_of};
use crate::attrs::PyGraphHandle;
use crate::errors::{IntoPyResult, guarded};
use ferrograph_formats::messages::{
    AssetFileDef, AttrContent, AttrValue, GraphDef, MetaGraphDef, MetaInfoDef, NodeDef,
    SavedConcreteFunction, SavedModel, SavedObjectGraph, TensorInfo, TensorProto, VersionDef,
};
use ferrograph_saved::{Library, add_signatures, fingerprint_of, objects_of, with_ends};
use parking_lot::Mutex;
use prost::Message;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A saved model being written.
#[pyclass(name = "SavedModelWriter", module = "ferrograph._core", frozen)]
pub(crate) struct PySavedWriter {
    library: Mutex<Library>,
    nodes: Mutex<Vec<NodeDef>>,
    tags: Vec<String>,
}

#[pymethods]
impl PySavedWriter {
    #[new]
    fn new(tags: Vec<String>, custom_gradients: bool) -> PySavedWriter {
        PySavedWriter {
            library: Mutex::new(Library::of_model(custom_gradients)),
            nodes: Mutex::new(Vec::new()),
            tags,
        }
    }

    /// The name of the function that a graph with these of its outputs is. UnimplementedError for a node that no message
    /// can hold, IndexError where there is no such output.
    fn function(
        &self,
        py: Python<'_>,
        graph: &PyGraphHandle,
        outputs: Vec<usize>,
    ) -> PyResult<String> {
        let graph = &graph.0;
        let chosen = outputs.iter().map(|&i| graph.outputs.get(i).copied());
        let chosen: Option<Vec<_>> = chosen.collect();
        let chosen = chosen.ok_or_else(|| PyIndexError::new_err("there is no such output"))?;
        // The graph itself where it can be: others that call it find it in the library.
        let chosen = match chosen == graph.outputs {
            true => graph.clone(),
            false => Arc::new(with_ends(graph, &graph.inputs, graph.n_args, &chosen)),
        };
        guarded(|| self.library.lock().add(&chosen)).or_raise(py)
    }

    /// The name of a constant of the graph.
    fn constant(&self, value: &Bound<'_, PyAny>) -> PyResult<String> {
        let tensor = tensor_of(value)?;
        let message = TensorProto::of(&tensor).or_raise(value.py())?;
        let mut nodes = self.nodes.lock();
        let mut node = NodeDef {
            name: format!("Const_{}", nodes.len()),
            op: "Const".to_owned(),
            ..NodeDef::default()
        };
        let mut add = |name: &str, content| {
            let value = Some(content);
            node.attr.insert(name.to_owned(), AttrValue { value });
        };
        add("dtype", AttrContent::Type(message.dtype));
        add("value", AttrContent::Tensor(Box::new(message)));
        let name = node.name.clone();
        nodes.push(node);
        Ok(name)
    }

    /// The bytes of the model and of its fingerprint. Files are pairs of a constant and a name; `graph` is that of the
    /// objects of the checkpoint.
    fn finish<'py>(
        &self,
        py: Python<'py>,
        objects: Vec<Object<'py>>,
        concretes: Vec<Concrete<'py>>,
        files: Vec<(String, String)>,
        graph: &[u8],
        uuid: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let nodes = objects
            .into_iter()
            .map(message_of)
            .collect::<PyResult<_>>()?;
        let mut concrete_functions = BTreeMap::new();
        for (name, bound_inputs, arguments, result) in concretes {
            let function = SavedConcreteFunction {
                bound_inputs,
                canonicalized_input_signature: Some(structure_of(&arguments)?),
                output_signature: Some(structure_of(&result)?),
            };
            concrete_functions.insert(name, function);
        }
        let objects = SavedObjectGraph {
            nodes,
            concrete_functions,
        };
        let mut meta = self.meta(objects, files);
        let added = guarded(|| add_signatures(&mut meta, &objects_of(graph)?, uuid));
        added.or_raise(py)?;
        let model = SavedModel {
            saved_model_schema_version: 1,
            meta_graphs: vec![meta],
        };
        let bytes = model.encode_to_vec();
        let print = fingerprint_of(&bytes, uuid);
        Ok((PyBytes::new(py, &bytes), PyBytes::new(py, &print)))
    }
}

impl PySavedWriter {
    fn meta(&self, mut objects: SavedObjectGraph, files: Vec<(String, String)>) -> MetaGraphDef {
        let library = std::mem::take(&mut *self.library.lock()).finish_model(&mut objects);
        let file = |(tensor, filename)| AssetFileDef {
            tensor_info: Some(TensorInfo {
                name: format!("{tensor}:0"),
                ..TensorInfo::default()
            }),
            filename,
        };
        MetaGraphDef {
            meta_info_def: Some(MetaInfoDef {
                tags: self.tags.clone(),
                tensorflow_version: "2.21.0".to_owned(),
                stripped_default_attrs: false,
            }),
            graph_def: Some(GraphDef {
                node: std::mem::take(&mut *self.nodes.lock()),
                library: Some(library),
                versions: Some(VersionDef {
                    producer: ferrograph_saved::PRODUCER,
                    min_consumer: 0,
                }),
            }),
            asset_file_def: files.into_iter().map(file).collect(),
            object_graph_def: Some(objects),
            ..MetaGraphDef::default()
        }
    }
}
