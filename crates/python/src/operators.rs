//! Python's operators on tensors: which operation each one emits. The operations are made once, by the first
//! operator that needs them.

use crate::emit::{emit_one, emit_pair, emit_single, operand_of, to_val};
use crate::errors::{indented, to_py};
use crate::hooks::hooks;
use crate::tensor::PyTensor;
use crate::variable::PyVariable;
use crate::work;
use ferrograph_data::registry;
use ferrograph_graph::{Attr, OpRef, Val, explain_pair};
use ferrograph_ops::Cast;
use ferrograph_runtime::is_tracing;
use ferrograph_tensor::{DType, Result, Tensor};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// An operation that is made when first asked for.
type Ready = LazyLock<Result<OpRef>>;

macro_rules! ready {
    ($($name:ident = $op:literal $(($attr:literal: $value:literal))?;)*) => { $(
        static $name: Ready = LazyLock::new(|| {
            registry().make($op, &[$(($attr.to_owned(), Attr::Bool($value)))?])
        });
    )* };
}

ready! {
    ADD_V2 = "AddV2";
    SUB_OP = "Sub";
    MUL_OP = "Mul";
    REAL_DIV = "RealDiv";
    FLOOR_DIV = "FloorDiv";
    FLOOR_MOD = "FloorMod";
    POW_OP = "Pow";
    LESS = "Less";
    LESS_EQUAL = "LessEqual";
    GREATER = "Greater";
    GREATER_EQUAL = "GreaterEqual";
    EQUAL = "Equal" ("incompatible_shape_error": false);
    NOT_EQUAL = "NotEqual" ("incompatible_shape_error": false);
    LOGICAL_AND = "LogicalAnd";
    LOGICAL_OR = "LogicalOr";
    LOGICAL_XOR = "NotEqual" ("incompatible_shape_error": true);
    LOGICAL_NOT = "LogicalNot";
    BITWISE_AND = "BitwiseAnd";
    BITWISE_OR = "BitwiseOr";
    BITWISE_XOR = "BitwiseXor";
    INVERT = "Invert";
    NEG = "Neg";
    ABS = "Abs";
    COMPLEX_ABS = "ComplexAbs";
    MAT_MUL = "MatMul";
    BATCH_MAT_MUL = "BatchMatMulV2";
}

/// A binary operator: how it is written, the operation for its operands, and what that costs.
pub(crate) struct Operator {
    pub(crate) sign: &'static str,
    pick: fn(&Val, &Val) -> &'static Ready,
    cost: fn(&Tensor, &Tensor) -> f64,
}

impl Operator {
    /// One that works element by element.
    const fn new(sign: &'static str, pick: fn(&Val, &Val) -> &'static Ready) -> Operator {
        Operator {
            sign,
            pick,
            cost: work::broadcast_cost,
        }
    }
}

pub(crate) static ADD: Operator = Operator::new("+", |_, _| &ADD_V2);
pub(crate) static SUB: Operator = Operator::new("-", |_, _| &SUB_OP);
static MUL: Operator = Operator::new("*", |a, _| by_kind(a, &LOGICAL_AND, &MUL_OP));
pub(crate) static FLOORDIV: Operator = Operator::new("//", |_, _| &FLOOR_DIV);
pub(crate) static MOD: Operator = Operator::new("%", |_, _| &FLOOR_MOD);
pub(crate) static POW: Operator = Operator::new("**", |_, _| &POW_OP);
pub(crate) static AND: Operator = Operator::new("&", |a, _| by_kind(a, &LOGICAL_AND, &BITWISE_AND));
pub(crate) static OR: Operator = Operator::new("|", |a, _| by_kind(a, &LOGICAL_OR, &BITWISE_OR));
pub(crate) static XOR: Operator = Operator::new("^", |a, _| by_kind(a, &LOGICAL_XOR, &BITWISE_XOR));
pub(crate) static MATMUL: Operator = Operator {
    sign: "@",
    pick: |a, b| {
        let matrices = rank(a) == Some(2) && rank(b) == Some(2);
        if matrices { &MAT_MUL } else { &BATCH_MAT_MUL }
    },
    cost: work::product_cost,
};
static LT: Operator = Operator::new("<", |_, _| &LESS);
static LE: Operator = Operator::new("<=", |_, _| &LESS_EQUAL);
static GT: Operator = Operator::new(">", |_, _| &GREATER);
static GE: Operator = Operator::new(">=", |_, _| &GREATER_EQUAL);
static EQ: Operator = Operator::new("==", |_, _| &EQUAL);
static NE: Operator = Operator::new("!=", |_, _| &NOT_EQUAL);

