"""Saved models: written and read here, read from elsewhere, damaged, and refused."""

import functools
import importlib.util
import json
import os
import random
import shutil
from pathlib import Path

import ferrograph as fg
import numpy as np
import pytest

HERE = Path(__file__).parent
RECORDED = HERE / "recorded"
RECORDED_FOREIGN = HERE / "recorded" / "foreign"
SCALAR = fg.TensorSpec([], fg.float32, name="x")

_spec = importlib.util.spec_from_file_location("saved_models_of_tests", HERE / "models.py")
models = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(models)


def module(**attributes):
    found = fg.Module()
    for name, value in attributes.items():
        setattr(found, name, value)
    return found


def again(model, folder, **options):
    fg.saved_model.save(model, folder, **options)
    return fg.saved_model.load(folder)


def same(got, want, exact):
    assert got.keys() == want.keys()
    for name, value in got.items():
        wanted = np.asarray(want[name])
        if wanted.dtype.kind in "OSU" or exact:
            np.testing.assert_array_equal(value, wanted, err_msg=name)
        else:
            np.testing.assert_allclose(value, wanted, rtol=2e-5, atol=1e-6, err_msg=name)


def test_a_recorded_model_gives_what_was_recorded():
    loaded = fg.saved_model.load(RECORDED / "model")
    same(models.results(fg, loaded), json.loads((RECORDED / "results.json").read_text()), False)
    again = fg.saved_model.load(RECORDED / "model")
    found = again.signatures["dense"](x=fg.constant([[1.0, 2.0]]))
    assert sorted(found) == ["half", "y"]


def test_a_model_gives_the_same_bits_after_loading(tmp_path):
    model = models.make(fg)
    model.choose(fg.constant([1.0, 2.0]))
    model.choose(fg.constant([1.0, 2.0]), True)
    loaded = again(model, tmp_path / "m")
    twice = again(loaded, tmp_path / "n")
    want = models.results(fg, model)
    same(models.results(fg, loaded), want, True)
    same(models.results(fg, twice), want, True)


def test_a_recorded_model_is_saved_again(tmp_path):
    loaded = fg.saved_model.load(RECORDED / "model")
    other = again(fg.saved_model.load(RECORDED / "model"), tmp_path)
    same(models.results(fg, other), models.results(fg, loaded), True)


def test_functions_work_in_functions_and_under_tapes(tmp_path):
    model = module(v=fg.Variable(3.0))
    model.f = fg.function(lambda x: x * model.v, input_signature=[SCALAR])
    loaded = again(model, tmp_path)

    @fg.function
    def outer(x):
        return loaded.f(x) + 1.0

    x = fg.Variable(2.0)
    with fg.GradientTape() as tape:
        y = outer(x)
    assert float(y) == 7.0
    assert [float(g) for g in tape.gradient(y, [x, loaded.v])] == [3.0, 2.0]


def test_gradients_of_the_program_are_kept(tmp_path):
    @fg.custom_gradient
    def twice(x):
        return 2.0 * x, lambda dy: 7.0 * dy

    model = module(f=fg.function(lambda x: twice(x), input_signature=[SCALAR]))
    loaded = again(model, tmp_path)
    x = fg.Variable(1.0)
    with fg.GradientTape() as tape:
        y = loaded.f(x)
    assert (float(y), float(tape.gradient(y, x))) == (2.0, 7.0)


def test_floats_of_attributes_keep_all_their_digits(tmp_path):
    spec = fg.TensorSpec([None], fg.float64)
    leaky = fg.function(lambda x: fg.nn.leaky_relu(x, alpha=0.1), input_signature=[spec])
    loaded = again(module(f=leaky), tmp_path)
    x = fg.constant([-1.0 / 3.0], fg.float64)
    assert loaded.f(x).numpy() == leaky(x).numpy()


def test_tuples_lists_and_dictionaries_come_back(tmp_path):
    parts = (fg.Variable(1.0), [fg.Variable(2.0), {"k": fg.Variable(3.0)}])
    loaded = again(module(parts=parts, numbers=[1, 2]), tmp_path)
    assert type(loaded.parts) is tuple
    assert float(loaded.parts[0]) == 1.0
    assert float(loaded.parts[1][1]["k"]) == 3.0
    assert not hasattr(loaded, "numbers")


