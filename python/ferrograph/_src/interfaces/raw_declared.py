"""``raw_ops``: operations called by kernel name with keywords, generated from their
declarations."""

from __future__ import annotations

import collections
import inspect
from collections.abc import Callable
from typing import Any

from ..native import _core
from ..values import dtypes
from ..values.errors import shown
from .raw_table import (
    DEFAULTS,
    ELSEWHERE,
    HIDDEN,
    IGNORED,
    ONE_VALUE,
    OWN,
    RENAMED,
    REQUIRED,
    WHERE_EMPTY,
    has_default,
)
from .raw_values import Port, attribute, check_keywords, check_name, converted

__all__ = ["find", "names"]

_NONE = inspect.Parameter.empty


def names() -> list[str]:
    """The operations that ``find`` finds."""
    return [name for name in _core.op_names() if name not in OWN and name not in ELSEWHERE]


def find(name: str) -> Callable[..., Any] | None:
    """The function that calls an operation; None for what is none.

    Raises:
      AttributeError: for one that takes other inputs here, with the function to call.
    """
    if name in ELSEWHERE:
        raise AttributeError(
            f"raw_ops.{name} takes other inputs here: call {ELSEWHERE[name]}", name=name
        )
    declaration = None if name in OWN else _core.op_declaration(name)
    return None if declaration is None else _Operation(name, *declaration).function()


