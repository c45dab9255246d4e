"""Operations under the names of their kernels."""

import inspect
import json
import pickle
from pathlib import Path

import ferrograph as fg
import numpy as np
import pytest
from ferrograph._src.interfaces import raw_table
from ferrograph._src.native import _core

RECORD = json.loads((Path(__file__).parents[1] / "ops" / "recorded" / "raw_ops.json").read_text())


@pytest.fixture(params=["eager", "traced"])
def run(request):
    return (lambda f: f()) if request.param == "eager" else (lambda f: fg.function(f)())


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_numbers_in_intervals(run, dtype):
    x = np.array([[-1, 0, 1], [2, 10, 99]], dtype)
    found = run(lambda: fg.raw_ops.Bucketize(input=x, boundaries=[0.0, 1.5, 10.0]))
    assert found.dtype == fg.int32 and found.numpy().tolist() == [[0, 1, 1], [2, 3, 3]]


def test_no_intervals_and_wrong_ones():
    assert fg.raw_ops.Bucketize(input=[1.0], boundaries=[]).numpy().tolist() == [0]
    with pytest.raises(ValueError, match="in order"):
        fg.raw_ops.Bucketize(input=[1.0], boundaries=[2.0, 1.0])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_slices_that_differ(run, axis):
    x = np.random.default_rng(0).integers(0, 2, size=(6, 3)).astype("int32")
    y, idx, count = run(lambda: fg.raw_ops.UniqueWithCountsV2(x=x, axis=[axis]))
    slices = [tuple(s.ravel()) for s in np.moveaxis(x, axis, 0)]
    first = list(dict.fromkeys(slices))
    assert [tuple(s.ravel()) for s in np.moveaxis(y.numpy(), axis, 0)] == first
    assert idx.numpy().tolist() == [first.index(s) for s in slices]
    assert count.numpy().tolist() == [slices.count(s) for s in first]


def test_slices_of_texts_and_of_what_is_no_number():
    texts = fg.raw_ops.UniqueV2(x=[["a", "b"], ["a", "b"]], axis=[0])
    assert texts.y.numpy().tolist() == [[b"a", b"b"]]
    assert fg.raw_ops.UniqueV2(x=[3, 1, 3], axis=[]).y.numpy().tolist() == [3, 1]
    nan = float("nan")
    found = fg.raw_ops.UniqueV2(x=[[1.0, nan], [1.0, nan], [2.0, 3.0], [2.0, 3.0]], axis=[0])
    assert found.idx.numpy().tolist() == [0, 1, 2, 2]


def projected(mode, interpolation, transform, size=(2, 4)):
    image = fg.reshape(fg.range(1.0, 5.0), [1, 1, 4, 1])
    return fg.raw_ops.ImageProjectiveTransformV3(
        images=fg.repeat(image, 2, 1),
        transforms=[transform],
        output_shape=size,
        fill_value=9.0,
        interpolation=interpolation,
        fill_mode=mode,
    )


# What TensorFlow 2.21 gives for a row [1, 2, 3, 4] that is moved by 3 and by -3.
MOVED = {
    "CONSTANT": ([4, 9, 9, 9], [9, 9, 9, 1]),
    "REFLECT": ([4, 4, 3, 2], [3, 2, 1, 1]),
    "WRAP": ([4, 1, 2, 1], [4, 3, 4, 1]),
    "NEAREST": ([4, 4, 4, 4], [1, 1, 1, 1]),
}


@pytest.mark.parametrize("mode", MOVED)
@pytest.mark.parametrize("interpolation", ["NEAREST", "BILINEAR"])
def test_what_lies_outside_of_an_image(run, mode, interpolation):
    for by, row in zip((3.0, -3.0), MOVED[mode], strict=True):
        moved = run(lambda by=by: projected(mode, interpolation, [1, 0, by, 0, 1, 0, 0, 0]))
        assert moved.shape == [1, 2, 4, 1]
        assert moved[0, 0, :, 0].numpy().tolist() == row


