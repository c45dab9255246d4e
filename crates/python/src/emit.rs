//! Emitting operations from Python: operators, operations by name, constants.

use crate::errors::{IntoPyResult, guarded, naming};
use crate::hooks::hooks;
use crate::made::made;
use crate::tensor::{PyTensor, wrap};
use crate::variable::PyVariable;
use crate::yield_gil::GilYield;
use crate::{bridge, convert, work};
use ferrograph_data::registry;
use ferrograph_graph::{
    Batching, Decl, Kind, OpRef, Sym, Tensors, Val, Vals, dtype_sources, explain_other,
};
use ferrograph_ops::Const;
use ferrograph_runtime::{compute, compute_pair, computes_now, emit_named, is_tracing};
use ferrograph_tensor::{DType, Tensor};
use ferrograph_transform::has_rule;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyString, PyTuple};
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
    outputs.into_iter().next().ok_or_else(no_output)
}

fn no_output() -> PyErr {
    PyTypeError::new_err("the operation has no output")
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
    match converted(obj, dtype)? {
        Some(tensor) => constant(obj.py(), tensor, None),
        None => packed(obj, dtype),
    }
}

/// [`convert::tensor_from_py`], whose errors say which argument of which function the value is.
fn converted(obj: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Option<Tensor>> {
    convert::tensor_from_py(obj, dtype).map_err(|e| naming(obj, e))
}

/// The name of an operation as Python gives it.
pub(crate) fn name_of<'a>(name: Option<&'a Bound<'_, PyAny>>) -> PyResult<Option<&'a str>> {
    let Some(given) = name.filter(|name| !name.is_none()) else {
        return Ok(None);
    };
    match given.cast::<PyString>() {
        Ok(text) => text.to_str().map(Some),
        Err(_) => Err(no_name(given)),
    }
}

#[cold]
fn no_name(given: &Bound<'_, PyAny>) -> PyErr {
    let text = format!("name must be a string, got {}", convert::describe(given));
    naming(given, PyTypeError::new_err(text))
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
    match convert::scalar_for_partner(obj, dtype).map_err(|e| naming(obj, e))? {
        Some(tensor) => constant(obj.py(), tensor, None),
        None => packed(obj, Some(dtype)),
    }
}

/// An operand beside a tensor.
pub(crate) fn operand_of(obj: &Bound<'_, PyAny>, partner: &Val) -> PyResult<Val> {
    let py = obj.py();
    operand(obj, partner.dtype()).map_err(|e| {
        let is_float = obj.is_instance_of::<PyFloat>();
        let own = is_float.then(|| (DType::Float32, Some(Vec::new())));
        let theirs = (partner.dtype(), dtype_sources(partner));
        with_dtypes(py, e, own.into_iter().chain([theirs]))
    })
}

/// The outputs of an operation. Other Python threads run meanwhile where it is long work.
pub(crate) fn emit_all(
    py: Python<'_>,
    op: &OpRef,
    inputs: &[Val],
    name: Option<&str>,
) -> PyResult<Vals> {
    let emitted = guarded(|| {
        let values = inputs.iter().all(|val| val.tensor().is_some());
        let tensors = inputs.iter().filter_map(Val::tensor);
        let long = values && !is_tracing() && work::is_long_op(op, tensors);
        work::run(py, long, || emit_named(op.clone(), inputs, name))
    });
    emitted
        .or_raise(py)
        .map_err(|e| with_dtypes(py, e, inputs.iter().map(|v| (v.dtype(), dtype_sources(v)))))
}

/// The exception of a traced operation with the dtypes that met in it, each with what it comes from: so that whoever
/// started from a Python number can let it have another dtype.
#[cold]
fn with_dtypes(
    py: Python<'_>,
    error: PyErr,
    met: impl Iterator<Item = (DType, Option<Vec<u64>>)>,
) -> PyErr {
    if is_tracing() && error.is_instance_of::<PyTypeError>(py) {
        let dtypes = met.map(|(dtype, sources)| Ok((bridge::dtype_to_py(py, dtype)?, sources)));
        // What it says of dtypes helps; the error is the same without.
        drop(
            dtypes
                .collect::<PyResult<Vec<_>>>()
                .and_then(|met| error.value(py).setattr(intern!(py, "_ferrograph_met"), met)),
        );
    }
    error
}

/// Emits an operation with one output.
pub(crate) fn emit_one(py: Python<'_>, op: &OpRef, inputs: &[Val]) -> PyResult<Val> {
    first(emit_all(py, op, inputs, None)?)
}

/// The one output of an operation on one value, element by element.
pub(crate) fn emit_single<'py>(
    py: Python<'py>,
    op: &OpRef,
    x: &Val,
) -> PyResult<Bound<'py, PyAny>> {
    match x {
        Val::Eager(x) if computes_now() => {
            let long = work::is_long(work::size(&x.tensor));
            compute_one(py, op, std::slice::from_ref(&x.tensor), long)
        }
        _ => wrap(py, emit_one(py, op, std::slice::from_ref(x))?),
    }
}

