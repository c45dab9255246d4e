"""Folders of ``Dataset.save`` that tensorflow 2.21 writes and reads.

python tests/data/saved_folders.py write          records what tensorflow writes, for the tests
python tests/data/saved_folders.py ours PATH      writes the same elements by ferrograph below PATH
python tests/data/saved_folders.py read PATH      reads those by tensorflow, and compares

The last was seen to pass with tensorflow 2.21.0, which read all of them, with the type of the
elements given and without.
"""

import base64
import json
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).with_suffix(".json")
COMPRESSIONS = [None, "GZIP", "SNAPPY"]
DTYPES = ["bool", "float16", "float32", "float64", "bfloat16", "complex64", "complex128"]
DTYPES += [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]

Pair = namedtuple("Pair", ["left", "right"])


def extension_types(tf):
    """Two extension types: values of one are stacked."""

    class Plain(tf.experimental.ExtensionType):
        __name__ = "saved_folders.Plain"
        rows: tf.RaggedTensor
        x: tf.Tensor

    class Batchable(tf.experimental.BatchableExtensionType):
        __name__ = "saved_folders.Batchable"
        rows: tf.RaggedTensor
        x: tf.Tensor

    return Plain, Batchable


def datasets(tf, types):
    """Datasets of every kind of element, by name, and what ``save`` takes for some of them."""
    D, ragged = tf.data.Dataset, tf.ragged.constant
    slices, optional = D.from_tensor_slices, tf.experimental.Optional
    sparse = tf.sparse.from_dense([[1, 0], [0, 2], [3, 3]])
    rows = ragged([[1, 2], [], [3]])
    plain, batchable = types

    def lengths():
        yield from ([1.0], [], [2.0, 3.0])

    signature = tf.TensorSpec([None], tf.float32)
    whole = ragged([[1, 2], [], [3]])
    return {
        "numbers": (D.range(5), {}),
        "gzip": (D.range(5), {"compression": "GZIP"}),
        "snappy": (slices(["x" * 5000, "y", ""]), {"compression": "SNAPPY"}),
        "auto": (D.range(2), {"compression": "AUTO"}),
        "shards": (D.range(7), {"shard_func": lambda x: x % 3 - 1}),
        "dict": (slices({"b": ["x", "yy"], "a": [[1.0], [2.0]]}), {}),
        "tuples": (slices(([1, 2], ([3, 4], [True, False]))), {}),
        "named": (slices(Pair([1, 2], {"n": ["p", "q"]})), {}),
        "strings": (D.from_tensors(tf.constant([["a", ""], ["x" * 200, "z"]])), {}),
        "dtypes": (D.from_tensors({d: tf.cast([0, 1, 1], d) for d in DTYPES}), {}),
        "lengths": (D.from_generator(lengths, output_signature=signature), {}),
        "empty": (D.range(0), {}),
        "none": (D.from_tensors((1, None)).repeat(2), {}),
        "ragged rows": (slices(rows), {}),
        "ragged batches": (slices(rows).batch(2), {}),
        "ragged squares": (slices(ragged([[1], [2, 3], [], [4]])).batch(2).batch(2), {}),
        "ragged": (D.from_tensors(whole), {}),
        "ragged deep": (slices(ragged([[["a"], []], [["b", "c"]], []])).batch(3), {}),
        "ragged blocks": (D.from_tensors(ragged([[[1, 2]], [], [[3, 4]]], ragged_rank=1)), {}),
        "ragged int32": (D.from_tensors(ragged([[1], []], row_splits_dtype=tf.int32)), {}),
        "sparse rows": (slices(sparse), {}),
        "sparse batches": (slices(sparse).batch(2), {}),
        "optional": (D.from_tensors(optional.from_value((whole, 5))), {}),
        "no value": (D.from_tensors(optional.empty(tf.TensorSpec([], tf.int32))), {}),
        "extension": (D.from_tensors(plain(rows=whole, x=[1.0])), {}),
        "batchable": (D.from_tensors(batchable(rows=whole, x=[1.0])), {}),
    }


