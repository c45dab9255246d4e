//! Saved models as Python sees them: objects as tuples, functions as graphs.
//!
//! A structure is None, a bool, an int, a float or a str as it is, and else a tuple that begins with what it is:
//! `("list", items)`, `("tuple", items)`, `("dict", pairs)`, `("named", name, pairs)`, `("spec", name, dims, dtype)`,
//! `("shape", dims)`, `("dtype", dtype)`, `("type", number, name, state, n)`, `("tensor", tensor)`; dims are integers,
//! -1 for an unknown one, or None, and dtypes their public numbers.

use crate::attrs::PyGraphHandle;
use crate::emit::to_val;
use crate::errors::{IntoPyResult, guarded};
use crate::fork::unlocked;
use crate::tensor::wrap;
use ferrograph_formats::messages::{
    AssetFileDef, AttrContent, AttrValue, CapturedTensor, Dim, Empty, FunctionSpec, GraphDef,
    MetaGraphDef, MetaInfoDef, NamedTuple, NodeDef, ObjectReference, SavedAsset,
    SavedBareConcreteFunction, SavedConcreteFunction, SavedConstant, SavedFunction, SavedKind,
    SavedModel, SavedObject, SavedObjectGraph, SavedResource, SavedUserObject, SavedVariable,
    Structure, StructuredDict, StructuredList, StructuredPair, StructuredValue, TensorInfo,
    TensorProto, TensorShapeProto, TensorSpecProto, TypeSpecProto, VersionDef,
};
use ferrograph_graph::Val;
use ferrograph_saved::{
    Functions, Library, SavedFile, fingerprint_of, graph_message, graph_of, model_of, with_ends,
};
use ferrograph_tensor::{Result, Tensor, err};
use parking_lot::Mutex;
use prost::Message;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::collections::BTreeMap;
use std::sync::Arc;

type Dims = Option<Vec<i64>>;

fn shape_of(dims: Dims) -> TensorShapeProto {
    let unknown_rank = dims.is_none();
    let dim = |size| Dim {
        size,
        name: String::new(),
    };
    TensorShapeProto {
        dim: dims.unwrap_or_default().into_iter().map(dim).collect(),
        unknown_rank,
    }
}

fn dims_of(shape: Option<&TensorShapeProto>) -> Dims {
    let shape = shape.filter(|s| !s.unknown_rank)?;
    Some(shape.dim.iter().map(|d| d.size.max(-1)).collect())
}

/// The structure that a Python value spells.
fn structure_of(value: &Bound<'_, PyAny>) -> PyResult<StructuredValue> {
    let kind = if value.is_none() {
        Structure::None(Empty {})
    } else if value.is_instance_of::<PyBool>() {
        Structure::Bool(value.extract()?)
    } else if value.is_instance_of::<PyInt>() {
        Structure::Int(value.extract()?)
    } else if value.is_instance_of::<PyFloat>() {
        Structure::Float(value.extract()?)
    } else if value.is_instance_of::<PyString>() {
        Structure::Str(value.extract()?)
    } else {
        tagged(value.cast::<PyTuple>()?)?
    };
    Ok(StructuredValue { kind: Some(kind) })
}

