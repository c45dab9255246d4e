"""What an argument is to a trace: a tensor, a Python value, a container, or an object.

The native call path encodes tensors, variables, Python literals, lists, tuples and dicts by itself;
for anything else it asks ``classify``.
"""

from __future__ import annotations

import itertools
import sys
import weakref

from ..hints import Any
from ..native import _core
from ..values import nest
from ..values.tensor_spec import TensorSpec, TypeSpec
from . import special

__all__ = ["classify", "describe", "rebuild", "typed_placeholder"]

_TENSOR, _SPEC, _IDENTITY, _OBJECT, _STRUCT, _TYPED = range(6)

_counter = itertools.count(1)
_weak_tokens: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
_strong_tokens: dict[Any, int] = {}
_tokens_of_classes: weakref.WeakKeyDictionary[type[Any], dict[Any, int]] = (
    weakref.WeakKeyDictionary()
)
_MAX_STRONG = 16_384  # of each table; what had a token before gets another one


def _token(obj: Any) -> int:
    """A number that equal objects share."""
    try:
        found = _weak_tokens.get(obj)
        if found is None:
            found = _weak_tokens.setdefault(obj, _new_token(obj, True))
    except TypeError:
        return _strong_token(_strong_tokens, (type(obj), obj), obj)
    return found


def _structure_token(key: tuple[Any, ...]) -> int:
    """A number that structures of a class, and of what else ``key`` says, share."""
    table = _tokens_of_classes.get(key[0])
    if table is None:
        table = _tokens_of_classes.setdefault(key[0], {})
    return _strong_token(table, key[1:], key)


def _strong_token(table: dict[Any, int], key: Any, obj: Any) -> int:
    found = table.get(key)
    if found is None:
        while len(table) >= _MAX_STRONG:
            table.pop(next(iter(table)), None)
        found = table.setdefault(key, _new_token(obj, True))
    return found


# What the tokens made last describe, for records of retraces.
_described: dict[int, tuple[Any, ...]] = {}
_MAX_DESCRIBED = 4096


def _new_token(obj: Any, by_value: bool) -> int:
    token = next(_counter)
    while len(_described) >= _MAX_DESCRIBED:
        _described.pop(next(iter(_described)), None)
    _described[token] = _description(obj, by_value)
    return token


def _description(obj: Any, by_value: bool) -> tuple[Any, ...]:
    """The name of an object's class, its text, and whether its equals share its token; of a
    structure its class and the names or number of its children."""
    if type(obj) is tuple and len(obj) == 2 and isinstance(obj[0], type):
        if not hasattr(obj[0], "_trace_key"):
            return obj
        return obj[0].__qualname__, f"{obj[0].__qualname__}{obj[1]!r}"[:100], True
    text = object.__repr__(obj)
    if by_value or hasattr(obj, "__qualname__"):
        try:
            text = repr(obj)
        except Exception:
            text = object.__repr__(obj)  # the text of a class whose own does not work
    text = text if len(text) <= 100 else text[:97] + "..."
    return type(obj).__qualname__, text, by_value


def describe(token: int) -> tuple[Any, ...]:
    """The description of a token, see ``_description``; nothing is known of old tokens."""
    return _described.get(token, ("object", "an object seen long ago", False))


def _is_numpy_value(obj: Any) -> bool:
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return False
    return isinstance(obj, (numpy.ndarray, numpy.generic)) and not isinstance(
        obj, (numpy.str_, numpy.bytes_)
    )


def _fields(obj: Any) -> list[str] | None:
    """Names of the fields of a namedtuple, dataclass or attrs instance that is a container."""
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return list(obj._fields)
    if type(obj).__hash__ is None and hasattr(type(obj), "__dataclass_fields__"):
        return list(type(obj).__dataclass_fields__)
    if hasattr(type(obj), "__attrs_attrs__"):
        return [a.name for a in type(obj).__attrs_attrs__]
    return None


def _children(obj: Any) -> tuple[Any, list[Any]] | None:
    """What tells containers of this kind apart, and the children; None for no container."""
    if hasattr(type(obj), "_trace_key"):
        return obj._trace_key(), obj._component_list()
    names = _fields(obj)
    if names is not None:
        return (type(obj), tuple(names)), [getattr(obj, n) for n in names]
    if isinstance(obj, (list, tuple)):
        return (type(obj), len(obj)), list(obj)
    if isinstance(obj, dict) or (hasattr(obj, "keys") and hasattr(obj, "__getitem__")):
        keys = sorted(obj)
        return (type(obj), tuple(keys)), [obj[k] for k in keys]
    return None


def classify(obj: Any) -> tuple[Any, ...]:
    """The kind of an argument, as the native call path reads it.

    Objects that stay what they are keep the answer, in ``_as_argument``. TypeError for an object
    that can be neither traced nor hashed.
    """
    if not hasattr(type(obj), "_as_argument"):
        return _classified(obj)
    if obj._as_argument is None:
        obj._as_argument = _classified(obj)
    return obj._as_argument


def _classified(obj: Any) -> tuple[Any, ...]:
    """``classify`` without the cache."""
    if _is_numpy_value(obj):
        return _TENSOR, _core.convert_to_tensor(obj)
    if isinstance(obj, TensorSpec):
        return _SPEC, obj
    if hasattr(type(obj), "__tf_tracing_type__") or hasattr(type(obj), "_is_trace_type"):
        return _TYPED, *special.typed(obj)
    found = _children(obj)
    if found is not None:
        open_parts = getattr(type(obj), "_open_parts", None)
        is_open = open_parts(obj) if open_parts else ()
        return _STRUCT, _structure_token(found[0]), found[1], is_open
    kind = type(obj)
    if kind.__hash__ is None:
        raise TypeError(
            f"an argument of type {kind.__name__} is not hashable, so calls with it cannot be told "
            "apart; pass a tensor, a hashable object, or make it an attribute of one"
        )
    if kind.__eq__ is object.__eq__ and kind.__hash__ is object.__hash__:
        try:
            weakref.ref(obj)
        except TypeError:
            return _OBJECT, _token(obj)
        return _IDENTITY, _new_token(obj, False)
    return _OBJECT, _token(obj)


def typed_placeholder(token: int, region: Any, name: str) -> Any:
    """The placeholder for a value of the trace type of that token in the graph of ``region``."""
    return special.placeholder(token, region, name)


def rebuild(obj: Any, children: list[Any]) -> Any:
    """A container like ``obj`` of other children, in the order that ``classify`` gave them."""
    if hasattr(type(obj), "_trace_key"):
        spec = obj if isinstance(obj, TypeSpec) else getattr(obj, "_type_spec", None)
        made = nest._recompose(obj if spec is None else spec._for_trace(), children)
        return made._separate() if hasattr(made, "_separate") else made
    names = _fields(obj)
    if names is not None:
        if isinstance(obj, tuple):
            return type(obj)(*children)
        return type(obj)(**dict(zip(names, children, strict=True)))
    if isinstance(obj, (list, tuple)):
        return type(obj)(children)
    values = dict(zip(sorted(obj), children, strict=True))
    if hasattr(obj, "copy"):
        copy = obj.copy()
        for key, value in values.items():
            copy[key] = value
        return copy
    return type(obj)(values)
