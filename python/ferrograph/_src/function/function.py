"""``function``: Python functions that are traced once per signature and run as graphs.

The native base class holds the cache and the call path; this module traces on a miss.
"""

from __future__ import annotations

import functools
import itertools
import os
import types
from collections.abc import Callable

from ..autograph.api import convert_for
from ..autograph.status import check_numbers, check_outputs, conversion, discard
from ..autograph.straight_line import is_straight_line
from ..context import thread, tracebacks
from ..context.thread import Undetermined
from ..context.tracebacks import tell_notes
from ..heap.trace_context import lifted
from ..hints import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload
from ..native import FG, _core
from ..state.variable import Creation, pop_creation, push_creation, told
from ..values.errors import InvalidArgumentError, shown
from ..values.public import public
from . import outputs, special
from .concrete import ConcreteFunction
from .explained import Explained
from .guards import Reads
from .misses import InstanceCounts, Log, Miss, in_short
from .parameters import (
    SignatureOf,
    check_names,
    check_unchanged,
    checked_bound,
    checked_signature,
    leaves_of,
    objects_of,
    parameters_of,
    snapshot,
)

if TYPE_CHECKING:
    from typing import Concatenate

    from .special import FunctionType

__all__ = ["BoundFunction", "Function", "function"]

_DEFAULT_MAX_TRACES = 1 << 14
_numbers = itertools.count(1)
_forks = 0


def _forked() -> None:
    global _forks
    _forks += 1
    thread.forget_waiting()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


P = ParamSpec("P")  # the parameters of the Python function
Q = ParamSpec("Q")  # those of a method without its instance
R = TypeVar("R")  # what the Python function returns


