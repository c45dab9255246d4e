"""Ragged tensors of every kind, and calls of public functions on them: what ``record.py`` records.

A kind is the number of partitioned axes, which of them have one length, and the inner shape.
"""

import itertools
import json
import zlib

N = None


def values(tf):
    """The operands by name, of the package ``tf``."""
    R, c = tf.RaggedTensor, tf.ragged.constant
    uniform = R.from_uniform_row_length
    return {
        # Two axes, three, four; all partitioned but the innermost.
        "r2": c([[1, 2], [], [3, 4, 5]]),
        "r2b": c([[10, 20], [30], [40]]),
        "r3": c([[[1], [2, 3]], [], [[4, 5, 6]]]),
        "r4": c([[[[1, 2], [3]], []], [[[4]]]]),
        # Inner shapes that are not partitioned.
        "inner": R.from_row_lengths([[1, 2], [3, 4], [5, 6]], [2, 0, 1]),
        "inner3": R.from_row_lengths(tf.reshape(tf.range(12), [3, 2, 2]), [1, 2]),
        "deep": R.from_nested_row_lengths(tf.reshape(tf.range(8), [4, 2]), [[1, 0, 2], [1, 2, 1]]),
        # Axes of one length: outermost, in the middle, innermost, all.
        "uniform": uniform(c([[1, 2], [], [3], [4, 5, 6]]), 2),
        "uniform1": R.from_tensor([[1, 2, 3], [4, 5, 6]]),
        "below": R.from_row_lengths(uniform([1, 2, 3, 4, 5, 6], 2), [2, 0, 1]),
        "both": R.from_tensor(tf.reshape(tf.range(12), [2, 3, 2]), ragged_rank=2),
        "both1": R.from_tensor(tf.reshape(tf.range(12), [2, 3, 2]), ragged_rank=1),
        "one": uniform(c([[1, 2], [3]]), 1),
        "empty": c([[], []], dtype=tf.int32),
        "int32": c([[1, 2], [3]], row_splits_dtype=tf.int32),
        # Dense ones beside them.
        "d1": tf.constant([10, 20, 30]),
        "d2": tf.constant([[1, 2], [3, 4], [5, 6]]),
        "d3": tf.reshape(tf.range(24), [2, 3, 4]),
        # Indices.
        "i0": tf.constant(1),
        "i1": tf.constant([1, 0, 1]),
        "i2": tf.constant([[0, 1], [1, 0], [1, 1]]),
        "i2x2": tf.constant([[0, 1], [1, 0]]),
        "ir2": c([[1, 0], [], [1]]),
        "ir2b": c([[1, 0, 1], [0]]),
        "ir3": c([[[1], [0, 1]], [[0]]]),
        "ir3b": c([[[0], []], [], [[0, 0]]]),
        "iu": uniform(c([[1], [0, 1], [0], []]), 2),
    }


RAGGED = ("r2", "r3", "r4", "inner", "inner3", "deep", "uniform", "uniform1", "below")
RAGGED += ("both", "both1", "one", "empty", "int32")
DENSE = ("d1", "d2", "d3")
INDICES = ("i0", "i1", "i2", "i2x2", "ir2", "ir2b", "ir3", "ir3b", "iu")


def cases():
    """``(key, names of operands, call of the package and of the operands)`` of each case."""
    for kind in (_gathers, _conversions, _shapes, _arrangements, _reductions, _pairs, _others):
        yield from kind()


_PLACES = ((0, N), (0, 1), (0, 2), (0, 3), (0, -1), (1, N), (1, 2), (1, 3), (2, N), (2, 3), (-1, N))


def _gathers():
    for params, indices in itertools.product(RAGGED + DENSE, INDICES):
        if params in DENSE and indices in ("i0", "i1", "i2", "i2x2"):
            continue
        for batch, axis in _PLACES:
            yield (
                f"gather({params}, {indices}, axis={axis}, batch_dims={batch})",
                (params, indices),
                lambda tf, p, i, a=axis, b=batch: tf.gather(p, i, axis=a, batch_dims=b),
            )


