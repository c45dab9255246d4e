"""What a trace notes of its regions and objects: few parts, each of the module that owns it."""

import ferrograph as fg
import numpy as np
import pytest
from ferrograph._src.heap import trace_context
from ferrograph._src.heap.aliasing import Aliases
from ferrograph._src.heap.trace_context import NOTHING, TraceContext, thread

OWNERS = {
    "effects": "heap.trace_context",
    "containers": "heap.trace_context",
    "callees": "heap.trace_context",
    "variants": "heap.location",
    "aliases": "heap.aliasing",
    "attributes": "heap.own_attributes",
    "iterators": "heap.liveness",
    "values": "symbolic.values",
    "checks": "symbolic.ranges",
}


class Box:
    kind = "box"


def numbers(x):
    n = 1 if x > 0 else 2
    return n * 3 // 2


def contents(x):
    held = {"a": 1}
    if x > 0:
        held["b"] = 2
    return sum(held.values())


def attributes(x):
    box = Box()
    if x > 0:
        box.kind = "other"
    return box.kind


def array(x):
    a = np.array([1, 2])
    if x > 0:
        a = a * 2
    return a


def iterator(x):
    total = 0
    for i in [1, 2, 3]:
        if x > i:
            total += i
    return total


def alias(x):
    a, b = [1], [2]
    if x > 0:
        a = b
    return a[0] + b[0]


def while_traced(function):
    """The context at the end of a trace of a function."""
    found = []

    @fg.function
    def traced(x):
        result = function(x)
        found.append(thread.trace)
        return result

    traced.get_concrete_function(fg.TensorSpec([], fg.int32))
    return found[-1]


def parts(context):
    names = {*vars(TraceContext), *vars(context)}
    return {name for name in names if not callable(getattr(context, name)) and name[0] != "_"}


@pytest.mark.parametrize("function", [numbers, contents, attributes, array, iterator, alias])
def test_each_part_is_of_the_module_that_owns_it(function):
    context = while_traced(function)
    assert parts(context) == {*OWNERS, "logs"}
    for name, owner in OWNERS.items():
        part = getattr(context, name)
        assert part is NOTHING or type(part).__module__ == f"ferrograph._src.{owner}"


def test_there_are_few_parts():
    assert len(OWNERS) + len(["logs"]) <= 12


def test_nothing_is_noted_in_a_part_that_is_not_made():
    context = TraceContext()
    assert context.aliases.sets is None and context.values.numbers is None
    context.aliases = Aliases()
    assert context.aliases.copies == {}
    assert TraceContext.aliases is NOTHING


def test_outside_of_traces_there_is_none():
    assert thread.trace is None and thread.logs == []
    assert not trace_context.chosen
