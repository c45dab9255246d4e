"""Exceptions that AutoGraph raises while converting and while staging control flow."""

from __future__ import annotations

from ..values.errors import InvalidArgumentError
from ..values.public import public


@public("autograph.errors.ConversionError")
class ConversionError(Exception):
    """A function has no usable source; it then runs as plain Python.

    Raised inside the converter only: ``convert`` turns it into a warning.

    >>> f = fg.autograph.convert(eval('lambda x: x + 1'))
    >>> f(1)
    2
    """


@public("autograph.errors.UnstageableLoopError")
class UnstageableLoopError(TypeError, NotImplementedError):
    """A Python loop without an end would have to stop on a tensor.

    A ``for`` loop over Python values is unrolled while tracing, so that its elements must come to
    an end. Give the loop a tensor to run on, ``for i in fg.range(n)``, and it becomes a loop of the
    graph, which may stop on anything, as ``while True`` does.

    >>> import itertools
    >>> @fg.function
    ... def f(x):
    ...     for i in itertools.count():
    ...         x += i
    ...         if x > 3:
    ...             break
    ...     return x
    >>> f(fg.constant(1))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
        ...
    UnstageableLoopError: this `for` loop runs over Python values, so it is unrolled
    """


@public("autograph.errors.LoopDtypeError")
class LoopDtypeError(TypeError, InvalidArgumentError):
    """A variable of a staged loop has another dtype after an iteration than before it.

    Cast it before the loop, or in the body.

    >>> @fg.function
    ... def halved(x):
    ...     for _ in fg.range(3):
    ...         x = x / 2
    ...     return x
    >>> halved(fg.constant(8))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
        ...
    LoopDtypeError: 'x' changes its dtype in the loop: int32 and float64
    """

    def __init__(self, message: str):
        InvalidArgumentError.__init__(self, None, None, message)
