"""Classes of the program's own as values: fields, specs, functions, loops, branches, gradients."""

import copy
import pickle
import typing
from collections.abc import Mapping

import ferrograph as fg
import pytest

ExtensionType = fg.experimental.ExtensionType


class Masked(ExtensionType):
    values: fg.Tensor
    mask: fg.Tensor
    weight: int = 1

    def total(self):
        kept = fg.where(self.mask, self.values, fg.zeros_like(self.values))
        return fg.reduce_sum(kept) * self.weight


class Pair(ExtensionType):
    first: Masked
    rest: tuple[fg.Tensor, ...]
    named: Mapping[str, fg.Tensor]
    note: str | None = None


class Interval(ExtensionType):
    low: fg.TensorSpec(None, fg.float32)
    high: fg.TensorSpec(None, fg.float32)

    def __init__(self, center, radius=1.0):
        self.low = fg.convert_to_tensor(center) - radius
        self.high = fg.convert_to_tensor(center) + radius

    def __validate__(self):
        self.low.shape.assert_is_compatible_with(self.high.shape)

    class Spec:
        def __init__(self, shape):
            self.low = fg.TensorSpec(shape, fg.float32)
            self.high = fg.TensorSpec(shape, fg.float32)

        @property
        def shape(self):
            return self.low.shape


def masked(values=(1, 2, 3), mask=(True, False, True), **more):
    return Masked(list(values), list(mask), **more)


def shown(value):
    return [t.numpy().tolist() for t in fg.nest.flatten(value, expand_composites=True)]


def pair(**more):
    return Pair(masked(), [1.0, 2.0], {"b": 3, "a": 4}, **more)


def test_fields_are_converted():
    m = masked()
    assert isinstance(m.values, fg.Tensor)
    assert m.mask.dtype == fg.bool
    assert m.weight == 1
    p = pair(note="x")
    assert isinstance(p.rest, tuple)
    assert [float(t) for t in p.rest] == [1.0, 2.0]
    assert list(p.named) == ["a", "b"]
    assert int(p.named["a"]) == 4
    assert p.note == "x"
    assert pair().note is None
    assert repr(m).startswith("Masked(values=<fg.Tensor: shape=(3,)")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Masked([1], [True], 2.5), "weight: expected 'int', got 'float'"),
        (lambda: Masked([1], [True], True), "weight: expected 'int', got 'bool'"),
        (lambda: Masked(object(), [True]), "values: expected a Tensor"),
        (lambda: Masked([1]), "misses the argument 'mask'"),
        (lambda: Masked([1], [True], 1, 2), "takes 3 positional arguments, got 4"),
        (lambda: Masked([1], [True], wrong=1), "unexpected keyword argument 'wrong'"),
        (lambda: Masked([1], [True], values=[1]), "multiple values for argument 'values'"),
        (lambda: Pair(masked(), 1, {}), "rest: expected a tuple, got 'int'"),
        (lambda: Pair(masked(), [], {1: 2}), "named: expected a key of type 'str', got 1"),
        (lambda: Pair(masked(), [], {}, 3), "note: expected one of str, NoneType, got 'int'"),
        (lambda: Pair([1], [], {}), "first: expected 'Masked', got 'list'"),
        (lambda: Interval(fg.constant([1]), 1), "low: expected a value compatible with TensorSpec"),
    ],
)
def test_what_does_not_fit_is_refused(make, message):
    with pytest.raises(TypeError) as caught:
        make()
    assert message in str(caught.value)


def test_values_are_immutable():
    m = masked()
    with pytest.raises(AttributeError, match="Cannot mutate attribute `values`"):
        m.values = fg.constant(1)
    with pytest.raises(AttributeError, match="Cannot mutate attribute `mask`"):
        del m.mask
    with pytest.raises(AttributeError):
        m.other = 1
    with pytest.raises(AttributeError):
        m._type_spec.weight = 3
    with pytest.raises(TypeError):
        pair().named["c"] = 1


