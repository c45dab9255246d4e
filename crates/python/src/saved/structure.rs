//! Structures of arguments and results as Python spells them, see the module around.

use crate::emit::to_val;
use crate::errors::{IntoPyResult, guarded};
use crate::tensor::wrap;
use ferrograph_formats::messages::{
    Dim, Empty, FunctionSpec, NamedTuple, Structure, StructuredDict, StructuredList,
    StructuredPair, StructuredValue, TensorProto, TensorShapeProto, TensorSpecProto, TypeSpecProto,
};
use ferrograph_graph::Val;
use ferrograph_tensor::{Tensor, err};
use prost::Message;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};

/// The bytes of the structure that a value spells.
#[pyfunction]
pub(crate) fn structure_bytes<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(
        value.py(),
        &structure_of(value)?.encode_to_vec(),
    ))
}

/// The structure of these bytes. DataLossError where they are none.
#[pyfunction]
pub(crate) fn structure_of_bytes<'py>(
    py: Python<'py>,
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    let value = StructuredValue::decode(bytes);
    let value = value.map_err(|e| err!(DataLoss, "the structure is damaged: {e}"));
    spelt(py, Some(&value.or_raise(py)?))
}

pub(super) type Dims = Option<Vec<i64>>;

pub(super) fn shape_of(dims: Dims) -> TensorShapeProto {
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

pub(super) fn dims_of(shape: Option<&TensorShapeProto>) -> Dims {
    let shape = shape.filter(|s| !s.unknown_rank)?;
    Some(shape.dim.iter().map(|d| d.size.max(-1)).collect())
}

/// The structure that a Python value spells.
pub(super) fn structure_of(value: &Bound<'_, PyAny>) -> PyResult<StructuredValue> {
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

pub(super) fn tensor_of(value: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let val = to_val(value, None)?;
    val.expect_tensor().cloned().or_raise(value.py())
}

/// The Python value that a structure is; None for one that is missing.
pub(super) fn spelt<'py>(
    py: Python<'py>,
    value: Option<&StructuredValue>,
) -> PyResult<Bound<'py, PyAny>> {
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

pub(super) type Spec<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

pub(super) fn function_spec((arguments, signature): &Spec<'_>) -> PyResult<FunctionSpec> {
    Ok(FunctionSpec {
        fullargspec: Some(structure_of(arguments)?),
        is_method: false,
        input_signature: Some(structure_of(signature)?),
    })
}

pub(super) fn spec_of<'py>(py: Python<'py>, spec: Option<&FunctionSpec>) -> PyResult<Spec<'py>> {
    let arguments = spelt(py, spec.and_then(|s| s.fullargspec.as_ref()))?;
    let signature = spelt(py, spec.and_then(|s| s.input_signature.as_ref()))?;
    Ok((arguments, signature))
}
