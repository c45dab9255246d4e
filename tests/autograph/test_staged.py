"""Programs on tensors: staged they give what they give eagerly and as plain Python."""

# ruff: noqa: RET503, RET504, RET505, RET506, B905, SIM102, SIM108, C417 - as users write

import ferrograph as fg
import pytest


def plain(value):
    """Tensors as Python values."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value.numpy().tolist() if hasattr(value, "numpy") else value


def agree(f, *calls):
    """Check ``f`` staged, run eagerly on tensors, and, for scalars, as plain Python."""
    staged = fg.function(f)
    for args in calls:
        tensors = [fg.constant(a) for a in args]
        expected = plain(f(*tensors))
        assert plain(staged(*tensors)) == expected
        if not any(isinstance(a, list) for a in args):
            assert plain(f(*args)) == expected


def refuses(f, *args, error=ValueError, match=None):
    with pytest.raises(error, match=match) as info:
        fg.function(f)(*[fg.constant(a) for a in args])
    return info.value


def test_if_elif_else():
    def f(x):
        if x > 10:
            y = x - 10
        elif x > 0:
            y = x
        else:
            y = -x
        return y + 1

    agree(f, (12,), (5,), (-5,))


def test_guard_clauses_and_a_last_return():
    def f(x):
        if x > 10:
            return 2
        elif x > 5:
            return 1
        if x == 3:
            x = x * 100
        if x < 0:
            return -x
        return x

    agree(f, (11,), (7,), (3,), (-4,), (1,))


def test_a_return_deep_inside_and_code_after_it():
    def f(x, y):
        z = 0
        if x > 0:
            if y > 0:
                return x + y
            z = x
        z = z + 1
        if y > 5:
            z = z + 10
        return z

    agree(f, (1, 1), (1, -1), (-1, 9), (-1, 1))


def test_a_return_inside_with_and_try():
    def f(x):
        with fg.name_scope("outer"):
            if x > 0:
                return x
            x = x - 1
        try:
            if x < -10:
                return -100
        finally:
            x = x * 2
        return x

    agree(f, (5,), (-3,), (-50,))


def test_while_with_break_continue_and_else():
    def f(n, stop):
        i, s = 0, 0
        while i < n:
            i += 1
            if i % 3 == 0:
                continue
            if s > stop:
                break
            s += i
        else:
            s = -s
        return i, s

    agree(f, (10, 5), (10, 500), (0, 1))


def test_for_over_range_and_tensor():
    def f(xs, n):
        s = 0
        for x in xs:
            if x < 0:
                continue
            s = s * 10 + x
        for i in fg.range(n):
            s += i
        return s

    agree(f, ([1, 2, 3], 4), ([-1], 0))


def test_python_range_of_a_tensor():
    def f(n):
        s = 0
        for i in range(n):
            s += i
        return s

    agree(f, (5,), (0,))


def test_nested_loops_with_a_flag():
    def f(n, target):
        a, b, found = 0, 0, False
        i = 1
        while i < n:
            j = 1
            while j < n:
                if i * j == target:
                    a, b, found = i, j, True
                    break
                j += 1
            if found:
                break
            i += 1
        return a, b, found

    agree(f, (9, 35), (9, 37))


def test_returns_from_staged_loops():
    def f(n, target):
        for i in fg.range(n):
            for j in fg.range(n):
                if i * j == target:
                    return i, j
        return -1, -1

    agree(f, (9, 35), (9, 37), (0, 0))


def test_return_on_a_tensor_from_an_unrolled_loop():
    def f(x):
        for i, k in enumerate((1, 10, 100)):
            if x < k:
                return i
        return 99

    agree(f, (0,), (5,), (50,), (500,))


def test_a_while_that_starts_as_python_goes_on_staged():
    def f(x):
        moved, rounds = 8, 0
        while moved > 1 and rounds < 10:
            moved = moved - x
            rounds += 1
        return moved, rounds

    agree(f, (2,), (100,), (0,))


def test_lazy_logic_and_chains():
    def f(a, b):
        both = a > 0 and 10 // fg.maximum(a, 1) > b
        return both, a > 0 or b > 0, not a > b, 0 < a < b <= 9, 1 if a > b else -1 if a < b else 0

    agree(f, (3, 5), (5, 3), (0, 0), (-1, 2))


def test_membership():
    def f(x):
        if x in (1, 3, 5):
            return 1
        if x not in [2, 4]:
            return 2
        return 3

    agree(f, (3,), (9,), (4,))


def test_walrus():
    def f(x):
        if (y := x * 2) > 10:
            return y
        while (z := x + 1) < 5:
            x = z
        return x + y

    agree(f, (6,), (1,), (4,))


def test_attributes_items_globals_and_nonlocals_are_state():
    class Box:
        pass

    def f(n):
        box, d, total = Box(), {"k": 0, "other": 1}, 0
        box.value = 1

        def add(k):
            nonlocal total
            total = total + k

        for i in fg.range(n):
            add(i)
            box.value = box.value + i
            if i > 1:
                d["k"] = d["k"] + 10
        return box.value, d, total

    agree(f, (4,), (0,))


def test_unpacking_and_comprehensions_over_tensors():
    def f(pair, m):
        a, b = pair
        (p, *q), r = m
        total = 0
        for x, y in m:
            total += x * y
        squares = [x * x for x in pair]
        return a - b, total, p, q, r, squares, {str(i): x for i, x in enumerate(squares)}

    agree(f, ([7, 3], [[1, 2], [3, 4]]))


def test_enumerate_zip_and_reversed():
    def f(xs, ys):
        s = 0
        for i, (x, y) in enumerate(zip(xs, ys)):
            s += (i + 1) * x * y
        for k, x in enumerate(reversed(xs), 5):
            s = s * 2 + k * x
        return s, [(x, y, k) for x, (y, k) in zip([1, 2, 3], zip(ys, xs))]

    agree(f, ([1, 2, 3], [4, 5, 6]))


def test_a_raise_in_a_branch_fires_when_the_branch_runs():
    def f(x):
        if x < 0:
            raise ValueError(f"negative {x.dtype.name}")
        if x > 100:
            y = x
        elif x > 50:
            try:
                raise KeyError
            except KeyError:
                y = x + 1
        else:
            return check(x)
        return y

    def check(x):
        if x == 13:
            raise ValueError("unlucky")
        return x * 2

    staged = fg.function(f)
    assert [plain(staged(fg.constant(v))) for v in (4, 60, 200)] == [8, 61, 200]
    for value, text in ((-1, "ValueError: negative int32"), (13, "ValueError: unlucky")):
        with pytest.raises(fg.errors.InvalidArgumentError, match=text):
            staged(fg.constant(value))


def test_a_raise_whatever_the_branch_is_raised_while_tracing():
    def f(x):
        if x > 0:
            raise KeyError("positive")
        else:
            raise ValueError("negative")

    refuses(f, 1, error=KeyError)


def test_calls_are_converted():
    class Gate:
        def __init__(self, limit):
            self.__limit = limit

        def __call__(self, x):
            if x > self.__limit:
                return x
            return x * 0

        @classmethod
        def flip(cls, x):
            return -x if x > 0 else x

    gate = Gate(2)

    def f(x):
        def inner(y):
            if y > 3:
                return gate(y)
            return Gate.flip(y)

        return inner(x) + sum(map(lambda v: v if v > 0 else 0, [x, -x]))

    agree(f, (5,), (2,), (-2,))


def test_unchanged_names_stay_python():
    seen = []

    @fg.function
    def f(x):
        a, b, c = 1, 2, 3
        if x > 0:
            a = 5
        for _ in fg.range(x):
            b = b + 1
        seen.append([fg.is_tensor(v) for v in (a, b, c)])
        return a + b + c

    assert plain(f(fg.constant(2))) == 12
    assert seen == [[True, True, False]]


def test_locals_of_a_branch_do_not_leak():
    def f(x):
        tmp = 1
        if x > 0:
            tmp = x * 2
            y = tmp
        else:
            y = tmp
        return y

    agree(f, (3,), (-3,))


def test_a_name_first_set_in_a_while_body():
    def f(n):
        while n > 0:
            last = n * 100
            n -= 1
        return last

    agree(f, (3,), (1,))
    with pytest.raises(fg.errors.InvalidArgumentError):
        fg.function(f)(fg.constant(0))


def test_a_none_that_the_body_fills():
    def f(n):
        best = None
        while n > 0:
            best = n * n
            n -= 2
        return best

    agree(f, (5,), (4,))


def test_refusals_of_if():
    def one_branch(x):
        if x > 0:
            y = x
        return y

    def no_value(x):
        if x > 0:
            return x

    def dtypes(x):
        y = fg.constant(1) if x > 0 else fg.constant(1.0)
        return y

    def structures(x):
        if x > 0:
            y = (1, 2)
        else:
            y = (1, 2, 3)
        return y

    def functions(x):
        if x > 0:
            g = abs
        else:
            g = len
        return g(x)

    line = one_branch.__code__.co_firstlineno + 1
    refuses(one_branch, 1, match=rf"'y' is set in the `if` branch(.|\n)*test_staged.py:{line}:9\n")
    refuses(no_value, 1, match="returned")
    refuses(dtypes, 1, error=TypeError, match="int32 and float32")
    refuses(structures, 1, error=TypeError)
    refuses(functions, 1, error=TypeError)
    refuses(one_branch, [1, 2], match="single value")
    agree(lambda x: 1 if x else 2, (3,), (0,))


def test_refusals_of_loops():
    def unset(n):
        while n > 0:
            total = total + n  # noqa: F821
            n -= 1
        return total

    def first_set_in_a_for(n):
        for i in fg.range(n):
            x = i
        return x

    def dtype(n):
        x = fg.constant(0.0)
        for i in fg.range(n):
            x = i
        return x

    def shape(n):
        y = fg.zeros([1])
        while n > 0:
            y = fg.concat([y, y], 0)
            n -= 1
        return y

    refuses(unset, 3, match="'total' is read")
    refuses(first_set_in_a_for, 3, match="'x' is first set in this loop")
    refuses(dtype, 3, error=TypeError, match="'x' changes its dtype")
    refuses(dtype, 3, error=fg.errors.InvalidArgumentError)
    refuses(shape, 3, match="shape_invariants")


@pytest.mark.parametrize("last", ["while", "for"])
def test_names_that_a_loop_at_work_sets_are_there_after_it(last):
    """Where the loop carries values or uses variables; if it runs no iteration it fails."""
    v = fg.Variable(0)

    def counting(n):
        for i in fg.range(n):
            v.assign_add(1)
            x = i * 10
        return x

    def carrying(n):
        total = 0
        for i in fg.range(n):
            total += i
            x, pair = total * 10, [i, total]
        return x + pair[1]

    def looping(n):
        while n > 0:
            x = n * 10
            n -= 1
        return x

    cases = [(looping, 10)] if last == "while" else [(counting, 20), (carrying, 33)]
    for f, expected in cases:
        traced = fg.function(f)
        assert int(traced(fg.constant(3))) == expected
        with pytest.raises(fg.errors.InvalidArgumentError, match="was never set"):
            traced(fg.constant(0))


def test_python_loops_left_on_a_tensor():
    def endless(x):
        while True:
            if x == 0:
                break
            x -= 1
        return x

    def unrolled(x):
        s = 0
        for i in range(5):
            if x == i:
                break
            s += i
        return s

    for f in (endless, unrolled):
        assert [plain(fg.function(f)(fg.constant(v))) for v in (0, 3, 9)][:2] == [f(0), f(3)]


def test_loop_options():
    shapes = []

    @fg.function
    def f(n):
        rows, count = fg.zeros([0], fg.int32), 0
        for i in fg.range(n):
            fg.autograph.experimental.set_loop_options(
                shape_invariants=[(rows, fg.TensorShape([None]))], maximum_iterations=3
            )
            shapes.append(rows.shape.as_list())
            rows = fg.concat([rows, [i]], 0)
            count += 1
        return rows, count

    assert plain(f(fg.constant(2))) == [[0, 1], 2]
    assert plain(f(fg.constant(9))) == [[0, 1, 2], 3]
    assert shapes == [[None]]


def test_tests_and_bodies_run_as_often_as_in_python():
    checks, bodies = fg.Variable(0), []

    def more(i, n):
        checks.assign_add(1)
        return i < n

    @fg.function
    def f(n):
        i = 0
        while more(i, n):
            bodies.append(i)
            i += 1
        return i

    assert plain(f(fg.constant(4))) == 4
    assert plain(checks) == 5
    assert len(bodies) == 1


def test_do_not_convert_and_to_graph():
    def callee(x):
        try:
            return 1 if x > 0 else 2
        except TypeError:
            return 3

    unconverted = fg.autograph.experimental.do_not_convert(callee)
    deep = fg.autograph.to_graph(lambda x: callee(x))
    shallow = fg.autograph.to_graph(lambda x: callee(x), recursive=False)

    @fg.function
    def f(x):
        return callee(x), unconverted(x)

    @fg.function(autograph=False)
    def g(x):
        return deep(x), shallow(x)

    assert plain(f(fg.constant(-5))) == [2, 3]
    assert plain(g(fg.constant(-5))) == [2, 3]


def named(x):
    if x % 3 == 0:
        return "fizz"
    elif x % 2 == 0:
        return "even"
    return fg.strings.as_string(x)


def test_functions_of_datasets_may_branch_where_no_function_is_traced():
    found = [v.numpy().decode() for v in fg.data.Dataset.range(1, 5).map(named)]
    assert found == ["1", "even", "fizz", "even"]
