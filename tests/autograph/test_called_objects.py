"""Objects that are called, and dataclasses whose ``__post_init__`` decides, as eagerly."""

# ruff: noqa: RET505, SIM108 - as users write

import dataclasses
import functools

import ferrograph as fg
import pytest


class Counting:
    def __init__(self):
        self.n, self.total = 0, 0.0

    def __call__(self, v):
        self.n += 1
        self.total = self.total + v
        if v > 0.0:
            return v
        return -v


class Static:
    __call__ = staticmethod(lambda v: v + 3.0 if v > 0.0 else v)


class OfClass:
    factor = 2.0

    @classmethod
    def __call__(cls, v):
        if v > 0.0:
            return v * cls.factor
        return v


class Behind:
    @property
    def __call__(self):
        def doubled(v):
            if v > 0.0:
                return v * 5.0
            return v

        return doubled


class Inherited(OfClass, Counting):
    def __call__(self, v):
        return super().__call__(v) + Counting.__call__(self, v)


@dataclasses.dataclass
class Sized:
    a: float
    b: float = 2.0

    def __post_init__(self):
        if self.a > 1.0:
            self.b = self.a * 2.0


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float
    k: dataclasses.InitVar[float] = 1.0
    b: float = dataclasses.field(init=False)

    def __post_init__(self, k):
        if self.a > k:
            object.__setattr__(self, "b", self.a)
        else:
            object.__setattr__(self, "b", k)


@dataclasses.dataclass
class Derived(Sized):
    c: float = 0.0

    def __post_init__(self):
        super().__post_init__()
        self.c = self.b + 1.0


def counted(x):
    c = Counting()
    return c(x) + c(-x), c.n, c.total


def counted_in_branches(x):
    c = Counting()
    if x > 0.0:
        c(x)
        c(1.0)
    else:
        c(2.0)
    return c.total


def counted_in_a_loop(x):
    c = Counting()
    while x > 0.0:
        c(x)
        x = x - 1.0
    return c.total


def bound_otherwise(x):
    return Static()(x), OfClass()(x), Behind()(x), Inherited()(x)


def partly_given(x):
    return functools.partial(Static(), x)(), functools.partial(OfClass())(x)


def replaced_while_tracing(x):
    class Changing:
        def __call__(self, v):
            return v

    c = Changing()
    first = c(x)
    Changing.__call__ = lambda self, v: v + 1.0
    return first, c(x)


def replaced_in_a_loop(x):
    class Changing:
        def __call__(self, v):
            return v

    class Other:
        def __call__(self, v):
            return v * 2.0

    c, d = Changing(), Changing()
    for i in range(5):
        if i == 2:
            Changing.__call__ = lambda self, v: v + 1.0
        if i == 3:
            d.__class__ = Other
        x = c(d(x))
    for o in (c, d, c, Other()):
        x = o(x)
    return x


def with_a_condition_in_a_loop(x):
    class Clipped:
        def __init__(self, k):
            self.k = k

        def __call__(self, v, by=1.0):
            if v > self.k:
                return v - by
            return v

    c, total = Clipped(2.0), 0.0
    for i in range(4):
        total += c(i, by=0.5)
        x = c(x)
    return x, total


def made_by_dataclasses(x):
    d = Derived(x)
    return Sized(x).b, d.b, d.c, [len(vars(o)) for o in (d, Sized(x))]


def frozen(x):
    return Frozen(x).b, Frozen(x, 3.0).b, Frozen(x, k=-2.0).b


def made_in_branches(x):
    if x > 0.0:
        made = Sized(x).b
    else:
        made = Sized(x + 5.0).b
    return made


FUNCTIONS = [
    counted,
    counted_in_branches,
    counted_in_a_loop,
    bound_otherwise,
    partly_given,
    replaced_while_tracing,
    replaced_in_a_loop,
    with_a_condition_in_a_loop,
    made_by_dataclasses,
    frozen,
    made_in_branches,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_they_do_as_eagerly(function):
    traced = fg.function(function)
    for x in (2.0, -1.0, 5.0, 0.0):
        eager = fg.nest.flatten(function(fg.constant(x)))
        found = fg.nest.flatten(traced(fg.constant(x)))
        assert [float(v) for v in found] == [float(v) for v in eager]


def test_what_a_dataclass_is_made_with_is_no_attribute_of_it():
    seen = []

    @dataclasses.dataclass
    class Seen:
        a: float

        def __post_init__(self):
            seen.append(sorted(vars(self)))

    fg.function(lambda x: Seen(x).a)(fg.constant(1.0))
    assert seen == [["a"]]
