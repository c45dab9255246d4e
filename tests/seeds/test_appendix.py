"""The appendix on graphs: what its programs show.

Left out: `function_def` (the protocol buffer form of a graph), and what needs Keras.
"""

import pytest


@pytest.fixture
def doc(document):
    doc = document("appendix")
    doc.run("imports", "tf_cube")
    return doc


def test_a_print_shows_the_symbolic_tensor_while_tracing(doc):
    shown = doc.run("first_call")
    assert shown.stdout == 'x = Tensor("x:0", shape=(), dtype=float32)\n'
    assert shown.value.numpy() == 8
    assert doc.run("later_calls").stdout == ""


def test_a_new_value_or_shape_traces_anew(doc):
    doc.run("first_call")
    assert doc.run("new_values").stdout.splitlines() == [
        "x = 2",
        "x = 3",
        'x = Tensor("x:0", shape=(1, 2), dtype=float32)',
        'x = Tensor("x:0", shape=(None, 2), dtype=float32)',
    ]


def test_a_signature_restricts_the_input(doc):
    doc.run("shrink")
    assert doc["preprocessed_images"].shape == [50, 14, 14]
    assert doc["shrink"].experimental_get_tracing_count() == 1
    with pytest.raises(ValueError):
        doc.run("unexpected")


def test_a_python_loop_unrolls(doc):
    assert doc.run("static_loop").value.numpy() == 10
    names = [op.name for op in doc.run("operations").value]
    assert names[0] == "x"
    additions = [name for name in names if name.startswith("add")]
    assert additions == ["add", *(f"add_{i}" for i in range(1, 10))]
    assert names[-1] == "Identity"


def test_a_loop_over_a_tensor_is_one_node(doc):
    assert doc.run("dynamic_loop").value.numpy() == 10
    names = [op.name for op in doc.run("operations").value]
    assert {"x", "range", "while", "Identity"} <= set(names)
    assert "add_1" not in names


def test_a_variable_is_passed_by_reference(doc):
    doc.run("counter_argument")
    assert doc["counter"].numpy() == 2


def test_a_variable_is_captured(doc):
    doc.run("counter_captured")
    assert [doc["increment"]().numpy() for _ in range(3)] == [1, 2, 3]
    assert doc["counter"].numpy() == 3


def test_a_method_updates_the_state_of_its_object(doc):
    doc.run("counter_method")
    first, second = doc["Counter"](), doc["Counter"]()
    first.increment()
    first.increment()
    second.increment(5)
    assert (first.counter.numpy(), second.counter.numpy()) == (2, 5)
