"""Relaxed dimensions never break a program."""

import ferrograph as fg
import pytest


def test_lengths_are_relaxed_after_the_second():
    seen = []

    @fg.function
    def total(x):
        seen.append(x.shape.as_list())
        return fg.reduce_sum(x)

    for n in (3, 5, 7, 0, 1, 3):
        assert float(total(fg.ones([n]))) == n
    assert seen == [[3], [None]]


def test_a_trace_that_needs_the_size_stays_exact():
    @fg.function
    def unrolled(x):
        y = x[0]
        for i in range(1, x.shape[0]):
            y = y * x[i]
        return y

    for n in (2, 3, 4, 2):
        assert float(unrolled(fg.fill([n], 2.0))) == 2.0**n
    assert unrolled.experimental_get_tracing_count() == 3


def test_a_relaxed_trace_that_fails_when_it_runs_gives_way_to_an_exact_one():
    @fg.function
    def square_or_zeros(x):
        try:
            return fg.reshape(x, [2, 2])
        except ValueError:
            return fg.zeros([2, 2])

    assert float(fg.reduce_sum(square_or_zeros(fg.ones([4])))) == 4
    for _ in range(2):
        assert float(fg.reduce_sum(square_or_zeros(fg.ones([3])))) == 0
    assert float(fg.reduce_sum(square_or_zeros(fg.ones([4])))) == 4


def test_an_error_that_no_trace_avoids_is_raised_at_every_call():
    @fg.function
    def pick(x, i):
        return fg.gather(x, i)

    assert float(pick(fg.constant([1.0, 2.0]), fg.constant(1))) == 2
    for _ in range(2):
        with pytest.raises(fg.errors.InvalidArgumentError, match="not in"):
            pick(fg.constant([1.0, 2.0, 3.0]), fg.constant(9))
    assert float(pick(fg.constant([1.0, 2.0, 3.0]), fg.constant(2))) == 3


def test_an_effect_happens_at_most_once():
    v = fg.Variable(0)

    @fg.function
    def count_and_reshape(x):
        v.assign_add(1)
        return fg.reshape(x, [2, 2])

    count_and_reshape(fg.ones([4]))
    with pytest.raises((ValueError, fg.errors.InvalidArgumentError)):
        count_and_reshape(fg.ones([3]))
    # The shapes do not fit the plan, which is found before anything runs.
    assert int(v) == 1


def test_a_concrete_function_plans_for_the_shapes_it_gets():
    @fg.function
    def double(x):
        return x + x

    concrete = double.get_concrete_function(fg.TensorSpec([2], fg.float32))
    for n in (3, 2, 5, 3):
        assert concrete(fg.ones([n])).shape == [n]


def test_plans_are_counted():
    f = fg.function(lambda x: x + 1.0, input_signature=[fg.TensorSpec([None])])
    for n in [2, 2, 3, 2]:
        f(fg.ones([n]))
    concrete = f.get_concrete_function()
    info = {"plans": 2, "hits": 2, "misses": 2, "evictions": 0}
    assert concrete.plan_cache_info() == info


def test_calls_of_relaxed_functions_keep_static_shapes():
    inner = fg.function(lambda x: fg.reshape(x, [-1]))
    halved = fg.function(lambda x: inner(x)[: fg.size(x) // 2])
    seen = []

    @fg.function(reduce_retracing=False)
    def outer(x):
        seen.append((inner(x).shape.as_list(), halved(x).shape.as_list()))
        return halved(x)

    for rows in (2, 4, 7, 8):
        assert outer(fg.ones([rows, 3])).shape == [rows * 3 // 2]
    assert seen == [([rows * 3], [rows * 3 // 2]) for rows in (2, 4, 7, 8)]


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda x: x * 2, [5, 3]),
        (lambda x: fg.reduce_sum(x, 0), [3]),
        (lambda x: fg.transpose(x), [3, 5]),
        (lambda x: fg.cond(x[0, 0] > 0, lambda: x + 1, lambda: x - 1), [5, 3]),
        (lambda x: fg.boolean_mask(x, x[:, 0] > 0), [None, 3]),
        (lambda x: fg.while_loop(lambda i, v: i < 2, lambda i, v: (i + 1, v), [0, x])[1], None),
    ],
)
def test_shapes_known_at_a_call_are_those_of_its_results(function, shape):
    inner = fg.function(function, input_signature=[fg.TensorSpec([None, None])])
    seen = []

    @fg.function
    def outer(x):
        y = inner(x)
        seen.append(y.shape)
        return fg.reduce_sum(y)

    x = fg.ones([5, 3])
    assert float(outer(x)) == float(fg.reduce_sum(function(x)))
    assert shape is None or seen[0].as_list() == shape


def test_a_call_of_other_shapes_than_a_set_one_fails_when_it_runs():
    @fg.function(input_signature=[fg.TensorSpec([None])])
    def inner(x):
        x.set_shape([3])
        return x * 2

    outer = fg.function(lambda x: inner(x))
    assert outer(fg.ones([3])).shape == [3]


def test_recursion_knows_what_its_arguments_tell():
    @fg.function
    def halves(x, n):
        if n == 0:
            return x
        return halves(x / 2.0, n - 1)

    seen = []

    @fg.function(reduce_retracing=False)
    def outer(x):
        y = halves(x, fg.constant(3))
        seen.append(y.shape.as_list())
        return y

    for size in (2, 3, 4, 5):
        assert outer(fg.fill([size], 8.0)).numpy().tolist() == [1.0] * size
    assert all(shape in ([size], [None]) for shape, size in zip(seen, (2, 3, 4, 5), strict=True))


def test_a_function_asked_for_has_the_sizes_asked_for():
    f = fg.function(lambda x: x * 2.0)
    for n in (2, 3, 4):
        concrete = f.get_concrete_function(fg.TensorSpec([n], fg.float32))
        assert concrete.inputs[0].shape == [n]
        with pytest.raises(TypeError, match="was traced with shape"):
            fg.function(lambda x, concrete=concrete: concrete(x))(fg.ones([n + 1]))
    relaxing = fg.function(lambda x: x * 2.0, reduce_retracing=True)
    shapes = [
        relaxing.get_concrete_function(fg.TensorSpec([n], fg.float32)).inputs[0].shape
        for n in (2, 3)
    ]
    assert shapes[0] == [2] and shapes[1].as_list() == [None]


def test_a_signature_takes_specs_that_lie_within_it():
    f = fg.function(lambda x: x, input_signature=[fg.TensorSpec([None, 2])])
    f.get_concrete_function(fg.TensorSpec([3, 2]))
    f.get_concrete_function(fg.TensorSpec([None, 2]))
    for shape in (None, [3, None], [3, 2, 1]):
        with pytest.raises(TypeError, match="incompatible"):
            f.get_concrete_function(fg.TensorSpec(shape))
