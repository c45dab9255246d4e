"""Models, functions and tables that Keras exports and saves.

The values are those of TensorFlow 2.21.0 with Keras 3.15.1, unless a comment says otherwise.
"""

import tempfile

import ferrograph as fg
import numpy as np

keras = fg.keras


def place():
    return tempfile.mkdtemp() + "/model"


def ones(units, **options):
    return keras.layers.Dense(units, kernel_initializer="ones", **options)


def written(archive):
    """What an archive is once it is loaded."""
    path = place()
    archive.write_out(path, verbose=False)
    return fg.saved_model.load(path)


def exported(model):
    path = place()
    model.export(path, verbose=False)
    return fg.saved_model.load(path)


def case_an_archive_has_several_endpoints():
    model = keras.Sequential([keras.Input([3]), ones(2), keras.layers.Dropout(0.5)])
    archive = keras.export.ExportArchive()
    archive.track(model)
    spec = fg.TensorSpec([None, 3], fg.float32)
    archive.add_endpoint(
        "infer",
        lambda x: model(x, training=False),
        input_signature=[keras.InputSpec(shape=(None, 3), dtype="float32")],
    )
    archive.add_endpoint("double", lambda x: {"y": model(x) * 2.0}, input_signature=[spec])
    archive.add_endpoint("two", lambda x, y: model(x) + model(y), input_signature=[spec, spec])
    archive.add_variable_collection("kept", model.variables)
    loaded, x = written(archive), fg.ones([1, 3])
    assert loaded.infer(x).numpy().tolist() == [[3.0, 3.0]]
    assert loaded.double(x)["y"].numpy().tolist() == [[6.0, 6.0]]
    assert loaded.two(x, x).numpy().tolist() == [[6.0, 6.0]]
    assert sorted(loaded.signatures) == ["double", "infer", "serving_default", "two"]
    assert len(loaded.kept) == 3


def case_an_endpoint_is_a_traced_function_with_its_own_signature():
    model = keras.Sequential([keras.Input([2]), ones(1)])
    table = fg.lookup.StaticHashTable(
        fg.lookup.KeyValueTensorInitializer(["a", "b"], [0.5, 1.5]), default_value=0.0
    )

    @fg.function(input_signature=[fg.TensorSpec([None, 2], fg.string)])
    def serve(words):
        return {"y": model(table.lookup(words))}

    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.track(table)
    archive.add_endpoint("serve", serve)
    loaded = written(archive)
    assert loaded.serve(fg.constant([["a", "b"]]))["y"].numpy().tolist() == [[2.0]]


def case_an_endpoint_is_a_function_with_several_traces():
    @fg.function
    def double(x):
        return x * 2

    double(fg.constant(1.0))
    double(fg.constant([1, 2]))
    archive = keras.export.ExportArchive()
    archive.add_endpoint("double", double)
    loaded = written(archive)
    assert float(loaded.double(fg.constant(2.0))) == 4.0
    assert loaded.double(fg.constant([5, 6])).numpy().tolist() == [10, 12]


def case_a_function_without_traces_is_no_endpoint():
    try:
        keras.export.ExportArchive().add_endpoint("f", fg.function(lambda x: x))
    except ValueError as e:
        assert "never been called" in str(e)
    else:
        raise AssertionError("taken")


def case_an_endpoint_calls_another():
    model = keras.Sequential([keras.Input([2]), ones(1)])
    table = fg.lookup.experimental.MutableHashTable(fg.string, fg.float32, 0.0)
    table.insert(fg.constant(["a"]), fg.constant([2.0]))
    archive = keras.export.ExportArchive()
    inner = archive.track_and_add_endpoint("inner", model, [fg.TensorSpec([None, 2], fg.float32)])
    archive.track(table)
    archive.add_endpoint(
        "outer",
        lambda words: inner(table.lookup(words)),
        input_signature=[fg.TensorSpec([None, 2], fg.string)],
    )
    assert written(archive).outer(fg.constant([["a", "b"]])).numpy().tolist() == [[2.0]]


def case_a_table_that_is_not_tracked_is_refused():
    table = fg.lookup.StaticHashTable(fg.lookup.KeyValueTensorInitializer(["a"], [1.0]), 0.0)
    archive = keras.export.ExportArchive()
    archive.add_endpoint(
        "f", lambda x: table.lookup(x), input_signature=[fg.TensorSpec([None], fg.string)]
    )
    try:
        written(archive)
    except AssertionError as e:
        assert "does not refer to" in str(e)
    else:
        raise AssertionError("saved")


