"""What readers of graphs, specs and iterators use of tensorflow's objects, as recorded from it."""

import ferrograph as fg
import pytest

D = fg.data.Dataset


def members_of(body, *args):
    """What a function of a graph and its arguments says while it is traced."""
    found = []

    @fg.function
    def f(*args):
        found.append(body(args[0].graph, *args))
        return args[0]

    concrete = f.get_concrete_function(*args)
    return found[0], concrete.graph


X = fg.TensorSpec([2], fg.float32, "x")


def test_name_scopes_and_unique_names():
    def body(g, x):
        with fg.name_scope("outer"), g.name_scope("inner") as scope:
            names = [g.unique_name("a"), g.unique_name("a"), g.unique_name("a", False)]
            sine = fg.add(x, 1.0, name="a")
            return scope, g.get_name_scope(), names, sine.op.name

    found, graph = members_of(body, X)
    names = ["outer/inner/a", "outer/inner/a_1", "outer/inner/a_2"]
    assert found == ("outer/inner/", "outer/inner", names, "outer/inner/a_2")
    assert graph.get_name_scope() == ""
    assert [graph.unique_name(n) for n in ["new", "new", "x/y", "x"]] == [
        "new",
        "new_1",
        "x/y",
        "x_1",
    ]
    assert graph.unique_name("outer/inner/a_2") == "outer/inner/a_2_1"


def test_a_graph_is_one_object_while_it_is_built():
    def body(g, x):
        return g is x.graph, x.op == fg.identity(x).op.inputs[0].op, g.finalized

    assert members_of(body, X)[0] == (True, True, False)


def test_blocks_of_the_graph_that_is_built():
    def body(g, x):
        y = fg.sin(x)
        with g.as_default() as h, g.control_dependencies([y.op]), g.device("cpu:0"):
            z = fg.cos(x)
        with g.colocate_with(y.op):
            return h is g, [op.name for op in z.op.control_inputs], y.op.colocation_groups()

    assert members_of(body, X)[0] == (True, ["Sin"], [b"loc:@Sin"])


def test_blocks_of_a_finished_graph_are_refused():
    _, graph = members_of(lambda g, x: None, X)
    for block in [
        graph.as_default(),
        graph.name_scope("a"),
        graph.control_dependencies([]),
        graph.device("cpu"),
        fg.Graph().as_default(),
    ]:
        with pytest.raises(ValueError, match="only to the graph that is being built here"), block:
            pass
    graph.finalize()
    assert graph.finalized


def test_collections():
    _, graph = members_of(lambda g, x: g.add_to_collection("mine", 3), X)
    assert graph.get_collection("mine") == [3] and graph.get_collection("other") == []
    graph.add_to_collections(["a", "b", "a"], 1)
    graph.add_to_collections("c", 2)
    graph.get_collection_ref("r").append(4)
    graph.get_collection("r").append(5)
    assert [graph.get_collection(name) for name in "abcr"] == [[1], [1], [2], [4]]
    graph.add_to_collection("scoped", graph.get_operations()[0])
    assert graph.get_collection("scoped", "x") == [graph.get_operations()[0]]
    assert graph.get_collection("scoped", "y") == []
    graph.clear_collection("r")
    assert graph.get_collection("r") == []
    assert graph.get_all_collection_keys() == ["mine", "a", "b", "c", "scoped"]
    graph.add_to_collection(("a", "tuple"), 1)
    assert ("a", "tuple") in graph.collections
    assert ("a", "tuple") not in graph.get_all_collection_keys()


def test_what_is_not_to_be_fetched_or_fed():
    _, graph = members_of(lambda g, x: None, X)
    op = graph.get_operations()[0]
    assert graph.is_fetchable(op) and graph.is_feedable(op.outputs[0])
    graph.prevent_fetching(op)
    graph.prevent_feeding(op.outputs[0])
    assert not graph.is_fetchable(op.outputs[0]) and not graph.is_feedable(op.outputs[0])


