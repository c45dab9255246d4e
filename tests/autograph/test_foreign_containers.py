"""Objects of the program that a container of an installed package holds."""

import ferrograph as fg
import pytest

PACKAGE = """
class Bag:
    def __init__(self):
        self.inner = {}

    def hold(self, name, value):
        self.inner[name] = value

    def get(self, name):
        return self.inner[name]


class Slotted:
    __slots__ = ("held",)
"""


@pytest.fixture(scope="module")
def bags(tmp_path_factory):
    """A package that is installed, as far as its place tells."""
    folder = tmp_path_factory.mktemp("root") / "site-packages"
    folder.mkdir()
    (folder / "bags_of_others.py").write_text(PACKAGE)
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(str(folder))
    import bags_of_others

    yield bags_of_others
    patch.undo()


def test_numbers_are_python_again_after_the_trace(bags):
    bag = bags.Bag()
    bag.hold("d", {"n": 0})

    @fg.function
    def f(x):
        d = bag.get("d")
        if x > 0:
            d["n"] = 5
        else:
            d["n"] = 6
        return d["n"] + x

    assert [int(f(fg.constant(x))) for x in (1, -1)] == [6, 5]
    assert type(bag.inner["d"]["n"]) is int


def test_lists_are_python_again_after_the_trace(bags):
    bag = bags.Slotted()
    bag.held = [[0]]

    @fg.function
    def f(x):
        if x > 0:
            bag.held[0].append(5)
        return x

    f(fg.constant(1))
    assert bag.held == [[0, 5]]


def test_what_a_container_of_an_argument_holds_is_refused_where_it_is_read(bags):
    bag = bags.Bag()
    bag.hold("d", [1])

    @fg.function
    def f(x, held):
        items = held.get("d")
        if x > 0:
            items.append(2)
        return x + len(held.get("d"))

    with pytest.raises(fg.errors.StagingError):
        f(fg.constant(1), bag)
    assert bag.inner["d"] == [1]  # what a trace did that fails is undone


def test_a_container_that_holds_too_much_counts_as_holding_it(bags):
    bag = bags.Bag()
    bag.hold("all", [bags.Bag() for _ in range(50_000)])
    bag.hold("d", {"n": 0})

    @fg.function
    def f(x):
        d = bag.get("d")
        if x > 0:
            d["n"] = 5
        return d["n"] + x

    assert int(f(fg.constant(1))) == 6
    assert bag.inner["d"]["n"] == 5
