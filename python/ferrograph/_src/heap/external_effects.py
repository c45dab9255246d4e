"""External effects: what code changes outside of the references between objects: the system, the
settings and states of libraries, memory.

Three tables of the standard library and NumPy. Functions that act on the system or the interpreter
are refused in a staged branch or loop before they act. Settings of modules, and states of objects
such as locks and loggers, are copied only where code that a region reaches has one of the words
that go with them, and compared when the region ends: a change is refused, and stays. Functions that
report the references to an object are refused anywhere in a trace, which holds references itself,
and methods that fail where others refer to their object after the first staged branch or loop.
"""

from __future__ import annotations

import array
import collections.abc
import functools
import io
import operator
import os
import re
import sys
import types
from collections.abc import Callable, Collection, Iterable, Iterator

from ..context import ownership
from ..hints import Any
from ..native import FG
from . import frames, trace_context
from .adapters import SCALARS
from .adapters.base import Aside, Found, State, Through, TypeAdapter, Whole
from .source_location import refusal

# By the module that says it defines them: functions that act, and methods by their own names.
_ACTING = {
    "posix": "chmod chown close dup2 fchmod fork ftruncate kill killpg lchown link lseek mkdir "
    "mkfifo mknod pipe2 posix_spawn putenv pwrite read readv remove removexattr rename replace "
    "rmdir sendfile setpriority setxattr symlink system truncate umask unlink unsetenv utime "
    "write writev execv execve _exit abort nice",
    "nt": "chmod close kill mkdir putenv read remove rename replace rmdir symlink system "
    "truncate umask unlink unsetenv utime write startfile _exit abort",
    "os": "makedirs popen removedirs renames spawnl spawnv execl execlp execvp",
    "shutil": "chown copy copy2 copyfile copymode copystat copytree make_archive move rmtree "
    "unpack_archive",
    "subprocess": "Popen call check_call check_output getoutput getstatusoutput run",
    "_signal": "alarm pthread_kill pthread_sigmask raise_signal setitimer siginterrupt "
    "set_wakeup_fd",
    "signal": "alarm pthread_sigmask setitimer signal",
    "pathlib": "write_text write_bytes touch mkdir unlink rmdir rename replace chmod symlink_to "
    "hardlink_to",
    "numpy": "save savez savez_compressed savetxt tofile dump",
    "importlib": "reload",
    "multiprocessing": "send send_bytes recv recv_bytes start terminate kill",
    "urllib": "urlopen urlretrieve",
    "resource": "setrlimit prlimit",
    "_ctypes": "from_address",
    "tempfile": "cleanup",
    "time": "tzset",
    "_csv": "register_dialect unregister_dialect",
    "locale": "setlocale resetlocale",
    "_locale": "setlocale",
}
_COUNTING = {"gc": "collect get_objects get_referrers", "sys": "getrefcount"}
_OPENING = ("io", "_io", "codecs", "gzip", "bz2", "lzma", "tokenize", "pathlib", "posix", "nt")
_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

# Settings of modules: what tells one, and the words of code that may change it, after a dash those
# of code that reads it, where few programs do.
_SETTINGS = """
sys.getrecursionlimit(): setrecursionlimit
sys.getswitchinterval(): setswitchinterval
sys.get_int_max_str_digits(): set_int_max_str_digits
sys.gettrace(): settrace
sys.getprofile(): setprofile
sys.get_coroutine_origin_tracking_depth(): set_coroutine_origin_tracking_depth
sys.get_asyncgen_hooks(): set_asyncgen_hooks
warnings.filters: filters simplefilter filterwarnings resetwarnings catch_warnings
os.getcwd(): chdir fchdir chroot
gc.isenabled(): enable disable
gc.get_threshold(): set_threshold
gc.get_debug(): set_debug
gc.get_freeze_count(): freeze unfreeze
numpy.geterr(): seterr errstate
numpy.geterrcall(): seterrcall errstate
numpy.get_printoptions(): set_printoptions printoptions
socket.getdefaulttimeout(): setdefaulttimeout
csv.field_size_limit(): field_size_limit
atexit._ncallbacks(): register unregister
calendar.firstweekday(): setfirstweekday
decimal.getcontext(): setcontext
copyreg.dispatch_table: pickle constructor
threading.stack_size(): stack_size
threading._trace_hook: settrace settrace_all_threads
threading._profile_hook: setprofile setprofile_all_threads
ctypes.get_errno(): set_errno
faulthandler.is_enabled(): enable disable
gettext.textdomain(): textdomain install
logging.root.manager.disable: disable
logging._levelToName: addLevelName
logging._warnings_showwarning: captureWarnings
logging.root.manager.loggerDict: getLogger getChild - loggerDict
mimetypes._db.types_map: add_type
tracemalloc.is_tracing(): start stop
"""
# Modules by the names that they go by, and the modules whose settings theirs are.
WITH_SETTINGS = {name: name for name in re.findall(r"^(\w+)\.", _SETTINGS, re.MULTILINE)} | {
    "_csv": "csv", "_decimal": "decimal", "_socket": "socket", "_thread": "threading",
    "_warnings": "warnings", "posix": "os", "nt": "os", "contextlib": "os",
    "_tracemalloc": "tracemalloc",
}  # fmt: skip

