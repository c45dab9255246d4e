"""Every public function and class has an example in its docstring, and the examples run."""

import doctest
import importlib
import inspect
import runpy
from pathlib import Path

import ferrograph as fg
import pytest
from ferrograph import _src

GENERATOR = Path(__file__).parents[2] / "python" / "generate.py"
FLAGS = doctest.NORMALIZE_WHITESPACE
SOURCES = Path(_src.__path__[0])
MODULES = [
    ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCES.rglob("*.py"))
    if ">>> " in path.read_text()
]


def declared():
    """Each public function and class, with its public names."""
    names: dict[tuple, list] = {}
    for space, publics in runpy.run_path(str(GENERATOR))["declared"]().items():
        for public in publics:
            full = f"{space}.{public.name}".lstrip(".")
            names.setdefault((public.module, public.attribute), []).append(full)
    for (module, attribute), full in sorted(names.items()):
        value = getattr(importlib.import_module(f"ferrograph._src.{module}"), attribute)
        if callable(value) and not is_numpys(value):
            yield value, full


def is_numpys(value):
    """NumPy's own dtypes and their like have NumPy's documentation."""
    return (value.__module__ or "").partition(".")[0] == "numpy"


DECLARED = list(declared())


def run(tests):
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    failures = []
    for test in tests:
        runner.run(test, out=failures.append)
    assert not failures, "".join(failures)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = importlib.import_module(f"ferrograph._src.{name}")
    run(doctest.DocTestFinder().find(module, name, globs={"fg": fg}))


def test_native_examples_run():
    parser = doctest.DocTestParser()
    natives = [(v, n) for v, n in DECLARED if type(v).__module__ == "builtins" and not is_python(v)]
    assert natives
    run(
        parser.get_doctest(inspect.getdoc(value), {"fg": fg}, names[0], None, None)
        for value, names in natives
    )


def is_python(value):
    try:
        return inspect.getsourcefile(value) is not None
    except TypeError:
        return False


def test_every_public_name_has_an_example():
    without = [names[0] for value, names in DECLARED if ">>> " not in (inspect.getdoc(value) or "")]
    assert without == []
