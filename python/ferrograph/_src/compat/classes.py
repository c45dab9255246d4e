"""Classes that libraries import from certain modules."""

from __future__ import annotations

from ..context.ownership import LentName, lent
from ..hints import Any
from ..native import _core
from ..ragged.tensor import RaggedTensor
from ..sparse.tensor import SparseTensor
from ..values.markers import DatasetV2

__all__ = ["DatasetV2", "EagerTensor", "RaggedTensor", "SparseTensor", "Tensor", "name_classes"]

Tensor, EagerTensor = _core.Tensor, _core.EagerTensor

# Keras asks the modules of these, as it does not import what may not be there.
_MODULES: dict[type[Any], str] = {
    EagerTensor: "tensorflow.python.framework.ops",
    Tensor: "tensorflow.python.framework.tensor",
    DatasetV2: "tensorflow.python.data.ops.dataset_ops",
    RaggedTensor: "tensorflow.python.ops.ragged.ragged_tensor",
    SparseTensor: "tensorflow.python.framework.sparse_tensor",
}


def name_classes() -> None:
    """Say of the classes that they are in the modules where libraries look for them."""
    for cls, module in _MODULES.items():
        name = LentName(module)
        # No public module has the class of eager tensors.
        name.home = _core.__name__ if cls is EagerTensor else cls.__module__
        cls.__module__ = name
        lent.add(module)
