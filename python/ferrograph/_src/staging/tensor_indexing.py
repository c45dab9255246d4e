"""Items of Python lists, tuples and dicts under symbolic keys, and ``in`` with tensors."""

from __future__ import annotations

import array
import collections
import types

from .. import ops
from ..heap import aliasing, structure
from ..heap.adapters import WITH_OPERATORS
from ..heap.source_location import here, refusal
from ..heap.trace_context import note_choice
from ..hints import Any
from ..native import FG, _core
from ..symbolic import abstract_value, merged_objects, python_scalars, ranges, values
from ..values import dtypes


def item(items: Any, key: Any) -> Any:
    """``items[key]`` of a list or tuple, whose index is a tensor."""
    check_index(key)
    return one_of(list(items), _place(items, key, "list index out of range"))


def _place(items: Any, key: Any, message: str) -> Any:
    """The place that an index means, of which negative ones count from the end."""
    key, n = ops.cast(key, dtypes.int32), len(items)
    ops.Assert(ops.logical_and(key >= -n, key < n), [message])
    return ops.where(key < 0, key + n, key)


def check_index(key: Any) -> None:
    """Refuse values that are no index in Python: floats and strings."""
    dtype = getattr(key, "dtype", dtypes.int32)
    if dtype.is_integer or dtype == dtypes.bool:  # a bool is 0 or 1, as in Python
        return
    raise refusal(
        f"only integers serve as an index or a limit, got a tensor of dtype {dtype.name}",
        "Write `int(...)` around it.",
        kind=TypeError,
    )


def under_key(items: dict, key: Any) -> Any:
    """The value in a dict under a symbolic Python number or string."""
    kinds = (str,) if key.dtype == dtypes.string else (bool, int, float)
    whole = key.dtype.is_integer
    known = [k for k in items if type(k) in kinds and not (whole and k % 1)]
    if not known:
        raise KeyError("there is no such key in the dict")
    convert = int if whole else lambda k: k
    keys = [_core.convert_to_tensor(convert(k), key.dtype) for k in known]
    alike = ops.equal(ops.stack(keys), key)
    ops.Assert(ops.reduce_any(alike), ["KeyError: no such key in the dict:", key])
    place = ops.argmax(ops.cast(alike, dtypes.int32), output_type=dtypes.int32)
    return one_of([items[k] for k in known], place)


def one_of(items: list, place: Any) -> Any:
    """The one among items at a place that the graph knows, each part of it by itself. TypeError
    where they are not alike."""
    if all(item is items[0] for item in items):
        return items[0]
    made = structure.pack(items[0], [_one_leaf(column, place) for column in _columns(items)])
    return _standing_for(items, made)


def in_order(items: list, places: Any) -> list:
    """Items in an order that the graph knows, each part of them by itself. TypeError where they
    are not alike."""
    taken = [_all_leaves(column, places) for column in _columns(items)]
    if not taken:
        return items
    made = [structure.pack(items[0], list(leaves)) for leaves in zip(*taken, strict=True)]
    return [_standing_for(items, item) for item in made]


def _columns(items: list) -> list[list]:
    """Items that are alike, a list for each part of them."""
    for other in items[1:]:
        difference = structure.check_same_structure(items[0], other)
        if difference is not None:
            raise _not_alike(f"have different structures: {difference}")
    return [list(column) for column in zip(*map(structure.leaves_of, items), strict=True)]


def _standing_for(items: list, made: Any) -> Any:
    """``made``, merged of items, noted as an alias of each."""
    found = structure.MergedContainers()
    made = found.join("the item by a tensor", tuple(items), made)
    note_choice()
    aliasing.note(found, None, here())
    arrays = [("", array) for item in items for array in structure.arrays_in(item)]
    merged_objects.note_arrays(arrays, None, here())
    return made


def _not_alike(problem: str) -> Exception:
    return refusal(
        f"a tensor is an index of items, or sorts them, and they {problem}",
        "Make them tensors, numbers, or structures of these that are alike; or choose with "
        f"`if`, or with `{FG}.switch_case`.",
        kind=TypeError,
    )


def _may_be_alike(shape: list | None, other: list | None) -> bool:
    """Whether two shapes, as far as they are known, may be the same one."""
    if shape is None or other is None:
        return True
    pairs = zip(shape, other, strict=False)
    return len(shape) == len(other) and all(a == b or a is None or b is None for a, b in pairs)


def _weakened(leaves: list) -> list:
    """Leaves of which symbolic Python numbers take the dtype of a tensor."""
    strong = next(
        (v for v in leaves if values.is_tensor(v) and not python_scalars.is_symbolic_number(v)), 0
    )
    return [(python_scalars.weakened(leaf, strong) or (leaf,))[0] for leaf in leaves]


def _one_leaf(leaves: list, place: Any) -> Any:
    """The one among leaves of structures."""
    if all(leaf is leaves[0] for leaf in leaves) and not values.can_be_tensor(leaves[0]):
        return leaves[0]
    return _told(ops.gather(_stacked(leaves), place), leaves, place)


def _all_leaves(leaves: list, places: Any) -> list:
    """Leaves of structures in another order."""
    if all(leaf is leaves[0] for leaf in leaves) and not values.can_be_tensor(leaves[0]):
        return leaves
    found = ops.unstack(ops.gather(_stacked(leaves), places), len(leaves))
    return [_told(tensor, leaves, places[i]) for i, tensor in enumerate(found)]