def test_between_pixels():
    moved = projected("CONSTANT", "BILINEAR", [1, 0, 0.25, 0, 1, 0, 0, 0])
    assert moved[0, 0, :, 0].numpy().tolist() == [1.25, 2.25, 3.25, 4 * 0.75 + 9 * 0.25]
    with pytest.raises(ValueError, match="interpolation"):
        projected("CONSTANT", "CUBIC", [1, 0, 0, 0, 1, 0, 0, 0])
    with pytest.raises(ValueError, match="fill_mode"):
        projected("SHINE", "NEAREST", [1, 0, 0, 0, 1, 0, 0, 0])


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("share", [1, 0.25])
def test_batches_are_normalised(data_format, share):
    x = np.random.default_rng(0).normal(size=(3, 2, 4, 5)).astype("float32")
    axes = (0, 1, 2) if data_format == "NHWC" else (0, 2, 3)
    shape = [1, 1, 1, 5] if data_format == "NHWC" else [1, 2, 1, 1]
    n = max(shape)
    scale, offset = np.arange(1.0, n + 1, dtype="float32"), np.arange(n, dtype="float32")
    old = np.full(n, 2.0, "float32")
    found = fg.raw_ops.FusedBatchNormV3(
        x=x, scale=scale, offset=offset, mean=old, variance=old, epsilon=0.01,
        exponential_avg_factor=share, data_format=data_format,
    )  # fmt: skip
    mean, variance = x.mean(axes), x.var(axes)
    unbiased = x.var(axes, ddof=1)
    y = (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + 0.01)
    y = y * scale.reshape(shape) + offset.reshape(shape)
    assert np.allclose(found.y, y, atol=1e-5)
    assert np.allclose(found.batch_mean, (1 - share) * old + share * mean, atol=1e-6)
    assert np.allclose(found.batch_variance, (1 - share) * old + share * unbiased, atol=1e-5)
    assert np.allclose(found.reserve_space_1, mean, atol=1e-6)


def test_batches_are_normalised_by_given_statistics():
    x = np.ones((2, 1, 1, 1), "float16")
    given = {"scale": [2.0], "offset": [1.0], "mean": [0.5], "variance": [0.25]}
    found = fg.raw_ops.FusedBatchNormV2(x=x, **given, epsilon=0.0, is_training=False)
    assert found.y.dtype == fg.float16 and found.y.numpy().ravel().tolist() == [3.0, 3.0]
    assert found.batch_mean.numpy().tolist() == [0.5]
    with pytest.raises(ValueError, match="data_format must be"):
        fg.raw_ops.FusedBatchNormV2(x=x, **given, data_format="NWHC")


def shown(value):
    """A default as the record has it."""
    return value.name if isinstance(value, fg.DType) else value


def test_every_operation_is_recorded_or_said_to_be_called_otherwise():
    assert set(RECORD) == set(dir(fg.raw_ops)) and len(RECORD) > 450
    left = set(_core.op_names()) - set(RECORD)
    assert left == raw_table.OWN | raw_table.ELSEWHERE.keys()


@pytest.mark.parametrize("name", sorted(RECORD))
def test_arguments_and_defaults_are_the_recorded_ones(name):
    parameters = inspect.signature(getattr(fg.raw_ops, name)).parameters.values()
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters)
    ours = {p.name: None if p.default is p.empty else [shown(p.default)] for p in parameters}
    for default in filter(None, ours.values()):
        if isinstance(default[0], fg.TensorShape):
            default[0] = default[0].as_list()
    assert ours == RECORD[name]["arguments"]


@pytest.mark.parametrize("name", sorted(set(_core.op_names()) & set(RECORD)))
def test_outputs_are_the_recorded_ones(name):
    outputs = _core.op_declaration(name)[2]
    lists = [[port[0]] if port[1] != "one" else port[0] for port in outputs]
    theirs = RECORD[name]["outputs"]
    assert [isinstance(x, list) for x in lists] == [isinstance(x, list) for x in theirs]
    if len(lists) > 1:
        assert lists == theirs


def test_values_as_outputs(run):
    def program():
        added = fg.raw_ops.AddV2(x=[1, 2], y=fg.constant([0.5, 0.5]))
        halves = fg.raw_ops.Split(axis=0, value=[1, 2], num_split=2)
        only = fg.raw_ops.Split(axis=0, value=[1, 2], num_split=1)
        best = fg.raw_ops.TopKV2(input=[1.0, 3.0, 2.0], k=2)
        assert isinstance(halves, list) and isinstance(only, list)
        assert type(best).__name__ == "TopKV2" and best._fields == ("values", "indices")
        total = fg.raw_ops.Sum(input=[[1.0, 2.0]], axis=[], keep_dims=True)
        assert fg.raw_ops.NoOp() is None
        return [added, *halves, *only, *best, total]

    expected = [[1.5, 2.5], [1], [2], [1, 2], [3, 2], [1, 2], [[1, 2]]]
    assert [x.numpy().tolist() for x in run(program)] == expected


