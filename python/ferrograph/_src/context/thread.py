"""The state of a thread: eager or in a graph, its name scopes and its control dependencies."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from ..hints import Any
from ..native import _core
from ..values import errors
from ..values.errors import shown
from ..values.public import block, public

__all__ = [
    "control_dependencies",
    "device",
    "executing_eagerly",
    "get_current_name_scope",
    "init_scope",
    "inside_function",
    "name_scope",
    "no_retrace",
]


# Whether what is asked to run on a device that is not here runs on the CPU.
soft_placement = [True]


class Undetermined(BaseException):
    """What a recursive call gives is not known before another way through the function is traced.

    No error: a staged conditional that sees it goes on with its other branch.
    """


class Ongoing:
    """A function being traced, as calls of itself see it."""

    __slots__ = (
        "branches",
        "choices",
        "errors",
        "function",
        "is_open",
        "is_pending",
        "n_passes",
        "region",
        "result",
        "signature",
        "substitute",
    )

    def __init__(self, function: Any, signature: Any):
        self.function, self.signature = function, signature
        self.branches = _thread.branches
        self.region: Any = None
        self.result: Any = None  # what it returns, as far as that is known
        self.choices: list[Any] = []  # what it may return instead
        self.errors: list[Exception] = []
        self.n_passes = 0
        self.is_open = False  # whether it calls a function outside it that is being traced
        self.start(None)

    def start(self, region: Any) -> None:
        """A pass over the function, into that region."""
        self.region = region
        self.substitute: Any = None  # what recursive calls get, with its handle
        self.is_pending = False  # whether a call of itself could not be given anything

    def is_recursive(self) -> bool:
        """Whether the pass came to a call of the function itself."""
        return self.is_pending or self.substitute is not None

    def handle(self) -> Any:
        """What the calls of itself name; None where there are none."""
        return None if self.substitute is None else self.substitute[0]


class _Thread(threading.local):
    def __init__(self) -> None:
        self.regions: list[Any] = []
        self.scopes: list[str] = []
        self.depth = 0
        self.reads: list[Any] = []
        self.ongoing: list[Ongoing] = []
        self.locks: list[bool] = []
        self.branches = 0
        self.no_retrace = 0


_thread = _Thread()


class tracing:
    """Operations of a block become nodes of the region. After an exception it is abandoned.

    ``reads`` is notified of the Python functions that run in the block.
    """

    __slots__ = ("_reads", "_region", "_scopes")

    def __init__(self, region: Any, reads: Any = None):
        self._region, self._reads = region, reads

    def __enter__(self) -> None:
        self._scopes, _thread.scopes = _thread.scopes, []
        _thread.regions.append(self._region)
        _thread.reads.append(self._reads)
        _thread.depth += 1
        self._region.enter()

    def __exit__(self, kind: type[BaseException] | None, *exception: Any) -> None:
        try:
            if kind is not None:
                self._region.abandon()
        finally:
            self._region.exit()
            _thread.depth -= 1
            _thread.reads.pop()
            _thread.regions.pop()
            _thread.scopes = self._scopes


class TraceLock:
    """Held by the thread that traces a function.

    Where threads would wait for one another in a circle, the one that finds out goes on without:
    it makes a trace of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._owner: int | None = None
        self._n_held = 0

    def __enter__(self) -> None:
        held = self._lock.acquire(blocking=False) or self._wait()
        _thread.locks.append(held)
        if held:
            self._owner = threading.get_ident()
            self._n_held += 1

    def __exit__(self, *exception: Any) -> None:
        if not _thread.locks.pop():
            return
        self._n_held -= 1
        if not self._n_held:
            self._owner = None
        self._lock.release()

    def _wait(self) -> bool:
        """Wait for the lock; False, without it, where who has it waits for this thread."""
        thread = threading.get_ident()
        _waiting[thread] = self  # before the look: of two threads at least one sees the other
        try:
            return not self._is_circle(thread) and self._lock.acquire()
        finally:
            _waiting.pop(thread, None)

    def _is_circle(self, thread: int) -> bool:
        lock: TraceLock | None = self
        for _ in range(len(_waiting) + 1):
            owner = None if lock is None else lock._owner
            if owner is None or owner == thread:
                return owner == thread
            lock = _waiting.get(owner)
        return False


_waiting: dict[int, TraceLock] = {}  # what threads wait for


