"""Initialisers, static values, groups, messages, conversions, settings: as recorded."""

import ferrograph as fg
import numpy as np
import pytest
from ferrograph._src.values.wire import DecodeError


def test_initialisers_draw_the_recorded_numbers():
    """The numbers are tensorflow's."""
    normal = fg.random_normal_initializer(seed=1)
    assert np.allclose(normal([3]), [0.00633252, -0.02465083, 0.03155954], rtol=1e-5)
    assert np.allclose(normal([2], fg.float64), [-0.12660433, 0.04319612])
    uniform = fg.random_uniform_initializer(seed=1)
    assert np.allclose(uniform([3]), [0.03784882, -0.00400198, 0.01002913], rtol=1e-5)
    whole = fg.random_uniform_initializer(0, 10, seed=2)
    assert whole([3], fg.int32).numpy().tolist() == [7, 5, 7]
    fg.random.set_seed(3)
    expected = [-0.04148186, -0.09133136, 0.00625968]
    assert np.allclose(fg.random_normal_initializer()([3]), expected, rtol=1e-5)


def test_initialisers_of_constants():
    assert fg.zeros_initializer()([2], fg.int32).numpy().tolist() == [0, 0]
    assert fg.ones_initializer()([2], fg.bool).numpy().tolist() == [True, True]
    four = fg.constant_initializer([1, 2, 3, 4])
    assert four([2, 2]).numpy().tolist() == [[1, 2], [3, 4]]
    assert fg.constant_initializer("a")([2], fg.string).numpy().tolist() == [b"a", b"a"]
    assert fg.zeros_initializer()([4], partition_shape=[2]).shape == [2]
    with pytest.raises(TypeError):
        four([5])


@pytest.mark.parametrize(
    "make",
    [
        lambda: fg.zeros_initializer(),
        lambda: fg.constant_initializer(3),
        lambda: fg.random_normal_initializer(1.0, 2.0, seed=3),
        lambda: fg.random_uniform_initializer(1.0, 2.0, seed=3),
    ],
)
def test_initialisers_are_made_again_of_their_arguments(make):
    first = make()
    again = type(first).from_config(first.get_config())
    assert again.get_config() == first.get_config()
    assert again([2]).numpy().tolist() == first([2]).numpy().tolist()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: fg.zeros_initializer()([1], fg.string), ValueError),
        (lambda: fg.random_normal_initializer()([1], fg.int32), ValueError),
        (lambda: fg.random_uniform_initializer()([1], fg.bool), ValueError),
        (lambda: fg.constant_initializer(object()), TypeError),
        (lambda: fg.ones_initializer()([1], rows=2), TypeError),
    ],
)
def test_initialisers_refuse(call, error):
    with pytest.raises(error):
        call()


def test_static_values_and_symbols():
    seen = {}

    @fg.function
    def f(x):
        seen["shape"] = fg.get_static_value(fg.shape(fg.zeros([2, 3]))).tolist()
        seen["argument"] = fg.get_static_value(x)
        seen["constant"] = fg.get_static_value(fg.constant(5))
        seen["symbolic"] = fg.is_symbolic_tensor(x)
        return x

    f(fg.constant(1))
    assert seen == {"shape": [2, 3], "argument": None, "constant": 5, "symbolic": True}
    assert fg.get_static_value(fg.constant([1, 2])).tolist() == [1, 2]
    assert fg.get_static_value(fg.Variable(1)) is None
    assert fg.get_static_value([1]) == [1]
    assert not any(map(fg.is_symbolic_tensor, (fg.constant(1), fg.Variable(1), 1)))


def test_groups_order_what_is_traced():
    v = fg.Variable(1)

    @fg.function
    def f(x):
        done = fg.group(v.assign_add(x), x + 1)
        assert done.type == "NoOp"
        with fg.control_dependencies([done]):
            first, nothing, last = fg.tuple([v + 0, None, x])
        assert nothing is None
        return first, last

    assert [int(t) for t in f(fg.constant(2))] == [3, 2]
    assert fg.group(fg.constant(1)) is None
    assert fg.no_op() is None
    with pytest.raises(TypeError):
        fg.group(3)


def test_scopes_have_names():
    assert fg.get_current_name_scope() == ""
    with fg.name_scope("a"):
        assert fg.get_current_name_scope() == "a"

        @fg.function
        def f(x):
            assert fg.get_current_name_scope() == ""
            with fg.name_scope("b"), fg.name_scope("c"):
                assert fg.get_current_name_scope() == "b/c"
            return x

        f(fg.constant(1))


WIRE = {
    "matrix": (
        [[1, 2], [3, 4]],
        {},
        "0803120812020802120208022210" + "01000000020000000300000004000000",
    ),
    "repeated": ([1.5], {"shape": [3]}, "08011204120208032a040000c03f"),
    "strings": (["a", "bc"], {}, "080712041202080242016142026263"),
    "bool": (True, {}, "080a12005a0101"),
    "integer": (1, {"shape": [2, 2]}, "0803120812020802120208023a0101"),
}


