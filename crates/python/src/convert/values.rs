//! Elements of one class, collected in the class's widest type before the dtype is settled.

use super::core_error;
use super::scalar::{Class, Value, int_dtype, int_fits, narrows_to_infinity};
use crate::errors::guarded;
use crate::work;
use ferrograph_kernels::stop;
use ferrograph_tensor::{
    Bytes, Complex32, Complex64, DType, Element, Float8, Result, Shape, Tensor, bf16, f16,
    with_element,
};
use pyo3::prelude::*;

/// An element type that takes a value of any numeric class, as C's conversions do.
pub(super) trait FromValue: Element {
    fn from_bool(x: bool) -> Self;
    fn from_int(x: i128) -> Self;
    fn from_float(x: f64) -> Self;
    fn from_complex(x: Complex64) -> Self;
}

macro_rules! from_value {
    ($($t:ty: $int:expr, $float:expr;)*) => { $(
        impl FromValue for $t {
            fn from_bool(x: bool) -> Self { ($int)(i128::from(x)) }
            fn from_int(x: i128) -> Self { ($int)(x) }
            fn from_float(x: f64) -> Self { ($float)(x) }
            fn from_complex(x: Complex64) -> Self { ($float)(x.re) }
        }
    )* };
}

// Integers wrap around; fractions are cut off first.
from_value! {
    i8: |x: i128| x as i8, |x: f64| x as i128 as i8;
    i16: |x: i128| x as i16, |x: f64| x as i128 as i16;
    i32: |x: i128| x as i32, |x: f64| x as i128 as i32;
    i64: |x: i128| x as i64, |x: f64| x as i64;
    u8: |x: i128| x as u8, |x: f64| x as i128 as u8;
    u16: |x: i128| x as u16, |x: f64| x as i128 as u16;
    u32: |x: i128| x as u32, |x: f64| x as i128 as u32;
    u64: |x: i128| x as u64, |x: f64| x as i128 as u64;
    f16: |x: i128| f16::from_f64(x as f64), f16::from_f64;
    bf16: |x: i128| bf16::from_f64(x as f64), bf16::from_f64;
    f32: |x: i128| x as f32, |x: f64| x as f32;
    f64: |x: i128| x as f64, |x: f64| x;
}

impl FromValue for bool {
    fn from_bool(x: bool) -> Self {
        x
    }
    fn from_int(x: i128) -> Self {
        x != 0
    }
    fn from_float(x: f64) -> Self {
        x != 0.0
    }
    fn from_complex(x: Complex64) -> Self {
        x != Complex64::default()
    }
}

impl FromValue for Complex32 {
    fn from_bool(x: bool) -> Self {
        Complex32::new(f32::from(u8::from(x)), 0.0)
    }
    fn from_int(x: i128) -> Self {
        Complex32::new(x as f32, 0.0)
    }
    fn from_float(x: f64) -> Self {
        Complex32::new(x as f32, 0.0)
    }
    fn from_complex(x: Complex64) -> Self {
        Complex32::new(x.re as f32, x.im as f32)
    }
}

impl FromValue for Complex64 {
    fn from_bool(x: bool) -> Self {
        Complex64::new(f64::from(u8::from(x)), 0.0)
    }
    fn from_int(x: i128) -> Self {
        Complex64::new(x as f64, 0.0)
    }
    fn from_float(x: f64) -> Self {
        Complex64::new(x, 0.0)
    }
    fn from_complex(x: Complex64) -> Self {
        x
    }
}

/// Elements of one class.
pub(super) enum Values {
    Bools(Vec<bool>),
    Ints(Vec<i128>),
    /// Integers, some beyond 128 bits, as the nearest floats.
    Huge(Vec<f64>),
    Floats(Vec<f64>),
    Complexes(Vec<Complex64>),
    Texts(Vec<Bytes>),
}

impl Values {
    /// No elements of that class.
    pub fn of_class(class: Class) -> Values {
        match class {
            Class::Bool => Values::Bools(Vec::new()),
            Class::Int => Values::Ints(Vec::new()),
            Class::Float => Values::Floats(Vec::new()),
            Class::Complex => Values::Complexes(Vec::new()),
            Class::Text => Values::Texts(Vec::new()),
        }
    }