def forget_waiting() -> None:
    """In a forked child: no thread waits."""
    _waiting.clear()


class ongoing:
    """A function is traced for a signature in a block."""

    __slots__ = ("_made",)

    def __init__(self, function: Any, signature: Any):
        self._made = Ongoing(function, signature)

    def __enter__(self) -> Ongoing:
        _thread.ongoing.append(self._made)
        return self._made

    def __exit__(self, *exception: Any) -> None:
        _thread.ongoing.pop()


def all_ongoing() -> list[Ongoing]:
    """The functions being traced on this thread, inner ones last."""
    return _thread.ongoing


def enter_branch(n: int) -> None:
    """A region that may not run is traced from now on; with -1 no longer."""
    _thread.branches += n


def n_branches() -> int:
    """How many regions that may not run are being traced, one inside the other."""
    return _thread.branches


class _Made(threading.local):
    n = 0
    line: Any = None  # where the program made the last one


variables_made = _Made()  # how many variables the traces of this thread have made


def current_region() -> Any:
    """The region of the innermost function being traced; None when eager."""
    return _thread.regions[-1] if _thread.regions else None


def region_of_function(graph_id: int | None) -> Any:
    """The region of the function being traced whose graph has that number; None where none has."""
    return next((r for r in _thread.regions if r.graph_id == graph_id), None)


def reads() -> Any:
    """Where the function being traced notes what it reads from outside; None where nothing does."""
    return _thread.reads[-1] if _thread.reads else None


def called_while_tracing(concrete: Any) -> None:
    """Tell the function being traced of the values that a trace which it calls depends on."""
    noted = reads()
    if noted is not None:
        noted.add_guards(concrete._guards)


@public("no_retrace")
@contextlib.contextmanager
def no_retrace() -> Iterator[None]:
    """Calls of this thread that would retrace a function raise ``RetraceError`` in a block.

    The error carries the record that says what differs. The first trace of a function is allowed,
    and so is all that happens in it.

    >>> f = fg.function(lambda x: x + 1)
    >>> int(f(fg.constant(1)))
    2
    >>> with fg.no_retrace():
    ...     print(int(f(fg.constant(2))))
    3
    >>> with fg.no_retrace():
    ...     f(fg.constant(2.0))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
        ...
    RetraceError: retrace #2 of <lambda> (<doc61>:1), called at <doc64>:2:5; 0 ms
    """
    _thread.no_retrace += 1
    try:
        yield
    finally:
        _thread.no_retrace -= 1


def retracing_is_refused() -> bool:
    """Whether a retrace here is an error."""
    return _thread.no_retrace > 0 and _thread.depth == 0


@public("executing_eagerly")
def executing_eagerly() -> bool:
    """Whether operations compute at once here: not while a function is traced.

    >>> @fg.function
    ... def f():
    ...     print(fg.executing_eagerly())
    >>> f()
    False
    >>> fg.executing_eagerly()
    True
    """
    return _core.executing_eagerly()


@public("inside_function")
def inside_function() -> bool:
    """Whether a function is being traced, also within ``init_scope``.

    >>> @fg.function
    ... def f():
    ...     print(fg.inside_function())
    >>> f()
    True
    >>> fg.inside_function()
    False
    """
    return _thread.depth > 0


@public("init_scope")
@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """Operations of a block compute at once, also while a function is traced.

    >>> @fg.function
    ... def f(x):
    ...     with fg.init_scope():
    ...         print(fg.executing_eagerly())
    ...     return x
    >>> int(f(1))
    True
    1
    """
    scope = _core.EagerScope()
    scope.enter()
    try:
        yield
    finally:
        scope.exit()


@public("name_scope")
class name_scope:
    """Names of operations made in a block get a prefix: ``with name_scope("layer"): ...``.

    The block's value is the prefix, with a trailing slash. ValueError for a name that is no string.

    >>> @fg.function(input_signature=[fg.TensorSpec([])])
    ... def f(x):
    ...     with fg.name_scope('layer'):
    ...         return fg.exp(x, name='exp')
    >>> f.get_concrete_function().graph.get_operations()[1].name
    'layer/exp'
    """

    def __init__(self, name: str):
        if not isinstance(name, str):
            raise ValueError(f"a name scope is named by a string, got {name!r}")
        self._name = name

    @property
    def name(self) -> str:
        """The name as given."""
        return self._name

    def __enter__(self) -> str:
        outer = _thread.scopes[-1] if _thread.scopes else ""
        scope = self._name if self._name.endswith("/") else f"{outer}{self._name}/"
        scope = "" if not self._name else scope
        _thread.scopes.append(scope)
        self._set(scope)
        return scope

    def __exit__(self, *exc: Any) -> None:
        _thread.scopes.pop()
        self._set(_thread.scopes[-1] if _thread.scopes else "")

    @staticmethod
    def _set(scope: str) -> None:
        region = current_region()
        if region is not None and region.graph_id == _core.current_graph_id():
            region.set_scope(scope)


