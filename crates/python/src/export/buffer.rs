//! The buffer protocol over a tensor's memory, read-only.

use crate::convert::format_of;
use ferrograph_tensor::{Tensor, row_major_strides};
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_int;

/// What a view's pointers point to, freed with the view.
struct Layout {
    shape: Vec<ffi::Py_ssize_t>,
    strides: Vec<ffi::Py_ssize_t>,
}

/// Fills a view over the tensor's memory; `owner` is the object that was asked and keeps the tensor alive.
///
/// # Safety
/// `view` must point to a view to be filled, as in `__getbuffer__`; `owner` must hold `tensor` as long as it lives.
pub(super) unsafe fn fill(
    view: *mut ffi::Py_buffer,
    flags: c_int,
    owner: &Bound<'_, PyAny>,
    tensor: &Tensor,
) -> PyResult<()> {
    if view.is_null() {
        return Err(PyBufferError::new_err("no view to fill"));
    }
    // SAFETY: the caller's promise.
    let view = unsafe { &mut *view };
    view.obj = std::ptr::null_mut();
    if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
        return Err(PyBufferError::new_err(
            "tensors are immutable: no writable buffer",
        ));
    }
    let Some(format) = format_of(tensor.dtype()) else {
        let why = format!("the buffer protocol has no format for {}", tensor.dtype());
        return Err(PyBufferError::new_err(why));
    };
    let size = tensor.dtype().size() as ffi::Py_ssize_t;
    let strides = row_major_strides(tensor.shape());
    let layout = Box::new(Layout {
        shape: tensor
            .shape()
            .iter()
            .map(|&d| d as ffi::Py_ssize_t)
            .collect(),
        strides: strides
            .iter()
            .map(|&s| s as ffi::Py_ssize_t * size)
            .collect(),
    });
    let wants = |flag| flags & flag == flag;
    let layout = Box::into_raw(layout);
    // SAFETY: `layout` was made just now and lives until the view is released.
    let parts = unsafe { &mut *layout };
    view.buf = tensor.bytes().as_ptr().cast_mut().cast();
    view.len = tensor.bytes().len() as ffi::Py_ssize_t;
    view.readonly = 1;
    view.itemsize = size;
    view.format = match wants(ffi::PyBUF_FORMAT) {
        true => format.as_ptr().cast_mut(),
        false => std::ptr::null_mut(),
    };
    view.ndim = tensor.rank() as c_int;
    view.shape = match wants(ffi::PyBUF_ND) {
        true => parts.shape.as_mut_ptr(),
        false => std::ptr::null_mut(),
    };
    view.strides = match wants(ffi::PyBUF_STRIDES) {
        true => parts.strides.as_mut_ptr(),
        false => std::ptr::null_mut(),
    };
    view.suboffsets = std::ptr::null_mut();
    view.internal = layout.cast();
    view.obj = owner.clone().into_ptr();
    Ok(())
}

/// Frees what [`fill`] made.
///
/// # Safety
/// `view` must be one that `fill` filled and that is being released, as in `__releasebuffer__`.
pub(super) unsafe fn release(view: *mut ffi::Py_buffer) {
    // SAFETY: the caller's promise: `internal` is the box of `fill`, freed here once.
    unsafe {
        let layout = (*view).internal.cast::<Layout>();
        if !layout.is_null() {
            drop(Box::from_raw(layout));
            (*view).internal = std::ptr::null_mut();
        }
    }
}
