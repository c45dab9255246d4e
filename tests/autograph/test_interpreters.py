"""What differs from Python to Python, held on the one that runs the tests."""

import sys
import types

import pytest
from ferrograph._src.autograph.convert import compile as compiled
from ferrograph._src.context import tracebacks
from ferrograph._src.context.locals import keeps_arguments
from ferrograph._src.context.referents import referents
from ferrograph._src.heap import frames, liveness


def test_notes_end_the_message_where_python_has_none(monkeypatch):
    """As before Python 3.11."""
    monkeypatch.setattr(tracebacks, "_HAS_NOTES", False)
    error = ValueError("bad")
    tracebacks.add_note(error, "one")
    tracebacks.add_note(error, "two")
    assert str(error) == "bad"  # until it leaves the trace
    assert str(tracebacks.tell_notes(error)) == "bad\none\ntwo"
    assert str(tracebacks.tell_notes(error)) == "bad\none\ntwo"


@pytest.mark.parametrize("error", [KeyError(), IndexError("a", "b"), LookupError(3)])
def test_notes_join_any_arguments(error, monkeypatch):
    monkeypatch.setattr(tracebacks, "_HAS_NOTES", False)
    tracebacks.add_note(error, "why")
    assert str(tracebacks.tell_notes(error).args[-1]).endswith("why")


def test_qualified_names_that_are_constants():
    made = "ag__factory.<locals>.ag__function"
    inner = (lambda: 0).__code__.replace(co_consts=(f"{made}.<locals>.ag__then_2.<locals>.K", 1))
    code = (lambda: 0).__code__.replace(co_consts=(made, "another", inner))
    own, other, within = compiled._qualified(code, made, "C.method").co_consts
    assert (own, other) == ("C.method", "another")
    assert isinstance(within, types.CodeType)
    assert within.co_consts == ("C.method.<locals>.K", 1)


def test_a_generator_refers_to_its_locals():
    def made(one):
        other = [one]
        yield other

    one = object()
    generator = made(one)
    other = next(generator)
    found = list(map(id, referents(generator)))
    assert id(one) in found and id(other) in found


class Handing:
    def method(self, one, other=None):
        return counted(one)


def counted(one):
    return frames.handed_down()[id(one)]


@pytest.mark.parametrize(
    ("call", "times"),  # that of ``call`` itself among them
    [
        (lambda one: counted(one), 2),
        (lambda one: (one, counted(one))[1], 2),  # an operand below is no argument
        (lambda one: [counted(v) for v in (one,)][0], 2),
        (lambda one: Handing().method(one), 3),
        (lambda one: Handing().method(one, one), 4),
        (lambda one: Handing().method(one=one, other=one), 4),
        (lambda one: (Handing().method)(one), 3),
        (lambda one: next(map(counted, [one])), 1),  # code in C calls the function
        (lambda one: counted(*[one]), 1),  # a tuple has it
    ],
)
def test_arguments_that_callers_keep_until_a_call_returns(call, times):
    assert call(object()) == (times if keeps_arguments() else 0)


def test_arguments_are_measured_where_no_debugger_traces():
    """One that does refers to what the names of functions hold."""

    def trace(*_):
        return trace

    expected, before = keeps_arguments.__wrapped__(), sys.gettrace()
    sys.settrace(trace)
    try:
        found = keeps_arguments.__wrapped__()
    finally:
        sys.settrace(before)
    assert found == expected


class Box:
    pass


def is_alone(items):
    return liveness.count(items) <= liveness.OF_NAME + liveness.of_argument()


def test_references_are_counted_of_names():
    """What has one name, and what others hold, too."""
    items, box = [1], Box()
    assert liveness.count(items) == liveness.OF_NAME and is_alone(items)
    fields = box.__dict__
    assert not liveness.are_held(fields)
    other = items, fields
    assert not is_alone(items) and liveness.are_held(fields) and other
