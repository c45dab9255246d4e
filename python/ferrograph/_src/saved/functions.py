"""Functions in saved models: their traces, their parameters, and the captures of the traces."""

from __future__ import annotations

from typing import Any

from ..files.structured_values import encoded, result_of
from ..function.concrete import ConcreteFunction
from ..function.function import BoundFunction, Function
from ..values.tensor_spec import TensorSpec
from .loaded import LoadedFunction

__all__ = [
    "arguments_of",
    "is_function",
    "key_of",
    "parameters",
    "result",
    "signature_of",
    "traces_of",
]


def is_function(value: Any) -> bool:
    """Whether it is a function with traces, or one trace."""
    return isinstance(value, (Function, BoundFunction, LoadedFunction, ConcreteFunction))


def key_of(value: Any) -> Any:
    """What tells an object from others: methods of one instance are one object."""
    if isinstance(value, BoundFunction):
        return id(value.__func__), id(value.__self__)
    return id(value)


def traces_of(function: Any) -> list[ConcreteFunction]:
    """The traces of a function; one with an input signature is traced now where it was not."""
    if isinstance(function, LoadedFunction):
        return function.concrete_functions
    if isinstance(function, BoundFunction):
        if function.input_signature is not None:
            return [function.get_concrete_function()]
        instance = function.__self__
        traces = [t for t in function.__func__._traces() if t._args and t._args[0] is instance]
        return [trace.bound_to(instance) for trace in traces]
    if function.input_signature is not None:
        return [function.get_concrete_function()]
    return function._traces()


def parameters(function: Any) -> list[tuple[Any, ...]]:
    """The parameters of a function, but for the instance of a method."""
    skipped = isinstance(function, BoundFunction) or bool(getattr(function, "_bound", ()))
    return list(function._params)[skipped:]


def arguments_of(params: list[tuple[Any, ...]], where: str) -> tuple[Any, ...]:
    """The parameters as the structure of ``inspect.FullArgSpec``."""
    names = [name for name, kind, _, _ in params if kind in (0, 1)]
    defaults = [value for _, kind, has, value in params if kind in (0, 1) and has]
    only = [name for name, kind, _, _ in params if kind == 3]
    only_defaults = {name: value for name, kind, has, value in params if kind == 3 and has}

    def variadic(wanted: int) -> str | None:
        return next((name for name, kind, _, _ in params if kind == wanted), None)

    def known(value: Any) -> Any:
        try:
            return encoded(value)
        except ValueError as e:
            raise ValueError(f"{where}: a default value can't be saved: {e}") from e

    return (
        "named",
        "FullArgSpec",
        [
            ("args", encoded(names)),
            ("varargs", variadic(2)),
            ("varkw", variadic(4)),
            ("defaults", known(tuple(defaults)) if defaults else None),
            ("kwonlyargs", encoded(only)),
            ("kwonlydefaults", known(only_defaults) if only_defaults else None),
            ("annotations", ("dict", [])),
        ],
    )


def signature_of(trace: ConcreteFunction, where: str) -> tuple[Any, ...]:
    """The structure of the arguments that a trace takes.

    ValueError for one traced with an object that no file holds.
    """
    args, kwargs = trace.structured_input_signature
    try:
        return "tuple", [encoded(tuple(args)), encoded(kwargs)]
    except ValueError as e:
        raise ValueError(
            f"{where} can't be saved: it was traced with an argument of which {e}. Make such "
            "objects attributes of the object that is saved"
        ) from e


def result(trace: ConcreteFunction) -> tuple[Any, list[int]]:
    """The structure of what a trace gives, and its outputs in the order of that structure."""
    flat = trace.outputs

    def spec_of(number: int, name: str) -> TensorSpec:
        tensor = flat[number]
        return TensorSpec(tensor.shape, tensor.dtype, name or "output_0")

    return result_of(trace._template, spec_of)
