"""What a tensor represents that branches, loops, lists and indices put in the place of values."""

import re
from pathlib import Path

import ferrograph as fg
import numpy as np
import pytest
from ferrograph._src.symbolic import merged_objects, python_scalars, ranges, values
from ferrograph._src.symbolic.abstract_value import WIDENINGS, AbstractValue, attach, join, summary

SOURCES = Path(fg.__file__).parent / "_src"
FOUND = []


@fg.autograph.experimental.do_not_convert
def look(value):
    FOUND.append(
        {
            "text": python_scalars.is_text(value),
            "number": python_scalars.is_number(value),
            "foreign": python_scalars.is_foreign(value),
            "integer": ranges.is_integer(value),
            "array": merged_objects.stands_for_array(value),
            "variable": values.stands_for_variable(value),
            "kinds": python_scalars.kinds_of(value),
            "known": python_scalars.known_of(value),
            "most": ranges.most(value),
        }
    )
    return value


PLAIN = dict.fromkeys(("text", "number", "foreign", "integer", "array", "variable"), False)
PLAIN = {**PLAIN, "kinds": None, "known": set(), "most": None}
INTEGER = {**PLAIN, "number": True, "integer": True, "kinds": {int}}
VARIABLE = fg.Variable(2.0)


def tensors(x, k):
    look(x + 1 if x > 0 else x - 1)


def numbers(x, k):
    look(3 if x > 0 else -5)


def number_or_tensor(x, k):
    look(3.5 if x > 0 else x)


def strings(x, k):
    look("a" if x > 0 else "b")


def arrays(x, k):
    a = np.array([1.0, 2.0]) if x > 0 else np.array([3.0, 4.0])
    look(a)


def scalars(x, k):
    look(np.float32(1.0) if x > 0 else np.float32(2.0))


def variables(x, k):
    look(VARIABLE if x > 0 else x)


def small_numbers_of_a_loop(x, k):
    n = 3
    for _ in fg.range(k):
        n = (n + 1) % 7
    look(n)


def scalars_of_a_loop(x, k):
    a = np.float32(1.0)
    for _ in fg.range(k):
        a = a * np.float32(2.0)
    look(a)


def tensors_of_a_loop(x, k):
    for _ in fg.range(k):
        x = x * 2.0
    look(x)


def elements(x, k):
    items = [1]
    for _ in fg.range(k):
        items.append(2)
    look(items[k - 1])


def items_by_index(x, k):
    look([3, -5][k])


EXPECTED = {
    tensors: PLAIN,
    numbers: {**INTEGER, "known": {3, -5}, "most": 5},
    number_or_tensor: {**PLAIN, "number": True},
    strings: {**PLAIN, "text": True},
    arrays: {**PLAIN, "array": True, "foreign": True},
    scalars: {**PLAIN, "foreign": True},
    variables: {**PLAIN, "variable": True},
    small_numbers_of_a_loop: {**INTEGER, "most": 7},
    scalars_of_a_loop: {**PLAIN, "foreign": True},
    tensors_of_a_loop: PLAIN,
    elements: {**INTEGER, "kinds": None},
    items_by_index: {**INTEGER, "most": 5},
}


@pytest.mark.parametrize("function", EXPECTED, ids=lambda f: f.__name__)
def test_what_a_merged_value_represents(function):
    FOUND.clear()
    traced = fg.function(function)
    traced.get_concrete_function(fg.TensorSpec([], fg.float32), fg.TensorSpec([], fg.int32))
    assert FOUND[-1] == EXPECTED[function]


def test_a_number_is_one_of_those_known_where_all_are_known():
    @fg.function
    def shown(x, k):
        other = 1.5
        for _ in fg.range(k):
            other = other * 2.0
        return f"{3.5 if x > 0 else other:.9f}"

    with pytest.raises(fg.errors.StagingError, match="more digits"):
        shown(fg.constant(-1.0), fg.constant(2))


BEYOND = b"beyond the range of int32"


def graph_of(function):
    traced = fg.function(function)
    concrete = traced.get_concrete_function(*[fg.TensorSpec([], fg.int32)] * 2)
    return concrete.graph.as_graph_def().SerializeToString()


def zeros(x, k):
    n = 0
    for _ in range(k):
        n *= x if x > 0 else 3
    return n


def counted(x, k):
    n = 0
    for i in range(k):
        n += int(x > i)
    return n


def products(x, k):
    n = 1
    for _ in range(k):
        n *= 3
    return n


def test_what_stays_small_in_a_loop_is_not_checked():
    assert BEYOND not in graph_of(zeros)
    assert BEYOND not in graph_of(counted)
    assert int(fg.function(counted)(fg.constant(3), fg.constant(5))) == 3
    assert BEYOND in graph_of(products)


def test_an_integer_of_the_first_iteration_alone_is_checked():
    @fg.function
    def shown(x, t, k):
        n, total, out = 2**30 - 1, 0.0, 0
        for _ in fg.range(k):
            total = total + x / 2.0 + n * x
            out = n * 4
            n = t
        return out, total

    with pytest.raises(fg.errors.InvalidArgumentError, match="beyond the range of int32"):
        shown(fg.constant(1.0), fg.constant(5), fg.constant(1))


def test_a_list_takes_in_what_else_its_elements_may_be():
    first, second = summary((1, 2)), summary(("a",))
    assert first.number is not None and first.integer is not None and not first.is_text
    assert second.is_text and second.number is None
    second.add(first)
    assert not second.is_text
    assert second.number is first.number and second.integer is first.integer


def test_a_merge_of_eager_numbers_has_their_classes():
    value = join((1, 2.5), python_scalars.kinds_of)
    assert value.number.kinds == {int, float}
    assert value.integer is None and not value.is_foreign and value.label is None


def test_outside_of_traces_nothing_is_noted():
    value = AbstractValue()
    value.number, value.is_text = python_scalars.Number(frozenset({int})), True
    tensor = fg.constant(1)
    assert attach(tensor, value) is tensor
    assert not python_scalars.is_number(tensor) and not python_scalars.is_text(tensor)


@pytest.mark.parametrize("path", sorted((SOURCES / "staging").glob("*.py")), ids=lambda p: p.stem)
def test_staging_notes_facts_by_abstract_values(path):
    assert not re.search(
        r"\b(mark_string|mark_array|mark_foreign|Scalars|Arrays)\b", path.read_text()
    )


def test_a_loop_learns_what_it_knows_by_name():
    names = "".join(path.read_text() for path in (SOURCES / "staging").glob("*.py"))
    assert all(re.search(rf"\b{name}=|\"{name}\"", names) for name in WIDENINGS)
