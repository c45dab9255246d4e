//! Emitting operations from Python: operators, the general door, constants.

use crate::errors::{IntoPyResult, guarded};
use crate::hooks::hooks;
use crate::tensor::{PyTensor, wrap};
use crate::variable::PyVariable;
use crate::{bridge, convert};
use ferrograph_data::registry;
use ferrograph_graph::{Attr, Graph, OpRef, Val, Vals};
use ferrograph_ops::Const;
use ferrograph_runtime::{compute, computes_now, emit, emit_named, is_tracing};
use ferrograph_tensor::{DType, Tensor};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use smallvec::{Array, SmallVec};
use std::sync::Arc;

/// A constant: eager it is the tensor, in a trace a `Const` node.
pub(crate) fn constant(py: Python<'_>, tensor: Tensor, name: Option<&str>) -> PyResult<Val> {
    if !is_tracing() {
        return Ok(Val::eager(tensor));
    }
    let outputs =
        guarded(|| emit_named(Arc::new(Const { value: tensor }), &[], name)).or_raise(py)?;
    first(outputs)
}

fn first<T>(outputs: SmallVec<[T; 2]>) -> PyResult<T>
where
    [T; 2]: Array<Item = T>,
{
    outputs
        .into_iter()
        .next()
        .ok_or_else(|| PyTypeError::new_err("the operation has no output"))
}

/// The value that an object is, where it is a tensor or variable.
pub(crate) fn as_val(obj: &Bound<'_, PyAny>) -> PyResult<Option<Val>> {
    if let Ok(t) = obj.cast::<PyTensor>() {
        return Ok(Some(t.get().val.clone()));
    }
    if let Ok(v) = obj.cast::<PyVariable>() {
        return v.get().read(obj.py()).map(Some);
    }
    Ok(None)
}

/// The value of any object: a tensor or variable itself, else the documented conversion.
pub(crate) fn to_val(obj: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Val> {
    if let Some(val) = as_val(obj)? {
        return Ok(val);
    }
    match convert::tensor_from_py(obj, dtype)? {
        Some(tensor) => constant(obj.py(), tensor, None),
        None => packed(obj, dtype),
    }
}

/// A sequence with tensors in it, which the front end packs.
fn packed(obj: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Val> {
    let py = obj.py();
    let dtype = dtype.map(|d| bridge::dtype_to_py(py, d)).transpose()?;
    if let Some(convert) = obj.getattr_opt(intern!(py, "__tf_tensor__"))? {
        let made = convert.call1((dtype,))?;
        return as_val(&made)?
            .ok_or_else(|| PyTypeError::new_err("__tf_tensor__ did not return a tensor"));
    }
    let made = hooks(py)?.pack.bind(py).call1((obj, dtype))?;
    as_val(&made)?.ok_or_else(|| PyTypeError::new_err("the value does not convert to a tensor"))
}

/// An operand beside a partner: Python and NumPy values take the partner's dtype.
pub(crate) fn operand(obj: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Val> {
    if let Some(val) = as_val(obj)? {
        return Ok(val);
    }
    match convert::scalar_for_partner(obj, dtype)? {
        Some(tensor) => constant(obj.py(), tensor, None),
        None => packed(obj, Some(dtype)),
    }
}

fn make(py: Python<'_>, name: &str, attrs: &[(String, Attr)]) -> PyResult<OpRef> {
    registry().make(name, attrs).or_raise(py)
}

/// Emits an operation with one output.
pub(crate) fn emit_one(py: Python<'_>, op: OpRef, inputs: &[Val]) -> PyResult<Val> {
    first(guarded(|| emit(op, inputs)).or_raise(py)?)
}

/// The one output of an operation on one value.
pub(crate) fn emit_single<'py>(
    py: Python<'py>,
    op: &OpRef,
    x: &Val,
) -> PyResult<Bound<'py, PyAny>> {
    match x {
        Val::Eager(x) if computes_now() => compute_one(py, op, std::slice::from_ref(&x.tensor)),
        _ => wrap(py, emit_one(py, op.clone(), std::slice::from_ref(x))?),
    }
}

/// The one output of an operation on two values.
pub(crate) fn emit_pair<'py>(
    py: Python<'py>,
    op: &OpRef,
    a: &Val,
    b: &Val,
) -> PyResult<Bound<'py, PyAny>> {
    match (a, b) {
        (Val::Eager(a), Val::Eager(b)) if computes_now() => {
            compute_one(py, op, &[a.tensor.clone(), b.tensor.clone()])
        }
        _ => wrap(py, emit_one(py, op.clone(), &[a.clone(), b.clone()])?),
    }
}

