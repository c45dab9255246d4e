"""Models train with the numbers that are recorded, and are saved and loaded."""

import tempfile

import ferrograph as fg
import numpy as np

keras = fg.keras
rng = np.random.default_rng(0)
x = rng.normal(size=(64, 8)).astype("float32")
y = (x.sum(1) > 0).astype("float32")


def prepared():
    """A model of known weights."""
    r = np.random.default_rng(3)
    Dense = keras.layers.Dense
    model = keras.Sequential([Dense(16, activation="relu"), Dense(1, activation="sigmoid")])
    model.build((None, 8))
    shapes = [w.shape for w in model.get_weights()]
    model.set_weights([(r.normal(size=s) * 0.3).astype("float32") for s in shapes])
    return model


# The loss of each of two epochs as TensorFlow 2.21 and Keras 3.15.1 compute it.
LOSSES = {
    "sgd": [0.824014, 0.815623, 0.809489, 24.798782],
    "adam": [0.823839, 0.812961, 0.805752, 24.872456],
    "adamw": [0.823837, 0.812953, 0.80574, 24.87294],
    "rmsprop": [0.820391, 0.803034, 0.793448, 24.882586],
    "nadam": [0.824129, 0.816921, 0.811623, 24.767231],
    "adafactor": [0.825525, 0.822938, 0.820903, 24.67429],
    "adagrad": [0.825584, 0.823494, 0.822106, 24.691143],
    "adadelta": [0.826139, 0.826127, 0.826118, 24.658579],
    "adamax": [0.824059, 0.815741, 0.810798, 24.807625],
    "ftrl": [0.764396, 0.696689, 0.696639, 32.717575],
    "lion": [0.823831, 0.812169, 0.803015, 24.855818],
    "muon": [0.825747, 0.823256, 0.821431, 24.788363],
}
if tuple(map(int, keras.__version__.split(".")[:2])) < (3, 13):
    del LOSSES["muon"]  # Keras 3.12, the newest for Python 3.10, has no optimizer of that name


def case_models_train_as_recorded():
    for name, recorded in LOSSES.items():
        model = prepared()
        model.compile(name, loss="binary_crossentropy", metrics=["accuracy"])
        history = model.fit(x, y, epochs=2, batch_size=16, shuffle=False, verbose=0).history
        loss, _ = model.evaluate(x, y, verbose=0)
        found = [*history["loss"], loss, float(model.predict(x, verbose=0).sum())]
        assert np.allclose(found, recorded, atol=2e-5, rtol=2e-5), (name, found)


def case_eager_and_traced_training_agree():
    found = []
    for eagerly in (False, True):
        for steps in (1, 2):
            model = prepared()
            options = {"run_eagerly": eagerly, "steps_per_execution": steps}
            model.compile("adam", "binary_crossentropy", **options)
            history = model.fit(x, y, epochs=2, batch_size=16, shuffle=False, verbose=0).history
            found.append(history["loss"])
    for other in found[1:]:
        assert np.allclose(other, found[0], rtol=1e-5), found


def case_saved_models_are_loaded():
    model = prepared()
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model.keras")
        again = keras.models.load_model(f"{folder}/model.keras")
        assert np.array_equal(model.predict(x, verbose=0), again.predict(x, verbose=0))
        model.save_weights(f"{folder}/w.weights.h5")
        prepared().load_weights(f"{folder}/w.weights.h5")
        checkpoint = fg.train.Checkpoint(model=model)
        path = checkpoint.save(f"{folder}/ck")
        before = model.get_weights()
        model.set_weights([w * 0 for w in before])
        checkpoint.restore(path).assert_consumed()
    assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights(), strict=True))
