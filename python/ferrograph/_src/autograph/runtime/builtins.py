"""Python's builtins as converted code calls them: staged on tensors, unchanged on everything
else."""

from __future__ import annotations

import builtins
import functools
import itertools
import operator
import sys
import warnings
from collections.abc import Callable

from ... import later, ops
from ...context.hooks import hooks
from ...heap import trace_context
from ...heap.adapters import (
    LITERALS,
    OBJECT_SEQUENCES,
    REAL_NUMBERS,
    STATIC_COLLECTIONS,
    is_function,
)
from ...heap.liveness import followed
from ...heap.source_location import diagnostic, here
from ...heap.trace_context import chosen, loud, note_choice
from ...hints import TYPE_CHECKING, Any
from ...native import FG, _core
from ...staging import (
    conditional,
    iteration,
    retrace,
    tensor_indexing,
    tensor_lists,
    write_barriers,
)
from ...staging.iteration import (
    Cursor,
    has_elements,
    is_dataset,
    mixed_zip,
    staged_enumerate,
    staged_zip,
    tensor_range,
)
from ...symbolic import abstract_value, python_scalars, ranges
from ...symbolic.values import is_staged, stands_for_variable
from ...symbolic.values import truth as truth_of
from ...values import dtypes
from . import (
    arithmetic,
    attributes,
    comprehensions,
    equality,
    frame_builtins,
    iterators,
    library_forms,
    quantifiers,
    sorting,
    special_results,
    texts,
    unconverted_calls,
)
from .special_methods import collected, function_of, has_methods, index_of, iterated, method, truth

if TYPE_CHECKING:
    from ...ops import string_ops
else:
    (string_ops,) = later(ops.__name__, "string_ops")


def staged_form(callee: Any) -> Any:
    """The form of a builtin or of a function of this library that knows tensors, ``callee`` itself
    for anything else."""
    if is_function(callee):
        return library_forms.form_of(callee)
    try:
        return _FORMS.get(callee, callee)
    except TypeError:  # not hashable
        return callee


def _range(*args: Any) -> Any:
    if _INT.issuperset(map(type, args)):
        return range(*args)
    args = tuple(map(index_of, args))
    if any(is_staged(a) for a in args):
        for value in args:
            tensor_indexing.check_index(value)
        return tensor_range(*args, of_python=True)
    return range(*args)


_INT, _FLOAT = frozenset({int}), frozenset({float})


def _print(*values: Any, **keywords: Any) -> None:
    speak = retrace.printed if trace_context.in_region() else print
    speak(*values, **keywords)


def _len(value: Any) -> Any:
    if type(value) in STATIC_COLLECTIONS or (type(value) is list and not loud):
        return len(value)
    if is_dataset(value):
        return hooks.on_datasets.length(value)
    if not is_staged(value):
        size = method(value, "__len__")
        if size is not None:
            return special_results.length(size())
        if tensor_lists.is_grown(value):
            return python_scalars.mark_integer(tensor_lists.whole(value).count(), large=False)
        return len(value)
    shape = value.shape
    if shape.rank == 0:
        raise TypeError(
            diagnostic(
                here(),
                "`len` of a scalar tensor, which has no length (a Python string or number from a "
                "staged branch or loop is one)",
                f"Take `{FG}.strings.length` of a string tensor, `{FG}.size` or `{FG}.shape` of "
                "others.",
            )
        )
    known = shape[0] if shape.rank is not None else None
    return known if known is not None else _length(value)


def _length(tensor: Any) -> Any:
    """The length of a tensor that is known only when the graph runs."""
    return python_scalars.mark_integer(ops.shape(tensor)[0], large=False)


def _int(*args: Any, **keywords: Any) -> Any:
    if len(args) == 1 and type(args[0]) not in LITERALS and is_staged(args[0]):
        return _number(args[0], "int32")
    if len(args) == 1 and (own := method(args[0], "__int__")) is not None:
        return special_results.integer(own())
    return int(*args, **keywords)


