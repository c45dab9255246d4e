"""``tensorflow.python.util.nest``: structures flattened no deeper than a shallower one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..values import nest

__all__ = [
    "assert_shallow_structure",
    "flatten_up_to",
    "flatten_with_joined_string_paths",
    "flatten_with_tuple_paths",
    "map_structure_up_to",
    "map_structure_with_tuple_paths",
]


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """TypeError or ValueError unless ``input_tree`` has every container of ``shallow_tree``."""
    list(_up_to(shallow_tree, input_tree, check_types, expand_composites))


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """What ``input_tree`` holds where ``shallow_tree`` has its leaves, in order."""
    return list(_up_to(shallow_tree, input_tree, check_types, expand_composites))


def map_structure_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """``func`` of what the inputs hold at each leaf of ``shallow_tree``, in its structure.

    ValueError where there is no input.
    """
    if not inputs:
        raise ValueError("map_structure_up_to needs at least one input")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if kwargs:
        raise TypeError(f"map_structure_up_to got unknown keyword arguments: {', '.join(kwargs)}")
    held = [flatten_up_to(shallow_tree, tree, check_types, expand) for tree in inputs]
    results = [func(*values) for values in zip(*held, strict=True)]
    return nest.pack_sequence_as(shallow_tree, results, expand)


def flatten_with_tuple_paths(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves in order, each after the tuple of keys and positions that leads to it."""
    return list(_with_paths(structure, (), expand_composites))


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[Any]:
    """The leaves in order, each after the keys and positions that lead to it, as one string."""
    pairs = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join(map(str, path)), leaf) for path, leaf in pairs]


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """``func`` of the path and the corresponding leaves, in the structure of the first."""
    paths = iter([path for path, _ in flatten_with_tuple_paths(structure[0])])
    return nest.map_structure(lambda *leaves: func(next(paths), *leaves), *structure, **kwargs)


def _up_to(shallow: Any, tree: Any, check_types: bool, expand: bool) -> Iterator[Any]:
    if not (nest.is_nested(shallow) or (expand and hasattr(type(shallow), "_component_list"))):
        yield tree
        return
    if not (nest.is_nested(tree) or (expand and hasattr(type(tree), "_component_list"))):
        raise TypeError(
            f"the shallow structure has a {type(shallow).__name__} where the input has the leaf "
            f"{type(tree).__name__}"
        )
    outer, inner = (_items(one) for one in (shallow, tree))
    if check_types and type(shallow) is not type(tree) and not _are_dicts(shallow, tree):
        raise TypeError(
            f"the shallow structure has a {type(shallow).__name__} where the input has a "
            f"{type(tree).__name__}"
        )
    if [key for key, _ in outer] != [key for key, _ in inner]:
        raise ValueError(
            f"the shallow structure has {len(outer)} parts where the input has {len(inner)}"
        )
    for (_, one), (_, other) in zip(outer, inner, strict=True):
        yield from _up_to(one, other, check_types, expand)


def _are_dicts(*values: Any) -> bool:
    return all(hasattr(value, "keys") for value in values)


def _items(structure: Any) -> list[tuple[Any, Any]]:
    """The parts of a container by key, field or position, in their order of flattening."""
    if hasattr(structure, "_component_list"):
        return list(enumerate(structure._component_list()))
    children = nest.children(structure)
    if hasattr(structure, "keys"):
        return list(zip(sorted(structure.keys()), children, strict=True))
    names = getattr(structure, "_fields", range(len(children)))
    return list(zip(names, children, strict=True))


def _with_paths(
    structure: Any, path: tuple[Any, ...], expand: bool
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if not (nest.is_nested(structure) or (expand and hasattr(type(structure), "_component_list"))):
        yield path, structure
        return
    for key, child in _items(structure):
        yield from _with_paths(child, (*path, key), expand)
