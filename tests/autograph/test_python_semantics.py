"""Converted functions on plain Python values do what Python does, errors and lines included."""

# ruff: noqa: RET503, RET505 - the functions under test return as users' functions do

import contextlib
import functools
import inspect
import traceback

import pytest
from ferrograph.autograph import convert, to_code

LIMIT = 3


def outcome(fn, *args):
    try:
        return "value", fn(*args)
    except Exception as e:
        return "raises", type(e).__name__, str(e)


def same(fn, *calls):
    converted = convert(fn)
    assert converted is not fn
    for args in calls:
        assert outcome(converted, *args) == outcome(fn, *args)


def test_if_chains_and_early_returns():
    def f(x):
        if x > 10:
            return "large"
        elif x > 5:
            y = "medium"
        elif x > 0:
            return "small"
        else:
            y = "none"
        y = y * 2
        if y == "nonenone":
            return None
        return y

    same(f, (11,), (6,), (1,), (-1,), ("no",))


def test_function_that_falls_off_its_end():
    def f(x):
        if x:
            return 1

    same(f, (True,), (False,))


def test_break_continue_and_else():
    def f(n, stop):
        seen = []
        for i in range(n):
            if i % 2:
                continue
            if i == stop:
                break
            seen.append(i)
        else:
            seen.append("for")
        k = 0
        while k < n:
            k += 1
            if k == stop:
                break
            if k == 1:
                continue
            seen.append(-k)
        else:
            seen.append("while")
        return seen, i, k

    same(f, (6, 4), (6, 99), (1, 0), (0, 0))


def test_returns_from_nested_loops_and_loop_else():
    def f(n, target):
        for i in range(1, n):
            for j in range(i, n):
                if i * j == target:
                    return i, j
            else:
                continue
        else:
            return "nothing"

    same(f, (9, 35), (9, 37), (0, 0))


def test_jumps_out_of_with_and_try():
    def f(n):
        log = []
        for i in range(n):
            with contextlib.suppress(KeyError):
                if i == 1:
                    continue
                if i == 2:
                    {}[i]
                if i == 4:
                    return log
            try:
                if i == 3:
                    continue
                log.append(i)
            except ValueError:
                pass
            else:
                log.append("else")
            finally:
                log.append("finally")
        return log, n

    same(f, (2,), (3,), (4,), (6,))


def test_return_under_a_suppressing_context_manager():
    def f(x):
        with contextlib.suppress(ZeroDivisionError):
            if x > 5:
                return "large"
            return 1 // x
        return "suppressed"

    same(f, (6,), (1,), (0,))


def test_unset_names_stay_unset():
    def f(x):
        if x:
            y = 1
        del x
        return y

    same(f, (1,))
    with pytest.raises(UnboundLocalError):
        convert(f)(0)


def test_unset_names_read_inside_blocks():
    def f(kind):
        if kind == "ternary":
            return later if kind else 0  # noqa: F821
        for _ in range(2):
            if kind == "loop":
                return later + 1  # noqa: F821
        while kind == "while":
            kind = later  # noqa: F821
        later = kind
        return missing if kind else later  # noqa: F821

    same(f, ("ternary",), ("loop",), ("while",), ("global",), ("",))


def test_for_target_and_starred_unpacking():
    def f(pairs):
        out = []
        for i, (a, *rest) in enumerate(pairs):
            out.append((i, a, rest))
        return out, i

    same(f, ([(1, 2, 3), (4,)],), ([],))


def test_unpacking_and_raising():
    def f(pairs):
        (a, b), *rest = pairs
        [c, [d, *e]] = rest
        if a > b:
            raise ValueError
        try:
            raise KeyError(c) from ValueError("cause")
        except KeyError as error:
            if d:
                raise
            return a, b, c, d, e, type(error.__cause__).__name__

    same(f, ([(1, 2), 3, (0, 5)],), ([(1, 2), 3, (4, 5)],), ([(2, 1), 3, "ab"],), ([1, 2],), ([],))


def test_short_circuits_keep_values():
    def f(a, b):
        return a and b, a or b, not a, (a or b) and not b, a if b else -1

    same(f, (0, 5), ("", []), ([1], {}), (3, 4))


def test_comparison_chains_evaluate_once_and_stop():
    calls = []

    def value(x):
        calls.append(x)
        return x

    def f(a, b, c):
        return value(a) < value(b) <= value(c) != 7

    same(f, (1, 2, 3), (3, 1, 2))
    assert calls == [1, 2, 3, 1, 2, 3, 3, 1, 3, 1]


def test_walrus_in_conditions_and_lazy_operands():
    def f(names):
        if (n := len(names)) > 2 and (first := names[0]):
            return n, first
        while (k := n) < 3 or (late := n) < 4:
            n += 1
        return n, k, late

    same(f, (["a", "b", "c"],), (["a"],), (["", "", ""],))


def test_match_statement():
    def f(op, x):
        for _ in range(2):
            match op:
                case "double":
                    x = x * 2
                case ("add", n) if n > 0:
                    x = x + n
                case {"skip": _, **rest}:
                    return rest
                case _:
                    break
        return x

    same(f, ("double", 2), (("add", 3), 2), (("add", -3), 2), ({"skip": 1, "k": 2}, 1))


def test_closures_share_their_cells():
    total = 0

    def add(n):
        nonlocal total
        for i in range(n):
            if i % 2:
                total += i
        return total

    converted = convert(add)
    assert converted(6) == 9
    assert total == 9
    total = 100
    assert converted(2) == 101


