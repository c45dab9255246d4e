"""The elements of objects among whose contents the graph chooses, as loops run over them."""

from __future__ import annotations

import collections
import operator
from collections.abc import Iterator

from ..hints import Any
from ..symbolic import values
from . import tensor_lists
from .iteration import Source
from .variant_proxies import VariantProxy, is_proxy, perform, proxy_of

__all__ = ["elements_of"]


def elements_of(value: Any) -> Any:
    """What a loop over a value runs over: the elements of an object with several contents, by
    number where these are not as many."""
    if not is_proxy(value):
        return value
    if not value._ferrograph_open():
        return value._ferrograph_target
    found = perform(list, value)
    if is_proxy(found):
        count = perform(tensor_lists.size, found)
        if isinstance(count, int):
            return Live(found if _is_set(value) else value, count)
        return Elements(found if _is_set(value) else value, found)
    if _is_set(value):
        return found
    size = tensor_lists.size(found)
    return Live(value, size) if isinstance(size, int) else Elements(value, found)


def _is_set(front: VariantProxy) -> bool:
    """Whether the elements of an object stay the same while a loop runs over it."""
    return not isinstance(front._ferrograph_target, (list, collections.deque, collections.UserList))


class Live:
    """The elements of an object of which all contents have as many, each read in its turn."""

    def __init__(self, front: VariantProxy, count: int):
        self._front, self._count = front, count

    def __iter__(self) -> Iterator:
        for index in range(self._count):
            yield self._at(index)

    def __reversed__(self) -> Iterator:
        return (self._at(index) for index in reversed(range(self._count)))

    def _at(self, index: int) -> Any:
        return proxy_of(perform(tensor_lists.loaded, self._front, index))


class Elements(Source):
    """The elements of an object of which the graph knows how many it has."""

    def __init__(self, front: VariantProxy, elements: VariantProxy):
        self._front, target = front, front._ferrograph_target
        self.anchors = (lambda: target,)  # an iteration may change what it holds
        self._held = [record.versions for record in front._ferrograph_records]
        self.count = values.to_tensor(perform(tensor_lists.size, elements))

    def has_changed(self) -> bool:
        now = [record.versions for record in self._front._ferrograph_records]
        return len(now) != len(self._held) or not all(map(operator.is_, now, self._held))

    def at(self, index: Any) -> Any:
        return perform(_at, self._front, index)


def _at(held: Any, index: Any) -> Any:
    """The element of a number that is a tensor."""
    return tensor_lists.loaded(list(held), index)