_BY_HAND = "acquire release acquire_lock release_lock enter_context __enter__ __exit__"
# By the module and the name of a class: the words that go with a state of its objects, what tells
# it, and which attributes hold objects of user code, or lists of such.
_STATES: dict[tuple[str, str], tuple[str, ...]] = {
    ("_thread", "lock"): (_BY_HAND, "__repr__()"),
    ("_thread", "RLock"): (_BY_HAND, "__repr__()"),
    ("threading", "Event"): ("set clear", "is_set()"),
    ("threading", "Semaphore"): (_BY_HAND, "_value"),
    ("threading", "Condition"): (_BY_HAND, "__repr__()"),
    ("threading", "Barrier"): ("abort reset wait", "broken n_waiting"),
    ("threading", "Thread"): (
        "name daemon start run cancel setName setDaemon",
        "name daemon ident finished._flag",
        "_target _args _kwargs",
    ),
    ("concurrent.futures._base", "Future"): (
        "set_result set_exception cancel set_running_or_notify_cancel",
        "_state",
    ),
    ("concurrent.futures.thread", "ThreadPoolExecutor"): ("shutdown __exit__", "_shutdown"),
    ("_contextvars", "Context"): ("run", "items()"),
    ("functools", "_lru_cache_wrapper"): ("cache_clear", "cache_info()"),
    ("collections", "defaultdict"): ("default_factory", "default_factory"),
    ("hmac", "HMAC"): ("update", "digest()"),
    ("logging", "Logger"): (
        "setLevel level addHandler removeHandler addFilter removeFilter handlers filters "
        "basicConfig",
        "level handlers filters",
        "handlers* filters*",
    ),
    ("logging", "Handler"): (
        "setLevel setFormatter addFilter removeFilter set_name level formatter",
        "level formatter name filters",
        "stream buffer target",
    ),
    ("builtins", "memoryview"): ("release __exit__", "nbytes"),
    ("numpy", "ndarray"): (
        "setflags flags writeable resize names",
        "flags.writeable shape strides dtype dtype.names",
    ),
    ("numpy.random.bit_generator", "BitGenerator"): (
        "advance state random_raw jumped seed integers random normal",
        "state",
    ),
    ("numpy.random.bit_generator", "SeedSequence"): ("spawn", "n_children_spawned"),
    ("socket", "socket"): (
        "settimeout setblocking close detach shutdown",
        "gettimeout() fileno()",
    ),
}


class _Same:
    """An object that is equal to itself alone."""

    __slots__ = ("held",)

    def __init__(self, held: Any):
        self.held = held

    def __eq__(self, other: object) -> bool:
        return type(other) is _Same and other.held is self.held

    __hash__ = None  # type: ignore[assignment]


def _comparable(value: Any) -> Any:
    """A value by what it holds, down to objects that are compared by identity."""
    if type(value) in SCALARS:
        return value
    if isinstance(value, collections.abc.Mapping):
        value = list(value.items())
    if isinstance(value, (tuple, list, collections.abc.ItemsView)):
        return tuple(map(_comparable, value))
    return value.tobytes() if hasattr(value, "__array_interface__") else _Same(value)


def teller(told_by: str) -> Callable[[Any], tuple]:
    """What reads attributes of an object, by their names, those of methods with `()`."""
    gets = [(operator.attrgetter(n.removesuffix("()")), n.endswith("()")) for n in told_by.split()]

    def told(owner: Any) -> tuple:
        found: list[Any] = []
        for get, is_called in gets:
            try:
                found.append(_comparable(get(owner)() if is_called else get(owner)))
            except (AttributeError, ValueError) as e:  # it has none, or none any more
                found.append(type(e).__name__)
        return tuple(found)

    return told


