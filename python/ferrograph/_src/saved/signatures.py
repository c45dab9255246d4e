"""Signatures: functions of named tensors that give dictionaries of tensors."""

from __future__ import annotations

import functools
from typing import Any

from ..function import special
from ..function.concrete import ConcreteFunction
from ..function.function import Function
from ..native import _core
from ..values import nest
from ..values.composite import CompositeTensor
from ..values.errors import shown
from ..values.tensor_spec import TypeSpec
from .constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from .functions import is_function, traces_of

__all__ = ["default_signatures", "signatures_of"]

# The attribute by which an object names the function that serves it.
_DEFAULT = "_default_save_signature"


def signatures_of(signatures: Any) -> dict[str, ConcreteFunction]:
    """The functions that signatures are saved as, by their names.

    TypeError for what is no function of this package, ValueError for a function that has no input
    signature and not one trace, or whose arguments or results have no names.
    """
    if signatures is None:
        return {}
    if not isinstance(signatures, dict) and not hasattr(signatures, "items"):
        signatures = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures}
    return {name: _wrapped(name, _trace(name, f)) for name, f in signatures.items()}


def default_signatures(obj: Any, children: dict[str, Any]) -> dict[str, ConcreteFunction]:
    """The signatures of an object that is saved without any: the function that it serves by.

    That is what it names itself, else the one among its own functions that can be a signature: a
    trace, or a function that has an input signature.
    """
    try:
        named = getattr(obj, _DEFAULT, None)
        if isinstance(named, Function) and named.input_signature is not None:
            special.spec_arguments(named, (), {})
    except (TypeError, ValueError):  # what it takes does not tell how it would be served
        named = None
    if named is not None:
        return signatures_of(named)
    found = [_signature_by(child) for child in children.values() if is_function(child)]
    able = [trace for trace in found if trace is not None]
    return {DEFAULT_SERVING_SIGNATURE_DEF_KEY: able[0]} if len(able) == 1 else {}


def _signature_by(function: Any) -> ConcreteFunction | None:
    """A function as a signature; None where it can't be one by itself."""
    if not isinstance(function, ConcreteFunction) and function.input_signature is None:
        return None
    key = DEFAULT_SERVING_SIGNATURE_DEF_KEY
    trace = _trace(key, function)
    if not trace.outputs:
        return None
    try:
        return _wrapped(key, trace)
    except ValueError:  # its arguments or results have no names
        return None


def _trace(name: str, function: Any) -> ConcreteFunction:
    if not is_function(function):
        raise TypeError(
            f"signature {name!r} must be a function made by `function`, or a trace of one that "
            f"get_concrete_function gave, got {shown(function)}"
        )
    if isinstance(function, ConcreteFunction):
        return function
    traces = traces_of(function)
    if len(traces) != 1:
        raise ValueError(
            f"signature {name!r}: {function!r} has {len(traces)} traces. Give it an "
            "input_signature, or pass what its get_concrete_function(...) gives"
        )
    return traces[0]


def _wrapped(name: str, trace: ConcreteFunction) -> ConcreteFunction:
    """A trace as a function of keywords that gives a dictionary."""
    structure, labels = _arguments(trace)
    specs: dict[str, TypeSpec] = {}
    places: list[Any] = []
    for leaf, label in zip(nest.flatten(structure), nest.flatten(labels), strict=True):
        if not isinstance(leaf, TypeSpec):
            places.append((None, leaf))
            continue
        key, n = label, 0
        while key in specs:
            n += 1
            key = f"{label}_{n}"
        specs[key] = leaf
        places.append((key, None))

    def signature_wrapper(**kwargs: Any) -> dict[str, Any]:
        leaves = [leaf if key is None else kwargs[key] for key, leaf in places]
        args, keywords = nest.pack_sequence_as(structure, leaves)
        return _as_dict(name, trace(*args, **keywords))

    made = Function(signature_wrapper, autograph=False, name=f"signature_wrapper_{name}")
    return made.get_concrete_function(**{key: specs[key] for key in sorted(specs)})


def _arguments(trace: ConcreteFunction) -> tuple[Any, Any]:
    """The arguments of a trace by place and by keyword, and in the same structure the name of each
    tensor: its own, else that of its argument.
    """
    by_place: tuple[list[Any], list[Any]] = [], []
    by_name: tuple[dict[Any, Any], dict[Any, Any]] = {}, {}
    for name, kind, value in trace._parameters()[len(trace._bound) :]:
        called = functools.partial(_called, name)
        for within, found in enumerate((value, nest.map_structure(called, value))):
            if kind in ("KEYWORD_ONLY", "VAR_KEYWORD"):
                by_name[within][name] = found
            else:
                by_place[within].append(found)
    return (by_place[0], by_name[0]), (by_place[1], by_name[1])


def _called(argument: str, leaf: Any) -> str:
    return getattr(leaf, "name", None) or argument


def _as_dict(name: str, result: Any) -> dict[str, Any]:
    """A result as a dictionary: its own, or with names by number."""
    if result is None:
        return {}
    if isinstance(result, (list, tuple)):
        result = {f"output_{i}": value for i, value in enumerate(result)}
    elif not isinstance(result, dict):
        result = {"output_0": result}
    for key, value in result.items():
        if not isinstance(key, str) or not isinstance(value, (_core.Tensor, CompositeTensor)):
            raise ValueError(
                f"signature {name!r} must give tensors, or a dictionary of them by strings; "
                f"{key!r} is {value!r}"
            )
    return result
