"""Writes the checkpoint in ``recorded`` with tensorflow 2.21, and reads one of this package there.

python tests/checkpoints/record.py write recorded     the checkpoint that the tests read
python tests/checkpoints/record.py read PATH          compares what test_interchange.py wrote
"""

import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
DTYPES = ["bool", "string", "bfloat16", "complex64", "complex128"]
DTYPES += [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
DTYPES += [f"float{bits}" for bits in (16, 32, 64)]


def model(tf, fill):
    """A module of every dtype, nested; ``fill`` says whether it has its values or zeros."""

    def variable(values, dtype):
        values = np.asarray(values)
        if not fill:
            values = np.full(values.shape, b"" if dtype == "string" else 0)
        return tf.Variable(tf.cast(values, dtype) if dtype != "string" else values.astype(object))

    root = tf.Module()
    for dtype in DTYPES:
        values = [b"", b"a", b"\xff" * 300] if dtype == "string" else [0, 1, 3]
        setattr(root, dtype, variable(values, dtype))
    root.scalar = variable(7, "int64")
    root.empty = variable(np.zeros((0, 4)), "float32")
    root.layers = [tf.Module(), {"bias": variable(2, "int32"), "a/b.c": variable(3, "int32")}]
    root.layers[0].kernel = variable(np.arange(6).reshape(2, 3), "float32")
    root.slots = (variable(4, "float32"), [variable(5, "float32")])
    root.shared = root.layers[0]
    root.random = tf.random.Generator.from_state(np.array([5, 6, 7] if fill else [0, 0, 0]), 1)
    return root


def contents(tf, root):
    """The values of all variables of a model."""
    names = [*DTYPES, "scalar", "empty"]
    found = {name: getattr(root, name) for name in names}
    found.update(kernel=root.layers[0].kernel, random=root.random.state, slot=root.slots[0])
    found.update(bias=root.layers[1]["bias"], odd=root.layers[1]["a/b.c"], inner=root.slots[1][0])
    return {name: np.asarray(value.numpy()) for name, value in found.items()}


def same(a, b):
    """Whether two dictionaries of arrays are equal."""
    return a.keys() == b.keys() and all(
        a[n].dtype == b[n].dtype and a[n].shape == b[n].shape and (a[n] == b[n]).all() for n in a
    )


if __name__ == "__main__":
    import tensorflow as tf

    filled = model(tf, True)
    if sys.argv[1] == "write":
        tf.train.Checkpoint(model=filled).save(str(HERE / sys.argv[2] / "tensorflow"))
    else:
        other = model(tf, False)
        tf.train.Checkpoint(model=other).restore(sys.argv[2]).assert_consumed()
        assert same(contents(tf, other), contents(tf, filled))
        print("the same")
