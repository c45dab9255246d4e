"""Every public function and class has an example in its docstring, and the examples run."""

import doctest
import importlib
import inspect
import os
import runpy
import sys
from functools import cached_property
from pathlib import Path

import ferrograph as fg
import processor_time

PACKAGE = Path(fg.__file__).parent
GENERATOR = Path(__file__).parents[2] / "python" / "generate.py"
FLAGS = doctest.NORMALIZE_WHITESPACE
NATIVE = "ferrograph._core"
MODULES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
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


def documented():
    """The names and the texts of the docstrings with examples, each once.

    DocTestFinder would pass over most of them: it takes what says that it is of the module it
    looks into, and public functions say that they are of their public module.
    """
    seen = {}

    def visit(value, name):
        if id(value) in seen:
            return
        seen[id(value)] = value  # kept, so that no other value gets its id
        if isinstance(text := value.__doc__, str) and ">>> " in text:
            yield name, inspect.cleandoc(text)
        if inspect.isclass(value):
            for base in filter(is_ours, value.__mro__):
                for attribute, member in vars(base).items():
                    if (member := code_of(member)) is not None:
                        yield from visit(member, f"{name}.{attribute}")

    for value, names in DECLARED:
        yield from visit(value, names[0])
    for source in [NATIVE, *MODULES]:
        module = importlib.import_module(source)
        yield from visit(module, source)
        for name, value in list(vars(module).items()):
            if (inspect.isclass(value) or inspect.isroutine(value)) and is_ours(value):
                yield from visit(value, f"{source}.{name}")


def is_ours(value):
    """Whether a class, a function or the descriptor of a native class is of this package."""
    owner = getattr(value, "__objclass__", value)
    return (getattr(owner, "__module__", None) or "").partition(".")[0] == "ferrograph"


def code_of(member):
    """The function or the property that is a member of a class; None for other members."""
    if isinstance(member, classmethod | staticmethod):
        return code_of(member.__func__)
    if isinstance(member, cached_property):
        return code_of(member.func)
    if isinstance(member, property):
        return member if is_ours(member.fget) else None
    code = inspect.isroutine(member) or inspect.isgetsetdescriptor(member)
    return member if code and is_ours(member) else None


def run_all():
    """Run all examples: how many were run, and what they do not print as they say."""
    parser = doctest.DocTestParser()
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    wrong = []
    for name, text in documented():
        values = {"fg": fg, "__name__": "__main__"}  # the module of classes that examples define
        test = parser.get_doctest(text, values, name, None, None)
        for example in test.examples:
            if (example.exc_msg or "").endswith("Error: ...\n"):
                example.options[doctest.ELLIPSIS] = True
        runner.run(test, out=wrong.append)
    return runner.tries, "".join(wrong)


def test_examples_run(tmp_path):
    """In a process of their own, since they read settings and change some."""
    done = processor_time.run(
        [sys.executable, __file__],
        capture_output=True,
        text=True,
        seconds=120,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[-1]) > 1800


def test_every_docstring_with_examples_is_found():
    texts = {text for _, text in documented()}
    missing = []
    for value, names in DECLARED:
        text = inspect.cleandoc(value.__doc__ or "")
        if ">>> " in text and text not in texts:
            missing.append(names[0])
    assert missing == [] and len(texts) > 1100


def test_every_public_name_has_an_example():
    without = [names[0] for value, names in DECLARED if ">>> " not in (inspect.getdoc(value) or "")]
    assert without == []


if __name__ == "__main__":
    count, text = run_all()
    print(f"{text}\nexamples run: {count}")
    sys.exit(bool(text))
