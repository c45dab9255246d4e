//! Copies of strided memory into dense tensors.

use ferrograph_tensor::{DType, Result, Shape, Tensor};

/// Memory of somebody else with a stride for each dimension, in bytes.
pub(crate) struct Strided<'a> {
    pub dtype: DType,
    pub shape: Shape,
    /// `None` for row-major memory without gaps.
    pub strides: Option<&'a [isize]>,
    pub data: *const u8,
}

impl Strided<'_> {
    /// Whether the elements lie in row-major order without gaps.
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

    /// A tensor of copies of the elements.
    ///
    /// # Safety
    /// Each element that shape and strides reach from `data` must be readable, aligned or not, and unchanged meanwhile.
    pub unsafe fn to_tensor(&self) -> Result<Tensor> {
        let mut tensor = Tensor::empty(self.dtype, self.shape.clone())?;
        let Some(out) = tensor.bytes_mut().filter(|out| !out.is_empty()) else {
            return Ok(tensor);
        };
        if self.is_contiguous() {
            // SAFETY: the caller's promise, for as many bytes as the tensor has; fresh memory does not overlap.
            unsafe { std::ptr::copy_nonoverlapping(self.data, out.as_mut_ptr(), out.len()) };
        } else {
            // SAFETY: the caller's promise; `out` has room for every element.
            unsafe { self.copy_all(out.as_mut_ptr()) };
        }
        if self.dtype == DType::Bool {
            // Any byte may stand for true elsewhere; here only 1 does.
            out.iter_mut().for_each(|b| *b = u8::from(*b != 0));
        }
        Ok(tensor)
    }

    /// # Safety
    /// As for `to_tensor`; `out` must have room for every element, of which there is at least one.
    unsafe fn copy_all(&self, out: *mut u8) {
        // SAFETY: passed on.
        unsafe {
            match self.dtype.size() {
                1 => self.copy_elements::<1>(out),
                2 => self.copy_elements::<2>(out),
                4 => self.copy_elements::<4>(out),
                8 => self.copy_elements::<8>(out),
                _ => self.copy_elements::<16>(out),
            }
        }
    }

    /// # Safety
    /// As for `copy_all`; `N` is the size of an element.
    unsafe fn copy_elements<const N: usize>(&self, mut out: *mut u8) {
        let strides = self.strides.unwrap_or_default();
        let (Some((&n_inner, outer)), Some((&inner_stride, outer_strides))) =
            (self.shape.split_last(), strides.split_last())
        else {
            return;
        };
        let mut index = vec![0usize; outer.len()];
        loop {
            let offset: isize = index
                .iter()
                .zip(outer_strides)
                .map(|(&i, &s)| i as isize * s)
                .sum();
            // SAFETY: indices stay inside the shape, so that the caller's promise covers each address.
            unsafe {
                let mut from = self.data.offset(offset);
                for _ in 0..n_inner {
                    std::ptr::copy_nonoverlapping(from, out, N);
                    from = from.wrapping_offset(inner_stride);
                    out = out.add(N);
                }
            }
            if !advance(&mut index, outer) {
                return;
            }
        }
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