/// The operator of a comparison.
pub(crate) fn comparison(op: CompareOp) -> &'static Operator {
    match op {
        CompareOp::Lt => &LT,
        CompareOp::Le => &LE,
        CompareOp::Gt => &GT,
        CompareOp::Ge => &GE,
        CompareOp::Eq => &EQ,
        CompareOp::Ne => &NE,
    }
}

/// One operation for bools, another one for the rest.
fn by_kind(a: &Val, bools: &'static Ready, others: &'static Ready) -> &'static Ready {
    if a.dtype() == DType::Bool {
        bools
    } else {
        others
    }
}

fn rank(val: &Val) -> Option<usize> {
    match val {
        Val::Eager(e) => Some(e.tensor.rank()),
        Val::Sym(_) => val.spec().shape.rank(),
    }
}

fn get(py: Python<'_>, ready: &'static Ready) -> PyResult<&'static OpRef> {
    match &**ready {
        Ok(op) => Ok(op),
        Err(e) => Err(to_py(py, e)),
    }
}

/// Whether an operand's own class should be asked first, by its reflected method.
fn defers(other: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = other.py();
    let plain = other.is_instance_of::<PyInt>()
        || other.is_instance_of::<PyFloat>()
        || other.is_instance_of::<PyString>()
        || other.is_instance_of::<PyBytes>()
        || other.is_instance_of::<PyList>()
        || other.is_instance_of::<PyTuple>();
    if plain {
        return Ok(false);
    }
    match other.getattr_opt(intern!(py, "__array_priority__"))? {
        Some(priority) => Ok(priority.extract::<f64>().is_ok_and(|p| p > 100.0)),
        None => Ok(false),
    }
}

/// What stands beside a tensor; `None` where the other side is to be asked.
fn partner(other: &Bound<'_, PyAny>, tensor: &Val) -> PyResult<Option<Val>> {
    if let Ok(variable) = other.cast::<PyVariable>() {
        return variable.get().read(other.py()).map(Some);
    }
    if defers(other)? {
        return Ok(None);
    }
    operand_of(other, tensor).map(Some)
}

/// Whether the front end says that it is left to `other` what the operator does, beside a tensor that represents a
/// number or text of Python.
fn stands_apart(slf: &Bound<'_, PyTensor>, other: &Bound<'_, PyAny>, sign: &str) -> PyResult<bool> {
    let is_number = other.is_exact_instance_of::<PyInt>()
        || other.is_exact_instance_of::<PyFloat>()
        || other.is_exact_instance_of::<PyBool>();
    let is_tensor = other.is_instance_of::<PyTensor>() || other.is_instance_of::<PyVariable>();
    if is_number || is_tensor || !matches!(slf.get().val, Val::Sym(_)) {
        return Ok(false);
    }
    let py = slf.py();
    let hook = hooks(py)?.stands_apart.bind(py);
    hook.call1((slf, other, sign))?.is_truthy()
}

/// How many traces have tensors that represent NumPy's arrays and scalars: while there are some, the front end is
/// asked for the results of binary operators of symbolic tensors.
static NUMPY_TRACES: AtomicUsize = AtomicUsize::new(0);

/// Counts a trace that begins to have such tensors, or with -1 one that ends.
#[pyfunction]
pub(crate) fn watch_operators(traces: isize) {
    match traces < 0 {
        true => NUMPY_TRACES.fetch_sub(traces.unsigned_abs(), Ordering::Relaxed),
        false => NUMPY_TRACES.fetch_add(traces.unsigned_abs(), Ordering::Relaxed),
    };
}

/// Whether there are such traces.
pub(crate) fn has_numpy_traces() -> bool {
    NUMPY_TRACES.load(Ordering::Relaxed) > 0
}

/// The result of a binary operator by NumPy's promotion; `None` where the plain one holds.
#[inline]
pub(crate) fn of_numpy<'py>(
    sign: &str,
    slf: &Bound<'py, PyTensor>,
    other: &Bound<'py, PyAny>,
    swapped: bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !has_numpy_traces() || !matches!(slf.get().val, Val::Sym(_)) {
        return Ok(None);
    }
    let hook = hooks(slf.py())?.numpy_operator.bind(slf.py());
    let found = hook.call1((slf, other, sign, swapped))?;
    Ok((!found.is_none()).then_some(found))
}

