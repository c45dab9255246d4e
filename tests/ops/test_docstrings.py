"""The public operations have signatures and documentation, and one object for all their names."""

import inspect

import ferrograph as fg
import pytest

SPACES = ["math", "nn", "linalg", "strings", "random", "debugging", "bitwise"]
PUBLIC = sorted(
    {
        (space, name)
        for space in SPACES
        for name in getattr(fg, space).__all__
        if inspect.isfunction(getattr(getattr(fg, space), name))
    }
)


@pytest.mark.parametrize("space, name", PUBLIC, ids=".".join)
def test_documentation_and_signature(space, name):
    function = getattr(getattr(fg, space), name)
    assert function.__doc__
    assert function.__doc__.strip().splitlines()[0]
    inspect.signature(function)


@pytest.mark.parametrize("space", SPACES)
def test_a_name_is_one_object_everywhere(space):
    """``fg.abs is fg.math.abs``, and so for each name at the top level."""
    module = getattr(fg, space)
    for name in set(module.__all__) & set(fg.__all__):
        if (space, name) not in {
            ("strings", "split"),
            ("random", "split"),
            ("nn", "experimental"),
            ("random", "experimental"),
        }:
            assert getattr(module, name) is getattr(fg, name), name