@pytest.mark.parametrize("name", WIRE)
def test_messages_are_the_bytes_of_protocol_buffers(name):
    values, given, wire = WIRE[name]
    proto = fg.make_tensor_proto(values, **given)
    assert proto.SerializeToString().hex() == wire
    expected = np.broadcast_to(fg.constant(values).numpy(), given.get("shape", np.shape(values)))
    assert fg.make_ndarray(proto).tolist() == expected.tolist()


@pytest.mark.parametrize("name", WIRE)
def test_messages_are_made_and_read_while_tracing(name):
    values, given, wire = WIRE[name]
    found = []

    @fg.function
    def f():
        proto = fg.make_tensor_proto(values, **given)
        found.extend([proto.SerializeToString().hex(), fg.make_ndarray(proto).tolist()])
        return fg.constant(0)

    f()
    assert found == [wire, fg.make_ndarray(fg.make_tensor_proto(values, **given)).tolist()]


def test_messages_of_tensors_of_the_graph_are_refused():
    for values in (lambda x: x, lambda x: [x, x], lambda x: [1, x]):
        with pytest.raises(TypeError, match="values"):
            fg.function(lambda x, values=values: fg.make_tensor_proto(values(x)))(fg.constant(1))


@pytest.mark.parametrize(
    "dtype", [fg.float16, fg.bfloat16, fg.float64, fg.int8, fg.uint64, fg.complex64, fg.bool]
)
def test_messages_of_every_dtype_come_back(dtype):
    for values in ([1, 0, 1], 1, []):
        tensor = fg.cast(fg.constant(values), dtype)
        back = fg.make_ndarray(fg.make_tensor_proto(tensor.numpy(), dtype))
        assert back.dtype == tensor.numpy().dtype
        assert back.tolist() == tensor.numpy().tolist()


@pytest.mark.parametrize("name", WIRE)
def test_messages_are_read_from_the_bytes_of_protocol_buffers(name):
    values, given, wire = WIRE[name]
    proto = fg.make_tensor_proto(values, **given)
    read = type(proto).FromString(bytes.fromhex(wire))
    assert read == proto
    assert fg.make_ndarray(read).tolist() == fg.make_ndarray(proto).tolist()
    assert read.ParseFromString(b"") == 0
    assert read == type(proto).FromString(b"")


@pytest.mark.parametrize("wire", ["08", "0a00", "0801 12ff", "2a03 000000", "22ffffffff0f"])
def test_bytes_that_are_no_message_of_a_tensor_are_refused(wire):
    kind = type(fg.make_tensor_proto(1))
    with pytest.raises(DecodeError):
        kind.FromString(bytes.fromhex(wire))


def test_messages_refuse_other_shapes():
    for given in ({"shape": [3]}, {"shape": [3], "verify_shape": True}):
        with pytest.raises(TypeError):
            fg.make_tensor_proto([1, 2], **given)
    with pytest.raises(ValueError, match="not both"):
        fg.make_tensor_proto([1], verify_shape=True, allow_broadcast=True)


def test_classes_become_tensors_by_a_function():
    class Angle:
        def __init__(self, degrees):
            self.degrees = degrees

    def convert(value, dtype=None, name=None, as_ref=False):
        return fg.constant(value.degrees, dtype)

    fg.register_tensor_conversion_function(Angle, convert)
    assert int(fg.add(Angle(1), 2)) == 3
    assert int(fg.constant(1) + Angle(2)) == 3
    assert fg.stack([Angle(1), Angle(2)]).numpy().tolist() == [1, 2]
    assert fg.convert_to_tensor(Angle(1), fg.float32).dtype == fg.float32
    assert int(fg.function(lambda: fg.constant(1) + Angle(2))()) == 3
    for fixed in (int, np.ndarray, fg.Tensor, 3, (Angle, 3)):
        with pytest.raises(TypeError):
            fg.register_tensor_conversion_function(fixed, convert)

    class Length(Angle):
        pass

    fg.register_tensor_conversion_function(Length, lambda value, **kwargs: NotImplemented)
    with pytest.raises(TypeError, match="does not become"):
        fg.add(Length(1), 2)


def test_settings():
    cpu = fg.config.list_physical_devices("CPU")[0]
    assert fg.config.get_visible_devices() == [cpu]
    fg.config.set_visible_devices(cpu, "CPU")
    fg.config.set_visible_devices([], "GPU")
    with pytest.raises(ValueError, match="hidden"):
        fg.config.set_visible_devices([], "CPU")
    limited = fg.config.LogicalDeviceConfiguration(memory_limit=1)
    with pytest.raises(ValueError, match="limits"):
        fg.config.set_logical_device_configuration(cpu, [limited])
    fg.config.set_soft_device_placement(False)
    assert not fg.config.get_soft_device_placement()
    fg.config.set_soft_device_placement(True)
    fg.config.optimizer.set_jit(True)
    assert fg.config.optimizer.get_jit() == "autoclustering"
    fg.config.optimizer.set_jit(False)
    fg.config.optimizer.set_experimental_options({"constant_folding": False})
    assert fg.config.optimizer.get_experimental_options()["constant_folding"] is False
    assert fg.version.VERSION.count(".") == 2


