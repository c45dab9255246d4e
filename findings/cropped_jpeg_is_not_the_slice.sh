#!/usr/bin/env bash
# A crop while decoding a JPEG has other pixels than the slice of the whole picture.
#
# tensorflow-cpu 2.21.0, `image.decode_and_crop_jpeg`: with subsampled colours (4:2:0, what `encode_jpeg` writes) and fancy
# upsampling, the decoder that skips rows and columns has no neighbours beyond the edges of the crop and repeats what it has.
# Pixels at edges differ from `decode_jpeg(...)[y:y+h, x:x+w]`, of which the documentation says that it is equivalent.
#
# Output seen: 28 of 49 crops differ, by up to 36 of 255.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/env"
"$folder/env/bin/python" -m pip --disable-pip-version-check --quiet install tensorflow-cpu==2.21.0
TF_CPP_MIN_LOG_LEVEL=3 "$folder/env/bin/python" - <<'PROGRAM'
import numpy as np
import tensorflow as tf

picture = np.random.RandomState(0).randint(0, 255, (48, 48, 3)).astype(np.uint8)
file = tf.io.encode_jpeg(picture, quality=80)
whole = tf.image.decode_jpeg(file).numpy().astype(int)
worst = []
for y in range(0, 20, 3):
    for x in range(0, 20, 3):
        crop = tf.image.decode_and_crop_jpeg(file, [y, x, 16, 16]).numpy()
        worst.append(int(np.abs(crop - whole[y : y + 16, x : x + 16]).max()))
print(sum(w > 0 for w in worst), "of", len(worst), "crops differ, by up to", max(worst))
assert (sum(w > 0 for w in worst), len(worst), max(worst)) == (28, 49, 36)
PROGRAM
