"""Printing and assertions, eagerly and in functions."""

import ferrograph as fg
import numpy as np
import pytest

debugging = fg.debugging
X = [1.0, 2.0]


def lines(tmp_path, program):
    """What a program prints to the stream it is given, run eagerly and as a function."""
    written = []
    for i, run in enumerate((program, fg.function(program, autograph=False))):
        path = tmp_path / f"{i}.txt"
        run(f"file://{path}")
        written.append(path.read_text())
    assert written[0] == written[1]
    return written[0]


def test_print_shows_structures(tmp_path):
    x = fg.constant(3)

    def program(out):
        fg.print(x, [x, 7], {"k": x}, (x,), "s", 1.5, None, sep="|", end="<\n", output_stream=out)

    assert lines(tmp_path, program) == "3|[3, 7]|{'k': 3}|(3,)|s|1.5|None<\n"


def test_print_shortens_long_axes(tmp_path):
    def program(out):
        fg.print(fg.range(10), summarize=2, output_stream=out)
        fg.print(fg.range(10), output_stream=out)
        fg.print(fg.range(4), summarize=-1, output_stream=out)

    assert lines(tmp_path, program) == "[0 1 ... 8 9]\n[0 1 2 ... 7 8 9]\n[0 1 2 3]\n"


def test_print_of_one_string_is_bare(tmp_path):
    def program(out):
        fg.print(fg.constant("a b"), output_stream=out)
        fg.print(fg.constant(["a", "b"]), output_stream=out)

    assert lines(tmp_path, program) == 'a b\n["a" "b"]\n'


def test_print_goes_to_the_error_stream(capsys):
    fg.print("to the error stream", fg.constant(1))
    assert capsys.readouterr().err == "to the error stream 1\n"


def test_print_refuses_streams_and_keywords():
    with pytest.raises(ValueError, match="output_stream"):
        fg.print(1, output_stream="nowhere")
    with pytest.raises(TypeError, match="colour"):
        fg.print(1, colour="red")


VALUES = {
    "equal": lambda x: debugging.assert_equal(x, 1.0),
    "none_equal": lambda x: debugging.assert_none_equal(x, 2.0),
    "less": lambda x: debugging.assert_less(x, 2.0),
    "less_equal": lambda x: debugging.assert_less_equal(x, 1.5),
    "greater": lambda x: debugging.assert_greater(x, 1.0),
    "greater_equal": lambda x: debugging.assert_greater_equal(x, 1.5),
    "positive": lambda x: debugging.assert_positive(x - 1.0),
    "negative": lambda x: debugging.assert_negative(x),
    "non_negative": lambda x: debugging.assert_non_negative(x - 1.5),
    "non_positive": lambda x: debugging.assert_non_positive(x),
    "near": lambda x: debugging.assert_near(x, [1.0, 2.1]),
    "Assert": lambda x: debugging.Assert(fg.reduce_all(x > 1.0), ["told", x]),
    "check_numerics": lambda x: debugging.check_numerics(x / 0.0, "told"),
}


@pytest.mark.parametrize("name", VALUES)
def test_value_assertions_fail_when_run(name):
    check = VALUES[name]
    with pytest.raises(fg.errors.InvalidArgumentError):
        check(fg.constant(X))
    spec = fg.TensorSpec([None])
    traced = fg.function(lambda x: (check(x), x)[1], input_signature=[spec], autograph=False)
    traced.get_concrete_function()
    with pytest.raises(fg.errors.InvalidArgumentError):
        traced(X)


def test_assertions_that_hold_are_silent():
    x = fg.constant(X)
    debugging.assert_equal(x, X)
    debugging.assert_near(x, [1.0, 2.0000001])
    debugging.assert_less(x, 3.0, message="told")
    debugging.assert_shapes([(x, ("N",)), (fg.zeros([3, 2]), (3, "N"))])
    debugging.assert_shapes([(x, (..., 2)), (x, ("*", "."))])
    debugging.assert_rank_in(x, (0, 1))
    debugging.assert_proper_iterable([x])
    assert debugging.assert_same_float_dtype([x]) == fg.float32
    assert debugging.is_numeric_tensor(x)
    np.testing.assert_array_equal(debugging.check_numerics(x, ""), X)


def test_a_message_tells_what_was_compared():
    with pytest.raises(fg.errors.InvalidArgumentError, match="(?s)my message.*x < y"):
        debugging.assert_less(fg.constant(X), 2.0, message="my message")


SHAPES = {
    "rank": (ValueError, lambda x: debugging.assert_rank(x, 2)),
    "rank_at_least": (ValueError, lambda x: debugging.assert_rank_at_least(x, 2)),
    "rank_in": (ValueError, lambda x: debugging.assert_rank_in(x, (0, 2))),
    "scalar": (ValueError, lambda x: debugging.assert_scalar(x)),
    "shapes": (ValueError, lambda x: debugging.assert_shapes([(x, (3,))])),
    "type": (TypeError, lambda x: debugging.assert_type(x, fg.int32)),
    "integer": (TypeError, lambda x: debugging.assert_integer(x)),
    "same_float_dtype": (ValueError, lambda x: debugging.assert_same_float_dtype([x], fg.float64)),
    "proper_iterable": (TypeError, lambda x: debugging.assert_proper_iterable(x)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_known_fails_at_once(name):
    error, check = SHAPES[name]
    with pytest.raises(error):
        check(fg.constant(X))
    with pytest.raises(error):
        fg.function(check, autograph=False).get_concrete_function(fg.TensorSpec([2]))


@pytest.mark.parametrize("name", ["rank", "rank_at_least", "rank_in", "shapes"])
def test_what_is_unknown_fails_when_run(name):
    _, check = SHAPES[name]
    spec = fg.TensorSpec([None] if name == "shapes" else None)
    traced = fg.function(lambda x: (check(x), x)[1], input_signature=[spec], autograph=False)
    traced.get_concrete_function()
    with pytest.raises(fg.errors.InvalidArgumentError):
        traced(X)