def test_constructors_must_set_the_fields():
    class Extra(ExtensionType):
        x: fg.Tensor

        def __init__(self, x):
            self.x = x
            self.y = x

    class Less(ExtensionType):
        x: fg.Tensor

        def __init__(self):
            pass

    with pytest.raises(ValueError, match=r"what is no field: \['y'\]"):
        Extra(1)
    with pytest.raises(ValueError, match=r"left fields unset: \['x'\]"):
        Less()


def test_validation_is_called():
    class Positive(ExtensionType):
        x: fg.Tensor

        def __validate__(self):
            fg.debugging.assert_positive(self.x)

    assert float(Positive(1.0).x) == 1.0
    with pytest.raises(fg.errors.InvalidArgumentError):
        Positive(-1.0)


def test_bad_declarations_are_refused():
    with pytest.raises(ValueError, match="'Spec' is reserved"):

        class Reserved(ExtensionType):
            Spec: fg.Tensor

    with pytest.raises(TypeError, match="an annotation of a field must be"):

        class Unknown(ExtensionType):
            x: list[int]

    with pytest.raises(TypeError, match="default value for x: expected 'int', got 'str'"):

        class Default(ExtensionType):
            x: int = "one"


def test_subclasses_inherit_fields_and_defaults():
    class Named(Masked):
        name: str = "none"

    n = Named([1, 2], [True, True], name="two")
    assert (n.weight, n.name, int(n.total())) == (1, "two", 3)
    assert Named.Spec is not Masked.Spec
    assert isinstance(n._type_spec, Masked.Spec)


def test_fields_behind_a_default_go_by_name():
    class Mixed(ExtensionType):
        a: int = 1
        b: fg.Tensor

    assert int(Mixed(2, b=5).b) == 5
    with pytest.raises(TypeError, match="takes 1 positional arguments, got 2"):
        Mixed(2, 5)


def test_equality_is_a_tensor():
    assert bool(masked() == masked())
    assert not bool(masked() == masked([1, 2, 4]))
    assert bool(masked() != masked([1, 2, 4]))
    assert (masked() == masked(weight=2)) is False
    assert (masked() != 3) is True
    assert (masked() == masked([1.0, 2.0, 3.0])) is False
    with pytest.raises(TypeError, match="unhashable"):
        hash(masked())


def test_specs():
    spec = masked()._type_spec
    assert isinstance(spec, Masked.Spec)
    assert spec == Masked.Spec(fg.TensorSpec([3], fg.int32), fg.TensorSpec([3], fg.bool), 1)
    assert spec == fg.type_spec_from_value(masked())
    assert spec.value_type is Masked
    assert spec.is_compatible_with(masked())
    assert not spec.is_compatible_with(masked(weight=2))
    wide = Masked.Spec(fg.TensorSpec([None], fg.int32), fg.TensorSpec([None], fg.bool), 1)
    assert spec.is_subtype_of(wide)
    assert not wide.is_subtype_of(spec)
    other = masked([1, 2], [True, True])._type_spec
    assert spec.most_specific_compatible_type(other) == wide
    assert [s.shape.as_list() for s in wide.flatten()] == [[None], [None]]
    assert Interval.Spec([2]).shape.as_list() == [2]
    assert pickle.loads(pickle.dumps(wide)) == wide
    assert "Masked.Spec(values=TensorSpec" in repr(wide)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Masked.Spec(fg.TensorSpec([3]), True, 1),
        lambda: Masked.Spec(fg.TensorSpec([3]), fg.TensorSpec([3]), "x"),
        lambda: Masked.Spec(fg.TensorSpec([3])),
        lambda: Masked.Spec(fg.TensorSpec([3]), fg.TensorSpec([3]), 1, 2),
        lambda: Masked.Spec(masked()._type_spec, fg.TensorSpec([3]), 1),
    ],
)
def test_bad_specs_are_refused(make):
    with pytest.raises(TypeError):
        make()