def test_placements_are_logged_where_it_is_asked_for(caplog):
    with caplog.at_level("INFO", logger="ferrograph"):
        fg.debugging.set_log_device_placement(True)
    assert "CPU" in caplog.text
    assert fg.debugging.get_log_device_placement()
    fg.debugging.set_log_device_placement(False)


def test_values_of_graph_tensors_that_follow_from_constants():
    seen = {}

    @fg.function
    def f(x):
        tensors = {
            "ones": fg.ones([2]),
            "fill": fg.fill([2], fg.constant(3)),
            "range": fg.range(1, 7, 2),
            "stack": fg.stack([fg.constant(1), fg.size(x)]),
            "concat": fg.concat([fg.shape(x), [4]], 0),
            "cast": fg.cast(fg.ones([2]), fg.int32),
            "identity": fg.identity(fg.constant(3)),
            "zeros_like": fg.zeros_like(x),
            "sum": fg.constant(1) + fg.size(x),
            "argument": fg.stack([x[0], 1.0]),
        }
        for name, tensor in tensors.items():
            value = fg.get_static_value(tensor)
            seen[name] = None if value is None else value.tolist()
            assert value is None or value.dtype == tensor.dtype.as_numpy_dtype

    f(fg.constant([1.0, 2.0]))
    assert seen == {
        "ones": [1.0, 1.0],
        "fill": [3, 3],
        "range": [1, 3, 5],
        "stack": [1, 2],
        "concat": [2, 4],
        "cast": [1, 1],
        "identity": 3,
        "zeros_like": [0.0, 0.0],
        "sum": None,
        "argument": None,
    }


def test_function_def():
    v = fg.Variable(1.0)

    @fg.function
    def f(x, y):
        return {"a": x + y, "b": v * x}

    message = f.get_concrete_function(fg.constant(1.0), fg.constant(2.0)).function_def
    taken = message.signature.input_arg
    assert [(a.name, a.type) for a in taken[:2]] == [("x", 1), ("y", 1)]
    assert [a.type for a in taken[2:]] == [fg.resource.as_datatype_enum]
    assert [(a.name, a.type) for a in message.signature.output_arg] == [
        ("identity", 1),
        ("identity_1", 1),
    ]
    # By tensorflow 2.21: an argument by its name, of other nodes the output and its number.
    assert message.ret == {"identity": "Identity:output:0", "identity_1": "Identity_1:output:0"}
    total = next(node for node in message.node_def if node.op == "AddV2")
    assert total.input == ["x", "y"]
    assert next(n for n in message.node_def if n.name == "Identity").input == [f"{total.name}:z:0"]
    assert {"AddV2", "Mul"} <= {node.op for node in message.node_def}
    assert not {"x", "y"} & {node.name for node in message.node_def}
    assert 'input_arg {\n    name: "x"\n    type: DT_FLOAT\n  }' in str(message)


def test_function_def_tells_which_output_a_node_takes():
    def f(x):
        return fg.split(x, 2)[1] + fg.math.top_k(x, 2)[0]

    message = fg.function(f).get_concrete_function(fg.TensorSpec([4], fg.float32)).function_def
    inputs = {name for node in message.node_def for name in node.input}
    assert {"split:output:1", "TopKV2:values:0"} <= inputs


def test_a_function_has_the_attributes_of_the_function_it_is_made_of():
    def double(x):
        return 2 * x

    double.tag = "kept"
    assert fg.function(double).tag == "kept"

    class Scale(fg.Module):
        def __init__(self):
            self.by = fg.Variable(3.0)

        def __call__(self, x):
            return x * self.by

    scale = Scale()
    scale._trace = scale.get_concrete_function = "the program's own, no part of the function"
    traced = fg.function(scale)
    assert traced.by is scale.by
    assert float(traced(fg.constant(2.0))) == 6.0
    assert not hasattr(traced, "absent")


def test_a_class_of_variables_may_set_its_name():
    class Named(fg.Variable):
        def __init__(self, value, name=None):
            super().__init__(value)
            self._name = "of/the/class"

    v = Named(1.0)
    assert v.name == "of/the/class:0"
    assert float(fg.function(lambda: v.assign_add(1.0))()) == 2.0
    assert fg.Variable(1.0, name="w").name == "w:0"


def test_errors_call_functions_as_users_do():
    q, own = fg.quantization, "fake_quant_with_min_max_"
    calls = {
        "tuple": lambda: fg.tuple(3),
        f"{own}args": lambda: q.fake_quant_with_min_max_args("a"),
        f"{own}args_gradient": lambda: q.fake_quant_with_min_max_args_gradient("a", [1.0]),
        f"{own}vars": lambda: q.fake_quant_with_min_max_vars("a", 0.0, 1.0),
        f"{own}vars_gradient": lambda: q.fake_quant_with_min_max_vars_gradient("a", [1.0], 0, 1),
        "range": lambda: fg.ragged.range(object()),
    }
    for name, call in calls.items():
        with pytest.raises((TypeError, ValueError), match=rf"argument '\w+' of {name}\b"):
            call()
