"""What a user sees of a mistake: the message, the program's own frames, one suggestion at most.

`tracebacks.txt` holds the mistakes, each a program and what Python writes of it:

    python tests/process/test_tracebacks.py     writes anew what is shown, to be read as a change

Lines of carets, which not every Python writes, are left out, and the paths of the program and of
installed packages are PROGRAM and PACKAGES.
"""

import importlib.metadata
import os
import re
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import ferrograph as fg
import pytest
from ferrograph._src.context import error_help

MISTAKES = Path(__file__).with_name("tracebacks.txt")
HEAD = "import ferrograph as fg\n"
PART = re.compile(r"^=== ([^\n]+)\n(.*?)^--- shown\n(.*?)(?=^=== |\Z)", re.MULTILINE | re.DOTALL)
LIBRARY = re.compile(r'"[^"\n]*/(?:site-packages|lib/python3\.\d+)/')
CARETS = re.compile(r"^ *[~^]+ *\n", re.MULTILINE)
SAID = re.compile(r"\bdid you mean\b|\bDid you mean\b|: use fg\.|: write `")

PARTS = [(name, program, shown) for name, program, shown in PART.findall(MISTAKES.read_text())]


def shown_of(program, folder):
    """What a program writes to the standard error, without what differs from machine to machine."""
    file = Path(folder) / "program.py"
    file.write_text(HEAD + program)
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "FERROGRAPH"))
    }
    environment["PYTHONWARNINGS"] = "ignore"
    run = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, timeout=120, env=environment
    )
    text = run.stderr.replace(str(file), "PROGRAM")
    return CARETS.sub("", LIBRARY.sub('"PACKAGES/', text))


@pytest.mark.parametrize(("name", "program", "shown"), PARTS, ids=[part[0] for part in PARTS])
def test_what_is_shown(name, program, shown, tmp_path):
    found = shown_of(program, tmp_path)
    assert "_src" not in found
    assert len(SAID.findall(found)) <= 1
    assert _plain(found) == _plain(shown)


def _plain(text):
    """The message and the frames of the program, without lines of installed packages, which differ
    from release to release."""
    lines, is_other = [], False
    for line in text.splitlines():
        is_frame = line.startswith("  File ")
        is_other = "PACKAGES/" in line if is_frame else is_other and line.startswith("    ")
        if not is_other:
            lines.append(line.rstrip())
    return "\n".join(lines).strip()


def test_there_are_enough_mistakes():
    assert len(PARTS) >= 40


def test_all_frames_are_shown_on_request(run_python):
    program = (
        "import os\nos.environ['FERROGRAPH_TRACEBACK'] = 'full'\n" + HEAD + "fg.reshape(1, [4])"
    )
    assert "_src" in run_python(program, check=False).stderr


def test_a_notebook_shows_the_same(run_python):
    program = """
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        shell.run_cell("import ferrograph as fg")
        shell.run_cell("fg.reshape(fg.ones([2, 3]), [4])")
        """
    done = run_python(program, check=False)
    assert "cannot reshape a tensor of shape [2,3]" in done.stdout
    assert "_src" not in done.stdout
    assert "are left out" in done.stderr


def test_an_error_ends_with_the_command_that_explains_it(run_python):
    shown = run_python(f"{HEAD}fg.reshape(1, [4])", check=False).stderr.rstrip().splitlines()
    assert shown[-1] == "help: ferrograph explain InvalidArgumentError"


def test_a_class_of_the_program_is_explained_as_the_one_it_is_made_from(run_python):
    program = "class Late(fg.errors.DeadlineExceededError): pass\nraise Late(None, None, 'late')"
    shown = run_python(f"{HEAD}{program}", check=False).stderr.rstrip().splitlines()
    assert shown[-1] == "help: ferrograph explain DeadlineExceededError"


@pytest.mark.parametrize("raised", ["ValueError('x')", "KeyError(1)"])
def test_other_errors_end_as_python_ends_them(raised, run_python):
    assert "help:" not in run_python(f"{HEAD}raise {raised}", check=False).stderr


@pytest.mark.parametrize(
    ("links", "line"),
    [
        (["Documentation, https://x.org/docs/"], ", https://x.org/docs/errors/NotFoundError.html"),
        (["Homepage, https://x.org"], ""),
        (None, ""),
    ],
)
def test_the_address_of_the_page_is_told_where_there_is_a_site(links, line, monkeypatch):
    installed = types.SimpleNamespace(get_all=lambda name: links if name == "Project-URL" else None)
    monkeypatch.setattr(importlib.metadata, "metadata", lambda name: installed)
    error = fg.errors.NotFoundError(None, None, "no file")
    assert error_help.help_line(error) == f"help: ferrograph explain NotFoundError{line}"


def write():
    with tempfile.TemporaryDirectory() as folder:
        parts = [
            f"=== {name}\n{program}--- shown\n{shown_of(program, folder).rstrip()}\n"
            for name, program, _ in PARTS
        ]
    MISTAKES.write_text("".join(parts))


if __name__ == "__main__":
    write()
