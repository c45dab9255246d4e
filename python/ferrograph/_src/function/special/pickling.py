"""Pickling: functions by reference, as Python functions are; concrete functions by value."""

from __future__ import annotations

import pickle
import sys
from typing import Any

from ...native import _core
from ...state.variable import variable_by_id
from ..concrete import ConcreteFunction

__all__ = ["reduce_bound", "reduce_concrete", "reduce_function"]


def reduce_function(function: Any) -> Any:
    """By its name where that is the function's own, else as the Python function and options."""
    if _named(function.__module__, function.__qualname__) is function:
        return function.__qualname__
    options = {
        "input_signature": function._signature,
        "autograph": function._autograph,
        "reduce_retracing": function._reduce_retracing,
        "jit_compile": function._jit_compile,
        "name": function._name,
        "freshness": "guard" if function._is_guarded else "ignore",
    }
    return _function, (type(function), function.python_function, options)


def _named(module: str, qualname: str) -> Any:
    """What a module has by that name; None without it."""
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found


def _function(cls: Any, python_function: Any, options: dict[str, Any]) -> Any:
    return cls(python_function, **options)


def reduce_bound(bound: Any) -> Any:
    """A method by its instance and name, as Python's own are."""
    instance, name = bound.__self__, bound.__func__.__name__
    if getattr(instance, name, None) == bound:
        return getattr, (instance, name)
    return type(bound), (bound.__func__, instance)


def reduce_concrete(concrete: ConcreteFunction) -> Any:
    """The graph as text, the captured tensors and variables, and the structure around them.

    PicklingError where the graph holds an object of this process, such as the Python function of a
    ``py_function``, or captured something that cannot travel.
    """
    try:
        text = concrete._graph.text()
    except TypeError as e:
        raise pickle.PicklingError(f"{concrete!r} cannot be pickled: {e}") from e
    fields = {
        "_template": concrete._template,
        "_function_name": concrete._function_name,
        "_params": concrete._params,
        # Objects that were arguments travel as themselves: nobody else would hold them there.
        "_traced_args": concrete._args,
        "_traced_kwargs": concrete._kwargs,
        "_bound": concrete._bound,
        "_kept_types": {},
        "_with_instance": None,
        "_captured": [_portable(concrete, t) for t in concrete._captures],
    }
    return _concrete, (text, fields)


def _portable(concrete: ConcreteFunction, captured: Any) -> Any:
    """A captured value that can be pickled: the variable of a handle."""
    if _core.is_symbolic(captured):
        raise pickle.PicklingError(
            f"{concrete!r} captured a tensor of a function that is being traced"
        )
    if captured.dtype.name != "resource":
        return captured
    variable = variable_by_id(captured._id)
    if variable is None:
        raise pickle.PicklingError(
            f"{concrete!r} cannot be pickled: it captured a resource that is no Variable, or one "
            "that only the graph still holds"
        )
    return variable


def _concrete(text: str, fields: dict[str, Any]) -> ConcreteFunction:
    graph = _core.GraphHandle.from_text(text)
    return ConcreteFunction._of_graph(graph, fields["_captured"], fields)
