"""Type adapters: how the objects of each Python type are copied, compared and restored.

Here are the sets of builtin classes, which distinguish containers and plain values from other
objects. Derived classes may have user-defined methods: most tests are ``type(value) in LITERALS``.
"""

from __future__ import annotations

import array
import collections
import types

from ...hints import Any
from ...native import _core

# Plain values.
LITERALS = frozenset({bool, int, float, str, bytes, type(None)})
REAL_NUMBERS = frozenset({bool, int, float})
NUMBERS = (bool, int, float, complex)
SCALARS = LITERALS | {complex}
LEAVES = SCALARS | {type}  # at which a walk ends
TENSOR_LITERALS = (*NUMBERS, str, bytes)  # which become tensors
COMPARABLE = (int, float, str, bytes)  # equal objects of one class are the same to the program
# Objects without references to objects of user code.
UNREFERRING = (str, bytes, int, float, types.CodeType, type(None), type)
WITHOUT_PARTS = (
    *(int, float, complex, str, bytes, bool, type(None), type(Ellipsis), types.CodeType),
    *(_core.Tensor, _core.VariableBase, types.BuiltinFunctionType, types.GetSetDescriptorType),
)

# Collections: those over which Python iterates by itself, and of them those that no graph grows.
COLLECTIONS = frozenset({list, tuple, range, str, bytes, dict, set, frozenset})
STATIC_COLLECTIONS = COLLECTIONS - {list}
STATIC_ITERABLES: frozenset[type] = STATIC_COLLECTIONS | {type(iter([]))}
NO_ITERATORS = (*COLLECTIONS, int, float, _core.EagerTensor)

# Sequences: those that are read by an index, and of them those of any objects.
SEQUENCES = frozenset({list, tuple, range, str, bytes})
INDEXED = (*SEQUENCES, bytearray)
OBJECT_SEQUENCES = (list, tuple, range)
ITEM_SEQUENCES = (*OBJECT_SEQUENCES, collections.deque, collections.UserList)
# Sequences with operators of their own, those of memory among them.
WITH_OPERATORS = (*ITEM_SEQUENCES, array.array, bytearray, memoryview, bytes, str)
# Those that ``+`` and ``*`` join and repeat by slots of their own, not by methods.
CONCATENATED = (list, tuple, str, bytes, bytearray, collections.deque)

# Containers that compare their elements, the same with those of the standard library, and those in
# which a value is searched for one by one.
ORDERED = (list, tuple, collections.deque)
COMPARED = (*ORDERED, dict)
STRUCTURES = (*COMPARED, collections.UserDict, collections.UserList)
VIEWS: tuple[type, ...] = (type({}.values()), type({}.items()))
SEARCHED = (*ORDERED, *VIEWS)

# Containers that are changed by methods: those of objects, and all.
KEEPING = (list, dict, set, collections.deque)
MUTABLE = (*KEEPING, bytearray)
# Those in which an object can be replaced by another.
ASSIGNABLE = (list, dict, collections.deque)
MUTABLE_SEQUENCES = (list, collections.deque)
# Those whose items are set by an index or a key, the bases of all containers, and those whose
# iterators fail when they change.
INDEXED_CONTAINERS = frozenset({*ASSIGNABLE, collections.OrderedDict, collections.defaultdict})
CONTAINER_BASES: tuple[type, ...] = (
    *(list, collections.OrderedDict, dict, set, bytearray, collections.deque),
)
CHECKED_BY_ITERATORS = (collections.deque, collections.OrderedDict)
# What a walk finds, so that it is no hidden reference.
FOUND_BY_WALKS = (list, dict, tuple, set, types.CellType, types.FrameType)
# The container classes whose instances in library modules are traversed.
EXACT_CONTAINERS = frozenset({*KEEPING, collections.OrderedDict})

# Classes whose one positional sub-pattern in a ``match`` statement is the subject itself.
SELF_MATCHING = (
    bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple,
)  # fmt: skip

# Methods of builtin classes that take their object as an argument, such as ``list.append``.
UNBOUND_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType)

# Those without user-defined special methods.
NATIVE_VALUES = COLLECTIONS | LITERALS | {complex, slice, _core.EagerTensor, _core.SymbolicTensor}
NATIVE_OBJECTS = NATIVE_VALUES | {enumerate, zip, map, filter, reversed, types.GeneratorType}


def is_class(value: Any) -> bool:
    """Whether a value is a class."""
    return issubclass(type(value), type)


def is_function(value: Any) -> bool:
    """Whether a value is a function that a ``def`` statement or a lambda made."""
    return type(value) is types.FunctionType
