"""Numbers between which floats of one byte lie, and calls on them: ``module`` is the package."""

import numpy as np

TENSORFLOW = ("float8_e5m2", "float8_e4m3fn")
NAMES = (*TENSORFLOW, "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz")
SOURCES = ("float16", "bfloat16", "float32", "float64")
TARGETS = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("complex64", "complex128", *SOURCES, *TENSORFLOW),
)


def bytes_of(scalar_type):
    """Every float of that type, in the order of its bytes."""
    return np.arange(256, dtype=np.uint8).view(scalar_type)


def numbers(scalar_type):
    """Float64 numbers at, between and close to all floats of that type, and beyond them."""
    every = bytes_of(scalar_type).astype(np.float64)
    finite = np.unique(every[np.isfinite(every)])
    positive = finite[finite >= 0]
    step = positive[-1] - positive[-2]
    positive = np.append(positive, positive[-1] + step)
    middles = (positive[1:] + positive[:-1]) / 2
    close = [middles * (1 + d) for d in (0.0, 2e-16, -2e-16, 1e-7, -1e-7)]
    near = np.concatenate([positive, positive * 1.05, *close])
    beyond = [1e-300, 1e-45, 1e6, 1e39, np.inf, np.nan]
    return np.concatenate([near, -near, beyond, np.negative(beyond)])


def whole(array, target):
    """The elements that an integer dtype holds; all for other dtypes."""
    if not target.startswith(("int", "uint")):
        return array
    limits, wide = np.iinfo(target), array.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return array[np.isfinite(wide) & (wide > limits.min - 1.0) & (wide < limits.max + 1.0)]


def calls(m, x, v):
    """Calls by name, on a matrix and a vector of one dtype."""
    picks = m.constant([[True, False, True], [False, True, False]])
    return {
        "reshape": lambda: m.reshape(x, [3, 2]),
        "concat": lambda: m.concat([x, x], 0),
        "stack": lambda: m.stack([x, x]),
        "unstack": lambda: m.unstack(x),
        "split": lambda: m.split(x, [1, 2], 1),
        "slice": lambda: m.slice(x, [0, 1], [2, 2]),
        "strided_slice": lambda: x[:, ::-1],
        "boolean_mask": lambda: m.boolean_mask(x, picks),
        "gather": lambda: m.gather(x, [1, 0]),
        "batch_gather": lambda: m.gather(x, [[0], [1]], batch_dims=1),
        "gather_nd": lambda: m.gather_nd(x, [[0, 1]]),
        "transpose": lambda: m.transpose(x),
        "adjoint": lambda: m.linalg.adjoint(x),
        "expand_dims": lambda: m.expand_dims(x, 0),
        "squeeze": lambda: m.squeeze(x),
        "broadcast_to": lambda: m.broadcast_to(v, [2, 3]),
        "ensure_shape": lambda: m.ensure_shape(x, [2, None]),
        "identity": lambda: m.identity(x),
        "stop_gradient": lambda: m.stop_gradient(x),
        "shape": lambda: m.shape(x),
        "embedding_lookup": lambda: m.nn.embedding_lookup(x, [1]),
        "conj": lambda: m.math.conj(x),
        "map_fn": lambda: m.map_fn(lambda row: row, x),
        "switch_case": lambda: m.switch_case(m.constant(0), [lambda: x]),
        "py_function": lambda: m.py_function(lambda row: row, [x], x.dtype),
        "tensor_array": lambda: m.TensorArray(x.dtype, 2).unstack(x).stack(),
        "vectorized_map": lambda: m.vectorized_map(lambda row: m.reshape(row, [3, 1]), x),
        "variable": lambda: m.Variable(x).assign(x).read_value(),
        "assign_slice": lambda: m.Variable(x)[0].assign(v).read_value(),
        "add": lambda: x + x,
        "subtract": lambda: x - x,
        "multiply": lambda: x * x,
        "divide": lambda: x / x,
        "add_number": lambda: x + 1.0,
        "negative": lambda: -x,
        "abs": lambda: abs(x),
        "pow": lambda: x**2,
        "equal": lambda: m.equal(x, x),
        "less": lambda: x < x,
        "maximum": lambda: m.maximum(x, x),
        "matmul": lambda: m.matmul(x, m.transpose(x)),
        "reduce_sum": lambda: m.reduce_sum(x),
        "reduce_max": lambda: m.reduce_max(x),
        "argmax": lambda: m.argmax(x),
        "sort": lambda: m.sort(x),
        "top_k": lambda: m.math.top_k(x),
        "cumsum": lambda: m.cumsum(x),
        "exp": lambda: m.exp(x),
        "sign": lambda: m.sign(x),
        "is_nan": lambda: m.math.is_nan(x),
        "relu": lambda: m.nn.relu(x),
        "softmax": lambda: m.nn.softmax(x),
        "add_n": lambda: m.add_n([x, x]),
        "bias_add": lambda: m.nn.bias_add(x, v),
        "check_numerics": lambda: m.debugging.check_numerics(x, "x"),
        "reduce_any": lambda: m.reduce_any(x),
        "bitwise_and": lambda: m.bitwise.bitwise_and(x, x),
        "segment_sum": lambda: m.math.segment_sum(v, [0, 0, 1]),
        "unique": lambda: m.unique(v),
        "where_nonzero": lambda: m.where(x),
        "as_string": lambda: m.strings.as_string(x),
        "decode_raw": lambda: m.io.decode_raw(b"ab", x.dtype),
        "complex": lambda: m.complex(x, x),
        "random_uniform": lambda: m.random.uniform([2], dtype=x.dtype),
        "random_normal": lambda: m.random.normal([2], dtype=x.dtype),
        "assign_add": lambda: m.Variable(x).assign_add(x),
        "scatter_add": lambda: m.Variable(v).scatter_add(m.IndexedSlices(v[:1], [0])),
        "tensor_scatter_add": lambda: m.tensor_scatter_nd_add(v, [[0]], v[:1]),
        "bitcast": lambda: m.bitcast(x, m.uint8),
        "bitcast_back": lambda: m.bitcast(m.constant([1, 2], m.uint8), x.dtype),
        "dlpack": lambda: m.experimental.dlpack.to_dlpack(x),
        "constant_of_bool": lambda: m.constant(True, x.dtype),
        "constant_of_text": lambda: m.constant("a", x.dtype),
        "constant_of_complex": lambda: m.constant(1j, x.dtype),
        "cast_to_string": lambda: m.cast(x, m.string),
        "saturate_cast": lambda: m.saturate_cast(x, m.int8),
    }
