"""What differs between the signatures of two calls, leaf by leaf, in the user's names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...context import thread
from ...native import FG
from .. import special, trace_type

__all__ = ["Cause", "differences", "relaxed_axes"]

_ABSENT = ("none", None)
_VAR_POSITIONAL, _VAR_KEYWORD = 2, 4


@dataclass(frozen=True)
class Cause:
    """One difference: where, of what kind, what was, what is, what was seen there so far, the cure.

    Shapes are tuples with None for sizes that are open; dtypes, types and objects are named.
    """

    path: str
    facet: str
    old: Any
    new: Any
    history: tuple[Any, ...] = ()
    fix: str = ""

    def __str__(self) -> str:
        text, old, new, seen = self.facet, self.old, self.new, self.history
        axes = self._axes()
        if self.facet == "shape" and len(axes) == 1:
            (k,) = axes
            text = f"shape axis {k}"
            old, new = old[k], new[k]
            seen = tuple(dict.fromkeys(shape[k] for shape in seen if len(shape) > k))
        said = text if self.path in ("", text) else f"{self.path}  {text}"
        if self.facet in ("key added", "key removed"):
            said += f": {_text(old if new is None else new)}"
        elif (old, new) != (None, None):
            said += f": {_text(old)} -> {_text(new)}"
        if len(seen) > 2:
            said += f"   (seen: {', '.join(map(_text, seen))})"
        return said

    def _axes(self) -> list[int]:
        if self.facet != "shape":
            return []
        return [k for k, (x, y) in enumerate(zip(self.old, self.new, strict=True)) if x != y]


def _text(value: Any) -> str:
    return value if isinstance(value, _Name) else repr(value)


class _Name(str):
    """A string that is shown without quotes: the name of a type, or the repr of an object."""

    __slots__ = ()


def differences(function: Any, old: Any, new: Any) -> list[Cause]:
    """All that differs between the signature of a trace and that of a call."""
    found: list[Cause] = []
    before, after = dict(_arguments(function, old)), dict(_arguments(function, new))
    aliases = _first_paths(before), _first_paths(after)
    for path, node in after.items():
        _compare(path, before.get(path, _ABSENT), node, found)
    return [_resolve(cause, aliases) for cause in found]


def relaxed_axes(function: Any, general: Any, wanted: Any) -> list[str]:
    """The axes that a trace leaves open and the call it was made for does not."""
    found: list[str] = []
    shapes = dict(_shapes(_arguments(function, general)))
    for path, dims in _shapes(_arguments(function, wanted)):
        open_dims = shapes.get(path)
        if open_dims is None:
            found.append(f"the rank of {path}")
            continue
        pairs = enumerate(zip(open_dims, dims or (), strict=False))
        found += [f"axis {k} of {path}" for k, (x, y) in pairs if x is None and y is not None]
    return found


def _arguments(function: Any, signature: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Name and node of each argument, and of the device that is asked for."""
    nodes = signature._describe()
    stars = (_VAR_POSITIONAL, _VAR_KEYWORD)
    names = [name for name, kind, _, _ in function._params if kind not in stars]
    for star in stars:
        names += [name for name, kind, _, _ in function._params if kind == star]
    yield from zip(names, nodes, strict=False)
    rest = nodes[len(names) :]
    yield "device", rest[0] if rest else ("device", 0)


def _compare(path: str, old: tuple[Any, ...], new: tuple[Any, ...], found: list[Cause]) -> None:
    if old[0] != new[0]:
        found.append(Cause(path, "type", _type(old), _type(new), (), _TYPE_FIX))
    elif old[0] in ("tensor", "variable"):
        _compare_tensors(path, old, new, found)
    elif old[0] in ("list", "tuple"):
        _compare_sequences(path, old[1], new[1], found)
    elif old[0] in ("dict", "keywords"):
        _compare_keyed(path, _items(old[1]), _items(new[1]), found)
    elif old[0] == "struct":
        _compare_structs(path, old, new, found)
    elif old[0] == "object":
        _compare_objects(path, old[1], new[1], found)
    elif old[0] == "typed":
        if old[1] != new[1]:
            found.append(Cause(path, "type", _trace_type(old[1]), _trace_type(new[1])))
    elif repr(old[1]) == repr(new[1]):  # by text, which tells 0.0 from -0.0
        return
    elif old[0] == "device":
        before, after = (thread.device_by_number(node[1]) or None for node in (old, new))
        found.append(Cause(path, "device", before, after, (), "call it under one device"))
    else:
        found.append(Cause(path, "value", old[1], new[1], (), _value_fix(path, new)))


