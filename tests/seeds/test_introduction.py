"""The short introduction: what its cells show."""

import numpy as np
import pytest


@pytest.fixture
def doc(document):
    doc = document("introduction")
    doc.run("imports", "assert_raises", "add")
    return doc


def test_a_function_is_an_operation(doc):
    value = doc.run("add").value
    assert repr(value) == (
        "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\n"
        "array([[2., 2.],\n       [2., 2.]], dtype=float32)>"
    )


def test_it_has_gradients(doc):
    assert repr(doc.run("gradients").value) == "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>"


def test_functions_nest(doc):
    value = doc.run("dense_layer").value
    np.testing.assert_array_equal(value.numpy(), np.full((3, 2), 3, np.float32))


def test_functions_are_polymorphic(doc):
    assert doc.run("polymorphic").stdout.splitlines() == [
        'Tracing with Tensor("a:0", shape=(), dtype=int32)',
        "tf.Tensor(2, shape=(), dtype=int32)",
        "",
        'Tracing with Tensor("a:0", shape=(), dtype=float32)',
        "tf.Tensor(2.2, shape=(), dtype=float32)",
        "",
        'Tracing with Tensor("a:0", shape=(), dtype=string)',
        "tf.Tensor(b'aa', shape=(), dtype=string)",
        "",
    ]


def test_concrete_functions(doc):
    shown = doc.run("polymorphic", "concrete")
    lines = shown.stdout.splitlines()
    assert lines[0] == "Obtaining concrete trace"
    # The document's own call has left a trace for strings of shape (); this one takes any shape.
    assert lines[1] == 'Tracing with Tensor("a:0", dtype=string)'
    assert lines[2:5] == [
        "Executing traced function",
        "tf.Tensor(b'aa', shape=(), dtype=string)",
        "tf.Tensor(b'bb', shape=(), dtype=string)",
    ]
    assert lines[5] == "Using a concrete trace with incompatible types will throw an error"
    assert lines[6] == "Caught expected exception "
    assert "InvalidArgumentError" in lines[7]
    assert "string" in shown.stderr
    assert "int32" in shown.stderr


def test_input_signature(doc):
    lines = doc.run("input_signature").stdout.splitlines()
    assert lines[:4] == [
        'Tracing with Tensor("x:0", shape=(None,), dtype=int32)',
        "tf.Tensor([4 1], shape=(2,), dtype=int32)",
        "Caught expected exception ",
        "  <class 'ValueError'>:",
    ]