class _Operation:
    """What an operation takes by keyword and gives."""

    def __init__(self, op: str, inputs: list[Any], attrs: list[Any], outputs: list[Any], doc: str):
        self.op = op
        renamed = {**RENAMED[""], **RENAMED.get(op, {})}
        self.inputs = [Port(renamed.get(name, name), *rest) for name, *rest in inputs]
        self.outputs = [Port(*port) for port in outputs]
        self.hidden = HIDDEN.get(op, {})
        # The kind and the declared name of each attribute by its public name.
        self.attrs: dict[str, tuple[str, str]] = {}
        self.ignored, self.one_value = IGNORED.get(op, {}), ONE_VALUE.get(op, {})
        self.defaults = {port.name: _NONE for port in self.inputs}
        own = DEFAULTS.get(op, {})
        told = {port.type_attr for port in self.inputs}
        self.told = [name for name, *_ in attrs if name in told]
        for name, kind, has, default in attrs:
            if name in self.hidden or name in told:
                continue
            public = renamed.get(name, name)
            self.attrs[public] = kind, name
            is_left = has and name not in REQUIRED.get(op, ())
            self.defaults[public] = own.get(name, default if is_left else _NONE)
        self.defaults |= {k: v if has_default(v) else _NONE for k, v in self.ignored.items()}
        self.defaults |= self.one_value
        self.doc = doc
        self.parts: Callable[..., Any] | None = None
        if len(self.outputs) > 1:
            fields = [port.name for port in self.outputs]
            self.parts = collections.namedtuple(op, fields)  # type: ignore[misc]

    def function(self) -> Callable[..., Any]:
        """The function of the operation."""

        def call(*args: Any, **given: Any) -> Any:
            return self.emit(args, given)

        call.__name__ = call.__qualname__ = self.op
        call.__module__ = f"{__name__.partition('.')[0]}.raw_ops"
        call.__doc__ = f"{self.doc.strip()}\n\nThe arguments are given by keyword.\n"
        call.__signature__ = self.signature()  # type: ignore[attr-defined]
        return call

    def signature(self) -> inspect.Signature:
        """The arguments: those without defaults first."""
        by_keyword = inspect.Parameter.KEYWORD_ONLY
        order = sorted(self.defaults, key=lambda name: self.defaults[name] is not _NONE)
        every = {**{name: self.defaults[name] for name in order}, "name": None}
        return inspect.Signature(
            [inspect.Parameter(n, by_keyword, default=value) for n, value in every.items()]
        )

    def emit(self, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        """What the operation gives for these arguments."""
        name = given.pop("name", None)
        check_name(self.op, name)
        if args or self.defaults.keys() != given.keys():
            given = self._filled(args, given)
        tensors = converted(self.op, self.inputs, given)
        flat = [tensor for of_port in tensors for tensor in of_port]
        attrs = {
            own: attribute(self.op, public, kind, given[public])
            for public, (kind, own) in self.attrs.items()
            if given[public] is not None or kind == "shape"
        }
        self._check_one_values(given, flat)
        attrs |= self._from_inputs(tensors)
        for hidden, value in self.hidden.items():
            if value is not None:
                attrs[hidden] = value(flat, given)
        for public, value in WHERE_EMPTY.get(self.op, {}).items():
            if given[public] == []:
                attrs[public] = value(flat, given)
        found = _core.emit(self.op, flat, attrs, name)
        return self._shaped(found, tensors, attrs)

    def _filled(self, args: tuple[Any, ...], given: dict[str, Any]) -> dict[str, Any]:
        """All arguments. TypeError for positional ones, for unknown ones and for missing ones."""
        check_keywords(self.op, args, self.signature().parameters)
        unknown = given.keys() - self.defaults.keys()
        if unknown:
            known = ", ".join(self.signature().parameters)
            raise TypeError(
                f"raw_ops.{self.op} got an unexpected keyword argument {sorted(unknown)[0]!r}: "
                f"it takes {known}"
            )
        every = {**self.defaults, **given}
        missing = [name for name, value in every.items() if value is _NONE]
        if missing:
            raise TypeError(
                f"raw_ops.{self.op} is missing the argument{'s' * (len(missing) > 1)} "
                + ", ".join(map(repr, missing))
            )
        return every

    def _from_inputs(self, tensors: list[list[Any]]) -> dict[str, Any]:
        """The attributes that are the dtypes of inputs."""
        found: dict[Any, Any] = {}
        for port, values in zip(self.inputs, tensors, strict=True):
            if port.type_attr in self.told and port.type_attr not in found:
                every = [value.dtype for value in values]
                found[port.type_attr] = every if port.form == "each" else every[0]
        return found

    def _check_one_values(self, given: dict[str, Any], inputs: list[Any]) -> None:
        """ValueError for a value of an argument that is known to have one only."""
        for name, only in self.one_value.items():
            if name == "Tout":
                whole = inputs[0].dtype
                only = whole.real_dtype if self.op != "Complex" else _complex_of(whole)
            if given[name] != only:
                raise ValueError(
                    f"argument {shown(name)} of raw_ops.{self.op} must be {shown(only)} here, "
                    f"got {shown(given[name])}"
                )

    def _shaped(self, found: Any, inputs: list[list[Any]], attrs: dict[str, Any]) -> Any:
        """Nothing, the output, a list of outputs, or a named tuple of such."""
        if not self.outputs:
            return found
        flat = found if isinstance(found, list) else [] if found is None else [found]
        if self.parts is None:
            return flat if self.outputs[0].form != "one" else found
        sizes = self._sizes(inputs, attrs)
        parts, at = [], 0
        for port in self.outputs:
            if port.form == "one":
                parts.append(flat[at])
                at += 1
            else:
                n = sizes[port.number_attr if port.form == "list" else port.type_attr]
                parts.append(flat[at : at + n])
                at += n
        return self.parts(*parts)

    def _sizes(self, inputs: list[list[Any]], attrs: dict[str, Any]) -> dict[str | None, int]:
        """How many values the lists have, by the attributes that say it."""
        sizes: dict[str | None, int] = {}
        for port, tensors in zip(self.inputs, inputs, strict=True):
            sizes[port.number_attr if port.form == "list" else port.type_attr] = len(tensors)
        for name, value in attrs.items():
            if isinstance(value, (int, list)):
                sizes[name] = value if isinstance(value, int) else len(value)
        return sizes


def _complex_of(dtype: Any) -> Any:
    """The dtype of complex numbers whose parts have that one."""
    return dtypes.complex128 if dtype == dtypes.float64 else dtypes.complex64
