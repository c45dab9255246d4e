"""How tensors, variables and symbolic tensors print, character by character."""

from collections import Counter, OrderedDict

import ferrograph as fg
import pytest


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2, "fg.Tensor(2, shape=(), dtype=int32)"),
        (2.2, "fg.Tensor(2.2, shape=(), dtype=float32)"),
        ("aa", "fg.Tensor(b'aa', shape=(), dtype=string)"),
        (True, "fg.Tensor(True, shape=(), dtype=bool)"),
        (1j, "fg.Tensor(1j, shape=(), dtype=complex128)"),
        ([4, 1], "fg.Tensor([4 1], shape=(2,), dtype=int32)"),
        (["a", "b"], "fg.Tensor([b'a' b'b'], shape=(2,), dtype=string)"),
        ([[1, 2], [3, 4]], "fg.Tensor(\n[[1 2]\n [3 4]], shape=(2, 2), dtype=int32)"),
        ([], "fg.Tensor([], shape=(0,), dtype=float32)"),
    ],
)
def test_str(value, text):
    assert str(fg.constant(value)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "<fg.Tensor: shape=(), dtype=float32, numpy=1.0>"),
        (10, "<fg.Tensor: shape=(), dtype=int32, numpy=10>"),
        ("a", "<fg.Tensor: shape=(), dtype=string, numpy=b'a'>"),
        ([4, 1], "<fg.Tensor: shape=(2,), dtype=int32, numpy=array([4, 1], dtype=int32)>"),
        (
            [[2.0, 2.0], [2.0, 2.0]],
            "<fg.Tensor: shape=(2, 2), dtype=float32, numpy=\n"
            "array([[2., 2.],\n       [2., 2.]], dtype=float32)>",
        ),
    ],
)
def test_repr(value, text):
    assert repr(fg.constant(value)) == text


def test_bfloat16_prints_its_numbers():
    pytest.importorskip("ml_dtypes")
    assert str(fg.constant(1.5, fg.bfloat16)) == "fg.Tensor(1.5, shape=(), dtype=bfloat16)"


def test_format():
    x, n = fg.constant(3.14159), fg.constant(7)
    assert f"{x:.2f} {n:03d} {n}" == "3.14 007 7"
    assert f"{fg.constant([1, 2])}" == "[1 2]"
    assert "%d and %.1f" % (n, x) == "7 and 3.1"  # noqa: UP031


def test_symbolic_tensors():
    seen = {}

    @fg.function(
        input_signature=[fg.TensorSpec([None, 2], name="x"), fg.TensorSpec(None, name="y")]
    )
    def f(x, y):
        seen.update(x=(str(x), repr(x)), y=(str(y), repr(y), f"{y}"))
        return x

    f.get_concrete_function()
    assert seen["x"] == (
        'Tensor("x:0", shape=(None, 2), dtype=float32)',
        "<fg.Tensor 'x:0' shape=(None, 2) dtype=float32>",
    )
    assert seen["y"] == (
        'Tensor("y:0", dtype=float32)',
        "<fg.Tensor 'y:0' shape=<unknown> dtype=float32>",
        'Tensor("y:0", dtype=float32)',
    )


def test_variables():
    text = repr(fg.Variable(1, name="v"))
    assert text.startswith("<fg.Variable 'v:0' shape=() dtype=int32") and "1" in text


@fg.function(input_signature=[fg.TensorSpec([], fg.int32)])
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


def test_graphs_that_call_themselves_or_python_print():
    graph = factorial.get_concrete_function().graph
    assert f'object "@{graph.name}"' in str(graph) and "RecursiveCall" in str(graph)

    @fg.function(input_signature=[fg.TensorSpec([])])
    def called(x):
        return fg.py_function(lambda y: y + 1.0, [x], fg.float32)

    graph = called.get_concrete_function().graph
    assert str(graph).startswith(f'graph "{graph.name}"') and "PyFunc" in str(graph)


def _printed(folder, value, **options):
    """What ``print`` writes of a value: now, and as part of a graph."""
    found = []
    for i, run in enumerate([lambda f: f, fg.function]):
        path = folder / str(i)
        run(lambda to=path: fg.print(value, output_stream=f"file://{to}", **options))()
        found.append(path.read_text()[:-1])
        path.unlink()
    assert found[0] == found[1]
    return found[0]


# As tensorflow 2.21 prints these.
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": fg.constant([1, 2])}, "{'a': [1 2], 'b': 1}"),
        (
            ({"b": {"z": 1, "a": 2}, "a": [{"y": 1}]},),
            "({'a': [{'y': 1}], 'b': {'a': 2, 'z': 1}},)",
        ),
        ({3: 1, 1: 2, 10: 5}, "{1: 2, 3: 1, 10: 5}"),
        ({(2, 1): 1, (1, 5): 2}, "{(1, 5): 2, (2, 1): 1}"),
        (OrderedDict(b=1, a=2), repr(OrderedDict(b=1, a=2))),
        (OrderedDict(b=fg.constant(1), a=2), "OrderedDict([('b', 1), ('a', 2)])"),
        (Counter("abca"), "Counter({'a': 2, 'b': 1, 'c': 1})"),
    ],
)
def test_dicts_are_printed_by_their_keys(value, text, tmp_path):
    assert _printed(tmp_path, value) == text


LONG = [list(range(9)), *[[i] for i in range(8)]]


# As tensorflow 2.21 prints these.
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([[1.5], [], [2.0]], "[[1.500000], [], [2.000000]]"),
        ([["a", "it's"], []], "[['a', 'it\\'s'], []]"),
        ([[[1], []], [[2, 3]]], "[[[1], []], [[2, 3]]]"),
        ([[], []], "[[], []]"),
        (LONG, "[[0, 1, 2, ..., 6, 7, 8], [0], [1], ..., [5], [6], [7]]"),
    ],
)
def test_ragged_tensors_are_printed_as_lists(value, text, tmp_path):
    assert _printed(tmp_path, fg.ragged.constant(value)) == text


def test_values_of_several_tensors_within_others(tmp_path):
    ragged = fg.ragged.constant([[[1, 2]], []], ragged_rank=1)
    sparse = fg.sparse.from_dense([["a", ""]])
    assert _printed(tmp_path, ({"s": sparse, "a": 1}, ragged)) == (
        "({'a': 1, 's': 'SparseTensor(indices=[[0 0]], values=[\"a\"], shape=[1 2])'}, "
        "[[[1, 2]], []])"
    )
    assert _printed(tmp_path, fg.ragged.constant(LONG), summarize=1) == "[[0, ..., 8], ..., [7]]"
    assert fg.strings.format("<{}> {}", [ragged, fg.constant(1)]) == b"<[[[1, 2]], []]> 1"
