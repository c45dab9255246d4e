"""Memory shared with other array libraries by DLPack.

Libraries that know DLPack's versions need none of this: ``their.from_dlpack(tensor)`` shares the
tensor's memory, read-only.
"""

from __future__ import annotations

from typing import Any

from ..native import _core
from .public import public

__all__ = ["from_dlpack", "to_dlpack"]


@public("experimental.dlpack.to_dlpack")
def to_dlpack(tf_tensor: Any) -> Any:
    """A DLPack capsule of an eager tensor, for one consumer.

    The capsule is of the kind without versions, whose consumer may write to the memory: it holds a
    copy, since tensors are immutable.

    >>> import ferrograph as fg
    >>> capsule = fg.experimental.dlpack.to_dlpack(fg.constant([1, 2]))
    >>> fg.experimental.dlpack.from_dlpack(capsule).numpy().tolist()
    [1, 2]

    Args:
      tf_tensor: an eager tensor, or what converts to one.

    Returns:
      A capsule.

    Raises:
      BufferError: for dtypes that DLPack does not have.
    """
    return _core.to_dlpack(_core.convert_to_tensor(tf_tensor))


@public("experimental.dlpack.from_dlpack")
def from_dlpack(dlcapsule: Any) -> Any:
    """The tensor of a DLPack capsule, or of an array with a ``__dlpack__`` method.

    Dense, aligned memory on the CPU is shared, not copied: whoever writes to the array afterwards
    changes the tensor. Other memory is copied.

    >>> import numpy as np
    >>> fg.experimental.dlpack.from_dlpack(np.array([1.0, 2.0])).numpy()
    array([1., 2.])

    Args:
      dlcapsule: a capsule that was not used yet, or an object with a ``__dlpack__`` method.

    Returns:
      A tensor.

    Raises:
      BufferError: where the array is on another device.
      ValueError: where the capsule was used already.
      TypeError: for anything else.
    """
    try:
        return _core.from_dlpack(dlcapsule)
    except TypeError as e:
        if not hasattr(dlcapsule, "__dlpack__"):
            _core.about_argument(dlcapsule, e)
        raise
