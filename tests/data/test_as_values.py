"""Datasets and iterators as values of programs: state of loops, results of branches, types."""

import functools

import ferrograph as fg
import pytest

D = fg.data.Dataset


def i64(value):
    return fg.constant(value, fg.int64)


def total(dataset):
    return dataset.reduce(i64(0), lambda a, b: a + b)


def test_a_branch_chooses_a_dataset():
    @fg.function
    def f(flag, dataset):
        dataset = dataset.map(lambda x: x * 2) if flag else dataset.skip(1)
        return total(dataset)

    assert int(f(fg.constant(True), D.range(4))) == 12
    assert int(f(fg.constant(False), D.range(4))) == 6


def test_a_loop_carries_a_dataset():
    @fg.function
    def f(dataset, n):
        for _ in fg.range(n):
            dataset = dataset.map(lambda x: x * 2)
        return total(dataset)

    assert int(f(D.range(4), fg.constant(3))) == 48


def test_a_module_keeps_a_dataset():
    class Counter(fg.Module):
        def __init__(self):
            self.data = D.range(5).batch(2)
            self.sum = fg.Variable(0, dtype=fg.int64)

        @fg.function
        def __call__(self):
            for batch in self.data:
                for x in batch:
                    self.sum.assign_add(x)
            return self.sum.read_value()

    counter = Counter()
    assert (int(counter()), int(counter())) == (10, 20)


def test_signatures_of_datasets_and_iterators():
    element = fg.TensorSpec([], fg.int64)

    @fg.function(input_signature=[fg.data.DatasetSpec(element)])
    def f(dataset):
        return total(dataset)

    assert int(f(D.range(5))) == 10

    @fg.function
    def g(it):
        return next(it)

    concrete = g.get_concrete_function(fg.data.IteratorSpec(element))
    it = iter(D.range(5))
    assert [int(concrete(it)), int(concrete(it)), int(g(it))] == [0, 1, 2]
    assert g.experimental_get_tracing_count() == 1


def test_types_compare():
    spec = fg.type_spec_from_value(D.range(2).batch(2))
    assert spec == fg.data.DatasetSpec(fg.TensorSpec([None], fg.int64))
    assert spec != fg.type_spec_from_value(D.range(2))
    assert spec.is_compatible_with(D.range(2).batch(2, drop_remainder=True))
    assert not spec.is_compatible_with(D.from_tensors([1.0]))


class Scale:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return x * self.k

    def odd(self, x):
        if x % 2 == 1:
            return x
        return -x


@pytest.mark.parametrize(
    "function, expected",
    [
        (Scale(3), [0, 3, 6]),
        (Scale(3).odd, [0, 1, -2]),
        (functools.partial(lambda k, x: x + k, 5), [5, 6, 7]),
        (fg.function(lambda x: x + 1), [1, 2, 3]),
        (fg.square, [0, 1, 4]),
        (lambda x, k=2: x * k, [0, 2, 4]),
    ],
)
def test_any_callable_maps(function, expected):
    assert [int(x) for x in D.range(3).map(function)] == expected


def test_each_element_draws_numbers_of_its_own():
    drawn = [float(x) for x in D.range(8).map(lambda x: fg.random.uniform([]))]
    assert len(set(drawn)) == 8


def test_a_map_takes_from_an_iterator():
    it = iter(D.range(100, 200))
    assert [int(x) for x in D.range(3).map(lambda x: x + next(it))] == [100, 102, 104]


def test_a_callback_iterates():
    inner = D.range(3)

    def sum_of(x):
        return sum(int(v) for v in inner) + int(x)

    dataset = D.range(2).map(lambda x: fg.py_function(sum_of, [x], fg.int64))
    assert [int(x) for x in dataset] == [3, 4]


def test_lists_and_objects_in_loops_over_datasets():
    class Sum:
        def __init__(self):
            self.total = i64(0)

        def add(self, x):
            self.total = self.total + x

    @fg.function
    def f(dataset):
        found, sums = [], Sum()
        for x in dataset:
            found.append(x)
            sums.add(x)
        return fg.stack(found), sums.total

    found, sums = f(D.range(4))
    assert found.numpy().tolist() == [0, 1, 2, 3] and int(sums) == 6


def test_iterators_go_through_nested_functions_and_control_flow():
    @fg.function
    def inner(it):
        return next(it)

    @fg.function
    def outer(it, flag):
        first = inner(it)
        second = fg.cond(flag, lambda: next(it), lambda: i64(-1))
        _, rest = fg.while_loop(
            lambda i, s: i < 2, lambda i, s: (i + 1, s * 10 + next(it)), [0, i64(0)]
        )
        return first, second, rest

    it = iter(D.range(10))
    assert [int(x) for x in outer(it, fg.constant(True))] == [0, 1, 23]
    assert [int(x) for x in outer(it, fg.constant(False))] == [4, -1, 56]


def test_a_subclass_may_give_another_dataset():
    class Ones(D):
        def __new__(cls, n):
            return D.from_generator(
                lambda k: iter([[1]] * int(k)),
                output_signature=fg.TensorSpec([1], fg.int64),
                args=(n,),
            )

    assert [x.numpy().tolist() for x in Ones(2)] == [[1], [1]]
