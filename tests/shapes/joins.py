"""Joins, selections and rearrangements of tensors whose shapes are known in part."""

import numpy as np

from shapes.arrays import case, ints, scalar

X, Y = (2, 3, 4), (2, 3, 4)
for axis in (0, 1, -1):
    case(f"concat {axis}", lambda m, x, y, a=axis: m.concat([x, y], a), X, Y)
    case(f"stack {axis}", lambda m, x, y, a=axis: m.stack([x, y], a), X, Y)
    case(f"unstack {axis}", lambda m, x, a=axis: m.unstack(x, [2, 3, 4][a], a), X)
    case(f"split {axis}", lambda m, x, a=axis: m.split(x, [2, 3, 2][a], a), X)
    case(f"expand_dims {axis}", lambda m, x, a=axis: m.expand_dims(x, a), X)
    case(f"reverse {axis}", lambda m, x, a=axis: m.reverse(x, [a]), X)
    case(f"roll {axis}", lambda m, x, a=axis: m.roll(x, 1, a), X)
    case(f"repeat {axis}", lambda m, x, a=axis: m.repeat(x, 2, a), X)
    case(f"cumsum {axis}", lambda m, x, a=axis: m.cumsum(x, a), X)
    case(f"argmax {axis}", lambda m, x, a=axis: m.argmax(x, a), X)
    case(f"sort {axis}", lambda m, x, a=axis: m.sort(x, a), X)
    case(f"gather {axis}", lambda m, x, i, a=axis: m.gather(x, i, axis=a), X, [[0, 1], [1, 0]])
    case(f"gather one {axis}", lambda m, x, i, a=axis: m.gather(x, i, axis=a), X, scalar(1))
    case(
        f"boolean_mask {axis}",
        lambda m, x, k, a=axis: m.boolean_mask(x, k, axis=a),
        X,
        np.ones([2, 3, 4][axis], bool),
    )
    case(
        f"one_hot {axis}",
        lambda m, i, a=axis: m.one_hot(i, 5, axis=a),
        [[0, 1, 2], [3, 4, 0]],
    )
    case(
        f"reduce_sum {axis}", lambda m, x, a=axis: (m.reduce_sum(x, a), m.reduce_max(x, a, True)), X
    )