def test_users_of_tensors():
    def body(g, x):
        y = fg.sin(x)
        values = fg.split(y, 2)
        return [op.name for op in x.consumers()], values[1].value_index, y.consumers()[0].type

    found, graph = members_of(body, X)
    assert found[:2] == (["Sin"], 1) and found[2].startswith("Split")
    assert graph.num_operations() == graph.version == len(graph.get_operations())


def test_declarations_and_lines_of_operations():
    _, graph = members_of(lambda g, x: fg.matmul([[1.0]], [[2.0]]), X)
    product = next(op for op in graph.get_operations() if op.type == "MatMul")
    declared = product.op_def
    assert (declared.name, [a.name for a in declared.input_arg]) == ("MatMul", ["a", "b"])
    assert [a.name for a in declared.output_arg] == ["product"]
    assert {a.type_attr for a in declared.input_arg} == {"T"}
    kinds = {a.name: (a.type, a.default_value) for a in declared.attr}
    assert kinds["T"] == ("type", None) and kinds["transpose_a"] == ("bool", False)
    assert graph.op_def_for_type("ConcatV2").input_arg[0].number_attr == "N"
    with pytest.raises(RuntimeError, match="Op type not registered 'NoSuch'"):
        graph.op_def_for_type("NoSuch")
    (frame,) = product.traceback
    assert frame.filename == __file__ and "matmul" in frame.line


def test_eager_tensors_and_variables():
    x, v = fg.constant([1.0]), fg.Variable([1.0, 2.0])
    assert x.backing_device == x.device and not x.is_packed and x.cpu() is x
    assert {"__add__", "__getitem__", "__rxor__"} < fg.Tensor.OVERLOADABLE_OPERATORS
    assert not any(hasattr(x, name) for name in ["graph", "op", "value_index", "consumers"])
    before = v.read_value_no_copy()
    assert v.load([3.0, 4.0]) is None
    assert before.numpy().tolist() == [1.0, 2.0] and v.numpy().tolist() == [3.0, 4.0]
    rows = fg.IndexedSlices(x, fg.constant([0]))
    assert rows.consumers() == [] and not hasattr(rows, "op")


def test_iterators():
    it = iter(D.from_tensor_slices({"a": [1.0], "b": ["x"]}))
    assert it.output_types == {"a": fg.float32, "b": fg.string}
    assert it.output_shapes == {"a": fg.TensorShape([]), "b": fg.TensorShape([])}
    assert it.output_classes == {"a": fg.Tensor, "b": fg.Tensor}
    assert it.next()["b"].numpy() == b"x"
    numbers = D.range(10).shuffle(5, seed=1).as_numpy_iterator()
    numbers.next()
    place = numbers.save()
    assert place.dtype == fg.string and place.shape == []
    rest = list(numbers)
    numbers.restore(place)
    assert list(numbers) == rest and len(rest) == 9
    with pytest.raises(fg.errors.InvalidArgumentError):
        numbers.restore(b"nonsense")


def test_types_of_values():
    sparse = fg.sparse.from_dense([[1, 0]])
    assert fg.SparseTensorSpec.from_value(sparse) == fg.SparseTensorSpec([1, 2], fg.int32)
    with pytest.raises(TypeError, match="Expected SparseTensor"):
        fg.SparseTensorSpec.from_value(3)
    numbers = fg.data.DatasetSpec(fg.TensorSpec([], fg.int64))
    assert fg.data.DatasetSpec.from_value(D.range(3)) == numbers
    array = fg.TensorArray(fg.float32, 3, element_shape=[2])
    assert fg.TensorArraySpec.from_value(array) == fg.TensorArraySpec([2], fg.float32)
    with pytest.raises(TypeError, match="Expected value to be a TensorArray"):
        fg.TensorArraySpec.from_value(3)
    optional = fg.experimental.Optional.from_value(fg.constant(1))
    assert fg.OptionalSpec.from_value(optional) == fg.OptionalSpec(fg.TensorSpec([], fg.int32))


def test_devices_and_messages_are_what_they_are_elsewhere():
    (device,) = fg.config.list_physical_devices("CPU")
    assert tuple(device) == ("/physical_device:CPU:0", "CPU")
    assert repr(device) == "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')"
    example = fg.train.Example()
    assert "features" in dir(example) and example.FindInitializationErrors() == []
