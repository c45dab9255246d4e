"""Calls that index, move, count, write text, and work on sparse tensors and sets."""

from .edges import FLOATS, INF, INTS, NAN, few
from .forms import CASES, MATRIX, call, named

__all__ = ["CASES"]

CUBE = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [[9.0, 1.0], [2.0, 3.0]]]
MANY = ("float16", "bfloat16", "float32", "float64", "int8", "uint8", "int32", "int64", "uint32")

for axis in (-1, 0, 1):
    for d in ("float32", "int32", "bool", "complex64"):
        call(
            f"one_hot along {axis} {d}",
            lambda m, a=axis, d=d: m.one_hot([0, -1, 2, 3], 3, axis=a, dtype=m.as_dtype(d)),
        )
call("one_hot of values", lambda m: m.one_hot([1, 5], 2, on_value=7.0, off_value=-1.0))
call("one_hot of no depth", lambda m: m.one_hot([1, 5], 0))
call("one_hot of negative depth", lambda m: m.one_hot([1, 5], -1))
INDICES = {"plain": [1, 0], "repeated": [1, 1, 1], "matrix": [[0], [1]], "none": []}
for name, indices in INDICES.items():
    for axis in (0, 1, -1):
        for d in ("float32", "string"):
            call(
                f"gather {name} {axis} {d}",
                lambda m, i=indices, a=axis, d=d: m.gather(
                    m.constant(MATRIX)
                    if d == "float32"
                    else m.constant([["a", "b", "c"], ["d", "e", "f"]]),
                    m.constant(i, m.int32),
                    axis=a,
                ),
            )
for bad in (-1, 2, 2**31 - 1):
    call(f"gather outside {bad}", lambda m, b=bad: m.gather(m.constant(MATRIX), [0, b]))
call("gather by batches", lambda m: m.gather(m.constant(CUBE), [[0], [1], [0]], batch_dims=1))
ND = {"rows": [[0], [2]], "elements": [[0, 1, 0], [2, 1, 1]], "all": [], "none": [[]]}
for name, indices in ND.items():
    call(
        f"gather_nd {name}",
        lambda m, i=indices: m.gather_nd(m.constant(CUBE), m.constant(i, m.int32)),
    )
call("gather_nd outside", lambda m: m.gather_nd(m.constant(CUBE), [[3]]))
for d in (*FLOATS, "int32", "int64", "uint8", "complex64", "bool"):
    call(
        f"scatter_nd {d}",
        lambda m, d=d: m.scatter_nd(
            [[1], [3], [1]],
            m.cast(m.constant([1.0, 2.0, 3.0]), m.as_dtype(d)),
            [5],
        ),
    )
call("scatter_nd outside", lambda m: m.scatter_nd([[5]], [1.0], [5]))
call("scatter_nd of negative", lambda m: m.scatter_nd([[-1]], [1.0], [5]))

MODES = ("CONSTANT", "REFLECT", "SYMMETRIC")
for mode in MODES:
    for d in ("float32", "int8", "bool", "string", "complex64"):
        for pads in ([[1, 2], [0, 1]], [[0, 0], [0, 0]], [[2, 0], [0, 3]]):
            call(
                f"pad {mode} {pads} {d}",
                lambda m, w=mode, p=pads, d=d: m.pad(
                    m.as_string(m.constant([[1, 2, 3], [4, 5, 6]]))
                    if d == "string"
                    else m.cast(m.constant([[1, 2, 3], [4, 5, 6]]), m.as_dtype(d)),
                    p,
                    w,
                ),
            )
