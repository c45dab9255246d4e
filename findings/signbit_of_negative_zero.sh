#!/usr/bin/env bash
# `signbit` of -0.0 is False.
#
# tensorflow-cpu 2.21.0, `experimental.numpy.signbit`: named after NumPy, whose function reads the sign bit, it compares with
# zero. -0.0 has the bit set and is not below zero.
#
# Output seen: [False False True True] where numpy 2 has [True False True True].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/env"
"$folder/env/bin/python" -m pip --disable-pip-version-check --quiet install tensorflow-cpu==2.21.0 numpy==2.2.6
TF_CPP_MIN_LOG_LEVEL=3 "$folder/env/bin/python" - <<'PROGRAM'
import numpy as np
import tensorflow as tf

values = np.float32([-0.0, 0.0, -1.0, -np.inf])
here, there = tf.experimental.numpy.signbit(values).numpy(), np.signbit(values)
print(here, there)
assert here.tolist() == [False, False, True, True]
assert there.tolist() == [True, False, True, True]
PROGRAM
