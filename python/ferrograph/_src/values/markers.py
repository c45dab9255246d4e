"""Empty marker classes, from which libraries derive."""

from __future__ import annotations

__all__ = ["DatasetV2", "TensorType", "Trackable"]


class TensorType:
    """A class whose instances count as tensors: they convert to one by ``__tf_tensor__``."""

    __slots__ = ()


class Trackable:
    """A class whose instances a checkpoint follows: variables, modules, and what libraries add."""

    __slots__ = ()


class DatasetV2:
    """A dataset, by the name under which libraries know the class."""