def test_nest_opens_them_on_request():
    p = pair()
    assert fg.nest.flatten(p) == [p]
    flat = fg.nest.flatten(p, expand_composites=True)
    assert len(flat) == 6
    again = fg.nest.pack_sequence_as(p, [t + t for t in flat[:1]] + flat[1:], True)
    assert shown(again)[0] == [2, 4, 6]
    assert fg.nest.is_nested(p) is False


def test_functions_take_and_give_them():
    traces = []

    @fg.function
    def f(m, scale):
        traces.append(m.values.shape.as_list())
        return m.total() * scale, Masked(m.values * scale, m.mask, m.weight)

    total, scaled = f(masked(), fg.constant(2))
    assert int(total) == 8
    assert isinstance(scaled, Masked)
    assert scaled.values.numpy().tolist() == [2, 4, 6]
    f(masked([5, 6, 7]), fg.constant(3))
    assert traces == [[3]]
    f(masked([1], [True]), fg.constant(2))
    f(masked([1] * 7, [True] * 7), fg.constant(2))
    assert traces == [[3], [None]]
    assert int(f(masked(weight=10), fg.constant(1))[0]) == 40
    assert len(traces) == 3


def test_nested_ones_pass_through_functions():
    @fg.function
    def f(p):
        return Pair(p.first, [*p.rest, fg.constant(9.0)], {**p.named, "c": 1}, note="out"), p

    out, same = f(pair(note="in"))
    assert [float(t) for t in out.rest] == [1.0, 2.0, 9.0]
    assert list(out.named) == ["a", "b", "c"]
    assert (out.note, same.note) == ("out", "in")
    assert isinstance(out.first, Masked)


def test_input_signatures():
    spec = Masked.Spec(fg.TensorSpec([None], fg.int32), fg.TensorSpec([None], fg.bool), 1)
    traces = []

    @fg.function(input_signature=[spec])
    def f(m):
        traces.append(1)
        return m.total()

    assert [int(f(masked())), int(f(masked([5], [True])))] == [4, 5]
    assert len(traces) == 1
    with pytest.raises(TypeError, match="incompatible with input_signature"):
        f(masked(weight=2))
    with pytest.raises(TypeError, match="incompatible with input_signature"):
        f(masked([1.0, 2.0, 3.0]))


def test_concrete_functions():
    f = fg.function(lambda m: m.total())
    spec = Masked.Spec(fg.TensorSpec([None], fg.int32), fg.TensorSpec([None], fg.bool), 1)
    concrete = f.get_concrete_function(spec)
    assert int(concrete(masked())) == 4
    assert int(f(masked([7], [True]))) == 7
    assert f.experimental_get_tracing_count() == 1
    assert concrete.structured_input_signature[0][0] == spec
    with pytest.raises(TypeError, match="must fit"):
        concrete(masked(weight=2))
    with pytest.raises(TypeError):
        concrete(3)
    given = fg.function(lambda m: m).get_concrete_function(spec).structured_outputs
    assert type(given) is Masked and given.weight == 1
    assert (given.values.dtype, given.values.shape.as_list()) == (fg.int32, [None])
    assert (given.mask.dtype, given.mask.shape.as_list()) == (fg.bool, [None])


@pytest.mark.parametrize("how", ["eager", "traced"])
def test_loops_and_branches_carry_them(how):
    def f(m, n):
        for i in fg.range(n):
            if i % 2 == 0:
                m = Masked(m.values + i, m.mask, m.weight)
            else:
                m = Masked(m.values, fg.logical_not(m.mask), m.weight)
        return m

    call = fg.function(f) if how == "traced" else f
    assert shown(call(masked(), fg.constant(5))) == [[7, 8, 9], [True, False, True]]
    assert shown(call(masked(), fg.constant(0))) == [[1, 2, 3], [True, False, True]]


