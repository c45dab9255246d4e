"""Implicit iteration: the iterables of comprehensions, and unpacking into targets."""

from __future__ import annotations

from ...heap.adapters import COLLECTIONS, INDEXED, SEQUENCES
from ...heap.liveness import followed
from ...heap.source_location import diagnostic, here
from ...heap.trace_context import has_variants, is_proxy, loud, proxy_of
from ...hints import Any
from ...staging import conditional, tensor_lists, variant_proxies
from ...staging.iteration import going_on, has_elements
from ...symbolic.values import is_staged
from ...values import errors
from .arithmetic import item_of
from .special_methods import function_of, index_of, iterated, opened, truth

__all__ = ["certain", "elements", "is_list", "loaded", "unpacked"]


def loaded(items: Any, key: Any) -> Any:
    """``items[key]``."""
    if not loud and type(items) in SEQUENCES and type(key) is int:
        return items[key]
    if has_variants() and (is_proxy(proxy_of(items)) or is_proxy(key)):
        return proxy_of(variant_proxies.perform(tensor_lists.loaded, items, key))
    if not issubclass(type(items), INDEXED) or function_of(type(items), "__getitem__") is not None:
        return item_of(items, key)
    key = index_of(key)
    return (
        tensor_lists.loaded(items, key) if isinstance(items, (list, tuple)) else item_of(items, key)
    )


def elements(iterable: Any) -> Any:
    """``iterable`` for iteration by a comprehension: a tensor of known length as its rows."""
    if not loud and type(iterable) in COLLECTIONS:
        return followed(iterable)
    if has_elements(iterable):
        raise errors.OperatorNotAllowedInGraphError(
            diagnostic(
                here(),
                "a comprehension over a dataset would never end while a function is traced",
                "Write a `for` statement that fills a TensorArray, or use `dataset.map`.",
            )
        )
    iterable = iterated(going_on(tensor_lists.elements_of(opened(iterable))))
    if is_staged(iterable):
        return conditional.rows(iterable)
    return followed(iterable)


def unpacked(value: Any, pattern: tuple) -> Any:
    """``value`` as it unpacks into targets nested like ``pattern``: tensors as their rows."""
    if type(value) is tuple and not any(pattern):
        return value
    if is_proxy(value):
        value = variant_proxies.perform(list, value)
    if type(value) is list and tensor_lists.is_grown(value):
        if False in pattern:
            tensor_lists.refuse_grown(value)
        value = tensor_lists.unpacked(value, len(pattern))
    value = conditional.rows(value) if is_staged(value) else iterated(value)
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
            diagnostic(
                here(),
                f"{what} is decided by a tensor, which has no value while the function is traced",
                "Write a `for` statement with an `if` statement in it, which appends to a list, or "
                "choose between values with `a if test else b`.",
            )
        )
    return test
