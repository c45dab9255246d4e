"""Loops that do the same again take short ways: what changes between two rounds is seen."""

import ferrograph as fg
import numpy as np
import pytest


def same(f, *args):
    """The results of ``f`` called as it is, converted, and traced with Python arguments."""
    plain = f(*args)
    assert fg.autograph.convert(f)(*args) == plain
    found = []

    @fg.function
    def run():
        found.append(fg.autograph.convert(f)(*args))
        return fg.constant(0)

    run()
    assert found == [plain]
    return plain


def twice(x):
    return 2 * x


def square(x):
    return x * x


def test_a_name_that_means_another_function_later():
    def f():
        step, out = twice, []
        for i in range(6):
            out.append(step(i))
            step = square if i % 2 == 0 else twice
        return out

    assert same(f) == [0, 1, 4, 9, 8, 25]


class Counter:
    def __init__(self, step=1):
        self.step, self.n = step, 0

    def add(self, by):
        self.n += by * self.step
        return self.n


def test_methods_of_other_objects_and_methods_that_are_replaced():
    def f():
        a, b, out = Counter(), Counter(10), []
        for i in range(6):
            c = a if i % 2 else b
            out.append(c.add(i))
            if i == 3:
                a.add = lambda by: -by
        return out, a.n, b.n

    assert same(f) == ([0, 1, 20, 4, 60, -5], 4, 60)


class Odd:
    """Can be called, and compares as nothing else does."""

    __hash__ = None

    def __eq__(self, other):
        raise AssertionError("compared")

    def __call__(self, x):
        return x + 1


def test_callables_that_do_not_compare():
    class Holder:
        call = Odd()

    def f():
        odd, holder, n = Odd(), Holder(), 0
        for _ in range(3):
            n = holder.call(odd(n))
        return n

    assert same(f) == 6


class Guarded:
    def __init__(self):
        self.seen = []

    @property
    def v(self):
        return self.seen[-1]

    @v.setter
    def v(self, value):
        if value > 1:
            value = -value
        self.seen.append(value)


def test_attributes_of_objects_of_several_classes():
    def f():
        plain, guarded = Counter(), Guarded()
        for i in range(6):
            target = plain if i < 3 else guarded
            target.v = i
        return plain.v, guarded.seen

    assert same(f) == (2, [-3, -4, -5])


def test_items_of_dicts_and_lists_and_keys_of_several_classes():
    def f():
        d, x, y = {}, [0, 0, 0], [0, 0, 0, 0]
        for i in range(4):
            held = d if i % 2 else x
            held[i % 3] = i
            y[i] = held[i % 3]
            y[-1 - i] += 1
        for k in (0, slice(1, 3), -1):
            x[k] = [7, 8] if isinstance(k, slice) else 9
        return d, x, y

    assert same(f) == ({1: 1, 0: 3}, [9, 7, 9], [1, 2, 2, 3])


def test_a_list_of_the_program_is_not_taken_for_a_dict_by_its_key():
    class Keys(dict):
        def __setitem__(self, key, value):
            super().__setitem__(key, value + 100)

    def f():
        plain, own = {}, Keys()
        for i in range(4):
            held = own if i > 1 else plain
            held["k"] = i
        return plain, dict(own)

    assert same(f) == ({"k": 1}, {"k": 103})


@pytest.mark.parametrize("x", [1.0, -1.0])
def test_what_a_short_way_took_before_is_undone_in_a_branch(x):
    def f(x):
        o, d, n = Counter(), {"k": fg.constant(0.0)}, fg.constant(0.0)
        o.v = fg.constant(0.0)
        for i in range(4):
            if i < 2 or x > 0.0:
                o.v = o.v + 1.0
                d["k"] = d["k"] + x
                n += twice(x)
        return o.v, d["k"], n

    traced = fg.function(f)(fg.constant(x))
    assert [float(v) for v in traced] == [float(v) for v in f(fg.constant(x))]


