"""Functions that call themselves: unrolled where Python ends it, staged where a tensor does."""

import gc
import threading
import time
import weakref

import ferrograph as fg
import processor_time
import pytest


def number(value, dtype=None):
    return fg.constant(value, dtype)


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


@fg.function
def even(n):
    return fg.cond(n == 0, lambda: fg.constant(True), lambda: odd(n - 1))


@fg.function
def odd(n):
    return fg.cond(n == 0, lambda: fg.constant(False), lambda: even(n - 1))


def grow(x, n):
    if n == 0:
        return x
    return shrink(x * 3.0, n - 1) + x


def shrink(x, n):
    if n == 0:
        return x * x
    return grow(x / 2.0, n - 1) * x


def horner(x, n):
    def go(k):
        if k == 0:
            return x
        return go(k - 1) * twice + x

    twice = x * 2.0
    return go(n)


def called(function):
    """A traced function that calls a plain one."""
    return fg.function(lambda *args: function(*args))


STAGED = [
    (factorial, (6,), "int32"),
    (factorial, (6.0,), "float32"),
    (fibonacci, (12,), "int64"),
    (power, (1.5, 5), None),
    (grow, (1.5, 5), None),
    (horner, (1.5, 4), None),
]


@pytest.mark.parametrize("wrap", [fg.function, called])
@pytest.mark.parametrize(("function", "args", "dtype"), STAGED)
def test_recursion_on_tensors_gives_what_it_gives_eagerly(wrap, function, args, dtype):
    args = [number(a, dtype) for a in args]
    staged = wrap(function)(*args)
    assert staged.numpy() == pytest.approx(float(function(*args)))
    assert dtype is None or staged.dtype.name == dtype


def slopes(function, x, n, order=1):
    """The derivatives of ``function(x, n)`` by ``x``, up to that order."""
    with fg.GradientTape() as tape:
        tape.watch(x)
        found = slopes(function, x, n, order - 1) if order > 1 else [function(x, n)]
    return [*found, tape.gradient(found[-1], x)]


@pytest.mark.parametrize("wrap", [fg.function, called])
@pytest.mark.parametrize("function", [power, grow, horner])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_gradients_of_a_recursion_are_those_of_eager_code(wrap, function, order):
    x, n = number(1.5), number(5)
    expected = [float(s) for s in slopes(function, x, n, order)]
    assert [float(s) for s in slopes(wrap(function), x, n, order)] == pytest.approx(expected)
    inside = fg.function(lambda x, n: slopes(function, x, n, order))
    assert [float(s) for s in inside(x, n)] == pytest.approx(expected)


@pytest.mark.parametrize("n", [0, 1, 7, 8])
def test_functions_may_call_each_other(n):
    assert bool(even(number(n))) is (n % 2 == 0)
    assert bool(odd(number(n))) is (n % 2 == 1)


def test_a_recursion_is_one_node_and_one_trace():
    f = fg.function(factorial)
    f(number(6))
    assert f.experimental_get_tracing_count() == 1
    (branch,) = [
        o for o in f.get_concrete_function(number(6)).graph.get_operations() if "If" in o.type
    ]
    assert branch.type == "StatelessIf"


def test_the_same_trace_serves_all_depths():
    f = fg.function(fibonacci)
    assert [int(f(number(n))) for n in range(10)] == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
    assert f.experimental_get_tracing_count() == 1


def test_shapes_may_change_from_level_to_level():
    @fg.function
    def total(x):
        if fg.size(x) == 0:
            return 0.0
        return x[0] + total(x[1:])

    x = fg.constant([1.0, 2.0, 3.5])
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = total(x)
    assert float(y) == 6.5
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 1.0, 1.0]


def test_structures_are_returned():
    @fg.function
    def both(x, n):
        if n == 0:
            return {"x": x, "n": (n, [x * 2.0])}
        deeper = both(x * 2.0, n - 1)
        return {"x": deeper["x"] + x, "n": (n, [deeper["n"][1][0] * x])}

    def plain(x, n):
        if n == 0:
            return {"x": x, "n": (n, [x * 2.0])}
        deeper = plain(x * 2.0, n - 1)
        return {"x": deeper["x"] + x, "n": (n, [deeper["n"][1][0] * x])}

    found, expected = both(number(1.5), number(3)), plain(1.5, 3)
    assert float(found["x"]) == expected["x"]
    assert int(found["n"][0]) == 3
    assert float(found["n"][1][0]) == expected["n"][1][0]


def test_a_tree_of_tensors_is_walked_by_python():
    def total(tree):
        if isinstance(tree, (list, tuple)):
            return sum(total(t) for t in tree)
        if tree > 1.0:
            return tree * 2.0
        return tree

    tree = [number(1.0), [number(2.0), (number(0.5), [number(3.0)])]]
    assert float(fg.function(total)(tree)) == 11.5
    with fg.GradientTape() as tape:
        tape.watch(tree[0])
        tape.watch(tree[1][0])
        y = fg.function(total)(tree)
    assert [float(g) for g in tape.gradient(y, [tree[0], tree[1][0]])] == [1.0, 2.0]