fn tagged(value: &Bound<'_, PyTuple>) -> PyResult<Structure> {
    let tag: String = value.get_item(0)?.extract()?;
    let at = |i| value.get_item(i);
    Ok(match &tag[..] {
        "list" => Structure::List(items_of(&at(1)?)?),
        "tuple" => Structure::Tuple(items_of(&at(1)?)?),
        "dict" => {
            let pairs = pairs_of(&at(1)?)?;
            Structure::Dict(StructuredDict {
                fields: pairs.into_iter().collect(),
            })
        }
        "named" => {
            let pair = |(key, value)| StructuredPair {
                key,
                value: Some(value),
            };
            Structure::Named(NamedTuple {
                name: at(1)?.extract()?,
                values: pairs_of(&at(2)?)?.into_iter().map(pair).collect(),
            })
        }
        "spec" => Structure::Spec(TensorSpecProto {
            name: at(1)?.extract()?,
            shape: Some(shape_of(at(2)?.extract()?)),
            dtype: at(3)?.extract()?,
        }),
        "shape" => Structure::Shape(shape_of(at(1)?.extract()?)),
        "dtype" => Structure::DType(at(1)?.extract()?),
        "type" => Structure::Type(Box::new(TypeSpecProto {
            type_spec_class: at(1)?.extract()?,
            type_spec_class_name: at(2)?.extract()?,
            type_state: Some(Box::new(structure_of(&at(3)?)?)),
            num_flat_components: at(4)?.extract()?,
        })),
        "tensor" => {
            let tensor = TensorProto::of(&tensor_of(&at(1)?)?).or_raise(value.py())?;
            Structure::Tensor(tensor)
        }
        _ => return Err(PyTypeError::new_err(format!("no structure: {tag}"))),
    })
}

fn items_of(items: &Bound<'_, PyAny>) -> PyResult<StructuredList> {
    let values = items.try_iter()?.map(|item| structure_of(&item?));
    Ok(StructuredList {
        values: values.collect::<PyResult<_>>()?,
    })
}

fn pairs_of(pairs: &Bound<'_, PyAny>) -> PyResult<Vec<(String, StructuredValue)>> {
    let pair = |pair: PyResult<Bound<'_, PyAny>>| {
        let (key, value): (String, Bound<'_, PyAny>) = pair?.extract()?;
        Ok((key, structure_of(&value)?))
    };
    pairs.try_iter()?.map(pair).collect()
}

fn tensor_of(value: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let val = to_val(value, None)?;
    val.expect_tensor().cloned().or_raise(value.py())
}

/// The Python value that a structure is; None for one that is missing.
fn spelt<'py>(py: Python<'py>, value: Option<&StructuredValue>) -> PyResult<Bound<'py, PyAny>> {
    let Some(kind) = value.and_then(|v| v.kind.as_ref()) else {
        return Ok(py.None().into_bound(py));
    };
    let any = |t: Bound<'py, PyTuple>| t.into_any();
    Ok(match kind {
        Structure::None(_) => py.None().into_bound(py),
        Structure::Float(x) => x.into_pyobject(py)?.into_any(),
        Structure::Int(x) => x.into_pyobject(py)?.into_any(),
        Structure::Str(x) => x.into_pyobject(py)?.into_any(),
        Structure::Bool(x) => PyBool::new(py, *x).to_owned().into_any(),
        Structure::Shape(x) => any(("shape", dims_of(Some(x))).into_pyobject(py)?),
        Structure::DType(x) => any(("dtype", *x).into_pyobject(py)?),
        Structure::Spec(x) => spec_spelt(py, &x.name, x.shape.as_ref(), x.dtype)?,
        Structure::Bounded(x) => spec_spelt(py, &x.name, x.shape.as_ref(), x.dtype)?,
        Structure::Type(x) => {
            let state = spelt(py, x.type_state.as_deref())?;
            let name = &x.type_spec_class_name;
            any((
                "type",
                x.type_spec_class,
                name,
                state,
                x.num_flat_components,
            )
                .into_pyobject(py)?)
        }
        Structure::List(x) => any(("list", list_spelt(py, x)?).into_pyobject(py)?),
        Structure::Tuple(x) => any(("tuple", list_spelt(py, x)?).into_pyobject(py)?),
        Structure::Dict(x) => {
            let pairs = x
                .fields
                .iter()
                .map(|(k, v)| Ok((k.clone(), spelt(py, Some(v))?)));
            any(("dict", pairs.collect::<PyResult<Vec<_>>>()?).into_pyobject(py)?)
        }
        Structure::Named(x) => {
            let pairs = x
                .values
                .iter()
                .map(|p| Ok((p.key.clone(), spelt(py, p.value.as_ref())?)));
            any(("named", &x.name, pairs.collect::<PyResult<Vec<_>>>()?).into_pyobject(py)?)
        }
        Structure::Tensor(x) | Structure::Array(x) => {
            let tensor = guarded(|| x.to_tensor()).or_raise(py)?;
            any(("tensor", wrap(py, Val::eager(tensor))?).into_pyobject(py)?)
        }
    })
}

