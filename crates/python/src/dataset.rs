//! Iterators over datasets, and datasets of Python generators.

use crate::attrs::PyGraphHandle;
use crate::bridge;
use crate::callback::callback_error;
use crate::convert;
use crate::emit::{inputs_of, prepared, to_val};
use crate::errors::{IntoPyResult, guarded};
use crate::fork::unlocked;
use crate::function::Tree;
use crate::made::made;
use crate::tensor::{PyTensor, wrap};
use ferrograph_data::{BoxedElements, Elements, Generator, IteratorCell, generator_op, reduction};
use ferrograph_graph::{OpRef, Runner, Tensors, Val};
use ferrograph_ops::{Call, Iteration};
use ferrograph_runtime::{PlanRunner, emit, enter_eager, is_tracing, when_run};
use ferrograph_tensor::{Result, Tensor, TensorSpec, err};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator as PyIter, PyTuple};
use std::sync::Arc;

/// An iterator over a dataset: a handle, and the structure of its elements. The front end's class derives from it.
#[pyclass(
    name = "IteratorBase",
    module = "ferrograph._core",
    subclass,
    frozen,
    weakref
)]
pub(crate) struct PyIterator {
    handle: Val,
    structure: Tree,
}

impl PyIterator {
    fn cell(&self, py: Python<'_>) -> PyResult<&IteratorCell> {
        let handle = self.handle.expect_tensor().or_raise(py)?;
        IteratorCell::of(handle).or_raise(py)
    }

    /// The next element, computed now; the lock is held for quick ones only.
    fn take(&self, py: Python<'_>, element: &mut Tensors) -> PyResult<bool> {
        let cell = self.cell(py)?;
        let quick = guarded(|| cell.next_if_quick(&PlanRunner, element)).or_raise(py)?;
        match quick {
            Some(found) => Ok(found),
            None => unlocked(py, || guarded(|| cell.next_to(&PlanRunner, element)))
                .map_err(when_run)
                .or_raise(py),
        }
    }
}

/// An element of that structure.
fn packed<'py>(
    py: Python<'py>,
    structure: &Tree,
    mut element: Tensors,
) -> PyResult<Bound<'py, PyAny>> {
    if let (Tree::Leaf(0), 1) = (structure, element.len())
        && let Some(only) = element.pop()
    {
        return wrap(py, Val::eager(only));
    }
    let outputs = element.into_iter().map(|t| wrap(py, Val::eager(t)));
    structure.build(py, &outputs.collect::<PyResult<Vec<_>>>()?)
}

/// How the values of optionals of one type are read where nothing is traced.
#[pyclass(name = "OptionalReader", module = "ferrograph._core", frozen)]
pub(crate) struct PyOptionalReader {
    op: OpRef,
    structure: Tree,
}

#[pymethods]
impl PyOptionalReader {
    /// `template` gives the structure of a value, `attrs` what `OptionalGetValue` takes.
    #[new]
    fn new(
        py: Python<'_>,
        template: &Bound<'_, PyAny>,
        attrs: &Bound<'_, PyDict>,
    ) -> PyResult<PyOptionalReader> {
        Ok(PyOptionalReader {
            op: made(py, "OptionalGetValue", Some(attrs))?,
            structure: Tree::parse(template)?,
        })
    }

    /// The value of an optional. None where a graph is built, or what is asked for is not there: the operation does it
    /// then, or says why not.
    fn read<'py>(
        &self,
        py: Python<'py>,
        handle: &Bound<'py, PyTensor>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Val::Eager(_) = &handle.get().val else {
            return Ok(None);
        };
        if is_tracing() {
            return Ok(None);
        }
        let optional = handle.get().val.expect_tensor().or_raise(py)?;
        match self.op.eval(&PlanRunner, std::slice::from_ref(optional)) {
            Ok(value) => packed(py, &self.structure, value).map(Some),
            Err(_) => Ok(None),
        }
    }
}

#[pymethods]
impl PyIterator {
    /// The iterator of a resource tensor; `template` gives the structure of its elements.
    #[new]
    fn new(handle: PyRef<'_, PyTensor>, template: &Bound<'_, PyAny>) -> PyResult<PyIterator> {
        Ok(PyIterator {
            handle: handle.val.clone(),
            structure: Tree::parse(template)?,
        })
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        slf.clone().into_any()
    }

    fn __next__<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = slf.py();
        if is_tracing() {
            return slf.call_method0(intern!(py, "get_next")).map(Some);
        }
        let this = slf.get();
        let mut element = Tensors::new();
        match this.take(py, &mut element)? {
            true => packed(py, &this.structure, element).map(Some),
            false => Ok(None),
        }
    }

    /// The resource tensor that refers to the iterator.
    #[getter]
    fn _handle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        wrap(py, self.handle.clone())
    }
}

/// A Python callable that gives iterators of elements.
#[derive(Debug)]
struct PyGenerator {
    function: Py<PyAny>,
    specs: Arc<[TensorSpec]>,
}

/// An iterator of Python, and what its elements have to be.
struct PyElements {
    iterator: Py<PyIter>,
    specs: Arc<[TensorSpec]>,
}