call("pad of negative", lambda m: m.pad([1.0, 2.0], [[-1, 0]]))
MOVED = {
    "roll by one": lambda m, x: m.roll(x, 1, 0),
    "roll back": lambda m, x: m.roll(x, [-1, 7], [0, 1]),
    "roll twice on one axis": lambda m, x: m.roll(x, [1, 1], [1, 1]),
    "reverse rows": lambda m, x: m.reverse(x, [0]),
    "reverse both": lambda m, x: m.reverse(x, [0, -1]),
    "reverse twice": lambda m, x: m.reverse(x, [0, -2]),
    "tile": lambda m, x: m.tile(x, [2, 0]),
    "tile up": lambda m, x: m.tile(x, [1, 3]),
    "repeat elements": lambda m, x: m.repeat(x, 2),
    "repeat rows": lambda m, x: m.repeat(x, [0, 2], axis=0),
    "transpose": lambda m, x: m.transpose(x),
    "transpose by": lambda m, x: m.transpose(x, [1, 0]),
    "transpose by one axis twice": lambda m, x: m.transpose(x, [0, 0]),
    "expand_dims": lambda m, x: m.expand_dims(x, -1),
    "expand_dims outside": lambda m, x: m.expand_dims(x, 4),
    "squeeze": lambda m, x: m.squeeze(x[:1]),
    "squeeze what is wide": lambda m, x: m.squeeze(x, [0]),
    "reshape": lambda m, x: m.reshape(x, [-1, 2]),
    "reshape of two unknown": lambda m, x: m.reshape(x, [-1, -1]),
    "reshape that does not fit": lambda m, x: m.reshape(x, [4]),
    "broadcast": lambda m, x: m.broadcast_to(x, [2, 2, 3]),
    "broadcast down": lambda m, x: m.broadcast_to(x, [3]),
    "slice": lambda m, x: m.slice(x, [0, 1], [-1, 2]),
    "slice outside": lambda m, x: m.slice(x, [0, 1], [1, 3]),
    "slice of nothing": lambda m, x: m.slice(x, [2, 0], [0, 3]),
    "step back": lambda m, x: x[::-1, ::-2],
    "step past the end": lambda m, x: x[5:, :100],
    "new axes": lambda m, x: x[..., None, 1:, None],
    "unstack": lambda m, x: m.unstack(x, axis=1),
    "split": lambda m, x: m.split(x, [1, 0, 2], axis=1),
    "split with the rest": lambda m, x: m.split(x, [1, -1], axis=1),
    "split unevenly": lambda m, x: m.split(x, 2, axis=1),
    "concat with nothing": lambda m, x: m.concat([x, x[:0]], 0),
    "stack along the end": lambda m, x: m.stack([x, x], -1),
    "boolean_mask": lambda m, x: m.boolean_mask(x, [[True, False, True], [False, False, True]]),
    "boolean_mask of rows": lambda m, x: m.boolean_mask(x, [False, True]),
    "where": lambda m, x: m.where(m.not_equal(x, x[0, 0])),
    "sequence reversed": lambda m, x: m.reverse_sequence(x, [2, 3], seq_axis=1, batch_axis=0),
    "partition": lambda m, x: m.dynamic_partition(x, [1, 0], 3),
    "stitch": lambda m, x: m.dynamic_stitch([[2, 0], [1, 2]], [x, x]),
    "space_to_depth": lambda m, x: m.nn.space_to_depth(m.reshape(x, [1, 1, 2, 3])[:, :, :, :2], 1),
}
for name, function in MOVED.items():
    for d in ("float32", "int64", "string"):
        call(
            f"{name} {d}",
            lambda m, f=function, d=d: f(
                m,
                m.constant([["a", "", "cd"], ["é", "e", "f"]])
                if d == "string"
                else m.cast(m.constant(MATRIX), m.as_dtype(d)),
            ),
        )

DIAGONALS = {
    "diag": lambda m, x: m.linalg.diag(x),
    "diag above": lambda m, x: m.linalg.diag(x, k=1),
    "diag padded": lambda m, x: m.linalg.diag(x[0], num_rows=2, num_cols=4, padding_value=9),
    "diag_part": lambda m, x: m.linalg.diag_part(x),
    "diag_part below": lambda m, x: m.linalg.diag_part(x, k=-1),
    "diag_part of a band": lambda m, x: m.linalg.diag_part(x, k=(-1, 1)),
    "set_diag": lambda m, x: m.linalg.set_diag(x, x[:, 0]),
    "band_part": lambda m, x: m.linalg.band_part(x, 0, 1),
    "band_part of all below": lambda m, x: m.linalg.band_part(x, -1, 0),
    "trace": lambda m, x: m.linalg.trace(x),
    "cross": lambda m, x: m.linalg.cross(x, x[::-1]),
    "adjoint": lambda m, x: m.linalg.adjoint(x),
    "tensor_diag": lambda m, x: m.linalg.tensor_diag(x[0]),
    "eye": lambda m, x: m.eye(2, 3, batch_shape=[2], dtype=x.dtype),
}
for name, function in DIAGONALS.items():
    for d in ("float32", "int32", "complex64"):
        call(
            f"linalg {name} {d}",
            lambda m, f=function, d=d: f(m, m.cast(m.constant(MATRIX), m.as_dtype(d))),
        )

