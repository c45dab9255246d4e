"""How docstrings become pages: examples are blocks of code, where Markdown would see quotations."""

import importlib.util
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md"))


@pytest.fixture
def examples(monkeypatch):
    """The extension of the site, without griffe, which only the site needs."""
    griffe = types.ModuleType("griffe")
    griffe.Extension = griffe.Object = griffe.Module = object
    monkeypatch.setitem(sys.modules, "griffe", griffe)
    spec = importlib.util.spec_from_file_location("examples", ROOT / "docs/site/examples.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_examples_are_fenced(examples):
    text = "Doubles.\n\n>>> double(1)\n2\n\nArgs:\n  x: a number.\n\n  >>> f(\n  ...     1)\n  1"
    assert examples.fenced(text).splitlines() == [
        "Doubles.", "", "```pycon", ">>> double(1)", "2", "```", "", "Args:", "  x: a number.", "",
        "  ```pycon", "  >>> f(", "  ...     1)", "  1", "  ```",
    ]  # fmt: skip


def test_an_example_right_behind_a_text_has_a_line_before_it(examples):
    assert examples.fenced("See:\n>>> 1\n1").splitlines() == [
        "See:",
        "",
        "```pycon",
        ">>> 1",
        "1",
        "```",
    ]


def test_an_object_is_fenced_once(examples):
    held = types.SimpleNamespace(docstring=types.SimpleNamespace(value=">>> 1\n1"))
    examples.fence(held)
    examples.fence(held)
    assert held.docstring.value.count("```pycon") == 1


@pytest.mark.parametrize("page", PAGES)
def test_each_page_is_in_the_navigation(page):
    assert f" {page}\n" in (ROOT / "mkdocs.yml").read_text()
