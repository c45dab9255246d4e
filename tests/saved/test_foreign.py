"""Nodes of operations that are composed here, also damaged ones."""

import ferrograph as fg
import pytest
from ferrograph._src.saved.foreign import expand

FLOATS = (fg.TensorShape([3]), fg.float32, None)
NUMBERS = (fg.TensorShape([3]), fg.int32, None)


def test_an_operation_without_a_rule_has_no_graph():
    assert expand("NoSuchOperation", {}, [FLOATS]) is None


def test_results_are_named_by_their_ports():
    _, names = expand("DynamicPartition", {"num_partitions": 2}, [FLOATS, NUMBERS])
    assert names == ["outputs", "outputs"]


def test_slices_are_merged():
    inputs = [NUMBERS, NUMBERS, FLOATS, FLOATS]
    _, names = expand("DynamicStitch", {"N": 2}, inputs)
    assert names == ["merged"]


@pytest.mark.parametrize(
    ("op", "attributes", "inputs"),
    [
        ("Einsum", {}, [FLOATS]),
        ("Einsum", {"equation": "i->ij"}, [FLOATS]),
        ("DynamicPartition", {"num_partitions": 2}, [FLOATS]),
        ("DynamicStitch", {"N": 2}, [NUMBERS, FLOATS]),
        ("SparseReorder", {}, [FLOATS]),
        ("SparseSlice", {}, []),
    ],
)
def test_a_damaged_node_is_refused(op, attributes, inputs):
    with pytest.raises((ValueError, TypeError, fg.errors.InvalidArgumentError)):
        expand(op, attributes, inputs)


def test_a_node_of_endless_results_is_refused():
    with pytest.raises(NotImplementedError, match="parts"):
        expand("DynamicPartition", {"num_partitions": 2**40}, [FLOATS, NUMBERS])


def test_what_a_rule_needs_to_know_is_named():
    shape = (fg.TensorShape([2]), fg.int64, None)
    splits = (fg.TensorShape([None]), fg.int64, None)
    scalar = (fg.TensorShape([]), fg.float32, None)
    kinds = {"row_partition_types": ["ROW_SPLITS"]}
    with pytest.raises(NotImplementedError, match="shape is computed"):
        expand("RaggedTensorToTensor", kinds, [shape, FLOATS, scalar, splits])