fn spec_spelt<'py>(
    py: Python<'py>,
    name: &str,
    shape: Option<&TensorShapeProto>,
    dtype: i32,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(("spec", name, dims_of(shape), dtype)
        .into_pyobject(py)?
        .into_any())
}

fn list_spelt<'py>(py: Python<'py>, list: &StructuredList) -> PyResult<Bound<'py, PyList>> {
    let items = list.values.iter().map(|v| spelt(py, Some(v)));
    PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)
}

type Spec<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

fn function_spec((arguments, signature): &Spec<'_>) -> PyResult<FunctionSpec> {
    Ok(FunctionSpec {
        fullargspec: Some(structure_of(arguments)?),
        is_method: false,
        input_signature: Some(structure_of(signature)?),
    })
}

fn spec_of<'py>(py: Python<'py>, spec: Option<&FunctionSpec>) -> PyResult<Spec<'py>> {
    let arguments = spelt(py, spec.and_then(|s| s.fullargspec.as_ref()))?;
    let signature = spelt(py, spec.and_then(|s| s.input_signature.as_ref()))?;
    Ok((arguments, signature))
}

/// What an object is: a tuple that begins with the name of its kind.
fn kind_of(value: &Bound<'_, PyTuple>) -> PyResult<SavedKind> {
    let tag: String = value.get_item(0)?.extract()?;
    let at = |i| value.get_item(i);
    Ok(match &tag[..] {
        "user" => SavedKind::User(SavedUserObject {
            identifier: at(1)?.extract()?,
            metadata: at(2)?.extract()?,
            version: Some(VersionDef {
                producer: 1,
                min_consumer: 1,
            }),
        }),
        "asset" => SavedKind::Asset(SavedAsset {
            asset_file_def_index: at(1)?.extract()?,
        }),
        "function" => SavedKind::Function(SavedFunction {
            concrete_functions: at(1)?.extract()?,
            function_spec: Some(function_spec(&(at(2)?, at(3)?))?),
        }),
        "variable" => SavedKind::Variable(SavedVariable {
            name: at(1)?.extract()?,
            dtype: at(2)?.extract()?,
            shape: Some(shape_of(at(3)?.extract()?)),
            trainable: at(4)?.extract()?,
            synchronization: at(5)?.extract()?,
            aggregation: at(6)?.extract()?,
        }),
        "concrete" => SavedKind::Concrete(SavedBareConcreteFunction {
            concrete_function_name: at(1)?.extract()?,
            argument_keywords: at(2)?.extract()?,
            allowed_positional_arguments: at(3)?.extract()?,
            function_spec: Some(function_spec(&(at(4)?, at(5)?))?),
        }),
        "constant" => SavedKind::Constant(SavedConstant {
            operation: at(1)?.extract()?,
        }),
        "resource" => SavedKind::Resource(SavedResource {
            device: at(1)?.extract()?,
        }),
        "captured" => SavedKind::Captured(CapturedTensor {
            name: at(1)?.extract()?,
            concrete_function: at(2)?.extract()?,
        }),
        _ => return Err(PyTypeError::new_err(format!("no kind of object: {tag}"))),
    })
}