def current_scope() -> str:
    """The prefix of names here, with its trailing slash; empty at top level."""
    return _thread.scopes[-1] if _thread.scopes else ""


@public("get_current_name_scope")
def get_current_name_scope() -> str:
    """The name scope here, without a slash at its end; empty outside all scopes.

    >>> with fg.name_scope('layer'):
    ...     fg.get_current_name_scope()
    'layer'
    """
    return _thread.scopes[-1].rstrip("/") if _thread.scopes else ""


@public("control_dependencies")
@block
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Operations of a block run after these ones. Operations with effects are ordered anyway.

    A block within another one has its own tensors alone, not those of the one around it.

    >>> v = fg.Variable(1)
    >>> @fg.function
    ... def f(x):
    ...     with fg.control_dependencies([v.assign(5)]):
    ...         return x + v
    >>> int(f(2))
    7

    Args:
      control_inputs: a list of tensors; what is no tensor counts for nothing, nor does anything
        outside a traced function. None for no more of them.

    Returns:
      A context manager.
    """
    region = current_region()
    if region is None or region.graph_id != _core.current_graph_id():
        yield
        return
    tensors = [t for t in control_inputs or [] if isinstance(t, _core.Tensor)]
    before = region.set_control(tensors)
    try:
        yield
    finally:
        region.restore_control(before)


_devices = [""]


def device_by_number(number: int) -> str:
    """The name of a device by the number that signatures have."""
    return _devices[number]


_ACCELERATORS = ("GPU", "TPU", "XLA_CPU", "XLA_GPU")
_PLACES = ("JOB:", "REPLICA:", "TASK:")


def _canonical(device_name: Any) -> str:
    """The device asked for, as ``/device:CPU:0``; empty where none is."""
    if device_name is None or callable(device_name):
        return ""
    named = device_name.to_string() if hasattr(device_name, "to_string") else device_name
    if not isinstance(named, str):
        raise ValueError(f"device_name must be a string, got {shown(named)}")
    parts = [part for part in named.upper().replace("DEVICE:", "").split("/") if part]
    kinds = [part for part in parts if not part.startswith(_PLACES)]
    if not kinds:
        return ""
    kind, _, index = kinds[-1].partition(":")
    if kind != "CPU" and kind not in _ACCELERATORS:
        raise ValueError(f"there is no device {shown(named)}; ferrograph runs on the CPU, '/CPU:0'")
    if kind == "CPU" and index in ("", "*", "0"):
        return "/device:CPU:0"
    if not soft_placement[0]:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"there is no device {shown(named)} here, and soft placement is off: ask for "
            "'/CPU:0', or call config.set_soft_device_placement(True)",
        )
    return f"/device:{kind}:{index or 0}"


@public("device")
@block
def device(device_name: Any) -> Iterator[None]:
    """A block's operations are asked to run on a device, which is the CPU.

    What is asked to run on a device that is not here runs on the CPU, unless
    ``config.set_soft_device_placement(False)`` makes that an error. Functions are traced for each
    device that is asked for.

    >>> with fg.device('CPU:0'):
    ...     x = fg.constant(1)
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'

    Args:
      device_name: a string such as ``"CPU:0"`` or a ``DeviceSpec``; None asks for no device any
        more. A function changes nothing.

    Returns:
      A context manager.

    Raises:
      ValueError: for what is no name of a device.
      InvalidArgumentError: for a device that is not here, where soft placement is off.
    """
    name = _canonical(device_name)
    if not name and device_name is not None:
        yield
        return
    if name not in _devices:
        _devices.append(name)
    before = _core.set_device(_devices.index(name))
    try:
        yield
    finally:
        _core.set_device(before)
