"""Writers of summaries: the current one, its step, and whether recording is on."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import threading
import weakref
from collections.abc import Iterator
from typing import Any

from .. import ops
from ..context import thread
from ..control_flow.cond import cond
from ..native import FG, _core
from ..ops._base import static_value
from ..ops._dispatch import told
from ..values.dtypes import bool as boolean
from ..values.dtypes import int32, int64, string
from ..values.public import block, public

__all__ = [
    "SummaryWriter",
    "create_file_writer",
    "create_noop_writer",
    "flush",
    "get_step",
    "record_if",
    "set_step",
    "should_record_summaries",
    "summary_scope",
    "write",
    "write_raw_pb",
]


class _State(threading.local):
    def __init__(self) -> None:
        self.writer: SummaryWriter | None = None
        self.step: Any = None
        self.condition: Any = None


_state = _State()
_numbers = itertools.count()
_writers: weakref.WeakSet[_FileWriter] = weakref.WeakSet()


@public("summary.SummaryWriter")
class SummaryWriter:
    """What takes the summaries of a run: made by ``fg.summary.create_file_writer``.

    >>> writer = fg.summary.create_noop_writer()
    >>> with writer.as_default():
    ...     bool(fg.summary.scalar("loss", 0.5, step=1))
    False
    """

    @contextlib.contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """A block whose summaries this writer takes; ``step`` is their default step.

        In a function the writer is chosen when the function is traced.
        """
        before = _state.writer, _state.step
        self.set_as_default(step)
        try:
            yield self
            self.flush()
        finally:
            _state.writer, _state.step = before

    def set_as_default(self, step: Any = None) -> None:
        """Lets this writer take the summaries of this thread from now on."""
        _state.writer = self
        if step is not None:
            _state.step = step

    def flush(self) -> None:
        """Writes what waits."""

    def close(self) -> None:
        """Writes what waits; the writer takes nothing more."""

    init = flush

    def __enter__(self) -> SummaryWriter:
        raise RuntimeError("a writer is used by `with writer.as_default():`")

    def __exit__(self, *exception: Any) -> None:
        """Never reached: the block is not entered."""


class _NoopWriter(SummaryWriter):
    """Takes nothing."""


class _FileWriter(SummaryWriter):
    """Takes summaries into an event file."""

    def __init__(self, logdir: Any, max_queue: Any, flush_millis: Any, suffix: Any):
        unique = f".{os.getpid()}.{next(_numbers)}"
        with thread.init_scope():
            self.handle = _core.emit("SummaryWriter", (), None, None)
            path = os.fspath(logdir) if isinstance(logdir, os.PathLike) else logdir
            inputs = (
                self.handle,
                _core.convert_to_tensor(path, string),
                _core.convert_to_tensor(10 if max_queue is None else max_queue, int32),
                _core.convert_to_tensor(120_000 if flush_millis is None else flush_millis, int32),
                _core.convert_to_tensor(unique + (".v2" if suffix is None else suffix), string),
            )
            _core.emit("CreateSummaryFileWriter", inputs, None, None)
        self._is_closed = False
        _writers.add(self)

    def set_as_default(self, step: Any = None) -> None:
        self._check_open()
        super().set_as_default(step)

    def _check_open(self) -> None:
        if self._is_closed:
            raise RuntimeError("SummaryWriter is already closed")

    def flush(self) -> None:
        """Writes what waits."""
        if not self._is_closed:
            _core.emit("FlushSummaryWriter", (self.handle,), None, None)

    def close(self) -> None:
        """Writes what waits; the writer takes nothing more."""
        if not self._is_closed:
            self.flush()
            _core.emit("CloseSummaryWriter", (self.handle,), None, None)
            self._is_closed = True


def _flush_all() -> None:
    for writer in list(_writers):
        writer.flush()


atexit.register(_flush_all)


@public("summary.create_file_writer")
@told
def create_file_writer(
    logdir: Any,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """A writer of summaries into a new event file, which TensorBoard shows.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> writer = fg.summary.create_file_writer(folder)
    >>> with writer.as_default():
    ...     for step in range(3):
    ...         _ = fg.summary.scalar("loss", 1.0 / (step + 1), step=step)
    >>> "tfevents" in os.listdir(folder)[0]
    True

    Args:
      logdir: the folder of the file.
      max_queue: how many summaries wait before they are written, 10 by default.
      flush_millis: how long they wait, two minutes by default.
      filename_suffix: the end of the file's name, ".v2" by default.
      name: of no effect.
      experimental_trackable: of no effect.
      experimental_mesh: of no effect.
    """
    return _FileWriter(logdir, max_queue, flush_millis, filename_suffix)


@public("summary.create_noop_writer")
def create_noop_writer() -> SummaryWriter:
    """A writer that takes nothing.

    >>> with fg.summary.create_noop_writer().as_default():
    ...     bool(fg.summary.write("x", 1.0, step=0))
    False
    """
    return _NoopWriter()


@public("summary.flush")
@told
def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Writes what waits for a writer.

    >>> fg.summary.flush()

    Args:
      writer: a ``SummaryWriter``; by default the one in use, if there is one.
      name: of no effect.
    """
    writer = _state.writer if writer is None else writer
    if writer is not None:
        writer.flush()