fn kind_spelt<'py>(py: Python<'py>, kind: Option<&SavedKind>) -> PyResult<Bound<'py, PyTuple>> {
    match kind {
        None => ("none",).into_pyobject(py),
        Some(SavedKind::User(x)) => ("user", &x.identifier, &x.metadata).into_pyobject(py),
        Some(SavedKind::Asset(x)) => ("asset", x.asset_file_def_index).into_pyobject(py),
        Some(SavedKind::Function(x)) => {
            let (arguments, signature) = spec_of(py, x.function_spec.as_ref())?;
            ("function", &x.concrete_functions, arguments, signature).into_pyobject(py)
        }
        Some(SavedKind::Variable(x)) => (
            "variable",
            &x.name,
            x.dtype,
            dims_of(x.shape.as_ref()),
            x.trainable,
            x.synchronization,
            x.aggregation,
        )
            .into_pyobject(py),
        Some(SavedKind::Concrete(x)) => {
            let (arguments, signature) = spec_of(py, x.function_spec.as_ref())?;
            (
                "concrete",
                &x.concrete_function_name,
                &x.argument_keywords,
                x.allowed_positional_arguments,
                arguments,
                signature,
            )
                .into_pyobject(py)
        }
        Some(SavedKind::Constant(x)) => ("constant", &x.operation).into_pyobject(py),
        Some(SavedKind::Resource(x)) => ("resource", &x.device).into_pyobject(py),
        Some(SavedKind::Captured(x)) => {
            ("captured", &x.name, &x.concrete_function).into_pyobject(py)
        }
    }
}

fn references(all: Vec<(i32, String)>) -> Vec<ObjectReference> {
    let reference = |(node_id, local_name)| ObjectReference {
        node_id,
        local_name,
    };
    all.into_iter().map(reference).collect()
}

/// An object: what it is, its children by number and name, what must be there before it is, the name of its class.
type Object<'py> = (
    Bound<'py, PyTuple>,
    Vec<(i32, String)>,
    Vec<(i32, String)>,
    String,
);

/// What surrounds a function: its name, the objects bound to it, the structures of its arguments and of its result.
type Concrete<'py> = (String, Vec<i32>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// A saved model being written.
#[pyclass(name = "SavedModelWriter", module = "ferrograph._core", frozen)]
pub(crate) struct PySavedWriter {
    library: Mutex<Library>,
    nodes: Mutex<Vec<NodeDef>>,
}

#[pymethods]
impl PySavedWriter {
    #[new]
    fn new() -> PySavedWriter {
        PySavedWriter {
            library: Mutex::new(Library::new()),
            nodes: Mutex::new(Vec::new()),
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
        let chosen = Arc::new(with_ends(graph, &graph.inputs, graph.n_args, &chosen));
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
        add("value", AttrContent::Tensor(message));
        let name = node.name.clone();
        nodes.push(node);
        Ok(name)
    }

    /// The bytes of the model and of its fingerprint. Files are pairs of a constant and a name.
    fn finish<'py>(
        &self,
        py: Python<'py>,
        objects: Vec<Object<'py>>,
        concretes: Vec<Concrete<'py>>,
        files: Vec<(String, String)>,
        tags: Vec<String>,
        uuid: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let mut nodes = Vec::with_capacity(objects.len());
        for (kind, children, dependencies, registered_name) in objects {
            nodes.push(SavedObject {
                kind: Some(kind_of(&kind)?),
                children: references(children),
                dependencies: references(dependencies),
                registered_name,
            });
        }
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
        let model = SavedModel {
            saved_model_schema_version: 1,
            meta_graphs: vec![self.meta(objects, files, tags)],
        };
        let bytes = model.encode_to_vec();
        let print = fingerprint_of(&bytes, uuid);
        Ok((PyBytes::new(py, &bytes), PyBytes::new(py, &print)))
    }
}

/// The bytes of a graph in the public form. UnimplementedError for a node that no message can hold.
#[pyfunction]
pub(crate) fn graph_def_bytes<'py>(
    py: Python<'py>,
    graph: &PyGraphHandle,
) -> PyResult<Bound<'py, PyBytes>> {
    let message = guarded(|| graph_message(&graph.0)).or_raise(py)?;
    Ok(PyBytes::new(py, &message.encode_to_vec()))
}

