"""What code keeps on objects while a branch or a loop of the graph is traced, and reads later.

The right value is what the same function gives eagerly with a fresh object, which is also what
TensorFlow 2.21 gives. Where these two differ, since code tells whether the memo was filled, the
program is refused.
"""

import functools
import types
import weakref

import ferrograph as fg
import pytest


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.numpy().tolist() if hasattr(value, "numpy") else value


class IsNone:
    def __init__(self):
        self._n = None

    @property
    def n(self):
        if self._n is None:
            self._n = fg.TensorShape([3, 2])
        return self._n

    def size(self):
        return float(self.n[0])


class HasAttribute:
    def size(self):
        if not hasattr(self, "_size"):
            self._size = 4.0
        return self._size


class GetAttribute:
    def size(self):
        found = getattr(self, "_size", None)
        if found is None:
            found = self._size = 2.5
        return found


class Tried:
    def size(self):
        try:
            return self._size
        except AttributeError:
            self._size = 1.5
            return self._size


class ReturnsEarly:
    _size = None

    def size(self):
        if self._size is not None:
            return self._size
        scale = 3
        self._size = scale * 1.5
        return self._size


class Slotted:
    __slots__ = ("_size",)

    def __init__(self):
        self._size = None

    def size(self):
        if self._size is None:
            self._size = 6.0
        return self._size


class Property:
    @functools.cached_property
    def shape(self):
        return fg.TensorShape([5])

    def size(self):
        return float(self.shape[0])


class Items:
    def __init__(self):
        self.found = {}

    def size(self):
        if "size" not in self.found:
            self.found["size"] = 7.0
        return self.found["size"]


class ItemsByGet:
    def __init__(self):
        self.found = {}

    def size(self):
        value = self.found.get("size")
        if value is None:
            value = 8.0
            self.found["size"] = value
        return value


class ItemsTried:
    def __init__(self):
        self.found = {}

    def size(self):
        try:
            return self.found["size"]
        except KeyError:
            self.found["size"] = 9.0
            return self.found["size"]


class Sets:
    def size(self):
        self.last = 3.0
        return self.last


KINDS = [
    IsNone, HasAttribute, GetAttribute, Tried, ReturnsEarly, Slotted, Property, Items, ItemsByGet,
    ItemsTried, Sets,
]  # fmt: skip


def in_a_branch(o, x):
    if x > 0.0:
        x = x * o.size()
    return x * o.size()


def in_both_branches(o, x):
    if x > 0.0:  # noqa: SIM108 - a statement with two branches
        x = x * o.size()
    else:
        x = x - o.size()
    return x + o.size()


def in_a_for(o, x):
    for _ in fg.range(3):
        x = x + o.size()
    return x * o.size()


def in_a_while(o, x):
    while x < 20.0:
        x = x * 2.0 + o.size()
    return x + o.size()


def in_a_while_loop(o, x):
    found = fg.while_loop(lambda v: v < 20.0, lambda v: [v * 2.0 + o.size()], [x])[0]
    return found + o.size()


def in_map_fn(o, x):
    return fg.reduce_sum(fg.map_fn(lambda v: v * o.size(), fg.stack([x, x + 1.0]))) + o.size()


def in_scan(o, x):
    return fg.scan(lambda a, v: a + v * o.size(), fg.stack([x, x + 1.0]))[-1] + o.size()


def in_cond(o, x):
    return fg.cond(x > 0.0, lambda: x * o.size(), lambda: x) + o.size()


def in_a_nest(o, x):
    for _ in fg.range(2):
        if x > 1.0:
            while x < 9.0:
                x = x + o.size()
    return x * o.size()