def _float(*args: Any) -> Any:
    if args and type(args[0]) not in LITERALS and is_staged(args[0]):
        return _number(args[0], dtypes.float32)
    if args and (own := method(args[0], "__float__")) is not None:
        return special_results.real(own())
    return float(*args)


def _number(value: Any, dtype: Any) -> Any:
    value, kinds = _core.convert_to_tensor(value), _INT if dtype == "int32" else _FLOAT
    if value.dtype.is_complex:
        cure = f"Take its parts, `{FG}.math.real` and `{FG}.math.imag`."
        raise TypeError(diagnostic(here(), "a real number of a complex tensor", cure))
    if python_scalars.are_foreign_met() and python_scalars.may_be_foreign(value):
        dtype = _of_numpys(value, dtype)
    if value.shape.rank != 0:
        value = python_scalars.single_element(value, TypeError)
    if value.dtype == dtypes.string:
        return ranges.note(
            python_scalars.mark_number(string_ops.to_number(value, dtype), kinds), True
        )
    if dtype == "int32":
        ranges.check_cast(value)
    number = ops.stop_gradient(ops.cast(value, dtype))  # as a Python scalar has none
    return ranges.note(python_scalars.mark_number(number, kinds), large=True)


def _of_numpys(value: Any, dtype: Any) -> Any:
    """The dtype of the Python scalar made of a NumPy scalar or an array without dimensions, or of
    one element where NumPy converts such arrays, too (2.2 does, 2.4 does not)."""
    if value.shape.rank != 0 and not _converts_arrays():
        raise TypeError(
            diagnostic(
                here(),
                f"a Python number of an array of shape {value.shape} from a staged branch or "
                "loop: NumPy converts only arrays without dimensions",
                "Take the element first, `int(a[0])`.",
            )
        )
    return dtype if dtype == "int32" else dtypes.float64


