"""What lies within each other too deep is refused before a walk through it can end the stack."""

from __future__ import annotations

import threading

import ferrograph as fg
import pytest
from ferrograph.errors import InvalidArgumentError, ResourceExhaustedError


@fg.function
def passed_on(v):
    return v + 0


LEVELS = {
    "take": lambda d: d.take(5),
    "concatenate": lambda d: d.concatenate(fg.data.Dataset.range(0)),
    "shuffle": lambda d: d.shuffle(1),
    "map": lambda d: d.map(passed_on),
    "zip": lambda d: fg.data.Dataset.zip(d, fg.data.Dataset.range(3)).map(lambda a, b: a),
    "flat_map": lambda d: d.flat_map(lambda v: fg.data.Dataset.from_tensors(v)),
}


def over(level, n):
    data = fg.data.Dataset.range(3)
    for _ in range(n):
        data = LEVELS[level](data)
    return data


@pytest.mark.parametrize("level", LEVELS)
def test_long_chains_of_datasets_are_read_on_any_thread(level):
    data = over(level, 700)
    expected = [0, 1, 2]
    assert [int(v) for v in data] == expected
    assert [int(v) for v in data.prefetch(1)] == expected
    found = []
    thread = threading.Thread(target=lambda: found.extend(int(v) for v in data))
    thread.start()
    thread.join()
    assert found == expected


def test_a_chain_of_as_many_datasets_as_there_may_be_is_read():
    data = over("concatenate", 3_998)
    assert len(list(data.prefetch(1))) == 3


def test_longer_chains_of_datasets_are_refused():
    with pytest.raises(ResourceExhaustedError, match="4000 datasets read each other"):
        over("take", 4_001)


def nested_lists(n):
    inner = fg.raw_ops.EmptyTensorList(
        element_shape=[], max_num_elements=1, element_dtype=fg.float32
    )
    for _ in range(n):
        outer = fg.raw_ops.EmptyTensorList(
            element_shape=[], max_num_elements=1, element_dtype=fg.variant
        )
        inner = fg.raw_ops.TensorListPushBack(input_handle=outer, tensor=inner)
    return inner


def nested_optionals(n):
    value = fg.constant(1.0)
    for _ in range(n):
        value = fg.raw_ops.OptionalFromValue(components=[value])
    return value


@pytest.mark.parametrize("nested", [nested_lists, nested_optionals])
def test_variants_within_each_other(nested):
    nested(10_000)
    with pytest.raises(ResourceExhaustedError, match="more than 12000 levels deep"):
        nested(12_001)


def outer(inner):
    return fg.function(lambda x: inner(x))


def calls(n):
    one = fg.constant(1.0)
    inner = fg.function(lambda x: x + 1.0).get_concrete_function(one)
    for _ in range(n):
        inner = outer(inner).get_concrete_function(one)
    return inner


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_calls_within_each_other(tmp_path):
    module = fg.Module()
    module.deep = calls(490)
    x = fg.constant(1.0)
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = module.deep(x)
    assert float(y) == 2.0
    assert float(tape.gradient(y, x)) == 1.0
    fg.saved_model.save(module, tmp_path)
    assert float(fg.saved_model.load(tmp_path).deep(x)) == 2.0
    with pytest.raises(ResourceExhaustedError, match="more than 500 levels deep"):
        calls(501)


@pytest.mark.parametrize("n", [64, 70, 300])
@pytest.mark.parametrize("entry", [None, slice(None), 0, Ellipsis])
def test_keys_of_too_many_entries(n, entry):
    x = fg.ones([4])
    with pytest.raises(InvalidArgumentError, match="too long"):
        x[(entry,) * n]
    with pytest.raises(ValueError, match="too long"):
        fg.function(lambda x: x[(entry,) * n])(x)