_SHAPES = {
    2: ([N, N], [N, 2], [2, N], [5, 4], [1, 1], [0, N], [-1, 3]),
    3: ([N, N, N], [N, 2, N], [1, N, N], [4, 3, 2], [N, N, 1], [N, 1, 2], [N, N, 3]),
    4: ([N, N, N, N], [2, 1, N, N], [3, 3, 3, 3], [N, N, 2, 2], [N, 1, 2, 2]),
}
_RANKS = {"r2": 2, "r3": 3, "r4": 4, "inner": 3, "inner3": 4, "deep": 4, "uniform": 3}
_RANKS |= {"uniform1": 2, "below": 3, "both": 3, "both1": 3, "one": 3, "empty": 2, "int32": 2}


def _conversions():
    for name in RAGGED:
        yield f"to_tensor({name})", (name,), lambda tf, r: r.to_tensor()
        yield f"to_tensor({name}, 7)", (name,), lambda tf, r: r.to_tensor(7)
        for shape in _SHAPES[_RANKS[name]]:
            yield (
                f"to_tensor({name}, 9, shape={shape})",
                (name,),
                lambda tf, r, s=shape: r.to_tensor(9, shape=s),
            )
        yield f"to_sparse({name})", (name,), lambda tf, r: r.to_sparse()
    inner = lambda tf, r: r.to_tensor(tf.constant([7, 8]))  # noqa: E731
    yield "to_tensor(inner, [7, 8])", ("inner",), inner
    yield "to_tensor(deep, [7, 8])", ("deep",), inner
    yield (
        "to_tensor(inner3, matrix)",
        ("inner3",),
        lambda tf, r: r.to_tensor([[7, 8], [9, 10]], shape=[3, 3, 2, 2]),
    )
    for rank, padding in itertools.product((1, 2), (N, 0, 11)):
        yield (
            f"from_tensor(d3, padding={padding}, ragged_rank={rank})",
            ("d3",),
            lambda tf, d, r=rank, p=padding: tf.RaggedTensor.from_tensor(
                d, padding=p, ragged_rank=r
            ),
        )
    for lengths in ([2, 0], [5, 1], ([2, 1], [4, 0, 2]), ([0, 3], [1, 2, 3])):
        yield (
            f"from_tensor(d3, lengths={lengths})",
            ("d3",),
            lambda tf, d, n=lengths: tf.RaggedTensor.from_tensor(d, lengths=n),
        )


def _shapes():
    for name in RAGGED:
        rank = _RANKS[name]
        yield f"bounding_shape({name})", (name,), lambda tf, r: r.bounding_shape()
        yield f"nested_lengths({name})", (name,), lambda tf, r: list(r.nested_row_lengths())
        yield f"nested_rowids({name})", (name,), lambda tf, r: list(r.nested_value_rowids())
        yield f"rank({name})", (name,), lambda tf, r: tf.rank(r)
        yield f"size({name})", (name,), lambda tf, r: tf.size(r)
        for axis in range(rank):
            yield f"row_lengths({name}, {axis})", (name,), lambda tf, r, a=axis: r.row_lengths(a)
            yield (
                f"bounding_shape({name}, {axis})",
                (name,),
                lambda tf, r, a=axis: r.bounding_shape(axis=a),
            )
        for outer, inner in itertools.combinations_with_replacement(range(rank), 2):
            yield (
                f"merge_dims({name}, {outer}, {inner})",
                (name,),
                lambda tf, r, o=outer, i=inner: r.merge_dims(o, i),
            )
        # The shape as an argument.
        flat = lambda tf, r: tf.reshape(tf.range(tf.size(r)), tf.shape(r))  # noqa: E731
        yield f"reshape(range, shape({name}))", (name,), flat
        yield f"ones(shape({name}))", (name,), lambda tf, r: tf.ones(tf.shape(r))
        yield f"zeros(shape({name}))", (name,), lambda tf, r: tf.zeros(tf.shape(r), tf.int32)
        yield f"fill(shape({name}))", (name,), lambda tf, r: tf.fill(tf.shape(r), "x")
        yield (
            f"broadcast_to(1, shape({name}))",
            (name,),
            lambda tf, r: tf.broadcast_to(tf.constant(1), tf.shape(r)),
        )
        yield (
            f"broadcast_dynamic_shape(shape({name}), [1])",
            (name,),
            lambda tf, r: tf.ones(tf.broadcast_dynamic_shape(tf.shape(r), tf.constant([1]))),
        )
        yield f"shape({name})[:2]", (name,), lambda tf, r: tf.ones(tf.shape(r)[:2])
        yield f"shape({name})[:1]", (name,), lambda tf, r: tf.ones(tf.shape(r)[:1])
        for axis in range(rank):
            yield f"shape({name})[{axis}]", (name,), lambda tf, r, a=axis: tf.shape(r)[a]
        yield f"reshape({name}, [-1])", (name,), lambda tf, r: tf.reshape(r, [-1])