@functools.cache
def _converts_arrays() -> bool:
    """Whether NumPy makes a Python number of an array with dimensions that has one element."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            builtins.float(sys.modules["numpy"].zeros(1))
        except TypeError:
            return False
    return True


def _bool(*args: Any) -> Any:
    if len(args) == 1 and type(args[0]) not in LITERALS:
        value = truth(args[0])
        return _as_bool(value) if is_staged(value) else bool(value)
    return bool(*args)


def _as_bool(value: Any) -> Any:
    if value.dtype == dtypes.string:
        value = string_ops.length(value)
    if value.shape.rank != 0:
        value = python_scalars.single_element(value, ValueError)
    return python_scalars.mark_truth(ops.identity(truth_of(value, "`bool`")))


def _abs(value: Any) -> Any:
    if type(value) in REAL_NUMBERS:
        return abs(value)
    if (own := method(value, "__abs__")) is not None:
        return own()
    return ops.abs(value) if is_staged(value) else abs(value)


def _round(number: Any, *digits: Any, **keywords: Any) -> Any:
    if (own := method(number, "__round__")) is not None:
        return own(*digits, *keywords.values())
    if chosen and python_scalars.is_symbolic_number(number):
        if digits or keywords or python_scalars.standing(number) is not True:
            python_scalars.refuse_number(number, "`round`, to digits or of what may be a tensor")
        return _number(ops.round(number) if number.dtype.is_floating else number, "int32")
    return round(number, *digits, **keywords)


def _divmod(left: Any, right: Any) -> Any:
    return arithmetic.binary("divmod", left, right)


def _pow(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return arithmetic.binary("pow", base, exp)
    for value in filter(is_staged, (base, exp, mod)):
        python_scalars.refuse_number(value, "`pow` with a modulus")
        raise TypeError("pow() with a modulus is not defined for tensors")
    return pow(base, exp, mod)


def _elements(iterable: Any) -> Any:
    return followed(iterated(tensor_lists.elements_of(iterable)))


def _enumerate(iterable: Any, start: Any = 0) -> Any:
    return staged_enumerate(_elements(iterable), start)


def _zip(*iterables: Any, **keywords: Any) -> Any:
    if iterables and not keywords.get("strict") and trace_context.active():
        mixed = mixed_zip([*map(tensor_lists.elements_of, iterables)])
        if mixed is not None:
            return mixed
    return staged_zip(*map(_elements, iterables), **keywords)


def _reversed(sequence: Any) -> Any:
    if (own := method(sequence, "__reversed__")) is not None:
        return iterated(own())
    found = tensor_lists.elements_of(sequence)
    if isinstance(found, iteration.Source):
        return iteration.Backwards(found)
    return ops.reverse(found, [0]) if is_staged(found) else reversed(found)


def _setattr(target: Any, name: str, value: Any) -> None:
    setattr(write_barriers.owner(target, name, name), name, value)


def _delattr(target: Any, name: str) -> None:
    delattr(write_barriers.losing(target, name, name), name)


def _container(python: type) -> Callable:
    def make(*args: Any, **keywords: Any) -> Any:
        if args and tensor_lists.is_grown(args[0]):
            if python is list:
                return trace_context.fresh(list(args[0]))
            return tensor_lists.whole(args[0])._refuse()
        if len(args) == 1 and python is list and is_staged(args[0]):
            return tensor_lists.of_elements(args[0])
        if len(args) == 1 and not keywords and has_elements(args[0]):
            args = (_taken_out(args[0], python),)
            if python is list:
                return args[0]
        if len(args) == 1:
            whole = iteration.as_source(args[0]) if is_staged(args[0]) else _given(python, args[0])
            args = (whole,)
        return trace_context.fresh(python(*args, **keywords))

    return make


def _taken_out(elements: Any, python: type) -> list:
    """The elements of a dataset, or of an iterator over one, as a list: a Python list where their
    number is known, else of the graph's."""
    found = hooks.on_datasets.listed(elements) if is_dataset(elements) else None
    if found is not None:
        return trace_context.fresh(found)
    if python is not builtins.list:
        raise TypeError(
            diagnostic(
                here(),
                f"`{python.__name__}` of a dataset whose number of elements is known only when "
                "the graph runs",
                "Make a list of it, `list(dataset)`, which the graph may hold, or iterate over it "
                "with `for`.",
            )
        )
    return comprehensions.of_elements(elements)


def _given(python: type, value: Any) -> Any:
    """What a container is made of: of a mapping Python asks more than its elements."""
    if python is builtins.list or python is builtins.tuple:
        return collected(value)
    is_mapping = python is builtins.dict and hasattr(type(value), "keys")
    return value if is_mapping else iterated(value)


def _reduction(python: Callable, staged: Callable, pairwise: Callable, empty: Any) -> Callable:
    def reduce(values: Any, *args: Any, **keywords: Any) -> Any:
        values = iterated(values)
        if is_dataset(values) and not args and not keywords:
            return hooks.on_datasets.fold(values, pairwise, empty)
        if tensor_lists.is_grown(values) and not args and not keywords:
            total = tensor_lists.total(values)
            if total is not None:
                return total
        values = tensor_lists.as_numbers(values)
        if is_staged(values) and not args and not keywords:
            return staged(tensor_indexing.check_rows(values), axis=0)
        if type(values) is list and any(function_of(type(v), "__radd__") for v in values):
            start = args[0] if args else keywords.get("start", 0)
            return functools.reduce(functools.partial(arithmetic.binary, "add"), values, start)
        return python(values, *args, **keywords)

    return reduce


