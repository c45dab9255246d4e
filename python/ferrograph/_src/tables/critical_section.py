"""``CriticalSection``: code that one thread at a time runs."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable
from typing import Any

from ..autodiff.custom import custom_gradient
from ..autodiff.tape import GradientTape
from ..autograph import api, status
from ..context import thread
from ..function import outputs
from ..function.concrete import ConcreteFunction
from ..native import FG, _core
from ..state.variable import variable_by_id, variable_from_handle
from ..values import errors, nest
from ..values.public import public

__all__ = ["CriticalSection"]

_numbers = itertools.count(1)


# The builtin classes by which a callback raises these errors.
_AS_PYTHONS: dict[type[BaseException], type[Exception]] = {
    errors.InvalidArgumentError: ValueError,
    errors.OutOfRangeError: StopIteration,
    errors.UnimplementedError: NotImplementedError,
}


class _Mutex:
    """What the sections of one name share: a lock that knows which thread holds it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: int | None = None

    def __enter__(self) -> None:
        if self._owner == threading.get_ident():
            raise _nested()
        self._lock.acquire()
        self._owner = threading.get_ident()

    def __exit__(self, *exception: Any) -> None:
        self._owner = None
        self._lock.release()


class _Thread(threading.local):
    def __init__(self) -> None:
        self.tracing: list[_Mutex] = []  # sections whose code is being traced


_thread = _Thread()
_shared: weakref.WeakValueDictionary[str, _Mutex] = weakref.WeakValueDictionary()
# For each trace the executions in it: section, whether alone with its resources, which these are.
_executions: weakref.WeakKeyDictionary[Any, list[tuple[_Mutex, bool, set[int]]]]
_executions = weakref.WeakKeyDictionary()


def _nested() -> ValueError:
    return ValueError(
        "Attempting to lock a CriticalSection in which we are already running. This is illegal "
        "and may cause deadlocks."
    )