def _arrangements():
    for name in RAGGED:
        rank = _RANKS[name]
        for axis in (*range(rank + 1), -1):
            yield (
                f"expand_dims({name}, {axis})",
                (name,),
                lambda tf, r, a=axis: tf.expand_dims(r, a),
            )
            yield f"stack({name}, {axis})", (name,), lambda tf, r, a=axis: tf.stack([r, r], a)
        for axis in (*range(rank), -1):
            yield f"concat({name}, {axis})", (name,), lambda tf, r, a=axis: tf.concat([r, r], a)
            yield f"reverse({name}, {axis})", (name,), lambda tf, r, a=axis: tf.reverse(r, [a])
            yield f"cumsum({name}, {axis})", (name,), lambda tf, r, a=axis: tf.cumsum(r, a)
            yield f"squeeze({name}, {axis})", (name,), lambda tf, r, a=axis: tf.squeeze(r, a)
            times = [2 if i == axis else 1 for i in range(rank)]
            yield f"tile({name}, {times})", (name,), lambda tf, r, t=times: tf.tile(r, t)
        yield f"squeeze({name})", (name,), lambda tf, r: tf.squeeze(r)
        for key in _KEYS:
            yield (
                f"{name}[{key}]",
                (name,),
                lambda tf, r, k=key: eval(f"r[{k}]"),
            )
        yield f"identity({name})", (name,), lambda tf, r: tf.identity(r)
        yield f"split({name})", (name,), lambda tf, r: tf.split(r, [1, r.shape[0] - 1])
        yield (
            f"boolean_mask({name})",
            (name,),
            lambda tf, r: tf.ragged.boolean_mask(r, tf.equal(r % 2, 0)),
        )
    for a, b in (("r3", "uniform"), ("inner", "below"), ("below", "both"), ("inner", "r3")):
        yield f"concat({a}, {b})", (a, b), lambda tf, a, b: tf.concat([a, b], 0)


_KEYS = ("0", "-1", "1:", ":, :1", ":, -1:", ":, ::2", ":, ::-1", "::-1", "..., 0:1", "0, :1")
_KEYS += ("tf.newaxis", ":, tf.newaxis", "0, 0", "tf.constant(1)", ":, :, :1", "..., tf.newaxis")


def _reductions():
    names = ("sum", "max", "min", "prod", "mean", "any", "all")
    for name, kind in itertools.product(RAGGED, names):
        rank = _RANKS[name]
        for axis, keep in itertools.product((N, *range(rank), -1, [0, 1]), (False, True)):
            if kind != "sum" and (keep or axis == -1):
                continue
            wide = (lambda tf, r: r > 1) if kind in ("any", "all") else (lambda tf, r: r)
            wide = (lambda tf, r: tf.cast(r, tf.float32)) if kind == "mean" else wide
            yield (
                f"reduce_{kind}({name}, {axis}, {keep})",
                (name,),
                lambda tf, r, k=kind, a=axis, d=keep, w=wide: getattr(tf, f"reduce_{k}")(
                    w(tf, r), axis=a, keepdims=d
                ),
            )


_OPERANDS = ("r2", "r3", "inner", "deep", "uniform", "uniform1", "below", "both", "both1", "one")
_OPERANDS += ("int32", "i0", "d1", "d2", "i2x2", "d3")