/// The one output of an operation on two values, which costs as much as `cost` says.
pub(crate) fn emit_pair<'py>(
    py: Python<'py>,
    op: &OpRef,
    [a, b]: [&Val; 2],
    cost: fn(&Tensor, &Tensor) -> f64,
) -> PyResult<Bound<'py, PyAny>> {
    match (a, b) {
        (Val::Eager(a), Val::Eager(b)) if computes_now() => {
            let (a, b) = (&a.tensor, &b.tensor);
            let long = work::is_long(cost(a, b));
            let computed = || match compute_pair(op, a, b) {
                Some(output) => output.map(Some),
                None => Ok(compute(op, &[a.clone(), b.clone()])?.into_iter().next()),
            };
            let output = guarded(|| work::run(py, long, computed)).or_raise(py)?;
            wrap(py, Val::eager(output.ok_or_else(no_output)?))
        }
        _ => wrap(py, emit_one(py, op, &[a.clone(), b.clone()])?),
    }
}

/// The one output of an operation where nothing but its value is asked for.
fn compute_one<'py>(
    py: Python<'py>,
    op: &OpRef,
    inputs: &[Tensor],
    long: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let outputs = guarded(|| work::run(py, long, || compute(op, inputs))).or_raise(py)?;
    wrap(py, Val::eager(first(outputs)?))
}

/// What Python gets for an operation on these values.
fn emit_wrapped<'py>(
    py: Python<'py>,
    op: &OpRef,
    inputs: Vals,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    if !computes_now() || inputs.iter().any(|val| val.tensor().is_none()) {
        return wrap_all(py, emit_all(py, op, &inputs, name)?);
    }
    let tensor = |val| match val {
        Val::Eager(eager) => Some(eager.tensor),
        Val::Sym(_) => None,
    };
    let outputs = guarded(|| {
        let long = work::is_long_op(op, inputs.iter().filter_map(Val::tensor));
        // Many inputs take long to be moved and dropped, too.
        work::run(py, long, move || {
            let inputs: Tensors = inputs.into_iter().filter_map(tensor).collect();
            compute(op, &inputs)
        })
    });
    wrap_all(py, outputs.or_raise(py)?.into_iter().map(Val::eager))
}

/// The Python result of an operation: its only output, or a list of them; None for none.
pub(crate) fn wrap_all(
    py: Python<'_>,
    outputs: impl IntoIterator<Item = Val, IntoIter: ExactSizeIterator>,
) -> PyResult<Bound<'_, PyAny>> {
    let mut outputs = outputs.into_iter();
    let n = outputs.len();
    match (n, outputs.next()) {
        (1, Some(only)) => wrap(py, only),
        (_, Some(first)) => {
            let mut gil = GilYield::new();
            let wrapped = |v| {
                gil.tick(py)?;
                wrap(py, v)
            };
            let all = std::iter::once(first).chain(outputs).map(wrapped);
            Ok(PyList::new(py, all.collect::<PyResult<Vec<_>>>()?)?.into_any())
        }
        (_, None) => Ok(py.None().into_bound(py)),
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
    name: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let name = name_of(name)?;
    let (op, vals) = prepared(py, op, inputs, attrs)?;
    emit_wrapped(py, &op, vals, name).map_err(|e| naming_input(op.decl(), inputs, e))
}

/// The exception of an operation, which names the first argument that is no tensor and of a dtype that the operation does
/// not take.
#[cold]
fn naming_input(decl: &Decl, inputs: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let Ok(inputs) = inputs.cast::<PyTuple>() else {
        return error;
    };
    let n = inputs.len();
    for i in outer(decl, n) {
        match inputs.get_item(i) {
            Ok(input) if !takes(decl.input(i, n).kind, &input) => return naming(&input, error),
            _ => {}
        }
    }
    error
}

/// Whether a value is a tensor, or converts to one of a dtype that an input may have.
fn takes(kind: Kind, value: &Bound<'_, PyAny>) -> bool {
    if !matches!(as_val(value), Ok(None)) {
        return true;
    }
    let Ok(Some(tensor)) = convert::tensor_from_py(value, None) else {
        return true;
    };
    is_declared(kind, tensor.dtype())
}

