"""What sets and deletes attributes and items through the user's own methods, converted.

A statement such as ``a.b = x`` runs on what ``notes.owner`` gives for ``a``: the object itself,
or one of the classes here where the object's class has a property, a descriptor or a method that
decides what is set.
"""

from __future__ import annotations

import types

from ..context import ownership
from ..context.by_class import ByClass
from ..context.hooks import hooks
from ..hints import Any
from ..native import _core
from .trace_context import thread as _thread

# The attributes of a function of which its converted form is made.
_MADE_OF = frozenset({"__code__", "__defaults__", "__kwdefaults__"})
_ASKED = (type, _core.Tensor)  # classes of whose instances it is asked for each store
_decided = ByClass()  # the names, None where a method decides
decided = _decided.found  # by the id of the class
_settable = ByClass(ownership.settable)  # those for which there are no such names


def of_attribute(target: Any, name: str) -> Any:
    """What sets the attribute ``name`` of ``target``; None where that is ``target`` itself."""
    kind = type(target)
    key = id(kind)
    known = _decided.found[key] if key in _decided.found else _learn(kind)
    if known is None:
        return _AttributeSetter(target)
    if name not in known:
        return None
    if kind is types.FunctionType:
        _thread.trace.ask_anew()
        return None
    held = _held(kind, name)
    if type(held) is property:
        return _DescriptorSetter(target, held.fset, held.fdel, held)
    setter, deleter = (_function(type(held), m) for m in ("__set__", "__delete__"))
    return _DescriptorSetter(target, _bound(setter, held), _bound(deleter, held), held)


def keeps_any(kind: type) -> bool:
    """Whether objects of a class keep any attribute that is set, and no code of the user's runs."""
    if id(kind) not in decided:
        _learn(kind)
    return id(kind) in ownership.settable


def _learn(kind: type) -> frozenset[str] | None:
    """The names whose setting runs functions of the user's, kept for the next store; not of
    metaclasses, since objects may show what is set in a class, nor of tensors, which may stand for
    numbers."""
    if kind is types.FunctionType:
        return _decided.keep(kind, _MADE_OF)
    found = None
    if not (_function(kind, "__setattr__") or _function(kind, "__delattr__")):
        held = (item for base in kind.__mro__ for item in vars(base).items())
        found = frozenset(name for name, value in held if _is_setter(value))
        if not (found or issubclass(kind, _ASKED)):
            _settable.keep(kind, True)
    return found if issubclass(kind, _ASKED) else _decided.keep(kind, found)


def _is_setter(value: Any) -> bool:
    if type(value) is property:
        return True
    kind = type(value)
    return bool(_function(kind, "__set__") or _function(kind, "__delete__"))


def _held(kind: type, name: str) -> Any:
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


def _function(kind: type, name: str) -> types.FunctionType | None:
    """A special method of a class that is a function of the user's."""
    found = getattr(kind, name, None)
    if type(found) is not types.FunctionType:
        return None
    return None if ownership.is_library_file(found.__code__.co_filename) else found


def _bound(function: types.FunctionType | None, owner: Any) -> Any:
    return None if function is None else types.MethodType(function, owner)


class _DescriptorSetter:
    """Sets one attribute through its property or descriptor."""

    def __init__(self, target: Any, setter: Any, deleter: Any, held: Any):
        object.__setattr__(self, "_parts", (target, setter, deleter, held))

    def __getattr__(self, name: str) -> Any:
        target, _, _, held = self._parts
        if type(held) is property and type(held.fget) is types.FunctionType:
            return hooks.callee(held.fget)(target)
        getter = _function(type(held), "__get__")
        if getter is None:
            return getattr(target, name)
        return hooks.callee(getter)(held, target, type(target))

    def __setattr__(self, name: str, value: Any) -> None:
        target, setter, _, _ = self._parts
        if setter is None:
            setattr(target, name, value)
        else:
            hooks.callee(setter)(target, value)

    def __delattr__(self, name: str) -> None:
        target, _, deleter, _ = self._parts
        if deleter is None:
            delattr(target, name)
        else:
            hooks.callee(deleter)(target)


class _AttributeSetter:
    """Sets attributes through the methods of a class for that."""

    def __init__(self, target: Any):
        object.__setattr__(self, "_target", target)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setter = _function(type(self._target), "__setattr__")
        if setter is None:
            setattr(self._target, name, value)
        else:
            hooks.callee(setter)(self._target, name, value)

    def __delattr__(self, name: str) -> None:
        deleter = _function(type(self._target), "__delattr__")
        if deleter is None:
            delattr(self._target, name)
        else:
            hooks.callee(deleter)(self._target, name)


def of_items(target: Any) -> Any:
    """What sets the items of ``target``: itself, unless methods of the user's do that."""
    own = _function(type(target), "__setitem__") or _function(type(target), "__delitem__")
    return target if own is None else _ItemSetter(target)


class _ItemSetter:
    """Sets items through a class's own methods."""

    def __init__(self, target: Any):
        self._target = target

    def _run(self, method: str, *args: Any) -> Any:
        function = getattr(type(self._target), method)
        if type(function) is types.FunctionType:
            function = hooks.callee(function)
        return function(self._target, *args)

    def __getitem__(self, key: Any) -> Any:
        return self._run("__getitem__", key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._run("__setitem__", key, value)

    def __delitem__(self, key: Any) -> None:
        self._run("__delitem__", key)
