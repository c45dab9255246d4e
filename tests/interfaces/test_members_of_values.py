"""What readers of values, functions and graphs meet."""

import collections

import ferrograph as fg
import numpy as np
import pytest

Pair = collections.namedtuple("Pair", "a b")


def grown(part):
    return fg.concat([part, part], 0)


OPEN = fg.TensorShape([None, 2])


@pytest.mark.parametrize(
    "value, step, shapes",
    [
        ((fg.ones([1, 2]), 1.0), lambda v: (grown(v[0]), v[1]), (OPEN, fg.TensorShape([]))),
        ([fg.ones([1, 2])], lambda v: [grown(v[0])], [OPEN]),
        (
            {"k": fg.ones([1, 2]), "a": 0.0},
            lambda v: {"k": grown(v["k"]), "a": v["a"]},
            {"a": fg.TensorShape([]), "k": OPEN},
        ),
        (
            Pair(fg.ones([1, 2]), 1.0),
            lambda v: Pair(grown(v.a), v.b),
            Pair(fg.TensorSpec([None, 2]), fg.TensorSpec([])),
        ),
        (
            ({"a": fg.ones([1, 2])}, [1.0]),
            lambda v: ({"a": grown(v[0]["a"])}, v[1]),
            ({"a": OPEN}, [fg.TensorShape([])]),
        ),
        (fg.ones([1, 2]), grown, [None, 2]),
        (fg.ones([1, 2]), grown, fg.TensorShape(None)),
        (
            fg.ragged.constant([[1.0]]),
            lambda v: fg.concat([v, v], 0),
            fg.RaggedTensorSpec([None, None], fg.float32),
        ),
    ],
)
def test_shape_invariants_have_the_structure_of_the_variables(value, step, shapes):
    def run():
        return fg.while_loop(
            lambda i, v: i < 3,
            lambda i, v: (i + 1, step(v)),
            [fg.constant(0), value],
            shape_invariants=[fg.TensorShape([]), shapes],
        )[1]

    eager, traced = run(), fg.function(run)()
    fg.nest.assert_same_structure(eager, traced, expand_composites=True)
    leaves = [fg.nest.flatten(v, expand_composites=True) for v in (eager, traced)]
    for x, y in zip(*leaves, strict=True):
        assert np.asarray(x).tolist() == np.asarray(y).tolist()


def test_shape_invariants_of_another_structure_are_refused():
    def run(shapes):
        body = lambda i, v: (i + 1, v)  # noqa: E731
        init = [fg.constant(0), (fg.ones([1]), 1.0)]
        return fg.function(lambda: fg.while_loop(lambda i, v: i < 3, body, init, shapes))()

    for shapes in ([None, (None,)], [None], [None, "a"], [None, ["a", None]]):
        with pytest.raises(ValueError, match="shape_invariants|shape invariant"):
            run(shapes)


def test_numpy_gives_an_array_of_its_own():
    x, v = fg.constant([1.0, 2.0]), fg.Variable([1.0, 2.0])
    for value in (x, v):
        array = value.numpy()
        array[0] = 9.0
        assert value.numpy().tolist() == [1.0, 2.0]
    assert fg.constant(["a"]).numpy().flags.writeable
    shared = np.asarray(x)
    assert not shared.flags.writeable and np.shares_memory(shared, np.asarray(x))
    assert memoryview(x).readonly and not np.from_dlpack(x).flags.writeable


KEYS = [
    (0, [9.0] * 4),
    ((slice(None), 2), [5.0, 6.0, 7.0]),
    ((0, 0), 8.0),
    ((slice(None, None, 2), slice(None, None, -1)), [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]),
    ((..., 1), [1.0, 2.0, 3.0]),
    ((None, 0), [[1.0, 2.0, 3.0, 4.0]]),
    (1, 3.0),
    (slice(3, None), np.zeros((0, 4))),
]


@pytest.mark.parametrize("key, value", KEYS)
def test_a_part_of_a_variable_is_assigned(key, value):
    start = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    expected = start.copy()
    expected[key] = value
    eager, traced = fg.Variable(start), fg.Variable(start)
    assert eager[key].assign(value) is eager
    fg.function(lambda: traced[key].assign(value))()
    assert eager.numpy().tolist() == traced.numpy().tolist() == expected.tolist()