def _pairs():
    for a, b in itertools.product(_OPERANDS, repeat=2):
        if a in RAGGED or b in RAGGED:
            yield f"{a} + {b}", (a, b), lambda tf, x, y: x + y
            yield f"where({a}, {b})", (a, b), lambda tf, x, y: tf.where(x > 2, x, y)
    columns = {"[[1], [2], [3]]": [[1], [2], [3]], "[[1], [2]]": [[1], [2]], "[[5]]": [[5]]}
    for name, (shown, column) in itertools.product(_OPERANDS, columns.items()):
        if name in RAGGED:
            yield f"{name} + {shown}", (name,), lambda tf, r, c=column: r + tf.constant(c)


def _others():
    for name in RAGGED:
        yield f"one_hot({name})", (name,), lambda tf, r: tf.one_hot(r, 3)
        yield f"bitcast({name})", (name,), lambda tf, r: tf.bitcast(r, tf.float32)
        yield f"bitcast({name}, int8)", (name,), lambda tf, r: tf.bitcast(r, tf.uint8)
        yield f"ones_like({name})", (name,), lambda tf, r: tf.ones_like(r)
        yield f"map_flat_values({name})", (name,), _doubled
        for axis in (N, -1):
            yield (
                f"softmax({name}, {axis})",
                (name,),
                lambda tf, r, a=axis: tf.nn.softmax(tf.cast(r, tf.float32), axis=a),
            )
        for kind in ("sum", "max", "min", "prod", "mean", "sqrt_n"):
            yield (
                f"unsorted_segment_{kind}({name})",
                (name,),
                lambda tf, r, k=kind: getattr(tf.math, f"unsorted_segment_{k}")(
                    tf.cast(r, tf.float32), tf.range(r.shape[0]) % 2, 3
                ),
            )
        yield (
            f"unsorted_segment_sum({name}, ids alike)",
            (name,),
            lambda tf, r: tf.math.unsorted_segment_sum(r, tf.cast(r % 3, tf.int32), 3),
        )
        yield (
            f"dynamic_partition({name}, rows)",
            (name,),
            lambda tf, r: tf.dynamic_partition(r, tf.range(r.shape[0]) % 2, 2),
        )
        yield (
            f"dynamic_partition({name}, alike)",
            (name,),
            lambda tf, r: tf.dynamic_partition(r, tf.cast(r % 2, tf.int32), 2),
        )
        yield (
            f"sigmoid_cross_entropy({name})",
            (name,),
            lambda tf, r: tf.nn.sigmoid_cross_entropy_with_logits(
                tf.cast(r % 2, tf.float32), tf.cast(r, tf.float32)
            ),
        )
    for a, b in itertools.product(
        ("inner", "both", "both1", "uniform1", "r2", "r3", "d3"), repeat=2
    ):
        for ta, tb in itertools.product((False, True), repeat=2):
            if a in RAGGED or b in RAGGED:
                yield (
                    f"matmul({a}, {b}, {ta}, {tb})",
                    (a, b),
                    lambda tf, x, y, s=ta, t=tb: tf.matmul(x, y, transpose_a=s, transpose_b=t),
                )


def _doubled(tf, ragged):
    return tf.ragged.map_flat_values(lambda x: x * 2, ragged)


def plain(value):
    """A result in the form that is recorded: what it holds and what kind of value it is."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if hasattr(value, "row_splits"):
        kind = [value.ragged_rank, value.row_splits.dtype.name, value.dtype.name]
        return {"holds": _held(value.to_list()), "shape": value.shape.as_list(), "kind": kind}
    if hasattr(value, "dense_shape"):
        return [plain(value.indices), plain(value.values), plain(value.dense_shape)]
    held, kind = _held(value.numpy().tolist()), ["dense", value.dtype.name]
    return {"holds": held, "shape": list(value.shape), "kind": kind}


def _held(rows):
    """Nested lists; a checksum of long ones that hold no fractions, which are alike to the bit."""
    rounded = _rounded(rows)
    text = json.dumps(rounded)
    return rounded if len(text) < 60 or "." in text else zlib.crc32(text.encode())


def _rounded(value):
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    if isinstance(value, bytes):
        return value.decode()
    return float(f"{value:.5g}") if isinstance(value, float) else value
