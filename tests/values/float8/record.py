"""Record how floats of one byte are cast and which calls take them: run it with tensorflow.

Where tensorflow has no casts of a dtype, what its NumPy type does is recorded, but of float64,
which that rounds twice below its normal numbers.
"""

import json
import pathlib

import numpy as np

from .cases import NAMES, SOURCES, TARGETS, TENSORFLOW, bytes_of, calls, numbers, whole

HERE = pathlib.Path(__file__).parent


def cast(tf, array, name):
    """The bytes of the array cast to a dtype, as hexadecimal digits."""
    dtype = getattr(tf.dtypes.experimental, name, None) or getattr(tf, name)
    if name in NAMES and name not in TENSORFLOW:
        with np.errstate(all="ignore"):
            return array.astype(dtype.as_numpy_dtype).tobytes().hex()
    return tf.cast(tf.constant(array), dtype).numpy().tobytes().hex()


def casts(tf, name):
    """The casts from each source and to each target."""
    own = getattr(tf.dtypes.experimental, name).as_numpy_dtype
    found = {}
    for source in SOURCES if name in TENSORFLOW else SOURCES[:-1]:
        with np.errstate(all="ignore"):
            array = numbers(own).astype(getattr(tf, source).as_numpy_dtype)
        found[f"from {source}"] = cast(tf, array, name)
    if name in TENSORFLOW:
        for target in TARGETS:
            found[f"to {target}"] = cast(tf, whole(bytes_of(own), target), target)
    return found


def outcome(call):
    """``"runs"``, or the class of the refusal."""
    try:
        call()
    except Exception as e:
        return type(e).__name__
    return "runs"


def answers(tf, name):
    """The outcome of each call."""
    own = getattr(tf.dtypes.experimental, name).as_numpy_dtype
    x = tf.constant(np.array([[1, 2, -3], [0.5, -0.0, 4]], own))
    return {key: outcome(call) for key, call in calls(tf, x, x[0]).items()}


def main():
    """Write the file."""
    import tensorflow as tf

    found = {
        "casts": {name: casts(tf, name) for name in NAMES},
        "calls": {name: answers(tf, name) for name in TENSORFLOW},
    }
    lines = json.dumps(found, indent=1)
    (HERE / "recorded.json").write_text(lines + "\n")


if __name__ == "__main__":
    main()