COUNTED = {
    "meshgrid": lambda m: m.meshgrid([1.0, 2.0], [3.0, 4.0, 5.0]),
    "meshgrid by ij": lambda m: m.meshgrid([1, 2], [3, 4, 5], indexing="ij"),
    "unravel_index of negative": lambda m: m.unravel_index([-1], [3, 4]),
    "in_top_k of other classes": lambda m: m.math.in_top_k([-1, 2], [[1.0, 2.0], [3.0, 4.0]], 1),
    "in_top_k of infinity": lambda m: m.math.in_top_k([0, 1], [[1.0, 2.0], [3.0, INF]], 2),
    "einsum of one size": lambda m: m.einsum("i,i->i", m.ones([2]), m.ones([1])),
    "einsum of dots": lambda m: m.einsum("...,...->...", m.ones([2]), m.ones([1])),
    "einsum of a diagonal": lambda m: m.einsum("aii->a", m.ones([2, 3, 3])),
    "linspace": lambda m: m.linspace(1.0, 2.0, 5),
    "linspace of one": lambda m: m.linspace(1.0, 2.0, 1),
    "linspace of none": lambda m: m.linspace(1.0, 2.0, 0),
    "linspace of a point": lambda m: m.linspace(3.0, 3.0, 3),
    "linspace of vectors": lambda m: m.linspace([0.0, 1.0], [1.0, 3.0], 3, axis=-1),
    "linspace in halves": lambda m: m.linspace(m.constant(0.0, m.float16), 1.0, 4),
    "range": lambda m: m.range(5),
    "range down": lambda m: m.range(5, 0, -2),
    "range by fractions": lambda m: m.range(0.0, 1.0, 0.1),
    "range of nothing": lambda m: m.range(3, 3),
    "range the wrong way": lambda m: m.range(3, 0),
    "range without a step": lambda m: m.range(0, 3, 0),
    "range of int64": lambda m: m.range(2**40, 2**40 + 3, dtype=m.int64),
    "range of mixed": lambda m: m.range(1, 2.5, 0.5),
    "sequence_mask": lambda m: m.sequence_mask([1, 0, 5], 3),
    "sequence_mask of itself": lambda m: m.sequence_mask([[1, 2], [0, 3]]),
    "unravel_index": lambda m: m.unravel_index([5, 0, 11], [3, 4]),
    "unravel_index outside": lambda m: m.unravel_index([12], [3, 4]),
    "invert_permutation": lambda m: m.math.invert_permutation([2, 0, 1]),
    "invert_permutation of none": lambda m: m.math.invert_permutation([0, 0, 1]),
    "broadcast_static_shape": lambda m: m.broadcast_dynamic_shape([2, 1], [3]),
    "broadcast of shapes that do not fit": lambda m: m.broadcast_dynamic_shape([2], [3]),
    "confusion_matrix": lambda m: m.math.confusion_matrix([0, 1, 2, 2], [0, 2, 2, 2]),
    "confusion_matrix weighted": lambda m: m.math.confusion_matrix(
        [0, 1], [1, 1], num_classes=3, weights=[0.5, 2.0], dtype=m.float32
    ),
    "confusion_matrix outside": lambda m: m.math.confusion_matrix([0, 5], [1, 1], num_classes=3),
    "in_top_k": lambda m: m.math.in_top_k([1, 0, 2], [[0.1, 0.9], [NAN, 1.0], [0.3, 0.3]], 1),
    "lbeta": lambda m: m.math.lbeta([[1.0, 2.0], [0.5, 0.5]]),
    "lbeta of nothing": lambda m: m.math.lbeta(m.zeros([2, 0])),
    "polyval": lambda m: m.math.polyval([1.0, 2.0, 3.0], m.constant([0.0, -1.0, INF])),
    "is_non_decreasing": lambda m: m.math.is_non_decreasing([1.0, 1.0, NAN]),
    "is_strictly_increasing": lambda m: m.math.is_strictly_increasing(m.constant([1, 2, 2])),
    "accumulate_n": lambda m: m.math.accumulate_n([m.constant(MATRIX)] * 3),
    "add_n of ints": lambda m: m.add_n([m.constant([2**31 - 1]), m.constant([1])]),
    "sufficient_statistics": lambda m: m.nn.sufficient_statistics(m.constant(MATRIX), [0])[:3],
    "weighted_moments": lambda m: m.nn.weighted_moments(m.constant(MATRIX), [1], [[1.0, 0.0, 2.0]]),
    "batch_normalization": lambda m: m.nn.batch_normalization(
        m.constant(MATRIX), 1.0, 4.0, 0.5, 2.0, 1e-3
    ),
    "local_response_normalization": lambda m: m.nn.local_response_normalization(
        m.reshape(m.constant(MATRIX), [1, 1, 2, 3]), 1
    ),
    "crelu": lambda m: m.nn.crelu(m.constant(MATRIX)),
    "bias_add": lambda m: m.nn.bias_add(m.constant(MATRIX), [1.0, 2.0, 3.0]),
    "clip_by_norm of zeros": lambda m: m.clip_by_norm(m.zeros([3]), 1.0),
    "clip_by_norm": lambda m: m.clip_by_norm(m.constant(MATRIX), 2.0, axes=[1]),
    "clip_by_global_norm": lambda m: m.clip_by_global_norm([m.constant(MATRIX)], 1.0)[0],
    "clip_by_global_norm of infinity": lambda m: m.clip_by_global_norm([m.constant([INF])], 1.0)[0],
    "normalize": lambda m: m.linalg.normalize(m.constant(MATRIX), axis=1)[0],
    "bitcast down": lambda m: m.bitcast(m.constant([1.0, -0.0]), m.uint8),
    "bitcast up": lambda m: m.bitcast(m.constant([[1, 2], [3, 4]]), m.int64),
    "bitcast that does not fit": lambda m: m.bitcast(m.constant([[1, 2, 3]]), m.int64),
    "complex parts": lambda m: [m.math.imag(m.constant([1 + 2j])), m.math.conj([1 + 2j])],
    "depth_to_space": lambda m: m.nn.depth_to_space(m.reshape(m.range(8.0), [1, 1, 2, 4]), 2),
    "space_to_batch": lambda m: m.space_to_batch(
        m.reshape(m.range(8.0), [1, 2, 4, 1]), [2, 2], [[0, 0], [0, 0]]
    ),
    "batch_to_space": lambda m: m.batch_to_space(
        m.reshape(m.range(8.0), [4, 1, 2, 1]), [2, 2], [[0, 0], [0, 1]]
    ),
}
for name, function in COUNTED.items():
    call(name, function)
