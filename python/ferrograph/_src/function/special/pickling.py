"""Pickling: functions by reference, as Python functions are; concrete functions by value."""

from __future__ import annotations

import functools
import pickle
import sys
from types import FunctionType

from ...hints import TYPE_CHECKING, Any
from ...native import _core
from ...state.variable import variable_by_id
from .texts import Texts, settle, texts_of

if TYPE_CHECKING:
    from ..concrete import ConcreteFunction

__all__ = ["finish", "reduce_bound", "reduce_concrete", "reduce_function", "twin_of"]

# The attribute of a function under whose name its twin is pickled, and the twin's own for texts.
_TWIN = "_by_name"
_TEXTS = "_ferrograph_texts"


def reduce_function(function: Any, protocol: int = 4) -> Any:
    """By its name where that is the function's own, else as the Python function and options.

    What has its name in a module that other processes do not import goes as a twin: pickle has
    that by its name, and what pickles functions of such modules by value has the twin's code.
    """
    is_named = _named(function.__module__, function.__qualname__) is function
    is_here = protocol >= 4 and _is_of_this_process(function.__module__)
    target, texts = function.python_function, None
    if is_named and not (is_here and type(target) is FunctionType):
        return function.__qualname__
    if is_here and type(target) is FunctionType:
        texts = texts_of(target)
    if is_named:
        target = function._by_name
        vars(target)[_TEXTS], texts = texts, None  # which pickle has nothing of
    options = {
        "input_signature": function._signature,
        "autograph": function._autograph,
        "reduce_retracing": function._reduce_retracing,
        "jit_compile": function._jit_compile,
        "name": function._name,
        "freshness": "guard" if function._is_guarded else "ignore",
        "params": function._params,
    }
    return _function, (type(function), target, options), texts or True


def _is_of_this_process(module: str) -> bool:
    """Whether functions of a module are pickled by value, by what does that."""
    known = sys.modules.get("cloudpickle")
    by_value = known.list_registry_pickle_by_value() if known is not None else ()
    return module == "__main__" or any(f"{module}.".startswith(f"{m}.") for m in by_value)


def twin_of(function: Any) -> FunctionType:
    """The Python function of ``function`` under the name of that attribute of it."""
    target = function.python_function
    twin = FunctionType(
        target.__code__,
        target.__globals__,
        target.__name__,
        target.__defaults__,
        target.__closure__,
    )
    twin.__kwdefaults__, twin.__annotations__ = target.__kwdefaults__, target.__annotations__
    twin.__doc__, twin.__module__ = target.__doc__, function.__module__
    twin.__qualname__ = f"{function.__qualname__}.{_TWIN}"
    vars(twin).update(vars(target))
    return twin


def _named(module: str, qualname: str) -> Any:
    """What a module has by that name; None without it."""
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found


def _function(cls: Any, target: Any, options: dict[str, Any]) -> Any:
    """The function that a pickle has: the one of that name here, or a new one."""
    name, dot, last = getattr(target, "__qualname__", "").rpartition(".")
    if dot and last == _TWIN:
        known = _named(target.__module__, name)
        if isinstance(known, cls) and vars(known).get("_twin") is target:
            return known
    made = cls(target, **options)
    made._is_unpickled = True
    return made


def finish(function: Any, texts: Any) -> None:
    """Give an unpickled function its texts, and what its Python function has got since it was made.

    One that refers to itself is made before it has its names and attributes.
    """
    target = function.python_function
    if "_is_unpickled" not in vars(function) or type(target) is not FunctionType:
        return
    target.__qualname__ = target.__qualname__.removesuffix(f".{_TWIN}")
    came = texts if isinstance(texts, Texts) else vars(target).pop(_TEXTS, None)
    if came is not None:
        settle(target, came)
    vars(function).pop(_TEXTS, None)
    functools.update_wrapper(function, target, updated=())


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
        # Objects that were arguments are pickled themselves: nothing else would hold them there.
        "_traced_args": concrete._args,
        "_traced_kwargs": concrete._kwargs,
        "_bound": concrete._bound,
        "_kept_types": {},
        "_with_instance": None,
        "_captured": [_portable(concrete, t) for t in concrete._captures],
    }
    return type(concrete)._of_text, (text, fields)


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
