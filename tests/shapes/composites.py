"""Conversions between dense, sparse and ragged tensors."""

import numpy as np

from shapes.arrays import case, ints, scalar

X = (2, 3)
SPLITS = np.array([0, 2, 2, 5], np.int64)


def ragged(m, v, s=None):
    """Three rows of five elements."""
    return m.RaggedTensor.from_row_splits(v, SPLITS if s is None else s, validate=False)


case("ragged of constant splits", lambda m, v: ragged(m, v), (5,))
case("ragged of splits", ragged, (5, 2), SPLITS)
case("ragged to_tensor", lambda m, v, s: ragged(m, v, s).to_tensor(), (5,), SPLITS)
case("ragged to_tensor of inner axes", lambda m, v, s: ragged(m, v, s).to_tensor(), (5, 2), SPLITS)
case(
    "ragged to_tensor of a shape",
    lambda m, v, s: ragged(m, v, s).to_tensor(shape=[None, 4]),
    (5,),
    SPLITS,
)
case(
    "ragged to_tensor of a whole shape",
    lambda m, v, s: ragged(m, v, s).to_tensor(shape=[3, 4, 2]),
    (5, 2),
    SPLITS,
)
case("ragged to_sparse", lambda m, v, s: ragged(m, v, s).to_sparse(), (5,), SPLITS)
case("ragged row_lengths", lambda m, v, s: ragged(m, v, s).row_lengths(), (5,), SPLITS)
case("ragged value_rowids", lambda m, v, s: ragged(m, v, s).value_rowids(), (5,), SPLITS)
case("ragged nrows", lambda m, v, s: ragged(m, v, s).nrows(), (5,), SPLITS)
case("ragged row_starts", lambda m, v, s: ragged(m, v, s).row_starts(), (5,), SPLITS)
case("ragged bounding_shape", lambda m, v, s: ragged(m, v, s).bounding_shape(), (5, 2), SPLITS)
case("ragged reduce_sum", lambda m, v, s: m.reduce_sum(ragged(m, v, s), 1), (5, 2), SPLITS)
case("ragged reduce rows", lambda m, v, s: m.reduce_sum(ragged(m, v, s), 0), (5,), SPLITS)
case("ragged add", lambda m, v, s: ragged(m, v, s) + 1.0, (5,), SPLITS)
case("ragged gather", lambda m, v, s, i: m.gather(ragged(m, v, s), i), (5,), SPLITS, ints(0, 2))
case(
    "ragged of rowids",
    lambda m, v, i: m.RaggedTensor.from_value_rowids(v, i, 3).to_tensor(),
    (5,),
    ints(0, 0, 1, 2, 2),
)
case(
    "ragged of lengths", lambda m, v, i: m.RaggedTensor.from_row_lengths(v, i), (5,), ints(1, 2, 2)
)
case("ragged of uniform rows", lambda m, v: m.RaggedTensor.from_uniform_row_length(v, 2), (6, 2))
case("ragged of tensors", lambda m, x: m.RaggedTensor.from_tensor(x), X)
case("ragged of tensors with a padding", lambda m, x: m.RaggedTensor.from_tensor(x, padding=0.0), X)
case(
    "ragged of tensors by lengths",
    lambda m, x, n: m.RaggedTensor.from_tensor(x, lengths=n),
    X,
    ints(1, 2),
)
case("ragged range", lambda m, n: m.ragged.range(n), ints(1, 2))
case("ragged stack", lambda m, x, y: m.ragged.stack([x, y]), (2,), (3,))
case("ragged concat", lambda m, v, s: m.concat([ragged(m, v, s), ragged(m, v, s)], 1), (5,), SPLITS)
case("ragged boolean_mask", lambda m, x, k: m.ragged.boolean_mask(x, k), X, np.ones((2, 3), bool))
case("ragged where", lambda m, v, s: m.where(ragged(m, v, s) > 0.5), (5,), SPLITS)
case("ragged first rows", lambda m, v, s: ragged(m, v, s)[:2], (5,), SPLITS)
case("ragged one row", lambda m, v, s: ragged(m, v, s)[0], (5, 2), SPLITS)
case(
    "ragged map_flat_values",
    lambda m, v, s: m.ragged.map_flat_values(m.abs, ragged(m, v, s)),
    (5,),
    SPLITS,
)
case("ragged row_splits_to_segment_ids", lambda m, s: m.ragged.row_splits_to_segment_ids(s), SPLITS)
case("ragged expand_dims", lambda m, v, s: m.expand_dims(ragged(m, v, s), 1), (5,), SPLITS)
case("ragged tile", lambda m, v, s: m.tile(ragged(m, v, s), [1, 2]), (5,), SPLITS)
case("ragged reverse", lambda m, v, s: m.reverse(ragged(m, v, s), [1]), (5,), SPLITS)


def sparse(m, i, v):
    """Of three rows and four columns."""
    return m.SparseTensor(i, v, [3, 4])


