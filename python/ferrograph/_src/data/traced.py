"""Functions over elements: traced once, run by the pipeline."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ..autograph import api, status
from ..context import thread, tracebacks
from ..heap import trace_context
from ..native import _core
from ..state.variable import Creation, pop_creation, push_creation
from ..values.errors import shown
from ..values.tensor_spec import TensorSpec
from . import structure
from .specs import DatasetSpec

_numbers = itertools.count(1)


class Traced:
    """A function traced for arguments of given types.

    Variables are made by the first trace alone, behind a guard: another one follows it.
    ``graph`` is what it computes; ``captured`` are the tensors from outside that feed its last
    inputs; ``type`` is the type of its result.
    """

    def __init__(
        self, function: Callable[..., Any], arguments: list[Any], what: str, expected: Any = None
    ):
        if not callable(function):
            raise TypeError(f"{what} needs a function, got {shown(function)}")
        first = Creation(allowed=True, at_once=True)
        region, context = self._trace(function, arguments, what, expected, first)
        if first.made:
            # Every element goes through one graph: objects that are made again each time have no
            # place in it.
            status.discard(context)
            region, _ = self._trace(function, arguments, what, expected, Creation(allowed=False))
        self.graph = region.graph()
        self.captured = region.captured()

    def _trace(
        self,
        function: Callable[..., Any],
        arguments: list[Any],
        what: str,
        expected: Any,
        creation: Creation,
    ) -> tuple[Any, Any]:
        """The region of a trace that may make variables as said, and its context."""
        region = _core.Region(f"__inference_Dataset_{what}_{next(_numbers)}")
        push_creation(creation)
        try:
            return region, self._trace_once(region, function, arguments, expected)
        finally:
            pop_creation()

    def _trace_once(
        self, region: Any, function: Callable[..., Any], arguments: list[Any], expected: Any
    ) -> Any:
        """Trace the function: a trace of its own, whose context this gives, unless a function
        around it is traced."""
        with thread.tracing(region):
            inputs = [structure.packed(a, _inputs(region, a)) for a in arguments]
            roots = None if trace_context.thread.trace is not None else (function, inputs)
            with status.conversion(status.is_enabled(), roots) as made:
                result = api.convert_callback(function)(*inputs)
                result = tuple(result) if type(result) is list else result
                result = structure.normalized(result, expected)
                self.type = structure.type_of(result)
                status.check_numbers()
                tensors = structure.tensors_of(result)
                status.check_outputs(region, tensors)
                region.finish(tensors)
        return made


tracebacks.tracing.add(id(Traced._trace_once.__code__))


def _inputs(region: Any, element_type: Any) -> list[Any]:
    specs = structure.components(element_type)
    return [region.add_input(s.dtype, s.shape, s.name or "args") for s in specs]


def element_arguments(element_type: Any) -> list[Any]:
    """The types of the arguments that an element is passed as: a tuple's parts each by itself."""
    if type(element_type) is tuple:
        return list(element_type)
    return [element_type]


def predicate(function: Callable[..., Any], element_type: Any, what: str) -> Traced:
    """A traced function that gives one bool. ValueError for one that gives something else."""
    found = Traced(function, element_arguments(element_type), what)
    spec = found.type
    if not isinstance(spec, TensorSpec) or spec.dtype.name != "bool" or spec.shape.rank:
        raise ValueError(f"the function of {what} must give a scalar bool, gives {spec}")
    return found


def into_dataset(function: Callable[..., Any], arguments: list[Any], what: str) -> Traced:
    """A traced function that gives a dataset. TypeError for one that gives something else."""
    found = Traced(function, arguments, what)
    if not isinstance(found.type, DatasetSpec):
        raise TypeError(f"the function of {what} must give a Dataset, gives {found.type}")
    return found


def with_state(
    function: Callable[..., Any], state: Any, element: Any, what: str, output: bool
) -> tuple[Any, ...]:
    """A function that takes the state to the next one; with ``output`` it gives a pair.

    The traced function, and the type of the state, which is relaxed as far as the function changes
    its shapes. TypeError where it changes the structure or a dtype.
    """
    state_type = structure.type_of(state)
    while True:
        expected = (state_type, None) if output else state_type
        found = Traced(function, [state_type, element], what, expected)
        after = found.type
        if output:
            if type(after) is not tuple or len(after) != 2:
                raise TypeError(f"the function of {what} must give a new state and an output")
            after = after[0]
        structure.same_kind(state_type, after, f"{what}: the state before and after an element")
        general = structure.generalised(state_type, after)
        if general == state_type:
            return found, state_type
        state_type = general
