"""Dispatch of public functions to user-defined classes: ``dispatch_for_api`` and the like."""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

from ..native import _core
from ..ops import debug
from ..values.public import functions_like, public
from . import handled_functions

__all__ = [
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_unary_elementwise_apis",
    "unregister_dispatch_for",
]

_ASSERTIONS = [
    debug.assert_equal,
    debug.assert_greater,
    debug.assert_greater_equal,
    debug.assert_less,
    debug.assert_less_equal,
    debug.assert_near,
    debug.assert_none_equal,
]
# The handlers that were registered for a target function.
_registered: dict[Callable[..., Any], list[Callable[..., Any]]] = {}


def _add(api: Callable[..., Any], target: Callable[..., Any], handler: Callable[..., Any]) -> None:
    handled_functions.register(api, handler)
    _registered.setdefault(target, []).append(handler)


def _matches(value: Any, annotation: Any) -> bool:
    """Whether a value has an annotated type: a class, a union, or a list or tuple of such."""
    if annotation in (Any, inspect.Parameter.empty):
        return True
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return any(_matches(value, one) for one in inner)
    if origin in (list, collections.abc.Sequence):
        listed = isinstance(value, (list, tuple))
        return listed and all(_matches(item, inner[0]) for item in value)
    if origin is tuple:
        if len(inner) == 2 and inner[1] is ...:
            return isinstance(value, tuple) and all(_matches(item, inner[0]) for item in value)
        fits = isinstance(value, tuple) and len(value) == len(inner)
        return fits and all(_matches(a, b) for a, b in zip(value, inner, strict=True))
    if annotation is None:
        return value is None
    if annotation is _core.Tensor:
        return isinstance(value, (_core.Tensor, _core.VariableBase))
    return isinstance(value, annotation)


def _check(api: Any) -> None:
    if not callable(api) or not handled_functions.let_ask(api):
        name = getattr(api, "__name__", repr(api))
        raise ValueError(f"{name} does not ask the classes of its arguments")


def _signatures(
    target: Callable[..., Any], api: Callable[..., Any], given: tuple[Any, ...]
) -> list[dict[Any, Any]]:
    """The types by parameter at which a target is called. ValueError for unknown parameters."""
    signatures = list(given) or [typing.get_type_hints(target)]
    parameters = inspect.signature(api).parameters
    names = list(parameters)
    found = []
    for signature in signatures:
        named = {names[k] if isinstance(k, int) else k: v for k, v in signature.items()}
        named.pop("return", None)
        unknown = sorted(set(named) - set(parameters))
        if unknown or not named:
            what = f"unknown parameters {unknown}" if unknown else "no annotated parameter"
            raise ValueError(f"the signature {signature} of {api.__name__} has {what}")
        found.append(named)
    return found


