//! NumPy's arrays and scalars to tensors, without importing NumPy.

use super::scalar::{self, Scalar};
use super::strided::Strided;
use super::{cast_freely, core_error, no_tensor, sequence};
use crate::export::TensorOwner;
use crate::tensor::PyTensor;
use crate::yield_gil::GilYield;
use ferrograph_tensor::{DType, Shape, Tensor};
use numpy::npyffi::{NPY_ARRAY_ALIGNED, NPY_ARRAY_WRITEABLE, PyArrayObject, PyArrayObject_fields};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyMemoryView, PySlice, PyType};
use smallvec::SmallVec;

struct Types {
    ndarray: Py<PyType>,
    generic: Py<PyType>,
    scalars: Vec<(Py<PyType>, DType)>,
}

/// NumPy's scalar types under each of their names.
const SCALARS: &[(&str, DType)] = &[
    ("float64", DType::Float64),
    ("float32", DType::Float32),
    ("int64", DType::Int64),
    ("int32", DType::Int32),
    ("bool_", DType::Bool),
    ("int8", DType::Int8),
    ("int16", DType::Int16),
    ("uint8", DType::UInt8),
    ("uint16", DType::UInt16),
    ("uint32", DType::UInt32),
    ("uint64", DType::UInt64),
    ("float16", DType::Float16),
    ("complex64", DType::Complex64),
    ("complex128", DType::Complex128),
    ("longlong", DType::Int64),
    ("ulonglong", DType::UInt64),
    ("intc", DType::Int32),
    ("uintc", DType::UInt32),
];

/// NumPy's types, where something has imported NumPy.
fn types(py: Python<'_>) -> Option<&'static Types> {
    static TYPES: PyOnceLock<Types> = PyOnceLock::new();
    if let Some(found) = TYPES.get(py) {
        return Some(found);
    }
    let module = imported(py, "numpy")?;
    let class = |name: &str| -> Option<Py<PyType>> {
        Some(
            module
                .getattr(name)
                .ok()?
                .cast_into::<PyType>()
                .ok()?
                .unbind(),
        )
    };
    let types = Types {
        ndarray: class("ndarray")?,
        generic: class("generic")?,
        scalars: SCALARS
            .iter()
            .map(|&(name, dtype)| Some((class(name)?, dtype)))
            .collect::<Option<_>>()?,
    };
    let _ = TYPES.set(py, types);
    TYPES.get(py)
}

/// A module that something has imported already.
fn imported<'py>(py: Python<'py>, name: &str) -> Option<Bound<'py, PyAny>> {
    let sys = py.import(intern!(py, "sys")).ok()?;
    let modules = sys.getattr(intern!(py, "modules")).ok()?;
    modules.cast::<PyDict>().ok()?.get_item(name).ok()?
}

