"""What is printed calls the package by one name: `fg`, or the one that the program has set."""

import ast
import re
from pathlib import Path

import ferrograph as fg
import ferrograph as pkg
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
OTHER = {"fg": "tf", "tf": "fg"}

# Where names that begin with `tf.` are those in files, which say the same under every name.
IN_FILES = {"compat/spec_names.py", "data/described.py"}


class Point(fg.experimental.ExtensionType):
    x: fg.Tensor
    y: fg.Tensor


def forms():
    """Printed values, one or more of each public kind."""
    ragged = fg.ragged.constant([[1, 2], [3]])
    sparse = fg.sparse.from_dense([[1.0, 0.0]])
    rows = fg.IndexedSlices(fg.constant([[1.0]]), fg.constant([1]), fg.constant([2, 1]))
    variable = fg.Variable(1.5, name="v")
    dataset = fg.data.Dataset.range(3)
    iterator = iter(dataset)
    double = fg.function(lambda x: x * 2)
    concrete = double.get_concrete_function(fg.TensorSpec([None], fg.float32))
    operation = concrete.graph.get_operations()[0]
    partition = fg.experimental.RowPartition.from_row_splits([0, 2, 3])
    uniform = fg.experimental.RowPartition.from_uniform_row_length(2, nvals=4)
    shape = fg.experimental.DynamicRaggedShape.from_tensor(ragged)
    context = fg.distribute.InputContext()
    values = [
        fg.constant(1),
        fg.constant([1.5, 2.5]),
        fg.constant("text"),
        *(getattr(fg, name) for name in ("float32", "bfloat16", "string", "resource", "variant")),
        fg.TensorShape([None, 2]),
        fg.TensorSpec([None], fg.float32),
        variable,
        ragged,
        ragged.shape,
        fg.type_spec_from_value(ragged),
        sparse,
        fg.type_spec_from_value(sparse),
        rows,
        fg.type_spec_from_value(rows),
        fg.type_spec_from_value(variable),
        fg.TensorArray(fg.float32, 2),
        dataset,
        dataset.element_spec,
        dataset.batch(2).options(),
        iterator,
        iterator.get_next_as_optional(),
        double,
        concrete,
        concrete.function_type,
        concrete.pretty_printed_signature(),
        concrete.graph,
        operation,
        operation.outputs[0],
        concrete.structured_outputs,
        partition,
        uniform,
        shape,
        shape.static_inner_shape if hasattr(shape, "static_inner_shape") else shape.rank,
        context,
        fg.linalg.LinearOperatorIdentity(2),
        Point(1, 2),
        fg.type_spec_from_value(Point(1, 2)),
        fg.CriticalSection(name="one"),
        fg.Module(name="m"),
        fg.random.Generator.from_seed(1),
        fg.GradientTape(),
        fg.config.list_physical_devices(),
        fg.queue.FIFOQueue(1, [fg.int32]),
        fg.lookup.experimental.MutableHashTable(fg.string, fg.int64, -1),
        fg.train.Checkpoint(v=variable),
        fg.constant(1.0).ref(),
        double.explain(),
        fg.trace_report(),
    ]
    for value in values:
        yield repr(value)
        yield str(value)
        yield f"{value}"
    yield from symbolic_forms(ragged, variable)


def symbolic_forms(ragged, variable):
    texts = []

    @fg.function
    def show(x, r):
        for value in (x, r, variable, x.dtype, fg.sparse.from_dense(x)):
            texts.extend([repr(value), str(value)])
        return x

    show(fg.constant([[1.0]]), ragged)
    return texts


def mistakes():
    """Programs whose errors say what to write, from many parts of the package. Their lines, which
    messages repeat, call it by neither name."""
    x = pkg.constant([1.0, 2.0])

    @pkg.function
    def leaves_dtype(x):
        for _ in pkg.range(3):
            x = x / 2
        return x

    @pkg.function
    def leaves_shape(x):
        for _ in pkg.range(3):
            x = pkg.concat([x, x], 0)
        return x

    @pkg.function
    def mixes(x):
        return pkg.constant(1) + x

    @pkg.function
    def opens(x):
        if x > 0:
            open("/dev/null", "w").close()
        return x

    yield lambda: pkg.constant(1) + x
    yield lambda: bool(x)
    yield lambda: hash(x)
    yield lambda: x.__setitem__(0, 1.0)
    yield lambda: pkg.constant(2.5, pkg.int32)
    yield lambda: pkg.constant(1e39)
    yield lambda: pkg.strings.join([x, x])
    yield lambda: pkg.ones([2], pkg.string)
    yield lambda: pkg.asarray
    yield lambda: pkg.RegisterGradient
    yield lambda: pkg.data.experimental.SqlDataset
    yield lambda: leaves_dtype(pkg.constant(8))
    yield lambda: leaves_shape(x)
    yield lambda: mixes(x)
    yield lambda: opens(pkg.constant(1.0))
    yield lambda: pkg.summary.trace_export("x")
    yield lambda: pkg.data.TextLineDataset(1.5)
    yield lambda: pkg.map_fn(lambda y: pkg.cast(y, pkg.int32), x, fn_output_signature=pkg.float32)
    yield lambda: pkg.Variable(x).scatter_update(1.0)


