"""The guide of 2019: what its cells show."""

import contextlib
import re

import numpy as np
import pytest


@pytest.fixture
def doc(document):
    doc = document("guide_2019")
    doc.run("imports", "assert_raises", "add")
    return doc


def expects(shown, error_class):
    """The cell's `assert_raises` caught what the document says."""
    assert shown.stdout.startswith("Caught expected exception"), shown.stdout
    assert error_class in shown.stdout


def test_a_function_is_an_operation(doc):
    np.testing.assert_array_equal(doc.run("add").value.numpy(), np.full((2, 2), 2))


def test_it_has_gradients(doc):
    assert doc.run("gradients").value.numpy() == 1


def test_functions_nest(doc):
    np.testing.assert_array_equal(doc.run("dense_layer").value.numpy(), np.full((3, 2), 3))


def test_functions_are_polymorphic(doc):
    lines = doc.run("polymorphic").stdout.splitlines()
    assert [line for line in lines if line.startswith("tf.Tensor")] == [
        "tf.Tensor(2, shape=(), dtype=int32)",
        "tf.Tensor(2.2, shape=(), dtype=float32)",
        "tf.Tensor(b'aa', shape=(), dtype=string)",
    ]


def test_concrete_functions(doc):
    stdout = doc.run("polymorphic", "concrete").stdout
    assert "tf.Tensor(b'aa', shape=(), dtype=string)\ntf.Tensor(b'bb'" in stdout
    assert "Caught expected exception" in stdout


def test_input_signature(doc):
    stdout = doc.run("input_signature").stdout
    assert "tf.Tensor([4 1], shape=(2,), dtype=int32)" in stdout
    assert "Caught expected exception" in stdout


def test_python_values_trace_anew_and_tensors_do_not(doc):
    assert doc.run("train_python_steps").stdout.splitlines() == [
        "Tracing with num_steps = 10",
        "Tracing with num_steps = 20",
    ]
    assert doc.run("train_tensor_steps").stdout.count("Tracing with num_steps") == 1


def test_python_effects_happen_while_tracing_only(doc):
    shown = doc.run("side_effects")
    assert shown.stdout.splitlines() == ["Traced with 1", "Traced with 2"]
    assert shown.stderr.splitlines() == ["Executed with 1", "Executed with 1", "Executed with 2"]


def test_python_functions_run_at_each_call(doc):
    assert doc.run("py_function").stdout == "Python side effect\n" * 3
    assert [int(x) for x in doc["external_list"]] == [1, 1, 1]


def test_the_graph_of_a_loop_over_a_dataset_does_not_grow(doc):
    lines = doc.run("graph_size").stdout.splitlines()
    small, big, *datasets = [int(re.search(r"contains (\d+) nodes", line)[1]) for line in lines]
    assert small < big
    assert datasets[0] == datasets[1]


def test_an_iterator_advances_while_tracing_only(doc):
    shown = doc.run("python_state")
    # The document's cell prints the sum so far; only the first value, 0, is ever drawn.
    assert shown.stderr.splitlines() == ["Value of external_var: 0"] * 3
    assert list(doc["iterator"]) == [1, 2, 3]


def test_statements_keep_their_order(doc):
    assert doc.run("control_dependencies").value.numpy() == 10


def test_a_variable_at_each_call_is_refused(doc):
    expects(doc.run("variable_each_call"), "ValueError")


def test_variables_from_outside(doc):
    assert printed_numbers(doc.run("variable_outside")) == [2, 4]


def test_variables_created_once(doc):
    assert printed_numbers(doc.run("variable_created_once")) == [2, 4]


def test_variables_initialised_from_arguments(doc):
    assert printed_numbers(doc.run("variables_initialised_from_arguments")) == [12, 36]


def printed_numbers(shown):
    return [float(line.split("(")[1].split(",")[0]) for line in shown.stdout.splitlines()]


def test_a_loop_in_the_graph(doc):
    shown = doc.run("while_loop")
    assert float(shown.value.numpy().sum()) <= 1
    assert shown.value.shape == [5]
    assert all(line.startswith("[") for line in shown.stderr.splitlines())


def test_the_generated_code_can_be_read(doc):
    assert "tanh" in doc.run("to_code").stdout


def test_a_condition_on_a_tensor_becomes_a_cond(doc):
    assert doc.run("test_tf_cond", "cond").stdout.splitlines() == [
        "hyperparam_cond(tf.Tensor([1.], shape=(1,), dtype=float32)) executes normally.",
        "maybe_tensor_cond(tf.Tensor(-1, shape=(), dtype=int32)) uses tf.cond.",
        "maybe_tensor_cond(-1) executes normally.",
    ]


def test_both_branches_are_traced(doc):
    shown = doc.run("both_branches_traced")
    assert shown.stdout.splitlines() == ["Tracing `then` branch", "Tracing `else` branch"]
    assert shown.value.numpy() == 1


def test_a_name_defined_in_one_branch_only_is_refused(doc):
    expects(doc.run("one_branch_defines"), "ValueError")


def test_loops_over_tensors_become_while_loops(doc):
    # A loop over a dataset is one over its iterator: the guide has a `reduce` there.
    assert doc.run("test_dynamically_unrolled", "for_loops").stdout.splitlines() == [
        "for_in_range() gets unrolled.",
        "for_in_tfrange() uses tf.while_loop.",
        "for_in_tfdataset() uses tf.while_loop.",
    ]
    assert doc["for_in_tfdataset"]().numpy() == 10
    assert doc["for_in_range"]().numpy() == 10
    assert doc["for_in_tfrange"]().numpy() == 10


def test_while_loops_on_tensors_become_while_loops(doc):
    assert doc.run("test_dynamically_unrolled", "while_loops").stdout.splitlines() == [
        "while_py_cond() gets unrolled.",
        "while_tf_cond() uses tf.while_loop.",
    ]


def test_a_break_on_a_tensor_leaves_a_loop_of_python(doc):
    """The document of 2019 shows a TypeError for two of the four loops; all of them run here."""
    doc.run("test_dynamically_unrolled")
    doc.names["assert_raises"] = lambda error_class: contextlib.nullcontext()
    lines = doc.run("breaks").stdout.splitlines()
    assert "while_tf_true_tf_break(5) uses tf.while_loop." in lines
    assert "tf_for_tf_break() uses tf.while_loop." in lines
    for name, given, value in (
        ("buggy_while_py_true_tf_break", [5], 0),
        ("while_tf_true_tf_break", [5], 0),
        ("buggy_py_for_tf_break", [], 3),
        ("tf_for_tf_break", [], 3),
    ):
        assert int(doc[name](*given)) == value, name


def test_a_recurrent_loop_collects_its_states(doc):
    states = doc.run("dynamic_rnn").value
    assert states.shape == [2, 3, 4]
    tf = doc["tf"]
    found = doc["dynamic_rnn"](doc["rnn_step"], tf.ones([2, 3, 4]), tf.zeros([2, 4]))
    np.testing.assert_array_equal(found.numpy()[0, :, 0], [1, 2, 3])


def test_a_loop_variable_has_to_exist_before_the_loop(doc):
    shown = doc.run("loop_variable_uninitialised")
    expects(shown, "ValueError")
    assert shown.value.numpy() == 2


def test_a_loop_variable_keeps_its_type(doc):
    assert doc.run("loop_variable_type_changes").stdout.startswith("Caught expected exception")


def test_a_loop_variable_keeps_its_shape(doc):
    shown = doc.run("concat_in_loop")
    expects(shown, "ValueError")
    np.testing.assert_array_equal(shown.value.numpy(), np.ones((5, 10)))
