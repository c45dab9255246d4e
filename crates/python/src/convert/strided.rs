//! Copies of strided memory into dense tensors.

use super::core_error;
use crate::yield_gil::GilYield;
use ferrograph_tensor::{DType, Shape, Tensor};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Memory of somebody else with a stride for each dimension, in bytes.
pub(crate) struct Strided<'a> {
    pub dtype: DType,
    pub shape: Shape,
    /// `None` for row-major memory without gaps.
    pub strides: Option<&'a [isize]>,
    pub data: *const u8,
}

impl Strided<'_> {
    /// Whether the elements are in row-major order without gaps.
    pub fn is_contiguous(&self) -> bool {
        let Some(strides) = self.strides else {
            return true;
        };
        let mut expected = self.dtype.size() as isize;
        for (&size, &stride) in self.shape.iter().zip(strides).rev() {
            if size != 1 && stride != expected {
                return self.shape.contains(&0);
            }
            expected = expected.wrapping_mul(size as isize);
        }
        true
    }

    /// A tensor of copies of the elements. Long copies let other threads have the interpreter lock now and then;
    /// `is_there` tells after that whether the memory is still what it was.
    ///
    /// # Safety
    /// Each element that shape and strides reach from `data` must be readable, aligned or not, and unchanged meanwhile, as
    /// long as `is_there` says so.
    pub unsafe fn to_tensor(
        &self,
        py: Python<'_>,
        is_there: impl Fn() -> bool,
    ) -> PyResult<Tensor> {
        let made = Tensor::empty(self.dtype, self.shape.clone());
        let mut tensor = made.map_err(|e| core_error(py, e))?;
        let Some(out) = tensor.bytes_mut().filter(|out| !out.is_empty()) else {
            return Ok(tensor);
        };
        let mut gil = GilYield::new();
        let mut go_on = || {
            gil.pause(py)?;
            match is_there() {
                true => Ok(()),
                false => Err(PyRuntimeError::new_err(
                    "the array was resized by another thread while it was copied",
                )),
            }
        };
        if self.is_contiguous() {
            for (i, part) in out.chunks_mut(PIECE).enumerate() {
                // SAFETY: the caller's promise, for as many bytes as the tensor has; fresh memory does not overlap.
                let from = unsafe { self.data.add(i * PIECE) };
                // SAFETY: as above.
                unsafe { std::ptr::copy_nonoverlapping(from, part.as_mut_ptr(), part.len()) };
                as_bools(self.dtype, part);
                go_on()?;
            }
        } else {
            // SAFETY: the caller's promise; `out` has room for every element.
            unsafe { self.copy_all(out, &mut go_on) }?;
        }
        Ok(tensor)
    }

    /// # Safety
    /// As for `to_tensor`; `out` must have room for every element, of which there is at least one.
    unsafe fn copy_all(
        &self,
        out: &mut [u8],
        go_on: &mut dyn FnMut() -> PyResult<()>,
    ) -> PyResult<()> {
        // SAFETY: passed on.
        unsafe {
            match self.dtype.size() {
                1 => self.copy_elements::<1>(out, go_on),
                2 => self.copy_elements::<2>(out, go_on),
                4 => self.copy_elements::<4>(out, go_on),
                8 => self.copy_elements::<8>(out, go_on),
                _ => self.copy_elements::<16>(out, go_on),
            }
        }
    }

    /// # Safety
    /// As for `copy_all`; `N` is the size of an element.
    unsafe fn copy_elements<const N: usize>(
        &self,
        out: &mut [u8],
        go_on: &mut dyn FnMut() -> PyResult<()>,
    ) -> PyResult<()> {
        let strides = self.strides.unwrap_or_default();
        let (Some((&n_inner, outer)), Some((&inner_stride, outer_strides))) =
            (self.shape.split_last(), strides.split_last())
        else {
            return Ok(());
        };
        let mut index = vec![0usize; outer.len()];
        let mut since = 0;
        for row in out.chunks_exact_mut((n_inner * N).max(1)) {
            let offsets = index.iter().zip(outer_strides);
            let mut offset: isize = offsets.map(|(&i, &s)| i as isize * s).sum();
            for part in row.chunks_mut(PIECE / 16) {
                for to in part.chunks_exact_mut(N) {
                    // SAFETY: indices stay inside the shape, so that the caller's promise covers each address.
                    unsafe {
                        std::ptr::copy_nonoverlapping(self.data.offset(offset), to.as_mut_ptr(), N);
                    }
                    offset = offset.wrapping_add(inner_stride);
                }
                as_bools(self.dtype, part);
                since += part.len();
                if since >= PIECE / 16 {
                    since = 0;
                    go_on()?;
                }
            }
            if !advance(&mut index, outer) {
                break;
            }
        }
        Ok(())
    }
}

/// Bytes that are copied at a stretch; scattered ones are a sixteenth of it.
const PIECE: usize = 1 << 20;

/// Any byte may represent true elsewhere; here only 1 does.
fn as_bools(dtype: DType, bytes: &mut [u8]) {
    if dtype == DType::Bool {
        bytes.iter_mut().for_each(|b| *b = u8::from(*b != 0));
    }
}

/// Counts a multi-index up in row-major order; gives false past the last.
fn advance(index: &mut [usize], sizes: &[usize]) -> bool {
    for (i, &size) in index.iter_mut().zip(sizes).rev() {
        *i += 1;
        if *i < size {
            return true;
        }
        *i = 0;
    }
    false
}
