"""Dispatch on user-defined trace types: which trace serves which types of arguments."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

from ...native import _core
from ...ops.creation import zeros
from ...values.errors import shown
from ...values.tensor_spec import TypeSpec
from .tracing import PlaceholderContext, TraceType, TracingContext

__all__ = ["find", "keep", "placeholder", "relaxation", "type_of", "typed"]

_KEPT_LIMIT = 4096
_KINDS: Any = (TraceType, TypeSpec)

_counter = itertools.count(1)
_tokens: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
_types: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def typed(value: Any) -> tuple[int, list[Any], Any]:
    """The token that equal types share, the tensors of a value that says its own type, the type.

    A type may be given in place of a value, without tensors. TypeError where a value has no type.
    """
    if not hasattr(type(value), "__tf_tracing_type__"):
        return _token(value), [_blank(spec) for spec in value.flatten()], value
    found: Any = value.__tf_tracing_type__(TracingContext())
    if not isinstance(found, _KINDS):
        raise TypeError(
            f"{type(value).__name__}.__tf_tracing_type__() must return a TraceType, got "
            f"{shown(found)}"
        )
    tensors = [_core.convert_to_tensor(t) for t in found.to_tensors(value)]
    return _token(found), tensors, found


def _blank(spec: Any) -> Any:
    dims = spec.shape.as_list() if spec.shape.rank is not None else []
    return zeros([0 if d is None else d for d in dims], spec.dtype)


def _token(trace_type: Any) -> int:
    """The number of a type as long as it, or one equal to it that had the number first, lives."""
    token = _tokens.get(trace_type)
    if token is None:
        token = _tokens.setdefault(trace_type, next(_counter))
        _types[token] = trace_type
    return token


def type_of(token: int) -> Any:
    """The type of that token; None where nothing holds it any more."""
    return _types.get(token)


def placeholder(token: int, region: Any, name: str) -> Any:
    """The placeholder for a value of the type of that token in the graph of ``region``.

    ValueError where it makes other tensors than the type says it has.
    """
    trace_type = _types[token]
    context = PlaceholderContext(region, name)
    made = trace_type.placeholder_value(context)
    expected = len(trace_type.flatten())
    if context.n_inputs != expected:
        raise ValueError(
            f"{type(trace_type).__name__}.placeholder_value() made {context.n_inputs} tensors, but "
            f"flatten() tells of {expected}"
        )
    return made


def keep(concrete: Any, signature: Any) -> None:
    """Hold the types of a call's signature as long as the trace: equal types then find it."""
    kept = concrete._kept_types
    if len(kept) < _KEPT_LIMIT:
        kept.update((token, _types.get(token)) for token in signature._types())


def find(function: Any, wanted: Any) -> Any:
    """The trace of the most specific types that serves a signature; None where there is none."""
    types = wanted._types()
    best: Any = None
    for signature in function._signatures():
        others = signature._types()
        if others == types or not _all_fit(types, others):
            continue
        if best is not None and not _all_fit(others, best[0]):
            continue
        found = function._find(wanted._with_types(others))
        if found is not None:
            best = (others, found)
    if best is None:
        return None
    function._alias(wanted, best[1])
    keep(best[1], wanted)
    return best[1]


def _all_fit(narrow: list[int], wide: list[int]) -> bool:
    return len(narrow) == len(wide) and all(map(_fits, narrow, wide))


def _fits(narrow: int, wide: int) -> bool:
    if narrow == wide:
        return True
    a, b = _types.get(narrow), _types.get(wide)
    return a is not None and b is not None and bool(a.is_subtype_of(b))


def relaxation(function: Any, wanted: Any) -> Any:
    """The signature of the common supertypes with the newest trace that differs in types only.

    None where there is none.
    """
    types = [_types.get(t) for t in wanted._types()]
    for signature in reversed(function._signatures()):
        merged = _merged(types, [_types.get(t) for t in signature._types()])
        if merged is None:
            continue
        tokens = [_token(m) for m in merged]
        general = wanted._with_types(tokens)
        if general == signature._with_types(tokens):
            return wanted._with_types(tokens, merged)
    return None


def _merged(types: list[Any], others: list[Any]) -> list[Any] | None:
    if len(types) != len(others) or None in types or None in others:
        return None
    merged = [
        a if a is b else a.most_specific_common_supertype([b])
        for a, b in zip(types, others, strict=True)
    ]
    return None if None in merged else merged
