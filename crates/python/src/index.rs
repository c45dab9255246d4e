//! `tensor[key]` for plain keys: integers, slices of integers, `...` and None, alone or in a tuple. All others are the
//! front end's.

use crate::emit::{constant, emit_one};
use crate::errors::IntoPyResult;
use crate::hooks::hooks;
use crate::tensor::{PyTensor, wrap};
use ferrograph_graph::{OpRef, Val};
use ferrograph_ops::{SliceMasks, StridedSlice};
use ferrograph_runtime::computes_now;
use ferrograph_tensor::{Shape, Tensor};
use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PyInt, PySlice, PyTuple};
use smallvec::SmallVec;
use std::sync::Arc;

/// Entries that a key may have here; the masks have a bit for each.
const MOST_ENTRIES: usize = 62;

/// A key as a strided slice takes it.
#[derive(Default)]
struct Index {
    begin: SmallVec<[i32; 4]>,
    end: SmallVec<[i32; 4]>,
    strides: SmallVec<[i32; 4]>,
    masks: SliceMasks,
}

/// `tensor[key]`.
pub(crate) fn get_item<'py>(
    tensor: &Bound<'py, PyTensor>,
    key: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    let Some(index) = Index::read(key) else {
        return hooks(py)?.getitem.bind(py).call1((tensor, key));
    };
    let val = &tensor.get().val;
    if let Val::Eager(eager) = val
        && computes_now()
        && let Some(found) = index.rows_of(&eager.tensor)
    {
        return wrap(py, Val::eager(found));
    }
    index.emit(py, val)
}

impl Index {
    /// The index that a key means, where it is plain.
    fn read(key: &Bound<'_, PyAny>) -> Option<Index> {
        let mut index = Index::default();
        match key.cast_exact::<PyTuple>() {
            Ok(entries) if entries.is_empty() || entries.len() > MOST_ENTRIES => return None,
            Ok(entries) => {
                for entry in entries.iter_borrowed() {
                    index.push(&entry)?;
                }
            }
            Err(_) => index.push(key)?,
        }
        Some(index)
    }

    /// Adds an entry of the key; `None` where it is not plain.
    fn push(&mut self, entry: &Bound<'_, PyAny>) -> Option<()> {
        let bit = 1 << self.begin.len();
        if let Ok(number) = entry.cast_exact::<PyInt>() {
            let at: i32 = number.extract().ok()?;
            self.masks.shrink_axis |= bit;
            self.add(at, at.checked_add(1)?, 1);
        } else if let Ok(slice) = entry.cast_exact::<PySlice>() {
            self.push_slice(slice, bit)?;
        } else if entry.is_none() {
            self.masks.new_axis |= bit;
            self.add(0, 1, 1);
        } else if entry.is_instance_of::<PyEllipsis>() {
            self.masks.ellipsis |= bit;
            self.add(0, 1, 1);
        } else {
            return None;
        }
        Some(())
    }

    fn push_slice(&mut self, slice: &Bound<'_, PySlice>, bit: i64) -> Option<()> {
        let [start, stop, step] = bounds(slice);
        let begin = match number(&start)? {
            Some(begin) => begin,
            None => {
                self.masks.begin |= bit;
                0
            }
        };
        let end = match number(&stop)? {
            Some(end) => end,
            None => {
                self.masks.end |= bit;
                0
            }
        };
        self.add(begin, end, number(&step)?.unwrap_or(1));
        Some(())
    }

    fn add(&mut self, begin: i32, end: i32, stride: i32) {
        self.begin.push(begin);
        self.end.push(end);
        self.strides.push(stride);
    }

