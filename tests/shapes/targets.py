"""Shapes given by tensors that are known in part: reshape, fill, pad, slices, ranges."""

from shapes.arrays import case, ints, scalar

X = (2, 3, 4)
TARGETS = {
    "flat": lambda m, x: [-1],
    "rows": lambda m, x: [m.shape(x)[0], -1],
    "rows of a size": lambda m, x: [m.shape(x)[0], 12],
    "products": lambda m, x: [m.shape(x)[0], m.shape(x)[1] * m.shape(x)[2]],
    "joined": lambda m, x: m.concat([m.shape(x)[:1], [-1]], 0),
    "joined sizes": lambda m, x: m.concat([m.shape(x)[:-1], [2, 2]], 0),
    "stacked": lambda m, x: m.stack([m.shape(x)[0] * 2, 6, 2]),
    "of the same": lambda m, x: m.shape(x),
    "of int64": lambda m, x: m.shape(x, m.int64),
    "cast": lambda m, x: m.cast(m.shape(x, m.int64), m.int32),
    "reversed": lambda m, x: m.shape(x)[::-1],
    "gathered": lambda m, x: m.gather(m.shape(x), [2, 1, 0]),
    "reduced": lambda m, x: [m.reduce_prod(m.shape(x)[:2]), m.shape(x)[2]],
    "size": lambda m, x: [m.size(x)],
    "quotient": lambda m, x: [m.shape(x)[0], 2, m.size(x) // (m.shape(x)[0] * 2)],
    "quotient of known": lambda m, x: [-1, m.shape(x)[1] // 3, m.shape(x)[2] * 3],
    "sum": lambda m, x: [m.shape(x)[0] + 0, m.shape(x)[1], m.shape(x)[2]],
    "two unknown": lambda m, x: [m.shape(x)[0], m.shape(x)[1], 4],
    "one more": lambda m, x: [m.shape(x)[0], 1, m.shape(x)[1], 4],
    "split": lambda m, x: m.split(m.shape(x), 3)[0] * 0 + [24],
    "unstacked": lambda m, x: m.unstack(m.shape(x))[::-1],
    "maximum": lambda m, x: m.maximum(m.shape(x), 1),
    "where": lambda m, x: m.where([True, True, False], m.shape(x), [0, 0, 4]),
    "padded": lambda m, x: m.pad(m.shape(x), [[1, 0]], constant_values=1),
    "expanded": lambda m, x: m.squeeze(m.expand_dims(m.shape(x), 0), 0),
    "strided": lambda m, x: m.strided_slice(m.shape(x), [0], [3], [1]),
    "sliced": lambda m, x: m.slice(m.shape(x), [0], [3]),
    "tiled": lambda m, x: m.tile(m.shape(x)[:1], [1]) * 0 + [24],
    "identity": lambda m, x: m.identity(m.stop_gradient(m.shape(x))),
    "ensured": lambda m, x: m.ensure_shape(m.shape(x), [3]),
    "of a computed shape": lambda m, x: m.shape(x * 2.0 + 1.0),
    "zero to keep": lambda m, x: m.shape(x) - 0,
}
for name, target in TARGETS.items():
    case(f"reshape {name}", lambda m, x, t=target: m.reshape(x, t(m, x)), X)
case("reshape to an argument", lambda m, x, s: m.reshape(x, s), X, ints(6, 4))
case("reshape to a shape", lambda m, x, y: m.reshape(x, m.shape(y)), X, (6, 4))
case("reshape part of an argument", lambda m, x, n: m.reshape(x, [n, 3, -1]), X, scalar(2))
case("reshape to joined arguments", lambda m, x, n: m.reshape(x, m.stack([n, 3, 4])), X, scalar(2))
MAKERS = {
    "zeros": lambda m, s: m.zeros(s),
    "ones": lambda m, s: m.ones(s),
    "fill": lambda m, s: m.fill(s, 3),
    "uniform": lambda m, s: m.random.uniform(s),
    "normal": lambda m, s: m.random.normal(s),
    "truncated_normal": lambda m, s: m.random.truncated_normal(s),
    "stateless_uniform": lambda m, s: m.random.stateless_uniform(s, [1, 2]),
    "stateless_normal": lambda m, s: m.random.stateless_normal(s, [1, 2]),
    "stateless truncated": lambda m, s: m.random.stateless_truncated_normal(s, [1, 2]),
    "gamma": lambda m, s: m.random.gamma(s, [1.0, 2.0]),
    "poisson": lambda m, s: m.random.poisson(s, [[1.0]]),
    "stateless_gamma": lambda m, s: m.random.stateless_gamma(s, [1, 2], 2.0),
    "stateless_poisson": lambda m, s: m.random.stateless_poisson(s, [1, 2], 2.0),
    "stateless_binomial": lambda m, s: m.random.stateless_binomial(s, [1, 2], 3.0, 0.5),
}
SHAPES = {
    "of the shape": lambda m, x: m.shape(x),
    "of some sizes": lambda m, x: [m.shape(x)[0], 5],
    "stacked": lambda m, x: m.stack([m.shape(x)[0], m.shape(x)[1] * 2, 7]),
    "joined": lambda m, x: m.concat([m.shape(x)[:2], [7]], 0),
}
for name, make in MAKERS.items():
    for kind, shape in SHAPES.items():
        case(f"{name} {kind}", lambda m, x, f=make, s=shape: f(m, s(m, x)), X)
    case(f"{name} of an argument", lambda m, s, f=make: f(m, s), ints(2, 3))
case("zeros of one size", lambda m, x: m.zeros(m.shape(x)[:1]), X)
case("zeros of one argument", lambda m, n: m.zeros([n]), scalar(3))
case("zeros of a product", lambda m, x: m.zeros([m.reduce_prod(m.shape(x)[1:]), 2]), X)
case("eye", lambda m, n: m.eye(n), scalar(3))
case("eye of sizes", lambda m, x: m.eye(m.shape(x)[0], 4), X)
case("eye in batches", lambda m, x: m.eye(3, batch_shape=[m.shape(x)[0]]), X)
case("categorical", lambda m, x: m.random.categorical(x, 5), (2, 3))
case("stateless_categorical", lambda m, x: m.random.stateless_categorical(x, 5, [1, 2]), (2, 3))
case("categorical computed", lambda m, x, n: m.random.categorical(x, n), (2, 3), scalar(5))
PADS = {
    "constant": lambda m, x: [[1, 0], [0, 2], [1, 1]],
    "constant of int64": lambda m, x: m.constant([[1, 0], [0, 2], [1, 1]], m.int64),
    "of a list with a tensor": lambda m, x: [[0, m.shape(x)[0]], [0, 2], [1, 1]],
    "computed for a size": lambda m, x: [[0, 5 - m.shape(x)[0]], [0, 0], [0, 0]],
    "stacked": lambda m, x: m.stack([[0, m.shape(x)[0]], [1, 1], [0, 0]]),
    "joined": lambda m, x: m.concat([[[1, 1]], [[0, m.shape(x)[0]], [0, 0]]], 0),
    "none": lambda m, x: m.zeros([3, 2], m.int32),
}
for name, pads in PADS.items():
    for mode in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        if name == "computed for a size" and mode != "CONSTANT":
            continue
        case(
            f"pad {mode} {name}",
            lambda m, x, p=pads, k=mode: m.pad(x, p(m, x), k),
            X,
        )
case("pad by an argument", lambda m, x, p: m.pad(x, p), X, [[1, 0], [0, 2], [1, 1]])
case("pad by a scalar", lambda m, x, n: m.pad(x, [[0, n], [0, 0], [1, 1]]), X, scalar(2))
case("pad with a value", lambda m, x: m.pad(x, [[1, 0], [0, 2], [1, 1]], constant_values=2.0), X)
SLICES = {
    "first": lambda m, x: x[0],
    "last": lambda m, x: x[-1],
    "all": lambda m, x: x[:],
    "some": lambda m, x: x[:1, 1:],
    "behind": lambda m, x: x[1:, :-1, 2:],
    "steps": lambda m, x: x[::2, ::-1, 1::2],
    "backwards": lambda m, x: x[::-2, 2:0:-1],
    "from the end": lambda m, x: x[-1:, -2:, -3:-1],
    "beyond": lambda m, x: x[:9, 5:, :-9],
    "ellipsis": lambda m, x: x[..., 0],
    "ellipsis and range": lambda m, x: x[..., :2],
    "ellipsis within": lambda m, x: x[0, ..., 1:],
    "new axes": lambda m, x: x[None, :, None, ..., None],
    "new axis and first": lambda m, x: x[:, None, 0],
    "computed end": lambda m, x: x[: m.shape(x)[0] - 1],
    "computed start": lambda m, x: x[m.shape(x)[0] - 1 :],
    "computed index": lambda m, x: x[m.shape(x)[0] - 1],
    "of a computed index": lambda m, x: x[:, m.shape(x)[1] - 1 : m.shape(x)[1], 1:3],
    "half": lambda m, x: x[:, :, : m.shape(x)[2] // 2],
    "of a known half": lambda m, x: x[..., : x.shape[-1] // 2] if x.shape.rank else x[...],
}
for name, part in SLICES.items():
    case(f"slice {name}", lambda m, x, f=part: f(m, x), X)
case("slice by an argument", lambda m, x, i: x[i], X, scalar(1))
case("slice up to an argument", lambda m, x, i: x[:i, 1:], X, scalar(1))
case("slice from an argument on", lambda m, x, i: x[:, i:], X, scalar(1))
case("slice of a size from an argument", lambda m, x, i: x[:, i : i + 1], X, scalar(1))
case("tf.slice", lambda m, x: m.slice(x, [0, 1, 0], [1, 2, -1]), X)
case("tf.slice to the end", lambda m, x: m.slice(x, [1, 0, 1], [-1, -1, -1]), X)
case("tf.slice from an argument", lambda m, x, b: m.slice(x, b, [1, 2, 2]), X, ints(0, 1, 0))
case("tf.slice from an argument on", lambda m, x, b: m.slice(x, b, [1, 2, -1]), X, ints(0, 1, 0))
case("tf.slice of an argument", lambda m, x, s: m.slice(x, [0, 1, 0], s), X, ints(1, 2, 2))
case("tf.slice of computed sizes", lambda m, x: m.slice(x, [0, 0, 0], [m.shape(x)[0], 2, -1]), X)
case(
    "tf.slice from computed places",
    lambda m, x: m.slice(x, [m.shape(x)[0] - 1, 0, 0], [1, 2, -1]),
    X,
)
case(
    "strided_slice", lambda m, x: m.strided_slice(x, [0, 1], [1, 3], [1, 1], shrink_axis_mask=1), X
)
case(
    "strided_slice by arguments",
    lambda m, x, b, e: m.strided_slice(x, b, e),
    X,
    ints(0, 1),
    ints(1, 3),
)
case("broadcast_to", lambda m, x: m.broadcast_to(x, [5, 2, 3]), (2, 3))
case("broadcast_to an argument", lambda m, x, s: m.broadcast_to(x, s), (2, 3), ints(5, 2, 3))
case("broadcast_to computed", lambda m, x: m.broadcast_to(x, [7, m.shape(x)[0], 3]), (2, 3))
case("broadcast_to a shape", lambda m, x, y: m.broadcast_to(x, m.shape(y)), (1, 3), (4, 3))
case("broadcast_to ones", lambda m, x: m.broadcast_to(x, [m.shape(x)[0], 1, 3]), (2, 1, 3))
case(
    "broadcast_dynamic_shape",
    lambda m, x, y: m.zeros(m.broadcast_dynamic_shape(m.shape(x), m.shape(y))),
    (2, 1),
    (3,),
)
case("range", lambda m: m.range(2, 9, 2))
case("range to an argument", lambda m, n: m.range(n), scalar(3))
case("range to a size", lambda m, x: m.range(m.shape(x)[0]), X)
case("range between sizes", lambda m, x: m.range(1, m.shape(x)[1] * 2, 2), X)
case("range of a size down", lambda m, x: m.range(m.shape(x)[0], 0, -1), X)
case("range cast", lambda m, x: m.cast(m.range(m.shape(x)[0]), m.float32)[:, None], X)
case("range of floats", lambda m: m.range(0.0, 1.0, 0.3))
case("linspace", lambda m, a, b: m.linspace(a, b, 5), (2, 3), (2, 3))
case(
    "linspace computed",
    lambda m, a, b, n: m.linspace(a, b, n),
    scalar(0.0, "float32"),
    scalar(1.0, "float32"),
    scalar(5),
)
case("linspace along an axis", lambda m, a, b: m.linspace(a, b, 5, axis=-1), (2, 3), (2, 3))
case("one_hot of a size", lambda m, i, x: m.one_hot(i, m.shape(x)[0]), ints(0, 1), X)
case("tile by a size", lambda m, x, y: m.tile(x, [m.shape(y)[0], 1, 1]), X, (5,))
case("repeat by a size", lambda m, x, y: m.repeat(x, m.shape(y)[0], 0), X, (5,))
case("set_shape", lambda m, x: _set(x, [None, 3, None]), X)
case("top_k of a size", lambda m, x: m.math.top_k(x, m.shape(x)[0]), (2, 3))
case("gather of a range", lambda m, x: m.gather(x, m.range(m.shape(x)[1]), axis=1), X)
case("unravel_index", lambda m, i: m.unravel_index(i, [2, 3]), ints(1, 2))
case("meshgrid of ranges", lambda m, x: m.meshgrid(m.range(m.shape(x)[0]), m.range(4)), X)
case("TensorArray", lambda m, x: m.TensorArray(m.float32, m.shape(x)[0]).unstack(x).stack(), X)


def _set(x, shape):
    x.set_shape(shape)
    return x