for name, options in {
    "plain": {},
    "exclusive": {"exclusive": True},
    "reverse": {"reverse": True},
    "both": {"exclusive": True, "reverse": True},
    "along rows": {"axis": 1},
}.items():
    for path in ("cumsum", "math.cumprod"):
        for d in MANY:
            if not d.startswith("u"):
                call(
                    f"{path} of a matrix {name} {d}",
                    lambda m, p=path, o=options, d=d: named(m, p)(
                        m.cast(m.constant(MATRIX), m.as_dtype(d)), **o
                    ),
                )

TEXTS = ["", "a", "Straße ÀÉ", "日本語", "\x00b", "A-b_C"]
PRINTED = [0.0, -0.0, 1.0, 0.1, 1e10, 1e-5, 123456789.0, INF, -INF, NAN]
for d in ("float16", "bfloat16", "float32", "float64"):
    values = PRINTED if d in ("float32", "float64") else PRINTED[:4] + PRINTED[7:]
    for options in ({}, {"precision": 3}, {"scientific": True}, {"shortest": True}, {"width": 12}):
        call(
            f"as_string {options} {d}",
            lambda m, v=values, o=options, d=d: m.as_string(m.constant(v, d), **o),
        )
for d in (*INTS, "bool"):
    call(
        f"as_string {d}",
        lambda m, d=d: m.as_string(m.constant([True, False] if d == "bool" else few(d), d)),
    )
