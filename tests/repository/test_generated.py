"""The public modules and the coverage page are what the declarations say."""

import importlib
import runpy
import subprocess
import sys
from pathlib import Path

import ferrograph as fg
import pytest
from ferrograph._src.context import coverage

GENERATOR = Path(__file__).parents[2] / "python" / "generate.py"
NAMES = sorted(
    (space, public)
    for space, names in runpy.run_path(str(GENERATOR))["declared"]().items()
    for public in names
)


def module(space):
    return importlib.import_module(f"ferrograph.{space}" if space else "ferrograph")


def test_the_generated_files_are_up_to_date():
    done = subprocess.run(
        [sys.executable, str(GENERATOR), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("space", sorted({space for space, _ in NAMES}))
def test_a_module_has_and_lists_what_is_declared(space):
    for name, where, attribute in (public for at, public in NAMES if at == space):
        found = getattr(importlib.import_module(f"ferrograph._src.{where}"), attribute)
        assert getattr(module(space), name) is found, name
        assert name in dir(module(space))


@pytest.mark.parametrize("space", coverage.NAMESPACES)
def test_a_module_lists_nothing_that_it_lacks(space):
    missing = [name for name in dir(module(space)) if not hasattr(module(space), name)]
    assert missing == []


def test_what_is_left_out_is_neither_there_nor_planned():
    there = {f"{space}.{public.name}" if space else public.name for space, public in NAMES}
    planned = {
        f"{space}.{name}" if space else name
        for space, names in coverage.PLANNED.items()
        for name in names.split()
    }
    left_out = {name for names in coverage.LEFT_OUT.values() for name in names.split()}
    assert (there | planned) & left_out == set()


def test_a_planned_name_says_so():
    with pytest.raises(
        AttributeError, match="'ferrograph' has no attribute 'NoneTensorSpec': it is planned"
    ):
        _ = fg.NoneTensorSpec


def test_a_name_that_is_left_out_says_why():
    with pytest.raises(AttributeError, match="left out, as .* own binary"):
        _ = fg.load_op_library


def test_a_misspelt_name_answers_with_its_like():
    with pytest.raises(AttributeError, match="did you mean 'reduce_sum'"):
        _ = fg.reduce_summ
