"""An argument of a wrong Python type is named, with the function, for every public function.

Each argument of a call that succeeds is replaced by values that hardly any function takes. Where
the call is refused, the message names function and parameter; where an operation refuses data that
is a tensor of strings, it names itself.
"""

import re

import ferrograph as fg
import pytest
from valid_calls import calls

TURNS = 8
# Calls in which the message does not name function or parameter, or the error is another one than
# a TypeError or ValueError: mostly of functions that take functions or structures, and of names
# that come in as `**kwargs`. No more may come.
MOST_UNNAMED = 145


class Thing:
    """An object of a class that nothing knows."""


def function(x):
    return x


def wrong_values(parameter, value):
    """Values of no kind that a parameter may take."""
    yield from ({}, Thing(), function)
    if parameter.name == "name" or isinstance(value, str):
        yield 3
    elif isinstance(value, (int, float)) and "TensorLike" not in str(parameter.annotation):
        yield "x"
    if "dtype" in parameter.name:
        yield []


def unnamed(name, call):
    """The calls of a function with a wrong argument whose errors do not name it."""
    for parameter in call.parameters:
        value = call.bound().arguments[parameter.name]
        for wrong in wrong_values(parameter, value):
            try:
                call.run(**{parameter.name: wrong})
            except fg.errors.OpError:
                continue
            except Exception as e:
                if not is_named(call.function.__name__, parameter.name, e):
                    yield f"{name} {parameter.name}={wrong!r:.20}: {type(e).__name__}: {e}"[:200]


def is_named(function, parameter, error):
    text = str(error)
    named = function in text and re.search(rf"\b{parameter}\b", text)
    return bool(named) and isinstance(error, (TypeError, ValueError))


def test_wrong_kinds_of_arguments_are_named():
    found = [text for name, call in calls().items() for text in unnamed(name, call)]
    assert len(found) <= MOST_UNNAMED, "\n".join(found)


X = fg.constant([[1.0, 2.0], [3.0, 4.0]])
CALLS = {
    "argument 'axis' of stack": lambda: fg.stack([X, X], axis={}),
    "argument 'x' of add": lambda: fg.add({}, 1.0),
    "argument 'y' of add": lambda: fg.add(X, object()),
    "argument 'name' of add": lambda: fg.add(X, X, name=3),
    "argument 'name' of reduce_sum": lambda: fg.reduce_sum(X, name=3),
    "argument 'dtype' of cast": lambda: fg.cast(X, []),
    "argument 'shape' of zeros": lambda: fg.zeros(object()),
    "argument 'data_format' of conv2d": lambda: fg.nn.conv2d(
        fg.ones([1, 4, 4, 1]), fg.ones([2, 2, 1, 1]), 1, "SAME", data_format={}
    ),
    "argument 'padding' of max_pool2d": lambda: fg.nn.max_pool2d(
        fg.ones([1, 4, 4, 1]), 2, 2, padding=object()
    ),
    "unstack: num": lambda: fg.unstack(X, num=object()),
}


@pytest.mark.parametrize("named", CALLS)
@pytest.mark.parametrize("wrap", [lambda f: f, fg.function], ids=["eager", "traced"])
def test_messages_begin_with_function_and_parameter(named, wrap):
    with pytest.raises((TypeError, ValueError), match=named):
        wrap(CALLS[named])()


def test_errors_of_the_programs_own_functions_stay_as_they_are():
    def fails(x):
        raise TypeError("x is mine")

    with pytest.raises(TypeError, match="^x is mine$"):
        fg.signal.stft(fg.ones([8]), 4, 2, window_fn=lambda *a, **k: fails(1))
