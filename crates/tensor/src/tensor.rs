//! The tensor: one dynamic type for all dtypes, immutable, dense, row-major, shared by reference.

use crate::memory::vec_of;
use crate::{Buffer, DType, Element, Object, Result, Shape, TensorSpec, bail, err};
use ndarray::{ArrayViewD, IxDyn};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// One element of a string tensor: bytes of any encoding, shared.
pub type Bytes = Arc<[u8]>;

/// The elements of string tensors.
struct Strings(Vec<Bytes>);

/// To free more strings takes too long for who may hold a lock that others wait for.
const MANY_STRINGS: usize = 1 << 16;

impl Drop for Strings {
    fn drop(&mut self) {
        if self.0.len() > MANY_STRINGS {
            let strings = std::mem::take(&mut self.0);
            // Where there is no thread to be had, they are freed here, with what it should have done.
            let _ = std::thread::Builder::new().spawn(move || drop(strings));
        }
    }
}

#[derive(Clone)]
enum Storage {
    Dense {
        buffer: Arc<Buffer>,
        offset: usize,
    },
    Strings {
        data: Arc<Strings>,
        offset: usize,
    },
    /// The only element, or what no element is left of.
    String(Bytes),
    Object(Arc<dyn Object>),
}

/// An immutable n-dimensional array. Cloning shares the elements.
#[derive(Clone)]
pub struct Tensor {
    dtype: DType,
    shape: Shape,
    storage: Storage,
}

impl Tensor {
    /// A tensor with arbitrary but valid contents, to be filled while it is unshared.
    ///
    /// # Errors
    /// `ResourceExhausted` where memory does not suffice, `DType` where the dtype has no dense form.
    pub fn empty(dtype: DType, shape: Shape) -> Result<Tensor> {
        if !dtype.is_dense() {
            bail!(DType, "a {dtype} tensor has no dense buffer");
        }
        let bytes = shape.checked_bytes(dtype)?;
        let buffer = match dtype {
            DType::Bool => Buffer::zeroed(bytes)?, // a recycled byte may be no valid bool
            _ => Buffer::new(bytes)?,
        };
        Ok(Tensor {
            dtype,
            shape,
            storage: Storage::Dense {
                buffer: Arc::new(buffer),
                offset: 0,
            },
        })
    }

    /// A tensor of zeros, false, or empty strings.
    pub fn zeros(dtype: DType, shape: Shape) -> Result<Tensor> {
        if dtype == DType::String {
            let empty: Bytes = Arc::from(&b""[..]);
            let n = shape.checked_count()?;
            return Tensor::from_strings(shape, vec_of(empty, n)?);
        }
        let mut tensor = Tensor::empty(dtype, shape)?;
        if let Some(bytes) = tensor.bytes_mut() {
            bytes.fill(0);
        }
        Ok(tensor)
    }

    /// A tensor of copies of these elements in row-major order.
    pub fn from_slice<T: Element>(shape: impl Into<Shape>, elements: &[T]) -> Result<Tensor> {
        let shape = shape.into();
        if shape.checked_count()? != elements.len() {
            bail!(
                Shape,
                "{} elements do not fill shape {shape}",
                elements.len()
            );
        }
        let mut tensor = Tensor::empty(T::DTYPE, shape)?;
        tensor.as_mut_slice::<T>()?.copy_from_slice(elements);
        Ok(tensor)
    }

    /// A scalar.
    pub fn scalar<T: Element>(value: T) -> Result<Tensor> {
        let mut tensor = Tensor::empty(T::DTYPE, Shape::scalar())?;
        tensor.as_mut_slice::<T>()?[0] = value;
        Ok(tensor)
    }

    /// A vector.
    pub fn vector<T: Element>(elements: &[T]) -> Result<Tensor> {
        Tensor::from_slice([elements.len()], elements)
    }

