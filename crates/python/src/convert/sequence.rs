//! Nested sequences to tensors: every level of one length, every element of one class.

use super::scalar::{Class, Scalar, small_int};
use super::values::Values;
use super::{does_not_convert, foreign, no_tensor, numpy};
use crate::bridge::is_tensor_like;
use crate::work;
use crate::yield_gil::GilYield;
use ferrograph_tensor::{DType, Shape, Tensor};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList, PyRange, PySequence, PyTuple};

/// Sequences nested deeper are refused: no tensor has as many dimensions.
const DEEPEST: usize = 64;

/// Whether an object is a list, tuple or range, which nothing but a walk converts.
pub(super) fn is_plain(obj: &Bound<'_, PyAny>) -> bool {
    obj.is_instance_of::<PyList>()
        || obj.is_instance_of::<PyTuple>()
        || obj.is_instance_of::<PyRange>()
}

/// Why a walk stops early.
enum Stop {
    /// A tensor stands among the elements.
    Tensor,
    Raised(PyErr),
}

impl From<PyErr> for Stop {
    fn from(e: PyErr) -> Stop {
        Stop::Raised(e)
    }
}

/// The tensor of a nested sequence; `None` where tensors stand in it.
pub(super) fn tensor_of(obj: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Option<Tensor>> {
    let mut walk = Walk {
        asked: dtype,
        dims: Vec::new(),
        at: Vec::new(),
        rank: None,
        values: dtype.map(Values::of_dtype),
        float: None,
        gil: GilYield::new(),
    };
    match walk.read(obj) {
        Ok(()) => walk.finish(obj).map(Some),
        Err(Stop::Tensor) => Ok(None),
        Err(Stop::Raised(e)) => Err(e),
    }
}

struct Walk {
    asked: Option<DType>,
    /// The lengths of the levels seen so far.
    dims: Vec<usize>,
    /// The indices of the element being read.
    at: Vec<usize>,
    /// The number of levels, once an element or an empty level was seen.
    rank: Option<usize>,
    values: Option<Values>,
    /// The dtype of the first element where it is one of NumPy's floats.
    float: Option<DType>,
    gil: GilYield,
}

impl Walk {
    fn read(&mut self, obj: &Bound<'_, PyAny>) -> Result<(), Stop> {
        if let Some(scalar) = Scalar::exact(obj)? {
            return self.push(obj, scalar);
        }
        if let Ok(list) = obj.cast::<PyList>() {
            self.enter(obj, list.len())?;
            return self.read_all(obj, list.len(), list.iter());
        }
        if let Ok(tuple) = obj.cast::<PyTuple>() {
            self.enter(obj, tuple.len())?;
            return self.read_all(obj, tuple.len(), tuple.iter());
        }
        if let Some(scalar) = Scalar::of(obj)? {
            return self.push(obj, scalar);
        }
        self.read_other(obj)
    }

    /// Reads an array, or any other sequence.
    fn read_other(&mut self, obj: &Bound<'_, PyAny>) -> Result<(), Stop> {
        if let Some(array) = numpy::tensor_of(obj, None)? {
            return self.append(obj, &array);
        }
        if is_tensor_like(obj)? {
            return Err(Stop::Tensor);
        }
        if let Some(array) = foreign::tensor_of(obj)? {
            return self.append(obj, &array);
        }
        if !is_sequence(obj)? {
            return Err(no_tensor(obj, "it is no number, text, array or sequence").into());
        }
        let length = obj.len()?;
        if Vec::<i64>::new().try_reserve_exact(length).is_err() {
            let why = format!("memory does not hold its {length} elements");
            return Err(no_tensor(obj, &why).into());
        }
        self.enter(obj, length)?;
        // What goes on behind its length, as an iterator may for ever, is told by one element.
        let mut failed = None;
        let items = obj.try_iter()?.take(length.saturating_add(1));
        let items = items.map_while(|item| item.map_err(|e| failed = Some(e)).ok());
        let read = self.read_all(obj, length, items);
        match failed {
            Some(e) => Err(e.into()),
            None => read,
        }
    }

    /// Goes one level down into a sequence of that length.
    fn enter(&mut self, obj: &Bound<'_, PyAny>, length: usize) -> Result<(), Stop> {
        let level = self.at.len();
        if self.rank.is_some_and(|rank| level >= rank) {
            return Err(self.ragged(obj, "a sequence where single elements came before"));
        }
        if level >= DEEPEST {
            return Err(no_tensor(obj, "it is nested too deeply").into());
        }
        match self.dims.get(level) {
            Some(&known) if known != length => {
                let why = format!("a sequence of length {length} where length {known} came before");
                return Err(self.ragged(obj, &why));
            }
            Some(_) => (),
            None => self.dims.push(length),
        }
        if length == 0 {
            self.rank = Some(level + 1);
        }
        Ok(())
    }

    fn read_all<'py>(
        &mut self,
        obj: &Bound<'py, PyAny>,
        length: usize,
        items: impl Iterator<Item = Bound<'py, PyAny>>,
    ) -> Result<(), Stop> {
        let level = self.at.len();
        self.at.push(0);
        let mut n_read = 0;
        for item in items {
            if self.rank != Some(level + 1) || !self.push_alike(&item) {
                self.at[level] = n_read;
                self.read(&item)?;
            }
            n_read += 1;
            self.gil.tick(obj.py())?;
        }
        self.at.pop();
        if n_read != length {
            return Err(no_tensor(obj, "it changed its length while it was read").into());
        }
        Ok(())
    }

    /// Adds a Python number of the very class of those before; gives false for anything else.
    #[inline]
    fn push_alike(&mut self, obj: &Bound<'_, PyAny>) -> bool {
        match &mut self.values {
            Some(Values::Floats(v)) => match obj.cast_exact::<PyFloat>() {
                Ok(x) => v.push(x.value()),
                Err(_) => return false,
            },
            Some(Values::Ints(v)) => match small_int(obj) {
                Some(x) => v.push(x.into()),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    fn push(&mut self, obj: &Bound<'_, PyAny>, scalar: Scalar) -> Result<(), Stop> {
        let level = self.at.len();
        match self.rank {
            Some(rank) if rank != level => {
                return Err(self.ragged(obj, "a single element where sequences came before"));
            }
            Some(_) => (),
            None if level != self.dims.len() => {
                return Err(self.ragged(obj, "a single element where sequences came before"));
            }
            None => self.rank = Some(level),
        }
        let class = scalar.value.class();
        if let Some(dtype) = self.asked
            && !class.goes_into(dtype)
        {
            return Err(self.misplaced(obj, dtype));
        }
        if self.values.is_none() {
            self.float = scalar.numpy.filter(|d| d.takes_fractions());
        }
        let values = self.values.get_or_insert_with(|| Values::of_class(class));
        if values.push(scalar.value) {
            Ok(())
        } else {
            Err(self.mixed(obj, class))
        }
    }

    /// Reads an array that represents a nested sequence.
    fn append(&mut self, obj: &Bound<'_, PyAny>, array: &Tensor) -> Result<(), Stop> {
        let level = self.at.len();
        for (axis, &size) in array.shape().iter().enumerate() {
            self.enter(obj, size)?;
            self.at.push(axis);
        }
        self.at.truncate(level);
        let depth = level + array.rank();
        if *self.rank.get_or_insert(depth) != depth || self.dims.len() > depth {
            return Err(self.ragged(obj, "an array of another number of dimensions"));
        }
        let more = Values::of(array);
        let class = more.class();
        if let Some(dtype) = self.asked
            && !class.goes_into(dtype)
        {
            return Err(self.misplaced(obj, dtype));
        }
        let Some(values) = &mut self.values else {
            self.values = Some(more);
            self.float = Some(array.dtype()).filter(|d| d.takes_fractions());
            return Ok(());
        };
        if values.extend(more) {
            Ok(())
        } else {
            Err(self.mixed(obj, class))
        }
    }

    fn finish(self, obj: &Bound<'_, PyAny>) -> PyResult<Tensor> {
        let values = self
            .values
            .unwrap_or_else(|| Values::of_dtype(DType::Float32));
        let (py, long) = (obj.py(), work::is_long(values.len() as f64));
        let dtype = match (self.asked, self.float, &values) {
            (Some(dtype), ..) if !work::run(py, long, || values.in_reach(dtype)) => {
                return Err(does_not_convert(obj, dtype));
            }
            (Some(dtype), ..) => dtype,
            (None, Some(dtype), Values::Floats(_)) => dtype,
            _ => {
                work::run(py, long, || values.natural_dtype()).map_err(|why| no_tensor(obj, why))?
            }
        };
        values.into_tensor(py, dtype, self.dims.iter().copied().collect::<Shape>())
    }

    fn place(&self) -> String {
        self.at.iter().map(|i| format!("[{i}]")).collect()
    }

    #[cold]
    fn ragged(&self, obj: &Bound<'_, PyAny>, why: &str) -> Stop {
        Stop::Raised(PyValueError::new_err(format!(
            "cannot convert a ragged sequence to a tensor: at {} stands {}, {why}",
            self.place(),
            super::describe(obj)
        )))
    }

    #[cold]
    fn mixed(&self, obj: &Bound<'_, PyAny>, class: Class) -> Stop {
        Stop::Raised(PyValueError::new_err(format!(
            "cannot convert a sequence of mixed types to a tensor: at {} stands {}, {} among elements of another kind",
            self.place(),
            super::describe(obj),
            class.name()
        )))
    }

    #[cold]
    fn misplaced(&self, obj: &Bound<'_, PyAny>, dtype: DType) -> Stop {
        let e = does_not_convert(obj, dtype);
        if self.at.is_empty() {
            return Stop::Raised(e);
        }
        let text = e.value(obj.py()).to_string();
        Stop::Raised(PyTypeError::new_err(format!(
            "{text} (element {})",
            self.place()
        )))
    }
}

/// Whether an object can be walked like a list: by the sequence protocol, and no mapping.
fn is_sequence(obj: &Bound<'_, PyAny>) -> PyResult<bool> {
    if obj.cast::<PySequence>().is_ok() || obj.is_instance_of::<PyRange>() {
        return Ok(true);
    }
    let py = obj.py();
    let class = obj.get_type();
    let has = |name| class.getattr_opt(name).map(|found| found.is_some());
    if class.module()?.to_str()? == "builtins" {
        return Ok(matches!(
            class.name()?.to_str()?,
            "dict_values" | "dict_keys"
        ));
    }
    Ok(has(intern!(py, "__getitem__"))?
        && has(intern!(py, "__len__"))?
        && !has(intern!(py, "keys"))?)
}
