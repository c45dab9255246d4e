"""What ``inspect`` tells of functions that are traced."""

import functools
import inspect

import ferrograph as fg
import pytest


class Model:
    @fg.function
    def call(self, x, training=None, *rest, k=1, **more):
        return x


@fg.function
def double(x, y=2):
    return x * y


class Scaled:
    def __call__(self, x, by=1):
        return x * by


CASES = [
    (Model().call, "(x, training=None, *rest, k=1, **more)"),
    (Model.call, "(self, x, training=None, *rest, k=1, **more)"),
    (double, "(x, y=2)"),
    (functools.partial(double, 1), "(y=2)"),
    (functools.wraps(double)(lambda *a: a), "(x, y=2)"),
    (fg.function(Scaled()), "(x, by=1)"),
]


@pytest.mark.parametrize(("traced", "signature"), CASES)
def test_signature(traced, signature):
    assert str(inspect.signature(traced)) == signature


def test_full_specification_of_arguments():
    assert inspect.getfullargspec(Model().call).args == ["x", "training"]
    assert inspect.getfullargspec(Model.call).args == ["self", "x", "training"]
    assert inspect.getfullargspec(double) == inspect.getfullargspec(double.python_function)
    assert inspect.getfullargspec(Model().call).kwonlydefaults == {"k": 1}


def test_the_classes_themselves_have_no_such_signature():
    assert "python_function" in inspect.signature(type(double)).parameters