def test_variables_are_read_and_written_at_all_levels():
    v, count = fg.Variable(2.0), fg.Variable(0)

    @fg.function
    def f(n):
        count.assign_add(1)
        if n == 0:
            return v * 1.0
        return f(n - 1) * v

    with fg.GradientTape() as tape:
        y = f(number(3))
    assert (float(y), int(count)) == (16.0, 4)
    assert float(tape.gradient(y, v)) == 4 * 8.0


def test_a_method_calls_itself():
    class Model:
        rate = 0.5

        @fg.function
        def decorated(self, x, n):
            if n == 0:
                return x
            return self.decorated(x, n - 1) * self.rate

        def plain(self, x, n):
            if n == 0:
                return x
            return self.plain(x, n - 1) * self.rate

        def __call__(self, x, n):
            if n == 0:
                return x
            return self(x, n - 1) * self.rate

    model = Model()
    for f in (model.decorated, fg.function(model.plain), fg.function(model)):
        assert float(f(number(8.0), number(3))) == 1.0


def test_recursion_in_a_loop_and_a_loop_in_recursion():
    @fg.function
    def trees(n):
        if n == 0:
            return 1
        total = 0
        for _ in fg.range(2):
            total += trees(n - 1)
        return total

    assert int(trees(number(5))) == 32


def test_two_recursions_nest():
    def ackermann(m, n):
        if m == 0:
            return n + 1
        if n == 0:
            return ackermann(m - 1, 1)
        return ackermann(m - 1, ackermann(m, n - 1))

    assert int(fg.function(ackermann)(number(2), number(3))) == 9


def test_what_python_ends_is_unrolled():
    @fg.function
    def double(x, times):
        return x if times == 0 else double(x * 2, times - 1)

    assert int(double(number(3), 4)) == 48
    left = [3]

    @fg.function
    def counted(x):
        left[0] -= 1
        return x if left[0] == 0 else counted(x) * 2

    assert int(counted(number(1))) == 4


def test_a_recursion_without_end_fails_when_it_runs():
    @fg.function
    def forever(n):
        if n < -1:
            return n
        return forever(n + 1)

    with pytest.raises(fg.errors.ResourceExhaustedError, match=r"itself more than \d{4,} level"):
        forever(number(0))
    with fg.GradientTape() as tape:
        x = number(1.0)
        tape.watch(x)
        with pytest.raises(fg.errors.ResourceExhaustedError, match="levels deep"):
            fg.function(lambda n: forever(n))(x)


def test_deep_recursion_has_room():
    @fg.function
    def count(n):
        if n == 0:
            return 0
        return count(n - 1) + 1

    assert int(count(number(9000))) == 9000
    found = []
    threading.stack_size(1 << 18)
    try:
        thread = threading.Thread(target=lambda: found.append(int(count(number(5000)))))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(0)
    assert found == [5000]


def test_a_recursion_that_no_branch_ends_is_refused():
    @fg.function
    def f(n):
        if n > 0:
            return f(n - 1)
        return f(n + 1)

    with pytest.raises(RecursionError, match="calls itself while .*, and nothing ends"):
        f(number(5))
    assert f.experimental_get_tracing_count() == 0


def test_the_gradient_of_a_call_of_itself_is_refused_within():
    @fg.function
    def f(x, n):
        if n == 0:
            return x
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = f(x, n - 1)
        return tape.gradient(y, x)

    with pytest.raises(fg.errors.UnimplementedError, match="take the gradient outside"):
        f(number(1.0), number(2))


def test_tensors_left_in_a_closure_are_refused():
    def outer(n):
        total = number(0)

        def go(n):
            nonlocal total
            if n == 0:
                return 0
            total = total + n
            return go(n - 1) + total

        return go(n)

    with pytest.raises(ValueError, match="sets 'total', which is not its own"):
        fg.function(outer)(number(3))


class Counter:
    def __init__(self):
        self.n, self.seen = 0, []


def counts_in_a_name(n):
    calls = 0

    def go(n):
        nonlocal calls
        calls += 1
        return 0 if n == 0 else go(n - 1) + 1

    return go(n), calls


def counts_in_an_attribute(n):
    counter = Counter()

    def go(n, counter):
        counter.n += 1
        return 0 if n == 0 else go(n - 1, counter) + 1

    return go(n, counter), counter.n


def collects_in_a_list(n):
    counter = Counter()

    def go(n):
        if n == 0:
            return 0
        counter.seen.append(n)
        return go(n - 1) + 1

    return go(n), len(counter.seen)


