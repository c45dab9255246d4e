"""Names of Keras from before Keras 3, as ``tf.keras`` has them.

The values are those of TensorFlow 2.21.0 with Keras 3.15.1.
"""

import ferrograph as fg
import keras
import numpy as np

tf = fg.as_tensorflow()
fg.keras  # noqa: B018 - loads it
K = fg.keras.backend
x = fg.constant([[1.0, 2.0], [3.0, 4.0]])
image = x[None, :, :, None]


def case_the_modules_are_those_of_tf_keras():
    assert tf.keras is fg.keras and tf.keras.__name__ == "keras._tf_keras.keras"
    assert tf.keras.layers.Dense is keras.layers.Dense and tf.keras.Model is keras.Model
    assert tf.keras.layers.ThresholdedReLU.__name__ == "ThresholdedReLU"
    assert tf.keras.losses.Reduction.SUM == "sum"
    from tensorflow.keras.losses import MSE, mean_squared_error

    assert MSE is mean_squared_error is keras.losses.mean_squared_error
    from tensorflow.keras.preprocessing.text import Tokenizer

    tokenizer = Tokenizer()
    tokenizer.fit_on_texts(["a b a"])
    assert tokenizer.word_index == {"a": 1, "b": 2}
    import tensorflow.keras.layers as layers

    assert layers.Dense is keras.layers.Dense


def case_every_name_of_either_is_there():
    import types

    for name, module in vars(keras).items():
        if isinstance(module, types.ModuleType) and not name.startswith("_"):
            for inner in dir(module):
                if not inner.startswith("_"):
                    assert hasattr(getattr(tf.keras, name), inner), (name, inner)


def case_losses_and_metrics_by_their_short_names():
    a, b = [[0.0, 1.0]], [[1.0, 1.0]]
    for family in (tf.losses, tf.metrics, tf.keras.losses, tf.keras.metrics):
        for name in ("MSE", "mse", "MAE", "mae", "mean_squared_error"):
            assert getattr(family, name)(a, b).numpy().tolist() == [0.5]
        assert np.allclose(family.KLD([[0.5, 0.5]], [[0.4, 0.6]]), 0.020411)


def case_losses_take_integer_labels():
    labels, found = fg.constant([[0], [1]]), fg.constant([[0.2], [0.7]])
    want = {
        "BinaryCrossentropy": 0.28991,
        "MeanSquaredError": 0.065,
        "MeanAbsoluteError": 0.25,
        "Hinge": 0.75,
        "Huber": 0.0325,
    }
    for name, value in want.items():
        loss = getattr(tf.keras.losses, name)()
        for y in (labels, fg.cast(labels, fg.int64), labels.numpy(), fg.cast(labels, fg.bool)):
            assert np.allclose(loss(y, found), value, atol=1e-5), name
            assert np.allclose(fg.function(lambda y, p, loss=loss: loss(y, p))(y, found), value)
    assert np.allclose(tf.keras.losses.MSE(fg.constant([1, 2, 3]), fg.constant([2, 2, 4])), 2 / 3)


def case_functions_of_the_backend():
    value = lambda y: np.asarray(y).tolist()  # noqa: E731
    assert value(K.mean(x)) == 2.5 and value(K.sum(x, axis=0)) == [4.0, 6.0]
    assert value(K.gather(x, [1])) == [[3.0, 4.0]] and value(K.foldl(fg.add, x)) == [4.0, 6.0]
    assert value(K.in_top_k(x, [1, 0], 1)) == [True, False]
    assert value(K.switch(fg.constant(False), lambda: x, lambda: x * 2)) == [[2.0, 4.0], [6.0, 8.0]]
    assert value(K.pool2d(image, (2, 2))) == [[[[4.0]]]]
    assert value(K.conv2d(image, fg.ones([2, 2, 1, 1]))) == [[[[10.0]]]]
    assert K.conv2d_transpose(image, fg.ones([2, 2, 1, 1]), (1, 3, 3, 1)).shape == (1, 3, 3, 1)
    assert K.spatial_2d_padding(image).shape == (1, 4, 4, 1)
    variable = K.variable([1.0, 2.0])
    K.update_add(variable, [1.0, 1.0])
    K.update_sub(variable, [0.0, 1.0])
    assert value(K.get_value(variable)) == [2.0, 2.0]
    last, outputs, states = K.rnn(lambda i, s: (i + s[0], [i + s[0]]), x[None], [fg.zeros([1, 2])])
    assert value(last) == [[4.0, 6.0]] and value(outputs) == [[[1.0, 2.0], [4.0, 6.0]]]
    assert value(states[0]) == [[4.0, 6.0]]
    assert K.random_normal_variable((2,), 0.0, 1.0).shape == (2,)
    even = fg.nn.softmax(fg.ones([1, 4, 3]))
    cost = K.ctc_batch_cost(fg.constant([[0, 1]]), even, fg.constant([[4]]), fg.constant([[2]]))
    assert np.allclose(cost, 1.686399)


def case_the_profiler_says_where_profiles_are():
    profiler = tf.profiler.experimental
    with profiler.Profile("nowhere"), profiler.Trace("step", step_num=1):
        try:
            profiler.start("again")
        except fg.errors.AlreadyExistsError:
            pass
        else:
            raise AssertionError("two profiles at once")
    try:
        profiler.stop()
    except fg.errors.UnavailableError:
        return
    raise AssertionError("stopped twice")
