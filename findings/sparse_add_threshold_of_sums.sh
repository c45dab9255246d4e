#!/usr/bin/env bash
# The threshold of a sparse sum judges only entries that both hold.
#
# tensorflow-cpu 2.21.0: `tf.sparse.add(a, b, threshold)` is documented to drop entries of the result whose magnitude is
# below the threshold. Entries that only one of the two tensors stores are kept whatever their size; only sums of two
# stored entries are judged. So the result of adding a small entry depends on whether the other tensor stores a zero there.
#
# Output seen: kept [0.1, 0.2] with the threshold 0.5; beside a stored zero 0.1 is dropped
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/env"
"$folder/env/bin/python" -m pip --disable-pip-version-check --quiet install tensorflow-cpu==2.21.0
TF_CPP_MIN_LOG_LEVEL=3 "$folder/env/bin/python" - <<'PROGRAM'
import tensorflow as tf


def sparse(*rows):
    indices, values = zip(*rows)
    return tf.SparseTensor(list(indices), list(values), [2, 2])


one = sparse(([0, 0], 0.1), ([1, 1], 3.0))
other = sparse(([0, 1], 0.2), ([1, 1], -3.0))
kept = tf.sparse.add(one, other, threshold=0.5)
print("kept", [round(float(v), 3) for v in kept.values])
assert kept.indices.numpy().tolist() == [[0, 0], [0, 1]]
zero = sparse(([0, 0], 0.0))
assert tf.sparse.add(one, zero, threshold=0.5).indices.numpy().tolist() == [[1, 1]]
print("beside a stored zero 0.1 is dropped")
PROGRAM
