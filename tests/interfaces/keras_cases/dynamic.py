"""``dynamic=True``: layers and models that run eagerly, with what holds them."""

import ferrograph as fg
import numpy as np

keras = fg.keras
x = np.random.default_rng(0).normal(size=(32, 8)).astype("float32")
y = x.sum(1)
eager = []


class Scaled(keras.layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(dynamic=True, **kwargs)

    def call(self, x):
        eager.append(fg.executing_eagerly())
        largest = float(fg.reduce_max(fg.abs(x)))
        return x / largest if largest > 1 else x


class Turned(keras.Model):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = keras.layers.Dense(1, use_bias=False)

    def call(self, x):
        eager.append(fg.executing_eagerly())
        return self.dense(x) if float(fg.reduce_sum(x)) > 0 else -self.dense(x)


def refusal(kind, call):
    """What a call is refused with."""
    try:
        call()
    except kind as e:
        return str(e)
    raise AssertionError(f"no {kind.__name__}")


def case_a_model_that_is_dynamic_runs_eagerly():
    eager.clear()
    model = Turned(dynamic=True)
    model.compile("sgd", "mse")
    losses = model.fit(x, y, epochs=3, verbose=0).history["loss"]
    assert losses[-1] < losses[0] and model.run_eagerly and model.dynamic
    assert set(eager[1:]) == {True}
    assert np.allclose(model.predict(x, verbose=0), model(x), atol=1e-6)
    model.evaluate(x, y, verbose=0)


def case_a_model_that_is_not_dynamic_is_traced():
    model = Turned()
    model.compile("sgd", "mse")
    assert not model.run_eagerly and not model.dynamic
    assert "float() is not allowed" in refusal(TypeError, lambda: model.fit(x, y, verbose=0))


def case_a_dynamic_layer_makes_its_models_eager():
    model = keras.Sequential([Scaled(), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(x, y, batch_size=16, verbose=0)
    assert model.run_eagerly and eager[-2:] == [True, True]
    outer = keras.Sequential([keras.layers.Dense(8), model])
    outer.compile("sgd", "mse")
    outer.fit(x, y, verbose=0)
    assert outer.run_eagerly and not keras.Sequential([keras.layers.Dense(1)]).run_eagerly
    assert model.predict(x, verbose=0).shape == (32, 1)


def case_a_shape_that_needs_values_is_asked_for():
    text = refusal(NotImplementedError, lambda: Scaled()(keras.Input((8,))))
    assert "implement compute_output_shape" in text and "Scaled" in text

    class Shaped(Scaled):
        def compute_output_shape(self, input_shape):
            return input_shape

    inputs = keras.Input((8,))
    model = keras.Model(inputs, Shaped()(inputs))
    model.compile("sgd", "mse")
    assert model.run_eagerly and np.abs(model.predict(3 * x, verbose=0)).max() <= 1


def case_a_dynamic_layer_is_made_again_from_its_configuration():
    class Plain(keras.layers.Layer):
        def call(self, x):
            return x

    layer = Plain(dynamic=True, name="p")
    again = Plain.from_config(layer.get_config())
    assert layer.dynamic and again.dynamic and again.name == "p"
    assert keras.layers.Dense(3, dynamic=True).dynamic
    assert "dynamical" in refusal(ValueError, lambda: keras.layers.Dense(3, dynamical=True))