@pytest.mark.parametrize("x", [1.0, -1.0])
def test_a_property_is_staged_in_the_round_in_which_a_tensor_comes(x):
    def f(x):
        guarded = Guarded()
        for i in range(4):
            guarded.v = i if i < 2 else x * i
        return guarded.v

    assert float(fg.function(f)(fg.constant(x))) == float(f(fg.constant(x)))


SCALE = 3.0


def scaled(x):
    return x * SCALE


def test_what_a_function_called_in_a_loop_reads_guards_the_trace(monkeypatch):
    @fg.function
    def f(x):
        for _ in range(2):
            x = scaled(x)
        return x

    assert float(f(fg.constant(1.0))) == 9.0
    assert float(f(fg.constant(1.0))) == 9.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert float(f(fg.constant(1.0))) == 25.0


def test_a_list_that_grows_in_the_graph_is_known_to_the_loop_behind():
    @fg.function
    def f(x):
        items, out = [x], fg.constant(0)
        for k in range(4):
            items.append(x * k)
            out += len(items)
            if k == 1:
                for _ in fg.range(3):
                    items.append(x)
        return out, len(items)

    out, n = f(fg.constant(1.0))
    assert (int(out), int(n)) == (2 + 3 + 7 + 8, 8)


def test_a_key_comes_behind_what_it_is_the_key_of():
    told = []

    class Holder:
        rows = [0, 0, 0]

        def __getattr__(self, name):
            told.append(name)
            return self.rows

    class Key(int):
        def __add__(self, other):
            told.append("key")
            return int(self) + other

    def f():
        told.clear()
        holder, key = Holder(), Key(0)
        for i in range(2):
            holder.made[key + 1] = i
        return list(told), holder.rows

    assert same(f) == (["made", "key"] * 2, [0, 1, 0])


def test_lists_of_lists_and_keys_that_are_no_integers_of_python():
    class Rows(list):
        def __setitem__(self, key, value):
            super().__setitem__(key, [value])

    def f():
        table = [[0] * 3 for _ in range(3)]
        rows, holder = Rows([0, 0]), Counter()
        holder.rows = rows
        for i in range(5):
            table[i % 3][i % 2] = i
            holder.rows[i % 2] = table[i % 3][i % 2]
            table[-1][np.int64(i % 2) + 1] = True
            table[i % 2][i > 2] = "bool"
            holder.rows = [8, 9] if i == 2 else holder.rows
        return table, rows, holder.rows

    assert same(f)[2] == [4, 3]


@pytest.mark.parametrize("at", [0, 2])
def test_a_tensor_is_a_key_in_a_loop_that_python_runs(at):
    def f(t):
        items, holder = [1.0, 2.0, 3.0], Counter()
        holder.rows = [1.0, 2.0, 3.0, 4.0]
        for i in range(2):
            items[t] = 7.0
            holder.rows[t + i] = 9.0
        return items, holder.rows

    found = fg.function(f)(fg.constant(at))
    expected = f(at)
    assert [[float(v) for v in row] for row in found] == [list(map(float, r)) for r in expected]


def test_methods_of_containers_and_of_classes_that_derive_from_them():
    class Loud(list):
        def append(self, value):
            super().append(-value)

    class Holder:
        def get(self, key):
            return key * 10

    def f():
        plain, loud, out = [], Loud(), []
        for i in range(4):
            (plain if i % 2 else loud).append(i)
            held = loud if i > 1 else plain
            held.append(i + 1)
            out.append(({2: i} if i < 2 else Holder()).get(2))
            out.append(" ".join(["a", "b"]) if "a" in {"a": i} and i in (1, 2) else i not in {3})
        return plain, list(loud), out

    assert same(f)[1] == [0, -2, -3, -4]