impl Generator for PyGenerator {
    fn start(&self, arguments: &[Tensor]) -> Result<BoxedElements> {
        Python::attach(|py| {
            crate::exit::enter(py);
            let _level = enter_eager();
            let _back = Iteration::leave();
            let run = || {
                let mut wrapped = Vec::new();
                for t in arguments {
                    wrapped.push(wrap(py, Val::eager(t.clone()))?);
                }
                let made = self.function.bind(py).call1(PyTuple::new(py, wrapped)?)?;
                Ok(made.try_iter()?.unbind())
            };
            let iterator = run().map_err(|e| callback_error(py, e))?;
            Ok(Box::new(PyElements {
                iterator,
                specs: self.specs.clone(),
            }) as BoxedElements)
        })
    }
}

impl Elements for PyElements {
    fn next(&mut self, _runner: &dyn Runner) -> Result<Option<Tensors>> {
        Python::attach(|py| {
            crate::exit::enter(py);
            let _level = enter_eager();
            let _back = Iteration::leave();
            let Some(value) = self.iterator.bind(py).clone().next() else {
                return Ok(None);
            };
            let convert = |value: Bound<'_, PyAny>| match &self.specs[..] {
                [spec] => Ok(Tensors::from_iter([converted(&value, spec)?])),
                specs => value
                    .try_iter()?
                    .zip(specs)
                    .map(|(part, spec)| converted(&part?, spec))
                    .collect(),
            };
            value
                .and_then(convert)
                .map(Some)
                .map_err(|e| callback_error(py, e))
        })
    }
}

/// A value as a tensor of the dtype that it has to have.
fn converted(value: &Bound<'_, PyAny>, spec: &TensorSpec) -> PyResult<Tensor> {
    let py = value.py();
    if let Ok(Some(tensor)) = convert::tensor_from_py(value, Some(spec.dtype)) {
        return Ok(tensor);
    }
    let val = to_val(value, Some(spec.dtype))?;
    let tensor = val.expect_tensor().or_raise(py)?;
    if tensor.dtype() != spec.dtype {
        return Err(err!(
            Type,
            "a generator gave {}, expected {spec}",
            tensor.spec()
        ))
        .or_raise(py);
    }
    Ok(tensor.clone())
}

/// Emits a dataset of what a Python callable gives for these tensors: an iterable of elements, each a sequence of the
/// components, or the component itself where there is one. `dtypes` and `shapes` say what they have to be.
#[pyfunction]
pub(crate) fn emit_generator<'py>(
    py: Python<'py>,
    function: Py<PyAny>,
    arguments: &Bound<'py, PyAny>,
    dtypes: Vec<Bound<'py, PyAny>>,
    shapes: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let specs = specs(&dtypes, &shapes)?;
    let vals = inputs_of(arguments)?;
    let generator = Arc::new(PyGenerator {
        function,
        specs: specs.clone().into(),
    });
    let op = generator_op(generator, specs);
    let made = guarded(|| emit(op, &vals)).or_raise(py)?.pop();
    wrap(
        py,
        made.ok_or_else(|| PyRuntimeError::new_err("a dataset operation gave nothing"))?,
    )
}

/// Emits the fold of a dataset by a function: `inputs` are the dataset, the first state and what the function captured;
/// the dtypes and shapes of state and element tell how many components there are. Gives a list.
#[pyfunction]
pub(crate) fn emit_reduce<'py>(
    py: Python<'py>,
    function: &PyGraphHandle,
    inputs: &Bound<'py, PyAny>,
    state: (Vec<Bound<'py, PyAny>>, Vec<Bound<'py, PyAny>>),
    element: (Vec<Bound<'py, PyAny>>, Vec<Bound<'py, PyAny>>),
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (state, element) = (specs(&state.0, &state.1)?, specs(&element.0, &element.1)?);
    let graph = reduction(&function.0, &state, &element).or_raise(py)?;
    run_detached(py, Arc::new(Call::of(graph)), &inputs_of(inputs)?)
}

fn specs(dtypes: &[Bound<'_, PyAny>], shapes: &[Bound<'_, PyAny>]) -> PyResult<Vec<TensorSpec>> {
    let spec = |(dtype, shape): (&Bound<'_, PyAny>, &Bound<'_, PyAny>)| {
        Ok(TensorSpec::new(
            bridge::dtype_from_py(dtype)?,
            bridge::partial_shape_from_py(shape)?,
        ))
    };
    dtypes.iter().zip(shapes).map(spec).collect()
}

fn run_detached<'py>(
    py: Python<'py>,
    op: OpRef,
    inputs: &[Val],
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let outputs = if is_tracing() {
        guarded(|| emit(op, inputs))
    } else {
        unlocked(py, || guarded(|| emit(op, inputs)))
    };
    let outputs = outputs.or_raise(py)?.into_iter();
    outputs.map(|v| wrap(py, v)).collect()
}

/// Emits an operation that may run for long: eagerly it runs without the interpreter lock. Gives a list of its outputs.
#[pyfunction]
pub(crate) fn emit_detached<'py>(
    py: Python<'py>,
    op: &str,
    inputs: &Bound<'py, PyAny>,
    attrs: &Bound<'py, PyDict>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (op, vals) = prepared(py, op, inputs, Some(attrs))?;
    run_detached(py, op, &vals)
}