/// A binary operator with a tensor on one side; `swapped` where it is on the right.
pub(crate) fn binary<'py>(
    operator: &Operator,
    slf: &Bound<'py, PyTensor>,
    other: &Bound<'py, PyAny>,
    swapped: bool,
) -> PyResult<Bound<'py, PyAny>> {
    with_operands(operator.sign, slf, other, swapped, |py, a, b| {
        let op = get(py, (operator.pick)(a, b))?;
        emit_pair(py, op, [a, b], operator.cost)
    })
}

/// `a * b`: of a tensor of bools whether both are true, its partner taken as integers.
pub(crate) fn product<'py>(
    slf: &Bound<'py, PyTensor>,
    other: &Bound<'py, PyAny>,
    swapped: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let is_bool = slf.get().val.dtype() == DType::Bool;
    if is_bool {
        if let Some(found) = of_numpy(MUL.sign, slf, other, swapped)? {
            return Ok(found);
        }
        as_truth(slf, "*")?;
    }
    if swapped || !is_bool || defers(other)? {
        return binary(&MUL, slf, other, swapped);
    }
    let py = slf.py();
    if stands_apart(slf, other, MUL.sign)? {
        return Ok(slf.py().NotImplemented().into_bound(slf.py()));
    }
    let other = to_val(other, None)?;
    let truth = |val: Val| emit_one(py, &TRUTH, &[val]);
    let other = match other.dtype() {
        DType::Bool => other,
        _ => truth(emit_one(py, &INTEGERS, &[other])?)?,
    };
    emit_pair(
        py,
        get(py, &LOGICAL_AND)?,
        [&slf.get().val, &other],
        work::broadcast_cost,
    )
}

/// Tells the front end of an operator that takes a symbolic tensor for a truth, where Python takes a number.
fn as_truth(tensor: &Bound<'_, PyTensor>, sign: &str) -> PyResult<()> {
    if matches!(tensor.get().val, Val::Sym(_)) {
        let py = tensor.py();
        hooks(py)?.taken_for_truth.bind(py).call1((tensor, sign))?;
    }
    Ok(())
}

/// Tells the front end of an operator of a symbolic scalar that fails for some numbers of Python.
fn as_quotient(
    tensor: &Bound<'_, PyTensor>,
    other: &Bound<'_, PyAny>,
    sign: &str,
    swapped: bool,
) -> PyResult<()> {
    let val = &tensor.get().val;
    if matches!(val, Val::Sym(_)) && val.spec().shape.rank() == Some(0) {
        let hook = hooks(tensor.py())?.divided.bind(tensor.py());
        hook.call1((tensor, other, sign, swapped))?;
    }
    Ok(())
}

static INTEGERS: LazyLock<OpRef> = LazyLock::new(|| cast_to(DType::Int32));
static TRUTH: LazyLock<OpRef> = LazyLock::new(|| cast_to(DType::Bool));

/// `a / b`: integers become floats first, those of 8 and 16 bits float32, wider ones float64.
pub(crate) fn true_division<'py>(
    slf: &Bound<'py, PyTensor>,
    other: &Bound<'py, PyAny>,
    swapped: bool,
) -> PyResult<Bound<'py, PyAny>> {
    with_operands("/", slf, other, swapped, |py, a, b| {
        if a.dtype() != b.dtype() && !is_tracing() {
            return Err(of_two_dtypes(a, b));
        }
        let divide = get(py, &REAL_DIV)?;
        match wide(a.dtype()) {
            Some(cast) if a.dtype() == b.dtype() => {
                let a = emit_one(py, cast, std::slice::from_ref(a))?;
                let b = emit_one(py, cast, std::slice::from_ref(b))?;
                emit_pair(py, divide, [&a, &b], work::broadcast_cost)
            }
            _ => emit_pair(py, divide, [a, b], work::broadcast_cost),
        }
    })
}

#[cold]
fn of_two_dtypes(x: &Val, y: &Val) -> PyErr {
    PyTypeError::new_err(format!(
        "`x` and `y` must have the same dtype, got {} != {}{}",
        x.dtype(),
        y.dtype(),
        indented(&explain_pair(("x".to_owned(), x), ("y".to_owned(), y)))
    ))
}