INDICES = np.array([[0, 1], [1, 0], [2, 3]], np.int64)
V = (3,)
case("sparse", sparse, INDICES, V)
case(
    "sparse of a shape",
    lambda m, i, v, s: m.SparseTensor(i, v, s),
    INDICES,
    V,
    np.array([3, 4], np.int64),
)
case("sparse to_dense", lambda m, i, v: m.sparse.to_dense(sparse(m, i, v)), INDICES, V)
case(
    "sparse to_dense of a shape",
    lambda m, i, v, s: m.sparse.to_dense(m.SparseTensor(i, v, s)),
    INDICES,
    V,
    np.array([3, 4], np.int64),
)
case("sparse from_dense", lambda m, x: m.sparse.from_dense(x), X)
case("sparse there and back", lambda m, x: m.sparse.to_dense(m.sparse.from_dense(x)), X)
case("sparse reorder", lambda m, i, v: m.sparse.reorder(sparse(m, i, v)), INDICES, V)
case("sparse transpose", lambda m, i, v: m.sparse.transpose(sparse(m, i, v)), INDICES, V)
case("sparse reshape", lambda m, i, v: m.sparse.reshape(sparse(m, i, v), [4, 3]), INDICES, V)
case("sparse slice", lambda m, i, v: m.sparse.slice(sparse(m, i, v), [0, 0], [2, 2]), INDICES, V)
case("sparse concat", lambda m, i, v: m.sparse.concat(0, [sparse(m, i, v)] * 2), INDICES, V)
case("sparse add", lambda m, i, v: m.sparse.add(sparse(m, i, v), sparse(m, i, v)), INDICES, V)
case(
    "sparse retain",
    lambda m, i, v: m.sparse.retain(sparse(m, i, v), [True, False, True]),
    INDICES,
    V,
)
case("sparse softmax", lambda m, i, v: m.sparse.softmax(sparse(m, i, v)), INDICES, V)
case(
    "sparse maximum", lambda m, i, v: m.sparse.maximum(sparse(m, i, v), sparse(m, i, v)), INDICES, V
)
case("sparse expand_dims", lambda m, i, v: m.sparse.expand_dims(sparse(m, i, v), 0), INDICES, V)
case("sparse split", lambda m, i, v: m.sparse.split(sparse(m, i, v), 2, 1), INDICES, V)
case(
    "sparse reduce_sum",
    lambda m, i, v: (m.sparse.reduce_sum(sparse(m, i, v), 1), m.sparse.reduce_sum(sparse(m, i, v))),
    INDICES,
    V,
)
case(
    "sparse reduce_max kept",
    lambda m, i, v: m.sparse.reduce_max(sparse(m, i, v), 0, True),
    INDICES,
    V,
)
case(
    "sparse fill_empty_rows",
    lambda m, i, v: m.sparse.fill_empty_rows(sparse(m, i, v), 0.0),
    INDICES,
    V,
)
case(
    "sparse reset_shape", lambda m, i, v: m.sparse.reset_shape(sparse(m, i, v), [5, 6]), INDICES, V
)
case(
    "sparse matmul",
    lambda m, i, v, d: m.sparse.sparse_dense_matmul(sparse(m, i, v), d),
    INDICES,
    V,
    (4, 5),
)
case("sparse mask", lambda m, i, v: m.IndexedSlices(v, i[:, 0], [3]).values, INDICES, V)
case("sparse eye", lambda m: m.sparse.eye(3, 4))
case(
    "sparse to_indicator",
    lambda m, i: m.sparse.to_indicator(m.SparseTensor(i, i[:, 0], [3, 4]), 5),
    INDICES,
)
case(
    "sparse bincount",
    lambda m, x: m.sparse.bincount(x, minlength=4, maxlength=4, axis=-1),
    [[1, 2], [0, 1]],
)
case("sparse map_values", lambda m, i, v: m.sparse.map_values(m.abs, sparse(m, i, v)), INDICES, V)
case("sparse times a number", lambda m, i, v: sparse(m, i, v) * 2.0, INDICES, V)
case(
    "slices to a tensor",
    lambda m, v, i: m.convert_to_tensor(m.IndexedSlices(v, i, [5, 4])),
    (2, 4),
    ints(0, 3),
)
case("sets size", lambda m, x: m.sets.size(m.sparse.from_dense(x)), [[1, 2], [0, 1]])
case("sets intersection", lambda m, x, y: m.sets.intersection(x, y), [[1, 2]], [[2, 3]])
case(
    "embedding_lookup_sparse",
    lambda m, t, i: m.nn.embedding_lookup_sparse(t, m.SparseTensor(i, i[:, 0], [3, 4]), None),
    (5, 4),
    INDICES,
)
case(
    "edit distance",
    lambda m, i, v: m.edit_distance(sparse(m, i, v), sparse(m, i, v)),
    INDICES,
    ints(1, 2, 3),
)
case("sparse cross", lambda m, x, y: m.sparse.cross_hashed([x, y], 7), [[1], [2]], [[3], [4]])
case(
    "to_tensor of a rank",
    lambda m, v, s, n: ragged(m, v, s).to_tensor(default_value=n),
    (5,),
    SPLITS,
    scalar(0.0, "float32"),
)