@pytest.mark.parametrize("x", [1.0, -1.0])
def test_a_method_that_was_short_is_followed_in_a_branch(x):
    def f(x):
        items, seen, n = [fg.constant(0.0)], {}, fg.constant(0.0)
        for i in range(3):
            items.append(x * i)
            seen.update({i: x})
            if i > 0 and x > 0.0:
                items.append(x)
                n += float("a" in {"a": 1}) + float(i in seen)
        return items[-1], len(items), n

    found, expected = fg.function(f)(fg.constant(x)), f(fg.constant(x))
    assert [float(v) for v in found] == [float(v) for v in expected]


def test_what_is_augmented_in_a_loop_is_followed_where_it_matters():
    @fg.function
    def f(x):
        box, rows = Counter(), [x]
        box.rows = rows
        for _ in range(2):
            box.n += box.step
            rows += [x]
        if x > 0.0:
            box.rows += [x]
            box.n += box.step
        return box.n, len(box.rows)

    for value in (1.0, -1.0):
        n, length = f(fg.constant(value))
        assert (int(n), int(length)) == ((3, 4) if value > 0 else (2, 3))


class Kept:
    """An attribute that is set outside of loops, through whatever the class has for that."""

    def __init__(self):
        self.n = 0

    def add(self, by):
        self.n += by

    def put(self, other, value):
        other.n = value


class Doubling:
    def __init__(self):
        self._n = 0

    @property
    def n(self):
        return self._n

    @n.setter
    def n(self, value):
        self._n = 2 * value if value > 1 else value


class Setting:
    n = 0

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value + 1)


class Slotted:
    __slots__ = ("n",)


def test_attributes_that_methods_set_outside_of_loops():
    def f():
        kept, others = Kept(), [Kept(), Doubling(), Setting(), Slotted()]
        for i in range(4):
            kept.add(i)
            for other in others:
                kept.put(other, i)
        return kept.n, [other.n for other in others]

    assert same(f) == (6, [3, 6, 4, 3])


def test_an_attribute_that_a_branch_of_the_graph_sets():
    def f(x):
        kept = Kept()
        for i in range(2):
            kept.add(i)
        if x > 0.0:
            kept.add(x)
        else:
            kept.put(kept, -x)
        kept.add(1.0)
        return kept.n

    for x, left in ((2.0, 4.0), (-3.0, 4.0)):
        assert float(fg.function(f)(fg.constant(x))) == float(f(x)) == left


class Bare:
    pass


class Point:
    def __init__(self, x, y=2):
        self.x = x
        self.y = y
        self.rest = []


class Crossed:
    """Sets an attribute of its argument."""

    def __init__(self, other):
        self.other = other
        other.n = 7


def test_objects_made_in_a_loop():
    def f():
        made, twice = [], Doubling()
        for i in range(4):
            made.append((Bare(), Point(i), Point(i, y=3), Crossed(twice)))
            made[-1][1].rest.append(i)
            twice.n = 1
        kept = made[2]
        return type(kept[0]) is Bare, kept[1].rest, kept[1].y, kept[2].y, kept[3].other.n

    assert same(f) == (True, [2], 2, 3, 1)


def test_objects_made_in_a_branch_are_its_own():
    @fg.function
    def f(x):
        for _ in range(2):
            points = [Point(x)]
        for i in range(2):
            if x > 0.0:
                point = Point(x, i)
                point.rest.append(x)
                points[0].x = points[0].x + point.rest[0]
        return points[0].x

    assert [float(f(fg.constant(x))) for x in (2.0, -2.0)] == [6.0, -2.0]


def test_builtins_of_one_argument():
    def f():
        rows, out = [[1], [], (1, 2), {3: 4}, "abc"], []
        for i in range(5):
            size = len(rows[i])
            out.append((size, abs(-i), int(f"{i}"), float(i), round(i + 0.4), str(i)))
        return out

    assert same(f)[4] == (3, 4, 4, 4.0, 4, "4")


