//! DLPack: memory shared with other array libraries on the CPU.
//!
//! Tensors go out read-only where the consumer knows versions (it is told by a flag), as a copy where it does not.
//! Arrays come in without a copy where they are dense and aligned: whoever writes to one afterwards changes the tensor.

use crate::convert::core_error;
use crate::convert::strided::Strided;
use crate::work;
use ferrograph_tensor::{Buffer, DType, Tensor, row_major_strides};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

/// The CPU in DLPack's numbering, and memory of the CPU that a CUDA device also sees.
pub(super) const CPU: i32 = 1;
const CUDA_HOST: i32 = 3;
const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;
const NAME: &CStr = c"dltensor";
const USED: &CStr = c"used_dltensor";
const NAME_VERSIONED: &CStr = c"dltensor_versioned";
const USED_VERSIONED: &CStr = c"used_dltensor_versioned";

#[repr(C)]
struct DlDevice {
    kind: i32,
    id: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct DlDataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct DlTensor {
    data: *mut c_void,
    device: DlDevice,
    ndim: i32,
    dtype: DlDataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: DlTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

#[repr(C)]
struct ManagedVersioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut ManagedVersioned)>,
    flags: u64,
    tensor: DlTensor,
}

/// What keeps an exported tensor's memory and layout alive.
struct Exported {
    tensor: Tensor,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

impl Exported {
    fn new(tensor: Tensor) -> Box<Exported> {
        let strides = row_major_strides(tensor.shape());
        Box::new(Exported {
            shape: tensor.shape().iter().map(|&d| d as i64).collect(),
            strides: strides.iter().map(|&s| s as i64).collect(),
            tensor,
        })
    }

    fn describe(&mut self, dtype: DlDataType) -> DlTensor {
        DlTensor {
            data: self.tensor.bytes().as_ptr().cast_mut().cast(),
            device: DlDevice { kind: CPU, id: 0 },
            ndim: self.shape.len() as i32,
            dtype,
            shape: self.shape.as_mut_ptr(),
            strides: self.strides.as_mut_ptr(),
            byte_offset: 0,
        }
    }
}

/// The capsule that `__dlpack__(max_version=…, copy=…)` gives.
///
/// # Errors
/// `BufferError` for dtypes that DLPack does not have.
pub(super) fn to_dlpack<'py>(
    py: Python<'py>,
    tensor: &Tensor,
    max_version: Option<(u32, u32)>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let dtype = dl_dtype(tensor.dtype())
        .ok_or_else(|| PyBufferError::new_err(format!("DLPack has no dtype {}", tensor.dtype())))?;
    let versioned = max_version.is_some_and(|(major, _)| major >= 1);
    let copied = copy.unwrap_or(!versioned);
    let tensor = if copied {
        work::run(py, work::is_long(tensor.bytes().len() as f64), || {
            copy_of(tensor)
        })
        .map_err(|e| core_error(py, e))?
    } else {
        tensor.clone()
    };
    let mut exported = Exported::new(tensor);
    let described = exported.describe(dtype);
    let context = Box::into_raw(exported).cast();
    if versioned {
        let managed = ManagedVersioned {
            major: 1,
            minor: 0,
            context,
            deleter: Some(delete_versioned),
            flags: if copied { IS_COPIED } else { READ_ONLY },
            tensor: described,
        };
        capsule(py, Box::into_raw(Box::new(managed)).cast(), NAME_VERSIONED)
    } else {
        let managed = Managed {
            tensor: described,
            context,
            deleter: Some(delete),
        };
        capsule(py, Box::into_raw(Box::new(managed)).cast(), NAME)
    }
}

fn copy_of(tensor: &Tensor) -> ferrograph_tensor::Result<Tensor> {
    let mut copy = Tensor::empty(tensor.dtype(), tensor.shape().clone())?;
    if let Some(out) = copy.bytes_mut() {
        out.copy_from_slice(tensor.bytes());
    }
    Ok(copy)
}

fn capsule<'py>(py: Python<'py>, managed: *mut c_void, name: &CStr) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: `managed` is a fresh box of the struct that `name` represents; the names are static.
    unsafe {
        let made = ffi::PyCapsule_New(managed, name.as_ptr(), Some(drop_capsule));
        Bound::from_owned_ptr_or_err(py, made)
    }
}

/// Frees a capsule's tensor where nobody took it: a taken one bears another name.
///
/// # Safety
/// Called by the interpreter alone, with a capsule that `to_dlpack` made.
unsafe extern "C" fn drop_capsule(capsule: *mut ffi::PyObject) {
    // SAFETY: called by the interpreter with a capsule of `to_dlpack`; the name tells which struct it points to.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) != 0 {
            delete(ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast());
        } else if ffi::PyCapsule_IsValid(capsule, NAME_VERSIONED.as_ptr()) != 0 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, NAME_VERSIONED.as_ptr()).cast());
        }
    }
}