    /// The class of the elements.
    pub fn class(&self) -> Class {
        match self {
            Values::Bools(_) => Class::Bool,
            Values::Ints(_) | Values::Huge(_) => Class::Int,
            Values::Floats(_) => Class::Float,
            Values::Complexes(_) => Class::Complex,
            Values::Texts(_) => Class::Text,
        }
    }

    /// No elements of the class of that dtype.
    pub fn of_dtype(dtype: DType) -> Values {
        Values::of_class(match dtype {
            DType::Bool => Class::Bool,
            DType::String => Class::Text,
            d if d.is_integer() => Class::Int,
            d if d.is_complex() => Class::Complex,
            _ => Class::Float,
        })
    }

    /// The elements of a tensor.
    pub fn of(tensor: &Tensor) -> Values {
        match tensor.dtype() {
            DType::Bool => Values::Bools(elements::<bool>(tensor).to_vec()),
            DType::String => Values::Texts(tensor.as_strings().unwrap_or_default().to_vec()),
            DType::UInt64 => Values::Ints(widen(elements::<u64>(tensor))),
            DType::Float16 => Values::Floats(widen(elements::<f16>(tensor))),
            DType::BFloat16 => Values::Floats(widen(elements::<bf16>(tensor))),
            DType::Float32 => Values::Floats(widen(elements::<f32>(tensor))),
            DType::Float64 => Values::Floats(elements::<f64>(tensor).to_vec()),
            DType::Complex128 => Values::Complexes(elements::<Complex64>(tensor).to_vec()),
            DType::Complex64 => {
                let wide = |z: &Complex32| Complex64::new(z.re.into(), z.im.into());
                Values::Complexes(elements::<Complex32>(tensor).iter().map(wide).collect())
            }
            dtype => match dtype.float8() {
                Some(format) => {
                    let all = tensor.bytes().iter();
                    Values::Floats(all.map(|b| f64::from(format.decode(*b))).collect())
                }
                None => Values::Ints(widen(&tensor.to_i64s().unwrap_or_default())),
            },
        }
    }

    /// Adds a value; gives false where its class does not mix with those before.
    ///
    /// Integers become floats where a float comes; a bool among numbers counts as 0 or 1.
    pub fn push(&mut self, value: Value) -> bool {
        match (&mut *self, value) {
            (Values::Floats(v), Value::Float(x) | Value::Huge(x)) => v.push(x),
            (Values::Huge(v), Value::Huge(x)) => v.push(x),
            (Values::Huge(v), Value::Int(x)) => v.push(x as f64),
            (Values::Huge(v), Value::Bool(x)) => v.push(f64::from(u8::from(x))),
            (Values::Complexes(v), Value::Huge(x)) => v.push(x.into()),
            (Values::Ints(v), Value::Int(x)) => v.push(x),
            (Values::Bools(v), Value::Bool(x)) => v.push(x),
            (Values::Complexes(v), Value::Complex(x)) => v.push(x),
            (Values::Texts(v), Value::Text(x)) => v.push(x),
            (Values::Floats(v), Value::Int(x)) => v.push(x as f64),
            (Values::Floats(v), Value::Bool(x)) => v.push(f64::from(u8::from(x))),
            (Values::Ints(v), Value::Bool(x)) => v.push(i128::from(x)),
            (Values::Complexes(v), Value::Float(x)) => v.push(x.into()),
            (Values::Complexes(v), Value::Int(x)) => v.push((x as f64).into()),
            (Values::Complexes(v), Value::Bool(x)) => v.push(f64::from(u8::from(x)).into()),
            (Values::Ints(v), Value::Float(x)) => {
                let floats = v.iter().map(|&i| i as f64).chain([x]).collect();
                *self = Values::Floats(floats);
            }
            (Values::Ints(v), Value::Huge(x)) => {
                *self = Values::Huge(v.iter().map(|&i| i as f64).chain([x]).collect());
            }
            (Values::Huge(v), Value::Float(x)) => {
                *self = Values::Floats(std::mem::take(v).into_iter().chain([x]).collect());
            }
            _ => return false,
        }
        true
    }

