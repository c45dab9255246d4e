"""Models of Keras in functions of the program's own, and what data they take."""

import pickle
import tempfile

import ferrograph as fg
import numpy as np

keras = fg.keras
x = np.random.default_rng(0).normal(size=(32, 4)).astype("float32")
y = x.sum(1, keepdims=True)
data = fg.data.Dataset.from_tensor_slices((x, y)).batch(8)


class Penalised(keras.layers.Layer):
    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], 3), initializer="ones")

    def call(self, x):
        found = fg.matmul(x, self.kernel)
        self.add_loss(0.1 * fg.reduce_mean(found**2))
        return found


def made():
    """A model of known weights, and its optimizer."""
    model = keras.Sequential([keras.Input((4,)), Penalised(), keras.layers.Dense(1)])
    model.set_weights([np.full(w.shape, 0.2, "float32") for w in model.get_weights()])
    optimizer = keras.optimizers.Adam(0.01)
    optimizer.build(model.trainable_variables)
    return model, optimizer


def epoch(model, optimizer, data):
    """One pass over the data; the sum of losses."""
    total = fg.constant(0.0)
    for features, labels in data:
        with fg.GradientTape() as tape:
            error = fg.reduce_mean((model(features, training=True) - labels) ** 2)
            loss = error + fg.add_n(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        total += loss
    return total


def case_losses_that_layers_add_in_a_staged_loop():
    found = []
    for run in (lambda f: f, fg.function):
        model, optimizer = made()
        train = run(epoch)
        losses = [float(train(model, optimizer, data)) for _ in range(3)]
        found.append([*losses, model.get_weights()[0].sum()])
    assert np.allclose(found[0], found[1], rtol=1e-5), found
    assert found[0][2] < found[0][0]


def case_losses_of_a_branch_are_not_read_behind_it():
    model, _ = made()

    @fg.function
    def f(x):
        if fg.reduce_sum(x) > 0:
            model(x)
        else:
            model(-x)
        return fg.add_n(model.losses)

    try:
        f(fg.constant(x))
    except TypeError:
        model(x)
        assert np.isfinite(float(fg.add_n(model.losses)))
    else:
        raise AssertionError("a tensor of a branch was used behind it")


def case_tensors_of_strings_are_data():
    words = keras.layers.StringLookup(vocabulary=["a", "b"])
    inputs = keras.Input((2,), dtype="string")
    model = keras.Model(inputs, words(inputs))
    found = model.predict(fg.constant([["a", "b"], ["b", "c"]]), verbose=0)
    assert found.tolist() == [[1, 2], [2, 0]]


def case_tensors_are_sliced_into_batches():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    tensors = fg.constant(x), fg.constant(y)
    model.fit(*tensors, batch_size=5, validation_split=0.25, verbose=0)
    doubles = fg.cast(tensors[0], "float64")
    assert model.predict(doubles, batch_size=7, verbose=0).shape == (32, 1)
    assert (pickle.loads(pickle.dumps(tensors[0])).numpy() == x).all()


def case_models_are_saved_with_the_signature_that_serves_them():
    model, _ = made()
    with tempfile.TemporaryDirectory() as folder:
        fg.saved_model.save(model, folder)
        loaded = fg.saved_model.load(folder)
    found = loaded.signatures["serving_default"](fg.constant(x))["output_0"]
    assert np.allclose(found, model(x), atol=1e-6)


def case_models_are_exported_with_an_endpoint():
    model, _ = made()
    with tempfile.TemporaryDirectory() as folder:
        model.export(folder, format="tf_saved_model", verbose=False)
        loaded = fg.saved_model.load(folder)
    assert np.allclose(loaded.serve(fg.constant(x)), model(x), atol=1e-6)


def case_models_are_built_in_branches_and_loops():
    found = []
    for steps in (1, 3):
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.layers.Dense(3), keras.layers.Dense(1)])
        model.compile("adam", "mse", steps_per_execution=steps)
        losses = model.fit(x, y, batch_size=5, epochs=2, shuffle=False, verbose=0).history["loss"]
        found.append([*losses, *(w.sum() for w in model.get_weights())])
    assert len(found[0]) == 6 and np.allclose(*found, rtol=1e-5), found


def case_pairs_of_features_are_hashed():
    crossing = keras.layers.HashedCrossing(num_bins=5, output_mode="one_hot")
    found = crossing((np.array(["A", "B", "A", "C", "A"]), np.array([101, 101, 101, 102, 103])))
    assert np.asarray(found).argmax(-1).tolist() == [1, 4, 1, 2, 4]
