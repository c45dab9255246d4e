"""Whether a tensor is made of others alone, in the graph of the function or in a region."""

from __future__ import annotations

from collections.abc import Callable

from ..hints import Any

_MOST = 10_000  # operations to look through


def is_made_of(tensor: Any, known: dict, parts: Callable[[Any], list | None]) -> bool | None:
    """Whether a tensor is, or is made of, tensors that are ``known`` by their graphs and numbers,
    as ``parts`` takes them apart: False where none is, None where something else is among them."""
    pending, seen, found = [tensor], set(), False
    while pending:
        key = key_of(value := pending.pop())
        if key in known:
            found = True
        elif key not in seen:
            seen.add(key)
            inner = parts(value)
            if inner is None or len(seen) > _MOST:
                return None
            pending += inner
    return found


def key_of(tensor: Any) -> tuple[int, int]:
    """What tells a tensor from others of the trace."""
    return tensor._graph_id, tensor._id
