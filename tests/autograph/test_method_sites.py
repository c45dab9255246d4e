"""Methods called again and again in loops of Python's: Python alone calls those that ask the
operators for nothing, and the trace is told as before of what they read."""

import warnings

import ferrograph as fg
import pytest
from test_sites import same


class Part:
    def __init__(self, step=1):
        self.step, self.total = step, 0

    def add(self, value):
        self.total += value * self.step

    def after(self, value):
        return value + self.step

    def beyond(self, other):
        return self.step + other.step

    def of(self, other):
        return other.step

    def clipped(self, value):
        if value > 2:
            return 2 * self.step
        return value


class Doubled(Part):
    @property
    def twice(self):
        return self.step * 2 if self.step > 0 else 0

    def after(self, value):
        return value + self.twice


class Counted(Part):
    n_set = 0

    def __setattr__(self, name, value):
        Counted.n_set += 1
        object.__setattr__(self, name, value)


def test_one_object():
    def f():
        part, out = Part(3), []
        for i in range(5):
            part.add(i)
            out.append(part.after(i))
        return out, part.total

    assert same(f) == ([3, 4, 5, 6, 7], 30)


def test_arguments_that_are_constants():
    def f():
        part, out = Part(3), []
        for _ in range(3):
            part.add(2)
            out.append(part.after(1))
            out.append(part.clipped(-5 + 1))
        return out, part.total

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert same(f) == ([4, -4] * 3, 18)


def test_objects_of_several_classes():
    def f():
        parts, out = [Part(1), Doubled(2), Part(3), Doubled(4)], []
        for i in range(8):
            part = parts[i % 4]
            part.add(i)
            out.append(part.after(i) + part.clipped(i))
        return out, [part.total for part in parts]

    assert same(f)[1] == [4, 12, 24, 40]


def test_a_class_that_decides_what_is_set():
    def f():
        Counted.n_set = 0
        parts = [Part(1), Counted(1)]
        for i in range(6):
            part = parts[i % 2]
            part.add(i)
        return Counted.n_set, [part.total for part in parts]

    assert same(f) == (5, [6, 9])


def test_a_method_that_is_set_in_the_object_or_its_class():
    class Changing(Part):
        pass

    def f():
        part, out = Changing(2), []
        for i in range(6):
            out.append(part.after(i))
            if i == 1:
                part.after = lambda value: value * 100
            if i == 3:
                del part.after
                Changing.after = lambda self, value: -value
        del Changing.after
        return out

    assert same(f) == [2, 3, 200, 300, -4, -5]


def test_a_name_that_holds_other_objects():
    def f():
        out = []
        for part in (Part(1), None, Part(2), "abc", Part(3)):
            if part is None or type(part) is str:
                continue
            out.append(part.after(1))
        return out

    assert same(f) == [2, 3, 4]


def test_an_object_without_the_method():
    def f():
        for part in (Part(1), None):
            part.after(1)

    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'after'"):
        fg.function(f)()


ONE, TWO, THREE = Part(1), Part(2), Part(3)


def retraced(function, part, value):
    """What a traced function gives before and after an attribute of a part is another one."""
    first, before = int(function()), part.step
    part.step = value
    try:
        return first, int(function())
    finally:
        part.step = before


def test_attributes_of_the_objects_are_guarded():
    @fg.function
    def f():
        total = 0
        for part in (ONE, TWO, THREE, ONE, TWO, THREE):
            total += part.after(1)
        return fg.constant(total)

    for part in (ONE, TWO, THREE):
        assert retraced(f, part, 10) == (18, 18 + 2 * (10 - part.step))


def test_attributes_of_the_arguments_are_guarded_once_their_methods_run():
    def f():
        total = 0
        for i in range(6):
            total += ONE.of(TWO)
            if i == 2:
                total += TWO.after(0)
            total += ONE.beyond(TWO)
        return fg.constant(total)

    assert retraced(fg.function(f), TWO, 10) == (32, 136)


def test_arguments_in_turn():
    @fg.function
    def f():
        total = 0
        for part in (TWO, THREE):
            total += part.after(0)
        for part in (TWO, TWO, THREE, THREE, TWO):
            total += ONE.of(part)
        return fg.constant(total)

    assert retraced(f, THREE, 10) == (17, 38)
    assert retraced(f, TWO, 10) == (17, 49)


def test_a_method_with_a_tensor_condition_after_many_numbers():
    @fg.function
    def f(x):
        out = fg.constant(0)
        for value in (1, 2, 3, x, x + 2):
            out += ONE.clipped(value)
        return out

    assert int(f(fg.constant(1))) == 1 + 2 + 2 + 1 + 2


def test_methods_in_staged_code_between_rounds():
    @fg.function
    def f(x):
        part = Part(1)
        for i in range(4):
            part.add(i)
            if x > i:
                part.add(10)
            part.add(1)
        return fg.convert_to_tensor(part.total)

    for x in (0, 2, 9):
        expected = 6 + 4 + 10 * min(max(x, 0), 4)
        assert int(f(fg.constant(x))) == expected


def test_arguments_with_an_end_are_not_kept():
    ended = []

    class Ends(Part):
        def __del__(self):
            ended.append(self.step)

    def f():
        ended.clear()
        sizes = []
        for i in range(3):
            last = Ends(i)
            ONE.of(last)
            last = None
            sizes.append(len(ended))
        return sizes

    assert fg.autograph.convert(f)() == f() == [1, 2, 3]


def test_methods_of_modules_and_of_texts():
    import math

    def f():
        text, out = "abc", []
        for i in range(4):
            out.append(math.floor(i / 2) + math.gcd(i, 4))
            out.append(text.upper())
            out.append(text.replace("a", "b"))
        return out

    assert same(f)[:3] == [4, "ABC", "bbc"]
