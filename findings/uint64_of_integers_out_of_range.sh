#!/usr/bin/env bash
# An integer outside of uint64 becomes a tensor in one way, another number in a second and a SystemError in a third.
#
# tensorflow-cpu 2.21.0: `convert_to_tensor` wraps -1 to 2**64 - 1 but holds 2**64 at 2**64 - 1, where wrapping would give 0.
# `constant` fails on both with a SystemError, "returned a result with an exception set". Below 64 bits both functions
# wrap: -1 becomes 2**32 - 1 and 2**32 becomes 0 in uint32.
#
# Output seen: {'constant -1': 'SystemError', 'convert -1': 18446744073709551615, 'constant 2**64': 'SystemError',
# 'convert 2**64': 18446744073709551615, 'uint32 of -1': 4294967295, 'uint32 of 2**32': 0}
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/env"
"$folder/env/bin/python" -m pip --disable-pip-version-check --quiet install tensorflow-cpu==2.21.0
TF_CPP_MIN_LOG_LEVEL=3 "$folder/env/bin/python" - <<'PROGRAM'
import tensorflow as tf


def outcome(make, value, dtype):
    try:
        return int(make(value, dtype))
    except Exception as error:
        return type(error).__name__


found = {
    "constant -1": outcome(tf.constant, -1, tf.uint64),
    "convert -1": outcome(tf.convert_to_tensor, -1, tf.uint64),
    "constant 2**64": outcome(tf.constant, 2**64, tf.uint64),
    "convert 2**64": outcome(tf.convert_to_tensor, 2**64, tf.uint64),
    "uint32 of -1": outcome(tf.constant, -1, tf.uint32),
    "uint32 of 2**32": outcome(tf.constant, 2**32, tf.uint32),
}
print(found)
assert found == {
    "constant -1": "SystemError",
    "convert -1": 2**64 - 1,
    "constant 2**64": "SystemError",
    "convert 2**64": 2**64 - 1,
    "uint32 of -1": 2**32 - 1,
    "uint32 of 2**32": 0,
}
PROGRAM
