"""The fields of extension types: what their annotations allow, and conversion to it."""

from __future__ import annotations

import re
import sys
import types
import typing
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..native import _core
from ..values.dtypes import DType
from ..values.errors import shown
from ..values.tensor_shape import TensorShape
from ..values.tensor_spec import TensorSpec, TypeSpec, type_spec_from_value

__all__ = [
    "Field",
    "ImmutableDict",
    "check_annotation",
    "converted",
    "class_saved_as",
    "fields_of",
    "note_class",
    "note_saved_name",
    "spec_of",
]

_PLAIN = (int, float, bool, str, bytes, type(None), DType, TensorShape)
_UNIONS = (typing.Union, types.UnionType)
MISSING: Any = object()


class Field:
    """One field: its name, what its annotation says, and the default (or ``MISSING``)."""

    __slots__ = ("annotation", "default", "name")

    def __init__(self, name: str, annotation: Any, default: Any = MISSING):
        self.name, self.annotation, self.default = name, annotation, default

    def __repr__(self) -> str:
        return f"Field({self.name!r}, {self.annotation!r})"


class ImmutableDict(Mapping[Any, Any]):
    """An immutable mapping, in the order of its sorted keys."""

    __slots__ = ("_items",)
    _items: dict[Any, Any]

    def __init__(self, items: Any = ()):
        given = dict(items)
        object.__setattr__(self, "_items", {key: given[key] for key in sorted(given)})

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("an ImmutableDict cannot be changed")

    def __hash__(self) -> int:
        return hash(tuple(self._items.items()))

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items!r})"

    def __reduce__(self) -> Any:
        return type(self), (dict(self._items),)


def fields_of(cls: type[Any], reserved: Callable[[str], bool]) -> tuple[Field, ...]:
    """The fields that the annotations of a class and of its bases declare, those of bases first.

    ValueError for a reserved name, TypeError for an annotation that no field can have.
    """
    found: dict[str, Field] = {}
    for base in reversed(cls.__mro__):
        if "_is_extension_root" in vars(base):
            continue
        if base is not cls and "_fields" in vars(base):
            found.update((field.name, field) for field in vars(base)["_fields"])
            continue
        own = vars(base).get("__annotations__", {})
        resolved = _hints(base, own)
        for name in own:
            if reserved(name):
                raise ValueError(f"{cls.__name__}: the field name {name!r} is reserved")
            annotation = check_annotation(resolved[name], f"{cls.__name__}.{name}")
            default = vars(base).get(name, MISSING)
            if default is not MISSING:
                default = converted(default, annotation, f"default value for {name}")
            found[name] = Field(name, annotation, default)
    return tuple(found.values())


def _hints(cls: type[Any], own: dict[Any, Any]) -> dict[Any, Any]:
    """The annotations of a class, those that are text evaluated."""
    names = {cls.__name__: cls}
    module = sys.modules.get(cls.__module__)
    scope = {"typing": typing, **vars(typing), **(vars(module) if module else {}), **names}
    return {k: _evaluated(a, scope) if isinstance(a, str) else a for k, a in own.items()}


def _evaluated(text: str, scope: dict[Any, Any]) -> Any:
    """What an annotation written as text means; a reference where it names a class to come.

    Names that are not defined yet are taken for such classes, however the text uses them.
    """
    later = dict(scope)
    while True:
        try:
            return eval(text, later)
        except NameError as e:
            if not e.name or e.name in later:
                raise
            later[e.name] = typing.ForwardRef(e.name)


# The extension types of each name in the order of their making, for references to them.
_classes: dict[str, list[weakref.ref[Any]]] = {}


def note_class(cls: type[Any]) -> None:
    """Let fields refer to a class by its name."""
    known = [ref for ref in _classes.get(cls.__name__, ()) if ref() is not None]
    _classes[cls.__name__] = [*known, weakref.ref(cls)]


# The extension types that saved models hold, by the names that their programs gave them.
_saved: dict[str, weakref.ref[Any]] = {}
_SAVED_NAME = re.compile(r"(\w+\.)+\w+")


def note_saved_name(cls: type[Any], name: Any) -> None:
    """Let saved models hold values of a class under a name. ValueError for one without a dot."""
    if not isinstance(name, str) or not _SAVED_NAME.fullmatch(name):
        raise ValueError(
            f"{cls.__name__}: __name__ must be the name of a package and of the class, as in "
            f"'package.Class', got {name!r}"
        )
    _saved[name] = weakref.ref(cls)


def class_saved_as(name: str) -> Any:
    """The latest extension type of that name for saved models; None where there is none."""
    found = _saved.get(name)
    return None if found is None else found()


def _meant(annotation: Any, value: Any, path: str) -> Any:
    """The class that a reference means: the extension type of that name that ``value`` is of, or
    the latest of that name. TypeError where there is none."""
    if not isinstance(annotation, typing.ForwardRef):
        return annotation
    name = annotation.__forward_arg__
    found = [c for ref in _classes.get(name, ()) if (c := ref()) is not None]
    if not found:
        raise TypeError(f"{path}: no extension type is named {name!r}, as the annotation says")
    return next((c for c in found if isinstance(value, c)), found[-1])


