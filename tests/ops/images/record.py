"""Records what tensorflow gives for the cases: ``python -m images.record`` in tests/ops."""

import json
import pathlib

import numpy as np

FILE = pathlib.Path(__file__).parent / "record.json"


def leaves(value):
    """The arrays in a nest, in order."""
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [np.asarray(value)]


def told(array):
    """An array as JSON: dtype, shape, numbers to six digits."""
    numbers = array.ravel().tolist()
    if array.dtype.kind == "f":
        numbers = [float(f"{x:.6g}") for x in numbers]
    return [array.dtype.name, list(array.shape), numbers]


def main():
    import tensorflow as tf

    from images.cases import CASES

    record = {name: [told(x) for x in leaves(case(tf))] for name, case in CASES.items()}
    lines = [f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in record.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