def test_lists_of_outputs_in_a_tuple():
    example = fg.train.Example(
        features=fg.train.Features(
            feature={"a": fg.train.Feature(int64_list=fg.train.Int64List(value=[7]))}
        )
    )
    found = fg.raw_ops.ParseExampleV2(
        serialized=[example.SerializeToString()],
        names=[],
        sparse_keys=["b"],
        dense_keys=["a"],
        ragged_keys=[],
        dense_defaults=[fg.constant([], "int64")],
        num_sparse=1,
        sparse_types=[fg.float32],
        ragged_value_types=[],
        ragged_split_types=[],
        dense_shapes=[[1]],
    )
    assert found.dense_values[0].numpy().tolist() == [[7]]
    assert found.sparse_values[0].dtype == fg.float32 and found.ragged_values == []


def test_attributes_that_are_lists(run):
    image = np.arange(9, dtype="float32").reshape(1, 3, 3, 1)
    pooled = run(
        lambda: fg.raw_ops.MaxPool(
            input=image, ksize=[1, 3, 3, 1], strides=(1, 1, 1, 1), padding="VALID"
        )
    )
    assert pooled.numpy().ravel().tolist() == [8]


def test_gradients(run):
    x = fg.Variable([1.0, -2.0])

    def program():
        with fg.GradientTape() as tape:
            y = fg.raw_ops.Relu(features=fg.raw_ops.Mul(x=x, y=[3.0, 3.0]))
        return tape.gradient(y, x)

    assert run(program).numpy().tolist() == [3, 0]


def test_functions_as_attributes(run):
    spec = fg.TensorSpec([], fg.int32)
    less = fg.function(lambda i: i < 5).get_concrete_function(spec)
    more = fg.function(lambda i: (i + 2,)).get_concrete_function(spec)
    (counted,) = run(lambda: fg.raw_ops.While(input=[0], cond=less, body=more))
    assert int(counted) == 6
    twice = fg.function(lambda i: i * 2).get_concrete_function(spec)
    chosen = run(
        lambda: fg.raw_ops.If(
            cond=True, input=[4], Tout=[fg.int32], then_branch=twice, else_branch=more
        )
    )
    assert int(chosen[0]) == 8
    called = run(lambda: fg.raw_ops.PartitionedCall(args=[5], Tout=[fg.int32], f=twice))
    assert int(called[0]) == 10


def test_resources():
    v = fg.Variable([1.0])
    fg.raw_ops.AssignVariableOp(resource=v.handle, value=[2.0])
    assert fg.raw_ops.ReadVariableOp(resource=v.handle, dtype=fg.float32).numpy() == [2.0]
    queue = fg.raw_ops.FIFOQueueV2(component_types=[fg.int32])
    fg.raw_ops.QueueEnqueueV2(handle=queue, components=[fg.constant(3)])
    (found,) = fg.raw_ops.QueueDequeueV2(handle=queue, component_types=[fg.int32])
    assert int(found) == 3