/// The values of an iterable, each converted by itself.
pub(crate) fn inputs_of(inputs: &Bound<'_, PyAny>) -> PyResult<Vals> {
    let (py, mut gil) = (inputs.py(), GilYield::new());
    if let Ok(inputs) = inputs.cast_exact::<PyTuple>() {
        let mut vals = Vals::with_capacity(inputs.len());
        for input in inputs.iter_borrowed() {
            vals.push(to_val(&input, None)?);
            gil.tick(py)?;
        }
        return Ok(vals);
    }
    let vals = inputs.try_iter()?.map(|input| {
        gil.tick(py)?;
        to_val(&input?, None)
    });
    vals.collect()
}

/// An operation and its inputs, as Python names them.
pub(crate) fn prepared(
    py: Python<'_>,
    op: &str,
    inputs: &Bound<'_, PyAny>,
    attrs: Option<&Bound<'_, PyDict>>,
) -> PyResult<(OpRef, Vals)> {
    let mut vals = inputs_of(inputs)?;
    let op = made(py, op, attrs)?;
    if let Some(i) = another_dtype(op.decl(), &vals) {
        retype(inputs, op.decl(), i, &mut vals)?;
    }
    Ok((op, vals))
}

/// The first of the inputs whose dtype is none that is declared.
fn another_dtype(decl: &Decl, vals: &Vals) -> Option<usize> {
    let n = vals.len();
    outer(decl, n).find(|&i| !is_declared(decl.input(i, n).kind, vals[i].dtype()))
}

/// The first and the last of `n` inputs, as many as are declared: those that are of no list are among them.
fn outer(decl: &Decl, n: usize) -> impl Iterator<Item = usize> {
    let few = n.min(decl.inputs.len());
    let has_list = decl.inputs.iter().any(|port| port.kind.is_list());
    let last = if has_list { few.max(n - few)..n } else { 0..0 };
    (0..few).chain(last)
}

/// Whether an input may have a dtype.
fn is_declared(kind: Kind, dtype: DType) -> bool {
    match kind {
        Kind::Is(one) | Kind::Copies(one, _) => dtype == one,
        Kind::Of(set) | Kind::Var(_, set) | Kind::List(_, set, _) => set.contains(dtype),
        Kind::Each(_) => true,
    }
}

/// Gives inputs from number `first` on that are no tensors a dtype that is declared, where their own is none: those without
/// elements, which tell no dtype, and integers of NumPy's that fit it.
#[cold]
fn retype(inputs: &Bound<'_, PyAny>, decl: &Decl, first: usize, vals: &mut Vals) -> PyResult<()> {
    let (py, n) = (inputs.py(), vals.len());
    for i in outer(decl, n).skip_while(|&i| i < first) {
        let kind = decl.input(i, n).kind;
        if is_declared(kind, vals[i].dtype()) {
            continue;
        }
        let given = inputs.get_item(i)?;
        if as_val(&given)?.is_some() {
            continue;
        }
        let shape = vals[i].spec().shape.to_static();
        let empty = shape.filter(|s| s.contains(&0));
        let made = match (kind, empty) {
            (Kind::Is(dtype), Some(shape)) => Some(Tensor::zeros(dtype, shape).or_raise(py)?),
            _ => as_index(&given, kind, vals[i].dtype()),
        };
        if let Some(made) = made {
            vals[i] = constant(py, made, None)?;
        }
    }
    Ok(())
}

/// Integers of a dtype that an input does not take, as those that it does; `None` for others, and where they do not fit.
fn as_index(given: &Bound<'_, PyAny>, kind: Kind, dtype: DType) -> Option<Tensor> {
    let wanted = match kind {
        Kind::Is(one) if one.is_integer() => one,
        Kind::Of(set) | Kind::Var(_, set) if set.contains(DType::Int32) => DType::Int32,
        _ => return None,
    };
    if !dtype.is_integer() {
        return None;
    }
    convert::scalar_for_partner(given, wanted).ok().flatten()
}

/// Emits a binary operation; an operand that is no tensor takes the dtype of the other.
#[pyfunction]
#[pyo3(signature = (op, x, y, name=None, attrs=None))]
pub(crate) fn binary<'py>(
    py: Python<'py>,
    op: &str,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    name: Option<&Bound<'py, PyAny>>,
    attrs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let name = name_of(name)?;
    let (a, b) = operands(x, y)?;
    let op = made(py, op, attrs)?;
    emit_wrapped(py, &op, Vals::from_buf([a, b]), name)
        .map_err(|e| naming_operand(op.decl(), [x, y], e))
}

