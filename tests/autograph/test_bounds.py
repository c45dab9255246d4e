"""Integers of Python's that the graph carries: equal, or an error at the line where one leaves the
range of int32."""

import ferrograph as fg
import pytest


def product(x):
    n = 1
    while x > 0:
        n = n * 1000
        x = x - 1
    return n


def chosen(x):
    n = 1_000_000 if x > 0 else 5
    return n * 5000


def in_one_branch(x):
    n = 30_000
    if x > 0:
        n = 70_000
    return n * n


def squares(x):
    total = 0
    for i in range(x):
        total = total + i * i
    return total


def added(x):
    rows = [1, 2, 3]
    while x > 0:
        rows = [a + b for a, b in zip(rows, rows[::-1], strict=True)]
        x = x - 1
    return rows


def fibonacci(x):
    a, b = 0, 1
    for _ in fg.range(x):
        a, b = b, a + b
    return a


def down(x):
    k = 0
    while x > 0:
        x = x - 1
        k -= 100_000_000
    return k


def nested(x):
    total = 1
    for i in range(x):
        for _ in fg.range(x):
            if i > 0:
                total = total * 3
    return total


def appended(x):
    grown, k = [], 1
    for _ in fg.range(x):
        grown.append(k)
        k = k * 3
    return grown[-1] * grown[-1]


def powers(x):
    n = 3 if x > 4 else 2
    return 10 ** (n * 4), -n


class Box:
    size = 1


def attribute(x):
    box = Box()
    while x > 0:
        box.size = box.size * 99 + box.size
        x = x - 1
    return box.size


def numbered(x):
    found = 0
    for i, _ in enumerate(fg.zeros([4])):
        if i > x - 4:
            found = (i + 1) * 536_870_912
    return found


def in_one_branch_alone(x):
    n = 3 if x > 0 else x
    for _ in fg.range(x):
        n = n * 3
    return n


def element_of_either(x):
    numbers = [1, 2]
    if x < 0:
        numbers = [x, x]
    while x > 0:
        numbers = [a + b for a, b in zip(numbers, numbers[::-1], strict=True)]
        x = x - 1
    return numbers


def by_one(x):
    k = 2_147_483_640 if x > 0 else 5
    for _ in fg.range(x):
        k += 1
    return k


def by_one_after_more(x):
    k = 1
    while x > 0:
        if k > 2_000_000_000:
            k += 1
        else:
            k = k * 1_073_741_823
            k = k + k
            k = k + 1
        x = x - 1
    return k


def summed(x):
    sizes = []
    for _ in range(x):
        sizes.append(1_000_000_000)
    return sum(sizes)


def stored(x):
    sizes = [1_000_000_000, 5]
    sizes[x % 2] = 7
    return sizes[0] * 3


def from_the_end(x):
    last = 0
    for i in range(x, x + 3):
        last = i + 1 + 1
    return last


def kept_without_an_iteration(x):
    n = 3
    for _ in fg.range(x - 4):
        n = x
    return n * 1_000_000_000


def kept_by_a_loop_inside(x):
    n = 3
    for _ in fg.range(3):
        for _ in fg.range(x - 4):
            n = x % 23
        n = n * 1000
    return n


def kept_without_elements(x):
    n = 7
    for i in fg.data.Dataset.range(fg.cast(x, fg.int64)):
        n = x + fg.cast(i, fg.int32)
    return n * 400_000_000


def largest(x):
    return max(x, 70_000) * 31_000


def smallest(x):
    return min([x, 50_000, x + 1]) * 43_000


def in_order(x):
    return sorted([x, 70_000], key=lambda v: -v)[0] * 31_000


def beyond_32_bits(x):
    k = 4_000_000_000
    while x > 0:
        k = k * 1000
        x = x - 1
    return k


CASES = [
    (kept_without_an_iteration, 5, 4),
    (kept_by_a_loop_inside, 5, 4),
    (kept_without_elements, 1, 0),
    (largest, 70_001, 7),
    (smallest, 7, 60_000),
    (in_order, 70_001, 7),
    (beyond_32_bits, 3, 4),
    (in_one_branch_alone, 18, 20),
    (element_of_either, 20, 40),
    (by_one, 7, 8),
    (by_one_after_more, 1, 3),
    (summed, 2, 3),
    (stored, 0, 1),
    (from_the_end, 4, 2_147_483_644),
    (product, 3, 4),
    (chosen, -1, 1),
    (in_one_branch, 0, 1),
    (squares, 1000, 3000),
    (added, 20, 40),
    (fibonacci, 40, 60),
    (down, 21, 22),
    (nested, 4, 6),
    (appended, 5, 15),
    (powers, 1, 5),
    (attribute, 4, 5),
    (numbered, 8, 4),
]


