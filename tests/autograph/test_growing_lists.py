"""Lists that grow and shrink in staged loops and branches by every means, as eagerly."""

# ruff: noqa: PIE810, RUF005 - the statements are what is under test

import ferrograph as fg
import pytest


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.numpy().tolist() if hasattr(value, "numpy") else value


def added_in_place(n, x):
    xs = [x]
    for i in fg.range(n):
        xs += [i]
    return len(xs), sum(xs), xs[0]


def two_added(n, x):
    xs = []
    for i in fg.range(n):
        xs += [i, x]
    return len(xs), sum(xs)


def added_from_a_comprehension(n, x):
    xs = [x]
    for i in fg.range(n):
        xs += [v + i for v in (1, 2)]
    return len(xs), sum(xs)


def added_in_a_branch(n, x):
    xs = [x]
    ys = xs
    if n > 1:
        xs += [n]
    ys.append(x)
    return len(xs), sum(ys), len(ys)


def added_in_a_while(n, x):
    xs = [x]
    while len(xs) < n:
        xs += [xs[-1] + 1]
    return len(xs), sum(xs)


def rebound_and_added(n, x):
    xs = [x, x]
    for i in fg.range(n):
        xs = [xs[0] + i, xs[1]]
    for i in fg.range(n):
        xs += [i]
    return len(xs), sum(xs)


def tensors_are_still_added(n, x):
    t = fg.stack([x, x])
    for i in fg.range(n):
        t += [1, i]
    return t


def inserted_by_a_tensor(n, x):
    xs = [x, x + 1]
    for i in fg.range(n):
        xs.insert(i, i * 10)
    return len(xs), sum(xs), xs[0], xs[-1]


def popped_by_a_tensor(n, x):
    xs = [x, x + 1, x + 2]
    taken = xs.pop(n - n + 1)
    return taken, len(xs), sum(xs)


def popped_in_a_loop(n, x):
    xs = [x + k for k in range(6)]
    total = 0
    for i in fg.range(n):
        total = total + xs.pop() + xs.pop(0) * i
    return total, len(xs)


def extended(n, x):
    xs = [x]
    for i in fg.range(n):
        xs.extend([i, x])
        if i > 1:
            xs.extend((i,))
    return len(xs), sum(xs)


FUNCTIONS = [
    added_in_place,
    two_added,
    added_from_a_comprehension,
    added_in_a_branch,
    added_in_a_while,
    rebound_and_added,
    tensors_are_still_added,
    inserted_by_a_tensor,
    popped_by_a_tensor,
    popped_in_a_loop,
    extended,
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("args", [(3, 2), (1, -1), (0, 5)])
def test_the_list_is_what_it_is_eagerly(function, args):
    args = [fg.constant(a) for a in args]
    traced = fg.function(function, input_signature=[fg.TensorSpec([], fg.int32)] * 2)
    assert plain(traced(*args)) == plain(function(*args))


def test_a_class_with_its_own_addition_keeps_it():
    class Log(list):
        def __iadd__(self, other):
            self.append(len(other))
            return self

    @fg.function
    def f(x):
        log = Log()
        log += [x, x]
        return log[0] + x

    assert int(f(fg.constant(1))) == 3
