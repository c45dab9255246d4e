"""Operations under the names of their kernels, called by keyword."""

# Made by `make generate` from the declarations in ferrograph._src.
# ruff: noqa: I001

from ._src.hints import TYPE_CHECKING, Any as _Any

from ._src import door as _door, names_of as _names_of

if TYPE_CHECKING:
    from ._src.interfaces.raw_norms import FusedBatchNormV2, FusedBatchNormV3
    from ._src.interfaces.raw_ops import (
        Bucketize,
        ImageProjectiveTransformV3,
        UniqueV2,
        UniqueWithCountsV2,
    )
    from ._src.interfaces.raw_recurrent import BlockLSTMV2, CudnnRNN

__all__ = [
    "BlockLSTMV2",
    "Bucketize",
    "CudnnRNN",
    "FusedBatchNormV2",
    "FusedBatchNormV3",
    "ImageProjectiveTransformV3",
    "UniqueV2",
    "UniqueWithCountsV2",
]

if TYPE_CHECKING:

    def __getattr__(name: str) -> _Any: ...

else:
    _LAZY = {
        "BlockLSTMV2": "interfaces.raw_recurrent:BlockLSTMV2",
        "Bucketize": "interfaces.raw_ops:Bucketize",
        "CudnnRNN": "interfaces.raw_recurrent:CudnnRNN",
        "FusedBatchNormV2": "interfaces.raw_norms:FusedBatchNormV2",
        "FusedBatchNormV3": "interfaces.raw_norms:FusedBatchNormV3",
        "ImageProjectiveTransformV3": "interfaces.raw_ops:ImageProjectiveTransformV3",
        "UniqueV2": "interfaces.raw_ops:UniqueV2",
        "UniqueWithCountsV2": "interfaces.raw_ops:UniqueWithCountsV2",
    }
    __getattr__ = _door(__name__, _LAZY, others="interfaces.raw_declared")

    def __dir__():
        return sorted({*__all__, *_names_of("interfaces.raw_declared")})
