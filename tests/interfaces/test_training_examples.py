"""The examples that train through Keras run to their end, as programs and as notebooks."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import processor_time
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
# What makes each of them short, with what is still asked of it then.
SHORT = {
    "image_classifier": {
        "EXAMPLE_IMAGES": "600",
        "EXAMPLE_EPOCHS": "2",
        "EXAMPLE_ACCURACY": "0.25",
    },
    "text_classifier": {"EXAMPLE_TEXTS": "1000", "EXAMPLE_EPOCHS": "2", "EXAMPLE_ACCURACY": "0.5"},
    "custom_training": {"EXAMPLE_POINTS": "500", "EXAMPLE_EPOCHS": "20", "EXAMPLE_ACCURACY": "0.6"},
}


def test_each_example_in_cells_is_run_here():
    in_cells = {p.stem for p in EXAMPLES.glob("*.py") if p.read_text().startswith("# %%")}
    assert in_cells == set(SHORT)


def test_the_notebooks_are_made_from_the_programs():
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "notebooks.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


# Runs programs one after the other, each in a module of its own.
ALL = "import runpy, sys\nfor path in sys.argv[1:]: runpy.run_path(path, run_name='__main__')"


def code_of(notebook):
    """The program that the cells of a notebook are, run in order."""
    cells = json.loads(notebook.read_text())["cells"]
    return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")


@pytest.mark.skipif(importlib.util.find_spec("keras") is None, reason="Keras is not installed")
@pytest.mark.parametrize("name", SHORT)
def test_an_example_and_its_notebook_run(name, tmp_path):
    cells = tmp_path / "cells.py"
    cells.write_text(code_of(EXAMPLES / f"{name}.ipynb"))
    kept = {k: v for k, v in os.environ.items() if k not in ("KERAS_BACKEND", "PYTHONPATH")}
    settings = {"KERAS_HOME": str(tmp_path / "home"), "PYTHONPATH": str(EXAMPLES), **SHORT[name]}
    done = processor_time.run(
        [sys.executable, "-c", ALL, str(EXAMPLES / f"{name}.py"), str(cells)],
        capture_output=True,
        text=True,
        seconds=120,
        cwd=tmp_path,
        env={**kept, **settings},
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.count("picture ") == 2
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
