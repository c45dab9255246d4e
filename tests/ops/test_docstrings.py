"""The public operations have signatures, documentation, and examples that run."""

import doctest
import importlib
import inspect
import pkgutil
import runpy
from pathlib import Path

import ferrograph as fg
import pytest
from ferrograph._src import ops

MODULES = [m.name for m in pkgutil.iter_modules(ops.__path__) if not m.name.startswith("_")]
GENERATOR = Path(__file__).parents[2] / "python" / "generate.py"
SPACES = ["math", "nn", "linalg", "strings", "random", "debugging", "bitwise"]
PUBLIC = sorted(
    {
        (space, name)
        for space in SPACES
        for name in getattr(fg, space).__all__
        if inspect.isfunction(getattr(getattr(fg, space), name))
    }
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"ferrograph._src.ops.{name}")
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    failures = []
    for test in doctest.DocTestFinder().find(module, module.__name__, globs={"fg": fg}):
        runner.run(test, out=failures.append)
    assert not failures, "".join(failures)


@pytest.mark.parametrize("space, name", PUBLIC, ids=".".join)
def test_documentation_and_signature(space, name):
    function = getattr(getattr(fg, space), name)
    assert function.__doc__
    assert function.__doc__.strip().splitlines()[0]
    inspect.signature(function)


def test_every_operation_has_an_example():
    declared = runpy.run_path(str(GENERATOR))["declared"]()
    functions = {
        (public.module, public.attribute)
        for names in declared.values()
        for public in names
        if public.module.startswith("ops.")
    }
    without = [
        f"{module}.{name}"
        for module, name in sorted(functions)
        if inspect.isfunction(
            function := getattr(importlib.import_module(f"ferrograph._src.{module}"), name)
        )
        and ">>> " not in function.__doc__
    ]
    assert without == []


@pytest.mark.parametrize("space", SPACES)
def test_a_name_is_one_object_everywhere(space):
    """``fg.abs is fg.math.abs``, and so for each name at the top level."""
    module = getattr(fg, space)
    for name in set(module.__all__) & set(fg.__all__):
        if (space, name) not in {("strings", "split"), ("random", "split")}:
            assert getattr(module, name) is getattr(fg, name), name
