"""Values that cross the edge of a region: which can, as what tensors, and their placeholders."""

from __future__ import annotations

import collections
import collections.abc
import functools
from collections.abc import Callable

from .. import ops
from ..context import ownership
from ..context.by_class import ByClass
from ..hints import Any
from ..native import _core
from ..values import dtypes, nest
from ..values.errors import shown
from .journal import thread as _thread
from .late import own_keys, walking
from .places import here, say
from .state import UNDEFINED, have_effects

_SCALARS = (bool, int, float, complex, str, bytes)
_CONVERTED = (_core.Tensor, _core.VariableBase)


def is_eager() -> bool:
    """Whether operations run at once on this thread."""
    return _core.executing_eagerly()


def is_tensor(value: Any) -> bool:
    return isinstance(value, _core.Tensor)


def is_staged(value: Any) -> bool:
    """Whether a decision on ``value`` belongs to the graph under construction."""
    kind = type(value)
    if issubclass(kind, _core.Tensor):
        return _core.is_symbolic(value) or not _core.executing_eagerly()
    return issubclass(kind, _core.VariableBase) and not _core.executing_eagerly()


def stands_for_variable(leaf: Any) -> bool:
    """Whether a value is a variable, or a tensor that stands for one that the graph chose."""
    if isinstance(leaf, _core.VariableBase):
        return True
    if type(leaf) is not _core.SymbolicTensor or not _thread.journals:
        return False
    known = _thread.journals[0].variables
    return bool(known) and (leaf._graph_id, leaf._id) in known


def can_be_tensor(leaf: Any) -> bool:
    """Whether a leaf of a structure has a tensor to stand for it: no member of an enumeration, and
    no other number or text that is more than its value."""
    if type(leaf) in _SCALARS or issubclass(type(leaf), _CONVERTED):
        return True
    if not hasattr(type(leaf), "__array__") or not hasattr(leaf, "dtype"):
        return False
    return getattr(leaf.dtype, "kind", None) not in _NO_TENSORS


_NO_TENSORS = frozenset("VMm")  # the kinds of records, dates and spans of NumPy's


# Classes that are no structures elsewhere but open here: how to take their values apart, and how to
# put others together like one of them.
COMPOSITES: dict[type, tuple[Callable, Callable]] = {
    collections.ChainMap: (lambda chain: list(chain.maps), lambda chain, maps: type(chain)(*maps)),
}


class _Opened:
    """A value of such a class, or a dataclass, in the form that ``nest`` opens."""

    def __init__(self, value: Any, parts: list, rebuild: Callable):
        self._value, self._parts, self._rebuild = value, parts, rebuild

    def _component_list(self) -> list:
        return self._parts

    def _from_components(self, parts: list) -> Any:
        return self._rebuild(self._value, parts)


def _open(value: Any) -> Any:
    """``value`` with such values in it opened."""
    kind = type(value)
    if kind in nest.LEAVES:
        return value
    if kind in (list, tuple):
        return kind([_open(v) for v in value])
    if kind is dict:
        _check_keys(value)
        return {k: _open(v) for k, v in value.items()}
    known = COMPOSITES.get(kind)
    if known is not None:
        return _opened_kind(kind)(value, known[0](value), known[1])
    if is_dataclass(kind):
        names = names_of(value)
        parts = [_open(getattr(value, name)) for name in names]
        return _opened_kind(kind, names)(value, parts, _replaced)
    if is_object(kind):
        return _opened_kind(kind)(value, [_held(value)], _held_value)
    if has_attributes(value):
        names = tuple(sorted(value.__dict__))
        parts = [_bare(value), *(_open(value.__dict__[name]) for name in names)]
        return _opened_kind(kind, names)(value, parts, _with_attributes)
    return value


def _check_keys(mapping: dict) -> None:
    """Refuse to make a dict anew whose keys would notice."""
    keys = list(walking.keys(mapping)) if type(mapping) is not dict else mapping
    if have_effects(keys):
        own_keys.refuse(f"a {type(mapping).__name__}", mapping)


def has_attributes(value: Any) -> bool:
    """Whether a container was given attributes, which its class may have others in place of."""
    return issubclass(type(value), _CONTAINERS) and bool(getattr(value, "__dict__", None))


_CONTAINERS = (list, tuple, dict, collections.deque)


@functools.lru_cache(maxsize=256)
def _opened_kind(kind: type, names: tuple[str, ...] = ()) -> type[_Opened]:
    """The class of such values that have attributes of these names."""
    return type(kind.__name__, (_Opened,), {})


class _Held:
    """What stands for an object that is no structure here, though its class is one of mappings or
    sequences: it may keep more than its items, and nothing says how to make another one."""

    def __init__(self, value: Any):
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


_objects = ByClass()
_STRUCTURES = (list, tuple, dict, collections.deque, collections.UserDict, collections.UserList)


def is_object(kind: type) -> bool:
    """Whether a class of mappings or sequences is the program's own, and none of Python's."""
    known = _objects.found.get(id(kind))
    if known is not None:
        return known
    is_own = issubclass(kind, _ABSTRACT) and not issubclass(kind, _STRUCTURES)
    return _objects.keep(kind, is_own and not ownership.is_library_class(kind))


