#!/usr/bin/env bash
# White of 16 bits becomes 65528 of 65535 in gray.
#
# tensorflow-cpu 2.21.0, `image.rgb_to_grayscale`: pictures of integers are scaled to floats, weighted by 0.2989, 0.587 and
# 0.114, whose sum is 0.9999, and scaled back. At 8 bits rounding hides it; at 16 bits white is not white.
#
# Output seen: 255 of 255 for uint8, 65528 of 65535 for uint16.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/env"
"$folder/env/bin/python" -m pip --disable-pip-version-check --quiet install tensorflow-cpu==2.21.0
TF_CPP_MIN_LOG_LEVEL=3 "$folder/env/bin/python" - <<'PROGRAM'
import numpy as np
import tensorflow as tf

found = {}
for dtype in (np.uint8, np.uint16):
    white = np.full((1, 1, 3), np.iinfo(dtype).max, dtype)
    found[dtype.__name__] = int(tf.image.rgb_to_grayscale(white).numpy()[0, 0, 0])
print(found)
assert found == {"uint8": 255, "uint16": 65528}
PROGRAM
