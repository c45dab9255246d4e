"""NumPy's behavior of tensors, against what tensorflow 2.21 and NumPy give.

Each program runs in an interpreter of its own: what is switched on stays on, or another mode does.
"""

HEAD = """
import ferrograph as fg
import numpy as np

fg.experimental.numpy.experimental_enable_numpy_behavior({arguments})
t = fg.constant([[1, 2, 3], [4, 5, 6]])
made = dict(
    f32=fg.constant([1.5, 2.5]), i32=fg.constant([1, 2]), i64=fg.constant([1, 2], fg.int64),
    i8=fg.constant([1, 2], fg.int8), u8=fg.constant([1, 2], fg.uint8), b=fg.constant([True, False]),
    f16=fg.constant([1, 2], fg.float16), f64=fg.constant([1.0, 2.0], fg.float64),
    c=fg.constant([1j, 2.0], fg.complex64), int=2, float=2.5, np32=np.float32(2),
    npi=np.array([1, 2]), npf=np.array([1.0, 2.0]),
)


def both(f, *args):
    eager, traced = f(*args), fg.function(f)(*args)
    assert eager.dtype == traced.dtype and np.array_equal(eager, traced), (eager, traced)
    return eager
"""

# The dtypes of sums, in tensorflow; those of differences and comparisons follow.
SUMS = """
f32 i32 float64; f32 i64 float64; f32 i8 float32; f32 b float32; f32 f16 float32; f32 f64 float64;
f32 c complex64; f32 u8 float32; f32 int float32; f32 float float32; f32 np32 float32;
f32 npi float64; f32 npf float64; i32 f32 float64; i32 i64 int64; i32 i8 int32; i32 b int32;
i32 f16 float64; i32 f64 float64; i32 c complex128; i32 u8 int32; i32 int int32; i32 float float64;
i32 np32 float64; i32 npi int64; i32 npf float64; i8 f32 float32; i8 f16 float16; i8 u8 int16;
i8 int int8; i8 float float64; i8 np32 float32; b i8 int8; b f16 float16; b int int64;
b float float64; b np32 float32; b u8 uint8
"""

NARROW = """
f32 i32 float64; i64 f16 float64; f64 f32 float64; i32 float float64; b float float32; b int int64;
i8 float float32; i32 c complex128; f16 float float32; f32 npf float64; i32 npi int64
"""

CHECK = """
for line in SUMS.replace(chr(10), " ").split(";"):
    x, y, dtype = line.split()
    x, y = made[x], made[y]
    total = both(lambda x, y: x + y, x, y)
    expected = np.add(np.asarray(x).astype(dtype), np.asarray(y).astype(dtype))
    assert (total.dtype.name, total.numpy().tolist()) == (dtype, expected.tolist()), line
    if not isinstance(y, (np.ndarray, np.generic)):
        assert (y + x).dtype.name == dtype, line
    if "b" not in line.split() and dtype != "complex64" and dtype != "complex128":
        assert (x - y).dtype.name == dtype
        assert both(lambda x, y: x < y, x, y).dtype == fg.bool
"""


def program(body, arguments="", **values):
    head = HEAD.format(arguments=arguments)
    return head + "".join(f"{k} = {v!r}\n" for k, v in values.items()) + body


def test_operators_promote(run_python):
    run_python(program(CHECK, SUMS=SUMS.strip()))


def test_floats_of_32_bits(run_python):
    run_python(
        program(
            CHECK.replace("f16 float float32", "f16 int float16"),
            "prefer_float32=True",
            SUMS=NARROW.replace("f16 float float32;", "").strip(),
        )
    )


def test_without_promotion(run_python):
    run_python(
        program(
            """
for x, y in (("f32", "i32"), ("i32", "float")):
    try:
        made[x] + made[y]
    except (TypeError, ValueError, fg.errors.InvalidArgumentError):
        continue
    raise AssertionError((x, y))
assert t.T.shape == [3, 2] and t[[1, 0]].shape == [2, 3]
""",
            "dtype_conversion_mode='off'",
        )
    )


