"""Templates whose marks are replaced by values as ``print`` shows them."""

from __future__ import annotations

from typing import Any

from ..values.composite import CompositeTensor
from ._base import emit

__all__ = ["filled"]


def filled(template: str, mark: str, values: Any, summarize: Any, name: str | None) -> Any:
    """The text as a string tensor: one value for each mark."""
    pieces = template.split(mark)
    texts: list[Any] = []
    held: list[Any] = []
    begun = pieces[0]
    for value, piece in zip(values, pieces[1:], strict=True):
        if isinstance(value, CompositeTensor):
            texts += [_plain(begun, mark, held, summarize), value._printed(summarize)]
            begun, held = piece, []
        else:
            begun, held = begun + mark + piece, [*held, value]
    if not texts:
        return _plain(template, mark, values, summarize, name)
    return emit(
        "StringJoin", [*texts, _plain(begun, mark, held, summarize)], {"separator": ""}, name
    )


def _plain(template: str, mark: str, tensors: Any, summarize: Any, name: str | None = None) -> Any:
    attrs = {"template": template, "placeholder": mark, "summarize": summarize}
    return emit("StringFormat", list(tensors), attrs, name)
