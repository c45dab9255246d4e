"""Special methods, properties and descriptors of the user's classes are staged as functions are."""

# ruff: noqa: F841, RET503, RET504, RET505, SIM103, SIM108, SIM118, B007, PLR0124, C416, E711, PERF402
# ruff: noqa: C400, C414, FURB118, E731, PLW1641 - as users write

import functools
import operator

import ferrograph as fg
import numpy as np
import pytest
from ferrograph._src.autograph.convert import compile as compile_module
from ferrograph._src.autograph.convert import operator_methods


class Value:
    """Each method decides on the value of a tensor."""

    __hash__ = None

    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        if self.a > 0:
            return self.a + other
        return self.a - other

    def __radd__(self, other):
        if self.a > 0:
            return self.a + 10 * other
        return self.a - 10 * other

    def __iadd__(self, other):
        if self.a > 0:
            self.a = self.a + other
        else:
            self.a = self.a - other
        return self

    def __matmul__(self, other):
        if self.a > 0:
            return self.a
        return other

    def __divmod__(self, other):
        if self.a > 0:
            return self.a, 1
        return self.a, 2

    def __neg__(self):
        if self.a > 0:
            return self.a
        return self.a * 3

    def __invert__(self):
        if self.a > 0:
            return self.a
        return self.a * 5

    def __abs__(self):
        if self.a > 0:
            return self.a
        return self.a * 7

    def __round__(self, digits=None):
        if self.a > 0:
            return self.a
        return self.a * 9

    def __int__(self):
        if self.a > 0:
            return 1
        return 2

    def __eq__(self, other):
        if self.a > 0:
            return True
        return False

    def __lt__(self, other):
        if self.a > 0:
            return other.a * 1
        return other.a * 2

    def __getitem__(self, key):
        if self.a > key:
            return self.a
        return self.a * 2

    def __setitem__(self, key, value):
        if self.a > key:
            self.a = self.a + value

    def __delitem__(self, key):
        if self.a > 0:
            self.a = self.a + key

    def __contains__(self, value):
        if self.a > value:
            return True
        return False

    def __len__(self):
        if self.a > 0:
            n = 2
        else:
            n = 3
        return n

    def __bool__(self):
        if self.a > 0:
            return True
        return False

    def __call__(self, value):
        if self.a > 0:
            return value
        return -value

    def __enter__(self):
        if self.a > 0:
            self.a = self.a + 5
        return self

    def __exit__(self, *exception):
        if self.a > 0:
            self.a = self.a + 7
        return False

    def __format__(self, spec):
        if self.a > 0:
            return "above"
        return "below"

    def __reversed__(self):
        if self.a > 0:
            return [self.a]
        return [self.a * 2]

    @property
    def scaled(self):
        if self.a > 0:
            return self.a
        return self.a * 11

    @scaled.setter
    def scaled(self, value):
        if value > 0:
            self.a = value
        else:
            self.a = value * 13

    @scaled.deleter
    def scaled(self):
        if self.a > 1:
            self.a = self.a * 0

    @functools.cached_property
    def kept(self):
        if self.a > 0:
            return self.a
        return self.a * 17


class Steps:
    def __init__(self, a):
        self.a, self.n = a, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.n >= 3:
            raise StopIteration
        self.n += 1
        if self.a > self.n:
            return self.a
        return self.a * 2


class Numbered:
    def __init__(self, a):
        self.a = a

    def __getitem__(self, i):
        if i > 2:
            raise IndexError
        if self.a > i:
            return self.a
        return -self.a


class Yielding:
    def __init__(self, a):
        self.a = a

    def __iter__(self):
        for k in range(3):
            if self.a > k:
                found = self.a
            else:
                found = -self.a
            yield found


@functools.total_ordering
class Ordered:
    __hash__ = None

    def __init__(self, a):
        self.a = a

    def __lt__(self, other):
        if self.a > 0:
            return self.a < other.a
        return False

    def __eq__(self, other):
        return self.a == other.a


class Bounded:
    """A descriptor."""

    def __get__(self, owner, kind=None):
        if owner.a > 0:
            return owner.a
        return -owner.a

    def __set__(self, owner, value):
        if value > 0:
            owner.a = value
        else:
            owner.a = value - 1

    def __delete__(self, owner):
        if owner.a > 0:
            owner.a = owner.a * 2


class WithDescriptor:
    bounded = Bounded()

    def __init__(self, a):
        self.a = a


