"""``Module``: a named container of variables and other modules."""

from __future__ import annotations

from typing import Any

from ..context import thread
from ..values import nest
from ..values.markers import Trackable
from ..values.public import public
from .variable import Variable

__all__ = ["Module"]


@public("Module")
class Module(Trackable):
    """A base class for things that have variables: finds them among its attributes.

    Variables and submodules are found in attributes, and in lists, tuples and dicts there, in the
    order of the attributes' names.

    >>> class Scale(fg.Module):
    ...     def __init__(self):
    ...         self.factor = fg.Variable(2.0)
    ...     def __call__(self, x):
    ...         return self.factor * x
    >>> scale = Scale()
    >>> float(scale(3.0)), len(scale.trainable_variables)
    (6.0, 1)
    """

    def __init__(self, name: str | None = None):
        if name is not None and not name.isidentifier():
            raise ValueError(f"{name!r} is not a valid module name: it must be an identifier")
        self._name = name or _snake_case(type(self).__name__)

    @property
    def name(self) -> str:
        """The name as given, or that of the class in snake case."""
        return self.__dict__.get("_name") or _snake_case(type(self).__name__)

    @property
    def name_scope(self) -> Any:
        """A scope for names of what the module makes: ``with self.name_scope: ...``."""
        return thread.name_scope(self.name)

    @classmethod
    def with_name_scope(cls, method: Any) -> Any:
        """A method that runs inside the module's name scope."""
        import functools

        @functools.wraps(method)
        def scoped(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped

    @property
    def variables(self) -> tuple:
        """All variables of the module and its submodules."""
        return tuple(self._flatten(lambda v: isinstance(v, Variable)))

    @property
    def trainable_variables(self) -> tuple:
        """The variables that are trainable."""
        return tuple(self._flatten(lambda v: isinstance(v, Variable) and v.trainable))

    @property
    def non_trainable_variables(self) -> tuple:
        """The variables that are not trainable."""
        return tuple(self._flatten(lambda v: isinstance(v, Variable) and not v.trainable))

    @property
    def submodules(self) -> tuple:
        """All modules inside this one."""
        return tuple(self._flatten(lambda v: isinstance(v, Module)))

    def _flatten(self, wanted: Any) -> list:
        found: list = []
        seen: set[int] = {id(self)}

        def visit(module: Module) -> None:
            inner = []
            for name in sorted(vars(module)):
                if name in type(module)._IGNORED:
                    continue
                for leaf in _leaves(vars(module)[name]):
                    if id(leaf) in seen:
                        continue
                    if isinstance(leaf, (Variable, Module)):
                        seen.add(id(leaf))
                    if wanted(leaf):
                        found.append(leaf)
                    if isinstance(leaf, Module):
                        inner.append(leaf)
            for module in inner:
                visit(module)

        visit(self)
        return found

    _IGNORED = frozenset({"_name"})


def _leaves(value: Any) -> list:
    try:
        return nest.flatten(value)
    except TypeError:  # a dict whose keys do not compare
        return list(value.values())


def _snake_case(name: str) -> str:
    import re

    text = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", text).lower()
