#!/usr/bin/env bash
# A Keras model whose `call` is a `tf.function` trains without gradients when `fit` is what builds it.
#
# tensorflow-cpu 2.21.0 with keras 3.15.1: `fit` builds a model by a symbolic pass in which its weights are not variables yet.
# A `tf.function` on `call` is traced in that pass, and `train_step` runs this trace again: the tape sees no variable, every
# gradient is None, and an optimizer reports "No gradients provided for any variable". A model that was called once before
# `fit` has all its gradients.
#
# Output seen: {'fit first': [[False, False], [False, False]], 'call first': [[True, True]]}, whether each gradient is there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/env"
"$folder/env/bin/python" -m pip --disable-pip-version-check --quiet install tensorflow-cpu==2.21.0 keras==3.15.1
KERAS_BACKEND=tensorflow TF_CPP_MIN_LOG_LEVEL=3 "$folder/env/bin/python" - <<'PROGRAM'
import keras
import numpy as np
import tensorflow as tf


class Model(keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(3)
        self.found = []

    @tf.function
    def call(self, x):
        return self.dense(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.found.append([gradient is not None for gradient in gradients])
        return {"loss": loss}


x, y = np.ones((8, 4), np.float32), np.ones((8, 3), np.float32)
found = {}
for order in ("fit first", "call first"):
    model = Model()
    model.compile()
    if order == "call first":
        model(x)
    model.fit(x, y, verbose=0)
    found[order] = model.found
print(found)
assert all(each == [False, False] for each in found["fit first"])
assert all(each == [True, True] for each in found["call first"])
PROGRAM