def _extreme(python: Callable, reduction: Callable, pairwise: Callable) -> Callable:
    def choose(*args: Any, **keywords: Any) -> Any:
        if not keywords and REAL_NUMBERS.issuperset(map(type, args)):
            return python(*args)
        given = args
        args = tuple(tensor_lists.as_numbers(a) for a in args)
        if keywords:
            return _keyed(python, reduction, args, sorting.with_callbacks(keywords))
        if len(args) == 1 and is_staged(args[0]):
            python_scalars.refuse_truth_of_rows(
                tensor_indexing.check_rows(args[0]), f"`{python.__name__}`", 2
            )
            _assert_elements(python, args[0])
            return tensor_lists.as_element(given[0], _of_all(reduction, args[0]))
        if len(args) == 1 and not issubclass(type(args[0]), (list, tuple)):
            args = (list(iterated(args[0])),)
        values = args[0] if len(args) == 1 else args
        if len(values) > 1 and any(is_staged(v) for v in values):
            return functools.reduce(between, values)
        if loud:
            equality.refuse_held(values)
        return python(*args)

    def between(first: Any, second: Any) -> Any:
        if chosen and is_staged(first) and is_staged(second):
            first, second = python_scalars.weakened(first, second) or (first, second)
        found = _of_two(pairwise, first, second)
        note_choice()
        python_scalars.refuse_truth_of_several(found.shape, f"`{python.__name__}`")
        if stands_for_variable(first) or stands_for_variable(second):
            abstract_value.follow_variable(found, (first, second), python.__name__)
        if not (is_staged(first) and is_staged(second)) or ranges.are_met():
            # Python takes the first where both are equal.
            ranges.note_chosen(found, lambda: ops.equal(found, first), first, second)
        return found

    return choose


def _of_two(pairwise: Callable, first: Any, second: Any) -> Any:
    """The greater or the less of two; where one is NaN, the first, as Python compares."""
    tensors = [v for v in (first, second) if is_staged(v)]
    if not all(v.dtype.is_floating for v in tensors):
        return pairwise(first, second)
    better = ops.greater if pairwise is ops.maximum else ops.less
    return ops.where(better(second, first), second, first)


def _of_all(reduction: Callable, values: Any) -> Any:
    """The same of all elements of a tensor, which Python compares one after the other."""
    if not values.dtype.is_floating or values.shape.rank != 1:
        return reduction(values, axis=0)
    least = float("-inf") if reduction is ops.reduce_max else float("inf")
    is_nan = ops.not_equal(values, values)
    found = reduction(ops.where(is_nan, ops.cast(least, values.dtype), values), axis=0)
    return ops.where(is_nan[0], values[0], found)


def _assert_elements(python: Callable, values: Any) -> None:
    """Have the graph refuse values that turn out to be none, of which Python takes no extreme."""
    if values.shape.rank is None or values.shape.rank and values.shape[0] is None:
        message = f"ValueError: {python.__name__}() arg is an empty sequence"
        ops.Assert(ops.shape(values)[0] > 0, [message])
    elif values.shape.rank and values.shape[0] == 0:
        python(())


def _keyed(python: Callable, reduction: Callable, args: tuple, keywords: dict[str, Any]) -> Any:
    """``min`` and ``max`` by a key."""
    values, key = args[0] if len(args) == 1 else args, keywords.get("key")
    if is_staged(values):
        values = iteration.as_source(values)
    values = list(values)
    if key is None or not values:
        return python(values, **keywords)
    keys = [key(v) for v in values]
    if not any(is_staged(k) for k in keys):  # such as static shapes: Python knows which one it is
        if loud:
            equality.refuse_held(keys)
        chosen = python(range(len(keys)), key=keys.__getitem__)
        return values[chosen]
    arg = ops.argmax if reduction is ops.reduce_max else ops.argmin
    return tensor_lists.loaded(values, arg(sorting.stack_of(keys), output_type=dtypes.int32))