case("concat of broadcast sizes", lambda m, x, y: m.concat([x, m.zeros([2, 3, 4]), y], 0), X, Y)
case("concat along an argument", lambda m, x, y, a: m.concat([x, y], a), X, Y, scalar(1))
case("concat of one", lambda m, x: m.concat([x], 0), X)
case("concat of vectors", lambda m, x, y: m.concat([x, [1.0], y], 0), (3,), (2,))
case("stack of constants", lambda m, x: m.stack([x, np.zeros((2, 3), np.float32)]), (2, 3))
case("parallel_stack", lambda m, x: m.parallel_stack([x, x]), (2, 3))
case("unstack without num", lambda m, x: m.unstack(x), X)
case("split by sizes", lambda m, x: m.split(x, [1, -1, 1], 2), X)
case("split by an argument", lambda m, x, s: m.split(x, s, 2, num=2), X, ints(1, 3))
case("tile", lambda m, x: m.tile(x, [1, 2, 3]), X)
case("tile by an argument", lambda m, x, n: m.tile(x, n), X, ints(1, 2, 3))
case("tile computed", lambda m, x, n: m.tile(x, [1, n, 3]), X, scalar(2))
case("tile by a shape", lambda m, x, y: m.tile(x, m.shape(y)), (1, 3), (2, 2))
case("expand and tile", lambda m, x: m.tile(x[:, None], [1, 5, 1, 1]), X)
case("repeat each", lambda m, x: m.repeat(x, [1, 2, 3], 1), X)
case("repeat by an argument", lambda m, x, r: m.repeat(x, r, 1), X, ints(1, 2, 3))
case("repeat flat", lambda m, x: m.repeat(x, 2), X)
case("where", lambda m, c, x, y: m.where(c, x, y), np.ones((2, 3, 4), bool), X, Y)
case("where broadcast", lambda m, c, x, y: m.where(c, x, y), np.ones((2, 1, 4), bool), (3, 1), (4,))
case("where with a number", lambda m, c, x: m.where(c, x, 0.0), np.ones((2, 3, 4), bool), X)
case("where alone", lambda m, c: m.where(c), np.ones((2, 3), bool))
case("where of one", lambda m, c, x, y: m.where(c, x, y), np.bool_(True), X, (1, 4))
case(
    "where of rows",
    lambda m, c, x, y: m.compat.v1.where(c, x, y) if hasattr(m, "compat") else m.where(c, x, y),
    np.ones((2, 3, 4), bool),
    X,
    Y,
)
case("add", lambda m, x, y: x + y, (2, 1, 4), (3, 1))
case("add of equal shapes", lambda m, x, y: x + y, X, Y)
case("add a vector", lambda m, x, y: x + y, X, (4,))
case("add a number", lambda m, x: x + 1.0, X)
case("maximum and less", lambda m, x, y: (m.maximum(x, y), x < y), (2, 3), (2, 3))
case("add_n", lambda m, x, y: m.add_n([x, y]), X, Y)
case("clip_by_value", lambda m, x: m.clip_by_value(x, 0.2, 0.4), X)
case("clip_by_value of tensors", lambda m, x, a, b: m.clip_by_value(x, a, b), (2, 3), (3,), (2, 3))
case("clip_by_norm", lambda m, x: m.clip_by_norm(x, 1.0), X)
case("clip_by_global_norm", lambda m, x, y: m.clip_by_global_norm([x, y], 1.0), X, (3,))
case("gather in batches", lambda m, x, i: m.gather(x, i, batch_dims=1), X, [[0, 1], [1, 0]])
case(
    "gather in batches along an axis",
    lambda m, x, i: m.gather(x, i, axis=2, batch_dims=1),
    X,
    [[0, 1, 2], [1, 0, 2]],
)
case(
    "gather along an argument", lambda m, x, i, a: m.gather(x, i, axis=a), X, ints(0, 1), scalar(1)
)
case("gather_nd", lambda m, x, i: m.gather_nd(x, i), X, [[0, 1], [1, 2], [1, 1]])
case("gather_nd whole", lambda m, x, i: m.gather_nd(x, i), X, [[[0, 1, 1]], [[1, 2, 1]]])
case(
    "gather_nd in batches",
    lambda m, x, i: m.gather_nd(x, i, batch_dims=1),
    X,
    [[[0], [1]], [[1], [2]]],
)
case("boolean_mask of two axes", lambda m, x, k: m.boolean_mask(x, k), X, np.ones((2, 3), bool))
case("boolean_mask of all", lambda m, x, k: m.boolean_mask(x, k), (2, 3), np.ones((2, 3), bool))
case(
    "boolean_mask of inner axes",
    lambda m, x, k: m.boolean_mask(x, k, axis=1),
    X,
    np.ones((3, 4), bool),
)
case("index by a mask", lambda m, x: m.boolean_mask(x, x[:, 0, 0] > 0.5), X)
case(
    "dynamic_stitch",
    lambda m, x, y: m.dynamic_stitch([[0, 2], [1]], [x, y]),
    (2, 4),
    (1, 4),
)
case(
    "dynamic_stitch of arguments",
    lambda m, i, j, x, y: m.dynamic_stitch([i, j], [x, y]),
    ints(0, 2),
    ints(1),
    (2, 4),
    (1, 4),
)
case("dynamic_partition", lambda m, x, i: m.dynamic_partition(x, i, 2), X, ints(0, 1))
case("meshgrid", lambda m, x, y: m.meshgrid(x, y), (3,), (2,))
case("meshgrid ij", lambda m, x, y: m.meshgrid(x, y, indexing="ij"), (3,), (2,))
case("squeeze", lambda m, x: m.squeeze(x), (2, 1, 4))
case("squeeze an axis", lambda m, x: m.squeeze(x, 1), (2, 1, 4))
case("squeeze axes", lambda m, x: m.squeeze(x, [0, -1]), (1, 3, 1))
case("transpose", lambda m, x: m.transpose(x), X)
case("transpose by a list", lambda m, x: m.transpose(x, [2, 0, 1]), X)
case("transpose by an argument", lambda m, x, p: m.transpose(x, p), X, ints(2, 0, 1))
case("matrix_transpose", lambda m, x: m.linalg.matrix_transpose(x), X)
case("reverse_sequence", lambda m, x, n: m.reverse_sequence(x, n, 1, 0), X, ints(1, 2))
case("sequence_mask", lambda m, n: m.sequence_mask(n, 5), ints(1, 2))
case("sequence_mask of the longest", lambda m, n: m.sequence_mask(n), ints(1, 2))
case("sequence_mask computed", lambda m, n, k: m.sequence_mask(n, k), ints(1, 2), scalar(4))
case("one_hot computed", lambda m, i, d: m.one_hot(i, d), ints(0, 1), scalar(3))
case("scatter_nd", lambda m, i, u: m.scatter_nd(i, u, [8, 4]), [[0], [3]], (2, 4))
case(
    "scatter_nd into an argument",
    lambda m, i, u, s: m.scatter_nd(i, u, s),
    [[0], [3]],
    (2, 4),
    ints(8, 4),
)
case(
    "scatter_nd computed",
    lambda m, i, u: m.scatter_nd(i, u, [m.shape(u)[0] + 4, 4]),
    [[0], [3]],
    (2, 4),
)
for name in ("add", "sub", "min", "max", "update"):
    case(
        f"tensor_scatter_nd_{name}",
        lambda m, x, i, u, f=name: getattr(m, f"tensor_scatter_nd_{f}")(x, i, u),
        (5, 4),
        [[0], [3]],
        (2, 4),
    )