class Told(Aside):
    """A state that some words go with."""

    def __init__(self, words: str, told_by: str, what: str = "state", label: str = ""):
        super().__init__(teller(told_by), what)
        changed_by, _, read_by = words.partition("-")
        self.words, self.read_by = frozenset(changed_by.split()), frozenset(read_by.split())
        self._label = label

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield from super().changes(owner, held, self._label or label)


Entries = Iterator[tuple[TypeAdapter, Any, Any]]


def states(owners: Iterable[Any], words: frozenset[str]) -> Entries:
    """The states of objects that code with these words may change."""
    for owner in owners:
        told = told_of(type(owner))
        if told is not None and not told.words.isdisjoint(words):
            yield told, owner, told.hold(owner)


@functools.lru_cache(maxsize=1024)
def told_of(kind: type) -> Told | None:
    """The state of instances of a class that goes with words; None of other classes."""
    row = _row(kind)
    return None if row is None else Told(*row[:2])


def _row(kind: type) -> tuple[str, ...] | None:
    known = (_STATES.get((base.__module__, base.__qualname__)) for base in kind.__mro__)
    return next(filter(None, known), None)


def behind(held: Any) -> list:
    """Objects of user code that one of a library uses; those of the root logger, and of the screen,
    belong to whoever started the process."""
    row = _row(type(held)) or ()
    found: list[Any] = []
    for name in row[2].split() if len(row) > 2 and not _is_root(held) else ():
        part = getattr(held, name.removesuffix("*"), None)
        found += part if name.endswith("*") else [part]
    return [part for part in found if not isinstance(part, io.TextIOWrapper)]


def _is_root(held: Any) -> bool:
    logging = sys.modules.get("logging")
    return logging is not None and held is logging.root


def settings(
    modules: Iterable[str], words: frozenset[str], running: Callable[[], frozenset[str]]
) -> Entries:
    """The settings of modules that code with these words may change; some only where the code that
    is ``running`` reads them."""
    for name in sorted({WITH_SETTINGS[module] for module in modules if module in WITH_SETTINGS}):
        module = sys.modules.get(name)
        for setting in _of_module(name) if module is not None else ():
            is_told = not setting.read_by or not setting.read_by.isdisjoint(running())
            if is_told and not words.isdisjoint(setting.words):
                yield setting, module, setting.hold(module)
        if name == "logging" and module is not None:
            yield from states([module.root, *module.root.manager.loggerDict.values()], words)


@functools.cache
def _of_module(name: str) -> list[Told]:
    rows = re.findall(rf"^{name}\.(\S+): (.+)$", _SETTINGS, re.MULTILINE)
    return [Told(words, told_by, "setting", f"{name}.{told_by}") for told_by, words in rows]


class Modules(Aside):
    """Which modules there are, by name: to import one under its own name is no change, unless code
    that asks for it imports it, or one around or below it, in the region."""

    def __init__(self, imported: Collection[str]):
        super().__init__(dict, "modules")
        self._imported = [f"{name}." for name in imported if name]

    def differs(self, owner: Any, held: Any) -> bool:
        before = held[0]
        if any(owner.get(name) is not module for name, module in before.items()):
            return True
        return any(name not in before and self._shows(name) for name in list(owner))

    def _shows(self, name: str) -> bool:
        if any(f"{name}.".startswith(n) or n.startswith(f"{name}.") for n in self._imported):
            return True
        return getattr(ownership.said_by(sys.modules[name], "__spec__"), "name", None) != name

    def changes(self, owner: Any, held: Any, label: str) -> Found:
        yield from super().changes(owner, held, "sys.modules")


def form(callee: Any) -> Any:
    """What is called in place of ``callee``, which may act; itself where it does not."""
    name, module = getattr(callee, "__name__", ""), _module_of(callee)
    if name == "open" and module in _OPENING:
        is_refused, says = _opens_to_write, _SAYS_ACTING
    elif name in _COUNTING.get(module, "").split():
        is_refused, says = _counts, _SAYS_COUNTING
    elif name == "resize" and module == "numpy":
        is_refused, says = _asks_for_references, _SAYS_SIZING
    elif name in _ACTING.get(module, "").split():
        is_refused, says = _acts, _SAYS_ACTING
    else:
        return callee

    @functools.wraps(callee)
    def call(*args: Any, **kwargs: Any) -> Any:
        if is_refused(args, kwargs):
            raise refusal(
                says[0].format(name),
                says[1].format(FG=FG),
            )
        return callee(*args, **kwargs)

    return call


