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


SCALAR = fg.TensorSpec([], fg.float32)


def test_attributes_of_nodes_are_messages():
    concrete = fg.function(
        lambda x: fg.reduce_sum(fg.matmul(x, x, transpose_b=True))
    ).get_concrete_function(fg.TensorSpec([None, 3], fg.float32, "x"))
    message = concrete.graph.as_graph_def()
    x, product = message.node[0], next(n for n in message.node if n.op == "MatMul")
    assert x.attr["dtype"].type == fg.float32.as_datatype_enum
    assert [dim.size for dim in x.attr["shape"].shape.dim] == [-1, 3]
    assert product.attr["transpose_b"].b and not product.attr["transpose_a"].b
    assert product.attr["transpose_b"].WhichOneof("value") == "b"
    assert product.attr["T"].HasField("type") and not product.attr["T"].HasField("func")
    with pytest.raises(ValueError, match="no field 'nonsense'"):
        product.attr["T"].HasField("nonsense")
    op = concrete.graph.get_operation_by_name(product.name)
    assert op.get_attr("T") == fg.float32 and op.get_attr("transpose_b") is True
    assert op.node_def.attr["T"] == product.attr["T"]
    const = next(o for o in concrete.graph.get_operations() if o.type == "Const")
    assert const.get_attr("dtype") == fg.int32
    assert const.get_attr("value").dtype == fg.int32.as_datatype_enum
    with pytest.raises(ValueError, match="no attribute 'N'"):
        op.get_attr("N")


def test_lists_functions_and_floats_among_attributes():
    def body(x):
        return fg.nn.leaky_relu(fg.cond(x > 0, lambda: x * 2.0, lambda: -x), 0.25)

    graph = fg.function(body).get_concrete_function(SCALAR).graph
    choice = next(op for op in graph.get_operations() if op.type == "StatelessIf")
    assert choice.get_attr("Tout") == [fg.float32] and choice.get_attr("Tcond") == fg.bool
    (shape,) = choice.get_attr("output_shapes")
    assert list(shape.dim) == [] and not shape.unknown_rank
    names = {f.signature.name for f in graph.as_graph_def().library.function}
    assert {choice.get_attr(n).name for n in ("then_branch", "else_branch")} == names
    leaky = next((op for op in graph.get_operations() if op.type == "LeakyRelu"), None)
    if leaky is not None:
        assert leaky.get_attr("alpha") == 0.25


def test_branches_loops_and_calls_are_functions_of_the_library():
    inner = fg.function(lambda x: fg.sin(x))

    def body(n):
        total = fg.constant(0.0)
        for i in fg.range(n):
            total += inner(fg.cast(i, fg.float32)) if i > 2 else fg.cos(total)
        return total

    spec = fg.TensorSpec([], fg.int32)
    message = fg.function(body).get_concrete_function(spec).graph.as_graph_def()
    found = {f.signature.name: [n.op for n in f.node_def] for f in message.library.function}
    assert any("Sin" in ops for ops in found.values())
    assert any("Cos" in ops for ops in found.values())
    called = {
        value.func.name
        for nodes in [message.node, *(f.node_def for f in message.library.function)]
        for node in nodes
        for value in node.attr.values()
        if value.HasField("func")
    }
    assert called == set(found)
    loop = next(f for f in message.library.function if "StatelessIf" in found[f.signature.name])
    assert {a.name for a in loop.signature.output_arg} == set(loop.ret)


def test_graphs_without_a_message_have_attributes_as_text():
    def body(g, x):
        fg.transpose(fg.matmul([[1.0]], [[2.0]], transpose_b=True))
        return g.as_graph_def(), g.get_operations()[-1].graph is g

    (message, _), _ = members_of(body, X)
    product = next(n for n in message.node if n.op == "MatMul")
    assert product.attr["transpose_b"].s.lower() == b"true"
    assert list(message.library.function) == []

    def called(x):
        return fg.py_function(lambda v: v, [x], fg.float32)

    graph = fg.function(called).get_concrete_function(SCALAR).graph
    assert [n.name for n in graph.as_graph_def().node][0] == graph.get_operations()[0].name


def test_names_of_constants_and_captures_are_our_own():
    v = fg.Variable(2.0)
    concrete = fg.function(lambda x: x * v + 1.0).get_concrete_function(SCALAR)
    graph = concrete.graph
    names = [op.name for op in graph.get_operations()]
    # By tensorflow 2.21 "mul/ReadVariableOp/resource", "mul/ReadVariableOp" and "add/y".
    assert {"capture", "ReadVariableOp", "mul", "Const", "add"} < set(names)
    (captured,) = graph.captures
    assert captured[1].name == "capture:0" and captured[1].dtype == fg.resource


def test_graphs_of_branches_and_bodies():
    """Each is a graph of its own, whose operations are found by their names while it is traced."""
    found = []

    def look(tensor, name):
        op = tensor.graph.get_operation_by_name(name)
        found.append((tensor.op.name, op.type, tensor.graph is op.graph))

    @fg.function
    def f(x, n):
        y = fg.sin(x, name="first")
        if n > 0:
            z = fg.cos(y, name="inner")
            look(z, "inner")
            look(y, "first")
        else:
            z = x
        while n > 0:
            z = fg.tanh(z, name="turn")
            look(z, "turn")
            n -= 1
        return z

    f.get_concrete_function(fg.TensorSpec([]), fg.TensorSpec([], fg.int32))
    inner, first = ("inner", "Cos", True), ("first", "Sin", True)
    assert found == [inner, first, ("turn", "Tanh", True)]


def test_a_graph_around_the_one_that_is_traced():
    """An inner function sees the graph of the outer one, with what the program noted of it."""
    found = []

    @fg.function
    def outer(x):
        x.graph.add_to_collection("noted", 3)

        @fg.function
        def inner(y):
            found.append(x.graph.get_collection("noted"))
            return y

        return inner(x)

    outer.get_concrete_function(fg.TensorSpec([]))
    assert found == [[3]]


def test_control_outputs_are_the_operations_with_side_effects():
    """As tensorflow 2.21 lists them, but in order, with draws, and without reads of variables."""
    v, w = fg.Variable(1.0), fg.Variable(2.0)

    @fg.function
    def f(x):
        v.assign_add(x)
        v.assign(x * 2)
        fg.print("x", x)
        fg.random.normal([2])
        if x > 0:
            w.assign(x)
        return v.read_value() + x

    graph = f.get_concrete_function(fg.TensorSpec([])).graph
    types = [op.type for op in graph.control_outputs]
    draw = "RandomStandardNormal"
    assert types == ["AssignAddVariableOp", "AssignVariableOp", "PrintV2", draw, "If"]
    assert [op for op in graph.get_operations() if op in graph.control_outputs] == (
        graph.control_outputs
    )