@pytest.mark.parametrize("function", [counts_in_a_name, counts_in_an_attribute, collects_in_a_list])
def test_what_a_plain_function_changes_beside_what_it_returns_is_refused(function):
    with pytest.raises(fg.errors.StagingError):
        fg.function(function)(number(3))


def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


def collatz(n):
    if n == 1:
        return 0
    if n % 2 == 0:
        return 1 + collatz(n // 2)
    return 1 + collatz(3 * n + 1)


def is_even(n):
    return n == 0 or is_odd(n - 1)


def is_odd(n):
    return n != 0 and is_even(n - 1)


def repeated(text, n):
    if n == 0:
        return ""
    return text + repeated(text, n - 1)


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [(gcd, (48, 18), 6), (collatz, (27,), 111), (is_even, (5,), False), (is_odd, (5,), True)]
    + [(repeated, ("ab", 3), b"ababab")],
)
def test_common_recursions(function, args, expected):
    assert fg.function(function)(*map(number, args)).numpy() == expected


def test_recursion_in_functions_of_elements():
    f = fg.function(lambda x: fg.map_fn(factorial, x))
    assert f(number([1, 2, 3, 4])).numpy().tolist() == [1, 2, 6, 24]
    g = fg.function(factorial)
    elements = fg.data.Dataset.from_tensor_slices([1, 2, 3, 4]).map(g)
    assert [int(x) for x in elements] == [1, 2, 6, 24]


def test_an_argument_that_is_only_handed_on_has_no_gradient():
    @fg.function
    def f(x, y, n):
        if n == 0:
            return x
        return f(x * 2.0, y, n - 1)

    x, y = number(1.0), number(2.0)
    with fg.GradientTape() as tape:
        tape.watch([x, y])
        z = f(x, y, number(2))
    gradients = tape.gradient(z, [x, y])
    assert float(gradients[0]) == 4.0
    assert gradients[1] is None


def test_a_recursion_is_freed_with_its_function():
    def make():
        x = fg.Variable(2.0)

        @fg.function
        def f(n):
            if n == 0:
                return x * 1.0
            return f(n - 1) * x

        with fg.GradientTape() as tape:
            y = f(number(3))
        tape.gradient(y, x)
        return weakref.ref(x)

    found = make()
    gc.collect()
    assert found() is None


def test_what_a_tape_recorded_outlives_the_function():
    x = number(2.0)

    def run():
        f = fg.function(power)
        with fg.GradientTape(persistent=False) as tape:
            tape.watch(x)
            y = fg.function(lambda x: f(x, number(3)))(x)
        return tape, y

    tape, y = run()
    gc.collect()
    assert float(tape.gradient(y, x)) == 12.0


def test_pickling_a_recursion_is_refused_with_its_reason():
    import pickle

    f = fg.function(fibonacci)
    with pytest.raises(pickle.PicklingError, match="holds an object of this process"):
        pickle.dumps(f.get_concrete_function(number(3)))


def test_threads_that_trace_functions_that_call_each_other_do_not_wait_for_ever():
    meeting = threading.Barrier(2)

    @fg.function
    def first(n, calls):
        if calls:
            meeting.wait(timeout=600)
        return second(n, False) + 1 if calls else n

    @fg.function
    def second(n, calls):
        if calls:
            meeting.wait(timeout=600)
        return first(n, False) + 2 if calls else n

    class Meeting(threading.Thread):
        def __init__(self, function):
            super().__init__(daemon=True)
            self.function, self.result = function, None

        def run(self):
            self.result = int(self.function(number(1), True))

    threads = [Meeting(first), Meeting(second)]
    for thread in threads:
        thread.start()
    processor_time.join(*threads)
    assert [thread.result for thread in threads] == [2, 3]


def test_an_endless_helper_is_no_recursion_of_the_function():
    def helper(x):
        return helper(x)

    @fg.function
    def f(x):
        return helper(x)

    with pytest.raises(RecursionError) as e:
        f(number(1))
    assert "is traced" not in str(e.value)


def least_seconds(f, n):
    """The least time that ``f(n)`` takes, of many."""
    times = []
    for _ in range(30):
        start = time.thread_time()
        f(n)
        times.append(time.thread_time() - start)
    return min(times)


@pytest.mark.alone
def test_a_level_of_a_recursion_costs_as_much_as_a_few_operations():
    @fg.function
    def factorial(n):
        if n <= 1:
            return fg.constant(1)
        return n * factorial(n - 1)

    def operations(n):
        total = one
        for _ in range(n):
            total = total + one
        return total

    one = fg.constant(1.0)
    few, many = fg.constant(100), fg.constant(400)
    level = (least_seconds(factorial, many) - least_seconds(factorial, few)) / 300
    assert level < 12 * least_seconds(operations, 300) / 300
