"""What the modes of NumPy's behavior make of operands, and how it is recorded from tensorflow 2.21.

python tests/numpy_modes/mode_programs.py    writes recorded.jsonl, with tensorflow installed
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).parent
RECORD = HERE / "recorded.jsonl"
MODES = ("legacy", "safe", "all")
STRONG = ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64")
STRONG += ("bfloat16", "float16", "float32", "float64", "complex64", "complex128")
# Operands as source: of Python, of NumPy, and what functions make without a dtype.
OTHERS = ("2", "2.5", "1.5j", "True", "[1, 2]", "[1.5, 2.5]", "np.float32(2)", "np.array([1, 2])")
OTHERS += ("np.array([1.5, 2.5])", "tf.constant([1, 2])", "tf.constant([1.5, 2.5])")
OTHERS += ("tf.constant(1j)", "tf.constant(True)", "tf.Variable([1.5, 2.5])", "tf.Variable([1, 2])")
FEW = ("int32", "float16", "float32", "bool")
OPERATORS = ("*", "/", "//", "**", "<", "==", "&")

WEAK_I, WEAK_F = "tf.constant([1, 2])", "tf.constant([0.5, 0.25])"
UNARY = """
tf.abs tf.sign tf.negative tf.square tf.zeros_like tf.ones_like tf.identity tf.reduce_sum
tf.reduce_max tf.reduce_mean tf.reduce_prod tf.stop_gradient tf.squeeze tf.transpose tf.sqrt
tf.exp tf.math.log tf.sin tf.tanh tf.round tf.floor tf.math.ceil tf.math.rsqrt tf.math.erf
tf.math.lgamma tf.math.softplus tf.sigmoid tf.nn.relu tf.nn.elu tf.nn.gelu tf.nn.leaky_relu
tf.nn.silu tf.nn.log_softmax tf.nn.softmax tf.math.reduce_std tf.math.reduce_logsumexp
tf.math.cumsum tf.sort tf.convert_to_tensor tf.math.expm1 tf.math.special.bessel_i0
tf.math.special.dawsn tf.math.real tf.math.conj tf.math.angle tf.linalg.diag tf.math.reduce_min
tf.bitwise.invert tf.math.is_nan tf.size tf.shape tf.rank tf.stack tf.math.argmax tf.unstack
""".split()  # noqa: SIM905 - a list of words
NUMPY = """
abs sin sqrt exp mean sum prod max min std var cumsum sort average ravel reshape3 transpose
square around fix flip squeeze array asarray copy zeros_like ones_like diag median nanmean
repeat2 isnan floor ceil arange log2 negative triu2 positive trace2 argmax size all logical_not
tile2
""".split()  # noqa: SIM905 - a list of words
PAIRS = """
tf.add tf.subtract tf.multiply tf.divide tf.math.divide_no_nan tf.math.floordiv tf.math.floormod
tf.pow tf.maximum tf.minimum tf.equal tf.math.multiply_no_nan tf.truediv tf.less tf.atan2
tf.math.squared_difference tf.not_equal tf.math.truncatediv tf.realdiv
""".replace("tf.realdiv", "").split()
PYTHON = """
-W
abs(W)
W + W
W @ W
W[0]
W.numpy()
float(tf.reduce_sum(W))
int(tf.reduce_sum(W))
str(W)
repr(W)
W.shape
W.dtype
len(W)
[x for x in W]
isinstance(W, tf.Tensor)
tf.constant(W)
tf.constant(W, tf.float64)
tf.constant(2, tf.float32)
tf.constant(np.array([1, 2]))
tf.constant(tf.constant([1.5], tf.float16))
tf.cast(W, tf.float64)
tf.cast(W, tf.float32)
tf.Variable(W)
tf.Variable(2.5)
tf.convert_to_tensor(2)
tf.zeros([2])
tf.fill([2], 1.5)
tf.range(3)
tf.range(2.5)
tf.function(lambda x: x + 1)(W)
tf.function(lambda x: x + tf.constant(2.5, tf.float16))(W)
tf.function(lambda x: tf.sqrt(x) * 2)(W)
tf.function(lambda: tf.constant(2.5))()
tf.function(lambda: tf.constant(2) + tf.constant(1, tf.int8))()
tf.Variable([1.5, 2.5]).assign_add(W)
tf.Variable([1, 2]).assign(W)
tf.Variable([1, 2], dtype=tf.int64).assign_sub(tf.constant([1, 2], tf.int32))
tf.Variable([1.5, 2.5]).assign_add(tf.constant([1.5, 2.5], tf.float64))
tf.where([True, False], W, W)
tf.concat([W, W], 0)
tf.reshape(W, [2, 1])
tf.expand_dims(W, 0)
tf.clip_by_value(W, 0, 1)
tf.clip_by_value(W, 0.0, 1.0)
tf.math.scalar_mul(2.0, W)
tf.matmul([W], [[1], [2]])
tf.constant(2 ** 40)
tf.constant(2 ** 40) + tf.constant(1)
tf.constant([1, 2], tf.int32) + 2 ** 40
tf.constant("a") + "b"
tf.experimental.numpy.add(W, tf.constant([1, 2], tf.int8))
tf.experimental.numpy.add(W, 1)
tf.experimental.numpy.subtract(tf.constant([1, 2], tf.int8), tf.constant([1.5, 2.5], tf.float16))
tf.experimental.numpy.multiply(2, 3.5)
tf.experimental.numpy.true_divide(1, 2)
tf.experimental.numpy.power(tf.constant(2, tf.uint8), tf.constant(3, tf.int8))
tf.experimental.numpy.maximum(W, 1)
tf.experimental.numpy.where([True, False], W, 1)
tf.experimental.numpy.concatenate([W, tf.constant([1], tf.int64)])
tf.experimental.numpy.stack([W, tf.constant([1, 2], tf.float16)])
tf.experimental.numpy.result_type(tf.int32, tf.float32)
tf.experimental.numpy.result_type(1, 2.5)
tf.experimental.numpy.result_type(W, tf.float16)
tf.experimental.numpy.promote_types(tf.int8, tf.uint8)
tf.experimental.numpy.promote_types(tf.int32, tf.float32)
tf.experimental.numpy.zeros([2])
tf.experimental.numpy.ones([2])
tf.experimental.numpy.array([1, 2])
tf.experimental.numpy.array([1.5, 2.5])
tf.experimental.numpy.asarray(2)
tf.experimental.numpy.linspace(0, 1, 3)
tf.experimental.numpy.full([2], 1)
tf.experimental.numpy.eye(2)
tf.experimental.numpy.dot(W, W)
tf.experimental.numpy.matmul(W, tf.constant([1, 2], tf.int64))
W.T
W.astype(tf.float16)
W.reshape([2, 1])
W.max()
W.mean()
""".strip().splitlines()


def strong(dtype):
    values = "[True, False]" if dtype == "bool" else "[1, 2]"
    return f"tf.cast({values}, tf.{dtype})"


def programs():
    """The programs, each an expression."""
    found = []
    kinds = [*map(strong, STRONG), *OTHERS]
    is_tensor = [k.startswith("tf.") for k in kinds]
    for i, x in enumerate(kinds):
        for j, y in enumerate(kinds):
            if is_tensor[i] or is_tensor[j]:
                found.append(f"{x} + {y}")
    few = [*map(strong, FEW), "2", "2.5", WEAK_I, WEAK_F]
    for operator in OPERATORS:
        found += [f"{x} {operator} {y}" for x in few for y in few if "tf" in x or "tf" in y]
    arguments = (WEAK_I, WEAK_F, "np.array([1.0, 2.0])", "2.5")
    found += [f"{f}({x})" for f in UNARY for x in arguments]
    space = "tf.experimental.numpy"
    for name in NUMPY:
        more = {"reshape3": ", [2, 1]", "repeat2": ", 2", "triu2": "", "tile2": ", 2"}.get(name, "")
        name = name.rstrip("23") if name not in ("log2",) else name
        arguments = (WEAK_I, "[0.5, 0.25]", "tf.constant([1, 2], tf.int8)")
        if name in ("triu", "trace"):
            arguments = tuple(f"[{a}]" if a[0] == "[" else f"tf.stack([{a}])" for a in arguments)
        elif name == "arange":
            arguments = ("3", "2.5", "tf.constant(3)")
        found += [f"{space}.{name}({x}{more})" for x in arguments]
    pairs = [(WEAK_I, "2"), (WEAK_F, strong("int32")), (WEAK_I, strong("float16"))]
    pairs += [(strong("int32"), strong("float32")), (strong("uint8"), strong("int8")), ("2", "2.5")]
    pairs += [(WEAK_F, "2.5"), (strong("float16"), "np.array([1.5, 2.5])"), ("[1, 2]", WEAK_F)]
    found += [f"{f}({x}, {y})" for f in PAIRS for x, y in pairs]
    for line in PYTHON:
        found += [line.replace("W", w) for w in ((WEAK_I, WEAK_F) if "W" in line else ("",))]
    return list(dict.fromkeys(found))


def shown(value):
    """A result as what is recorded: what it is, whether it is weak, its dtype and its sum."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "rank"):
        return " ".join(map(shown, value))
    name = type(value).__name__
    weak = "weak " if "WeakTensor" in name else ""
    if hasattr(value, "numpy"):
        kind = "variable " if "Variable" in name else ""
        array = np.asarray(value.numpy())
        if value.dtype.name == "string":
            return f"{array}"
        total = complex(np.sum(array.astype(complex)))
        return f"{kind}{weak}{value.dtype.name} {round(total.real + 100 * total.imag, 3)}"
    text = getattr(value, "name", value)
    return f"{text}"


def outcomes(tf, mode):
    """What every program gives in a mode: a result, or the class of an error."""
    tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
    found = {}
    for program in programs():
        try:
            found[program] = shown(eval(program, {"tf": tf, "np": np}))
        except Exception as e:
            found[program] = f"!{type(e).__name__}"
    return found


def main():
    if len(sys.argv) > 1:
        import tensorflow as tf

        print(json.dumps(outcomes(tf, sys.argv[1])))
        return
    found: dict[str, list] = {}
    for mode in MODES:
        run = [sys.executable, __file__, mode]
        done = subprocess.run(run, capture_output=True, text=True, check=True)
        for program, outcome in json.loads(done.stdout.splitlines()[-1]).items():
            found.setdefault(program, []).append(outcome)
    RECORD.write_text("\n".join(json.dumps(outcomes) for outcomes in found.values()) + "\n")


if __name__ == "__main__":
    main()