def _compare_tensors(
    path: str, old: tuple[Any, ...], new: tuple[Any, ...], found: list[Cause]
) -> None:
    if old[1] != new[1]:
        fix = f"convert before the call: {FG}.cast({path}, {FG}.{old[1]})"
        found.append(Cause(path, "dtype", _Name(old[1]), _Name(new[1]), (), fix))
    before, after = old[2], new[2]
    if before is not None and after is not None and len(before) != len(after):
        fix = f"reduce_retracing=True, or an input_signature with TensorSpec(None, {FG}.{new[1]})"
        found.append(Cause(path, "rank", len(before), len(after), (), fix))
    elif before != after and not _fits(before, after):
        fix = (
            "leave reduce_retracing at its default, or give an input_signature with None in the "
            f"shape; code that needs the size takes it from {FG}.shape(x) rather than x.shape"
        )
        found.append(Cause(path, "shape", before, after, (), fix))
    if old[3:] != new[3:]:
        fix = "pass the same variable in the same places"
        found.append(Cause(path, "alias", old[3], new[3], (), fix))


def _fits(general: tuple[Any, ...] | None, specific: tuple[Any, ...] | None) -> bool:
    if general is None or specific is None:
        return general is None
    return all(x is None or x == y for x, y in zip(general, specific, strict=True))


def _compare_sequences(path: str, old: list[Any], new: list[Any], found: list[Cause]) -> None:
    if len(old) != len(new):
        fix = f"pass {path} at one length, or stacked as one tensor"
        found.append(Cause(path, "length", len(old), len(new), (), fix))
    for i, (x, y) in enumerate(zip(old, new, strict=False)):
        _compare(f"{path}[{i}]", x, y, found)


def _compare_keyed(path: str, old: dict[Any, Any], new: dict[Any, Any], found: list[Cause]) -> None:
    """Children by the text of their keys."""
    fix = f"pass {path} with the same keys at every call"
    for key in [k for k in new if k not in old]:
        text = _summary(new[key])
        found.append(Cause(f"{path}[{key}]", "key added", None, text, (), fix))
    for key in [k for k in old if k not in new]:
        text = _summary(old[key])
        found.append(Cause(f"{path}[{key}]", "key removed", text, None, (), fix))
    for key in [k for k in new if k in old]:
        _compare(f"{path}[{key}]", old[key], new[key], found)


def _compare_structs(
    path: str, old: tuple[Any, ...], new: tuple[Any, ...], found: list[Cause]
) -> None:
    (before, names), (after, new_names) = _struct(old), _struct(new)
    if before is None and after is None and old[1] != new[1]:
        _compare_objects(path, old[1], new[1], found)
    elif before is not after:
        found.append(Cause(path, "type", _type(old), _type(new), (), _TYPE_FIX))
    elif old[1] == new[1]:
        places = _places(before, path, names, len(new[2]))
        for place, x, y in zip(places, old[2], new[2], strict=False):
            _compare(place, x, y, found)
    elif isinstance(names, int) or not _is_mapping(before):
        _compare_sequences(path, old[2], new[2], found)
    else:
        keyed = dict(zip(map(repr, names), old[2], strict=False))
        new_keyed = dict(zip(map(repr, new_names), new[2], strict=False))
        _compare_keyed(path, keyed, new_keyed, found)


def _compare_objects(path: str, old: int, new: int, found: list[Cause]) -> None:
    if old == new:
        return
    (old_type, before, _), (new_type, after, by_value) = map(_object, (old, new))
    if old_type != new_type:
        found.append(Cause(path, "type", _Name(old_type), _Name(new_type), (), _TYPE_FIX))
    elif by_value:
        found.append(Cause(path, "value", _Name(before), _Name(after), (), _VALUE_FIX))
    else:
        fix = (
            f"make the {new_type} once and pass the same one at every call, or give its class "
            "__eq__ and __hash__"
        )
        found.append(Cause(path, "identity", _Name(before), _Name(after), (), fix))


_TYPE_FIX = "pass values of one type at every call"
_VALUE_FIX = "each value is traced once: keep their number small"


