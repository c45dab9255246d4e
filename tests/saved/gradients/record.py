"""Gradients of the program's own in saved models, by TensorFlow.

    python tests/saved/gradients/record.py              writes ``recorded`` anew
    python tests/saved/gradients/record.py read FOLDER  reads a model that was saved here

``recorded`` holds the model of ``programs.py``, and for each of its functions what it gives and its
gradients, of first and second order (none where TensorFlow refuses), and whether TensorFlow
differentiates it after loading. A model saved here, of ``programs.make(fg, datasets=False)``, is to
give the same there.
"""

import json
import shutil
import sys
from pathlib import Path

import programs
import tensorflow as tf

HERE = Path(__file__).parent / "recorded"


def attempted(model, name, order):
    try:
        return programs.gradients(tf, model, name, order)
    except Exception as e:
        print(f"{name}, order {order}: {type(e).__name__}: {str(e)[:90]}")
        return None


def eagerly(model, name, order):
    """What its Python code gives, which TensorFlow differentiates also where it refuses graphs."""
    tf.config.run_functions_eagerly(True)
    try:
        return attempted(model, name, order)
    finally:
        tf.config.run_functions_eagerly(False)


def record():
    shutil.rmtree(HERE, ignore_errors=True)
    model = programs.make(tf)
    found = {}
    for name in programs.NAMES:
        first, second = eagerly(model, name, 1), eagerly(model, name, 2)
        found[name] = {"value": first[0], "first": first[1], "second": second and second[1]}
        staged = attempted(model, name, 1)
        assert staged is None or same(staged, first) is True
    tf.saved_model.save(model, str(HERE / "model"))
    left = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    small = tf.Module()
    small.clipped = model.clipped
    tf.saved_model.save(small, str(HERE / "left"), options=left)
    print("after loading:")
    loaded = tf.saved_model.load(str(HERE / "model"))
    for name in programs.NAMES:
        found[name]["loaded"] = attempted(loaded, name, 1) is not None
    lines = (f"{json.dumps(name)}: {json.dumps(row)}" for name, row in found.items())
    (HERE / "results.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def read(folder):
    loaded = tf.saved_model.load(folder)
    wanted = json.loads((HERE / "results.json").read_text())
    for name in filter(loaded.__dict__.__contains__, programs.NAMES):
        found = attempted(loaded, name, 1)
        second = attempted(loaded, name, 2)
        want = wanted[name]
        told = "refused" if found is None else same(found, [want["value"], want["first"]])
        known = second is not None and want["second"] is not None
        more = same(second[1], want["second"]) if known else "not compared"
        print(f"{name}: {told}, second order {more}")


def same(found, wanted):
    """Whether nested lists are nearly the same."""
    if isinstance(found, (list, tuple)) and isinstance(wanted, (list, tuple)):
        pairs = zip(found, wanted, strict=True)
        return all(same(a, b) is True for a, b in pairs) or f"{found} is not {wanted}"
    if found is None or wanted is None:
        # Where one finds no way, the other may find zeros.
        return not any(tf.nest.flatten([found, wanted])) or f"{found} is not {wanted}"
    return abs(found - wanted) <= 1e-5 * abs(wanted) + 1e-6 or f"{found} is not {wanted}"


if __name__ == "__main__":
    record() if len(sys.argv) == 1 else read(sys.argv[2])
