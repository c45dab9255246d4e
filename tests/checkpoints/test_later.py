"""Values that come with objects made after a checkpoint was read.

The values are those of tensorflow-cpu 2.21.0 for the same statements, but where a test says what it
does instead.
"""

import collections

import ferrograph as fg
import pytest

Checkpoint, Variable = fg.train.Checkpoint, fg.Variable


@pytest.fixture
def written(tmp_path):
    def write(**kwargs):
        return Checkpoint(**kwargs).write(str(tmp_path / "c"))

    return write


def fresh(n):
    return [Variable(0.0) for _ in range(n)]


def values(variables):
    return [float(v) for v in variables]


def append(listed, a, b, c):
    listed.append(a)
    listed.extend([b])
    listed += (c,)


def insert(listed, a, b, c):
    """Refused by tensorflow when it is asked whether all was consumed."""
    listed.insert(0, a)
    listed.insert(1, b)
    listed.insert(2, c)


def assign(listed, a, b, c):
    """An error in tensorflow, which holds the whole slice against a tensor."""
    listed[:] = [a, b, c]


@pytest.mark.parametrize("grow", [append, insert, assign])
def test_a_list_grows(written, grow):
    path = written(l=[Variable(1.0), Variable(2.0), Variable(3.0)])
    checkpoint, made = Checkpoint(l=[]), fresh(3)
    status = checkpoint.read(path)
    with pytest.raises(AssertionError, match="l"):
        status.assert_consumed()
    grow(checkpoint.l, *made)
    assert values(made) == [1, 2, 3]
    status.assert_consumed()


def update(mapping, a, b, c):
    mapping.update(a=a)
    mapping["b"] = b
    mapping |= {"c": c}


def setdefault(mapping, a, b, c):
    """tensorflow misses what ``setdefault`` adds."""
    for key, value in zip("abc", (a, b, c), strict=True):
        mapping.setdefault(key, value)


@pytest.mark.parametrize("kind", [dict, collections.OrderedDict])
@pytest.mark.parametrize("grow", [update, setdefault])
def test_a_dictionary_grows(written, kind, grow):
    path = written(d=kind(a=Variable(1.0), b=Variable(2.0), c=Variable(3.0)))
    checkpoint, made = Checkpoint(d=kind()), fresh(3)
    status = checkpoint.read(path)
    grow(checkpoint.d, *made)
    assert values(made) == [1, 2, 3]
    assert isinstance(checkpoint.d, kind)
    assert list(checkpoint.d) == ["a", "b", "c"]
    status.assert_consumed()


def test_containers_within_containers_grow(written):
    saved = {"a": [{"k": Variable(1.0)}, [Variable(2.0)]], "t": (Variable(3.0), [Variable(4.0)])}
    path = written(d=saved)
    checkpoint = Checkpoint(d={"a": [], "t": (Variable(0.0), [])})
    status = checkpoint.read(path)
    a, b, t = fresh(3)
    checkpoint.d["a"].append({})
    checkpoint.d["a"][0]["k"] = a
    checkpoint.d["a"].append([])
    checkpoint.d["a"][1].append(b)
    checkpoint.d["t"][1].append(t)
    assert values([a, b, t, checkpoint.d["t"][0]]) == [1, 2, 4, 3]
    status.assert_consumed()


def test_tuples_keep_their_class(written):
    Pair = collections.namedtuple("Pair", "v parts")
    path = written(p=Pair(Variable(1.0), [Variable(2.0)]))
    checkpoint = Checkpoint(p=Pair(Variable(0.0), []))
    status = checkpoint.read(path)
    checkpoint.p.parts.append(Variable(0.0))
    assert type(checkpoint.p) is Pair
    assert values([checkpoint.p.v, *checkpoint.p.parts]) == [1, 2]
    status.assert_consumed()