@public("summary.experimental.get_step")
def get_step() -> Any:
    """The default step of this thread's summaries; None where there is none.

    >>> fg.summary.experimental.get_step()
    """
    return _state.step


@public("summary.experimental.set_step")
def set_step(step: Any) -> None:
    """Gives this thread's summaries a default step.

    >>> fg.summary.experimental.set_step(7)
    >>> fg.summary.experimental.get_step()
    7
    >>> fg.summary.experimental.set_step(None)

    Args:
      step: an int, or an integer scalar in a tensor or a variable, whose value counts when a
        summary is written; None for no default.
    """
    _state.step = step


@public("summary.record_if")
@block
def record_if(condition: Any) -> Iterator[None]:
    """A block whose summaries are written where a condition holds.

    >>> with fg.summary.record_if(False):
    ...     bool(fg.summary.should_record_summaries())
    False

    Args:
      condition: a bool, a scalar tensor of one, or a function without arguments that gives one.

    Returns:
      A context manager.
    """
    before, _state.condition = _state.condition, condition
    try:
        yield
    finally:
        _state.condition = before


@public("summary.should_record_summaries")
def should_record_summaries() -> Any:
    """Whether summaries are written here, as a tensor: there is a writer, and ``record_if`` holds.

    >>> bool(fg.summary.should_record_summaries())
    False
    """
    if _state.writer is None:
        return _core.convert_to_tensor(False)
    condition = _state.condition
    condition = condition() if callable(condition) else condition
    return _core.convert_to_tensor(True if condition is None else condition, boolean)


def _at(step: Any) -> Any:
    """The step of a summary."""
    step = _state.step if step is None else step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            f"{FG}.summary.experimental.set_step()"
        )
    return ops.cast(step, int64)


def recorded(emit: Any) -> Any:
    """Do what ``emit`` does with the handle of the writer in use, where summaries are written;
    whether they are."""
    writer = _state.writer
    if not isinstance(writer, _FileWriter):
        return _core.convert_to_tensor(False)

    def record() -> Any:
        emit(writer.handle)
        return _core.convert_to_tensor(True)

    condition = should_record_summaries()
    known = static_value(condition)
    if known is not None:
        return record() if known else _core.convert_to_tensor(False)
    return cond(condition, record, lambda: _core.convert_to_tensor(False))


@public("summary.write")
def write(
    tag: Any, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None
) -> Any:
    """Writes a tensor under a tag, where summaries are written; whether they are, as a tensor.

    >>> bool(fg.summary.write("nowhere", 1.0, step=0))
    False

    Args:
      tag: what it is called.
      tensor: the value, or a function of nothing that gives it and runs where it is written.
      step: the step that it belongs to; the default step where None.
      metadata: a serialised ``SummaryMetadata``, or such a message.
      name: of no effect.
    """
    if not isinstance(_state.writer, _FileWriter):
        return _core.convert_to_tensor(False)
    at = _at(step)
    text = metadata if isinstance(metadata, (bytes, str)) else b""
    if hasattr(metadata, "SerializeToString"):
        text = metadata.SerializeToString()

    def emit(handle: Any) -> None:
        value = _core.convert_to_tensor(tensor() if callable(tensor) else tensor)
        words = _core.convert_to_tensor(tag, string), _core.convert_to_tensor(text, string)
        _core.emit("WriteSummary", (handle, at, value, *words), None, None)

    return recorded(emit)


@public("summary.experimental.write_raw_pb")
def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Any:
    """Writes serialised ``Summary`` messages, where summaries are written.

    >>> bool(fg.summary.experimental.write_raw_pb("", step=0))
    False

    Args:
      tensor: a tensor of strings, or bytes.
      step: an integer scalar; None, the default, uses the step of
        ``summary.experimental.set_step``.
      name: of no effect.

    Returns:
      A scalar bool, whether they were written; False where there is no writer.

    Raises:
      ValueError: where there is a writer and no step.
      InvalidArgumentError: for strings that are no such messages.
    """
    if not isinstance(_state.writer, _FileWriter):
        return _core.convert_to_tensor(False)
    inputs = _at(step), _core.convert_to_tensor(tensor, string)
    return recorded(lambda h: _core.emit("WriteRawProtoSummary", (h, *inputs), None, None))


@public("summary.experimental.summary_scope")
def summary_scope(name: str | None, default_name: str = "summary", values: Any = None) -> Any:
    """A block of a summary's own name scope: gives the summary's tag and the scope.

    >>> with fg.name_scope("layer"), fg.summary.experimental.summary_scope("loss") as (tag, _):
    ...     tag
    'layer/loss'

    Args:
      name: the name of the summary, a string; None for default_name.
      default_name: a string, for where name is None or has no character that a scope may have;
        ``"summary"`` by default.
      values: of no effect.

    Returns:
      A context manager of a pair of strings.
    """
    return _summary_scope(name or default_name, default_name)


@contextlib.contextmanager
def _summary_scope(name: str, default_name: str) -> Iterator[tuple[str, str]]:
    around = thread.get_current_name_scope()
    tag = f"{around}/{name}" if around else name
    clean = "".join(c for c in name if c.isalnum() or c in "._-/") or default_name
    with thread.name_scope(clean.lstrip("_-/.") or default_name) as scope:
        yield tag, scope
