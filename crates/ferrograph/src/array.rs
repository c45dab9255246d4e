//! Arrays and numbers to values.

use crate::error::Result;
use crate::value::Value;
use ferrograph_tensor::{Bytes, Complex32, Complex64, Element, Shape, Tensor, bf16, f16, vec_for};
use ndarray::{ArrayBase, Data, Dimension};

/// What a value can be made of: arrays of any number of dimensions, their views, and single numbers, bools and strings.
pub trait IntoValue {
    /// The value.
    ///
    /// # Errors
    /// `ResourceExhausted` where there is no memory for it.
    fn into_value(self) -> Result<Value>;
}

/// An element of an array that values can be made of: numbers, bools, and strings as text or bytes.
pub trait Item: Sized {
    /// The value of elements in the order of the rows.
    ///
    /// # Errors
    /// `ResourceExhausted` where there is no memory for it.
    fn value_of<'a>(shape: &[usize], elements: impl Iterator<Item = &'a Self>) -> Result<Value>
    where
        Self: 'a;

    /// The value of elements that are contiguous.
    ///
    /// # Errors
    /// As [`Item::value_of`].
    fn value_of_slice(shape: &[usize], elements: &[Self]) -> Result<Value> {
        Self::value_of(shape, elements.iter())
    }
}

fn dense<'a, T: Element>(shape: &[usize], elements: impl Iterator<Item = &'a T>) -> Result<Value> {
    let mut tensor = Tensor::empty(T::DTYPE, Shape::new(shape))?;
    for (to, from) in tensor.as_mut_slice::<T>()?.iter_mut().zip(elements) {
        *to = *from;
    }
    Ok(Value(tensor))
}

macro_rules! numbers {
    ($($T:ty),*) => { $(
        impl Item for $T {
            fn value_of<'a>(shape: &[usize], elements: impl Iterator<Item = &'a Self>) -> Result<Value> {
                dense(shape, elements)
            }
            fn value_of_slice(shape: &[usize], elements: &[Self]) -> Result<Value> {
                Ok(Value(Tensor::from_slice(shape, elements)?))
            }
        }
        impl IntoValue for $T {
            fn into_value(self) -> Result<Value> {
                Ok(Value(Tensor::scalar(self)?))
            }
        }
    )* };
}

numbers!(
    bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, Complex32, Complex64
);

macro_rules! strings {
    ($($T:ty),*) => { $(
        impl Item for $T {
            fn value_of<'a>(shape: &[usize], elements: impl Iterator<Item = &'a Self>) -> Result<Value>
            where
                Self: 'a,
            {
                let shape = Shape::new(shape);
                let mut all = vec_for::<Bytes>(shape.checked_count()?)?;
                all.extend(elements.map(|s| {
                    let bytes: &[u8] = s.as_ref();
                    Bytes::from(bytes)
                }));
                Ok(Value(Tensor::from_strings(shape, all)?))
            }
        }
        impl IntoValue for $T {
            fn into_value(self) -> Result<Value> {
                <$T>::value_of(&[], std::iter::once(&self))
            }
        }
    )* };
}

strings!(String, &str, Vec<u8>, &[u8]);

impl<S, D> IntoValue for &ArrayBase<S, D>
where
    S: Data,
    S::Elem: Item,
    D: Dimension,
{
    fn into_value(self) -> Result<Value> {
        match self.as_slice() {
            Some(elements) => S::Elem::value_of_slice(self.shape(), elements),
            None => S::Elem::value_of(self.shape(), self.iter()),
        }
    }
}

impl<S, D> IntoValue for ArrayBase<S, D>
where
    S: Data,
    S::Elem: Item,
    D: Dimension,
{
    fn into_value(self) -> Result<Value> {
        (&self).into_value()
    }
}

impl IntoValue for Value {
    fn into_value(self) -> Result<Value> {
        Ok(self)
    }
}

impl IntoValue for &Value {
    fn into_value(self) -> Result<Value> {
        Ok(self.clone())
    }
}
