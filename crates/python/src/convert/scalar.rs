//! Single values: Python's numbers and text, and NumPy's scalars inside sequences.

use super::{core_error, does_not_convert, no_tensor, numpy};
use ferrograph_tensor::{Bytes, Complex64, DType, Shape, Tensor};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyString};

/// A single value of one of the classes that sequences may hold.
pub(super) enum Value {
    Bool(bool),
    Int(i128),
    /// An integer beyond 128 bits, which only floats hold.
    Huge(f64),
    Float(f64),
    Complex(Complex64),
    Text(Bytes),
}

/// A single value, with its dtype where it comes from NumPy.
pub(super) struct Scalar {
    pub value: Value,
    pub numpy: Option<DType>,
}

impl Scalar {
    fn python(value: Value) -> Option<Scalar> {
        Some(Scalar { value, numpy: None })
    }

    /// The value of an object whose very type is a scalar type of Python.
    #[inline]
    pub fn exact(obj: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
        if let Ok(x) = obj.cast_exact::<PyFloat>() {
            return Ok(Scalar::python(Value::Float(x.value())));
        }
        if let Ok(x) = obj.cast_exact::<PyInt>() {
            return Ok(Scalar::python(int_of(x)?));
        }
        if let Ok(x) = obj.cast_exact::<PyBool>() {
            return Ok(Scalar::python(Value::Bool(x.is_true())));
        }
        if obj.cast_exact::<PyString>().is_ok()
            || obj.cast_exact::<PyBytes>().is_ok()
            || obj.cast_exact::<PyComplex>().is_ok()
        {
            return Scalar::subclass(obj);
        }
        Ok(None)
    }

    /// The value of an object whose type derives from a scalar type of Python.
    pub fn subclass(obj: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
        let value = if let Ok(x) = obj.cast::<PyFloat>() {
            Value::Float(x.value())
        } else if let Ok(x) = obj.cast::<PyInt>() {
            int_of(x)?
        } else if let Ok(x) = obj.cast::<PyString>() {
            Value::Text(Bytes::from(x.to_str()?.as_bytes()))
        } else if let Ok(x) = obj.cast::<PyBytes>() {
            Value::Text(Bytes::from(x.as_bytes()))
        } else if obj.cast::<PyComplex>().is_ok() {
            Value::Complex(complex_of(obj)?)
        } else {
            return Ok(None);
        };
        Ok(Scalar::python(value))
    }

    /// The value of any object that is a single value, a NumPy scalar included.
    pub fn of(obj: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
        match Scalar::exact(obj)? {
            Some(found) => Ok(Some(found)),
            None => match numpy::scalar_of(obj)? {
                Some(found) => Ok(Some(found)),
                None => Scalar::subclass(obj),
            },
        }
    }

    /// The dtype that the value has where none is asked for.
    pub fn natural_dtype(&self, obj: &Bound<'_, PyAny>) -> PyResult<DType> {
        if let Some(dtype) = self.numpy {
            return Ok(dtype);
        }
        Ok(match &self.value {
            Value::Bool(_) => DType::Bool,
            Value::Int(x) => int_dtype(*x, *x).ok_or_else(|| no_tensor(obj, TOO_LARGE))?,
            Value::Huge(_) => return Err(no_tensor(obj, TOO_LARGE)),
            Value::Float(x) if narrows_to_infinity(*x) => return Err(no_tensor(obj, BEYOND_FLOAT)),
            Value::Float(_) => DType::Float32,
            Value::Complex(_) => DType::Complex128,
            Value::Text(_) => DType::String,
        })
    }

    /// The scalar tensor of the value.
    pub fn to_tensor(&self, obj: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Tensor> {
        let dtype = match dtype {
            None => self.natural_dtype(obj)?,
            Some(d) if self.numpy.is_some() && d.is_dense() => d,
            Some(d) if self.value.class().goes_into(d) => d,
            Some(d) => return Err(does_not_convert(obj, d)),
        };
        let reached = match self.value {
            Value::Int(x) => self.numpy.is_some() || in_reach(x, dtype),
            Value::Huge(_) => !dtype.is_integer(),
            _ => true,
        };
        if !reached {
            return Err(does_not_convert(obj, dtype));
        }
        self.value
            .to_tensor(dtype)
            .map_err(|e| core_error(obj.py(), e))
    }

    /// Refuses integers outside the range of an integer dtype.
    pub fn check_fits(&self, obj: &Bound<'_, PyAny>, dtype: DType) -> PyResult<()> {
        match self.value {
            Value::Int(x) if !int_fits(x, dtype) => Err(does_not_convert(obj, dtype)),
            Value::Huge(_) if dtype.is_integer() => Err(does_not_convert(obj, dtype)),
            _ => Ok(()),
        }
    }
}

pub(super) const TOO_LARGE: &str = "an integer in it does not fit 64 bits";
pub(super) const BEYOND_FLOAT: &str =
    "a number in it is beyond float32; give dtype='float64' to keep it";

/// The classes of values that do not mix in a sequence, except that integers go into floats.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Class {
    Bool,
    Int,
    Float,
    Complex,
    Text,
}

impl Class {
    /// Whether an explicit dtype takes values of this class: integers go into floats, never the other way round.
    pub fn goes_into(self, dtype: DType) -> bool {
        match self {
            Class::Bool => dtype == DType::Bool || dtype.is_numeric(),
            Class::Int => dtype.is_numeric() || dtype.float8().is_some(),
            Class::Float => dtype.takes_fractions() || dtype.is_complex(),
            Class::Complex => dtype.is_complex(),
            Class::Text => dtype == DType::String,
        }
    }

