//! Python texts made once, for which no thread waits: what a fork leaves behind while it makes one would be waited for
//! in the child for ever.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A text as an interned Python object, which stays as long as the process.
pub(crate) struct Text {
    text: &'static str,
    made: AtomicPtr<ffi::PyObject>,
}

impl Text {
    pub(crate) const fn new(text: &'static str) -> Text {
        Text {
            text,
            made: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// The object. Of several that are made at the same time the first stays.
    #[inline]
    pub(crate) fn get<'py>(&'static self, py: Python<'py>) -> Borrowed<'static, 'py, PyString> {
        let mut made = self.made.load(Ordering::Acquire);
        if made.is_null() {
            made = self.make(py);
        }
        // SAFETY: a text that was made below, of which a reference is held for ever.
        unsafe { Borrowed::from_ptr(py, made).cast_unchecked() }
    }

    #[cold]
    fn make(&'static self, py: Python<'_>) -> *mut ffi::PyObject {
        let new = PyString::intern(py, self.text).into_ptr();
        let none = std::ptr::null_mut();
        let kept = self
            .made
            .compare_exchange(none, new, Ordering::AcqRel, Ordering::Acquire);
        match kept {
            Ok(_) => new,
            Err(first) => {
                // SAFETY: `into_ptr` above gave this reference away.
                drop(unsafe { Bound::from_owned_ptr(py, new) });
                first
            }
        }
    }
}

/// A text of the program as a Python object.
macro_rules! intern {
    ($py:expr, $text:expr) => {{
        static TEXT: $crate::once::Text = $crate::once::Text::new($text);
        TEXT.get($py)
    }};
}