def plain(tf, value):
    """A value as text."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {plain(tf, value[k])}" for k in sorted(value)) + "}"
    if isinstance(value, tuple):
        return f"{type(value).__name__}({', '.join(plain(tf, v) for v in value)})"
    if value is None:
        return "None"
    if isinstance(value, tf.RaggedTensor):
        return f"ragged {value.row_splits.dtype.name} {value.to_list()}"
    if isinstance(value, tf.SparseTensor):
        return "sparse " + plain(tf, (value.indices, value.values, value.dense_shape))
    if isinstance(value, tf.experimental.Optional):
        return "some " + plain(tf, value.get_value()) if bool(value.has_value()) else "nothing"
    if isinstance(value, tf.experimental.ExtensionType):
        return f"{value.__name__} {plain(tf, value.rows)} {plain(tf, value.x)}"
    array = value.numpy()
    if value.dtype == tf.bfloat16:
        array = np.asarray(array, np.float32)
    return f"{value.dtype.name} {array.tolist() if hasattr(array, 'tolist') else array}"


def spec_text(spec):
    """A type of elements as text."""
    if isinstance(spec, dict):
        return "{" + ", ".join(f"{k}: {spec_text(spec[k])}" for k in sorted(spec)) + "}"
    if isinstance(spec, tuple):
        return f"{type(spec).__name__}({', '.join(map(spec_text, spec))})"
    return repr(spec)


def elements(tf, dataset):
    """All elements as texts, in an order that does not depend on that of shards."""
    return sorted(plain(tf, value) for value in dataset)


def files_in(folder):
    """The contents of all files below a folder, by their paths."""
    paths = sorted(p for p in Path(folder).rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in paths}


def with_checkpoints(tf, folder):
    """A dataset that was saved with checkpoints: each begins another file of its shard."""
    with tempfile.TemporaryDirectory() as checkpoints:
        counter = tf.Variable(0, dtype=tf.int64)
        args = {"directory": checkpoints, "max_to_keep": 1, "checkpoint_interval": 2}
        args["step_counter"] = counter
        tf.data.Dataset.range(5).save(folder, checkpoint_args=args)


def record(tf):
    """What tensorflow writes, and reads again."""
    types, found = extension_types(tf), {}
    for name, (dataset, options) in datasets(tf, types).items():
        with tempfile.TemporaryDirectory() as folder:
            dataset.save(folder, **options)
            found[name] = described(tf, folder, options.get("compression"))
    with tempfile.TemporaryDirectory() as folder:
        with_checkpoints(tf, folder)
        # Tensorflow 2.21.0 itself fails at the second file: "Expected 1 components but got 0".
        found["checkpoints"] = {**found["numbers"], "files": encoded(folder)}
    RECORDED.write_text(json.dumps({"tensorflow": tf.__version__, "folders": found}, indent=1))


def encoded(folder):
    """The files of a folder as text."""
    return {k: base64.b64encode(v).decode() for k, v in files_in(folder).items()}


def described(tf, folder, compression):
    """The files of a folder, and what is read there."""
    loaded = tf.data.Dataset.load(folder, compression=compression)
    return {
        "files": encoded(folder),
        "compression": compression,
        "spec": spec_text(loaded.element_spec),
        "elements": elements(tf, loaded),
    }


def folder_of(path, name, compression):
    """The folder of a dataset that ferrograph writes."""
    return str(Path(path, f"{name} {compression}"))


def write_ours(fg, path):
    """Writes each dataset with each compression."""
    types = extension_types(fg)
    for compression in COMPRESSIONS:
        for name, (dataset, options) in datasets(fg, types).items():
            dataset.save(folder_of(path, name, compression), compression, options.get("shard_func"))


def read_ours(tf, path):
    """Reads what ferrograph wrote; how many folders were the same."""
    known = json.loads(RECORDED.read_text())["folders"]
    types, n_read = extension_types(tf), 0
    for compression in COMPRESSIONS:
        for name, (dataset, _) in datasets(tf, types).items():
            folder = folder_of(path, name, compression)
            for spec in (None, dataset.element_spec):
                loaded = tf.data.Dataset.load(folder, spec, compression)
                expected = known[name]
                assert elements(tf, loaded) == expected["elements"], (name, compression)
                assert spec_text(loaded.element_spec) == expected["spec"], (name, compression)
                assert int(loaded.cardinality()) == len(expected["elements"])
                n_read += 1
    return n_read


if __name__ == "__main__":
    if sys.argv[1] == "ours":
        import ferrograph

        write_ours(ferrograph, sys.argv[2])
    else:
        import tensorflow

        if sys.argv[1] == "write":
            record(tensorflow)
        else:
            print(read_ours(tensorflow, sys.argv[2]), "folders read")
