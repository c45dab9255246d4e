"""Several steps in one execution train as one step each does; callbacks of batches are called once
an execution, with the number of its last step.

The numbers of calls are those of TensorFlow 2.21 with Keras 3.15.1.
"""

import ferrograph as fg
import numpy as np

keras = fg.keras
rng = np.random.default_rng(1)
x = rng.normal(size=(72, 4)).astype("float32")
y = (x.sum(1, keepdims=True) > 0).astype("float32")
TRAINED, VALIDATED = slice(0, 50), slice(50, 72)


class Calls(keras.callbacks.Callback):
    """Which methods were called, with the numbers that they were given."""

    def __init__(self):
        super().__init__()
        self.found = {}

    def note(self, what, number):
        self.found.setdefault(what, []).append(number)

    def on_epoch_begin(self, epoch, logs=None):
        self.note("epoch begin", epoch)

    def on_epoch_end(self, epoch, logs=None):
        self.note("epoch end", epoch)
        assert {"loss", "mae", "val_loss", "val_mae"} <= set(logs)

    def on_train_batch_begin(self, batch, logs=None):
        self.note("train begin", batch)

    def on_train_batch_end(self, batch, logs=None):
        self.note("train end", batch)

    def on_test_begin(self, logs=None):
        self.note("test", 0)

    def on_test_batch_begin(self, batch, logs=None):
        self.note("test begin", batch)

    def on_test_batch_end(self, batch, logs=None):
        self.note("test end", batch)

    def on_predict_batch_begin(self, batch, logs=None):
        self.note("predict begin", batch)

    def on_predict_batch_end(self, batch, logs=None):
        self.note("predict end", batch)


def data(part, kind):
    if kind == "arrays":
        return x[part], y[part]
    return fg.data.Dataset.from_tensor_slices((x[part], y[part])).batch(10)


def trained(steps, kind):
    """What two epochs give with so many steps in an execution: histories, results, calls."""
    keras.utils.set_random_seed(5)
    layers = [keras.layers.Dense(6, activation="tanh"), keras.layers.Dense(1)]
    model = keras.Sequential([keras.Input((4,)), *layers])
    model.compile("adam", "mse", metrics=["mae"], steps_per_execution=steps)
    calls = Calls()
    options = {"batch_size": 10} if kind == "arrays" else {}
    train, validation = data(TRAINED, kind), data(VALIDATED, kind)
    given = train if kind == "arrays" else (train,)
    history = model.fit(
        *given,
        validation_data=validation,
        epochs=2,
        shuffle=False,
        verbose=0,
        callbacks=[calls],
        **options,
    ).history
    tested = model.evaluate(x, y, batch_size=10, verbose=0)
    predicted = model.predict(x[TRAINED], batch_size=10, verbose=0, callbacks=[calls])
    return history, tested, predicted, calls.found


# What callbacks of batches are told in an epoch of five training and three validation batches and
# in a prediction of five, by the steps of an execution. The last number may be beyond the data.
CALLS = {
    1: {"train": ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4]), "test": ([0, 1, 2], [0, 1, 2])},
    2: {"train": ([0, 2, 4], [1, 3, 5]), "test": ([0, 2], [1, 3])},
    3: {"train": ([0, 3], [2, 5]), "test": ([0], [2])},
    8: {"train": ([0], [7]), "test": ([0], [7])},
}


def case_several_steps_train_as_one_step_each_does():
    for kind in ("arrays", "dataset"):
        history, tested, predicted, _ = trained(1, kind)
        for steps in (2, 3, 5, 8):
            others, again, answers, _ = trained(steps, kind)
            assert set(others) == set(history)
            for name, values in history.items():
                assert np.allclose(others[name], values, rtol=1e-5), (kind, steps, name)
            assert np.allclose(again, tested, rtol=1e-5), (kind, steps)
            assert np.allclose(answers, predicted, rtol=1e-4, atol=1e-6), (kind, steps)


def case_callbacks_of_batches_are_called_once_an_execution():
    for kind in ("arrays", "dataset"):
        for steps, wanted in CALLS.items():
            found = trained(steps, kind)[-1]
            (begun, ended), (test_begun, test_ended) = wanted["train"], wanted["test"]
            assert found == {
                "epoch begin": [0, 1],
                "epoch end": [0, 1],
                "train begin": begun * 2,
                "train end": ended * 2,
                "test": [0, 0],
                "test begin": test_begun * 2,
                "test end": test_ended * 2,
                "predict begin": begun,
                "predict end": ended,
            }, (kind, steps, found)
