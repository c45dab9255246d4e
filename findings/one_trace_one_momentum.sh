#!/usr/bin/env bash
# Two variables of one shape share the momentum of a Keras optimizer within one traced function.
#
# tensorflow-cpu 2.21.0 with keras 3.15.1: a variable that is an argument of a `tf.function` is known to the trace by shape
# and dtype, but the optimizer looks up its slots by the identity of the first variable, while tracing. A call with another
# variable runs the same trace: the new values go to that variable, the momentum to the slot of the first one.
#
# Output seen: after the steps a, b, a with gradient 1: b = 0.81 (0.9 with a slot of its own), momentum of b = 0, one trace.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/env"
"$folder/env/bin/python" -m pip --disable-pip-version-check --quiet install tensorflow-cpu==2.21.0 keras==3.15.1
TF_CPP_MIN_LOG_LEVEL=3 "$folder/env/bin/python" - <<'PROGRAM'
import tensorflow as tf

optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
a, b = tf.Variable([1.0]), tf.Variable([1.0])
optimizer.build([a, b])


@tf.function
def step(variable, gradient):
    optimizer.apply_gradients([(gradient, variable)])


for variable in (a, b, a):
    step(variable, tf.constant([1.0]))
momentums = [round(float(m.numpy()[0]), 3) for m in optimizer.momentums]
print("b:", b.numpy(), "momentums:", momentums, "traces:", step.experimental_get_tracing_count())
assert abs(float(b.numpy()[0]) - 0.81) < 1e-6
assert momentums == [-0.271, 0.0]
assert step.experimental_get_tracing_count() == 1
PROGRAM