def _value_fix(path: str, node: tuple[Any, ...]) -> str:
    if node[0] in ("int", "float"):
        return f"pass {path} as a tensor, {FG}.constant({node[1]!r}): one trace then serves all"
    if node[0] == "bool":
        return f"both values are traced; to decide at run time pass {FG}.constant({node[1]})"
    return _VALUE_FIX


def _object(token: int) -> tuple[str, str, bool]:
    name, text, by_value = trace_type.describe(token)
    return name, text, by_value


def _trace_type(token: int) -> str:
    """The string of a user-defined trace type, as long as it is alive."""
    found = special.type_of(token)
    return _Name("a type that is gone" if found is None else repr(found))


def _struct(node: tuple[Any, ...]) -> tuple[Any, Any]:
    """Class and names, keys or number of children; None and their number where the structure tells
    no more of itself."""
    known = trace_type.describe(node[1])
    return known if len(known) == 2 else (None, len(node[2]))


def _is_mapping(kind: Any) -> bool:
    return hasattr(kind, "keys")


def _places(kind: Any, path: str, names: Any, n: int) -> list[str]:
    """The paths of the children of a structure."""
    if not isinstance(names, tuple) or len(names) != n:
        return [f"{path}[{i}]" for i in range(n)]
    if _is_mapping(kind):
        return [f"{path}[{name!r}]" for name in names]
    return [f"{path}.{name}" for name in names]


def _items(children: list[Any]) -> dict[Any, Any]:
    """The texts of keys, and nodes of a dict's children."""
    keys = (_key(node) for node in children[::2])
    return dict(zip(keys, children[1::2], strict=True))


def _key(node: tuple[Any, ...]) -> str:
    if node[0] in ("tuple", "struct"):
        return f"({', '.join(map(_key, node[-1]))})"
    return _object(node[1])[1] if node[0] == "object" else repr(node[1])


def _type(node: tuple[Any, ...]) -> str:
    if node[0] == "object":
        return _Name(_object(node[1])[0])
    if node[0] == "typed":
        return _trace_type(node[1])
    if node[0] == "struct":
        kind = _struct(node)[0]
        return _Name("a structure" if kind is None else kind.__qualname__)
    names = {"tensor": "Tensor", "variable": "Variable", "none": "None", "keywords": "dict"}
    return _Name(names.get(node[0], node[0]))


def _summary(node: tuple[Any, ...]) -> str:
    """A node in short: a tensor's dtype and shape, a value, the type of anything else."""
    if node[0] in ("tensor", "variable"):
        dims = (
            "?" if node[2] is None else ", ".join("None" if d is None else str(d) for d in node[2])
        )
        return _Name(f"{_type(node)}({node[1]}, [{dims}])")
    if node[0] in ("int", "float", "bool", "str", "bytes", "none"):
        return _Name(repr(node[1]))
    return _type(node)


def _leaves(path: str, node: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    if node[0] in ("list", "tuple"):
        for i, child in enumerate(node[1]):
            yield from _leaves(f"{path}[{i}]", child)
    elif node[0] in ("dict", "keywords"):
        for key, child in _items(node[1]).items():
            yield from _leaves(f"{path}[{key}]", child)
    elif node[0] == "struct":
        kind, names = _struct(node)
        places = _places(kind, path, names, len(node[2]))
        for place, child in zip(places, node[2], strict=True):
            yield from _leaves(place, child)
    else:
        yield path, node


def _shapes(
    arguments: Iterator[tuple[str, tuple[Any, ...]]],
) -> Iterator[tuple[str, tuple[Any, ...] | None]]:
    for path, node in arguments:
        for place, leaf in _leaves(path, node):
            if leaf[0] == "tensor":
                yield place, leaf[2]


def _first_paths(arguments: dict[str, tuple[Any, ...]]) -> dict[int, str]:
    """Where each of a call's variables comes first, by its number."""
    found: dict[int, str] = {}
    for path, node in arguments.items():
        for place, leaf in _leaves(path, node):
            if leaf[0] == "variable":
                found.setdefault(leaf[3], place)
    return found


def _resolve(cause: Cause, aliases: tuple[dict[int, str], dict[int, str]]) -> Cause:
    """An alias by the path of the variable that it is."""
    if cause.facet != "alias":
        return cause
    old, new = (
        "a variable of its own" if known[number] == cause.path else f"the variable {known[number]}"
        for known, number in zip(aliases, (cause.old, cause.new), strict=True)
    )
    return Cause(cause.path, "alias", _Name(old), _Name(new), (), cause.fix)
