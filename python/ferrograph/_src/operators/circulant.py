"""Circulant operators: cyclic convolutions, which the Fourier transform diagonalises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ops
from ..native import _core
from ..ops import debug, elementwise, fourier, numeric
from ..values.dtypes import as_dtype, complex64
from ..values.public import public
from ..values.tensor_shape import TensorShape
from .base import LinearOperator, given
from .shapes import adjoint_if, kept

__all__ = ["LinearOperatorCirculant", "LinearOperatorCirculant2D", "LinearOperatorCirculant3D"]


class _Circulant(LinearOperator):
    """An operator ``F^H D F``: ``F`` a Fourier transform of a block, ``D`` of the spectrum."""

    _depth: int
    _forward: Callable[..., Any]
    _backward: Callable[..., Any]

    def __init__(
        self,
        spectrum: Any,
        input_output_dtype: Any = complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ):
        parameters = given(locals())
        if is_square is False:
            raise ValueError("A (block) circulant operator is always square.")
        self._spectrum = kept(spectrum, self._depth, "spectrum")
        real = not self._spectrum.dtype.is_complex
        if real and is_self_adjoint is False:
            raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
        super().__init__(
            as_dtype(input_output_dtype),
            None,
            is_non_singular,
            True if real else is_self_adjoint,
            is_positive_definite,
            True,
            name,
            parameters,
        )

    @property
    def spectrum(self) -> Any:
        """The eigenvalues, in the shape of a block."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """How many axes a block has."""
        return self._depth

    @property
    def block_shape(self) -> TensorShape:
        """The static shape of a block."""
        return self._spectrum.shape[-self._depth :]

    def block_shape_tensor(self) -> Any:
        """The shape of a block."""
        return ops.shape(self._spectrum)[-self._depth :]

    def _shape(self) -> TensorShape:
        size = self.block_shape.num_elements()
        return self._spectrum.shape[: -self._depth].concatenate([size, size])

    def _shape_tensor(self) -> Any:
        shape = ops.shape(self._spectrum)
        size = ops.reduce_prod(shape[-self._depth :])
        return ops.concat([shape[: -self._depth], ops.stack([size, size])], axis=0)

    def _complex_spectrum(self, adjoint: bool = False) -> Any:
        dtype = self.dtype if self.dtype.is_complex else complex_of(self.dtype)
        spectrum = numeric.cast(_core.convert_to_tensor(self._spectrum), dtype)
        return numeric.conj(spectrum) if adjoint else spectrum

    def _filtered(self, x: Any, factors: Any) -> Any:
        """The rows of ``x`` transformed, times ``factors``, and back."""
        columns = ops.matrices.matrix_transpose(x)
        shape = ops.shape(columns)
        blocks = ops.reshape(columns, ops.concat([shape[:-1], self.block_shape_tensor()], axis=0))
        blocks = numeric.cast(blocks, factors.dtype)
        apart = ops.expand_dims(factors, -self._depth - 1)
        done = type(self)._backward(type(self)._forward(blocks) * apart)
        size = self.domain_dimension_tensor()[None]
        flat = ops.reshape(done, ops.concat([ops.shape(done)[: -self._depth], size], axis=0))
        if not self.dtype.is_complex:
            flat = numeric.real(flat)
        result = ops.matrices.matrix_transpose(numeric.cast(flat, self.dtype))
        if _core.is_symbolic(result) and x.shape.rank is not None:
            batch = ops.broadcast_static_shape(x.shape[:-2], self.batch_shape)
            result.set_shape(batch.concatenate(x.shape[-2:]))
        return result

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._filtered(adjoint_if(x, adjoint_arg), self._complex_spectrum(adjoint))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        factors = elementwise.reciprocal(self._complex_spectrum(adjoint))
        return self._filtered(adjoint_if(rhs, adjoint_arg), factors)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """The kernel that the operator convolves with: the first column, as a block."""
        kernel = type(self)._backward(self._complex_spectrum())
        return numeric.cast(kernel if self.dtype.is_complex else numeric.real(kernel), self.dtype)

    def _over_block(self, reduce: Callable[..., Any], values: Any) -> Any:
        return reduce(values, axis=list(range(-self._depth, 0)))

    def _in_dtype(self, value: Any) -> Any:
        if value.dtype.is_complex and not self.dtype.is_complex:
            value = numeric.real(value)
        return numeric.cast(value, self.dtype)

    def _determinant(self) -> Any:
        return self._in_dtype(self._over_block(ops.reduce_prod, self._complex_spectrum()))

    def _log_abs_determinant(self) -> Any:
        logs = elementwise.log(ops.abs(self._spectrum))
        return self._in_dtype(self._over_block(ops.reduce_sum, logs))

    def _trace(self) -> Any:
        return self._in_dtype(self._over_block(ops.reduce_sum, self._complex_spectrum()))

    def _diag_part(self) -> Any:
        size = numeric.cast(self.domain_dimension_tensor(), self.dtype)
        mean = (self._trace() / size)[..., None]
        return mean * ops.ones([self.domain_dimension_tensor()], self.dtype)

    def _eigvals(self) -> Any:
        size = ops.concat([self.batch_shape_tensor(), self.domain_dimension_tensor()[None]], axis=0)
        return ops.reshape(_core.convert_to_tensor(self._spectrum), size)

    def _cond(self) -> Any:
        sizes = ops.abs(self._spectrum)
        largest = self._over_block(ops.reduce_max, sizes)
        return largest / self._over_block(ops.reduce_min, sizes)

    def _assert_non_singular(self) -> Any:
        message = "Singular operator:  Spectrum contained zero values."
        return debug.assert_positive(ops.abs(self._spectrum), message=message)

    def _assert_positive_definite(self) -> Any:
        spectrum = _core.convert_to_tensor(self._spectrum)
        real = numeric.real(spectrum) if spectrum.dtype.is_complex else spectrum
        message = "Not positive definite:  Real part of spectrum was not all positive."
        return debug.assert_positive(real, message=message)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Fail where the spectrum does not belong to a real kernel."""
        kernel = type(self)._backward(self._complex_spectrum())
        imaginary = numeric.imag(kernel)
        message = "Spectrum was not Hermitian"
        limit = 5e-4 if imaginary.dtype.name == "float32" else 1e-10
        return debug.assert_near(imaginary, ops.zeros_like(imaginary), 0.0, limit, message=message)


