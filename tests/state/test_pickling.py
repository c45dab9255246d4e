"""Pickling and copies: functions by reference, concrete functions and values by value."""

import copy
import pickle

import ferrograph as fg
import numpy as np
import pytest


def twice(data):
    return pickle.loads(pickle.dumps(data))


@fg.function
def double(x):
    return x + x


def plain(x):
    return x * 3


triple = fg.function(plain, input_signature=[fg.TensorSpec([None], fg.float32)], autograph=False)


class Counter(fg.Module):
    def __init__(self, start):
        super().__init__()
        self.n = fg.Variable(start)

    @fg.function
    def up(self, by):
        self.n.assign_add(by)
        return self.n.value()

    @staticmethod
    @fg.function
    def static(x):
        return x + 1

    @classmethod
    @fg.function
    def made(cls, x):
        return x + 2


class Point(fg.experimental.ExtensionType):
    x: fg.Tensor
    y: fg.Tensor


# Values.


@pytest.mark.parametrize(
    "value",
    [
        fg.constant([[1, 2], [3, 4]]),
        fg.constant([], fg.float64),
        fg.constant(["a", "bc"]),
        fg.constant([True, False]),
        fg.constant([1 + 2j]),
        fg.constant([1.5, -2.0], fg.bfloat16),
        fg.constant(0.5, fg.float16),
        fg.constant(7, fg.uint64),
    ],
)
@pytest.mark.parametrize("again", [twice, copy.copy, copy.deepcopy])
def test_tensors(value, again):
    made = again(value)
    assert made.dtype == value.dtype
    assert made.shape == value.shape
    assert made.numpy().tolist() == value.numpy().tolist()


def test_variables():
    v = fg.Variable([1.0, 2.0], trainable=False, name="w", shape=[None])
    made = twice(v)
    assert made is not v
    assert (made.name, made.trainable, made.shape.as_list()) == ("w:0", False, [None])
    made.assign([5.0])
    assert v.numpy().tolist() == [1.0, 2.0]
    a, b = twice([v, v])
    assert a is b
    assert copy.copy(v).numpy().tolist() == [1.0, 2.0]
    assert copy.deepcopy(v) is not v


def test_damaged_tensors_are_refused():
    rebuild, (dtype, shape, data) = fg.constant([[1.0, 2.0]]).__reduce__()
    assert rebuild(dtype, shape, data).numpy().tolist() == [[1.0, 2.0]]
    for parts in (
        (dtype, shape, data[:-1]),
        (dtype, (2, 2), data),
        (dtype, (2**62, 2**62), data),
        ("float33", shape, data),
        ("resource", (), b""),
        (dtype, (1,) * 300, data[:4]),
        ("string", shape, [b"a"]),
    ):
        with pytest.raises(ValueError):
            rebuild(*parts)
    assert rebuild("bool", (2,), b"\x07\x00").numpy().tolist() == [True, False]
    with pytest.raises(TypeError):
        rebuild("string", (1,), ["a"])


def test_symbolic_tensors_are_refused():
    @fg.function
    def f(x):
        pickle.dumps(x)
        return x

    with pytest.raises((TypeError, pickle.PicklingError)):
        f(fg.constant(1))


def test_modules():
    c = Counter(3)
    other = twice(c)
    assert int(other.up(fg.constant(2))) == 5
    assert int(c.n) == 3
    clone = copy.deepcopy(c)
    clone.up(fg.constant(10))
    assert (int(c.n), int(clone.n)) == (3, 13)


# Functions, by reference.


def test_functions_go_by_name():
    assert twice(double) is double
    assert copy.copy(double) is double
    assert copy.deepcopy(double) is double
    assert twice(Counter.static) is Counter.static
    assert len(pickle.dumps(double)) < 100


def test_functions_without_their_own_name():
    made = twice(triple)
    assert isinstance(made, type(triple))
    assert made.python_function is plain
    assert made.input_signature == triple.input_signature
    assert made(np.ones(2)).numpy().tolist() == [3.0, 3.0]


def test_local_functions_are_refused():
    @fg.function
    def local(x):
        return x

    with pytest.raises((pickle.PicklingError, AttributeError), match="local"):
        pickle.dumps(local)


def test_methods():
    c = Counter(1)
    up, same = twice((c.up, c))
    assert up.__self__ is same
    assert int(up(fg.constant(4))) == 5
    assert int(same.n) == 5
    assert int(c.n) == 1
    assert twice(Counter.made).__self__ is Counter


# Concrete functions, by value.


def concrete(function, *args, **options):
    return fg.function(function, **options).get_concrete_function(*args)