def test_a_place_that_held_nothing_is_filled(written):
    path = written(l=[Variable(1.0), [Variable(2.0)]])
    checkpoint, (v,) = Checkpoint(l=[Variable(0.0), None]), fresh(1)
    status = checkpoint.read(path)
    checkpoint.l[1] = [v]
    assert float(v) == 2
    status.assert_consumed()


def test_what_takes_the_place_of_what_was_restored_is_left_alone(written):
    path = written(l=[Variable(1.0), Variable(2.0)], v=Variable(3.0))
    checkpoint, (a, b) = Checkpoint(l=fresh(2), v=Variable(0.0)), fresh(2)
    status = checkpoint.read(path)
    checkpoint.l[1], checkpoint.v = a, b
    with pytest.raises(AssertionError):
        status.assert_consumed()
    assert values([a, b]) == [0, 0]


def test_an_element_that_moves_keeps_its_value(written):
    path = written(l=[Variable(1.0), Variable(2.0)])
    (first, second) = fresh(2)
    checkpoint = Checkpoint(l=[first])
    status = checkpoint.read(path)
    checkpoint.l.insert(0, second)
    assert float(first) == 1
    with pytest.raises(AssertionError):
        status.assert_consumed()


def test_what_another_name_of_a_list_is_given_is_saved_and_asserted(tmp_path, written):
    """In tensorflow both raise a ValueError: the list was changed past the checkpoint."""
    path = written(l=[Variable(1.0), Variable(2.0)], d={"a": [Variable(3.0)]})
    listed, mapped = [], {}
    checkpoint = Checkpoint(l=listed, d=mapped)
    status = checkpoint.read(path)
    listed += fresh(2)
    mapped["a"] = fresh(1)
    status.assert_consumed()
    assert values(listed + mapped["a"]) == [1, 2, 3]
    again = checkpoint.write(str(tmp_path / "again"))
    names = [name for name, _ in fg.train.list_variables(again)]
    assert [name.split("/.")[0] for name in names if name[0] != "_"] == ["d/a/0", "l/0", "l/1"]
    listed.append(Variable(5.0))
    checkpoint.l.append(Variable(6.0))
    with pytest.raises(ValueError, match="both changed"):
        checkpoint.write(str(tmp_path / "third"))


def test_what_a_checkpoint_beside_a_root_is_given(written, tmp_path):
    root = fg.Module()
    root.v = Variable(1.0)
    path = Checkpoint(root, l=[Variable(2.0)], w=Variable(3.0)).write(str(tmp_path / "r"))
    other = fg.Module()
    other.v = Variable(0.0)
    checkpoint, (a, b) = Checkpoint(other, l=[]), fresh(2)
    status = checkpoint.read(path)
    checkpoint.l.append(a)
    checkpoint.w = b
    assert values([other.v, a, b]) == [1, 2, 3]
    assert not hasattr(other, "l")
    status.assert_consumed()


def test_variables_of_a_first_trace_in_a_list(written):
    class Model(fg.Module):
        def __init__(self):
            super().__init__()
            self.parts = []

        @fg.function
        def __call__(self, x):
            if not self.parts:
                self.parts.append(Variable(5.0))
                self.parts.append(Variable(6.0))
            return x * self.parts[0] + self.parts[1]

    model = Model()
    model(fg.constant(1.0))
    model.parts[0].assign(1.0)
    model.parts[1].assign(2.0)
    path = written(m=model)
    again = Model()
    status = Checkpoint(m=again).read(path)
    assert float(again(fg.constant(10.0))) == 12
    status.assert_consumed()


def test_the_later_of_two_checkpoints_counts_whoever_asks_the_first(written, tmp_path):
    first = written(l=[Variable(1.0)])
    second = Checkpoint(l=[Variable(2.0)]).write(str(tmp_path / "second"))
    checkpoint, (v,) = Checkpoint(l=[]), fresh(1)
    status = checkpoint.read(first)
    checkpoint.read(second)
    with pytest.raises(AssertionError):
        status.assert_consumed()
    checkpoint.l.append(v)
    assert float(v) == 2
