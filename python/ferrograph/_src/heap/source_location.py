"""Source locations in user code, messages that show them, and AutoGraph's exceptions.

A message says first what is wrong, then where, with the line and a caret, then what to write
instead.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..context import ownership, sources
from ..values.errors import InvalidArgumentError, StagingError
from ..values.public import public


class SourceLocation(str):
    """A line of user code, as ``file:line``."""

    filename: str
    line: int

    def __new__(cls, filename: str, line: int) -> SourceLocation:
        made = super().__new__(cls, f"{filename}:{line}")
        made.filename, made.line = filename, line
        return made

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]
        return self.filename, self.line


class Diagnostic(str):
    """A message of this package about user code."""

    __slots__ = ()


def said_by(exception: BaseException) -> list[str]:
    """The string arguments of an exception, read without running user code."""
    return [said for said in exception.args if type(said) is str or type(said) is Diagnostic]


def is_diagnostic(exception: BaseException) -> bool:
    """Whether an exception is one of this package's, whose message shows the user's line."""
    return any(type(said) is Diagnostic for said in exception.args)


def diagnostic(
    place: str, problem: str, rewrite: str = "", details: Sequence[str] = ()
) -> Diagnostic:
    """The message that ``problem`` is at ``place``; ``rewrite`` says what helps.

    ``details`` are further lines, such as where each of two values comes from.
    """
    lines = [problem] if isinstance(place, SourceLocation) or not place else [f"{place}: {problem}"]
    spot = place if isinstance(place, SourceLocation) else here()
    if isinstance(spot, SourceLocation):
        lines += shown(spot)
    lines += details
    if rewrite:
        lines.append(rewrite)
    return Diagnostic("\n".join(lines))


def refusal(
    problem: str, rewrite: str, place: str = "", kind: type[Exception] = StagingError
) -> Exception:
    """The exception that refuses what user code does at a place, by default on its line."""
    return kind(diagnostic(place, problem, rewrite))


def shown(place: SourceLocation) -> list[str]:
    """The line of a place with a caret below its statement."""
    source = sources.line(place.filename, place.line).rstrip("\n")
    text = source.strip()
    if not text:
        return [f"  {place}"]
    column = len(source) - len(source.lstrip()) + 1
    return [f"  {place}:{column}", f"    {text}", f"    {'^' * len(text)}"]


def here() -> str:
    """The line of user code that is running, "" where there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        if not ownership.is_library_file(frame.f_code.co_filename):
            return SourceLocation(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]
    return ""


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

    A ``for`` loop over Python values is unrolled while tracing, so its elements must be finite.
    Give the loop a tensor to run on, ``for i in fg.range(n)``, and it becomes a staged loop, which
    may stop on anything, as ``while True`` does.

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
    UnstageableLoopError: this `for` loop iterates over Python values, so it is unrolled
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


@public("autograph.errors.LoopShapeError")
class LoopShapeError(ValueError):
    """A variable of a staged loop has another shape after an iteration than before it.

    Where a size is to differ from iteration to iteration, say so by ``shape_invariants`` in the
    loop; ``index`` is the number of the variable, ``general`` the shape that fits both.

    >>> @fg.function
    ... def doubled(x):
    ...     for _ in fg.range(3):
    ...         x = fg.concat([x, x], 0)
    ...     return x
    >>> doubled(fg.ones([2]))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
        ...
    LoopShapeError: 'x' changes its shape in the loop: (2,) before an iteration, (4,) after it

    >>> @fg.function
    ... def doubled(x):
    ...     for _ in fg.range(3):
    ...         fg.autograph.experimental.set_loop_options(
    ...             shape_invariants=[(x, fg.TensorShape([None]))]
    ...         )
    ...         x = fg.concat([x, x], 0)
    ...     return x
    >>> doubled(fg.ones([2])).shape
    TensorShape([16])
    """

    def __init__(self, message: str, index: int, general: list | None):
        super().__init__(message)
        self.index, self.general = index, general