class Guessing:
    def __init__(self, a):
        self.a = a

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if self.a > 0:
            return self.a
        return self.a * 3


class Guarded:
    def __init__(self, a):
        self.__dict__["a"] = a

    def __setattr__(self, name, value):
        if value > 0:
            self.__dict__[name] = value
        else:
            self.__dict__[name] = value * 2


class Left:
    def __init__(self, a):
        self.a = a

    def __add__(self, other):
        if self.a > 0:
            return 1
        return 2


class Derived(Left):
    def __radd__(self, other):
        if self.a > 0:
            return 3
        return 4


class Refusing:
    def __add__(self, other):
        return NotImplemented

    def __radd__(self, other):
        return NotImplemented

    __iadd__ = __add__


class Answering:
    def __init__(self, a):
        self.a = a

    def __radd__(self, other):
        if self.a > 0:
            return 3
        return 4


class Missing(dict):
    def __missing__(self, key):
        if fg.constant(key) > 0:
            return 1
        return 2


PROGRAMS = []


def program(function):
    PROGRAMS.append(function)
    return function


@program
def binary(x):
    return Value(x) + 1, 1 + Value(x), Value(x) @ x, operator.add(Value(x), 2)


@program
def derived_goes_first(x):
    return Left(x) + Derived(x), Derived(x) + Left(x), Left(x) + Left(x)


@program
def left_gives_up(x):
    return Refusing() + Answering(x)


@program
def augmented_names(x):
    v = Value(x)
    v += 2
    w = Left(x)
    w += 1
    return v.a, w


@program
def augmented_places(x):
    holder, items = Value(x), [Value(x), 0]
    holder.a = Value(x)
    holder.a += 2
    items[0] += 3
    items[len([1]) - 1] += 4
    return holder.a.a, items[0].a


@program
def unary(x):
    return -Value(x), ~Value(x), abs(Value(x)), round(Value(x)), int(Value(x)), -1


@program
def comparisons(x):
    found = Value(x) < Value(x + 1), Value(x) > Value(x + 1)
    if Value(x) == 1:
        found += (1,)
    else:
        found += (0,)
    if Value(x) != 1:
        found += (1,)
    else:
        found += (0,)
    return found


@program
def chain_of_comparisons(x):
    if Ordered(x) < Ordered(x + 1) <= Ordered(x + 2):
        return 1
    return 0


@program
def orders_made_by_a_decorator(x):
    one = Ordered(x * 0 + 1)
    found = 0
    if Ordered(x) > one:
        found = found + 1
    if Ordered(x) >= one:
        found = found + 2
    if Ordered(x) <= one:
        found = found + 4
    return found


@program
def items(x):
    v = Value(x)
    before = v[1]
    v[1] = 4
    v[2] += 3
    del v[2]
    return before, v.a, Missing({5: 6})[5], Missing()[7]


@program
def membership(x):
    found = 0
    if 1 in Value(x):
        found = found + 1
    if 1 not in Value(x):
        found = found + 2
    if Value(x) in [1, 2]:
        found = found + 4
    if x * 2 in Steps(x):
        found = found + 8
    return found


@program
def sizes(x):
    return len(Value(x))


@program
def truth(x):
    found = bool(Value(x)), not Value(x)
    n = 0
    if Value(x):
        n = n + 1
    if not Value(x):
        n = n + 2
    n = n + (4 if Value(x) else 8)
    return (*found, n)


@program
def truth_of_a_size(x):
    class Sized:
        def __len__(self):
            if x > 0:
                return 1
            return 0

    return 1 if Sized() else 2


@program
def loops_on_objects(x):
    v, n = Value(x), x * 0
    while v:
        v.a = v.a - 1
        n = n + 1
    return n


@program
def iteration(x):
    total = x * 0
    for v in Steps(x):
        total = total * 2 + v
    for v in Numbered(x):
        total = total * 2 + v
    for v in Yielding(x):
        total = total * 2 + v
    return total


@program
def iteration_inside_a_branch(x):
    total = x * 0
    if x > 1:
        for v in Steps(x):
            total = total + v
    return total


