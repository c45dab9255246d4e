"""Signatures: functions of named tensors that give dictionaries of tensors."""

from __future__ import annotations

from typing import Any

from ..function.concrete import ConcreteFunction
from ..function.function import Function
from ..native import _core
from ..values import nest
from ..values.composite import CompositeTensor
from ..values.tensor_spec import TensorSpec, TypeSpec
from .constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from .functions import is_function, traces_of

__all__ = ["signatures_of"]


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


def _trace(name: str, function: Any) -> ConcreteFunction:
    if not is_function(function):
        raise TypeError(
            f"signature {name!r} must be a function made by `function`, or a trace of one that "
            f"get_concrete_function gave, got {function!r}"
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
    structure = trace.structured_input_signature
    named = {n: v for n, _, v in trace._parameters()[len(trace._bound) :] if _is_composite(v)}
    specs: dict[str, TypeSpec] = {}
    places: list[Any] = []
    for leaf in nest.flatten(structure):
        if not isinstance(leaf, TypeSpec):
            places.append((None, leaf))
            continue
        key = getattr(leaf, "name", None) or next((n for n, v in named.items() if v is leaf), None)
        if key is None or key in specs:
            raise ValueError(
                f"signature {name!r}: two arguments are called {key!r}, or one has no name. Give "
                "each TensorSpec a name of its own"
            )
        specs[key] = leaf
        places.append((key, None))

    def signature_wrapper(**kwargs: Any) -> dict[str, Any]:
        leaves = [leaf if key is None else kwargs[key] for key, leaf in places]
        args, keywords = nest.pack_sequence_as(structure, leaves)
        return _as_dict(name, trace(*args, **keywords))

    made = Function(signature_wrapper, autograph=False, name=f"signature_wrapper_{name}")
    return made.get_concrete_function(**{key: specs[key] for key in sorted(specs)})


def _is_composite(value: Any) -> bool:
    return isinstance(value, TypeSpec) and not isinstance(value, TensorSpec)


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
