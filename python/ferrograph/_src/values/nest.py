"""Nested structures: sequences, namedtuples, mappings and views of these, attrs classes, and
dataclasses with ``__tf_flatten__``.

Anything else is a leaf, ``None``, strings and tensors among them. The values of a mapping are taken
in the order of its sorted keys; packing gives back a mapping of the same class with its keys in
their own order.

Composite values (ragged tensors, tensor arrays and their like) are leaves unless
``expand_composites`` is set, under which no code of the classes of containers runs. They give their
components by two methods: ``_component_list()`` and ``_from_components(list)``. So do the specs of
such values, whose parts are specs; packed with tensors they give values.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, MappingView, Sequence

from .. import later
from ..hints import TYPE_CHECKING, Any, cast
from ..native import _core
from .errors import shown
from .public import public

if TYPE_CHECKING:
    from . import reconstruction
else:
    (reconstruction,) = later(__package__, "reconstruction")

__all__ = [
    "assert_same_structure",
    "flatten",
    "is_nested",
    "map_structure",
    "pack_sequence_as",
    "require_same_structure",
]


@public("nest.is_nested")
def is_nested(seq: Any) -> bool:
    """Whether ``seq`` is a container that ``flatten`` opens.

    >>> fg.nest.is_nested([1]), fg.nest.is_nested(1)
    (True, False)

    Args:
      seq: any value.

    Returns:
      A bool.
    """
    kind = type(seq)
    if kind in LEAVES or isinstance(seq, _core.VariableBase):
        return False
    if kind in _CONTAINERS or isinstance(seq, (list, tuple, Mapping)):
        return True
    if isinstance(seq, (Sequence, MappingView)):
        return not (isinstance(seq, str) or _is_buffer(seq))
    return _is_record(kind)


@public("nest.flatten")
def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of ``structure`` in order, mappings in that of their keys.

    >>> fg.nest.flatten({'b': (2, [3]), 'a': 1})
    [1, 2, 3]

    Args:
      structure: nested containers, or a leaf, which gives a list of itself.
      expand_composites: a bool, whether ragged and sparse tensors and other composites are opened
        as well; False by default.

    Returns:
      A list.

    Raises:
      TypeError: for a mapping whose keys cannot be sorted.
    """
    out: list[Any] = []
    _flatten(structure, expand_composites, out)
    return out


@public("nest.pack_sequence_as")
def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """``flat_sequence`` in the shape of ``structure``.

    >>> fg.nest.pack_sequence_as({'a': 0, 'b': (0,)}, [1, 2])
    {'a': 1, 'b': (2,)}

    Args:
      structure: nested containers, or a leaf.
      flat_sequence: a sequence of as many values as structure has leaves.
      expand_composites: a bool, whether composites in structure are opened as well; False by
        default.

    Returns:
      A structure like structure with these values.

    Raises:
      TypeError: where flat_sequence is no sequence.
      ValueError: where its length is not that of ``flatten(structure)``.
    """
    if not is_nested(flat_sequence):
        text = f"flat_sequence must be a sequence, got {type(flat_sequence).__name__}"
        raise TypeError(f"pack_sequence_as: {text}")
    leaves = list(flat_sequence)
    expected = len(flatten(structure, expand_composites))
    if len(leaves) != expected:
        raise ValueError(
            f"pack_sequence_as: structure has {expected} leaves, but flat_sequence has "
            f"{len(leaves)} elements: {shown(structure)} against {shown(flat_sequence)}"
        )
    return _pack(structure, iter(leaves), expand_composites)


