"""Fourier transforms along any axes."""

from __future__ import annotations

import builtins
from typing import Any

from ..values.dtypes import complex64, complex128
from ..values.errors import shown
from ..values.public import public
from ._base import Tensor, TensorLike, convert, emit, float32, is_tensor, known_rank, known_size
from ._dispatch import told
from .arithmetic import multiply, realdiv
from .arrays import pad, shape, stack, transpose, unstack
from .elementwise import sqrt
from .fourier import (
    fft,
    fft2d,
    fft3d,
    ifft,
    ifft2d,
    ifft3d,
    irfft,
    irfft2d,
    irfft3d,
    rfft,
    rfft2d,
    rfft3d,
)
from .numeric import cast
from .reductions import reduce_prod

# The transforms of one, two and three last axes.
_FORWARD, _INVERSE = (fft, fft2d, fft3d), (ifft, ifft2d, ifft3d)
_REAL, _REAL_INVERSE = (rfft, rfft2d, rfft3d), (irfft, irfft2d, irfft3d)
_NORMS = (None, "backward", "ortho", "forward")


@public("signal.fftnd", "fftnd")
@told
def fftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete Fourier transform along any axes.

    >>> fg.signal.fftnd(fg.constant([[1, 2], [3, 4]], fg.complex64), axes=[0]).numpy()
    array([[ 4.+0.j,  6.+0.j],
           [-2.+0.j, -2.+0.j]], dtype=complex64)

    Args:
      input_tensor: complex numbers of known rank.
      fft_length: the length of the transform along each axis; numbers beyond it are left out,
        missing ones are zeros. By default the sizes of the axes.
      axes: the axes, each once. By default the last ones, as many as ``fft_length`` has numbers, or
        all.
      norm: "backward" (the default) leaves the sums as they are and has the inverse divide by how
        many numbers there are, "forward" has it the other way round, "ortho" divides both by the
        square root.
      name: a name for the operation.

    Raises:
      ValueError: for a tensor of unknown rank, axes that it does not have or that come twice,
        another norm, or numbers that are not complex.
    """
    plan = _Plan(_complex(input_tensor, "fftnd"), fft_length, axes, norm)
    found = _along(plan.fitted(), plan.axes, _FORWARD)
    return plan.scaled(found, plan.sizes(found), inverse=False, name=name)


@public("signal.ifftnd", "ifftnd")
@told
def ifftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of ``signal.fftnd``.

    >>> x = fg.constant([[4, 6], [-2, -2]], fg.complex64)
    >>> fg.signal.ifftnd(x, axes=[0]).numpy()
    array([[1.+0.j, 2.+0.j],
           [3.+0.j, 4.+0.j]], dtype=complex64)

    Args:
      input_tensor: a tensor of complex64 or complex128, or what converts to one; of known rank.
      fft_length: the length of the transform along each axis, a vector or list of integers; numbers
        beyond it are left out, missing ones are zeros. The sizes of the axes unless told.
      axes: the axes, a list of ints, each once. The last ones unless told, as many as
        ``fft_length`` has numbers, or all.
      norm: "backward" (unless told), "forward" or "ortho": who divides by how many numbers there
        are, as ``signal.fftnd`` says.
      name: a name for the operation.

    Returns:
      A tensor of the dtype of ``input_tensor``.

    Raises:
      ValueError: for a tensor of unknown rank, axes that it does not have or that come twice,
        another count of lengths, another norm, or another dtype.
    """
    plan = _Plan(_complex(input_tensor, "ifftnd"), fft_length, axes, norm)
    found = _along(plan.fitted(), plan.axes, _INVERSE)
    return plan.scaled(found, plan.sizes(found), inverse=True, name=name)


@public("signal.rfftnd", "rfftnd")
@told
def rfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """As ``signal.fftnd`` of real numbers, up to half the length along the last one of ``axes``.

    >>> fg.signal.rfftnd([[1.0, 2.0], [3.0, 4.0]], axes=[1, 0]).numpy()
    array([[10.+0.j, -2.+0.j],
           [-4.+0.j,  0.+0.j]], dtype=complex64)

    Args:
      input_tensor: a tensor of float32 or float64, or what converts to one; of known rank.
      fft_length: the length of the transform along each axis, a vector or list of integers; numbers
        beyond it are left out, missing ones are zeros. The sizes of the axes unless told.
      axes: the axes, a list of ints, each once. The last ones unless told, as many as
        ``fft_length`` has numbers, or all.
      norm: "backward" (unless told), "forward" or "ortho": who divides by how many numbers there
        are, as ``signal.fftnd`` says.
      name: a name for the operation.

    Returns:
      A tensor of complex64 for float32, else of complex128.

    Raises:
      ValueError: for a tensor of unknown rank, axes that it does not have or that come twice,
        another count of lengths, another norm, or another dtype.
    """
    plan = _Plan(convert(input_tensor, dtype_hint=float32), fft_length, axes, norm)
    *others, last = plan.axes
    x = plan.fitted()
    sizes = plan.sizes(x)
    found = _along(x, [last], _REAL)
    found = _along(found, others, _FORWARD)
    return plan.scaled(found, sizes, inverse=False, name=name)


