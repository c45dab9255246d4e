"""What tells numbers that the graph chose from tensors, wherever they are: refused at its line."""

import collections
import dataclasses
import functools

import ferrograph as fg
import numpy as np
import pytest


@dataclasses.dataclass
class Pair:
    a: object
    b: object = 0


class Slotted:
    """An object without a ``__dict__``, whose text shows what it holds."""

    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held

    def __repr__(self):
        return f"<{self.held}>"


@functools.singledispatch
def kind(value):
    return 1 if value is None else 5


@kind.register
def _(value: int):
    return 2


@kind.register
def _(value: list):
    return 3 if value[0] > 0 else 4


class Kinds:
    """A method that goes by the class of its argument."""

    form = "%s!"

    @functools.singledispatchmethod
    def kind(self, value):
        return 1

    @kind.register
    def _(self, value: list):
        return 2 if value[0] > 0 else 3


FORM, PERCENT = "a{}", "a%s"
USES = {
    "text of a list": lambda k: str([k]),
    "repr of a dict": lambda k: repr({"a": k}),
    "text of a tuple": lambda k: str((1, (k,))),
    "f-string": lambda k: f"{[k]}",
    "format": lambda k: FORM.format([k]),
    "percent": lambda k: "%s" % [k],
    "percent of a name": lambda k: PERCENT % k,
    "percent of an attribute": lambda k: Kinds.form % (k,),
    "percent by name": lambda k: "%(a)s" % {"a": k},  # noqa: UP031
    "dataclass": lambda k: f"{Pair(1, [k])}",
    "counter": lambda k: str(collections.Counter({"a": k})),
    "isscalar": lambda k: np.isscalar(k),
    "singledispatch": lambda k: kind(k),
    "singledispatchmethod": lambda k: Kinds().kind(k),
}


@pytest.mark.parametrize("use", USES)
def test_what_tells_a_chosen_number_from_a_tensor_is_refused(use):
    ask = USES[use]

    @fg.function
    def traced(x):
        k = 1 if x > 0 else 2
        return ask(k)

    with pytest.raises(fg.errors.StagingError, match="which distinguishes a Python number") as info:
        traced(fg.constant(1))
    assert f"{__file__}:" in str(info.value)


def test_the_class_of_a_number_that_all_branches_leave_is_known():
    @fg.function
    def traced(x):
        k, mixed, truth = 1, 1, True
        if x > 0:
            k, mixed, truth = 2, 2.5, False
        classes = k.__class__ is int, type(truth) is bool, type(k) is bool, isinstance(truth, int)
        among = isinstance(mixed, (int, float)), isinstance(mixed, str), isinstance(k, float)
        return classes, among

    for x in (1, -1):
        assert traced(fg.constant(x)) == ((True, True, False, True), (True, False, False))


def test_a_number_or_a_tensor_is_refused():
    @fg.function
    def traced(x):
        k = 1 if x > 0 else x
        return isinstance(k, int)

    with pytest.raises(fg.errors.StagingError, match="which distinguishes a Python number"):
        traced(fg.constant(1))


def test_the_text_of_an_object_that_holds_a_number():
    traced = fg.function(lambda x: str(Slotted(1 if x > 0 else 2)))
    for x in (1, -1):
        assert traced(fg.constant(x)).numpy().decode() == str(Slotted(1 if x > 0 else 2))


def shown(x):
    k = 1 if x > 0 else 2
    text = str([3, {"a": 4}]) + f"{Pair(5)}" + "%s" % [6] + str(Slotted(7))
    return k + len(text), kind([x]), Kinds().kind([x]), x.__class__ is int, kind(None), kind(5)


def test_others_are_shown_and_told_apart_as_ever():
    for value in (3, -3):
        x = fg.constant(value)
        assert list(map(int, fg.function(shown)(x))) == list(map(int, shown(x)))
