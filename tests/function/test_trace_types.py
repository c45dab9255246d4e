"""Classes that say what they are to a trace, and the types of functions."""

import gc
import weakref

import ferrograph as fg
import numpy as np
import pytest
from ferrograph.types import experimental as types


class Parity(types.TraceType):
    """Numbers that are equal modulo two share a trace."""

    def __init__(self, value):
        self.value = value

    def is_subtype_of(self, other):
        return self == other

    def most_specific_common_supertype(self, others):
        return self if all(self == o for o in others) else None

    def placeholder_value(self, placeholder_context=None):
        return self.value

    def __eq__(self, other):
        return isinstance(other, Parity) and self.value.n % 2 == other.value.n % 2

    def __hash__(self):
        return self.value.n % 2


class Number(types.SupportsTracingProtocol):
    def __init__(self, n):
        self.n = n

    def __tf_tracing_type__(self, context):
        assert isinstance(context, types.TracingContext)
        return Parity(self)


class LevelType(types.TraceType):
    """A tensor of rank 1 at a level: a trace for a level serves the levels below it."""

    def __init__(self, level, spec):
        self.level, self.spec = level, spec

    def is_subtype_of(self, other):
        return isinstance(other, LevelType) and (
            self.level <= other.level and self.spec.is_subtype_of(other.spec)
        )

    def most_specific_common_supertype(self, others):
        levels = [self.level, *(o.level for o in others)]
        spec = self.spec.most_specific_common_supertype([o.spec for o in others])
        return None if spec is None else LevelType(max(levels), spec)

    def placeholder_value(self, placeholder_context):
        return Level(self.spec.placeholder_value(placeholder_context), self.level)

    def to_tensors(self, value):
        return [value.tensor]

    def from_tensors(self, tensors):
        return Level(next(iter(tensors)), self.level)

    def flatten(self):
        return [self.spec]

    def __eq__(self, other):
        return isinstance(other, LevelType) and (
            (self.level, self.spec) == (other.level, other.spec)
        )

    def __hash__(self):
        return hash(self.level)


class Level:
    def __init__(self, tensor, level):
        self.tensor, self.level = tensor, level

    def __tf_tracing_type__(self, context):
        return LevelType(self.level, fg.TensorSpec(self.tensor.shape, self.tensor.dtype))


def level(values, number):
    return Level(fg.constant(values), number)


def traced_levels(**options):
    traced = []

    @fg.function(**options)
    def f(x, k=1):
        traced.append((x.level, x.tensor.shape.as_list()))
        return x.tensor * k + x.level

    return f, traced


def test_the_type_decides_the_trace():
    traced = []

    @fg.function
    def f(x, num):
        traced.append(num.n)
        return x + num.n % 2

    results = [int(f(fg.constant(10), Number(n))) for n in (1, 3, 2, 5, 8)]
    assert results == [11, 11, 10, 11, 10]
    assert traced == [1, 2]


def test_equal_types_share_a_trace_after_their_values_are_gone():
    traced = []

    @fg.function
    def f(num):
        traced.append(num.n)
        return fg.constant(num.n % 2)

    gc.freeze()  # so that a collection looks at what is made here alone
    try:
        for n in range(1, 200, 2):
            assert int(f(Number(n))) == 1
            gc.collect()
    finally:
        gc.unfreeze()
    assert traced == [1]


def test_tensors_of_a_type_are_arguments():
    f, traced = traced_levels()
    assert f(level([1, 2], 1)).numpy().tolist() == [2, 3]
    assert f(level([5, 6], 1)).numpy().tolist() == [6, 7]
    assert traced == [(1, [2])]


def test_a_trace_serves_subtypes():
    f, traced = traced_levels()
    f(level([1, 2], 3))
    assert f(level([7, 8], 2)).numpy().tolist() == [10, 11]
    assert f(level([7, 8], 2)).numpy().tolist() == [10, 11]
    assert traced == [(3, [2])]
    assert f(level([7, 8], 4)).numpy().tolist() == [11, 12]
    assert traced == [(3, [2]), (4, [2])]


def test_the_most_specific_trace_serves():
    f, traced = traced_levels()
    for number in (5, 7, 9):
        f(level([1], number))
    assert [n for n, _ in traced] == [5, 7, 9]
    assert [int(f(level([0], n))[0]) for n in (1, 5, 6, 8)] == [5, 5, 7, 9]
    assert len(traced) == 3


def test_dtypes_in_a_type_are_told_apart():
    f, traced = traced_levels()
    assert f(level([1], 1)).dtype == fg.int32
    assert f(level([1.0], 1)).dtype == fg.float32
    assert len(traced) == 2


def test_types_relax_on_request():
    f, traced = traced_levels(reduce_retracing=True)
    f(level([1, 2], 1))
    assert f(level([1, 2, 3], 2)).numpy().tolist() == [3, 4, 5]
    assert f(level([1], 1)).numpy().tolist() == [3]
    assert f(level([1, 2, 3, 4], 2)).shape.as_list() == [4]
    assert traced == [(1, [2]), (2, [None])]


def test_types_go_inside_containers_and_beside_variables():
    v = fg.Variable(10)

    @fg.function
    def f(items, w):
        return items["a"][0].tensor + items["b"].level + w

    got = f({"a": [level([1], 4)], "b": level([2], 5)}, v)
    assert got.numpy().tolist() == [16]


