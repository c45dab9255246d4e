"""``match``: whether a subject matches a pattern, where tensors may decide, and what it
captures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...heap import invalidated
from ...heap.adapters import SELF_MATCHING, is_function
from ...heap.source_location import diagnostic, here
from ...heap.trace_context import is_proxy, proxy_of, really
from ...hints import Any
from ...staging import conditional, side_effects, tensor_lists
from ...symbolic import python_scalars
from ...symbolic.values import is_staged
from ...values import errors
from . import special_methods
from .attributes import getattr_

_MISSING = object()
_KEEPING = ("as", "or", "star")  # patterns that only hand a subject on
_WHOLE = ("value", "is", "as", "or", "star")  # patterns that do not look into a subject


class Match:
    """Whether a pattern fits, as a Python bool or a tensor, and the values of its names."""

    def __init__(self, test: Any, names: dict[str, Any]):
        self.test, self.names = test, names


def match(subject: Any, pattern: tuple) -> Match:
    """``subject`` against a pattern of nested tuples."""
    names: dict[str, Any] = {}
    test = _fits(subject, pattern, names)
    return Match(test if is_staged(test) else bool(test), names)


def _both(first: Any, subject: Any, pattern: tuple, names: dict) -> Any:
    """Whether ``first`` holds and ``subject`` fits: the user code that this needs does not run
    where ``first`` does not hold."""
    if not is_staged(first):
        return _fits(subject, pattern, names) if first else False
    fits = _deferred(subject, pattern, names)
    if is_function(fits):
        return conditional.stage_both(first, fits)
    if not is_staged(fits):
        return first if fits else False
    return conditional.stage_both(first, lambda: fits)


def _deferred(subject: Any, pattern: tuple, names: dict) -> Any:
    """Whether a subject fits; what tells it, where to ask that again changes something or fails."""
    if not _runs_code(subject, pattern):
        return _fits(subject, pattern, names)
    captured: dict[str, Any] = {}

    def fits() -> Any:
        return _fits(subject, pattern, captured)

    found, failed = None, None
    with side_effects.region([lambda: (subject, pattern)]) as made:
        try:
            found = fits()
        except Exception as e:
            failed = e
    if failed is None and not side_effects.changed_so_far(made):
        names.update(captured)
        return found
    side_effects.undo(made)
    if captured or _captures(pattern):
        raise _has_effects() from failed
    return fits


def _runs_code(subject: Any, pattern: tuple) -> bool:
    """Whether matching a subject may run user code."""
    if pattern[0] in _KEEPING:
        return any(_runs_code(subject, inner) for inner in _inner(pattern))
    if pattern[0] == "value" and not _is_plain(pattern[1]):
        return True
    return pattern[0] != "is" and not _is_plain(subject)


def _inner(pattern: tuple) -> tuple:
    """The patterns right inside a pattern."""
    match pattern:
        case "as", tuple() as inner, _:
            return (inner,)
        case (("or" | "sequence"), *inner):
            return tuple(inner)
        case "mapping", _, inner, _:
            return inner
        case "class", _, inner, _, keywords:
            return (*inner, *keywords)
    return ()


def _is_plain(value: Any) -> bool:
    """Whether no user code runs where a value or its parts are read."""
    if type(value) in (list, tuple):
        return all(map(_is_plain, value))
    if type(value) is dict:
        return all(map(_is_plain, value.values()))
    return not special_methods.is_own(value)


def _captures(pattern: tuple) -> bool:
    """Whether a pattern gives values to names."""
    names = pattern[0] in ("as", "star", "mapping") and pattern[-1] is not None
    return names or any(map(_captures, _inner(pattern)))


def _has_effects() -> Exception:
    return errors.StagingError(
        diagnostic(
            here(),
            "a tensor decides whether a part of this `match` pattern is tested that has side "
            "effects, or may fail, and captures names",
            "Write a `case` for the first part, with a `match` of the rest in it.",
        )
    )


def _fits(subject: Any, pattern: tuple, names: dict[str, Any]) -> Any:
    subject = proxy_of(really(subject))
    if is_proxy(subject) and pattern[0] not in _WHOLE:
        subject._ferrograph_refuse()
    if pattern[0] not in _KEEPING:
        invalidated.refuse_look(subject)
    return _KINDS[pattern[0]](subject, names, *pattern[1:])


def _value(subject: Any, names: dict, value: Any) -> Any:
    return subject == value


def _is(subject: Any, names: dict, value: Any) -> Any:
    return subject is value


def _as(subject: Any, names: dict, pattern: tuple | None, name: str | None) -> Any:
    test = True if pattern is None else _fits(subject, pattern, names)
    if name is not None:
        names[name] = subject
    return test


def _or(subject: Any, names: dict, *patterns: tuple) -> Any:
    found: Any = False
    for pattern in patterns:
        captured: dict[str, Any] = {}
        if is_staged(found):
            test = _deferred(subject, pattern, captured)
        else:
            test = _fits(subject, pattern, captured)
        if is_function(test):
            found = conditional.stage_either(found, test)
        elif is_staged(test):
            if captured:
                raise errors.StagingError(
                    diagnostic(
                        here(),
                        "alternatives of this `match` pattern that a tensor decides capture names: "
                        "which value a name has is known only when the graph runs",
                        "Write a `case` for each alternative.",
                    )
                )
            found = test if found is False else _either(found, test)
        elif test:
            names.update(captured)
            return True if found is False else conditional.stage_either(found, lambda: True)
    return found


def _either(first: Any, second: Any) -> Any:
    return conditional.stage_either(first, lambda: second)


def _sequence(subject: Any, names: dict, *patterns: tuple) -> Any:
    tensor_lists.refuse_grown(subject)
    if not isinstance(subject, Sequence) or isinstance(subject, (str, bytes, bytearray)):
        return False
    stars = [i for i, p in enumerate(patterns) if p[0] == "star"]
    n_fixed = len(patterns) - len(stars)
    if len(subject) != n_fixed and not (stars and len(subject) > n_fixed):
        return False
    test: Any = True
    items = list(subject)
    if stars:
        at, extra = stars[0], len(items) - n_fixed
        if patterns[at][1] is not None:
            names[patterns[at][1]] = items[at : at + extra]
        items = items[:at] + items[at + extra :]
        patterns = patterns[:at] + patterns[at + 1 :]
    return _all(zip(items, patterns, strict=True), names, test)


def _all(pairs: Any, names: dict, test: Any = True) -> Any:
    for subject, pattern in pairs:
        test = _both(test, subject, pattern, names)
        if test is False:
            return False
    return test


def _mapping(subject: Any, names: dict, keys: tuple, patterns: tuple, rest: str | None) -> Any:
    if not isinstance(subject, Mapping):
        return False
    found = []
    for key in keys:
        value = subject.get(key, _MISSING)
        if value is _MISSING:
            return False
        found.append(value)
    test = _all(zip(found, patterns, strict=True), names)
    if rest is not None:
        names[rest] = {k: v for k, v in subject.items() if k not in keys}
    return test


def _class(
    subject: Any, names: dict, cls: Any, patterns: tuple, attributes: tuple, keywords: tuple
) -> Any:
    if not isinstance(cls, type):
        raise TypeError("called match pattern must be a class")
    if python_scalars.is_symbolic_number(subject):
        if not python_scalars.is_instance(subject, cls):
            return False
    elif not isinstance("" if python_scalars.is_symbolic_string(subject) else subject, cls):
        return False
    if patterns and cls in SELF_MATCHING:
        pairs = [(subject, patterns[0])]
    else:
        declared = getattr(cls, "__match_args__", ())
        if len(patterns) > len(declared):
            raise TypeError(
                f"{cls.__name__}() accepts {len(declared)} positional sub-patterns "
                f"({len(patterns)} given)"
            )
        attributes = (*declared[: len(patterns)], *attributes)
        keywords, pairs = (*patterns, *keywords), []
    found = []
    for name in attributes:
        value = getattr_(subject, name, _MISSING)
        if value is _MISSING:
            return False
        found.append(value)
    return _all([*pairs, *zip(found, keywords, strict=True)], names)


_KINDS: dict[str, Any] = {
    "value": _value,
    "is": _is,
    "as": _as,
    "or": _or,
    "sequence": _sequence,
    "mapping": _mapping,
    "class": _class,
}
