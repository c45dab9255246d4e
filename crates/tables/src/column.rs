//! A column: rows of one dtype and shape in memory that grows.

use crate::rows::{Row, Rows, width};
use ferrograph_kernels::scratch::{reserve, vec_for};
use ferrograph_tensor::{Bytes, DType, Result, Shape, Tensor, err, with_element};

/// Rows of one dtype and shape.
#[derive(Debug)]
pub(crate) struct Column {
    dtype: DType,
    /// The elements of a row.
    row: Shape,
    n: usize,
    data: Data,
}

#[derive(Debug)]
enum Data {
    Dense(Vec<u8>),
    Strings(Vec<Bytes>),
}

impl Column {
    /// A column of no rows.
    pub fn new(dtype: DType, row: Shape) -> Column {
        let data = match dtype.is_dense() {
            true => Data::Dense(Vec::new()),
            false => Data::Strings(Vec::new()),
        };
        Column {
            dtype,
            row,
            n: 0,
            data,
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.n
    }

    /// The bytes or strings of a row.
    fn width(&self) -> usize {
        width(self.dtype, self.row.n_elements())
    }

    /// Its rows.
    pub fn rows(&self) -> Rows<'_> {
        let whole = match &self.data {
            Data::Dense(bytes) => Row::Dense(bytes),
            Data::Strings(strings) => Row::Strings(strings),
        };
        Rows::new(self.width(), whole)
    }

    /// Makes room for `n` more rows.
    pub fn reserve(&mut self, n: usize) {
        let n = n.saturating_mul(self.width());
        match &mut self.data {
            Data::Dense(bytes) => reserve(bytes, n),
            Data::Strings(strings) => reserve(strings, n),
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Row<'_>) {
        match (&mut self.data, row) {
            (Data::Dense(all), Row::Dense(bytes)) => all.extend_from_slice(bytes),
            (Data::Strings(all), Row::Strings(strings)) => all.extend_from_slice(strings),
            (_, row) => unreachable!("a column of another kind than {row:?}"),
        }
        self.n += 1;
    }

    /// Replaces row `i`.
    pub fn set(&mut self, i: usize, row: Row<'_>) {
        let w = self.width();
        let range = i * w..(i + 1) * w;
        match (&mut self.data, row) {
            (Data::Dense(all), Row::Dense(bytes)) => all[range].copy_from_slice(bytes),
            (Data::Strings(all), Row::Strings(strings)) => all[range].clone_from_slice(strings),
            (_, row) => unreachable!("a column of another kind than {row:?}"),
        }
    }

    /// Takes row `i` out and puts the last one in its place.
    pub fn swap_remove(&mut self, i: usize) {
        let (w, last) = (self.width(), self.n - 1);
        match &mut self.data {
            Data::Dense(all) => {
                all.copy_within(last * w.., i * w);
                all.truncate(last * w);
            }
            Data::Strings(all) => {
                (0..w).for_each(|k| all.swap(i * w + k, last * w + k));
                all.truncate(last * w);
            }
        }
        self.n = last;
    }

    /// A row as a text.
    pub fn shown(&self, row: Row<'_>) -> String {
        match row {
            Row::Strings(strings) => {
                let texts: Vec<_> = strings.iter().map(|s| String::from_utf8_lossy(s)).collect();
                texts.join(" ")
            }
            Row::Dense(bytes) => {
                let row = dense(self.dtype, self.row.clone(), bytes);
                let texts = |row: &Tensor| {
                    with_element!(row.dtype(), dense, T => {
                        let all = row.as_slice::<T>()?.iter();
                        Ok(all.map(|x| format!("{x:?}")).collect::<Vec<_>>().join(" "))
                    }, else => Err(err!(Internal, "a column of {}", self.dtype)))
                };
                row.and_then(|row| texts(&row.widened()?))
                    .unwrap_or_else(|e| e.to_string())
            }
        }
    }

    /// A copy.
    pub fn copied(&self) -> Column {
        fn copied<T: Clone>(all: &[T]) -> Vec<T> {
            let mut copy = vec_for(all.len());
            copy.extend_from_slice(all);
            copy
        }
        Column {
            dtype: self.dtype,
            row: self.row.clone(),
            n: self.n,
            data: match &self.data {
                Data::Dense(bytes) => Data::Dense(copied(bytes)),
                Data::Strings(strings) => Data::Strings(copied(strings)),
            },
        }
    }

    /// Its rows as a tensor.
    ///
    /// # Errors
    /// Where memory does not suffice.
    pub fn to_tensor(&self) -> Result<Tensor> {
        let dims = std::iter::once(self.n).chain(self.row.iter().copied());
        let shape: Shape = dims.collect();
        match &self.data {
            Data::Strings(strings) => Tensor::from_strings(shape, strings.clone()),
            Data::Dense(bytes) => dense(self.dtype, shape, bytes),
        }
    }
}

/// A tensor of those bytes, which were elements of its dtype.
fn dense(dtype: DType, shape: Shape, bytes: &[u8]) -> Result<Tensor> {
    let mut tensor = Tensor::empty(dtype, shape)?;
    let fresh = tensor.bytes_mut();
    let out = fresh.ok_or_else(|| err!(Internal, "a fresh tensor is shared"))?;
    out.copy_from_slice(bytes);
    Ok(tensor)
}
