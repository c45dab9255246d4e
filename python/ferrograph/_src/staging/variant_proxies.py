"""Proxies of objects with variants, and iteration over their elements (see ``variants``).

While an object has variants, every reference to it is a ``VariantProxy``. Each use of it is traced
once for each variant, with the object holding that one alone, and the results are merged; the
contents after the use become the new variant. Objects of builtin classes that hold it, such as the
``UserDict`` around a dict, have proxies as well.
"""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Callable, Iterator, Mapping

from .. import ops
from ..context.hooks import hooks
from ..heap import references, structure
from ..heap.adapters import LITERALS, registry
from ..heap.adapters.base import Through
from ..heap.frames import is_copied_from, is_discarded
from ..heap.location import Record, Variants
from ..heap.snapshot import reached
from ..heap.source_location import here, is_diagnostic, refusal
from ..heap.trace_context import Proxy, is_proxy, proxy_of, really
from ..heap.trace_context import thread as _thread
from ..heap.walk import attributes, is_field
from ..hints import Any
from ..symbolic import values
from ..values import errors
from . import merging, side_effects, tensor_lists, variants, write_barriers
from .conditional import mark_raised, stage_choice
from .iteration import Source
from .regions import Conditional

_VIEWS = frozenset({"keys", "values", "items"})  # methods of mappings that give a view of it
_PYTHONS = ("builtins", "queue", "_queue")  # the modules of errors that Python raises itself


class VariantProxy(Proxy):
    """The proxy of an object that has variants, or holds one that has."""

    def __init__(self, target: Any, records: list[Record]):
        object.__setattr__(self, "_ferrograph_target", target)
        object.__setattr__(self, "_ferrograph_records", records)

    def _ferrograph_open(self) -> bool:
        """Whether it has variants now."""
        return any(record.versions is not None for record in self._ferrograph_records)

    def _ferrograph_items(self) -> Items:
        """Receives the items that are set in it."""
        return Items(self)

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_ferrograph_") or name in ("__class__", "refuse_return"):
            return object.__getattribute__(self, name)
        return _attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        perform(setattr, self, name, value)

    def __delattr__(self, name: str) -> None:
        perform(delattr, self, name)

    def __bool__(self) -> bool:
        return _plain(self, truth(self), bool)

    def __len__(self) -> int:
        return _plain(self, perform(_by_python(len), self), int)

    def __iter__(self) -> Iterator:
        return iter(_plain(self, perform(_by_python(list), self), list))

    def __format__(self, spec: str) -> str:
        return _plain(self, perform(_by_python(format), self, spec), str)

    def __str__(self) -> str:
        return _plain(self, perform(_by_python(str), self), str)

    def __repr__(self) -> str:
        kind = type(self._ferrograph_target).__name__
        return f"<a {kind} with one of the contents that branches left in it>"

    def __contains__(self, value: Any) -> bool:
        return _plain(self, perform(_by_python(operator.contains), self, value), bool)

    def __hash__(self) -> int:
        return hash(self._ferrograph_target)

    def _ferrograph_refuse(self) -> Any:
        raise refusal(
            f"a {type(self._ferrograph_target).__name__} has several variants after a staged "
            "branch or loop, and this use of it needs to know, while tracing, which one it has",
            "Take items, `len`, `sum` and its like, or call its methods; return numbers and "
            "tensors of it.",
        )

    def refuse_return(self) -> Any:
        """Refuse that a traced function returns the object."""
        kind = type(self._ferrograph_target).__name__
        raise refusal(
            f"a {kind} has several variants from this staged branch or loop on, and the traced "
            "function returns it: which one it has is known only when the graph runs",
            "Return numbers and tensors of it, or give it the same members in both branches.",
            self._ferrograph_records[-1].began_at,
        )


def proxy_with(record: Record, target: Any) -> VariantProxy:
    """The proxy of an object that is, or holds, the one of a record."""
    fronts = _thread.trace.variants.proxies
    front = fronts.get(id(target))
    if front is None:
        front = fronts[id(target)] = VariantProxy(target, [])
    if record not in front._ferrograph_records:
        front._ferrograph_records.append(record)
    return front


def substitute(record: Record) -> None:
    """Replace every reference to the object of a record by its proxy."""
    references.substitute(record.place, lambda target: proxy_with(record, target))


