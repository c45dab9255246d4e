"""Which functions converted code calls in place of those that the text names."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import sysconfig
import types
import warnings
from collections.abc import Callable
from typing import Any

from .. import context
from . import api, builtins, compile
from .errors import ConversionError

_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
NOT_CONVERTED = "_ferrograph_not_converted"


def fn(callee: Any) -> Any:
    """What to call in place of ``callee``: its converted form, its staged form, or itself."""
    kind = type(callee)
    if kind is types.FunctionType:
        return convert_callee(callee)
    if kind is types.MethodType:
        return _method(callee)
    if kind is functools.partial:
        return _partial(callee)
    if isinstance(callee, (type, types.BuiltinFunctionType)):
        made = getattr(callee, "__init__", None)
        if type(made) is types.FunctionType and not is_exempt(made):
            _note(made, deep=True)
        return builtins.staged_form(callee)
    return _callable_object(callee)


def convert_callee(callee: types.FunctionType) -> Any:
    """``callee`` converted, or itself where it is not ours to convert."""
    if is_exempt(callee):
        if getattr(callee, NOT_CONVERTED, False):
            _note(callee, deep=True)
        return builtins.staged_form(callee)
    result = converted(callee)
    _note(callee, deep=result is callee and not compile.is_converted(callee.__code__))
    return result


def _note(function: types.FunctionType, deep: bool) -> None:
    """Tell the trace which functions it runs: what they read from outside belongs to it."""
    reads = context.reads()
    if reads is not None:
        reads.add(function, deep)


def converted(function: types.FunctionType) -> types.FunctionType:
    """``function`` converted whatever its module; itself where that cannot be done."""
    from . import operators

    if function.__code__.co_flags & _GENERATORS or compile.is_converted(function.__code__):
        return function
    try:
        return compile.instantiate(function, operators)
    except ConversionError as e:
        if api.verbosity() > 0:
            _warn(function, str(e))
    except (SyntaxError, ValueError, RecursionError) as e:
        _warn(function, f"{type(e).__name__}: {e}")
    return function


def is_exempt(function: types.FunctionType) -> bool:
    """Whether a function reached by a call stays as it is."""
    return getattr(function, NOT_CONVERTED, False) or _is_library(function.__code__.co_filename)


@functools.lru_cache(maxsize=4096)
def _is_library(filename: str) -> bool:
    """Whether a file belongs to Python, to an installed package or to this one."""
    parts = filename.replace("\\", "/").split("/")
    if "site-packages" in parts or "dist-packages" in parts:
        return True
    return filename.startswith((_PACKAGE, "<frozen", *_library_folders()))


@functools.lru_cache(maxsize=1)
def _library_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    folders = {paths["stdlib"], paths["platstdlib"], os.path.dirname(os.path.abspath(os.__file__))}
    return tuple(folder + os.sep for folder in folders)


def _method(method: types.MethodType) -> Any:
    target = method.__func__
    if type(target) is not types.FunctionType:
        return method
    changed = convert_callee(target)
    return method if changed is target else types.MethodType(changed, method.__self__)


def _partial(partial: functools.partial) -> Any:
    changed = fn(partial.func)
    if changed is partial.func:
        return partial
    return functools.partial(changed, *partial.args, **partial.keywords)


def _callable_object(callee: Any) -> Any:
    call = getattr(type(callee), "__call__", None)  # noqa: B004 - the function itself is wanted
    if type(call) is not types.FunctionType or is_exempt(call):
        return callee
    changed = convert_callee(call)
    return callee if changed is call else types.MethodType(changed, callee)


_warned: set[tuple[str, int]] = set()


def _warn(function: types.FunctionType, reason: str) -> None:
    """Say once a function that it runs as plain Python."""
    code = function.__code__
    place = (code.co_filename, code.co_firstlineno)
    if place in _warned:
        return
    _warned.add(place)
    warnings.warn_explicit(
        f"AutoGraph leaves {function.__qualname__} as plain Python: {reason}",
        UserWarning,
        *place,
        module=sys.intern(function.__module__ or "<unknown>"),
    )


def any_callable(target: Any) -> Callable:
    """``target`` converted because the user asked for it, wherever it comes from."""
    if getattr(target, NOT_CONVERTED, False):
        return target
    if type(target) is types.FunctionType:
        return converted(target)
    if type(target) is types.MethodType and type(target.__func__) is types.FunctionType:
        return types.MethodType(any_callable(target.__func__), target.__self__)
    if type(target) is functools.partial:
        return functools.partial(any_callable(target.func), *target.args, **target.keywords)
    return fn(target)
