//! What only tensors with a value can.

use super::{PyEager, pickling};
use crate::errors::IntoPyResult;
use crate::export;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

#[pymethods]
impl PyEager {
    /// The shape as far as known, a TensorShape.
    fn get_shape<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.as_super().get().shape(slf.py())
    }

    /// Where the memory of the value is: a name of the CPU.
    #[getter]
    fn backing_device(&self) -> &'static str {
        super::DEVICE
    }

    /// False: a tensor is on one device.
    #[getter]
    fn is_packed(&self) -> bool {
        false
    }

    /// This tensor: there is no other device than the CPU.
    fn cpu<'py>(slf: &Bound<'py, Self>) -> Bound<'py, Self> {
        slf.clone()
    }

    /// The value as a NumPy array of its own, which may be written to; a NumPy scalar for a scalar. `numpy.asarray`
    /// gives a read-only array that shares the tensor's memory.
    fn numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        export::to_numpy(slf.py(), slf.as_super())
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        export::to_array(slf.py(), slf.as_super(), dtype, copy)
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = export::DlpackOptions {
            stream,
            max_version,
            dl_device,
            copy,
        };
        export::to_dlpack(slf.py(), &slf.as_super().get().val, &options)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        slf: &Bound<'py, Self>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        export::to_arrow(slf.py(), &slf.as_super().get().val, requested_schema)
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        export::DLPACK_CPU
    }

    // SAFETY: unsafe because the slot's signature is; CPython passes a view to be filled.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: std::os::raw::c_int,
    ) -> PyResult<()> {
        // SAFETY: CPython calls this slot with a valid view, as the callee requires.
        unsafe { export::get_buffer(slf.as_super(), view, flags) }
    }

    // SAFETY: unsafe because the slot's signature is; CPython passes a view that `__getbuffer__` filled.
    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: CPython calls this slot with a view that `__getbuffer__` filled.
        unsafe { export::release_buffer(view) }
    }

    fn __int__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        export::to_number(slf.as_super(), "int")
    }

    fn __float__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        export::to_number(slf.as_super(), "float")
    }

    fn __complex__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        export::to_number(slf.as_super(), "complex")
    }

    fn __index__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        export::to_number(slf.as_super(), "index")
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, _memo: &Bound<'py, PyDict>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let val = &slf.as_super().get().val;
        pickling::reduce(slf.py(), val.expect_tensor().or_raise(slf.py())?)
    }
}
