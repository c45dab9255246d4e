//! Values: tensors as users of this crate see them.

use crate::array::IntoValue;
use crate::error::Result;
use ferrograph_tensor::{Bytes, DType, Element, Tensor, err};
use ndarray::{ArrayD, ArrayViewD, IxDyn};
use std::fmt;

/// A tensor: numbers, bools or strings, dense and row by row. Clones share their elements.
///
/// ```
/// use ferrograph::{DType, Value};
/// use ndarray::array;
///
/// # fn main() -> ferrograph::Result<()> {
/// let words = Value::of(array!["red", "green"])?;
/// assert_eq!((words.dtype(), words.shape()), (DType::String, &[2][..]));
/// assert_eq!(words.strings()?, array!["red".to_string(), "green".to_string()].into_dyn());
/// assert_eq!(Value::of(2.5f32)?.item::<f32>()?, 2.5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Value(pub(crate) Tensor);

impl Value {
    /// The value of an array or a number.
    ///
    /// # Errors
    /// `ResourceExhausted` where there is no memory for it.
    pub fn of(array: impl IntoValue) -> Result<Value> {
        array.into_value()
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        self.0.dtype()
    }

    /// The dimensions.
    pub fn shape(&self) -> &[usize] {
        self.0.shape().dims()
    }

    /// The elements of a tensor of numbers or bools.
    ///
    /// # Errors
    /// `InvalidArgument` where they are no `T`.
    pub fn view<T: Element>(&self) -> Result<ArrayViewD<'_, T>> {
        Ok(self.0.view()?)
    }

    /// The same numbers as float32 where the elements are floats of one byte, which have no type of their own here;
    /// other values themselves.
    ///
    /// # Errors
    /// `ResourceExhausted` where there is no memory for them.
    pub fn widened(&self) -> Result<Value> {
        Ok(Value(self.0.widened()?))
    }

    /// A copy of the elements of a tensor of numbers or bools.
    ///
    /// # Errors
    /// As [`Value::view`].
    pub fn array<T: Element>(&self) -> Result<ArrayD<T>> {
        Ok(self.view()?.to_owned())
    }

    /// The one number of a scalar.
    ///
    /// # Errors
    /// `InvalidArgument` where it is no scalar, or no `T`.
    pub fn item<T: Element>(&self) -> Result<T> {
        Ok(self.0.item()?)
    }

    /// The elements of a tensor of strings that are UTF-8.
    ///
    /// # Errors
    /// `InvalidArgument` for other elements.
    pub fn strings(&self) -> Result<ArrayD<String>> {
        self.each_string(|s| {
            let text = String::from_utf8(s.to_vec());
            text.map_err(|_| err!(InvalidArgument, "a string is no UTF-8: use byte_strings"))
        })
    }

    /// The elements of a tensor of strings, whatever they are.
    ///
    /// # Errors
    /// `InvalidArgument` where its elements are no strings.
    pub fn byte_strings(&self) -> Result<ArrayD<Vec<u8>>> {
        self.each_string(|s| Ok(s.to_vec()))
    }

    fn each_string<T>(
        &self,
        made: impl Fn(&Bytes) -> ferrograph_tensor::Result<T>,
    ) -> Result<ArrayD<T>> {
        let all = self.0.as_strings()?.iter().map(made);
        let all = all.collect::<ferrograph_tensor::Result<Vec<_>>>()?;
        let array = ArrayD::from_shape_vec(IxDyn(self.shape()), all);
        Ok(array.map_err(|e| err!(Internal, "a tensor is no array: {e}"))?)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
