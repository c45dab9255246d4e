#!/usr/bin/env bash
# Expected counts above 1 for classes that are drawn once at most.
#
# tensorflow-cpu 2.21.0, `random.log_uniform_candidate_sampler(..., unique=True)`: each class is among the candidates
# once or not at all, so how often it is expected is a probability. Where no draw happened to be refused, the count is
# `p * num_sampled` instead of `1 - (1 - p) ** tries`, and class 0, with p = 0.27 of 12 classes, is expected 1.35 times
# among 5 different ones. One refused draw more, and the same call says 0.85.
#
# Output seen: counts of class 0 by seed: 1.351 where five draws gave five classes, at most 0.97 elsewhere.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/env"
"$folder/env/bin/python" -m pip --disable-pip-version-check --quiet install tensorflow-cpu==2.21.0
TF_CPP_MIN_LOG_LEVEL=3 "$folder/env/bin/python" - <<'PROGRAM'
import tensorflow as tf

counts = []
for seed in range(60):
    tf.random.set_seed(seed)
    drawn, true, _ = tf.random.log_uniform_candidate_sampler([[0]], 1, 5, True, 12, seed=1)
    assert len(set(drawn.numpy().tolist())) == 5
    counts.append(round(float(true.numpy()[0, 0]), 3))
print("counts of class 0:", sorted(set(counts)))
assert max(counts) == 1.351, counts
assert max(c for c in counts if c != 1.351) < 1.0, counts
PROGRAM
