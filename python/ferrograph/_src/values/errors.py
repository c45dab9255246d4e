"""The exceptions of ferrograph.

A failure while a graph or an operation runs is an ``OpError`` of the class for its cause; a wrong
argument found before anything runs is a TypeError or ValueError, as in Python. The docstring of
each class shows a program that fails with it, and the cure.

>>> import ferrograph as fg
>>> try:
...     fg.gather([10, 20], 7)
... except fg.errors.InvalidArgumentError as e:
...     print(e.error_code == fg.errors.INVALID_ARGUMENT)
True
"""

from __future__ import annotations

import operator

from ..hints import Any
from .public import public

__all__ = [
    "ABORTED",
    "ALREADY_EXISTS",
    "AbortedError",
    "AlreadyExistsError",
    "CANCELLED",
    "CancelledError",
    "DATA_LOSS",
    "DEADLINE_EXCEEDED",
    "DataLossError",
    "DeadlineExceededError",
    "FAILED_PRECONDITION",
    "FailedPreconditionError",
    "INTERNAL",
    "INVALID_ARGUMENT",
    "InaccessibleTensorError",
    "InternalError",
    "InvalidArgumentError",
    "NOT_FOUND",
    "NotFoundError",
    "OK",
    "OUT_OF_RANGE",
    "OpError",
    "OperatorNotAllowedInGraphError",
    "OutOfRangeError",
    "PERMISSION_DENIED",
    "PermissionDeniedError",
    "RESOURCE_EXHAUSTED",
    "ResourceExhaustedError",
    "RetraceError",
    "StagingError",
    "UNAUTHENTICATED",
    "UNAVAILABLE",
    "UNIMPLEMENTED",
    "UNKNOWN",
    "UnauthenticatedError",
    "UnavailableError",
    "UnimplementedError",
    "UnknownError",
    "error_code_from_exception_type",
    "exception_type_from_error_code",
    "shortened",
    "shown",
]

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


# So many characters of a value a message repeats.
_MOST_SHOWN = 200


def shown(value: Any) -> str:
    """A value as messages repeat it: of a long one the beginning."""
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"


# What a message repeats of a value: a text in quotes, a list, one word.
_RUN = r"""
    "[^"\n]{201,}" | '[^'\n]{201,}' | \[[^\[\]\n]{201,}\] | \([^()\n]{201,}\) | [^\s"']{201,}
"""


def shortened(text: str) -> str:
    """A message in which no text in quotes, no list and no word is longer than values are shown."""
    if len(text) <= _MOST_SHOWN:
        return text
    import re

    return re.sub(_RUN, lambda run: f"{run[0][: _MOST_SHOWN - 2]}…{run[0][-1]}", text, flags=re.X)


