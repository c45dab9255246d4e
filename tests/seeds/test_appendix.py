"""The appendix on graphs: what its programs show."""

import importlib.util

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


def test_the_definition_says_that_it_takes_a_resource(doc):
    shown = doc.run("counter_argument", "function_def")
    assert repr(shown.value) == 'name: "counter"\ntype: DT_RESOURCE\n'


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


# What the chapters before the appendix define.
CHAPTERS = """
keras = tf.keras

class MyModel(keras.Model):
    def __init__(self, units=3, **kwargs):
        super().__init__(**kwargs)
        self.out = keras.layers.Dense(units)
        self.eager = []

    def call(self, inputs):
        self.eager.append(tf.executing_eagerly())
        return self.out(inputs)

def my_mse(y_true, y_pred):
    return tf.reduce_mean(tf.square(y_pred - y_true))

def my_mae(y_true, y_pred):
    return tf.reduce_mean(tf.abs(y_pred - y_true))

x, y = tf.ones([4, 2]), tf.zeros([4, 3])
"""


@pytest.mark.skipif(not importlib.util.find_spec("keras"), reason="Keras is not installed")
def test_models_and_layers_that_are_not_converted(apart):
    shown = apart(
        "appendix",
        "imports",
        "dynamic_model",
        "dynamic_layer",
        before=CHAPTERS,
        after="""
        assert model.run_eagerly
        model.compile(loss=my_mse, optimizer="sgd")
        model.fit(x, y, verbose=0)
        assert model.eager[-1]

        assert MyLayer(3).dynamic
        assert keras.Sequential([MyLayer(3)]).run_eagerly
        assert not keras.Sequential([keras.layers.Dense(3)]).run_eagerly
        print("done")
        """,
    )
    assert shown == "done\n"


@pytest.mark.skipif(not importlib.util.find_spec("keras"), reason="Keras is not installed")
def test_run_eagerly_of_compile(apart):
    shown = apart(
        "appendix",
        "imports",
        "run_eagerly",
        before=CHAPTERS + "model = MyModel()\nmodel(x)\nmodel.eager.clear()\n",
        after="""
        history = model.fit(x, y, verbose=0).history
        assert model.eager and model.eager[-1]
        print(sorted(history))
        """,
    )
    assert shown == "['loss', 'my_mae']\n"
