"""Calling one trace: from positional and keyword arguments to its flat tensors."""

from __future__ import annotations

from typing import Any

from ...native import _core
from ...state.variable import Variable
from ...values import nest
from ...values.errors import InvalidArgumentError
from ...values.tensor_spec import TensorSpec, TypeSpec
from ..concrete import record_fields

__all__ = ["flat_arguments"]


def flat_arguments(concrete: Any, args: tuple, kwargs: dict) -> list:
    """The tensors for a trace's inputs, from a call's arguments.

    TypeError where arguments are missing, unknown or given twice, where a Python value differs from
    the one traced with, or where the structure differs.
    """
    expected = _expected(concrete)
    given: dict[str, Any] = {}
    names = [n for n, _, by_position in expected if by_position]
    if len(args) > len(names):
        raise TypeError(
            f"{concrete._function_name}() takes {len(names)} arguments, got {len(args)}"
        )
    given.update(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name in given:
            raise TypeError(f"{concrete._function_name}() got two values for argument {name!r}")
        given[name] = value
    known = {n for n, _, _ in expected}
    for name in given:
        if name not in known:
            raise TypeError(f"{concrete._function_name}() has no argument {name!r}")
    flat: list = []
    for name, want, _ in expected:
        if name in given:
            _match(concrete._function_name, name, want, given[name], flat)
        elif _has_tensors(want):
            raise TypeError(f"{concrete._function_name}() misses argument {name!r}")
    return flat


def _has_tensors(want: Any) -> bool:
    """Whether an argument needs a value: there are tensors in it."""
    for leaf in nest.flatten(want):
        names = record_fields(leaf)
        if isinstance(leaf, TypeSpec) or any(_has_tensors(getattr(leaf, n)) for n in names or ()):
            return True
    return False


def _expected(concrete: Any) -> list[tuple[str, Any, bool]]:
    """Name, traced value, and whether it may be given by position, of each argument."""
    found = []
    for name, kind, value in concrete._parameters():
        found.append((name, value, kind not in ("KEYWORD_ONLY", "VAR_KEYWORD")))
    return found


def _match(function: str, path: str, want: Any, got: Any, flat: list) -> None:
    if isinstance(want, TensorSpec):
        flat.append(_tensor(function, path, want, got))
        return
    if isinstance(want, TypeSpec):
        flat += _composite(function, path, want, got)
        return
    if isinstance(want, dict):
        if not isinstance(got, dict) or set(got) != set(want):
            raise TypeError(f"{function}(): argument {path!r} must be a dict of {sorted(want)}")
        for key in sorted(want):
            _match(function, f"{path}[{key!r}]", want[key], got[key], flat)
        return
    if isinstance(want, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(got) != len(want):
            raise TypeError(f"{function}(): argument {path!r} must be a sequence of {len(want)}")
        for i, (w, g) in enumerate(zip(want, got, strict=True)):
            _match(function, f"{path}[{i}]", w, g, flat)
        return
    names = record_fields(want)
    if names is not None:
        if type(got) is not type(want):
            kind = type(want).__name__
            raise TypeError(f"{function}(): argument {path!r} must be a {kind}, got {got!r}")
        for field in names:
            _match(function, f"{path}.{field}", getattr(want, field), getattr(got, field), flat)
        return
    if want is not got and (type(want) is not type(got) or want != got):
        raise TypeError(
            f"{function}() was traced with {path} = {want!r}, it cannot be called with {got!r}"
        )


def _composite(function: str, path: str, want: TypeSpec, got: Any) -> list:
    if not want.is_compatible_with(got):
        raise TypeError(f"{function}(): argument {path!r} must fit {want!r}, got {got!r}")
    return want.to_tensors(got)


def _tensor(function: str, path: str, want: TensorSpec, got: Any) -> Any:
    if isinstance(got, Variable):
        return got
    if not isinstance(got, _core.Tensor):
        try:
            got = _core.convert_to_tensor(got, want.dtype)
        except ValueError as e:
            raise TypeError(f"{function}(): argument {path!r}: {e}") from e
    if got.dtype != want.dtype:
        raise InvalidArgumentError(
            None,
            None,
            f"cannot compute {function} as argument {path!r} was expected to be a "
            f"{want.dtype.name} tensor but is a {got.dtype.name} tensor [Op:{function}]",
        )
    return got