def test_variables_strings_and_others(run_python):
    run_python(
        program("""
v = fg.Variable([1, 2])
assert (v + 1.5).dtype == fg.float64 and (1.5 * v).numpy().tolist() == [1.5, 3.0]
assert v[[1, 0]].numpy().tolist() == [2, 1] and not hasattr(v, "T")
words = fg.constant(["a", "b"])
assert (words + "c").numpy().tolist() == [b"ac", b"bc"]
assert (words == "a").numpy().tolist() == [True, False]
assert (t == None) is not None
assert fg.ragged.constant([[1], [2, 3]]).to_list() == [[1], [2, 3]]
assert ((t + 1) * fg.sparse.to_dense(fg.sparse.from_dense(t))).shape == [2, 3]
x = fg.Variable([1.0, 2.0])
with fg.GradientTape() as tape:
    y = fg.reduce_sum(x * made["i32"] + x[[1, 1]])
assert tape.gradient(y, x).numpy().tolist() == [1.0, 4.0]
assert (t @ fg.cast(t.T, fg.float32)).dtype == fg.float64
total = 0
for n in fg.range(3):
    total += n * 0.5
assert float(total) == 1.5
""")
    )


def test_methods(run_python):
    run_python(
        program("""
a = t.numpy()
for name, f in {
    "T": lambda t: t.T, "reshape": lambda t: t.reshape(3, 2), "list": lambda t: t.reshape([3, 2]),
    "flat": lambda t: t.reshape(-1), "F": lambda t: t.reshape(6, order="F"),
    "Fs": lambda t: t.reshape((3, -1), order="F"), "ravel": lambda t: t.ravel(),
    "astype": lambda t: t.astype(np.float32), "double": lambda t: t.astype("float64"),
    "transpose": lambda t: t.transpose([1, 0]), "clip": lambda t: t.clip(2, 4),
    "max": lambda t: t.max(), "max0": lambda t: t.max(axis=0), "mean": lambda t: t.mean(),
    "min": lambda t: t.min(axis=1, keepdims=True), "mean0": lambda t: t.mean(axis=0),
    "flatten": lambda t: t.flatten(),
}.items():
    found, expected = both(f, t), f(a)
    same = np.array_equal(found, expected) and list(found.shape) == list(np.shape(expected))
    assert same, (name, found, expected)
    assert found.dtype.name == np.asarray(expected).dtype.name, name
assert (t.size, t.tolist(), (+t).tolist()) == (6, a.tolist(), a.tolist())
assert t.data.tolist() == a.tolist()
""")
    )


def test_advanced_indexing(run_python):
    run_python(
        program("""
x = fg.reshape(fg.range(2 * 3 * 4 * 5), [2, 3, 4, 5])
a = x.numpy()
mask = a[..., 0] % 3 == 1
for key in [
    [0, 1], ([0, 1], [1, 2]), (slice(None), [0, 2]), (Ellipsis, [0, 2]), ([[0], [1]], [[1, 2]]),
    (0, [1, 2]), ([1, 0], slice(None), [1, 2]), (slice(None), [1, 2], slice(1, 3), [0, 4]),
    (None, [1, 0]), ([1, 0], None), ([0], Ellipsis, 1), (slice(None), 1, [2, 3]), np.array([-1, 0]),
    (slice(None), np.array([True, False, True])), mask, (mask, 1), ([True, False],),
    (1, slice(None, None, -1), [0, -1]), (slice(None), [-1]), ([], ), np.array([[0, 1], [1, 0]]),
    (slice(0, 1), None, [0, 1], [1, 2]), (a > 50), (Ellipsis, [0, 1], None), ([0, 1], 1, slice(2)),
    (slice(None), slice(None), [[0, 1]], [[2], [3]]),
]:
    found, expected = both(lambda x: x[key], x), a[key]
    same = np.array_equal(found, expected) and list(found.shape) == list(expected.shape)
    assert same, (key, found.shape, expected.shape)
assert x[fg.constant([1, 0])].shape == [2, 3, 4, 5] and x[fg.constant(1)].shape == [3, 4, 5]
assert np.array_equal(x[x > 50], a[a > 50])
for key in (([0], [0], [0], [0], [0]), [0.5]):
    try:
        x[key]
    except (TypeError, ValueError):
        continue
    raise AssertionError(key)
""")
    )


