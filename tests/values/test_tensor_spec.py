"""TensorSpec and TypeSpec: equality, compatibility, generalisation."""

import pickle

import ferrograph as fg
import numpy as np
import pytest
from ferrograph import type_spec_from_value


def test_printing():
    spec = fg.TensorSpec([None, 2], fg.int32)
    assert repr(spec) == "TensorSpec(shape=(None, 2), dtype=fg.int32, name=None)"
    assert repr(fg.TensorSpec(None, name="x")) == (
        "TensorSpec(shape=<unknown>, dtype=fg.float32, name='x')"
    )


def test_equality_and_hashing():
    spec = fg.TensorSpec([2, 3], fg.int64)
    assert spec == fg.TensorSpec((2, 3), np.int64)
    assert spec != fg.TensorSpec([2, None], fg.int64)
    assert spec != fg.TensorSpec([2, 3], fg.int32)
    assert spec != fg.TensorSpec([2, 3], fg.int64, name="x")
    assert len({spec, fg.TensorSpec([2, 3], fg.int64)}) == 1
    assert fg.TensorSpec(None) == fg.TensorSpec(None)


def test_compatibility_with_values_and_specs():
    spec = fg.TensorSpec([None, 2], fg.float32)
    assert spec.is_compatible_with(fg.ones([5, 2]))
    assert not spec.is_compatible_with(fg.ones([5, 3]))
    assert not spec.is_compatible_with(fg.ones([5, 2], fg.int32))
    assert spec.is_compatible_with([[1.0, 2.0]])
    assert not spec.is_compatible_with(object())
    assert spec.is_compatible_with(fg.TensorSpec(None))


def test_generalisation():
    a, b = fg.TensorSpec([2, 3], name="x"), fg.TensorSpec([4, 3], name="x")
    general = a.most_specific_common_supertype([b])
    assert general == fg.TensorSpec([None, 3], name="x")
    assert a.is_subtype_of(general) and not general.is_subtype_of(a)
    assert a.most_specific_common_supertype([fg.TensorSpec([2, 3], fg.int32)]) is None
    assert a.most_specific_compatible_type(fg.TensorSpec([2])).shape.rank is None
    with pytest.raises(ValueError):
        a.most_specific_compatible_type(fg.TensorSpec([2, 3], fg.int32))


def test_from_other_objects():
    spec = fg.TensorSpec.from_tensor(fg.zeros([2, 3], fg.int64), name="t")
    assert spec == fg.TensorSpec([2, 3], fg.int64, "t")
    assert fg.TensorSpec.from_spec(spec, name="u").name == "u"
    assert fg.TensorSpec.from_spec(spec).name == "t"
    with pytest.raises(ValueError):
        fg.TensorSpec.from_tensor(3)


def test_type_spec_from_value():
    assert type_spec_from_value([1, 2]) == fg.TensorSpec([2], fg.int32)
    with pytest.raises(TypeError):
        type_spec_from_value(object())


def test_pickling():
    spec = fg.TensorSpec([None, 2], fg.bfloat16, "x")
    assert pickle.loads(pickle.dumps(spec)) == spec


class PairSpec(fg.TypeSpec):
    """Two tensors and a tag."""

    def __init__(self, left, right, tag):
        self.parts = (left, right, tag)

    @property
    def value_type(self):
        return tuple

    def _serialize(self):
        return self.parts


def test_specs_of_users_compare_by_their_parts():
    def pair(n, tag="t"):
        return PairSpec(fg.TensorSpec([n]), fg.TensorShape([n, 1]), tag)

    assert pair(2) == pair(2) and hash(pair(2)) == hash(pair(2))
    assert pair(2) != pair(3)
    general = pair(2).most_specific_common_supertype([pair(3)])
    assert general == pair(None)
    assert pair(2).is_subtype_of(general)
    assert general.is_compatible_with(pair(9))
    assert not general.is_compatible_with(pair(9, "u"))
    assert pair(2).most_specific_common_supertype([pair(2, "u")]) is None