class Items:
    """The items of an object, to be set, as one use where an operator changes one in place."""

    def __init__(self, front: VariantProxy):
        self._front = front

    def __getitem__(self, key: Any) -> Change:
        return Change(self._front, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if type(value) is Change and value.function is not None:
            value.make()
        else:
            perform(_set_item, self._front, key, value)

    def __delitem__(self, key: Any) -> None:
        perform(_delete_item, self._front, key)


class Change:
    """What an augmented assignment does to an item: ``function`` of it and another value."""

    def __init__(self, front: VariantProxy, key: Any):
        self._front, self._key = front, key
        self.function: Callable | None = None
        self._other: Any = None

    def by(self, function: Callable, other: Any) -> Change:
        """Note the operator and its right side."""
        self.function, self._other = function, other
        return self

    def make(self) -> None:
        """Change the item."""
        function, other = self.function, self._other
        assert function is not None

        def change(held: Any, key: Any) -> None:
            _set_item(held, key, function(tensor_lists.loaded(held, key), other))

        perform(change, self._front, self._key)


def _set_item(held: Any, key: Any, value: Any) -> None:
    write_barriers.container(held, "an object", key)[key] = value


def _delete_item(held: Any, key: Any) -> None:
    del write_barriers.container(held, "an object", key)[key]


def _by_python(function: Callable) -> Callable:
    """``function``, which knows nothing of lists that the graph grows."""

    def call(*args: Any) -> Any:
        for value in args:
            if tensor_lists.is_grown(value):
                tensor_lists.whole(value)._refuse()
        return function(*args)

    return call


def _plain(front: VariantProxy, found: Any, kind: type) -> Any:
    """``found`` where it is the same for all contents, else refused."""
    return found if isinstance(found, kind) else front._ferrograph_refuse()


def _special(name: str, use: Callable) -> None:
    """Give proxies a special method, which is a use of their object."""

    def method(self: VariantProxy, *args: Any, **kwargs: Any) -> Any:
        return perform(use, self, *args, **kwargs)

    method.__name__ = name
    setattr(VariantProxy, name, method)


def _of_class(name: str) -> Callable:
    """A use of an object by a special method of its class."""
    return lambda held, *args, **kwargs: hooks.callee(getattr(type(held), name))(
        held, *args, **kwargs
    )


_BOTH = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "matmul",
    "lshift", "rshift",
)  # fmt: skip
for _name in _BOTH:
    _plainly, _inside = getattr(operator, f"__{_name}__"), getattr(operator, f"__i{_name}__")
    _special(f"__{_name}__", _by_python(_plainly))
    _special(f"__r{_name}__", _by_python(lambda held, other, by=_plainly: by(other, held)))
    _special(f"__i{_name}__", _by_python(_inside))
    setattr(Change, f"__i{_name}__", lambda self, other, by=_inside: self.by(by, other))
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "invert"):
    _special(f"__{_name}__", _by_python(getattr(operator, f"__{_name}__")))
for _name in ("__call__", "__enter__", "__exit__"):
    _special(_name, _of_class(_name))
_special("__getitem__", tensor_lists.loaded)
_special("__setitem__", _set_item)
_special("__delitem__", _delete_item)


class View(VariantProxy):
    """The proxy of a view of a mapping: it shows the contents of the mapping when it is used."""

    def __init__(self, front: VariantProxy, name: str):
        object.__setattr__(self, "_ferrograph_parts", (front, name))
        object.__setattr__(self, "_ferrograph_records", front._ferrograph_records)

    @property
    def _ferrograph_target(self) -> Any:
        front, name = self._ferrograph_parts
        return getattr(front._ferrograph_target, name)()


class Method:
    """A method of the object of a ``VariantProxy``, to be called."""

    def __init__(self, front: VariantProxy, name: str):
        self._front, self._name = front, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = self._name
        is_view = name in _VIEWS and isinstance(self._front._ferrograph_target, Mapping)
        if is_view and not args and not kwargs:
            if is_copied_from():
                self._front._ferrograph_refuse()
            return View(self._front, name)

        def call(held: Any) -> Any:
            return hooks.callee(getattr(held, name))(*args, **kwargs)

        return perform(call, self._front)


def _attribute(front: VariantProxy, name: str) -> Any:
    target = front._ferrograph_target
    if not front._ferrograph_open():
        return getattr(target, name)
    for base in type(target).__mro__:
        if name in vars(base):
            found = vars(base)[name]
            if callable(found) or isinstance(found, (classmethod, staticmethod)):
                return Method(front, name)
            return perform(getattr, front, name)
    if is_field(target, name):
        return perform(getattr, front, name)
    if name not in attributes(target) and not hasattr(object, name):
        return perform(_read, front, name)  # by a method of its class, if there is one
    return proxy_of(getattr(target, name))