def messages():
    for mistake in mistakes():
        with pytest.raises(Exception) as raised:
            mistake()
        yield str(raised.value)


@pytest.fixture(params=["fg", "tf"])
def name(request):
    fg.config.set_printed_name(request.param)
    yield request.param
    fg.config.set_printed_name("fg")


def others(text, name):
    """Where a text names the package otherwise. The name of a module is the same under any name:
    Python itself writes `<MODULE.CLASS object at …>` and `module 'MODULE'`."""
    text = re.sub(r"<ferrograph\.[\w.]+ object at 0x\w+>|'ferrograph[\w.]*'", "", text)
    return re.findall(rf"\b(?:{OTHER[name]}|ferrograph)\.\w+|<{OTHER[name]}\b", text)


def test_printed_values_have_one_name(name):
    texts = list(forms())
    assert {text: others(text, name) for text in texts if others(text, name)} == {}
    assert sum(f"{name}." in text for text in texts) > 25


def test_messages_have_one_name(name):
    texts = list(messages())
    assert {text: others(text, name) for text in texts if others(text, name)} == {}
    assert sum(f"{name}." in text for text in texts) > 12


def test_the_name_is_the_one_that_was_set(name):
    assert fg.config.get_printed_name() == name
    assert repr(fg.float32) == f"{name}.float32"
    assert str(fg.constant(1)) == f"{name}.Tensor(1, shape=(), dtype=int32)"
    assert repr(fg.constant(1)) == f"<{name}.Tensor: shape=(), dtype=int32, numpy=1>"


@pytest.mark.parametrize(
    ("given", "error"), [(1, TypeError), (b"fg", TypeError), ("", ValueError), ("a b", ValueError)]
)
def test_a_name_that_no_module_has_is_refused(given, error):
    with pytest.raises(error, match="argument 'name' of set_printed_name"):
        fg.config.set_printed_name(given)
    assert fg.config.get_printed_name() == "fg"


def test_programs_that_import_tensorflow_see_tf(run_python):
    run_python(
        """
        import ferrograph as fg
        assert repr(fg.int32) == "fg.int32"
        fg.as_tensorflow()
        import tensorflow as tf
        assert repr(tf.int32) == "tf.int32" == repr(fg.int32)
        assert str(tf.constant(1)) == "tf.Tensor(1, shape=(), dtype=int32)"
        """
    )


def test_keras_keeps_the_name(run_python):
    pytest.importorskip("keras")
    run_python(
        """
        import ferrograph as fg
        fg.keras.layers.Dense(1)(fg.ones([1, 2]))
        assert repr(fg.int32) == "fg.int32"
        """
    )


def literals(file):
    """The string literals of a module that are no docstrings, and their lines."""
    tree = ast.parse(file.read_text())
    docs = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and node not in docs and ">>> " not in node.value and "\n\n" not in node.value:
            yield node.lineno, node.value


def test_no_literal_has_a_name_of_its_own():
    source = ROOT / "python" / "ferrograph" / "_src"
    found = [
        f"{path}:{line}: {text}"
        for file in sorted(source.rglob("*.py"))
        if (path := file.relative_to(source).as_posix()) not in IN_FILES
        for line, text in literals(file)
        if re.search(r"(?<![\w./`]`)\b(?:fg|tf)\.|<(?:fg|tf)\b", text)
    ]
    assert found == []


def test_no_literal_of_the_core_has_a_name_of_its_own():
    found = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in sorted((ROOT / "crates").rglob("*.rs"))
        for number, line in enumerate(file.read_text().splitlines(), 1)
        if not line.lstrip().startswith("//") and re.search(r"(?<![\w.])(?:fg|tf)\.[a-z_]", line)
    ]
    assert found == []


def test_arrays_print_as_numpy_prints_them(name):
    value = np.arange(3)
    assert str(fg.constant(value)) == f"{name}.Tensor({value}, shape=(3,), dtype=int64)"
