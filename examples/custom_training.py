# %% [markdown]
# # A training loop and a layer of one's own
#
# Two spirals are told apart by a network with a layer that Keras does not have, trained by a loop
# that is written out: a tape, an optimizer, metrics, a whole epoch in one traced function.
#
#     python examples/custom_training.py

# %%
# Keras has no types, so that what its classes have is unknown to a checker.
# pyright: reportUnknownMemberType=false
import os
from pathlib import Path
from typing import Any

import ferrograph as tf
import numpy as np
from pictures import Picture, enlarged

keras = tf.keras

SEED = 0
N_POINTS = int(os.environ.get("EXAMPLE_POINTS", 1000))
EPOCHS = int(os.environ.get("EXAMPLE_EPOCHS", 60))
REQUIRED_ACCURACY = float(os.environ.get("EXAMPLE_ACCURACY", 0.97))

keras.utils.set_random_seed(SEED)
rng = np.random.default_rng(SEED)

# %% [markdown]
# ## The data

# %%
labels = rng.integers(2, size=N_POINTS)
turn = rng.uniform(0.3, 1, size=N_POINTS)
angle = 3 * np.pi * turn + np.pi * labels
points = np.stack([turn * np.cos(angle), turn * np.sin(angle)], axis=-1)
points = (points + rng.normal(scale=0.02, size=points.shape)).astype("float32")
n_train = N_POINTS * 4 // 5
train = tf.data.Dataset.from_tensor_slices((points[:n_train], labels[:n_train]))
train = train.shuffle(n_train, seed=SEED).batch(50)
held_out = tf.data.Dataset.from_tensor_slices((points[n_train:], labels[n_train:])).batch(50)

# %% [markdown]
# ## The layer
# Half of a product decides how much of the other half goes on. A second loss keeps most gates
# closed.


# %%
@keras.saving.register_keras_serializable("examples")
class Gated(keras.layers.Layer):
    """`(x @ w + b) * sigmoid(x @ v + c)`."""

    def __init__(self, units: int, penalty: float = 0.0, **kwargs: Any):
        super().__init__(**kwargs)
        self.units, self.penalty = units, penalty

    def build(self, input_shape: tuple[int, ...]) -> None:
        self.kernel = self.add_weight(shape=(input_shape[-1], 2 * self.units))
        self.bias = self.add_weight(shape=(2 * self.units,), initializer="zeros")

    def call(self, x: tf.Tensor) -> tf.Tensor:
        values, gates = tf.split(tf.matmul(x, self.kernel) + self.bias, 2, axis=-1)
        gates = tf.sigmoid(gates)
        self.add_loss(self.penalty * tf.reduce_mean(gates))
        return values * gates

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "units": self.units, "penalty": self.penalty}


model = keras.Sequential(
    [
        keras.Input((2,)),
        Gated(48, penalty=1e-3),
        Gated(48, penalty=1e-3),
        Gated(48, penalty=1e-3),
        keras.layers.Dense(1),
    ]
)

# %% [markdown]
# ## The loop
# The `for` over the dataset runs in the graph.

# %%
loss_of = keras.losses.BinaryCrossentropy(from_logits=True)
optimizer = keras.optimizers.Adam(5e-3)
optimizer.build(model.trainable_variables)
mean_loss = keras.metrics.Mean()
accuracy = keras.metrics.BinaryAccuracy(threshold=0.0)


@tf.function
def train_epoch(data: tf.data.Dataset) -> None:
    for x, y in data:
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss = loss_of(y[:, tf.newaxis], logits) + tf.add_n(model.losses)
        variables = model.trainable_variables
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 1.0)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        mean_loss.update_state(loss)


@tf.function
def measure(data: tf.data.Dataset) -> None:
    for x, y in data:
        accuracy.update_state(y[:, tf.newaxis], model(x))


for epoch in range(1, EPOCHS + 1):
    mean_loss.reset_state()
    train_epoch(train)
    if epoch % 10 == 0 or epoch == EPOCHS:
        accuracy.reset_state()
        measure(held_out)
        print(
            f"epoch {epoch:3d}  loss {float(mean_loss.result()):.4f}"
            f"  held-out accuracy {float(accuracy.result()):.3f}"
        )
assert float(accuracy.result()) >= REQUIRED_ACCURACY, f"it is below {REQUIRED_ACCURACY}"

# %% [markdown]
# ## What it learnt
# The plane by what the model takes each point for, and the held-out points.

# %%
SIZE = 120
side = np.linspace(-1.2, 1.2, SIZE, dtype="float32")
plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
share = np.asarray(tf.sigmoid(model(plane))).reshape(SIZE, SIZE, 1)
picture = share * [1, 0.75, 0.5] + (1 - share) * [0.5, 0.75, 1]
for (x, y), label in zip(points[n_train:], labels[n_train:], strict=True):
    column, row = (int((v + 1.2) / 2.4 * (SIZE - 1) + 0.5) for v in (x, y))
    picture[row, column] = [0.8, 0.2, 0] if label else [0, 0.2, 0.8]
Picture(enlarged(picture, 3)).save(Path("custom_training.png"))