def _read(held: Any, name: str) -> Any:
    return hooks.callee(getattr)(held, name)


def perform(use: Callable, *args: Any, **kwargs: Any) -> Any:
    """``use(*args, **kwargs)``, traced for each content of the objects among the arguments."""
    for value in (*args, *kwargs.values()):
        front = value if is_proxy(value) else proxy_of(value)
        if is_proxy(front):
            for record in front._ferrograph_records:
                if record.versions is not None:
                    return proxy_of(_for_each(record, lambda: perform(use, *args, **kwargs)))
    try:
        found = use(*map(really, args), **{k: really(v) for k, v in kwargs.items()})
    except errors.OperatorNotAllowedInGraphError as e:
        raise _needs_value(args, e) from e
    except (TypeError, ValueError) as e:
        if is_diagnostic(e) or not any(map(values.is_staged, args)) or isinstance(e, _OWN):
            raise
        raise _needs_value(args, e) from e
    return found


_OWN = (errors.StagingError, errors.OpError)


def _needs_value(args: tuple, error: Exception) -> Exception:
    """The refusal of a use that wants the value of a tensor."""
    kinds_ = ", ".join(sorted({type(really(a)).__name__ for a in args if is_proxy(a)}))
    return refusal(
        f"this use of an object ({kinds_ or 'one of Python'}) that staged branches or loops change "
        f"needs the value of a tensor: {error}",
        "Keep what the graph decides in tensors, or in lists and dicts of tensors.",
    )


def _for_each(record: Record, use: Callable[[], Any]) -> Any:
    """``use()`` for each variant of an object; the merged result."""
    held, place = record.versions, here()
    assert held is not None
    last = len(held.contents) - 1

    def at(number: int) -> Any:
        if number == last:
            return _with(record, held, number, use)
        return stage_choice(
            ops.equal(held.index, number),
            lambda: _with(record, held, number, use),
            lambda: at(number + 1),
            place,
            merge=functools.partial(_merge, record),
        )

    was_used, record.is_used = record.is_used, True
    try:
        return at(0)
    finally:
        record.is_used = was_used


def _with(record: Record, held: Variants, number: int, use: Callable[[], Any]) -> Any:
    """``use()`` where an object holds one of its contents."""
    content = held.contents[number]
    record.place.put(content)
    try:
        found = use()
    except Exception as e:
        if type(e).__module__ in _PYTHONS and not is_diagnostic(e):
            mark_raised(e)
        raise
    if record.versions is None and _is_unchanged(record.place.get(), content):
        record.versions = held
    if type(found) is memoryview or _shows_memory(found, record.owner):
        raise _unknown(found, here())
    return found


def _shows_memory(found: Any, owner: Any) -> bool:
    """Whether a list or the like holds views of an array, or something has the state of a generator
    of random numbers: they show the next content."""
    if not structure.is_array(owner):
        return bool(references.sharing(owner, _flat(found)))
    if type(found) not in (list, tuple):
        return False
    memory = structure.memory_of(owner)[-1]
    return any(structure.is_array(v) and structure.memory_of(v)[-1] is memory for v in found)


def _flat(found: Any) -> Iterator:
    """A value, and what it holds where it is a tuple or a list, and so on."""
    yield found
    for held in found if type(found) in (list, tuple) else ():
        yield from _flat(held)


def _is_unchanged(now: Any, before: Any) -> bool:
    return side_effects.same(before, now) or (type(now) in (tuple, bytes) and now == before)


def _merge(
    record: Record, conditional: Conditional, outcomes: list, failed: Any, place: str
) -> Any:
    """Add the results of a use of two variants; how to read the merged result."""
    first, second = outcomes
    pair = really(first), really(second)
    if not any(failed):
        if pair[0] is pair[1] or (type(first) in LITERALS and _equal(first, second)):
            return lambda results: proxy_of(pair[0])
        if reached(list(pair), [record.owner]):
            if not _holds_the_same(conditional, *pair):
                raise _unknown(pair[0], place)
            return lambda results: _holder(pair[0])
        if variants.can_be_one(conditional, outcomes):
            return merging.objects(conditional, "a result", outcomes, place)
        if registry.content_place(pair[0]) is not None and not _may_be_copied(conditional, pair):
            raise _unknown(pair[0], place)
    try:
        conditional.merge("the results", first, second, failed)
    except (TypeError, ValueError):
        if not is_discarded():
            raise
        return lambda results: None
    return next