def test_graphs_travel_whole():
    def f(x, k=2, *, flag=True):
        for i in fg.range(3):
            if fg.reduce_sum(x) > fg.cast(i, fg.float32):
                x = x * 2.0
        return {"x": x * k, "rest": [None, (x[:1], "text")]}

    c = concrete(f, fg.TensorSpec([None]))
    for made in (twice(c), copy.copy(c), copy.deepcopy(c), twice(twice(c))):
        got, want = made(fg.constant([1.0, 0.5])), c(fg.constant([1.0, 0.5]))
        assert got["x"].numpy().tolist() == want["x"].numpy().tolist()
        assert got["rest"][0] is None
        assert got["rest"][1][1].numpy() == b"text"
        assert made.structured_input_signature == c.structured_input_signature
        assert repr(made.structured_outputs) == repr(c.structured_outputs)
        assert str(made) == str(c)
        assert made.name == c.name
        with pytest.raises(TypeError, match="k = 2"):
            made(fg.constant([1.0]), k=3)


def test_captured_tensors_and_variables_travel():
    v, t = fg.Variable([1.0, 2.0]), fg.constant([10.0, 20.0])

    def f(x):
        v.assign_add(x)
        return v + t

    c = concrete(f, fg.TensorSpec([2]))
    made = twice(c)
    assert made(fg.constant([1.0, 1.0])).numpy().tolist() == [12.0, 23.0]
    assert v.numpy().tolist() == [1.0, 2.0]
    assert made.variables[0].numpy().tolist() == [2.0, 3.0]
    both, same = twice((c, v))
    both(fg.constant([5.0, 5.0]))
    assert same.numpy().tolist() == [6.0, 7.0]
    shared = copy.copy(c)
    shared(fg.constant([1.0, 1.0]))
    assert v.numpy().tolist() == [2.0, 3.0]


def test_composites_travel():
    c = concrete(
        lambda p, r: (Point(p.y, p.x), r * 2),
        Point.Spec(fg.TensorSpec([]), fg.TensorSpec([])),
        fg.RaggedTensorSpec([None, None], fg.int32),
    )
    point, ragged = twice(c)(Point(1.0, 2.0), fg.ragged.constant([[1], [2, 3]]))
    assert (float(point.x), float(point.y)) == (2.0, 1.0)
    assert ragged.to_list() == [[2], [4, 6]]


def test_gradients_through_a_copy():
    made = twice(concrete(lambda x: x * x * 3.0, fg.TensorSpec([])))
    x = fg.constant(2.0)
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = made(x)
    assert float(tape.gradient(y, x)) == 12.0


def test_copies_work_inside_functions():
    made = twice(concrete(lambda x: x + 1, fg.TensorSpec([], fg.int32)))
    assert int(fg.function(lambda x: made(x) * 2)(fg.constant(3))) == 8


def test_methods_of_concrete_functions_travel_with_their_instance():
    c = Counter(1)
    made = twice(c.up.get_concrete_function(fg.TensorSpec([], fg.int32)))
    assert int(made(fg.constant(2))) == 3
    assert int(c.n) == 1


def test_large_constants_are_exact():
    values = np.random.default_rng(0).normal(size=(50, 40)).astype(np.float32)
    values[0, :3] = [np.inf, -0.0, np.nan]
    made = twice(concrete(lambda x: fg.constant(values) * x, fg.TensorSpec([])))
    np.testing.assert_array_equal(made(fg.constant(1.0)).numpy(), values)


def test_objects_of_this_process_are_refused():
    def f(x):
        return fg.py_function(lambda v: v, [x], fg.float32)

    with pytest.raises(pickle.PicklingError, match="object of this process"):
        pickle.dumps(concrete(f, fg.TensorSpec([])))


def test_broken_text_is_refused():
    from ferrograph import _core

    text = concrete(lambda x: x + 1.0, fg.TensorSpec([]))._graph.text()
    assert _core.GraphHandle.from_text(text).text() == text
    for bad in ("", "graph", text.replace("AddV2", "NoSuchOp"), text.replace("(%0, ", "(%9, ")):
        with pytest.raises((ValueError, fg.errors.OpError)):
            _core.GraphHandle.from_text(bad)


def test_spawned_processes_receive_them(run_python):
    done = run_python(
        """
        import multiprocessing

        import ferrograph as fg

        @fg.function
        def double(x):
            return x + x

        v = fg.Variable(5)

        @fg.function
        def scaled(x):
            return x * v

        class Model(fg.Module):
            def __init__(self):
                super().__init__()
                self.w = fg.Variable(7)

            @fg.function
            def __call__(self, x):
                return self.w * x

            @fg.function
            def step(self, x):
                return self.w.assign_add(x)

        def run(job):
            function, x = job
            return int(function(x)), x

        if __name__ == "__main__":
            x = fg.constant(3)
            model = Model()
            jobs = [
                (double, x),
                (scaled.get_concrete_function(x), x),
                (model, x),
                (model.step, x),
            ]
            with multiprocessing.get_context("spawn").Pool(2) as pool:
                results = pool.map(run, jobs)
            assert [int(t) for _, t in results] == [3] * 4
            print([n for n, _ in results])
        """,
        timeout=120,
    )
    assert done.stdout.strip() == "[6, 15, 21, 10]"
