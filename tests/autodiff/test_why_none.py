"""``tape.why_none``: the first place that lets no gradient through, eagerly and in functions."""

import inspect

import ferrograph as fg
import pytest


def line_of(function, text):
    """The line of a function that holds a text."""
    lines, first = inspect.getsourcelines(function)
    return next(first + i for i, line in enumerate(lines) if text in line)


def cast(x):
    y = fg.cast(x, fg.int32)
    return fg.cast(y * 2, fg.float32)


def compared(x):
    z = fg.cast(x > 1.0, fg.float32)
    return z * 3.0


def stopped(x):
    y = x * 2.0
    z = fg.stop_gradient(y)
    return z + 1.0


def undefined(x):
    y = fg.image.draw_bounding_boxes(
        fg.reshape(x, [1, 1, 1, 1]), fg.zeros([1, 1, 4]), fg.zeros([1, 4])
    )
    return fg.reduce_sum(y)


def left(x):
    y = fg.numpy_function(lambda a: a * a.dtype.type(2), [x], fg.float32)  # for NumPy 1, too
    return y * 1.0


def in_branch(x):
    return fg.cond(x > 0.0, lambda: fg.stop_gradient(x) * 2.0, lambda: fg.constant(1.0))


def in_loop(x):
    return fg.while_loop(
        lambda i, s: i < 3,
        lambda i, s: (i + 1, s + fg.stop_gradient(x)),
        (0, fg.constant(0.0)),
    )[1]


@fg.function
def called(x):
    return fg.stop_gradient(x) + 1.0


CASES = [
    (cast, "no gradient of its dtype", "fg.cast(x"),
    (compared, "no gradient of its dtype", "x > 1.0"),
    (stopped, "stop_gradient", "stop_gradient"),
    (undefined, "no gradient defined", "draw_bounding"),
    (left, "left as NumPy", "numpy_function"),
    (in_branch, "stop_gradient", "stop_gradient"),
    (in_loop, "stop_gradient", "stop_gradient"),
]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(("program", "reason", "text"), CASES)
def test_the_first_break_by_its_line(program, reason, text, traced):
    found = []

    def run(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = program(x)
        if reason != "no gradient defined":
            assert tape.gradient(y, x) is None
        found.append(tape.why_none(y, x))
        return y

    (fg.function(run) if traced else run)(fg.constant(2.0))
    assert found[-1].reason == reason
    assert found[-1].file == __file__ and found[-1].line == line_of(program, text)
    assert f"test_why_none.py:{found[-1].line}" in str(found[-1])


def test_breaks_inside_called_functions():
    x = fg.Variable(1.0)
    with fg.GradientTape() as tape:
        y = called(x) * 2.0
    assert tape.gradient(y, x) is None
    why = tape.why_none(y, x)
    assert why.reason == "stop_gradient" and why.line == line_of(called.python_function, "stop_")


def test_what_is_not_watched_or_no_path():
    x, w, v = fg.constant(1.0), fg.Variable(2.0, trainable=False), fg.Variable(3.0)
    with fg.GradientTape(persistent=True) as tape:
        y = x * w * v
        z = v * 2.0
    assert tape.why_none(y, x).reason == tape.why_none(y, w).reason == "not watched"
    assert tape.why_none(y, v) is None
    assert tape.why_none(x, v).reason == "no path"
    assert tape.why_none(z, fg.constant(1)).about == "int32"


def test_values_that_left_for_numpy():
    x = fg.constant([1.0, 2.0])
    with fg.GradientTape() as tape:
        tape.watch(x)
        hidden = x * 2.0
        array = hidden.numpy()
        y = fg.reduce_sum(array) * 2.0
    assert tape.gradient(y, x) is None
    why = tape.why_none(y, x)
    here = test_values_that_left_for_numpy
    assert why.reason == "left as NumPy" and why.line == line_of(here, "hidden.numpy()")


def test_a_tape_that_recorded_nothing_has_forgotten_nothing():
    x, y = fg.constant(1.0), fg.constant(2.0)
    with fg.GradientTape() as tape:
        tape.watch(x)
        stopped = fg.stop_gradient(x) * 2.0
    assert tape.why_none(stopped, x).reason == "stop_gradient"
    assert tape.why_none(y, x).reason == "no path"
    assert tape.why_none(x, y).reason == "not watched"


def test_a_tape_that_has_forgotten_says_so():
    x = fg.Variable(1.0)
    with fg.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="persistent"):
        tape.why_none(y, x)
