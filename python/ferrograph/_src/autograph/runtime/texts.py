"""Formatted values: a symbolic tensor is formatted as a string tensor."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from ... import ops
from ...context import ownership
from ...context.hooks import hooks
from ...heap.adapters import LITERALS
from ...heap.source_location import diagnostic, here
from ...heap.trace_context import chosen, loud
from ...hints import Any
from ...native import FG, _core
from ...ops import string_ops
from ...staging import tensor_lists, write_barriers
from ...symbolic import python_scalars
from ...symbolic.values import is_staged
from ...values import dtypes, errors
from .special_methods import function_of, method

__all__ = ["formatted", "joined", "joining", "own_text", "shown", "written"]

_SPEC = (  # compiled when it is first needed
    r"(?P<align>[<>]?)(?P<sign>\+?)(?P<zero>0?)(?P<width>\d*)(?:\.(?P<precision>\d+))?"
    r"(?P<kind>[dfFeg]?)"
)
_DEFAULT_PRECISION = 6


def formatted(value: Any, spec: str = "") -> Any:
    """``format(value, spec)``; a string tensor where the value is a tensor of the graph."""
    if type(value) in LITERALS:
        return format(value, spec)
    if not spec and python_scalars.is_symbolic_string(value):
        return value
    if not spec and (python_scalars.is_symbolic_number(value) or _is_foreign(value)):
        return written(value)
    if not spec or not is_staged(value):
        if (own := method(value, "__format__")) is not None:
            return own(spec)
        text = own_text(value, "__str__", "__repr__") if type(value).__format__ is _FORMAT else None
        return format(shown(value), spec) if text is None else formatted(text, spec)
    tensor = _core.convert_to_tensor(value)
    found = re.fullmatch(_SPEC, spec)
    if tensor.shape.rank == 0 and found is not None:
        attributes = _attributes(tensor, spec, **found.groupdict())
        if attributes is not None:
            as_float = found["kind"] not in ("", "d")
            if (
                as_float
                and tensor.dtype == dtypes.float32
                and python_scalars.is_symbolic_number(tensor)
            ):
                text = _of_float(tensor, spec, attributes)
                if text is not None:
                    return text
            number = ops.cast(tensor, dtypes.float64) if as_float else tensor
            return _text(string_ops.as_string(number, **attributes))
    raise errors.StagingError(
        diagnostic(
            here(),
            f"the format specification {spec!r} of a tensor of dtype {tensor.dtype.name} and "
            f"shape {tensor.shape} is not supported in the graph, where its value is known",
            "Supported are formats of single numbers such as `.2f`, `8.3e`, `5d`, `05d`, `<6d` "
            f"and `+d`; else use `{FG}.strings.as_string` and `{FG}.strings.join`, or "
            f"`{FG}.print`.",
        )
    )


def _is_foreign(value: Any) -> bool:
    return type(value) is _core.SymbolicTensor and python_scalars.is_foreign(value)


_FORMAT = object.__format__


def own_text(value: Any, *names: str) -> Any:
    """The result of the user-defined method that formats ``value``, in its converted form; None
    where there is none. ``names`` are those of the method and of its fallbacks."""
    for name in names:
        function = function_of(type(value), name)
        if function is not None:
            file = function.__code__.co_filename
            if ownership.is_library_file(file) or file == "<string>":  # made for a dataclass
                return None
            text = hooks.callee(function)(value)
            is_text = isinstance(text, str) or python_scalars.is_symbolic_string(text)
            return text if is_text else None  # of which Python says itself that it is none
        if getattr(type(value), name, None) is not getattr(object, name):
            return None
    return None


def shown(value: Any) -> Any:
    """``value``, which Python makes a text of."""
    if type(value) is tuple:
        return tuple(map(shown, value))
    tensor_lists.refuse_grown(value)
    if chosen or loud:
        write_barriers.refuse_chosen(value, "a text")
    return value


def written(value: Any) -> Any:
    """A symbolic Python scalar formatted as in Python: a string tensor. A symbolic Python string is
    returned as it is."""
    if value.dtype == dtypes.string and python_scalars.is_symbolic_string(value):
        return value
    text = _of_truth_or_float(value)
    if text is None:
        if not value.dtype.is_integer or value.shape.rank:  # whose digits are others there
            python_scalars.refuse_number(value, "a text")
        text = string_ops.as_string(value)
    return _text(text)


def _text(tensor: Any) -> Any:
    """A string tensor, marked as a symbolic Python string."""
    python_scalars.mark_string(tensor)
    return tensor


def _of_truth_or_float(number: Any) -> Any:
    """A bool, or a float that is one of some known values, as a string; None for others."""
    if number.dtype == dtypes.bool:
        return ops.where(number, "True", "False")
    known = python_scalars.known_of(number)
    if not known or python_scalars.kinds_of(number) != {float}:
        return None
    return _of_known(number, {v: repr(v) for v in known})


_DIGITS = 6  # that a float32 shows as the Python float does


def _of_float(number: Any, spec: str, attributes: dict[str, Any]) -> Any:
    """A symbolic Python float that is one of some known values, formatted. None where its values
    are unknown and the single precision in which it is computed shows the same digits: others are
    refused."""
    if python_scalars.standing(number) is not True:
        return None  # a tensor in plain Python, too
    known = python_scalars.known_of(number)
    text = _of_known(number, {v: format(v, spec) for v in known}) if known else None
    if text is not None:
        return text
    digits = attributes["precision"] + attributes["scientific"]
    if digits > _DIGITS or (digits == _DIGITS and not attributes["shortest"]):
        raise errors.StagingError(_too_precise(spec))
    if not (attributes["scientific"] or attributes["shortest"]):
        fits = ops.less(ops.abs(number), 10.0 ** (_DIGITS - digits))
        ops.Assert(fits, [_too_precise(spec)])
    return None


def _of_known(number: Any, texts: dict[Any, str]) -> Any:
    """The string of a symbolic number, among those of its known values."""
    by_single: dict[float, str] = {}
    for value, text in texts.items():
        if by_single.setdefault(_single(value), text) != text:
            return None
    known = sorted(by_single.items(), key=lambda pair: pair[0] == pair[0])  # NaN, which equals
    (_, found), *others = known  # nothing, comes first: it is what is none of the others
    for value, text in others:
        found = ops.where(ops.equal(number, value), text, found)
    return found


def _single(value: float) -> float:
    """A number in single precision, in which it has a place."""
    return struct.unpack("f", struct.pack("f", value))[0]


def _too_precise(spec: str) -> str:
    """What is said of a format that asks for more digits than there are."""
    return diagnostic(
        here(),
        "a Python float that a staged branch or loop computed is to show more digits here than "
        f"single precision has, by the format {spec!r}",
        f"Start with `{FG}.constant(value, {FG}.float64)`, or ask for fewer digits.",
    )


def _attributes(
    tensor: Any,
    spec: str,
    *,
    align: str,
    sign: str,
    zero: str,
    width: str,
    precision: Any,
    kind: str,
) -> dict[str, Any] | None:
    """How ``as_string`` writes a number so; None where it cannot. ValueError as Python has it."""
    if not (tensor.dtype.is_integer or tensor.dtype.is_floating):
        return None
    format(0 if tensor.dtype.is_integer else 0.0, spec)
    fills = [fill for fill, given in (("-", align == "<"), ("+", sign), ("0", zero)) if given]
    if len(fills) > 1 or (fills == ["0"] and align):
        return None
    found: dict[str, Any] = {"fill": "".join(fills)}
    if width or fills == ["+"]:
        found["width"] = int(width or 1)
    if kind in ("", "d"):
        return found if tensor.dtype.is_integer else None
    found["precision"] = _DEFAULT_PRECISION if precision is None else int(precision)
    found["scientific"], found["shortest"] = kind == "e", kind == "g"
    return found


def joining(between: str, python: Callable) -> Callable:
    """``between.join`` of strings that may be symbolic; else that of ``python``."""

    def put_together(parts: Any) -> Any:
        if type(parts) not in (list, tuple) or not any(
            map(python_scalars.is_symbolic_string, parts)
        ):
            return python(parts)
        if not all(type(part) is str or python_scalars.is_symbolic_string(part) for part in parts):
            return python(parts)
        text = string_ops.join(list(parts), between)
        python_scalars.mark_string(text)
        return text

    return put_together


def joined(*parts: Any) -> Any:
    """The parts of an f-string as one text."""
    if any(is_staged(part) for part in parts):
        text = string_ops.join(list(parts))
        python_scalars.mark_string(text)
        return text
    return "".join(parts)
