"""Calling one trace: from positional and keyword arguments to its flat tensors."""

from __future__ import annotations

import re
from typing import Any

from ...native import _core
from ...state.variable import Variable
from ...values import nest
from ...values.errors import InvalidArgumentError, shown
from ...values.tensor_spec import TensorSpec, TypeSpec
from ..outputs import record_fields

__all__ = ["flat_arguments", "named"]


def flat_arguments(concrete: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> list[Any]:
    """The tensors for a trace's inputs, from a call's arguments.

    These come in the structure that was traced, or flat: a tensor for each tensor in it, by
    position or by the name of its input. TypeError where arguments are missing, unknown or given
    twice, where a Python value differs from the one traced with, or where the structure differs.
    """
    try:
        return _structured(concrete, args, kwargs)
    except TypeError as e:
        flat = _flat(concrete, args[len(concrete._bound) :], kwargs)
        if flat is None:
            raise e from None
        return flat


def _structured(concrete: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> list[Any]:
    """The tensors of arguments in the structure that was traced."""
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
    flat: list[Any] = []
    for name, want, _ in expected:
        if name in given:
            _match(concrete._function_name, name, want, given[name], flat)
        elif _has_tensors(want):
            raise TypeError(f"{concrete._function_name}() misses argument {name!r}")
    return flat


def _flat(concrete: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> list[Any] | None:
    """The tensors of flat arguments; None where the call is none of that kind."""
    parameters = concrete._parameters()
    wanted = [leaf for _, _, value in parameters for leaf in _leaves(value)]
    if not all(isinstance(leaf, TensorSpec) and leaf.name for leaf in wanted):
        return None
    names = [_plain(leaf.name) for leaf in wanted]
    given = dict(zip(names, args, strict=False))
    if len(args) > len(names) or given.keys() & kwargs.keys():
        return None
    given.update(kwargs)
    order = [_plain(name) for name in _in_graph(concrete)]
    if given.keys() != set(names) or sorted(order) != sorted(names):
        return None
    if not all(isinstance(v, (_core.Tensor, Variable)) for v in given.values()):
        return None
    pairs = zip(names, wanted, strict=True)
    found = {n: _tensor(concrete._function_name, n, want, given[n]) for n, want in pairs}
    return [found[n] for n in order]


def _in_graph(concrete: Any) -> list[str]:
    """The names of the arguments' inputs, in the order of the graph."""
    return [n.rpartition(":")[0] for n in concrete._graph.input_names()[: concrete._n_args]]


def _plain(name: str) -> str:
    """The name of an input as a keyword has it."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)


def _leaves(want: Any) -> list[Any]:
    """The leaves of a traced value but for those that are no tensors."""
    found: list[Any] = []
    for leaf in nest.flatten(want):
        names = record_fields(leaf)
        if names is not None:
            found += [x for n in names for x in _leaves(getattr(leaf, n))]
        elif isinstance(leaf, TypeSpec):
            found.append(leaf)
    return found


def named(path: str, want: Any) -> Any:
    """A traced argument, whose specs that have the name of their input get that of their place."""
    if isinstance(want, TensorSpec):
        first = path.split("/")[0]
        own = want.name and not re.fullmatch(rf"{re.escape(first)}(_\d+)?", want.name)
        return want if own else TensorSpec(want.shape, want.dtype, path.replace("/", "_"))
    if isinstance(want, dict):
        return nest.like(want, [named(f"{path}/{k}", want[k]) for k in sorted(want)])
    if isinstance(want, (list, tuple)):
        keys = getattr(want, "_fields", range(len(want)))
        return nest.like(want, [named(f"{path}/{k}", v) for k, v in zip(keys, want, strict=True)])
    return want


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


def _match(function: str, path: str, want: Any, got: Any, flat: list[Any]) -> None:
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
            raise TypeError(f"{function}(): argument {path!r} must be a {kind}, got {shown(got)}")
        for field in names:
            _match(function, f"{path}.{field}", getattr(want, field), getattr(got, field), flat)
        return
    if want is not got and (type(want) is not type(got) or want != got):
        raise TypeError(
            f"{function}() was traced with {path} = {want!r}, it cannot be called with {shown(got)}"
        )


def _composite(function: str, path: str, want: TypeSpec, got: Any) -> list[Any]:
    if not want.is_compatible_with(got):
        raise TypeError(f"{function}(): argument {path!r} must fit {want!r}, got {shown(got)}")
    return want.to_tensors(got)


def _tensor(function: str, path: str, want: TensorSpec, got: Any) -> Any:
    _check_shape(function, path, want, got)
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


def _check_shape(function: str, path: str, want: TensorSpec, got: Any) -> None:
    """TypeError for a tensor of a graph whose shape cannot be the one traced with.

    What the trace inferred of its results holds for that shape alone.
    """
    if not _core.is_symbolic(got) or want.shape.is_compatible_with(got.shape):
        return
    raise TypeError(
        f"{function}(): argument {path!r} was traced with shape {want.shape}, it cannot be called "
        f"with a tensor of shape {got.shape} in a function; trace it with a more general TensorSpec"
    )
