"""Conditionals, loops and functional forms."""

import numpy as np

from shapes.arrays import case, ints, scalar

YES = np.bool_(True)
X, Y = (2, 3), (2, 3)
case("cond", lambda m, c, x, y: m.cond(c, lambda: x, lambda: y), YES, X, Y)
case("cond of other sizes", lambda m, c, x, y: m.cond(c, lambda: x, lambda: y), YES, X, (2, 4))
case("cond of other ranks", lambda m, c, x, y: m.cond(c, lambda: x, lambda: y), YES, X, (2, 3, 4))
case("cond of slices", lambda m, c, x: m.cond(c, lambda: x, lambda: x[:1]), YES, X)
case("cond of two", lambda m, c, x: m.cond(c, lambda: (x, x[0]), lambda: (x * 2.0, x[1])), YES, X)
case(
    "case",
    lambda m, c, x, y: m.case([(c, lambda: x)], default=lambda: y),
    YES,
    X,
    (2, 4),
)
case(
    "switch_case",
    lambda m, i, x, y: m.switch_case(i, [lambda: x, lambda: y, lambda: x * 2.0]),
    scalar(0),
    X,
    (1, 3),
)


def counted(m, x, body, **more):
    """``body`` three times."""
    start = (m.constant(0), x)
    return m.while_loop(lambda i, _: i < 3, lambda i, x: (i + 1, body(x)), start, **more)[1]


case("while_loop", lambda m, x: counted(m, x, lambda x: x * 2.0), X)
case(
    "while_loop that grows",
    lambda m, x: counted(
        m,
        x,
        lambda x: m.concat([x, x], 0),
        shape_invariants=(m.TensorShape([]), m.TensorShape([None, 3])),
    ),
    X,
)
case(
    "while_loop of any rank",
    lambda m, x: counted(
        m, x, lambda x: x, shape_invariants=(m.TensorShape([]), m.TensorShape(None))
    ),
    X,
)
case(
    "while_loop bounded",
    lambda m, x: m.while_loop(
        lambda x: m.reduce_sum(x) < 9.0, lambda x: (x + 1.0,), (x,), maximum_iterations=2
    ),
    X,
)
case("map_fn", lambda m, x: m.map_fn(lambda r: r * 2.0, x), X)
case(
    "map_fn to other shapes",
    lambda m, x: m.map_fn(lambda r: m.stack([r, r]), x),
    X,
)
case(
    "map_fn of two",
    lambda m, x, y: m.map_fn(
        lambda r: r[0] + r[1], (x, y), fn_output_signature=m.TensorSpec([3], m.float32)
    ),
    X,
    Y,
)
case(
    "map_fn to integers",
    lambda m, x: m.map_fn(lambda r: m.argmax(r), x, fn_output_signature=m.int64),
    X,
)
case("scan", lambda m, x: m.scan(lambda a, b: a + b, x), X)
case("scan from", lambda m, x: m.scan(lambda a, b: a + m.reduce_sum(b), x, m.constant(0.0)), X)
case("foldl", lambda m, x: m.foldl(lambda a, b: a + b, x), X)
case("foldr", lambda m, x: m.foldr(lambda a, b: a + b, x, m.zeros([3])), X)
case("vectorized_map", lambda m, x: m.vectorized_map(lambda r: r * 2.0, x), X)
case("vectorized_map of sums", lambda m, x: m.vectorized_map(m.reduce_sum, x), X)
case(
    "py_function",
    lambda m, x: m.py_function(lambda x: x, [x], m.float32),
    X,
)
case(
    "numpy_function",
    lambda m, x: m.numpy_function(lambda x: x, [x], m.float32),
    X,
)


def written(m, x, **more):
    """A tensor array of the rows of ``x``."""
    array = m.TensorArray(m.float32, m.shape(x)[0], **more)
    return array.unstack(x)


case("TensorArray stacked", lambda m, x: written(m, x).stack(), X)
case("TensorArray read", lambda m, x: written(m, x).read(0), X)
case("TensorArray gathered", lambda m, x: written(m, x).gather([0, 1]), X)
case("TensorArray concatenated", lambda m, x: written(m, x).concat(), X)
case(
    "TensorArray of a shape",
    lambda m, x: written(m, x, element_shape=[None]).stack(),
    X,
)
case(
    "TensorArray filled",
    lambda m, x: m.TensorArray(m.float32, 2).write(0, x).write(1, x).stack(),
    X,
)
case(
    "TensorArray of a known size",
    lambda m, x: m.TensorArray(m.float32, 4, element_shape=[2, 3]).write(0, x).stack(),
    X,
)
case(
    "TensorArray split",
    lambda m, x: m.TensorArray(m.float32, 2, infer_shape=False).split(x, [1, 1]).stack(),
    X,
)


def gradient(m, function, *args):
    """The gradients of the sum of a function."""
    with m.GradientTape() as tape:
        tape.watch(args)
        y = m.reduce_sum(function(*args))
    return tape.gradient(y, args)


case("gradient of a product", lambda m, x, y: gradient(m, m.matmul, x, y), (2, 3), (3, 4))
case("gradient of a sum", lambda m, x, y: gradient(m, lambda a, b: a * b, x, y), (2, 3), (3,))
case("gradient of reduce_mean", lambda m, x: gradient(m, lambda a: m.reduce_mean(a, 1), x), X)
case("gradient of a slice", lambda m, x: gradient(m, lambda a: a[1:, :2] * 2.0, x), X)
case(
    "gradient of concat",
    lambda m, x, y: gradient(m, lambda a, b: m.concat([a, b], 0), x, y),
    X,
    (4, 3),
)
case(
    "gradient of conv2d",
    lambda m, x, k: gradient(m, lambda a, b: m.nn.conv2d(a, b, 2, "SAME"), x, k),
    (2, 5, 6, 3),
    (2, 2, 3, 4),
)
case(
    "gradient of max_pool",
    lambda m, x: gradient(m, lambda a: m.nn.max_pool(a, 2, 2, "SAME"), x),
    (2, 5, 6, 3),
)
case(
    "gradient of resize",
    lambda m, x: gradient(m, lambda a: m.image.resize(a, [3, 4]), x),
    (2, 5, 6, 3),
)
case("gradient of reshape", lambda m, x: gradient(m, lambda a: m.reshape(a, [-1]), x), X)
case("gradient of pad", lambda m, x: gradient(m, lambda a: m.pad(a, [[1, 0], [0, 2]]), x), X)
case("gradient of tile", lambda m, x: gradient(m, lambda a: m.tile(a, [2, 2]), x), X)
case("gradient of transpose", lambda m, x: gradient(m, lambda a: m.transpose(a) * 2.0, x), X)
case(
    "gradient of gather of axis one",
    lambda m, x: gradient(m, lambda a: m.gather(a, [0, 1], axis=1), x),
    X,
)
case("gradient of cumsum", lambda m, x: gradient(m, lambda a: m.cumsum(a, 1) ** 2.0, x), X)
case(
    "gradient of softmax cross entropy",
    lambda m, i, x: gradient(m, lambda a: m.nn.sparse_softmax_cross_entropy_with_logits(i, a), x),
    ints(0, 1),
    X,
)