@public("signal.irfftnd", "irfftnd")
@told
def irfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Any = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of ``signal.rfftnd``.

    >>> x = fg.signal.rfftnd([[1.0, 2.0], [3.0, 4.0]], axes=[1, 0])
    >>> fg.signal.irfftnd(x, axes=[1, 0]).numpy()
    array([[1., 2.],
           [3., 4.]], dtype=float32)

    Args:
      input_tensor: a tensor of complex64 or complex128, or what converts to one; of known rank.
      fft_length: the size of the result along each axis, a vector or list of integers. Unless told,
        the sizes of the axes, and for the last one of ``axes`` twice as many as the input has after
        its first: an odd length has to be given.
      axes: the axes, a list of ints, each once. The last ones unless told, as many as
        ``fft_length`` has numbers, or all.
      norm: "backward" (unless told), "forward" or "ortho": who divides by how many numbers there
        are, as ``signal.fftnd`` says.
      name: a name for the operation.

    Returns:
      A tensor of float32 for complex64, else of float64.

    Raises:
      ValueError: for a tensor of unknown rank, axes that it does not have or that come twice,
        another count of lengths, another norm, or another dtype.
    """
    plan = _Plan(_complex(input_tensor, "irfftnd"), fft_length, axes, norm)
    *others, last = plan.axes
    length = None if plan.lengths is None else stack([plan.lengths.pop()])
    plan.axes = others
    found = _along(plan.fitted(), others, _INVERSE)
    found = _along(found, [last], tuple(_with_length(f, length) for f in _REAL_INVERSE))
    plan.axes = [*others, last]
    return plan.scaled(found, plan.sizes(found), inverse=True, name=name)


def _with_length(function: Any, length: Any) -> Any:
    return lambda x: function(x, length)


def _complex(x: TensorLike, what: str) -> Tensor:
    x = convert(x, dtype_hint=complex64)
    if x.dtype not in (complex64, complex128):
        raise ValueError(f"{what} requires complex64 or complex128 inputs, got {x.dtype.name}")
    return x


class _Plan:
    """The axes of a transform, counted from the first one, and the lengths along them."""

    def __init__(self, x: Tensor, fft_length: Any, axes: Any, norm: str | None):
        if norm not in _NORMS:
            raise ValueError(f'norm must be "backward", "ortho" or "forward", got {shown(norm)}')
        self.x, self.norm = x, norm
        self.rank = rank = known_rank(x, "a transform along axes")
        self.lengths = None if fft_length is None else _listed(fft_length)
        self.axes = _checked_axes(axes, rank, self.lengths)

    def fitted(self) -> Tensor:
        """The input cut, or continued by zeros, to the lengths."""
        x = self.x
        if self.lengths is None or not self.axes:
            return x
        wanted = dict(zip(self.axes, self.lengths, strict=True))
        x = x[tuple(slice(None, wanted.get(i)) for i in builtins.range(self.rank))]
        if all(known_size(x, axis) == n for axis, n in wanted.items()):
            return x
        now = shape(x)
        missing = [wanted[i] - now[i] if i in wanted else 0 for i in builtins.range(self.rank)]
        return pad(x, stack([[0, n] for n in missing]))

    def sizes(self, x: Tensor) -> Any:
        """How many numbers a transform of ``x`` goes along."""
        known = [known_size(x, axis) for axis in self.axes]
        if None not in known:
            product = 1
            for size in known:
                product *= size
            return product
        sizes = shape(x)
        return reduce_prod(stack([sizes[axis] for axis in self.axes]))

    def scaled(self, x: Tensor, count: Any, inverse: bool, name: Any) -> Tensor:
        """What a transform found by the norm that is asked for."""
        count = cast(convert(count), x.dtype)
        root = None if self.norm != "ortho" else sqrt(count)
        if self.norm == "ortho":
            x = multiply(x, root) if inverse else realdiv(x, root)
        elif self.norm == "forward":
            x = multiply(x, count) if inverse else realdiv(x, count)
        return x if name is None else emit("Identity", (x,), None, name)


def _listed(lengths: Any) -> list[Any]:
    """The elements of a vector: numbers where they are known."""
    if not is_tensor(lengths):
        return [int(n) if not is_tensor(n) else n for n in lengths]
    return unstack(lengths)


def _checked_axes(axes: Any, rank: int, lengths: list[Any] | None) -> list[Any]:
    if axes is None:
        n = rank if lengths is None else len(lengths)
        axes = list(builtins.range(-n, 0))
    axes = [int(axis) for axis in axes]
    if lengths is not None and len(lengths) != len(axes):
        raise ValueError(f"there are {len(axes)} axes and {len(lengths)} lengths")
    if not all(-rank <= axis < rank for axis in axes):
        raise ValueError(f"axes must be in [{-rank}, {rank}), got {shown(axes)}")
    axes = [axis % rank for axis in axes]
    if not axes or len(set(axes)) != len(axes):
        raise ValueError(f"axes must be one or more, each once, got {shown(axes)}")
    return axes


def _along(x: Tensor, axes: list[Any], transforms: tuple[Any, ...]) -> Tensor:
    """The transforms along axes, up to three at a time, which are moved behind the others."""
    rank = known_rank(x, "a transform along axes")
    while axes:
        axes, now = axes[:-3], axes[-3:]
        order = [i for i in builtins.range(rank) if i not in now] + now
        inverse = [order.index(i) for i in builtins.range(rank)]
        transform = transforms[len(now) - 1]
        moved = order != sorted(order)
        x = transform(transpose(x, order) if moved else x)
        x = transpose(x, inverse) if moved else x
    return x