case("unique", lambda m, x: m.unique(x), ints(1, 2, 1))
case("unique_with_counts", lambda m, x: m.unique_with_counts(x), ints(1, 2, 1))
case(
    "setdiff",
    lambda m, x, y: m.sparse.to_dense(m.sets.difference(x, y)),
    [[1, 2, 3]],
    [[1, 5, 6]],
)
case("argsort", lambda m, x: m.argsort(x), X)
case("argmax default", lambda m, x: m.argmax(x), X)
case("argmin along an argument", lambda m, x, a: m.argmin(x, a), X, scalar(1))
case("reduce all", lambda m, x: (m.reduce_sum(x), m.reduce_mean(x, keepdims=True)), X)
case("reduce two axes", lambda m, x: (m.reduce_sum(x, [0, 2]), m.reduce_sum(x, [-1, 0], True)), X)
case(
    "reduce along an argument",
    lambda m, x, a: (m.reduce_sum(x, a), m.reduce_sum(x, a, True)),
    X,
    ints(1),
)
case(
    "reduce along a scalar",
    lambda m, x, a: (m.reduce_sum(x, a), m.reduce_sum(x, a, True)),
    X,
    scalar(1),
)
case("reduce_std", lambda m, x: (m.math.reduce_std(x, 1), m.math.reduce_variance(x)), X)
case("reduce_logsumexp", lambda m, x: (m.reduce_logsumexp(x, 1), m.reduce_logsumexp(x, 1, True)), X)
case("reduce_euclidean_norm", lambda m, x: m.math.reduce_euclidean_norm(x, [1]), X)
case("count_nonzero", lambda m, x: m.math.count_nonzero(x, 1), X)
case("searchsorted", lambda m, a, v: m.searchsorted(a, v), (3,), (5,))
case("searchsorted in rows", lambda m, a, v: m.searchsorted(a, v), (2, 3), (2, 5))
case("bincount", lambda m, x: m.math.bincount(x), ints(1, 2, 1))
case("bincount bounded", lambda m, x: m.math.bincount(x, minlength=5, maxlength=5), ints(1, 2, 1))
case(
    "bincount in rows",
    lambda m, x: m.math.bincount(x, axis=-1, minlength=4, maxlength=4),
    [[1, 2], [0, 1]],
)
case("histogram_fixed_width", lambda m, x: m.histogram_fixed_width(x, [0.0, 1.0], 7), X)
case("histogram_fixed_width_bins", lambda m, x: m.histogram_fixed_width_bins(x, [0.0, 1.0], 7), X)
case("confusion_matrix", lambda m, x, y: m.math.confusion_matrix(x, y, 4), ints(0, 1), ints(1, 1))
case(
    "confusion_matrix of the largest",
    lambda m, x, y: m.math.confusion_matrix(x, y),
    ints(0, 1),
    ints(1, 1),
)
for name in ("sum", "mean", "max", "min", "prod"):
    case(
        f"segment_{name}",
        lambda m, x, i, f=name: getattr(m.math, f"segment_{f}")(x, i),
        X,
        ints(0, 1),
    )
    case(
        f"unsorted_segment_{name}",
        lambda m, x, i, f=name: getattr(m.math, f"unsorted_segment_{f}")(x, i, 5),
        X,
        ints(0, 1),
    )
    case(
        f"unsorted_segment_{name} computed",
        lambda m, x, i, n, f=name: getattr(m.math, f"unsorted_segment_{f}")(x, i, n),
        X,
        [[0, 1, 1], [0, 1, 1]],
        scalar(3),
    )
