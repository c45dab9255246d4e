//! The structs of the Arrow C data interface, and the capsules that carry them between Python libraries.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CStr, c_char, c_void};

pub(crate) const SCHEMA: &CStr = c"arrow_schema";
pub(crate) const ARRAY: &CStr = c"arrow_array";

/// The type of an array.
#[repr(C)]
pub(crate) struct ArrowSchema {
    pub format: *const c_char,
    pub name: *const c_char,
    pub metadata: *const c_char,
    pub flags: i64,
    pub n_children: i64,
    pub children: *mut *mut ArrowSchema,
    pub dictionary: *mut ArrowSchema,
    pub release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub private_data: *mut c_void,
}

/// The memory of an array: first the bits that tell which elements are there, null where all are.
#[repr(C)]
pub(crate) struct ArrowArray {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub n_buffers: i64,
    pub n_children: i64,
    pub buffers: *mut *const c_void,
    pub children: *mut *mut ArrowArray,
    pub dictionary: *mut ArrowArray,
    pub release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub private_data: *mut c_void,
}

/// The struct that a capsule of that name carries.
///
/// # Errors
/// `TypeError` for what is no such capsule; `ValueError` for one of another name.
pub(crate) fn carried<'a, T>(capsule: &'a Bound<'_, PyAny>, name: &CStr) -> PyResult<&'a T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    // SAFETY: a capsule; a pointer is given out for the right name alone, and is then one to the struct of that name.
    unsafe {
        let found = ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()).cast::<T>();
        found.as_ref().ok_or_else(|| PyErr::fetch(capsule.py()))
    }
}

/// The format of a schema.
pub(crate) fn format_of(schema: &ArrowSchema) -> &CStr {
    if schema.format.is_null() {
        return c"";
    }
    // SAFETY: the interface has a text that ends with a zero there, which lives as long as the schema.
    unsafe { CStr::from_ptr(schema.format) }
}