WRONG = {
    "positional": (
        lambda ops: ops.AddV2([1], [2]),
        r"AddV2 only takes keyword args \(possible keys: \['x', 'y', 'name'\]\)",
    ),
    "composed positional": (lambda ops: ops.UniqueV2([1], [0]), "UniqueV2 only takes keyword args"),
    "missing": (lambda ops: ops.AddV2(x=[1]), "AddV2 is missing the argument 'y'"),
    "unknown": (lambda ops: ops.AddV2(x=1, y=1, z=1), "AddV2 got an unexpected .* 'z'"),
    "element": (lambda ops: ops.AddV2(x=[1], y=[2.5]), "argument 'y' of raw_ops.AddV2: cannot"),
    "no list": (lambda ops: ops.Pack(values=3), "list for argument 'values' of raw_ops.Pack"),
    "no list of": (
        lambda ops: ops.Squeeze(input=[[1]], axis=0),
        "list for argument 'axis' of raw_ops.Squeeze, got 0",
    ),
    "items": (
        lambda ops: ops.Squeeze(input=[[1]], axis=["a"]),
        "a list of int for argument 'axis' of raw_ops.Squeeze, got 'a'",
    ),
    "truth": (lambda ops: ops.Sum(input=[1], axis=0, keep_dims=1), "bool for argument 'keep_dims'"),
    "whole": (lambda ops: ops.Split(axis=0, value=[1], num_split=1.5), "int for argument"),
    "dtype": (lambda ops: ops.Cast(x=1, DstT="blah"), "DType for argument 'DstT' of raw_ops.Cast"),
    "function": (
        lambda ops: ops.PartitionedCall(args=[], Tout=[], f=len),
        "a concrete function for argument 'f'",
    ),
    "one value": (lambda ops: ops.Cast(x=1, DstT="int8", Truncate=True), "'Truncate' .* False"),
    "result": (
        lambda ops: ops.Real(input=fg.constant(1j, fg.complex128)),
        "'Tout' of raw_ops.Real must be",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_named(run, case):
    call, message = WRONG[case]
    with pytest.raises((TypeError, ValueError), match=message):
        run(lambda: call(fg.raw_ops) and None)


def test_names_that_are_none():
    with pytest.raises(AttributeError, match="no attribute 'AddV3'"):
        fg.raw_ops.AddV3  # noqa: B018
    with pytest.raises(AttributeError, match=r"other inputs here: call data.Dataset.cache"):
        fg.raw_ops.CacheDatasetV2  # noqa: B018
    assert not hasattr(fg.raw_ops, "Bundle") and not hasattr(fg.raw_ops, "__wrapped__")
    assert pickle.loads(pickle.dumps(fg.raw_ops.AddV2)) is fg.raw_ops.AddV2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("clip, peep", [(0.0, False), (0.5, True), (-1.0, False)])
def test_recurrent_layers_over_all_steps(run, clip, peep):
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(3, 2, 4)).astype("f"), rng.normal(size=(9, 20)).astype("f")
    c, h = rng.normal(size=(2, 2, 5)).astype("f")
    b, p = rng.normal(size=20).astype("f"), rng.normal(size=(3, 5)).astype("f") * peep
    found = run(
        lambda: fg.raw_ops.BlockLSTMV2(
            seq_len_max=2,
            x=x,
            cs_prev=c,
            h_prev=h,
            w=w,
            wci=p[0],
            wcf=p[1],
            wco=p[2],
            b=b,
            cell_clip=clip,
            use_peephole=peep,
        )
    )
    for step in range(2):
        i, f, ci, o = np.split(np.concatenate([x[step], h], 1) @ w + b, 4, 1)
        i, f, ci = sigmoid(i + p[0] * c), sigmoid(f + p[1] * c), np.tanh(ci)
        c = ci * i + c * f
        c = np.clip(c, -clip, clip) if clip > 0 else c
        o, co = sigmoid(o + p[2] * c), np.tanh(c)
        h = o * co
        for name, part in zip(found._fields, (i, c, f, o, ci, co, h), strict=True):
            assert np.allclose(getattr(found, name)[step], part, atol=1e-5), name
    assert not np.any([part[2] for part in found])


def test_recurrent_layers_with_their_weights_in_a_vector(run):
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(3, 2, 4)).astype("f"), rng.normal(size=(9, 20)).astype("f")
    c, h = rng.normal(size=(2, 1, 2, 5)).astype("f")
    biases, none = rng.normal(size=(2, 20)).astype("f"), np.zeros(5, "f")
    whole = np.concatenate([w[:4].T.ravel(), w[4:].T.ravel(), biases.ravel()])
    found = run(lambda: fg.raw_ops.CudnnRNN(input=x, input_h=h, input_c=c, params=whole))
    block = fg.raw_ops.BlockLSTMV2(
        seq_len_max=3,
        x=x,
        cs_prev=c[0],
        h_prev=h[0],
        w=w,
        wci=none,
        wcf=none,
        wco=none,
        b=biases.sum(0),
    )
    assert np.allclose(found.output, block.h, atol=1e-5)
    assert np.allclose(found.output_c, block.cs[-1:], atol=1e-5)
    assert np.allclose(found.output_h, block.h[-1:], atol=1e-5)
    with pytest.raises(ValueError, match="rnn_mode of raw_ops.CudnnRNN must be 'lstm'"):
        fg.raw_ops.CudnnRNN(input=x, input_h=h, input_c=c, params=whole, rnn_mode="gru")
    with pytest.raises(ValueError, match="needs one layer"):
        fg.raw_ops.CudnnRNN(input=x, input_h=[h[0], h[0]], input_c=c, params=whole)
