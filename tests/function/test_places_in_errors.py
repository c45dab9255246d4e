"""Errors of this package that end a trace name the line of the program's that led to them; those
of the program, and of Python within it, stay as they are."""

import re

import ferrograph as fg
import numpy as np
import pytest

V = fg.Variable([1.0, 2.0])


def choose(x):
    return fg.numpy_function(lambda a: a, x, fg.float32)


def an_index(x):
    return [1, 2, 3][x[0]]


def iterate(x):
    return dict(x[: fg.cast(x[0], fg.int32)])


def numpys(x):
    return np.sum(x)


def map_dtypes(x):
    return fg.map_fn(lambda row: fg.cast(row, fg.int32), x)


def map_a_scalar(x):
    return fg.map_fn(lambda row: row, x[0])


def scan_dtypes(x):
    return fg.scan(lambda total, row: fg.cast(total, fg.int32), x)


def fold_structures(x):
    return fg.foldl(lambda total, row: (total, row), x)


def array_dtypes(x):
    return fg.TensorArray(fg.int32, 2).write(0, x).stack()


def ranks(x):
    return fg.debugging.assert_rank(x, 2)


def assigned_shapes(x):
    return V.assign(x)


def keys(x):
    return x["a"]


def wrong_kinds(x):
    return fg.reduce_sum(x, keepdims={})


def a_set(x):
    return {1, 2}


PROGRAMS = [
    *(choose, an_index, iterate, numpys, map_dtypes, map_a_scalar, scan_dtypes, fold_structures),
    *(array_dtypes, ranks, assigned_shapes, keys, wrong_kinds, a_set),
]


@pytest.mark.parametrize("function", PROGRAMS)
def test_the_line_is_named_once(function):
    with pytest.raises((TypeError, ValueError, NotImplementedError)) as caught:
        fg.function(function)(fg.constant([1.0, 2.0, 3.0]))
    first = function.__code__.co_firstlineno
    found = re.findall(rf"^  {re.escape(__file__)}:(\d+)", str(caught.value), re.M)
    assert len(found) == 1 and first <= int(found[0]) <= first + 1, str(caught.value)


def own_text(error):
    """The message of an error without the notes that are added to it: before Python 3.11 these
    stand at its end."""
    text = str(error)
    return text if hasattr(error, "add_note") else text.partition("\nraised while ")[0]


def test_the_line_is_shown_with_a_caret():
    with pytest.raises(TypeError) as caught:
        fg.function(lambda x: map_dtypes(x))(fg.constant([1.0]))
    line = "return fg.map_fn(lambda row: fg.cast(row, fg.int32), x)"
    said = str(caught.value).splitlines()
    at = said.index(f"    {line}")
    assert said[at + 1] == f"    {'^' * len(line)}"


def fails(x):
    raise ValueError("mine")


PYTHONS = {
    "mine": fails,
    "invalid literal for int() with base 10: 'q'": lambda x: int("q"),
    "object of type 'int' has no len()": lambda x: len(3),
    "'int' object is not iterable": lambda x: list(3),
    'can only concatenate str (not "int") to str': lambda x: "a" + 1,
    "isinstance() arg 2 must be a type, a tuple of types, or a union": lambda x: isinstance(3, 3),
}


@pytest.mark.parametrize("text", PYTHONS)
@pytest.mark.parametrize("within", [lambda f, x: f(x), lambda f, x: fg.map_fn(f, x)])
def test_other_errors_stay_as_they_are(text, within):
    function = PYTHONS[text]
    with pytest.raises((TypeError, ValueError)) as caught:
        fg.function(lambda x: within(function, x))(fg.constant([1.0, 2.0]))
    assert own_text(caught.value) == text


LONG = "q" * 3000


def test_values_in_refusals_are_short():
    def returned(x):
        return {LONG}

    def replaced(x):
        found = LONG
        for _ in fg.range(3):
            found = [found]
        return found

    for function in (returned, replaced):
        with pytest.raises((TypeError, ValueError)) as caught:
            fg.function(function)(fg.constant(1))
        assert "q" * 201 not in str(caught.value)