    /// Adds elements; gives false where their class does not mix with that of those before.
    pub fn extend(&mut self, more: Values) -> bool {
        match (&mut *self, more) {
            (Values::Floats(v), Values::Floats(more)) => v.extend(more),
            (Values::Ints(v), Values::Ints(more)) => v.extend(more),
            (Values::Bools(v), Values::Bools(more)) => v.extend(more),
            (Values::Complexes(v), Values::Complexes(more)) => v.extend(more),
            (Values::Texts(v), Values::Texts(more)) => v.extend(more),
            (_, Values::Floats(more)) => {
                return more.into_iter().all(|x| self.push(Value::Float(x)));
            }
            (_, Values::Ints(more)) => return more.into_iter().all(|x| self.push(Value::Int(x))),
            (_, Values::Huge(more)) => return more.into_iter().all(|x| self.push(Value::Huge(x))),
            (_, Values::Bools(more)) => return more.into_iter().all(|x| self.push(Value::Bool(x))),
            (_, Values::Complexes(more)) => {
                return more.into_iter().all(|x| self.push(Value::Complex(x)));
            }
            (_, Values::Texts(more)) => return more.is_empty(),
        }
        true
    }

    /// The dtype that the elements have where none is asked for, or what is wrong with them.
    pub fn natural_dtype(&self) -> Result<DType, &'static str> {
        Ok(match self {
            Values::Bools(_) => DType::Bool,
            Values::Ints(v) => {
                let low = v.iter().min().copied().unwrap_or(0);
                let high = v.iter().max().copied().unwrap_or(0);
                int_dtype(low, high).ok_or(super::scalar::TOO_LARGE)?
            }
            Values::Huge(_) => return Err(super::scalar::TOO_LARGE),
            Values::Floats(v) if v.iter().any(|&x| narrows_to_infinity(x)) => {
                return Err(super::scalar::BEYOND_FLOAT);
            }
            Values::Floats(_) => DType::Float32,
            Values::Complexes(_) => DType::Complex128,
            Values::Texts(_) => DType::String,
        })
    }

    /// Whether a dtype holds every element without losing a fraction, an imaginary part or an integer's value.
    pub fn fit(&self, dtype: DType) -> bool {
        match self {
            Values::Texts(_) => dtype == DType::String,
            Values::Complexes(_) => dtype.is_complex(),
            _ if !dtype.is_dense() => false,
            Values::Floats(v) if dtype.is_integer() => v
                .iter()
                .all(|&x| x == x.trunc() && int_fits(x as i128, dtype)),
            Values::Ints(v) => v.iter().all(|&x| int_fits(x, dtype)),
            Values::Huge(_) => !dtype.is_integer(),
            _ => true,
        }
    }

    /// Whether an explicit dtype takes every integer among the elements.
    pub fn in_reach(&self, dtype: DType) -> bool {
        match self {
            Values::Ints(v) => v.iter().all(|&x| super::scalar::in_reach(x, dtype)),
            Values::Huge(_) => !dtype.is_integer(),
            _ => true,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Bools(v) => v.len(),
            Values::Ints(v) => v.len(),
            Values::Huge(v) | Values::Floats(v) => v.len(),
            Values::Complexes(v) => v.len(),
            Values::Texts(v) => v.len(),
        }
    }

    /// The tensor of the elements in row-major order.
    pub fn into_tensor(self, py: Python<'_>, dtype: DType, shape: Shape) -> PyResult<Tensor> {
        let long = work::is_long(self.len() as f64);
        guarded(|| work::run(py, long, || self.build(dtype, shape))).map_err(|e| core_error(py, e))
    }

    fn build(self, dtype: DType, shape: Shape) -> Result<Tensor> {
        if let Values::Texts(v) = self {
            return Tensor::from_strings(shape, v);
        }
        let mut tensor = Tensor::empty(dtype, shape)?;
        self.write_to(&mut tensor)?;
        Ok(tensor)
    }

    fn write_to(&self, tensor: &mut Tensor) -> Result<()> {
        if let Some(format) = tensor.dtype().float8() {
            self.write_bytes(format, tensor.bytes_mut().unwrap_or_default());
            return Ok(());
        }
        with_element!(tensor.dtype(), dense, T => self.write(tensor.as_mut_slice::<T>()?), else => ());
        Ok(())
    }

    fn write_bytes(&self, format: Float8, out: &mut [u8]) {
        match self {
            Values::Bools(v) => fill(out, v, |x| format.encode_wide(f64::from(u8::from(x)))),
            Values::Ints(v) => fill(out, v, |x| format.encode_wide(x as f64)),
            Values::Huge(v) | Values::Floats(v) => fill(out, v, |x| format.encode_wide(x)),
            Values::Complexes(v) => fill(out, v, |x| format.encode_wide(x.re)),
            Values::Texts(_) => (),
        }
    }

    fn write<T: FromValue>(&self, out: &mut [T]) {
        match self {
            Values::Bools(v) => fill(out, v, T::from_bool),
            Values::Ints(v) => fill(out, v, T::from_int),
            Values::Huge(v) | Values::Floats(v) => fill(out, v, T::from_float),
            Values::Complexes(v) => fill(out, v, T::from_complex),
            Values::Texts(_) => (),
        }
    }
}

