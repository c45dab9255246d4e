"""Loops whose iterations need what only the one before sets, where the first certainly runs.

The right value is what plain Python gives for the same function called eagerly. TensorFlow 2.21
refuses these (ValueError: a name is undefined, or None, before the loop).
"""

import ferrograph as fg
import pytest

XS = [1.0, 3.0, 6.0, 2.0]


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.numpy().tolist() if hasattr(value, "numpy") else value


def both(f, *args):
    wanted = plain(f(*args))
    assert plain(fg.function(f)(*args)) == wanted
    return wanted


def test_a_name_that_the_first_iteration_sets():
    def f(x):
        total = x
        for i in fg.range(3):
            if i == 0:
                base = x * 2.0
            total = total + base
        return total

    assert both(f, fg.constant(2.0)) == 14.0


def test_a_name_that_the_first_iteration_of_a_while_sets():
    def f(x):
        i, total = fg.constant(0), x
        while i < 4:
            if i < 1:
                base, scale = x, fg.constant(3.0)
            total = total + base * scale
            scale = scale + 1.0
            i += 1
        return total, scale

    assert both(f, fg.constant(1.0)) == [19.0, 7.0]


@pytest.mark.parametrize("kind", ["rows", "range", "enumerate", "dataset", "zip"])
def test_none_before_a_loop(kind):
    def rows(xs):
        prev, total = None, fg.constant(0.0)
        for x in xs:
            if prev is not None:
                total = total + (x - prev) ** 2
            prev = x
        return total, prev

    def counted(xs):
        prev, total = None, fg.constant(0.0)
        for i in fg.range(4):
            x = xs[i]
            prev = x if prev is None else prev * 0.5 + x
            total = total + prev
        return total

    def enumerated(xs):
        prev, total = None, fg.constant(0.0)
        for i, x in enumerate(xs):
            if prev is not None:
                total = total + fg.cast(i, fg.float32) * (x - prev)
            prev = x
        return total

    def of_a_dataset(xs):
        prev, total = None, fg.constant(0.0)
        for x in fg.data.Dataset.from_tensor_slices(XS):
            if prev is None:
                prev = x
            total = total + x * prev
            prev = x
        return total

    def zipped(xs):
        last, total = None, fg.constant(0.0)
        for x, y in zip(xs, xs * 2.0, strict=False):
            if last is not None:
                total += last[0] * y - last[1] * x
            last = (x, y)
        return total

    functions = {
        "rows": rows, "range": counted, "enumerate": enumerated, "dataset": of_a_dataset,
        "zip": zipped,
    }  # fmt: skip
    both(functions[kind], fg.constant(XS))


def test_none_before_a_while():
    def f(xs):
        prev, total, i = None, fg.constant(0.0), fg.constant(0)
        while i < 4:
            if prev is not None:
                total += xs[i] - prev
            prev = xs[i]
            i += 1
        return total

    assert both(f, fg.constant(XS)) == 1.0


def test_an_attribute_that_is_none_before_a_loop():
    class Filter:
        def __init__(self):
            self.state = None

        def step(self, x):
            self.state = x if self.state is None else self.state * 0.5 + x
            return self.state

    def f(xs):
        one, total = Filter(), fg.constant(0.0)
        for x in xs:
            total += one.step(x)
        return total, one.state

    both(f, fg.constant(XS))


def test_in_a_nest():
    def f(xs):
        total = fg.constant(0.0)
        for i in fg.range(2):
            prev = None
            for x in xs:
                if prev is not None:
                    total += (x - prev) * fg.cast(i + 1, fg.float32)
                prev = x
            if i == 0:
                first = prev
            total += first
        return total

    both(f, fg.constant(XS))


def test_the_first_iteration_leaves_the_loop():
    def f(x):
        found = None
        for _ in fg.range(5):
            if found is not None and found > 10.0:
                break
            found = x if found is None else found * 2.0
        return found

    for start in (1.0, 11.0):
        both(f, fg.constant(start))


def test_gradients_of_the_first_iteration():
    def f(xs):
        prev, total = None, fg.constant(0.0)
        for x in xs:
            if prev is not None:
                total = total + (x - prev) ** 2
            prev = x
        return total

    xs = fg.constant(XS)
    slopes = []
    for function in (f, fg.function(f)):
        with fg.GradientTape() as tape:
            tape.watch(xs)
            y = function(xs)
        slopes.append(plain(fg.convert_to_tensor(tape.gradient(y, xs))))
    assert slopes[0] == slopes[1]


def test_what_may_run_no_iteration_is_refused():
    @fg.function
    def f(x, n):
        for i in fg.range(n):
            if i == 0:
                base = x
            x = x + base
        return x

    with pytest.raises(ValueError, match="'base' is set in the `if` branch"):
        f(fg.constant(1.0), fg.constant(3))

    @fg.function
    def g(xs, n):
        prev = None
        for x in xs[:n]:
            prev = x if prev is None else prev + x
        return prev

    with pytest.raises(ValueError, match="'prev' is None before this loop"):
        g(fg.constant(XS), fg.constant(2))


def test_what_a_later_test_sets_is_refused():
    @fg.function
    def f(x):
        for i in fg.range(3):
            if i == 1:
                base = x
            x = x + base
        return x

    with pytest.raises((ValueError, NameError), match="base"):
        f(fg.constant(1.0))


def test_a_name_that_only_a_function_made_in_the_loop_reads():
    """A loop that runs no iteration leaves the name unset, and nobody asks for it."""

    def f(n):
        total = fg.constant(0)
        for i in fg.range(n):
            y = i * 2

            def twice():
                return y  # noqa: B023

            total += twice()
        return total

    def g(n):
        total = fg.constant(0)
        for i in fg.range(n):
            z = i + 1
            total += (lambda: z * z)()
        return total

    def h(n):
        total, i = fg.constant(0), fg.constant(0)
        while i < n:
            y = i * 3
            total += sum([y + k for k in (1, 2)]) + sum(y * k for k in (1, 2))
            i += 1
        return total

    def k(n):
        total = fg.constant(0)
        for i in fg.range(n):
            w = i * i
            total += fg.cond(w > 1, lambda: w, lambda: -w)  # noqa: B023
        return total

    for function in (f, g, h, k):
        for n in (0, 3):
            both(function, fg.constant(n))


def test_a_function_from_before_the_loop_reads_a_name():
    @fg.function
    def f(n):
        def read():
            return y

        for i in fg.range(n):
            y = i * 2
        return read()

    assert int(f(fg.constant(3))) == 4
    with pytest.raises(fg.errors.InvalidArgumentError, match="y was never set"):
        f(fg.constant(0))
