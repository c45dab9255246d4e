#!/usr/bin/env bash
# The index of the maximum passes over NaN, the maximum does not.
#
# tensorflow-cpu 2.21.0 beside numpy 2.4.6: of [1, NaN, 3] `tf.argmax` is 2, the index of 3, where NumPy's is 1, that of
# the first NaN; `tf.reduce_max` of the same numbers is NaN, so `gather(x, argmax(x))` and `reduce_max(x)` are not the
# same number. Of NaN alone, and of -inf alone, the index is 0.
#
# Output seen: tensorflow 2 nan, numpy 1 nan, of NaN alone 0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/env"
"$folder/env/bin/python" -m pip --disable-pip-version-check --quiet install tensorflow-cpu==2.21.0 numpy==2.4.6
TF_CPP_MIN_LOG_LEVEL=3 "$folder/env/bin/python" - <<'PROGRAM'
import numpy as np
import tensorflow as tf

x = np.array([1.0, np.nan, 3.0], np.float32)
found = int(tf.argmax(x)), float(tf.reduce_max(x)), int(np.argmax(x)), float(np.max(x))
print("tensorflow %d %s, numpy %d %s," % found, "of NaN alone", int(tf.argmax([np.nan, np.nan])))
assert found[0] == 2 and np.isnan(found[1]) and found[2] == 1 and np.isnan(found[3]), found
assert int(tf.argmax([np.nan, np.nan])) == 0 and int(tf.argmax([-np.inf, -np.inf])) == 0
PROGRAM
