"""Tensors from and to DLPack capsules."""

from .._src.values.dlpack import from_dlpack, to_dlpack

__all__ = [
    "from_dlpack",
    "to_dlpack",
]