/// The tensor of a NumPy array or scalar; `None` for other objects.
pub(super) fn tensor_of(obj: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Option<Tensor>> {
    let py = obj.py();
    if sequence::is_plain(obj) {
        return Ok(None);
    }
    let Some(types) = types(py) else {
        return Ok(None);
    };
    let class = obj.get_type();
    if class.is(&types.ndarray) || class.is_subclass(types.ndarray.bind(py))? {
        let tensor = match dtype {
            Some(dtype) => numbers_among_objects(obj, dtype)?,
            None => None,
        };
        let tensor = tensor.map_or_else(|| array(obj), Ok)?;
        return cast_freely(obj, tensor, dtype).map(Some);
    }
    match scalar_of(obj)? {
        Some(scalar) => scalar.to_tensor(obj, dtype).map(Some),
        None => Ok(None),
    }
}

/// The value of a NumPy number; `None` for other objects, NumPy's text included, which is Python's too.
pub(super) fn scalar_of(obj: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    let py = obj.py();
    let Some(types) = types(py) else {
        return Ok(None);
    };
    let class = obj.get_type();
    if let Some((_, dtype)) = types.scalars.iter().find(|(t, _)| class.is(t)) {
        return scalar::numpy_value(obj, *dtype).map(Some);
    }
    if !class.is_subclass(types.generic.bind(py))? {
        return Ok(None);
    }
    let added = added(class.name()?.to_str()?);
    added
        .map(|dtype| scalar::numpy_value(obj, dtype))
        .transpose()
}

/// The dtype of that name that the package `ml_dtypes` adds to NumPy's.
fn added(name: &str) -> Option<DType> {
    DType::from_name(name).filter(|d| *d == DType::BFloat16 || d.float8().is_some())
}

/// The fields of an array object.
///
/// # Safety
/// `obj` must be an instance of `numpy.ndarray`.
unsafe fn fields<'a>(obj: &'a Bound<'_, PyAny>) -> &'a PyArrayObject_fields {
    // SAFETY: the caller's promise; an array keeps its layout while a reference to it lives.
    unsafe { &(*obj.as_ptr().cast::<PyArrayObject>()).fields }
}

/// The tensor of an array: a copy, except of memory that is a tensor's own.
fn array(obj: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    // SAFETY: the callers have checked the class.
    let fields = unsafe { fields(obj) };
    let Some(dtype) = dense_dtype(obj, fields)? else {
        return indirect(obj);
    };
    let n = fields.nd as usize;
    // SAFETY: an array has `nd` dimensions and strides; the pointers may be null where `nd` is 0.
    let (dims, strides) = unsafe {
        match n {
            0 => (&[][..], &[][..]),
            _ => (
                std::slice::from_raw_parts(fields.dimensions, n),
                std::slice::from_raw_parts(fields.strides, n),
            ),
        }
    };
    // Another thread may give the array other dimensions while it is copied.
    let kept: SmallVec<[isize; 8]> = strides.iter().copied().collect();
    let view = Strided {
        dtype,
        shape: dims.iter().map(|&d| d as usize).collect::<Shape>(),
        strides: Some(&kept),
        data: fields.data.cast(),
    };
    if let Some(tensor) = shared(obj.py(), fields, &view) {
        return Ok(tensor);
    }
    let dimensions = fields.dimensions.cast_const();
    let is_there = || {
        // SAFETY: as above; a look at the fields by their own, as another thread may have changed them.
        let now = unsafe { self::fields(obj) };
        now.data.cast_const().cast() == view.data && now.dimensions.cast_const() == dimensions
    };
    // SAFETY: the array's memory is readable at each of its elements while it is the array's, and `obj` lives.
    unsafe { view.to_tensor(obj.py(), is_there) }
}

/// The dtype of an array whose elements are plain numbers in this machine's byte order.
fn dense_dtype(obj: &Bound<'_, PyAny>, fields: &PyArrayObject_fields) -> PyResult<Option<DType>> {
    // SAFETY: an array has a descriptor; these of its fields are alike in every NumPy.
    let descr = unsafe { &(*fields.descr).fields };
    let swapped = if cfg!(target_endian = "little") {
        b'>'
    } else {
        b'<'
    };
    if descr.byteorder as u8 == swapped {
        return Ok(None);
    }
    let long = size_of::<std::ffi::c_long>() == 8;
    Ok(match descr.type_num {
        0 => Some(DType::Bool),
        1 => Some(DType::Int8),
        2 => Some(DType::UInt8),
        3 => Some(DType::Int16),
        4 => Some(DType::UInt16),
        5 => Some(DType::Int32),
        6 => Some(DType::UInt32),
        7 => Some(if long { DType::Int64 } else { DType::Int32 }),
        8 => Some(if long { DType::UInt64 } else { DType::UInt32 }),
        9 => Some(DType::Int64),
        10 => Some(DType::UInt64),
        11 => Some(DType::Float32),
        12 => Some(DType::Float64),
        14 => Some(DType::Complex64),
        15 => Some(DType::Complex128),
        23 => Some(DType::Float16),
        user if user >= 256 => added(&dtype_name(obj)?),
        _ => None,
    })
}

fn dtype_name(obj: &Bound<'_, PyAny>) -> PyResult<String> {
    let dtype = obj.getattr(intern!(obj.py(), "dtype"))?;
    dtype.getattr(intern!(obj.py(), "name"))?.extract()
}

/// The tensor of an array of text, objects or foreign byte order.
fn indirect(obj: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let py = obj.py();
    let dtype = obj.getattr(intern!(py, "dtype"))?;
    let kind: String = dtype.getattr(intern!(py, "kind"))?.extract()?;
    match kind.as_str() {
        "b" | "i" | "u" | "f" | "c" if !dtype.getattr("isnative")?.is_truthy()? => {
            let native = dtype.call_method1("newbyteorder", ("=",))?;
            array(&obj.call_method1("astype", (native,))?)
        }
        "S" | "U" | "T" | "O" => {
            if obj.getattr("size")?.extract::<usize>()? == 0 {
                let dims: Vec<usize> = obj.getattr("shape")?.extract()?;
                let empty = Tensor::from_strings(Shape::from(dims.as_slice()), Vec::new());
                return empty.map_err(|e| core_error(py, e));
            }
            let asked = (kind != "O").then_some(DType::String);
            let list = listed(obj)?;
            let tensor = if sequence::is_plain(&list) {
                sequence::tensor_of(&list, asked)?
            } else {
                super::tensor_from_py(&list, asked)?
            };
            give_back(list)?;
            tensor.ok_or_else(|| no_tensor(obj, "it holds tensors; stack them instead"))
        }
        _ => {
            let why = format!("tensors have no dtype {dtype}");
            Err(no_tensor(obj, &why))
        }
    }
}

/// The tensor of an array of objects that are numbers, in a dtype that holds all those of `dtype`; `None` for others.
fn numbers_among_objects(obj: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<Tensor>> {
    let py = obj.py();
    if dtype == DType::String || !obj.getattr("dtype")?.getattr("hasobject")?.is_truthy()? {
        return Ok(None);
    }
    let wide = match dtype {
        d if d.is_floating() => DType::Float64,
        d => d,
    };
    match obj.call_method1("astype", (wide.name(),)) {
        Ok(numbers) => array(&numbers).map(Some),
        Err(e) if e.is_instance_of::<PyOverflowError>(py) => Err(e),
        Err(e) => match array(obj) {
            Ok(other) if other.dtype().is_complex() && !dtype.is_complex() => Err(e),
            other => other.map(Some),
        },
    }
}

/// Rows of an array that are listed at a stretch hold about as many elements.
const LISTED: usize = 4096;

/// The nested list of an array's elements.
fn listed<'py>(obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = obj.py();
    let size: usize = obj.getattr(intern!(py, "size"))?.extract()?;
    if size <= LISTED {
        return obj.call_method0(intern!(py, "tolist"));
    }
    let n_rows = obj.len()?;
    let step = (n_rows * LISTED / size).max(1);
    let (all, mut gil) = (PyList::empty(py), GilYield::new());
    for first in (0..n_rows).step_by(step) {
        let rows = obj.get_item(PySlice::new(py, first as isize, (first + step) as isize, 1))?;
        all.call_method1(
            intern!(py, "extend"),
            (rows.call_method0(intern!(py, "tolist"))?,),
        )?;
        gil.pause(py)?;
    }
    Ok(all.into_any())
}

/// Drops a list that `listed` made, piece by piece.
fn give_back(list: Bound<'_, PyAny>) -> PyResult<()> {
    let (py, mut gil) = (list.py(), GilYield::new());
    let Ok(list) = list.cast_into::<PyList>() else {
        return Ok(());
    };
    while list.len() > LISTED {
        list.del_slice(list.len() - LISTED, list.len())?;
        gil.pause(py)?;
    }
    Ok(())
}

/// The tensor whose own memory an array shows, as the arrays that tensors export do.
fn shared(py: Python<'_>, fields: &PyArrayObject_fields, view: &Strided<'_>) -> Option<Tensor> {
    let unchanging = fields.flags & NPY_ARRAY_WRITEABLE == 0;
    let aligned = fields.flags & NPY_ARRAY_ALIGNED != 0;
    if !unchanging || !aligned || fields.base.is_null() || !view.is_contiguous() {
        return None;
    }
    // SAFETY: a base that is not null is a live object.
    let mut base = unsafe { Bound::from_borrowed_ptr(py, fields.base) };
    if base.get_type().is(&types(py)?.ndarray) {
        // SAFETY: the class was checked just now; as above.
        base = unsafe {
            let inner = self::fields(&base).base;
            if inner.is_null() {
                return None;
            }
            Bound::from_borrowed_ptr(py, inner)
        };
    }
    let owner = owner_of(&base)?;
    if owner.dtype() != view.dtype {
        return None;
    }
    let (buffer, start) = owner.buffer()?;
    let within = (view.data as usize).checked_sub(owner.bytes().as_ptr() as usize)?;
    Tensor::from_buffer(
        view.dtype,
        view.shape.clone(),
        buffer.clone(),
        start + within,
    )
    .ok()
}

/// The tensor that an array's base keeps: by `numpy()`, or by a view of the tensor's buffer.
fn owner_of(base: &Bound<'_, PyAny>) -> Option<Tensor> {
    if let Ok(owner) = base.cast_exact::<TensorOwner>() {
        return Some(owner.get().tensor().clone());
    }
    let view = base.cast_exact::<PyMemoryView>().ok()?;
    let viewed = view.getattr(intern!(base.py(), "obj")).ok()?;
    let tensor = viewed.cast::<PyTensor>().ok()?;
    tensor.get().val.expect_tensor().ok().cloned()
}
