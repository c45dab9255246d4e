#!/usr/bin/env bash
# A rewrite with an unknown escape is applied up to the escape, or not at all, depending on `replace_global`.
#
# tensorflow-cpu 2.21.0, `strings.regex_replace`: the rewrites of RE2 know `\0` to `\9` and `\\`. Another escape raises
# nothing and is only logged. With `replace_global=True` each match becomes what the rewrite says before the escape; with
# `replace_global=False` the text comes back as it was.
#
# Output seen: "bab" with "a" replaced by "y\xz" is b"byb" globally, b"bab" once.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/env"
"$folder/env/bin/python" -m pip --disable-pip-version-check --quiet install tensorflow-cpu==2.21.0
TF_CPP_MIN_LOG_LEVEL=3 "$folder/env/bin/python" - <<'PROGRAM'
import tensorflow as tf

everywhere = tf.strings.regex_replace("bab", "a", "y\\xz").numpy()
once = tf.strings.regex_replace("bab", "a", "y\\xz", replace_global=False).numpy()
print("globally:", everywhere, "once:", once)
assert (everywhere, once) == (b"byb", b"bab")
PROGRAM