@public("CriticalSection")
class CriticalSection:
    """Code that one thread at a time runs, eagerly and in traced functions.

    ``execute(fn)`` calls ``fn`` while no other execution of the section is active, in this thread
    or another; others wait for it. Where a function is traced, ``fn`` is traced with it, and each
    run of the graph runs it as a whole. Gradients of the first order flow through it, to tensors
    and to variables. A saved model can't hold an execution: its code runs in this process.

    >>> section = fg.CriticalSection()
    >>> total = fg.Variable(0.0)
    >>> @fg.function
    ... def add(x):
    ...     return section.execute(lambda: total.assign(total + x))
    >>> float(add(fg.constant(2.0)))
    2.0

    Args:
      name: what it is called.
      shared_name: sections of one such name exclude one another.
      critical_section_def: not supported.
      import_scope: of no effect.

    Raises:
      ValueError: for a ``critical_section_def``.
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ):
        if critical_section_def:
            raise ValueError("Argument critical_section_def is not supported.")
        self._name = name or shared_name or "critical_section"
        self._mutex = _Mutex()
        if shared_name is not None:
            self._mutex = _shared.setdefault(shared_name, self._mutex)

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    def execute(
        self,
        fn: Callable[..., Any],
        exclusive_resource_access: bool = True,
        name: str | None = None,
    ) -> Any:
        """Call ``fn`` while nobody else is in the section; its result, numbers as tensors.

        Args:
          fn: a function of nothing. It must not execute the section again.
          exclusive_resource_access: whether, in one traced function, no execution of another
            section may use the variables and other resources that ``fn`` uses.
          name: of no effect.

        Raises:
          ValueError: where ``fn`` executes the section itself, or resources are used by another
            section of the traced function and one of the two wants them for itself.
        """
        if self._mutex in _thread.tracing:
            raise _nested()
        region = thread.current_region()
        if region is None or _core.executing_eagerly():
            with self._mutex:
                return nest.map_structure(_tensor, fn(), expand_composites=True)
        return self._staged(fn, region, exclusive_resource_access)

    def _staged(self, fn: Callable[..., Any], region: Any, exclusive: bool) -> Any:
        body = _Body(fn, self._mutex)
        self._claim(region, {t._id for t in body.captured if t.dtype.name == "resource"}, exclusive)
        flat = _core.emit_callback(body, [*body.captured, *body.read()], body.dtypes, True, True)
        for tensor, shape in zip(flat, body.shapes, strict=True):
            tensor.set_shape(shape)
        return outputs.map_template(body.template, flat.__getitem__)

    def _claim(self, region: Any, used: set[int], exclusive: bool) -> None:
        """Note what an execution uses. ValueError where another section rules it out."""
        before = _executions.setdefault(region, [])
        for mutex, alone, theirs in before:
            if mutex is not self._mutex and (alone or exclusive) and used & theirs:
                raise ValueError(
                    f"an execution of the CriticalSection {self.name!r} would use resources that "
                    "another section's execution in this function uses: pass "
                    "exclusive_resource_access=False to both, or execute both in one section"
                )
        before.append((self._mutex, exclusive, used))

    def __repr__(self) -> str:
        return f"<{FG}.CriticalSection {self.name!r}>"


def _tensor(value: Any) -> Any:
    return None if value is None else _core.convert_to_tensor(value)


class _Body:
    """The code of a section as a graph, which is called with what it captured."""

    def __init__(self, fn: Callable[..., Any], mutex: _Mutex):
        self._mutex = mutex
        name = f"critical_section_{next(_numbers)}"
        region = _core.Region(name)
        _thread.tracing.append(mutex)
        try:
            with thread.tracing(region), status.conversion(status.is_enabled()):
                result = api.convert_callback(fn)()
                flat, self.template = outputs.flatten_result(result, outputs.as_output)
                status.check_numbers()
                region.finish(flat)
        finally:
            _thread.tracing.pop()
        self._graph = region.graph()
        self.captured = region.captured()
        self.dtypes = [t.dtype for t in flat]
        self.shapes = [t.shape for t in flat]
        found = ((i, variable_by_id(t._id)) for i, t in enumerate(self.captured))
        self._variables = [(i, v) for i, v in found if v is not None and _has_slope(v.dtype)]

    def read(self) -> list[Any]:
        """The values of the variables, by which gradients find the way to them."""
        return [variable.read_value() for _, variable in self._variables]

    def __call__(self, *given: Any) -> list[Any]:
        """Run the graph, alone; the results carry gradients."""
        try:
            with self._mutex:
                return self._with_slopes(*given) if self._is_smooth(given) else self._run(given)
        except tuple(_AS_PYTHONS) as e:
            raise _AS_PYTHONS[type(e)](str(e)) from e

    def _is_smooth(self, given: tuple[Any, ...]) -> bool:
        return any(map(_has_slope, self.dtypes)) and any(_has_slope(t.dtype) for t in given)

    def _run(self, given: tuple[Any, ...]) -> list[Any]:
        captured = list(given[: len(self.captured)])
        template = list(range(len(self.dtypes)))
        made = _core.ConcreteBase.__new__(ConcreteFunction, self._graph, template, captured)
        return made._call_flat([])

    def _with_slopes(self, *given: Any) -> list[Any]:
        """As ``_run``; the gradients of the variables are those of the values read of them."""
        smooth = [i for i, t in enumerate(given) if _has_slope(t.dtype)]
        sources = [t for t in given[: len(self.captured)] if _has_slope(t.dtype)]
        sources += [variable_from_handle(v, given[i]) for i, v in self._variables]

        @custom_gradient
        def run(*smooth_ones: Any) -> Any:
            with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
                tape.watch(sources)
                results = self._run(given)

            def slopes(*seeds: Any, variables: Any = None) -> Any:
                ends = [r for r in results if _has_slope(r.dtype)]
                pairs = zip(results, seeds, strict=True)
                begins = [seed for r, seed in pairs if _has_slope(r.dtype)]
                found = tape.gradient(ends, sources, begins, unconnected_gradients="zero")
                # What belongs to the variables goes to the values read of them.
                return found if variables is None else (found, [None] * len(variables))

            return results, slopes

        found = run(*(given[i] for i in smooth))
        return list(found) if isinstance(found, (list, tuple)) else [found]


def _has_slope(dtype: Any) -> bool:
    return dtype.is_differentiable
