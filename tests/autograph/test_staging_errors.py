"""Errors of staged code: what is wrong, the user's line with a caret, the rewrite; user frames."""

# ruff: noqa: RET503, RET505, SIM108, F821, F841 - the functions under test are wrong on purpose

import inspect
import itertools
import traceback

import ferrograph as fg
import pytest


def one_branch(x):
    if x > 0:
        y = x
    return y  # set in one branch


def dtypes(x):
    if x > 0:
        y = x
    else:
        y = 1.5
    return y


def structures(x):
    return (x, x) if x > 0 else x  # fails


def python_loop(x):
    for i in itertools.count():  # fails
        if x == i:
            break
    return x


def loop_shape(x):
    while x[0] < 3:  # fails
        x = fg.concat([x, x], 0)
    return x


def loop_read(x):
    while x < 5:  # fails
        x = x + missing_before
        missing_before = x
    return x


def comprehension(x):
    return {v for v in (1, 2) if v > x}  # fails


def wrong_shape(x):
    for _ in range(2):
        if x.dtype == fg.int32:
            x = fg.reshape(x, [7, 7])  # fails
    return x


def python_error(x):
    while fg.reduce_sum(x) < 3:
        x = x + {}["key"]  # fails
    return x


def own_exception(x):
    helper_that_raises(x)
    return x


class OwnError(Exception):
    def __init__(self, code, *, detail):
        super().__init__(code)
        self.detail = detail


raised = OwnError(3, detail="kept")


def helper_that_raises(x):
    if x.dtype == fg.int32:
        raise raised  # fails


def name_error(x):
    return x and unknown_name  # fails


def attribute_error(x):
    for _ in fg.range(3):
        x = x.nothing_of_that_name  # fails
    return x


FAILURES = [
    (one_branch, 1, ValueError, "if x > 0:"),
    (dtypes, 1, TypeError, "if x > 0:"),
    (structures, 1, TypeError, None),
    (python_loop, 1, TypeError, None),
    (python_loop, 1, NotImplementedError, None),
    (loop_shape, [1], ValueError, None),
    (loop_read, 1, ValueError, None),
    (comprehension, 1, fg.errors.StagingError, None),
    (wrong_shape, 1, ValueError, None),
    (python_error, 1, KeyError, None),
    (own_exception, 1, OwnError, None),
    (name_error, 1, NameError, None),
    (attribute_error, 1, AttributeError, None),
]


def failing_line(f, text):
    lines, first = inspect.getsourcelines(helper_that_raises if f is own_exception else f)
    found = [i for i, line in enumerate(lines) if (text or "# fails") in line]
    return first + found[0]


@pytest.mark.parametrize(("f", "argument", "kind", "text"), FAILURES)
def test_the_last_frame_is_the_users_line(f, argument, kind, text):
    with pytest.raises(kind) as info:
        fg.function(f)(fg.constant(argument))
    frames = traceback.extract_tb(info.value.__traceback__)
    assert {frame.filename for frame in frames} == {__file__}
    assert frames[-1].lineno == failing_line(f, text)
    names = [frame.name for frame in frames[1:] if frame.name != "<setcomp>"]
    assert names == ([f.__name__, "helper_that_raises"] if f is own_exception else [f.__name__])


def test_a_message_has_the_reason_the_line_and_the_rewrite():
    with pytest.raises(TypeError) as info:
        fg.function(python_loop)(fg.constant(1))
    first, place, source, caret, rewrite = str(info.value).splitlines()
    assert first.startswith("this `for` loop iterates over Python values")
    assert place == f"  {__file__}:{failing_line(python_loop, None)}:5"
    assert source.strip() == "for i in itertools.count():  # fails"
    assert caret.strip() == "^" * len(source.strip())
    assert (
        rewrite == "Make the loop itself run on a tensor, for example `for i in fg.range(n)`:."
        or ("fg.range(n)" in rewrite)
    )


def test_the_exception_is_the_one_that_was_raised():
    with pytest.raises(OwnError) as info:
        fg.function(own_exception)(fg.constant(1))
    assert info.value is raised
    assert info.value.detail == "kept"


def test_all_frames_can_be_shown(run_python):
    program = """
        import traceback
        import ferrograph as fg

        @fg.function
        def f(x):
            return x + {}["key"]

        def files():
            try:
                f(fg.constant(1))
            except KeyError as e:
                return [frame.filename for frame in traceback.extract_tb(e.__traceback__)]

        assert fg.debugging.is_traceback_filtering_enabled()
        assert not any("ferrograph" in name for name in files()), files()
        fg.debugging.disable_traceback_filtering()
        assert any("ferrograph" in name for name in files())
    """
    run_python(program)


def test_an_error_when_the_graph_runs_names_the_line():
    @fg.function
    def f(x):
        if x < 0:
            raise ValueError("negative")  # here
        return x

    line = inspect.getsourcelines(f.python_function)[1] + 3
    assert int(f(fg.constant(1))) == 1
    with pytest.raises(fg.errors.InvalidArgumentError, match=f"ValueError: negative(.|\n)*:{line}"):
        f(fg.constant(-1))