@pytest.mark.parametrize(
    ("function", "small", "large"), CASES, ids=lambda v: getattr(v, "__name__", None)
)
def test_integers_are_those_of_python_or_fail_at_their_line(function, small, large):
    traced = fg.function(function)
    given = fg.nest.map_structure(int, traced(fg.constant(small)))
    assert given == fg.nest.map_structure(int, function(fg.constant(small)))
    with pytest.raises(
        fg.errors.InvalidArgumentError, match="beyond the range of int(32|64)"
    ) as info:
        traced(fg.constant(large))
    assert f"{__file__}:" in str(info.value)


def small_ones(x):
    k = 3 if x > 0 else 7
    n = 5
    for _ in fg.range(x):
        n = (n * 31 + k) % 97
    total = 0
    for _ in fg.range(x):
        for i in fg.range(x):
            if i > 2:
                total = total + i
    return k * 1000 - n * 100 + max(k, 2) * total


def test_integers_that_stay_small_are_not_checked():
    traced = fg.function(small_ones)
    for value in (0, 1, 6):
        assert int(traced(fg.constant(value))) == int(small_ones(fg.constant(value)))
    graph = traced.get_concrete_function(fg.constant(0)).graph
    assert "Assert" not in str(graph.as_graph_def())


def as_number(b):
    return b * 3


def inverted(b):
    return ~b


@pytest.mark.parametrize("function", [as_number, inverted])
def test_a_chosen_bool_is_no_integer(function):
    def program(x):
        found = False
        if x > 0:
            found = True
        return function(found)

    with pytest.raises(fg.errors.StagingError, match=r"Write `int\(b\)` in its place"):
        fg.function(program)(fg.constant(1))
    assert bool(fg.function(lambda x: function(x > 0))(fg.constant(1))) is bool(
        function(fg.constant(1) > 0)
    )


def step_of_64_bits(x):
    k = 1
    for _ in fg.range(x):
        k = k + 4_000_000_000
    return k


def test_a_number_that_does_not_fit_beside_one_is_explained():
    with pytest.raises(TypeError, match="out of range") as info:
        fg.function(step_of_64_bits)(fg.constant(1))
    said = "".join([str(info.value), *info.value.__notes__])  # before Python 3.11 in the message
    assert "`fg.constant(0, fg.int64)`" in said


def hashed(values):
    found = 7
    for value in values:
        found = found * 31 + value
    return found


def hashed_if(values):
    found = 7
    for value in values:
        if value > 0:
            found = found * 31 + value
    return found


def hashed_by_row(values):
    found = 7
    for value in values:
        if value > 0:
            for _ in fg.range(2):
                found = found * 31 + value
    return found


def hashed_from(values):
    found = 7 if values[0] > 0 else values[1]
    for value in values:
        found = values[2] if value == 3 else found
        if value > 4:
            found = found * 31
    return found


@pytest.mark.parametrize("function", [hashed, hashed_if, hashed_by_row, hashed_from])
def test_what_is_a_tensor_in_plain_python_wraps(function):
    values = fg.constant(list(range(1, 40)))
    assert int(fg.function(function)(values)) == int(function(values))


def counted(n):
    k = 0
    while k < n:
        k += 1
    return k


def test_counting_is_not_checked():
    loop = fg.function(counted).get_concrete_function(fg.constant(3))
    assert "StatelessWhile" in [op.type for op in loop.graph.get_operations()]


def scaled(x):
    k = 1
    while k < 100:
        x = x * 2.0
        k = k * 3
    return x


def test_gradients_pass_loops_that_are_checked():
    x = fg.constant(1.5)
    with fg.GradientTape() as tape:
        tape.watch(x)
        y = fg.function(scaled)(x)
    assert float(tape.gradient(y, x)) == 32.0


@fg.autograph.experimental.do_not_convert
def says_it(x):
    raise ValueError("slice index 3 of axis 0 is out of bounds for size 2")


def third(x):
    return x[3] if x[0] > 5 else x[0]


def other_error(x):
    return says_it(x) if x[0] > 5 else x[0]


def test_an_index_that_a_tensor_lacks_is_known_by_its_error_and_not_by_its_text():
    x = fg.constant([1, 2])
    assert int(fg.function(third)(x)) == 1
    with pytest.raises(fg.errors.InvalidArgumentError, match="out of bounds"):
        fg.function(third)(fg.constant([7, 2]))
    with pytest.raises(ValueError, match="out of bounds"):
        fg.function(other_error)(x)


def whole(x):
    return int(x) + 1


def test_int_of_a_tensor_is_that_of_python_or_fails():
    traced = fg.function(whole)
    for value in (3.7, -3.7, -2147483648.0):
        x = fg.constant(value, fg.float64)
        assert int(traced(x)) == whole(x)
    for value in (fg.constant(1e10), fg.constant(2**40), fg.constant(float("nan"))):
        with pytest.raises(fg.errors.InvalidArgumentError, match="int32 does not hold"):
            traced(value)
