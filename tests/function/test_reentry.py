"""A function called by a signal handler, wherever in its own first call that comes."""

import sys
import types

import ferrograph as fg
import pytest

SOURCE = """
import ferrograph as fg

@fg.function
def power(x):
    y = x
    for _ in fg.range(5):
        y = y * x
    return y
"""


class _At:
    """Runs ``handler`` where the n-th Python function of a block starts, as signals would."""

    def __init__(self, n, handler):
        self.n, self.count, self.handler = n, 0, handler

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self._step)
        return self

    def __exit__(self, *_):
        sys.settrace(self.before)

    def _step(self, frame, event, arg):
        self.count += 1
        if self.count == self.n:
            sys.settrace(self.before)
            self.handler()


def _calls(path, n):
    """The first calls of a function, with one by a handler in the midst of them; how many Python
    functions they start."""
    path.write_text(SOURCE)
    module = types.ModuleType("reentered")
    exec(compile(SOURCE, str(path), "exec"), vars(module))
    found = []

    def handler():
        with fg.init_scope():
            found.append(float(module.power(fg.constant(2.0))))

    with _At(n, handler) as at:
        results = [module.power(fg.fill([size], 2.0)) for size in (2, 3, 4)]
    assert [r.numpy().tolist() for r in results] == [[64.0] * size for size in (2, 3, 4)]
    assert found == [64.0] * (at.count >= n)
    return at.count


@pytest.mark.parametrize("offset", range(4))
def test_a_handler_calls_the_function_that_is_being_traced(tmp_path, offset):
    n, step = offset + 1, 20
    while _calls(tmp_path / f"power_{n}.py", n) >= n:
        n += step
    assert n > 20 * step


def test_a_handler_comes_where_a_trace_is_kept(tmp_path):
    count = _calls(tmp_path / "power.py", 10**9)
    for n in range(count - 120, count):
        _calls(tmp_path / f"power_{n}.py", n)


def test_a_stack_that_callers_filled_is_no_fault_of_the_text():
    def positive(x):
        if x > 0:
            return x
        return -x

    def deep(n, f):
        return deep(n - 1, f) if n else f(fg.constant(-1.0))

    ended = 0
    for room in range(20, 220, 2):
        anew = types.FunctionType(positive.__code__.replace(), globals())
        f = fg.function(anew)
        try:
            assert float(deep(sys.getrecursionlimit() - room, f)) == 1.0
        except RecursionError:
            ended += 1
        assert float(f(fg.constant(-1.0))) == 1.0
    assert 10 < ended < 100