def _module_of(callee: Any) -> str:
    """The module that a function is of; of a native method the one of its class."""
    owner = getattr(callee, "__self__", None)
    is_method = owner is not None and type(callee) is not types.MethodType
    if is_method and not isinstance(owner, types.ModuleType):
        callee = type(owner)
    elif type(callee) is types.MethodDescriptorType:
        callee = callee.__objclass__
    return str(getattr(callee, "__module__", "")).partition(".")[0]


def _acts(args: tuple, kwargs: dict) -> bool:
    return trace_context.in_region()


def _opens_to_write(args: tuple, kwargs: dict) -> bool:
    """Whether `open` is asked for a file to be written: its mode is a text, or flags."""
    how = [*args[1:2], kwargs.get("mode"), kwargs.get("flags")]
    mode = "".join(value for value in how if isinstance(value, str))
    flags = [value for value in how if isinstance(value, int)]
    is_writing = not set("wax+").isdisjoint(mode) or any(value & _TO_WRITE for value in flags)
    return is_writing and trace_context.in_region()


def _counts(args: tuple, kwargs: dict) -> bool:
    return trace_context.active() and not frames.is_discarded()


def _asks_for_references(args: tuple, kwargs: dict) -> bool:
    return kwargs.get("refcheck", True) and trace_context.has_regions()


_SAYS_ACTING = (
    "external effect of `{}` in a staged branch or loop: it would act on files, processes or the "
    "interpreter once, at trace time",
    "Call it outside of the branch or loop, or in `{FG}.py_function`.",
)
_SAYS_COUNTING = (
    "`{}` counts objects or references to them, and a trace holds references to objects of the "
    "program as well",
    "Call it outside of the traced function, or in `{FG}.py_function`.",
)
_SAYS_SIZING = (
    "`{}` of an array fails where it has other references, and after a staged branch or loop a "
    "trace holds other references to arrays than plain Python",
    "Make another array, `a = np.resize(a, shape)`, or resize this one without that check, "
    "`a.resize(shape, refcheck=False)`.",
)


# Memory: arrays, compared by their bytes, large ones by hashes of these; and what opaque objects
# show of their memory and of their positions.
MOST_COPIED = 1 << 20  # bytes of an array; a larger one is compared by its fingerprint


def generators(random: Any) -> dict[type, TypeAdapter]:
    """How generators of ``numpy.random`` are compared."""
    return {random.Generator: _Generator(), random.RandomState: _Generator()}


class Array(State):
    """An ``ndarray``: its bytes; of one with objects these, of a large one a fingerprint."""

    def __init__(self) -> None:
        super().__init__(array_state, _put, "elements")

    def parts(self, owner: Any, held: Any) -> Iterable:
        if type(owner.base).__name__ != "mmap":  # whose memory is the array's
            yield owner.base
        if held[0].copy is not None:
            yield from _objects(held[0].copy)

    def place(self, owner: Any, label: str) -> Whole:
        put = None if owner.nbytes > MOST_COPIED else self._put
        return Whole(label, owner, self._get, put, self.what)


def _objects(array: Any) -> Iterable:
    """The objects in an array, and in its fields."""
    if array.dtype.names is None:
        yield from array.flat if array.dtype.hasobject else ()
    for name in array.dtype.names or ():
        yield from _objects(array[name])


class _ArrayState:
    """The shape and the bytes of an array, and a copy that keeps the objects whose places these
    are."""

    def __init__(self, shape: tuple, data: bytes, copy: Any):
        self.shape, self.data, self.copy = shape, data, copy

    def __eq__(self, other: object) -> bool:
        same = type(other) is _ArrayState and other.shape == self.shape
        return same and other.data == self.data

    __hash__ = None  # type: ignore[assignment]


def array_state(array: Any) -> _ArrayState:
    """What is compared of an ``ndarray``."""
    plain = sys.modules["numpy"].ndarray
    if type(array) is not plain:  # which may have methods of its own
        array = plain.view(array, plain)
    if array.dtype.hasobject:
        return _ArrayState(array.shape, array.tobytes(), array.copy())
    data = array.tobytes() if array.nbytes <= MOST_COPIED else _fingerprint(array)
    return _ArrayState(array.shape, data, None)