    /// The elements that numbers, then perhaps one slice without gaps, then whole axes take: they are contiguous, and
    /// are shared. `None` for other keys, and for numbers out of range, whose error the operation words.
    fn rows_of(&self, tensor: &Tensor) -> Option<Tensor> {
        let n = self.begin.len();
        if self.masks.new_axis != 0 || self.masks.ellipsis != 0 || n > tensor.shape().rank() {
            return None;
        }
        let numbers = (0..n).take_while(|&i| self.is_number(i)).count();
        if !(numbers + 1..n).all(|i| self.is_whole(i)) {
            return None;
        }
        let mut found = None;
        for at in &self.begin[..numbers] {
            found = Some(row_of(found.as_ref().unwrap_or(tensor), *at)?);
        }
        match numbers == n {
            true => found,
            false => self.slice_of(found.as_ref().unwrap_or(tensor), numbers),
        }
    }

    fn is_number(&self, entry: usize) -> bool {
        self.masks.shrink_axis >> entry & 1 == 1
    }

    /// Whether an entry takes all of its axis as it is stored.
    fn is_whole(&self, entry: usize) -> bool {
        let is_open = (self.masks.begin & self.masks.end) >> entry & 1 == 1;
        is_open && self.strides[entry] == 1
    }

    /// The rows that the slice of that entry takes, where it leaves no gaps.
    fn slice_of(&self, tensor: &Tensor, entry: usize) -> Option<Tensor> {
        if self.strides[entry] != 1 {
            return None;
        }
        let n = *tensor.shape().dims().first()?;
        let size = i64::try_from(n).ok()?;
        let clipped = |at: i32| usize::try_from(from_start(at, size).clamp(0, size)).ok();
        let start = match self.masks.begin >> entry & 1 {
            1 => 0,
            _ => clipped(self.begin[entry])?,
        };
        let stop = match self.masks.end >> entry & 1 {
            1 => n,
            _ => clipped(self.end[entry])?,
        };
        match start >= stop {
            true => tensor.rows(0, 0).ok(),
            false => tensor.rows(start, stop).ok(),
        }
    }

    /// The slice as an operation.
    fn emit<'py>(&self, py: Python<'py>, val: &Val) -> PyResult<Bound<'py, PyAny>> {
        let vector = |numbers: &[i32]| constant(py, Tensor::vector(numbers).or_raise(py)?, None);
        let bounds = [
            vector(&self.begin)?,
            vector(&self.end)?,
            vector(&self.strides)?,
        ];
        let [begin, end, strides] = bounds;
        let op: OpRef = Arc::new(StridedSlice::from(self.masks));
        wrap(py, emit_one(py, &op, &[val.clone(), begin, end, strides])?)
    }
}

/// A place of an axis of that size, counted from its start.
fn from_start(at: i32, size: i64) -> i64 {
    i64::from(at) + if at < 0 { size } else { 0 }
}

/// One row, where there is one at that place.
fn row_of(tensor: &Tensor, at: i32) -> Option<Tensor> {
    let &[n, ref rest @ ..] = tensor.shape().dims() else {
        return None;
    };
    let at = usize::try_from(from_start(at, i64::try_from(n).ok()?)).ok()?;
    let row = (at < n).then(|| tensor.rows(at, at + 1))?.ok()?;
    row.reshaped(Shape::new(rest)).ok()
}

/// Start, stop and step of a slice.
fn bounds<'py>(slice: &Bound<'py, PySlice>) -> [Bound<'py, PyAny>; 3] {
    let raw = slice.as_ptr().cast::<pyo3::ffi::PySliceObject>();
    // SAFETY: a slice object is this struct, whose three fields are never null and never change.
    unsafe {
        [(*raw).start, (*raw).stop, (*raw).step].map(|p| Bound::from_borrowed_ptr(slice.py(), p))
    }
}

/// The number that a bound is, `Some(None)` for an absent one; `None` for what is neither.
fn number(bound: &Bound<'_, PyAny>) -> Option<Option<i32>> {
    if bound.is_none() {
        return Some(None);
    }
    Some(Some(bound.cast_exact::<PyInt>().ok()?.extract().ok()?))
}
