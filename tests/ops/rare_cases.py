"""Calls of functions that few programs need, and how they are recorded from tensorflow 2.21.

python tests/ops/rare_cases.py    writes rare_cases.json, with tensorflow installed
"""

import json
import pathlib

RECORD = pathlib.Path(__file__).parent / "rare_cases.json"


def sparse(tf, rows):
    return tf.sparse.from_dense(tf.constant(rows))


def columns(tf):
    return [
        tf.ragged.constant([["x"], ["y", "z"]]),
        sparse(tf, [["a", ""], ["b", "c"]]),
        tf.constant([[5, -7], [8, 9]]),
        sparse(tf, [["d", ""], ["e", "ef"]]),
        tf.constant([["f"], ["g"]]),
    ]


def of_columns(name, *which, **arguments):
    space, function = name.split(".")
    return lambda tf: getattr(getattr(tf, space), function)(
        [columns(tf)[i] for i in which], **arguments
    )


def image(tf):
    return tf.reshape(tf.range(2 * 7 * 9 * 2.0) * 37 % 101, [2, 7, 9, 2])


def pool(kind, ratios, *arguments, dtype="float32"):
    def call(tf):
        return list(
            getattr(tf.nn, f"fractional_{kind}_pool")(tf.cast(image(tf), dtype), ratios, *arguments)
        )

    return call


def slope(kind):
    def call(tf):
        v = image(tf)
        with tf.GradientTape() as tape:
            tape.watch(v)
            function = getattr(tf.nn, f"fractional_{kind}_pool")
            y = function(v, [1.0, 1.5, 1.5, 1.0], True, True, 3)[0]
            z = tf.reduce_sum(y * y)
        return tape.gradient(z, v)

    return call


SEQUENCES = [[3.0, 1.0, 2.0, 2.0, 5.0, 4.0], [1.0, 1.0, 0.0, 3.0, 2.0, 2.0]]


def isotonic(*arguments, dtype="float32"):
    return lambda tf: list(tf.nn.isotonic_regression(tf.cast(SEQUENCES, dtype), *arguments))


def isotonic_slope(tf):
    x = tf.constant(SEQUENCES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.isotonic_regression(x)[0]
        z = tf.reduce_sum(y * y * tf.range(1.0, 7.0))
    return tape.gradient(z, x)


def distance(before, after, **arguments):
    def call(tf):
        return tf.edit_distance(sparse(tf, before), sparse(tf, after), **arguments)

    return call


def gaps(tf):
    before = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], ["a", "b"], [2, 1, 1])
    after = tf.SparseTensor(
        [[0, 1, 0], [1, 0, 0], [1, 0, 3], [1, 1, 0]], ["a", "b", "c", "a"], [2, 2, 4]
    )
    return tf.edit_distance(before, after)


def shuffled(value, seed):
    return lambda tf: tf.random.experimental.stateless_shuffle(value, seed)


WORDS = [list("kitten"), list("sunday"), list("abc###")]
OTHERS = [list("sitting"), list("saturda"), list("#######")]
CASES = {
    "cross": of_columns("ragged.cross", 0, 1, 2, 4),
    "cross of numbers": of_columns("ragged.cross", 2, 0),
    "cross of one": of_columns("ragged.cross", 0),
    "hashes": of_columns("ragged.cross_hashed", 0, 1, 2, 4),
    "hashes in buckets": of_columns("ragged.cross_hashed", 2, 0, 4, num_buckets=50, hash_key=3),
    "sparse cross": of_columns("sparse.cross", 1, 3, 4),
    "sparse cross, dense ones behind": of_columns("sparse.cross", 4, 1, 2, separator="--"),
    "sparse hashes": of_columns("sparse.cross_hashed", 1, 3, 4),
    "sparse hashes in buckets": of_columns("sparse.cross_hashed", 1, 2, 3, num_buckets=1000),
    "distances": distance(WORDS, OTHERS),
    "distances of numbers": distance([[1, 2, 3, 4, 7]], [[1, 3, 4, 5, 9]], normalize=False),
    "distances with gaps": gaps,
    "isotonic": isotonic(),
    "isotonic upwards": isotonic(False),
    "isotonic along columns": isotonic(True, 0),
    "isotonic of integers": isotonic(dtype="int32"),
    "isotonic of halves": isotonic(dtype="float16"),
    "isotonic slopes": isotonic_slope,
    "max pool's slopes": slope("max"),
    "mean pool's slopes": slope("avg"),
    "max pool of integers": pool("max", [1.0, 1.5, 1.5, 1.0], True, True, 3, dtype="int32"),
    "mean pool of integers": pool("avg", [1.0, 1.5, 1.5, 1.0], True, True, 3, dtype="int32"),
    "shuffled": shuffled(list(range(10)), [1, 2]),
    "shuffled rows": shuffled([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]], [3, 4]),
    "shuffled words": shuffled(["a", "b", "c", "d", "e"], [7, 8]),
    "one shuffled": shuffled([4], [1, 2]),
    "a shuffled scalar": shuffled(4, [1, 2]),
}
for kind in ("max", "avg"):
    for pseudo in (False, True):
        for overlapping in (False, True):
            CASES[f"{kind} pool {pseudo} {overlapping}"] = pool(
                kind, [1.0, 1.44, 2.3, 1.0], pseudo, overlapping, 5
            )


def parts(tf, value):
    """The tensors of a result, as lists with their dtypes."""
    if isinstance(value, list):
        return [part for one in value for part in parts(tf, one)]
    if isinstance(value, tf.SparseTensor):
        value = [value.indices, value.values, value.dense_shape]
        return parts(tf, value)
    if isinstance(value, tf.RaggedTensor):
        return parts(tf, [value.values, value.row_splits])
    listed = value.numpy().tolist()
    if value.dtype == tf.string:
        listed = [text.decode() for text in listed]
    return [[value.dtype.name, listed]]


if __name__ == "__main__":
    import tensorflow

    found = {name: parts(tensorflow, case(tensorflow)) for name, case in CASES.items()}
    RECORD.write_text(json.dumps(found) + "\n")