class Mapped(keras.layers.Layer):
    """A layer that holds its table where the argument says."""

    def __init__(self, how, **options):
        super().__init__(**options)
        init = fg.lookup.KeyValueTensorInitializer([0, 1], [5.0, 7.0])
        table = fg.lookup.StaticHashTable(init, -1.0)
        self.held = {"plain": table, "list": [table], "dict": {"t": table}}[how]

    def call(self, x):
        table = self.held
        if not hasattr(table, "lookup"):
            table = table[0] if isinstance(table, list) else table["t"]
        return table.lookup(fg.cast(x, fg.int32))


class Outer(keras.layers.Layer):
    def __init__(self, how, **options):
        super().__init__(**options)
        self.inner = Mapped(how)

    def call(self, x):
        return self.inner(x) + 1.0


def case_tables_are_attributes_of_layers():
    places = ["plain", "list", "dict"]
    if tuple(map(int, keras.__version__.split(".")[:2])) < (3, 13):
        places = ["plain"]  # Keras 3.12 looks for tables where checkpoints do, not in its own lists
    for where in places:
        loaded = exported(keras.Sequential([keras.Input([2]), Mapped(where)]))
        assert loaded.serve(fg.constant([[0.0, 1.0]])).numpy().tolist() == [[5.0, 7.0]]
    loaded = exported(keras.Sequential([keras.Input([2]), Outer("plain")]))
    assert loaded.serve(fg.constant([[0.0, 2.0]])).numpy().tolist() == [[6.0, 0.0]]


def case_lookups_of_keras_are_exported_and_saved():
    made = [
        (keras.layers.StringLookup(output_mode="int"), ["a", "b", "a"], ["a", "z"], [[1], [0]]),
        (keras.layers.IntegerLookup(), [5, 6, 5], [5, 9], [[1], [0]]),
        (keras.layers.StringLookup(output_mode="one_hot"), ["a", "b", "a"], ["a"], [[0, 1, 0]]),
    ]
    for layer, words, asked, want in made:
        layer.adapt(np.array(words))
        dtype = "string" if isinstance(words[0], str) else "int64"
        model = keras.Sequential([keras.Input([1], dtype=dtype), layer])
        x = fg.constant([[word] for word in asked], dtype)
        path, file = place(), place() + ".keras"
        fg.saved_model.save(model, path)
        model.save(file)
        (saved,) = fg.saved_model.load(path).signatures["serving_default"](x).values()
        for found in (model(x), exported(model).serve(x), saved, keras.models.load_model(file)(x)):
            assert found.numpy().tolist() == want


def case_models_of_texts_are_saved_after_training():
    """TensorFlow refuses these, as variables of the training are gone; the model needs none."""
    texts = keras.layers.TextVectorization(output_sequence_length=4)
    texts.adapt(fg.data.Dataset.from_tensor_slices(["the cat sat", "a dog", "the the"]).batch(2))
    model = keras.Sequential(
        [
            keras.Input([], dtype="string"),
            texts,
            keras.layers.Embedding(20, 2, embeddings_initializer="ones"),
            keras.layers.GlobalAveragePooling1D(),
            ones(1),
        ]
    )
    model.compile("sgd", "mse")
    model.fit(fg.constant(["the cat", "dog sat"]), np.array([[1.0], [0.0]]), verbose=0)
    x, path, file = fg.constant(["the dog"]), place(), place() + ".keras"
    fg.saved_model.save(model, path)
    model.save(file)
    (saved,) = fg.saved_model.load(path).signatures["serving_default"](x).values()
    again = keras.models.load_model(file)
    assert again.layers[0].get_vocabulary() == texts.get_vocabulary()
    for found in (exported(model).serve(x), saved, again(x)):
        assert np.allclose(found, model(x))


def case_a_layer_that_counts_is_exported_after_training():
    class Counting(keras.layers.Layer):
        def build(self, input_shape):
            self.count = self.add_weight(shape=(), initializer="zeros", trainable=False)

        def call(self, x, training=False):
            if training:
                self.count.assign_add(1.0)
            return x + self.count

    model = keras.Sequential([keras.Input([2]), Counting()])
    model.compile("sgd", "mse")
    model.fit(np.ones([6, 2]), np.ones([6, 2]), batch_size=2, verbose=0)
    assert exported(model).serve(fg.ones([1, 2])).numpy().tolist() == [[4.0, 4.0]]