    /// A tensor over an existing buffer, starting `offset` bytes into it.
    ///
    /// # Errors
    /// `Internal` where the elements are not inside the buffer or are not aligned.
    pub fn from_buffer(
        dtype: DType,
        shape: Shape,
        buffer: Arc<Buffer>,
        offset: usize,
    ) -> Result<Tensor> {
        let bytes = shape.checked_count()?.checked_mul(dtype.size());
        let end = bytes.and_then(|b| b.checked_add(offset));
        let unit = if dtype.is_complex() {
            dtype.size() / 2
        } else {
            dtype.size()
        };
        if unit == 0
            || end.is_none_or(|e| e > buffer.len())
            || !(buffer.as_ptr() as usize + offset).is_multiple_of(unit)
        {
            bail!(
                Internal,
                "a {dtype} tensor of shape {shape} does not lie in the buffer given for it"
            );
        }
        Ok(Tensor {
            dtype,
            shape,
            storage: Storage::Dense { buffer, offset },
        })
    }

    /// A string tensor of these elements in row-major order.
    pub fn from_strings(shape: Shape, elements: Vec<Bytes>) -> Result<Tensor> {
        if shape.checked_count()? != elements.len() {
            bail!(
                Shape,
                "{} strings do not fill shape {shape}",
                elements.len()
            );
        }
        Ok(Tensor {
            dtype: DType::String,
            shape,
            storage: Storage::Strings {
                data: Arc::new(Strings(elements)),
                offset: 0,
            },
        })
    }

    /// A scalar string.
    pub fn string(element: Bytes) -> Tensor {
        Tensor {
            dtype: DType::String,
            shape: Shape::scalar(),
            storage: Storage::String(element),
        }
    }

    /// A scalar that refers to an object; the dtype is `Resource` or `Variant`.
    pub fn from_object(dtype: DType, object: Arc<dyn Object>) -> Tensor {
        debug_assert!(matches!(dtype, DType::Resource | DType::Variant));
        Tensor {
            dtype,
            shape: Shape::scalar(),
            storage: Storage::Object(object),
        }
    }

    /// The dtype.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// The number of elements.
    pub fn n_elements(&self) -> usize {
        self.shape.n_elements()
    }

    /// The static type of this very tensor.
    pub fn spec(&self) -> TensorSpec {
        TensorSpec::of(self.dtype, &self.shape)
    }

