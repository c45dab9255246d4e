# %% [markdown]
# # An image classifier
#
# A small convolutional network learns to tell circles, squares, triangles and crosses apart: noisy
# drawings of any size at any place. Images are turned, mirrored and moved while it trains;
# callbacks keep the best weights, lower the learning rate and stop when nothing gets better.
#
#     python examples/image_classifier.py

# %%
import os
import tempfile
from pathlib import Path
from typing import Any

import ferrograph as tf
import numpy as np
from numpy.typing import NDArray
from pictures import Picture, grid

keras = tf.keras
layers = keras.layers

SEED = 0
SIZE = 24
NAMES = ["circle", "square", "triangle", "cross"]
N_IMAGES = int(os.environ.get("EXAMPLE_IMAGES", 3000))
EPOCHS = int(os.environ.get("EXAMPLE_EPOCHS", 15))
REQUIRED_ACCURACY = float(os.environ.get("EXAMPLE_ACCURACY", 0.9))

keras.utils.set_random_seed(SEED)
rng = np.random.default_rng(SEED)

# %% [markdown]
# ## The data
# Each image is a shape of random size, place and brightness upon noise.


# %%
def drawing(label: int) -> NDArray[np.float32]:
    """A noisy image of that shape, `[SIZE, SIZE, 1]`."""
    radius = rng.uniform(4, 8)
    x0, y0 = rng.uniform(radius, SIZE - radius, size=2)
    y, x = np.mgrid[:SIZE, :SIZE]
    x, y = (x - x0) / radius, (y - y0) / radius
    inside = [
        x**2 + y**2 < 1,
        np.maximum(abs(x), abs(y)) < 0.85,
        (y < 0.8) & (y > 2 * abs(x) - 0.9),
        (np.minimum(abs(x), abs(y)) < 0.25) & (np.maximum(abs(x), abs(y)) < 1),
    ][label]
    image = inside * rng.uniform(0.5, 1) + rng.normal(scale=0.15, size=(SIZE, SIZE))
    drawn: NDArray[np.float32] = image[..., None].astype("float32")
    return drawn


labels = rng.integers(len(NAMES), size=N_IMAGES)
images = np.stack([drawing(label) for label in labels])
n_train = N_IMAGES * 4 // 5
train = tf.data.Dataset.from_tensor_slices((images[:n_train], labels[:n_train]))
train = train.shuffle(n_train, seed=SEED).batch(64).prefetch(2)
held_out = tf.data.Dataset.from_tensor_slices((images[n_train:], labels[n_train:])).batch(256)

# %% [markdown]
# ## The model
# What augments images acts in training alone.

# %%
model = keras.Sequential(
    [
        keras.Input((SIZE, SIZE, 1)),
        layers.RandomFlip("horizontal", seed=1),
        layers.RandomRotation(0.04, fill_mode="nearest", seed=2),
        layers.RandomTranslation(0.1, 0.1, fill_mode="nearest", seed=3),
        layers.Conv2D(16, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Conv2D(32, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dropout(0.3, seed=4),
        layers.Dense(32, activation="relu"),
        layers.Dense(len(NAMES), activation="softmax"),
    ]
)
model.compile(
    keras.optimizers.Adam(2e-3), loss="sparse_categorical_crossentropy", metrics=["accuracy"]
)
model.summary()

# %% [markdown]
# ## Training
# A callback of our own counts the batches.


# %%
class Counter(keras.callbacks.Callback):
    """How many batches there were."""

    n_batches = 0

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.n_batches += 1


counter = Counter()
with tempfile.TemporaryDirectory() as folder:
    best = os.path.join(folder, "best.keras")
    history = model.fit(
        train,
        validation_data=held_out,
        epochs=EPOCHS,
        verbose=2,
        callbacks=[
            keras.callbacks.ModelCheckpoint(best, monitor="val_accuracy", save_best_only=True),
            keras.callbacks.ReduceLROnPlateau(patience=2, factor=0.5),
            keras.callbacks.EarlyStopping(patience=5),
            counter,
        ],
    )
    model = keras.models.load_model(best)

loss, accuracy = model.evaluate(held_out, verbose=0)
print(f"{counter.n_batches} batches, accuracy on held-out images {accuracy:.3f}")
assert accuracy >= REQUIRED_ACCURACY, f"the accuracy is below {REQUIRED_ACCURACY}"

# %% [markdown]
# ## What it sees
# A row a class: held-out images by what the model takes them for, those that are something else in
# red.

# %%
found = model.predict(images[n_train:], verbose=0).argmax(-1)
rows: list[list[NDArray[Any]]] = []
for label in range(len(NAMES)):
    where = np.flatnonzero(found == label)[:12]
    tints = [[1, 1, 1] if labels[n_train + i] == label else [1, 0.3, 0.3] for i in where]
    rows.append([images[n_train + i] * tint for i, tint in zip(where, tints, strict=True)])
Picture(grid(rows, SIZE, scale=3)).save(Path("image_classifier.png"))
