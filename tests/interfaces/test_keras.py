"""``fg.keras``: the installed Keras on this backend, where there is one."""

import importlib.util
import json
import os
import sys
import textwrap

import processor_time
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
        done = processor_time.run(
            [sys.executable, str(file)],
            capture_output=True,
            text=True,
            seconds=300,
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
    assert fg.keras.__name__ == "keras._tf_keras.keras"  # as tf.keras is, with older names
    assert fg.keras.Model is keras.Model and layers.Dense is keras.layers.Dense
    assert keras.backend.backend() == fg.keras.backend.backend() == "tensorflow"
    assert "KERAS_BACKEND" not in os.environ
    import tensorflow
    assert tensorflow.keras is fg.keras
    from tensorflow.keras.layers import Dense
    assert Dense is keras.layers.Dense
    import ferrograph.keras.losses
    assert ferrograph.keras.losses is fg.keras.losses
    for name in ("losses", "optimizers", "metrics", "initializers"):
        assert getattr(fg, name) is getattr(fg.keras, name)
    """
    run(program)