@public("errors.OpError")
class OpError(Exception):
    """What every error of a running operation is; catch it to catch them all.

    Args:
      node_def: the node that failed, or None where it is not known.
      op: the operation that failed, or its name, or None.
      message: what went wrong.
      error_code: one of the module's constants.

    >>> import ferrograph as fg
    >>> try:
    ...     fg.constant([1, 2]) + fg.constant([1, 2, 3])
    ... except fg.errors.OpError as e:
    ...     print(type(e).__name__)
    InvalidArgumentError
    """

    # Tells the native side that the class is made from (node_def, op, message).
    _takes_node = True
    _code = UNKNOWN

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int | None = None, *args):
        # The data of an assertion is what its author wants to be read, in whole.
        if isinstance(message, str) and not message.startswith("assertion failed: "):
            message = shortened(message)
        super().__init__(message)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = type(self)._code if error_code is None else error_code

    @property
    def message(self) -> str:
        """What went wrong."""
        return self._message

    @property
    def op(self) -> Any:
        """The operation that failed, where it is known."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The node that failed, where it is known."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """The number of the class, such as ``INVALID_ARGUMENT``."""
        return self._error_code

    @property
    def experimental_payloads(self) -> dict[Any, Any]:
        """Further data about the error: none."""
        return {}

    def __str__(self) -> str:
        return self._message

    def __reduce__(self):
        op = self._op if isinstance(self._op, str) else None
        return type(self), (None, op, self._message)


@public("errors.CancelledError")
class CancelledError(OpError):
    """The work was stopped from outside: a queue was closed while somebody waited for it.

    Start the work again, or treat the end as wanted: the error says nothing about the data.

    >>> import ferrograph as fg
    >>> fg.errors.CancelledError(None, None, "the queue was closed").error_code
    1
    """

    _code = CANCELLED


@public("errors.UnknownError")
class UnknownError(OpError):
    """A Python function called from a graph raised an exception without a counterpart here.

    >>> import ferrograph as fg
    >>> def lookup(i):
    ...     return {0: 1.0}[int(i)]
    >>> fg.py_function(lookup, [fg.constant(5)], fg.float32)
    Traceback (most recent call last):
        ...
    ferrograph.errors.UnknownError: ...

    The exception itself is the ``__cause__``. Handle what the function may meet inside it:

    >>> def lookup(i):
    ...     return {0: 1.0}.get(int(i), 0.0)
    >>> float(fg.py_function(lookup, [fg.constant(5)], fg.float32))
    0.0
    """

    _code = UNKNOWN


@public("errors.InvalidArgumentError")
class InvalidArgumentError(OpError):
    """An operation got what it does not accept: shapes or dtypes that do not fit, a bad index.

    >>> import ferrograph as fg
    >>> fg.constant([1, 2]) + fg.constant([1.0, 2.0])
    Traceback (most recent call last):
        ...
    ferrograph.errors.InvalidArgumentError: ...

    Dtypes of tensors never change by themselves; say which one is meant:

    >>> x = fg.cast(fg.constant([1, 2]), fg.float32) + fg.constant([1.0, 2.0])
    >>> x.numpy().tolist()
    [2.0, 4.0]

    While a function is traced the same mistakes are a TypeError (dtypes) or a ValueError (shapes).
    """

    _code = INVALID_ARGUMENT


@public("errors.DeadlineExceededError")
class DeadlineExceededError(OpError):
    """Something waited longer than it was allowed to.

    Allow more time, or find out what the other side is waiting for.

    >>> import ferrograph as fg
    >>> fg.errors.DeadlineExceededError(None, None, "no answer in 5 s").error_code
    4
    """

    _code = DEADLINE_EXCEEDED


@public("errors.NotFoundError")
class NotFoundError(OpError):
    """A file, a checkpoint's variable or an operation of that name does not exist.

    >>> import ferrograph as fg
    >>> fg.io.read_file("/no/such/file")
    Traceback (most recent call last):
        ...
    ferrograph.errors.NotFoundError: ...

    Look first where a missing one is normal:

    >>> import os
    >>> os.path.exists("/no/such/file")
    False
    """

    _code = NOT_FOUND


@public("errors.AlreadyExistsError")
class AlreadyExistsError(OpError):
    """Something was to be made that exists already.

    Take another name, or remove the old one first.

    >>> import ferrograph as fg
    >>> fg.errors.AlreadyExistsError(None, None, "the file exists").error_code
    6
    """

    _code = ALREADY_EXISTS


@public("errors.PermissionDeniedError")
class PermissionDeniedError(OpError):
    """The system does not allow a file to be read or written.

    Check the owner and the mode of the file and of its folder.

    >>> import ferrograph as fg
    >>> fg.errors.PermissionDeniedError(None, None, "read-only folder").error_code
    7
    """

    _code = PERMISSION_DENIED


@public("errors.UnauthenticatedError")
class UnauthenticatedError(OpError):
    """A request needs credentials that it did not bring.

    >>> import ferrograph as fg
    >>> fg.errors.UnauthenticatedError(None, None, "who are you?").error_code
    16
    """

    _code = UNAUTHENTICATED


@public("errors.ResourceExhaustedError")
class ResourceExhaustedError(OpError):
    """There is not enough memory, or a function called itself too deeply.

    >>> import ferrograph as fg
    >>> fg.zeros([2**20, 2**20, 2**10])
    Traceback (most recent call last):
        ...
    ferrograph.errors.ResourceExhaustedError: ...

    Work on parts, in a smaller dtype, or use broadcasting in place of repeated values:

    >>> (fg.zeros([3, 1]) + fg.zeros([1, 4])).shape
    TensorShape([3, 4])
    """

    _code = RESOURCE_EXHAUSTED


@public("errors.FailedPreconditionError")
class FailedPreconditionError(OpError):
    """The state does not allow the operation now: a variable or a table was not initialised.

    >>> import ferrograph as fg
    >>> fg.errors.FailedPreconditionError(None, None, "not initialised").error_code
    9

    Make variables before the call that reads them, and restore a checkpoint before using the model.
    """

    _code = FAILED_PRECONDITION


@public("errors.AbortedError")
class AbortedError(OpError):
    """The operation gave way to another one that ran at the same time.

    Try again.

    >>> import ferrograph as fg
    >>> fg.errors.AbortedError(None, None, "try again").error_code
    10
    """

    _code = ABORTED


@public("errors.OutOfRangeError")
class OutOfRangeError(OpError):
    """Something was read or written past its end: an iterator, a TensorArray.

    >>> import ferrograph as fg
    >>> ta = fg.TensorArray(fg.float32, size=2)
    >>> ta.write(5, 1.0)
    Traceback (most recent call last):
        ...
    ferrograph.errors.OutOfRangeError: ...

    Give the array the size it needs, or let it grow:

    >>> ta = fg.TensorArray(fg.float32, size=2, dynamic_size=True)
    >>> int(ta.write(5, 1.0).size())
    6
    """

    _code = OUT_OF_RANGE


@public("errors.UnimplementedError")
class UnimplementedError(OpError):
    """The operation exists, but not for this combination of dtypes or attributes.

    >>> import ferrograph as fg
    >>> fg.cast(fg.constant("1.5"), fg.float32)
    Traceback (most recent call last):
        ...
    ferrograph.errors.UnimplementedError: ...

    Another operation often does it:

    >>> float(fg.strings.to_number(fg.constant("1.5")))
    1.5
    """

    _code = UNIMPLEMENTED


@public("errors.InternalError")
class InternalError(OpError):
    """A fault of ferrograph itself, not of the program. Please report it with the message.

    >>> import ferrograph as fg
    >>> fg.errors.InternalError(None, None, "a fault inside ferrograph").error_code
    13
    """

    _code = INTERNAL


@public("errors.UnavailableError")
class UnavailableError(OpError):
    """A service does not answer at the moment; try again later.

    >>> import ferrograph as fg
    >>> fg.errors.UnavailableError(None, None, "no connection").error_code
    14
    """

    _code = UNAVAILABLE


@public("errors.DataLossError")
class DataLossError(OpError):
    """Stored data is damaged, or does not have the form that it should have.

    >>> import ferrograph as fg
    >>> fg.errors.DataLossError(None, None, "the checksum does not fit").error_code
    15

    Restore the file from its source; a record file that a crash cut off is readable up to the cut.
    """

    _code = DATA_LOSS


@public("errors.OperatorNotAllowedInGraphError")
class OperatorNotAllowedInGraphError(TypeError):
    """Python asked a symbolic tensor for its value: it has none while the function is traced.

    >>> import ferrograph as fg
    >>> @fg.function(autograph=False)
    ... def f(x):
    ...     return x if x > 0 else -x
    >>> f(fg.constant(-1.0))
    Traceback (most recent call last):
        ...
    ferrograph.errors.OperatorNotAllowedInGraphError: ...

    AutoGraph, on unless it is turned off, turns the statement into graph control flow; an operation
    that chooses elementwise does without:

    >>> @fg.function
    ... def f(x):
    ...     return fg.where(x > 0, x, -x)
    >>> float(f(fg.constant(-1.0)))
    1.0
    """


@public("errors.InaccessibleTensorError")
class InaccessibleTensorError(TypeError, ValueError):
    """A symbolic tensor was used outside the function, loop or branch it belongs to.

    >>> import ferrograph as fg
    >>> kept = []
    >>> @fg.function
    ... def f(x):
    ...     kept.append(x * 2)
    ...     return x
    >>> one = f(fg.constant(1.0))
    >>> kept[0] + 1
    Traceback (most recent call last):
        ...
    ferrograph.errors.InaccessibleTensorError: ...

    Return what is needed outside; a value for each step of a loop goes into a TensorArray:

    >>> @fg.function
    ... def f(x):
    ...     return x, x * 2
    >>> float(f(fg.constant(1.0))[1] + 1)
    3.0
    """


@public("errors.InputSignatureError")
class InputSignatureError(TypeError, ValueError):
    """A tensor whose shape the input signature of a function does not allow.

    >>> import ferrograph as fg
    >>> @fg.function(input_signature=[fg.TensorSpec([None], fg.float32)])
    ... def total(x):
    ...     return fg.reduce_sum(x)
    >>> total(fg.ones([2, 2]))
    Traceback (most recent call last):
        ...
    ferrograph.errors.InputSignatureError: ...

    Give the spec the shape of all calls, ``[None, None]`` or None for any, or reshape the tensor:

    >>> float(total(fg.reshape(fg.ones([2, 2]), [-1])))
    4.0
    """


@public("errors.RetraceError")
class RetraceError(RuntimeError):
    """A call would have retraced a function within ``no_retrace``; ``record`` says why.

    Call the function once for each signature that is needed before the block, or remove the
    difference that the record names.

    >>> import ferrograph as fg
    >>> @fg.function
    ... def scale(x, k):
    ...     return x * k
    >>> one = scale(fg.constant(1.0), 2)
    >>> try:
    ...     with fg.no_retrace():
    ...         scale(fg.constant(1.0), 3)
    ... except fg.errors.RetraceError as e:
    ...     print(e.record.path, e.record.facet, e.record.old, e.record.new)
    k value 2 3
    """

    @property
    def record(self) -> Any:
        """The ``TraceRecord`` of the call."""
        return self.args[0]


@public("errors.StagingError")
class StagingError(TypeError, NotImplementedError):
    """Python code under a tensor's condition does something that a graph cannot do.

    Plain Python decides while the function is traced, before the tensor has a value. Rewrite the
    part that depends on the tensor so that every path gives the same names tensors of one dtype.

    >>> import ferrograph as fg
    >>> issubclass(fg.errors.StagingError, TypeError)
    True
    >>> issubclass(fg.errors.StagingError, NotImplementedError)
    True
    """


_BY_CODE = {
    cls._code: cls
    for cls in (
        CancelledError,
        UnknownError,
        InvalidArgumentError,
        DeadlineExceededError,
        NotFoundError,
        AlreadyExistsError,
        PermissionDeniedError,
        ResourceExhaustedError,
        FailedPreconditionError,
        AbortedError,
        OutOfRangeError,
        UnimplementedError,
        InternalError,
        UnavailableError,
        DataLossError,
        UnauthenticatedError,
    )
}


@public("errors.exception_type_from_error_code")
def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class of errors that has a number.

    >>> fg.errors.exception_type_from_error_code(5).__name__
    'NotFoundError'

    Args:
      error_code: an int.

    Returns:
      A subclass of ``errors.OpError``.

    Raises:
      KeyError: where no class has it.
      TypeError: for what is no integer.
    """
    if not hasattr(error_code, "__index__"):
        raise TypeError(
            "argument 'error_code' of exception_type_from_error_code must be an integer, "
            f"got {shown(error_code)}"
        )
    return _BY_CODE[operator.index(error_code)]