    /// The elements.
    ///
    /// # Errors
    /// `DType` where `T` is not the element type.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        match &self.storage {
            Storage::Dense { buffer, offset } if self.dtype == T::DTYPE => {
                // SAFETY: constructors checked that the elements are in the buffer, aligned for their dtype, and
                // buffers hold initialised bytes that are valid for it; nobody writes while `&self` lives.
                Ok(unsafe {
                    std::slice::from_raw_parts(
                        buffer.as_ptr().add(*offset).cast::<T>(),
                        self.n_elements(),
                    )
                })
            }
            _ => Err(err!(
                DType,
                "expected a {} tensor, got {}",
                T::DTYPE,
                self.dtype
            )),
        }
    }

    /// The elements for writing.
    ///
    /// # Errors
    /// `DType` where `T` is not the element type, `Internal` where the buffer is shared or foreign.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T]> {
        if self.dtype != T::DTYPE {
            bail!(DType, "expected a {} tensor, got {}", T::DTYPE, self.dtype);
        }
        let n = self.n_elements();
        let bytes = self
            .bytes_mut()
            .ok_or_else(|| err!(Internal, "a shared tensor cannot be written"))?;
        // SAFETY: as in `as_slice`; the bytes are uniquely borrowed.
        Ok(unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast::<T>(), n) })
    }

    /// The bytes of a dense tensor; empty for strings and objects.
    pub fn bytes(&self) -> &[u8] {
        match &self.storage {
            Storage::Dense { buffer, offset } => {
                // SAFETY: as in `as_slice`.
                unsafe {
                    std::slice::from_raw_parts(
                        buffer.as_ptr().add(*offset),
                        self.n_elements() * self.dtype.size(),
                    )
                }
            }
            _ => &[],
        }
    }

    /// The bytes of a dense tensor for writing, where nothing else shares them.
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        let len = self.n_elements() * self.dtype.size();
        match &mut self.storage {
            Storage::Dense { buffer, offset } => {
                let start = Arc::get_mut(buffer)?.as_mut_ptr()?;
                // SAFETY: as in `as_slice`; `get_mut` proved that nobody else holds the buffer.
                Some(unsafe { std::slice::from_raw_parts_mut(start.add(*offset), len) })
            }
            _ => None,
        }
    }

    /// The elements of a string tensor.
    pub fn as_strings(&self) -> Result<&[Bytes]> {
        match &self.storage {
            Storage::Strings { data, offset } => Ok(&data.0[*offset..*offset + self.n_elements()]),
            Storage::String(element) => Ok(&std::slice::from_ref(element)[..self.n_elements()]),
            _ => Err(err!(DType, "expected a string tensor, got {}", self.dtype)),
        }
    }

    /// The object that a resource or variant scalar refers to.
    pub fn as_object(&self) -> Result<&Arc<dyn Object>> {
        match &self.storage {
            Storage::Object(object) => Ok(object),
            _ => Err(err!(
                DType,
                "expected a resource or variant, got {}",
                self.dtype
            )),
        }
    }

    /// How many levels of objects are in it, none in numbers and strings.
    pub fn depth(&self) -> usize {
        match &self.storage {
            Storage::Object(object) => object.depth(),
            _ => 0,
        }
    }

    /// That object for changing, where nothing else shares it.
    pub fn object_mut<T: Object>(&mut self) -> Option<&mut T> {
        match &mut self.storage {
            Storage::Object(object) => {
                let object: &mut dyn Any = Arc::get_mut(object)?;
                object.downcast_mut()
            }
            _ => None,
        }
    }

    /// The buffer of a dense tensor and where in it the elements start, in bytes.
    pub fn buffer(&self) -> Option<(&Arc<Buffer>, usize)> {
        match &self.storage {
            Storage::Dense { buffer, offset } => Some((buffer, *offset)),
            _ => None,
        }
    }

    /// The only element.
    pub fn item<T: Element>(&self) -> Result<T> {
        match self.as_slice::<T>()? {
            [x] => Ok(*x),
            s => Err(err!(
                Shape,
                "expected one element, got {} of shape {}",
                s.len(),
                self.shape
            )),
        }
    }

    /// The same elements under another shape of the same count.
    pub fn reshaped(&self, shape: Shape) -> Result<Tensor> {
        if shape.checked_count()? != self.n_elements() {
            bail!(
                Shape,
                "cannot reshape a tensor of shape {} to {shape}",
                self.shape
            );
        }
        Ok(Tensor {
            dtype: self.dtype,
            shape,
            storage: self.storage.clone(),
        })
    }

    /// Rows `start..end` of the first axis, sharing the elements.
    pub fn rows(&self, start: usize, end: usize) -> Result<Tensor> {
        let Some((&n, rest)) = self.shape.split_first() else {
            bail!(Shape, "a scalar has no rows");
        };
        if start > end || end > n {
            bail!(OutOfRange, "rows {start}..{end} of {n}");
        }
        let per_row: usize = rest.iter().product();
        let mut dims = self.shape.clone().into_dims();
        dims[0] = end - start;
        let storage = match &self.storage {
            Storage::Dense { buffer, offset } => Storage::Dense {
                buffer: buffer.clone(),
                offset: offset + start * per_row * self.dtype.size(),
            },
            Storage::Strings { data, offset } => Storage::Strings {
                data: data.clone(),
                offset: offset + start * per_row,
            },
            Storage::String(element) => Storage::String(element.clone()),
            Storage::Object(_) => bail!(DType, "a {} has no rows", self.dtype),
        };
        Ok(Tensor {
            dtype: self.dtype,
            shape: dims.into(),
            storage,
        })
    }

    /// The elements as an `ndarray` view.
    pub fn view<T: Element>(&self) -> Result<ArrayViewD<'_, T>> {
        ArrayViewD::from_shape(IxDyn(&self.shape), self.as_slice::<T>()?)
            .map_err(|e| err!(Internal, "no view of shape {}: {e}", self.shape))
    }

    /// The elements of an integer tensor of any width as `i64`.
    pub fn to_i64s(&self) -> Result<Vec<i64>> {
        crate::with_element!(self.dtype, integer, T => {
            let elements = self.as_slice::<T>()?.iter().map(|&x| num_traits::AsPrimitive::<i64>::as_(x));
            let mut all = crate::vec_for(self.n_elements())?;
            all.extend(elements);
            Ok(all)
        }, else => Err(err!(DType, "expected an integer tensor, got {}", self.dtype)))
    }

    /// Whether both share their storage and start at the same element.
    pub fn shares_storage(&self, other: &Tensor) -> bool {
        match (&self.storage, &other.storage) {
            (
                Storage::Dense {
                    buffer: a,
                    offset: i,
                },
                Storage::Dense {
                    buffer: b,
                    offset: j,
                },
            ) => Arc::ptr_eq(a, b) && i == j,
            (Storage::Strings { data: a, offset: i }, Storage::Strings { data: b, offset: j }) => {
                Arc::ptr_eq(a, b) && i == j
            }
            (Storage::String(a), Storage::String(b)) => Arc::ptr_eq(a, b),
            (Storage::Object(a), Storage::Object(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({}{})", self.dtype, self.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reshape_and_rows_share_the_buffer() {
        let t = Tensor::from_slice([3, 2], &[1i32, 2, 3, 4, 5, 6]).unwrap();
        let r = t.rows(1, 3).unwrap();
        assert_eq!(r.as_slice::<i32>().unwrap(), &[3, 4, 5, 6]);
        assert_eq!(r.view::<i32>().unwrap()[[1, 0]], 5);
        assert!(t.reshaped([6].into()).unwrap().shares_storage(&t));
        assert!(t.rows(1, 4).is_err());
        assert!(t.reshaped([5].into()).is_err());
    }

    #[test]
    fn a_shared_tensor_cannot_be_written() {
        let mut t = Tensor::scalar(1.0f32).unwrap();
        let u = t.clone();
        assert!(t.as_mut_slice::<f32>().is_err());
        drop(u);
        t.as_mut_slice::<f32>().unwrap()[0] = 2.0;
        assert_eq!(t.item::<f32>().unwrap(), 2.0);
        assert!(t.as_slice::<i32>().is_err());
    }

    #[test]
    fn strings_slice_like_numbers() {
        let words = ["a", "b", "c"].map(|w| Bytes::from(w.as_bytes()));
        let t = Tensor::from_strings([3].into(), words.to_vec()).unwrap();
        assert_eq!(&*t.rows(2, 3).unwrap().as_strings().unwrap()[0], b"c");
    }

    #[test]
    fn a_scalar_string_is_like_others() {
        let t = Tensor::string(Bytes::from(&b"word"[..]));
        assert_eq!((t.dtype(), t.shape()), (DType::String, &Shape::scalar()));
        assert!(t.clone().shares_storage(&t) && t.rows(0, 1).is_err());
        let row = t.reshaped([1].into()).unwrap();
        assert!(row.shares_storage(&t));
        for (start, end, left) in [(0, 1, 1), (0, 0, 0), (1, 1, 0)] {
            let rows = row.rows(start, end).unwrap();
            assert_eq!(rows.as_strings().unwrap().len(), left);
        }
        assert_eq!(&*row.as_strings().unwrap()[0], b"word");
        assert!(t.reshaped([0].into()).is_err());
    }
}
