"""Floats of one byte: how they are rounded and read, what takes them and what refuses them."""

import copy
import json
import pathlib
import pickle
import subprocess
import sys

import ferrograph as fg
import numpy as np
import pytest
from float8.cases import (
    NAMES,
    SOURCES,
    TARGETS,
    TENSORFLOW,
    bytes_of,
    calls,
    numbers,
    whole,
)
from float8.record import outcome

RECORDED = json.loads((pathlib.Path(__file__).parent / "float8" / "recorded.json").read_text())
DTYPES = [getattr(fg.dtypes.experimental, name) for name in NAMES]
DENSE = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128", *NAMES),
]


def named(name):
    return fg.as_dtype(name)


def traced(f):
    return fg.function(f)


def eager(f):
    return f


def matrix(dtype):
    return fg.constant(np.array([[1, 2, -3], [0.5, -0.0, 4]], dtype.as_numpy_dtype))


def same(got, want):
    """Whether two arrays are one bit for bit; NaN is NaN."""
    wide = [np.asarray(a).astype(np.complex128) for a in (got, want)]
    nan = np.isnan(wide[0])
    if not np.array_equal(nan, np.isnan(wide[1])):
        return False
    return got[~nan].tobytes() == want[~nan].tobytes()


@pytest.mark.parametrize("how", [eager, traced])
@pytest.mark.parametrize(
    ("name", "source"),
    [(n, s) for n in NAMES for s in SOURCES if f"from {s}" in RECORDED["casts"][n]],
)
def test_numbers_are_rounded_once_as_recorded(name, source, how):
    own = named(name).as_numpy_dtype
    with np.errstate(all="ignore"):
        array = numbers(own).astype(named(source).as_numpy_dtype)
    found = how(lambda x: fg.cast(x, named(name)))(fg.constant(array)).numpy()
    wanted = np.frombuffer(bytes.fromhex(RECORDED["casts"][name][f"from {source}"]), own)
    assert found.dtype == wanted.dtype
    # Which zero stands for both among the numbers depends on how the machine sorts.
    zero = array == 0
    assert not found[zero].astype(np.float32).any()
    if not name.endswith("fnuz"):  # which have one zero
        np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(array[zero]))
    off = (found.view(np.uint8) != wanted.view(np.uint8)) & ~zero
    assert not off.any(), list(zip(array[off], found[off], wanted[off], strict=True))[:5]


@pytest.mark.parametrize("how", [eager, traced])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", TENSORFLOW)
def test_all_bytes_are_cast_as_recorded(name, target, how):
    array = whole(bytes_of(named(name).as_numpy_dtype), target)
    found = how(lambda x: fg.cast(x, named(target)))(fg.constant(array)).numpy()
    content = bytes.fromhex(RECORDED["casts"][name][f"to {target}"])
    wanted = np.frombuffer(content, named(target).as_numpy_dtype)
    assert found.dtype == wanted.dtype and same(found, wanted)


@pytest.mark.parametrize("how", [eager, traced])
@pytest.mark.parametrize("target", DENSE)
@pytest.mark.parametrize("name", NAMES)
def test_bytes_become_what_their_numbers_become(name, target, how):
    array = bytes_of(named(name).as_numpy_dtype)
    x = fg.constant(array)
    found = how(lambda x: fg.cast(x, named(target)))(x)
    wide = fg.constant(array.astype(np.float32))
    assert same(found.numpy(), fg.cast(wide, named(target)).numpy())
    if target == name:
        assert found.numpy().tobytes() == array.tobytes()


@pytest.mark.parametrize("how", [eager, traced])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("source", [d for d in DENSE if d not in SOURCES])
def test_whole_numbers_and_real_parts_are_rounded_once(source, name, how):
    values = [0, 1, 2, 3, 5, 11, 13, 100, 127]
    if not named(source).is_floating and source != "bool":
        limit = 2**62 if named(source).is_complex else named(source).max
        values += [v for v in (255, 464, 465, 61439, 61440, 2**24 + 1, 2**53 + 1) if v <= limit]
    x = fg.constant(np.array(values).astype(named(source).as_numpy_dtype))
    found = how(lambda x: fg.cast(x, named(name)))(x).numpy()
    real = x.numpy().real if named(source).is_complex else x.numpy()
    with np.errstate(all="ignore"):
        wanted = real.astype(np.float64).astype(named(name).as_numpy_dtype)
    assert same(found, wanted)


