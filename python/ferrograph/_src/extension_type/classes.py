"""``ExtensionType``: a class whose fields are declared by annotations and never change."""

from __future__ import annotations

import abc
from typing import Any, cast

from .. import ops
from ..values import nest
from ..values.composite import CompositeTensor
from ..values.public import public
from .fields import MISSING, Field, converted, fields_of, note_class, note_saved_name, spec_of
from .spec import ExtensionTypeBatchEncoder, ExtensionTypeSpec

__all__ = ["BatchableExtensionType", "ExtensionType"]

_RESERVED = {"Spec", "self", "cls"}
_OPEN = "_extension_type_open"


def _is_reserved(name: str) -> bool:
    return name in _RESERVED or name.startswith(("_tf_extension_type", "_extension_type", "__"))


class _Meta(abc.ABCMeta):
    """Makes the ``Spec`` of a class, and closes its values when their constructor is done."""

    def __init__(cls, name: str, bases: tuple[Any, ...], namespace: dict[Any, Any], **kwargs: Any):
        super().__init__(name, bases, namespace, **kwargs)
        if "_is_extension_root" in namespace:
            return
        cls._fields: tuple[Field, ...] = fields_of(cls, _is_reserved)
        for field in cls._fields:
            # The value of a field is that of the instance, also where the class has a default.
            if field.name in namespace:
                type.__delattr__(cls, field.name)
        cls.Spec = _spec_class(cls, namespace.get("Spec"))
        note_class(cls)
        if "__name__" in namespace:
            note_saved_name(cls, namespace["__name__"])

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made: Any = object.__new__(cast("type", cls))
        made.__dict__[_OPEN] = True
        made.__init__(*args, **kwargs)
        del made.__dict__[_OPEN]
        made._close()
        made.__validate__()
        return made


def _spec_class(cls: Any, own: Any) -> type[Any]:
    """The ``Spec`` of an extension type: what the program says of it, over the fields."""
    bases: tuple[Any, ...] = (ExtensionTypeSpec,)
    if own is not None:
        bases = (own,) if issubclass(own, ExtensionTypeSpec) else (own, ExtensionTypeSpec)
    else:
        inherited = getattr(cls, "Spec", None)
        bases = bases if inherited is None else (inherited,)
    names = {
        "__module__": cls.__module__,
        "__qualname__": f"{cls.__qualname__}.Spec",
        "__doc__": f"The type of values of ``{cls.__name__}``.",
        "_fields": cls._fields,
        "_value_type": cls,
    }
    return _SpecMeta(f"{cls.__name__}.Spec", bases, names)