def test_mutable_tables_keep_their_contents(tmp_path):
    table = fg.lookup.experimental.MutableHashTable(fg.string, fg.int64, default_value=-1)
    table.insert(["a", "b"], [1, 2])
    model = module(table=table)
    spec = fg.TensorSpec([None], fg.string)
    model.find = fg.function(lambda k: table.lookup(k), input_signature=[spec])
    model.put = fg.function(lambda k: table.insert(k, fg.ones_like(k, fg.int64)), [spec])
    loaded = again(model, tmp_path)
    loaded.put(fg.constant(["c"]))
    assert loaded.find(fg.constant(["b", "z", "c"])).numpy().tolist() == [2, -1, 1]
    assert model.find(fg.constant(["c"])).numpy().tolist() == [-1]


def test_recorded_tables_have_what_they_had():
    model = fg.saved_model.load(str(RECORDED / "counts"))
    assert model.count(fg.constant(["a", "b", "c"])).numpy().tolist() == [6, 3, 1]
    assert model.weigh(fg.constant([7, 9, 8], fg.int64)).numpy().tolist() == [0.5, 1.5, -1.0]


def test_operations_with_several_lists_of_outputs_come_back(tmp_path):
    def example(n):
        Feature = fg.train.Feature
        floats = Feature(float_list=fg.train.FloatList(value=[1.0, 2.0]))
        ints = Feature(int64_list=fg.train.Int64List(value=list(range(n))))
        features = fg.train.Features(feature={"fixed": floats, "ragged": ints})
        return fg.train.Example(features=features).SerializeToString()

    kinds = {
        "fixed": fg.io.FixedLenFeature([2], fg.float32),
        "ragged": fg.io.RaggedFeature(fg.int64),
        "varying": fg.io.VarLenFeature(fg.string),
    }
    spec = fg.TensorSpec([None], fg.string)
    model = module(read=fg.function(lambda t: fg.io.parse_example(t, kinds), [spec]))
    found = again(model, tmp_path).read(fg.constant([example(1), example(3)]))
    assert found["fixed"].numpy().tolist() == [[1.0, 2.0]] * 2
    assert found["ragged"].to_list() == [[0], [0, 1, 2]]
    assert found["varying"].dense_shape.numpy().tolist() == [2, 0]


def test_a_call_that_no_trace_fits_names_the_closest_one(tmp_path):
    model = module()
    model.f = fg.function(lambda pair, flag=False: pair["a"] + pair["b"])
    model.f({"a": fg.constant([1.0]), "b": fg.constant([2.0])}, True)
    model.f({"a": fg.constant(1), "b": fg.constant(2)})
    loaded = again(model, tmp_path)
    with pytest.raises(ValueError, match=r"closest one is\n.*flag: True") as raised:
        loaded.f({"a": fg.constant([1.0]), "b": fg.constant([2.0, 3.0])}, True)
    assert "argument \"pair['b']\" is TensorSpec(shape=(2,)" in str(raised.value)
    with pytest.raises(TypeError, match="misses argument 'pair'"):
        loaded.f()


def test_an_untracked_variable_is_named(tmp_path):
    outside = fg.Variable(1.0, name="outside")
    model = module(f=fg.function(lambda x: x + outside, input_signature=[SCALAR]))
    with pytest.raises(AssertionError, match="root.f uses .*outside"):
        fg.saved_model.save(model, tmp_path / "m")
    assert not os.listdir(tmp_path)


def test_code_of_this_process_is_named(tmp_path):
    model = module()
    model.f = fg.function(
        lambda x: fg.py_function(lambda v: v, [x], fg.float32), input_signature=[SCALAR]
    )
    with pytest.raises(fg.errors.UnimplementedError, match="EagerPyFunc.*cannot be saved"):
        fg.saved_model.save(model, tmp_path / "m")


