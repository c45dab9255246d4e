"""Grown lists: Python lists with a symbolic length, by ``append`` and the like in staged code; and
as arguments of library functions, native code and unpacking.

Such a list stays the same list object and holds one element, a ``Grown``: tensor lists of the
graph, one for each tensor in an element. Converted code operates on these instead of the list. Code
that is not converted gets the ``Grown`` itself, which refuses every use.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Iterator, Sequence

from .. import ops
from ..context import ownership
from ..heap import aliasing, frames, trace_context
from ..heap.liveness import refuse_running
from ..heap.location import Container, Together, in_place, is_grown
from ..heap.source_location import here, refusal
from ..heap.structure import COMPOSITES, check_same_structure, leaves_of, pack
from ..heap.trace_context import refuse_stale
from ..heap.trace_context import thread as _thread
from ..hints import Any
from ..native import FG, _core
from ..symbolic import abstract_value, python_scalars, ranges, values
from ..values import constants, dtypes, nest
from ..values.errors import shown
from ..values.tensor_shape import TensorShape
from . import iteration, regions, tensor_indexing


def _unfit(label: str, problem: str) -> Exception:
    """The error that a list cannot grow in the graph."""
    return refusal(
        f"{label} grows in a staged branch or loop, but {problem}",
        f"Make its elements tensors of one dtype and one structure, with `{FG}.cast` for example, "
        f"or keep each part in a list or a `{FG}.TensorArray` of its own.",
    )


class Elements:
    """What the elements of a grown list are: their structure, dtypes and static shapes."""

    def __init__(self, samples: list, label: str):
        if not samples:
            raise _unfit(label, "nothing shows what its elements are")
        self.label, self.place = label, here()
        self.structure = pack(samples[0], leaves_of(samples[0]))
        columns = []
        for sample in samples:
            problem = check_same_structure(self.structure, sample)
            if problem is not None:
                raise _unfit(label, f"its elements differ in structure: {problem}")
            columns.append(leaves_of(sample))
        self.dtypes, self.shapes = [], []
        self.values = [abstract_value.summary(c) for c in zip(*columns, strict=True)]
        for leaves in zip(*columns, strict=True):
            if not all(values.can_be_tensor(leaf) for leaf in leaves):
                raise _unfit(label, f"it holds tensors alone, not {leaves[0]!r}")
            dtype = values.common_dtype(list(leaves))
            self.dtypes.append(dtype or _core.convert_to_tensor(leaves[0]).dtype)
            self.shapes.append(TensorShape(getattr(leaves[0], "shape", ())))
            for leaf in leaves[1:]:
                self.learn(len(self.shapes) - 1, getattr(leaf, "shape", ()))
        if not self.dtypes:
            raise _unfit(label, "its elements hold no tensors")
        self.have_parts = columns[0][0] is not self.structure

    def join(self, samples: list) -> None:
        """Take in that ``samples`` are elements, too."""
        for value, other in zip(self.values, Elements(samples, self.label).values, strict=False):
            value.add(other)

    def learn(self, i: int, shape: Any) -> None:
        """Take in the shape of a new element."""
        self.shapes[i] = self.shapes[i].most_specific_compatible_shape(TensorShape(shape))

    def shape_input(self, i: int) -> Any:
        return _as_input(self.shapes[i])


def _as_input(shape: Any) -> Any:
    """A static shape as operations take it."""
    if shape.rank is None:
        return -1
    return constants.constant([-1 if d is None else d for d in shape.as_list()], dtypes.int32)


class Grown(Together):
    """The elements of a list that grew in staged code."""

    def __init__(self, elements: Elements, handles: list):
        self._elements, self._handles = elements, handles

    @classmethod
    def of(cls, elements: Elements, items: list) -> Grown:
        """These items, in the graph under construction."""
        handles = []
        for i, dtype in enumerate(elements.dtypes):
            inputs, attrs = (elements.shape_input(i), 0), {"element_dtype": dtype}
            handles.append(_core.emit("TensorListReserve", inputs, attrs))
        made = cls(elements, handles)
        for item in items:
            made = made.extended(item) if is_elements(item) else made.pushed(item)
        trace_context.note_lists()
        return made

    def _emit(self, op: str, i: int, *inputs: Any) -> Any:
        attrs = {"element_dtype": self._elements.dtypes[i]}
        return _core.emit(op, (self._handles[i], *inputs), attrs)

    def _each(self, make: Callable[[int], Any]) -> list:
        return [make(i) for i in range(len(self._handles))]

    def _with(self, handles: list, added: Sequence[Any] = ()) -> Grown:
        """The list of these handles, which hold what those of this one do, and ``added``."""
        for i, handle in enumerate(handles):
            self._follow(handle, i, *added[i : i + 1])
        return Grown(self._elements, handles)

    def _follow(self, made: Any, i: int, *added: Any) -> None:
        abstract_value.follow_variable(made, (self._handles[i], *added), self._elements.label)

    def count(self) -> Any:
        """The number of elements."""
        return _core.emit("TensorListLength", (self._handles[0],))

    def pushed(self, item: Any) -> Grown:
        """With one more element at the end."""
        leaves = self._leaves(item)
        handles = self._each(lambda i: self._emit("TensorListPushBack", i, leaves[i]))
        self._note_element(item, False)
        return self._with(handles, leaves_of(item))

    def _note_element(self, item: Any, is_made: bool) -> Any:
        if not values.is_symbolic(item):
            aliasing.note_element(item, self._elements.label, is_made)
        return item

    def _leaves(self, item: Any) -> list:
        problem = check_same_structure(self._elements.structure, item)
        if problem is not None:
            raise _unfit(self._elements.label, f"its elements differ in structure: {problem}")
        found = []
        for i, leaf in enumerate(leaves_of(item)):
            if not values.can_be_tensor(leaf):
                raise _unfit(self._elements.label, f"it holds tensors alone, not {shown(leaf)}")
            try:
                found.append(values.to_tensor(leaf, self._elements.dtypes[i]))
            except TypeError as e:
                problem = f"its elements have different dtypes: {e}"
                raise _unfit(self._elements.label, problem) from None
            self._elements.learn(i, found[i].shape)
        return found

    def _pack(self, leaves: list) -> Any:
        return pack(self._elements.structure, leaves)

    def holds_numbers(self) -> Any:
        """The dtype of its elements where they are single numbers, else None."""
        known = self._elements
        is_flat = check_same_structure(known.structure, 0) is None
        return known.dtypes[0] if is_flat and known.shapes[0].rank == 0 else None

    def popped(self) -> tuple[Any, Grown]:
        """The last element, and the rest."""
        if frames.may_be_caught():
            ops.Assert(self.count() > 0, [regions.EMPTY])
        handles, leaves = [], []
        for i in range(len(self._handles)):
            handle, leaf = self._emit("TensorListPopBack", i, self._elements.shape_input(i))
            handles.append(handle)
            leaves.append(self._element(i, leaf))
        regions.note_element(leaves[0], lambda: self.count() > 0, regions.EMPTY)
        return self._pack(leaves), self._with(handles)

    def at(self, index: Any) -> Any:
        """The element at a place; negative ones count from the end."""
        place, shape = self._place(index), self._elements.shape_input

        def element(i: int) -> Any:
            return self._element(i, self._emit("TensorListGetItem", i, place, shape(i)))

        if frames.may_be_caught() or self._elements.have_parts:
            ops.Assert(self.has(place), [regions.BEYOND])
        found = self._pack(self._each(element))
        regions.note_element(found, lambda: self.has(place), regions.BEYOND)
        return self._note_element(found, True)

    def has(self, place: Any) -> Any:
        """Whether there is an element at a place."""
        return ops.logical_and(place >= 0, place < self.count())

    def _element(self, i: int, leaf: Any) -> Any:
        self._follow(leaf, i)
        return abstract_value.attach(leaf, self._elements.values[i])

    def _place(self, index: Any) -> Any:
        if values.is_tensor(index):
            index = ops.cast(index, dtypes.int32)
            return ops.where(index < 0, index + self.count(), index)
        return self.count() + index if index < 0 else index

    def replaced(self, index: Any, item: Any) -> Grown:
        """With another element at a place."""
        leaves, place = self._leaves(item), self._place(index)
        handles = self._each(lambda i: self._emit("TensorListSetItem", i, place, leaves[i]))
        if trace_context.in_region():  # which may not run at all where its results are not read
            ops.Assert(self.has(place), [regions.NO_PLACE])
        else:
            regions.note_element(handles[0], lambda: self.has(place), regions.NO_PLACE)
        self._note_element(item, False)
        return self._with(handles, leaves_of(item))

    def stacked(self) -> Any:
        """All elements with a new first axis, in the structure of one element."""
        shape = self._elements.shape_input
        return self._pack(self._each(lambda i: self._emit("TensorListStack", i, shape(i))))

    def is_flat(self) -> bool:
        """Whether an element is one tensor."""
        return check_same_structure(self._elements.structure, 0) is None

    def as_tensor(self) -> Any:
        """All elements as one tensor, as a library function makes it of such a list."""
        if self.is_flat():
            return self.stacked()
        structure, leaves = self._elements.structure, leaves_of(self._elements.structure)
        is_row = type(structure) in (list, tuple) and len(leaves) == len(structure)
        if not is_row or len(set(self._elements.dtypes)) > 1:
            self._refuse()
        return ops.stack(leaves_of(self.stacked()), axis=1)

    def joined(self) -> Any:
        """All elements joined along their first axis, in which they may differ."""
        shape = self._elements.shapes[0]
        if shape.rank is not None:
            shape = TensorShape([None, *shape.as_list()[1:]])
        lengths = constants.constant([], dtypes.int64)
        return self._emit("TensorListConcatV2", 0, _as_input(shape), lengths)[0]

    def rebuilt(self, change: Callable[[Any], Any]) -> Grown:
        """Of the stacked tensors after ``change``."""
        handles = []
        for i, stack in enumerate(leaves_of(self.stacked())):
            inputs = (change(stack), self._elements.shape_input(i))
            attrs = {"element_dtype": self._elements.dtypes[i]}
            handles.append(_core.emit("TensorListFromTensor", inputs, attrs))
        return self._with(handles)

    def extended(self, other: Grown) -> Grown:
        """Followed by the elements of another."""
        stacks = iter(leaves_of(other.stacked()))
        made = self.rebuilt(lambda stack: ops.concat([stack, next(stacks)], 0))
        for i, handle in enumerate(made._handles):
            other._follow(handle, i)
        return made

    def refuse_return(self) -> Any:
        """Refuse that a traced function returns the list."""
        raise refusal(
            f"{self._elements.label} grows in this staged branch or loop and is returned "
            "by the traced function: its length is known only when the graph runs",
            f"Return `{FG}.stack(items)`, or write to a TensorArray and return its `stack()`.",
            self._elements.place,
        )

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise refusal(
            f"{self._elements.label} grew in a staged branch or loop, at "
            f"{self._elements.place}: its length is known only when the graph runs, and this "
            "use of it needs it while tracing",
            f"`{FG}.stack(items)` makes a tensor of it; `len`, `for`, `append`, `pop`, an index "
            "on its name work; or write to a TensorArray.",
        )

    def __copy__(self, *memo: Any) -> Grown:
        """A copy of each element: a single number or tensor is its own."""
        if check_same_structure(self._elements.structure, 0) is not None:
            self._refuse()
        return self

    __deepcopy__ = __copy__

    __bool__ = __len__ = __iter__ = __getitem__ = __call__ = __int__ = __float__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _refuse
    __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __neg__ = __abs__ = __index__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __contains__ = __format__ = _refuse
    __matmul__ = __rmatmul__ = __and__ = __or__ = __xor__ = __invert__ = __array__ = _refuse
    __reduce_ex__ = _refuse
    __hash__ = object.__hash__
    __tf_tensor__ = _refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._refuse()

    def __repr__(self) -> str:
        return f"<elements of a list that grew in staged code, {self._elements.label}>"


def is_elements(value: Any) -> bool:
    """Whether a value is the elements of such a list."""
    return type(value) is Grown


COMPOSITES[Grown] = (lambda grown: grown._handles, Grown._with)


def truth(value: Any) -> Any:
    """What decides whether ``value`` is true: of a grown list, whether it holds anything."""
    return whole(value).count() > 0 if is_grown(value) else value


def is_true(value: Any) -> Any:
    """Whether a value is true, as Python or as a tensor."""
    found = truth(value)
    return found if values.is_staged(found) else bool(found)


def size(items: Any) -> Any:
    """How many elements there are, as Python or as a tensor."""
    return whole(items).count() if is_grown(items) else len(items)


def whole(items: list) -> Grown:
    """All elements of such a list."""
    if list.__len__(items) == 1:
        return list.__getitem__(items, 0)
    grown = next(v for v in list.__iter__(items) if is_elements(v))
    return Grown.of(grown._elements, items)


def as_element(items: Any, tensor: Any) -> Any:
    """``tensor``, which is one of the numbers in a grown list, as such a one."""
    grown = whole(items) if is_grown(items) else None
    return grown._element(0, tensor) if grown is not None and grown.holds_numbers() else tensor


def of_elements(iterable: Any, like: Any = None) -> list:
    """The list of the elements over which a loop over a tensor iterates: one that the graph grows
    where its length is not known. The elements are those of ``like`` where that is a grown list of
    numbers."""
    source = iteration.as_source(iterable)
    if iteration.is_known(source.count) or not isinstance(source, iteration.Rows):
        return trace_context.fresh(list(source))
    tensor = _core.convert_to_tensor(iterable)
    if is_grown(like) and whole(like).holds_numbers():
        elements = whole(like)._elements
    else:
        elements = Elements([values.blank(tensor.dtype, ())], "a list of the elements of a tensor")
        elements.shapes = [tensor.shape[1:]]
    attrs = {"element_dtype": tensor.dtype}
    handle = _core.emit("TensorListFromTensor", (tensor, elements.shape_input(0)), attrs)
    trace_context.note_lists()
    return trace_context.fresh([Grown(elements, [handle])])


def merged(label: str, first: list, second: list) -> Elements:
    """What lists that two branches leave hold."""
    grown = next(filter(is_elements, (*first, *second)), None)
    return Elements([*first, *second], label) if grown is None else grown._elements


class Items(iteration.Source):
    """The elements of a grown list, for a loop."""

    def __init__(self, items: list):
        self._items, self._held = items, list(items)
        self._grown = whole(items)
        self.count = self._grown.count()

    def has_changed(self) -> bool:
        held = self._held
        same = len(held) == len(self._items) and all(map(operator.is_, held, self._items))
        return not same

    def at(self, index: Any) -> Any:
        return self._grown.at(index)


def method(items: list, name: str) -> Callable:
    """A method of a grown list."""
    found = _METHODS.get(name)
    if found is None:
        return lambda *args, **kwargs: whole(items)._refuse()

    def call(*args: Any, **kwargs: Any) -> Any:
        trace_context.touch(Container("a list", items))
        return found(items, *args, **kwargs)

    return call


def placed(items: list, method_: Callable) -> Callable:
    """``insert`` or ``pop`` of a list that has not grown: it does where a tensor is the place."""

    def call(*args: Any) -> Any:
        in_place(items)
        if not args or not values.is_staged(args[0]):
            return method_(*args)
        refuse_running(items)
        elements = Elements([*items, *args[1:]], "the list")
        _set(items, Grown.of(elements, list(items)))
        return method(items, method_.__name__)(*args)

    return call


def precede(items: list, others: list) -> None:
    """Put ``others`` before the elements of a list, which may have grown."""
    if others and is_grown(items):
        grown = whole(items)
        grown._elements.join(others)
        _set(items, Grown.of(grown._elements, others).extended(grown))
    else:
        items[:0] = others


def _set(items: list, grown: Grown) -> None:
    list.__setitem__(items, slice(None), [grown])


def _append(items: list, item: Any) -> None:
    _set(items, whole(items).pushed(item))


def _extend(items: list, others: Any) -> None:
    grown = whole(items)
    if is_grown(others):
        _set(items, grown.extended(whole(others)))
        return
    for item in others:
        grown = grown.pushed(item)
    _set(items, grown)


def _pop(items: list, index: Any = -1) -> Any:
    grown = whole(items)
    if type(index) is int and index == -1:
        item, grown = grown.popped()
    else:
        place = grown._place(index)
        ops.Assert(grown.has(place), ["pop index out of range"])
        item = grown.at(index)
        grown = grown.rebuilt(lambda s: ops.concat([s[:place], s[place + 1 :]], 0))
    _set(items, grown)
    return item


def _insert(items: list, index: Any, item: Any) -> None:
    grown = whole(items)
    new = iter(leaves_of(Grown.of(grown._elements, [item]).stacked()))
    place = grown._place(index)
    _set(items, grown.rebuilt(lambda s: ops.concat([s[:place], next(new), s[place:]], 0)))


def _clear(items: list) -> None:
    _set(items, Grown.of(whole(items)._elements, []))


def _reverse(items: list) -> None:
    _set(items, whole(items).rebuilt(lambda s: ops.reverse(s, [0])))


_METHODS: dict[str, Callable] = {
    "append": _append,
    "extend": _extend,
    "pop": _pop,
    "insert": _insert,
    "clear": _clear,
    "reverse": _reverse,
    "copy": list,
}


class Setter:
    """Sets elements of a list under Python and tensor indices."""

    def __init__(self, items: list):
        self._items = items

    def __getitem__(self, key: Any) -> Any:
        return loaded(self._items, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        items = self._items
        if is_grown(items):
            _set(items, self._grown(key).replaced(key, value))
        elif values.is_staged(key):
            tensor_indexing.set_item(items, key, value)
        else:
            if isinstance(key, slice) and key.step is not None:
                refuse_stale(items)  # whose length decides how many elements it takes
            items[key] = value

    def __delitem__(self, key: Any) -> None:
        if is_grown(self._items):
            self._grown(key)
            _pop(self._items, key)
        else:
            del self._items[key]

    def _grown(self, key: Any) -> Grown:
        """The elements, of which a ``key`` may be one."""
        grown = whole(self._items)
        return grown._refuse() if isinstance(key, slice) else grown


def loaded(items: Any, key: Any) -> Any:
    """``items[key]``."""
    if trace_context.active():
        if is_grown(items):
            grown = whole(items)
            if isinstance(key, slice):
                return [grown.rebuilt(lambda s: s[key])]
            return grown.at(key)
        if isinstance(items, (list, tuple)) and values.is_staged(key):
            return tensor_indexing.item(items, key)
    return items[key]


def total(items: list) -> Any:
    """The sum of such a list where its elements are symbolic Python integers, else None."""
    grown = whole(items)
    known = grown._elements
    is_flat = grown.holds_numbers() in ranges.DTYPES and known.values[0].integer is not None
    return python_scalars.mark_number(ranges.total(grown.stacked())) if is_flat else None


def as_tensors(arguments: Any) -> Any:
    """Arguments of a library function, with tensors for grown lists."""
    return whole(arguments).as_tensor() if is_grown(arguments) else arguments


def as_numbers(values_: Any) -> Any:
    """What Python looks through one by one, with tensors for grown lists of numbers and tensors;
    refused of others."""
    if is_grown(values_) and not whole(values_).is_flat():
        whole(values_)._refuse()
    return as_tensors(values_)


def elements_of(value: Any) -> Iterator | Any:
    """What iterates over ``value`` where it is a grown list, else ``value``."""
    return Items(value) if is_grown(value) else value


def refuse_grown(value: Any) -> None:
    """Refuse a list that the graph grows, where Python would look at its elements."""
    if type(value) is list and is_grown(value):
        whole(value)._refuse()


def equal(left: list, right: list) -> Any:
    """Whether two lists are equal of which one is a list that the graph grows; NotImplemented of
    others."""
    if not (is_grown(left) or is_grown(right)):
        return NotImplemented
    first, second = _stack_of(left, right), _stack_of(right, left)
    n, m = ops.shape(first)[0], ops.shape(second)[0]
    both = ops.minimum(n, m)
    alike = ops.reduce_all(ops.equal(first[:both], second[:both]))
    return ops.logical_and(ops.equal(n, m), alike)


def _stack_of(side: list, other: list) -> Any:
    """The numbers that a list holds as one tensor."""
    grown = whole(side if is_grown(side) else other)
    dtype = grown.holds_numbers()
    if dtype and is_grown(side):
        return grown.stacked()
    if not dtype or not all(values.can_be_tensor(v) and not isinstance(v, str) for v in side):
        grown._refuse()
    made = [values.to_tensor(v, dtype) for v in side]
    return ops.stack(made) if made else ops.zeros([0], dtype)


def unpacked(items: list, count: int) -> list:
    """The elements of a grown list for so many targets, as many when the graph runs."""
    grown = whole(items)
    ops.Assert(ops.equal(grown.count(), count), [f"{count} values are needed to unpack the list"])
    return [grown.at(i) for i in range(count)]


def unbound(descriptor: Any) -> Callable:
    """A method of a builtin class, to be called with its object first."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if args and is_grown(args[0]):
            return method(args[0], descriptor.__name__)(*args[1:], **kwargs)
        return descriptor(*args, **kwargs)

    return call


