"""Tensors take attributes, which live as long as they do."""

import gc
import weakref

import ferrograph as fg
import pytest


class Kept:
    """Something whose end can be seen."""


def test_attributes_come_and_go():
    t = fg.constant([1.0])
    assert not hasattr(t, "_mask")
    t._mask = "kept"
    assert t._mask == "kept"
    assert vars(t) == {"_mask": "kept"}
    assert not hasattr(t + 1, "_mask")
    del t._mask
    assert not hasattr(t, "_mask")


def test_what_a_tensor_keeps_ends_with_it():
    t, kept = fg.constant([1.0]), Kept()
    end = weakref.ref(kept)
    t.kept = kept
    del kept
    gc.collect()
    assert end() is not None
    del t
    gc.collect()
    assert end() is None


@pytest.mark.parametrize("name", ["shape", "dtype", "device"])
def test_what_a_tensor_is_stays(name):
    t = fg.constant([1.0])
    with pytest.raises(AttributeError):
        setattr(t, name, 3)


def test_symbolic_tensors_take_them():
    @fg.function
    def f(x):
        y = x + 1
        y._mask = x
        return y._mask

    assert int(f(fg.constant(3))) == 3


@pytest.mark.parametrize("positive", [1.0, -1.0])
def test_a_branch_sets_one(positive):
    def f(x):
        y = x * 2
        y.tag = fg.constant(0.0)
        if fg.reduce_sum(x) > 0:
            y.tag = y.tag + 1.0
        return y.tag

    x = fg.constant([positive])
    assert float(fg.function(f)(x)) == float(f(x))


def test_a_loop_sets_one():
    def f(n):
        y = fg.constant(1.0)
        y.total = fg.constant(0)
        for i in fg.range(n):
            y.total = y.total + i
        return y.total

    assert int(fg.function(f)(fg.constant(4))) == int(f(fg.constant(4))) == 6


def test_a_branch_sets_one_of_an_argument():
    def f(x, t):
        if x > 0:
            t.tag = "positive"
        else:
            t.tag = "negative"
        return x

    t = fg.constant(0)
    with pytest.raises((TypeError, ValueError), match="on an argument"):
        fg.function(f)(fg.constant(1), t)


def test_a_loop_sets_one_of_its_variable():
    def f(n):
        y = fg.constant(1.0)
        while fg.reduce_sum(y) < n:
            y.seen = True
            y = y + 1.0
        return getattr(y, "seen", False)

    with pytest.raises(TypeError, match="variable of a loop"):
        fg.function(f)(fg.constant(4.0))
