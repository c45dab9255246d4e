"""``CheckpointOptions``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..values.errors import shown
from ..values.public import public

__all__ = ["CheckpointOptions"]


@public("train.CheckpointOptions")
class CheckpointOptions:
    """How a checkpoint is written and read.

    Every checkpoint is written by the thread that asks for it, whole and on the disk when the call
    returns, so ``enable_async`` changes nothing but that. Other settings are kept for programs that
    set them.

    >>> fg.train.CheckpointOptions(enable_async=True).enable_async
    True

    Args:
      experimental_io_device: kept; there is one device that reads files.
      experimental_enable_async_checkpoint: an older name of ``enable_async``.
      experimental_write_callbacks: functions that are called when a checkpoint is written: with its
        path where they take an argument.
      enable_async: kept.
      experimental_skip_slot_variables: kept; slots are variables like all others.
      experimental_sharding_callback: which tensors go together into one data file, such as a
        ``train.experimental.MaxShardSizePolicy``; all of them where it is None.

    Raises:
      ValueError: for an ``experimental_sharding_callback`` that is no function.
    """

    def __init__(
        self,
        experimental_io_device: Any = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Any] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ):
        callback = experimental_sharding_callback
        if callback is not None and not callable(callback):
            raise ValueError(
                "experimental_sharding_callback must be a train.experimental.ShardingCallback, "
                f"got {shown(callback)}"
            )
        self.experimental_io_device = experimental_io_device
        self.enable_async = experimental_enable_async_checkpoint or enable_async
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback
