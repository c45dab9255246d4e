"""Datasets and iterators in traced functions: loops, arguments, state, gradients."""

import ferrograph as fg
import pytest

D = fg.data.Dataset


def i64(value):
    return fg.constant(value, fg.int64)


def both(body, *arguments):
    """What a function gives eagerly, checked against what it gives traced."""
    eager = body(*arguments)
    traced = fg.function(body)(*arguments)
    flat = fg.nest.flatten(traced)
    assert [x.numpy().tolist() for x in map(fg.convert_to_tensor, fg.nest.flatten(eager))] == [
        x.numpy().tolist() for x in flat
    ]
    return traced


def test_a_loop_is_traced_once_for_datasets_of_one_type():
    bodies = []

    @fg.function
    def total(dataset):
        s = i64(0)
        for x in dataset:
            bodies.append(1)
            s += x
        return s

    assert int(total(D.range(4))) == 6 and int(total(D.range(0))) == 0
    assert int(total(D.range(3).map(lambda x: x * 10))) == 30
    assert len(bodies) == 1 and total.experimental_get_tracing_count() == 1
    total(D.range(3).batch(2).map(lambda x: fg.reduce_sum(x)))
    with pytest.raises((TypeError, ValueError)):
        total(D.from_tensor_slices(["a"]))


@pytest.mark.parametrize("limit", [-1, 0, 3, 100])
def test_break_continue_and_what_is_left(limit):
    def body(limit):
        s, last = i64(0), i64(-1)
        for x in D.range(10):
            if x % 2 == 1:
                continue
            if x > limit:
                break
            s += x
            last = x
        return s, last

    both(body, i64(limit))


@pytest.mark.parametrize("limit", [2, 50, 500])
def test_return_from_a_loop(limit):
    def body(limit):
        for x in D.range(10):
            if x * x > limit:
                return x
        return i64(-1)

    both(body, i64(limit))


def test_enumerate_zip_and_nested_targets():
    def body():
        pairs = D.zip((D.range(3), {"k": D.range(10, 14)}))
        s = i64(0)
        for i, (a, b) in pairs.enumerate(1):
            s += i * (a + b["k"])
        for i, (a, b) in enumerate(pairs):
            s += fg.cast(i, fg.int64) * a * b["k"]
        for a, b in zip(D.range(3), D.range(5, 9), strict=False):
            s += a * b
        return s

    assert int(fg.function(body)()) == int(body())


def test_a_tensor_and_a_dataset_side_by_side():
    @fg.function
    def f(t):
        s = i64(0)
        for x, y in zip(D.range(10), t, strict=False):
            s = s * 10 + x * y
        return s

    assert int(f(i64([1, 2, 3]))) == 26


def test_loops_inside_loops():
    def body(n):
        s = i64(0)
        for x in D.range(n):
            for y in D.range(x):
                if y == 2:
                    break
                s += x * y
        return s

    both(body, i64(5))


def test_state_may_change_its_shape():
    def body(dataset):
        found = fg.zeros([0], fg.int64)
        for batch in dataset:
            found = fg.concat([found, batch], 0)
        return found

    assert both(body, D.range(5).batch(2)).shape == [5]


def test_lists_and_attributes_are_carried():
    class Holder:
        total = 0

    @fg.function
    def f():
        holder = Holder()
        holder.total = i64(0)
        pair = {"n": 0, "s": i64(1)}
        for x in D.range(4):
            holder.total = holder.total + x
            pair["n"] += 1
            pair["s"] = pair["s"] * (x + 1)
        return holder.total, pair

    total, pair = f()
    assert (int(total), int(pair["n"]), int(pair["s"])) == (6, 4, 24)


def test_an_iterator_is_shared_with_functions():
    it = iter(D.range(20))

    @fg.function
    def two(it):
        return next(it) * 100 + it.get_next()

    @fg.function
    def captured():
        return next(it)

    assert int(two(it)) == 1 and int(next(it)) == 2
    assert int(captured()) == 3 and int(two(it)) == 405
    assert two.experimental_get_tracing_count() == 1

    @fg.function
    def until(it, limit):
        s = i64(0)
        for x in it:
            s += x
            if x >= limit:
                break
        return s

    assert int(until(it, i64(8))) == 6 + 7 + 8
    assert int(until(it, i64(9))) == 9
    assert [int(x) for x in it] == list(range(10, 20))
    assert int(until(it, i64(0))) == 0


def test_an_iterator_goes_into_both_branches_and_loops():
    it = iter(D.range(10))

    @fg.function
    def f(flag):
        taken = next(it) if flag else next(it) + next(it)
        n = 0
        while n < 2:
            taken += next(it)
            n += 1
        return taken

    assert int(f(fg.constant(True))) == 0 + 1 + 2
    assert int(f(fg.constant(False))) == 3 + 4 + 5 + 6


def test_the_end_of_an_iterator():
    it = iter(D.range(1))

    @fg.function
    def f(it):
        return next(it)

    f(it)
    with pytest.raises(fg.errors.OutOfRangeError):
        f(it)
    with pytest.raises(fg.errors.OutOfRangeError):
        it.get_next()
    with pytest.raises(StopIteration):
        next(it)

    @fg.function
    def g(it):
        return next(it, i64(-7))

    assert int(g(it)) == -7 and int(g(iter(D.range(3)))) == 0


def test_optionals_cross_the_border():
    @fg.function
    def f(optional):
        return optional.get_value() if optional.has_value() else i64(-1)

    it = iter(D.range(1))
    assert int(f(it.get_next_as_optional())) == 0
    assert int(f(it.get_next_as_optional())) == -1
    with pytest.raises(fg.errors.InvalidArgumentError):
        it.get_next_as_optional().get_value()


def test_a_dataset_comes_out_of_a_function():
    @fg.function
    def f(n):
        return D.range(n).map(lambda x: x + n), n

    dataset, _ = f(i64(3))
    assert isinstance(dataset, D) and [int(x) for x in dataset] == [3, 4, 5]


def test_functions_over_elements_capture_symbols():
    @fg.function
    def f(n, xs):
        kept = D.from_tensor_slices(xs).filter(lambda x: x > n).map(lambda x: x * n)
        return kept.reduce(i64(0), lambda s, x: s + x)

    assert int(f(i64(2), i64([1, 2, 3, 4]))) == 14


def test_reduce_keeps_the_structure_of_its_state():
    def body(n):
        start = (i64(0), {"most": i64(-1), "rows": fg.zeros([0], fg.int64)})

        def step(state, x):
            count, rest = state
            rows = fg.concat([rest["rows"], fg.reshape(x, [1])], 0)
            return count + 1, {"most": fg.maximum(rest["most"], x), "rows": rows}

        return D.range(n).reduce(start, step)

    both(body, i64(4))


def test_python_functions_of_datasets():
    def square(v):
        return v * v

    @fg.function
    def f():
        d = D.range(1, 5)
        squares = i64(0)
        for x in map(square, d):
            squares += x
        odd = i64(0)
        for x in filter(lambda v: v % 2 == 1, d):
            odd = odd * 10 + x
        return (
            squares,
            odd,
            len(d),
            sum(d),
            any(d.map(lambda x: x > 4)),
            all(d.map(lambda x: x > 0)),
        )

    assert [x.numpy().item() for x in f()] == [30, 13, 4, 10, False, True]


def test_len_of_an_endless_dataset_fails_when_it_runs():
    @fg.function
    def f(d):
        return len(d)

    assert int(f(D.range(3))) == 3
    with pytest.raises(fg.errors.InvalidArgumentError, match="without end"):
        f(D.range(3).repeat())


def test_gradients_flow_through_the_state_of_a_loop():
    w = fg.Variable(3.0)

    @fg.function
    def f(data, x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = x
            for a in data:
                if a > 2.5:
                    break
                y = y * w + a * x
        return y, tape.gradient(y, [x, w])

    data = D.from_tensor_slices([1.0, 2.0, 3.0])
    y, (dx, dw) = f(data, fg.constant(2.0))
    # y = (x w + x) w + 2 x
    assert float(y) == (2 * 3 + 2) * 3 + 4
    assert float(dx) == 3 * 3 + 3 + 2
    assert float(dw) == 2 * 2 * 3 + 2


def test_an_eager_tape_sees_through_a_call_with_a_dataset():
    @fg.function
    def f(data, x):
        for a in data:
            x = x * a
        return x

    x = fg.constant(2.0)
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = f(D.from_tensor_slices([3.0, 5.0]), x)
    assert float(tape.gradient(y, x)) == 15.0


def test_gradients_flow_through_reduce():
    w = fg.Variable(2.0)
    data = D.from_tensor_slices([1.0, 2.0, 3.0])

    def f(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = data.reduce(x, lambda s, a: s * w + a)
        return y, tape.gradient(y, [x, w])

    # ((x w + 1) w + 2) w + 3
    for run in (f, fg.function(f)):
        y, (dx, dw) = run(fg.constant(1.0))
        assert (float(y), float(dx), float(dw)) == (8 + 4 + 4 + 3, 8.0, 3 * 4 + 2 * 2 + 2)


def test_training_over_batches():
    w = fg.Variable([[0.0], [0.0]])
    x = fg.random.stateless_normal([64, 2], seed=[1, 2])
    y = fg.matmul(x, [[2.0], [-3.0]])
    batches = D.from_tensor_slices((x, y)).shuffle(64, seed=1).batch(16)

    @fg.function
    def epoch():
        loss = 0.0
        for features, target in batches:
            with fg.GradientTape() as tape:
                loss = fg.reduce_mean((fg.matmul(features, w) - target) ** 2)
            w.assign_sub(0.2 * tape.gradient(loss, w))
        return loss

    for _ in range(15):
        loss = epoch()
    assert float(loss) < 1e-3 and abs(float(w[1, 0]) + 3) < 0.05


def test_a_python_loop_over_a_dataset_that_cannot_end_is_told():
    @fg.function(autograph=False)
    def f():
        return [x + 1 for x in iter(D.range(3))]

    with pytest.raises(fg.errors.OperatorNotAllowedInGraphError, match="never ends"):
        f()

    @fg.function
    def g():
        return [x + 1 for x in D.range(3)]

    with pytest.raises(fg.errors.OperatorNotAllowedInGraphError, match="comprehension"):
        g()


def test_a_branch_of_a_function_over_elements_may_raise_and_change_objects():
    class Held:
        v = 0

    def kept(x):
        held, found = Held(), {"a": 1}
        if x > 50:
            raise ValueError("too large")
        held.v = x * 2
        found["b"] = x
        return held.v + found["a"] + found["b"]

    assert [int(v) for v in fg.data.Dataset.range(4).map(kept)] == [1, 4, 7, 10]
    with pytest.raises(fg.errors.InvalidArgumentError, match="too large"):
        list(fg.data.Dataset.range(49, 53).map(kept))


class Scaled(fg.Module):
    """Makes its variable when it is first called."""

    def __init__(self, initial):
        self.initial, self.v, self.runs = initial, None, 0

    def __call__(self, x):
        self.runs += 1
        if self.v is None:
            self.v = fg.Variable(self.initial)
        return x * self.v


@pytest.mark.parametrize("initial", [5.0, lambda: fg.fill([1], 5.0)], ids=["value", "function"])
def test_variables_behind_a_guard_are_made_by_the_first_trace(initial):
    scaled = Scaled(initial)
    ds = fg.data.Dataset.from_tensor_slices([[1.0], [2.0]]).map(scaled)
    assert [x.numpy().tolist() for x in ds] == [[5], [10]] and scaled.runs == 2
    scaled.v.assign_add(fg.ones_like(scaled.v))
    assert [x.numpy().tolist() for x in ds] == [[6], [12]]
    other = fg.data.Dataset.from_tensor_slices([[1.0]]).map(scaled)
    assert [x.numpy().tolist() for x in other] == [[6]] and scaled.runs == 3


def test_variables_that_each_trace_makes_are_refused():
    ds = fg.data.Dataset.from_tensor_slices([1.0, 2.0])
    with pytest.raises(ValueError, match="on a call that is not its first"):
        ds.map(lambda x: x + fg.Variable(1.0))
    with pytest.raises(ValueError, match="is computed from the elements that the function is"):
        ds.map(lambda x: x + fg.Variable(x))
    with pytest.raises(ValueError, match="on a call that is not its first"):
        fg.function(lambda: ds.map(lambda x: x + fg.Variable(1.0)).reduce(0.0, fg.add))()
