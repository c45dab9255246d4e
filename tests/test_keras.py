"""``fg.keras``: the installed Keras on this backend, where there is one."""

import importlib.util
import json
import os
import subprocess
import sys
import textwrap

import pytest

IS_INSTALLED = importlib.util.find_spec("keras") is not None
with_keras = pytest.mark.skipif(not IS_INSTALLED, reason="Keras is not installed")


@pytest.fixture
def run(tmp_path):
    """Run a program with its own settings of Keras."""

    def run(program, check=True, **environment):
        file = tmp_path / "program.py"
        file.write_text("import ferrograph as fg\n" + textwrap.dedent(program))
        kept = {k: v for k, v in os.environ.items() if k not in ("KERAS_BACKEND", "PYTHONPATH")}
        done = subprocess.run(
            [sys.executable, str(file)],
            capture_output=True,
            text=True,
            timeout=300,
            cwd=tmp_path,
            env={**kept, "KERAS_HOME": str(tmp_path / "home"), **environment},
        )
        if check:
            assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done

    return run


def test_without_keras_one_line_says_so(run):
    program = """
    import sys
    sys.modules.pop("keras", None)

    class Nowhere:
        @staticmethod
        def find_spec(name, *args):
            if name == "keras":
                raise ModuleNotFoundError(f"no {name}")

    import importlib.util
    find = importlib.util.find_spec
    importlib.util.find_spec = lambda name, *a: None if name == "keras" else find(name, *a)
    assert not hasattr(fg, "keras") and "keras" not in dir(fg)
    try:
        fg.keras
    except AttributeError as e:
        assert "pip install 'ferrograph[keras]'" in str(e) and "\\n" not in str(e)
    try:
        import ferrograph.keras
    except ModuleNotFoundError as e:
        assert "ferrograph[keras]" in str(e)
        print("said")
    """
    assert run(program).stdout.split() == ["said"]


@with_keras
@pytest.mark.parametrize("by", ["environment", "file"])
def test_another_backend_is_named(run, tmp_path, by):
    environment = {}
    if by == "environment":
        environment["KERAS_BACKEND"] = "jax"
    else:
        (tmp_path / "home").mkdir()
        (tmp_path / "home" / "keras.json").write_text(json.dumps({"backend": "torch"}))
    program = """
    import sys
    try:
        fg.keras
    except AttributeError as e:
        print(str(e))
    assert "keras" not in sys.modules and "tensorflow" not in sys.modules
    """
    (line,) = run(program, **environment).stdout.splitlines()
    assert ("'jax'" in line and "KERAS_BACKEND" in line) or ("'torch'" in line and ".json" in line)


@with_keras
def test_modules_of_keras_are_keras(run):
    program = """
    import os
    from ferrograph.keras import layers
    import keras
    assert fg.keras is keras and layers is keras.layers and keras.backend.backend() == "tensorflow"
    assert "KERAS_BACKEND" not in os.environ
    import tensorflow
    assert tensorflow.keras is keras
    from tensorflow.keras.layers import Dense
    assert Dense is keras.layers.Dense
    import ferrograph.keras.losses
    assert ferrograph.keras.losses is keras.losses
    assert fg.losses is keras.losses and fg.optimizers is keras.optimizers
    assert fg.metrics is keras.metrics and fg.initializers is keras.initializers
    """
    run(program)


PREPARED = """
import numpy as np

keras = fg.keras
keras.utils.set_random_seed(1)
rng = np.random.default_rng(0)
x = rng.normal(size=(64, 8)).astype("float32")
y = (x.sum(1) > 0).astype("float32")


def prepared():
    r = np.random.default_rng(3)
    Dense = keras.layers.Dense
    model = keras.Sequential([Dense(16, activation="relu"), Dense(1, activation="sigmoid")])
    model.build((None, 8))
    shapes = [w.shape for w in model.get_weights()]
    model.set_weights([(r.normal(size=s) * 0.3).astype("float32") for s in shapes])
    return model
"""

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


@with_keras
def test_models_train_as_recorded(run):
    program = (
        PREPARED
        + """
import json, sys
found = {}
for name in json.loads(sys.argv[1] if len(sys.argv) > 1 else NAMES):
    model = prepared()
    model.compile(name, loss="binary_crossentropy", metrics=["accuracy"])
    history = model.fit(x, y, epochs=2, batch_size=16, shuffle=False, verbose=0).history
    loss, accuracy = model.evaluate(x, y, verbose=0)
    found[name] = [*history["loss"], loss, float(model.predict(x, verbose=0).sum())]
print(json.dumps(found))
"""
    )
    program = f"NAMES = '{json.dumps(list(LOSSES))}'\n" + program
    found = json.loads(run(program).stdout.splitlines()[-1])
    for name, recorded in LOSSES.items():
        assert found[name] == pytest.approx(recorded, abs=2e-5, rel=2e-5), name


@with_keras
def test_eager_and_traced_training_agree(run):
    program = (
        PREPARED
        + """
losses = []
for eagerly in (False, True):
    for steps in (1, 2):
        model = prepared()
        model.compile("adam", "binary_crossentropy", run_eagerly=eagerly, steps_per_execution=steps)
        losses += model.fit(x, y, epochs=2, batch_size=16, shuffle=False, verbose=0).history["loss"]
print(*losses)
"""
    )
    found = [float(v) for v in run(program).stdout.split()]
    for other in (found[2:4], found[4:6], found[6:]):
        assert other == pytest.approx(found[:2], rel=1e-5)


@with_keras
def test_saved_models_are_loaded(run):
    program = (
        PREPARED
        + """
model = prepared()
model.save("model.keras")
again = keras.models.load_model("model.keras")
assert np.array_equal(model.predict(x, verbose=0), again.predict(x, verbose=0))
model.save_weights("w.weights.h5")
other = prepared()
other.load_weights("w.weights.h5")
checkpoint = fg.train.Checkpoint(model=model)
path = checkpoint.save("ck")
before = model.get_weights()
model.set_weights([w * 0 for w in before])
checkpoint.restore(path).assert_consumed()
assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights()))
print("same")
"""
    )
    assert run(program).stdout.split()[-1] == "same"