class _SpecMeta(type):
    """Closes a spec when its constructor is done."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        made._close()
        return made


@public("experimental.ExtensionType")
class ExtensionType(CompositeTensor, metaclass=_Meta):
    """A user-defined class whose values are made of tensors and Python values.

    Fields are declared by annotations: ``fg.Tensor``, a ``TensorSpec`` or other spec that values
    must fit, ragged and sparse tensors, other extension types, plain Python types, and ``Tuple``,
    ``Mapping``, ``Union`` and ``Optional`` of these. What the constructor gets is converted to
    them, then ``__validate__`` is called, and nothing changes afterwards.

    Values are arguments and results of functions, variables of loops and results of branches.
    A class that saved models hold has a name of its own for them, ``__name__ = "package.Class"``.
    ``Spec`` is the class of their type specs. ``==`` gives a tensor: whether all fields are equal.

    Raises:
      TypeError: for a value that does not fit its field.
      ValueError: where a constructor leaves a field unset or sets something else.
      AttributeError: where a field is changed later.

    >>> class Interval(fg.experimental.ExtensionType):
    ...     low: fg.Tensor
    ...     high: fg.Tensor
    ...
    ...     def width(self):
    ...         return self.high - self.low
    >>> float(fg.function(lambda i: i.width())(Interval(1.0, 3.5)))
    2.5
    """

    _is_extension_root = True
    _fields: tuple[Field, ...] = ()
    Spec: Any = None

    def __init__(self, *args: Any, **kwargs: Any):
        self.__dict__.update(_bound(type(self), args, kwargs))

    @classmethod
    def _of_fields(cls, values: dict[str, Any]) -> Any:
        """A value of these fields, without its constructor."""
        made = cls.__new__(cls)
        made.__dict__.update(values)
        return made

    def _close(self) -> None:
        """Convert and check the fields that the constructor set."""
        fields = type(self)._fields
        names = {f.name for f in fields}
        extra, missing = set(self.__dict__) - names, names - set(self.__dict__)
        shown = type(self).__name__
        if extra:
            raise ValueError(f"{shown}: the constructor set what is no field: {sorted(extra)}")
        if missing:
            raise ValueError(f"{shown}: the constructor left fields unset: {sorted(missing)}")
        for field in fields:
            value = self.__dict__[field.name]
            self.__dict__[field.name] = converted(value, field.annotation, field.name)

    def __validate__(self) -> None:
        """Called when the fields are set and converted, to raise where they do not fit together."""

    @property
    def _type_spec(self) -> Any:
        return self.Spec._of_fields({k: spec_of(v) for k, v in self.__dict__.items()})

    def __setattr__(self, name: str, value: Any) -> None:
        if _OPEN not in self.__dict__:
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType"
            )
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        if _OPEN not in self.__dict__:
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType"
            )
        del self.__dict__[name]

    def __eq__(self, other: object) -> Any:
        if type(self) is not type(other) or self._trace_key() != other._trace_key():
            return False
        return _all_equal(self, other)

    def __ne__(self, other: object) -> Any:

        same = self.__eq__(other)
        return not same if isinstance(same, bool) else ops.logical_not(same)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{f.name}={self.__dict__.get(f.name)!r}" for f in type(self)._fields)
        return f"{type(self).__qualname__}({fields})"

    def __reduce__(self) -> Any:
        return _remade, (type(self), dict(self.__dict__))


def _remade(cls: Any, values: dict[str, Any]) -> Any:
    return cls._of_fields(values)


def _all_equal(a: Any, b: Any) -> Any:

    found = []
    pairs = zip(nest.flatten(a, True), nest.flatten(b, True), strict=True)
    for x, y in pairs:
        if x.dtype != y.dtype or not x.shape.is_compatible_with(y.shape):
            return False
        found.append(ops.reduce_all(ops.equal(x, y)))
    return ops.reduce_all(ops.stack(found)) if found else True


def _bound(cls: Any, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> dict[str, Any]:
    """The fields for the arguments of a constructor; those behind a default go by name only."""
    positional, optional = [], False
    for field in cls._fields:
        if optional and field.default is MISSING:
            break
        optional = optional or field.default is not MISSING
        positional.append(field.name)
    if len(args) > len(positional):
        raise TypeError(
            f"{cls.__name__}() takes {len(positional)} positional arguments, got {len(args)}"
        )
    given = dict(zip(positional, args, strict=False))
    names = {f.name for f in cls._fields}
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"{cls.__name__}() got an unexpected keyword argument {name!r}")
        if name in given:
            raise TypeError(f"{cls.__name__}() got multiple values for argument {name!r}")
        given[name] = value
    for field in cls._fields:
        if field.name not in given:
            if field.default is MISSING:
                raise TypeError(f"{cls.__name__}() misses the argument {field.name!r}")
            given[field.name] = field.default
    return {f.name: given[f.name] for f in cls._fields}


@public("experimental.BatchableExtensionType")
class BatchableExtensionType(ExtensionType):
    """An extension type whose values can be stacked and taken apart along a first axis.

    ``map_fn`` and datasets iterate over the rows of their fields. ``__batch_encoder__`` says how.

    >>> class Pair(fg.experimental.BatchableExtensionType):
    ...     x: fg.Tensor
    ...     y: fg.Tensor
    >>> pairs = Pair([1, 2], [3, 4])
    >>> fg.map_fn(lambda pair: pair.x * pair.y, pairs, fn_output_signature=fg.int32).numpy()
    array([3, 8], dtype=int32)
    """

    _is_extension_root = True

    __batch_encoder__ = ExtensionTypeBatchEncoder()
