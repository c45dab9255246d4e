"""Objects matched with saved values: at once, later, in part, and not at all."""

import collections
import gc
import weakref

import ferrograph as fg
import numpy as np
import pytest

Checkpoint, Variable = fg.train.Checkpoint, fg.Variable


def module(**attributes):
    found = fg.Module()
    for name, value in attributes.items():
        setattr(found, name, value)
    return found


def keys(path):
    return [name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE") for name, _ in names(path)]


def names(path):
    return [found for found in fg.train.list_variables(path) if found[0][0] != "_"]


@pytest.fixture
def prefix(tmp_path):
    return str(tmp_path / "c")


def test_ways_are_names_with_their_dots_and_slashes_escaped(prefix):
    pair = collections.namedtuple("Pair", "a b")(Variable(1), Variable(2))
    m = module(pair=pair, d={"x/y.z": Variable(3)}, n=[1, [Variable(4)]], other=object())
    path = Checkpoint(m, kept=Variable(5)).write(prefix)
    assert keys(path) == ["d/x.Sy..z", "kept", "n/1/0", "pair/a", "pair/b"]


def test_an_object_with_two_ways_is_saved_once(prefix):
    v = Variable(1)
    path = Checkpoint(a=v, b=[v]).write(prefix)
    assert keys(path) == ["a"]
    other = Variable(0)
    Checkpoint(b=[other]).read(path).assert_existing_objects_matched()
    assert int(other) == 1


def test_attributes_that_are_set_later_are_restored(prefix):
    path = Checkpoint(net=module(l1=module(kernel=Variable(1.0), bias=Variable(2.0)))).save(prefix)
    part = module(bias=Variable(0.0))
    status = Checkpoint(net=module(l1=part)).restore(path)
    assert float(part.bias) == 2.0
    with pytest.raises(AssertionError, match="net.l1.kernel"):
        status.assert_consumed()
    kernel = Variable(0.0)
    part.kernel = kernel
    assert float(kernel) == 1.0
    status.assert_consumed()
    assert "__setattr__" not in vars(fg.Module), "nothing is waited for any more"


def test_elements_and_keys_that_come_later_are_restored(prefix):
    saved = Checkpoint(listed=[Variable(1.0), Variable(2.0)], mapped={"a": Variable(3.0)})
    path = saved.save(prefix)
    fresh = Checkpoint()
    status = fresh.restore(path)
    fresh.listed, fresh.mapped = [], {}
    first, second, third = (Variable(0.0) for _ in range(3))
    fresh.listed.append(first)
    fresh.listed += [second]
    fresh.mapped["a"] = third
    assert [float(v) for v in (first, second, third)] == [1.0, 2.0, 3.0]
    status.assert_consumed()


def test_a_later_checkpoint_overrules_what_is_waited_for(prefix):
    source = Checkpoint(m=module(v=Variable(1)))
    old = source.save(prefix)
    source.m.v.assign(2)
    new = source.save(prefix)
    fresh = Checkpoint(m=module())
    fresh.restore(old)
    fresh.restore(new)
    fresh.m.v = Variable(0)
    assert int(fresh.m.v) == 2


def test_what_is_waited_for_is_not_kept_alive(prefix):
    path = Checkpoint(m=module(v=Variable(1))).save(prefix)
    fresh = module()
    Checkpoint(m=fresh).restore(path)
    assert "__setattr__" in vars(fg.Module)
    reference = weakref.ref(fresh)
    del fresh
    gc.collect()
    assert reference() is None
    assert "__setattr__" not in vars(fg.Module)


@pytest.mark.parametrize("start", [lambda: 1.0, lambda: fg.random.normal([])])
def test_variables_of_a_first_trace_are_restored(prefix, start):
    class Model(fg.Module):
        w = None

        @fg.function
        def __call__(self, x):
            if self.w is None:
                self.w = Variable(start())
            return self.w * x

    saved = Model()
    saved(1.0)
    saved.w.assign(5.0)
    path = Checkpoint(m=saved).save(prefix)
    fresh = Model()
    status = Checkpoint(m=fresh).restore(path)
    assert float(fresh(fg.constant(2.0))) == 10.0
    status.assert_consumed()


def test_unmatched_objects_and_values_are_named(prefix):
    path = Checkpoint(a=Variable(1), b=Variable(2)).write(prefix)
    with pytest.raises(AssertionError, match=r"\(root\)\.b"):
        Checkpoint(a=Variable(0)).read(path).assert_consumed()
    with pytest.raises(AssertionError, match=r"\(root\)\.c.*Variable"):
        Checkpoint(a=Variable(0), c=Variable(0)).read(path).assert_existing_objects_matched()
    with pytest.raises(AssertionError, match="nothing but the root"):
        Checkpoint(c=Variable(0)).read(path).assert_nontrivial_match()
    with pytest.raises(AssertionError, match="nothing to restore"):
        Checkpoint().read(path).assert_nontrivial_match()
    Checkpoint(a=Variable(0)).read(path).expect_partial().assert_nontrivial_match()


def test_what_does_not_fit_is_refused_with_names_and_shapes(prefix):
    path = Checkpoint(v=Variable([1.0, 2.0]), w=Variable(1)).write(prefix)
    v, w = Variable([0.0, 0.0, 0.0], name="vee"), Variable(0)
    with pytest.raises(ValueError, match=r"vee:0 of shape \(3,\).*shape \(2,\)"):
        Checkpoint(w=w, v=v).read(path)
    assert int(w) == 0, "nothing is restored where something does not fit"
    with pytest.raises(fg.errors.InvalidArgumentError, match="int32.*float32"):
        Checkpoint(v=Variable([1, 2])).read(path)


def test_only_what_can_be_saved_is_followed(prefix):
    for value in (3, "s", None, fg.constant(1.0), lambda: 1):
        with pytest.raises(ValueError, match="can't follow v"):
            Checkpoint(v=value)
    with pytest.raises(ValueError, match="no string"):
        Checkpoint(m=module(d={1: Variable(1)})).write(prefix)
    with pytest.raises(ValueError, match=r"root\.v exists"):
        Checkpoint(module(v=Variable(1)), v=Variable(2))


def test_missing_files_are_not_found(tmp_path):
    with pytest.raises(fg.errors.NotFoundError, match="nothing-1"):
        Checkpoint(v=Variable(1)).restore(tmp_path / "nothing-1")
    with pytest.raises(fg.errors.NotFoundError):
        fg.train.load_checkpoint(tmp_path / "nothing")
    path = Checkpoint(v=Variable(1)).write(tmp_path / "c")
    with pytest.raises(fg.errors.NotFoundError, match="none"):
        fg.train.load_variable(path, "none")


def test_folders_are_made_and_paths_may_be_of_any_kind(tmp_path):
    ckpt = Checkpoint(v=Variable(1))
    for path in (tmp_path / "a/b", str(tmp_path / "c/d"), bytes(tmp_path / "e"),
                 fg.constant(str(tmp_path / "f"))):  # fmt: skip
        assert isinstance(ckpt.write(path), str)
        ckpt.read(path).assert_consumed()


def test_traced_functions_write_and_read_at_each_run(prefix):
    ckpt = Checkpoint(v=Variable(1.0))
    ckpt.write(prefix)

    @fg.function
    def write():
        return ckpt.write(prefix)

    @fg.function
    def read():
        ckpt.read(prefix)
        return ckpt.v + 0.0

    for value in (3.0, 4.0):
        ckpt.v.assign(value)
        assert write().numpy().decode() == prefix
        ckpt.v.assign(0.0)
        assert float(read()) == value
    with pytest.raises(NotImplementedError, match="Checkpoint.write"):
        fg.function(lambda: ckpt.save(prefix))()


class Counter:
    """An object of a class that knows nothing of checkpoints but the methods."""

    def __init__(self, count):
        self.count = fg.constant(count)

    def _serialize_to_tensors(self):
        return {"count": self.count}

    def _restore_from_tensors(self, tensors):
        self.count = tensors["count"]


def test_objects_take_part_by_methods(prefix):
    path = Checkpoint(m=module(counter=Counter(7))).write(prefix)
    fresh = module(counter=Counter(0))
    Checkpoint(m=fresh).read(path).assert_consumed()
    assert int(fresh.counter.count) == 7


@pytest.mark.parametrize("kind", ["MutableHashTable", "DenseHashTable"])
def test_tables_are_saved_unless_they_are_not_to_be(prefix, kind):
    def table(**options):
        if kind == "DenseHashTable":
            options |= {"empty_key": "", "deleted_key": "gone"}
        made = getattr(fg.lookup.experimental, kind)
        return made(fg.string, fg.int64, default_value=-1, **options)

    saved, silent = table(), table(checkpoint=False)
    saved.insert(["a", "b"], [1, 2])
    silent.insert(["a"], [3])
    path = Checkpoint(t=saved, s=silent).write(prefix)
    assert [name for name, _ in names(path)] == [
        "t/.ATTRIBUTES/table-keys",
        "t/.ATTRIBUTES/table-values",
    ]
    fresh = table()
    fresh.insert(["c"], [9])
    Checkpoint(t=fresh, s=table(checkpoint=False)).read(path).assert_consumed()
    assert fresh.lookup(["a", "b", "c"]).numpy().tolist() == [1, 2, -1]


def test_a_generator_draws_on(prefix):
    one = fg.random.Generator.from_seed(1)
    one.normal([3])
    path = Checkpoint(g=one).write(prefix)
    expected = one.normal([3]).numpy()
    two = fg.random.Generator.from_seed(2)
    Checkpoint(g=two).read(path).assert_consumed()
    np.testing.assert_array_equal(two.normal([3]).numpy(), expected)


def test_an_iterator_of_a_module_resumes(prefix):
    iterator = iter(fg.data.Dataset.range(3))
    next(iterator)
    path = Checkpoint(m=module(it=iterator)).write(prefix)
    next(iterator)
    Checkpoint(m=module(it=iterator)).read(path).assert_consumed()
    assert int(next(iterator)) == 1


def test_state_of_pythons_own(tmp_path):
    class Steps(fg.train.experimental.PythonState):
        def __init__(self, steps):
            self.steps = steps

        def serialize(self):
            return ",".join(self.steps)

        def deserialize(self, string_value):
            self.steps = string_value.decode().split(",")

    holder = fg.Module()
    holder.steps = Steps(["a", "b"])
    path = fg.train.Checkpoint(holder=holder).save(str(tmp_path / "c"))
    names = [name for name, _ in fg.train.list_variables(path)]
    assert "holder/steps/.ATTRIBUTES/py_state" in names
    again = fg.Module()
    again.steps = Steps([])
    fg.train.Checkpoint(holder=again).restore(path).assert_consumed()
    assert again.steps.steps == ["a", "b"]
    with pytest.raises(NotImplementedError, match="does not define serialize"):
        fg.train.experimental.PythonState().serialize()
