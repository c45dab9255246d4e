"""Objects of Keras that make their variables after a checkpoint was read.

What each case asks for, tensorflow-cpu 2.21.0 with Keras 3.15.1 does.
"""

import tempfile

import ferrograph as fg
import numpy as np

keras = fg.keras


def status_of(status):
    """Whether all was consumed."""
    try:
        status.assert_consumed()
    except AssertionError:
        return False
    return True


OPTIMIZERS = {
    "adam": lambda o: o.Adam(0.1),
    "sgd": lambda o: o.SGD(0.1, momentum=0.9),
    "rmsprop": lambda o: o.RMSprop(0.1, momentum=0.5, centered=True),
    "adagrad": lambda o: o.Adagrad(0.1),
    "amsgrad": lambda o: o.Adam(0.1, amsgrad=True, use_ema=True),
    "ftrl": lambda o: o.Ftrl(0.1),
    "nadam": lambda o: o.Nadam(0.1),
    "accumulating": lambda o: o.Adam(0.1, gradient_accumulation_steps=2),
    "lion": lambda o: o.Lion(0.1),
    "adafactor": lambda o: o.Adafactor(0.1),
    "scaled": lambda o: o.LossScaleOptimizer(o.Adam(0.1)),
}


def trained(optimizer, weights, n, traced):
    def step():
        optimizer.apply_gradients([(fg.constant([1.0, 2.0]), weights)])

    run = fg.function(step) if traced else step
    for _ in range(n):
        run()


def goes_on(make, traced):
    optimizer, weights = make(keras.optimizers), fg.Variable([1.0, 2.0])
    trained(optimizer, weights, 3, traced)
    with tempfile.TemporaryDirectory() as folder:
        path = fg.train.Checkpoint(o=optimizer, w=weights).write(f"{folder}/c")
        trained(optimizer, weights, 2, traced)
        again, others = make(keras.optimizers), fg.Variable([0.0, 0.0])
        status = fg.train.Checkpoint(o=again, w=others).read(path)
        before = status_of(status)
        trained(again, others, 2, traced)
        after = status_of(status)
    same = np.allclose(weights, others, atol=1e-5)
    return (same, int(optimizer.iterations - again.iterations), before, after)


def case_slots_that_are_built_later_have_their_values():
    for name, make in OPTIMIZERS.items():
        for traced in (False, True):
            found = goes_on(make, traced)
            assert found == (True, 0, False, True), (name, traced, found)


class Built(keras.layers.Layer):
    """Makes its parts when it is built."""

    def build(self, shape):
        self.scale = self.add_weight(shape=(shape[-1],), initializer="zeros")
        self.inner = keras.layers.Dense(1)
        self.inner.build(shape)

    def call(self, x):
        return self.inner(x * self.scale)


def case_layers_that_are_built_later_have_their_values():
    x = np.ones([2, 3], "float32")
    layer = Built()
    layer(x)
    layer.set_weights([np.full(w.shape, i + 1.0) for i, w in enumerate(layer.get_weights())])
    recurrent = [keras.layers.LSTM(2), keras.layers.BatchNormalization()]
    model = keras.Sequential(recurrent)
    model(x[None])
    with tempfile.TemporaryDirectory() as folder:
        path = fg.train.Checkpoint(layer=layer, model=model).write(f"{folder}/c")
        again = Built()
        other = keras.Sequential([keras.layers.LSTM(2), keras.layers.BatchNormalization()])
        status = fg.train.Checkpoint(layer=again, model=other).read(path)
        assert not status_of(status)
        assert np.allclose(again(x), layer(x))
        assert np.allclose(other(x[None]), model(x[None]))
        assert status_of(status)


def case_objects_that_track_their_attributes_hear_of_later_ones():
    class Tracking(fg.as_tensorflow().__internal__.tracking.AutoTrackable):
        """A library's object."""

    def filled():
        found = Tracking()
        found.listed, found.mapped = [], {}
        held = found.listed, found.mapped
        return found, held

    saved, (listed, mapped) = filled()
    listed.append(fg.Variable(1.0))
    mapped["a"] = fg.Variable(2.0)
    saved.v = fg.Variable(3.0)
    with tempfile.TemporaryDirectory() as folder:
        path = fg.train.Checkpoint(m=saved).write(f"{folder}/c")
        again, (listed, mapped) = filled()
        status = fg.train.Checkpoint(m=again).read(path)
        made = [fg.Variable(0.0) for _ in range(3)]
        listed.append(made[0])
        mapped["a"] = made[1]
        again.v = made[2]
        assert [float(v) for v in made] == [1, 2, 3]
        assert status_of(status)
    shared = []
    again.other = shared
    shared.append(1)
    assert again.other == [1], "a list that is known elsewhere stays that list"