def test_a_type_stands_for_its_values():
    f, traced = traced_levels()
    concrete = f.get_concrete_function(LevelType(2, fg.TensorSpec([None], fg.int32)))
    assert [t.shape.as_list() for t in concrete.inputs] == [[None]]
    assert f(level([1, 2, 3], 2)).numpy().tolist() == [3, 4, 5]
    assert traced == [(2, [None])]


def test_a_wrong_type_is_refused():
    class Bad:
        def __tf_tracing_type__(self, context):
            return "parity"

    with pytest.raises(TypeError, match="must return a TraceType"):
        fg.function(lambda x: x)(Bad())


def test_a_type_that_miscounts_its_tensors_is_refused():
    class Miscount(LevelType):
        def flatten(self):
            return []

    class Value(Level):
        def __tf_tracing_type__(self, context):
            return Miscount(1, fg.TensorSpec([1], fg.int32))

    with pytest.raises(ValueError, match="made 1 tensors, but flatten"):
        fg.function(lambda x: x.tensor)(Value(fg.constant([1]), 1))


def test_an_incomplete_type_cannot_be_made():
    class Incomplete(types.TraceType):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Incomplete()


def test_default_cast_and_from_tensors():
    one, two = Number(1), Number(2)
    kind = Parity(one)
    assert kind.cast(Number(3), None).n == 3
    assert kind.from_tensors(iter([])) is one
    with pytest.raises(TypeError, match="no value of the type"):
        kind.cast(two, None)


def test_dropping_the_function_frees_types_and_values():
    number = Number(1)
    gone = weakref.ref(number)
    f = fg.function(lambda x: fg.constant(x.n))
    f(number)
    del number
    assert gone() is not None
    del f
    gc.collect()
    assert gone() is None


def test_specs_are_trace_types():
    spec = fg.TensorSpec([2], fg.int32)
    assert isinstance(spec, types.TraceType)
    assert isinstance(fg.float32, types.TraceType)
    assert isinstance(fg.TensorShape([1]), types.TraceType)
    assert isinstance(Number(1), types.SupportsTracingProtocol)
    assert isinstance(level([1], 1), types.SupportsTracingProtocol)
    assert not isinstance(1, types.SupportsTracingProtocol)


def test_classes_of_functions():
    f = fg.function(lambda x: (x, x + 1))
    concrete = f.get_concrete_function(fg.TensorSpec([], fg.int32))
    atomic = concrete.inference_fn
    assert isinstance(f, types.PolymorphicFunction)
    assert isinstance(f, types.GenericFunction)
    assert isinstance(concrete, types.ConcreteFunction)
    assert isinstance(atomic, types.AtomicFunction)
    assert all(isinstance(g, types.Callable) for g in (f, concrete, atomic))
    assert not isinstance(concrete, types.PolymorphicFunction)
    assert [int(t) for t in atomic(fg.constant(4))] == [4, 5]
    assert atomic.name == concrete.name


@pytest.mark.parametrize(
    "value", [1, 2.5, "a", b"b", [1, 2], np.ones(2), fg.constant(1), fg.Variable(1)]
)
def test_what_converts_to_a_tensor(value):
    assert isinstance(value, types.TensorLike)
    assert not isinstance(object(), types.TensorLike)


def test_function_types():
    @fg.function
    def f(x, k=2, *, scale):
        return {"sum": x + k, "rest": [x * scale, None]}

    assert list(f.function_type.parameters) == ["x", "k", "scale"]
    assert f.function_type.parameters["k"].optional
    assert f.function_type.parameters["x"].type_constraint is None
    concrete = f.get_concrete_function(fg.TensorSpec([None]), scale=fg.TensorSpec([]))
    found = concrete.function_type
    assert isinstance(found, types.FunctionType)
    assert [p.kind.name for p in found.parameters.values()] == [
        "POSITIONAL_OR_KEYWORD",
        "POSITIONAL_OR_KEYWORD",
        "KEYWORD_ONLY",
    ]
    assert [s.shape.as_list() for s in found.flat_inputs] == [[None], []]
    assert [s.shape.as_list() for s in found.flat_outputs] == [[None], [None]]
    assert str(found).splitlines() == [
        "Input Parameters:",
        "  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None,), dtype=fg.float32, name=None)",
        "  k (POSITIONAL_OR_KEYWORD): Literal[2]",
        "  scale (KEYWORD_ONLY): TensorSpec(shape=(), dtype=fg.float32, name=None)",
        "Output Type:",
        "  Dict[[('sum', TensorSpec(shape=(None,), dtype=fg.float32, name=None)), "
        "('rest', List[TensorSpec(shape=(None,), dtype=fg.float32, name=None), Literal[None]])]]",
        "Captures:",
        "  None",
    ]


def test_function_type_of_a_signature():
    f = fg.function(lambda x: x, input_signature=[fg.TensorSpec([3], fg.int32)])
    assert f.function_type.parameters["x"].type_constraint == fg.TensorSpec([3], fg.int32)


def test_captures_are_in_the_function_type():
    v = fg.Variable([1.0, 2.0])
    concrete = fg.function(lambda: v + 1.0).get_concrete_function()
    assert [s.dtype for s in concrete.function_type.flat_captures] == [fg.resource]
