"""Saved models give the program ``ferrograph`` and Rust the bits that they give here."""

import importlib
import json
import math
import os
import re
import shutil
import sys
from pathlib import Path

import ferrograph as fg
import numpy as np
import processor_time
import pytest

ROOT = Path(__file__).parent.parent.parent
PACKAGE = str(Path(fg.__file__).parent.parent)
RECORDED = Path(__file__).parent / "recorded" / "model"
MAIN = "import sys; from ferrograph._src.interfaces.command import main; sys.exit(main())"


def ferrograph(*args, status=0):
    """What the program says on standard output, or on standard error where it fails."""
    done = processor_time.run(
        [sys.executable, "-c", MAIN, *map(str, args)],
        capture_output=True,
        text=True,
        seconds=60,
        env={**os.environ, "PYTHONPATH": PACKAGE},
    )
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder of a model with a signature for each kind of value."""
    made = fg.Module()
    rng = np.random.default_rng(3)
    made.kernel = fg.Variable(rng.standard_normal((3, 3, 1, 4)).astype(np.float32))
    made.w = fg.Variable(rng.standard_normal((2, 2)).astype(np.float32))
    keys = fg.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8], value_dtype=fg.int64)
    made.table = fg.lookup.StaticHashTable(keys, -1)

    def spec(*shape, dtype=fg.float32, name="x"):
        return fg.TensorSpec(list(shape), dtype, name=name)

    @fg.function(input_signature=[spec(None, 8, 8, 1)])
    def conv(x):
        y = fg.nn.relu(fg.nn.conv2d(x, made.kernel, 1, "SAME"))
        return {"y": fg.nn.softmax(fg.reshape(y, [fg.shape(y)[0], -1]))}

    @fg.function(input_signature=[spec(None, None, 2)])
    def recurrent(x):
        h = fg.zeros([fg.shape(x)[0], 2])
        states = fg.TensorArray(fg.float32, size=0, dynamic_size=True)
        for i in fg.range(fg.shape(x)[1]):
            h = fg.tanh(x[:, i] @ made.w + h)
            states = states.write(i, h)
        return {"states": fg.transpose(states.stack(), [1, 0, 2]), "last": h}

    @fg.function(input_signature=[spec(None, dtype=fg.string, name="words")])
    def look(words):
        return {"found": made.table.lookup(words), "joined": words + "!", "is_a": words == "a"}

    @fg.function(input_signature=[fg.RaggedTensorSpec([None, None], fg.float32)])
    def ragged(rows):
        return {"sums": fg.reduce_sum(rows, axis=1), "doubled": rows * 2.0}

    @fg.function(input_signature=[spec(None, dtype=fg.complex128), spec(dtype=fg.int8, name="n")])
    def numbers(x, n):
        half = fg.cast(n, fg.float16) / 2
        return {"angle": fg.math.angle(x), "half": half, "sign": fg.cast(n, fg.uint64)}

    @fg.function(input_signature=[spec(dtype=fg.int32, name="i"), spec(2)])
    def pick(i, x):
        branches = [lambda: x, lambda: fg.linalg.matvec(made.w, x), lambda: fg.sin(x)]
        return {"picked": fg.switch_case(i, branches, default=lambda: -x)}

    @fg.function(input_signature=[spec(dtype=fg.int32, name="n"), spec(2)])
    def slope(n, x):
        with fg.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x
            for _ in fg.range(n):
                y = fg.linalg.matvec(made.w, fg.sin(y)) * x
        return {"of_x": tape.gradient(y, x), "of_w": tape.gradient(y, made.w)}

    @fg.function(input_signature=[spec(dtype=fg.int32, name="n"), spec(2)])
    def power(n, x):
        return fg.ones_like(x) if n <= 0 else fg.sin(x) * power(n - 1, x)

    @fg.function(input_signature=[spec(dtype=fg.int32, name="n"), spec(2)])
    def recursion(n, x):
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = power(n, x)
        return {"y": y, "slope": tape.gradient(y, x)}

    made.conv, made.recurrent, made.look, made.ragged = conv, recurrent, look, ragged
    made.numbers, made.pick, made.slope, made.recursion = numbers, pick, slope, recursion
    names = [
        *("conv", "recurrent", "look", "ragged", "numbers"),
        *("pick", "slope", "recursion"),
    ]
    folder = tmp_path_factory.mktemp("saved") / "model"
    fg.saved_model.save(made, folder, signatures={name: getattr(made, name) for name in names})
    return folder


CALLS = {
    "conv": {"x": np.random.default_rng(1).standard_normal((2, 8, 8, 1)).astype(np.float32)},
    "recurrent": {"x": np.random.default_rng(2).standard_normal((3, 50, 2)).astype(np.float32)},
    "look": {"words": np.array(["b", "zé", "a"])},
    "numbers": {"x": np.array([1 + 2j, -3j]), "n": np.array(-5, np.int8)},
    "pick": {"i": np.array(2, np.int32), "x": np.array([0.5, -1.5], np.float32)},
    "slope": {"n": np.array(5, np.int32), "x": np.array([0.5, -1.5], np.float32)},
    "recursion": {"n": np.array(4, np.int32), "x": np.array([0.5, -1.5], np.float32)},
}


@pytest.mark.parametrize("name", CALLS)
def test_the_program_gives_the_bits_of_python(model, tmp_path, name):
    inputs = CALLS[name]
    np.savez(tmp_path / "in.npz", **inputs)
    out = tmp_path / "out.npz"
    ferrograph("run", model, "--signature", name, "--inputs", tmp_path / "in.npz", "--output", out)
    loaded = fg.saved_model.load(model)
    want = loaded.signatures[name](**{key: fg.constant(value) for key, value in inputs.items()})
    found = np.load(out)
    assert sorted(found) == sorted(want)
    for key, value in want.items():
        value = value.numpy()
        if value.dtype == object:
            assert found[key].tolist() == value.tolist()
        else:
            assert (found[key].dtype, found[key].tobytes()) == (value.dtype, value.tobytes())


def test_ragged_tensors_go_by_their_parts(model, tmp_path):
    rows = fg.ragged.constant([[1.0, 2.5], [], [3.0]])
    name = "ragged"
    (_, inputs), *_ = [
        line.strip().split("(", 1)
        for line in ferrograph("inspect", model).splitlines()
        if line.startswith("  ragged(")
    ]
    flat, splits = [part.split(":")[0] for part in inputs.split(")")[0].split(", ")]
    np.savez_compressed(
        tmp_path / "in.npz", **{flat: rows.flat_values.numpy(), splits: rows.row_splits.numpy()}
    )
    out = tmp_path / "out.npz"
    ferrograph("run", model, "--signature", name, "--inputs", tmp_path / "in.npz", "--output", out)
    found = np.load(out)
    assert found["sums"].tolist() == [3.5, 0.0, 3.0]
    assert found["doubled.flat_values"].tolist() == [2.0, 5.0, 6.0]
    assert found["doubled.row_splits_0"].tolist() == [0, 2, 2, 3]


def test_inspect_tells_what_there_is():
    said = ferrograph("inspect", RECORDED)
    assert "tags: serve\n" in said
    assert "  dense(x: float32[?,2]) -> half: float32[?,2], y: float32[?,2]\n" in said
    assert "choose(x: float32[2], training: True, scale: 2.0) -> float32[2]" in said
    assert "      scale: variable float32" in said
    graph = ferrograph("inspect", RECORDED, "--graph", "dense")
    assert "MatMul" in graph


def test_single_files_are_inputs_and_results_are_printed(tmp_path):
    x = np.asfortranarray(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))
    np.save(tmp_path / "x.npy", x)
    said = ferrograph("run", RECORDED, "--input", f"x={tmp_path / 'x.npy'}")
    assert said.startswith("half: float32[2,2]\n  [[0.5, 1],\n   [1.5, 2]]\ny: ")


def answer(model, name, *inputs):
    """The values that a signature gives for inputs that are written on the command line."""
    given = [part for text in inputs for part in ("--input", text)]
    said = json.loads(ferrograph("run", model, "--signature", name, *given, "--json"))
    assert (said.pop("schema"), said.pop("signature")) == (1, name)
    (outputs,) = said.values()
    return {key: (value["dtype"], value["value"]) for key, value in outputs.items()}


def test_inputs_may_be_written_on_the_command_line(model):
    words = ("string", ["b!", "zé!"])
    found = answer(model, "look", 'words=["b", "zé"]')
    assert found == {"found": ("int64", [8, -1]), "joined": words, "is_a": ("bool", [False, False])}
    joined = answer(model, "look", 'words=[{"b64": "/wA="}]')["joined"]
    assert joined == ("string", [{"b64": "/wAh"}])
    found = answer(model, "numbers", 'x=[[1, 2], [0, -3], ["NaN", 0]]', "n=-5")
    assert (found["half"], found["sign"]) == (("float16", -2.5), ("uint64", 2**64 - 5))
    assert found["angle"] == ("float64", [math.atan2(2, 1), -math.pi / 2, "NaN"])
    said = ferrograph("run", model, "--signature", "look", "--input", 'words=["a\'", "b"]')
    assert said.startswith("found: int64[2]\n  [-1, 8]\n")
    assert 'joined: string[2]\n  ["a\'!", "b!"]\n' in said
    assert answer(model, "pick", "i=0", "x=[0.1, -0.0]")["picked"] == ("float32", [0.1, -0.0])
    found = answer(model, "pick", "i=7", 'x=["Infinity", 1e-7]')
    assert found["picked"] == ("float32", ["-Infinity", -1e-7])


def test_what_a_model_holds_is_told_as_json():
    said = json.loads(ferrograph("inspect", RECORDED, "--json"))
    assert sorted(said) == ["functions", "objects", "schema", "signatures", "tags", "variables"]
    assert (said["schema"], said["tags"]) == (1, ["serve"])

    def tensors(*names):
        return [{"name": name, "dtype": "float32", "shape": [None, 2]} for name in names]

    dense = {"name": "dense", "inputs": tensors("x"), "outputs": tensors("half", "y")}
    assert said["signatures"] == [dense]
    (choose,) = (f for f in said["functions"] if f["name"] == "choose")
    assert len(choose["traces"]) == 2
    call = "choose(x: float32[2], training: True, scale: 2.0) -> float32[2]"
    assert choose["traces"][1]["call"] == call
    assert {"path": "table", "kind": "table"} in said["objects"]
    (w,) = (v for v in said["variables"] if v["path"] == "w")
    assert (w["dtype"], w["shape"]) == ("float32", [2, 2])
    said = json.loads(ferrograph("inspect", RECORDED, "--graph", "dense", "--json"))
    assert (said["schema"], said["name"]) == (1, "dense")
    assert "MatMul" in said["graph"]


def test_results_are_written_and_told(tmp_path):
    np.save(tmp_path / "x", np.array([[1.0, 2.0]], np.float32))
    (tmp_path / "x.npy").rename(tmp_path / "array")
    out = tmp_path / "out.npz"
    given = ("--input", f"x=@{tmp_path / 'array'}", "--output", out)
    assert ferrograph("run", RECORDED, *given) == ""
    said = json.loads(ferrograph("run", RECORDED, *given, "--json"))
    assert said["outputs"]["half"] == {"dtype": "float32", "shape": [1, 2], "value": [[0.5, 1.0]]}
    assert np.load(out)["half"].tolist() == [[0.5, 1.0]]


@pytest.mark.parametrize("command", ["inspect", "run"])
def test_each_command_has_help(command):
    said = ferrograph("help", command)
    assert said.startswith(("Print the tags", "Call a signature"))
    assert f"usage: ferrograph {command} PATH" in said
    assert ferrograph(command, "--help") == said
    options = re.findall(r"^  (--[a-z]+)", said, flags=re.M)
    assert "--json" in options
    for option in options:
        takes_none = option in ("--json", "--serve")
        wrong = "needs the folder" if takes_none else f"{option} needs a value"
        assert wrong in ferrograph(command, option, status=2)


def test_what_is_wrong_is_said_in_one_line(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((1, 2)))
    np.save(tmp_path / "o.npy", np.array([{}]), allow_pickle=True)
    (tmp_path / "short.npy").write_bytes((tmp_path / "x.npy").read_bytes()[:-1])
    (tmp_path / "no.npz").write_text("not an archive")
    damaged = tmp_path / "damaged"
    shutil.copytree(RECORDED, damaged)
    (damaged / "saved_model.pb").write_bytes(b"\xff" * 100)

    def run(*args):
        return "run", RECORDED, *args

    for status, said, args in [
        (1, "SavedModel file does not exist at: ", ("inspect", tmp_path / "nothing")),
        (1, "saved_model.pb is damaged: ", ("inspect", damaged)),
        (1, 'no signature "other"; it has ["dense"]', run("--signature", "other")),
        (1, 'misses input "x"; it takes x: float32[?,2]', run()),
        (1, "is float64[1,2], not float32[?,2]", run("--input", f"x={tmp_path}/x.npy")),
        (1, "/y.npy; No such file", run("--input", f"x={tmp_path}/y.npy")),
        (1, '"|O" are not read', run("--input", f"x={tmp_path}/o.npy")),
        (1, "has other than 15 bytes", run("--input", f"x={tmp_path}/short.npy")),
        (1, "this is no .npz file", run("--inputs", tmp_path / "no.npz")),
        (1, 'no function "none"; it has [', ("inspect", RECORDED, "--graph", "none")),
        (1, 'no input "X" (did you mean "x"?)', run("--input", "X=1")),
        (1, 'no signature "dnse" (did you mean "dense"?)', run("--signature", "dnse")),
        (1, "is float32[2], not float32[?,2]", run("--input", "x=[1, 2]")),
        (1, 'input "x" takes float32[?,2]: true is no float32', run("--input", "x=true")),
        (1, "lists of 2 and 1 elements in one array", run("--input", "x=[[1, 2], [3]]")),
        (1, "is neither JSON (", run("--input", "x=x.npz")),
        (2, "--input is NAME=VALUE or NAME=FILE.npy", run("--input", "x")),
        (2, "run has no option --inptu; did you mean --input?", run("--inptu", "x=1")),
        (2, 'there is no command "inspct"; did you mean inspect?', ("inspct", RECORDED)),
        (2, 'there is no command "walk"', ("walk",)),
        (2, "a command is missing", ()),
    ]:
        found = ferrograph(*args, status=status)
        assert found.startswith("ferrograph: "), found
        assert said in found
        assert found.count("\n") == 1


def test_a_model_that_is_no_sound_one_fails_without_a_fault(tmp_path):
    """No fingerprint: what follows from damage is an error or another model, never a fault."""
    folder = tmp_path / "m"
    shutil.copytree(RECORDED, folder)
    (folder / "fingerprint.pb").unlink()
    whole = (folder / "saved_model.pb").read_bytes()
    for cut in range(0, len(whole), len(whole) // 5):
        (folder / "saved_model.pb").write_bytes(whole[:cut])
        assert "report it" not in ferrograph("inspect", folder, status=1)


def test_the_wheel_has_the_program():
    tomllib = pytest.importorskip("tomllib")  # in Python from 3.11 on
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, _, name = scripts["ferrograph"].partition(":")
    assert callable(getattr(importlib.import_module(module), name))
    assert "usage: ferrograph inspect PATH" in ferrograph("--help")


BUILD_SERVE = "cargo build --release -p ferrograph -p ferrograph-python --example serve"


def is_fresh(program):
    """Whether a program that cargo built is as new as all sources that it is made of."""
    rule = program.with_suffix(".d").read_text().partition(": ")[2]
    sources = rule.strip().replace("\\ ", "\0").split(" ")
    built = program.stat().st_mtime
    files = (Path(source.replace("\0", " ")) for source in sources)
    return all(file.is_file() and file.stat().st_mtime <= built for file in files)


@pytest.fixture(scope="module")
def serve():
    """The program ``examples/serve.rs``, built from the sources that are there."""
    places = [ROOT / "target" / kind / "examples" / "serve" for kind in ("release", "debug")]
    built = [program for program in places if program.is_file()]
    fresh = [program for program in built if is_fresh(program)]
    if not built and shutil.which("cargo") is None:
        pytest.skip("examples/serve.rs is not built and there is no cargo to build it")
    state = "older than its sources" if built else "not built"
    assert fresh, f"examples/serve.rs is {state}: run `make test-rust`, or `{BUILD_SERVE}`"
    return fresh[0]


def test_a_program_older_than_its_sources_is_not_taken(tmp_path):
    source, program = tmp_path / "a source.rs", tmp_path / "serve"
    source.write_text("1")
    program.write_text("2")
    (tmp_path / "serve.d").write_text(f"{program}: {str(source).replace(' ', chr(92) + ' ')}\n")
    os.utime(source, (100, 100))
    os.utime(program, (100, 200))
    assert is_fresh(program)
    os.utime(source, (300, 300))
    assert not is_fresh(program)
    source.unlink()
    assert not is_fresh(program)


def test_the_digits_classifier_answers_from_rust_with_the_same_bits(serve, tmp_path):
    rng = np.random.default_rng(0)
    sources = (ROOT / "examples" / "digits.py").read_text()
    network_source = sources[sources.index("class Network") : sources.index("def load(")]
    space = {"fg": fg, "np": np, "HIDDEN": 32, "PIXELS": 64, "BATCH": 16, "LEARNING_RATE": 0.2}
    (tmp_path / "network.py").write_text(network_source)
    exec(compile(network_source, tmp_path / "network.py", "exec"), space)
    network = space["Network"](rng, 64, 10)
    prototypes = rng.random((10, 64), dtype=np.float32)
    labels = rng.integers(0, 10, 320)
    noise = rng.random((320, 64), dtype=np.float32) / 4
    images = prototypes[labels] + noise
    for _ in range(3):
        network.train_epoch(fg.constant(images), fg.constant(labels))
    fg.saved_model.save(network, tmp_path / "m", signatures=network.classify)

    lines = [" ".join(repr(float(pixel)) for pixel in image) for image in images[:50]]
    done = processor_time.run(
        [serve, tmp_path / "m"], input="\n".join(lines), capture_output=True, text=True, seconds=60
    )
    assert done.returncode == 0, done.stderr
    loaded = fg.saved_model.load(tmp_path / "m")
    n_right = 0
    for line, image, label in zip(done.stdout.splitlines(), images, labels, strict=False):
        scores = loaded.signatures["serving_default"](images=fg.constant(image[None]))["scores"]
        best, *bits = line.split()
        assert bits == [f"{word:08x}" for word in scores.numpy().view(np.uint32)[0]]
        assert int(best) == int(np.argmax(scores.numpy()))
        n_right += int(best) == label
    assert done.stdout.count("\n") == 50
    assert n_right > 40, "it did not learn"