@public("experimental.dispatch_for_api")
def dispatch_for_api(api: Callable[..., Any], *signatures: dict[Any, Any]) -> Callable[..., Any]:
    """Decorate what a public function does where its arguments are of these types.

    Without a signature the annotations of the decorated function say the types. Among the arguments
    of a call must be a composite tensor, such as an extension type.

    >>> class Masked(fg.experimental.ExtensionType):
    ...     values: fg.Tensor
    ...     mask: fg.Tensor
    >>> @fg.experimental.dispatch_for_api(fg.reduce_sum)
    ... def masked_sum(input_tensor: Masked, axis=None, keepdims=False, name=None):
    ...     return fg.reduce_sum(fg.where(input_tensor.mask, input_tensor.values, 0), axis)
    >>> int(fg.reduce_sum(Masked([1, 2, 3], [True, False, True])))
    4
    >>> fg.experimental.unregister_dispatch_for(masked_sum)

    Args:
      api: a public function of this package.
      *signatures: dicts that say the types of some parameters by their names or places: classes, or
        unions, lists and tuples of them.

    Returns:
      A decorator of a function that takes the parameters of api, which gives it back.

    Raises:
      ValueError: for what is no function of this package; when it decorates, for parameters that
        api does not have, and where none has a type.
    """
    _check(api)
    shape = inspect.signature(api)

    def decorate(target: Callable[..., Any]) -> Callable[..., Any]:
        wanted = _signatures(target, api, signatures)

        def handler(args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
            bound = shape.bind(*args, **kwargs).arguments
            for signature in wanted:
                if all(n in bound and _matches(bound[n], t) for n, t in signature.items()):
                    return target(*args, **kwargs)
            return NotImplemented

        _add(api, target, handler)
        return target

    return decorate


def _for_family(apis: list[Any], n_operands: int, wanted: tuple[Any, ...]) -> Callable[..., Any]:
    """A decorator of a function of an API and its operands, for each API of a family."""

    def decorate(target: Callable[..., Any]) -> Callable[..., Any]:
        for api in apis:
            _add(api, target, _family_handler(api, target, n_operands, wanted))
        return target

    return decorate


def _family_handler(
    api: Callable[..., Any], target: Callable[..., Any], n_operands: int, wanted: tuple[Any, ...]
) -> Callable[..., Any]:
    names = list(inspect.signature(api).parameters)

    def handler(args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        bound = dict(zip(names, args, strict=False)) | kwargs
        if any(name not in bound for name in names[:n_operands]):
            return NotImplemented
        operands = [bound.pop(name) for name in names[:n_operands]]
        if not all(map(_matches, operands, wanted)):
            return NotImplemented

        def function(*operands: Any) -> Any:
            return api(*operands, **bound)

        function.__name__ = api.__name__
        return target(function if bound else api, *operands)

    return handler


@public("experimental.dispatch_for_unary_elementwise_apis")
def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[..., Any]:
    """Decorate ``handler(api, x)``, which is called for each function that works on elements of x.

    >>> class Boxed(fg.experimental.ExtensionType):
    ...     values: fg.Tensor
    >>> @fg.experimental.dispatch_for_unary_elementwise_apis(Boxed)
    ... def boxed(api, x):
    ...     return Boxed(api(x.values))
    >>> fg.abs(Boxed([-1, 2])).values.numpy()
    array([1, 2], dtype=int32)
    >>> fg.experimental.unregister_dispatch_for(boxed)

    Args:
      x_type: a class, or a union, list or tuple type of such, of x.

    Returns:
      A decorator, which gives the function back.
    """
    return _for_family(functions_like("flat"), 1, (x_type,))


@public("experimental.dispatch_for_binary_elementwise_apis")
def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[..., Any]:
    """Decorate ``handler(api, x, y)``, called for each function of the elements of two arguments.

    >>> class Boxed(fg.experimental.ExtensionType):
    ...     values: fg.Tensor
    >>> @fg.experimental.dispatch_for_binary_elementwise_apis(Boxed, Boxed)
    ... def boxed(api, x, y):
    ...     return Boxed(api(x.values, y.values))
    >>> fg.add(Boxed([1, 2]), Boxed([3, 4])).values.numpy()
    array([4, 6], dtype=int32)
    >>> fg.experimental.unregister_dispatch_for(boxed)

    Args:
      x_type, y_type: classes, or unions, list or tuple types of such, of x and y.

    Returns:
      A decorator, which gives the function back.
    """
    return _for_family(functions_like("pair"), 2, (x_type, y_type))


@public("experimental.dispatch_for_binary_elementwise_assert_apis")
def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[..., Any]:
    """Decorate ``handler(assert_api, x, y)``, called for each assertion on two arguments.

    >>> class Boxed(fg.experimental.ExtensionType):
    ...     values: fg.Tensor
    >>> @fg.experimental.dispatch_for_binary_elementwise_assert_apis(Boxed, Boxed)
    ... def boxed(api, x, y):
    ...     return api(x.values, y.values)
    >>> fg.debugging.assert_equal(Boxed([1]), Boxed([1]))
    >>> fg.experimental.unregister_dispatch_for(boxed)

    Args:
      x_type, y_type: classes, or unions, list or tuple types of such, of x and y.

    Returns:
      A decorator, which gives the function back.
    """
    return _for_family(_ASSERTIONS, 2, (x_type, y_type))


@public("experimental.unregister_dispatch_for")
def unregister_dispatch_for(dispatch_target: Callable[..., Any]) -> None:
    """Call a decorated function no more.

    >>> fg.experimental.unregister_dispatch_for(print)
    Traceback (most recent call last):
        ...
    ValueError: print was not registered for dispatch

    Args:
      dispatch_target: the function that was decorated.

    Raises:
      ValueError: where it was not registered.
    """
    if dispatch_target not in _registered:
        name = getattr(dispatch_target, "__name__", repr(dispatch_target))
        raise ValueError(f"{name} was not registered for dispatch")
    for handler in _registered.pop(dispatch_target):
        handled_functions.unregister(handler)