def for_library(function: Callable) -> Callable:
    """A library function that takes grown lists for tensors."""
    special = _LIBRARY.get(function)
    module = getattr(function, "__module__", None)
    opens = getattr(nest, getattr(function, "__name__", ""), None) is function
    own = ownership.is_own_module(module) and not opens

    def call(*args: Any, **kwargs: Any) -> Any:
        if args and is_grown(args[0]) and special is not None:
            return special(whole(args[0]), *args[1:], **kwargs)
        if function is copy.deepcopy and args and (known := _thread.trace.aliases.sets):
            known.refuse_deep_copy(args[0])
        if function in _COPIES or hasattr(function, "takes_lists"):
            return function(*args, **kwargs)  # which see to what a list holds
        if not own:
            for value in (*args, *kwargs.values()):
                refuse_grown(value)
                python_scalars.refuse_string(value)
            return function(*args, **kwargs)
        args = tuple(as_tensors(a) for a in args)
        return function(*args, **{k: as_tensors(v) for k, v in kwargs.items()})

    return call


_COPIES = (copy.copy, copy.deepcopy)


def _stack(grown: Grown, axis: int = 0, name: Any = None) -> Any:
    return _moved(grown.as_tensor(), axis)


def _moved(stack: Any, axis: int) -> Any:
    """``stack`` with its first axis at another place."""
    if axis == 0:
        return stack
    rank = stack.shape.rank
    axis = axis % rank
    order = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
    return ops.transpose(stack, order)


def _concat(grown: Grown, axis: int = 0, name: Any = None) -> Any:
    if not grown.is_flat():
        grown._refuse()
    if axis == 0:
        return grown.joined()
    stack = grown.stacked()
    rank = stack.shape.rank - 1
    axis = axis % rank
    moved = _moved(stack, axis)
    shape = ops.shape(moved)
    joined = shape[axis : axis + 1] * shape[axis + 1 : axis + 2]
    return ops.reshape(moved, ops.concat([shape[:axis], joined, shape[axis + 2 :]], 0))


_LIBRARY: dict[Callable, Callable] = {
    ops.stack: _stack,
    ops.concat: _concat,
    ops.add_n: lambda grown, name=None: ops.reduce_sum(grown.as_tensor(), axis=0),
}