/// Elements that are widened at a stretch.
const BLOCK: usize = 1 << 16;

/// A tensor of numbers in another dtype, converted as C does.
pub(super) fn cast(py: Python<'_>, tensor: &Tensor, dtype: DType) -> PyResult<Tensor> {
    let long = work::is_long(tensor.n_elements() as f64);
    let work = || {
        let flat = tensor.reshaped([tensor.n_elements()].into())?;
        let mut made = Tensor::empty(dtype, tensor.shape().clone())?;
        if let Some(format) = dtype.float8() {
            let bytes = made.bytes_mut().unwrap_or_default();
            return by_blocks(&flat, bytes, |values, out| values.write_bytes(format, out))
                .map(|()| made);
        }
        with_element!(dtype, dense, T => by_blocks(&flat, made.as_mut_slice::<T>()?, Values::write)?,
            else => ());
        Ok(made)
    };
    guarded(|| work::run(py, long, work)).map_err(|e| core_error(py, e))
}

/// Writes the elements of a vector, a block at a time.
fn by_blocks<T>(flat: &Tensor, out: &mut [T], write: impl Fn(&Values, &mut [T])) -> Result<()> {
    for (i, out) in out.chunks_mut(BLOCK).enumerate() {
        let first = i * BLOCK;
        write(&Values::of(&flat.rows(first, first + out.len())?), out);
        stop::pause();
    }
    Ok(())
}

/// Whether a dtype holds every element of a tensor of numbers, as [`Values::fit`] says.
pub(super) fn fits(py: Python<'_>, tensor: &Tensor, dtype: DType) -> PyResult<bool> {
    let n = tensor.n_elements();
    let work = || {
        let flat = tensor.reshaped([n].into())?;
        for first in (0..n.max(1)).step_by(BLOCK) {
            if !Values::of(&flat.rows(first, n.min(first + BLOCK))?).fit(dtype) {
                return Ok(false);
            }
            stop::pause();
        }
        Ok(true)
    };
    let long = work::is_long(n as f64);
    guarded(|| work::run(py, long, work)).map_err(|e| core_error(py, e))
}

fn fill<T, S: Copy>(out: &mut [T], from: &[S], convert: impl Fn(S) -> T) {
    for (o, &x) in out.iter_mut().zip(from) {
        *o = convert(x);
    }
}

fn elements<T: Element>(tensor: &Tensor) -> &[T] {
    tensor.as_slice().unwrap_or_default()
}

fn widen<S: Copy, W: From<S>>(from: &[S]) -> Vec<W> {
    from.iter().map(|&x| x.into()).collect()
}
