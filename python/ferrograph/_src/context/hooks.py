"""Hooks: functions of higher layers that lower layers call; each is set once, by the layer that
defines it.

A field is called as a function; the caller does not import the layer that defines it.
"""

from __future__ import annotations

from collections.abc import Callable

from ..hints import Any

__all__ = ["hooks"]


class Hooks:
    """The calls that go upwards."""

    # A library function's callback, converted where conversion is on.
    converted_callback: Callable[[Callable[..., Any]], Callable[..., Any]]
    # What converted code calls in place of a function.
    callee: Callable[[Any], Any]
    # What is called in place of a function, in its converted form, that runs in frames already.
    recursive: Callable[[Any, Any, Any], Any]
    # The Jacobians of a tape's gradients: ``batching.jacobian`` has them.
    jacobian: Callable[..., list[Any]]
    batch_jacobian: Callable[..., Any]
    # The loop and the conditional of the graph, for operations that are one.
    while_loop: Callable[..., Any]
    cond: Callable[..., Any]
    # ``Dataset.save`` that writes checkpoints on the way.
    saved_with_checkpoints: Callable[..., None]
    # What a function reads, by the names in its source, where it does nothing else.
    reads_of: Callable[[Any], Any]
    # Whether what a function sets under an attribute's name only fills memos.
    fills_memo: Callable[[Any, str, bool], bool | None]
    # A comparison of containers, NotImplemented where Python's own serves.
    containers_compared: Callable[[str, Any, Any], Any]
    # Substitutes a variant proxy for every reference to an object that has variants from now on.
    substitute: Callable[[Any], None]
    # Passes on the notes on a region to the concrete function made of it, once there are some.
    finished: Callable[[Any, Any], None] | None = None
    # Python's builtins on datasets, once there can be one: ``data.staged``.
    on_datasets: Any


hooks = Hooks()
