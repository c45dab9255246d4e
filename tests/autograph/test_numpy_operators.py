"""Operators of tensors that represent NumPy arrays: asked while a trace has such, and no longer."""

import operator

import ferrograph as fg
import numpy as np
import pytest
from ferrograph._src.native import _core

NAMES = ("add", "radd", "sub", "mul", "truediv", "matmul", "eq", "lt", "getitem", "iadd")


def slots():
    return {name: getattr(_core.SymbolicTensor, f"__{name}__", None) for name in NAMES}


@fg.function
def merged(x):
    a = np.array([1, 2])
    if x > 2.0:
        a = a * 2
    return a / np.array([2, 2])


def test_a_merged_array_changes_no_class():
    before = slots()
    assert merged(fg.constant(3.0)).numpy().tolist() == [1.0, 2.0]
    assert slots() == before


def test_operators_are_plain_again_after_the_trace():
    merged.get_concrete_function(fg.TensorSpec([], fg.float32))

    @fg.function
    def plain(x):
        return x + [1, 2], x == None  # noqa: E711

    total, is_none = plain(fg.constant([1, 2]))
    assert total.numpy().tolist() == [2, 4] and not is_none


@pytest.mark.parametrize("change", [operator.iadd, operator.imul, operator.ifloordiv])
def test_an_array_that_others_read_is_not_changed_in_place(change):
    @fg.function
    def program(x):
        a = np.array([1, 2])
        if x > 2.0:
            a = a * 2
        change(a, 5)
        return a

    with pytest.raises(fg.errors.StagingError, match="in place"):
        program(fg.constant(3.0))


def test_symbolic_tensors_have_no_methods_that_change_them():
    assert not [name for name in dir(_core.SymbolicTensor) if name in ("__iadd__", "__imul__")]


def test_augmented_assignments_of_tensors_are_plain_operators():
    @fg.function
    def program(x):
        y = x
        y += 1
        y *= 2
        y **= 2
        return x, y

    x, y = program(fg.constant(3))
    assert (int(x), int(y)) == (3, 64)
