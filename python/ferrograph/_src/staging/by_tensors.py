"""Items of Python's lists, tuples and dicts under keys that only the graph knows."""

from __future__ import annotations

from .. import later, ops
from ..hints import TYPE_CHECKING, Any
from ..native import _core
from ..values import dtypes
from . import bounds, chosen_numbers, chosen_texts, values
from .places import here, say

if TYPE_CHECKING:
    from . import aliases, chosen_variables
else:
    aliases, chosen_variables = later(__package__, "aliases", "chosen_variables")


def item(items: Any, key: Any) -> Any:
    """``items[key]`` of a list or tuple, whose index is a tensor."""
    key, n = ops.cast(key, dtypes.int32), len(items)
    ops.Assert(ops.logical_and(key >= -n, key < n), ["list index out of range"])
    return one_of(list(items), ops.where(key < 0, key + n, key))


def under_key(items: dict, key: Any) -> Any:
    """The value in a dict under a number or a text that the graph chose."""
    kinds = (str,) if key.dtype == dtypes.string else (bool, int, float)
    whole = key.dtype.is_integer
    known = [k for k in items if type(k) in kinds and not (whole and k % 1)]
    if not known:
        raise KeyError("there is no such key in the dict")
    alike = ops.equal(ops.stack([_key(k, key.dtype) for k in known]), key)
    ops.Assert(ops.reduce_any(alike), ["KeyError: no such key in the dict:", key])
    place = ops.argmax(ops.cast(alike, dtypes.int32), output_type=dtypes.int32)
    return one_of([items[k] for k in known], place)


def _key(key: Any, dtype: Any) -> Any:
    """A key of Python's as a tensor, to be compared with one of a dtype."""
    return _core.convert_to_tensor(int(key) if dtype.is_integer else key, dtype)


def one_of(items: list, place: Any) -> Any:
    """The one among items at a place that the graph knows, each part of it by itself. TypeError
    where they are not alike."""
    for other in items[1:]:
        difference = values.check_same_structure(items[0], other)
        if difference is not None:
            raise _not_alike(f"have different structures: {difference}")
    columns = zip(*map(values.leaves_of, items), strict=True)
    made = values.pack(items[0], [_one_leaf(list(column), place) for column in columns])
    joins = aliases.Joins()
    made = joins.join("the item by a tensor", tuple(items), made)
    aliases.note(joins, None, here())
    aliases.note_arrays([("", item) for item in items if aliases.is_array(item)], None, here())
    return made


def _not_alike(problem: str) -> TypeError:
    return TypeError(
        say(
            here(),
            f"a tensor is the index of a list or tuple whose items {problem}",
            "Make them tensors, numbers, or structures of these that are alike; or choose with "
            "`if`, or with `fg.switch_case`.",
        )
    )


def _one_leaf(leaves: list, place: Any) -> Any:
    """The one among leaves of structures, noted as what these are."""
    if all(leaf is leaves[0] for leaf in leaves) and not values.can_be_tensor(leaves[0]):
        return leaves[0]
    other = next((leaf for leaf in leaves if not values.can_be_tensor(leaf)), leaves)
    if other is not leaves:
        raise _not_alike(f"hold an object that no tensor stands for, a `{type(other).__name__}`")
    dtype = values.common_dtype(leaves)
    found = ops.gather(ops.stack([values.to_tensor(v, dtype) for v in leaves]), place)
    if any(map(values.stands_for_variable, leaves)):
        chosen_variables.note(found, "", here())
    if all(map(chosen_texts.is_text, leaves)):
        chosen_texts.mark(found)
    if all(map(chosen_numbers.is_number, leaves)):
        chosen_numbers.mark(found, chosen_numbers.kinds_of(*leaves))
    standing = [bounds.standing(v) for v in leaves]
    if any(flag is not False for flag in standing):
        are_all = all(flag is True for flag in standing)
        flag = are_all or ops.gather(ops.stack([values.to_tensor(f) for f in standing]), place)
        bounds.note(found, True, flag, at_most=bounds.most_of(filter(bounds.is_integer, leaves)))
    return found


def set_item(items: list, key: Any, value: Any) -> None:
    """``items[key] = value`` of a list."""
    n, key = len(items), ops.cast(key, dtypes.int32)
    ops.Assert(ops.logical_and(key >= -n, key < n), ["list assignment index out of range"])
    place = ops.where(key < 0, key + n, key)
    dtype = values.common_dtype([*items, value])
    new = values.to_tensor(value, dtype)
    for i, old in enumerate(list(items)):
        chosen = ops.equal(place, i)
        items[i] = ops.where(chosen, new, values.to_tensor(old, dtype))
        if any(map(values.stands_for_variable, (old, value))):
            chosen_variables.note(items[i], "", here())
        bounds.note_chosen(items[i], chosen, value, old)