@public("errors.error_code_from_exception_type")
def error_code_from_exception_type(cls: type[OpError]) -> int | None:
    """The number of a class of errors.

    >>> fg.errors.error_code_from_exception_type(fg.errors.NotFoundError)
    5

    Args:
      cls: a class, such as ``errors.NotFoundError``.

    Returns:
      An int, or None where it has none.
    """
    return next((code for code, known in _BY_CODE.items() if known is cls), None)


# The public names of what stands above without a declaration of its own.
PUBLIC = {
    "ABORTED": ("errors.ABORTED",),
    "ALREADY_EXISTS": ("errors.ALREADY_EXISTS",),
    "CANCELLED": ("errors.CANCELLED",),
    "DATA_LOSS": ("errors.DATA_LOSS",),
    "DEADLINE_EXCEEDED": ("errors.DEADLINE_EXCEEDED",),
    "FAILED_PRECONDITION": ("errors.FAILED_PRECONDITION",),
    "INTERNAL": ("errors.INTERNAL",),
    "INVALID_ARGUMENT": ("errors.INVALID_ARGUMENT",),
    "NOT_FOUND": ("errors.NOT_FOUND",),
    "OK": ("errors.OK",),
    "OUT_OF_RANGE": ("errors.OUT_OF_RANGE",),
    "PERMISSION_DENIED": ("errors.PERMISSION_DENIED",),
    "RESOURCE_EXHAUSTED": ("errors.RESOURCE_EXHAUSTED",),
    "UNAUTHENTICATED": ("errors.UNAUTHENTICATED",),
    "UNAVAILABLE": ("errors.UNAVAILABLE",),
    "UNIMPLEMENTED": ("errors.UNIMPLEMENTED",),
    "UNKNOWN": ("errors.UNKNOWN",),
}
