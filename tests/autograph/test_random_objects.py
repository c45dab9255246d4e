"""Random programs over Python's own objects: never another result, never a crash, mostly staged.

``python -m tests.autograph.programs --show FAMILY SEED`` shows one program and its smallest part
with the same verdict.
"""

import tempfile
from pathlib import Path

import pytest
from programs import kit, known, run, workers

COUNT = 2000
STAGED = 0.6  # of all programs: at least so many are staged and equal
WRONG = ("different", "crash", "hang")


@pytest.fixture(scope="module")
def verdicts():
    return list(workers.verdicts(workers.seeds_of(COUNT)))


@pytest.mark.parametrize("family", workers.FAMILIES)
def test_family(verdicts, family):
    wrong = [v for v in verdicts if v["family"] == family and v["verdict"] in WRONG]
    if family in known.FAULTS:
        assert wrong, f"all programs of {family!r} are right: it leaves the table of known faults"
        pytest.xfail(known.FAULTS[family])
    for first in wrong[:1]:
        text = kit.make(workers.FAMILIES[family], first["seed"]).text
        pytest.fail(f"{len(wrong)} wrong, the first is seed {first['seed']}:\n{text}\n{first}")


def test_the_table_names_families():
    assert set(known.FAULTS) <= set(workers.FAMILIES)


def test_most_programs_are_staged(verdicts):
    equal = [v for v in verdicts if v["verdict"] == "equal"]
    assert len(equal) >= STAGED * len(verdicts)


def test_every_program_is_answered_for(verdicts):
    assert len(verdicts) == COUNT


SILENT = """
def reset():
    pass

def program(x, y, R, N):
    return x + (1 if fg.executing_eagerly() else 2)
"""
UNSAID = """
def reset():
    pass

def program(x, y, R, N):
    return x if fg.executing_eagerly() else int('x')
"""
DYING = """
import os

def reset():
    pass

def program(x, y, R, N):
    return x if fg.executing_eagerly() else os._exit(3)
"""


@pytest.mark.parametrize(("text", "kind"), [(SILENT, "different"), (UNSAID, "crash")])
def test_the_runner_sees_what_is_wrong(text, kind):
    with tempfile.TemporaryDirectory() as folder:
        program = kit.Program("of the test", 0, text, False)
        assert run.run(program, Path(folder, "printed")).kind == kind


def test_a_process_that_dies_costs_one_program(monkeypatch):
    text = "import programs.workers as w, programs.kit as k\n"
    text += f"m = w.make\nd = k.Program('lists', 1, {DYING!r}, False)\n"
    text += "w.make = lambda family, seed: d if seed == 1 else m(family, seed)\nw.serve()"
    monkeypatch.setattr(workers, "_PROGRAM", "import sys; sys.path.insert(0, sys.argv[1])\n" + text)
    found = list(workers.verdicts([("unpacking", i) for i in range(4)], 1))
    assert [v["verdict"] == "crash" for v in found] == [False, True, False, False]
