"""Containers and other objects whose contents branches and loops change, eagerly and traced."""

import array
import collections
import io
import queue

import ferrograph as fg
import numpy as np
import pytest


def plain(result):
    return [v.numpy().tolist() if hasattr(v, "numpy") else v for v in result]


def dict_gains_a_key(x):
    held = {"a": 1, "b": 2}
    if x > 2:
        held["c"] = x
    held["a"] += 3
    return len(held), held.get("c", 7), sum(held.values()), held["a"], "c" in held


def dict_loses_a_key(x):
    held = {"a": 1, "b": 2}
    if x > 2:
        held.pop("b")
    else:
        held["b"] = 5
    return len(held), held.get("b", 0), sum(held.values())


def keys_in_another_order(x):
    held = collections.OrderedDict(a=1, b=2)
    if x > 2:
        held.move_to_end("a")
    return (1 if next(iter(held)) == "a" else 2), held["a"]


def set_gains_and_loses(x):
    seen = {1, 2}
    if x > 2:
        seen.add(5)
    else:
        seen.discard(1)
    seen.add(7)
    return len(seen), sum(seen), 5 in seen


def deque_of_another_length(x):
    held = collections.deque([1, 2, 3])
    if x > 2:
        held.append(4)
    held.rotate(1)
    return len(held), held[0], sum(held)


def counter_and_default(x):
    counts, table = collections.Counter(a=1), collections.defaultdict(int)
    if x > 2:
        counts["b"] += 2
        table["new"] += 1
    return len(counts), counts["b"], len(table), counts.total()


def wrapped(x):
    held, items = collections.UserDict(a=1), collections.UserList([1, 2])
    if x > 2:
        held["c"] = 3
        items.append(x)
    if x > 3:
        held.pop("a", None)
    return len(held), held.get("a", 9), len(items), items[-1]


def chained(x):
    held = collections.ChainMap({"a": 1}, {"a": 5, "b": 2})
    if x > 2:
        held.maps.insert(0, {"a": 7})
    held["c"] = 5
    return held["a"], held["b"], len(held)


def bytes_and_arrays(x):
    buffer, numbers, matrix = bytearray(b"abcd"), array.array("i", [1, 2]), np.zeros(3)
    if x > 2:
        buffer.append(3)
        numbers[0] = 9
        matrix[1] = 4.0
    buffer[0] ^= 3
    numbers.extend([5])
    matrix += 1.0
    return len(buffer), sum(buffer), numbers[0], len(numbers), int(matrix.sum())


def streams_and_queues(x):
    stream, jobs = io.StringIO("start"), queue.Queue()
    if x > 2:
        stream.write("abcdefgh")
        jobs.put(4)
    jobs.put(1)
    return stream.tell(), jobs.qsize(), jobs.get()


def inner_list(x):
    held = {"l": [1, 2]}
    if x > 2:
        held["l"].append(x)
    held["l"][0] = 8
    return len(held["l"]), sum(held["l"]), held["l"][-1]


def other_list(x):
    items = [1, 2]
    if x > 2:
        items = [*items, 5]
    items.append(x)
    return len(items), sum(items), items[-1]


def loop_over_it(x):
    items = [1, 2, 3]
    if x > 2:
        items.append(x)
    total = 0
    for v in items:
        total = total + v
    for i, v in enumerate(items):
        total = total + i * v
    return total, sum([v * 2 for v in items]), max(items)


def items_change_while_it_runs(x):
    items = [1, 2, 3]
    if x > 2:
        items.append(4)
    else:
        items = [*items, 7]
    total = 0
    for v in items:
        items[2] = 9
        total = total + v
    return total, sum(items)


def view_shows_what_is_there(x):
    held = {"a": 1, "b": 2}
    if x > 2:
        held["c"] = 4
    values = held.values()
    held["a"] = 5
    return sum(values), len(values)


def known_keys_in_a_loop(x):
    held = {"a": 1}
    for i in fg.range(x):
        held["c"] = i
        held["a"] += 2
    return len(held), held.get("c", 7), held["a"]


def known_members_in_a_loop(x):
    seen = {1, 2}
    for i in fg.range(x):
        if i > 1:
            seen.add(5)
        seen.discard(1)
    return len(seen), sum(seen)


def grows_after_a_branch(x):
    items = [1, 2, 3]
    if x > 2:
        items.append(x)
    for _ in fg.range(x):
        items.append(7)
    return len(items), items[-1]


def raises_for_one_content(x):
    held = {"a": 1}
    if x > 2:
        held["b"] = 2
    if x > 2:
        x = x + held["b"]
    return x, len(held)


PROGRAMS = [
    dict_gains_a_key, dict_loses_a_key, keys_in_another_order, set_gains_and_loses,
    deque_of_another_length, counter_and_default, wrapped, chained, bytes_and_arrays,
    streams_and_queues, inner_list, other_list, loop_over_it, items_change_while_it_runs,
    view_shows_what_is_there, known_keys_in_a_loop, known_members_in_a_loop, grows_after_a_branch,
    raises_for_one_content,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_contents_are_those_of_plain_python(program):
    traced = fg.function(program)
    for value in (1, 3, 4):
        x = fg.constant(value)
        assert plain(traced(x)) == plain(program(x))
    assert traced.experimental_get_tracing_count() == 1


def test_gradients_go_through_the_content_that_an_object_has():
    @fg.function
    def f(x):
        held = {"a": x}
        if x > 1.0:
            held["b"] = x * x
        return sum(held.values())

    for value, slope in ((0.5, 1.0), (3.0, 7.0)):
        x = fg.constant(value)
        with fg.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert float(tape.gradient(y, x)) == slope


def test_an_object_given_back_to_python_is_itself_again():
    kept = []

    @fg.function
    def f(x):
        held = {"a": 1}
        if x > 0:
            held["b"] = 2
        kept.append(held)
        return len(held)

    assert int(f(fg.constant(1))) == 2
    assert type(kept[0]) is dict


def twice_named(x):
    held = {"a": 1}
    other = held
    if x > 2:
        held["b"] = 2
    return len(other)


def one_of_two_lists(x):
    held = {"l": [1]}
    if x > 2:
        held["l"] = [2, 3]
    return len(held["l"])


def returned(x):
    held = {"a": 1}
    if x > 2:
        held["b"] = 2
    return held


def ever_more(x):
    numbers = array.array("i")
    for _ in fg.range(x):
        numbers.append(1)
    return len(numbers)


@pytest.mark.parametrize("program", [twice_named, one_of_two_lists, returned, ever_more])
def test_what_the_graph_cannot_choose_is_refused(program):
    with pytest.raises(fg.errors.StagingError):
        fg.function(program)(fg.constant(3))
