//! Augmented assignments of symbolic tensors. A tensor is not changed in place, so they are left to the plain
//! operators; a tensor that represents a NumPy array is asked for what the array would hold.
//!
//! The slots are set by hand: the classes that `pyo3` makes can only change an object in place, not give another one.

use super::PySymbolic;
use crate::hooks::hooks;
use crate::operators::has_numpy_traces;
use pyo3::ffi;
use pyo3::prelude::*;

/// The result of an augmented assignment at one of these slots, as a new reference.
fn ask(left: *mut ffi::PyObject, right: *mut ffi::PyObject, sign: &str) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls slots attached, with two live objects.
    let (py, tensor, other) = unsafe {
        let py = Python::assume_attached();
        let tensor = Bound::from_borrowed_ptr(py, left);
        (py, tensor, Bound::from_borrowed_ptr(py, right))
    };
    if !has_numpy_traces() {
        return py.NotImplemented().into_ptr();
    }
    let result =
        hooks(py).and_then(|hooks| hooks.numpy_in_place.bind(py).call1((tensor, other, sign)));
    match result {
        Ok(found) => found.into_ptr(),
        Err(error) => {
            error.restore(py);
            std::ptr::null_mut()
        }
    }
}

macro_rules! slots {
    ($($slot:ident: $sign:literal,)*) => {
        $(unsafe extern "C" fn $slot(left: *mut ffi::PyObject, right: *mut ffi::PyObject) -> *mut ffi::PyObject {
            ask(left, right, $sign)
        })*

        /// Sets the slots of the class; called once, before there are tensors.
        pub(crate) fn install(py: Python<'_>) {
            let class = py.get_type::<PySymbolic>();
            // SAFETY: the class is a heap type, whose number methods are its own and stay where they are, and no
            // other thread knows it yet.
            unsafe {
                let class = class.as_type_ptr();
                let numbers = (*class).tp_as_number;
                $((*numbers).$slot = Some($slot);)*
                (*numbers).nb_inplace_power = Some(nb_inplace_power);
                ffi::PyType_Modified(class);
            }
        }
    };
}

slots! {
    nb_inplace_add: "+",
    nb_inplace_subtract: "-",
    nb_inplace_multiply: "*",
    nb_inplace_true_divide: "/",
    nb_inplace_floor_divide: "//",
    nb_inplace_remainder: "%",
    nb_inplace_matrix_multiply: "@",
    nb_inplace_and: "&",
    nb_inplace_or: "|",
    nb_inplace_xor: "^",
    nb_inplace_lshift: "<<",
    nb_inplace_rshift: ">>",
}

unsafe extern "C" fn nb_inplace_power(
    left: *mut ffi::PyObject,
    right: *mut ffi::PyObject,
    _: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    ask(left, right, "**")
}
