"""External effects: functions of the standard library that change the system or the interpreter.

They change no Python object, such as files or processes, so no snapshot shows it. Called in a
staged branch or loop they would act once, at trace time: such a call is refused before it acts. So
are functions that report the references to an object, anywhere in a trace, since the trace holds
references itself, and methods that fail where others refer to their object, after the first staged
branch or loop.
"""

from __future__ import annotations

import functools
import os
import types
from collections.abc import Callable

from ...heap import frames, trace_context
from ...heap.source_location import diagnostic, here
from ...hints import Any
from ...values import errors

_WRITERS = "save savez savez_compressed savetxt tofile dump"
_FILES = (
    "write_text write_bytes touch mkdir unlink rmdir rename replace chmod symlink_to hardlink_to"
)
# By the module that says it defines them; methods by their own names.
_ACTING: dict[str, frozenset[str]] = {
    module: frozenset(names.split())
    for module, names in {
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
        "_signal": "alarm pthread_kill pthread_sigmask raise_signal setitimer siginterrupt",
        "signal": "alarm pthread_sigmask setitimer",
        "pathlib": _FILES,
        "numpy": _WRITERS,
        "importlib": "reload",
        "multiprocessing": "send send_bytes recv recv_bytes start terminate kill",
        "urllib": "urlopen urlretrieve",
        "resource": "setrlimit prlimit",
        "_ctypes": "from_address",
        "tempfile": "cleanup",
        "time": "tzset",
    }.items()
}
# What counts references, or objects that nothing refers to: its results are those of the trace.
_COUNTING = {
    "gc": frozenset({"collect", "get_objects", "get_referrers"}),
    "sys": frozenset({"getrefcount"}),
}
_OPENING = frozenset({"io", "_io", "codecs", "gzip", "bz2", "lzma", "tokenize", "pathlib"})
_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def form(callee: Any) -> Any:
    """What is called in place of ``callee``, which may act; itself where it does not."""
    name = getattr(callee, "__name__", "")
    module = _module_of(callee)
    if name == "open" and (module in _OPENING or module in ("posix", "nt")):
        return _refusing(callee, _opens_to_write)
    if name in _COUNTING.get(module, ()):
        return _uncounted(callee)
    if name == "resize" and module == "numpy":
        return _sizing(callee)
    return _refusing(callee, _always) if name in _ACTING.get(module, ()) else callee


def _module_of(callee: Any) -> str:
    """The module that a function is of; of a native method the one of its class."""
    owner = getattr(callee, "__self__", None)
    is_method = owner is not None and type(callee) is not types.MethodType
    if is_method and not isinstance(owner, types.ModuleType):
        callee = type(owner)
    elif type(callee) is types.MethodDescriptorType:
        callee = callee.__objclass__
    return str(getattr(callee, "__module__", "")).partition(".")[0]


def _always(*args: Any, **kwargs: Any) -> bool:
    return True


def _opens_to_write(*args: Any, **kwargs: Any) -> bool:
    """Whether `open` is asked for a file to be written: its mode is a text, or flags."""
    how = [*args[1:2], kwargs.get("mode"), kwargs.get("flags")]
    mode = "".join(value for value in how if isinstance(value, str))
    flags = [value for value in how if isinstance(value, int)]
    return not set("wax+").isdisjoint(mode) or any(value & _TO_WRITE for value in flags)


def _uncounted(callee: Callable) -> Callable:
    @functools.wraps(callee)
    def call(*args: Any, **kwargs: Any) -> Any:
        if trace_context.active() and not frames.is_discarded():
            raise errors.StagingError(
                diagnostic(
                    here(),
                    f"`{callee.__name__}` counts objects or references to them, and a trace holds "
                    "references to objects of the program as well",
                    "Call it outside of the traced function, or in `fg.py_function`.",
                )
            )
        return callee(*args, **kwargs)

    return call


def _sizing(callee: Callable) -> Callable:
    """``ndarray.resize``, which counts references to the array unless ``refcheck`` is false."""

    @functools.wraps(callee)
    def call(*args: Any, refcheck: Any = True, **kwargs: Any) -> Any:
        if refcheck and trace_context.has_regions():
            raise errors.StagingError(
                diagnostic(
                    here(),
                    "`resize` of an array fails where it has other references, and after a staged "
                    "branch or loop a trace holds other references to arrays than plain Python",
                    "Make another array, `a = np.resize(a, shape)`, or resize this one without "
                    "that check, `a.resize(shape, refcheck=False)`.",
                )
            )
        return callee(*args, refcheck=refcheck, **kwargs)

    return call


def _refusing(callee: Callable, acts: Callable[..., bool]) -> Callable:
    @functools.wraps(callee)
    def call(*args: Any, **kwargs: Any) -> Any:
        if trace_context.in_region() and acts(*args, **kwargs):
            raise errors.StagingError(
                diagnostic(
                    here(),
                    f"external effect of `{callee.__name__}` in a staged branch or loop: it would "
                    "act on files, processes or the interpreter once, at trace time",
                    "Call it outside of the branch or loop, or in `fg.py_function`.",
                )
            )
        return callee(*args, **kwargs)

    return call
