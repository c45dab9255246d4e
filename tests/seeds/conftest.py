"""Run the programs of a document a cell at a time, as a notebook does."""

import ast
import contextlib
import io
import os
import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import ferrograph as fg
import processor_time
import pytest

PROGRAMS = Path(__file__).parent / "programs"


def cells(file):
    """The cells of a document by name."""
    found = {}
    lines = file.read_text().splitlines()
    heads = [(i, m[1]) for i, line in enumerate(lines) if (m := re.match(r"# %% (.*)", line))]
    for (start, name), (end, _) in zip(heads, [*heads[1:], (len(lines), None)], strict=True):
        # Blank lines before a cell keep its line numbers those of the file, where sources are
        # looked up.
        found[name] = "\n" * (start + 1) + "\n".join(lines[start + 1 : end])
    return found


@dataclass
class Cell:
    """What running a cell showed: the value of its last expression and what it printed."""

    value: object
    stdout: str
    stderr: str


class Document:
    def __init__(self, name, capfd):
        self.file = PROGRAMS / f"{name}.py"
        self.names = {"__name__": name, "__file__": str(self.file)}
        self.capfd = capfd
        self.cells = cells(self.file)

    def run(self, *cells):
        """Run the named cells in order; what the last one showed."""
        shown = None
        for cell in cells:
            shown = self._run(self.cells[cell])
        return shown

    def _run(self, source):
        tree = ast.parse(source, str(self.file))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        value = None
        self.capfd.readouterr()
        # print goes where sys.stdout points; what the runtime prints may go to the descriptors.
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(tree, str(self.file), "exec"), self.names)
            if last is not None:
                value = eval(
                    compile(ast.Expression(last.value), str(self.file), "eval"), self.names
                )
        native = self.capfd.readouterr()
        return Cell(value, out.getvalue() + native.out, native.err)

    def __getitem__(self, name):
        return self.names[name]


@pytest.fixture
def document(capfd):
    """Opens a document by its name. The programs import the package as `tf`, as which it prints."""
    fg.config.set_printed_name("tf")
    yield lambda name: Document(name, capfd)
    fg.config.set_printed_name("fg")


@pytest.fixture
def apart(tmp_path):
    """Run cells, and lines of a test before and after them, in a process of their own: they load
    Keras, or let `import tensorflow` find ferrograph. What they print.
    """

    def run(name, *wanted, before="", after=""):
        found = cells(PROGRAMS / f"{name}.py")
        program = tmp_path / "program.py"
        first, *rest = (found[cell].strip("\n") for cell in wanted)
        parts = [first, textwrap.dedent(before), *rest, textwrap.dedent(after)]
        program.write_text("\n".join(parts))
        kept = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"}
        done = processor_time.run(
            [sys.executable, str(program)],
            capture_output=True,
            text=True,
            seconds=300,
            cwd=tmp_path,
            env={**kept, "KERAS_HOME": str(tmp_path / "home")},
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    return run
