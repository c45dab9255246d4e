//! Short names for emitting operations, for gradient rules and compositions.

use crate::emit::*;
use ferrograph_graph::{Emitter, Val};
use ferrograph_tensor::{DType, Result, Shape, Tensor, err};
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

/// Emits what takes more than one operation, or none where nothing is to be done.
pub trait Build: Emitter {
    /// A scalar constant of a numeric dtype.
    fn scalar(&mut self, value: f64, dtype: DType) -> Result<Val> {
        let tensor = scalar_tensor(value, dtype)?;
        self.constant(tensor)
    }

    /// A vector constant of int32, of int64 where that does not hold the values.
    fn int_vector(&mut self, values: &[i64]) -> Result<Val> {
        let narrow: std::result::Result<Vec<i32>, _> =
            values.iter().map(|&v| i32::try_from(v)).collect();
        self.constant(match narrow {
            Ok(narrow) => Tensor::vector(&narrow)?,
            Err(_) => Tensor::vector(values)?,
        })
    }
    /// Integers under one dtype that holds all of them.
    fn in_one_dtype<const N: usize>(&mut self, vectors: [&Val; N]) -> Result<[Val; N]> {
        let is_wide = vectors.iter().any(|v| v.dtype() == DType::Int64);
        let dtype = if is_wide { DType::Int64 } else { DType::Int32 };
        let mut all = vectors.map(Val::clone);
        for val in &mut all {
            *val = self.cast(val, dtype)?;
        }
        Ok(all)
    }

    /// `a` times a number.
    fn scale(&mut self, a: &Val, factor: f64) -> Result<Val> {
        let factor = self.scalar(factor, a.dtype())?;
        self.mul(a, &factor)
    }
    /// `y / x`, which is `at_zero` where `x` is so near to zero that `y` is no normal number.
    fn ratio_at_zero(&mut self, y: &Val, x: &Val, at_zero: f64) -> Result<Val> {
        let least = self.scalar(4.0 * least_normal(x.dtype()), x.dtype())?;
        let value = self.scalar(at_zero, x.dtype())?;
        let size = self.abs(x)?;
        let is_zero = self.less(&size, &least)?;
        let ratio = self.div_no_nan(y, x)?;
        self.select(&is_zero, &value, &ratio)
    }
    /// The complex conjugate; a real value is its own.
    fn conj(&mut self, a: &Val) -> Result<Val> {
        if a.dtype().is_complex() {
            self.complex_conj(a)
        } else {
            Ok(a.clone())
        }
    }
    /// `a` under another dtype.
    fn cast(&mut self, a: &Val, dtype: DType) -> Result<Val> {
        if a.dtype() == dtype {
            return Ok(a.clone());
        }
        self.cast_to(a, dtype)
    }
    /// The shape as an int32 vector; a constant where it is static.
    fn shape_of(&mut self, a: &Val) -> Result<Val> {
        if let Some(shape) = a.spec().shape.to_static() {
            #[allow(clippy::cast_possible_wrap)]
            let dims: Vec<i64> = shape.iter().map(|&d| d as i64).collect();
            return self.int_vector(&dims);
        }
        self.shape(a, DType::Int32)
    }
    /// `a` with the shape of `like`.
    fn reshape_like(&mut self, a: &Val, like: &Val) -> Result<Val> {
        let (from, to) = (a.spec().shape, like.spec().shape);
        if from.is_static() && from == to {
            return Ok(a.clone());
        }
        let shape = self.shape_of(like)?;
        self.reshape(a, &shape)
    }

    /// The gradient `grad` of a broadcast result, summed down to the shape of the operand `like`, where `other` is the
    /// other operand.
    fn unbroadcast(&mut self, grad: &Val, like: &Val, other: &Val) -> Result<Val> {
        let (g, l) = (grad.spec().shape, like.spec().shape);
        if g.is_static() && g == l {
            return Ok(grad.clone());
        }
        if let (Some(from), Some(to)) = (g.to_static(), l.to_static()) {
            return self.sum_to(grad, &from, &to);
        }
        let (shape, other) = (self.shape_of(like)?, self.shape_of(other)?);
        let [axes, _] = self.broadcast_gradient_args(&shape, &other)?;
        let summed = self.sum(grad, &axes, false)?;
        self.reshape(&summed, &shape)
    }

    /// `a` of shape `from` summed down to shape `to`, which broadcasts to it.
    fn sum_to(&mut self, a: &Val, from: &Shape, to: &Shape) -> Result<Val> {
        let lead = from.rank() - to.rank();
        #[allow(clippy::cast_possible_wrap)]
        let axes: Vec<i64> = (0..from.rank())
            .filter(|&i| i < lead || (to[i - lead] == 1 && from[i] != 1))
            .map(|i| i as i64)
            .collect();
        let summed = if axes.is_empty() {
            a.clone()
        } else {
            let axes = self.int_vector(&axes)?;
            self.sum(a, &axes, false)?
        };
        if summed.spec().shape.to_static().as_ref() == Some(to) {
            return Ok(summed);
        }
        #[allow(clippy::cast_possible_wrap)]
        let dims: Vec<i64> = to.iter().map(|&d| d as i64).collect();
        let shape = self.int_vector(&dims)?;
        self.reshape(&summed, &shape)
    }
}

impl<E: Emitter + ?Sized> Build for E {}

/// The least number of a float dtype that has all its digits.
fn least_normal(dtype: DType) -> f64 {
    match dtype {
        DType::Float16 => f16::MIN_POSITIVE.to_f64(),
        DType::Float64 => f64::MIN_POSITIVE,
        _ => f64::from(f32::MIN_POSITIVE),
    }
}

/// A scalar tensor of a numeric dtype.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) fn scalar_tensor(value: f64, dtype: DType) -> Result<Tensor> {
    match dtype {
        DType::Float32 => Tensor::scalar(value as f32),
        DType::Float64 => Tensor::scalar(value),
        DType::Float16 => Tensor::scalar(f16::from_f64(value)),
        DType::BFloat16 => Tensor::scalar(bf16::from_f64(value)),
        DType::Complex64 => Tensor::scalar(Complex32::new(value as f32, 0.0)),
        DType::Complex128 => Tensor::scalar(Complex64::new(value, 0.0)),
        DType::Int8 => Tensor::scalar(value as i8),
        DType::Int16 => Tensor::scalar(value as i16),
        DType::Int32 => Tensor::scalar(value as i32),
        DType::Int64 => Tensor::scalar(value as i64),
        DType::UInt8 => Tensor::scalar(value as u8),
        DType::UInt16 => Tensor::scalar(value as u16),
        DType::UInt32 => Tensor::scalar(value as u32),
        DType::UInt64 => Tensor::scalar(value as u64),
        other if other.float8().is_some() => {
            Tensor::of_float8(other, Shape::scalar(), [value].into_iter())
        }
        other => Err(err!(DType, "there is no number of dtype {other}")),
    }
}