PLACES = [
    in_a_branch, in_both_branches, in_a_for, in_a_while, in_a_while_loop, in_map_fn, in_scan,
    in_cond, in_a_nest,
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("autograph", [True, False])
def test_a_memo_stands(kind, place, autograph):
    if not autograph and place in (in_a_branch, in_both_branches, in_a_for, in_a_while, in_a_nest):
        return  # whose tests of tensors need AutoGraph
    one = kind()
    traced = fg.function(lambda x: place(one, x), autograph=autograph)
    for start in (2.0, -1.0, 0.5):
        x = fg.constant(start)
        assert plain(traced(x)) == plain(place(kind(), x))


def test_a_memo_of_an_object_that_the_function_makes():
    @fg.function
    def f(x):
        one = IsNone()
        if x > 0.0:
            x = x * one.size()
        return x + one.size()

    assert [float(f(fg.constant(v))) for v in (2.0, -2.0)] == [9.0, 1.0]


def refused(kind, place=in_a_branch):
    one = kind()
    with pytest.raises(fg.errors.StagingError) as e:
        fg.function(lambda x: place(one, x))(fg.constant(1.0))
    return str(e.value)


def test_a_flag_is_no_memo():
    """What is done where it is first set is not done again, which a branch may not decide."""

    class Once:
        def __init__(self):
            self.done = None

        def size(self):
            extra = 0.0
            if self.done is None:
                self.done = True
                extra = 100.0
            return 1.0 + extra

    class OnceByReturn:
        _n = None

        def size(self):
            if self._n is None:
                self._n = 1
                return 100.0
            return 2.0

    class Counted:
        def __init__(self):
            self.calls = []
            self.n = None

        def size(self):
            if self.n is None:
                self.n = 2.0
                self.calls.append("called")
            return self.n

    for kind in (Once, OnceByReturn):
        assert "is read here" in refused(kind)
    refused(Counted, lambda o, x: in_a_branch(o, x) + float(len(o.calls)))


def test_what_depends_on_an_argument_is_no_memo():
    class Shape:
        def __init__(self):
            self.n = None

        def of(self, x):
            if self.n is None:
                self.n = x.shape[0]
            return self.n

    def f(o, x):
        if x > 0.0:
            x = x * float(o.of(fg.zeros([3])))
        return x + float(o.of(fg.zeros([5])))

    assert "is read here" in refused(Shape, f)


def test_a_memo_that_other_code_sets_is_none():
    class Two(IsNone):
        def reset(self, n):
            self._n = n

    def f(o, x):
        if x > 0.0:
            x = x * o.size()
        return x + o.size()

    one = Two()
    g = fg.function(lambda x: (f(one, x), one.reset(fg.TensorShape([1])))[0])
    with pytest.raises(fg.errors.StagingError, match="is read here"):
        g(fg.constant(1.0))


def test_what_a_branch_sets_directly_is_no_memo():
    class Holder:
        flag = None

    one = Holder()

    @fg.function
    def f(x):
        if x > 0:
            one.flag = "set"
        return 1 if one.flag is None else 2

    with pytest.raises((fg.errors.StagingError, ValueError), match=r"one\.flag"):
        f(fg.constant(1))


def test_an_attribute_that_code_asks_for_is_not_one_that_fails_where_it_is_unset():
    one = Sets()

    @fg.function
    def f(x):
        if x > 0.0:
            x = x + one.size()
        return x * 2.0 if hasattr(one, "last") else x

    with pytest.raises(fg.errors.StagingError, match="last"):
        f(fg.constant(1.0))


class Ref(weakref.ref):
    def __init__(self, x):
        super().__init__(x)
        self.h = id(x)

    def __hash__(self):
        return self.h

    def __eq__(self, other):
        return self() is other()


class Key:
    def __init__(self, x):
        self.x = x

    def __hash__(self):
        return id(self.x)

    def __eq__(self, other):
        return self.x is other.x


class ByRef:
    def __init__(self):
        self.there, self.back = {}, {}

    def forward(self, x):
        k = Ref(x)
        if k not in self.there:
            self.there[k] = y = x * 2.0
            self.back[Ref(y)] = x
        return self.there[k]

    def inverse(self, y):
        return self.back.get(Ref(y), y / 2.0)


class ByKey(ByRef):
    def forward(self, x):
        k = Key(x)
        if k not in self.there:
            self.there[k] = x * 2.0
        return self.there[k]

    def inverse(self, y):
        return y / 2.0


class ById(ByRef):
    def forward(self, x):
        if id(x) not in self.there:
            self.there[id(x)] = x, x * 2.0
        return self.there[id(x)][1]

    def inverse(self, y):
        return y / 2.0


@pytest.mark.parametrize("kind", [ByRef, ByKey, ById])
@pytest.mark.parametrize("autograph", [True, False])
def test_a_cache_of_tensors(kind, autograph):
    if kind is ById and autograph:
        pytest.skip("AutoGraph refuses to compare the id of what the first iteration is given")
    b = kind()

    def loop(x):
        def body(i, y):
            return i + 1, b.inverse(b.forward(y)) + b.forward(y) + 1.0

        y = fg.while_loop(lambda i, y: i < 3, body, [fg.constant(0), x])[1]
        return y, b.forward(x), b.inverse(b.forward(y))

    wanted = plain(loop(fg.constant(1.0)))
    b.__init__()
    assert plain(fg.function(loop, autograph=autograph)(fg.constant(1.0))) == wanted


@pytest.mark.parametrize("kind", [ByRef, ByKey])
def test_a_cache_of_tensors_in_a_branch(kind):
    b = kind()

    @fg.function
    def f(x, y):
        if x > 0.0:
            y = b.forward(x) + b.forward(y)
        for _ in fg.range(2):
            y = b.inverse(b.forward(y)) * 3.0
        return b.forward(x) + y

    def eager(x, y):
        y = (2.0 * x + 2.0 * y if x > 0.0 else y) * 9.0
        return 2.0 * x + y

    for x in (1.0, -1.0):
        assert float(f(fg.constant(x), fg.constant(3.0))) == eager(x, 3.0)


def reads_with_default(owner):
    return getattr(owner, "filled", 0)


def reads_or_zero(owner):
    try:
        return owner.filled
    except AttributeError:
        return 0


def counts_attributes(owner):
    return len(vars(owner))


def fills(owner):
    owner.filled = 5


@pytest.mark.parametrize("read", [reads_with_default, reads_or_zero, counts_attributes])
def test_code_that_is_called_later_may_ask_for_an_attribute(read):
    """What one path alone adds is no memo where a function called afterwards tells that it is not
    there: plain Python gives 5 on one path and 0 on the other."""

    @fg.function
    def program(x):
        owner = types.SimpleNamespace()
        if x > 0:
            fills(owner)
        return read(owner)

    with pytest.raises((TypeError, ValueError), match="filled"):
        program(fg.constant(-1))