/// Frees a tensor that was handed out.
///
/// # Safety
/// Called once, by the last holder, with what `to_dlpack` made or with null.
unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: `managed` and its context are boxes of `to_dlpack`, freed once by whoever holds the tensor last.
    unsafe {
        if !managed.is_null() {
            drop(Box::from_raw((*managed).context.cast::<Exported>()));
            drop(Box::from_raw(managed));
        }
    }
}

/// As [`delete`], for the versioned struct.
///
/// # Safety
/// As for [`delete`].
unsafe extern "C" fn delete_versioned(managed: *mut ManagedVersioned) {
    // SAFETY: as in `delete`.
    unsafe {
        if !managed.is_null() {
            drop(Box::from_raw((*managed).context.cast::<Exported>()));
            drop(Box::from_raw(managed));
        }
    }
}

/// A tensor taken from a capsule, given back when dropped.
enum Taken {
    Plain(NonNull<Managed>),
    Versioned(NonNull<ManagedVersioned>),
}

// SAFETY: DLPack lets the consumer free the tensor from any thread.
unsafe impl Send for Taken {}
// SAFETY: the struct is only read, and freed once.
unsafe impl Sync for Taken {}

impl Taken {
    fn tensor(&self) -> &DlTensor {
        // SAFETY: the producer keeps the struct until its deleter is called, when `self` is dropped.
        unsafe {
            match self {
                Taken::Plain(managed) => &managed.as_ref().tensor,
                Taken::Versioned(managed) => &managed.as_ref().tensor,
            }
        }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        // SAFETY: the struct was taken from its capsule, so that freeing it is up to us, once.
        unsafe {
            match *self {
                Taken::Plain(managed) => {
                    if let Some(deleter) = managed.as_ref().deleter {
                        deleter(managed.as_ptr());
                    }
                }
                Taken::Versioned(managed) => {
                    if let Some(deleter) = managed.as_ref().deleter {
                        deleter(managed.as_ptr());
                    }
                }
            }
        }
    }
}

/// The tensor of an object with `__dlpack__`, or of a capsule that such a method gave.
///
/// Shares the producer's memory unless `copy` is set or the memory is strided, unaligned or of bools.
pub(crate) fn from_dlpack(obj: &Bound<'_, PyAny>, copy: bool) -> PyResult<Tensor> {
    let capsule = match obj.cast::<PyCapsule>() {
        Ok(capsule) => capsule.clone(),
        Err(_) => ask_for_capsule(obj)?,
    };
    let taken = take(&capsule)?;
    let described = taken.tensor();
    check_device(described.device.kind)?;
    let dl = described.dtype;
    let dtype = from_dl_dtype(dl).ok_or_else(|| {
        let DlDataType {
            code,
            bits,
            lanes: n,
        } = dl;
        PyTypeError::new_err(format!(
            "no dtype for DLPack's type code {code} of {bits} bits in vectors of {n}"
        ))
    })?;
    let strides = strides_of(described, dtype);
    let view = Strided {
        dtype,
        shape: shape_of(described)?.iter().copied().collect(),
        strides: strides.as_deref(),
        data: (described.data.cast::<u8>()).wrapping_add(described.byte_offset as usize),
    };
    let unit = if dtype.is_complex() {
        dtype.size() / 2
    } else {
        dtype.size()
    };
    let aligned = (view.data as usize).is_multiple_of(unit);
    let Some(data) = NonNull::new(view.data.cast_mut()) else {
        let empty = Tensor::empty(dtype, view.shape);
        return empty.map_err(|e| core_error(obj.py(), e));
    };
    if copy || !aligned || dtype == DType::Bool || !view.is_contiguous() {
        // SAFETY: the producer's memory is readable at each element while `taken` lives.
        return unsafe { view.to_tensor(obj.py(), || true) };
    }
    let shape = view.shape;
    let share = || {
        let len = shape.checked_count()? * dtype.size();
        // SAFETY: the producer's memory is readable while `taken`, which the buffer keeps, lives; not to write
        // to it while tensors share it is what DLPack asks of users.
        let buffer = unsafe { Buffer::foreign(data, len, Box::new(taken)) };
        Tensor::from_buffer(dtype, shape.clone(), Arc::new(buffer), 0)
    };
    share().map_err(|e| core_error(obj.py(), e))
}

