"""Which functions converted code calls in place of those that its source names."""

from __future__ import annotations

import collections
import contextlib
import functools
import operator
import sys
import types
import warnings
from collections.abc import Callable

from ...context import ownership, thread, tracebacks
from ...context.hooks import hooks
from ...heap import external_effects, liveness, own_attributes, trace_context
from ...heap.adapters import MUTABLE, UNBOUND_METHODS, is_function
from ...heap.location import is_grown
from ...heap.source_location import ConversionError
from ...heap.trace_context import has_variants, is_proxy, loud, proxy_of, traces
from ...heap.trace_context import thread as _thread
from ...hints import Any
from ...staging import side_effects, tensor_lists, variant_proxies, write_barriers
from .. import status
from ..convert import compile, stack_depth
from ..straight_line import sets_attributes_only
from . import (
    arithmetic,
    attributes,
    builtins,
    dataclass_init,
    dispatching,
    equality,
    library_forms,
    sorting,
    special_methods,
    texts,
    unconverted_calls,
)
from .recursion import NOTED, unless_again

_COROUTINES = 0x80 | 0x200  # the flags of code that is a coroutine or an asynchronous generator
_GENERATOR = 0x20  # the flag of code that is a generator
_READERS = frozenset(
    {reversed, map, filter, types.MethodType, functools.partial, operator.methodcaller}
    | {collections.defaultdict}
)
_BEGINNINGS = frozenset({"iter", "__iter__", "__reversed__"})
_BY_TENSORS = frozenset({"sort", "insert", "pop"})  # methods of lists that tensors may decide
_SEARCHES = frozenset({"index", "count", "remove"})  # methods that compare elements with a value
_COMPARISONS = frozenset(f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge"))
_ORDERING = frozenset({"heapq", "_heapq", "bisect", "_bisect"})  # modules that compare elements
# Native methods whose arguments or objects matter.
_LOOKED_AT = _BY_TENSORS | {
    "__iter__",
    "__reversed__",
    "format",
    "join",
    "__subclasses__",
    "cache_info",
    "resize",
}
_ADDING = frozenset({"append", "extend"})  # which leave a list whole where either side grew
_REMEMBERING = type(functools.lru_cache(int))  # which keeps what it has been called with
_METHOD, _FUNCTION, _BUILTIN = types.MethodType, types.FunctionType, types.BuiltinFunctionType
_OPERATORS: Any = getattr(operator.add, "__self__", None)  # the native module
_FUNCTOOLS = functools.singledispatch.__code__.co_filename
# Of what a context manager makes of the function that it decorates.
_IN_CONTEXT = contextlib.ContextDecorator()(len).__code__
# Of what makes a context manager of a generator.
_OF_GENERATOR = contextlib.contextmanager(len).__code__
_REMEMBERED = {_FUNCTION, _BUILTIN, _METHOD, type}
_NO_OWNERS = {types.ModuleType, type(None)}  # of what is no method
PLAIN_FORM = "_ferrograph_plain"  # of what is called in place of a class: what does the same
_known: dict[Any, Any] = {}  # what is called in place of what, where no function is traced
_MAX_KNOWN = 4096


class _Late:
    """What ``entry`` lends: the operators that converted code finds."""

    operators: Any


late = _Late()


def fn(callee: Any) -> Any:
    """What to call in place of ``callee``: its converted form, its staged form, or itself."""
    trace = _thread.trace if traces.n else None
    known = _known if trace is None else trace.callees.known
    in_region = trace is not None and bool(trace.logs)
    kind = type(callee)
    if kind is not _FUNCTION and kind not in _REMEMBERED:
        return _resolved(callee)  # the class may say itself how it hashes
    found = known.get(callee)
    if found is not None:
        return unless_again(callee, found) if in_region else found
    if kind is _METHOD:
        changed = known.get(callee.__func__)
        if changed is None:
            made = _resolved(callee)
            changed = known.get(callee.__func__)
            if changed is None or type(made) is not _METHOD or made.__func__ is not changed:
                return made
        if in_region:
            return _METHOD(unless_again(callee.__func__, changed), callee.__self__)
        made = _bound(callee, changed)
        if known is not _known and len(known) < _MAX_KNOWN:
            reads = thread.reads()
            if reads is not None and reads.holds(callee.__self__):
                known[callee] = made
        return made
    if kind is _BUILTIN and callee.__self__.__class__ not in _NO_OWNERS:
        if trace is None:
            return callee
        quiet = not loud and callee.__name__ not in _LOOKED_AT
        return callee if quiet else _resolved(callee)
    found = _remembered(callee, known)
    return unless_again(callee, found) if in_region else found


def fn_later(callee: Any) -> Any:
    """``fn(callee)``, asked once more in the call where an argument may be the first list that
    grew: converted code sees to that by itself."""
    found = fn(callee)
    kind = type(callee)
    function = callee.__func__ if kind is _METHOD else callee
    if loud or not traces.n or is_convertible(function):
        return found
    is_object = type(found) is _METHOD and found.__self__ is callee
    if is_object or (found is not callee and found is builtins.staged_form(callee)):
        return found
    if kind is _BUILTIN and callee.__name__ in _ADDING and type(callee.__self__) is list:
        return found
    calm = getattr(found, PLAIN_FORM, found) if type(found) is _FUNCTION else found

    def call(*args: Any, **keywords: Any) -> Any:
        return (fn(callee) if loud else calm)(*args, **keywords)

    return call


def _remembered(callee: Any, known: dict[Any, Any]) -> Any:
    """``_resolved(callee)``, kept where that is safe: for a trace, or with what lives for long."""
    found = _resolved(callee)
    kind = type(callee)
    if kind is _FUNCTION:
        keep = known is not _known or callee.__closure__ is None
    else:
        keep = kind is _BUILTIN or isinstance(callee, type)
    if keep:
        if len(known) >= _MAX_KNOWN:
            known.clear()
        known[callee] = found
    return found


def _resolved(callee: Any) -> Any:
    if _reads_later(callee) and trace_context.active():
        liveness.Iterators.of_trace().has_native = True
    if not has_variants():
        return _form(callee)
    if is_proxy(callee):
        return lambda *args, **kwargs: variant_proxies.perform(_call, callee, *args, **kwargs)
    front = proxy_of(getattr(callee, "__self__", None))
    if is_proxy(front):
        return variant_proxies.Method(front, callee.__name__)
    found = _form(callee)
    if not _takes_contents(callee):
        return found
    is_lazy = isinstance(callee, type) and callee in unconverted_calls.LAZY or callee is iter
    if not is_lazy:
        return unconverted_calls.each_content(found)
    return unconverted_calls.over_elements(found, n_functions=callee in (map, filter))


def _reads_later(callee: Any) -> bool:
    """Whether the result of a callee may be native code that reads a container when it is used."""
    if type(callee) is type:
        return callee in _READERS or callee.__module__ == "itertools"
    if type(callee) is _BUILTIN:
        return callee.__name__ in _BEGINNINGS
    if type(callee) is not _FUNCTION:
        return False
    is_generator = bool(callee.__code__.co_flags & _GENERATOR) and is_exempt(callee)
    return is_generator or callee.__module__ == "functools"


def _call(callee: Any, *args: Any, **kwargs: Any) -> Any:
    return fn(callee)(*args, **kwargs)


def _takes_contents(callee: Any) -> bool:
    """Whether Python's own code, or a library's, is what a callee runs."""
    if isinstance(callee, types.MethodType):
        callee = callee.__func__
    if type(callee) is _FUNCTION:
        return is_exempt(callee)
    if isinstance(callee, type):
        return not is_convertible(getattr(callee, "__init__", None))
    if type(callee) is functools.partial or ownership.is_own_module(type(callee).__module__):
        return False
    call = getattr(type(callee), "__call__", None)  # noqa: B004 - the function itself is wanted
    return not is_convertible(call)


def _form(callee: Any) -> Any:
    kind = type(callee)
    if kind is types.FunctionType:
        return convert_callee(callee)
    if kind is types.MethodType:
        return _method(callee)
    if kind is functools.partial:
        return _partial(callee)
    if kind is types.BuiltinFunctionType:
        return _builtin(callee) if trace_context.active() else builtins.staged_form(callee)
    if issubclass(kind, type):
        return _class(callee) if trace_context.active() else builtins.staged_form(callee)
    if issubclass(kind, _BUILTIN):  # of a method that gets its class
        return _builtin(callee) if trace_context.active() else callee
    if kind in UNBOUND_METHODS and write_barriers.has_lists():
        return unconverted_calls.guarded(tensor_lists.unbound(callee))
    if kind is types.MethodWrapperType and is_grown(callee.__self__):
        return tensor_lists.method(callee.__self__, callee.__name__)
    return _callable_object(callee)


def _builtin(callee: Any) -> Any:
    """A native function or method, called while a function is traced."""
    target = callee.__self__
    families = _thread.trace.aliases.sets
    if families is not None:
        return families.watched(target, _of_builtin(callee, target))
    return _of_builtin(callee, target)


def _of_builtin(callee: Any, target: Any) -> Any:
    if isinstance(target, MUTABLE):
        return _of_container(callee, target)
    name = callee.__name__
    if name in _SEARCHES and isinstance(target, tuple) and write_barriers.has_lists():
        return equality.searching(callee)
    if name == "format" and type(target) is str:
        return unconverted_calls.formatting(callee)
    if name == "join" and type(target) is str:
        return texts.joining(target, _library(callee))
    if name == "__subclasses__":
        return unconverted_calls.deriving(callee)
    if name == "cache_info" and type(target) is _REMEMBERING:
        return unconverted_calls.counting(callee)
    staged = builtins.staged_form(callee)
    if staged is not callee:
        return staged
    if trace_context.in_region():
        side_effects.refuse_opaque(target, name)
    own = arithmetic.FUNCTIONS.get(callee) if target is _OPERATORS else None
    if own is None:
        return _library(callee)
    return _operator(own, _library(callee), f"__{name}__" in _COMPARISONS)


def _of_container(callee: Any, target: Any) -> Any:
    """A method of a container that it changes."""
    name, is_list = callee.__name__, isinstance(target, list)
    if is_grown(target):
        return tensor_lists.method(target, name)
    if is_list and name in _BY_TENSORS:
        return sorting.method(target) if name == "sort" else tensor_lists.placed(target, callee)
    if name == "pop" and isinstance(target, set):
        return unconverted_calls.popping(target, callee)
    if name in _SEARCHES and write_barriers.has_lists():
        return equality.searching(callee)
    return callee if is_list else unconverted_calls.guarded(callee)


def _operator(own: Any, python: Any, compares: bool) -> Any:
    """A function of ``operator``: ``own`` for objects with user-defined methods, and where it
    compares lists that the graph grows."""

    def operate(*args: Any) -> Any:
        is_known = (compares and write_barriers.has_lists()) or any(
            map(special_methods.is_own, args)
        )
        return (own if is_known else python)(*args)

    return operate


def _library(callee: Any) -> Any:
    """A library's function, called while a function is traced."""
    callee = external_effects.form(callee)
    if str(getattr(callee, "__module__", None)).startswith("numpy"):
        callee = unconverted_calls.asking(callee)
    if trace_context.has_unsure() and own_attributes.is_copied(callee):
        callee = own_attributes.copying(callee)
    takes_lists = write_barriers.has_lists()
    if takes_lists:
        is_ordering = getattr(callee, "__module__", None) in _ORDERING
        callee = tensor_lists.for_library(callee)
        callee = equality.ordering(callee) if is_ordering else callee
    return unconverted_calls.guarded(callee, takes_lists) if trace_context.has_stale() else callee


def _class(cls: type) -> Any:
    """A class called while a function is traced: ``__init__`` is converted, the instance noted."""
    staged = builtins.staged_form(cls)
    if staged is not cls or issubclass(cls, (BaseException, type)):
        return staged

    def make(*args: Any, **kwargs: Any) -> Any:
        init = cls.__init__
        plain = type(cls).__call__ is type.__call__ and cls.__new__ is object.__new__
        own = is_convertible(init)
        if own and not plain:
            _note(init, deep=True)
        if not own or not plain:
            only_keeps = issubclass(cls, tuple) and hasattr(cls, "_fields")
            makes = cls if only_keeps else unconverted_calls.guarded(external_effects.form(cls))
            return trace_context.fresh(makes(*args, **kwargs))
        instance = trace_context.fresh(cls.__new__(cls))
        trace = _thread.trace if traces.n else None
        known = _known if trace is None else trace.callees.known
        changed = known.get(init) or _remembered(init, known)
        if hasattr(cls, "__post_init__"):
            dataclass_init.follow(instance, init)
        given = changed(instance, *args, **kwargs)
        if given is not None:
            kind = type(given).__name__
            raise TypeError(f"__init__() should return None, not {kind!r}")
        return instance

    if _is_made_by_python(cls):
        setattr(make, PLAIN_FORM, cls)
    return make


def _is_made_by_python(cls: type) -> bool:
    """Whether Python alone makes the objects of a class while ``loud`` is empty: no user code runs
    but an ``__init__`` that sets attributes."""
    init: Any = getattr(cls, "__init__")  # noqa: B009 - the function itself is wanted
    if type(cls).__call__ is not type.__call__ or cls.__new__ is not object.__new__:
        return False
    if init is object.__init__:
        return True
    is_simple = is_convertible(init) and sets_attributes_only(init.__code__)
    return is_simple and own_attributes.keeps_any(cls)


def convert_callee(callee: types.FunctionType) -> Any:
    """``callee`` converted, or itself where it is not ours to convert."""
    if is_exempt(callee):
        if getattr(callee, status.NOT_CONVERTED, False):
            _note(callee, deep=True)
        staged = library_forms.form_of(callee)
        if not trace_context.active():
            return staged
        if ownership.is_made_by_numpy(callee):
            return _callable_object(callee)
        if callee.__code__ is _IN_CONTEXT:
            return converted(callee)
        if callee.__code__ is _OF_GENERATOR:
            return _of_generator(callee)
        by_class = callee.__code__.co_filename == _FUNCTOOLS and dispatching.form(callee, fn)
        return by_class or _library(staged)
    reads = thread.reads() if trace_context.active() else None
    result: Any = converted(callee, asked=None if reads is None else reads.asked(callee))
    deep = result is callee and not compile.is_converted(callee.__code__)
    if deep and callee.__name__ in _COMPARISONS:
        result = equality.form(callee)
    if not _note(callee, deep):
        return result
    if reads is None or result is callee or not compile.tells(result.__code__):
        return _noting(callee, result, deep)
    return _telling(result, reads.unmet(callee))


def _of_generator(callee: types.FunctionType) -> Callable:
    """What makes a context manager of a generator, of its converted form."""
    cells = dict(zip(callee.__code__.co_freevars, callee.__closure__ or (), strict=True))
    generator = cells["func"].cell_contents
    changed = fn(generator)
    if changed is generator:
        return callee
    made = contextlib.contextmanager(changed)
    made.__dict__.pop(NOTED, None)  # which is said of the generator
    return made


def _note(function: types.FunctionType, deep: bool) -> bool:
    """Tell the trace which functions it runs: what they read from outside belongs to it.

    Whether they read attributes of their arguments.
    """
    reads = thread.reads()
    return reads is not None and reads.add(function, deep)


def _telling(function: types.FunctionType, unmet: Any) -> types.FunctionType:
    """``function``, a converted one, telling the trace its arguments; where a trace knows what it
    is bound to, it tells the others alone."""
    told = compile.telling(function, unmet.met, unmet)
    setattr(told, NOTED, compile.telling(function, None, unmet))
    return told


def _noting(function: types.FunctionType, result: Any, deep: bool) -> Any:
    """``result``, the form of ``function`` that is called, telling the trace its arguments."""
    reads, name = thread.reads, function.__code__.co_name

    @functools.wraps(result)
    def noted(*args: Any, **kwargs: Any) -> Any:
        noting = reads()
        if noting is not None and (
            kwargs or noting.met(args) or (args and hasattr(type(args[0]), name))
        ):
            noting.bind(function, args, kwargs, deep)
        return result(*args, **kwargs)

    setattr(noted, NOTED, result)
    return noted


def anew(whole: compile.Whole) -> types.FunctionType:
    """The full form with which a fast path starts again."""
    return whole.form()


def converted(
    function: types.FunctionType,
    once: bool = False,
    asked: compile.Asked | None = None,
    is_whole: bool = False,
) -> types.FunctionType:
    """``function`` converted whatever its module; itself where that cannot be done. It can report
    the arguments that are ``asked`` for. It may be a fast path unless it has to be the full
    form."""
    if function.__code__.co_flags & _COROUTINES or compile.is_converted(function.__code__):
        return function
    try:
        trace = _thread.trace if traces.n else None
        lend = None if trace is None or once else trace.callees.lend
        whole = (
            None
            if once or is_whole or sys.gettrace()
            else functools.partial(converted, function, is_whole=True)
        )
        return _instantiated(function, once, asked, lend, whole)
    except ConversionError as e:
        tracebacks.unconverted[function.__code__] = str(e)
        if status.verbosity() > 0:
            _warn(function, str(e))
    except (SyntaxError, ValueError) as e:
        _warn(function, f"{type(e).__name__}: {e}")
    return function


def _instantiated(function: types.FunctionType, *given: Any) -> types.FunctionType:
    """The converted form, also of a text that nests deeper than the stack is."""

    def make() -> types.FunctionType:
        return compile.instantiate(function, late.operators, *given)

    try:
        return make()
    except RecursionError:
        if _is_deep():
            raise
    return stack_depth.with_room(function, make)


def _is_deep() -> bool:
    """Whether callers have taken so much of the stack that no text is to blame for its end."""
    try:
        sys._getframe(sys.getrecursionlimit() // 2)
    except ValueError:
        return False
    return True


def is_exempt(function: types.FunctionType) -> bool:
    """Whether a function reached by a call stays as it is."""
    return getattr(function, status.NOT_CONVERTED, False) or ownership.is_library_file(
        function.__code__.co_filename
    )


def is_convertible(value: Any) -> bool:
    """Whether a value is a Python function that a call converts."""
    return type(value) is _FUNCTION and not is_exempt(value)


def _method(method: types.MethodType) -> Any:
    target = method.__func__
    if type(target) is _REMEMBERING:
        return types.MethodType(unconverted_calls.remembering(target), method.__self__)
    is_function = type(target) is _FUNCTION
    if is_function and type(method.__self__).__module__ == "queue" and trace_context.in_region():
        return (
            unconverted_calls.without_waiting(method)
            if target.__name__ in ("get", "put")
            else method
        )
    changed = fn(target)
    return method if changed is target else types.MethodType(changed, method.__self__)


def _partial(partial: functools.partial) -> Any:
    changed = fn(partial.func)
    if changed is partial.func:
        return partial
    return functools.partial(changed, *partial.args, **partial.keywords)


def _callable_object(callee: Any) -> Any:
    if (
        type(callee) is _REMEMBERING
        and (made := unconverted_calls.remembering(callee)) is not callee
    ):
        return made
    call = dataclass_init.call_of(type(callee))
    if is_convertible(call):
        made = fn(_METHOD(call, callee))
        return callee if made.__func__ is call else made
    if isinstance(call, dataclass_init.BINDING):
        return fn(call.__get__(callee, type(callee)))
    if ownership.is_own_module(type(callee).__module__):
        return callee
    if type(callee) is operator.methodcaller and trace_context.active():
        return _calling_method(callee)
    made = unconverted_calls.guarded(external_effects.form(callee))
    if getattr(callee, "__name__", "") in unconverted_calls.COMPARING:
        made = unconverted_calls.asking(made)
    is_watched = type(callee) in UNBOUND_METHODS and trace_context.in_region()
    return unconverted_calls.of_first(made) if is_watched else made


def _calling_method(caller: operator.methodcaller) -> Callable:
    """What calls the converted form of a method with what an ``operator.methodcaller`` keeps."""
    kept: Any = caller.__reduce__()
    (made, arguments), keywords = kept, {}
    if type(made) is functools.partial:  # that makes another one
        keywords, arguments = made.keywords, (*made.args, *arguments)
    name, *others = arguments

    def call(target: Any) -> Any:
        return fn(attributes.attribute_of(target, name))(*others, **keywords)

    return call


def _bound(method: types.MethodType, changed: Any) -> Any:
    """``method`` with ``changed`` in place of its function, where nothing but the object that it is
    bound to has to be told to the trace told of that."""
    function, owner, reads = method.__func__, method.__self__, thread.reads()
    result = getattr(changed, NOTED, None)
    if result is not None and reads is not None and _tells_others(function, changed, reads):
        reads.bind(function, (owner,), {}, result is function)
        changed = result
    return method if changed is function else _METHOD(changed, owner)


def of_another(method: Any, function: Any, is_known: bool) -> Any:
    """What is called in place of a method whose ``function`` was called of another object before,
    where that form tells the trace of its object itself; None where there is more to ask, which
    is of objects that live as long as the trace unless all is ``known``."""
    if type(method) is not _METHOD or method.__func__ is not function or not traces.n:
        return None
    trace, owner = _thread.trace, method.__self__
    if trace is None or trace.logs:
        return None
    if not is_known and ((reads := thread.reads()) is None or reads.holds(owner)):
        return None
    found = trace.callees.known.get(function)
    if type(found) is not _FUNCTION or not compile.tells(found.__code__):
        return None
    return _METHOD(found, owner)


def _tells_others(function: types.FunctionType, changed: types.FunctionType, reads: Any) -> bool:
    """Whether, without its wrapper or its first argument, a function tells what it has to."""
    return compile.tells(changed.__code__) or not reads.reads_others(function)


_warned: set[tuple[str, int]] = set()


def _warn(function: types.FunctionType, reason: str) -> None:
    """Say once a function that it runs as plain Python."""
    code = function.__code__
    place = (code.co_filename, code.co_firstlineno)
    if place in _warned:
        return
    _warned.add(place)
    warnings.warn_explicit(
        f"AutoGraph leaves {function.__qualname__} as plain Python: {reason}",
        UserWarning,
        *place,
        module=sys.intern(function.__module__ or "<unknown>"),
    )


def any_callable(target: Any) -> Callable:
    """``target`` converted because the user asked for it, wherever it comes from."""
    if getattr(target, status.NOT_CONVERTED, False):
        return target
    if is_function(target):
        return converted(target, once=True)
    if type(target) is types.MethodType and is_function(target.__func__):
        return types.MethodType(any_callable(target.__func__), target.__self__)
    if type(target) is functools.partial:
        return functools.partial(any_callable(target.func), *target.args, **target.keywords)
    return fn(target)


hooks.callee = fn
special_methods.late.converted = converted