def check_annotation(annotation: Any, path: str) -> Any:
    """The annotation, with forms that mean the same made one.

    TypeError where it says nothing that a field can be.
    """
    if annotation is None:
        return type(None)
    if isinstance(annotation, (TypeSpec, typing.ForwardRef)):
        return annotation
    if isinstance(annotation, str):
        return typing.ForwardRef(annotation)
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is None and isinstance(annotation, type):
        if annotation in _PLAIN or hasattr(annotation, "_type_spec"):
            return annotation
        if issubclass(annotation, (_core.Tensor, _core.VariableBase, TypeSpec)):
            return annotation
    elif origin is tuple and args:
        for arg in args:
            if arg is not Ellipsis:
                check_annotation(arg, path)
        return annotation
    elif origin in (Mapping, dict) and len(args) == 2:
        if args[0] not in (str, int, bytes, bool):
            raise TypeError(f"{path}: the keys of a Mapping field must be str or int, got {args}")
        check_annotation(args[1], path)
        return annotation
    elif origin in _UNIONS:
        for arg in args:
            check_annotation(arg, path)
        return annotation
    raise TypeError(
        f"{path}: an annotation of a field must be a tensor, a TypeSpec, another extension type, a "
        f"plain Python type, or Tuple, Mapping, Union or Optional of these; got {shown(annotation)}"
    )


def converted(value: Any, annotation: Any, path: str) -> Any:
    """``value`` as the annotation wants it: TypeError naming ``path`` where it does not fit."""
    annotation = _meant(annotation, value, path)
    if isinstance(annotation, TypeSpec):
        return _fitting(value, annotation, path)
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is tuple:
        return _tuple(value, args, path)
    if origin in (Mapping, dict):
        return _mapping(value, args, path)
    if origin in _UNIONS:
        return _one_of(value, args, path)
    if issubclass(annotation, _core.Tensor):
        return _tensor(value, None, path)
    if annotation is float and type(value) is int:
        raise TypeError(f"{path}: expected 'float', got 'int'")
    if isinstance(value, annotation) and not (annotation is int and isinstance(value, bool)):
        return value
    raise TypeError(f"{path}: expected {annotation.__name__!r}, got {type(value).__name__!r}")


def _tensor(value: Any, dtype: Any, path: str) -> Any:
    if isinstance(value, (_core.Tensor, TensorSpec)):
        return value
    try:
        return _core.convert_to_tensor(value, dtype)
    except (TypeError, ValueError) as e:
        raise TypeError(f"{path}: expected a Tensor, got {type(value).__name__!r}") from e


def _fitting(value: Any, spec: TypeSpec, path: str) -> Any:
    if isinstance(spec, TensorSpec):
        value = _tensor(value, spec.dtype, path)
    if not spec.is_compatible_with(value):
        shown = value if isinstance(value, TypeSpec) else type(value).__name__
        raise TypeError(f"{path}: expected a value compatible with {spec!r}, got {shown!r}")
    return value


def _tuple(value: Any, args: tuple[Any, ...], path: str) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{path}: expected a tuple, got {type(value).__name__!r}")
    if len(args) == 2 and args[1] is Ellipsis:
        args = (args[0],) * len(value)
    if len(args) != len(value):
        raise TypeError(f"{path}: expected a tuple of {len(args)}, got one of {len(value)}")
    pairs = enumerate(zip(value, args, strict=True))
    return tuple(converted(v, a, f"{path}[{i}]") for i, (v, a) in pairs)


def _mapping(value: Any, args: tuple[Any, ...], path: str) -> ImmutableDict:
    if not isinstance(value, Mapping):
        raise TypeError(f"{path}: expected a mapping, got {type(value).__name__!r}")
    made = {}
    for key, item in value.items():
        if not isinstance(key, args[0]):
            raise TypeError(f"{path}: expected a key of type {args[0].__name__!r}, got {key!r}")
        made[key] = converted(item, args[1], f"{path}[{key!r}]")
    return ImmutableDict(made)


def _one_of(value: Any, args: tuple[Any, ...], path: str) -> Any:
    # What has one of the types already is not converted to another.
    args = tuple(_meant(kind, value, path) if value is not None else kind for kind in args)
    for kind in args:
        if isinstance(kind, type) and isinstance(value, kind):
            return converted(value, kind, path)
    for kind in args:
        try:
            return converted(value, kind, path)
        except TypeError:
            continue
    names = ", ".join(getattr(a, "__name__", repr(a)) for a in args)
    raise TypeError(f"{path}: expected one of {names}, got {type(value).__name__!r}")


def spec_of(value: Any) -> Any:
    """The spec of a field's value: of its tensors; Python values are their own specs."""
    if isinstance(value, Mapping):
        return ImmutableDict({k: spec_of(v) for k, v in value.items()})
    if isinstance(value, tuple):
        return tuple([spec_of(v) for v in value])
    if isinstance(value, (_core.Tensor, _core.VariableBase)) or hasattr(value, "_type_spec"):
        return type_spec_from_value(value)
    return value