@pytest.mark.parametrize("how", ["eager", "traced"])
def test_cond_and_while_loop(how):
    def f(m, c):
        m = fg.cond(c, lambda: m, lambda: Masked(m.values[:1], m.mask[:1], m.weight))
        _, m = fg.while_loop(
            lambda i, _: i < 3,
            lambda i, m: (i + 1, Masked(m.values * 2, m.mask, m.weight)),
            (fg.constant(0), m),
        )
        return m

    call = fg.function(f) if how == "traced" else f
    assert shown(call(masked(), fg.constant(True))) == [[8, 16, 24], [True, False, True]]
    assert shown(call(masked(), fg.constant(False))) == [[8], [True]]


def test_a_loop_that_changes_python_fields_is_refused():
    @fg.function
    def f(m, n):
        for _ in fg.range(n):
            m = Masked(m.values, m.mask, m.weight + 1)
        return m

    with pytest.raises((TypeError, ValueError), match="Masked"):
        f(masked(), fg.constant(3))


@pytest.mark.parametrize("how", ["eager", "traced"])
def test_gradients(how):
    class Scaled(ExtensionType):
        x: fg.Tensor
        by: fg.Tensor

    def f(s):
        with fg.GradientTape() as tape:
            tape.watch(s)
            y = fg.reduce_sum(s.x * s.x) * s.by
        return tape.gradient(y, s)

    call = fg.function(f) if how == "traced" else f
    found = call(Scaled([1.0, 2.0], 3.0))
    assert isinstance(found, Scaled)
    assert found.x.numpy().tolist() == [6.0, 12.0]
    assert float(found.by) == 5.0


def test_copies_and_pickles():
    m = pair(note="n")
    for made in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert shown(made) == shown(m)
        assert made.note == "n"


def test_methods_are_functions_of_self():
    class Counter(ExtensionType):
        n: fg.Tensor

        @fg.function
        def up(self, by):
            return Counter(self.n + by)

    c = Counter(1)
    assert int(c.up(fg.constant(2)).n) == 3
    assert int(Counter(5).up(fg.constant(2)).n) == 7


def test_annotations_as_text():
    namespace = {"fg": fg, "ExtensionType": ExtensionType, "__name__": __name__}
    exec(
        "from __future__ import annotations\n"
        "class Text(ExtensionType):\n"
        "    x: fg.Tensor\n"
        "    y: int = 2\n",
        namespace,
    )
    made = namespace["Text"](1.5)
    assert (float(made.x), made.y) == (1.5, 2)


def test_optional_and_union_fields():
    class Maybe(ExtensionType):
        x: typing.Optional[fg.Tensor]  # noqa: UP045
        y: typing.Union[int, fg.Tensor]  # noqa: UP007

    assert Maybe(None, 1).x is None
    assert Maybe(None, 1).y == 1
    assert float(Maybe(2.0, [1.5]).x) == 2.0
    f = fg.function(lambda m: m)
    assert f(Maybe(None, 1)).x is None
    assert float(f(Maybe(2.0, 1)).x) == 2.0


class Tree(fg.experimental.ExtensionType):
    value: fg.Tensor
    children: typing.Tuple["Tree", ...]  # noqa: UP006
    later: typing.Optional["Later"] = None  # noqa: UP045


class Later(fg.experimental.ExtensionType):
    value: fg.Tensor


def test_annotations_refer_to_classes_by_name():
    tree = Tree(1, (Tree(2, ()),), Later(3))
    assert int(tree.children[0].value) == 2
    assert int(fg.function(lambda t: t.children[0].value + t.later.value)(tree)) == 5
    with pytest.raises(TypeError, match="Tree"):
        Tree(1, (3,))
    with pytest.raises(TypeError, match="later"):
        Tree(1, (), Tree(1, ()))


def test_a_name_that_nothing_has_is_said_when_it_is_needed():
    class Early(fg.experimental.ExtensionType):
        part: typing.Optional["NeverMade"]  # noqa: UP045, F821

    assert Early(None).part is None
    with pytest.raises(TypeError, match="NeverMade"):
        Early(fg.constant(1))
