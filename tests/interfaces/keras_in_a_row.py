"""Makes, compiles, fits, evaluates and asks many models in one process, and prints as JSON what is
said meanwhile: by ``models`` what was logged or warned by then, by ``again`` what is said of a
function that is made again and again.
"""

import json
import logging
import warnings

import ferrograph as fg
import numpy as np

keras = fg.keras
layers = keras.layers
N = 24
RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(N, 6)).astype("float32")
SERIES = RNG.normal(size=(N, 7, 3)).astype("float32")
IMAGES = RNG.normal(size=(N, 8, 8, 1)).astype("float32")
WORDS = RNG.integers(0, 20, size=(N, 5))
LABELS = RNG.integers(0, 2, size=(N, 1)).astype("float32")
SAID = []


class Record(logging.Handler):
    """Keeps what is logged."""

    def emit(self, record):
        SAID.append(record.getMessage())


class Plain(keras.Model):
    """A model with a call of its own."""

    def __init__(self):
        super().__init__()
        self.inner, self.outer = layers.Dense(4, activation="relu"), layers.Dense(1)

    def call(self, x):
        return self.outer(self.inner(x))


class OwnStep(Plain):
    """A model with a training step of its own."""

    def train_step(self, data):
        x, y = data
        with fg.GradientTape() as tape:
            loss = self.compute_loss(x=x, y=y, y_pred=self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        return {"loss": loss}


def dense():
    return keras.Sequential([layers.Dense(8, activation="relu"), layers.Dense(1)])


def normalised():
    parts = [layers.Dense(8), layers.BatchNormalization(), layers.Dropout(0.5), layers.Dense(1)]
    return keras.Sequential(parts)


def convolution():
    parts = [layers.Conv2D(4, 3), layers.MaxPooling2D(), layers.Flatten(), layers.Dense(1)]
    return keras.Sequential(parts)


def of_series(layer):
    return keras.Sequential([layer, layers.Dense(1)])


def words():
    parts = [layers.Embedding(20, 4), layers.GlobalAveragePooling1D(), layers.Dense(1)]
    return keras.Sequential(parts)


def two_inputs():
    rows, series = keras.Input((6,)), keras.Input((7, 3))
    joined = layers.Concatenate()([layers.Dense(4)(rows), layers.Flatten()(series)])
    return keras.Model([rows, series], layers.Dense(1)(joined))


def two_outputs():
    rows = keras.Input((6,))
    inner = layers.Dense(4, activation="tanh")(rows)
    return keras.Model(rows, [layers.Dense(1)(inner), layers.Dense(1)(inner)])


def attention():
    series = keras.Input((7, 3))
    seen = layers.MultiHeadAttention(2, 2)(series, series)
    normed = layers.LayerNormalization()(layers.Add()([series, seen]))
    return keras.Model(series, layers.Dense(1)(layers.GlobalMaxPooling1D()(normed)))


def cases():
    """A model with its inputs and targets, one after the other."""
    yield dense(), ROWS, LABELS
    yield dense(), ROWS, LABELS
    yield normalised(), ROWS, LABELS
    yield convolution(), IMAGES, LABELS
    yield convolution(), IMAGES, LABELS
    yield of_series(layers.Conv1D(4, 7)), SERIES, LABELS[:, None]
    yield of_series(layers.LSTM(4)), SERIES, LABELS
    yield of_series(layers.GRU(4)), SERIES, LABELS
    yield of_series(layers.Bidirectional(layers.SimpleRNN(4))), SERIES, LABELS
    yield words(), WORDS, LABELS
    yield two_inputs(), [ROWS, SERIES], LABELS
    yield two_outputs(), ROWS, [LABELS, LABELS]
    yield attention(), SERIES, LABELS
    yield Plain(), ROWS, LABELS
    # As a search for parameters makes them: more than the ten after which a function is reported.
    for _ in range(12):
        yield OwnStep(), ROWS, LABELS


def fit_all():
    """How many models were trained."""
    n = 0
    for model, x, y in cases():
        model.compile("adam", "mse" if isinstance(y, np.ndarray) else ["mse", "mse"])
        history = model.fit(x, y, batch_size=8, epochs=2, verbose=0).history
        assert len(history["loss"]) == 2
        assert np.all(np.isfinite(model.evaluate(x, y, batch_size=8, verbose=0)))
        n += 1
        if n <= 14:
            model.predict(x, batch_size=8, verbose=0)
    return n


def traced_anew():
    @fg.function
    def double(x):
        return x * 2.0

    return double(fg.constant(1.0))


def main():
    logging.getLogger().addHandler(Record(logging.WARNING))
    warnings.simplefilter("always")
    warnings.showwarning = lambda message, *_: SAID.append(str(message))
    n = fit_all()
    of_models = list(SAID)
    for _ in range(10):
        traced_anew()
    print(json.dumps({"n": n, "models": of_models, "again": SAID[len(of_models) :]}))


if __name__ == "__main__":
    main()