class Function(Explained, Generic[P, R]):
    """A polymorphic function: what ``function`` makes of a Python function."""

    if TYPE_CHECKING:

        def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R: ...

        @overload
        def __get__(self, instance: None, owner: Any = None, /) -> Function[P, R]: ...

        @overload
        def __get__(
            self: Function[Concatenate[Any, Q], R], instance: object, owner: Any = None, /
        ) -> BoundFunction[Q, R]: ...

        def __get__(self, instance: Any, owner: Any = None, /) -> Any: ...

    __signature__ = SignatureOf()

    def __new__(
        cls,
        python_function: Callable[P, R],
        input_signature: Any = None,
        autograph: bool = True,
        reduce_retracing: bool | None = None,
        jit_compile: bool | None = None,
        name: str | None = None,
        params: list[Any] | None = None,
        max_traces: int = _DEFAULT_MAX_TRACES,
        freshness: str = "guard",
    ) -> Function[P, R]:
        params = parameters_of(python_function) if params is None else params
        return super().__new__(cls, params, input_signature is not None, checked_bound(max_traces))

    def __init__(
        self,
        python_function: Callable[P, R],
        input_signature: Any = None,
        autograph: bool = True,
        reduce_retracing: bool | None = None,
        jit_compile: bool | None = None,
        name: str | None = None,
        params: list[Any] | None = None,
        max_traces: int = _DEFAULT_MAX_TRACES,
        freshness: str = "guard",
    ):
        if freshness not in ("guard", "ignore"):
            raise ValueError(f"function: freshness is 'guard' or 'ignore', got {shown(freshness)}")
        self._is_guarded = freshness == "guard"
        self.python_function = python_function
        self._signature = None if input_signature is None else checked_signature(input_signature)
        self._autograph, self._reduce_retracing = autograph, reduce_retracing
        self._jit_compile = jit_compile
        self._params = parameters_of(python_function) if params is None else params
        self._own_lock = _forks, thread.TraceLock()
        self._staged: tuple[Callable[..., Any], Any] | None = None
        self._never_relax: set[Any] = set()
        self._n_traced = 0
        self._n_of_instances = InstanceCounts()
        self._depth = 0  # of traces of this function within traces of it
        # The arguments of the call that is traced, in the form of the input signature.
        self._values: tuple[Any, ...] | None = None
        self._has_created: set[Any] = set()
        self._log = Log()
        # Traces that serve only the variables they were made for, by signature and these.
        self._of_variables: dict[tuple[Any, ...], ConcreteFunction] = {}
        self._twin: types.FunctionType | None = None
        inner = getattr(python_function, "func", python_function)
        self._name: str = name or getattr(inner, "__name__", None) or type(inner).__name__
        functools.update_wrapper(self, python_function, updated=())
        lent = getattr(python_function, "__dict__", {})
        vars(self).update((k, v) for k, v in lent.items() if not hasattr(self, k))

    @property
    def _lock(self) -> Any:
        """Held while tracing. A forked process has its own lock: the thread that holds that of the
        parent does not exist there."""
        if self._own_lock[0] != _forks:
            self._own_lock = _forks, thread.TraceLock()
        return self._own_lock[1]

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return self._name

    def _decorate(self, decorator: Callable[..., Any]) -> None:
        """Have ``decorator(python_function)`` traced in place of the function.

        ValueError where the function has been traced.
        """
        if self._n_traced:
            raise ValueError(f"{self._name} has been traced, and cannot be decorated any more")
        self.python_function = decorator(self.python_function)
        self._staged = None

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The signature given, None where there is none."""
        return self._signature

    @property
    def function_type(self) -> FunctionType:
        """The parameters, with the types of the input signature where there is one."""
        types = iter(self._signature or ())
        parameter = special.Parameter
        return special.FunctionType(
            [
                parameter(name, parameter.kind_of(kind), has_default, next(types, None))
                for name, kind, has_default, _ in self._params
            ]
        )

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for these arguments, traced now if need be. A TensorSpec may be given in place
        of a tensor.

        A new trace has the sizes that the arguments say, unless ``reduce_retracing`` asks for fewer
        traces. With an input signature the arguments may be left out.
        """
        with self._lock:
            if self._signature is not None:
                return self._for_signature(args, kwargs)
            return self._for_call(args, kwargs, relax=self._reduce_retracing is True)

    # Called by the native call path.

    def _on_miss(self, args: tuple[Any, ...], kwargs: dict[Any, Any] | None) -> ConcreteFunction:
        with self._lock, lifted():
            if self._signature is not None:
                values = self._convert(args, kwargs)
                return self._at_signature(values, values)
            return self._for_call(args, kwargs or {})

    def _on_relaxed_failure(
        self, args: tuple[Any, ...], kwargs: dict[Any, Any] | None, error: Exception
    ) -> Any:
        """A trace with relaxed dimensions failed when it ran: try one of the exact shapes."""
        if not isinstance(error, InvalidArgumentError):
            raise error
        with self._lock:
            miss = self._log.begin(self, self._signature_of(args, kwargs))
            try:
                with thread.ongoing(self, miss.wanted) as trace:
                    exact = self._traced(args, kwargs or {}, trace)
                result = exact._call_flat(self._tensors_of(args, kwargs))
                self._log.keep(self, miss, miss.wanted, exact)
                miss.relaxing_failed = in_short(error)
            except Exception as e:
                miss.error = in_short(e)
                raise
            finally:
                self._log.end(self, miss)
        return result

    def _convert(self, args: tuple[Any, ...], kwargs: dict[Any, Any] | None) -> tuple[Any, ...]:
        return special.convert(self, args, kwargs or {})

    def _bind_to(self, instance: Any, owner: Any) -> BoundFunction[..., Any]:
        return BoundFunction(self, instance)

    # Tracing.

    def _for_call(
        self, args: tuple[Any, ...], kwargs: dict[Any, Any], relax: bool = True
    ) -> ConcreteFunction:
        wanted = self._signature_of(args, kwargs)
        found = self._find(wanted)
        if found is None and wanted._types():
            found = special.find(self, wanted)
        if found is None and self._of_variables:
            found = special.of_variables(self, wanted, args, kwargs)
        if found is None and self._depth:
            found = special.call(self, wanted)
        return self._make(args, kwargs, wanted, relax) if found is None else found

    def _make(
        self, args: tuple[Any, ...], kwargs: dict[Any, Any], wanted: Any, relax: bool
    ) -> ConcreteFunction:
        """The trace for a call that found none."""
        miss = self._log.begin(self, wanted)
        self._depth += 1
        try:
            self._drop_dead()
            general = self._relaxation(wanted) if relax else None
            if general is not None:
                try:
                    relaxed = self._trace(args, kwargs, general, miss)
                    relaxed._set_relaxed()
                    return relaxed
                except Exception as e:  # the trace may need the exact sizes: then they stay exact
                    self._never_relax.add(general)
                    miss.relaxing_failed = in_short(e)
            return self._trace(args, kwargs, wanted, miss)
        except Exception as e:
            miss.error = in_short(e)
            if type(e) is RecursionError and (self._depth > 1 or special.is_endless(e)):
                raise special.unended(self._name, e) from None
            raise
        finally:
            self._depth -= 1
            self._log.end(self, miss)

    def _drop_dead(self) -> None:
        """Drop the traces for objects that are gone, and what is remembered of those."""
        dead = self._purge()
        if dead:
            self._has_created = {o for o in self._has_created if o.isdisjoint(dead)}

    def _relaxation(self, wanted: Any) -> Any:
        if self._reduce_retracing is False:
            return None
        general = self._relaxed(wanted, self._reduce_retracing is True)
        if general is None and self._reduce_retracing and wanted._types():
            general = special.relaxation(self, wanted)
        if general is None and self._depth > 1:
            general = special.relaxation_of_ongoing(self, wanted)
        return None if general in self._never_relax else general

    def _for_signature(self, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> ConcreteFunction:
        return self._at_signature(special.spec_arguments(self, args, kwargs))

    def _at_signature(
        self, args: tuple[Any, ...], values: tuple[Any, ...] | None = None
    ) -> ConcreteFunction:
        """The trace for the input signature; ``values`` are the arguments of a call."""
        specs = special.specs_for(self, args)
        wanted = self._signature_of(specs)
        found = self._find(wanted)
        if found is None and self._depth:
            found = special.call(self, wanted)
        if found is not None:
            return found
        outer, self._values = self._values, values
        try:
            return self._make(specs, {}, wanted, relax=False)
        finally:
            self._values = outer

    def _trace(
        self, args: tuple[Any, ...], kwargs: dict[Any, Any], signature: Any, miss: Miss
    ) -> ConcreteFunction:
        with thread.ongoing(self, signature) as trace:
            concrete = self._traced(args, kwargs, trace)
        if concrete._was_told:
            special.keep_of_variables(self, signature, args, kwargs, concrete)
        elif not trace.is_open:
            self._log.keep(self, miss, signature, concrete)
        return concrete

    def _traced(
        self, args: tuple[Any, ...], kwargs: dict[Any, Any], trace: thread.Ongoing
    ) -> ConcreteFunction:
        """The trace, made in as many passes as it takes."""
        owners = frozenset(trace.signature._objects())
        concrete = None
        while concrete is None:
            creation = Creation(allowed=owners not in self._has_created)
            try:
                concrete = self._trace_once(args, kwargs, creation, trace)
            except Exception as e:
                if trace.is_pending and getattr(e, "_ferrograph_raised", False):
                    raise special.endless(self._name) from e
                if not (trace.is_recursive() and special.another_choice(trace, e)):
                    raise tell_notes(trace.errors[0] if trace.errors else e)  # noqa: B904 - itself, or the first
            except Undetermined:
                if trace.is_pending:
                    raise special.endless(self._name) from None
                raise
            self._has_created.add(owners)
        return concrete

    def _trace_once(
        self,
        args: tuple[Any, ...],
        kwargs: dict[Any, Any],
        creation: Creation,
        trace: thread.Ongoing,
    ) -> ConcreteFunction | None:
        """One pass; None where another one is needed."""
        signature = trace.signature
        region = _core.Region(f"__inference_{self._name}_{next(_numbers)}")
        trace.start(region)
        inner_args, inner_kwargs = self._placeholders(args, kwargs, region, signature)
        check_names(inner_kwargs, self._name)
        before, n_told = snapshot(inner_args, inner_kwargs), told.n
        staged = self._staged_form(inner_args, inner_kwargs)
        reads = self._reads(staged, *objects_of(args, kwargs, inner_args, inner_kwargs))
        creation.graph_id = region.graph_id
        push_creation(creation)
        try:
            roots = self.python_function, inner_args, inner_kwargs
            with thread.tracing(region, reads), conversion(self._autograph, roots) as context:
                result = staged(*inner_args, **inner_kwargs)
                check_numbers()
                check_unchanged(before, self._name)
                try:
                    flat, template = outputs.flatten_result(result, outputs.as_output)
                except TypeError as e:
                    outputs.say_function(e, self.python_function)
                    raise
                again = trace.is_recursive() and special.learn(
                    trace, result, flat, template, leaves_of(inner_args, inner_kwargs)
                )
                check_outputs(region, flat)
                creation.n_outputs = len(flat)
                if creation.made:
                    flat = [*flat, *(value for _, value in creation.made if value is not None)]
                region.finish(flat, None if again else trace.handle())
        finally:
            pop_creation()
        if creation.made:
            values = (args, kwargs) if self._values is None else (self._values, {})
            tensors = self._tensors_of(*values)
            settled = special.settle(self, creation, region, tensors, (inner_args, inner_kwargs))
            again = again or not settled or trace.is_recursive()
        if again:
            discard(context)
            return None
        self._n_traced += 1
        self._n_of_instances.add(args)
        made = ConcreteFunction(region, template, self, inner_args, inner_kwargs)
        if told.n != n_told:
            made._was_told = special.was_told(inner_args, inner_kwargs)
        if self._jit_compile is not None:
            made._set_jit_compile(self._jit_compile)
        if signature._types():
            special.keep(made, signature)
        if reads is not None:
            guards = reads.guards()
            if guards:
                made._set_guards(guards)
            if reads.frozen:
                self._log.say_frozen(self, reads.frozen)
        return made

    def _reads(
        self, staged: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]
    ) -> Reads | None:
        """Where the trace notes what its functions read from outside; None where that is frozen."""
        if not self._is_guarded:
            return None
        reads = Reads()
        is_converted = staged is not self.python_function
        reads.add_target(self.python_function, is_converted, args, kwargs)
        return reads

    def _staged_form(self, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Callable[..., Any]:
        """The function to trace: converted, unless conversion would change nothing."""
        if not self._autograph:
            return self.python_function
        if self._staged is None and is_straight_line(self.python_function, args, kwargs):
            return self.python_function
        arguments = (*args, *kwargs.values())
        self._staged = convert_for(self.python_function, arguments, self._staged)
        return self._staged[0]

    def __repr__(self) -> str:
        return f"<{FG}.function {self._name} at {id(self):#x}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return special.reduce_function(self, protocol)

    def __setstate__(self, state: Any) -> None:
        special.finish(self, state)

    @property
    def _by_name(self) -> types.FunctionType:
        """The Python function under a name that leads to this function."""
        if self._twin is None or self._twin.__code__ is not self.python_function.__code__:
            self._twin = special.twin_of(self)
        return self._twin


tracebacks.tracing.add(id(Function._trace_once.__code__))


class BoundFunction(Generic[P, R]):
    """A function bound to an instance, as a method."""

    __slots__ = ("_function", "_instance", "__weakref__")

    def __init__(self, function: Function[..., Any], instance: Any):
        self._function, self._instance = function, instance

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._function(self._instance, *args, **kwargs)

    @property
    def __self__(self) -> Any:
        return self._instance

    @property
    def __func__(self) -> Function[..., Any]:
        return self._function

    @property
    def python_function(self) -> Callable[..., Any]:
        """The plain method."""
        return types.MethodType(self._function.python_function, self._instance)

    # What reads the signature of a method that is wrapped again.
    __wrapped__ = python_function
    __signature__ = SignatureOf()

    def experimental_get_tracing_count(self) -> int:
        """How many times the method was traced for this instance."""
        return self._function._n_of_instances.of(self._instance)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """See ``Function.get_concrete_function``; the instance is bound."""
        return self._function.get_concrete_function(self._instance, *args, **kwargs).bound_to(
            self._instance
        )

    def explain_plan(self, *args: Any, **kwargs: Any) -> str:
        """See ``Function.explain_plan``; the instance is bound."""
        return self._function.explain_plan(self._instance, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoundFunction)
            and other._function is self._function
            and other._instance is self._instance
        )

    def __hash__(self) -> int:
        return hash((id(self._function), id(self._instance)))

    def __reduce__(self) -> Any:
        return special.reduce_bound(self)

    def __repr__(self) -> str:
        return f"<bound {self._function!r} of {self._instance!r}>"