def _applied(python: Callable) -> Callable:
    def apply(function: Any, *iterables: Any) -> Any:
        if iterables and is_dataset(iterables[0]):
            found = hooks.on_datasets.applied(iterables[0], python, function, iterables[1:])
            if found is not NotImplemented:
                return found
        n = 1 if python is functools.reduce else len(iterables)  # whose second one is a value
        for iterable in iterables[:n]:
            tensor_lists.refuse_grown(iterable)
        taken = [_taken(i) for i in iterables[:n]]
        called = hooks.callee(function) if callable(function) else function
        return python(called, *taken, *iterables[n:])

    return apply


def _taken(iterable: Any) -> Any:
    return conditional.rows(iterable) if is_staged(iterable) else followed(iterated(iterable))


def _length_hint(value: Any, *default: int) -> Any:
    """``operator.length_hint``, which takes a refusal for an object that does not know."""
    if type(value) is Cursor:
        return value.__length_hint__()
    if tensor_lists.is_grown(value):
        return _len(value)
    return operator.length_hint(value, *default)


def _next(iterator: Any, *default: Any) -> Any:
    if type(iterator) is Cursor and iterator.is_staged():
        return _following(iterator, *default)
    if (own := method(iterator, "__next__")) is not None:
        return _following_own(own, *default)
    if isinstance(iterator, iteration.Source):
        iterator.refuse_next()
    write_barriers.advanced(iterator)
    if not default or not has_elements(iterator):
        return next(iterator, *default)
    found = iterator.get_next_as_optional()
    return conditional.stage_choice(
        found.has_value(), found.get_value, lambda: default[0], "`next`"
    )


def _following_own(following: Callable, *default: Any) -> Any:
    """``next`` by a user-defined method."""
    try:
        return following()
    except StopIteration:
        if not default:
            raise
    return default[0]


def _following(cursor: Cursor, *default: Any) -> Any:
    """``next`` of an iterator whose position is a tensor."""
    if not default:
        return cursor.following()
    return conditional.stage_choice(
        cursor.has_next(), cursor.following, lambda: default[0], "`next`"
    )


def _iter(iterable: Any, *sentinel: Any) -> Any:
    if not sentinel:
        if has_elements(iterable):
            return iterable._staged_elements()
        iterable = tensor_lists.elements_of(iterable)
        if has_methods(iterable):
            own = method(iterable, "__iter__")
            return trace_context.fresh(iter(iterated(iterable)) if own is None else own())
        if type(iterable) in OBJECT_SEQUENCES and trace_context.active():
            return trace_context.fresh(Cursor(iterable))
        iterable = iteration.as_source(iterable) if is_staged(iterable) else iterable
    return trace_context.fresh(iter(iterable, *sentinel))


def _in(module: Any, name: str) -> Callable:
    """What a module has under a name, which is imported with the first call."""

    def call(*args: Any, **keywords: Any) -> Any:
        return getattr(module, name)(*args, **keywords)

    return call


def _getattr(value: Any, name: str, *default: Any) -> Any:
    return attributes.getattr_(value, name, *default)


def _hasattr(value: Any, name: str) -> bool:
    if loud:
        unconverted_calls.given(hasattr, (value, name), takes_lists=True)
    return attributes.hasattr_(value, name)


def _asking(python: Callable) -> Callable:
    """A builtin that distinguishes a Python scalar from a tensor."""

    def ask(*args: Any, **keywords: Any) -> Any:
        if chosen and args and type(args[0]) is _core.SymbolicTensor:
            python_scalars.refuse_number(args[0], f"`{python.__name__}`")
        if loud:
            unconverted_calls.given(python, args, takes_lists=python is not ascii)
        return python(*args, **keywords)

    return ask


def _isinstance(value: Any, among: Any) -> bool:
    if chosen and python_scalars.is_symbolic_number(value):
        return python_scalars.is_instance(value, among)
    if chosen and type(value) is _core.SymbolicTensor:
        python_scalars.refuse_number(value, "`isinstance`")
    if loud:
        unconverted_calls.given(isinstance, (value,), takes_lists=True)
    return isinstance(value, among)