@program
def what_takes_iterables(x):
    a, b, c = Steps(x)
    first, *rest = Steps(x)
    pairs = [i * v for i, v in enumerate(Steps(x))]
    both = [v * w for v, w in zip(Steps(x), Numbered(x))]  # noqa: B905
    return (
        a + b * c, first, rest, pairs, both, list(Steps(x)), tuple(Numbered(x)), sum(Steps(x)),
        [v + 1 for v in Steps(x)], max(Numbered(x)), [*Steps(x)], next(iter(Steps(x))),
        next(Steps(x)), list(map(operator.neg, Steps(x))), sorted(Steps(x)),
        [v for v in reversed(Value(x))],
    )  # fmt: skip


@program
def sum_of_objects(x):
    return sum([Value(x)], 5), functools.reduce(lambda a, b: a + b, [Value(x), 1])


@program
def divisions(x):
    a, b = divmod(Value(x), 2)
    return a, b


@program
def calls(x):
    return Value(x)(x)


@program
def context_managers(x):
    with Value(x) as first, Value(x + 1) as second:
        inside = first.a + second.a
    return inside, first.a, second.a


@program
def texts(x):
    return f"{Value(x):abc}", f"{Value(x)}!", format(Value(x), "abc")


@program
def properties(x):
    v = Value(x)
    before = v.scaled
    v.scaled = x
    v.scaled += 1
    after = v.a
    del v.scaled
    return before, after, v.a, getattr(v, "scaled"), v.kept + v.kept  # noqa: B009


@program
def descriptors(x):
    o = WithDescriptor(x)
    before = o.bounded
    o.bounded = x
    after = o.a
    del o.bounded
    return before, after, o.a


@program
def guessed_attributes(x):
    return Guessing(x).anything, Guessing(x).a, getattr(Guessing(x), "other"), hasattr(x, "no")  # noqa: B009


@program
def attributes_set_by_a_method(x):
    o = Guarded(x)
    o.a = x
    setattr(o, "b", x)  # noqa: B010
    return o.a, o.b


@program
def operators_in_a_staged_loop(x):
    v = Value(x)
    for i in fg.range(3):
        v += i
        v[1] = i
    return v.a, v + 1


def plain(value):
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    return value.decode() if isinstance(value, bytes) else plain_array(np.asarray(value))


def plain_array(array):
    found = array.tolist()
    return found.decode() if isinstance(found, bytes) else found


@pytest.mark.parametrize("x", [3, -2])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_the_graph_gives_what_runs_eagerly(function, x):
    expected = plain(function(fg.constant(x)))
    assert plain(fg.function(function)(fg.constant(x))) == expected


def errors_of(function):
    messages = []
    for made in (function, fg.function(function)):
        with pytest.raises(TypeError) as error:
            made(fg.constant(1))
        messages.append(str(error.value).split("\n")[0])
    return messages


def adds_what_gives_up(x):
    return Refusing() + Left(x)


def augments_what_gives_up(x):
    v = Refusing()
    v += 1
    return v


def orders_what_has_no_order(x):
    return Left(x) < Ordered


def asks_what_gives_no_truth(x):
    class Odd:
        def __bool__(self):
            return 1

    return 1 if Odd() else 2


@pytest.mark.parametrize(
    "function",
    [
        adds_what_gives_up,
        augments_what_gives_up,
        orders_what_has_no_order,
        asks_what_gives_no_truth,
    ],
)
def test_errors_are_those_of_python(function):
    eager, traced = errors_of(function)
    assert traced == eager


def test_classes_of_arguments_count_from_when_they_are_met(tmp_path, monkeypatch):
    (tmp_path / "adder_of_things.py").write_text(
        "import ferrograph as fg\n\n@fg.function\ndef total(a, b):\n    return a + b\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import adder_of_things

    assert int(adder_of_things.total(fg.constant(1), fg.constant(2))) == 3
    assert int(adder_of_things.total(Left(fg.constant(-2)), fg.constant(2))) == 2
    assert int(adder_of_things.total(Left(fg.constant(3)), fg.constant(2))) == 1


def test_operators_stay_as_they_are_without_classes_for_them(tmp_path):
    file = tmp_path / "plain_program.py"
    file.write_text("def f(x, o):\n    y = x + 1\n    y += o.size\n    return -y < x[0]\n")
    names = {"__name__": "plain_program"}
    exec(compile(file.read_text(), str(file), "exec"), names)
    operator_methods.meet((), anew=True)
    assert "binary" not in compile_module.converted_code(names["f"]).co_names
    names["Left"] = Left
    assert "binary" in compile_module.converted_code(names["f"]).co_names