def test_one_rounding_tells_what_two_would_not():
    above = 1.0625 + 2.0**-40  # in float32 between 1 and 1.125, beside even 1
    e4m3fn = fg.dtypes.experimental.float8_e4m3fn
    assert float(fg.cast(fg.constant(above, fg.float64), e4m3fn)) == 1.125
    assert float(fg.cast(fg.constant(1.0625, fg.float64), e4m3fn)) == 1.0
    assert float(fg.constant(above, e4m3fn)) == 1.125
    assert float(fg.cast(fg.complex(fg.constant(above, fg.float64), 0.0), e4m3fn)) == 1.125


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtype_agrees_with_its_package(dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    own = getattr(ml_dtypes, dtype.name)
    assert dtype.as_numpy_dtype is own
    assert (dtype.size, dtype.is_floating, dtype.is_numeric) == (1, True, False)
    assert not (dtype.is_integer or dtype.is_complex or dtype.is_bool or dtype.is_quantized)
    assert (dtype.min, dtype.max) == (float(ml_dtypes.finfo(own).min), ml_dtypes.finfo(own).max)
    for spelling in (dtype.name, own, np.dtype(own), dtype.as_datatype_enum):
        assert fg.as_dtype(spelling) is dtype
    assert getattr(fg.experimental, dtype.name) is dtype
    assert dtype.as_datatype_enum == 24 + NAMES.index(dtype.name)
    with pytest.raises(ValueError, match="limits"):
        _ = dtype.limits


@pytest.mark.parametrize("dtype", DTYPES)
def test_constants(dtype):
    own = dtype.as_numpy_dtype
    assert fg.constant([1.0, 2.4], dtype).numpy().tolist() == [1.0, 2.5]
    assert fg.constant([1, 2], dtype).numpy().tolist() == [1.0, 2.0]
    assert fg.constant(1.5, dtype, shape=[2]).numpy().tolist() == [1.5, 1.5]
    assert fg.constant(np.array([1.0, 2.4]), dtype).numpy().tolist() == [1.0, 2.5]
    assert fg.constant(np.array([1, 2]), dtype).numpy().dtype == own
    made = fg.constant(own(1.5))
    assert made.dtype == dtype and isinstance(made.numpy(), own)
    assert fg.constant([own(1.5), own(2)]).dtype == dtype
    assert fg.constant(bytes_of(own)).numpy().tobytes() == bytes(range(256))
    assert fg.constant(np.array([1, 2], own), fg.float32).numpy().tolist() == [1.0, 2.0]
    scalar = fg.constant(1.5, dtype)
    assert (float(scalar), int(scalar), bool(scalar), f"{scalar:.2f}") == (1.5, 1, True, "1.50")
    far = fg.constant([1e9, -1e9, float("nan"), 1e40], dtype).numpy().astype(np.float32)
    infinite = dtype.name == "float8_e5m2"
    assert np.isnan(far[2]) and (np.isinf(far) == [infinite, infinite, False, infinite]).all()
    assert infinite or np.isnan(far).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_fills(dtype):
    assert fg.zeros([2], dtype).numpy().tolist() == [0.0, 0.0]
    assert fg.ones([2], dtype).numpy().tolist() == [1.0, 1.0]
    assert fg.fill([2], fg.constant(1.5, dtype)).numpy().tolist() == [1.5, 1.5]
    assert fg.zeros_like(matrix(dtype)).dtype == fg.ones_like(matrix(dtype)).dtype == dtype
    assert fg.ones_like(matrix(dtype)).numpy().tolist() == [[1.0] * 3] * 2
    assert fg.eye(2, dtype=dtype).numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert fg.one_hot([1], 3, dtype=dtype).numpy().tolist() == [[0.0, 1.0, 0.0]]
    assert fg.zeros_initializer()([2], dtype).numpy().tolist() == [0.0, 0.0]


def test_printing():
    x = matrix(fg.dtypes.experimental.float8_e5m2)
    assert repr(x) == f"<fg.Tensor: shape=(2, 3), dtype=float8_e5m2, numpy=\n{x.numpy()!r}>"
    assert repr(x.numpy()).startswith("array([[1, 2, -3],\n       [0.5, -0, 4]], dtype=")
    assert str(x) == "fg.Tensor(\n[[1 2 -3]\n [0.5 -0 4]], shape=(2, 3), dtype=float8_e5m2)"
    assert fg.strings.format("{}", x).numpy() == b"[[1 2 -3]\n [0.5 -0 4]]"


# Refusals of another class than the recorded one. There divide and pow first look for a dtype of
# the quotient and convert the exponent; BufferError is DLPack's own class.
OTHERWISE = {
    "divide": "InvalidArgumentError",
    "pow": "InvalidArgumentError",
    "dlpack": "BufferError",
}


@pytest.mark.parametrize("name", TENSORFLOW)
def test_calls_answer_as_recorded(name):
    """That there is no kernel is one more refusal of the dtype."""
    x, off = matrix(named(name)), []
    for key, call in calls(fg, x, x[0]).items():
        wanted, found = RECORDED["calls"][name][key], outcome(call)
        wanted = OTHERWISE.get(key, wanted)
        if wanted == "NotFoundError":
            wanted = "InvalidArgumentError"
        if found != wanted:
            off.append((key, found, wanted))
    assert not off


@pytest.mark.parametrize("name", NAMES)
def test_traced_calls_answer_as_eager_ones(name):
    """A dtype that an operation does not take is a TypeError while tracing, as for other dtypes."""
    x, off = matrix(named(name)), []
    for key, call in calls(fg, x, x[0]).items():
        if key in ("variable", "assign_slice", "assign_add", "scatter_add", "dlpack"):
            continue
        run = fg.function(lambda x, key=key: calls(fg, x, x[0])[key]())
        one, other = outcome(call), outcome(lambda run=run: run(x))
        if one == other == "runs":
            both = zip(fg.nest.flatten(call()), fg.nest.flatten(run(x)), strict=True)
            if any(a.numpy().tobytes() != b.numpy().tobytes() for a, b in both):
                off.append((key, "differs"))
        elif one != other and (one, other) != ("InvalidArgumentError", "TypeError"):
            off.append((key, one, other))
    assert not off


MOVES = {
    "pad": (lambda m, x: m.pad(x, [[1, 0], [0, 1]]), lambda x: np.pad(x, [(1, 0), (0, 1)])),
    "mirror": (
        lambda m, x: m.pad(x, [[1, 0], [0, 0]], "REFLECT"),
        lambda x: np.pad(x, [(1, 0), (0, 0)], "reflect"),
    ),
    "tile": (lambda m, x: m.tile(x, [2, 1]), lambda x: np.tile(x, (2, 1))),
    "repeat": (lambda m, x: m.repeat(x, 2, 1), lambda x: np.repeat(x, 2, 1)),
    "reverse": (lambda m, x: m.reverse(x, [0]), lambda x: x[::-1]),
    "roll": (lambda m, x: m.roll(x, 1, 1), lambda x: np.roll(x, 1, 1)),
    "where": (lambda m, x: m.where([True, False, True], x, x[1]), None),
    "update": (lambda m, x: m.tensor_scatter_nd_update(x, [[1]], x[:1]), None),
    "partition": (lambda m, x: m.dynamic_partition(x, [1, 0], 2)[1], lambda x: x[:1]),
    "stitch": (lambda m, x: m.dynamic_stitch([[1, 0]], [x]), lambda x: x[::-1]),
    "diagonal": (lambda m, x: m.linalg.diag(x)[0], lambda x: np.diag(x[0])),
    "band": (lambda m, x: m.linalg.band_part(x, 0, -1), lambda x: np.triu(x)),
    "branch": (lambda m, x: m.cond(m.size(x) > 3, lambda: x, lambda: x[::-1]), lambda x: x),
    "loop": (
        lambda m, x: m.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x[::-1]), [0, x])[1],
        lambda x: x[::-1],
    ),
    "ragged": (
        lambda m, x: m.RaggedTensor.from_row_lengths(x[0], [1, 2]).to_tensor(),
        lambda x: np.array([[x[0, 0], 0], x[0, 1:]]),
    ),
    "sparse": (lambda m, x: m.sparse.to_dense(m.sparse.from_dense([1.0, 0.0])), None),
}