def test_nested_functions_rebind_names_of_the_outer_one():
    def f(n):
        count = 0

        def tick(k):
            nonlocal count
            if k > 1:
                count += k
            return count

        last = [tick(k) for k in range(n)]
        return count, last, (lambda: count if n else None)()

    same(f, (4,), (0,))


def test_globals_stay_globals():
    def f(x):
        global LIMIT
        if x:
            LIMIT = LIMIT + x
        return LIMIT

    try:
        assert convert(f)(2) == 5
        assert LIMIT == 5
    finally:
        globals()["LIMIT"] = 3


def test_defaults_keywords_and_metadata():
    def f(a, /, b=2, *rest, c, d=4, **more) -> int:
        """Adds."""
        if b:
            return a + b + sum(rest) + c + d + len(more)
        return 0

    converted = convert(f)
    assert converted(1, c=3) == 10
    assert converted(1, 5, 6, c=1, d=1, e=0) == 15
    assert inspect.signature(converted) == inspect.signature(f)
    assert (converted.__doc__, converted.__qualname__) == (f.__doc__, f.__qualname__)


class Base:
    def __init__(self, k):
        self.__k = k

    def score(self, x):
        if x > self.__k:
            return x - self.__k
        return 0


class Child(Base):
    step = 10

    def score(self, x):
        for _ in range(2):
            if x > 0:
                x = super().score(x) + self.step
        return x

    @classmethod
    def scaled(cls, x):
        return cls.step * x if x else None

    def __call__(self, x):
        return self.score(x) if x else -1


def test_methods_super_and_private_names():
    child = Child(3)
    for x in (5, -5):
        assert convert(child.score)(x) == child.score(x)
        assert convert(Child.score)(child, x) == child.score(x)
        assert convert(child)(x) == child(x)
    assert convert(Child.scaled)(2) == 20


def test_partials_and_wrapped_functions():
    def plus(fn):
        @functools.wraps(fn)
        def wrapper(*args):
            return fn(*args) + 1 if args else 0

        return wrapper

    @plus
    def f(a, b):
        return a if a > b else b

    assert convert(f)(1, 5) == 6
    assert convert(functools.partial(f, 9))(5) == 10


def test_lambdas_by_position():
    f, g = (lambda x: x if x > 0 else -x), (lambda x: x + 1 if x > 0 else x)
    assert [convert(h)(v) for h in (f, g) for v in (3, -3)] == [3, 3, 4, -3]
    nested = lambda x: lambda y: y if y > x else x  # noqa: E731
    assert convert(nested(2))(1) == 2
    assert convert(nested)(2)(5) == 5
    several = [
        lambda x: "a" if x else "b",
        lambda x: ("c" if x else
                   "d"),
    ]  # fmt: skip
    assert [convert(h)(0) for h in several] == ["b", "d"]


def test_annotations_and_declarations_inside_branches():
    def f(x):
        n: int = 0
        m: int
        if x:
            k: int = 5
            n += k
            m = 1
        return n, m

    same(f, (1,))


def test_exception_names_and_imports_inside_branches():
    def f(x):
        if x:
            import math as m

            try:
                m.sqrt(-1)
            except ValueError as e:
                text = str(e)
            return text, m.floor(1.5)
        return x

    same(f, (1,), (0,))


def test_generators_run_lazily():
    def spans(n):
        while n > 0:
            yield n
            n -= 1

    def f(n):
        def doubled():
            for k in spans(n):
                if k != 2:
                    yield 2 * k

        return list(doubled()), sum(s for s in spans(n) if s)

    def endless(log):
        n = 0
        while True:
            if n > 3:
                log.append("large")
            got = yield n
            if got:
                return got
            n += 1

    same(f, (3,))
    log = []
    found = convert(endless)(log)
    assert [next(found) for _ in range(6)] == list(range(6))
    assert log == ["large", "large"]
    with pytest.raises(StopIteration) as stop:
        found.send("end")
    assert stop.value.value == "end"


def test_coroutines_are_left_alone():
    async def f(x):
        return x if x else 1

    assert convert(f) is f


def test_mutable_arguments_and_augmented_assignment():
    def f(items):
        alias = items
        for _ in range(2):
            items += [1]
            items[0] -= 1
        return alias is items, items

    same(f, ([5],))


def test_callee_exceptions_keep_their_class_and_the_users_lines():
    def inner(x):
        if x:
            raise KeyError("missing")  # here
        return x

    def outer(x):
        while x:
            x = inner(x)
        return x

    with pytest.raises(KeyError) as info:
        convert(outer)(1)
    frames = [f for f in traceback.extract_tb(info.tb) if f.filename == __file__]
    assert [f.name for f in frames][1:] == ["outer", "inner"]
    assert frames[-1].line.endswith("# here")


def test_locals_of_a_branch_that_was_not_taken():
    def f(flag):
        for i in range(3):
            if flag and i == 1:
                found = i
                break
        try:
            return found
        except NameError as e:
            return type(e).__name__

    same(f, (True,), (False,))


def test_code_is_made_once_and_shared():
    def make(k):
        def f(x):
            return x if x > k else k

        return f

    a, b = convert(make(1)), convert(make(1))
    assert a.__code__ is not b.__code__ or a is not b
    first = make(1)
    assert convert(first).__code__ is convert(first).__code__


def test_converted_code_can_be_read():
    def clip(value):
        if value > 10:
            value = 10
        return value

    code = to_code(clip)
    assert "def clip(value)" in code
    compile(code, "<code>", "exec")


def test_source_that_is_missing():
    namespace = {}
    exec("def f(x):\n    return 1 if x else 2", namespace)
    assert convert(namespace["f"])(0) == 2
    with pytest.raises(ValueError):
        to_code(namespace["f"])