def _put(array: Any, state: _ArrayState) -> None:
    """Put back the elements of an array that was copied."""
    numpy = sys.modules["numpy"]
    if array.shape != state.shape:
        array.shape = state.shape
    kept = numpy.frombuffer(state.data, array.dtype) if state.copy is None else state.copy
    numpy.ndarray.view(array, numpy.ndarray)[...] = kept.reshape(state.shape)


def _fingerprint(array: Any) -> bytes:
    """Hashes of the bytes of an array, in the order in which it keeps them."""
    data = array.ravel(order="K").view("u1")
    return b"".join(_hash(data[i : i + MOST_COPIED]) for i in range(0, data.size, MOST_COPIED))


def _hash(data: Any) -> bytes:
    return hash(data.tobytes()).to_bytes(8, "little", signed=True)


class _Told:
    """The state of a generator of random numbers, compared by its text."""

    def __init__(self, state: Any):
        self.state, self._text = state, repr(state)

    def __eq__(self, other: object) -> bool:
        return type(other) is _Told and self._text == other._text

    __hash__ = None  # type: ignore[assignment]


class _Generator(State):
    """A generator of random numbers, which others are made of by a seed that it holds."""

    def __init__(self) -> None:
        super().__init__(lambda owner: _Told(_bits(owner).state), _put_bits)

    def parts(self, owner: Any, held: Any) -> Iterable:
        seed = getattr(_bits(owner), "seed_seq", None)
        return () if seed is None else (seed,)


def _bits(owner: Any) -> Any:
    return getattr(owner, "bit_generator", None) or owner._bit_generator


def _put_bits(owner: Any, told: _Told) -> None:
    _bits(owner).state = told.state


def _shown(owner: Any) -> tuple:
    """What an object of native code shows whose methods are opaque: its memory, of much memory a
    hash, and how far a file is read or written."""
    return _bytes(owner), _position(owner)


def _arrays(owner: Any) -> Iterable:
    """The arrays that a record or an iterator of NumPy shows, where the collector does not look."""
    try:
        return (getattr(owner, "base", None), *getattr(owner, "operands", ()))
    except ValueError:  # it is closed
        return ()


def _bytes(owner: Any) -> bytes:
    try:
        view = memoryview(owner)
    except (TypeError, ValueError, BufferError):  # it shows none, or is closed
        return b""
    with view:
        return view.tobytes() if view.nbytes <= MOST_COPIED else _hash(view)


def _position(file: Any) -> Any:
    """How far a file is read or written; None where it cannot tell, or belongs to the screen."""
    is_screen = any(file is s for s in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__))
    tells = type(getattr(type(file), "tell", None)) is types.MethodDescriptorType
    if is_screen or not tells:
        return None
    try:
        return file.tell()
    except (OSError, ValueError):  # it is closed, has no positions, or none during iteration
        buffer = getattr(file, "buffer", None)
        return None if buffer is None or buffer is file else _position(buffer)


def own_bytes(owner: Any) -> bytes:
    """The memory of a native object whose state cannot be read otherwise, without its header, which
    has the reference count."""
    import ctypes

    head = object.__basicsize__
    return ctypes.string_at(id(owner) + head, type(owner).__basicsize__ - head)


class Views(Aside):
    """Whether something whose length can change has views, while which it cannot."""

    cure = (
        "Make and end the view in the same place, as in `with memoryview(x) as view:`, or read a "
        "copy, `bytes(x)`."
    )

    def __init__(self) -> None:
        super().__init__(_keeps_length, "views")


def growing(kind: type) -> type | None:
    """The base of a class whose length views keep from changing; None of other classes."""
    is_one = lambda base: (base.__module__, base.__name__) in _VIEWED  # noqa: E731
    return next(filter(is_one, kind.__mro__), None)


_VIEWED = frozenset({("builtins", "bytearray"), ("array", "array"), ("_io", "BytesIO")})


def _keeps_length(owner: Any) -> bool:
    base: Any = growing(type(owner))
    try:
        if hasattr(base, "getbuffer"):
            base.write(owner, b"")
        else:
            base.append(owner, 0) if base is bytearray else base.frombytes(owner, _item(owner))
            base.pop(owner)
    except BufferError:
        return True
    except ValueError:  # it is closed
        return False
    return False


def _item(owner: array.array) -> bytes:
    return bytes(owner.itemsize)


SHOWN, VIEWS, BEHIND = Aside(_shown, "bytes or position"), Views(), Through(_arrays)
OWN_POSITION = Aside(own_bytes, "position")
