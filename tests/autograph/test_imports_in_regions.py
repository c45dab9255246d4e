"""Imports while a branch or a loop is traced: what finds modules may keep accounts of it."""

import importlib.util
import sys

import ferrograph as fg
import pytest


class Accounts:
    """A finder that counts what it is asked for, and reads its counts."""

    def __init__(self):
        self.counts = {}

    def find_spec(self, name, path=None, target=None):
        self.counts[name] = self.counts.get(name, 0) + 1


@pytest.fixture
def finder():
    made = Accounts()
    sys.meta_path.insert(0, made)
    yield made
    sys.meta_path.remove(made)


def test_a_finder_that_the_function_reaches_is_no_place_of_the_graph(finder):
    holder = [finder]

    def half(x):
        importlib.util.find_spec("no_module_of_that_name")
        return x // 2

    @fg.function
    def total(data):
        found = zero = fg.constant(0, fg.int64)
        for x in data:
            if x > 1:
                found += half(x)
            else:
                found += zero * len(holder)
        return found

    assert int(total(fg.data.Dataset.range(5))) == 1 + 1 + 2
    assert finder.counts["no_module_of_that_name"] > 0


def test_a_library_that_stages_within_itself(tmp_path, monkeypatch):
    """A branch whose frames are all of an installed package, and which gives lists."""
    package = tmp_path / "site-packages" / "staging_library"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "import ferrograph as fg\n"
        "def grown(elems):\n"
        "    return fg.cond(fg.size(elems[0]) > 2, lambda: elems, lambda: [e + 1 for e in elems])\n"
        "traced = fg.function(grown)\n"
    )
    monkeypatch.syspath_prepend(str(package.parent))
    library = importlib.import_module("staging_library")
    assert [e.numpy().tolist() for e in library.traced([fg.constant([1, 2])])] == [[2, 3]]
    assert [e.numpy().tolist() for e in library.traced([fg.constant([1, 2, 3])])] == [[1, 2, 3]]