@public("nest.map_structure")
def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """``func`` applied to the corresponding leaves of the structures, in the shape of the first.

    >>> fg.nest.map_structure(lambda x, y: x + y, {'a': 1, 'b': (2, 3)}, {'a': 10, 'b': (20, 30)})
    {'a': 11, 'b': (22, 33)}

    Args:
      func: a function of one leaf of each structure.
      *structure: structures that differ in their leaves alone, one at least.
      **kwargs: ``check_types``, a bool, True by default, to compare the classes of the containers
        as well; ``expand_composites``, a bool, False by default, to open composites as well.

    Returns:
      A structure like the first with what func gives.

    Raises:
      TypeError: where func cannot be called, classes of containers differ, or another keyword is
        given.
      ValueError: where structures differ, or none is given.
    """
    if not callable(func):
        raise TypeError(f"map_structure: func must be callable, got {type(func).__name__}")
    if not structure:
        raise ValueError("map_structure needs at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if kwargs:
        raise TypeError(f"map_structure got unknown keyword arguments: {', '.join(kwargs)}")
    first, *others = structure
    for other in others:
        require_same_structure(first, other, check_types, expand)
    results = [
        func(*leaves) for leaves in zip(*(flatten(s, expand) for s in structure), strict=True)
    ]
    return _pack(first, iter(results), expand)


@public("nest.assert_same_structure")
def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raise unless the two structures differ in their leaves only.

    >>> fg.nest.assert_same_structure([1, (2,)], ['a', ('b',)])
    >>> fg.nest.assert_same_structure([1, (2,)], [1, 2])  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
        ...
    ValueError: assert_same_structure: nest1 and nest2 are not the same: at [1] a tuple where the

    Args:
      nest1, nest2: nested containers, or leaves.
      check_types: a bool, whether the classes of the containers are compared as well; True by
        default.
      expand_composites: a bool, whether composites are opened as well; False by default.

    Raises:
      ValueError: where the nesting or the keys differ.
      TypeError: where check_types is set and the classes of two containers differ.
    """
    try:
        _compare(nest1, nest2, check_types, expand_composites)
    except _Different as e:
        text = f"assert_same_structure: nest1 and nest2 are not the same: {e}"
        raise e.kind(f"{text}\nnest1: {shown(nest1)}\nnest2: {shown(nest2)}") from None


def require_same_structure(
    first: Any, second: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """``assert_same_structure`` of values that came in under other names."""
    try:
        _compare(first, second, check_types, expand_composites)
    except _Different as e:
        text = f"The two structures are not the same: {e}"
        raise e.kind(f"{text}\nFirst: {shown(first)}\nSecond: {shown(second)}") from None


class _Different(Exception):
    """Where two structures differ, and in what; ``kind`` is the class of error that says so."""

    def __init__(self, kind: type[Exception], text: str):
        super().__init__(text)
        self.kind, self.text = kind, text
        self.path: list[str] = []

    def __str__(self) -> str:
        return f"at {''.join(reversed(self.path))} {self.text}" if self.path else self.text


# The commonest classes of either kind: abstract base classes are slow to ask about the others.
_TENSORS = {_core.EagerTensor, _core.SymbolicTensor}
LEAVES = {int, float, complex, bool, str, bytes, type(None), *_TENSORS}
_CONTAINERS = {list, tuple, dict}


def _is_buffer(structure: Any) -> bool:
    """Whether a sequence is one value by its bytes: ``bytearray``, ``array.array``."""
    try:
        memoryview(structure)
    except TypeError:
        return False
    return True


def _is_record(kind: type[Any]) -> bool:
    """Whether instances of ``kind`` are opened by their fields."""
    return hasattr(kind, "__attrs_attrs__") or (
        hasattr(kind, "__tf_flatten__") and hasattr(kind, "__tf_unflatten__")
    )


def _is_namedtuple(kind: type[Any]) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def _is_composite(value: Any) -> bool:
    return getattr(type(value), "_component_list", None) is not None


def _sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError(
            f"The keys of a nested mapping must be sortable: {shown(list(mapping))}"
        ) from None


def children(structure: Any) -> list[Any]:
    """The values in a container, in their order of flattening."""
    if type(structure) in (list, tuple):
        return list(structure)
    if isinstance(structure, Mapping):
        return [structure[key] for key in _sorted_keys(structure)]
    if isinstance(structure, (list, tuple, Sequence, MappingView)):
        return list(cast("Iterable[Any]", structure))
    kind = type(structure)
    if hasattr(kind, "__attrs_attrs__"):
        return [getattr(structure, a.name) for a in kind.__attrs_attrs__]
    return list(structure.__tf_flatten__()[1])


def _children(structure: Any, expand: bool) -> list[Any]:
    """``children``, without running user code where composite values are opened."""
    if expand and type(structure) not in _PLAIN and reconstruction.is_own(type(structure)):
        return reconstruction.held(structure, _sorted_keys)
    return children(structure)


_PLAIN = (list, tuple, dict)


def _flatten(structure: Any, expand: bool, out: list[Any]) -> None:
    if type(structure) in LEAVES:
        out.append(structure)
    elif is_nested(structure):
        for child in _children(structure, expand):
            _flatten(child, expand, out)
    elif expand and _is_composite(structure):
        for child in structure._component_list():
            _flatten(child, expand, out)
    else:
        out.append(structure)


def _pack(structure: Any, leaves: Iterator[Any], expand: bool) -> Any:
    if type(structure) in LEAVES:
        return next(leaves)
    if is_nested(structure):
        packed = [_pack(child, leaves, expand) for child in _children(structure, expand)]
        if expand and type(structure) not in _PLAIN and reconstruction.is_own(type(structure)):
            return reconstruction.like(structure, packed, _sorted_keys)
        return like(structure, packed)
    if expand and _is_composite(structure):
        parts = [_pack(child, leaves, expand) for child in structure._component_list()]
        return _recompose(structure, parts)
    return next(leaves)


def _recompose(structure: Any, parts: list[Any]) -> Any:
    """The composite value of these parts, like another one or of a spec."""
    if hasattr(type(structure), "_of_parts"):
        return structure._of_parts(parts)
    return structure._from_components(parts)


def like(structure: Any, children: list[Any]) -> Any:
    """A container like ``structure`` with other values."""
    kind = type(structure)
    if kind in (list, tuple):
        return kind(children)
    if isinstance(structure, Mapping):
        values = dict(zip(_sorted_keys(structure), children, strict=True))
        items = {key: values[key] for key in structure}
        if isinstance(structure, defaultdict):
            return kind(structure.default_factory, items)
        return kind(items)
    if _is_namedtuple(kind):
        return kind(*children)
    if isinstance(structure, (MappingView, range)):
        return children
    if kind is deque:
        return deque(children, structure.maxlen)
    if isinstance(structure, (list, tuple, Sequence)):
        return kind(children)
    if hasattr(kind, "__attrs_attrs__"):
        names = [a.name.lstrip("_") for a in kind.__attrs_attrs__]
        return kind(**dict(zip(names, children, strict=True)))
    metadata = structure.__tf_flatten__()[0]
    return kind.__tf_unflatten__(metadata, tuple(children))


def _compare(a: Any, b: Any, check_types: bool, expand: bool) -> None:
    if type(a) in LEAVES and type(b) in LEAVES:
        return
    opened = [is_nested(x) or (expand and _is_composite(x)) for x in (a, b)]
    if not any(opened):
        return
    if not all(opened):
        inner, leaf = (a, b) if opened[0] else (b, a)
        text = f"{_named(inner)} where the other has the leaf {shown(leaf)}"
        raise _Different(ValueError, text)
    if check_types and not _same_kind(a, b):
        raise _Different(TypeError, f"{_named(a)} against {_named(b)}")
    if isinstance(a, Mapping) and isinstance(b, Mapping) and not _have_same_keys(a, b):
        text = f"keys {shown(sorted(map(str, a)))} against {shown(sorted(map(str, b)))}"
        raise _Different(ValueError, text)
    if check_types and not is_nested(a):
        _compare_specs(a, b)
    left, right = (
        x._component_list() if expand and _is_composite(x) else _children(x, expand) for x in (a, b)
    )
    if len(left) != len(right):
        text = f"{_named(a)} of {len(left)} against {_named(b)} of {len(right)}"
        raise _Different(ValueError, text)
    for i, (x, y) in enumerate(zip(left, right, strict=True)):
        try:
            _compare(x, y, check_types, expand)
        except _Different as e:
            e.path.append(_step(a, i))
            raise


def _step(structure: Any, i: int) -> str:
    """How Python reaches the child of that number."""
    if isinstance(structure, Mapping):
        return f"[{shown(_sorted_keys(structure)[i])}]"
    if _is_namedtuple(type(structure)):
        return f".{structure._fields[i]}"
    return f"[{i}]"


def _have_same_keys(a: Mapping[Any, Any], b: Mapping[Any, Any]) -> bool:
    keys = (dict.fromkeys(dict.__iter__(m)) if isinstance(m, dict) else m for m in (a, b))
    return set(next(keys)) == set(next(keys))


def _compare_specs(a: Any, b: Any) -> None:
    """TypeError where composite values of one class have specs of which no value can be both."""
    a, b = (getattr(x, "_type_spec", x) for x in (a, b))
    if not hasattr(type(a), "_component_specs"):
        return
    if a.most_specific_common_supertype([b]) is None:
        raise _Different(TypeError, f"{shown(a)} against {shown(b)}")


def _same_kind(a: Any, b: Any) -> bool:
    if type(a) is type(b):
        return True
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return True
    both = _is_namedtuple(type(a)) and _is_namedtuple(type(b))
    return both and type(a).__name__ == type(b).__name__ and a._fields == b._fields


def _named(value: Any) -> str:
    kind = type(value)
    suffix = " (dataclass)" if hasattr(kind, "__dataclass_fields__") else ""
    return f"a {kind.__name__}{suffix}"