case(
    "unsorted_segment_sqrt_n",
    lambda m, x, i: m.math.unsorted_segment_sqrt_n(x, i, 4),
    X,
    ints(0, 1),
)
case(
    "sparse segment_sum",
    lambda m, x, i, s: m.sparse.segment_sum(x, i, s),
    X,
    ints(0, 1, 1),
    ints(0, 0, 1),
)
case(
    "sparse segment_mean of a number",
    lambda m, x, i, s: m.sparse.segment_mean(x, i, s, num_segments=4),
    X,
    ints(0, 1, 1),
    ints(0, 0, 1),
)
case("space_to_depth", lambda m, x: m.nn.space_to_depth(x, 2), (2, 4, 6, 3))
case("depth_to_space", lambda m, x: m.nn.depth_to_space(x, 2), (2, 4, 6, 8))
case("space_to_depth first", lambda m, x: m.nn.space_to_depth(x, 2, "NCHW"), (2, 3, 4, 6))
case("space_to_batch", lambda m, x: m.space_to_batch(x, [2, 3], [[0, 0], [1, 2]]), (2, 4, 6, 3))
case("batch_to_space", lambda m, x: m.batch_to_space(x, [2, 2], [[0, 1], [1, 0]]), (8, 2, 3, 3))
case(
    "space_to_batch by arguments",
    lambda m, x, b, p: m.space_to_batch(x, b, p),
    (2, 4, 6, 3),
    ints(2, 3),
    [[0, 0], [1, 2]],
)
case("ensure_shape", lambda m, x: m.ensure_shape(x, [None, 3, None]), X)
case("bitcast down", lambda m, x: m.bitcast(x, m.uint8), X)
case("bitcast up", lambda m, x: m.bitcast(x, m.complex64), (3, 2))
case("cast", lambda m, x: m.cast(x, m.int32), X)
case("identity_n", lambda m, x, y: m.identity_n([x, y]), X, (3,))
case("shapes", lambda m, x: (m.shape(x), m.rank(x), m.size(x), m.shape_n([x, x])), X)
case("zeros_like", lambda m, x: (m.zeros_like(x), m.ones_like(x), m.fill(m.shape(x), 1)), X)
case("diag_part", lambda m, x: m.linalg.diag_part(x), (2, 3, 4))
case("diag_part of a band", lambda m, x: m.linalg.diag_part(x, k=(-1, 1)), (2, 3, 4))
case("diag_part above", lambda m, x: m.linalg.diag_part(x, k=1), (2, 3, 4))
case("diag", lambda m, x: m.linalg.diag(x), (2, 3))
case("diag above", lambda m, x: m.linalg.diag(x, k=1), (2, 3))
case("diag of a size", lambda m, x: m.linalg.diag(x, num_rows=5), (2, 3))
case("set_diag", lambda m, x, d: m.linalg.set_diag(x, d), (2, 3, 4), (2, 3))
case("tensor_diag", lambda m, x: m.linalg.tensor_diag(x), (2, 3))
case("tensor_diag_part", lambda m, x: m.linalg.tensor_diag_part(x), (2, 3, 2, 3))
case("band_part", lambda m, x: m.linalg.band_part(x, 1, 1), (2, 3, 4))
case("invert_permutation", lambda m, x: m.math.invert_permutation(x), ints(1, 0, 2))
case("cross", lambda m, x, y: m.linalg.cross(x, y), (2, 3), (2, 3))
case("fake_quant", lambda m, x: m.quantization.fake_quant_with_min_max_args(x), X)
case(
    "quantize_and_dequantize",
    lambda m, x: m.quantization.quantize_and_dequantize_v2(x, 0.0, 1.0),
    X,
)
case("quantize", lambda m, x: m.quantization.quantize(x, 0.0, 1.0, m.qint8), X)
case("random_shuffle", lambda m, x: m.random.shuffle(x), X)
case("extremes", lambda m, x: m.math.reduce_any(x > 0.5, [0]), X)
case("polyval", lambda m, x, y: m.math.polyval([x, y], 2.0), X, Y)
case("nextafter", lambda m, x, y: m.math.nextafter(x, y), (2, 1), (3,))
case("complex", lambda m, x, y: m.complex(x, y), (2, 1), (3,))
case("is_finite", lambda m, x: (m.math.is_finite(x), m.math.real(x), m.math.abs(x)), X)
case("betainc", lambda m, a, b, x: m.math.betainc(a, b, x), (2, 3), (2, 3), (2, 3))
case("approx_max_k", lambda m, x: m.math.approx_max_k(x, 2), X)
case("tensordot", lambda m, x, y: m.tensordot(x, y, 1), (2, 3, 4), (4, 5))
case("stop_gradient", lambda m, x: m.stop_gradient(x), X)
case("lbeta", lambda m, x: m.math.lbeta(x), X)