@pytest.mark.parametrize("how", [eager, traced])
@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_what_moves_elements_takes_them(dtype, move, how):
    call, expect = MOVES[move]
    x = matrix(dtype)
    found = how(lambda x: call(fg, x))(x).numpy()
    if expect is None:
        expect = {
            "where": lambda x: np.where([True, False, True], x, x[1]),
            "update": lambda x: x[[0, 0]],
            "sparse": lambda x: np.array([1.0, 0.0], np.float32),
        }[move]
    assert found.tobytes() == np.asarray(expect(x.numpy())).astype(found.dtype).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_stored_and_read_again(dtype, tmp_path):
    x = fg.constant(bytes_of(dtype.as_numpy_dtype))
    kept = [
        fg.io.parse_tensor(fg.io.serialize_tensor(x), dtype),
        fg.constant(fg.make_ndarray(fg.make_tensor_proto(x))),
        next(iter(fg.data.Dataset.from_tensor_slices(x).batch(256))),
        pickle.loads(pickle.dumps(x)),
        copy.deepcopy(x),
    ]
    variable = fg.Variable(x)
    path = fg.train.Checkpoint(v=variable).save(str(tmp_path / "c"))
    variable.assign(fg.zeros_like(x))
    fg.train.Checkpoint(v=variable).restore(path).assert_consumed()
    module = fg.Module()
    module.v = variable
    module.f = fg.function(lambda i: fg.gather(variable, i) if i is not None else x)
    module.f.get_concrete_function(fg.TensorSpec([None], fg.int32))
    fg.saved_model.save(module, str(tmp_path / "m"))
    loaded = fg.saved_model.load(str(tmp_path / "m"))
    kept += [variable.read_value(), loaded.v.read_value(), loaded.f(fg.range(256))]
    for found in kept:
        assert found.dtype == dtype and found.numpy().tobytes() == bytes(range(256))