/// [`naming_input`] of an operation on a pair.
#[cold]
fn naming_operand(decl: &Decl, pair: [&Bound<'_, PyAny>; 2], error: PyErr) -> PyErr {
    match PyTuple::new(pair[0].py(), pair) {
        Ok(pair) => naming_input(decl, &pair, error),
        Err(_) => error,
    }
}

/// Both operands as values: the first that is a tensor gives the dtype, else the first operand.
fn operands(x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<(Val, Val)> {
    match (as_val(x)?, as_val(y)?) {
        (Some(a), Some(b)) => Ok((a, b)),
        (Some(a), None) => {
            let b = operand_of(y, &a)?;
            Ok((a, b))
        }
        (None, Some(b)) => Ok((operand_of(x, &b)?, b)),
        (None, None) => {
            let a = to_val(x, None)?;
            let b = operand(y, a.dtype())?;
            Ok((a, b))
        }
    }
}

/// The tensor for a value: numbers, strings, NumPy arrays, nested lists of such, and whatever converts itself.
///
/// Tensors come back as they are, variables as their value now. Without `dtype`, Python integers become int32 (int64 where
/// they need it) and floats float32, unless the value converts to `dtype_hint`; arrays keep their dtype.
///
///     >>> fg.convert_to_tensor([[1, 2], [3, 4]]).shape
///     TensorShape([2, 2])
///     >>> fg.convert_to_tensor([1, 2], fg.float64).numpy()
///     array([1., 2.])
///
/// Raises TypeError for elements that `dtype` does not hold, ValueError for what is no array of elements, such as lists of
/// different lengths, and for a tensor of another dtype.
#[pyfunction]
#[pyo3(signature = (value, dtype=None, dtype_hint=None, name=None))]
pub(crate) fn convert_to_tensor<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    dtype_hint: Option<&Bound<'py, PyAny>>,
    name: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let name = name_of(name)?;
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
    let val = match converted(value, dtype)? {
        Some(tensor) => constant(py, tensor, name)?,
        None => packed(value, dtype)?,
    };
    wrap(py, val)
}

fn check_dtype(py: Python<'_>, val: &Val, dtype: Option<DType>) -> PyResult<()> {
    match dtype {
        Some(asked) if asked != val.dtype() => Err(ferrograph_tensor::err!(
            Value,
            "Tensor conversion requested dtype {asked} for Tensor with dtype {}",
            val.dtype()
        )
        .noting(Some(explain_other("value", val, asked))))
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

/// The arguments of the graphs under construction that a tensor has its dtype from, by their numbers; None where it has
/// it from something else, too.
#[pyfunction]
#[pyo3(name = "dtype_sources")]
pub(crate) fn sources_of(tensor: &Bound<'_, PyTensor>) -> Option<Vec<u64>> {
    dtype_sources(&tensor.get().val)
}

/// The type of the operation that makes a tensor of a graph under construction, and what it takes; None of others. What
/// such a graph has from outside is the `Identity` of the tensor there.
#[pyfunction]
pub(crate) fn made_by<'py>(
    py: Python<'py>,
    tensor: &Bound<'py, PyTensor>,
) -> PyResult<Option<(String, Vec<Bound<'py, PyAny>>)>> {
    let Val::Sym(sym) = &tensor.get().val else {
        return Ok(None);
    };
    let Ok(captures) = sym.trace.captures() else {
        return Ok(None);
    };
    if let Some(capture) = captures.into_iter().find(|c| c.inner == sym.value) {
        return Ok(Some(("Identity".into(), vec![wrap(py, capture.outer)?])));
    }
    let made = sym.trace.with_builder(|b| {
        let node = b.node(b.value(sym.value).node);
        (node.op.name().to_string(), node.inputs.to_vec())
    });
    let Ok((name, inputs)) = made else {
        return Ok(None);
    };
    let inputs = inputs.into_iter().map(|value| {
        let trace = sym.trace.clone();
        wrap(py, Val::Sym(Sym { trace, value }))
    });
    Ok(Some((name, inputs.collect::<PyResult<_>>()?)))
}

/// Whether operations compute at once on this thread.
#[pyfunction]
pub(crate) fn executing_eagerly() -> bool {
    !is_tracing()
}

/// How each operation runs for many rows at once, by its name.
#[pyfunction]
pub(crate) fn op_batching() -> Vec<(&'static str, &'static str)> {
    let names = registry().names().into_iter();
    let fact = |name| match registry().decl(name)?.batch {
        Batching::Rule if !has_rule(name) => Some((name, "no rule")),
        batching => Some((name, batching.kind())),
    };
    names.filter_map(fact).collect()
}

/// The names of all operations.
#[pyfunction]
pub(crate) fn op_names() -> Vec<&'static str> {
    registry().names()
}
