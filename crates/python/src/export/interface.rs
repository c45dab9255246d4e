//! NumPy's C interface: the table of functions in its capsule, found at the first use.
//!
//! Looking it up runs Python code, in which an exception may arrive (Ctrl-C, say): it is answered, where the look-up of
//! the `numpy` crate panics. The slots and signatures are those of NumPy's stable interface (`numpy/__multiarray_api.h`).

use numpy::npyffi::{NPY_VERSION, PyArray_Descr, PyArrayObject, npy_intp};
use pyo3::exceptions::{PyImportError, PyModuleNotFoundError};
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyCapsule;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{NonNull, null_mut};

type DescrFromType = unsafe extern "C" fn(c_int) -> *mut PyArray_Descr;
type Scalar = unsafe extern "C" fn(*mut c_void, *mut PyArray_Descr, *mut PyObject) -> *mut PyObject;
type NewFromDescr = unsafe extern "C" fn(
    *mut ffi::PyTypeObject,
    *mut PyArray_Descr,
    c_int,
    *mut npy_intp,
    *mut npy_intp,
    *mut c_void,
    c_int,
    *mut PyObject,
) -> *mut PyObject;
type SetBaseObject = unsafe extern "C" fn(*mut PyArrayObject, *mut PyObject) -> c_int;

/// The functions of NumPy that arrays are made with.
pub(super) struct Interface {
    array_type: NonNull<ffi::PyTypeObject>,
    descr_from_type: DescrFromType,
    scalar: Scalar,
    new_from_descr: NewFromDescr,
    set_base_object: SetBaseObject,
}

// SAFETY: the functions and the type object live as long as the process; all use needs the interpreter attached.
unsafe impl Send for Interface {}
// SAFETY: as above.
unsafe impl Sync for Interface {}

/// The interface of the installed NumPy, which is imported; ImportError where there is none known here.
pub(super) fn interface(py: Python<'_>) -> PyResult<&'static Interface> {
    static FOUND: PyOnceLock<Interface> = PyOnceLock::new();
    FOUND.get_or_try_init(py, || look_up(py))
}

fn look_up(py: Python<'_>) -> PyResult<Interface> {
    let capsule = multiarray(py)?.getattr("_ARRAY_API")?;
    let capsule = capsule.cast_into::<PyCapsule>()?;
    let table = capsule.pointer_checked(None)?.cast::<*const c_void>();
    std::mem::forget(capsule); // the table lives as long as the process
    // SAFETY: slot 0 of the table is the function that tells the version of the layout of arrays.
    let version = unsafe {
        let version: extern "C" fn() -> c_uint = table.cast().read();
        version()
    };
    if version > NPY_VERSION {
        let why = format!(
            "this NumPy's arrays have layout {version:#x}; those up to {NPY_VERSION:#x} are known here"
        );
        return Err(PyImportError::new_err(why));
    }
    // SAFETY: each slot of the table of such a version holds a pointer of the type that is read from it.
    unsafe {
        Ok(Interface {
            array_type: table.add(2).cast().read(),
            descr_from_type: table.add(45).cast().read(),
            scalar: table.add(60).cast().read(),
            new_from_descr: table.add(94).cast().read(),
            set_base_object: table.add(282).cast().read(),
        })
    }
}

/// The module that holds the table: NumPy 2 moved it.
fn multiarray(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("numpy")?;
    match py.import("numpy._core.multiarray") {
        Err(e) if e.is_instance_of::<PyModuleNotFoundError>(py) => {
            py.import("numpy.core.multiarray")
        }
        found => found,
    }
}

impl Interface {
    /// The descriptor of one of NumPy's own type numbers.
    pub fn descr<'py>(&self, py: Python<'py>, type_num: c_int) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: NumPy gives a new reference, or null with an exception set.
        unsafe { Bound::from_owned_ptr_or_err(py, (self.descr_from_type)(type_num).cast()) }
    }

    /// NumPy's scalar of the element at `data`.
    ///
    /// # Safety
    /// `data` points to an element of the dtype that `descr`, a descriptor of NumPy, describes.
    pub unsafe fn scalar<'py>(
        &self,
        descr: &Bound<'py, PyAny>,
        data: *const u8,
    ) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the caller's; the element is copied, and the reference to the descriptor stays the caller's.
        unsafe {
            let data = data.cast_mut().cast();
            let scalar = (self.scalar)(data, descr.as_ptr().cast(), null_mut());
            Bound::from_owned_ptr_or_err(descr.py(), scalar)
        }
    }

    /// An array of these sizes in row-major order: over `data`, or with memory of its own where that is null.
    ///
    /// # Safety
    /// `descr` is a descriptor of NumPy; `data` is null, or points to as many elements of it as the sizes say, which
    /// live as long as the array.
    pub unsafe fn array<'py>(
        &self,
        descr: Bound<'py, PyAny>,
        dims: &mut [npy_intp],
        data: *mut u8,
        flags: c_int,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = descr.py();
        // SAFETY: the caller's; NumPy checks the number of sizes, copies them, and takes over the descriptor.
        unsafe {
            let array = (self.new_from_descr)(
                self.array_type.as_ptr(),
                descr.into_ptr().cast(),
                dims.len() as c_int,
                dims.as_mut_ptr(),
                null_mut(),
                data.cast(),
                flags,
                null_mut(),
            );
            Bound::from_owned_ptr_or_err(py, array)
        }
    }

    /// Lets `array` keep `owner` alive.
    ///
    /// # Safety
    /// `array` is an array of NumPy that has no base yet.
    pub unsafe fn set_base<'py>(
        &self,
        array: &Bound<'py, PyAny>,
        owner: Bound<'py, PyAny>,
    ) -> PyResult<()> {
        // SAFETY: the caller's; NumPy takes over the reference to the owner.
        let status = unsafe { (self.set_base_object)(array.as_ptr().cast(), owner.into_ptr()) };
        match status {
            0.. => Ok(()),
            _ => Err(PyErr::fetch(array.py())),
        }
    }
}
