"""Methods without source: the ``__init__`` of a dataclass, which calls ``__post_init__``, and a
``__call__`` that is no plain function."""

from __future__ import annotations

import types

from ...context.hooks import hooks
from ...heap.adapters import is_function
from ...hints import Any

__all__ = ["BINDING", "call_of", "follow"]

# What a class may hold as its ``__call__`` that gives what is called.
BINDING = (staticmethod, classmethod, property)
_NAME = "__post_init__"


def follow(instance: Any, init: types.FunctionType) -> None:
    """Have the ``__init__`` of a dataclass, which no source has, call the converted form of what
    follows it; of an object without attributes of its own it calls what the class has."""
    if init.__code__.co_filename != "<string>" or not hasattr(instance, "__dataclass_fields__"):
        return
    function = getattr(type(instance), _NAME)
    held = getattr(instance, "__dict__", None)
    if is_function(function) and type(held) is dict:
        held[_NAME] = _Following(instance)


def call_of(kind: type) -> Any:
    """What a class holds as its ``__call__``, None of one without."""
    return next((vars(b)["__call__"] for b in kind.__mro__ if "__call__" in vars(b)), None)


class _Following:
    """What an object has in place of its method until that is called."""

    __slots__ = ("_owner",)

    def __init__(self, owner: Any):
        self._owner = owner

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        owner = self._owner
        del owner.__dict__[_NAME]
        return hooks.callee(getattr(owner, _NAME))(*args, **keywords)