_ABSTRACT = (collections.abc.Mapping, collections.abc.Sequence)


def _held(value: Any) -> _Held:
    """The one thing that stands for an object in a trace."""
    if not _thread.journals:
        return _Held(value)
    return _thread.journals[0].held.setdefault(id(value), _Held(value))


def _held_value(value: Any, parts: list) -> Any:
    return parts[0].value


def is_dataclass(kind: type) -> bool:
    """Whether instances of a class are taken apart by their fields."""
    return hasattr(kind, "__dataclass_fields__") and not hasattr(kind, "__tf_flatten__")


def names_of(value: Any) -> tuple[str, ...]:
    """The attributes of a dataclass instance: its fields, and others that it was given."""
    fields = [n for n in type(value).__dataclass_fields__ if hasattr(value, n)]
    others = set(getattr(value, "__dict__", ())).difference(fields)
    return (*fields, *sorted(others))


def _copied(value: Any) -> Any:
    import copy

    return copy.copy(value)


def _replaced(value: Any, parts: list) -> Any:
    """A copy of a dataclass instance with other values."""
    made = _copied(value)
    for name, part in zip(names_of(value), parts, strict=True):
        object.__setattr__(made, name, part)
    return made


def _bare(value: Any) -> Any:
    """A copy of a container without the attributes that it was given."""
    return nest.again.like(value, nest.again.held(value, list), list)


def _with_attributes(value: Any, parts: list) -> Any:
    """The first of ``parts`` with the attributes of ``value``, whose values are the others."""
    made = parts[0]
    made.__dict__.update(zip(sorted(value.__dict__), parts[1:], strict=True))
    return made


def leaves_of(value: Any) -> list:
    if type(value) in nest.LEAVES:
        return [value]
    return nest.flatten(_open(value), expand_composites=True)


def pack(structure: Any, leaves: list) -> Any:
    if type(structure) in nest.LEAVES and len(leaves) == 1:
        return leaves[0]
    return nest.pack_sequence_as(_open(structure), leaves, expand_composites=True)


def holds_view(value: Any) -> bool:
    """Whether a value is a view of a dict, or a tuple, list or dict that holds one: what shows the
    changes of another object."""
    if type(value) in (tuple, list):
        return any(map(holds_view, value))
    if type(value) is dict:
        return any(map(holds_view, value.values()))
    return isinstance(value, collections.abc.MappingView)


def learns_type(value: Any, later: Any) -> bool:
    """Whether ``value`` is one that takes its type from what stands in its place later, as an empty
    optional does, and takes that of ``later``."""
    learn = getattr(type(value), "_learn_type", None)
    return learn is not None and learn(value, later)


def check_same_structure(first: Any, second: Any) -> str | None:
    """What differs between two structures, None where they agree."""
    if type(first) in nest.LEAVES and type(second) in nest.LEAVES:
        return None
    try:
        nest.require_same_structure(_open(first), _open(second), expand_composites=True)
    except (TypeError, ValueError) as e:
        return str(e).splitlines()[0]
    return other_settings(first, second)


def other_settings(first: Any, second: Any) -> str | None:
    """What differs in how two containers go on from here, None where they agree."""
    for name in ("maxlen", "default_factory"):
        if issubclass(type(first), _SETTINGS[name]) and issubclass(type(second), _SETTINGS[name]):
            settings = getattr(first, name), getattr(second, name)
            if settings[0] != settings[1]:
                return f"`{name}` is {settings[0]!r} of one and {settings[1]!r} of the other"
    pairs: Any = ()
    if issubclass(type(first), dict) and issubclass(type(second), dict):
        if type(first) is not type(second):
            return f"a `{type(first).__name__}` against a `{type(second).__name__}`"
        _check_keys(first)
        _check_keys(second)
        keys = [list(walking.keys(held)) for held in (first, second)]
        kinds = {key: type(key) for key in keys[1]}
        if any(kinds.get(key, type(key)) is not type(key) for key in keys[0]):
            return f"the keys {keys[0]} against {keys[1]}"
        get = dict.__getitem__
        pairs = [(get(first, key), get(second, key)) for key in keys[0] if key in kinds]
    elif issubclass(type(first), _SEQUENCES) and issubclass(type(second), _SEQUENCES):
        pairs = zip(walking.elements(first), walking.elements(second), strict=False)
    return next((found for pair in pairs if (found := other_settings(*pair))), None)


_SEQUENCES = (list, tuple, collections.deque)
_SETTINGS = {"maxlen": collections.deque, "default_factory": collections.defaultdict}


def other_order(first: Any, second: Any) -> str | None:
    """What differs in the order of keys in the dicts of two values of one structure, None where
    they agree."""
    if issubclass(type(first), dict):
        keys = list(walking.keys(first)), list(walking.keys(second))
        if keys[0] != keys[1]:
            return f"a dict with the keys {keys[0]} against one with {keys[1]}"
        get = dict.__getitem__
        pairs: Any = [(get(first, key), get(second, key)) for key in keys[0]]
    elif issubclass(type(first), (list, tuple, collections.deque)):
        pairs = zip(walking.elements(first), walking.elements(second), strict=False)
    else:
        return None
    return next((found for pair in pairs if (found := other_order(*pair))), None)