def test_an_object_among_the_arguments_is_named(tmp_path):
    model = module(f=fg.function(lambda x, thing: x))
    model.f(fg.constant(1.0), object())
    with pytest.raises(ValueError, match=r"root.f can't be saved: it was traced with an argument"):
        fg.saved_model.save(model, tmp_path / "m")


def test_a_signature_needs_one_trace(tmp_path):
    model = module(f=fg.function(lambda x: x))
    with pytest.raises(ValueError, match="has 0 traces. Give it an input_signature"):
        fg.saved_model.save(model, tmp_path / "m", signatures=model.f)
    with pytest.raises(TypeError, match="must be a function made by"):
        fg.saved_model.save(model, tmp_path / "m", signatures=lambda x: x)


def test_a_model_takes_the_place_of_another(tmp_path):
    (tmp_path / "other.txt").write_text("stays")
    fg.saved_model.save(module(v=fg.Variable(1.0)), tmp_path)
    loaded = again(module(v=fg.Variable(2.0)), tmp_path)
    assert float(loaded.v) == 2.0
    assert (tmp_path / "other.txt").read_text() == "stays"


def test_tags_choose_a_graph(tmp_path):
    fg.saved_model.save(module(v=fg.Variable(1.0)), tmp_path)
    assert float(fg.saved_model.load(tmp_path, tags="serve").v) == 1.0
    with pytest.raises(fg.errors.NotFoundError, match=r"none with \[\"gpu\"\]"):
        fg.saved_model.load(tmp_path, tags=["gpu"])


def test_every_flipped_bit_is_reported(tmp_path):
    model = module(v=fg.Variable(1.0))
    model.f = fg.function(lambda x: x * model.v, input_signature=[SCALAR])
    fg.saved_model.save(model, tmp_path)
    file = tmp_path / "saved_model.pb"
    whole = file.read_bytes()
    for bit in random.Random(1).sample(range(len(whole) * 8), 200):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        file.write_bytes(damaged)
        with pytest.raises(fg.errors.DataLossError):
            fg.saved_model.load(tmp_path)


def everything(folder):
    """A model with each kind of object."""
    (folder / "w").write_text("a\nb\n")
    model = module(v=fg.Variable(2.0), c=fg.constant([1.0, 2.0]), l=[fg.Variable([1, 2])])
    model.table, model.asset = of_lines(str(folder / "w")), fg.saved_model.Asset(folder / "w")
    spec = fg.RaggedTensorSpec([None, None], fg.float32)
    model.f = fg.function(lambda x, n=2, s="q": {"o": x * model.v * model.c}, [SCALAR])
    model.g = fg.function(lambda r: fg.cond(r.values[0] > 0, lambda: r, lambda: -r), [spec])
    model.find = fg.function(lambda w, *, k=1: (model.table.lookup(w), None), [WORDS])
    fg.saved_model.save(model, folder / "m")
    return folder / "m"