fn ask_for_capsule<'py>(obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyCapsule>> {
    let py = obj.py();
    if let Some(device) = obj.getattr_opt(intern!(py, "__dlpack_device__"))? {
        let (kind, _): (i32, i32) = device.call0()?.extract()?;
        check_device(kind)?;
    }
    let method = obj.getattr_opt(intern!(py, "__dlpack__"))?.ok_or_else(|| {
        PyTypeError::new_err(format!(
            "expected a DLPack capsule or an object with __dlpack__, got {}",
            crate::convert::describe(obj)
        ))
    })?;
    let keywords = PyDict::new(py);
    keywords.set_item(intern!(py, "max_version"), (1, 0))?;
    let capsule = match method.call((), Some(&keywords)) {
        Err(e) if e.is_instance_of::<PyTypeError>(py) => method.call0()?,
        answer => answer?,
    };
    Ok(capsule.cast_into::<PyCapsule>()?)
}

pub(super) fn check_device(kind: i32) -> PyResult<()> {
    if matches!(kind, CPU | CUDA_HOST) {
        return Ok(());
    }
    Err(PyBufferError::new_err(format!(
        "the array is on a device (DLPack's number {kind}); move it to the CPU first"
    )))
}

/// Takes the tensor out of its capsule, so that the capsule no longer frees it.
fn take(capsule: &Bound<'_, PyCapsule>) -> PyResult<Taken> {
    let ptr = capsule.as_ptr();
    // SAFETY: `ptr` is a capsule; its name says which struct it points to, and renaming it transfers the ownership.
    unsafe {
        if ffi::PyCapsule_IsValid(ptr, NAME_VERSIONED.as_ptr()) != 0 {
            let managed = ffi::PyCapsule_GetPointer(ptr, NAME_VERSIONED.as_ptr());
            let managed = NonNull::new_unchecked(managed.cast::<ManagedVersioned>());
            if managed.as_ref().major > 1 {
                let why = format!("DLPack version {} is not known", managed.as_ref().major);
                return Err(PyBufferError::new_err(why));
            }
            ffi::PyCapsule_SetName(ptr, USED_VERSIONED.as_ptr());
            Ok(Taken::Versioned(managed))
        } else if ffi::PyCapsule_IsValid(ptr, NAME.as_ptr()) != 0 {
            let managed = ffi::PyCapsule_GetPointer(ptr, NAME.as_ptr());
            ffi::PyCapsule_SetName(ptr, USED.as_ptr());
            Ok(Taken::Plain(NonNull::new_unchecked(managed.cast())))
        } else {
            Err(PyValueError::new_err(
                "the capsule holds no DLPack tensor, or one that was consumed already",
            ))
        }
    }
}

fn shape_of(tensor: &DlTensor) -> PyResult<Vec<usize>> {
    let n = usize::try_from(tensor.ndim).unwrap_or(0);
    if n == 0 || tensor.shape.is_null() {
        return Ok(Vec::new());
    }
    // SAFETY: DLPack's `shape` points to `ndim` sizes.
    let dims = unsafe { std::slice::from_raw_parts(tensor.shape, n) };
    let negative = |_| PyValueError::new_err("a DLPack tensor with a negative size");
    dims.iter()
        .map(|&d| usize::try_from(d).map_err(negative))
        .collect()
}

/// Strides in bytes; `None` for row-major memory.
fn strides_of(tensor: &DlTensor, dtype: DType) -> Option<Vec<isize>> {
    let n = usize::try_from(tensor.ndim).unwrap_or(0);
    if tensor.strides.is_null() || n == 0 {
        return None;
    }
    // SAFETY: DLPack's `strides`, where there are some, point to `ndim` numbers of elements.
    let strides = unsafe { std::slice::from_raw_parts(tensor.strides, n) };
    Some(
        strides
            .iter()
            .map(|&s| s as isize * dtype.size() as isize)
            .collect(),
    )
}

fn dl_dtype(dtype: DType) -> Option<DlDataType> {
    let code = match dtype {
        DType::Bool => 6,
        DType::BFloat16 => 4,
        d if d.is_unsigned() => 1,
        d if d.is_integer() => 0,
        d if d.is_floating() => 2,
        d if d.is_complex() => 5,
        _ => return None,
    };
    let bits = 8 * dtype.size() as u8;
    Some(DlDataType {
        code,
        bits,
        lanes: 1,
    })
}

fn from_dl_dtype(dl: DlDataType) -> Option<DType> {
    let same = |d: DlDataType| (d.code, d.bits, d.lanes) == (dl.code, dl.bits, dl.lanes);
    let mut all = DType::ALL.iter().copied();
    all.find(|&d| dl_dtype(d).is_some_and(same))
}