_LEAST = 2.0**-149  # the least number of float32
_DOUBLE = "start with `fg.constant(value, fg.float64)`"


def to_tensor(leaf: Any, dtype: Any = None) -> Any:
    """``leaf`` as a tensor of the current graph; a Python number takes ``dtype`` where it fits.

    TypeError where the tensor has another dtype than ``dtype``.
    """
    if dtype is not None and type(leaf) in _SCALARS and fits(leaf, dtype):
        return _core.convert_to_tensor(leaf, dtype=dtype)
    if type(leaf) is int and leaf.bit_length() > 64:
        raise ValueError(
            say(
                here(),
                f"the Python int {leaf} crosses a branch or loop of the graph, where integers "
                "have 64 bits",
                "Keep it out of what the graph decides, or compute with floats.",
            )
        )
    if type(leaf) is float and leaf and abs(leaf) < _LEAST:
        raise ValueError(f"{shown(leaf)} is closer to zero than float32 tells; {_DOUBLE}")
    tensor = _core.convert_to_tensor(leaf)
    if dtype is not None and tensor.dtype != dtype:
        raise TypeError(f"{dtype.name} and {tensor.dtype.name}")
    return tensor


def fits(number: Any, dtype: Any) -> bool:
    """Whether a Python number can be a tensor of ``dtype``."""
    if isinstance(number, bool):
        return dtype == dtypes.bool
    if isinstance(number, int):
        return bool(dtype.is_integer or dtype.is_floating or dtype.is_complex)
    if isinstance(number, float):
        return bool(dtype.is_floating or dtype.is_complex)
    if isinstance(number, complex):
        return bool(dtype.is_complex)
    return dtype == dtypes.string


def common_dtype(leaves: list) -> Any:
    """The dtype of the tensors among ``leaves``, None where all are Python numbers."""
    for leaf in leaves:
        if type(leaf) not in _SCALARS:
            return (
                _core.convert_to_tensor(leaf).dtype
                if not hasattr(leaf, "dtype")
                else dtype_of(leaf)
            )
    return None


def number_dtype(first: Any, second: Any) -> Any:
    """The dtype in which a Python int and a Python float meet, None for other pairs."""
    return dtypes.float32 if {type(first), type(second)} == {int, float} else None


def dtype_of(leaf: Any) -> Any:
    """The dtype of a tensor, a variable or an array."""
    return (
        leaf.dtype
        if is_tensor(leaf) or isinstance(leaf, _core.VariableBase)
        else dtypes.as_dtype(leaf.dtype)
    )


def static_shape(tensor: Any) -> list | None:
    """The dimensions of a tensor or an array as far as known, None for an unknown rank."""
    shape = tensor.shape
    if shape.__class__ is tuple:
        return [*shape]
    return None if shape.rank is None else shape.as_list()


def placeholder(leaf: Any) -> Any:
    """Something of the dtype and static shape of ``leaf`` that nobody reads."""
    if not can_be_tensor(leaf):
        return leaf
    if type(leaf) in _SCALARS:
        return _core.convert_to_tensor(type(leaf)())
    return blank(dtype_of(leaf), static_shape(leaf) if hasattr(leaf, "shape") else [])


def blank(dtype: Any, shape: Any) -> Any:
    """Zeros of a shape whose unknown dimensions are empty; of dtype variant a list of nothing."""
    if dtype == dtypes.variant:
        return _core.emit("TensorListReserve", (-1, 0), {"element_dtype": dtypes.float32})
    dims = [0 if d is None else int(d) for d in (shape or ())]
    return ops.zeros(dims, dtype)


def placeholder_like(value: Any) -> Any:
    """A structure of placeholders for a value that is set elsewhere."""
    if value is UNDEFINED:
        return value
    return pack(value, [placeholder(leaf) for leaf in leaves_of(value)])


def predicate(value: Any, where: str) -> Any:
    """Whether ``value`` is true as a scalar boolean tensor; ValueError for several elements."""
    tensor = _core.convert_to_tensor(value)
    tensor = truth(tensor, where)
    shape = static_shape(tensor)
    if shape == []:
        return tensor
    if shape is not None and any(d not in (1, None) for d in shape):
        raise ValueError(
            say(
                where,
                f"a condition needs a single value, got a tensor of shape {tuple(shape)}",
                "Reduce it with `fg.reduce_all` or `fg.reduce_any`.",
            )
        )
    return ops.reshape(tensor, [])


def truth(tensor: Any, where: str) -> Any:
    """Whether the elements of a tensor are true, as Python takes numbers and strings."""
    if tensor.dtype == dtypes.bool:
        return tensor
    if tensor.dtype == dtypes.variant:
        raise ValueError(
            say(
                where,
                "a value of dtype variant, such as a list of tensors, is neither true nor false",
                "Test a number of it, such as its length.",
            )
        )
    return ops.not_equal(
        tensor, "" if tensor.dtype == dtypes.string else ops.zeros([], tensor.dtype)
    )
