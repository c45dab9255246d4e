"""What dataclasses have beside their fields goes through branches and loops, containers that are
given attributes are not taken apart, and nothing keeps a refusal from going on."""

# ruff: noqa: RET504, SIM105 - the programs are what they test

import collections
import contextlib
import dataclasses
import weakref

import ferrograph as fg
import pytest


class Tagged(list):
    tag = 0


class Named(dict):
    pass


@dataclasses.dataclass
class Point:
    a: int = 1

    def __post_init__(self):
        self.total = self.a + 1


class Field:
    def __init__(self, name):
        self.name = name


class Held:
    """Written as classes of ``attrs`` are."""

    __attrs_attrs__ = (Field("items"), Field("number"))

    def __init__(self, items, number):
        self.items, self.number = items, number


class Kept:
    a = 1


def tagged(x):
    held = Tagged([1, 2])
    held.tag = 5
    if x > 0:
        held = Tagged([1, 3])
        held.tag = 7
    return held[1], held.tag


def tagged_in_a_loop(x):
    held = Tagged([1, 2])
    held.tag = 5
    for i in fg.range(4):
        made = Tagged([held[0] + i, x])
        made.tag = held.tag + 2
        held = made
    return held[0], held.tag


def named(x):
    held = Named(a=1)
    held.label = 2
    if x > 0:
        held = Named(a=2)
        held.label = x
    return held["a"], held.label


def made_anew(x):
    point = Point()
    if x > 0:
        point = dataclasses.replace(point, a=5)
    return point.a, point.total


def by_proxy(x):
    kept = Kept()
    if x > 0:
        weakref.proxy(kept).a = 1
        kept.a += 4
    else:
        x = x + weakref.ref(kept)().a
    return x, kept.a


def turned(x):
    shared = [3, 4]
    held = [Held(shared, 1), Held(shared, 2)]
    if x > 0:
        shared[0] = 7
        held = held[::-1]
    return held[0].items[0], held[0].number


@pytest.mark.parametrize("function", [made_anew, by_proxy, turned])
@pytest.mark.parametrize("value", [3, -3])
def test_attributes_are_those_of_python(function, value):
    given = fg.function(function)(fg.constant(value))
    assert [int(v) for v in given] == [int(v) for v in function(fg.constant(value))]


@pytest.mark.parametrize("function", [tagged, tagged_in_a_loop, named])
def test_containers_that_are_given_attributes_are_not_taken_apart(function):
    with pytest.raises(TypeError, match="must be tensors or the same object|is a Python object"):
        fg.function(function)(fg.constant(3))


def other_length(x):
    held = collections.deque([1, 2], maxlen=2)
    if x > 0:
        held = collections.deque([1, 3], maxlen=3)
    held.append(4)
    return held[0]


def other_length_in_a_loop(x):
    held = collections.deque([1, 2, 3], maxlen=4)
    for _ in fg.range(x):
        held = collections.deque(held, maxlen=3)
    held.appendleft(5)
    return held[0]


def other_default(x):
    held = collections.defaultdict(int, a=1)
    if x > 0:
        held = collections.defaultdict(list, a=2)
    return held["a"]


@pytest.mark.parametrize("function", [other_length, other_length_in_a_loop, other_default])
def test_containers_that_go_on_otherwise_are_not_one(function):
    with pytest.raises(TypeError, match="`(maxlen|default_factory)` is"):
        fg.function(function)(fg.constant(1))


class Quiet(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is not None and issubclass(kind, TypeError)


@contextlib.contextmanager
def quietly():
    try:
        yield
    except TypeError:
        pass


def wrong(x):
    found = 1 if x > 0 else "a"
    return found


def suppressed(x):
    with contextlib.suppress(TypeError):
        x = wrong(x)
    return x


def by_a_class(x):
    with Quiet():
        x = wrong(x)
    return x


def by_a_generator(x):
    with quietly():
        x = wrong(x)
    return x


def in_a_stack(x):
    with contextlib.ExitStack() as stack:
        stack.enter_context(Quiet())
        x = wrong(x)
    return x


def decorated(x):
    return Quiet()(wrong)(x)


def handled(x):
    try:
        return x.numpy() + 1
    except AttributeError:
        return x


def beyond(x):
    k = 2 if x > 0 else 3
    try:
        return k * 3_000_000_000 % 5
    except TypeError:
        return 7


@pytest.mark.parametrize(
    "function", [suppressed, by_a_class, by_a_generator, in_a_stack, decorated, handled, beyond]
)
def test_nothing_keeps_a_refusal_from_going_on(function):
    with pytest.raises((TypeError, AttributeError)):
        fg.function(function)(fg.constant(1))


def suppresses_its_own(x):
    with Quiet():
        x = x + 1
        raise TypeError
    return x


def test_other_exceptions_are_suppressed_as_they_are():
    assert int(fg.function(suppresses_its_own)(fg.constant(1))) == 2


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_deques_that_another_function_may_set_keep_their_length(n):
    def rotated(n):
        held = collections.deque([1, 2, 3], maxlen=4)

        def renew():
            nonlocal held

        for _ in fg.range(n):
            held.rotate(-1)
        held.extendleft((1, 4))
        return held[0], held[-1], len(held), sum(held), held.maxlen

    eager = [int(v) for v in rotated(fg.constant(n))]
    assert [int(v) for v in fg.function(rotated)(fg.constant(n))] == eager