@overload
def function(
    func: Callable[P, R],
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool | None = None,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: dict[Any, Any] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    max_traces: int = _DEFAULT_MAX_TRACES,
    freshness: str = "guard",
) -> Function[P, R]: ...


@overload
def function(
    func: None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool | None = None,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: dict[Any, Any] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    max_traces: int = _DEFAULT_MAX_TRACES,
    freshness: str = "guard",
) -> Callable[[Callable[P, R]], Function[P, R]]: ...


@public("function")
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool | None = None,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: dict[Any, Any] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    max_traces: int = _DEFAULT_MAX_TRACES,
    freshness: str = "guard",
) -> Any:
    """Make a function that runs as a graph; also a decorator, with or without arguments.

    The Python function is traced once per signature: dtypes and shapes of tensors, values of Python
    literals, identity of objects. Calls with a known signature run its graph.

    Loops and long chains over scalars and small values become machine code once they have run for a
    while; no result differs by a bit.

    A trace serves as long as the Python numbers, strings, bools and None that its code read from
    globals and closures are what they were.

    >>> @fg.function
    ... def double(x):
    ...     return x + x
    >>> int(double(fg.constant(2)))
    4

    Args:
      func: a function, method, or anything else that can be called; None, the default, gives the
        decorator.
      input_signature: a sequence of ``TensorSpec``, or structures of such, one for each argument,
        which fixes one signature, to which inputs are converted; None by default.
      autograph: a bool, whether control flow on tensors becomes control flow of the graph; True by
        default.
      jit_compile: a bool or None, the default: True makes such machine code at once, False none.
      reduce_retracing: a bool or None. With None, the default, a signature that differs from an
        earlier one in dimensions only is traced with those dimensions unknown; True relaxes ranks
        as well, False nothing.
      experimental_implements, experimental_autograph_options, experimental_attributes: kept for
        compatibility, and change nothing.
      experimental_relax_shapes: the older name of reduce_retracing.
      experimental_compile, experimental_follow_type_hints: kept for compatibility, and change
        nothing.
      max_traces: an int, 16384 by default: how many traces are kept at most. A further one takes
        the place of the least recently used.
      freshness: ``"guard"``, the default, or ``"ignore"``, which freezes what traces read from
        globals and closures.

    Returns:
      A ``Function``, which takes the arguments of func, or a decorator where func is None.

    Raises:
      TypeError: where func cannot be called, or input_signature is no sequence of specs.
      ValueError: for another max_traces or freshness.
    """
    if reduce_retracing is None:
        reduce_retracing = experimental_relax_shapes
    options = {
        "input_signature": input_signature,
        "autograph": autograph,
        "reduce_retracing": reduce_retracing,
        "jit_compile": jit_compile,
        "max_traces": checked_bound(max_traces),
        "freshness": freshness,
    }
    if func is None:
        return lambda target: _decorated(target, options)
    return _decorated(func, options)


def _decorated(target: Any, options: dict[Any, Any]) -> Any:
    if isinstance(target, staticmethod):
        return staticmethod(_decorated(target.__func__, options))
    if isinstance(target, classmethod):
        return classmethod(_decorated(target.__func__, options))
    if isinstance(target, (Function, BoundFunction)):
        target = target.python_function
    if not callable(target):
        raise TypeError(f"function: func must be callable, got {shown(target)}")
    return Function(target, **options)


def binding_error(
    target: Function[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any] | None
) -> TypeError:
    """The error of a call that does not fit the parameters, as Python words it."""
    import inspect

    try:
        inspect.signature(target.python_function).bind(*args, **(kwargs or {}))
    except TypeError as e:
        return TypeError(f"{target.name}(): {e}")
    return TypeError(f"{target.name}(): the arguments do not fit the parameters")
