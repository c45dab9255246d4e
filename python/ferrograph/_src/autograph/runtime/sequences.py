"""What comprehensions run over, and what unpacks into targets."""

from __future__ import annotations

from ... import staging
from ...hints import Any
from ...staging import list_arguments, lists
from ...staging.cursors import going_on
from ...staging.iteration import has_elements
from ...staging.journal import front_of, has_versions, is_front, loud
from ...staging.places import here, say
from ...staging.running import followed
from ...staging.values import is_staged
from ...values import errors
from .arithmetic import item_of
from .specials import function_of, index_of, iterated, opened, truth

__all__ = ["certain", "elements", "is_list", "loaded", "unpacked"]


def loaded(items: Any, key: Any) -> Any:
    """``items[key]``."""
    if not loud and type(items) in _PLAIN and type(key) is int:
        return items[key]
    if has_versions() and (is_front(front_of(items)) or is_front(key)):
        return front_of(staging.perform(lists.loaded, items, key))
    if not issubclass(type(items), _INDEXED) or function_of(type(items), "__getitem__") is not None:
        return item_of(items, key)
    key = index_of(key)
    return lists.loaded(items, key) if isinstance(items, (list, tuple)) else item_of(items, key)


# What Python runs over as it is, where nothing is staged.
_KNOWN = frozenset({range, list, tuple, str, bytes, dict, set, frozenset})
_PLAIN = frozenset({list, tuple, str, bytes, range})
_INDEXED = (list, tuple, range, str, bytes, bytearray)


def elements(iterable: Any) -> Any:
    """``iterable`` as a comprehension runs over it: a tensor of known length as its rows."""
    if not loud and type(iterable) in _KNOWN:
        return followed(iterable)
    if has_elements(iterable):
        raise errors.OperatorNotAllowedInGraphError(
            say(
                here(),
                "a comprehension over a dataset would never end while a function is traced",
                "Write a `for` statement that fills a TensorArray, or use `dataset.map`.",
            )
        )
    iterable = iterated(going_on(lists.elements_of(opened(iterable))))
    if is_staged(iterable):
        return staging.rows(iterable)
    return followed(iterable)


def unpacked(value: Any, pattern: tuple) -> Any:
    """``value`` as it unpacks into targets nested like ``pattern``: tensors as their rows."""
    if type(value) is tuple and not any(pattern):
        return value
    if is_front(value):
        value = staging.perform(list, value)
    if type(value) is list and lists.is_grown(value):
        if False in pattern:
            list_arguments.refuse_grown(value)
        value = list_arguments.unpacked(value, len(pattern))
    value = staging.rows(value) if is_staged(value) else iterated(value)
    fits = isinstance(value, (list, tuple)) and len(value) == len(pattern)
    if not fits or not any(pattern):
        return value
    return [unpacked(v, p) if p else v for v, p in zip(value, pattern, strict=True)]


def is_list(value: Any) -> bool:
    """Whether ``value += [...]`` is ``value.extend([...])``."""
    kind = type(value)
    return isinstance(value, list) and (kind.__iadd__, kind.extend) == _OF_LISTS


_OF_LISTS = list.__iadd__, list.extend


def certain(test: Any, what: str) -> Any:
    """``test`` of something that Python alone can do; StagingError where it is a tensor."""
    test = truth(test)
    if is_staged(test):
        raise errors.StagingError(
            say(
                here(),
                f"{what} is decided by a tensor, which has no value while the function is traced",
                "Write a `for` statement with an `if` statement in it, which appends to a list, or "
                "choose between values with `a if test else b`.",
            )
        )
    return test
