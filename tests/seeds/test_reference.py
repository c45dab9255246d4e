"""The reference page: what its programs show.

Left out: what uses the `compat.v1` module or Keras, neither of which is here.
"""

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


def test_methods_know_their_instance(doc):
    doc.run("methods")


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