/// The graph in these bytes, with these `Placeholder` nodes as its inputs and these tensors as its outputs, and the
/// names of the placeholders that are no inputs.
#[pyfunction]
pub(crate) fn graph_of_def(
    py: Python<'_>,
    bytes: &[u8],
    name: &str,
    inputs: Vec<String>,
    outputs: Vec<String>,
) -> PyResult<(PyGraphHandle, Vec<String>)> {
    let read = || {
        let message = GraphDef::decode(bytes);
        let message = message.map_err(|e| err!(DataLoss, "the graph is damaged: {e}"))?;
        let graph = graph_of(&message, name, &inputs, &outputs)?;
        let placeholders = message.node.iter().filter(|n| n.op == "Placeholder");
        let free = placeholders
            .map(|n| n.name.clone())
            .filter(|n| !inputs.contains(n));
        Ok((graph, free.collect::<Vec<_>>()))
    };
    let (graph, free) = unlocked(py, || guarded(read)).or_raise(py)?;
    // A placeholder without a value is no fault of the graph: the caller says so.
    let fault = ferrograph_graph::verify(&graph).into_iter().next();
    if let Some(fault) = fault.filter(|_| free.is_empty()) {
        return Err(PyValueError::new_err(format!("no sound graph: {fault}")));
    }
    Ok((PyGraphHandle(graph), free))
}

impl PySavedWriter {
    fn meta(
        &self,
        objects: SavedObjectGraph,
        files: Vec<(String, String)>,
        tags: Vec<String>,
    ) -> MetaGraphDef {
        let library = std::mem::take(&mut *self.library.lock()).finish();
        let file = |(tensor, filename)| AssetFileDef {
            tensor_info: Some(TensorInfo {
                name: format!("{tensor}:0"),
                ..TensorInfo::default()
            }),
            filename,
        };
        MetaGraphDef {
            meta_info_def: Some(MetaInfoDef {
                tags,
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
        let pairs = |all: &[ObjectReference]| -> Vec<(i32, String)> {
            all.iter()
                .map(|c| (c.node_id, c.local_name.clone()))
                .collect()
        };
        let object = |node: &SavedObject| {
            let kind = kind_spelt(py, node.kind.as_ref())?;
            let (children, before) = (pairs(&node.children), pairs(&node.dependencies));
            Ok((kind, children, before, node.registered_name.clone()))
        };
        self.0.objects().nodes.iter().map(object).collect()
    }

    /// The names of the files that belong to the model.
    fn files(&self) -> Vec<String> {
        let files = self.0.meta().asset_file_def.iter();
        files.map(|f| f.filename.clone()).collect()
    }

    /// The tags.
    fn tags(&self) -> Vec<String> {
        self.0
            .meta()
            .meta_info_def
            .as_ref()
            .map_or(Vec::new(), |i| i.tags.clone())
    }

    /// A constant of the graph.
    fn constant<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let tensor = guarded(|| self.0.constant(name)).or_raise(py)?;
        wrap(py, Val::eager(tensor))
    }

    /// The graphs of these functions and what surrounds them, in their order.
    fn concretes<'py>(&self, py: Python<'py>, names: Vec<String>) -> PyResult<Vec<Loaded<'py>>> {
        let graphs = unlocked(py, || {
            guarded(|| {
                let mut functions: Functions<'_> = self.0.functions();
                let graphs = names.iter().map(|n| self.0.concrete(&mut functions, n));
                graphs.collect::<Result<Vec<_>>>()
            })
        });
        let surroundings = &self.0.objects().concrete_functions;
        let mut all = Vec::with_capacity(names.len());
        for (graph, name) in graphs.or_raise(py)?.into_iter().zip(&names) {
            if let Some(fault) = ferrograph_graph::verify(&graph).first() {
                return Err(PyValueError::new_err(format!("function {name:?}: {fault}")));
            }
            let around = surroundings.get(name);
            let bound = around.map_or(Vec::new(), |f| f.bound_inputs.clone());
            let arguments = around.and_then(|f| f.canonicalized_input_signature.as_ref());
            let result = around.and_then(|f| f.output_signature.as_ref());
            all.push((
                PyGraphHandle(graph),
                bound,
                spelt(py, arguments)?,
                spelt(py, result)?,
            ));
        }
        Ok(all)
    }
}