    /// What the class is called in messages.
    pub fn name(self) -> &'static str {
        match self {
            Class::Bool => "bools",
            Class::Int => "integers",
            Class::Float => "floats",
            Class::Complex => "complex numbers",
            Class::Text => "text",
        }
    }
}

impl Value {
    /// The class of the value.
    pub fn class(&self) -> Class {
        match self {
            Value::Bool(_) => Class::Bool,
            Value::Int(_) | Value::Huge(_) => Class::Int,
            Value::Float(_) => Class::Float,
            Value::Complex(_) => Class::Complex,
            Value::Text(_) => Class::Text,
        }
    }

    fn to_tensor(&self, dtype: DType) -> ferrograph_tensor::Result<Tensor> {
        if let Value::Text(text) = self {
            return Ok(Tensor::string(text.clone()));
        }
        if dtype.float8().is_some() {
            let number = match *self {
                Value::Bool(x) => f64::from(u8::from(x)),
                Value::Int(x) => x as f64,
                Value::Huge(x) | Value::Float(x) => x,
                Value::Complex(x) => x.re,
                Value::Text(_) => 0.0,
            };
            return Tensor::of_float8(dtype, Shape::scalar(), [number].into_iter());
        }
        ferrograph_tensor::with_element!(dtype, dense, T => {
            use super::values::FromValue;
            Tensor::scalar(match *self {
                Value::Bool(x) => T::from_bool(x),
                Value::Int(x) => T::from_int(x),
                Value::Huge(x) | Value::Float(x) => T::from_float(x),
                Value::Complex(x) => T::from_complex(x),
                Value::Text(_) => T::default(),
            })
        }, else => Err(ferrograph_tensor::err!(DType, "no value of dtype {dtype} can be made from Python's")))
    }
}

/// The dtype of integers that span `low..=high`: int32 where it holds them, else int64 where that does.
pub(super) fn int_dtype(low: i128, high: i128) -> Option<DType> {
    let within = |d| int_fits(low, d) && int_fits(high, d);
    [DType::Int32, DType::Int64]
        .into_iter()
        .find(|&d| within(d))
}

/// Whether a dtype's range holds an integer; floats and complex numbers hold every one.
pub(super) fn int_fits(x: i128, dtype: DType) -> bool {
    if !dtype.is_integer() {
        return true;
    }
    let bits = 8 * dtype.size() as u32;
    let (low, high) = if dtype.is_unsigned() {
        (0, (1i128 << bits) - 1)
    } else {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    };
    (low..=high).contains(&x)
}

/// Whether an explicit dtype takes an integer: those narrower than 32 bits wrap around, the others must hold it.
pub(super) fn in_reach(x: i128, dtype: DType) -> bool {
    if dtype.size() < 4 {
        int_fits(x, DType::Int64)
    } else {
        int_fits(x, dtype)
    }
}

/// Whether a finite number is infinite as float32.
pub(super) fn narrows_to_infinity(x: f64) -> bool {
    x.is_finite() && (x as f32).is_infinite()
}

/// The value of a Python int that fits 64 bits; `None` for other objects.
#[inline]
pub(super) fn small_int(obj: &Bound<'_, PyAny>) -> Option<i64> {
    match long_long(obj.cast_exact::<PyInt>().ok()?) {
        (x, 0) => Some(x),
        _ => None,
    }
}

/// The value, and on which side of 64 bits it is if outside.
#[inline]
fn long_long(x: &Bound<'_, PyInt>) -> (i64, i32) {
    let mut overflow = 0;
    // SAFETY: `x` is an int and the thread is attached.
    let value = unsafe { ffi::PyLong_AsLongLongAndOverflow(x.as_ptr(), &mut overflow) };
    (value, overflow)
}

/// The integer; beyond 128 bits the nearest float, unless there is none.
fn int_of(x: &Bound<'_, PyInt>) -> PyResult<Value> {
    let (small, overflow) = long_long(x);
    if overflow == 0 {
        return Ok(Value::Int(i128::from(small)));
    }
    if let Ok(x) = x.extract::<i128>() {
        return Ok(Value::Int(x));
    }
    let float = x.extract::<f64>();
    float.map_or_else(|_| Err(no_tensor(x, TOO_LARGE)), |x| Ok(Value::Huge(x)))
}

fn complex_of(obj: &Bound<'_, PyAny>) -> PyResult<Complex64> {
    // SAFETY: the thread is attached; an object that is no complex number sets an exception.
    let z = unsafe { ffi::PyComplex_AsCComplex(obj.as_ptr()) };
    match PyErr::take(obj.py()) {
        Some(e) => Err(e),
        None => Ok(Complex64::new(z.real, z.imag)),
    }
}

/// The value of a NumPy scalar of that dtype, through the number protocol.
pub(super) fn numpy_value(obj: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Scalar> {
    let value = if dtype == DType::Bool {
        Value::Bool(obj.is_truthy()?)
    } else if dtype.is_integer() {
        Value::Int(obj.extract()?)
    } else if dtype.is_complex() {
        Value::Complex(complex_of(obj)?)
    } else {
        Value::Float(obj.extract()?)
    };
    Ok(Scalar {
        value,
        numpy: Some(dtype),
    })
}