/// The one output of an operation where nothing but its value is asked for.
pub(crate) fn compute_one<'py>(
    py: Python<'py>,
    op: &OpRef,
    inputs: &[Tensor],
) -> PyResult<Bound<'py, PyAny>> {
    let outputs = guarded(|| compute(op, inputs)).or_raise(py)?;
    wrap(py, Val::eager(first(outputs)?))
}

/// A finished graph on its way through Python.
#[pyclass(name = "GraphHandle", module = "ferrograph._core", frozen)]
pub(crate) struct PyGraphHandle(pub Arc<Graph>);

fn attr(value: &Bound<'_, PyAny>) -> PyResult<Attr> {
    let py = value.py();
    if value.is_instance_of::<PyBool>() {
        return Ok(Attr::Bool(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Attr::Int(value.extract()?));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Attr::Float(value.extract()?));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Attr::str(text.to_str()?));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Attr::Str(Arc::from(bytes.as_bytes())));
    }
    if let Ok(tensor) = value.cast::<PyTensor>() {
        return Ok(Attr::Tensor(
            tensor.get().val.expect_tensor().or_raise(py)?.clone(),
        ));
    }
    if let Ok(graph) = value.cast::<PyGraphHandle>() {
        return Ok(Attr::Graph(graph.get().0.clone()));
    }
    if value.hasattr(intern!(py, "_code"))? {
        return Ok(Attr::DType(bridge::dtype_from_py(value)?));
    }
    if value.hasattr(intern!(py, "_dims"))? {
        return Ok(Attr::Shape(bridge::partial_shape_from_py(value)?));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return attr_list(value);
    }
    Err(PyTypeError::new_err(format!(
        "{value} cannot be an attribute of an operation"
    )))
}

fn attr_list(value: &Bound<'_, PyAny>) -> PyResult<Attr> {
    let items: Vec<Bound<'_, PyAny>> = value.extract()?;
    if items.iter().any(|i| i.hasattr("_code").unwrap_or(false)) {
        return Ok(Attr::DTypes(
            items
                .iter()
                .map(bridge::dtype_from_py)
                .collect::<PyResult<_>>()?,
        ));
    }
    if items.iter().any(bridge::is_tensor_shape) {
        return Ok(Attr::Shapes(
            items
                .iter()
                .map(bridge::partial_shape_from_py)
                .collect::<PyResult<_>>()?,
        ));
    }
    Ok(Attr::Ints(
        items.iter().map(|i| i.extract()).collect::<PyResult<_>>()?,
    ))
}

fn attrs_of(attrs: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, Attr)>> {
    let Some(attrs) = attrs else {
        return Ok(Vec::new());
    };
    attrs
        .iter()
        .map(|(name, value)| Ok((name.extract()?, attr(&value)?)))
        .collect()
}

/// The Python result of an operation: its only output, or a list of them; None for none.
pub(crate) fn wrap_all(py: Python<'_>, outputs: Vals) -> PyResult<Bound<'_, PyAny>> {
    match outputs.len() {
        0 => Ok(py.None().into_bound(py)),
        1 => wrap(py, first(outputs)?),
        _ => {
            let items = outputs
                .into_iter()
                .map(|v| wrap(py, v))
                .collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, items)?.into_any())
        }
    }
}

/// Emits the operation of that public name on these inputs; values that are no tensors are converted each by itself.
#[pyfunction]
#[pyo3(name = "emit", signature = (op, inputs, attrs=None, name=None))]
pub(crate) fn emit_py<'py>(
    py: Python<'py>,
    op: &str,
    inputs: &Bound<'py, PyAny>,
    attrs: Option<&Bound<'py, PyDict>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let (op, vals) = match attrs {
        Some(attrs) => prepared(py, op, inputs, attrs)?,
        None => (make(py, op, &[])?, inputs_of(inputs)?),
    };
    wrap_all(py, guarded(|| emit_named(op, &vals, name)).or_raise(py)?)
}