def _type(*args: Any, **keywords: Any) -> Any:
    if len(args) == 1 and not keywords:
        is_number = chosen and python_scalars.is_symbolic_number(args[0])
        return python_scalars.kind_of(args[0], "`type`") if is_number else _class_of(*args)
    name, bases, held = args
    module = sys._getframe(1).f_globals.get("__name__")  # which Python takes for the class's
    return type(name, bases, {"__module__": module, **held}, **keywords)


def _written(python: Callable) -> Callable:
    """``str`` or ``repr``."""
    names = ("__str__", "__repr__") if python is builtins.str else ("__repr__",)

    def write(*args: Any, **keywords: Any) -> Any:
        if chosen and len(args) == 1 and python_scalars.is_symbolic_number(args[0]):
            if python_scalars.standing(args[0]) is not True:  # of which a tensor shows more
                python_scalars.refuse_number(args[0], f"`{python.__name__}`")
            return texts.written(args[0])
        if len(args) == 1 and not keywords and type(args[0]) not in LITERALS:
            own = texts.own_text(args[0], *names)
            if own is not None:
                return own
        if (chosen or loud) and len(args) == 1:
            texts.shown(args[0])
        if loud:
            unconverted_calls.given(python, args)
        return python(*args, **keywords)

    return write


def _index(value: Any) -> Any:
    own = index_of(value)
    return operator.index(value) if own is value else own


_class_of = _asking(type)
_FORMS: dict[Any, Any] = {
    builtins.ascii: _asking(ascii),
    builtins.hasattr: _hasattr,
    builtins.isinstance: _isinstance,
    builtins.type: _type,
    builtins.str: _written(builtins.str),
    builtins.repr: _written(builtins.repr),
    builtins.eval: _in(frame_builtins, "eval_"),
    builtins.exec: _in(frame_builtins, "exec_"),
    builtins.locals: _in(frame_builtins, "locals_"),
    builtins.vars: _in(frame_builtins, "vars_"),
    builtins.dir: _in(frame_builtins, "dir_"),
    sys._getframe: _in(frame_builtins, "frame_at"),
    operator.index: _index,
    itertools.starmap: _applied(itertools.starmap),
    itertools.islice: _in(iterators, "islice"),
    builtins.range: _range,
    builtins.enumerate: _enumerate,
    builtins.zip: _zip,
    builtins.reversed: _reversed,
    builtins.len: _len,
    builtins.print: _print,
    builtins.next: _next,
    builtins.iter: _iter,
    builtins.int: _int,
    builtins.float: _float,
    builtins.bool: _bool,
    builtins.abs: _abs,
    builtins.sum: _reduction(builtins.sum, ops.reduce_sum, ops.add, 0),
    builtins.max: _extreme(builtins.max, ops.reduce_max, ops.maximum),
    builtins.min: _extreme(builtins.min, ops.reduce_min, ops.minimum),
    builtins.any: _in(quantifiers, "any_of"),
    builtins.all: _in(quantifiers, "all_of"),
    builtins.sorted: _in(sorting, "sorted_"),
    builtins.next: _next,
    builtins.iter: _iter,
    builtins.format: _in(texts, "formatted"),
    builtins.id: arithmetic.identity,
    builtins.round: _round,
    builtins.divmod: _divmod,
    builtins.pow: _pow,
    builtins.getattr: _getattr,
    builtins.setattr: _setattr,
    builtins.delattr: _delattr,
    builtins.list: _container(list),
    builtins.tuple: _container(tuple),
    builtins.set: _container(set),
    builtins.dict: _container(dict),
    builtins.map: _applied(builtins.map),
    builtins.filter: _applied(builtins.filter),
    functools.reduce: _applied(functools.reduce),
    operator.length_hint: _length_hint,
}