@pytest.mark.parametrize("dtype", DTYPES)
def test_messages_list_single_elements_as_bytes(dtype):
    proto = fg.make_tensor_proto(1.5, dtype, [3])
    own = np.array([1.5], dtype.as_numpy_dtype)
    assert (proto.dtype, proto.float8_val) == (dtype.as_datatype_enum, own.tobytes())
    assert fg.make_ndarray(proto).tobytes() == own.tobytes() * 3
    parsed = fg.io.parse_tensor(proto.SerializeToString(), dtype)
    assert parsed.numpy().tobytes() == own.tobytes() * 3


@pytest.mark.parametrize("how", [eager, traced])
def test_no_gradient_flows_through_them(how):
    dtype = fg.dtypes.experimental.float8_e5m2

    def slope(z):
        with fg.GradientTape() as tape:
            tape.watch(z)
            y = fg.cast(fg.transpose(fg.cast(z, dtype)), fg.float32) * 3.0
        return tape.gradient(y, z)

    def slope_of_bytes(x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = fg.cast(x, fg.float32) * 3.0
        return tape.gradient(y, x)

    assert how(slope)(fg.constant([[1.3, 2.7]])) is None
    assert how(slope_of_bytes)(matrix(dtype)) is None


@pytest.mark.parametrize("how", [eager, traced])
def test_a_straight_through_estimator_rounds_and_lets_gradients_pass(how):
    dtype = fg.dtypes.experimental.float8_e4m3fn

    @fg.custom_gradient
    def rounded(x):
        return fg.cast(fg.cast(x, dtype), x.dtype), lambda upstream: upstream

    def both(z):
        with fg.GradientTape() as tape:
            tape.watch(z)
            y = rounded(z) ** 2
        return y, tape.gradient(y, z)

    y, grad = how(both)(fg.constant([1.3, 2.7]))
    assert y.numpy().tolist() == [1.25**2, 2.75**2] and grad.numpy().tolist() == [2.5, 5.5]


def test_casts_that_lose_digits_are_kept_in_traces():
    dtype = fg.dtypes.experimental.float8_e5m2
    there_and_back = fg.function(lambda x: fg.cast(fg.cast(x, dtype), x.dtype))
    assert there_and_back(fg.constant([1.1, 3.3])).numpy().tolist() == [1.0, 3.5]


WITHOUT = """
import sys
sys.modules["ml_dtypes"] = None
import ferrograph as fg
x = fg.constant([1.5, 2.0], fg.dtypes.experimental.float8_e5m2)
assert fg.cast(x, fg.float32).numpy().tolist() == [1.5, 2.0] and float(x[0]) == 1.5
assert "<unprintable>" in repr(x) and fg.strings.format("{}", x).numpy() == b"[1.5 2]"
try:
    x.numpy()
except ImportError as e:
    assert "ml_dtypes" in str(e) and "float8_e5m2" in str(e)
else:
    raise AssertionError("there is no such array")
"""


def test_without_its_package_they_are_cast_but_no_arrays():
    subprocess.run([sys.executable, "-c", WITHOUT], check=True)