/// The conversion of integers before a true division.
fn wide(dtype: DType) -> Option<&'static OpRef> {
    static NARROW: LazyLock<OpRef> = LazyLock::new(|| cast_to(DType::Float32));
    static WIDE: LazyLock<OpRef> = LazyLock::new(|| cast_to(DType::Float64));
    match dtype {
        DType::Int8 | DType::UInt8 | DType::Int16 | DType::UInt16 => Some(&NARROW),
        DType::Int32 | DType::UInt32 | DType::Int64 | DType::UInt64 => Some(&WIDE),
        _ => None,
    }
}

fn cast_to(dtype: DType) -> OpRef {
    Arc::new(Cast { dtype })
}

/// What `emit` makes of the operands in their order; `NotImplemented` where the other side is to be asked.
fn with_operands<'py>(
    sign: &str,
    slf: &Bound<'py, PyTensor>,
    other: &Bound<'py, PyAny>,
    swapped: bool,
    emit: impl FnOnce(Python<'py>, &Val, &Val) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = slf.py();
    let own = &slf.get().val;
    if let Some(found) = of_numpy(sign, slf, other, swapped)? {
        return Ok(found);
    }
    if stands_apart(slf, other, sign)? {
        return Ok(py.NotImplemented().into_bound(py));
    }
    if matches!(sign, "/" | "//" | "%" | "**") {
        as_quotient(slf, other, sign, swapped)?;
    }
    let (made, weak);
    let (own, theirs) = if let Some(pair) = weakened(slf, other, own)? {
        weak = pair;
        (&weak.0, &weak.1)
    } else if let Ok(tensor) = other.cast::<PyTensor>() {
        (own, &tensor.get().val)
    } else if let Some(val) = partner(other, own)? {
        made = val;
        (own, &made)
    } else {
        return Ok(py.NotImplemented().into_bound(py));
    };
    if swapped {
        emit(py, theirs, own)
    } else {
        emit(py, own, theirs)
    }
}

/// Whether something is a number or an array that may have fractions.
fn is_fraction(other: &Bound<'_, PyAny>) -> PyResult<bool> {
    if other.is_exact_instance_of::<PyInt>() {
        return Ok(false);
    }
    let is_number = other.is_instance_of::<PyFloat>() || other.is_instance_of::<PyComplex>();
    Ok(is_number || other.hasattr(intern!(other.py(), "dtype"))?)
}

/// The operands of which the front end says that one is a number of Python, which takes the dtype of the other one.
fn weakened<'py>(
    slf: &Bound<'py, PyTensor>,
    other: &Bound<'py, PyAny>,
    own: &Val,
) -> PyResult<Option<(Val, Val)>> {
    let dtype = own.dtype();
    let is_symbolic = matches!(own, Val::Sym(_));
    let may_be = if let Ok(tensor) = other.cast::<PyTensor>() {
        let theirs = &tensor.get().val;
        dtype != theirs.dtype() && (is_symbolic || matches!(theirs, Val::Sym(_)))
    } else if let Ok(variable) = other.cast::<PyVariable>() {
        is_symbolic && dtype != variable.get().held_dtype()
    } else {
        is_symbolic && dtype.is_integer() && is_fraction(other)?
    };
    if !may_be {
        return Ok(None);
    }
    let py = slf.py();
    let pair = hooks(py)?.weakened.bind(py).call1((slf, other))?;
    if pair.is_none() {
        return Ok(None);
    }
    let (own, theirs): (Bound<'py, PyAny>, Bound<'py, PyAny>) = pair.extract()?;
    Ok(Some((to_val(&own, None)?, to_val(&theirs, None)?)))
}

/// `-x`.
pub(crate) fn negative<'py>(slf: &Bound<'py, PyTensor>) -> PyResult<Bound<'py, PyAny>> {
    unary(slf, &NEG)
}

/// `abs(x)`.
pub(crate) fn absolute<'py>(slf: &Bound<'py, PyTensor>) -> PyResult<Bound<'py, PyAny>> {
    let complex = slf.get().val.dtype().is_complex();
    unary(slf, if complex { &COMPLEX_ABS } else { &ABS })
}

/// `~x`.
pub(crate) fn inverted<'py>(slf: &Bound<'py, PyTensor>) -> PyResult<Bound<'py, PyAny>> {
    if slf.get().val.dtype() == DType::Bool {
        as_truth(slf, "~")?;
    }
    unary(slf, by_kind(&slf.get().val, &LOGICAL_NOT, &INVERT))
}

fn unary<'py>(slf: &Bound<'py, PyTensor>, ready: &'static Ready) -> PyResult<Bound<'py, PyAny>> {
    let py = slf.py();
    emit_single(py, get(py, ready)?, &slf.get().val)
}