def test_a_view_whose_length_is_asked_for_is_not_kept():
    def f():
        data, out = bytearray(b"abcd"), []
        view = memoryview(data)
        for i in range(2):
            out.append(len(view[i:]))
        del view
        data.append(1)
        return out, len(data)

    assert same(f) == ([4, 3], 5)


def test_builtins_that_the_program_calls_so_itself():
    def f():
        out = []
        for abs in (len, sum, max):  # noqa: A001
            row = [3, 4]
            out.append(abs(row))
            out.append(len(row))
        return out

    assert same(f) == [2, 2, 7, 2, 4, 2]


def test_the_length_of_a_list_that_the_graph_grows():
    @fg.function
    def f(n):
        items, sizes = [], []
        for _ in range(2):
            sizes.append(len(items))
            for _ in fg.range(n):
                items.append(1.0)
        sizes.append(len(items))
        return sizes

    assert [int(size) for size in f(fg.constant(3))] == [0, 3, 6]


def test_builtins_of_tensors_in_a_loop_of_pythons():
    @fg.function
    def f(x):
        out = []
        for value in (x, -1.5, x[0]):
            out.append(abs(value))
            out.append(float(value) if type(value) is float else len(x))
        return out

    found = [fg.convert_to_tensor(v).numpy().tolist() for v in f(fg.constant([-2.0, 3.0]))]
    assert found == [[2.0, 3.0], 2, 1.5, -1.5, 2.0, 2]


class Scale:
    def __init__(self, k):
        self.k = k

    def of(self, x):
        return x * self.k if x > 0 else x

    def plus(self, other):
        return Scale(self.k + other.k)


def test_of_many_objects_those_that_live_on_guard_the_trace():
    scales = [Scale(k) for k in range(40)]

    @fg.function
    def total():
        found = 0
        for scale in scales:
            found += scale.of(1)
        return fg.constant(found)

    assert int(total()) == sum(range(40))
    scales[35].k = 100
    assert int(total()) == sum(range(40)) - 35 + 100


def test_objects_that_end_with_the_trace_do_not_guard_it():
    @fg.function
    def total(x):
        scale = Scale(0)
        for _ in range(100):
            scale = scale.plus(Scale(1))
        return x * scale.k

    assert int(total(fg.constant(2))) == 200
    assert len(total.get_concrete_function(fg.constant(2))._guards) < 60


def test_what_a_trace_within_calls_is_told_to_that_trace(monkeypatch):
    @fg.function
    def inner(x):
        return scaled(x)

    @fg.function
    def outer(x):
        for _ in range(2):
            x = scaled(x)
        return inner(x) + scaled(x)

    assert float(outer(fg.constant(1.0))) == 27.0 + 27.0
    assert float(inner(fg.constant(1.0))) == 3.0
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    assert float(inner(fg.constant(1.0))) == 2.0
    assert float(outer(fg.constant(1.0))) == 8.0 + 8.0


def halved(x, n):
    k = x / 2
    if k > n:
        return k
    return x


def test_a_function_begins_anew_where_a_tensor_decides():
    @fg.function
    def f(x):
        return halved(8, 3) + halved(x, 3) + halved(x, fg.constant(100.0))

    for x in (4.0, 10.0):
        expected = 4.0 + halved(x, 3) + x
        assert float(f(fg.constant(x))) == expected
    operations = f.get_concrete_function(fg.constant(1.0)).graph.get_operations()
    assert sum(o.type == "StatelessIf" for o in operations) == 2


def test_an_error_where_a_function_began_anew_shows_it_once():
    def failing(x):
        if x > 0:
            x = fg.matmul(x, x)
        return x

    @fg.function
    def f(x):
        return failing(x)

    with pytest.raises(ValueError, match="2 dimensions") as info:
        f(fg.constant(1.0))
    assert [entry.name for entry in info.traceback].count("failing") == 1