def _holds_the_same(conditional: Conditional, first: Any, second: Any) -> bool:
    """Whether one of two objects that the uses have made is as good as the other."""
    if really(first) is really(second):
        return True
    if type(first) in LITERALS or type(first) is not type(second):
        return _equal(first, second)
    made = first, second
    if type(first) is collections.ChainMap:
        first, second = first.maps, second.maps
    if type(first) is dict:
        if list(first) != list(second):
            return False
        first, second = list(first.values()), list(second.values())
    if type(first) not in (list, tuple) or len(first) != len(second):
        return False
    is_new = not any(map(conditional.snapshot.knows, made))
    pairs = zip(first, second, strict=True)
    return is_new and all(_holds_the_same(conditional, a, b) for a, b in pairs)


def _holder(made: Any) -> Any:
    """A new object that holds others, or its proxy, with proxies in it."""
    if type(made) is collections.ChainMap:
        for held in made.maps:
            for record in _records(held):
                proxy_with(record, made)
        return proxy_of(made)
    if type(made) is tuple:
        return tuple(map(_holder, made))
    if type(made) is list:
        made[:] = map(_holder, made)
    if type(made) is dict:
        made.update((key, _holder(value)) for key, value in made.items())
    return proxy_of(made)


def _records(held: Any) -> list[Record]:
    """The records of an object that has variants now."""
    front = proxy_of(held)
    return front._ferrograph_records if is_proxy(front) else []


def _may_be_copied(conditional: Conditional, pair: tuple) -> bool:
    """Whether two results are lists or dicts that nothing else refers to."""
    plain = all(type(v) in (list, dict) for v in pair)
    return plain and not any(map(conditional.snapshot.knows, pair))


def _unknown(value: Any, where: str) -> Exception:
    return refusal(
        f"which `{type(value).__name__}` this is depends on the contents that a staged branch or "
        "loop left in another object",
        "Choose between numbers and tensors.",
        where,
    )


def _equal(first: Any, second: Any) -> bool:
    return type(first) is type(second) and bool(first == second)


def truth(value: Any) -> Any:
    """What decides whether a value is true."""
    return perform(tensor_lists.is_true, value) if is_proxy(value) else tensor_lists.truth(value)


registry.register(View, Through(lambda view: (view._ferrograph_parts[0],)))
registry.register(
    VariantProxy,
    Through(
        lambda front: (
            front._ferrograph_target,
            *(
                v
                for record in front._ferrograph_records
                if record.versions is not None
                for content in record.versions.contents
                for v in variants.held_by(content)
            ),
        )
    ),
)


def elements_of(value: Any) -> Any:
    """What a loop over a value iterates over: the elements of an object with variants, by index
    where these differ in length."""
    if not is_proxy(value):
        return value
    if not value._ferrograph_open():
        return value._ferrograph_target
    found = perform(list, value)
    if is_proxy(found):
        count = perform(tensor_lists.size, found)
        if isinstance(count, int):
            return Live(found if _is_set(value) else value, count)
        return Elements(found if _is_set(value) else value, found)
    if _is_set(value):
        return found
    size = tensor_lists.size(found)
    return Live(value, size) if isinstance(size, int) else Elements(value, found)


def _is_set(front: VariantProxy) -> bool:
    """Whether the elements of an object stay the same while a loop iterates over it."""
    return not isinstance(front._ferrograph_target, (list, collections.deque, collections.UserList))


class Live:
    """The elements of an object of which all contents have as many, each read in its turn."""

    def __init__(self, front: VariantProxy, count: int):
        self._front, self._count = front, count

    def __iter__(self) -> Iterator:
        for index in range(self._count):
            yield self._at(index)

    def __reversed__(self) -> Iterator:
        return (self._at(index) for index in reversed(range(self._count)))

    def _at(self, index: int) -> Any:
        return proxy_of(perform(tensor_lists.loaded, self._front, index))


class Elements(Source):
    """The elements of an object of which the graph knows how many it has."""

    def __init__(self, front: VariantProxy, elements: VariantProxy):
        self._front, target = front, front._ferrograph_target
        self.anchors = (lambda: target,)  # an iteration may change what it holds
        self._held = [record.versions for record in front._ferrograph_records]
        self.count = values.to_tensor(perform(tensor_lists.size, elements))

    def has_changed(self) -> bool:
        now = [record.versions for record in self._front._ferrograph_records]
        return len(now) != len(self._held) or not all(map(operator.is_, now, self._held))

    def at(self, index: Any) -> Any:
        return perform(_at, self._front, index)


def _at(held: Any, index: Any) -> Any:
    """The element of a number that is a tensor."""
    return tensor_lists.loaded(list(held), index)
