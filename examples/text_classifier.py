# %% [markdown]
# # A text classifier
#
# Words are looked up in a vocabulary, embedded, and read one after the other by a recurrent layer.
# The opinions are made so that their words alone do not tell: "not good" praises as little as
# "bad", and what comes behind "but" counts.
#
#     python examples/text_classifier.py

# %%
import os
from pathlib import Path

import ferrograph as tf
import numpy as np
from pictures import Picture, enlarged

keras = tf.keras
layers = keras.layers

SEED = 0
N_TEXTS = int(os.environ.get("EXAMPLE_TEXTS", 4000))
EPOCHS = int(os.environ.get("EXAMPLE_EPOCHS", 6))
REQUIRED_ACCURACY = float(os.environ.get("EXAMPLE_ACCURACY", 0.95))

keras.utils.set_random_seed(SEED)
rng = np.random.default_rng(SEED)

# %% [markdown]
# ## The data

# %%
THINGS = ["film", "book", "meal", "hotel", "song", "play"]
PRAISE = ["good", "great", "lovely", "clever", "superb"]
BLAME = ["bad", "awful", "boring", "clumsy", "poor"]


def opinion(is_praise: bool) -> list[str]:
    """A few words with that opinion."""
    is_negated = rng.random() < 0.4
    words = ["not"] if is_negated else []
    words.append(rng.choice(PRAISE if is_praise != is_negated else BLAME))
    return ["the", rng.choice(THINGS), "was", *words]


def text(is_praise: bool) -> str:
    """A text whose last opinion counts."""
    words = opinion(is_praise)
    if rng.random() < 0.4:
        words = [*opinion(not is_praise), "but", *words]
    return " ".join(words)


labels = rng.integers(2, size=N_TEXTS)
texts = np.array([text(bool(label)) for label in labels])
n_train = N_TEXTS * 4 // 5
for example, label in zip(texts[:4], labels[:4], strict=True):
    print(label, example)

# %% [markdown]
# ## The model
# The vocabulary is part of it: it takes strings.

# %%
vectorize = layers.TextVectorization(output_sequence_length=12)
vectorize.adapt(texts[:n_train])
words = vectorize.get_vocabulary()

inputs = keras.Input((), dtype="string")
numbers = vectorize(inputs)
embedded = layers.Embedding(len(words), 16, mask_zero=True, name="embedding")(numbers)
state = layers.LSTM(32)(embedded)
outputs = layers.Dense(1, activation="sigmoid")(state)
model = keras.Model(inputs, outputs)
model.compile(keras.optimizers.Adam(5e-3), loss="binary_crossentropy", metrics=["accuracy"])

# %% [markdown]
# ## Training

# %%
data = tf.data.Dataset.from_tensor_slices((texts, labels))
train = data.take(n_train).shuffle(n_train, seed=SEED).batch(64)
held_out = data.skip(n_train).batch(256)
model.fit(train, validation_data=held_out, epochs=EPOCHS, verbose=2)

loss, accuracy = model.evaluate(held_out, verbose=0)
print(f"{len(words)} words, accuracy on held-out texts {accuracy:.3f}")
assert accuracy >= REQUIRED_ACCURACY, f"the accuracy is below {REQUIRED_ACCURACY}"

# %%
asked = ["the film was not bad", "the book was great but the play was awful"]
for sentence, praise in zip(asked, model.predict(tf.constant(asked), verbose=0), strict=True):
    print(f"{float(praise[0]):.2f}  {sentence}")

# %% [markdown]
# ## What it learnt of words
# A row a word, a column a number of its embedding: red where it is positive, blue where negative.
# Praise comes first, then blame.

# %%
embedding = model.get_layer("embedding").get_weights()[0]
table = np.stack([embedding[words.index(word)] for word in PRAISE + BLAME if word in words])
table = np.clip(table / np.abs(table).max(), -1, 1)
colours = np.stack([1 + np.minimum(table, 0), 1 - np.abs(table), 1 - np.maximum(table, 0)], -1)
Picture(enlarged(colours, 16)).save(Path("text_classifier.png"))
