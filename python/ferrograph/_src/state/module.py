"""``Module``: a named container of variables and other modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..context import thread
from ..hints import Any
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

    # Attributes in which nothing is looked for; classes add to them.
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset()

    def __init__(self, name: str | None = None):
        if name is not None and not name.isidentifier():
            raise ValueError(f"{name!r} is not a valid module name: it must be an identifier")
        self._name = name or _snake_case(type(self).__name__)
        self._name_scope = thread.name_scope(f"{thread.current_scope()}{self._name}/")

    @property
    def name(self) -> str:
        """The name as given, or that of the class in snake case."""
        known = object.__getattribute__(self, "__dict__").get("_name")
        return known or _snake_case(type(self).__name__)

    @property
    def name_scope(self) -> Any:
        """A scope for names of what the module makes: ``with self.name_scope: ...``.

        It lies in the one in which the module was made.
        """
        # Whoever looks at attributes on their way sees those that are asked for, not all at once.
        known = object.__getattribute__(self, "__dict__").get("_name_scope")
        return known or thread.name_scope(self.name)

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
    def variables(self) -> tuple[Any, ...]:
        """All variables of the module and its submodules."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The variables that are trainable."""
        return tuple(self._flatten(predicate=lambda v: _is_variable(v) and v.trainable))

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """The variables that are not trainable."""
        return tuple(self._flatten(predicate=lambda v: _is_variable(v) and not v.trainable))

    @property
    def submodules(self) -> tuple[Any, ...]:
        """All modules inside this one."""
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], Any] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """The leaves of the attributes, then those of the modules among them.

        Args:
          recursive: whether to go into those modules.
          predicate: of which leaves; all unless told.
          attribute_traversal_key: what the names of attributes are sorted by.
          with_path: whether to give pairs of a path and a leaf. Without paths a leaf comes once.
          expand_composites: whether values made of tensors are taken apart.
        """
        seen: set[int] = {id(self)}
        waiting: list[tuple[Any, ...]] = [
            ((), (self,))
        ]  # paths to modules, and the modules on the way
        while waiting:
            at, way = waiting.pop(0)
            inner = []
            for path, leaf in way[-1]._leaves_at(attribute_traversal_key, expand_composites):
                known = any(leaf is m for m in way) if with_path else id(leaf) in seen
                if known:
                    continue
                seen.add(id(leaf))
                if predicate is None or predicate(leaf):
                    yield ((*at, *path), leaf) if with_path else leaf
                if recursive and _is_module(leaf):
                    inner.append(((*at, *path), (*way, leaf)))
            waiting[:0] = inner

    def _leaves_at(
        self, key: Callable[..., Any] | None, expand: bool
    ) -> Iterator[tuple[tuple[Any, ...], Any]]:
        """The leaves of the attributes and their paths."""
        for name in sorted(vars(self), key=key):
            if name not in self._TF_MODULE_IGNORED_PROPERTIES:
                yield from _leaves(vars(self)[name], (name,), expand)


def _is_variable(value: Any) -> bool:
    return isinstance(value, Variable)


def _is_module(value: Any) -> bool:
    return isinstance(value, Module)


def _leaves(
    value: Any, path: tuple[Any, ...], expand: bool
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The leaves of a structure and their paths."""
    if isinstance(value, Mapping):
        parts: Any = [(key, value[key]) for key in _keys(value)]
    elif nest.is_nested(value):
        parts = enumerate(nest.children(value))
    elif expand and hasattr(type(value), "_component_list"):
        parts = enumerate(value._component_list())
    else:
        yield path, value
        return
    for key, part in parts:
        yield from _leaves(part, (*path, key), expand)


def _keys(mapping: Mapping[Any, Any]) -> list[Any]:
    """The keys in order, or as they come where they do not compare."""
    try:
        return sorted(mapping)
    except TypeError:
        return list(mapping)


def _snake_case(name: str) -> str:
    import re

    text = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", text).lower()
