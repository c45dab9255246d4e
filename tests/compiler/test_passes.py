"""Graphs are rewritten before they are planned; what users see, errors and effects stay."""

import subprocess
import sys
import textwrap

import ferrograph as fg
import pytest
from ferrograph import _core


def counts() -> dict:
    return {name: (rewrites, removed) for name, rewrites, removed in _core.pass_counts()}


def test_passes_count_what_they_remove():
    @fg.function
    def f(x):
        twice = (x + 1.0) * (x + 1.0)
        return fg.identity(twice) + fg.constant(2.0) * fg.constant(3.0)

    before = counts()
    assert f(fg.constant(2.0)).numpy() == 15.0
    after = counts()
    assert list(after) == ["fold", "transpose_elimination", "simplify", "cse", "prune"]
    for name in ["fold", "simplify", "cse", "prune"]:
        assert after[name] > before[name], name


def test_the_graph_that_users_see_is_the_traced_one():
    @fg.function
    def f(x):
        return fg.identity(fg.identity(x)) + 0

    concrete = f.get_concrete_function(fg.TensorSpec([], fg.int32))
    names = [op.name for op in concrete.graph.get_operations()]
    concrete(fg.constant(1))
    assert [op.name for op in concrete.graph.get_operations()] == names
    assert len(names) >= 4


def test_errors_name_the_line_and_node_of_the_user():
    @fg.function
    def f(x, y):
        x = fg.identity(fg.identity(x))
        unneeded = x + 1.0  # noqa: F841
        return fg.matmul(x, y, name="product")

    unknown = fg.TensorSpec([None, None], fg.float32)
    concrete = f.get_concrete_function(unknown, unknown)
    with pytest.raises(fg.errors.InvalidArgumentError, match=r"test_passes\.py") as caught:
        concrete(fg.zeros([2, 3]), fg.zeros([2, 3]))
    assert "MatMul" in str(caught.value)


def test_effects_keep_their_order():
    v = fg.Variable(1.0)

    @fg.function
    def f(x):
        first = v + 0.0
        v.assign(x)
        second = v + 0.0
        v.assign_add(1.0)
        v.assign_add(1.0)
        return first, second, v + 0.0

    assert [t.numpy() for t in f(fg.constant(5.0))] == [1.0, 5.0, 7.0]


def test_random_numbers_are_drawn_as_often_as_the_program_says():
    @fg.function
    def f():
        return fg.random.uniform([8]), fg.random.uniform([8])

    first, second = f()
    assert (first.numpy() != second.numpy()).any()


def test_bits_stay():
    @fg.function
    def f(x):
        return x + 0.0, x - 0.0, x * 1.0, fg.negative(-x), x / 1.0

    minus = fg.constant([-0.0, float("nan"), float("inf")])
    for found, expected in zip(f(minus), f.python_function(minus), strict=True):
        assert found.numpy().tobytes() == expected.numpy().tobytes()


def test_gradients_see_the_graph_as_it_was_traced():
    @fg.function
    def f(x):
        return fg.stop_gradient(x) * fg.identity(x)

    x = fg.constant(3.0)
    f(x)
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy() == 3.0


def test_rewriting_can_be_stopped():
    program = """
        import ferrograph as fg
        from ferrograph import _core

        @fg.function
        def f(x):
            return fg.identity(fg.identity(fg.identity(x))) * 2.0

        f(fg.constant(1.0))
        print(sum(rewrites for _, rewrites, _ in _core.pass_counts()))
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    for limit in (0, 2):
        environment = {"FERROGRAPH_MAX_REWRITES": str(limit)}
        run = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        assert run.stdout == f"{limit}\n"
