"""What a function is called with: its parameters, its options, its arguments."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable

from ..hints import Any
from ..native import _core
from ..values import nest
from ..values.errors import shown
from ..values.tensor_spec import TensorSpec

__all__ = [
    "SignatureOf",
    "check_names",
    "check_unchanged",
    "checked_bound",
    "checked_signature",
    "leaves_of",
    "objects_of",
    "parameters_of",
    "snapshot",
]

_POSITIONAL_ONLY, _POSITIONAL, _VAR_POSITIONAL, _KEYWORD_ONLY, _VAR_KEYWORD = range(5)
_VARARGS_FLAG, _VARKEYWORDS_FLAG = 0x04, 0x08


def parameters_of(fn: Callable[..., Any]) -> list[tuple[str, int, bool, Any]]:
    """Name, kind, whether there is a default, and the default of each parameter."""
    if type(fn) is not types.FunctionType or hasattr(fn, "__signature__"):
        import inspect

        empty = inspect.Parameter.empty
        found = inspect.signature(fn).parameters.values()
        return [(p.name, int(p.kind), p.default is not empty, p.default) for p in found]
    code = fn.__code__
    names = code.co_varnames
    n, n_only = code.co_argcount, code.co_posonlyargcount
    defaults = fn.__defaults__ or ()
    params: list[tuple[str, int, bool, Any]] = []
    for i, name in enumerate(names[:n]):
        k = i - (n - len(defaults))
        kind = _POSITIONAL_ONLY if i < n_only else _POSITIONAL
        params.append((name, kind, k >= 0, defaults[k] if k >= 0 else None))
    end = n + code.co_kwonlyargcount
    if code.co_flags & _VARARGS_FLAG:
        params.append((names[end], _VAR_POSITIONAL, False, None))
    kw = fn.__kwdefaults__ or {}
    params += [(name, _KEYWORD_ONLY, name in kw, kw.get(name)) for name in names[n:end]]
    if code.co_flags & _VARKEYWORDS_FLAG:
        extra = names[end + bool(code.co_flags & _VARARGS_FLAG)]
        params.append((extra, _VAR_KEYWORD, False, None))
    return params


def checked_signature(signature: Any) -> tuple[Any, ...]:
    """An input signature as a tuple; TypeError for what is none."""
    if isinstance(signature, TensorSpec) or not isinstance(signature, (list, tuple)):
        raise TypeError(
            "function: input_signature must be a nested sequence of TensorSpecs, "
            f"got {shown(signature)}"
        )
    for leaf in nest.flatten(list(signature)):
        if not _is_spec(leaf):
            text = f"function: input_signature must hold TensorSpecs only, got {shown(leaf)}"
            raise TypeError(text)
    return tuple(signature)


def _is_spec(value: Any) -> bool:
    return hasattr(value, "is_compatible_with") and hasattr(value, "most_specific_compatible_type")


def checked_bound(max_traces: Any) -> int:
    """A bound of traces; ValueError for what is none."""
    is_number = hasattr(max_traces, "__index__") and not isinstance(max_traces, bool)
    bound = operator.index(max_traces) if is_number else 0
    if bound < 1:
        given = _core.described(max_traces)
        raise ValueError(f"function: max_traces must be a positive int, got {given}")
    return bound


def snapshot(args: tuple[Any, ...], kwargs: dict[Any, Any]) -> list[Any]:
    """The lists and dicts among arguments with what they hold, for ``check_unchanged``."""
    found: list[Any] = []
    for value in args:
        _note(value, found)
    for value in kwargs.values():
        _note(value, found)
    return found


def _note(value: Any, found: list[Any]) -> None:
    if isinstance(value, dict):
        found.append((value, list(value), list(value.values())))
        for part in value.values():
            _note(part, found)
    elif isinstance(value, (list, tuple)):
        if isinstance(value, list):
            found.append((value, None, list(value)))
        for part in value:
            _note(part, found)


def check_unchanged(before: list[Any], name: str) -> None:
    """ValueError where a list or dict that ``snapshot`` noted holds something else now."""
    for container, keys, values in before:
        now = container if keys is None else container.values()
        is_same = len(values) == len(now) and all(map(operator.is_, values, now))
        if not (is_same and (keys is None or keys == list(container))):
            raise ValueError(
                f"{name}() should not modify its Python input arguments: a list or dict was "
                "changed in place while it was traced. Modify a copy of it instead"
            )


def leaves_of(args: tuple[Any, ...], kwargs: dict[Any, Any]) -> list[Any]:
    """The leaves of the lists and dicts among arguments."""
    found: list[Any] = []
    _collect_leaves(args, found)
    _collect_leaves(kwargs, found)
    return found


def objects_of(
    args: tuple[Any, ...], kwargs: dict[Any, Any], inner: tuple[Any, ...], keywords: dict[Any, Any]
) -> tuple[tuple[Any, ...], dict[Any, Any]]:
    """The arguments of a trace, ``inner`` and ``keywords``, with None for placeholders, which are
    no objects of the call itself, ``args`` and ``kwargs``."""
    given = {id(value) for value in (*args, *kwargs.values())}
    kept = tuple(value if id(value) in given else None for value in inner)
    return kept, {name: v if id(v) in given else None for name, v in keywords.items()}


def _collect_leaves(value: Any, found: list[Any]) -> None:
    if type(value) in (list, tuple):
        for v in value:
            _collect_leaves(v, found)
    elif type(value) is dict:
        for k, v in value.items():
            found.append(k)
            _collect_leaves(v, found)
    else:
        found.append(value)


def check_names(kwargs: dict[Any, Any], name: str) -> None:
    """ValueError where two keywords would name one input of the graph."""
    known: dict[str, str] = {}
    for key in kwargs:
        plain = "".join(c if c == "_" or (c.isascii() and c.isalnum()) else "_" for c in key)
        other = known.setdefault(plain, key)
        if other != key:
            raise ValueError(
                f"{name}(): the keywords {other!r} and {key!r} both name the input {plain!r} of "
                "the graph; rename one"
            )


class SignatureOf:
    """``__signature__`` of an object that wraps a Python function: that of its
    ``python_function``."""

    def __get__(self, holder: Any, owner: type[Any]) -> Any:
        if holder is None:
            raise AttributeError("__signature__")
        import inspect

        return inspect.signature(holder.python_function)