WRITTEN = {
    "upper": lambda m, x: m.strings.upper(x),
    "lower": lambda m, x: m.strings.lower(x),
    "upper utf-8": lambda m, x: m.strings.upper(x[:4], encoding="utf-8"),
    "lower utf-8": lambda m, x: m.strings.lower(x[:4], encoding="utf-8"),
    "length": lambda m, x: m.strings.length(x),
    "length in characters": lambda m, x: m.strings.length(x, unit="UTF8_CHAR"),
    "substr": lambda m, x: m.strings.substr(x, 0, 3),
    "substr of negative": lambda m, x: m.strings.substr(x[1:], -1, 1),
    "substr in characters": lambda m, x: m.strings.substr(x[2:4], 1, 2, unit="UTF8_CHAR"),
    "substr outside": lambda m, x: m.strings.substr(x, 20, 1),
    "full match": lambda m, x: m.strings.regex_full_match(x, "[A-Za-z]*"),
    "join": lambda m, x: m.strings.join([x, "-", x]),
    "reduce_join": lambda m, x: m.strings.reduce_join(x, separator=","),
    "equal": lambda m, x: m.equal(x, x[::-1]),
    "sum": lambda m, x: x + "!",
    "unique": lambda m, x: m.unique(m.concat([x, x], 0)),
    "format": lambda m, x: m.strings.format("{} and {}", (x, m.constant([1.5, 2.0]))),
}
for name, function in WRITTEN.items():
    call(f"strings {name}", lambda m, f=function: f(m, m.constant(TEXTS)))


def sparse(m, d="float32"):
    return m.SparseTensor([[0, 1], [1, 0], [1, 2]], m.cast([1.0, 2.0, 3.0], m.as_dtype(d)), [2, 3])


SPARSE = {
    "to_dense": lambda m, s: m.sparse.to_dense(s, 9),
    "reorder": lambda m, s: (
        m.sparse.reorder(m.SparseTensor(s.indices[::-1], s.values, [2, 3])).values
    ),
    "slice": lambda m, s: m.sparse.to_dense(m.sparse.slice(s, [0, 1], [2, 2])),
    "reshape": lambda m, s: m.sparse.to_dense(m.sparse.reshape(s, [3, -1])),
    "transpose": lambda m, s: m.sparse.to_dense(m.sparse.transpose(s)),
    "retain": lambda m, s: m.sparse.retain(s, [True, False, True]).indices,
    "reduce_sum": lambda m, s: m.sparse.reduce_sum(s, 1),
    "reduce_max": lambda m, s: m.sparse.reduce_max(s, 0),
    "expand_dims": lambda m, s: m.sparse.to_dense(m.sparse.expand_dims(s, 0)),
    "concat": lambda m, s: m.sparse.to_dense(m.sparse.concat(1, [s, s])),
    "add": lambda m, s: m.sparse.to_dense(m.sparse.add(s, s)),
    "maximum": lambda m, s: m.sparse.to_dense(m.sparse.maximum(s, m.sparse.transpose(s, [0, 1]))),
    "fill_empty_rows": lambda m, s: m.sparse.fill_empty_rows(
        m.SparseTensor([[1, 0]], s.values[:1], [3, 2]), m.cast(7, s.dtype)
    )[1],
}
for name, function in SPARSE.items():
    for d in ("float32", "int32"):
        call(f"sparse {name} {d}", lambda m, f=function, d=d: f(m, sparse(m, d)))
call(
    "sparse product", lambda m: m.sparse.sparse_dense_matmul(sparse(m), m.constant(CUBE[0] * 2)[:3])
)
call(
    "sparse of places outside", lambda m: m.sparse.to_dense(m.SparseTensor([[5, 0]], [1.0], [2, 3]))
)
SETS = ("intersection", "union", "difference")
for way in SETS:
    for d in ("int32", "int64", "uint8"):
        call(
            f"sets.{way} {d}",
            lambda m, w=way, d=d: m.sparse.to_dense(
                named(m.sets, w)(
                    m.cast(m.constant([[1, 2, 2], [3, 4, 5]]), m.as_dtype(d)),
                    m.cast(m.constant([[2, 7], [5, 3]]), m.as_dtype(d)),
                ),
            ),
        )
