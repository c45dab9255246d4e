"""Converting a call's arguments to an input signature."""

from __future__ import annotations

from typing import Any

from ...native import _core
from ...values import nest
from ...values.errors import InputSignatureError, shown
from ...values.tensor_spec import TensorSpec

__all__ = ["convert", "spec_arguments", "specs_for"]


def _positional(function: Any) -> tuple[list[tuple[str, bool, Any]], int]:
    """Name, whether there is a default, default of the positional parameters; how many lead the
    signature (``self``)."""
    params = [(n, has, d) for n, kind, has, d in function._params if kind in (0, 1)]
    rest = any(kind == 2 for _, kind, _, _ in function._params)
    n_specs = len(function._signature)
    required = sum(1 for _, has, _ in params if not has)
    lead = 1 if params and params[0][0] == "self" and len(params) > 0 else 0
    if n_specs > len(params) - lead and not rest:
        raise TypeError(
            f"{function.name}() has {len(params) - lead} arguments, its input_signature {n_specs}"
        )
    if n_specs < required - lead:
        raise TypeError(
            f"{function.name}() has {required - lead} arguments without default, its "
            f"input_signature covers {n_specs}"
        )
    for name, kind, has, _ in function._params:
        if kind == 3 and not has:
            raise TypeError(
                f"{function.name}(): the keyword-only argument {name!r} needs a default to be used "
                "with an input_signature"
            )
    return params, lead


def _bind(
    function: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]
) -> tuple[list[Any], list[Any]]:
    """The leading arguments, and one value for each spec."""
    params, lead = _positional(function)
    names = [n for n, _, _ in params]
    n_specs = len(function._signature)
    values = list(args)
    if len(values) > lead + n_specs:
        raise TypeError(
            f"{function.name}() takes {n_specs} arguments by its input_signature, got "
            f"{len(values) - lead}"
        )
    extra = dict(kwargs)
    for i in range(len(values), lead + n_specs):
        name, has, default = params[i] if i < len(params) else (None, False, None)
        if name in extra:
            values.append(extra.pop(name))
        elif has:
            values.append(default)
        else:
            raise TypeError(f"{function.name}() misses the argument {name!r}")
    if extra:
        bad = sorted(extra)[0]
        what = "given twice or not covered by its input_signature" if bad in names else "unknown"
        raise TypeError(f"{function.name}(): argument {bad!r} is {what}")
    return values[:lead], values[lead:]


def convert(function: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> tuple[Any, ...]:
    """The positional arguments of a call, converted to the specs of the input signature.

    TypeError where arguments are missing or of another structure or dtype; ValueError where a
    shape does not fit.
    """
    lead, values = _bind(function, args, kwargs)
    made = [_match(function, s, v) for s, v in zip(function._signature, values, strict=True)]
    return (*lead, *made)


def _match(function: Any, spec: Any, value: Any) -> Any:
    if isinstance(spec, dict):
        if not isinstance(value, dict) or set(value) != set(spec):
            raise _incompatible(function, spec, value, TypeError)
        return {k: _match(function, spec[k], value[k]) for k in value}
    if isinstance(spec, (list, tuple)):
        same = isinstance(value, (list, tuple)) and len(value) == len(spec)
        if not same or isinstance(value, tuple) != isinstance(spec, tuple):
            raise _incompatible(function, spec, value, TypeError)
        children = [_match(function, s, v) for s, v in zip(spec, value, strict=True)]
        return type(spec)(children) if not hasattr(spec, "_fields") else type(spec)(*children)
    return _leaf(function, spec, value)


def _leaf(function: Any, spec: Any, value: Any) -> Any:
    if not isinstance(spec, TensorSpec):
        if not spec.is_compatible_with(value):
            raise _incompatible(function, spec, value, TypeError)
        return spec.cast(value)
    if isinstance(value, _core.VariableBase):
        value = value._read()
    if not isinstance(value, _core.Tensor):
        try:
            value = _core.convert_to_tensor(value, spec.dtype)
        except (TypeError, ValueError) as e:
            raise _incompatible(function, spec, value, TypeError) from e
    if value.dtype != spec.dtype:
        raise _incompatible(function, spec, value, TypeError)
    if not spec.shape.is_compatible_with(value.shape):
        raise _incompatible(function, spec, value, InputSignatureError)
    return value


def _incompatible(function: Any, spec: Any, value: Any, kind: type[Any]) -> Exception:
    return kind(
        f"Python inputs incompatible with input_signature of {function.name}():\n"
        f"  input: {shown(value)}\n  expected: {spec!r}"
    )


def spec_arguments(function: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> tuple[Any, ...]:
    """The specs to trace at; arguments given must fit the signature and may narrow it."""
    _, lead = _positional(function)
    if len(args) <= lead and not kwargs:
        return (*args, *function._signature)
    given_lead, values = _bind(function, args, kwargs)
    narrowed = nest.map_structure(
        lambda s, v: _narrow(function, s, v), list(function._signature), values
    )
    return (*given_lead, *narrowed)


def _narrow(function: Any, spec: Any, value: Any) -> Any:
    if not isinstance(spec, TensorSpec):
        if not spec.is_compatible_with(value):
            raise _incompatible(function, spec, value, TypeError)
        return spec
    if isinstance(value, TensorSpec):
        if value.dtype != spec.dtype or not _is_within(value.shape, spec.shape):
            raise _incompatible(function, spec, value, TypeError)
        return spec
    _leaf(function, spec, value)
    return spec


def _is_within(shape: Any, other: Any) -> bool:
    """Whether every tensor of a shape has another one."""
    if other.rank is None or shape.rank is None:
        return other.rank is None
    dims = zip(shape, other, strict=False)
    return shape.rank == other.rank and all(b is None or a == b for a, b in dims)


def specs_for(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The leading arguments with the signature's specs."""
    n = len(function._signature)
    return (*args[: len(args) - n], *function._signature)
