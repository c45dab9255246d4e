"""The guide of 2025: what its cells show.

The document breaks off before the rules of tracing.
"""

import importlib.util

import numpy as np
import pytest


@pytest.fixture
def doc(document):
    doc = document("guide_2025")
    doc.run("imports", "assert_raise", "add", "double")
    return doc


def test_a_function_is_an_operation(doc):
    np.testing.assert_array_equal(doc.run("add").value.numpy(), np.full((2, 2), 2, np.float32))


def test_it_has_gradients(doc):
    assert doc.run("gradients").value.numpy() == 1


def test_functions_nest(doc):
    np.testing.assert_array_equal(doc.run("dense_layer").value.numpy(), np.full((3, 2), 3))


@pytest.mark.skipif(not importlib.util.find_spec("keras"), reason="Keras is not installed")
def test_a_layer_of_keras_is_called_in_a_function(apart):
    shown = apart(
        "guide_2025",
        "imports",
        "conv_layer",
        after="print(tuple(conv_fn(image).shape), tf.reduce_all(conv_fn(image) == 0.0).numpy())",
    )
    eager, traced, note, last = shown.splitlines()
    assert float(eager.removeprefix("Eager conv: ")) > 0
    assert float(traced.removeprefix("Function conv: ")) > 0
    assert note == "Note how there's not much difference in performance for convolutions"
    assert last == "(1, 198, 198, 100) True"


def test_the_same_types_run_without_tracing(doc):
    assert doc.run("polymorphic").stdout.count("Tracing with") == 3
    assert doc.run("same_types").stdout == "tf.Tensor(b'bb', shape=(), dtype=string)\n"


def test_the_traces_can_be_listed(doc):
    doc.run("polymorphic")
    blocks = [
        "Input Parameters:\n"
        f"  a (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.{dtype}, name=None)\n"
        "Output Type:\n"
        f"  TensorSpec(shape=(), dtype=tf.{dtype}, name=None)\n"
        "Captures:\n"
        "  None\n"
        for dtype in ("int32", "float32", "string")
    ]
    assert doc.run("signatures").stdout.strip() == "\n".join(blocks).strip()
