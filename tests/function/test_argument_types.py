"""What tells calls apart (variables, records, enums, mappings, objects), and what traces hold."""

import collections
import dataclasses
import enum
import gc
import types
import weakref

import ferrograph as fg
import pytest


@dataclasses.dataclass
class Record:
    x: object
    y: int = 2


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: int


class Color(enum.Enum):
    RED = 1
    BLUE = 2


Pair = collections.namedtuple("Pair", ["a", "b"])


class Thing:
    value = 1


def one(value=1):
    return fg.constant(value)


A, B = fg.Variable(1.0), fg.Variable(2.0)
THING = Thing()


@pytest.mark.parametrize(
    ("function", "calls", "traces"),
    [
        (lambda v: v + 1.0, [(A,), (B,)], 1),
        (lambda v: v + 1.0, [(A,), (fg.Variable([2.0]),)], 2),
        (lambda v: v.value(), [(A,), (fg.Variable(1),)], 2),
        (lambda v, w: v + w, [(A, B), (B, A), (A, A), (B, B)], 2),
        (lambda r: r.x + r.y, [(Record(one()),), (Record(one(5)),), (Record(one(), 3),)], 2),
        (lambda f: one(f.x), [(Frozen(1),), (Frozen(1),), (Frozen(2),)], 2),
        (lambda p: p[0], [(Pair(one(), 2),), (Pair(one(3), 2),), ((one(), 2),)], 2),
        (lambda e: one(e.value), [(Color.RED,), (Color.RED,), (Color.BLUE,)], 2),
        (lambda m: m["a"], [({"a": one()},), ({"a": one(2)},), ({"a": one(), "b": 1},)], 2),
        (lambda m: m["a"], [(types.MappingProxyType({"a": one(n)}),) for n in (1, 2)], 1),
        (lambda m: m["a"], [(collections.OrderedDict(a=one(n)),) for n in (1, 2)], 1),
        (lambda o: one(o.value), [(THING,), (THING,), (Thing(),)], 2),
        (lambda x: one(), [(1,), (1.0,), (True,), ("1",), (None,), (1,)], 5),
    ],
)
def test_calls_are_told_apart(function, calls, traces):
    count = []

    @fg.function
    def counted(*args):
        count.append(1)
        return function(*args)

    for call in calls:
        got, want = counted(*call), function(*call)
        assert fg.convert_to_tensor(got).numpy() == fg.convert_to_tensor(want).numpy()
    assert len(count) == traces


def test_concrete_functions_of_records():
    f = fg.function(lambda r: r.x + r.y)
    concrete = f.get_concrete_function(Record(fg.TensorSpec([None], fg.int32)))
    assert concrete(Record(fg.constant([1, 2]))).numpy().tolist() == [3, 4]
    (given,) = concrete.structured_input_signature[0]
    assert given == Record(fg.TensorSpec([None], fg.int32, name="r"), 2)
    with pytest.raises(TypeError, match=r"r\.y = 2"):
        concrete(Record(fg.constant([1]), 3))
    with pytest.raises(TypeError, match="must be a Record"):
        concrete(4)
    with pytest.raises(TypeError, match="misses argument 'r'"):
        concrete()


class Layer:
    def __init__(self):
        self.w = fg.Variable(2.0)

    @fg.function
    def scale(self, x):
        return self.w * x


@pytest.fixture
def no_gc():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_traces_do_not_hold_objects(no_gc):
    f = fg.function(lambda o: fg.constant(o.value))
    thing = Thing()
    gone = weakref.ref(thing)
    f(thing)
    del thing
    assert gone() is None


def test_traces_do_not_hold_instances(no_gc):
    layer = Layer()
    gone = weakref.ref(layer)
    assert float(layer.scale(fg.constant(1.0))) == 2.0
    del layer
    assert gone() is None


def test_concrete_methods_hold_their_instance_no_longer_than_themselves(no_gc):
    layer = Layer()
    gone = weakref.ref(layer)
    concrete = layer.scale.get_concrete_function(fg.TensorSpec([]))
    assert layer.scale.get_concrete_function(fg.TensorSpec([])) is concrete
    del layer
    assert float(concrete(fg.constant(3.0))) == 6.0
    del concrete
    assert gone() is None
