//! Rows that are contiguous: in tensors, in operands of kernels, in columns.

use ferrograph_tensor::{Bytes, DType, Result, Shape, Tensor};
use std::hash::{Hash, Hasher};

/// The elements of one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Row<'a> {
    /// The bytes of elements of a dense dtype.
    Dense(&'a [u8]),
    /// Strings.
    Strings(&'a [Bytes]),
}

impl Hash for Row<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Row::Dense(bytes) => match <[u8; 8]>::try_from(*bytes) {
                Ok(word) => state.write_u64(u64::from_ne_bytes(word)),
                Err(_) => state.write(bytes),
            },
            Row::Strings(strings) => strings.iter().for_each(|s| s.hash(state)),
        }
    }
}

/// Elements of one dtype in row-major order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements<'a> {
    /// Their dtype.
    pub dtype: DType,
    /// Their shape.
    pub shape: &'a Shape,
    data: Row<'a>,
}

impl<'a> Elements<'a> {
    /// Those of a tensor.
    ///
    /// # Errors
    /// `DType` for a tensor of objects.
    pub fn of(tensor: &'a Tensor) -> Result<Elements<'a>> {
        let data = match tensor.dtype() {
            dtype if dtype.is_dense() => Row::Dense(tensor.bytes()),
            _ => Row::Strings(tensor.as_strings()?),
        };
        Ok(Elements {
            dtype: tensor.dtype(),
            shape: tensor.shape(),
            data,
        })
    }

    /// Those of a dense operand.
    pub fn of_bytes(dtype: DType, shape: &'a Shape, bytes: &'a [u8]) -> Elements<'a> {
        let data = Row::Dense(bytes);
        Elements { dtype, shape, data }
    }

    /// Their rows of `per` elements each.
    pub fn rows(self, per: usize) -> Rows<'a> {
        Rows {
            width: width(self.dtype, per),
            data: self.data,
        }
    }
}

/// How many bytes, or strings, `per` elements take.
pub(crate) fn width(dtype: DType, per: usize) -> usize {
    per * dtype.size().max(1)
}

/// Rows of one width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    width: usize,
    data: Row<'a>,
}

impl<'a> Rows<'a> {
    /// Rows of that width, which are in one.
    pub fn new(width: usize, whole: Row<'a>) -> Rows<'a> {
        Rows { width, data: whole }
    }

    /// Row `i`.
    #[inline]
    pub fn row(self, i: usize) -> Row<'a> {
        let range = i * self.width..(i + 1) * self.width;
        match self.data {
            Row::Dense(bytes) => Row::Dense(&bytes[range]),
            Row::Strings(strings) => Row::Strings(&strings[range]),
        }
    }
}

/// Where rows are written, one after another.
pub(crate) enum Target<'a> {
    /// The bytes of a dense output, and how many of them are written.
    Dense(&'a mut [u8], usize),
    /// Strings.
    Strings(Vec<Bytes>),
}

impl Target<'_> {
    /// Writes the next row, which has the width that the target was made for.
    #[inline]
    pub fn put(&mut self, row: Row<'_>) {
        match (self, row) {
            (Target::Dense(out, at), Row::Dense(bytes)) => {
                out[*at..*at + bytes.len()].copy_from_slice(bytes);
                *at += bytes.len();
            }
            (Target::Strings(out), Row::Strings(strings)) => out.extend_from_slice(strings),
            (_, row) => unreachable!("an output of another kind than {row:?}"),
        }
    }
}

/// Whether two tensors of one dtype and shape have the same elements.
///
/// # Errors
/// `DType` for tensors of objects.
pub(crate) fn equal(a: &Tensor, b: &Tensor) -> Result<bool> {
    Ok(Elements::of(a)?.data == Elements::of(b)?.data)
}
