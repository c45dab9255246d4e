"""The reference page: what its programs show.

Those with names of `compat.v1` find ferrograph as `tensorflow`.
"""

import importlib.util

import numpy as np
import pytest


@pytest.fixture
def doc(document):
    doc = document("reference")
    doc.run("imports")
    return doc


def test_usage(doc):
    doc.run("usage")
    tf = doc["tf"]
    np.testing.assert_array_equal(doc["g"](tf.constant([2.0, 3.0])).numpy(), [4, 9])
    np.testing.assert_array_equal(doc["g"](tf.constant([-2.0, -3.0])).numpy(), [1, 1])


def test_methods_know_their_instance(apart):
    assert apart("reference", "imports_as_tensorflow", "methods") == ""


def test_a_captured_variable_counts(apart):
    shown = apart("reference", "imports_as_tensorflow", "captured_variable", after="print(int(c))")
    assert shown == "2\n"


def test_side_effects(apart):
    # The page calls `py_func` without the inputs that it has to have: its program fails where it
    # says that it works. The lines that have them work.
    shown = apart(
        "reference",
        "imports_as_tensorflow",
        "side_effects",
        before="v = tf.Variable(0)",
        after="""
        try:
            g(tf.constant([1, 2]))
        except TypeError as e:
            print("py_func" in str(e))
        assert int(v) == 0 and l == []

        @tf.function
        def g(x):
            for i in x:
                print("traced", i.shape)
                tf.compat.v1.assign(v, i)
                tf.compat.v1.py_func(lambda i: l.append(int(i)), [i], [])

        g(tf.constant([1, 2]))
        print(int(v), l)
        """,
    )
    lines = [line for line in shown.splitlines() if not line.startswith("Tensor(")]
    assert lines == ["True", "traced ()", "2 [1, 2]"]


@pytest.mark.skipif(not importlib.util.find_spec("keras"), reason="Keras is not installed")
def test_a_model_whose_call_is_a_function(apart):
    shown = apart(
        "reference",
        "imports",
        "keras_model",
        before="x = tf.ones([64, 10])",
        after="""
        kept = model(x, training=False)
        assert kept.shape == [64, 5] and bool(tf.reduce_all(kept == model(x, training=False)))
        dropped = tf.reduce_mean(tf.cast(model(x, training=True) == 0.0, tf.float32))
        print(0.1 < float(dropped) < 0.3)
        """,
    )
    assert shown == "True\n"


def test_a_graph_for_each_shape(doc):
    doc.run("three_graphs")
    assert doc["f"].experimental_get_tracing_count() == 3


def test_one_graph_for_every_shape(doc):
    doc.run("any_shape")
    tf = doc["tf"]
    for value in (1.0, [1.0, 1.0], [[3.0]]):
        np.testing.assert_array_equal(doc["f"](tf.constant(value)).numpy(), np.add(value, 1))
    assert doc["f"].experimental_get_tracing_count() == 1


def test_numpy_calls_are_frozen_into_the_graph(doc):
    doc.run("noise")
    assert (doc["add_noise"]().numpy() != doc["add_noise"]().numpy()).any()
    np.testing.assert_array_equal(doc["traced"]().numpy(), doc["traced"]().numpy())
