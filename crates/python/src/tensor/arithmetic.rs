//! The operators of Python on tensors.

use super::PyTensor;
use crate::operators;
use ferrograph_tensor::printed_name;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;

#[pymethods]
impl PyTensor {
    fn __add__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::ADD, slf, other, false)
    }
    fn __radd__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::ADD, slf, other, true)
    }
    fn __sub__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::SUB, slf, other, false)
    }
    fn __rsub__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::SUB, slf, other, true)
    }
    fn __mul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::product(slf, other, false)
    }
    fn __rmul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::product(slf, other, true)
    }
    fn __truediv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::true_division(slf, other, false)
    }
    fn __rtruediv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::true_division(slf, other, true)
    }
    fn __floordiv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::FLOORDIV, slf, other, false)
    }
    fn __rfloordiv__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::FLOORDIV, slf, other, true)
    }
    fn __mod__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::MOD, slf, other, false)
    }
    fn __rmod__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::MOD, slf, other, true)
    }
    fn __matmul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::MATMUL, slf, other, false)
    }
    fn __rmatmul__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::MATMUL, slf, other, true)
    }
    fn __and__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::AND, slf, other, false)
    }
    fn __rand__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::AND, slf, other, true)
    }
    fn __or__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::OR, slf, other, false)
    }
    fn __ror__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::OR, slf, other, true)
    }
    fn __xor__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::XOR, slf, other, false)
    }
    fn __rxor__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        operators::binary(&operators::XOR, slf, other, true)
    }

    fn __pow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        without_modulus(modulo)?;
        operators::binary(&operators::POW, slf, other, false)
    }

    fn __rpow__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        without_modulus(modulo)?;
        operators::binary(&operators::POW, slf, other, true)
    }

    fn __neg__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        operators::negative(slf)
    }

    fn __abs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        operators::absolute(slf)
    }

    fn __invert__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        operators::inverted(slf)
    }

    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        op: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let operator = operators::comparison(op);
        if other.is_none() && matches!(op, CompareOp::Eq | CompareOp::Ne) {
            if let Some(found) = operators::of_numpy(operator.sign, slf, other, false)? {
                return Ok(found);
            }
            return matches!(op, CompareOp::Ne).into_bound_py_any(slf.py());
        }
        operators::binary(operator, slf, other, false)
    }

    fn __hash__(&self) -> PyResult<isize> {
        let fg = printed_name();
        Err(PyTypeError::new_err(format!(
            "Tensor is unhashable. Instead, use tensor.ref() as the key. To look a value up by what a tensor holds, write \
             `{fg}.gather(values, index)`, or use a table of {fg}.lookup."
        )))
    }
}

fn without_modulus(modulo: &Bound<'_, PyAny>) -> PyResult<()> {
    if modulo.is_none() {
        return Ok(());
    }
    Err(PyTypeError::new_err(
        "pow() with a modulus is not defined for tensors",
    ))
}