@pytest.mark.parametrize("recorded", [True, False], ids=["recorded", "saved"])
def test_damage_that_no_checksum_tells_is_refused_or_loads(recorded, tmp_path):
    folder = RECORDED / "model" if recorded else everything(tmp_path)
    folder = shutil.copytree(folder, tmp_path / "copy")
    (folder / "fingerprint.pb").unlink()
    whole = (folder / "saved_model.pb").read_bytes()
    source = random.Random(2)
    refused = 0
    for _ in range(int(os.environ.get("FERROGRAPH_FLIPS_OF_MODELS", "80"))):
        damaged = bytearray(whole)
        bit = source.randrange(len(whole) * 8)
        damaged[bit // 8] ^= 1 << bit % 8
        cut = source.choice([len(whole), len(whole), bit // 8])
        (folder / "saved_model.pb").write_bytes(damaged[:cut])
        try:
            fg.saved_model.load(folder)
        except (fg.errors.OpError, ValueError, NotImplementedError):
            refused += 1
    assert refused > 20


def test_a_file_outside_of_the_folder_is_not_read(tmp_path):
    (tmp_path / "secret").write_text("x")
    model = module(asset=fg.saved_model.Asset(tmp_path / "secret"))
    fg.saved_model.save(model, tmp_path / "m")
    file = tmp_path / "m" / "saved_model.pb"
    file.write_bytes(file.read_bytes().replace(b"\x06secret", b"\x06../../"))
    (tmp_path / "m" / "fingerprint.pb").unlink()
    with pytest.raises(fg.errors.DataLossError, match="outside of its folder"):
        fg.saved_model.load(tmp_path / "m")


def test_a_table_is_made_of_a_file_that_travels_along(tmp_path):
    words = tmp_path / "words"
    words.write_text("a\nb\nc\n")
    whole, number = fg.lookup.TextFileIndex.WHOLE_LINE, fg.lookup.TextFileIndex.LINE_NUMBER
    model = fg.Module()
    model.asset = fg.saved_model.Asset(words)
    lines = fg.lookup.TextFileInitializer(model.asset, fg.string, whole, fg.int64, number)
    model.table = fg.lookup.StaticHashTable(lines, -1)
    strings = fg.TensorSpec([None], fg.string)
    model.find = fg.function(lambda x: model.table.lookup(x), input_signature=[strings])
    assert model.find(["b", "z"]).numpy().tolist() == [1, -1]
    fg.saved_model.save(model, tmp_path / "m")
    words.unlink()
    assert fg.saved_model.load(tmp_path / "m").find(["c", "z"]).numpy().tolist() == [2, -1]


def test_graphs_travel_as_messages():
    def grow(x, y):
        while x < 10.0:
            x = x * y
        return x, fg.split(fg.stack([x, y]), 2)[1]

    concrete = fg.function(grow).get_concrete_function(SCALAR, fg.TensorSpec([], fg.float32))
    content = concrete.graph.as_graph_def().SerializeToString()
    names = [tensor.name for tensor in concrete.outputs]
    given = {"x:0": fg.constant(3.0), "y:0": fg.constant(2.0)}
    found = fg.graph_util.import_graph_def(content, given, names)
    traced = fg.function(lambda: fg.graph_util.import_graph_def(content, given, names))()
    for results in (found, traced):
        assert [np.asarray(t).tolist() for t in results] == [12.0, [2.0]]
    with pytest.raises(ValueError, match=r"no value for the placeholders \['y'\]"):
        fg.graph_util.import_graph_def(content, {"x": fg.constant(3.0)}, names)


def test_programs_without_objects_find_signatures_and_variables(tmp_path):
    model = module(v=fg.Variable(1.0, name="v"))
    model.f = fg.function(lambda x: x * model.v, input_signature=[SCALAR])
    fg.saved_model.save(model, tmp_path / "plain", signatures={})
    fg.saved_model.save(model, tmp_path / "signed", signatures=model.f)
    plain = (tmp_path / "plain" / "saved_model.pb").read_bytes()
    signed = (tmp_path / "signed" / "saved_model.pb").read_bytes()
    wanted = [
        b"serving_default_x:0",
        b"serving_default_call:0",
        b"saver_filename:0",
        b"VarHandleOp",
    ]
    wanted += [b"tensorflow/serving/predict", b"__saved_model_init_op", b"RestoreV2"]
    assert [name for name in wanted if name not in signed] == []
    assert [name for name in wanted if name in plain] == []


def test_operations_that_are_none_here_do_what_was_recorded():
    recorded = json.loads((HERE / "recorded" / "foreign.json").read_text())
    loaded = fg.saved_model.load(RECORDED_FOREIGN)
    found = models.foreign_results(fg, loaded, recorded["names"])
    assert sorted(found) == sorted(recorded["results"])
    for name, wanted in recorded["results"].items():
        for a, b in zip(found[name], wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6, err_msg=name)


# What the same programs give in tensorflow 2.21, which saves such defaults in this form.
@pytest.mark.parametrize(
    "default", [np.array([3.0, 4.0], np.float32), fg.constant([3.0, 4.0])], ids=["array", "tensor"]
)
@pytest.mark.parametrize("signature", [None, [fg.TensorSpec([2])] * 2], ids=["traced", "signature"])
def test_defaults_may_be_tensors_and_arrays(default, signature, tmp_path):
    @fg.function(input_signature=signature)
    def scale(x, y=default):
        return x * y

    scale(fg.constant([1.0, 2.0]))
    loaded = again(again(module(f=scale), tmp_path / "m"), tmp_path / "n")
    assert loaded.f(fg.constant([5.0, 1.0])).numpy().tolist() == [15.0, 4.0]
    assert loaded.f(fg.constant([5.0, 1.0]), fg.constant([2.0, 2.0])).numpy().tolist() == [10, 2]


def test_defaults_of_keywords_partial_functions_and_containers(tmp_path):
    two, one = fg.constant(2.0), fg.constant(1.0)

    @fg.function
    def keyword(x, *, y=two):
        return x * y

    pair = fg.function(lambda x, y=(two, one): x * y[0] + y[1])
    partial = fg.function(functools.partial(lambda x, y: x - y, y=two))
    model = module(keyword=keyword, pair=pair, partial=partial)
    for f in (keyword, pair, partial):
        f(fg.constant(1.0))
    loaded = again(model, tmp_path / "m")
    x = fg.constant(3.0)
    assert [float(f(x)) for f in (loaded.keyword, loaded.pair, loaded.partial)] == [6, 7, 1]
    assert float(loaded.keyword(x, y=fg.constant(5.0))) == 15.0


LINES = fg.lookup.TextFileIndex.WHOLE_LINE, fg.lookup.TextFileIndex.LINE_NUMBER
WORDS = fg.TensorSpec([None], fg.string, "words")


def of_lines(path, default=-1):
    whole, number = LINES
    lines = fg.lookup.TextFileInitializer(path, fg.string, whole, fg.int64, number)
    return fg.lookup.StaticHashTable(lines, default)


def finder(*tables):
    model = module(tables=list(tables))
    model.find = fg.function(
        lambda words: [t.lookup(words) for t in model.tables], input_signature=[WORDS]
    )
    return model


def test_the_files_of_tables_are_assets(tmp_path):
    """As tensorflow 2.21 does: names that two files have are numbered, a file is there once."""
    paths = [tmp_path / folder / "w.txt" for folder in ("a", "b")]
    for path, text in zip(paths, ["x\ny\n", "y\nz\n"], strict=True):
        path.parent.mkdir()
        path.write_text(text)
    tables = [of_lines(str(paths[0])), of_lines(str(paths[1])), of_lines(str(paths[0]), 7)]
    fg.saved_model.save(finder(*tables), tmp_path / "m")
    for path in paths:
        path.unlink()
    assets = tmp_path / "m" / "assets"
    assert sorted(p.name for p in assets.iterdir()) == ["w.txt", "w.txt_1"]
    shutil.move(tmp_path / "m", tmp_path / "moved")
    loaded = fg.saved_model.load(tmp_path / "moved")
    wanted = [[0, 1, -1], [-1, 0, 1], [0, 1, 7]]
    assert [t.numpy().tolist() for t in loaded.find(["x", "y", "z"])] == wanted
    # The file is what is read, and travels on.
    (tmp_path / "moved" / "assets" / "w.txt").write_text("y\nx\n")
    further = again(fg.saved_model.load(tmp_path / "moved"), tmp_path / "n")
    shutil.rmtree(tmp_path / "moved")
    again(further, tmp_path / "o")
    assert [t.numpy().tolist() for t in further.find(["x", "y"])][0] == [1, 0]
    assert sorted(p.name for p in (tmp_path / "o" / "assets").iterdir()) == ["w.txt", "w.txt_1"]


def test_a_table_whose_file_is_gone_keeps_its_contents(tmp_path):
    (tmp_path / "w").write_text("x\n")
    model = finder(of_lines(str(tmp_path / "w")))
    (tmp_path / "w").unlink()
    loaded = again(model, tmp_path / "m")
    assert [t.numpy().tolist() for t in loaded.find(["x", "y"])] == [[0, -1]]
    assert list((tmp_path / "m" / "assets").iterdir()) == []