def test_parts_of_variables_are_tensors():
    v = fg.Variable([[1.0, 2.0], [3.0, 4.0]])
    with fg.GradientTape() as tape:
        y = v[0] * 2.0
    assert tape.gradient(y, v).numpy().tolist() == [[2.0, 2.0], [0.0, 0.0]]
    assert isinstance(v[0], fg.Tensor) and not hasattr(fg.constant([1.0])[0], "assign")
    index = fg.constant(1)
    v[index].assign([7.0, 8.0])
    assert v.numpy().tolist() == [[1.0, 2.0], [7.0, 8.0]]
    with pytest.raises(fg.errors.InvalidArgumentError):
        v[0].assign([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="int32 tensor cannot be assigned"):
        v[0].assign(fg.constant([1, 2]))
    names = fg.Variable(["a", "b"])
    names[0].assign("z")
    assert names.numpy().tolist() == [b"z", b"b"]


@fg.function
def pick(features, scale=None):
    return {"ids": features["ids"], "rest": (features["w"], None)}


SPECS = {"ids": fg.TensorSpec([None], fg.int32), "w": fg.TensorSpec([2])}


def test_leaves_of_arguments_are_named_by_their_place():
    (features, scale), rest = pick.get_concrete_function(SPECS).structured_input_signature
    assert (features["ids"].name, features["w"].name) == ("features_ids", "features_w")
    assert scale is None and rest == {}

    f = fg.function(lambda a, *b, k=None, **kw: a)
    x = fg.constant(1)
    made = f.get_concrete_function((x, [x]), x, {"z": x}, k=[x, x], q={"x": x})
    names = [s.name for s in fg.nest.flatten(made.structured_input_signature)]
    assert names == ["a_0", "a_1_0", "b_0", "b_1_z", "k_0", "k_1", "q_x"]
    own = fg.TensorSpec([], name="mine")
    made = fg.function(lambda x: x).get_concrete_function(own)
    assert made.structured_input_signature == ((own,), {})


def test_concrete_functions_are_called_flat_too():
    made = fg.function(lambda p: p[0] - p[1]["y"]).get_concrete_function(
        (fg.TensorSpec([]), {"y": fg.TensorSpec([])})
    )
    a, b = fg.constant(3.0), fg.constant(1.0)
    found = [made((a, {"y": b})), made(a, b), made(p=a, p_1=b), made(a, p_1=b)]
    assert [float(v) for v in found] == [2.0] * 4
    named = fg.function(lambda p, k: p[0] - p[1] - k).get_concrete_function(
        [fg.TensorSpec([], name="left"), fg.TensorSpec([], name="right")], fg.TensorSpec([])
    )
    assert float(named(right=b, k=b, left=a)) == 1.0
    for args, kwargs in [((a,), {}), ((a, b, a), {}), ((a,), {"q": b}), ((a, b), {"p": a})]:
        with pytest.raises(TypeError):
            made(*args, **kwargs)


def test_structured_outputs_hold_tensors_of_the_graph():
    made = pick.get_concrete_function(SPECS)
    outputs = made.structured_outputs
    assert outputs["rest"][1] is None
    for tensor in (outputs["ids"], outputs["rest"][0], *made.inputs, *made.outputs):
        assert isinstance(tensor, fg.Tensor)
        assert tensor.graph is made.graph and tensor.op.graph is made.graph
    assert outputs["ids"].shape.as_list() == [None]
    assert [t.name for t in made.inputs] == ["features:0", "features_1:0"]
    with pytest.raises(fg.errors.InaccessibleTensorError):
        outputs["ids"] + 1


def test_graphs_and_operations_have_what_readers_use():
    v, w = fg.Variable([1.0, 2.0], name="w"), fg.Variable(2.0, trainable=False)
    c = fg.constant([5.0, 6.0])
    made = fg.function(lambda x: x * v + c * w).get_concrete_function(fg.TensorSpec([2]))
    graph = made.graph
    assert graph.variables == (v, w) and graph.trainable_variables == (v,)
    assert [outside.dtype for outside, _ in graph.captures].count(fg.resource) == 2
    assert [inside.name for _, inside in graph.captures] == [t.name for t in graph.inputs[1:]]
    product = next(op for op in graph.get_operations() if op.type == "Mul")
    assert [t.name for t in product.inputs] == ["x:0", product.inputs[1].op.name + ":0"]
    assert product.outputs[0].op == product and product.values() == tuple(product.outputs)
    assert product.get_attr("T") == fg.float32
    assert graph.get_tensor_by_name("x:0") is graph.as_graph_element("x:0")
    assert graph.as_graph_element("x") == graph.get_operation_by_name("x")
    for wrong in ("nope:0", "x:7"):
        with pytest.raises(KeyError):
            graph.get_tensor_by_name(wrong)
    with pytest.raises(ValueError):
        graph.get_tensor_by_name("x")
    assert fg.Graph().get_operations() == []


def test_variables_say_that_they_belong_to_no_graph():
    v = fg.Variable(1.0)
    assert v.initializer is None
    for name in ("op", "graph"):
        with pytest.raises(AttributeError, match="belongs to no graph"):
            getattr(v, name)
    rows = fg.IndexedSlices(fg.constant([4.0]), fg.constant([1]))
    v = fg.Variable([3.0, 5.0])
    v.scatter_mul(rows)
    v.scatter_div(fg.IndexedSlices([2.0], [0]))
    assert v.numpy().tolist() == [1.5, 20.0]
    assert v.sparse_read([1, 1]).numpy().tolist() == [20.0, 20.0]
    assert v.gather_nd([[0]]).numpy().tolist() == [1.5]


@pytest.mark.parametrize(
    "change",
    [
        lambda n: n[0].append(1),
        lambda n: n[0].append([]),
        lambda n: n[0].pop(),
        lambda n: n[1].update(a=fg.constant(2)),
        lambda n: n[1].update(b=[]),
        lambda n: n[1].__setitem__("z", n[1].pop("a")),
        lambda n: n.append([]),
        lambda n: n.reverse(),
    ],
)
def test_arguments_changed_while_tracing_are_refused(change):
    f = fg.function(lambda n: change(n) and None, autograph=False)
    with pytest.raises(ValueError, match="should not modify its Python input arguments"):
        f([[fg.constant(1), 2], {"a": fg.constant(1)}])


def test_keywords_that_name_one_input_are_refused():
    f = fg.function(lambda **k: k["a_b"] - k["a/b"])
    with pytest.raises(ValueError, match="'a/b' and 'a_b'|'a_b' and 'a/b'"):
        f(**{"a_b": fg.constant(5.0), "a/b": fg.constant(2.0)})


def test_a_concrete_function_refuses_other_shapes_in_a_function():
    made = fg.function(lambda x: x).get_concrete_function(fg.constant([1.0]))
    two = fg.constant([1.0, 2.0])
    assert made(two).shape == [2]
    with pytest.raises(TypeError, match=r"traced with shape \(1,\)"):
        fg.function(lambda: made(two * 1.0))()
    open_spec = [fg.TensorSpec([None])]
    assert fg.function(lambda y: made(y), input_signature=open_spec)(two).shape == [2]


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    @fg.function
    def times(self, x):
        return x * self.factor


def test_methods_count_their_traces_by_instance_and_are_wrapped_again():
    a, b = Scaled(1.0), Scaled(2.0)
    a.times(fg.constant(1.0))
    b.times(fg.constant(1.0))
    b.times(fg.constant([1.0]))
    counts = [x.times.experimental_get_tracing_count() for x in (a, b, Scaled(3.0))]
    assert counts == [1, 2, 0]
    assert float(fg.function(b.times)(fg.constant(3.0))) == 6.0
    assert fg.function(b.times).get_concrete_function(fg.TensorSpec([])).inputs[0].name == "x:0"


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: fg.einsum(3, fg.ones([2])), TypeError, "equation"),
        (lambda: fg.linalg.matvec(1.0, 2.0), fg.errors.InvalidArgumentError, "matvec"),
        (lambda: fg.one_hot(3, fg.ragged.constant([[1]])), TypeError, "RaggedTensor"),
        (lambda: fg.expand_dims(1, fg.ragged.constant([[1]])), TypeError, "RaggedTensor"),
        (lambda: fg.function(lambda: fg.TensorSpec([2]))(), TypeError, "TensorSpec"),
        (lambda: fg.function(lambda: {"a": fg.TensorSpec([2])})(), TypeError, "TensorSpec"),
        (lambda: fg.constant(range(2**62)), ValueError, "4611686018427387904 elements"),
        (lambda: fg.convert_to_tensor(fg.IndexedSlices(1, 2)), ValueError, "dense_shape"),
    ],
)
def test_mistakes_fail_in_words_of_their_own(call, error, words):
    with pytest.raises(error, match=words):
        call()


class Lying:
    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return 1


@pytest.mark.parametrize("length", [-1, 0, 3, 2**62])
def test_sequences_that_lie_about_their_length_are_refused(length):
    with pytest.raises(ValueError):
        fg.constant(Lying(length))


def test_structured_outputs_hold_values_of_tensors():
    @fg.function
    def f(x):
        return {"rows": fg.RaggedTensor.from_row_splits(x, [0, 1, 2]), "x": x}

    concrete = f.get_concrete_function(fg.TensorSpec([2], fg.float32))
    found = concrete.structured_outputs
    assert isinstance(found["rows"], fg.RaggedTensor) and found["x"].graph is concrete.graph
    assert isinstance(concrete.function_type.output["rows"], fg.RaggedTensorSpec)