def _stacked(leaves: list) -> Any:
    """Leaves as one tensor. TypeError where no tensor holds them all as they are."""
    other = next((leaf for leaf in leaves if not values.can_be_tensor(leaf)), leaves)
    if other is not leaves:
        raise _not_alike(f"hold an object that cannot be a tensor, a `{type(other).__name__}`")
    shapes = [values.static_shape(leaf) if hasattr(leaf, "shape") else [] for leaf in leaves]
    other = next((shape for shape in shapes if not _may_be_alike(shape, shapes[0])), None)
    if other is not None:
        raise _not_alike(f"have the shapes {shapes[0]} and {other}")
    leaves = _weakened(leaves)
    dtype = values.common_dtype(leaves)
    if dtype == dtypes.variant:
        raise _not_alike("hold lists that grew in staged branches or loops")
    kinds = {type(leaf) for leaf in leaves} if dtype is None else set()
    if kinds == {int, float}:
        dtype = dtypes.float32
    elif len(kinds) > 1:
        raise _not_alike(f"are of the kinds {' and '.join(sorted(k.__name__ for k in kinds))}")
    return ops.stack([values.to_tensor(v, dtype) for v in leaves])


def _told(found: Any, leaves: list, place: Any) -> Any:
    """The one among leaves at a place, noted as what these are."""
    abstract_value.follow_variable(found, leaves)
    value = abstract_value.summary(leaves)
    if value.number is not None:
        are_numbers = all(map(python_scalars.is_number, leaves))
        value.number = (
            python_scalars.Number(python_scalars.kinds_of(*leaves)) if are_numbers else None
        )
    if value.integer is not None:
        standing = [ranges.standing(v) for v in leaves]

        def told() -> Any:
            return ops.gather(ops.stack([values.to_tensor(f) for f in standing]), place)

        value.integer.most = ranges.most_of(filter(ranges.is_integer, leaves))
        if any(flag is not True for flag in standing):
            value.integer.flag = ranges.Told(told)
    return abstract_value.attach(found, value)


def set_item(items: list, key: Any, value: Any) -> None:
    """``items[key] = value`` of a list. TypeError where the value is not like an item."""
    place = _place(items, key, "list assignment index out of range")
    for i, old in enumerate(list(items)):
        items[i] = one_of([old, value], ops.cast(ops.equal(place, i), dtypes.int32))


def check_rows(tensor: Any, place: str = "iteration") -> Any:
    """``tensor``, which must have rows."""
    if values.static_shape(tensor) == []:
        raise refusal(
            "a `for` over a scalar tensor, which has no elements",
            f"To count to it write `for i in {FG}.range(n):`.",
            place,
            kind=TypeError,
        )
    return tensor


# What `in` looks for among the elements; of iterables without such a method, too.
_AMONG_ELEMENTS = (
    *(list, tuple, set, frozenset, dict, range, collections.deque, bytes, bytearray),
    *(collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView),
    *(collections.UserList, collections.UserDict, collections.ChainMap, array.array),
)


def _refuse_parts(value: Any, container: Any) -> None:
    """Refuse containers with their own rules of membership, such as strings."""
    kind = type(container)
    if isinstance(container, _AMONG_ELEMENTS) or not hasattr(kind, "__contains__"):
        return
    if hasattr(kind, "__array__"):
        return
    python_scalars.refuse_string(value)
    raise refusal(
        f"`in` of a tensor and a `{kind.__name__}`, which compares more than its elements",
        "Ask before the branch or loop, or test what you mean with the functions of `fg`.",
        kind=TypeError,
    )


def _plain(element: Any) -> Any:
    """The number or text that an element of a class derived from Python's own is equal to, such as
    a member of an enumeration."""
    for kind, neutral in _NEUTRAL.items():
        if type(element) not in _NEUTRAL and type(element).__eq__ is kind.__eq__:
            return kind.__add__(element, neutral)
    return element


_NEUTRAL: dict[Any, Any] = {int: 0, float: 0.0, str: "", bytes: b"", bool: 0}

# What is equal to a number or text only where it is the same object, or never.
_UNEQUAL = (
    *(type(None), dict, set, frozenset, *WITH_OPERATORS),
    *(type, types.FunctionType, types.BuiltinFunctionType),
)


def _is_unequal(value: Any, element: Any) -> bool:
    """Whether an element certainly does not equal ``value``; refused where its class decides."""
    if values.can_be_tensor(element):
        if isinstance(element, (int, float, complex)):
            return python_scalars.is_symbolic_string(value)
        return merged_objects.scalar_beside_sequence(value, element)
    if not (isinstance(element, _UNEQUAL) or type(element).__eq__ is object.__eq__):
        raise refusal(
            f"`in` compares a tensor, or a Python number or string from a staged branch or loop, "
            f"with a `{type(element).__name__}`",
            "Put tensors, Python numbers or strings into the container, or ask before the branch "
            "or loop.",
            kind=TypeError,
        )
    if python_scalars.are_foreign_met():
        merged_objects.refuse_among_objects(value)
    return True


def _equal(left: Any, right: Any) -> Any:
    return (merged_objects if python_scalars.are_foreign_met() else ops).equal(left, right)


def stage_in(value: Any, container: Any) -> Any:
    """``value in container`` where either is a tensor, or tensors are among the elements."""
    if values.is_staged(container):
        python_scalars.refuse_string(container)
        if python_scalars.is_symbolic_number(container):
            raise TypeError("argument of `in` is a Python number, which is not iterable")
        python_scalars.refuse_truth_of_rows(check_rows(container), "`in`")
        return python_scalars.mark_truth(ops.reduce_any(_equal(container, value)))
    _refuse_parts(value, container)
    found: Any = False
    for element in map(_plain, container):
        if not _is_unequal(value, element):
            same: Any = True
            if element is not value:
                same = _equal(value, element)
                python_scalars.refuse_truth_of_several(same.shape, "`in`")
                same = ops.reduce_all(same)
            found = same if found is False else ops.logical_or(found, same)
    return python_scalars.mark_truth(_core.convert_to_tensor(found))