/// The values of an iterable, each converted by itself.
pub(crate) fn inputs_of(inputs: &Bound<'_, PyAny>) -> PyResult<Vals> {
    let vals = inputs.try_iter()?.map(|input| to_val(&input?, None));
    vals.collect()
}

/// An operation and its inputs, as Python names them.
pub(crate) fn prepared(
    py: Python<'_>,
    op: &str,
    inputs: &Bound<'_, PyAny>,
    attrs: &Bound<'_, PyDict>,
) -> PyResult<(OpRef, Vals)> {
    let vals = inputs_of(inputs)?;
    Ok((make(py, op, &attrs_of(Some(attrs))?)?, vals))
}

/// Emits a binary operation; an operand that is no tensor takes the dtype of the other.
#[pyfunction]
#[pyo3(signature = (op, x, y, name=None, attrs=None))]
pub(crate) fn binary<'py>(
    py: Python<'py>,
    op: &str,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    name: Option<&str>,
    attrs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (a, b) = operands(x, y)?;
    let op = make(py, op, &attrs_of(attrs)?)?;
    wrap_all(py, guarded(|| emit_named(op, &[a, b], name)).or_raise(py)?)
}

/// Both operands as values: the first that is a tensor gives the dtype, else the first operand.
fn operands(x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<(Val, Val)> {
    match (as_val(x)?, as_val(y)?) {
        (Some(a), Some(b)) => Ok((a, b)),
        (Some(a), None) => {
            let b = operand(y, a.dtype())?;
            Ok((a, b))
        }
        (None, Some(b)) => Ok((operand(x, b.dtype())?, b)),
        (None, None) => {
            let a = to_val(x, None)?;
            let b = operand(y, a.dtype())?;
            Ok((a, b))
        }
    }
}

/// The tensor for a value; see `ferrograph.convert_to_tensor`.
#[pyfunction]
#[pyo3(signature = (value, dtype=None, dtype_hint=None, name=None))]
pub(crate) fn convert_to_tensor<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    dtype_hint: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let dtype = bridge::optional_dtype_from_py(dtype)?;
    if let Ok(tensor) = value.cast::<PyTensor>() {
        check_dtype(py, &tensor.get().val, dtype)?;
        return Ok(value.clone());
    }
    if let Some(val) = as_val(value)? {
        check_dtype(py, &val, dtype)?;
        return wrap(py, val);
    }
    let hint = bridge::optional_dtype_from_py(dtype_hint)?;
    if let (None, Some(hint)) = (dtype, hint)
        && let Ok(Some(tensor)) = convert::tensor_from_py(value, Some(hint))
    {
        return wrap(py, constant(py, tensor, name)?);
    }
    let val = match convert::tensor_from_py(value, dtype)? {
        Some(tensor) => constant(py, tensor, name)?,
        None => packed(value, dtype)?,
    };
    wrap(py, val)
}

fn check_dtype(py: Python<'_>, val: &Val, dtype: Option<DType>) -> PyResult<()> {
    match dtype {
        Some(asked) if asked != val.dtype() => Err(ferrograph_tensor::Error::new(
            ferrograph_tensor::ErrorKind::Value,
            format!(
                "Tensor conversion requested dtype {asked} for Tensor with dtype {}",
                val.dtype()
            ),
        ))
        .or_raise(py),
        _ => Ok(()),
    }
}

/// Whether an object is a symbolic tensor.
#[pyfunction]
pub(crate) fn is_symbolic(value: &Bound<'_, PyAny>) -> bool {
    value
        .cast::<PyTensor>()
        .is_ok_and(|t| matches!(t.get().val, Val::Sym(_)))
}

/// Whether operations compute at once on this thread.
#[pyfunction]
pub(crate) fn executing_eagerly() -> bool {
    !is_tracing()
}

/// The names of all operations.
#[pyfunction]
pub(crate) fn op_names() -> Vec<&'static str> {
    registry().names()
}
