//! Two folders in one another's places.

use crate::fork::unlocked;
use pyo3::prelude::*;
use std::io;
use std::path::{Path, PathBuf};

/// Gives each of two files or folders the other's name, at one moment. False where the system or the file system has no
/// such thing; an OSError where it fails otherwise.
#[pyfunction]
pub(crate) fn exchange_files(py: Python<'_>, a: PathBuf, b: PathBuf) -> PyResult<bool> {
    Ok(unlocked(py, || exchanged(&a, &b))?)
}

#[cfg(target_os = "linux")]
fn exchanged(a: &Path, b: &Path) -> io::Result<bool> {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    let text = |path: &Path| CString::new(path.as_os_str().as_bytes());
    let (a, b) = (text(a)?, text(b)?);
    // SAFETY: both texts end with a zero and live until the call returns, which keeps neither.
    let status = unsafe {
        libc::syscall(
            libc::SYS_renameat2,
            libc::AT_FDCWD,
            a.as_ptr(),
            libc::AT_FDCWD,
            b.as_ptr(),
            libc::RENAME_EXCHANGE,
        )
    };
    if status == 0 {
        return Ok(true);
    }
    let e = io::Error::last_os_error();
    match e.raw_os_error() {
        Some(libc::ENOSYS | libc::EINVAL | libc::EOPNOTSUPP | libc::EPERM) => Ok(false),
        _ => Err(e),
    }
}

#[cfg(not(target_os = "linux"))]
fn exchanged(_a: &Path, _b: &Path) -> io::Result<bool> {
    Ok(false)
}
