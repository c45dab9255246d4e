"""Modules: what is in them, and the scopes of their names."""

import copy
import pickle

import ferrograph as fg
import pytest


class Inner(fg.Module):
    def __init__(self):
        super().__init__()
        with self.name_scope:
            self.v = fg.Variable(1.0, name="v")


class Outer(fg.Module):
    def __init__(self):
        super().__init__()
        self.z = fg.Variable(1.0)
        self.held = {"b": fg.Variable(2.0, trainable=False), "a": [fg.Variable(3.0)]}
        self.again = self.z
        with self.name_scope:
            self.inner = Inner()


def is_variable(value):
    return isinstance(value, fg.Variable)


def test_a_scope_lies_where_the_module_was_made():
    with fg.name_scope("outside"):
        made = fg.Module(name="abc")
    assert made.name == "abc" and made.name_scope.name == "outside/abc/"
    with fg.name_scope("elsewhere"), made.name_scope as scope:
        assert scope == "outside/abc/"
    assert Outer().inner.v.name == "outer/inner/v:0"


def test_leaves_with_their_paths():
    outer = Outer()
    paths = [path for path, _ in outer._flatten(predicate=is_variable, with_path=True)]
    assert paths == [("again",), ("held", "a", 0), ("held", "b"), ("z",), ("inner", "v")]
    backwards = outer._flatten(
        predicate=is_variable, attribute_traversal_key=lambda name: name[::-1], with_path=True
    )
    assert [path[0] for path, _ in backwards] == ["held", "held", "again", "z", "inner"]
    shallow = outer._flatten(recursive=False, predicate=lambda v: isinstance(v, fg.Module))
    assert list(shallow) == [outer.inner]


def test_a_leaf_comes_once_without_paths():
    outer = Outer()
    assert len(outer.variables) == 4 and len(outer.trainable_variables) == 3
    assert [v is outer.held["b"] for v in outer.non_trainable_variables] == [True]
    assert outer.submodules == (outer.inner,)


def test_modules_in_a_circle():
    a, b = fg.Module("a"), fg.Module("b")
    a.b, b.a = b, a
    a.v = fg.Variable(1.0)
    assert b.submodules == (a,) and len(b.variables) == 1
    assert [path for path, _ in b._flatten(predicate=is_variable, with_path=True)] == [("a", "v")]


def test_composites_can_be_taken_apart():
    made = fg.Module()
    made.ragged = fg.ragged.constant([[1], [2, 3]])
    parts = made._flatten(predicate=fg.is_tensor, with_path=True, expand_composites=True)
    assert [path for path, _ in parts] == [("ragged", 0), ("ragged", 1)]


def test_attributes_can_be_left_out():
    class Partly(Outer):
        _TF_MODULE_IGNORED_PROPERTIES = frozenset({"held"})

    assert len(Partly().variables) == 2


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_modules_are_copied(clone):
    outer = Outer()
    cloned = clone(outer)
    assert len(cloned.variables) == 4 and cloned.name_scope.name == outer.name_scope.name
    assert all(a is not b for a, b in zip(cloned.variables, outer.variables, strict=True))


def test_a_function_is_decorated_before_its_first_trace():
    f = fg.function(lambda x: x + 1)
    f._decorate(lambda inner: lambda x: inner(x) * 2)
    assert int(f(3)) == 8
    with pytest.raises(ValueError, match="traced"):
        f._decorate(lambda inner: inner)


def test_creators_get_all_arguments():
    seen = {}

    def creator(next_creator, **kwargs):
        seen.update(kwargs)
        return next_creator(**kwargs)

    with fg.variable_creator_scope(creator):
        v = fg.Variable(1.0, False, name="v", constraint=abs)
    assert not v.trainable and v.constraint is abs
    assert seen.pop("initial_value") == 1.0 and seen.pop("trainable") is False
    assert seen.pop("name") == "v" and seen.pop("constraint") is abs
    assert seen.pop("synchronization") is fg.VariableSynchronization.AUTO
    assert seen.pop("aggregation") is fg.VariableAggregation.NONE
    assert seen.pop("validate_shape") is True
    assert sorted(seen) == [
        "caching_device",
        "dtype",
        "experimental_enable_variable_lifting",
        "import_scope",
        "shape",
        "variable_def",
    ]
    assert set(seen.values()) == {None}
