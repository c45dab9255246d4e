"""``test.TestCase``: each assertion passes where it should and fails where it should."""

import ferrograph as fg
import numpy as np
import pytest


class Case(fg.test.TestCase):
    __test__ = False

    def runTest(self):  # noqa: N802 - the name that unittest has
        pass


C = fg.constant
NAN = float("nan")
PASSING = [
    ("assertAllEqual", C([1, 2]), [1, 2]),
    ("assertAllEqual", C([1.0, NAN]), [1.0, NAN]),
    ("assertAllEqual", fg.ragged.constant([[1], [2, 3]]), fg.ragged.constant([[1], [2, 3]])),
    ("assertAllEqual", C(["a"]), [b"a"]),
    ("assertNotAllEqual", C([1]), [2]),
    ("assertAllClose", C([1.0]), [1.0 + 1e-7]),
    ("assertAllClose", {"a": [C(1.0), (2.0,)]}, {"a": [1.0, (C(2.0),)]}),
    ("assertAllClose", C([1.0], fg.float16), [1.0005]),
    ("assertNotAllClose", C([1.0]), [1.1]),
    ("assertAllCloseAccordingToType", C([1.0], fg.bfloat16), [1.005]),
    ("assertNear", 1.0, 1.05, 0.1),
    ("assertArrayNear", [1.0], [1.05], 0.1),
    ("assertNDArrayNear", np.ones(2), np.ones(2) + 0.01, 0.1),
    ("assertAllGreater", C([2, 3]), 1),
    ("assertAllGreaterEqual", C([1, 3]), 1),
    ("assertAllLess", C([1, 2]), 3),
    ("assertAllLessEqual", C([1, 3]), 3),
    ("assertAllInRange", C([1, 3]), 1, 3),
    ("assertAllInSet", C([1, 3]), [1, 2, 3]),
    ("assertShapeEqual", np.ones([2, 1]), fg.ones([2, 1])),
    ("assertDTypeEqual", C([1]), fg.int32),
    ("assertDeviceEqual", "/cpu:0", "/device:CPU:0"),
    ("assertSameStructure", [1, {"a": 2}], [3, {"a": 4}]),
    ("assertEmpty", []),
    ("assertNotEmpty", [1]),
    ("assertLen", [1, 2], 2),
    ("assertBetween", 1, 0, 2),
    ("assertStartsWith", "abc", "ab"),
    ("assertEndsWith", "abc", "bc"),
    ("assertSameElements", [1, 2, 2], [2, 1]),
    ("assertItemsEqual", [1, 2, 2], [2, 1, 2]),
]
FAILING = [
    ("assertAllEqual", C([1, 2]), [1, 3]),
    ("assertAllEqual", C([1, 2]), [[1, 2]]),
    ("assertAllEqual", fg.ragged.constant([[1], [2, 3]]), fg.ragged.constant([[1, 2], [3]])),
    ("assertNotAllEqual", C([1]), [1]),
    ("assertAllClose", C([1.0]), [1.001]),
    ("assertAllClose", {"a": C(1.0)}, {"b": 1.0}),
    ("assertAllClose", [C(1.0), [2.0, 3.0]], [1.0, [2.0, 3.1]]),
    ("assertNotAllClose", C([1.0]), [1.0]),
    ("assertAllCloseAccordingToType", C([1.0]), [1.005]),
    ("assertNear", 1.0, 1.2, 0.1),
    ("assertArrayNear", [1.0], [1.2], 0.1),
    ("assertNDArrayNear", np.ones(2), np.zeros(2), 0.1),
    ("assertAllGreater", C([1, 3]), 1),
    ("assertAllGreaterEqual", C([0, 3]), 1),
    ("assertAllLess", C([1, 3]), 3),
    ("assertAllLessEqual", C([1, 4]), 3),
    ("assertAllInRange", C([1, 4]), 1, 3),
    ("assertAllInRange", C([1.0, NAN]), 1, 3),
    ("assertAllInRange", C([1, 2]), 1, 3, True),
    ("assertAllInSet", C([1, 4]), [1, 2, 3]),
    ("assertShapeEqual", np.ones([2, 1]), fg.ones([1, 2])),
    ("assertDTypeEqual", C([1]), fg.float32),
    ("assertSameStructure", [1, {"a": 2}], [3, {"b": 4}]),
    ("assertEmpty", [1]),
    ("assertNotEmpty", []),
    ("assertLen", [1, 2], 1),
    ("assertBetween", 3, 0, 2),
    ("assertStartsWith", "abc", "b"),
    ("assertEndsWith", "abc", "b"),
    ("assertSameElements", [1, 2], [1]),
    ("assertItemsEqual", [1, 2, 2], [2, 1]),
]


@pytest.mark.parametrize(("name", "args"), [(name, args) for name, *args in PASSING])
def test_what_holds(name, args):
    getattr(Case(), name)(*args)


@pytest.mark.parametrize(("name", "args"), [(name, args) for name, *args in FAILING])
def test_what_does_not_hold(name, args):
    with pytest.raises(AssertionError):
        getattr(Case(), name)(*args)


def test_exceptions():
    case = Case()
    with case.assertRaisesWithPredicateMatch(ValueError, "bad"):
        raise ValueError("a bad one")
    with case.assertRaisesOpError("(?i)division|zero"):
        fg.constant(1) // fg.constant(0)
    with case.assertRaisesIncompatibleShapesError():
        fg.ones([2]) + fg.ones([3])
    with pytest.raises(AssertionError), case.assertRaisesWithPredicateMatch(ValueError, "good"):
        raise ValueError("a bad one")
    with pytest.raises(AssertionError), case.assertRaisesWithPredicateMatch(ValueError, "good"):
        pass


def test_seeds_are_set_before_each_test():
    drawn = []

    class Draws(Case):
        def runTest(self):  # noqa: N802
            drawn.append((float(fg.random.normal([])), self.evaluate([fg.constant(1)])))
            open(self.get_temp_dir() + "/file", "w").close()

    Draws().debug()
    Draws().debug()
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("name", ["assertAllGreater", "assertAllClose", "assertAllEqual"])
def test_views_that_no_memory_holds_are_refused(name):
    endless = np.broadcast_to(np.float32(1), (2**40, 2**20))
    with pytest.raises(fg.errors.ResourceExhaustedError):
        getattr(fg.test.TestCase(), name)(endless, 0)
