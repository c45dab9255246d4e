"""What ``tensor[key]`` means: NumPy's basic indexing as one StridedSlice, and masks."""

from __future__ import annotations

from ..hints import Any
from ..values.errors import shown
from ._base import TensorLike, convert, emit, executing_eagerly, int64, is_tensor
from .selection import boolean_mask

# One index alone, which drops the first axis.
_ROW = {"shrink_axis_mask": 1}

# The bits of a mask.
_MOST_ENTRIES = 63


def getitem(tensor: TensorLike, key: Any) -> Any:
    """``tensor[key]`` for integers, slices, ``...``, ``None``, scalar integer tensors, and bool
    masks.

    Raises:
      TypeError: for a key of another kind.
      ValueError, InvalidArgumentError: for an index outside of its axis or too many of them.
    """
    if key.__class__ is int:
        return emit("StridedSlice", (tensor, (key,), (key + 1,), (1,)), _ROW, None)
    if _is_mask(key):
        return boolean_mask(tensor, key)
    entries = key if isinstance(key, (tuple, list)) else (key,)
    if not entries:
        return convert(tensor) if executing_eagerly() else emit("Identity", (tensor,), None, None)
    begin, end, strides = [], [], []
    masks: dict[Any, Any] = {}
    for place, entry in enumerate(entries):
        bit = 1 << place
        if isinstance(entry, slice):
            begin.append(_bound(entry.start, 0, "begin_mask", bit, masks))
            end.append(_bound(entry.stop, 0, "end_mask", bit, masks))
            strides.append(1 if entry.step is None else _checked(entry.step))
            continue
        if entry is Ellipsis:
            _mark(masks, "ellipsis_mask", bit)
            entry = 0
        elif entry is None:
            _mark(masks, "new_axis_mask", bit)
            entry = 0
        else:
            entry = _checked(entry)
            _mark(masks, "shrink_axis_mask", bit)
        begin.append(entry)
        end.append(entry + 1)
        strides.append(1)
    vectors = _vectors(begin, end, strides)
    if len(entries) > _MOST_ENTRIES:
        masks = {}  # which have no bits for so many: the operation refuses the key by its length
    return emit("StridedSlice", (tensor, *vectors), masks, None)


def _mark(masks: Any, mask: Any, bit: Any) -> Any:
    """Sets the bit of an entry of the key in one of the masks of StridedSlice."""
    masks[mask] = masks.get(mask, 0) | bit


def _is_mask(key: Any) -> Any:
    if isinstance(key, bool):
        return True
    return getattr(getattr(key, "dtype", None), "name", None) == "bool"


def _bound(value: Any, absent: Any, mask: Any, bit: Any, masks: Any) -> Any:
    if value is None:
        _mark(masks, mask, bit)
        return absent
    return _checked(value)


def _checked(index: Any) -> Any:
    """An index as a Python integer or an integer tensor."""
    if index.__class__ is int:
        return index
    import numbers

    if isinstance(index, numbers.Integral) and not isinstance(index, bool):
        return int(index)
    if is_tensor(index):
        index = convert(index)
        if index.dtype.is_integer and index.ndim in (0, None):
            return index
    elif _is_integer_scalar(index):
        return int(index)
    raise TypeError(
        "a tensor is indexed by integers, slices, `...`, None, scalar integer tensors and bool "
        f"masks; got {shown(index)}"
    )


def _is_integer_scalar(index: Any) -> Any:
    dtype = getattr(index, "dtype", None)
    return getattr(dtype, "kind", None) in ("i", "u") and getattr(index, "shape", None) == ()


def _vectors(*columns: Any) -> Any:
    """The bounds as vectors of one integer dtype."""
    tensors = [v for column in columns for v in column if is_tensor(v)]
    if not tensors:
        return columns
    wide = any(t.dtype != tensors[0].dtype for t in tensors)
    dtype = int64 if wide else tensors[0].dtype
    if wide:
        widened = [[_widened(v) for v in column] for column in columns]
        return [convert(column, dtype) for column in widened]
    return [convert(column, dtype) for column in columns]


def _widened(value: Any) -> Any:
    return emit("Cast", (value,), {"DstT": int64}, None) if is_tensor(value) else value


newaxis = None

# The public names of what stands above without a declaration of its own.
PUBLIC = {
    "newaxis": ("newaxis",),
}