def test_modes(run_python):
    run_python("""
import ferrograph as fg

enable = fg.experimental.numpy.experimental_enable_numpy_behavior
assert not hasattr(fg.constant(1), "tolist")
try:
    enable(dtype_conversion_mode="what")
except ValueError as e:
    assert "'off', 'legacy', 'safe' or 'all'" in str(e)
else:
    raise AssertionError
enable()
enable()
assert fg.constant([1]).T.shape == [1]
""")


def test_modes_take_the_place_of_one_another(run_python):
    """The outcomes of each mode as tensorflow 2.21 gives them, whatever was on before."""
    run_python("""
import ferrograph as fg
from ferrograph import add as by_name

fg.as_tensorflow()
import tensorflow as tf

tf.add  # The face has handed it out.
enable = fg.experimental.numpy.experimental_enable_numpy_behavior
plain = fg.Tensor.__add__, fg.Variable.__getitem__, fg.add, fg.divide
i, f = lambda: fg.cast([1, 2], fg.int32), lambda: fg.cast([1.0, 2.0], fg.float32)

def dtypes():
    found = []
    for call in (
        lambda: i() + f(), lambda: fg.add(i(), f()), lambda: by_name(i(), f()),
        lambda: tf.add(i(), f()), lambda: i() / f(), lambda: fg.cast([1], fg.int8) + 2.5,
        lambda: fg.maximum(i(), f()), lambda: f() @ fg.constant([[1], [2]]),
        lambda: fg.Variable([1, 2]) + f(), lambda: -fg.constant(1),
    ):
        try:
            found.append(call().dtype.name)
        except (TypeError, ValueError, fg.errors.InvalidArgumentError):
            found.append("!")
    return found

expected = {
    "legacy": "float64 ! ! ! float64 float64 ! float64 float64 int32",
    "all": "float32 float32 float32 float32 float32 float64 float32 ! float32 int32",
    "safe": "! ! ! ! ! ! ! ! ! int32",
    "off": "! ! ! ! ! ! ! ! ! int32",
}
for mode in ("legacy", "all", "safe", "all", "off", "safe", "legacy", "off"):
    enable(dtype_conversion_mode=mode)
    assert dtypes() == expected[mode].split(), (mode, dtypes())
    is_weak = type(fg.constant(1)).__name__ == "WeakTensor"
    assert is_weak == (mode in ("all", "safe")) and i().T.shape == [2]
assert plain[0] is fg.Tensor.__add__ and plain[2:] == (fg.add, fg.divide)
""")


def test_products_and_quotients_of_two_dtypes(run_python):
    run_python(
        program("""
v = fg.constant([1.0, 2.0])
assert both(lambda x, y: x @ y, v, v).numpy() == 5.0
assert (v @ made["i32"]).dtype == fg.float64
assert fg.divide(made["i32"], v).dtype == fg.float64
assert (v + [1, 2]).dtype == fg.float32 and (made["i8"] + [1, 2]).dtype == fg.int8
half = fg.constant([1.0, 2.0], fg.bfloat16)
assert (half + made["i8"]).dtype == fg.bfloat16 and (half + 2.5).dtype == fg.float64
try:
    together = np.result_type(half.numpy(), np.int32)  # ml_dtypes says one since its version 0.7
except TypeError:
    together = None
try:
    assert (half + made["i32"]).dtype == together
except TypeError as e:
    assert together is None and "bfloat16 and int32" in str(e) and "cast" in str(e)
""")
    )
