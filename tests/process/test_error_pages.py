"""The page of each class of errors: its programs fail as it says, and its cures run.

A page is `error_pages/NAME.md`: under each heading a program that fails, what Python writes of the
error, and the cure, which is a program, too.

    python tests/process/test_error_pages.py    writes anew what is shown, to be read as a change
"""

import contextlib
import inspect
import io
import linecache
import re
import sys
import tempfile
from pathlib import Path

import ferrograph as fg
import pytest
from ferrograph._src.interfaces import command, explained_errors

PAGES = Path(fg.__file__).parent / "_src" / "interfaces" / "error_pages"
SOURCE = Path(__file__).parents[2] / "python" / "ferrograph" / "_src" / "interfaces" / "error_pages"
PART = re.compile(
    r"^## (?P<title>[^\n]+)\n```python no-run: it fails\n(?P<fails>.*?)^```\n\n"
    r"```text\n(?P<shown>.*?)^```\n\n(?P<why>.*?)\n\n```python\n(?P<cure>.*?)^```\n",
    re.MULTILINE | re.DOTALL,
)
FOOTER = re.compile(r"^(?:\(Frames of ferrograph|help: ).*\n", re.MULTILINE)

# What differs from run to run: folders, numbers of graphs, times, the memory of the machine.
VARYING = [
    (re.escape(tempfile.gettempdir()) + r"/tmp\w+", "/tmp/folder"),
    (r"(__inference_\w+?)_\d+", r"\1_1"),
    (r"; \d+ ms", "; 0 ms"),
    (r"than the \d+ that", "than the 16000000000 that"),
]


def parts_of(text):
    return [match.groupdict() for match in PART.finditer(text)]


PARTS = [
    pytest.param(page.stem, part, id=f"{page.stem}: {part['title']}")
    for page in sorted(PAGES.glob("*.md"))
    for part in parts_of(page.read_text())
]


def error_classes():
    """The public classes of exceptions, by their names."""
    return {
        name: found
        for module in (fg.errors, fg.autograph.errors)
        for name in dir(module)
        if inspect.isclass(found := getattr(module, name)) and issubclass(found, BaseException)
    }


def run(program, folder):
    file = Path(folder) / "program.py"
    file.write_text(program)
    linecache.checkcache()
    exec(compile(program, str(file), "exec"), {"__name__": "__main__", "__file__": str(file)})


def shown_of(program, folder, kind):
    """The error of that class, or its subclass, in which a program ends, and what Python writes of
    it where nobody catches it."""
    with contextlib.redirect_stderr(io.StringIO()) as written:
        try:
            run(program, folder)
        except Exception as error:
            raised = error if isinstance(error, kind) else error.__cause__
            sys.excepthook(type(error), error, error.__traceback__)
        else:
            return None, ""
    name = f"{type(raised).__module__}.{type(raised).__qualname__}"
    text = "\n" + FOOTER.sub("", written.getvalue())
    text = text[text.rindex(f"\n{name}: ") + 1 :].partition("\n\nThe above exception")[0]
    for pattern, plain in ((re.escape(str(folder)) + "/", ""), *VARYING):
        text = re.sub(pattern, plain, text)
    return raised, text.rstrip() + "\n"


def test_every_public_class_has_a_page():
    assert sorted(error_classes()) == sorted(page.stem for page in PAGES.glob("*.md"))
    assert list(explained_errors.names()) == sorted(error_classes())


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_a_page_has_its_parts(page):
    text = page.read_text()
    parts = parts_of(text)
    space = "autograph.errors" if hasattr(fg.autograph.errors, page.stem) else "errors"
    assert text.startswith(f"# {page.stem}\n\n`fg.{space}.{page.stem}`\n\n")
    assert 2 <= len(parts) <= 4
    assert len(parts) == text.count("\n## ") and text.count("```") == 6 * len(parts)


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_a_program_fails_as_its_page_says(name, part, tmp_path):
    kind = error_classes()[name]
    error, shown = shown_of(part["fails"], tmp_path, kind)
    assert isinstance(error, kind)
    assert shown == part["shown"]


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_a_cure_runs(name, part, tmp_path):
    assert part["cure"] != part["fails"]
    run(part["cure"], tmp_path)


@pytest.mark.parametrize(
    "asked", ["OutOfRangeError", "fg.errors.OutOfRangeError", "outofrangeerror"]
)
def test_a_page_is_printed(asked, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ferrograph", "explain", asked])
    assert command.main() == 0
    assert capsys.readouterr().out == (PAGES / "OutOfRangeError.md").read_text()


@pytest.mark.parametrize(
    ("asked", "said"),
    [("OutOfRangeErorr", "did you mean OutOfRangeError?"), ("x", "there are AbortedError, ")],
)
def test_an_unknown_class_is_answered_with_what_there_is(asked, said, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ferrograph", "explain", asked])
    assert command.main() == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(("asked", "status"), [([], 2), (["a", "b"], 2), (["--help"], 0)])
def test_the_names_are_listed(asked, status, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ferrograph", "explain", *asked])
    assert command.main() == status
    assert capsys.readouterr().out.split()[4:] == sorted(error_classes())


def write():
    for page in sorted(SOURCE.glob("*.md")):
        text = page.read_text()
        for part in parts_of(text):
            with tempfile.TemporaryDirectory() as folder:
                _, shown = shown_of(part["fails"], folder, error_classes()[page.stem])
            old, new = (f"{part['fails']}```\n\n```text\n{s}```\n" for s in (part["shown"], shown))
            text = text.replace(old, new)
        page.write_text(text)


if __name__ == "__main__":
    write()