def complex_of(dtype: Any) -> Any:
    """The complex dtype of a real one."""
    return as_dtype("complex128" if dtype.name == "float64" else "complex64")


@public("linalg.LinearOperatorCirculant")
class LinearOperatorCirculant(_Circulant):
    """The operator whose rows are one row that goes round, of its eigenvalues ``spectrum``.

    ``spectrum`` is the Fourier transform of the first column. Elements are ``input_output_dtype``.

    >>> kernel = fg.constant([1.0 + 0j, 2.0, 3.0], fg.complex64)
    >>> operator = fg.linalg.LinearOperatorCirculant(fg.signal.fft(kernel), fg.float32)
    >>> operator.to_dense().numpy().round(3)
    array([[1., 3., 2.],
           [2., 1., 3.],
           [3., 2., 1.]], dtype=float32)
    """

    _depth = 1
    _forward = staticmethod(fourier.fft)
    _backward = staticmethod(fourier.ifft)


@public("linalg.LinearOperatorCirculant2D")
class LinearOperatorCirculant2D(_Circulant):
    """A circulant operator over blocks of two axes.

    >>> operator = fg.linalg.LinearOperatorCirculant2D([[1.0, 2.0], [3.0, 4.0]])
    >>> operator.shape
    TensorShape([4, 4])
    """

    _depth = 2
    _forward = staticmethod(fourier.fft2d)
    _backward = staticmethod(fourier.ifft2d)


@public("linalg.LinearOperatorCirculant3D")
class LinearOperatorCirculant3D(_Circulant):
    """A circulant operator over blocks of three axes.

    >>> operator = fg.linalg.LinearOperatorCirculant3D([[[1.0, 2.0], [3.0, 4.0]]])
    >>> operator.shape
    TensorShape([4, 4])
    """

    _depth = 3
    _forward = staticmethod(fourier.fft3d)
    _backward = staticmethod(fourier.ifft3d)
