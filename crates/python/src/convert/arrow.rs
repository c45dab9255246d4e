//! Arrow arrays to tensors, by the Arrow C data interface: numbers, bools and strings, without nulls.

use super::no_tensor;
use super::strided::Strided;
use crate::arrow::{ARRAY, ArrowArray, ArrowSchema, SCHEMA, carried, format_of};
use ferrograph_tensor::{Bytes, DType, Shape, Tensor};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A copy of an Arrow array, or of one in chunks; `None` for other objects, and for elements that tensors do not have.
///
/// # Errors
/// `ValueError` where elements are missing.
pub(super) fn tensor_of(obj: &Bound<'_, PyAny>) -> PyResult<Option<Tensor>> {
    let py = obj.py();
    let class = obj.get_type();
    if class
        .getattr_opt(intern!(py, "__arrow_c_array__"))?
        .is_some()
    {
        return of_array(obj);
    }
    let in_chunks = ["__arrow_c_stream__", "num_chunks", "combine_chunks"];
    for name in in_chunks {
        if class.getattr_opt(name)?.is_none() {
            return Ok(None);
        }
    }
    let whole = match obj.getattr(intern!(py, "num_chunks"))?.extract()? {
        1 => obj.call_method1(intern!(py, "chunk"), (0,))?,
        _ => obj.call_method0(intern!(py, "combine_chunks"))?,
    };
    match whole.getattr_opt(intern!(py, "__arrow_c_array__"))? {
        Some(_) => of_array(&whole),
        None => Ok(None),
    }
}

fn of_array(obj: &Bound<'_, PyAny>) -> PyResult<Option<Tensor>> {
    let py = obj.py();
    let capsules = obj.call_method0(intern!(py, "__arrow_c_array__"))?;
    let capsules = capsules.cast_into::<PyTuple>()?;
    let (schema, array) = (capsules.get_item(0)?, capsules.get_item(1)?);
    let schema: &ArrowSchema = carried(&schema, SCHEMA)?;
    let array: &ArrowArray = carried(&array, ARRAY)?;
    let format = format_of(schema).to_bytes();
    // SAFETY: a library that offers the capsules fills the structs by the interface, and the capsules keep the memory.
    let array = unsafe { Array::new(array, format) };
    match array.n_nulls() {
        0 => array.tensor(py),
        n => {
            let plural = if n == 1 { "" } else { "s" };
            let why =
                format!("it has {n} null{plural}; fill them before, as fill_null(value) does");
            Err(no_tensor(obj, &why))
        }
    }
}

/// An array of a type, over memory that lives as long.
struct Array<'a> {
    format: &'a [u8],
    is_dictionary: bool,
    length: usize,
    offset: usize,
    null_count: i64,
    buffers: &'a [*const u8],
}

impl<'a> Array<'a> {
    /// # Safety
    /// `array` must be an array of a type with that format as the interface describes it.
    unsafe fn new(array: &'a ArrowArray, format: &'a [u8]) -> Array<'a> {
        let n = usize::try_from(array.n_buffers).unwrap_or(0);
        let buffers = match array.buffers.is_null() {
            true => &[][..],
            // SAFETY: the caller's promise: there are so many pointers.
            false => unsafe { std::slice::from_raw_parts(array.buffers.cast(), n) },
        };
        Array {
            format,
            is_dictionary: !array.dictionary.is_null(),
            length: usize::try_from(array.length).unwrap_or(0),
            offset: usize::try_from(array.offset).unwrap_or(0),
            null_count: array.null_count,
            buffers,
        }
    }

    fn buffer(&self, i: usize) -> Option<*const u8> {
        self.buffers.get(i).copied().filter(|p| !p.is_null())
    }

    fn bit(&self, bits: *const u8, i: usize) -> bool {
        let at = self.offset + i;
        // SAFETY: `new`'s promise: the interface has a bit for each element there.
        unsafe { (*bits.add(at / 8) >> (at % 8)) & 1 == 1 }
    }

    fn n_nulls(&self) -> usize {
        match (self.format, self.null_count, self.buffer(0)) {
            (b"n", ..) => self.length,
            (_, 0, _) | (_, _, None) => 0,
            (_, _, Some(bits)) => (0..self.length).filter(|&i| !self.bit(bits, i)).count(),
        }
    }

    fn tensor(&self, py: Python<'_>) -> PyResult<Option<Tensor>> {
        if self.is_dictionary {
            return Ok(None);
        }
        let dtype = match self.format {
            b"b" => return self.bools(py).map(Some),
            b"z" | b"u" => return self.strings::<i32>(py).map(Some),
            b"Z" | b"U" => return self.strings::<i64>(py).map(Some),
            b"c" => DType::Int8,
            b"C" => DType::UInt8,
            b"s" => DType::Int16,
            b"S" => DType::UInt16,
            b"i" => DType::Int32,
            b"I" => DType::UInt32,
            b"l" => DType::Int64,
            b"L" => DType::UInt64,
            b"e" => DType::Float16,
            b"f" => DType::Float32,
            b"g" => DType::Float64,
            _ => return Ok(None),
        };
        let shape = Shape::from([self.length].as_slice());
        let Some(data) = self.buffer(1) else {
            return made(py, Tensor::empty(dtype, shape)).map(Some);
        };
        let view = Strided {
            dtype,
            shape,
            strides: None,
            data: data.wrapping_add(self.offset * dtype.size()),
        };
        // SAFETY: `new`'s promise: the elements are there, and Arrow's arrays do not change.
        unsafe { view.to_tensor(py, || true) }.map(Some)
    }

    fn bools(&self, py: Python<'_>) -> PyResult<Tensor> {
        let bits = self.buffer(1);
        let bools: Vec<bool> = (0..self.length)
            .map(|i| bits.is_some_and(|bits| self.bit(bits, i)))
            .collect();
        made(py, Tensor::vector(&bools))
    }

    fn strings<T: Copy + TryInto<usize>>(&self, py: Python<'_>) -> PyResult<Tensor> {
        let (starts, data) = (self.buffer(1), self.buffer(2));
        let at = |i: usize| {
            let starts = starts.map_or(std::ptr::null(), |s| s.cast::<T>());
            // SAFETY: `new`'s promise: there is a start for each element, and the end of the last.
            let found = unsafe { starts.add(self.offset + i).read_unaligned() };
            found.try_into().unwrap_or(0)
        };
        let string = |i: usize| match (at(i), at(i + 1), data) {
            (start, end, Some(data)) if start < end => {
                // SAFETY: `new`'s promise: the bytes between both are the element's.
                Bytes::from(unsafe { std::slice::from_raw_parts(data.add(start), end - start) })
            }
            _ => Bytes::from(&[][..]),
        };
        let strings = (0..self.length).map(string).collect();
        let shape = Shape::from([self.length].as_slice());
        made(py, Tensor::from_strings(shape, strings))
    }
}

fn made(py: Python<'_>, tensor: ferrograph_tensor::Result<Tensor>) -> PyResult<Tensor> {
    tensor.map_err(|e| super::core_error(py, e))
}
